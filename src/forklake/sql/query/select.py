"""SELECT: the clauses of one query, in the order of their evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.top_rows import TopRows
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.expression import ExpressionBinder
from forklake.sql.expressions.nodes import is_aggregated, parts_of_row
from forklake.sql.expressions.render import render
from forklake.sql.expressions.sort_keys import sort_key
from forklake.sql.expressions.spark_idioms import canonical
from forklake.sql.query.conditions import bind_conditions
from forklake.sql.query.environment import Environment
from forklake.sql.query.from_clause import Source
from forklake.sql.query.group_by import bind_grouping
from forklake.sql.query.grouping import GroupedSite, Grouping
from forklake.sql.query.items import Item, all_columns_hold, select_items
from forklake.sql.query.joins import bind_from
from forklake.sql.query.macro_calls import expand_macros
from forklake.sql.query.ordering import OrderKey, order_keys, position
from forklake.sql.query.scope import Table
from forklake.sql.query.site import QuerySite
from forklake.sql.query.top_rows import top_rows
from forklake.sql.query.unnesting import UnnestedColumn, bind_item, zip_lists
from forklake.sql.query.values_clause import column_sql, constant_rows, result_field
from forklake.sql.relation import BoundQuery, Total

_ROWS: Final = frozenset({"with_", "from_", "joins", "where", "group", "having", "windows", "qualify"})
_UNDERSTOOD: Final = _ROWS | {"expressions", "distinct", "order", "limit", "offset", "operation_modifiers", "sample"}


@dataclass(slots=True)
class _Select:
    """A SELECT while it is bound: the results of its clauses so far."""

    node: exp.Select
    environment: Environment
    source: Source
    items: list[Item]
    aliases: Mapping[str, exp.Expr]
    windows: Mapping[str, exp.Window]
    where: str = ""
    grouping: Grouping | None = None
    bound: list[Bound] = field(default_factory=list)
    unnested: dict[int, Bound] = field(default_factory=dict)
    """The lists that are unnested to columns of the result, by position."""

    def site(self, clause: str, *, with_windows: bool = False) -> QuerySite:
        """Return the site of a clause that is evaluated after the grouping."""
        windows = self.windows if with_windows else None
        if self.grouping is None:
            return QuerySite(self.environment, self.source.scope, clause, self.aliases, windows)
        return GroupedSite(self.environment, self.source.scope, clause, self.grouping, self.aliases, windows)

    def clause(self, name: str) -> exp.Expr | None:
        """Return the expression of a clause, with its macros expanded."""
        found = self.node.args.get(name)
        return None if found is None else expand_macros(found.this, self.environment.names.macro)


def bind_select(node: exp.Select, environment: Environment) -> BoundQuery:
    """Bind a SELECT with its ORDER BY; the caller handles LIMIT and WITH.

    Raises:
        InvalidInputError: Something in it is not supported, or not allowed where it is.
        NotFoundError: Something that it names does not exist.
    """
    for name, value in node.args.items():
        if value and name not in _UNDERSTOOD:
            raise InvalidInputError(f"{name.strip('_').upper()} is not supported: {render(node)}")
    subqueries = environment.reading.subqueries
    source = bind_from(node, environment)
    items = select_items(node.expressions, environment, source.scope)
    aliases = {fold(item.name): item.node for item in reversed(items) if item.is_alias}
    windows = {fold(one.this.name): one for one in node.args.get("windows") or ()}
    select = _Select(node, environment, source, items, aliases, windows)
    _bind_where(select)
    order = order_keys(node.args.get("order"), [item.name for item in items])
    order = [
        key if key.node is None else replace(key, node=expand_macros(key.node, environment.names.macro))
        for key in order
    ]
    select.grouping = _grouping(select, order)
    select.bound = _bind_items(select)
    text, is_plain = _assemble(select, order)
    fields = tuple(
        result_field(_result_name(item, bound), bound) for item, bound in zip(items, select.bound, strict=True)
    )
    found = BoundQuery(text, fields, is_ordered=bool(order))
    if is_plain and environment.reading.subqueries == subqueries:
        return _describe(found, select)
    if order and environment.reading.subqueries == subqueries:
        found = replace(found, top=_top_rows(select, order))
    return _mark_totals(found, select)


def _result_name(item: Item, bound: Bound) -> str:
    """Return the name of a result column; a plain column keeps its table's spelling."""
    own = "" if bound.field is None else bound.field.name
    is_column = isinstance(item.node.unnest(), exp.Column | exp.Dot) and not item.is_alias
    return own if is_column and fold(own) == fold(item.name) else item.name


def _bind_items(select: _Select) -> list[Bound]:
    """Bind the columns of the result; each may use the aliases before it."""
    found: list[Bound] = []
    site = select.site("SELECT", with_windows=True)
    site.aliases = {}
    for place, item in enumerate(select.items):
        bound = bind_item(ExpressionBinder(site), item.node)
        if isinstance(bound, UnnestedColumn):
            select.unnested[place] = bound.values
            bound = Bound(f"explode({bound.values.sql})", bound.element)
        found.append(bound)
        if item.is_alias:
            site.aliases.setdefault(fold(item.name), item.node)
    return found


def _bind_where(select: _Select) -> None:
    node = select.clause("where")
    if node is None:
        return
    scope = select.source.scope
    binder = ExpressionBinder(QuerySite(select.environment, scope, "WHERE", select.aliases))
    limited = {table.alias for table in scope.tables} - select.source.nullable
    node = all_columns_hold(node, select.environment, scope)
    select.where = f" WHERE {bind_conditions(binder, node, scope, limited).sql}"


def _grouping(select: _Select, order: Sequence[OrderKey]) -> Grouping | None:
    """Bind the grouping, if there are aggregates, GROUP BY or HAVING."""
    nodes = [item.node for item in select.items] + [key.node for key in order if key.node is not None]
    nodes += [one for one in (select.clause("having"), select.clause("qualify")) if one is not None]
    is_said = any(select.node.args.get(name) is not None for name in ("group", "having"))
    if not is_said and not any(is_aggregated(node) for node in nodes):
        return None
    found = bind_grouping(
        select.node.args.get("group"), select.environment, select.source.scope, select.items, select.aliases
    )
    found.is_inlined = not order and _is_one_value(select)
    return found


def _is_one_value(select: _Select) -> bool:
    """Return whether a subquery only computes aggregates of all its rows.

    Spark joins such a subquery to the outer rows if the aggregates are its topmost step; otherwise it reads the
    outer rows twice.
    """
    clauses = ("group", "having", "qualify", "distinct")
    if select.environment.outer is None or any(select.node.args.get(name) for name in clauses):
        return False
    return not any(item.node.find(exp.Query, exp.Window, exp.Lambda, exp.Explode) for item in select.items)


def _assemble(select: _Select, order: Sequence[OrderKey]) -> tuple[str, bool]:
    """Return the SQL text, and whether rows of the source keep their order in it.

    That is the case if each row of the source gives at most one row of the result.
    """
    node, reading = select.node, select.environment.reading
    columns = [f"c{place}" for place in range(len(select.items))]
    order, hidden = _resolve_order(select, order)
    having, qualify = select.clause("having"), select.clause("qualify")
    after = "" if having is None else ExpressionBinder(select.site("HAVING")).condition(having).sql
    extras = [f"{bound.sql} AS o{place}" for place, bound in hidden.items()]
    if qualify is not None:
        site = select.site("QUALIFY", with_windows=True)
        extras.append(f"{ExpressionBinder(site).condition(qualify).sql} AS q0")
    distinct = node.args.get("distinct")
    on = () if distinct is None or distinct.args.get("on") is None else distinct.args["on"].expressions
    ends = _distinct_ends(select, on)
    extras += [f"{sql} AS d{place}" for place, sql in enumerate(ends)]
    source = f" FROM {select.source.sql}{select.where}" if select.source.sql else select.where
    if select.grouping is not None and not select.grouping.is_inlined:
        none = f"{f' FROM {select.source.sql}' if select.source.sql else ''} WHERE FALSE"
        source = f" FROM ({select.grouping.sql(source, none)}) AS {select.grouping.alias}"
        source += f" WHERE {after}" if after else ""
    is_distinct = distinct is not None and not on
    text = _projection(select, extras, source, is_distinct=is_distinct and not extras)
    keys = [_key_sql(select, at, key, hidden) for at, key in enumerate(order)]
    kept = [*columns, *(f"o{place}" for place in hidden)]
    if qualify is not None:
        kept += [f"d{place}" for place in range(len(ends))]
        text = f"SELECT {', '.join(kept)} FROM ({text}) AS {reading.alias()} WHERE q0"
    if is_distinct and extras:
        if hidden:
            raise InvalidInputError(
                "Binder Error: for SELECT DISTINCT, ORDER BY expressions must appear in select list!"
            )
        text = f"SELECT DISTINCT {', '.join(columns)} FROM ({text}) AS {reading.alias()}"
    if ends:
        text = _first_of_each(text, [*columns, *(f"o{place}" for place in hidden)], len(ends), keys, reading.alias())
    if hidden:
        text = f"SELECT {', '.join(columns)} FROM ({text}) AS {reading.alias()}"
    if keys:
        text = f"{text} ORDER BY {', '.join(keys)}"
    windows = any(isinstance(one, exp.Window | exp.Explode) for item in select.items for one in parts_of_row(item.node))
    is_plain = select.grouping is None and distinct is None and qualify is None and not order and not windows
    return text, is_plain


def _projection(select: _Select, extras: Sequence[str], source: str, *, is_distinct: bool) -> str:
    """Return the query for the result's columns and extra values."""
    head = f"SELECT {'DISTINCT ' if is_distinct else ''}"
    shown = [f"{column_sql(bound)} AS c{place}" for place, bound in enumerate(select.bound)]
    if len(select.unnested) < 2:
        return f"{head}{', '.join([*shown, *extras])}{source}"
    # Spark can explode only one list in a query.
    zipped = zip_lists(list(select.unnested.values()))
    plain = [one for place, one in enumerate(shown) if place not in select.unnested]
    rows = f"SELECT {', '.join([*plain, *extras, f'explode({zipped.values.sql}) AS z0'])}{source}"
    parts = {place: f"z0.e{number} AS c{place}" for number, place in enumerate(select.unnested)}
    kept = [parts.get(place, f"c{place}") for place in range(len(shown))]
    kept += [one.rpartition(" AS ")[2] for one in extras]
    return f"{head}{', '.join(kept)} FROM ({rows}) AS {select.environment.reading.alias()}"


def _resolve_order(select: _Select, order: Sequence[OrderKey]) -> tuple[list[OrderKey], dict[int, Bound]]:
    """Return the keys of ORDER BY, and the values of those that are no result columns.

    The values are by the position of their key in ORDER BY.
    """
    binder = ExpressionBinder(select.site("ORDER BY", with_windows=True))
    shown = {canonical(bound.sql): place for place, bound in reversed(list(enumerate(select.bound)))}
    keys: list[OrderKey] = []
    found: dict[int, Bound] = {}
    for at, key in enumerate(order):
        bound = None if key.node is None else binder.bind(key.node)
        if bound is not None and canonical(bound.sql) in shown:
            keys.append(OrderKey(shown[canonical(bound.sql)], None, key.ending))
            continue
        keys.append(key)
        if bound is not None:
            found[at] = bound
    return keys, found


def _key_sql(select: _Select, at: int, key: OrderKey, hidden: Mapping[int, Bound]) -> str:
    """Return a key of ORDER BY over result columns and hidden values."""
    if key.place is None:
        return f"{sort_key(Bound(f'o{at}', hidden[at].type))} {key.ending}"
    return f"{sort_key(Bound(f'c{key.place}', select.bound[key.place].type))} {key.ending}"


def _distinct_ends(select: _Select, on: Sequence[exp.Expr]) -> list[str]:
    """Return the expressions of DISTINCT ON."""
    found = []
    binder = ExpressionBinder(select.site("DISTINCT ON"))
    for one in on:
        node = one.unnest()
        place = position(node, len(select.bound), "DISTINCT ON")
        if place is not None:
            found.append(select.bound[place].sql)
        else:
            found.append(binder.bind(expand_macros(node, select.environment.names.macro)).sql)
    return found


def _first_of_each(text: str, kept: Sequence[str], count: int, keys: Sequence[str], alias: str) -> str:
    partition = ", ".join(f"d{place}" for place in range(count))
    number = f"row_number() OVER (PARTITION BY {partition} ORDER BY {', '.join(keys) or partition}) AS n0"
    numbered = f"SELECT {', '.join(kept)}, {number} FROM ({text}) AS {alias}"
    return f"SELECT {', '.join(kept)} FROM ({numbered}) AS {alias} WHERE n0 = 1"


def _describe(found: BoundQuery, select: _Select) -> BoundQuery:
    """Add facts for the caller to a query without grouping, windows and order.

    They are its constants, its projection, and the scan whose order it keeps.
    """
    only = select.source.only
    if only is None:
        if select.source.sql or select.where:
            return found
        return replace(found, constants=constant_rows([select.bound]))
    names = {column.bound.sql: column.source_name for column in (*only.table.columns, *only.table.virtual)}
    shown = tuple(names.get(bound.sql) for bound in select.bound)
    is_projection = not select.where and None not in shown
    if only.query is not None:
        inner = only.query
        if inner.constants is not None and is_projection:
            places = [list(names).index(bound.sql) for bound in select.bound]
            return replace(found, constants=tuple(tuple(row[place] for place in places) for row in inner.constants))
        if inner.keeps_order is not None and inner.limit is None and not inner.offset:
            return replace(found, keeps_order=inner.keeps_order)
        return replace(found, is_ordered=inner.is_ordered)
    if only.table.scan is None:
        return found
    projection = tuple(name or "" for name in shown) if is_projection else None
    return replace(found, keeps_order=only.table.scan, projection=projection)


def _top_rows(select: _Select, order: Sequence[OrderKey]) -> tuple[str, TopRows] | None:
    """Return which rows of its only scan a query asks for, if it has a LIMIT."""
    nodes = [item.node for item in select.items] + [key.node for key in order if key.node is not None]
    is_grouped = select.grouping is not None or any(select.node.args.get(name) for name in ("distinct", "qualify"))
    if is_grouped or any(isinstance(one, exp.Window | exp.Explode) for node in nodes for one in parts_of_row(node)):
        return None
    first, binder = order[0], ExpressionBinder(select.site("ORDER BY"))
    bound = select.bound[first.place] if first.place is not None else None
    if bound is None and isinstance(first.node, exp.Column):
        bound = binder.bind(first.node)
    return None if bound is None else top_rows(select.source, select.clause("where"), order, bound, binder)


def _mark_totals(found: BoundQuery, select: _Select) -> BoundQuery:
    """Record the totals that a query gives of one scan, if it does nothing else."""
    only = select.source.only
    clauses = ("where", "group", "having", "qualify", "distinct")
    if only is None or only.table.scan is None or any(select.node.args.get(name) for name in clauses):
        return found
    totals = [_total(item.node, only.table, only.table.scan) for item in select.items]
    return found if None in totals else replace(found, totals=tuple(one for one in totals if one is not None))


def _total(node: exp.Expr, table: Table, scan: str) -> Total | None:
    if isinstance(node, exp.Count):
        return Total("count", scan) if node.args.get("this") is None or isinstance(node.this, exp.Star) else None
    is_plain = isinstance(node, exp.Min | exp.Max) and [name for name, part in node.args.items() if part] == ["this"]
    if not is_plain or not isinstance(node.this, exp.Column):
        return None
    *before, name = (part.name for part in node.this.parts)
    column = table.find(name, with_virtual=False) if table.is_called(before) else None
    if column is None:
        return None
    return Total("min" if isinstance(node, exp.Min) else "max", scan, column.source_name)
