"""Binding of whole queries, of every kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from forklake.engine.text_budget import budget_nodes, count_nodes
from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.types import Type
from forklake.model.types.shapes import list_of, map_of, shape_of, struct_of
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.columns import column_of
from forklake.sql.expressions.expression import ExpressionBinder
from forklake.sql.expressions.literals import spark_type
from forklake.sql.expressions.render import render
from forklake.sql.expressions.sort_keys import sort_key
from forklake.sql.query.environment import CommonTable, Environment, LastRows, Reading, whole_query
from forklake.sql.query.from_clause import check_parts
from forklake.sql.query.ordering import Limit, bind_limit, order_keys
from forklake.sql.query.scope import Column, Scope, Table
from forklake.sql.query.select import bind_select
from forklake.sql.query.set_operations import bind_set_operation
from forklake.sql.query.site import QuerySite
from forklake.sql.query.values_clause import bind_values
from forklake.sql.relation import BoundQuery, Names

_NODES_OF_QUERY: Final = 10
"""How many expressions take as long to bind as a query around them."""
_UNDERSTOOD: Final = frozenset(
    {"this", "expression", "expressions", "distinct", "by_name", "alias", "joins", "with_", "order", "limit", "offset"}
)
"""The parts that a query may have; a SELECT checks its own."""


def bind_query(
    query: exp.Query, names: Names, expected: Sequence[Field] = (), *, keeps_null: bool = False
) -> BoundQuery:
    """Bind a query: Spark SQL with DuckDB's types.

    Nothing is read. The text means the same whatever the settings of the Spark session. If the query is only
    VALUES, with as many values as types are ``expected``, each value is cast to its expected type, as INSERT
    needs it. A column of only NULLs is an integer; with ``keeps_null`` it keeps the type `NULL`, which can be
    cast to any type.

    Raises:
        InvalidInputError: Something in it is not supported, has the wrong type, or is not allowed where it is.
        NotFoundError: Something that it names does not exist.
        LimitError: It becomes too large, or its time is over.
    """
    reading = Reading()
    try:
        with budget_nodes(lambda: sum(1 for _ in query.walk())):
            reading.number_tables(query)
            environment = Environment(names, reading, _bind, expected=expected_types(query, expected))
            bound = _give_types(_bind(query, environment), reading, keeps_null=keeps_null)
    except RecursionError as error:
        raise InvalidInputError("The query is nested too deeply; it was not read.") from error
    return replace(whole_query(bound, reading), parts=reading.parts(query, names))


def expected_types(query: exp.Expr, types: Sequence[Field]) -> tuple[exp.Expr, Sequence[Field]] | None:
    """Return the VALUES that a query consists of, with their expected types.

    Return None if it is any other query, or the numbers of values differ.
    """
    while isinstance(query, exp.Select | exp.Subquery) and not isinstance(query, exp.Values):
        source = query.args.get("from_")
        is_star = len(query.expressions) == 1 and isinstance(query.expressions[0], exp.Star)
        if isinstance(query, exp.Subquery):
            query = query.this
        elif source is not None and is_star and not query.args.get("joins"):
            query = source.this
        else:
            return None
    rows = query.expressions if isinstance(query, exp.Values) else []
    fits = all(isinstance(row, exp.Tuple) and len(row.expressions) == len(types) for row in rows)
    return (query, types) if rows and types and fits else None


def environment_of(names: Names) -> Environment:
    """Return the environment of an expression outside a query."""
    return Environment(names, Reading(), _bind)


def _bind(node: exp.Expr, environment: Environment) -> BoundQuery:
    """Bind a query of any kind, with its WITH, ORDER BY and LIMIT."""
    count_nodes(_NODES_OF_QUERY)
    if not isinstance(node, exp.Select | exp.Table):
        check_parts(node, _UNDERSTOOD)
    environment = _with_common(node, environment)
    match node:
        case exp.Select():
            found = bind_select(node, environment)
        case exp.SetOperation():
            found = _add_order(bind_set_operation(node, environment), node, environment)
        case exp.Values():
            found = _add_order(bind_values(node, environment), node, environment)
        case exp.Subquery():
            inner = node.this
            if isinstance(inner, exp.Table):
                inner = exp.select("*").from_(inner.copy())
            found = _bind(inner, environment)
            if any(node.args.get(name) for name in ("order", "limit", "offset")):
                found = _add_order(replace(found, sql=found.nested_sql, limit=None, offset=0), node, environment)
        case exp.Table():
            found = bind_select(exp.select("*").from_(node.copy()), environment)
        case _:
            raise InvalidInputError(f"This is no query: {render(node)}")
    return _add_limit(found, bind_limit(node, environment), environment)


def _with_common(node: exp.Expr, environment: Environment) -> Environment:
    """Add the tables of a query's WITH to its environment."""
    clause = node.args.get("with_")
    if clause is None:
        return environment
    uses = Counter(fold(table.name) for table in node.find_all(exp.Table) if not table.db)
    for one in clause.expressions:
        count_nodes(1 + len(environment.common) // _NODES_OF_QUERY)  # they are copied
        name = one.alias
        read = {fold(table.name) for table in one.this.find_all(exp.Table) if not table.db}
        is_recursive = bool(clause.args.get("recursive")) and fold(name) in read
        columns = tuple(column.name for column in one.args["alias"].args.get("columns") or ())
        inner = replace(environment, depth=environment.deeper())
        common = CommonTable(
            name, one.this, columns, inner, is_recursive, uses[fold(name)] > 1 and _may_share(node, environment)
        )
        environment = replace(environment, common={**environment.common, fold(name): common})
    return environment


def _may_share(node: exp.Expr, environment: Environment) -> bool:
    """Return whether the tables of a WITH can be bound once for several uses.

    They cannot if they may depend on a query around them, which may give them columns, or on the last step of a
    recursive one.
    """
    if environment.outer is not None or node.args["with_"].args.get("recursive"):
        return False
    return not any(isinstance(one, LastRows) for one in environment.common.values())


def _add_order(found: BoundQuery, node: exp.Expr, environment: Environment) -> BoundQuery:
    """Add ORDER BY to a query that is no SELECT, by columns of its result."""
    keys = order_keys(node.args.get("order"), [column.name for column in found.columns])
    if not keys:
        return found
    texts = []
    for key in keys:
        if key.place is None:
            assert key.node is not None
            texts.append(f"{_sort_expression(key.node, found, environment)} {key.ending}")
        else:
            texts.append(f"{sort_key(Bound(f'c{key.place}', shape_of(found.columns[key.place].type)))} {key.ending}")
    columns = ", ".join(f"c{place}" for place in range(len(found.columns)))
    sql = f"SELECT {columns} FROM ({found.sql}) AS {environment.reading.alias()} ORDER BY {', '.join(texts)}"
    return BoundQuery(sql, found.columns, is_ordered=True)


def _sort_expression(node: exp.Expr, found: BoundQuery, environment: Environment) -> str:
    columns = tuple(Column(one.name, column_of(one, f"c{place}")) for place, one in enumerate(found.columns))
    scope = Scope(environment.reading, [Table((), "", columns)])
    return sort_key(ExpressionBinder(QuerySite(environment, scope, "ORDER BY")).bind(node))


def _add_limit(found: BoundQuery, limit: Limit, environment: Environment) -> BoundQuery:
    """Add LIMIT and OFFSET to a query.

    They become attributes where the order of a scan is kept, and part of the text otherwise.
    """
    if limit.percent is not None:
        test = f"number > {limit.offset} AND number <= {limit.offset} + floor(total * {limit.percent}D / 100)"
        return _filter_by_number(found, test, environment)
    if limit.test is not None:
        return _filter_by_number(found, limit.test, environment)
    if limit.count is None and not limit.offset:
        return found
    if found.top is not None and limit.count:
        scan, top = found.top
        environment.reading.take_top(scan, replace(top, count=limit.count + limit.offset))
    if found.constants is not None:
        rows: Sequence[tuple[str | None, ...]] = found.constants[limit.offset :]
        rows = rows if limit.count is None else rows[: limit.count]
        text = replace(found, limit=limit.count, offset=limit.offset).nested_sql
        return replace(found, sql=text, constants=tuple(rows))
    if found.keeps_order is not None and found.limit is None and not found.offset:
        return replace(found, limit=limit.count, offset=limit.offset)
    text = replace(found, limit=limit.count, offset=limit.offset).nested_sql
    return BoundQuery(text, found.columns, is_ordered=found.is_ordered)


def _filter_by_number(found: BoundQuery, test: str, environment: Environment) -> BoundQuery:
    """Filter the rows of a query by a test on ``number`` and ``total``.

    ``number`` counts the rows from one, in the query's order, and ``total`` is their count. Spark's own LIMIT
    takes only constants.
    """
    alias = environment.reading.alias
    columns = ", ".join(f"c{place}" for place in range(len(found.columns)))
    # The ids grow from row to row and from task to task, in the order of the rows.
    marked = f"SELECT {columns}, monotonically_increasing_id() AS place FROM ({found.nested_sql}) AS {alias()}"
    numbered = "row_number() OVER (ORDER BY place) AS number, count(1) OVER () AS total"
    text = f"SELECT {columns} FROM (SELECT {columns}, place, {numbered} FROM ({marked}) AS {alias()}) AS {alias()}"
    return BoundQuery(f"{text} WHERE {test} ORDER BY place", found.columns, is_ordered=found.is_ordered)


def _give_types(found: BoundQuery, reading: Reading, *, keeps_null: bool) -> BoundQuery:
    """Give every column of a query a type.

    A column of untyped NULLs becomes an integer, unless ``keeps_null``. Ids of columns are removed.
    """
    # The ids of table columns are used only while binding.
    found = replace(found, columns=tuple(replace(column, column_id=None) for column in found.columns))
    columns = tuple(replace(column, type=_with_integers(column.type)) for column in found.columns)
    if keeps_null or columns == found.columns:
        return found
    shown = ", ".join(
        f"c{place}" if column.type == settled.type else f"CAST(c{place} AS {spark_type(settled.type)}) AS c{place}"
        for place, (column, settled) in enumerate(zip(found.columns, columns, strict=True))
    )
    return replace(found, sql=f"SELECT {shown} FROM ({found.sql}) AS {reading.alias()}", columns=columns)


def _with_integers(kind: Type) -> Type:
    """Return a type in which what was NULL only is an integer, at every depth."""
    match kind:
        case types.Null():
            return types.INT32
        case _ if not _has_null(kind):
            return kind
        case types.List(element):
            return list_of(_with_integers(element.type))
        case types.Map(key, value):
            return map_of(_with_integers(key.type), _with_integers(value.type))
        case types.Struct(fields):
            return struct_of([(field.name, _with_integers(field.type)) for field in fields])
    return kind


def _has_null(kind: Type) -> bool:
    return kind == types.NULL or any(_has_null(field.type) for field in kind.children)
