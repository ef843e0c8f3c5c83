"""Queries on what maintenance has to do: which catalogs hold work.

They look at rows that catalogs wrote themselves and have not ended: what a fork inherits is its parent's work. Each is
a scan of one table or two, however many catalogs there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from forklake.metastore.source import Source
from forklake.metastore.written_tables import END
from forklake.model.ids import INFINITY, CatalogId

_IS_LIVE = "(SELECT h.live FROM forklake.ducklake_head h WHERE h.catalog_id = x.catalog_id)"


def with_inlined_rows(source: Source, least: int) -> set[CatalogId]:
    """Return the live catalogs that keep many rows of a table in the metadata.

    Deletes that are kept there count as well.
    """
    return _catalogs(
        source,
        " UNION ALL ".join(
            f"SELECT r.catalog_id FROM forklake.{name} r WHERE r.{END} = :live"
            " GROUP BY r.catalog_id, r.table_id HAVING count(*) >= :least"
            for name in ("ducklake_inlined_row", "ducklake_inlined_delete")
        ),
        least=least,
    )


def with_small_files(source: Source, smaller_than: int, least: int) -> set[CatalogId]:
    """Return the live catalogs that have at least so many small files of a table.

    Files of different partitions are not merged: one for each value of the first key does not count.
    """
    return _catalogs(
        source,
        "SELECT r.catalog_id FROM forklake.ducklake_data_file r LEFT JOIN forklake.ducklake_file_partition_value v"
        " ON v.catalog_id = r.catalog_id AND v.data_file_id = r.data_file_id AND v.partition_key_index = 0"
        f" WHERE r.{END} = :live AND r.file_size_bytes < :size GROUP BY r.catalog_id, r.table_id"
        " HAVING count(*) - count(DISTINCT v.partition_value) >= :least",
        size=smaller_than,
        least=least,
    )


def with_deleted_rows(source: Source, least: float) -> set[CatalogId]:
    """Return the live catalogs with a file of which this fraction is deleted."""
    return _catalogs(
        source,
        f"SELECT d.catalog_id FROM forklake.ducklake_delete_file d JOIN forklake.ducklake_data_file r"
        f" ON r.catalog_id = d.catalog_id AND r.data_file_id = d.data_file_id AND r.{END} = :live"
        f" WHERE d.{END} = :live AND d.delete_count >= :least * r.record_count",
        least=least,
    )


def with_snapshots_before(source: Source, time: datetime, catalogs: Sequence[CatalogId] | None) -> set[CatalogId]:
    """Return the live catalogs with snapshots before a time, beside the newest.

    They are some of those that are named, or any.
    """
    among = "" if catalogs is None else " AND s.catalog_id IN (:catalogs...)"
    return _catalogs(
        source,
        "SELECT s.catalog_id FROM forklake.ducklake_snapshot s JOIN forklake.ducklake_head h"
        " ON h.catalog_id = s.catalog_id AND h.snapshot_id <> s.snapshot_id"
        f" WHERE s.snapshot_time < :time{among}",
        time=time,
        catalogs=None if catalogs is None else list(catalogs),
    )


def options_named(source: Source, key: str) -> dict[CatalogId, str]:
    """Return the catalogs that set an option, with its value; -1 is the lake."""
    found = source.query(
        "SELECT catalog_id, value FROM forklake.ducklake_metadata WHERE key = :key AND scope = ''", key=key
    )
    return {CatalogId(catalog): str(value) for catalog, value in found}


def due_count(source: Source) -> int:
    """Return how many catalogs are due for collection."""
    ((count,),) = source.query("SELECT count(*) FROM forklake.ducklake_due")
    return int(count)


def scheduled_count(source: Source) -> int:
    """Return how many files wait for deletion."""
    ((count,),) = source.query("SELECT count(*) FROM forklake.ducklake_files_scheduled_for_deletion")
    return int(count)


def scheduled_before(source: Source, time: datetime, among: Sequence[CatalogId], *, but: bool = False) -> int:
    """Return how many files wait since before a time.

    They are those of some catalogs, or of all but these.
    """
    ((count,),) = source.query(
        "SELECT count(*) FROM forklake.ducklake_files_scheduled_for_deletion s WHERE s.schedule_start < :time"
        f" AND {'NOT ' if but else ''}(s.catalog_id IN (:among...))",
        time=time,
        among=list(among),
    )
    return int(count)


def _catalogs(source: Source, statement: str, **params: object) -> set[CatalogId]:
    found = source.query(f"SELECT DISTINCT x.catalog_id FROM ({statement}) x WHERE {_IS_LIVE}", live=INFINITY, **params)
    return {CatalogId(catalog) for (catalog,) in found}
