"""Purges dropped catalogs, one or thousands of them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Final

from forklake.catalog.names import check_text
from forklake.errors import NotFoundError
from forklake.metastore.queries import catalogs, heads
from forklake.metastore.queries.due import mark_due
from forklake.metastore.store import Session
from forklake.metastore.visibility import holders
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lives import MOST_HOLDERS, EndedCatalog, PurgedCatalog
from forklake.model.progress import Progress, ignore_progress
from forklake.model.records import UNSAID, CommitInfo
from forklake.ops.catalogs.list_catalogs import names_between
from forklake.ops.catalogs.log_deed import log_deed
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.maintenance.collect import Collected, collect

_LOG: Final = logging.getLogger("forklake.maintenance")

BATCH: Final = 500
"""Catalogs that are dropped or purged in one transaction."""

Chosen = Callable[[Session, Sequence[CatalogId]], list[CatalogId]]
"""Called with catalogs that are dropped; returns those to purge."""


def purge(runtime: Runtime, catalog: CatalogId, info: CommitInfo = UNSAID) -> PurgedCatalog:
    """Purge a dropped catalog; return what was given up.

    Its snapshots, ancestry, options and commit keys are deleted for good. Its catalog row stays, so that no other
    catalog ever gets its directory. Rows that forks still need stay until nothing needs them; all others are removed,
    and their files are scheduled for deletion.

    Raises:
        NotFoundError: The catalog is not dropped, was purged already, or never existed.
    """
    purged, collected = _purge_batch(runtime, [catalog], None, info)
    if not purged:
        raise NotFoundError(f"The catalog with id {catalog} is not a dropped one; nothing was done.")
    with runtime.store.reading() as session:
        held = holders(session, catalog, MOST_HOLDERS)
        name = catalogs.last_name(session, catalog)
    files = [file for file in collected.files if file.owner == catalog]
    return PurgedCatalog(
        catalog,
        name or "",
        len(files),
        sum(file.byte_count for file in files),
        tuple(EndedCatalog(fork, called) for fork, called in held),
    )


def purge_catalogs(
    runtime: Runtime,
    prefix: str,
    *,
    drop: bool = False,
    dry_run: bool = False,
    info: CommitInfo = UNSAID,
    progress: Progress = ignore_progress,
) -> list[CatalogId]:
    """Purge all dropped catalogs whose names begin with a text; return their ids.

    It is done in transactions of some hundred catalogs, each all or nothing, and can be repeated after an
    interruption. The cost does not depend on how many other catalogs there are, but for one look at the list of all
    if the text is empty.

    Args:
        runtime: The lake.
        prefix: What their names begin with, regardless of case; the empty text is the beginning of all names.
        drop: Whether live catalogs with such names are dropped first.
        dry_run: Only return which.
        info: Who does it, and why, for the log and for catalogs that are dropped first.
        progress: Told after each transaction how many catalogs are purged, and how many there are.
    """
    check_text("prefix", prefix)
    between = names_between(prefix)
    live = catalogs.live_between(runtime.store, *([between] if between else [])) if drop else []
    found = sorted({*live, *catalogs.dropped_between(runtime.store, between)})
    if dry_run:
        return found
    purged: list[CatalogId] = []
    for start in range(0, len(found), BATCH):
        batch = found[start : start + BATCH]
        _drop(runtime, [catalog for catalog in batch if catalog in set(live)], info)
        purged += purge_dropped(runtime, batch, info=info)
        progress("Purging", start + len(batch), len(found))
    return purged


def _drop(runtime: Runtime, live: Sequence[CatalogId], info: CommitInfo) -> None:
    if live:
        with runtime.store.writing() as session:
            session.lock_all_alone(live)
            held = heads.lock_heads(session, live, live=True)
            drop_live(session, held, info)
            runtime.store.step("purge: before the end of a drop")
        log_deed(runtime.store, "dropped", *held, info=info)


def drop_live(session: Session, live: Sequence[CatalogId], info: CommitInfo) -> None:
    """Drop catalogs; the caller holds their locks alone, and their heads."""
    if live:
        ends = [SnapshotId(taken) for taken in session.take_ids("ducklake_snapshot_id_seq", len(live))]
        heads.write_dropped(session, live)
        catalogs.end_rows(session, list(zip(live, ends, strict=True)), session.now(), info)


def purge_dropped(
    runtime: Runtime, batch: Sequence[CatalogId], chosen: Chosen | None = None, info: CommitInfo = UNSAID
) -> list[CatalogId]:
    """Purge those of some catalogs that are dropped, and collect them.

    ``chosen`` decides which of them, once their heads are held.
    """
    return _purge_batch(runtime, batch, chosen, info)[0] if batch else []


def _purge_batch(
    runtime: Runtime, batch: Sequence[CatalogId], chosen: Chosen | None, info: CommitInfo
) -> tuple[list[CatalogId], Collected]:
    store = runtime.store
    with store.writing() as session:
        session.lock_all_alone(batch)
        dropped = heads.lock_heads(session, batch, live=False)
        if chosen is not None:
            dropped = chosen(session, dropped)
        if dropped:
            mark_due(session, {*dropped, *heads.ancestors(session, dropped)})
            catalogs.purge(session, dropped)
        store.step("purge: before the end")
    store.step("purge: catalogs forgotten")
    collected = collect(store, runtime.lake_path, dropped)
    _LOG.info("Catalogs purged: %s", ", ".join(map(str, dropped)))
    log_deed(store, "purged", *dropped, info=info)
    return dropped, collected
