"""Draws how the snapshots of several catalogs hang together."""

from __future__ import annotations

from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.overview import SnapshotGraph


def draw(graph: SnapshotGraph) -> list[str]:
    r"""Return a line for each snapshot, in their order.

    Each catalog has a lane of its own, from its first snapshot that is shown to the last one, or to the last one that
    began as its fork or merged it. A star is a snapshot; what a line connects it with is what it contains from then on.

    >>> from forklake.model.overview import SnapshotEdge
    >>> from types import SimpleNamespace as Shown
    >>> made = [Shown(snapshot_id=number, catalog_id=of) for number, of in enumerate((1, 1, 2, 1, 2, 1, 1))]
    >>> edges = SnapshotEdge(2, 2, "fork", 1, 1), SnapshotEdge(1, 5, "merge", 2, 4)
    >>> print("\n".join(draw(SnapshotGraph(tuple(made), edges))))
    *
    *
    ├─*
    * │
    │ *
    *─┤
    *
    """
    sources: dict[SnapshotId, list[CatalogId]] = {}
    for edge in graph.edges:
        sources.setdefault(edge.snapshot_id, []).append(edge.source_id)
    last: dict[CatalogId, int] = {}
    for number, one in enumerate(graph.snapshots):
        for catalog in (CatalogId(one.catalog_id), *sources.get(one.snapshot_id, ())):
            last[catalog] = number
    lanes: list[CatalogId | None] = []
    lines = []
    for number, one in enumerate(graph.snapshots):
        own = CatalogId(one.catalog_id)
        if own not in lanes:
            _take_lane(lanes, own)
        others = [lanes.index(source) for source in sources.get(one.snapshot_id, ()) if source in lanes]
        lines.append(_line(lanes, lanes.index(own), others))
        lanes = [None if lane is None or last[lane] <= number else lane for lane in lanes]
    return lines


def _take_lane(lanes: list[CatalogId | None], catalog: CatalogId) -> None:
    if None in lanes:
        lanes[lanes.index(None)] = catalog
    else:
        lanes.append(catalog)


def _line(lanes: list[CatalogId | None], own: int, others: list[int]) -> str:
    first, last = min([own, *others]), max([own, *others])
    cells = []
    for place, lane in enumerate(lanes):
        is_crossed = first < place < last
        if place == own:
            mark = "*"
        elif place in others:
            mark = "┼" if is_crossed else "├" if place < own else "┤"
        elif lane is None:
            mark = "─" if is_crossed else " "
        else:
            mark = "┼" if is_crossed else "│"
        cells.append(mark + ("─" if first <= place < last else " "))
    return "".join(cells).rstrip()
