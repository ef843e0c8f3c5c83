"""Aggregates over a frame from which rows near the current one are excluded.

Spark has no EXCLUDE: the rows of the frame are collected, those to exclude are taken out, and the rest is aggregated as
a list. So it costs as much memory as the frames of one task have rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.lazy_dataclass import dataclass
from forklake.model.types.shapes import list_of
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.calls import Call, constant_count
from forklake.sql.expressions.coercion import constant
from forklake.sql.functions import LOWERINGS
from forklake.sql.vocabulary import BY_NAME

_KEPT: Final[Mapping[str, str]] = {
    "CURRENT ROW": "e.r <> {row}",
    "GROUP": "e.g <> {group}",
    "TIES": "(e.g <> {group} OR e.r = {row})",
}
"""Which elements of the frame are kept: ``r`` is the number of a row, ``g`` that of its group of peers."""
_OF_LISTS: Final = frozenset(
    {"sum", "avg", "min", "max", "product", "any_value", "first", "last", "string_agg", "bool_and", "bool_or"}
)


@dataclass(frozen=True, slots=True)
class Peers:
    """A window without its frame; rows that are equal in its order are peers.

    Attributes:
        head: The partition, if there is any, with a space behind it.
        ordering: The order, which is never empty.
    """

    head: str
    ordering: str

    @property
    def sql(self) -> str:
        """What follows OVER."""
        return f"({self.head}{self.ordering})"

    def with_frame(self, frame: str) -> str:
        """Return what follows OVER, with a frame."""
        return f"({self.head}{self.ordering} {frame})"


def aggregate_without(
    excluded: str, name: str, values: Sequence[Bound], call: Call, peers: Peers, node: exp.Expr
) -> Bound:
    """Return an aggregate over a frame without some of its rows.

    Args:
        excluded: What follows EXCLUDE: CURRENT ROW, GROUP or TIES.
        name: The first name of the aggregate.
        values: Its arguments.
        call: Its clauses, with the frame.
        peers: The window without its frame.
        node: The call, for messages.

    Raises:
        InvalidInputError: It cannot be computed from a list.
    """
    if call.order or call.is_distinct:
        raise InvalidInputError(f'EXCLUDE is not supported for "{name}" with DISTINCT or ORDER BY.')
    value = values[0] if values else constant(types.INT32, "1")
    row, group = f"row_number() OVER {peers.sql}", f"dense_rank() OVER {peers.sql}"
    item = f"struct({row} AS r, {group} AS g, {value.sql} AS v)"
    if call.where is not None:
        item = f"CASE WHEN {call.where.sql} THEN {item} END"
    # Spark may number rows of one group otherwise when it numbers them again, so the number comes out of a window.
    own = f"max({row}) OVER {peers.with_frame('ROWS BETWEEN CURRENT ROW AND CURRENT ROW')}"
    kept = f"filter(collect_list({item}) OVER {call.over}, e -> {_KEPT[excluded].format(row=own, group=group)})"
    if call.ignores_nulls:
        kept = f"filter({kept}, e -> e.v IS NOT NULL)"
    rows = Bound(f"transform({kept}, e -> e.v)", list_of(value.type))
    return _of_rows(name, rows, values[1:], node)


def _of_rows(name: str, rows: Bound, more: Sequence[Bound], node: exp.Expr) -> Bound:
    if name in ("count", "count_star"):
        return LOWERINGS["list_count"]([rows], node)
    if name == "list":
        return Bound(f"nullif({rows.sql}, array())", rows.type)
    if name == "nth_value" and isinstance(rows.type, types.List):
        place = constant_count(more[0], name)
        return Bound(f"try_element_at({rows.sql}, {place})", rows.type.element.type)
    plain = name.removesuffix("_value") if name != "any_value" else name
    if plain not in _OF_LISTS or (more and plain != "string_agg"):
        raise InvalidInputError(f'EXCLUDE is not supported for "{name}".')
    return LOWERINGS[f"list_{plain}"]([rows, *more], node)


def reads_its_frame(name: str) -> bool:
    """Return whether a function is computed from its frame.

    Others only know the order of the rows.
    """
    declared = BY_NAME.get(name)
    return declared is None or declared.kind != "window" or declared.name in ("first_value", "last_value", "nth_value")
