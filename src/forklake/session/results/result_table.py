"""What results show: values as texts, and rows as a table of HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from forklake.files.casting.python_values import from_python
from forklake.files.casting.texts import format_value
from forklake.model import types
from forklake.model.field import Field


def html_table(fields: Sequence[Field], rows: Sequence[Sequence[Any]], has_more: bool) -> str:
    """Return a table as HTML, for a notebook."""
    heads = "".join(
        f"<th>{escape(field.name)}<br><small>{escape(field.type.sql_name)}</small></th>" for field in fields
    )
    lines = "".join(
        f"<tr>{''.join(_cell(field, value) for field, value in zip(fields, row, strict=True))}</tr>" for row in rows
    )
    more = more_text(rows, has_more)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>{f'<p>{more}</p>' if more else ''}"


def cell_text(field: Field, value: Any) -> str:
    """Return a value as DuckDB casts it to VARCHAR; a missing value is ``NULL``."""
    if value is None:
        return "NULL"
    if isinstance(value, str) or field.type == types.VARIANT:
        return str(value)
    return format_value(field.type, from_python(field.type, [value])[0])


def _cell(field: Field, value: Any) -> str:
    align = ' style="text-align: right"' if is_number(field) else ""
    return f"<td{align}>{escape(cell_text(field, value))}</td>"


def more_text(rows: Sequence[Any], has_more: bool) -> str | None:
    """Return what is said below the rows that are shown."""
    return f"The first {len(rows)} rows; there are more." if has_more else None


def is_number(field: Field) -> bool:
    """Return whether a column is shown at the right."""
    return isinstance(field.type, types.Number)
