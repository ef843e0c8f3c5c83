"""Typed ids, and the constants that the metadata tables rely on."""

from __future__ import annotations

from typing import Final, NewType

CatalogId = NewType("CatalogId", int)
SnapshotId = NewType("SnapshotId", int)
SchemaId = NewType("SchemaId", int)
TableId = NewType("TableId", int)
ColumnId = NewType("ColumnId", int)
DataFileId = NewType("DataFileId", int)
DeleteFileId = NewType("DeleteFileId", int)
ViewId = NewType("ViewId", int)
MacroId = NewType("MacroId", int)
PartitionId = NewType("PartitionId", int)
SortId = NewType("SortId", int)
MappingId = NewType("MappingId", int)
RowUid = NewType("RowUid", int)

INFINITY: Final = SnapshotId(2**63 - 1)
"""The ``end_snapshot`` of a live row; views show it as NULL."""

ROW_ID_SHIFT: Final = 36
"""Rows added in a catalog that is not a root are numbered from ``catalog_id << ROW_ID_SHIFT``."""

LAST_COLUMN_ID: Final = 2**31 - 2**20
"""Ids of columns are field ids of Parquet files, which have 32 bits; the last ones have a meaning of their own."""

THE_LAKE: Final = CatalogId(-1)
"""The ``catalog_id`` of options that belong to the whole lake."""


def first_row_id(catalog: CatalogId, *, is_root: bool) -> int:
    """Return the first row id that a catalog assigns to rows it adds itself.

    Two catalogs of one tree never assign one id to different rows: a root counts from 0, every other
    catalog from a range of its own (134 million catalogs, 68 billion rows a table in each).
    """
    return 0 if is_root else catalog << ROW_ID_SHIFT
