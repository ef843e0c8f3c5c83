"""Text made by a format: ``printf`` and ``format``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.casts import cast
from forklake.sql.expressions.lengths import check_width
from forklake.sql.expressions.literals import text_literal
from forklake.sql.expressions.render import render
from forklake.sql.functions.computed import computed_value
from forklake.sql.functions.signature import Function, Nodes, constant_text

_PERCENT: Final = re.compile(r"%(?:%|([-+ 0#,]*)(\d*)(?:\.(\d+))?(?:ll|l|h)?([a-zA-Z]))")
_BRACES: Final = re.compile(r"\{\{|\}\}|\{(\d*)(?::(?:(.)?([<>^]))?([+]?)(0?)(\d*)([,']?)(?:\.(\d+))?([a-zA-Z]?))?\}")
_WHOLE: Final = frozenset("dixXoc")
_WIDE: Final = frozenset({types.UINT64, types.INT128, types.UINT128})


def _value(value: Bound, letter: str, node: exp.Expr) -> tuple[str, str]:
    """Return a value, and its conversion character in Java's format."""
    is_number = isinstance(value.type, (types.Integer, types.Float, types.Decimal))
    if letter in _WHOLE and isinstance(value.type, types.Integer):
        if letter == "c":
            return f"CAST({value.sql} AS INT)", "c"
        return f"CAST({value.sql} AS BIGINT)", {"i": "d"}.get(letter, letter)
    if letter in ("f", "F", "e", "E") and is_number:
        return cast(value, types.FLOAT64).sql, {"F": "f"}.get(letter, letter)
    if letter == "s" and not is_number:
        return cast(value, types.VARCHAR).sql, "s"
    if letter == "" or (letter in ("g", "G") and is_number):
        return cast(value, types.VARCHAR).sql, "s"
    raise InvalidInputError(
        f'Invalid Input Error: Invalid type specifier "{letter}" for formatting a value: {render(node)}'
    )


def _check_widths(*widths: str | None) -> None:
    for width in widths:
        check_width(int(width or 0))


def _format_call(pattern: str, arguments: Sequence[str], values: Sequence[Bound]) -> Bound:
    made = f"format_string({', '.join((text_literal(pattern), *arguments))})"
    given = [value.sql for value in values if value.literal is None]
    if not given:
        return Bound(made, types.VARCHAR)
    return Bound(f"(CASE WHEN {' AND '.join(f'{sql} IS NOT NULL' for sql in given)} THEN {made} END)", types.VARCHAR)


def _rounding(name: str, function: Function) -> Function:
    """Return a function of which DuckDB computes what Java writes otherwise.

    Java rounds the halves of what a float shows, DuckDB what it is; of integers Java takes 64 bits. What is no number
    is the same as its text.
    """

    def call(values: Sequence[Bound], node: exp.Expr) -> Bound:
        if any(value.type == types.NULL for value in values):
            return Bound("CAST(NULL AS STRING)", types.VARCHAR)
        found = function(values, node)  # which checks the format and the widths
        if not any(isinstance(value.type, types.Float | types.Decimal) or value.type in _WIDE for value in values):
            return found
        given = [value if isinstance(value.type, types.Number) else cast(value, types.VARCHAR) for value in values]
        return computed_value(name, given, node)

    return call


def _printf(values: Sequence[Bound], node: exp.Expr) -> Bound:
    pattern = constant_text(values[0], node, "format")
    rest, arguments = list(values[1:]), []

    def piece(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%%"
        if not rest:
            raise InvalidInputError(f"Invalid Input Error: argument index out of range: {render(node)}")
        _check_widths(match[2], match[3])
        sql, letter = _value(rest.pop(0), match[4], node)
        arguments.append(sql)
        places = f".{match[3]}" if match[3] is not None and letter != "s" else ""
        return f"%{match[1]}{match[2]}{places}{letter}"

    return _format_call(_PERCENT.sub(piece, pattern), arguments, values[1:])


def _format(values: Sequence[Bound], node: exp.Expr) -> Bound:
    pattern = constant_text(values[0], node, "format")
    arguments: list[str] = []
    following = iter(range(1, len(values)))

    def piece(match: re.Match[str]) -> str:
        if match[0] in ("{{", "}}"):
            return match[0][0]
        place = int(match[1]) + 1 if match[1] else next(following, len(values))
        if place >= len(values):
            raise InvalidInputError(f"Invalid Input Error: argument index out of range: {render(node)}")
        _check_widths(match[6], match[8])
        value = values[place]
        kind = match[9] or (
            "d" if match[7] or (match[6] and isinstance(value.type, types.Integer)) else "f" if match[8] else ""
        )
        sql, letter = _value(value, kind, node)
        if match[2] not in (None, "", " ", "0") or (match[3] == "^" and match[6]):
            sql, letter = _pad(sql, letter, match), "s"
            arguments.append(sql)
            return "%s"
        arguments.append(sql)
        is_number = letter != "s"
        width = match[6] or ""
        left = match[3] == "<" or (not match[3] and not is_number and width)
        marks = (
            ("-" if left else "")
            + (match[4] or "")
            + ("0" if match[5] and is_number else "")
            + ("," if match[7] else "")
        )
        places = f".{match[8]}" if match[8] is not None and is_number else ""
        return f"%{marks}{width}{places}{letter}"

    return _format_call(_BRACES.sub(piece, pattern.replace("%", "%%")), arguments, values[1:])


def _pad(sql: str, letter: str, match: re.Match[str]) -> str:
    """Return a value that is centered in a field, or padded with its own filler."""
    places = f".{match[8]}" if match[8] is not None and letter != "s" else ""
    shown_value = f"format_string('%{places}{letter}', {sql})"
    filler, width = text_literal(match[2] or " "), int(match[6] or 0)
    if match[3] == "^":
        room = f"greatest({width} - length({shown_value}), 0)"
        return f"concat(repeat({filler}, {room} div 2), {shown_value}, repeat({filler}, {room} - {room} div 2))"
    name = "rpad" if match[3] == "<" else "lpad"
    return f"{name}({shown_value}, greatest({width}, length({shown_value})), {filler})"


_FORMAT: Final = _rounding("format", _format)

NODES: Final[Nodes] = {exp.Format: (_FORMAT, ("this", "expressions"))}
NAMED: Final[Mapping[str, Function]] = {"printf": _rounding("printf", _printf), "format": _FORMAT}
