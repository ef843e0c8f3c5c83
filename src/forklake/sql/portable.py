"""Texts that are stored in a catalog and mean the same under every name that it is attached by."""

from __future__ import annotations

from sqlglot import exp

from forklake.model.names import fold
from forklake.sql.parse import parse_query


def portable(text: str, alias: str) -> str:
    """Return the text of a query without the name that its own catalog is attached by.

    A fork, and whoever attaches the catalog under another name, finds its own tables by it. All else stays as it was
    written.

    Raises:
        InvalidInputError: The text is no query.
    """
    cuts: dict[int, tuple[int, str]] = {}
    for node in parse_query(text).walk():
        if isinstance(node, exp.Table):
            parts = [part for part in node.parts if isinstance(part, exp.Identifier)]
            least = 2
        elif isinstance(node, exp.Column):
            parts, least = [part for part in node.parts if isinstance(part, exp.Identifier)], 3
        else:
            continue
        if len(parts) < least or fold(parts[0].name) != fold(alias) or "start" not in parts[0].meta:
            continue
        # What is named by catalog and table alone is in its schema main.
        schema = "main." if isinstance(node, exp.Table) and len(parts) == 2 else ""
        cuts[parts[0].meta["start"]] = (parts[1].meta["start"], schema)
    for start, (end, schema) in sorted(cuts.items(), reverse=True):
        text = text[:start] + schema + text[end:]
    return text
