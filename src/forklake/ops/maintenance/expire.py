"""Expires snapshots of a catalog."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from operator import index
from typing import Final, Literal, SupportsIndex

from forklake.catalog.moments import Time
from forklake.catalog.versions import head_by_id, snapshots
from forklake.errors import InvalidInputError, SnapshotNotFoundError
from forklake.metastore.queries import heads
from forklake.metastore.queries.catalogs import last_names
from forklake.metastore.queries.due import mark_due
from forklake.metastore.queries.merges import epoch_begin, forget_past_epochs, merged_snapshots
from forklake.metastore.queries.snapshots import forget_snapshots
from forklake.metastore.queries.tags import own_tags
from forklake.metastore.store import Session, Store
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.lives import SparedSnapshot
from forklake.model.records import Snapshot
from forklake.ops.lakes.relative_times import NO_AGE, Age, limit_of, time_of_option
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.lakes.scoped_options import effective_option
from forklake.ops.maintenance.collect import collect

_LOG: Final = logging.getLogger("forklake.maintenance")

Rule = Literal["strict", "lenient"]
"""How snapshots that are named and cannot be expired are met: ``strict`` refuses all, ``lenient``, which is DuckLake's
way, passes over the newest and those that nobody knows."""

_UNDONE = "nothing was expired"


@dataclass(frozen=True, slots=True)
class Expiry:
    """What an expiry did, or would do.

    It has the snapshots that expired, oldest first, and those that were spared.
    """

    expired: tuple[Snapshot, ...] = ()
    spared: tuple[SparedSnapshot, ...] = ()


def expire_snapshots(
    runtime: Runtime,
    catalog: CatalogId,
    *,
    versions: Sequence[int] | None = None,
    older_than: Time | timedelta | None = None,
    rule: Rule = "strict",
    release: bool = False,
    dry_run: bool = False,
    at_least: Age = NO_AGE,
) -> Expiry:
    """Expire a catalog's own snapshots; return which, and which were spared.

    The newest snapshot is never expired, nor are those of its ancestors. Spared are those that tags keep, and those
    that later merges are compared with: the first one of a fork, and the newest one that each other catalog merged.
    Forks keep what they see: their own snapshots stay, and the rows these show are pinned. What nobody sees any more of
    the catalog's own rows is removed, its files are scheduled; if that is interrupted, the catalog stays due.

    Args:
        runtime: The lake.
        catalog: The catalog.
        versions: The snapshots to expire, by id.
        older_than: The snapshots to expire, by time: those before a time, or older than an age. An age is a
            timedelta or a text such as '7 days'.
        rule: What is refused. If neither ids nor a time are given, ``strict`` refuses, and ``lenient`` uses the
            age in the option ``expire_older_than``; if that is not set, it expires nothing.
        release: Spare nothing but the newest; the tags of what expires go with it.
        dry_run: Only return which.
        at_least: How old snapshots are that expire by that option, whatever it says.

    Raises:
        SnapshotNotFoundError: A snapshot is not one of the catalog's own, or is expired already.
        InvalidInputError: Not exactly one choice was made, an id is not a whole number, or the newest was named.
    """
    store = runtime.store
    _check_one_choice(versions, older_than)
    ids = None if versions is None else _read_ids(versions)
    limit = None if ids is not None else _read_limit(store, catalog, older_than, rule, at_least)
    if ids is None and limit is None:
        return Expiry()
    with store.reading() if dry_run else store.writing() as session:
        if not dry_run:
            session.lock_alone(catalog)
        version = head_by_id(session, catalog).version
        lineage = snapshots(session, version)
        chosen = choose_snapshots(lineage, catalog, ids=ids, older_than=limit, rule=rule)
        spared = () if release else _spare(session, catalog, chosen)
        chosen = [one for one in chosen if one.snapshot_id not in {each.snapshot_id for each in spared}]
        if chosen and not dry_run:
            mark_due(session, {catalog, *heads.ancestors(session, [catalog])})
            forget_snapshots(session, catalog, [snapshot.snapshot_id for snapshot in chosen])
            forget_past_epochs(session, catalog)
            store.step("expire: before the end")
    if not dry_run:
        store.step("expire: snapshots forgotten")
        collect(store, runtime.lake_path, [catalog])
        _LOG.info("Catalog %d: %d snapshots expired, %d spared", catalog, len(chosen), len(spared))
        for each in spared:
            _LOG.info("Catalog %d: snapshot %d is spared: %s", catalog, each.snapshot_id, each.reason)
    return Expiry(tuple(chosen), spared)


def _spare(session: Session, catalog: CatalogId, chosen: Sequence[Snapshot]) -> tuple[SparedSnapshot, ...]:
    """Return those of some snapshots that expiry spares, and why."""
    reasons = _bases_of_merges(session, catalog, chosen) | _reasons_of_tags(session, catalog)
    return tuple(
        SparedSnapshot(snapshot.snapshot_id, reasons[snapshot.snapshot_id])
        for snapshot in chosen
        if snapshot.snapshot_id in reasons
    )


def _reasons_of_tags(session: Session, catalog: CatalogId) -> dict[SnapshotId, str]:
    now = session.now()
    return {
        tag.snapshot_id: f'It has the tag "{tag.name}"'
        + ("." if tag.keep_until is None else f", which keeps it until {tag.keep_until.isoformat(sep=' ')}.")
        for tag in own_tags(session, catalog)
        if tag.keep_until is None or tag.keep_until > now
    }


def _bases_of_merges(session: Session, catalog: CatalogId, chosen: Sequence[Snapshot]) -> dict[SnapshotId, str]:
    """Return which of some snapshots later merges are compared with, and why."""
    ids = {snapshot.snapshot_id for snapshot in chosen}
    merged = {snapshot: other for snapshot, other in merged_snapshots(session, catalog).items() if snapshot in ids}
    names = last_names(session, merged.values())
    begin = epoch_begin(session, catalog)
    first = {} if begin is None else {begin: "Merges of the fork are compared with it."}
    return first | {
        snapshot: f'The next merge into "{names[other][0]}" is compared with it.' for snapshot, other in merged.items()
    }


def choose_snapshots(
    lineage: Sequence[Snapshot],
    catalog: CatalogId,
    *,
    ids: Sequence[int] | None = None,
    older_than: datetime | None = None,
    rule: Rule = "strict",
) -> list[Snapshot]:
    """Return the snapshots to expire, oldest first.

    Args:
        lineage: All snapshots that the catalog sees, oldest first; the last is its newest.
        catalog: The catalog.
        ids: The snapshots to expire, by id.
        older_than: The snapshots to expire, by time; inherited snapshots are left to the ancestors.
        rule: What is refused.

    Raises:
        SnapshotNotFoundError: A named snapshot is inherited, or, by the strict rule, not known.
        InvalidInputError: By the strict rule: the newest snapshot is named.
    """
    newest = lineage[-1]
    own = {snapshot.snapshot_id: snapshot for snapshot in lineage if snapshot.catalog_id == catalog}
    if ids is None:
        assert older_than is not None
        return [
            snapshot
            for snapshot in own.values()
            if snapshot.snapshot_id != newest.snapshot_id and snapshot.snapshot_time < older_than
        ]
    known = {snapshot.snapshot_id for snapshot in lineage}
    chosen = []
    for snapshot_id in sorted({SnapshotId(one) for one in ids}):
        if snapshot_id == newest.snapshot_id:
            if rule == "strict":
                raise InvalidInputError(f"Snapshot {snapshot_id} is the newest of the catalog and cannot be expired.")
        elif snapshot_id in own:
            chosen.append(own[snapshot_id])
        elif rule == "strict" or snapshot_id in known:
            raise SnapshotNotFoundError(
                f"No snapshot found at version {snapshot_id} among the catalog's own; nothing was expired."
            )
    return chosen


def _check_one_choice(versions: object, older_than: object) -> None:
    if versions is not None and older_than is not None:
        raise InvalidInputError(
            "Invalid Input Error: ducklake_expire_snapshots: cannot specify both 'versions' and 'older_than' parameters"
            " at the same time. Please use only one criterion."
        )


def _read_ids(given: object) -> list[SnapshotId]:
    """Return the ids that a caller names.

    Raises:
        InvalidInputError: It is no list of whole numbers. True would mean 1, and a text its digits.
    """
    if isinstance(given, Iterable) and not isinstance(given, str | bytes):
        ids = list(given)
        if all(isinstance(one, SupportsIndex) and not isinstance(one, bool) for one in ids):
            return [SnapshotId(index(one)) for one in ids]
    raise InvalidInputError(
        f"Snapshots are named by a list of their ids, whole numbers, not by {given!r}; nothing was expired."
    )


def _read_limit(
    store: Store, catalog: CatalogId, older_than: Time | timedelta | None, rule: Rule, at_least: Age
) -> datetime | None:
    """Return the time before which snapshots expire.

    By the lenient rule the option ``expire_older_than`` says it if nobody does; it is None if that is not set.
    """
    if older_than is not None:
        return limit_of(older_than, lambda: _now(store), _UNDONE)
    if rule == "strict":
        raise InvalidInputError("Say which snapshots expire: by their ids, or by an age. Nothing was expired.")
    age = effective_option(store, catalog, "expire_older_than")
    return time_of_option(_now(store), age, _UNDONE, at_least) if age else None


def _now(store: Store) -> datetime:
    with store.reading() as session:
        return session.now()
