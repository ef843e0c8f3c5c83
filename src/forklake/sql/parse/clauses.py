"""The parts that clauses may have.

What else the parser reads of them is refused, so that nothing is passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError

_BODY: Final = frozenset({"this"})
_MEMBERS: Final = frozenset({"expressions"})
_PAIR: Final = frozenset({"this", "expression"})
_PARTS: Final[Mapping[type[exp.Expr], frozenset[str]]] = {
    exp.With: frozenset({"expressions", "recursive"}),
    # MATERIALIZED is how rows are computed, not what they are.
    exp.CTE: frozenset({"this", "alias", "materialized"}),
    exp.TableAlias: frozenset({"this", "columns"}),
    exp.Alias: frozenset({"this", "alias"}),
    exp.From: _BODY,
    exp.Where: _BODY,
    exp.Having: _BODY,
    exp.Qualify: _BODY,
    exp.Group: frozenset({"expressions", "all", "totals"}),
    exp.Cube: _MEMBERS,
    exp.Rollup: _MEMBERS,
    exp.GroupingSets: _MEMBERS,
    exp.Order: frozenset({"this", "expressions"}),
    exp.Ordered: frozenset({"this", "desc", "nulls_first"}),
    exp.Limit: frozenset({"expression", "expressions", "limit_options"}),
    exp.Offset: frozenset({"expression"}),
    exp.Fetch: frozenset({"direction", "count", "limit_options"}),
    exp.LimitOptions: frozenset({"percent", "rows", "with_ties"}),
    exp.Distinct: frozenset({"expressions", "on"}),
    exp.Window: frozenset({"this", "partition_by", "order", "spec", "alias", "over"}),
    exp.WindowSpec: frozenset({"kind", "start", "start_side", "end", "end_side", "exclude"}),
    exp.Filter: _PAIR,
    exp.WithinGroup: _PAIR,
    exp.IgnoreNulls: _BODY,
    exp.RespectNulls: _BODY,
    exp.TableSample: frozenset({"method", "percent", "seed", "size"}),
    exp.PivotAlias: frozenset({"this", "alias"}),
    exp.UnpivotColumns: frozenset({"this", "expressions"}),
    exp.Summarize: frozenset({"this", "table"}),
    exp.Unnest: frozenset({"expressions", "alias", "offset"}),
    exp.Lateral: frozenset({"this", "alias"}),
    exp.DataType: frozenset({"this", "expressions", "nested", "values", "kind"}),
    exp.DataTypeParam: _BODY,
    exp.ColumnDef: frozenset({"this", "kind"}),
    exp.Star: frozenset({"except_", "replace", "rename", "ilike"}),
    exp.Columns: frozenset({"this", "unpack"}),
    exp.Lambda: frozenset({"this", "expressions"}),
    exp.Slice: _PAIR,
    exp.Kwarg: _PAIR,
    exp.PropertyEQ: _PAIR,
    exp.Identifier: frozenset({"this", "quoted"}),
    exp.HistoricalData: frozenset({"this", "kind", "expression"}),
    exp.Comprehension: frozenset({"this", "expression", "position", "iterator", "condition"}),
}
"""By kind of node: the parts that mean something where it is bound.

What computes a value lists its parts where it is bound, as do queries, tables and joins.
"""
_PIVOT: Final = frozenset(
    {"this", "expressions", "fields", "alias", "columns", "unpivot", "pivot_column_naming", "identify_pivot_strings"}
)
"""The parts of PIVOT and UNPIVOT; how columns are named is fixed for this dialect."""
_SPELLED: Final = {
    "search": "SEARCH or CYCLE",
    "key_expressions": "USING KEY",
    "group": "GROUP BY",
    "siblings": "SIBLINGS",
}

_WHOLES: Final[Mapping[type[exp.Expr], str]] = {
    exp.CTE: "WITH",
    exp.Ordered: "ORDER BY",
    exp.Order: "ORDER BY",
    exp.Group: "GROUP BY",
    exp.DataType: "a type",
    exp.DataTypeParam: "a type",
    exp.ColumnDef: "the field of a type",
    exp.Slice: "a slice",
    exp.Window: "a window",
    exp.WindowSpec: "a window",
    exp.TableSample: "a sample",
}


def check_clause(node: exp.Expr) -> None:
    """Refuse a clause with a part that nothing reads.

    Raises:
        InvalidInputError: It has one.
    """
    parts = _PARTS.get(type(node))
    if isinstance(node, exp.Pivot):
        parts = _PIVOT | ({"into", "include_nulls"} if node.args.get("unpivot") else {"using", "group"})
    if parts is None:
        return
    for part, value in node.args.items():
        if value and part not in parts:
            raise InvalidInputError(
                f"Parser Error: {_SPELLED.get(part) or part.strip('_').upper().replace('_', ' ')} is not supported"
                f" in {_whole(node)}; nothing was computed."
            )


def _whole(node: exp.Expr) -> str:
    """Return what a clause is called."""
    return _WHOLES.get(type(node)) or type(node).__name__.upper()
