"""Results of statements, printed in one of several modes."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import click
from rich.cells import cell_len

from forklake.cli import output
from forklake.cli.fitted_table import boxed_table
from forklake.cli.output import printable
from forklake.engine.display import show_line
from forklake.model.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from forklake.session.results.result import Result

_AT_A_TERMINAL: Final = 40
"""How many rows are shown to somebody who reads them, unless told otherwise; a file or a pipe gets all."""
_PLAN: Final = ["explain_key", "explain_value"]
"""The columns of EXPLAIN, whose value is a text of many lines."""

_SILENT_SECONDS: Final = 1.0


class _Over:
    """What follows the last result."""


_OVER: Final = _Over()


@dataclass(slots=True)
class Answering:
    """How results are printed.

    Attributes:
        mode: One of `MODES`.
        has_timer: Whether the time of each statement is told. Only a terminal is told, on standard output.
        most_rows: How many rows of a table are shown at a terminal.
    """

    mode: str = "table"
    has_timer: bool = True
    most_rows: int = _AT_A_TERMINAL

    def show_all(self, results: Iterable[Result | None]) -> None:
        """Run statements and print each result as it comes.

        Tables have an empty line between them.
        """
        is_first, begun, waiting = True, time.monotonic(), iter(results)
        while True:
            with show_line("Running ...", after_seconds=_SILENT_SECONDS):
                result = next(waiting, _OVER)
                if isinstance(result, _Over):
                    return
                self._compute(result)
            if result is not None and not is_first and self.mode != "json":
                click.echo()
            is_first = is_first and result is None
            self.show(result, begun)
            begun = time.monotonic()

    def _compute(self, result: Result | None) -> None:
        """Compute what will be printed; nothing else is on the terminal then."""
        if result is not None and self.mode == "table" and sys.stdout.isatty():
            result.texts(self.most_rows)
        elif result is not None:
            result.rows()

    def show(self, result: Result | None, begun: float) -> None:
        """Print a result, if there is one; at a terminal with its size and the time.

        At a terminal a table has lines and only the first rows, and only they are computed; how many rows a
        statement changed is told with the time.
        """
        size, more, is_terminal = "done", "", sys.stdout.isatty()
        if result is None:
            if self.mode == "json":
                _echo_json([], [], [])
        elif self.mode == "table" and is_terminal and result.is_count:
            size = f"done: {output.quantity(result.rows()[0][0], 'row')}"
            if not self.has_timer:
                click.echo(f"({size})")
        elif self.mode == "table" and is_terminal and list(result.columns) != _PLAN:
            count, has_more, shown = _show_boxed_table(result, self.most_rows)
            is_cut = has_more or shown < len(result.columns)
            size = f"the first {output.quantity(count, 'row')}" if has_more else output.quantity(count, "row")
            size += f", {len(result.columns)} columns ({shown} shown)" if shown < len(result.columns) else ""
            more = "; there are more, .maxrows shows them" if has_more else ""
            if is_cut and not self.has_timer:
                click.echo(f"({size}{more})")
        else:
            size = output.quantity(_MODES[self.mode](result), "row")
        if self.has_timer and self.mode not in ("json", "csv") and is_terminal:
            text = f"({size} in {time.monotonic() - begun:.2f} s{more})"
            click.echo(text if os.environ.get("NO_COLOR") else click.style(text, dim=True))


def _show_boxed_table(result: Result, most_rows: int) -> tuple[int, bool, int]:
    """Print the first rows for a terminal.

    Return how many they are, whether there are more, and how many columns are shown.
    """
    rows, has_more = result.texts(most_rows)
    is_right = [_is_number(kind) for kind in result.types]
    lines, shown = boxed_table(result.columns, result.types, rows, is_right, _width())
    for line in lines:
        click.echo(line)
    return len(rows), has_more, shown


# ---- modes: each prints a result, and returns how many rows it printed -----------------------------------------------


def _show_table(result: Result) -> int:
    rows, _ = result.texts()
    if list(result.columns) == _PLAN:
        for _, plan in rows:
            click.echo("\n".join(printable(line) for line in plan.splitlines()))
        return len(rows)
    right = [name for name, kind in zip(result.columns, result.types, strict=True) if _is_number(kind)]
    for line in output.Sheet(*map(printable, result.columns), right=list(map(printable, right))).lines(rows):
        click.echo(line)
    return len(rows)


def _show_csv(result: Result) -> int:
    click.echo(",".join(_quote_field(name) for name in result.columns))
    count = 0
    for values, texts in _rows_and_texts(result):
        fields = ("" if value is None else _quote_field(text) for value, text in zip(values, texts, strict=True))
        click.echo(",".join(fields))
        count += 1
    return count


def _show_json(result: Result) -> int:
    rows = plain_rows(result)
    _echo_json(result.columns, result.types, rows)
    return len(rows)


def _show_markdown(result: Result) -> int:
    rows, _ = result.texts()
    edges = ["---:" if _is_number(kind) else "---" for kind in result.types]
    for cells in (
        [printable(name) for name in result.columns],
        edges,
        *([printable(one) for one in row] for row in rows),
    ):
        click.echo(f"| {' | '.join(one.replace('|', chr(92) + '|') for one in cells)} |")
    return len(rows)


def _show_lines(result: Result) -> int:
    rows, _ = result.texts()
    names = [printable(name) for name in result.columns]
    width = max((cell_len(name) for name in names), default=0)
    for place, row in enumerate(rows):
        if place:
            click.echo()
        for name, text in zip(names, row, strict=True):
            click.echo(f"{' ' * (width - cell_len(name))}{name} = {printable(text)}".rstrip())
    return len(rows)


_MODES: Final[Mapping[str, Callable[[Result], int]]] = {
    "table": _show_table,
    "csv": _show_csv,
    "json": _show_json,
    "markdown": _show_markdown,
    "line": _show_lines,
}
MODES: Final = tuple(_MODES)
"""The names of the modes."""


def _width() -> int:
    return os.get_terminal_size(sys.stdout.fileno()).columns or 80


def _quote_field(text: str) -> str:
    """Return a field of CSV; the empty text has quotes, so that it is not NULL."""
    if text and not any(letter in text for letter in ',"\n\r'):
        return text
    return '"' + text.replace('"', '""') + '"'


def _rows_and_texts(result: Result) -> Iterator[tuple[Sequence[Any], Sequence[str]]]:
    texts, _ = result.texts()
    return zip(result.rows(), texts, strict=True)


def _is_number(kind: str) -> bool:
    return kind.startswith(("DECIMAL", "FLOAT", "DOUBLE")) or kind.endswith(("INT", "INTEGER"))


def _echo_json(columns: Sequence[str], types: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print one document, with a line for each row."""
    heads = [f'  "{key}": {_json(value)},' for key, value in (("columns", columns), ("types", types))]
    lines = ",\n".join(f"    {_json(row)}" for row in rows)
    click.echo("\n".join(["{", *heads, f'  "rows": [\n{lines}\n  ]' if rows else '  "rows": []', "}"]))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


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


def show_answer(result: Result | None) -> None:
    """Print one result as a command does: as a table, or as JSON if --json was given."""
    Answering("json" if output.wants_json() else "table", has_timer=False).show(result, time.monotonic())
