"""Comparisons, and the predicates on columns that they imply."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Final

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.predicate import Anything, Comparison, IsNull, Nothing, OneOf, Operator, Predicate
from forklake.model.types.shapes import entries_of
from forklake.sql.expressions.bound import Bound, both, either
from forklake.sql.expressions.coercion import cast, common_type, comparable_pair, ordered_pair
from forklake.sql.expressions.intervals import length_of
from forklake.sql.expressions.literals import text_literal
from forklake.sql.expressions.sort_keys import sort_key
from forklake.sql.expressions.spark_idioms import variable
from forklake.sql.expressions.upper_and_lower import in_lower_case, lower_case
from forklake.sql.expressions.variants import computed_here
from forklake.sql.expressions.wild_patterns import ONE_LETTER, whole_pattern

_MIRRORED: Final[dict[Operator, Operator]] = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
NEGATED: Final[dict[Operator, Operator]] = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_LONG_CHAIN: Final = 400
_EXACT_FLOATS: Final = 2**53
"""Integers up to this are exact as 64 bit floats."""


def comparison(first: Bound, operator: Operator, second: Bound) -> Bound:
    """Return the comparison of two values.

    Raises:
        InvalidInputError: Such values cannot be compared.
    """
    if types.VARIANT in (first.type, second.type):
        return computed_here(types.BOOLEAN)
    is_equation = operator in ("=", "<>")
    one, other = comparable_pair(first, second) if is_equation else ordered_pair(first, operator, second)
    _check_comparable(one, operator)
    in_order = not is_equation and isinstance(one.type, types.Nested)
    left, right = (sort_key(value) if in_order else comparable_value(value).sql for value in (one, other))
    return Bound(
        f"({left} {operator} {right})",
        types.BOOLEAN,
        when_true=_implied_predicate(first, operator, second),
        when_false=_implied_predicate(first, NEGATED[operator], second),
    )


def comparable_value(value: Bound) -> Bound:
    """Return the value that Spark compares in place of another.

    It is the entries for a map, and the length for an interval.
    """
    if value.type == types.INTERVAL:
        return Bound(length_of(value), types.INT128)
    if not isinstance(value.type, types.Map):
        return value
    return Bound(f"map_entries({value.sql})", entries_of(value.type.key.type, value.type.value.type))


def _check_comparable(value: Bound, operator: str) -> None:
    if not value.type.facts.is_comparable:
        raise InvalidInputError(f"Values of type {value.type.sql_name} cannot be compared.")
    if not value.type.facts.is_ordered and operator not in ("=", "<>"):
        raise InvalidInputError(f"Values of type {value.type.sql_name} can be compared for being equal only.")


def _implied_predicate(first: Bound, operator: Operator, second: Bound) -> Predicate:
    """Return the predicate on a column that a true comparison implies."""
    if types.NULL in (first.type, second.type):
        return Nothing()
    if second.field is not None and first.literal is not None:
        first, operator, second = second, _MIRRORED[operator], first
    if first.field is None or first.field.column_id is None or second.literal is None:
        return Anything()
    if not first.type.facts.has_bounds:
        return Anything()
    target = common_type(first, second)
    if target == first.type or second.is_untyped:
        text = cast(second, first.type).literal
        return Anything() if text is None else Comparison(first.field.column_id, first.type, operator, text)
    return _implied_by_number(first, operator, second)


def _implied_by_number(first: Bound, operator: Operator, second: Bound) -> Predicate:
    """Return the predicate that a comparison with a number of another type implies."""
    if (
        not isinstance(first.type, types.Number)
        or not isinstance(second.type, types.Number)
        or first.field is None
        or second.literal is None
    ):
        return Anything()
    if second.type == types.FLOAT32:
        return Anything()  # Spark rounds the column to 24 bits before it compares
    column = first.field.column_id
    assert column is not None
    value = Decimal(second.literal)
    if not value.is_finite():
        return Anything()
    if isinstance(first.type, types.Decimal) and not isinstance(second.type, types.Float):
        return Comparison(column, first.type, operator, f"{value:f}")
    if isinstance(first.type, types.Float) and (isinstance(second.type, types.Integer) or second.type == types.FLOAT64):
        return Comparison(column, first.type, operator, repr(float(second.literal)))
    if not isinstance(first.type, types.Integer) or (
        isinstance(second.type, types.Float) and abs(value) >= _EXACT_FLOATS
    ):
        return Anything()
    if value == value.to_integral_value():
        return Comparison(column, first.type, operator, str(int(value)))
    match operator:
        case "=":
            return Nothing()
        case "<>":
            return IsNull(column, is_null=False)
        case "<" | "<=":
            return Comparison(column, first.type, "<", str(int(value.to_integral_value(ROUND_CEILING))))
    return Comparison(column, first.type, ">", str(int(value.to_integral_value(ROUND_FLOOR))))


def distinct(first: Bound, second: Bound) -> Bound:
    """Return whether two values differ, where NULL is a value like others."""
    one, other = (comparable_value(value) for value in comparable_pair(first, second))
    _check_comparable(one, "=")
    sql = f"(NOT ({one.sql} <=> {other.sql}))"
    for value, opposite in ((first, second), (second, first)):
        if opposite.type == types.NULL:
            return null_test(value, is_null=False)
        if value.field is not None and value.field.column_id is not None and opposite.literal is not None:
            differs = either((_implied_predicate(value, "<>", opposite), IsNull(value.field.column_id, is_null=True)))
            return Bound(sql, types.BOOLEAN, when_true=differs, when_false=_implied_predicate(value, "=", opposite))
    return Bound(sql, types.BOOLEAN)


def null_test(value: Bound, *, is_null: bool) -> Bound:
    """Return whether a value is NULL, or is not."""
    sql = f"({value.sql} IS {'' if is_null else 'NOT '}NULL)"
    if value.type == types.NULL:
        never, always = (Nothing(), Anything()) if is_null else (Anything(), Nothing())
        return Bound(sql, types.BOOLEAN, when_true=always, when_false=never)
    if value.field is None or value.field.column_id is None or value.field.children:
        return Bound(sql, types.BOOLEAN)
    column = value.field.column_id
    return Bound(sql, types.BOOLEAN, when_true=IsNull(column, is_null), when_false=IsNull(column, not is_null))


def between(value: Bound, low: Bound, high: Bound) -> Bound:
    """Return whether a value lies between two others, both included."""
    low, high = _as_floats(value, (low, high))
    return conjunction((comparison(value, ">=", low), comparison(value, "<=", high)))


def _as_floats(value: Bound, others: Sequence[Bound]) -> Sequence[Bound]:
    """Return numbers as floats if one of all that are compared is a float.

    So all pairs are compared in one type.
    """
    kinds = {one.type for one in (value, *others) if not one.is_untyped}
    widest = next((kind for kind in (types.FLOAT64, types.FLOAT32) if kind in kinds), None)
    if widest is None:
        return others
    return [cast(one, widest) if isinstance(one.type, types.Number) else one for one in others]


def one_of(value: Bound, members: Sequence[Bound]) -> Bound:
    """Return whether a value equals one of several others."""
    members = _as_floats(value, members)
    tests = [comparison(value, "=", member) for member in members]
    found = [test.when_true for test in tests if not isinstance(test.when_true, Nothing)]
    when_true = either(found)
    texts = [part for part in found if isinstance(part, Comparison) and part.operator == "="]
    if len(texts) == len(found) > 1 and len({part.column_id for part in texts}) == 1:
        when_true = OneOf(texts[0].column_id, texts[0].type, tuple(dict.fromkeys(part.value for part in texts)))
    when_false = (
        Nothing() if any(member.type == types.NULL for member in members) else both(t.when_false for t in tests)
    )
    return Bound(_in_sql(value, members, tests), types.BOOLEAN, when_true=when_true, when_false=when_false)


def _in_sql(value: Bound, members: Sequence[Bound], tests: Sequence[Bound]) -> str:
    """Return IN with a list where all members take the type of the value.

    Return comparisons joined by OR otherwise.
    """
    pairs = [comparable_pair(value, member) for member in members]
    if len({one.sql for one, _ in pairs}) == 1 and len({other.type for _, other in pairs}) == 1:
        return f"({pairs[0][0].sql} IN ({', '.join(other.sql for _, other in pairs)}))"
    return f"({' OR '.join(test.sql for test in tests)})"


def conjunction(parts: Sequence[Bound]) -> Bound:
    """Return whether all conditions hold."""
    return Bound(
        _join_conditions(parts, "AND", "forall"),
        types.BOOLEAN,
        when_true=both(part.when_true for part in parts),
        when_false=either(part.when_false for part in parts),
    )


def disjunction(parts: Sequence[Bound]) -> Bound:
    """Return whether one of the conditions holds."""
    return Bound(
        _join_conditions(parts, "OR", "exists"),
        types.BOOLEAN,
        when_true=either(part.when_true for part in parts),
        when_false=both(part.when_false for part in parts),
    )


def _join_conditions(parts: Sequence[Bound], word: str, function: str) -> str:
    """Return conditions joined by AND or OR.

    Many conditions become a list, because Spark's expression trees grow with a chain.
    """
    if len(parts) <= _LONG_CHAIN:
        return f"({f' {word} '.join(part.sql for part in parts)})"
    name = variable()
    return f"{function}(array({', '.join(part.sql for part in parts)}), {name} -> {name})"


def negation(part: Bound) -> Bound:
    """Return whether a condition is false."""
    return Bound(f"(NOT {part.sql})", types.BOOLEAN, when_true=part.when_false, when_false=part.when_true)


def like(value: Bound, pattern: Bound, escape: str | None, *, ignores_case: bool) -> Bound:
    """Return whether text matches a pattern of LIKE or ILIKE.

    As in DuckDB there is no escape character unless one is given.

    Raises:
        InvalidInputError: A value is no text, or the pattern is not constant but has an escape character.
    """
    operator = "ILIKE" if ignores_case else "LIKE"
    for part in (value, pattern):
        if part.type not in (types.VARCHAR, types.JSON, types.NULL):
            raise InvalidInputError(f"{operator} compares text, not values of type {part.type.sql_name}.")
    if pattern.literal is None:
        if escape is not None:
            raise InvalidInputError(f"{operator} with ESCAPE needs a pattern that is a constant.")
        operands = [lower_case(one.sql) if ignores_case else one.sql for one in (value, pattern)]
        return Bound(f"({' LIKE '.join(operands)} ESCAPE '\x01')", types.BOOLEAN)
    parts = _pattern(in_lower_case(pattern.literal) if ignores_case else pattern.literal, escape)
    matched = lower_case(value.sql) if ignores_case else value.sql
    if _goes_back(parts):
        pieces = [
            ONE_LETTER if wild and letter == "_" else None if wild else re.escape(letter) for letter, wild in parts
        ]
        sql = f"({matched} RLIKE {text_literal(whole_pattern(pieces))})"
    else:
        text, mark = _spark_pattern(parts)
        sql = f"({matched} LIKE {text_literal(text)}" + (f" ESCAPE '{mark}')" if mark else ")")
    prefix = ""
    for letter, is_wild in parts:
        if is_wild:
            break
        prefix += letter
    said = Anything() if ignores_case else prefix_predicate(value, prefix, is_all=len(prefix) == len(parts))
    return Bound(sql, types.BOOLEAN, when_true=said)


def prefix_predicate(value: Bound, prefix: str, *, is_all: bool = False) -> Predicate:
    """Return the predicate on a column whose text has a prefix, or equals it."""
    if value.field is None or value.field.column_id is None or value.type != types.VARCHAR or not prefix:
        return Anything()
    column = value.field.column_id
    if is_all:
        return Comparison(column, types.VARCHAR, "=", prefix)
    low = Comparison(column, types.VARCHAR, ">=", prefix)
    after = _next_letter(prefix[-1])
    return low if after is None else both((low, Comparison(column, types.VARCHAR, "<", prefix[:-1] + after)))


def _next_letter(letter: str) -> str | None:
    code = ord(letter) + 1
    if 0xD800 <= code <= 0xDFFF:
        code = 0xE000
    return chr(code) if code <= 0x10FFFF else None


def _pattern(text: str, escape: str | None) -> list[tuple[str, bool]]:
    """Return the characters of a pattern, each with whether it is a wildcard."""
    parts: list[tuple[str, bool]] = []
    letters = iter(text)
    for letter in letters:
        if escape and letter == escape:
            following = next(letters, None)
            if following is None:
                raise InvalidInputError("Like pattern must not end with escape character!")
            parts.append((following, False))
        else:
            parts.append((letter, letter in "%_"))
    return parts


def _goes_back(parts: Sequence[tuple[str, bool]]) -> bool:
    """Return whether more than one part of a pattern may begin anywhere."""
    signs = "".join("%" if is_wild and letter == "%" else "x" for letter, is_wild in parts)
    return signs.count("%x") > 1


def _spark_pattern(parts: Sequence[tuple[str, bool]]) -> tuple[str, str | None]:
    """Return the pattern's text, and the escape character that Spark needs."""
    needs_escape = any(letter in "%_\\" and not is_wild for letter, is_wild in parts)
    if not needs_escape:
        return "".join(letter for letter, _ in parts), None
    letters = {letter for letter, _ in parts}
    mark = next(mark for mark in "!#~^|&@;:" if mark not in letters) if not letters >= set("!#~^|&@;:") else "\x01"
    return "".join(mark + letter if letter in "%_" and not wild else letter for letter, wild in parts), mark
