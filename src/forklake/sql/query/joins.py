"""Joins: their conditions, and the columns that USING merges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model.names import fold
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.coercion import unify
from forklake.sql.expressions.comparisons import comparison, conjunction
from forklake.sql.expressions.expression import ExpressionBinder
from forklake.sql.expressions.render import render
from forklake.sql.query.conditions import bind_conditions
from forklake.sql.query.environment import Environment
from forklake.sql.query.from_clause import Source, TableText, check_parts, table_text
from forklake.sql.query.macro_calls import expand_macros
from forklake.sql.query.placed_joins import asof_text, nearest_inequality, number_rows, takes_largest
from forklake.sql.query.scope import MergedColumn, Scope, Table
from forklake.sql.query.site import QuerySite

_WORDS: Final = {
    "inner": "INNER JOIN",
    "left": "LEFT JOIN",
    "right": "RIGHT JOIN",
    "full": "FULL JOIN",
    "cross": "CROSS JOIN",
    "semi": "LEFT SEMI JOIN",
    "anti": "LEFT ANTI JOIN",
}


def bind_from(node: exp.Expr, environment: Environment) -> Source:
    """Bind the tables of FROM, joined from left to right.

    Raises:
        InvalidInputError: A table or a join is not supported.
        NotFoundError: There is no such table or column.
    """
    scope = Scope(environment.reading, outer=environment.outer)
    source = Source("", scope)
    clause = node.args.get("from_")
    if clause is None:
        return source
    first, sample = clause.this, node.args.get("sample")
    if sample is not None:
        if node.args.get("joins") or first.args.get("joins"):
            raise InvalidInputError(
                "A sample of a join is not supported.", hint="Put the join into parentheses: FROM (SELECT ...)."
            )
        first = first.copy()
        first.set("sample", sample.copy())
    _add(source, first, environment)
    for join in node.args.get("joins") or ():
        _join(source, join, environment)
    return source


def _add(source: Source, node: exp.Expr, environment: Environment) -> None:
    """Add the first table, or joined tables in parentheses."""
    inner = _first_of_parentheses(node)
    if inner is not None:
        joined = _group(inner, environment)
        source.sql, source.only, source.nullable = joined.sql, joined.only, joined.nullable
        source.scope.tables, source.scope.merged = joined.scope.tables, joined.scope.merged
    else:
        text = table_text(node, environment, source.scope)
        source.sql, source.only = text.sql, None if text.is_sample else text
        source.scope.tables.append(text.table)
    for join in node.args.get("joins") or ():
        _join(source, join, environment)


def _first_of_parentheses(node: exp.Expr) -> exp.Expr | None:
    """Return the first table of a join in parentheses without an alias, or None."""
    if not isinstance(node, exp.Subquery) or node.args.get("alias"):
        return None
    first = node.this
    is_join = isinstance(first, exp.Table) or (isinstance(first, exp.Subquery) and first.args.get("joins"))
    return first if is_join else None


def _group(node: exp.Expr, environment: Environment) -> Source:
    source = Source("", Scope(environment.reading, outer=environment.outer))
    _add(source, node, environment)
    if source.only is None:
        source.sql = f"({source.sql})"
    return source


def _join(source: Source, join: exp.Join, environment: Environment) -> None:
    kind = _kind(join)
    left = source.scope
    right = _right(join.this, environment, left)
    tables = list(right.scope.tables)
    both = Scope(environment.reading, [*left.tables, *tables], [*left.merged, *right.scope.merged], environment.outer)
    method = (join.args.get("method") or "").lower()
    if method == "positional":
        _join_by_position(source, right, both)
        return
    names = _using(join, left, right.scope)
    if method == "asof":
        condition: str | None = _join_nearest(join, environment, left, right, both, names)
    elif names is not None:
        test, merged = _equal(names, left, right.scope, kind)
        both.merged = [one for one in both.merged if all(fold(one.name) != fold(new.name) for new in merged)] + merged
        condition = test
    else:
        condition = _on(join, environment, both, source.nullable | right.nullable, tables, kind)
    if condition is None and kind not in ("cross", "inner"):
        raise InvalidInputError(f"Parser Error: a {kind} join needs a condition: {render(join)}")
    words = _WORDS["cross" if condition is None else kind]
    source.sql = f"{source.sql} {words} {right.sql}" + ("" if condition is None else f" ON {condition}")
    source.only = None
    if kind in ("semi", "anti"):
        return
    source.scope = both
    aliases = {table.alias for table in tables}
    if kind in ("left", "full"):
        source.nullable |= aliases
    if kind in ("right", "full"):
        source.nullable |= {table.alias for table in left.tables}
    source.nullable |= right.nullable


def _join_nearest(
    join: exp.Join, environment: Environment, left: Scope, right: Source, both: Scope, names: list[str] | None
) -> str:
    """Bind an ASOF join: each row of the left side has its nearest right row.

    Returns:
        The condition that is left for the join itself.
    """
    if right.only is None or _kind(join) not in ("inner", "left"):
        raise InvalidInputError(
            f"This ASOF JOIN is not supported: {render(join)}",
            hint="Inner and left joins with one table or a query in parentheses are.",
        )
    alias = right.only.table.alias
    if names is not None:
        test, merged = _equal(names, left, right.scope, "left")
        both.merged = [one for one in both.merged if all(fold(one.name) != fold(new.name) for new in merged)] + merged
        ours, key = _side(left, names[-1], "left")[0], _side(right.scope, names[-1], "right")[0]
        equal = [_equal(names[:-1], left, right.scope, "left")[0]] if names[1:] else []
        test, is_largest = " AND ".join([*equal, comparison(ours, ">=", key).sql]), True
    else:
        if join.args.get("on") is None:
            raise InvalidInputError(f"Binder Error: Missing ASOF JOIN inequality: {render(join)}")
        on = expand_macros(join.args["on"], environment.names.macro)
        test = bind_conditions(ExpressionBinder(QuerySite(environment, both, "JOIN")), on, both, ()).sql
        inequality = nearest_inequality(on)
        binder = ExpressionBinder(QuerySite(environment, both, "JOIN"))
        both.touched.clear()
        key = binder.bind(inequality.expression)
        is_second = alias in both.touched
        key = key if is_second else binder.bind(inequality.this)
        is_largest = takes_largest(inequality, is_right_second=is_second)
    right.sql = asof_text(right.sql, alias, test, key, is_largest=is_largest)
    return "true"


def _join_by_position(source: Source, right: Source, both: Scope) -> None:
    """Join the rows of two tables by their positions."""
    left_sql, left_position = _number_side(source)
    right_sql, right_position = _number_side(right)
    source.sql = f"{left_sql} FULL JOIN {right_sql} ON {left_position} = {right_position}"
    source.position = f"coalesce({left_position}, {right_position})"
    source.only, source.scope = None, both
    source.nullable |= {table.alias for table in both.tables}


def _number_side(side: Source) -> tuple[str, str]:
    if side.position is not None:
        return side.sql, side.position
    if side.only is None:
        raise InvalidInputError(
            "A POSITIONAL JOIN is supported between tables, and queries in parentheses.",
            hint="Put each side into parentheses: (SELECT ...) POSITIONAL JOIN (SELECT ...).",
        )
    table = side.only.table
    scan = table.scan or table.origin
    if scan is not None:
        side.scope.reading.keep_order(scan)
    return number_rows(side.sql, table.alias)


def _kind(join: exp.Join) -> str:
    check_parts(join, ("this", "on", "using", "side", "kind", "method"))
    method = (join.args.get("method") or "").lower()
    if method not in ("", "natural", "asof", "positional"):
        raise InvalidInputError(f"{method.upper()} JOIN is not supported: {render(join)}")
    kind = (join.args.get("kind") or "").lower()
    side = (join.args.get("side") or "").lower()
    if kind in ("semi", "anti"):
        return kind
    if side:
        return side
    return "cross" if kind == "cross" else "inner"


def _right(node: exp.Expr, environment: Environment, left: Scope) -> Source:
    inner = node if node.args.get("joins") else _first_of_parentheses(node)
    if inner is not None:
        return _group(inner, environment)
    text: TableText = table_text(node, environment, left)
    return Source(text.sql, Scope(environment.reading, [text.table]), only=text)


def _on(
    join: exp.Join, environment: Environment, both: Scope, nullable: set[str], tables: Sequence[Table], kind: str
) -> str | None:
    """Bind the condition of a join; parts on one table only limit its scan.

    Tables that are ``nullable`` are not limited: a row that is not read would count as missing, instead of being
    filtered out.
    """
    on = join.args.get("on")
    if on is None:
        return None
    new = {table.alias for table in tables} - nullable
    old = {table.alias for table in both.tables} - {table.alias for table in tables} - nullable
    limited = {"inner": new | old, "left": new, "right": old, "semi": new | old, "anti": new}.get(kind, set())
    site = QuerySite(environment, both, "JOIN")
    return bind_conditions(ExpressionBinder(site), expand_macros(on, environment.names.macro), both, limited).sql


def _using(join: exp.Join, left: Scope, right: Scope) -> list[str] | None:
    if join.args.get("using"):
        return [one.name for one in join.args["using"]]
    if (join.args.get("method") or "").lower() != "natural":
        return None
    shown = [column.name for _, column in left.star_columns()]
    theirs = {fold(column.name) for _, column in right.star_columns()}
    names = [name for name in dict.fromkeys(shown) if fold(name) in theirs]
    if not names:
        raise InvalidInputError("Binder Error: No columns found to join on in NATURAL JOIN.")
    return names


def _equal(names: Sequence[str], left: Scope, right: Scope, kind: str) -> tuple[str, list[MergedColumn]]:
    """Return the equality of columns that both sides have, and the merged columns."""
    tests, merged = [], []
    for name in names:
        ours, theirs = _side(left, name, "left"), _side(right, name, "right")
        left.reading.note_mixture([ours[0], theirs[0]])
        tests.append(comparison(ours[0], "=", theirs[0]))
        value = ours[0] if kind in ("inner", "left", "semi", "anti", "cross") else theirs[0]
        if kind == "full":
            one, other = unify([ours[0], theirs[0]])
            value = Bound(f"coalesce({one.sql}, {other.sql})", one.type, one.field)
        merged.append(MergedColumn(name, value, ours[1] | theirs[1]))
    return conjunction(tests).sql, merged


def _side(scope: Scope, name: str, side: str) -> tuple[Bound, frozenset[str]]:
    scope.touched.clear()
    found = scope.bind([name])
    if found is None:
        raise InvalidInputError(f'Binder Error: Column "{name}" does not exist on {side} side of join!')
    return found, frozenset(scope.touched)
