"""Casts of non-constant values to and from DuckDB's text."""

from __future__ import annotations

from typing import Final

from forklake.files.arrow.type_names import physical_name
from forklake.files.casting.numerals import NUMBER, SPACES
from forklake.model import types
from forklake.model.flags import BOOLEANS
from forklake.model.types import Type
from forklake.sql.expressions.bound import NAIVE, Bound
from forklake.sql.expressions.float_texts import float_text
from forklake.sql.expressions.infinities import keep_infinite
from forklake.sql.expressions.literals import spark_type, text_literal
from forklake.sql.expressions.moment_texts import EPOCH, moment_text, read_moment
from forklake.sql.expressions.spark_idioms import SHORT_OF_DIGITS, once, unless_null, variable

# Patterns end in \z: in Java, $ matches before a line end at the end of a text, too.
_NUMBER: Final = text_literal(rf"^{NUMBER}\z")
_NAN: Final = text_literal(r"^[+-]?(?i:nan(?:[(][0-9A-Za-z_]*[)])?)\z")
_INFINITE: Final = text_literal(r"^[+-]?(?i:inf|infinity)\z")
_SPACES: Final = text_literal(SPACES)
_UUID: Final = text_literal(r"^(?:(?:[0-9a-fA-F]-?){32}|[{](?:[0-9a-fA-F]-?){32}[}])\z")
_BYTES: Final = text_literal(r"^(?:[\x00-\x5B\x5D-\x7F]|\\x[0-9a-fA-F]{2})*+\z")
_USUAL_INTEGER: Final = r"^-?[0-9]{1,18}\z"
_USUAL_NUMBER: Final = r"^-?[0-9]{1,18}(?:[.][0-9]{1,18})?\z"
"""What nearly all text of numbers is like, and Spark's own casts read as DuckDB does."""
_KEPT_SPACES: Final = frozenset({types.BOOLEAN, types.JSON, types.BLOB, types.UUID})
"""Types for which DuckDB does not skip spaces around a text."""


def to_text(value: Bound) -> str | None:
    """Cast a value that is not nested to DuckDB's text; None if Spark cannot."""
    source, sql = value.type, value.sql
    if source.shown_as == types.VARCHAR:
        return sql
    if isinstance(source, types.Float):
        return float_text(sql, source)
    if source == types.TIMESTAMPTZ:
        return keep_infinite(value, types.VARCHAR, _zoned_text)
    if source == types.BLOB:
        return _blob_text(sql)
    if source in NAIVE or source == types.DATE:
        return moment_text(sql)
    if isinstance(source, types.Decimal) and source.precision == source.scale:
        return f"regexp_replace(CAST({sql} AS STRING), '^(-?)0[.]', {text_literal('$1.')})"  # no room before the point
    return f"CAST({sql} AS STRING)" if isinstance(source, types.Number | types.Boolean) else None


def _zoned_text(value: Bound) -> str:
    local = f"({EPOCH} + unix_micros({value.sql}) * INTERVAL '0.000001' SECOND)"
    return f"concat({moment_text(local)}, '+00')"


def _blob_text(sql: str) -> str:
    """Return bytes as text: printable characters, and hexadecimal for the others."""
    octets, place = variable(), variable()
    code = f"substring({octets}, 2 * {place} + 1, 2)"
    is_plain = f"{code} RLIKE '^(?:2[0134568-9A-F]|[3-46][0-9A-F]|5[0-9ABD-F]|7[0-9A-E])$'"
    letter = f"if({is_plain}, CAST(unhex({code}) AS STRING), concat({text_literal(chr(92) + 'x')}, {code}))"
    letters = f"transform(sequence(0, CAST(length({octets}) / 2 AS INT) - 1), {place} -> {letter})"
    body = f"if({octets} = '', '', array_join({letters}, ''))"
    return f"transform(array(hex({sql})), {octets} -> {body})[0]"


def from_text(value: Bound, target: Type, *, is_lenient: bool) -> str | None:
    """Cast text to another type.

    Return None if Spark cannot read it as DuckDB does.
    """

    def body(sql: str) -> str:
        attempt = _attempt(sql, target) or "NULL"
        if is_lenient:
            return attempt
        if target == types.JSON:
            return unless_null(
                sql, attempt, text_literal('Conversion Error: Malformed JSON: "'), sql, text_literal('"')
            )
        name = target.sql_name if isinstance(target, types.Decimal) else physical_name(target)
        mark = '"' if isinstance(target, types.Decimal) else "'"
        return unless_null(
            sql,
            attempt,
            text_literal(f"Conversion Error: Could not convert string {mark}"),
            sql,
            text_literal(f"{mark} to {name}{SHORT_OF_DIGITS if target in (types.INT128, types.UINT128) else ''}"),
        )

    if target == types.VARCHAR:
        return value.sql
    if isinstance(target, types.Nested):
        return None
    return None if _attempt("", target) is None else once(value.sql, body)


def _attempt(sql: str, target: Type) -> str | None:
    """Return text as a value of a type, NULL where it is none.

    None if there is no such cast.
    """
    if target in _KEPT_SPACES:
        return _attempt_whole(sql, target)
    if not isinstance(target, types.Number):
        return read_moment(sql, target)
    text = variable()
    if isinstance(target, types.Integer):
        usual, slow = _USUAL_INTEGER, _attempt_integer(text, target)
    else:
        usual, slow = _USUAL_NUMBER, _attempt_number(text, target)
    slow = f"transform(array(btrim({sql}, {_SPACES})), {text} -> {slow})[0]"
    if isinstance(target, types.Integer) and not target.is_signed:
        usual = rf"^[0-9]{{1,{min(18, len(str(target.high)) - 1)}}}\z"  # all of so many digits fit
    return f"CASE WHEN {sql} RLIKE {text_literal(usual)} THEN try_cast({sql} AS {spark_type(target)}) ELSE {slow} END"


def _attempt_whole(sql: str, target: Type) -> str:
    match target:
        case types.BOOLEAN:
            yes, no = (
                ", ".join(text_literal(word) for word in BOOLEANS if BOOLEANS[word] is flag) for flag in (True, False)
            )
            return f"CASE WHEN lower({sql}) IN ({yes}) THEN TRUE WHEN lower({sql}) IN ({no}) THEN FALSE END"
        case types.JSON:
            # Spark's parser reads over what follows a value: within brackets and within braces nothing can follow it.
            listed = f"try_variant_get(try_parse_json(concat('[', {sql}, ']')), '$', 'array<variant>')"
            named = f"try_parse_json(concat('{{{chr(34)}a{chr(34)}:', {sql}, '}}')) IS NOT NULL"
            return f"CASE WHEN size({listed}) = 1 AND {named} THEN {sql} END"
        case types.BLOB:
            part, place = variable(), variable()
            octets = f"if({place} = 0, hex({part}), concat(substring({part}, 1, 2), hex(substring({part}, 3))))"
            parts = f"transform(split({sql}, {text_literal(chr(92) * 2 + 'x')}), ({part}, {place}) -> {octets})"
            return f"CASE WHEN {sql} RLIKE {_BYTES} THEN unhex(array_join({parts}, '')) END"
    digits = f"lower(regexp_replace({sql}, '[{{}}-]', ''))"
    dashed = f"regexp_replace({digits}, '^(.{{8}})(.{{4}})(.{{4}})(.{{4}})', {text_literal('$1-$2-$3-$4-')})"
    return f"CASE WHEN {sql} RLIKE {_UUID} THEN {dashed} END"


def _attempt_integer(sql: str, target: types.Integer) -> str:
    low, high = target.least_shown, target.most_shown
    kind = spark_type(target)
    plain = f"replace({sql}, '_', '')"
    is_number = f"{sql} RLIKE {_NUMBER}"
    if low == 0:
        is_number += f" AND {sql} RLIKE '^(?:[^-]|-0+$)'"
    number = f"CASE WHEN {is_number} THEN try_cast({plain} AS DECIMAL(38,0))"  # rounds, once
    for letter, base, digit, most in () if target.bits == 128 else (("x", 16, "[0-9a-fA-F]", 16), ("b", 2, "[01]", 64)):
        pattern = text_literal(rf"^0[{letter}{letter.upper()}]{digit}{{1,{most}}}\z")
        coded = f"{plain} RLIKE {pattern} AND NOT {sql} RLIKE '__|_$|^..?_'"
        number += f" WHEN {coded} THEN try_cast(conv(substring({plain}, 3), {base}, 10) AS DECIMAL(38,0))"

    def fit(found: str) -> str:
        return f"CASE WHEN {found} BETWEEN {low}BD AND {high}BD THEN try_cast({found} AS {kind}) END"

    return once(f"{number} END", fit)


def _attempt_number(sql: str, target: Type) -> str:
    kind = spark_type(target)
    found = f"CASE WHEN {sql} RLIKE {_NUMBER} THEN try_cast(replace({sql}, '_', '') AS {kind})"
    if isinstance(target, types.Float):
        found += f" WHEN {sql} RLIKE {_NAN} THEN CAST('NaN' AS {kind})"
        found += f" WHEN {sql} RLIKE {_INFINITE} THEN try_cast({sql} AS {kind})"
    return f"{found} END"
