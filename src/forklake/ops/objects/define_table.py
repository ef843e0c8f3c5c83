"""Creates, drops and renames tables."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from forklake import ops
from forklake.catalog import lookup
from forklake.catalog.transaction import Staging
from forklake.errors import InvalidInputError
from forklake.model import change
from forklake.model.definitions import ColumnDefinition
from forklake.model.ids import TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.rows import TableRow
from forklake.model.types import Type
from forklake.model.types.read import definition_of, read_type
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.objects.arrange_files import PartitionKeys, set_partitioning, set_sorting
from forklake.ops.objects.check_default import check_default
from forklake.ops.objects.sort_keys import SortKeys

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql.types import StructType

Columns: TypeAlias = (
    "str | Mapping[str, str] | Iterable[ColumnDefinition | tuple[str, str]] | pa.Schema | StructType"
    " | pd.DataFrame | pd.Series[Any]"
)
"""Columns to make: a mapping of names to types, or pairs, or definitions, or a text as in CREATE TABLE, or a schema."""

_SCHEMAS: Final = (("pyarrow", "Schema"), ("pyspark", "StructType"), ("pandas", "DataFrame"), ("pandas", "Series"))


@dataclass(frozen=True, slots=True)
class NewTable:
    """A table to create, and what to do if the name is taken."""

    name: str
    columns: tuple[ColumnDefinition, ...]
    schema: str = "main"
    partition_by: PartitionKeys = ()
    sort_by: SortKeys = ()
    if_not_exists: bool = False
    or_replace: bool = False
    uses_old_rows: bool = False
    """Whether it is filled with rows of the table that it replaces: what others did to those meanwhile conflicts."""

    def __post_init__(self) -> None:
        if self.if_not_exists and self.or_replace:
            raise InvalidInputError("Cannot specify both OR REPLACE and IF NOT EXISTS.")


def define_columns(runtime: Runtime, columns: Columns) -> tuple[ColumnDefinition, ...]:
    """Return a caller's columns as definitions, with their defaults checked.

    Raises:
        InvalidInputError: One is no pair of name and type, has no known type, or a default that no row could
            have.
    """
    if isinstance(columns, str):
        columns = runtime.language.columns(columns)
    elif is_frame_schema(columns):
        columns = ops.frame_columns.schema_columns(runtime.engine, columns)
    given: Iterable[Any] = columns.items() if isinstance(columns, Mapping) else columns
    if not isinstance(given, Iterable):
        raise InvalidInputError(
            f"Columns are SQL text, or names with their types, not {columns!r}; nothing was created.",
            hint='{"id": "BIGINT", "item": "VARCHAR"}',
        )
    defined = []
    for column in given:
        if isinstance(column, ColumnDefinition):
            defined.append(check_default(runtime, column))
            continue
        try:
            name, column_type = column
        except (TypeError, ValueError):
            raise InvalidInputError(f"A column is a pair of name and type, not {column!r}.") from None
        defined.append(definition_of(name, read_column_type(name, column_type)))
    return tuple(defined)


def read_column_type(name: str, text: str) -> Type:
    """Return the type that a caller names for a column.

    Raises:
        InvalidInputError: There is no such type.
    """
    given: object = text
    if not isinstance(given, str):
        raise InvalidInputError(f'The type of column "{name}" is text, as in SQL, not {given!r}.')
    try:
        return read_type(text)
    except ValueError as error:
        raise InvalidInputError(f'Column "{name}" cannot be of that type: {error}') from error


def is_frame_schema(columns: object) -> bool:
    """Return whether something is a schema of Arrow, Spark or pandas.

    None of these libraries is imported to find out.
    """
    kind = type(columns)
    return (kind.__module__.split(".")[0], kind.__name__) in _SCHEMAS


def create_table(staging: Staging, runtime: Runtime, new: NewTable) -> TableId | None:
    """Create a table; return its id.

    The result is None if a table of that name exists and should stay.

    Raises:
        AlreadyExistsError: There is a table or view of that name.
        InvalidInputError: A column has no known type, or a name that is taken.
    """
    schema_id = lookup.schema(staging.draft, new.schema).schema_id
    found = lookup.find_table(staging.draft, schema_id, new.name)
    if found is not None and new.if_not_exists:
        return None
    if found is not None and new.or_replace:
        staging.stage(change.DropTable(found.table_id, rows_are_used=new.uses_old_rows))
    elif new.or_replace and lookup.find_view(staging.draft, schema_id, new.name) is not None:
        raise InvalidInputError(
            f"Existing object {new.name} is of type View, trying to replace with type Table. Nothing was replaced."
        )
    new_id = TableId(staging.new_object())
    staging.stage(change.CreateTable(new_id, str(uuid.uuid4()), schema_id, new.name, new.columns))
    if new.partition_by:
        set_partitioning(staging, lookup.table_by_id(staging.draft, new_id), new.partition_by)
    if new.sort_by:
        set_sorting(staging, runtime, lookup.table_by_id(staging.draft, new_id), new.sort_by)
    return new_id


def drop_table(staging: Staging, table: TableRow) -> None:
    """Drop a table with everything in it; time travel and forks still see it."""
    staging.stage(change.DropTable(table.table_id))


def rename_table(staging: Staging, table: TableRow, name: str) -> None:
    """Give a table another name; its files stay where they are.

    Raises:
        AlreadyExistsError: There is a table or view of the new name.
    """
    staging.stage(change.RenameTable(table.table_id, name))
