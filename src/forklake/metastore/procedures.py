"""A commit as statements of one transaction, for embedded stores.

These stores have no functions of their own. The same as ``lake_commit`` in schema/postgresql.sql, whose comments hold
here too. The session has the only write transaction of the database, so the locks of that function are not needed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Any, Final

from forklake.metastore import limits
from forklake.metastore.queries import heads, leases
from forklake.metastore.queries.snapshots import known_commit
from forklake.metastore.schema.description import Visibility
from forklake.metastore.store import Guard, Session
from forklake.metastore.written_tables import (
    BEGIN,
    BY_NAME,
    END,
    FILE_IDS,
    OBJECT_IDS,
    MetadataTable,
)
from forklake.model.commit import CommitRequest, CommitResult, Outcome
from forklake.model.ids import CatalogId, RowUid, SnapshotId
from forklake.model.numbering import Numbering
from forklake.model.rows import Row

Step = Callable[[str], None]

_FEW_ENDS: Final = 50


def run_guards(session: Session, commit: CommitRequest, guards: Sequence[Guard]) -> None:
    """Run the guards of a commit, unless it has happened before."""
    if guards and known_commit(session, commit.catalog_id, commit.commit_key) is None:
        for guard in guards:
            guard(session)


def commit(session: Session, commit: CommitRequest, step: Step) -> CommitResult:
    """Do what ``lake_commit`` does."""
    if (known := known_commit(session, commit.catalog_id, commit.commit_key)) is not None:
        return CommitResult(Outcome.KNOWN, known)
    head = session.query(
        "SELECT h.snapshot_id, h.live, s.snapshot_time FROM forklake.ducklake_head h"
        " JOIN forklake.ducklake_snapshot s ON s.catalog_id = h.catalog_id AND s.snapshot_id = h.snapshot_id"
        " WHERE h.catalog_id = :c",
        c=commit.catalog_id,
    )
    if not head:
        return CommitResult(Outcome.MISSING)
    if not head[0][1]:
        return CommitResult(Outcome.DROPPED)
    if commit.lease_id is not None and not leases.exists(session, commit.catalog_id, commit.lease_id):
        return CommitResult(Outcome.UNLEASED)
    if head[0][0] != commit.expected:
        return CommitResult(Outcome.MOVED)
    if limits.is_lapsed(session, commit.catalog_id):
        return CommitResult(Outcome.LAPSED)
    refusal = limits.spend(session, commit.catalog_id, commit.own_files, commit.own_bytes, commit.beyond)
    if refusal is not None:
        return CommitResult(Outcome.OVER_QUOTA, refusal=refusal)

    snapshot = SnapshotId(session.take_ids("ducklake_snapshot_id_seq", 1)[0])
    made_at = max(session.now(), session.time(head[0][2]))
    move_head(session, commit.catalog_id, snapshot)
    step("commit: head moved")
    limits.renew_by_commit(session, commit.catalog_id)
    if commit.lease_id is not None:
        leases.delete(session, commit.catalog_id, commit.lease_id)
        step("commit: lease ended")
    objects = session.take_ids("ducklake_object_id_seq", commit.new_objects)
    files = session.take_ids("ducklake_file_id_seq", commit.new_files)
    changes_made = ",".join(
        f"{keyword}:{_real_id(subject, objects) if isinstance(subject, int) else subject}"
        for keyword, subject in commit.entries
    )
    write_snapshot(
        session, commit.catalog_id, snapshot, made_at, commit.schema_version, commit.expected, commit.commit_key
    )
    write_changes(
        session,
        commit.catalog_id,
        snapshot,
        changes_made,
        commit.info.author,
        commit.info.message,
        commit.info.extra_info,
    )
    step("commit: snapshot written")
    _end_rows(session, commit, snapshot)
    step("commit: rows ended")
    for name, rows in commit.rows.items():
        insert_rows(session, BY_NAME[name], rows, commit.catalog_id, snapshot, objects, files)
        step(f"commit: {name} written")
    if commit.epoch:
        heads.begin_epoch(session, commit.catalog_id, snapshot, commit.epoch)
        step("commit: epoch begun")
    return CommitResult(Outcome.COMMITTED, snapshot, made_at, objects, files)


def _end_rows(session: Session, commit: CommitRequest, snapshot: SnapshotId) -> None:
    for name, uids in commit.ends.items():
        end_own_rows(session, commit.catalog_id, name, uids, snapshot)
    session.insert_many(
        "ducklake_tombstone",
        ("catalog_id", "scope_id", "row_uid", "snapshot_id"),
        [(commit.catalog_id, tombstone.scope_id, tombstone.row_uid, snapshot) for tombstone in commit.tombstones],
    )


def end_own_rows(
    session: Session, catalog: CatalogId, table: str, uids: Collection[RowUid], snapshot: SnapshotId
) -> None:
    """End rows of a metadata table that a catalog wrote itself, from a snapshot on."""
    update = f"UPDATE forklake.{table} SET {END} = :s WHERE catalog_id = :c AND row_uid"
    if len(uids) > _FEW_ENDS:
        session.execute(f"{update} IN (:uids...)", s=snapshot, c=catalog, uids=list(uids))
    else:
        # DuckDB uses an index for one row, and none for a list.
        session.execute_many(f"{update} = :uid", [{"s": snapshot, "c": catalog, "uid": uid} for uid in uids])


def _real_id(local: int, new_ids: Sequence[int]) -> int:
    return new_ids[-local - 1] if local < 0 else local


def insert_rows(
    session: Session,
    table: MetadataTable[Any],
    rows: Sequence[Row],
    catalog: CatalogId,
    snapshot: SnapshotId,
    objects: Sequence[int] = (),
    files: Sequence[int] = (),
) -> None:
    """Write rows that begin at the snapshot; replace local ids by the new ones."""
    own: dict[str, Any] = {"catalog_id": catalog}
    uids: Sequence[int] = ()
    if table.visibility is not Visibility.FOLLOWS:
        own[BEGIN] = snapshot
    if table.visibility is Visibility.INTERVAL:
        uids = session.take_ids("ducklake_row_uid_seq", len(rows))
    local = [
        (place, objects if column in OBJECT_IDS else files)
        for place, column in enumerate(table.columns)
        if column in OBJECT_IDS or column in FILE_IDS
    ]
    values_of = table.values
    of_all = tuple(own.values())
    written = [[*values_of(row), *of_all] for row in rows]
    for place, new_ids in local:
        for values in written:
            if values[place] is not None and values[place] < 0:
                values[place] = _real_id(values[place], new_ids)
    if uids:
        for values, uid in zip(written, uids, strict=True):
            values.append(uid)
    session.insert_many(table.name, [*table.columns, *own, *(["row_uid"] if uids else [])], written)


def insert_history(
    session: Session,
    table: MetadataTable[Any],
    rows: Sequence[tuple[Row, SnapshotId, SnapshotId]],
    catalog: CatalogId,
) -> None:
    """Write rows that begin and end at past snapshots, with their real ids."""
    if not rows:
        return
    own: dict[str, int] = {"catalog_id": catalog}
    uids: Sequence[int] = ()
    if table.visibility is not Visibility.FOLLOWS:
        own[BEGIN] = 0
    if table.visibility is Visibility.INTERVAL:
        own[END] = own["row_uid"] = 0
        uids = session.take_ids("ducklake_row_uid_seq", len(rows))
    session.insert_many(
        table.name,
        [*own, *table.columns],
        [
            [
                *(catalog, begin, end, uids[place] if uids else 0)[: len(own)],
                *table.values(row),
            ]
            for place, (row, begin, end) in enumerate(rows)
        ],
    )


def insert_snapshots(
    session: Session,
    catalog: CatalogId,
    snapshots: Sequence[tuple[SnapshotId, datetime, int]],
    changes: Sequence[tuple[SnapshotId, str, str | None, str | None, str | None]],
) -> None:
    """Write past snapshots in their order, and what they did.

    Each follows the one before it.
    """
    previous = [None, *(snapshot for snapshot, _, _ in snapshots)]
    session.insert_many(
        "ducklake_snapshot",
        ["catalog_id", "snapshot_id", "snapshot_time", "schema_version"],
        [[catalog, *snapshot] for snapshot in snapshots],
    )
    session.insert_many(
        "ducklake_snapshot_lineage",
        ["catalog_id", "snapshot_id", "previous_snapshot_id"],
        [[catalog, snapshot[0], before] for snapshot, before in zip(snapshots, previous, strict=False)],
    )
    session.insert_many(
        "ducklake_snapshot_changes",
        ["catalog_id", "snapshot_id", "changes_made", "author", "commit_message", "commit_extra_info"],
        [[catalog, *change] for change in changes],
    )


def write_numbering(session: Session, catalog: CatalogId, numbering: Numbering) -> None:
    """Write the numbers that an imported catalog's snapshots had in their source."""
    session.insert_many(
        "ducklake_numbering",
        ["catalog_id", "snapshot_id", "source_snapshot_id", "snapshot_count"],
        [[catalog, run.snapshot_id, run.number, run.count] for run in numbering.runs],
    )


def move_head(session: Session, catalog: CatalogId, snapshot: SnapshotId) -> None:
    """Make the snapshot the head of the catalog; the caller has checked the old head."""
    session.execute("UPDATE forklake.ducklake_head SET snapshot_id = :s WHERE catalog_id = :c", s=snapshot, c=catalog)


def write_snapshot(
    session: Session,
    catalog: CatalogId,
    snapshot: SnapshotId,
    made_at: datetime,
    schema_version: int,
    previous: SnapshotId | None,
    commit_key: str | None = None,
) -> None:
    """Write a snapshot and its place in the lineage."""
    session.execute(
        "INSERT INTO forklake.ducklake_snapshot (catalog_id, snapshot_id, snapshot_time, schema_version)"
        " VALUES (:c, :s, :t, :v)",
        c=catalog,
        s=snapshot,
        t=made_at,
        v=schema_version,
    )
    session.execute(
        "INSERT INTO forklake.ducklake_snapshot_lineage (catalog_id, snapshot_id, previous_snapshot_id, commit_key)"
        " VALUES (:c, :s, :p, :key)",
        c=catalog,
        s=snapshot,
        p=previous,
        key=commit_key,
    )


def write_changes(
    session: Session,
    catalog: CatalogId,
    snapshot: SnapshotId,
    changes_made: str,
    author: str | None = None,
    message: str | None = None,
    extra_info: str | None = None,
) -> None:
    """Write what a snapshot did, and the message of its author."""
    session.execute(
        "INSERT INTO forklake.ducklake_snapshot_changes"
        " (catalog_id, snapshot_id, changes_made, author, commit_message, commit_extra_info)"
        " VALUES (:c, :s, :changes, :author, :message, :extra)",
        c=catalog,
        s=snapshot,
        changes=changes_made,
        author=author,
        message=message,
        extra=extra_info,
    )
