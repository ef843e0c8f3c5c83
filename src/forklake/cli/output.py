"""Output of commands: aligned text, or one JSON document."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from math import isfinite
from typing import Any, Final

import click
from rich.cells import cell_len

AS_JSON = "forklake.json"
_LISTED: Final = 20


def show(document: Any, text: Callable[[], Iterable[str]]) -> None:
    """Print the document if --json was given, else the lines of the text."""
    if wants_json():
        click.echo(json.dumps(plain(document), indent=2, ensure_ascii=False))
    else:
        for line in text():
            click.echo(line)


def wants_json() -> bool:
    """Return whether --json was given."""
    return bool(click.get_current_context().meta.get(AS_JSON))


def plain(value: Any) -> Any:
    """Return a value for JSON.

    Records are objects with their fields, times are ISO 8601 in UTC.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, datetime):
        return str(value) if value.tzinfo is None else iso(value)
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and isfinite(value)):
        return value
    return value.hex() if isinstance(value, bytes) else str(value)  # what JSON has no type for


def iso(time: datetime) -> str:
    """Return a time in ISO 8601, in UTC, of fixed width."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def short_time(time: datetime | None) -> str:
    """Return a time for people to read, in UTC, to the second."""
    return "" if time is None else time.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def size(byte_count: int | None) -> str:
    """Return a number of bytes for people to read.

    >>> size(999), size(1536), size(3 * 1024**3), size(None)
    ('999 B', '1.5 KiB', '3.0 GiB', '-')
    """
    if byte_count is None:
        return "-"
    for power, unit in ((5, "PiB"), (4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        if byte_count >= 1024**power:
            return f"{byte_count / 1024**power:.1f} {unit}"
    return f"{byte_count} B"


def age(since: datetime, now: datetime | None = None) -> str:
    """Return the time since a moment, in one unit."""
    seconds = ((now or datetime.now(UTC)) - since).total_seconds()
    for least, unit in ((31_557_600, "y"), (2_629_800, "mo"), (86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= least:
            return f"{seconds / least:.0f} {unit}"
    return "now"


def time_left(end: datetime, now: datetime | None = None) -> str:
    """Return the time until a moment, in one unit.

    >>> from datetime import timedelta
    >>> now = datetime.now(UTC)
    >>> time_left(now + timedelta(hours=2), now), time_left(now, now)
    ('in 2 h', 'lapsed')
    """
    now = now or datetime.now(UTC)
    left = age(now, end)
    return "lapsed" if end <= now else "in 1 min" if left == "now" else f"in {left}"


def printable(text: str) -> str:
    r"""Return text on one line, without codes that a terminal would obey.

    >>> print(printable("two\nlines"))
    two\nlines
    """
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def cell(value: object) -> str:
    """Return the text of a table cell."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return short_time(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return printable(str(value))


class Sheet:
    """A table as text: columns are aligned, nothing is cut, numbers are at the right.

    Later pages of rows keep the widths of the first, or get wider.
    """

    def __init__(self, *columns: str, right: Sequence[str] = ()) -> None:
        self._columns = columns
        self._right = [column in right for column in columns]
        self._widths = [cell_len(column) for column in columns]
        self._has_header = False

    def lines(self, rows: Iterable[Sequence[object]]) -> list[str]:
        """Return the lines of some rows; the first call adds a header."""
        cells = [[cell(value) for value in row] for row in rows]
        # A row of one cell is a remark, and widens nothing.
        for row in cells:
            if len(row) == len(self._columns):
                self._widths = [max(width, cell_len(text)) for width, text in zip(self._widths, row, strict=True)]
        lines = []
        if not self._has_header:
            self._has_header = True
            lines.append(_emphasis(self._line(self._columns)))
        return lines + [self._line(row) for row in cells]

    def _line(self, row: Sequence[str]) -> str:
        padded = []
        for text, width, is_right in zip(row, self._widths, self._right, strict=False):
            space = " " * (width - cell_len(text))
            padded.append(space + text if is_right else text + space)
        return "  ".join(padded).rstrip()


def facts(*pairs: tuple[str, object]) -> list[str]:
    """Return lines of names and values; values that are None are left out."""
    known = [(f"{name}:", cell(value)) for name, value in pairs if value is not None]
    width = max(len(name) for name, _ in known)
    return [f"{name:<{width}} {value}" for name, value in known]


def quantity(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> quantity(1, "fork"), quantity(2000, "fork")
    ('1 fork', '2,000 forks')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def which_names(names: Sequence[str]) -> str:
    """Return the first names, to follow how many they are.

    >>> which_names(["a", "b"]), which_names([])
    (': a, b', '')
    """
    listed = ", ".join(printable(name) for name in names[:_LISTED])
    return f": {listed}{', ...' if len(names) > _LISTED else ''}" if names else ""


def _emphasis(text: str) -> str:
    # `click.echo` takes the codes out again where the output is no terminal.
    return text if os.environ.get("NO_COLOR") else click.style(text, bold=True)
