"""Regular expressions and other patterns.

Java's syntax equals RE2's wherever both have a construct.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.types.shapes import list_of
from forklake.sql.expressions import lengths
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.literals import text_literal
from forklake.sql.expressions.render import render
from forklake.sql.functions.signature import TWO, Function, Nodes, constant_text, text, whole

_FLAGS: Final = {"i": "i", "s": "s", "m": "m", "n": "m", "p": "m"}
_WHOLE_LETTERS: Final = (r"(?!\p{Cs})(?:", ")")
"""Lets no match begin within a letter that is two of Java's; one that is empty would."""
_APART: Final = (_WHOLE_LETTERS[0], r")(?:(?!\G)|\A)")
"""The same, and no empty match follows another match at once."""


def _pattern(value: Bound, flags: str, node: exp.Expr, frame: tuple[str, str] = ("", "")) -> str:
    """Return a pattern with flags before it and ``frame`` around it."""
    marks = "".join(sorted({_FLAGS[flag] for flag in flags if flag in _FLAGS}))
    for flag in flags:
        if flag not in "cigsmnpl":
            raise InvalidInputError(f'Invalid Input Error: Unrecognized Regex option "{flag}": {render(node)}')
    before, after = frame
    before = (f"(?{marks})" if marks else "") + before
    if "l" in flags:
        before, after = before + "\\Q", "\\E" + after
    if value.literal is not None:
        return text_literal(f"{before}{value.literal}{after}")
    pattern = text(value, node)
    if not before and not after:
        return pattern
    return f"concat({text_literal(before)}, {pattern}, {text_literal(after)})"


def _options(values: Sequence[Bound], place: int, node: exp.Expr) -> str:
    return constant_text(values[place], node, "options of a regular expression") if len(values) > place else ""


def _matches(values: Sequence[Bound], node: exp.Expr) -> Bound:
    pattern = _pattern(values[1], _options(values, 2, node), node)
    return Bound(f"({text(values[0], node)} RLIKE {pattern})", types.BOOLEAN)


def _fits(values: Sequence[Bound], node: exp.Expr) -> Bound:
    pattern = _pattern(values[1], _options(values, 2, node), node, ("\\A(?:", ")\\z"))
    return Bound(f"({text(values[0], node)} RLIKE {pattern})", types.BOOLEAN)


def _replace(values: Sequence[Bound], node: exp.Expr) -> Bound:
    flags = _options(values, 3, node)
    if values[2].literal is None:
        raise InvalidInputError(f"The replacement for a regular expression must be a constant: {render(node)}")
    replacement = re.sub(
        r"\\(\d)|([$\\])", lambda match: f"${match[1]}" if match[1] else f"\\{match[2]}", values[2].literal
    )
    source = text(values[0], node)
    if "g" in flags:
        pattern = _pattern(values[1], flags, node, _APART)
        return Bound(lengths.replace_matches(source, pattern, replacement), types.VARCHAR)
    # Only the first match: a lazy group before it, and the rest of the text is kept.
    shifted = re.sub(r"\$(\d)", lambda match: f"${{n{match[1]}}}", replacement)
    if "${n" in shifted:
        return Bound(_replace_first(values[1], flags, node, source, replacement), types.VARCHAR)
    framed = _pattern(values[1], flags + ("s" if "s" not in flags else ""), node, ("\\A(.*?)(?:", ")"))
    return Bound(f"regexp_replace({source}, {framed}, {text_literal('$1' + replacement)})", types.VARCHAR)


def _replace_first(pattern: Bound, flags: str, node: exp.Expr, source: str, replacement: str) -> str:
    """Replace the first match by a text that refers to groups.

    The frame around the pattern adds a group, so the numbers of groups are moved.
    """
    framed = _pattern(pattern, flags + ("s" if "s" not in flags else ""), node, ("\\A(.*?)(?:", ")"))
    moved = re.sub(r"\$(\d)", lambda match: f"${int(match[1]) + 1}", replacement)
    if "$1" in moved and re.search(r"\$0", replacement):
        framed = _pattern(pattern, flags + ("s" if "s" not in flags else ""), node, ("\\A(.*?)(", ")"))
        moved = re.sub(r"\$(\d)", lambda match: f"${int(match[1]) + 2}", replacement)
    return f"regexp_replace({source}, {framed}, {text_literal('$1' + moved)})"


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
    # DuckDB looks for nothing behind the last letter of a text.
    pattern = _pattern(values[1], _options(values, 2, node), node, ("(?!\\z|\\p{Cs})(?:", ")"))
    return _split_texts(text(values[0], node), pattern, lambda sql: f"split({sql}, {pattern}, -1)")


def _split_texts(value: str, pattern: str, made: Callable[[str], str]) -> Bound:
    return Bound(lengths.split(value, lambda sql: lengths.matches(sql, pattern), made), list_of(types.VARCHAR))


def _glob(values: Sequence[Bound], node: exp.Expr) -> Bound:
    """Return whether text matches a shell pattern."""
    pattern, found, place = constant_text(values[1], node, "pattern of GLOB"), "", 0
    while place < len(pattern):
        letter = pattern[place]
        closing = pattern.find("]", place + 2) if letter == "[" else -1
        if closing > 0:
            inner = pattern[place + 1 : closing]
            found += f"[{'^' + inner[1:] if inner.startswith('!') else inner}]"
            place = closing
        elif letter == "\\" and place + 1 < len(pattern):
            place += 1
            found += re.escape(pattern[place])
        else:
            found += {"*": "(?s:.*)", "?": "(?s:.)"}.get(letter, re.escape(letter))
        place += 1
    return Bound(f"({text(values[0], node)} RLIKE {text_literal(f'^{found}$')})", types.BOOLEAN)


NODES: Final[Nodes] = {
    exp.RegexpLike: (_matches, ("this", "expression", "flag")),
    exp.RegexpFullMatch: (_fits, ("this", "expression", "options")),
    exp.SimilarTo: (_fits, TWO),
    exp.RegexpReplace: (_replace, ("this", "expression", "replacement", "modifiers", "single_replace")),
    exp.RegexpExtract: (_extract, ("this", "expression", "group", "parameters", "null_if_pos_overflow")),
    exp.RegexpExtractAll: (_extract_all, ("this", "expression", "group", "parameters", "null_if_pos_overflow")),
    exp.RegexpSplit: (_split, TWO),
    exp.Glob: (_glob, TWO),
}
NAMED: Final[Mapping[str, Function]] = {
    "regexp_matches": _matches,
    "regexp_full_match": _fits,
    "regexp_replace": _replace,
    "regexp_extract": _extract,
    "regexp_extract_all": _extract_all,
    "regexp_split_to_array": _split,
}
