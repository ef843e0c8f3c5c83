"""Merges a catalog into another one of its tree, as one commit.

A reset takes all of the other, whatever the catalog was. A refresh merges the parent into its fork, and moves the pin.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

from forklake.catalog import limits, lookup, versions
from forklake.catalog.commit import Plan, commit_once, contention_error
from forklake.catalog.draft import Draft
from forklake.catalog.knowledge import Base, Knowledge, Node, knowledge_of, readable_bases, strangers_error
from forklake.catalog.lease import Lease, take_lease
from forklake.errors import (
    CommitUnknownError,
    InvalidInputError,
    MergeConflictError,
    SnapshotNotFoundError,
)
from forklake.files.access import storage
from forklake.files.parquet.deletes import write_delete_file
from forklake.metastore.queries import heads
from forklake.metastore.queries.merges import may_have_returned, merge_at
from forklake.metastore.store import Session
from forklake.metastore.written_tables import SCHEMA, TABLE
from forklake.model.change_log import entries
from forklake.model.definitions import NewDeleteFile
from forklake.model.fork_merge import Code, Deed, MergeConflict, MergePlan, RowKeys, Strategies, TableMerge
from forklake.model.hint import ChooseSide
from forklake.model.ids import CatalogId, DataFileId, DeleteFileId, SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.progress import Progress, ignore_progress
from forklake.model.records import CommitInfo
from forklake.model.rows import MergeRow
from forklake.model.version import Head, Version
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.merging.check import check_result
from forklake.ops.merging.code_changes import code_changes
from forklake.ops.merging.edit_words import in_words
from forklake.ops.merging.lay_out import Written, lay_out
from forklake.ops.merging.places import delete_target
from forklake.ops.merging.plan import Planned, TableEdit, plan_merge
from forklake.ops.merging.rebase import rebase
from forklake.ops.merging.row_keys import check_keys
from forklake.ops.merging.sides import Sides

MergeKind = Literal["merge", "reset", "refresh"]

_LISTED: Final = 20
_VERBS: Final[Mapping[MergeKind, str]] = {"merge": "Merge of", "reset": "Reset to", "refresh": "Refresh from"}
_FAIL: Final = Strategies()
_NO_KEYS: Final = RowKeys()
_NO_WORDS: Final = CommitInfo()
_CHANGE_FIRST: Final = "No strategy helps here: rename or change one of them first."
_TAKE_CODE: Final = 'Read the texts in the plan of a dry run; code="take" merges them, too.'


@dataclass(frozen=True, slots=True)
class MergeRequest:
    """What is merged into what, and how.

    Attributes:
        target: The catalog that gets the changes.
        source: The catalog that has them; for a refresh, the target's parent of then.
        at: One of the source's own snapshots, or of a reset any that it sees; its head, if not given.
        kind: Whether the target gets what the source changed, becomes what the source is, or is pinned to it anew.
        strategies: Who decides conflicts.
        keys: Which columns tell rows apart that both sides inserted.
        code: What is done with stored texts that are bound when they are used.
        info: The author's words; the message says what was merged, if they give none.
        commit_key: What makes the merge happen once.
    """

    target: CatalogId
    source: CatalogId | None = None
    at: SnapshotId | None = None
    kind: MergeKind = "merge"
    strategies: Strategies = _FAIL
    keys: RowKeys = _NO_KEYS
    code: Code = "take"
    info: CommitInfo = _NO_WORDS
    commit_key: str | None = None


def merge_catalogs(
    runtime: Runtime, request: MergeRequest, *, dry_run: bool = False, progress: Progress = ignore_progress
) -> MergePlan:
    """Bring what the source has and the target lacks into the target.

    It is one commit, or it is refused and nothing changes. A dry run writes nothing, and lists conflicts instead of
    raising. The progress begins again if somebody else commits meanwhile.

    Raises:
        MergeConflictError: Both changed the same things, and no strategy decides.
        MergeBaseError: They have no snapshot in common, or it is a merge and none that can be read.
        SnapshotNotFoundError: The snapshot is not one of the source's own, or is expired.
        CatalogDroppedError: One of the two was dropped.
        CommitContentionError: Others were faster on every attempt.
    """
    if request.source == request.target and request.kind == "merge":
        raise InvalidInputError("A catalog cannot be merged into itself; nothing was merged.")
    settings = runtime.store.settings
    waits = settings.retry.waits(settings.clock)
    commit_key = request.commit_key or secrets.token_urlsafe(12)
    if request.commit_key is not None and (told := _first_time(runtime, request, commit_key)) is not None:
        return told
    while True:
        with _Attempt(runtime, request, commit_key, progress, writes=not dry_run) as attempt:
            if dry_run or attempt.told.is_nothing:
                return attempt.told
            finished = attempt.commit()
            if finished is not None:
                return replace(attempt.told, snapshot_id=finished)
            if request.source is not None:
                request = replace(request, at=attempt.told.source[1])  # the head when the merge began
        wait = next(waits, None)
        if wait is None:
            raise contention_error(settings.retry)
        settings.clock.sleep(wait)


def _first_time(runtime: Runtime, request: MergeRequest, commit_key: str) -> MergePlan | None:
    """Return the plan of a merge under a key that was committed before.

    It is nothing to do. The source may have changed since, or be gone. None if the key is new.
    """
    known = versions.known_commit(runtime.store, request.target, commit_key)
    if known is None:
        return None
    with runtime.store.reading() as session:
        source = merge_at(session, request.target, known)
    if source is None:  # the key was that of another kind of commit, or the snapshot is expired
        source = (request.source or request.target, request.at or known)
    return MergePlan(source, (request.target, known), (), is_nothing=True, snapshot_id=known, is_repeated=True)


class _Attempt:
    """A merge that is planned on the target's head of now.

    If it is not committed, the delete files that it wrote are removed.
    """

    def __init__(
        self, runtime: Runtime, request: MergeRequest, commit_key: str, progress: Progress, *, writes: bool
    ) -> None:
        self._runtime, self._request, self._commit_key = runtime, request, commit_key
        self._progress, self._writes = progress, writes
        self._lease: Lease | None = None
        self._draft: Draft
        self._paths: list[str] = []
        self._is_committed = False
        try:
            # One caller holds one connection at a time, so a small pool cannot lock itself up.
            with runtime.store.reading() as session:
                planned = self._plan(session)
                if not self._is_written(planned):
                    self._lay_out(planned, {})
                    return
            written = self._write_deletes(planned.sides.read_by(runtime.store), planned)
            with runtime.store.reading() as session:
                self._lay_out(replace(planned, sides=planned.sides.read_by(session)), written)
        except BaseException:
            self._undo()
            raise

    def __enter__(self) -> _Attempt:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._is_committed:
            self._undo()

    def _undo(self) -> None:
        storage.delete(self._paths)
        if self._lease is not None:
            self._lease.end()

    def _plan(self, session: Session) -> Planned:
        """Find out what becomes of the target."""
        request = self._request
        if request.source is None:
            self._target = versions.head_by_id(session, request.target)
            self._source = _parent_head(session, self._target)
        else:
            self._target, self._source = versions.heads_by_ids(session, (request.target, request.source))
        source = _source_version(session, self._source, request)
        target = self._target.version
        is_own = request.kind != "reset" or source.snapshot_id == self._source.version.snapshot_id
        self._owner = source.catalog_id if is_own else versions.owner_of(session, source)
        nodes = Node(self._owner, source.snapshot_id), Node(target.catalog_id, target.snapshot_id)
        theirs, ours = knowledge_of(session, nodes)
        self._knows = theirs, ours
        by_files, names = True, (self._source.name, self._target.name)
        if request.kind == "reset":
            if self._knows[0].keys().isdisjoint(self._knows[1]):
                raise strangers_error(names)
            found = [Base(nodes[1], self._knows[1], target)]  # compared with itself, the target has changed nothing
        else:
            found = readable_bases(session, *self._knows, names)
            before = [base.contained for base in found]
            by_files = not all(_may_have_returned(session, before, known) for known in self._knows)
        sides = Sides.of(session, self._runtime.lake_path, [base.version for base in found], source, target)
        # What was read of the heads before is known, and what is read of them now will be.
        self._state = self._runtime.state(self._target)
        sides.target.share_rows(self._state)
        if source == self._source.version:
            sides.source.share_rows(self._runtime.state(self._source))
        _check_tables(sides, request.strategies)
        check_keys(sides, request.keys)
        self._source_version = source
        self._bases = tuple((base.node.catalog_id, base.node.snapshot_id) for base in found)
        planned = plan_merge(sides, request.strategies, keys=request.keys, by_files=by_files, progress=self._progress)
        self._code = code_changes(planned)
        for one in self._code if request.code == "refuse" else ():
            deed: Deed = "added" if one.before is None else "dropped" if one.after is None else "changed"
            place = one.schema, one.name, one.title
            planned.chooser.refuse(MergeConflict("code", *place, "kept", deed, is_decidable=False))
        return planned

    def _is_written(self, planned: Planned) -> bool:
        """Return whether delete files may have to be written."""
        return (
            self._writes
            and not planned.chooser.has_open
            and any(table.rows is not None and table.rows.deleted for table in planned.tables)
        )

    def _lay_out(self, planned: Planned, written: Written) -> None:
        """Make the draft of the result, and tell what it is."""
        source, target = self._source_version, self._target.version
        self._draft = Draft(planned.sides.target)
        lay_out(self._draft, planned, written)
        check_result(self._draft, planned, self._runtime)
        self._new_files = len(written)
        is_nothing = planned.is_empty
        if self._request.kind == "refresh":
            pin = target.segments[1]
            is_nothing = (pin.owner, pin.upto) == (source.catalog_id, source.snapshot_id)
        changed = (table for table in planned.tables if table.row is not None and table.rows)
        tables = tuple(_table_merge(self._draft, table) for table in changed)
        self.told = MergePlan(
            (source.catalog_id, source.snapshot_id),
            (target.catalog_id, target.snapshot_id),
            self._bases,
            tuple(f"{keyword}:{subject}" for keyword, subject in entries(self._draft.log)),
            (*in_words(planned), *(table.words for table in tables)),
            tables,
            tuple(planned.chooser.conflicts),
            is_possible=not planned.chooser.has_open,
            is_nothing=is_nothing,
            code=self._code,
            source_name=self._source.name,
            target_name=self._target.name,
        )
        if planned.chooser.has_open:
            if self._writes:
                raise self._conflict_error(planned.chooser.conflicts)
        elif self._request.kind == "refresh":
            self._draft = rebase(self._draft, planned.sides, source)
        self._record(planned)

    def _record(self, planned: Planned) -> None:
        """Write what the target contains from now on."""
        theirs, ours = self._knows
        own, kind = self._target.version.catalog_id, self._request.kind
        may_return = kind == "reset" or bool(planned.chooser.conflicts)
        for catalog, snapshot in theirs.items():
            is_source = catalog == self._owner
            if (is_source and kind != "merge") or (catalog != own and snapshot > ours.get(catalog, -1)):
                self._draft.insert(
                    MergeRow(
                        source_id=catalog,
                        source_snapshot_id=snapshot,
                        kind=kind if is_source else "via",
                        may_return=may_return and is_source,
                    )
                )

    def _write_deletes(self, sides: Sides, planned: Planned) -> Written:
        """Write delete files where the deletes are too many to be inlined."""
        written: dict[DataFileId, tuple[DeleteFileId, NewDeleteFile]] = {}
        for place, table in enumerate(planned.tables):
            if table.rows is None or not table.rows.deleted or table.row is None:
                continue
            self._progress("Writing deletes", place, len(planned.tables))
            how, path_of = delete_target(self._runtime, sides, table)
            for file, positions in table.rows.deleted:
                if positions.size <= how.inlining_row_limit:
                    continue
                if self._lease is None:
                    self._lease = take_lease(self._runtime.store, self._target.version.catalog_id)
                new = write_delete_file(
                    how.target.directory,
                    file.row.data_file_id,
                    path_of(file),
                    positions,
                    is_encrypted=how.target.is_encrypted,
                    as_vector=how.target.options.write_deletion_vectors,
                )
                self._paths.append(how.target.directory + new.path)
                written[file.row.data_file_id] = (DeleteFileId(-len(written) - 1), new)
        return written

    def _conflict_error(self, conflicts: Sequence[MergeConflict]) -> MergeConflictError:
        source, target = self._source.name, self._target.name
        left = [conflict for conflict in conflicts if conflict.winner is None]
        told = [conflict.in_words(source, target) for conflict in left[:_LISTED]]
        if len(left) > _LISTED:
            told.append(f"and {len(left) - _LISTED} more")
        count = f"{len(left)} conflict{'s' if len(left) > 1 else ''}"
        if len(left) < len(conflicts):
            count += f" that no strategy decides, of {len(conflicts)}"
        at = f'"{source}" at snapshot {self._source_version.snapshot_id}'
        what, undone = f'Merge of {at} into "{target}"', "merged"
        if self._request.kind == "refresh":
            what, undone = f'Refresh of "{target}" from {at}', "refreshed"
        return MergeConflictError(
            f"{what} has {count}; nothing was {undone}: {'; '.join(told)}",
            conflicts=conflicts,
            hint=_hint(left),
        )

    def commit(self) -> SnapshotId | None:
        """Commit, or return None if the target's head is another by now."""
        request, source = self._request, self._source_version
        told = f'{_VERBS[request.kind]} "{self._source.name}" at snapshot {source.snapshot_id}'
        # The session that the draft was made in is over.
        self._draft.base = self._state
        plan = Plan(
            base=self._draft.base,
            changes=(),
            info=replace(request.info, message=request.info.message or told),
            commit_key=self._commit_key,
            new_objects=0,
            new_files=self._new_files,
            lease_id=None if self._lease is None else self._lease.lease_id,
            guards=(self._check_source,),
            onto=source if request.kind == "refresh" else None,
        )
        store = self._runtime.store
        try:
            finished = commit_once(store, plan, self._draft, store.settings.clock)
        except CommitUnknownError:
            self._is_committed = True  # perhaps
            raise
        except SnapshotNotFoundError:
            if request.kind == "refresh":
                return None  # the parent has gone on, and forgotten what its head was
            raise
        if finished is None:
            return None
        self._is_committed = True
        if finished.state is not None:
            self._runtime.keep(finished.state)
        return finished.snapshot_id

    def _check_source(self, session: Session) -> None:
        """See that the source is live and its snapshot retained.

        Locks keep it so.
        """
        request, source = self._request, self._source_version
        owners = set(source.owners)
        if request.kind == "refresh":
            # Rows of those that it has inherited from may be copied.
            owners |= {*self._target.version.owners} - {request.target}
        session.lock_all_shared(sorted(owners))
        if request.source is None:
            head = _parent_head(session, self._target)
        else:
            head = versions.head_by_id(session, request.source)
        _source_version(session, head, replace(request, at=source.snapshot_id))


def _check_tables(sides: Sides, strategies: Strategies) -> None:
    """Refuse a strategy for a table that neither side has."""
    if not strategies.by_table:
        return
    known = set()
    for side in (sides.source, sides.target):
        schemas = {row.schema_id: row.schema_name for row in side.rows(SCHEMA)}
        for row in side.rows(TABLE):
            known |= {fold(row.table_name), fold(f"{schemas[row.schema_id]}.{row.table_name}")}
    for name in strategies.by_table:
        if name not in known:
            raise InvalidInputError(f'There is no table "{name}" to have a strategy for; nothing was done.')


def _parent_head(session: Session, target: Head) -> Head:
    """Return the catalog that a fork is refreshed from.

    Raises:
        CatalogLapsedError: It is past its lifetime.
        InvalidInputError: There is none, or it was dropped.
    """
    parent = target.parent if len(target.version.segments) > 1 else None
    found = None if parent is None else heads.head_by_id(session, parent)
    if found is None:
        raise InvalidInputError(
            f'"{target.name}" has no parent to refresh from; nothing was refreshed.',
            hint="Only a fork of a live catalog can be refreshed; any catalog of the tree can be merged into it.",
        )
    if found.expires_at is not None and found.expires_at <= session.now():
        raise limits.head_lapsed_error(found, "nothing was refreshed")
    return found


def _source_version(session: Session, head: Head, request: MergeRequest) -> Version:
    """Return the version that is merged.

    It is one of the source's own snapshots, and retained.
    """
    snapshot = head.version.snapshot_id if request.at is None else request.at
    if snapshot == head.version.snapshot_id:
        return head.version
    if request.kind == "reset":
        return versions.version_at(session, head.version, snapshot)
    found = heads.version_of(session, head.version.catalog_id, snapshot)
    if found is None:
        raise SnapshotNotFoundError(
            f"No snapshot found at version {snapshot}",
            hint=f'Only own snapshots of "{head.name}" that are retained can be merged; nothing was merged.',
        )
    return found


def _may_have_returned(session: Session, before: Sequence[Knowledge], known: Knowledge) -> bool:
    since: dict[CatalogId, SnapshotId] = {}
    for base in before:
        for catalog, snapshot in base.items():
            since[catalog] = max(snapshot, since.get(catalog, snapshot))
    return may_have_returned(session, since, known)


def _table_merge(draft: Draft, table: TableEdit) -> TableMerge:
    assert table.row is not None
    rows = table.rows
    schema = lookup.schema_by_id(draft, table.row.schema_id).schema_name
    assert rows is not None
    added, removed = rows.counts
    return TableMerge(
        schema,
        table.row.table_name,
        files_added=len(rows.begun),
        files_removed=len(rows.ended),
        rows_added=added,
        rows_removed=removed,
        by_rows=rows.by_rows,
    )


def _hint(left: Sequence[MergeConflict]) -> ChooseSide | str:
    if all(conflict.kind == "code" for conflict in left):
        return _TAKE_CODE
    return ChooseSide() if any(conflict.is_decidable for conflict in left) else _CHANGE_FIRST
