"""`forklake catalog tree`: draw the tree of forks."""

from __future__ import annotations

from collections.abc import Iterator

import click

from forklake import ForkNode
from forklake.cli import output
from forklake.cli.command import Command, catalog_argument, open_lake
from forklake.model.overview import MOST_AHEAD
from forklake.ops.catalogs.fork_tree import MAX_DEPTH, MAX_NODES


@click.command(cls=Command)
@catalog_argument("name", required=False)
@click.option(
    "--depth", type=click.IntRange(0, MAX_DEPTH), default=100, show_default=True, help="Levels below the first."
)
@click.option(
    "--width", type=click.IntRange(1, MAX_NODES), default=5, show_default=True, help="Forks shown of each catalog."
)
@click.option(
    "--limit", type=click.IntRange(1, MAX_NODES), default=100, show_default=True, help="Catalogs shown in all."
)
def tree(name: str | None, depth: int, width: int, limit: int) -> None:
    """Draw the tree of forks: of one catalog, or of the lake.

    Shows the oldest forks of each catalog, the upper levels first, and counts the others. +/- says how far a fork
    is ahead of its parent and behind it: +2 are two snapshots that the parent does not contain, -1 is one of the
    parent that the fork does not. FORKS counts a catalog's own forks, FILES and SIZE its own live data files, AGE
    goes back to when it was made, ENDS is the time that is left of its lifetime, if any has one. A dropped catalog
    is drawn if live ones descend from it.

    With --json: `root_count` and `roots`, each with its fields and `forks`, nested.

    Examples:
      forklake catalog tree
      forklake catalog tree shop --depth 1 --width 20
    """
    with open_lake() as lake:
        found = lake.fork_tree(name, depth=depth, width=width, limit=limit)

    def text() -> Iterator[str]:
        if not found.roots:
            yield "No catalogs."
            return
        columns = ["CATALOG", "ID", "HEAD", "+/-", "FORKS", "FILES", "SIZE", "AGE"]
        if any(_has_lifetime(root) for root in found.roots):
            columns.append("ENDS")
        sheet = output.Sheet(*columns, right=columns[1:])
        rows: list[tuple[object, ...]] = []
        for root in found.roots:
            rows += (row[: len(columns)] for row in _rows(root, "", ""))
        if found.root_count > len(found.roots):
            rows.append((f"... and {found.root_count - len(found.roots):,} more",))
        yield from sheet.lines(rows)

    output.show(found, text)


def _distance(sign: str, number: int | None) -> str:
    more = ">=" if number == MOST_AHEAD else ""
    return f"{sign}{more}{number:,}" if number else ""


def _has_lifetime(node: ForkNode) -> bool:
    return node.expires_at is not None or any(_has_lifetime(fork) for fork in node.forks)


def _rows(node: ForkNode, branch: str, below: str) -> Iterator[tuple[object, ...]]:
    mark = "" if node.is_live else " (dropped)"
    if node.kind == "copy":
        mark += " (copy)"
    yield (
        f"{branch}{output.printable(node.name)}{mark}",
        node.catalog_id,
        "purged" if node.snapshot_id is None else node.snapshot_id,
        " ".join(part for part in (_distance("+", node.ahead), _distance("-", node.behind)) if part),
        f"{node.fork_count:,}" if node.fork_count else "",
        f"{node.own_file_count:,}" if node.own_file_count else "",
        output.size(node.own_byte_count) if node.own_file_count else "",
        output.age(node.created_at),
        "" if node.expires_at is None else output.time_left(node.expires_at),
    )
    hidden = node.fork_count - len(node.forks)
    for number, fork in enumerate(node.forks, 1):
        is_last = number == len(node.forks) and not hidden
        yield from _rows(fork, below + ("└── " if is_last else "├── "), below + ("    " if is_last else "│   "))
    if hidden:
        yield (
            f"{below}└── ... and {hidden:,} more"
            if node.forks
            else f"{below}└── ... {output.quantity(hidden, 'fork')}",
        )
