"""Pieces of HTML for notebooks; all text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from html import escape


def heading(kind: str, name: str) -> str:
    """Return a heading with the kind and the name of a thing.

    >>> heading("Table", "a<b")
    '<p><b>Table</b> a&lt;b</p>'
    """
    return f"<p><b>{escape(kind)}</b> {escape(name)}</p>"


def sheet(heads: Sequence[str], rows: Iterable[Sequence[object]], more: str | None = None) -> str:
    """Return a table with an optional remark below it; numbers are right-aligned.

    >>> sheet(["n"], [[1000]])
    '<table><thead><tr><th>n</th></tr></thead><tbody><tr><td style="text-align: right">1,000</td></tr></tbody></table>'
    """
    top = "".join(f"<th>{escape(head)}</th>" for head in heads)
    body = "".join(f"<tr>{''.join(_cell(value) for value in row)}</tr>" for row in rows)
    below = "" if more is None else f"<p>{escape(more)}</p>"
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>{below}"


def facts(pairs: Iterable[tuple[str, object]]) -> str:
    """Return a table of names and values, a row each; None values are left out."""
    rows = "".join(f"<tr><th>{escape(name)}</th>{_cell(value)}</tr>" for name, value in pairs if value is not None)
    return f"<table><tbody>{rows}</tbody></table>"


def _cell(value: object) -> str:
    align = ' style="text-align: right"' if isinstance(value, int) and not isinstance(value, bool) else ""
    return f"<td{align}>{escape(_text(value))}</td>"


def _text(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case datetime():
            return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    return str(value)
