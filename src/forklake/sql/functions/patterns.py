"""Regular expressions and other patterns."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from forklake import duck
from forklake.engine.statement_limits import is_confined_text
from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.types.shapes import list_of
from forklake.sql.expressions import lengths
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.casts import cast
from forklake.sql.expressions.literals import text_literal
from forklake.sql.expressions.render import render
from forklake.sql.expressions.wild_patterns import ONE_LETTER, whole_pattern
from forklake.sql.functions.computed import computed_value
from forklake.sql.functions.java_patterns import is_plain_text, java_pattern
from forklake.sql.functions.signature import TWO, Function, Nodes, constant_text, text, whole
from forklake.sql.functions.texts import or_whole

_WHOLE_LETTERS: Final = (r"(?!\p{Cs})(?:", ")")
"""Lets no match begin within a letter that is two of Java's; one that is empty would."""
_APART: Final = (_WHOLE_LETTERS[0], r")(?:(?!\G)|\A)")
"""The same, and no empty match follows another match at once."""
_REFERENCE: Final = re.compile(r"\\(\d)|\\\\|[$\\]")
"""A group, a backslash, or what only Java takes for something else."""


def _pattern(value: Bound, flags: str, node: exp.Expr, frame: tuple[str, str] = ("", "")) -> str:
    """Return a pattern with flags before it and ``frame`` around it."""
    for flag in flags:
        if flag not in "cigsmnpl":
            raise InvalidInputError(f'Invalid Input Error: Unrecognized Regex option "{flag}": {render(node)}')
    # Of those that say whether "." is a line break, the last one counts; none of them makes "^" begin a line.
    over_lines = [flag for flag in flags if flag in "smnp"][-1:] == ["s"]
    marks = ("iu" if "i" in flags else "") + ("s" if over_lines else "")
    before, after = frame
    before = (f"(?{marks})" if marks else "") + before
    if "l" in flags:
        before, after = before + "\\Q", "\\E" + after
    if value.literal is not None:
        if "l" not in flags:
            _check_pattern(value.literal)
        written = value.literal if "l" in flags else java_pattern(value.literal)
        return text_literal(f"{before}{written}{after}")
    return text(value, node)  # NULL


def _check_pattern(pattern: str) -> None:
    """Refuse a pattern that is none, in DuckDB's words.

    Looking ahead and behind is let pass: Java has it.
    """
    fault = None if is_plain_text(pattern) else duck.regular_expressions.fault_of(pattern)
    if fault is not None and "invalid perl operator" not in fault:
        raise InvalidInputError(f"Invalid Input Error: {fault}")


def _options(values: Sequence[Bound], place: int, node: exp.Expr) -> str:
    return constant_text(values[place], node, "options of a regular expression") if len(values) > place else ""


def _varying(name: str, function: Function) -> Function:
    """Return a function of which DuckDB computes the calls with other patterns.

    They are no constants. Java's patterns are others, and only constants can be translated.
    """

    def call(values: Sequence[Bound], node: exp.Expr) -> Bound:
        pattern = values[1]
        is_struct = len(values) > 2 and isinstance(values[2].type, types.List)
        is_constant = pattern.literal is not None or pattern.type == types.NULL
        if not is_struct and is_constant and not _may_take_hours(pattern):
            return function(values, node)
        return _leave_to_duckdb(name, values, node)

    return call


def _may_take_hours(pattern: Bound) -> bool:
    """Return whether a pattern is a stranger's.

    It may have Java go back in a text for hours. DuckDB reads each letter once, in another process, where it can be
    stopped.
    """
    return is_confined_text() and pattern.literal is not None and not is_plain_text(pattern.literal)


def _leave_to_duckdb(name: str, values: Sequence[Bound], node: exp.Expr) -> Bound:
    """Return a call that DuckDB computes."""
    texts = [replace(cast(value, types.VARCHAR), sql=text(value, node)) for value in values[:2]]
    return computed_value(name, [*texts, *values[2:]], node)


def _matches(values: Sequence[Bound], node: exp.Expr) -> Bound:
    pattern = _pattern(values[1], _options(values, 2, node), node)
    return Bound(f"({text(values[0], node)} RLIKE {pattern})", types.BOOLEAN)


def _fits(values: Sequence[Bound], node: exp.Expr) -> Bound:
    pattern = _pattern(values[1], _options(values, 2, node), node, ("\\A(?:", ")\\z"))
    return Bound(f"({text(values[0], node)} RLIKE {pattern})", types.BOOLEAN)


def _replace(values: Sequence[Bound], node: exp.Expr) -> Bound:
    flags, new = _options(values, 3, node), constant_text(values[2], node, "replacement for a regular expression")
    source = text(values[0], node)
    if (values[1].literal is None and values[1].type != types.NULL) or _may_take_hours(values[1]):
        return _leave_to_duckdb("regexp_replace", values, node)
    if "\\" in re.sub(r"\\[\d\\]", "", new):
        return Bound(source, types.VARCHAR)  # RE2 replaces nothing by what it does not understand
    if "g" in flags:
        pattern = _pattern(values[1], flags, node, _APART)
        return Bound(lengths.replace_matches(source, pattern, _replacement(new)), types.VARCHAR)
    # Only the first match: one group takes what is before it, another one the match; the rest of the text is kept.
    pattern = _pattern(values[1], flags, node, ("\\A((?s:.*?))(", ")"))
    replacement = text_literal("$1" + _replacement(new, moved=2))
    return Bound(f"regexp_replace({source}, {pattern}, {replacement})", types.VARCHAR)


def _replacement(text: str, moved: int = 0) -> str:
    r"""Return a replacement in Java's syntax, its numbers of groups moved by some.

    >>> print(_replacement(r"<\0> costs $1", moved=2))
    <$2> costs \$1
    """
    return _REFERENCE.sub(lambda found: f"${int(found[1]) + moved}" if found[1] else f"\\{found[0][-1]}", text)


def _extract(values: Sequence[Bound], node: exp.Expr) -> Bound:
    flags = _options(values, 3, node)
    group = "0" if len(values) < 3 else whole(values[2], node)
    return Bound(f"regexp_extract({text(values[0], node)}, {_pattern(values[1], flags, node)}, {group})", types.VARCHAR)


def _extract_all(values: Sequence[Bound], node: exp.Expr) -> Bound:
    flags = _options(values, 3, node)
    group = "0" if len(values) < 3 else whole(values[2], node)
    pattern = _pattern(values[1], flags, node, _WHOLE_LETTERS)
    return _split_texts(text(values[0], node), pattern, lambda sql: f"regexp_extract_all({sql}, {pattern}, {group})")


def _split(values: Sequence[Bound], node: exp.Expr) -> Bound:
    literal = values[1].literal
    if literal is not None and not is_plain_text(literal) and duck.regular_expressions.fits_nothing(literal):
        # Where such a pattern fits beside its matches is told in another way.
        return _leave_to_duckdb("regexp_split_to_array", values, node)
    # DuckDB looks for nothing behind the last letter of a text.
    pattern = _pattern(values[1], _options(values, 2, node), node, ("(?!\\z|\\p{Cs})(?:", ")"))
    found = _split_texts(text(values[0], node), pattern, lambda sql: f"split({sql}, {pattern}, -1)")
    if values[1].literal is not None:
        return found
    return Bound(or_whole(text(values[0], node), text(values[1], node), found.sql), found.type)


def _split_texts(value: str, pattern: str, made: Callable[[str], str]) -> Bound:
    return Bound(lengths.split(value, lambda sql: lengths.matches(sql, pattern), made), list_of(types.VARCHAR))


def _glob(values: Sequence[Bound], node: exp.Expr) -> Bound:
    """Return whether text matches a shell pattern."""
    pattern, place = constant_text(values[1], node, "pattern of GLOB"), 0
    pieces: list[str | None] = []
    while place < len(pattern):
        letter = pattern[place]
        closing = pattern.find("]", place + 2) if letter == "[" else -1
        if closing > 0:
            inner = pattern[place + 1 : closing]
            pieces.append(f"[{'^' + inner[1:] if inner.startswith('!') else inner}]")
            place = closing
        elif letter == "\\" and place + 1 < len(pattern):
            place += 1
            pieces.append(re.escape(pattern[place]))
        else:
            pieces.append({"*": None, "?": ONE_LETTER}.get(letter, re.escape(letter)))
        place += 1
    return Bound(f"({text(values[0], node)} RLIKE {text_literal(whole_pattern(pieces))})", types.BOOLEAN)


_MATCHES: Final = _varying("regexp_matches", _matches)
_FITS: Final = _varying("regexp_full_match", _fits)
_EXTRACT: Final = _varying("regexp_extract", _extract)
_EXTRACT_ALL: Final = _varying("regexp_extract_all", _extract_all)
_SPLIT: Final = _varying("regexp_split_to_array", _split)

NODES: Final[Nodes] = {
    exp.RegexpLike: (_MATCHES, ("this", "expression", "flag")),
    exp.RegexpFullMatch: (_FITS, ("this", "expression", "options")),
    exp.SimilarTo: (_FITS, TWO),
    exp.RegexpReplace: (_replace, ("this", "expression", "replacement", "modifiers", "single_replace")),
    exp.RegexpExtract: (_EXTRACT, ("this", "expression", "group", "parameters", "null_if_pos_overflow")),
    exp.RegexpExtractAll: (_EXTRACT_ALL, ("this", "expression", "group", "parameters", "null_if_pos_overflow")),
    exp.RegexpSplit: (_SPLIT, TWO),
    exp.Glob: (_glob, TWO),
}
NAMED: Final[Mapping[str, Function]] = {
    "regexp_matches": _MATCHES,
    "regexp_full_match": _FITS,
    "regexp_replace": _replace,
    "regexp_extract": _EXTRACT,
    "regexp_extract_all": _EXTRACT_ALL,
    "regexp_split_to_array": _SPLIT,
}
