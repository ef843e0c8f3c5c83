"""`forklake catalog tree`: draw the tree of forks."""

from __future__ import annotations

from collections.abc import Iterator

import click

from forklake import ForkNode
from forklake.cli import output
from forklake.cli.command import Command, catalog_argument, open_lake
from forklake.ops.fork_tree import MAX_DEPTH, MAX_NODES


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

    Shows the oldest forks of each catalog, the upper levels first, and counts the others. FORKS counts a
    catalog's own forks, FILES and SIZE its own live data files, AGE goes back to when it was made. A dropped
    catalog is drawn if live ones descend from it.

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
        sheet = output.Sheet(
            "CATALOG", "ID", "HEAD", "FORKS", "FILES", "SIZE", "AGE",
            right=("ID", "HEAD", "FORKS", "FILES", "SIZE", "AGE"),
        )  # fmt: skip
        rows: list[tuple[object, ...]] = []
        for root in found.roots:
            rows += _rows(root, "", "")
        if found.root_count > len(found.roots):
            rows.append((f"... and {found.root_count - len(found.roots):,} more",))
        yield from sheet.lines(rows)

    output.show(found, text)


def _rows(node: ForkNode, branch: str, below: str) -> Iterator[tuple[object, ...]]:
    mark = "" if node.is_live else " (dropped)"
    if node.kind == "copy":
        mark += " (copy)"
    yield (
        f"{branch}{output.printable(node.name)}{mark}",
        node.catalog_id,
        "purged" if node.snapshot_id is None else node.snapshot_id,
        f"{node.fork_count:,}" if node.fork_count else "",
        f"{node.own_file_count:,}" if node.own_file_count else "",
        output.size(node.own_byte_count) if node.own_file_count else "",
        output.age(node.created_at),
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
