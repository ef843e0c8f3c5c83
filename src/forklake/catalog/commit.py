"""The commit: plan on the head, move the head, and retry after a lost race.

A compare-and-swap moves the head.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from forklake.catalog import limits, versions
from forklake.catalog.changes import apply
from forklake.catalog.conflicts import conflicts
from forklake.catalog.draft import Draft
from forklake.catalog.lease import lease_lost_error
from forklake.catalog.races import Races
from forklake.catalog.state import STATISTICS, CatalogState
from forklake.catalog.titles import changed_title
from forklake.config import Clock, RetryPolicy
from forklake.errors import (
    AlreadyExistsError,
    CommitConflictError,
    CommitContentionError,
    CommitUnknownError,
    InvalidInputError,
    MetastoreError,
    NotFoundError,
)
from forklake.metastore import visibility
from forklake.metastore.queries import heads, snapshots
from forklake.metastore.source import ask_all
from forklake.metastore.store import ConnectionLostError, Guard, Session, Store
from forklake.model.change import Change
from forklake.model.change_log import ChangeKind, LoggedChange, entries, parse
from forklake.model.commit import CommitRequest, CommitResult, Outcome
from forklake.model.hint import CommitAgain
from forklake.model.ids import INFINITY, DataFileId, SnapshotId, TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.records import CommitInfo
from forklake.model.rows import SchemaVersionRow
from forklake.model.version import Segment, Version

_COMMITS: Final = logging.getLogger("forklake.commit")
_RETRIES: Final = logging.getLogger("forklake.retry")
_CONFLICTS: Final = logging.getLogger("forklake.conflict")
_DELETES: Final = (ChangeKind.DELETED_FROM_TABLE, ChangeKind.INLINED_DELETE)
_ADDITIONS: Final = (ChangeKind.INSERTED_INTO_TABLE, ChangeKind.INLINED_INSERT)


@dataclass(frozen=True, slots=True)
class Plan:
    """A planned commit: its changes, the state they rely on, and the author's info."""

    base: CatalogState
    changes: Sequence[Change]
    info: CommitInfo
    commit_key: str
    new_objects: int
    new_files: int
    lease_id: str | None = None
    guards: Sequence[Guard] = ()
    onto: Version | None = None
    """The version of another catalog that becomes what the catalog inherits, if that changes."""


@dataclass(frozen=True, slots=True)
class FinishedCommit:
    """A commit that happened.

    ``state`` is None if it had happened before and was found by its key, or if it began an epoch.
    """

    snapshot_id: SnapshotId
    state: CatalogState | None


def draft_of(state: CatalogState, changes: Sequence[Change]) -> Draft:
    """Return a draft with changes applied to a state."""
    draft = Draft(state)
    for change in changes:
        apply(draft, change)
    return draft


def commit(store: Store, plan: Plan, draft: Draft, policy: RetryPolicy, clock: Clock) -> FinishedCommit | None:
    """Commit the draft of a plan, or return None if it changes nothing.

    All changes become one snapshot, or none does. A commit that lost a race is planned again on the new
    head, unless what it was planned on has changed. The commit key makes it happen once, even if a
    connection is lost and the outcome has to be looked up.

    Raises:
        CommitConflictError: A concurrent commit touched the same things.
        CommitContentionError: Others were faster on every attempt.
        CommitUnknownError: The connection was lost and cannot be regained.
        LeaseLostError: The lease of the files ran out and was taken away.
        NotFoundError: The catalog was dropped.
        CatalogLapsedError: The catalog is past its lifetime.
        QuotaError: A quota allows no more files or bytes.
    """
    ours = list(draft.log)
    if not ours:
        return None
    with Races((store, plan.base.version.catalog_id), policy, clock) as races:
        if races.join():
            # A conflict is told after the attempt: the commit may be known by its key.
            with suppress(CommitConflictError):
                draft = _plan_again(store, plan, draft, ours)
        while draft.log:
            finished = commit_once(store, plan, draft, clock)
            if finished is not None:
                return finished
            if not races.lose():
                raise contention_error(policy)
            draft = _plan_again(store, plan, draft, ours)
    return None


def commit_once(store: Store, plan: Plan, draft: Draft, clock: Clock) -> FinishedCommit | None:
    """Commit the draft of a plan, unless the head has moved.

    Return None if others were faster: the head is another by now.

    Raises:
        CommitUnknownError: The connection was lost and cannot be regained.
        LeaseLostError: The lease of the files ran out and was taken away.
        NotFoundError: The catalog was dropped.
        CatalogLapsedError: The catalog is past its lifetime.
        QuotaError: A quota allows no more files or bytes.
    """
    # However few races a session may lose, whether a commit happened is asked as patiently as ever.
    result = _attempt(store, _to_commit(plan, draft), plan.guards, store.settings.retry, clock)
    match result.outcome:
        case Outcome.COMMITTED:
            _log_commit(plan, draft, result)
            return _finished_commit(plan, draft, result)
        case Outcome.KNOWN:
            assert result.snapshot_id is not None
            _log_commit(plan, draft, result)
            return FinishedCommit(result.snapshot_id, None)
        case Outcome.DROPPED | Outcome.MISSING:
            raise versions.catalog_dropped_error(store, plan.base.version.catalog_id)
        case Outcome.UNLEASED:
            raise lease_lost_error(plan.base.version.catalog_id)
        case Outcome.LAPSED:
            raise limits.lapsed_error(store, plan.base.version.catalog_id)
        case Outcome.OVER_QUOTA:
            assert result.refusal is not None
            raise limits.quota_error(store, result.refusal, "Nothing was written")
    _RETRIES.info(
        "Others committed to catalog %d after snapshot %d; planning again",
        draft.version.catalog_id,
        draft.version.snapshot_id,
    )
    return None


def contention_error(policy: RetryPolicy) -> CommitContentionError:
    """Return the error for a commit that lost all its races."""
    return CommitContentionError(
        "Failed to commit DuckLake transaction. Exceeded the maximum retry count of"
        f" {policy.max_retry_count} set by the ducklake_max_retry_count setting.",
        hint="Others committed to the catalog on every attempt; nothing was written. Try again.",
    )


def _log_commit(plan: Plan, draft: Draft, result: CommitResult) -> None:
    """Tell of a commit, or of one that had happened before; by ids only."""
    _COMMITS.info(
        "Snapshot %d of catalog %d %s after snapshot %d: %d changes, %d new files, key %s",
        result.snapshot_id,
        draft.version.catalog_id,
        result.outcome.value,
        draft.version.snapshot_id,
        len(draft.log),
        plan.new_files,
        plan.commit_key,
    )


def _attempt(
    store: Store, commit: CommitRequest, guards: Sequence[Guard], policy: RetryPolicy, clock: Clock
) -> CommitResult:
    """Try to commit once; after a lost connection, look up the outcome by the key."""
    try:
        return store.commit(commit, guards)
    except ConnectionLostError as error:
        lost: MetastoreError = error
    for wait in policy.waits(clock):
        _RETRIES.warning(
            "The connection was lost during commit %s to catalog %d; asking again", commit.commit_key, commit.catalog_id
        )
        clock.sleep(wait)
        try:
            return store.commit(commit, guards)
        except MetastoreError as error:
            # Whatever it is: the first attempt may have been committed, and this does not say that it was not.
            lost = error
    raise CommitUnknownError(
        f"The outcome of the commit to catalog {commit.catalog_id} is unknown: the connection was lost and could not"
        f" be regained ({lost.message}). It happened once or not at all.",
        commit_key=commit.commit_key,
        hint=CommitAgain(commit.commit_key),
    ) from lost


def _to_commit(plan: Plan, draft: Draft) -> CommitRequest:
    version = draft.version
    schema_version = _schema_version(draft, plan.onto)
    rows = draft.new_rows
    own_files, own_bytes = draft.own_growth
    if draft.reshaped:
        rows["ducklake_schema_versions"] = [
            SchemaVersionRow(schema_version=schema_version, table_id=table) for table in sorted(draft.reshaped)
        ]
    return CommitRequest(
        catalog_id=version.catalog_id,
        expected=version.snapshot_id,
        entries=entries(sorted(draft.log, key=_id_order)),
        info=plan.info,
        commit_key=plan.commit_key,
        schema_version=schema_version,
        new_objects=plan.new_objects,
        new_files=plan.new_files,
        rows=rows,
        ends=draft.ended_uids,
        tombstones=draft.tombstones,
        own_files=own_files,
        own_bytes=own_bytes,
        beyond=limits.beyond_every_quota(
            plan.info.author,
            plan.info.message,
            plan.info.extra_info,
            plan.commit_key,
            widest_table=draft.widest_table,
        ),
        lease_id=plan.lease_id,
        epoch=() if plan.onto is None else _segments(plan.onto),
    )


def _segments(version: Version) -> list[Segment]:
    """Return how another catalog inherits a version, without its past."""
    return [Segment(owner, bound, INFINITY) for owner, bound in zip(version.owners, version.bounds, strict=True)]


def _schema_version(draft: Draft, onto: Version | None = None) -> int:
    if onto is not None:
        return max(draft.version.schema_version, onto.schema_version) + 1
    return draft.version.schema_version + (1 if draft.changes_schema else 0)


def _id_order(change: LoggedChange) -> tuple[bool, int]:
    """Return a sort key by id, as DuckLake sorts.

    Things that the transaction makes come last, in the order of their creation.
    """
    number = change.object_id or 0
    return number < 0, abs(number)


def _finished_commit(plan: Plan, draft: Draft, result: CommitResult) -> FinishedCommit:
    assert result.snapshot_id is not None
    assert result.snapshot_time is not None
    if plan.onto is not None:
        return FinishedCommit(result.snapshot_id, None)  # what it inherits is another, so nothing that was read counts
    before = draft.version
    version = before.at(result.snapshot_id, _schema_version(draft), result.snapshot_time)
    return FinishedCommit(result.snapshot_id, draft.state_after(version))


def _plan_again(store: Store, plan: Plan, last: Draft, ours: Sequence[LoggedChange]) -> Draft:
    """Plan the changes again on the new head, if nothing they rely on has changed.

    Args:
        store: The store.
        plan: What is committed.
        last: The changes on the head before, of which the new one takes what others cannot have changed.
        ours: The changes on the base, as they are compared.
    """
    state, theirs = _new_head(store, plan.base.version, last)
    head = state.version
    found = conflicts(ours, theirs)
    if found:
        _CONFLICTS.info(
            "Catalog %d, snapshot %d against %d: %s",
            head.catalog_id,
            plan.base.version.snapshot_id,
            head.snapshot_id,
            ", ".join(f"{each.ours.kind.value}:{each.ours.object_id}" for each in found),
        )
        # DuckLake names things by their ids; the name follows its sentence.
        titles = [changed_title(plan.base, conflict.ours) for conflict in found]
        messages = [
            conflict.message if title is None else f"{conflict.message} ({title})"
            for conflict, title in zip(found, titles, strict=True)
        ]
        raise CommitConflictError(
            "; ".join(messages), conflicts=messages, hint="Nothing was written. Run it again on the new head."
        )
    try:
        return draft_of(state, plan.changes)
    except (InvalidInputError, NotFoundError, AlreadyExistsError) as error:
        raise CommitConflictError(
            f"Transaction conflict - another transaction has changed what this one relies on: {error.message}",
            hint="Nothing was written. Run it again on the new head.",
        ) from error


def _new_head(store: Store, base: Version, last: Draft) -> tuple[CatalogState, list[LoggedChange]]:
    """Return the state at the head, and what others did after the base.

    If they only added rows, one round trip is enough: whatever is read after the head was, and does not belong to it,
    is of a commit after it, so that the next attempt is lost, too.
    """
    catalog = base.catalog_id
    written = [(table, table_id) for table in STATISTICS for table_id in last.statistics(table) if table_id >= 0]
    newest = base.at(INFINITY, base.schema_version, base.snapshot_time)
    head, found, *latest = ask_all(
        store,
        [
            heads.ask_head_by_id(store, catalog),
            snapshots.ask_changes_since(catalog, base.snapshot_id),
            *(visibility.latest_rows(store, newest, table, table_id) for table, table_id in written),
        ],
    )
    if head is not None and _is_kept(base, head.version):
        theirs = _later_changes([each for each in found if each[0] <= head.version.snapshot_id], base.snapshot_id)
        if all(change.kind in _ADDITIONS for change in theirs):
            rows = {
                (table.name, table_id): of_table for (table, table_id), of_table in zip(written, latest, strict=True)
            }
            return last.base.with_more_rows(head.version, rows), theirs
    with store.reading() as session:
        version = versions.head_by_id(session, catalog).version
        return CatalogState(store, version), changes_since(session, version, base.snapshot_id)


def _is_kept(base: Version, head: Version) -> bool:
    """Return whether two versions of a catalog differ in rows of tables at most."""
    return (base.schema_version, base.since, base.segments) == (head.schema_version, head.since, head.segments)


def changes_since(session: Session, head: Version, base: SnapshotId) -> list[LoggedChange]:
    """Return the changes of the catalog's commits after a base and up to a head.

    Raises:
        CommitConflictError: The base, or a snapshot after it, is expired: not all changes are known any more. Or the
            catalog was refreshed: what came with that is not in its log.
    """
    if base < head.since:
        raise CommitConflictError(
            "Transaction conflict - the catalog was refreshed since this transaction began.",
            hint="Nothing was written. Run it again on the new head.",
        )
    found = snapshots.changes_between(session, head.catalog_id, base, head.snapshot_id)
    log = _later_changes(found, base)
    if any(change.kind in _DELETES for change in log):
        touched = visibility.touched_files(session, head, base)
        log = [_with_files(change, touched) for change in log]
    return log


def _later_changes(found: Sequence[tuple[SnapshotId, str]], base: SnapshotId) -> list[LoggedChange]:
    """Return the changes of snapshots, of which the first is the base.

    It is another if the base, or one after it, is expired.
    """
    if not found or found[0][0] != base:
        raise CommitConflictError(
            f"Transaction conflict - the snapshot {base} that this transaction started from, or one after"
            " it, has been expired, so what others did since cannot be known.",
            hint="Nothing was written. Run it again on the new head.",
        )
    return [change for _, text in found[1:] for change in parse(text)]


def _with_files(change: LoggedChange, touched: Mapping[TableId, set[DataFileId]]) -> LoggedChange:
    if change.kind not in _DELETES or change.object_id is None:
        return change
    return replace(change, data_files=frozenset(touched.get(TableId(change.object_id), ())))
