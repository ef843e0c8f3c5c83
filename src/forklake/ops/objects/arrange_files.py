"""Sets the partitioning and the sort order of future files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Final

from forklake.catalog import describe
from forklake.catalog.fields import table_fields
from forklake.catalog.transaction import Staging
from forklake.errors import InvalidInputError
from forklake.model import change
from forklake.model.definitions import PartitionField, SortKey
from forklake.model.field import Field, plain_column
from forklake.model.ids import PartitionId, SortId, TableId
from forklake.model.quoting import unquote_name
from forklake.model.rows import TableRow
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.objects.sort_keys import SortKeys, check_keys

PartitionKeys = Sequence[PartitionField | str]
"""Keys of a partitioning: columns, transforms of columns such as ``month(ts)`` and ``bucket(16, id)``, or fields."""

_TRANSFORM: Final = re.compile(
    r"""(?P<transform>\w+)\s*\(\s*(?:(?P<count>\d+)\s*,\s*)?(?P<column>"(?:[^"]|"")+"|[^"(),]*[^"(),\s])\s*\)"""
)


def set_partitioning(staging: Staging, table: TableRow, keys: PartitionKeys) -> None:
    """Partition future files; no keys resets it.

    Existing files stay as they are.

    Raises:
        NotFoundError: There is no such column.
        InvalidInputError: There is no such transform, or not for that type.
    """
    is_list = isinstance(keys, Sequence) and not isinstance(keys, str)
    if not is_list or not all(isinstance(key, str | PartitionField) for key in keys):
        raise InvalidInputError(
            f"A table is partitioned by a list of columns or PartitionField, not {keys!r}; nothing was changed."
        )
    columns = table_fields(staging.draft, table.table_id)
    fields = tuple(_partition_field(key, columns) if isinstance(key, str) else key for key in keys)
    staging.stage(change.SetPartitioning(table.table_id, PartitionId(staging.new_object() if fields else 0), fields))


def _partition_field(text: str, columns: Sequence[Field]) -> PartitionField:
    """Parse a partition key: a column, or a transform of one.

    Transforms are written as in SQL: ``month(ts)``, ``bucket(16, id)``.
    """
    plain = plain_column(text, columns)
    if plain is not None:
        return PartitionField(plain.name)
    match = _TRANSFORM.fullmatch(text.strip())
    if match is None:
        return PartitionField(text)
    column, transform = unquote_name(match["column"]), match["transform"].lower()
    return PartitionField(column, transform if match["count"] is None else f"{transform}({match['count']})")


def set_sorting(staging: Staging, runtime: Runtime, table: TableRow, keys: SortKeys) -> None:
    """Sort future files; no keys resets it.

    Raises:
        InvalidInputError: A key cannot be read, names no column of the table, or has no order.
    """
    fields = table_fields(staging.draft, table.table_id)
    macros = partial(describe.macro_overloads, staging.draft, table.schema_id)
    stage_sorting(staging, table.table_id, check_keys(runtime, keys, table.table_name, fields, macros))


def stage_sorting(staging: Staging, table: TableId, keys: tuple[SortKey, ...]) -> None:
    """Sort future files by keys that are checked already."""
    staging.stage(change.SetSorting(table, SortId(staging.new_object() if keys else 0), keys))
