"""Dates and timestamps to and from text, by a ``strftime`` format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.files.casting.nested_text import split_list, unquote
from forklake.model import types
from forklake.sql.expressions.bound import TEXTS, Bound, is_null
from forklake.sql.expressions.casts import cast, cut_nanos
from forklake.sql.expressions.infinities import keep_infinite
from forklake.sql.expressions.literals import text_literal
from forklake.sql.expressions.render import render
from forklake.sql.expressions.spark_idioms import once, unless_null
from forklake.sql.functions.computed import computed_value
from forklake.sql.functions.signature import Function, Nodes, constant_text, moment, text

_WRITTEN: Final = {
    "Y": "yyyy",
    "y": "yy",
    "m": "MM",
    "-m": "M",
    "d": "dd",
    "-d": "d",
    "H": "HH",
    "-H": "H",
    "I": "hh",
    "-I": "h",
    "M": "mm",
    "-M": "m",
    "S": "ss",
    "-S": "s",
    "f": "SSSSSS",
    "g": "SSS",
    "j": "DDD",
    "-j": "D",
    "p": "a",
    "a": "EEE",
    "A": "EEEE",
    "b": "MMM",
    "h": "MMM",
    "B": "MMMM",
}
_COMPUTED: Final = {
    "w": "CAST(dayofweek({0}) - 1 AS STRING)",
    "u": "CAST(weekday({0}) + 1 AS STRING)",
    "s": "CAST(unix_seconds(CAST(concat(CAST({0} AS STRING), 'Z') AS TIMESTAMP_LTZ)) AS STRING)",
    "V": "lpad(CAST(weekofyear({0}) AS STRING), 2, '0')",
    "G": "CAST(extract(YEAROFWEEK FROM {0}) AS STRING)",
    "z": "'+00'",
    "Z": "'UTC'",
}
_COMPOSED: Final = {
    "c": "%a %b %-d %H:%M:%S %Y",
    "x": "%Y-%m-%d",
    "X": "%H:%M:%S",
    "F": "%Y-%m-%d",
    "T": "%H:%M:%S",
    "D": "%m/%d/%y",
    "R": "%H:%M",
}


def _pieces(pattern: str) -> list[tuple[str, bool]] | None:
    """Return the parts of a format, each with whether it is a specifier.

    A specifier comes without its percent sign. None: there is a specifier that Java has no letters for.
    """
    found: list[tuple[str, bool]] = []
    place = 0
    while place < len(pattern):
        if pattern[place] != "%":
            found.append((pattern[place], False))
            place += 1
            continue
        size = 2 if pattern[place + 1 : place + 2] == "-" else 1
        name = pattern[place + 1 : place + 1 + size]
        place += 1 + size
        if name == "%":
            found.append(("%", False))
        elif name in _COMPOSED:
            found += _pieces(_COMPOSED[name]) or ()
        elif name in _WRITTEN or name in _COMPUTED:
            found.append((name, True))
        else:
            return None
    return found


def _strftime(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value, pattern = values
    if value.literal is not None and value.type in TEXTS and pattern.type not in TEXTS:
        value, pattern = pattern, value
    pieces = _pieces(pattern.literal) if pattern.literal is not None else None
    if pieces is None:
        if "%n" in (pattern.literal or "").replace("%%", ""):
            # DuckDB 1.5 shows memory that is not the value's.
            raise InvalidInputError(f'The specifier "%n" of a format is not supported: {render(node)}')
        is_itself = value.type in (types.DATE, types.NULL, types.TIMESTAMP_NS)
        instant = value if is_itself else Bound(moment(value, node), types.TIMESTAMP)
        return computed_value("strftime", [instant, replace(pattern, sql=text(pattern, node))], node)

    def body(sql: str) -> str:
        parts = []
        for name, is_specifier in pieces:
            if not is_specifier:
                parts.append(text_literal(name))
            elif name in _COMPUTED:
                parts.append(_COMPUTED[name].format(sql))
            else:
                parts.append(f"date_format({sql}, '{_WRITTEN[name]}')")
        written = f"concat({', '.join(parts)})" if parts else "''"
        # A format of letters alone is NULL for NULL, too.
        return written if any(is_specifier for _, is_specifier in pieces) else f"if({sql} IS NULL, NULL, {written})"

    def write(one: Bound) -> str:
        return once(cut_nanos(one.sql) if one.type == types.TIMESTAMP_NS else moment(one, node), body)

    return Bound(keep_infinite(value, types.VARCHAR, write), types.VARCHAR)


def _strptime(*, is_lenient: bool) -> Function:
    def function(values: Sequence[Bound], node: exp.Expr) -> Bound:
        value = text(values[0], node)
        formats = values[1]
        if is_null(formats):
            return cast(Bound("NULL", types.NULL), types.TIMESTAMP)
        pattern = _first_format(formats, node)
        found = computed_value("try_strptime", [replace(values[0], sql=value), formats], node)
        if is_lenient:
            return found
        said = (text_literal('Invalid Input Error: Could not parse string "'), value)
        why = text_literal(f'" according to format specifier "{pattern}"')
        return replace(found, sql=unless_null(value, found.sql, *said, why))

    return function


def _first_format(value: Bound, node: exp.Expr) -> str:
    """Return a constant format, or the first of a list of them, which errors name."""
    said = constant_text(value, node, "format")
    if not isinstance(value.type, types.List):
        return said
    first = next(iter(split_list(said)), "")
    return unquote(first)


_READ: Final = _strptime(is_lenient=False)

NODES: Final[Nodes] = {
    exp.TimeToStr: (_strftime, ("this", "format")),
    exp.StrToTime: (_READ, ("this", "format")),
}
NAMED: Final[Mapping[str, Function]] = {
    "strftime": _strftime,
    "strptime": _READ,
    "try_strptime": _strptime(is_lenient=True),
}
