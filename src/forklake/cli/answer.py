"""Results of statements, printed as aligned text or as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import click

from forklake.cli import output

if TYPE_CHECKING:
    from forklake.session.result import Result

_AT_A_TERMINAL: Final = 40
"""How many rows are shown to somebody who reads them; a file or a pipe gets all."""


def show_answers(results: Iterable[Result | None]) -> None:
    """Print results as they come, with an empty line between them."""
    is_first = True
    for result in results:
        if result is not None and not is_first and not output.wants_json():
            click.echo()
        is_first = is_first and result is None
        show_answer(result)


def show_answer(result: Result | None) -> None:
    """Print a result, if there is one.

    At a terminal only the first rows are computed and printed.
    """
    if output.wants_json():
        output.show(_document(result), list)
        return
    if result is None:
        return
    rows, has_more = result.texts(_AT_A_TERMINAL if sys.stdout.isatty() else None)
    numbers = [name for name, kind in zip(result.columns, result.types, strict=True) if _is_number(kind)]
    for line in output.Sheet(*result.columns, right=numbers).lines(rows):
        click.echo(line)
    if has_more:
        click.echo(f"The first {len(rows)} rows; there are more. A file or a pipe gets all.", err=True)


def _is_number(kind: str) -> bool:
    return kind.startswith(("DECIMAL", "FLOAT", "DOUBLE")) or kind.endswith(("INT", "INTEGER"))


def _document(result: Result | None) -> dict[str, Any]:
    if result is None:
        return {"columns": [], "types": [], "rows": []}
    return {"columns": list(result.columns), "types": list(result.types), "rows": plain_rows(result)}


def plain_rows(result: Result) -> list[list[object]]:
    """Return the rows of a result for JSON."""
    return [[_plain(value) for value in row] for row in result.rows()]


def _plain(value: object) -> object:
    """Return a value for JSON; values without a JSON type become text."""
    if isinstance(value, float) and value - value != 0:
        return str(value)  # JSON has no infinities and no NaN
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    return value.hex() if isinstance(value, bytes) else str(value)
