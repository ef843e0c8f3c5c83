"""Visibility for many readers at once: rows that they share are read once.

The rule is that of `visibility`. The database gives the rows of each owner that any of the readers may
see, and the tombstones of all of them; this module finds out who sees what. So the number of statements does not depend
on the number of readers, nor does a row that all of them see cross the wire more than once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from forklake.metastore.row_filter import Where, filter_params, filter_text, tombstone_scope
from forklake.metastore.schema.description import Visibility
from forklake.metastore.source import Source
from forklake.metastore.visibility import Chain
from forklake.metastore.written_tables import BEGIN, END, MetadataTable, R
from forklake.model.ids import INFINITY, CatalogId, RowUid, SnapshotId
from forklake.model.rows import Origin, Row

Dated = tuple[R, SnapshotId, SnapshotId]
"""A row with the snapshots that began and ended it, as one reader sees them."""

_Stored = tuple[RowUid, SnapshotId, SnapshotId, Sequence[Any]]


class Crowd:
    """Some readers, each with its chain."""

    def __init__(self, source: Source, chains: Sequence[Chain]) -> None:
        self._source = source
        self._chains = chains
        self._is_of_roots = all(len(chain.owners) == 1 for chain in chains)
        bounds: dict[CatalogId, list[SnapshotId]] = {}
        for chain in chains:
            for owner, bound in zip(chain.owners, chain.bounds, strict=True):
                bounds.setdefault(owner, []).append(bound)
        self._reach = {
            "owners": list(bounds),
            "lows": [min(found) for found in bounds.values()],
            "highs": [max(found) for found in bounds.values()],
        }

    def visible(self, table: MetadataTable[R], where: Where) -> list[list[R]]:
        """Return the visible rows of an interval table for each reader.

        Each list is what `visibility.visible` returns.
        """
        found = self._rows(table, where, " AND r." + END + " > c.low")
        hidden = self._tombstones(table, where)
        known: dict[tuple[CatalogId, SnapshotId], list[R]] = {}

        def rows_of(owner: CatalogId, bound: SnapshotId) -> list[R]:
            if (owner, bound) not in known:
                known[owner, bound] = [
                    _row(table, values, Origin(uid, owner, bound, begin))
                    for uid, begin, end, values in found.get(owner, ())
                    if begin <= bound < end
                ]
            return known[owner, bound]

        shown = []
        for chain in self._chains:
            steps = list(zip(chain.owners, chain.bounds, strict=True))
            gone = _hidden_by(hidden, steps, {})
            rows = [row for step in reversed(steps) for row in rows_of(*step)]
            shown.append([row for row in rows if row.uid not in gone] if gone else rows)
        return shown

    def history(self, table: MetadataTable[R], where: Where) -> list[list[Dated[R]]]:
        """Return for each reader all rows that its lineage ever showed.

        Each comes with the snapshots that began and ended it. A row that is visible now ends at infinity. An inherited
        row ends where its owner ended it up to the pin, or at the first tombstone of a nearer catalog. What a catalog
        of a chain showed before it was refreshed is not part of it.
        """
        found, hidden = self._rows(table, where, ""), self._tombstones(table, where)
        refreshes = self._refreshes()
        shown = []
        for chain in self._chains:
            steps = list(zip(chain.owners, chain.bounds, strict=True))
            # A catalog without ancestors shows all of its past, also of epochs from before it was severed.
            refreshed = {
                owner: max(ats)
                for owner, bound in (steps if len(steps) > 1 else ())
                if (ats := [at for at in refreshes.get(owner, ()) if at <= bound])
            }
            gone = _hidden_by(hidden, steps, refreshed)
            shown.append(
                [
                    (
                        _row(table, values, Origin(uid, owner, bound, begin)),
                        begin,
                        min(end if end <= bound else INFINITY, gone.get(uid, INFINITY)),
                    )
                    for owner, bound in reversed(steps)
                    for uid, begin, end, values in found.get(owner, ())
                    if begin <= bound and end > refreshed.get(owner, -1)
                ]
            )
        return shown

    def _refreshes(self) -> dict[CatalogId, list[SnapshotId]]:
        """Return by which snapshots owners were refreshed.

        Rows that a catalog had before have ended there, and its tombstones from before count for what it sees since.
        """
        if self._is_of_roots:
            return {}
        found: dict[CatalogId, list[SnapshotId]] = {}
        for owner, at in self._source.query(
            f"{self._with_reach()} SELECT m.catalog_id, m.{BEGIN} FROM reach c CROSS JOIN forklake.ducklake_merge m"
            " WHERE m.catalog_id = c.owner_id AND m.kind = 'refresh'",
            **self._reach,
        ):
            found.setdefault(CatalogId(owner), []).append(SnapshotId(at))
        return found

    def _rows(self, table: MetadataTable[Any], where: Where, ended: str) -> dict[CatalogId, list[_Stored]]:
        assert table.visibility is Visibility.INTERVAL
        columns = ", ".join(f"r.{name}" for name in table.columns)
        rows: dict[CatalogId, list[_Stored]] = {}
        for owner, uid, begin, end, *values in self._source.query(
            f"{self._with_reach()} SELECT c.owner_id, r.row_uid, r.{BEGIN}, r.{END}, {columns}"
            f" FROM reach c CROSS JOIN forklake.{table.name} r"
            f" WHERE r.catalog_id = c.owner_id AND r.{BEGIN} <= c.high{ended}{filter_text(where)} ORDER BY r.row_uid",
            **self._reach,
            **filter_params(where),
        ):
            rows.setdefault(CatalogId(owner), []).append((RowUid(uid), SnapshotId(begin), SnapshotId(end), values))
        return rows

    def _tombstones(self, table: MetadataTable[Any], where: Where) -> dict[CatalogId, list[tuple[SnapshotId, RowUid]]]:
        if self._is_of_roots:
            return {}
        found: dict[CatalogId, list[tuple[SnapshotId, RowUid]]] = {}
        for owner, snapshot, uid in self._source.query(
            f"{self._with_reach()} SELECT z.catalog_id, z.snapshot_id, z.row_uid FROM reach n"
            " CROSS JOIN forklake.ducklake_tombstone z"
            f" WHERE z.catalog_id = n.owner_id{tombstone_scope(table, where)} AND z.snapshot_id <= n.high",
            **self._reach,
            **filter_params(where),
        ):
            found.setdefault(CatalogId(owner), []).append((SnapshotId(snapshot), RowUid(uid)))
        return found

    def _with_reach(self) -> str:
        unpacked = self._source.dialect.unpack(dict.fromkeys(("owners", "lows", "highs"), "bigint"))
        return f"WITH reach(owner_id, low, high) AS ({unpacked})"


def all_following(
    source: Source, table: MetadataTable[R], parents: Iterable[Row], where: Where
) -> dict[tuple[CatalogId, int], list[R]]:
    """Return the rows that belong to rows of an interval table, by owner and id.

    It is what `followers.followers` returns, in one statement for all owners.
    """
    assert table.follows is not None
    key = table.follows[1]
    wanted = sorted(
        {
            (parent.origin.owner, getattr(parent, key))
            for parent in parents
            if parent.origin is not None and getattr(parent, key) is not None
        }
    )
    columns = ", ".join(f"r.{name}" for name in table.columns)
    unpacked = source.dialect.unpack({"owners": "bigint", "keys": "bigint"})
    found: dict[tuple[CatalogId, int], list[R]] = {}
    for owner, *values in source.query(
        f"WITH wanted(owner_id, id) AS ({unpacked}) SELECT r.catalog_id, {columns}"
        f" FROM wanted w CROSS JOIN forklake.{table.name} r WHERE r.catalog_id = w.owner_id AND r.{key} = w.id"
        f"{filter_text(where)} ORDER BY {', '.join(f'r.{name}' for name in table.columns[:3])}",
        owners=[owner for owner, _ in wanted],
        keys=[id_ for _, id_ in wanted],
        **filter_params(where),
    ):
        row = table.row(**table.decode(values))
        found.setdefault((CatalogId(owner), getattr(row, key)), []).append(row)
    return found


def _row(table: MetadataTable[R], values: Sequence[Any], origin: Origin) -> R:
    return table.row(origin=origin, **table.decode(values))


def _hidden_by(
    hidden: Mapping[CatalogId, Sequence[tuple[SnapshotId, RowUid]]],
    steps: Sequence[tuple[CatalogId, SnapshotId]],
    refreshed: Mapping[CatalogId, SnapshotId],
) -> dict[RowUid, SnapshotId]:
    """Return the rows that tombstones of a chain hide, each with the first that does.

    Tombstones from before a refresh of their catalog count from then on.
    """
    gone: dict[RowUid, SnapshotId] = {}
    for owner, bound in steps:
        for snapshot, uid in hidden.get(owner, ()):
            if snapshot <= bound:
                at = max(snapshot, refreshed.get(owner, snapshot))
                gone[uid] = min(at, gone.get(uid, at))
    return gone
