"""The text of floats as DuckDB writes it.

It has the fewest digits that tell a float apart. Java writes more of them than it needs for whole numbers that have
exponents, up to its largest integer. They are looked for here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from forklake.model import types
from forklake.model.types import Type
from forklake.sql.expressions.literals import spark_type
from forklake.sql.expressions.spark_idioms import variable

_FIRST_EXPONENT: Final[Mapping[Type, int]] = {types.FLOAT32: 7, types.FLOAT64: 16}
"""From here on Java's digits may be too many, and all floats are whole."""
_MOST_PLAIN: Final = 15
"""The largest exponent that DuckDB does not write."""
_POWERS: Final = f"array({', '.join(f'{10**zeros}BD' for zeros in range(19))})"


def float_text(sql: str, source: Type) -> str:
    """Return the text of a float, with exponents where DuckDB has them."""
    given = variable()
    text = f"{given}.t"
    exponent = f"CAST(substring_index({text}, 'E', -1) AS INT)"
    plain = f"trim(TRAILING '0' FROM CAST(CAST({text} AS DECIMAL(38,21)) AS STRING))"
    digits = f"regexp_replace({_mantissa(given, source)}, '[.]0$', '')"
    power = f"concat(if({exponent} < 0, '-', '+'), lpad(CAST(abs({exponent}) AS STRING), "
    power += f"greatest(2, length(CAST(abs({exponent}) AS STRING))), '0'))"
    cases = [
        f"WHEN {text} = 'NaN' THEN 'nan'",
        f"WHEN {text} = 'Infinity' THEN 'inf'",
        f"WHEN {text} = '-Infinity' THEN '-inf'",
        f"WHEN NOT contains({text}, 'E') THEN {_text_with_half(given) if source == types.FLOAT32 else text}",
        f"WHEN {exponent} BETWEEN {_FIRST_EXPONENT[source]} AND 18 AND abs({given}.x) < {float(2**63)!r}D"
        f" THEN concat(if({given}.x < 0, '-', ''), {_whole_text(f'abs({given}.x)', source)})",
        f"WHEN {exponent} BETWEEN -4 AND {_MOST_PLAIN} THEN if(endswith({plain}, '.'), concat({plain}, '0'), {plain})",
    ]
    chosen = f"CASE {' '.join(cases)} ELSE concat({digits}, 'e', {power}) END"
    return f"transform(array(named_struct('x', {sql}, 't', CAST({sql} AS STRING))), {given} -> {chosen})[0]"


def _mantissa(given: str, source: Type) -> str:
    """Return the digits before an exponent, with one less where that is enough.

    Java does not see it at powers of two.
    """
    mantissa, most = f"substring_index({given}.t, 'E', 1)", 17 if source == types.FLOAT64 else 9
    shorter = f"CAST(CAST(round(CAST({mantissa} AS DECIMAL(18,16)), {most - 2}) AS DECIMAL(18,{most - 2})) AS STRING)"
    same = f"CAST(concat({shorter}, 'E', substring_index({given}.t, 'E', -1)) AS {spark_type(source)}) = {given}.x"
    is_long = f"length(ltrim('-', {mantissa})) = {most + 1} AND NOT contains({shorter}, '10.')"
    return f"if({is_long} AND {same}, trim(TRAILING '0' FROM {shorter}), {mantissa})"


def _text_with_half(given: str) -> str:
    """Return the text of a 32 bit float.

    Where it lies halfway between two shorter texts DuckDB writes all of it.
    """
    whole = f"CAST(CAST({given}.x AS DOUBLE) AS STRING)"
    is_half = f"length({whole}) = length({given}.t) + 1 AND endswith({whole}, '5') AND {given}.t NOT LIKE '%.0'"
    return f"if({is_half}, {whole}, {given}.t)"


def _whole_text(sql: str, source: Type) -> str:
    """Return the text of a float that is a whole number below 2^63, and not negative."""
    number, power, found = variable(), variable(), variable()
    rest = f"({number} % {power})"
    is_up = f"2 * {rest} > {power} OR (2 * {rest} = {power} AND ({number} div {power}) % 2 = 1)"
    near = f"CAST({number} - {rest} + if({is_up}, {power}, 0BD) AS DECIMAL(20,0))"
    same = f"filter(transform({_POWERS}, {power} -> {near}), {found} -> CAST({found} AS {spark_type(source)}) = {sql})"
    exact = f"CAST(CAST({sql} AS BIGINT) AS DECIMAL(20,0))"
    shortest = f"CAST(transform(array({exact}), {number} -> element_at({same}, -1))[0] AS STRING)"
    text = variable()
    digits = f"trim(TRAILING '0' FROM substring({text}, 2))"
    parts = f"substring({text}, 1, 1), if({digits} = '', '', concat('.', {digits})), 'e+', length({text}) - 1"
    shown = f"if(length({text}) <= {_MOST_PLAIN + 1}, concat({text}, '.0'), concat({parts}))"
    return f"transform(array({shortest}), {text} -> {shown})[0]"
