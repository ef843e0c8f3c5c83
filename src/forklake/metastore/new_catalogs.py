"""New catalogs: their names, their directories, and forks for embedded stores.

`fork` is the same as ``lake_fork`` in schema/postgresql.sql, whose comments hold here too. It needs no locks either, as
`procedures` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from forklake.metastore import limits
from forklake.metastore.procedures import Step, write_changes, write_snapshot
from forklake.metastore.queries import heads
from forklake.metastore.queries.option_rows import OptionRow, options_of, write_options
from forklake.metastore.store import DuplicateKeyError, Session
from forklake.metastore.visibility import BareChain, Chain, visible
from forklake.metastore.written_tables import BEGIN, SCHEMA, TABLE
from forklake.model.ids import INFINITY, CatalogId, SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.lives import Terms
from forklake.model.placement import ForkOutcome, ForkResult, NewFork, Placement


def write_catalog(
    session: Session,
    catalog: CatalogId,
    snapshot: SnapshotId,
    made_at: datetime,
    new: NewFork,
    placement: Placement,
    parent: tuple[CatalogId, SnapshotId] | None = None,
    own_bytes: int = 0,
) -> None:
    """Write the catalog row and the head of a new catalog.

    ``own_bytes`` is what the rows count that it begins with. Its directory is one that no catalog ever had.

    Raises:
        DuplicateKeyError: A live catalog has the name.
    """
    check_name_is_free(session, new.name)
    directory = new.directory
    if not placement.is_root and lies_at_or_below(session, placement.prefix + directory):
        directory = f"{new.uuid}/"
    session.execute(
        "INSERT INTO forklake.ducklake_catalog (catalog_id, catalog_uuid, catalog_name, parent_catalog_id,"
        f" parent_snapshot_id, data_path, path, path_is_relative, {BEGIN}, begin_time)"
        " VALUES (:c, :uuid, :name, :parent, :pin, :data_path, :path, :relative, :s, :t)",
        c=catalog,
        uuid=new.uuid,
        name=new.name,
        parent=parent and parent[0],
        pin=parent and parent[1],
        data_path=placement.data_path,
        path=placement.prefix + ("" if placement.is_root else directory),
        relative=placement.is_relative,
        s=snapshot,
        t=made_at,
    )
    if not placement.is_root:
        # Since the check somebody may have had the name, and with it the directory, and have dropped it again.
        session.execute(
            "UPDATE forklake.ducklake_catalog SET path = :path WHERE catalog_id = :c AND EXISTS ("
            "SELECT 1 FROM forklake.ducklake_catalog o WHERE fold(o.path) = fold(:taken) AND o.catalog_id <> :c)",
            c=catalog,
            path=f"{placement.prefix}{new.uuid}/",
            taken=placement.prefix + directory,
        )
    session.execute(
        "INSERT INTO forklake.ducklake_head (catalog_id, snapshot_id, own_bytes) VALUES (:c, :s, :bytes)",
        c=catalog,
        s=snapshot,
        bytes=own_bytes,
    )


def check_name_is_free(session: Session, name: str) -> None:
    """Refuse a name that a live catalog has.

    Where there is a unique index, the index decides between concurrent callers.

    Raises:
        DuplicateKeyError: A live catalog has the name.
    """
    if session.query(
        "SELECT 1 FROM forklake.ducklake_catalog WHERE fold(catalog_name) = fold(:name) AND end_snapshot = :live",
        name=name,
        live=INFINITY,
    ):
        raise DuplicateKeyError(f'Catalog "{name}" exists.')


def lies_at_or_below(session: Session, path: str) -> bool:
    """Return whether the directory of a catalog lies at a stored path, or in it."""
    # '0' is the character after '/', so the range holds the place itself and everything in it.
    return bool(
        session.query(
            "SELECT 1 FROM forklake.ducklake_catalog WHERE fold(path) >= fold(:first) AND fold(path) < fold(:last)"
            " LIMIT 1",
            first=path,
            last=path.rstrip("/") + "0",
        )
    )


def overlaps(session: Session, placement: Placement) -> bool:
    """Return whether a directory of a catalog contains the new one, or lies in it."""
    if placement.above and session.query(
        "SELECT 1 FROM forklake.ducklake_catalog WHERE fold(path) IN (:above...) LIMIT 1", above=list(placement.above)
    ):
        return True
    if not placement.is_root:
        return False
    if placement.prefix:
        return lies_at_or_below(session, placement.prefix)
    return bool(session.query("SELECT 1 FROM forklake.ducklake_catalog WHERE path_is_relative LIMIT 1"))


@dataclass(frozen=True, slots=True)
class _Pin:
    """A snapshot to fork at, with the chain of its catalog there.

    ``versions_from`` says for each owner since when its snapshots are versions of the fork.
    """

    parent_name: str
    snapshot_id: SnapshotId
    schema_version: int
    time: datetime
    chain: BareChain
    versions_from: Sequence[SnapshotId]


def fork(
    session: Session,
    parent: CatalogId,
    at: SnapshotId | None,
    forks: Sequence[NewFork],
    placement: Placement,
    terms: Terms,
    step: Step,
) -> ForkResult:
    """Do what ``lake_fork`` does."""
    pin = _pin(session, parent, at)
    if isinstance(pin, ForkOutcome):
        return ForkResult(pin)
    if overlaps(session, placement):
        return ForkResult(ForkOutcome.OVERLAP)
    refusal = limits.find_excess_of_forks(session, parent, pin.chain.owners, len(forks))
    if refusal is not None:
        return ForkResult(ForkOutcome.OVER_QUOTA, refusal=refusal)

    made_at = max(session.now(), pin.time)
    catalogs = [CatalogId(taken) for taken in session.take_ids("ducklake_catalog_id_seq", len(forks))]
    snapshots = [SnapshotId(taken) for taken in session.take_ids("ducklake_snapshot_id_seq", len(forks))]
    options = _visible_options(session, parent, pin.chain)
    message = f'Fork of "{pin.parent_name}" at snapshot {pin.snapshot_id}'
    for new, catalog, snapshot in zip(forks, catalogs, snapshots, strict=True):
        write_catalog(session, catalog, snapshot, made_at, new, placement, (parent, pin.snapshot_id))
        step("fork: catalog written")
        heads.write_segments(session, catalog, snapshot, pin.chain, pin.versions_from)
        step("fork: ancestry written")
        write_snapshot(session, catalog, snapshot, made_at, pin.schema_version, pin.snapshot_id)
        write_changes(session, catalog, snapshot, "", terms.author, message)
        step("fork: snapshot written")
        write_options(session, catalog, options)
        limits.write_terms(session, catalog, terms)
    return ForkResult(ForkOutcome.FORKED, pin.snapshot_id, catalogs, snapshots)


def _pin(session: Session, parent: CatalogId, at: SnapshotId | None) -> _Pin | ForkOutcome:
    """Return the snapshot to fork at, with the chain from its owner on."""
    head = session.query(
        "SELECT h.snapshot_id, h.live, k.catalog_name FROM forklake.ducklake_head h"
        " LEFT JOIN forklake.ducklake_catalog k ON k.catalog_id = h.catalog_id AND k.end_snapshot = :live"
        " WHERE h.catalog_id = :c",
        c=parent,
        live=INFINITY,
    )
    if not head:
        return ForkOutcome.MISSING
    if not head[0][1]:
        return ForkOutcome.DROPPED
    if limits.is_lapsed(session, parent):
        return ForkOutcome.LAPSED
    pin = SnapshotId(head[0][0]) if at is None else at
    segments = session.query(
        "SELECT owner_id, upto, versions_from, since, until FROM forklake.ducklake_segment"
        " WHERE catalog_id = :c AND ((since <= :s AND until > :s)"
        " OR since = (SELECT min(f.since) FROM forklake.ducklake_segment f WHERE f.catalog_id = :c))"
        " ORDER BY since, depth",
        c=parent,
        s=pin,
    )
    epoch = [segment for segment in segments if segment[3] <= pin < segment[4]]
    first = [segment for segment in segments if segment[3] == segments[0][3]]
    own = (parent, INFINITY, epoch[0][3] if epoch else 0)
    lineage = [[own, *epoch], *(first[depth:] for depth in range(len(first)))]
    for steps in lineage:
        found = session.query(
            "SELECT schema_version, snapshot_time FROM forklake.ducklake_snapshot"
            " WHERE catalog_id = :c AND snapshot_id = :s AND snapshot_id >= :first AND snapshot_id <= :upto",
            c=steps[0][0],
            s=pin,
            first=steps[0][2],
            upto=steps[0][1],
        )
        if found:
            chain = BareChain([step[0] for step in steps], [min(step[1], pin) for step in steps])
            versions_from = [SnapshotId(step[2]) for step in steps]
            return _Pin(head[0][2], pin, found[0][0], session.time(found[0][1]), chain, versions_from)
    return ForkOutcome.NO_SNAPSHOT


def copy_options(session: Session, parent: CatalogId, chain: Chain, target: CatalogId) -> None:
    """Copy the parent's current options to a new catalog.

    Options of objects that the chain does not see are left out.
    """
    options = _visible_options(session, parent, chain)
    write_options(session, target, options)


def _visible_options(session: Session, parent: CatalogId, chain: Chain) -> list[OptionRow]:
    options = options_of(session, parent)
    held = {("", -1)}
    if any(option.scope for option in options):
        held |= {("schema", int(row.schema_id)) for row in visible(session, chain, SCHEMA)}
        held |= {("table", int(row.table_id)) for row in visible(session, chain, TABLE)}
    return [option for option in options if (option.scope, option.scope_id) in held]
