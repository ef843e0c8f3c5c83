"""How many bytes rows of the metadata count in the total of their catalog.

Quotas go by it. What a file has is its size. What a row has is a flat number, and the texts in it that may be long:
those of definitions and of inlined rows. The same is said here for rows as values and for rows in a database.
"""

from __future__ import annotations

from typing import Any, Final

from forklake.metastore.schema.description import LIVE, Table
from forklake.metastore.schema.file_tables import DATA_FILE, DELETE_FILE, INLINED_DELETE, INLINED_ROW
from forklake.metastore.schema.object_tables import (
    COLUMN,
    COLUMN_TAG,
    MACRO,
    MACRO_IMPL,
    MACRO_PARAMETERS,
    PARTITION_INFO,
    SCHEMA,
    SORT_EXPRESSION,
    SORT_INFO,
    TABLE,
    TAG,
    VIEW,
    VIEW_COLUMN_TAG,
)
from forklake.model.names import byte_length

ROW_BYTES: Final = 128
"""What a row counts beside its texts: about what its other columns and its places in indexes take."""

_FILES: Final = (DATA_FILE, DELETE_FILE)
_TEXTS: Final[dict[Table, tuple[str, ...]]] = {
    SCHEMA: (),
    TABLE: (),
    COLUMN: ("initial_default", "default_value"),
    VIEW: ("sql", "column_aliases"),
    MACRO: (),
    MACRO_IMPL: ("sql",),
    MACRO_PARAMETERS: ("default_value",),
    TAG: ("value",),
    COLUMN_TAG: ("value",),
    VIEW_COLUMN_TAG: ("value",),
    PARTITION_INFO: (),
    SORT_INFO: (),
    SORT_EXPRESSION: ("expression",),
    INLINED_ROW: ("document",),
    INLINED_DELETE: (),
}
COUNTED: Final = (*_FILES, *_TEXTS)
"""The tables whose rows count; those that follow others count while these are live."""


def bytes_of(table: Table, row: Any) -> int:
    """Return how many bytes a row of a table counts."""
    if table in _FILES:
        return int(row.file_size_bytes)
    return ROW_BYTES + sum(byte_length(getattr(row, name)) for name in _TEXTS[table])


def own_bytes(never: str = str(LIVE)) -> str:
    """Return the expression that counts the own live bytes of a catalog.

    It is that of a row of ``ducklake_head``. ``bytes(x)`` stands for the length of a text in UTF-8, and ``never`` for
    the end of a live row.
    """
    parts = [_sum(table, "sum(f.file_size_bytes)", never) for table in _FILES]
    for table in _TEXTS:
        texts = "".join(f" + coalesce(bytes(f.{name}), 0)" for name in _TEXTS[table])
        parts.append(_sum(table, f"sum({ROW_BYTES}{texts})", never))
    return f"({' + '.join(parts)})"


def own_files(never: str = str(LIVE)) -> str:
    """Return the expression that counts the own live files of that catalog."""
    return f"({' + '.join(_sum(table, 'count(*)', never) for table in _FILES)})"


def _sum(table: Table, value: str, never: str) -> str:
    rows = f"forklake.{table.name} f WHERE f.catalog_id = forklake.ducklake_head.catalog_id"
    if table.follows is None:
        return f"(SELECT coalesce({value}, 0) FROM {rows} AND f.end_snapshot = {never})"
    parent, key = table.follows
    return (
        f"(SELECT coalesce({value}, 0) FROM {rows} AND EXISTS (SELECT 1 FROM forklake.{parent.name} p"
        f" WHERE p.catalog_id = f.catalog_id AND p.{key} = f.{key} AND p.end_snapshot = {never}))"
    )
