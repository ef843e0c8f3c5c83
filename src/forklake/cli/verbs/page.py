"""The page docs/reference/verbs.md, made from the table of verbs.

``python -m forklake.cli.verbs.page`` writes it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

from forklake.cli.verbs import catalog_verbs as catalogs
from forklake.cli.verbs import definition_verbs as definitions
from forklake.cli.verbs import table_verbs as tables
from forklake.cli.verbs.verb import Face, Lacks, Verb

_INTRO = """\
# Verbs

Made from `forklake/cli/verbs` by `make docs`; do not edit it by hand.

Each verb, and how it is said in Python, in SQL and on the command line. SQL stands as an example, with a catalog
attached as `shop` and in use. Where one of the three lacks a verb, the reason stands in its place, in italics.

`Connection` and `Result`, by which Python speaks SQL, are left out: they have DuckDB's methods. What a transaction has
in common with a catalog stands there.
"""

_CHAPTERS: Final = (*catalogs.CHAPTERS, *tables.CHAPTERS, *definitions.CHAPTERS)

REACHED: Final = {
    "Alter": "table.alter",
    "Catalog": "catalog",
    "CatalogInspection": "catalog.inspect",
    "CatalogMaintenance": "catalog.maintenance",
    "Inspection": "table.inspect",
    "Lake": "lake",
    "LakeAt": "lake.at(...)",
    "LakeMaintenance": "lake.maintenance",
    "Macros": "catalog.macros",
    "Maintenance": "transaction.maintenance",
    "Options": "catalog.options",
    "Schemas": "catalog.schemas",
    "Storage": "table.storage",
    "Table": "table",
    "SparkCatalog": "attached",
    "Transaction": "transaction",
    "Views": "catalog.views",
    "forklake": "forklake",
}
"""How a user comes to the methods of each class."""


def page() -> str:
    """Return the whole page."""
    parts = [_INTRO]
    for chapter in _CHAPTERS:
        lines = [f"## {chapter.title}", "", "| verb | Python | SQL | command line |", "|---|---|---|---|"]
        parts.append("\n".join([*lines, *(_row(verb) for verb in chapter.verbs), ""]))
    return "\n".join(parts)


def all_verbs() -> Iterator[Verb]:
    """Yield the verbs of all chapters."""
    for chapter in _CHAPTERS:
        yield from chapter.verbs


def _row(verb: Verb) -> str:
    python = verb.python if isinstance(verb.python, Lacks) else tuple(_spelling(name) for name in verb.python)
    return f"| {verb.action} | {_cell(python)} | {_cell(verb.sql)} | {_cell(verb.cli)} |"


def _spelling(name: str) -> str:
    owner, _, member = name.partition(".")
    return f"{REACHED[owner]}.{member}"


def _cell(face: Face) -> str:
    if isinstance(face, Lacks):
        return f"*{face.reason}*"
    return "<br>".join(f"`{written}`" for written in face)


if __name__ == "__main__":
    sys.stdout.write(page())
