"""Aggregates that tell of distributions: from sums of powers, from all values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from forklake.model import types
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.calls import Aggregate, Call, wrong_aggregate
from forklake.sql.expressions.coercion import cast
from forklake.sql.expressions.literals import text_literal
from forklake.sql.expressions.quantiles import of_all_values
from forklake.sql.expressions.spark_idioms import refusal


def _of_all_values(name: str) -> Aggregate:
    """Return an aggregate that DuckDB computes of the list of a group's values."""

    def function(values: Sequence[Bound], call: Call) -> Bound:
        if name == "mad" and not isinstance(values[0].type, types.Number):
            raise wrong_aggregate(name, values)
        return of_all_values(name, values, call)

    return function


def _powers(value: Bound, call: Call) -> dict[str, str]:
    """Return the count, and the sums of the first four powers, as fields of a struct."""
    number = cast(value, types.FLOAT64).sql
    sums = {f"s{power}": call.of("sum", f"power({number}, {power}D)") for power in (2, 3, 4)}
    return {"n": f"CAST({call.of('count', number)} AS DOUBLE)", "s1": call.of("sum", number), **sums}


_PART: Final = "(1D / p.n)"
_SECOND: Final = f"({_PART} * (p.s2 - p.s1 * p.s1 * {_PART}))"
_THIRD: Final = f"(p.s3 - 3D * p.s2 * p.s1 * {_PART} + 2D * power(p.s1, 3D) * {_PART} * {_PART})"
_FOURTH: Final = (
    f"({_PART} * (p.s4 - 4D * p.s3 * p.s1 * {_PART} + 6D * p.s2 * p.s1 * p.s1 * {_PART} * {_PART}"
    f" - 3D * power(p.s1, 4D) * power({_PART}, 3D)))"
)
_SPREAD: Final = f"sqrt(greatest(power({_SECOND}, 3D), 0D))"


def _finite(sql: str, what: str) -> str:
    """Return a number that fails the query where it is not finite."""
    refused = refusal(text_literal(f"Out of Range Error: {what} is out of range!"))
    return f"transform(array({sql}), q -> if(abs(q) < CAST('Infinity' AS DOUBLE), q, {refused}))[0]"


def _number(name: str, values: Sequence[Bound]) -> Bound:
    if not isinstance(values[0].type, types.Number) and values[0].type not in (types.NULL, types.BOOLEAN):
        raise wrong_aggregate(name, values)
    return values[0]


def _of_powers(name: str, least: int, otherwise: str, formula: str, what: str) -> Aggregate:
    """Return an aggregate of sums of powers, ``p``, computed by DuckDB's formula.

    It is NULL for fewer values than ``least``. ``otherwise`` is a case before the formula, for equal values.
    """

    def function(values: Sequence[Bound], call: Call) -> Bound:
        powers = _powers(_number(name, values), call)
        fields = ", ".join(f"'{field}', {sql}" for field, sql in powers.items())
        body = f"CASE WHEN p.n < {least} THEN NULL {otherwise} ELSE {_finite(formula, what)} END"
        return Bound(f"transform(array(named_struct({fields})), p -> {body})[0]", types.FLOAT64)

    return function


def _standard_error(values: Sequence[Bound], call: Call) -> Bound:
    number = cast(_number("sem", values), types.FLOAT64).sql
    deviation, count = call.of("stddev_pop", number), call.of("count", number)
    return Bound(f"(CASE WHEN {count} > 0 THEN {_finite(f'{deviation} / sqrt({count})', 'SEM')} END)", types.FLOAT64)


_FLAT: Final = f"WHEN {_SECOND} <= 0 THEN NULL"
DISTRIBUTIONS: Final[Mapping[str, Aggregate]] = {
    "skewness": _of_powers(
        "skewness",
        3,
        f"WHEN {_SPREAD} = 0 THEN CAST('NaN' AS DOUBLE)",
        f"sqrt(p.n * (p.n - 1D)) / (p.n - 2D) * {_PART} * {_THIRD} / {_SPREAD}",
        "SKEW",
    ),
    "kurtosis_pop": _of_powers("kurtosis_pop", 2, _FLAT, f"{_FOURTH} / ({_SECOND} * {_SECOND}) - 3D", "Kurtosis"),
    "kurtosis": _of_powers(
        "kurtosis",
        4,
        _FLAT,
        f"(p.n - 1D) * ((p.n + 1D) * {_FOURTH} / ({_SECOND} * {_SECOND}) - 3D * (p.n - 1D))"
        " / ((p.n - 2D) * (p.n - 3D))",
        "Kurtosis",
    ),
    "sem": _standard_error,
    **{name: _of_all_values(name) for name in ("approx_quantile", "entropy", "mad")},
}
"""By the first of their names."""
