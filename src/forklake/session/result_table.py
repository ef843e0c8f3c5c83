"""Rows as a printed table, for terminals and notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from forklake.files.python_values import from_python
from forklake.files.texts import format_value
from forklake.model import types
from forklake.model.field import Field


def text_table(fields: Sequence[Field], rows: Sequence[Sequence[Any]], has_more: bool) -> RenderableType:
    """Return a table that rich can print; nothing in it is read as markup."""
    table = Table(box=box.SQUARE)
    for field in fields:
        header = Text(f"{field.name}\n{field.type.sql_name}")
        table.add_column(header, justify="right" if _is_number(field) else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell_text(field, value)) for field, value in zip(fields, row, strict=True)))
    more = _more(rows, has_more)
    return table if more is None else Group(table, Text(more))


def html_table(fields: Sequence[Field], rows: Sequence[Sequence[Any]], has_more: bool) -> str:
    """Return a table as HTML, for a notebook."""
    heads = "".join(
        f"<th>{escape(field.name)}<br><small>{escape(field.type.sql_name)}</small></th>" for field in fields
    )
    lines = "".join(
        f"<tr>{''.join(_cell(field, value) for field, value in zip(fields, row, strict=True))}</tr>" for row in rows
    )
    more = _more(rows, has_more)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>{f'<p>{more}</p>' if more else ''}"


def cell_text(field: Field, value: Any) -> str:
    """Return a value as DuckDB casts it to VARCHAR; a missing value is ``NULL``."""
    if value is None:
        return "NULL"
    if isinstance(value, str) or field.type == types.VARIANT:
        return str(value)
    return format_value(field.type, from_python(field.type, [value])[0])


def _cell(field: Field, value: Any) -> str:
    align = ' style="text-align: right"' if _is_number(field) else ""
    return f"<td{align}>{escape(cell_text(field, value))}</td>"


def _more(rows: Sequence[Any], has_more: bool) -> str | None:
    return f"The first {len(rows)} rows; there are more." if has_more else None


def _is_number(field: Field) -> bool:
    return isinstance(field.type, types.Number)
