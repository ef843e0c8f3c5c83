"""Rows as a table that is drawn with lines, for terminals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from forklake.model.field import Field
from forklake.session.results.result_table import cell_text, is_number, more_text

_NARROWEST: Final = 120


def print_table(fields: Sequence[Field], rows: Sequence[Sequence[Any]], has_more: bool) -> None:
    """Print rows as a table."""
    Console().print(_table(fields, rows, has_more))


def table_text(fields: Sequence[Field], rows: Sequence[Sequence[Any]], has_more: bool) -> str:
    """Return rows as a table, without colours."""
    console = Console(color_system=None, force_jupyter=False)
    console.width = max(console.width, _NARROWEST)
    with console.capture() as captured:
        console.print(_table(fields, rows, has_more))
    return captured.get().rstrip("\n")


def _table(fields: Sequence[Field], rows: Sequence[Sequence[Any]], has_more: bool) -> RenderableType:
    """Return a table that rich can print; nothing in it is read as markup."""
    table = Table(box=box.SQUARE)
    for field in fields:
        header = Text(f"{field.name}\n{field.type.sql_name}")
        table.add_column(header, justify="right" if is_number(field) else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell_text(field, value)) for field, value in zip(fields, row, strict=True)))
    more = more_text(rows, has_more)
    return table if more is None else Group(table, Text(more))
