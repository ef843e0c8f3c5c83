"""Results of statements, printed in one of several modes."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import click
from rich.cells import cell_len, set_cell_size

from forklake.cli import output
from forklake.cli.output import printable
from forklake.engine.display import show_line
from forklake.model.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from forklake.session.result import Result

_AT_A_TERMINAL: Final = 40
"""How many rows are shown to somebody who reads them; a file or a pipe gets all."""
_NARROWEST: Final = 8
"""No column is cut to less than this."""
_CUT: Final = "…"
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
    """

    mode: str = "table"
    has_timer: bool = True

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
            result.texts(_AT_A_TERMINAL)
        elif result is not None:
            result.rows()

    def show(self, result: Result | None, begun: float) -> None:
        """Print a result, if there is one; at a terminal with its size and the time.

        At a terminal a table has only the first rows, and only they are computed.
        """
        size = "done"
        if result is None:
            if self.mode == "json":
                _echo_json({"columns": [], "types": [], "rows": []})
        else:
            count, has_more = _MODES[self.mode](result)
            size = f"the first {output.quantity(count, 'row')}" if has_more else output.quantity(count, "row")
            if has_more:
                click.echo(f"The first {count} rows; there are more. A file or a pipe gets all.", err=True)
        if self.has_timer and self.mode not in ("json", "csv") and sys.stdout.isatty():
            text = f"({size} in {time.monotonic() - begun:.2f} s)"
            click.echo(text if os.environ.get("NO_COLOR") else click.style(text, dim=True))


# ---- modes: each prints a result, and returns how many rows it printed and whether there are more --------------------


def _show_table(result: Result) -> tuple[int, bool]:
    is_terminal = sys.stdout.isatty()
    rows, has_more = result.texts(_AT_A_TERMINAL if is_terminal else None)
    columns = result.columns
    if list(columns) == _PLAN:
        for _, plan in rows:
            click.echo("\n".join(printable(line) for line in plan.splitlines()))
        return len(rows), has_more
    numbers = {place for place, kind in enumerate(result.types) if _is_number(kind)}
    if is_terminal:
        kept, columns, rows = fit_table(columns, rows, _width())
        numbers = {place for place, was in enumerate(kept) if was in numbers}
    for line in output.Sheet(*columns, right=[columns[place] for place in numbers]).lines(rows):
        click.echo(line)
    return len(rows), has_more


def _show_csv(result: Result) -> tuple[int, bool]:
    click.echo(",".join(_quote_field(name) for name in result.columns))
    count = 0
    for values, texts in _rows_and_texts(result):
        fields = ("" if value is None else _quote_field(text) for value, text in zip(values, texts, strict=True))
        click.echo(",".join(fields))
        count += 1
    return count, False


def _show_json(result: Result) -> tuple[int, bool]:
    rows = plain_rows(result)
    _echo_json({"columns": list(result.columns), "types": list(result.types), "rows": rows})
    return len(rows), False


def _show_markdown(result: Result) -> tuple[int, bool]:
    rows, _ = result.texts()
    edges = ["---:" if _is_number(kind) else "---" for kind in result.types]
    for cells in (
        [printable(name) for name in result.columns],
        edges,
        *([printable(one) for one in row] for row in rows),
    ):
        click.echo(f"| {' | '.join(one.replace('|', chr(92) + '|') for one in cells)} |")
    return len(rows), False


def _show_lines(result: Result) -> tuple[int, bool]:
    rows, _ = result.texts()
    names = [printable(name) for name in result.columns]
    width = max((cell_len(name) for name in names), default=0)
    for place, row in enumerate(rows):
        if place:
            click.echo()
        for name, text in zip(names, row, strict=True):
            click.echo(f"{' ' * (width - cell_len(name))}{name} = {printable(text)}".rstrip())
    return len(rows), False


_MODES: Final[Mapping[str, Callable[[Result], tuple[int, bool]]]] = {
    "table": _show_table,
    "csv": _show_csv,
    "json": _show_json,
    "markdown": _show_markdown,
    "line": _show_lines,
}
MODES: Final = tuple(_MODES)
"""The names of the modes."""


def fit_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], width: int
) -> tuple[list[int], list[str], list[list[str]]]:
    """Return a table that is at most so wide, and which columns it has.

    The widest columns are cut first. If that is not enough, columns in the middle are left out, and one that says
    so stands for them; its number is -1.

    >>> fit_table(["a", "b"], [["1", "x" * 30]], 20)
    ([0, 1], ['a', 'b'], [['1', 'xxxxxxxxxxxxxxxx…']])
    """
    cells = [[printable(text) for text in line] for line in (columns, *rows)]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    kept = list(range(len(columns)))
    most_kept = max(2, _count_that_fit([min(one, _NARROWEST) for one in widths], width))
    if most_kept < len(kept):
        kept = [*kept[: (most_kept + 1) // 2], -1, *kept[len(kept) - most_kept // 2 :]]
    room = width - 2 * (len(kept) - 1) - (-1 in kept)
    most = max((widths[one] for one in kept if one >= 0), default=0)
    while most > _NARROWEST and sum(min(widths[one], most) for one in kept if one >= 0) > room:
        most -= 1
    lines = [[_CUT if one < 0 else _cut(line[one], most) for one in kept] for line in cells]
    return kept, lines[0], lines[1:]


def _count_that_fit(widths: Sequence[int], width: int) -> int:
    """Return how many columns have room, with a sign for those that have none."""
    if sum(widths) + 2 * (len(widths) - 1) <= width:
        return len(widths)
    taken, order = 3, sorted(range(len(widths)), key=lambda one: min(one, len(widths) - 1 - one))
    for count, one in enumerate(order):
        taken += widths[one] + 2
        if taken - 2 > width:
            return count
    return len(widths)


def _cut(text: str, width: int) -> str:
    return text if cell_len(text) <= width else set_cell_size(text, width - 1).rstrip() + _CUT


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


def _echo_json(document: Any) -> None:
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


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
