"""Casts of non-constant values to and from DuckDB's text."""

from __future__ import annotations

from typing import Final

from forklake.files.type_names import physical_name
from forklake.model import types
from forklake.model.types import Type
from forklake.sql.expressions.bound import NAIVE, Bound
from forklake.sql.expressions.literals import spark_type, text_literal
from forklake.sql.expressions.phrases import once, unless_null, variable

_EPOCH: Final = "TIMESTAMP_NTZ '1970-01-01 00:00:00'"
_OFFSET: Final = "(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)$"
_UUID: Final = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"


def to_text(value: Bound) -> str | None:
    """Cast a value that is not nested to DuckDB's text; None if Spark cannot."""
    source, sql = value.type, value.sql
    if source.shown_as == types.VARCHAR:
        return sql
    if isinstance(source, types.Float):
        return _float_text(sql)
    if source == types.TIMESTAMPTZ:
        local = f"({_EPOCH} + unix_micros({sql}) * INTERVAL '0.000001' SECOND)"
        return f"concat(CAST({local} AS STRING), '+00')"
    if source == types.BLOB:
        return _blob_text(sql)
    is_same = isinstance(source, types.Number | types.Boolean | types.Date) or source in NAIVE
    return f"CAST({sql} AS STRING)" if is_same else None


def _float_text(sql: str) -> str:
    """Return the shortest digits of a float, with exponents where DuckDB has them."""
    text = variable()
    exponent = f"CAST(substring_index({text}, 'E', -1) AS INT)"
    plain = f"trim(TRAILING '0' FROM CAST(CAST({text} AS DECIMAL(38,21)) AS STRING))"
    digits = f"regexp_replace(substring_index({text}, 'E', 1), '[.]0$', '')"
    power = f"concat(if({exponent} < 0, '-', '+'), lpad(CAST(abs({exponent}) AS STRING), "
    power += f"greatest(2, length(CAST(abs({exponent}) AS STRING))), '0'))"
    cases = [
        f"WHEN {text} = 'NaN' THEN 'nan'",
        f"WHEN {text} = 'Infinity' THEN 'inf'",
        f"WHEN {text} = '-Infinity' THEN '-inf'",
        f"WHEN NOT contains({text}, 'E') THEN {text}",
        f"WHEN {exponent} BETWEEN -4 AND 15 THEN if(endswith({plain}, '.'), concat({plain}, '0'), {plain})",
    ]
    chosen = f"CASE {' '.join(cases)} ELSE concat({digits}, 'e', {power}) END"
    return f"transform(array(CAST({sql} AS STRING)), {text} -> {chosen})[0]"


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

    def body(sql: str) -> str | None:
        attempt = _attempt(sql if target in (types.JSON, types.BLOB) else f"trim({sql})", target)
        if attempt is None or is_lenient:
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
            text_literal(f"{mark} to {name}"),
        )

    if target == types.VARCHAR:
        return value.sql
    if isinstance(target, types.Nested):
        return None
    return None if _attempt("", target) is None else once(value.sql, lambda sql: body(sql) or "NULL")


def _attempt(sql: str, target: Type) -> str | None:
    kind = spark_type(target)
    if isinstance(target, types.Integer):
        digits = f"round(try_cast({sql} AS DECIMAL(38,{0 if target.digits > 20 else 12})), 0)"
        found = f"coalesce(try_cast({sql} AS {kind}), try_cast({digits} AS {kind}))"
        if not target.is_signed:
            found = f"CASE WHEN try_cast({sql} AS DECIMAL(38,0)) BETWEEN 0 AND {target.high}BD THEN {found} END"
        return found
    if isinstance(target, types.Float):
        # Spark accepts a type suffix at the end of a number.
        return f"CASE WHEN NOT {sql} RLIKE '[0-9.][dDfF]$' THEN try_cast({sql} AS {kind}) END"
    if isinstance(target, types.Number | types.Boolean | types.Date):
        return f"try_cast({sql} AS {kind})"
    if target in NAIVE:
        return f"try_cast({sql} AS TIMESTAMP_NTZ)"
    match target:
        case types.TIMESTAMPTZ:
            zoned = f"CASE WHEN {sql} RLIKE ':.*{_OFFSET}' THEN {sql}"
            zoned += f" WHEN contains({sql}, ':') THEN concat({sql}, 'Z') ELSE concat({sql}, ' 00:00:00Z') END"
            return f"try_cast({zoned} AS TIMESTAMP_LTZ)"
        case types.TIMESTAMP_NS:
            whole = f"CAST(try_cast(regexp_replace({sql}, '[.][0-9]*$', '') AS TIMESTAMP_NTZ) AS STRING)"
            part = f"rtrim('0', regexp_extract({sql}, '[.][0-9]{{1,9}}', 0))"
            return f"concat({whole}, if({part} IN ('', '.'), '', {part}))"
        case types.UUID:
            return f"CASE WHEN {sql} RLIKE '{_UUID}' THEN lower({sql}) END"
        case types.TIME:
            clock = f"CASE WHEN {sql} RLIKE '^[0-9]{{1,2}}:' THEN concat('1970-01-01 ', {sql}) ELSE {sql} END"
            return f"substring(CAST(try_cast({clock} AS TIMESTAMP_NTZ) AS STRING), 12)"
        case types.JSON:
            return f"CASE WHEN try_parse_json({sql}) IS NOT NULL THEN {sql} END"
        case types.BLOB:
            is_plain = f"NOT contains({sql}, {text_literal(chr(92))}) AND length({sql}) = octet_length({sql})"
            return f"CASE WHEN {is_plain} THEN CAST({sql} AS BINARY) END"
    return None
