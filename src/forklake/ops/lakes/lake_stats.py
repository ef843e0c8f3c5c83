"""The size of a lake, and its growth."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, Literal

from forklake.errors import InvalidInputError
from forklake.metastore import garbage
from forklake.metastore.queries import census
from forklake.metastore.store import Store
from forklake.model.overview import Growth, LakeStats
from forklake.ops.maintenance.pending_work import find_needs

Period = Literal["day", "hour"]

MAX_PERIODS: Final = 366


def lake_stats(store: Store, *, by: Period = "day", periods: int = 7) -> LakeStats:
    """Count catalogs, snapshots, files, and the rows and bytes of each metadata table.

    The result also has how many catalogs and snapshots were made in recent periods, which are days or hours of
    UTC, and what maintenance has to do (`find_needs`). No file is looked at. The cost grows with the metadata: rows
    are counted, except in PostgreSQL's large tables, where they are estimated.

    Raises:
        InvalidInputError: The periods make no sense.
    """
    if by not in ("day", "hour") or isinstance(periods, bool) or not 1 <= periods <= MAX_PERIODS:
        raise InvalidInputError(f"Growth is shown by day or hour, over 1 to {MAX_PERIODS} of them.")
    with store.reading() as session:
        starts = _starts(session.now(), by, periods)
        counts = census.counts(session)
        files, file_bytes, live, shared, freed = garbage.lake_bytes(session)
        catalogs, snapshots = census.catalogs_since(session, starts), census.snapshots_since(session, starts)
    return LakeStats(
        catalog_count=counts.live,
        root_count=counts.roots,
        fork_count=counts.live - counts.roots,
        dropped_count=counts.dropped,
        purged_count=counts.purged,
        snapshot_count=counts.snapshots,
        byte_count=store.byte_count(),
        tables=tuple(store.table_sizes()),
        growth=tuple(Growth(*made) for made in zip(starts, catalogs, snapshots, strict=True)),
        file_count=files,
        file_byte_count=file_bytes,
        live_byte_count=live,
        shared_byte_count=shared,
        freed_byte_count=freed,
        needs=find_needs(store),
    )


def _starts(now: datetime, by: Period, periods: int) -> list[datetime]:
    this = now.replace(minute=0, second=0, microsecond=0)
    step = timedelta(hours=1)
    if by == "day":
        this, step = this.replace(hour=0), timedelta(days=1)
    return [this - step * number for number in reversed(range(periods))]
