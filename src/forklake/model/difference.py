"""What differs between two versions, as values."""

from __future__ import annotations

from typing import TypeAlias

from forklake.model import types
from forklake.model.change import Change
from forklake.model.field import Field
from forklake.model.ids import CatalogId, SnapshotId, TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.scan import ScanPlan

Changes: TypeAlias = tuple[Change, ...]
"""What a commit would do to get from one version to another."""


@dataclass(frozen=True, slots=True)
class RowCounts:
    """How many rows of a table were inserted, deleted and updated.

    Rows are told apart by their ids: a row that only moved to another file counts nowhere.
    """

    inserted: int = 0
    deleted: int = 0
    updated: int = 0

    def __bool__(self) -> bool:
        return bool(self.inserted or self.deleted or self.updated)


@dataclass(frozen=True, slots=True)
class TableDiff:
    """What differs in one table.

    Attributes:
        schema: Its schema: as the second version has it, or else the first.
        table: Its name, likewise.
        table_id: Its id.
        is_new: Whether only the second version has it.
        is_dropped: Whether only the first version has it.
        files_added: How many data files only the second version has.
        files_removed: How many only the first has.
        files_changed: How many both have, with other rows deleted.
        rows: How many rows differ. None if metadata does not tell: some rows came and others went, so that they may be
            the same ones, updated or moved.
    """

    schema: str
    table: str
    table_id: TableId
    is_new: bool = False
    is_dropped: bool = False
    files_added: int = 0
    files_removed: int = 0
    files_changed: int = 0
    rows: RowCounts | None = RowCounts()

    @property
    def has_files(self) -> bool:
        """Whether the two have other data files, or other rows of them deleted."""
        return bool(self.files_added or self.files_removed or self.files_changed)


@dataclass(frozen=True, slots=True)
class CatalogDiff:
    """What leads from one version to another.

    Attributes:
        before: The catalog and the snapshot that it leads from.
        after: Those that it leads to.
        changes: What a commit would do to get there. Data files come without statistics and keys.
        words: What each of them does, for people; nothing for changes of rows.
        tables: The tables in which something differs, by schema and name.
        names: The names of the two catalogs.
    """

    before: tuple[CatalogId, SnapshotId]
    after: tuple[CatalogId, SnapshotId]
    changes: Changes
    words: tuple[tuple[str, ...], ...]
    tables: tuple[TableDiff, ...]
    names: tuple[str, str]


@dataclass(frozen=True, slots=True)
class DiffScan:
    """What is read to find the rows of a table that differ.

    Attributes:
        before: Rows of the first version.
        after: Rows of the second, in the same columns.
    """

    before: ScanPlan
    after: ScanPlan

    @property
    def plans(self) -> tuple[ScanPlan, ScanPlan]:
        """Both."""
        return self.before, self.after

    @property
    def fields(self) -> tuple[Field, ...]:
        """The columns of the rows: ``change_type``, ``rowid`` and those of the table."""
        return Field(None, "change_type", types.VARCHAR), Field(None, "rowid", types.INT64), *self.after.fields
