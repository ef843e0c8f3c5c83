"""time_bucket: the start of the bucket of time that a moment is in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.files.casting.intervals import Interval, parse_interval
from forklake.model import types
from forklake.sql.expressions.arithmetic import arithmetic
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.casts import cast, cast_finite
from forklake.sql.expressions.infinities import keep_infinite
from forklake.sql.expressions.render import render
from forklake.sql.expressions.time_arithmetic import micros_of
from forklake.sql.functions.signature import Function, Nodes, constant_text, moment

_DAY: Final = 86_400_000_000
_MONDAY: Final = "TIMESTAMP_NTZ '2000-01-03 00:00:00'"
_MONTH: Final = "TIMESTAMP_NTZ '2000-01-01 00:00:00'"


def _time_bucket(values: Sequence[Bound], node: exp.Expr) -> Bound:
    """Return the start of a bucket, as a date of dates, else as a timestamp.

    Buckets of months begin in January 2000, others on the first Monday of it, unless a third argument says
    otherwise: a moment is where they begin, an interval by how much they are moved.
    """
    width = _width(cast(values[0], types.INTERVAL), node)
    value = cast(values[1], types.TIMESTAMP) if values[1].is_untyped else values[1]
    third = values[2] if len(values) > 2 else None
    result = value.type if value.type in (types.DATE, types.TIMESTAMPTZ) else types.TIMESTAMP

    def bucket(one: Bound) -> str:
        return cast_finite(_bucket(one, width, third, node), result)

    return Bound(keep_infinite(value, result, bucket), result)


def _bucket(value: Bound, width: Interval, third: Bound | None, node: exp.Expr) -> Bound:
    """Return the start of a bucket as a timestamp without time zone."""
    moved = third is not None and third.type == types.INTERVAL
    at = arithmetic(value, "-", third) if moved and third is not None else value
    begin = moment(third, node) if third is not None and not moved else _MONTH if width.months else _MONDAY
    sql = moment(at, node)
    if width.months:
        count = f"((year({sql}) - year({begin})) * 12 + month({sql}) - month({begin}))"
        months = f"CAST(floor({count} / {width.months}) * {width.months} AS INT)"
        made = f"CAST(add_months(CAST(date_trunc('MONTH', {begin}) AS DATE), {months}) AS TIMESTAMP_NTZ)"
    else:
        size = width.days * _DAY + width.micros
        since = f"({micros_of(sql)} - {micros_of(begin)})"
        made = f"timestampadd(MICROSECOND, {since} - pmod({since}, {size}L), {begin})"
    start = Bound(made, types.TIMESTAMP)
    return arithmetic(start, "+", third) if moved and third is not None else start


def _width(value: Bound, node: exp.Expr) -> Interval:
    width = parse_interval(constant_text(value, node, "width of a bucket"))
    if width.months and (width.days or width.micros):
        raise InvalidInputError(
            f"Not implemented Error: Month intervals cannot have day or time component: {render(node)}"
        )
    if width.months < 0 or width.days * _DAY + width.micros < 0 or not (width.months or width.days or width.micros):
        raise InvalidInputError(
            f"Not implemented Error: Period must be greater than 0 in a time bucket: {render(node)}"
        )
    return width


NODES: Final[Nodes] = {}
NAMED: Final[Mapping[str, Function]] = {"time_bucket": _time_bucket}
