"""What one commit may do: the one vocabulary for staging, the log, conflicts, diff and merge.

A change names things by id, so it means the same on every snapshot that holds them. Ids of things that
the same transaction makes are local (negative) until the commit.
"""

from __future__ import annotations

from dataclasses import dataclass

from forklake.model.definitions import ColumnDefinition, NewDataFile, NewDeleteFile
from forklake.model.ids import ColumnId, DataFileId, DeleteFileId, SchemaId, TableId


@dataclass(frozen=True, slots=True)
class CreateSchema:
    """Make a schema."""

    schema_id: SchemaId
    uuid: str
    name: str


@dataclass(frozen=True, slots=True)
class DropSchema:
    """Drop a schema; with ``cascade`` the tables in it too, else it has to be empty."""

    schema_id: SchemaId
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class CreateTable:
    """Make a table."""

    table_id: TableId
    uuid: str
    schema_id: SchemaId
    name: str
    columns: tuple[ColumnDefinition, ...]


@dataclass(frozen=True, slots=True)
class DropTable:
    """Drop a table with its columns and files."""

    table_id: TableId


@dataclass(frozen=True, slots=True)
class RenameTable:
    """Give a table another name in its schema; its files stay where they are."""

    table_id: TableId
    name: str


@dataclass(frozen=True, slots=True)
class AddColumn:
    """Add a column, or a field to the column ``parent``."""

    table_id: TableId
    column: ColumnDefinition
    parent: ColumnId | None = None


@dataclass(frozen=True, slots=True)
class DropColumn:
    """Drop a column with the fields in it; its id is never used again."""

    table_id: TableId
    column_id: ColumnId


@dataclass(frozen=True, slots=True)
class RenameColumn:
    """Give a column or field another name."""

    table_id: TableId
    column_id: ColumnId
    name: str


@dataclass(frozen=True, slots=True)
class AppendFiles:
    """Make written data files part of a table; row ids are given at the commit."""

    table_id: TableId
    files: tuple[tuple[DataFileId, NewDataFile], ...]


@dataclass(frozen=True, slots=True)
class DeleteRows:
    """Make written delete files count; each takes the place of the one before it."""

    table_id: TableId
    files: tuple[tuple[DeleteFileId, NewDeleteFile], ...]


@dataclass(frozen=True, slots=True)
class RemoveFiles:
    """End data files of which no row is left, and their delete files."""

    table_id: TableId
    files: tuple[DataFileId, ...]


Change = (
    CreateSchema
    | DropSchema
    | CreateTable
    | DropTable
    | RenameTable
    | AddColumn
    | DropColumn
    | RenameColumn
    | AppendFiles
    | DeleteRows
    | RemoveFiles
)
