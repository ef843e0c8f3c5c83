"""The list after SELECT: stars, COLUMNS and all else, as one item for each column of the result."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from forklake.errors import InvalidInputError, NotFoundError
from forklake.model.names import fold
from forklake.sql.bound import Bound
from forklake.sql.columns import extracted
from forklake.sql.expression import ExpressionBinder
from forklake.sql.nodes import parts_of_row
from forklake.sql.query.environment import Environment
from forklake.sql.query.macros import expanded
from forklake.sql.query.output_names import output_name
from forklake.sql.query.scope import Scope
from forklake.sql.query.site import QuerySite
from forklake.sql.site import Resolved


@dataclass(frozen=True, slots=True)
class Item:
    """One column of a result: its name, what it is, and whether the name was given by the query."""

    name: str
    node: exp.Expr
    is_alias: bool = False


def select_items(nodes: Sequence[exp.Expr], environment: Environment, scope: Scope) -> list[Item]:
    """Return the columns of a result.

    Raises:
        InvalidInputError: A star or COLUMNS has nothing to stand for.
        NotFoundError: It names a column that is not there.
    """
    items: list[Item] = []
    for node in nodes:
        if isinstance(node, exp.Star):
            items += _star(node, _shown(scope), environment)
        elif isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
            items += _star(node.this, _of_table(node, environment, scope), environment)
        elif isinstance(node, exp.Dot) and isinstance(node.expression, exp.Star):
            items += _star(node.expression, _of_struct(node.this, environment, scope), environment)
        elif any(isinstance(one, exp.Columns) for one in parts_of_row(node)):
            items += _columns(node, environment, scope)
        else:
            items.append(_item(node, environment))
    return items


def _item(node: exp.Expr, environment: Environment) -> Item:
    name = output_name(node)
    inner = node.this if isinstance(node, exp.Alias) else node
    return Item(name, expanded(inner, environment.names), isinstance(node, exp.Alias))


Shown = list[tuple[str, Bound]]


def _shown(scope: Scope) -> Shown:
    if not scope.tables:
        raise InvalidInputError("Binder Error: SELECT * without FROM clause is not supported")
    return [(column.name, scope.use_shown(table, column)) for table, column in scope.shown()]


def _of_table(node: exp.Column, environment: Environment, scope: Scope) -> Shown:
    """Return all columns of a table, or all fields of a struct."""
    parts = [part.name for part in node.parts[:-1]]
    tables = [table for table in scope.tables if table.is_called(parts)]
    if tables:
        return [(column.name, scope.use(tables[0], column)) for column in tables[0].columns]
    try:
        value = QuerySite(environment, scope, "SELECT").column(parts)
    except NotFoundError as error:
        candidates = ", ".join(f'"{table.name[-1]}"' for table in scope.tables if table.name)
        raise NotFoundError(
            f'Binder Error: Referenced table "{parts[-1]}" not found!\nCandidate tables: {candidates}'
        ) from error
    return _fields(value, parts[-1])


def _of_struct(node: exp.Expr, environment: Environment, scope: Scope) -> Shown:
    return _fields(ExpressionBinder(QuerySite(environment, scope, "SELECT")).bind(node), node.sql("duckdb"))


def _fields(value: Bound, label: str) -> Shown:
    if value.type != "struct" or value.field is None:
        raise InvalidInputError(f'Binder Error: Cannot extract fields from "{label}" because it is not a struct')
    return [(field.name, extracted(value, [field.name], label)) for field in value.field.children]


def _star(star: exp.Expr, shown: Shown, environment: Environment) -> Iterator[Item]:
    """Yield the columns that a star stands for, less EXCLUDE, with REPLACE and RENAME."""
    for name, value in star.args.items():
        if value and name not in ("except_", "replace", "rename"):
            raise InvalidInputError(f"This is not supported after a star: {star.sql('duckdb')}")
    excluded = {fold(one.name): one.name for one in star.args.get("except_") or ()}
    replaced = {fold(one.alias): one.this for one in star.args.get("replace") or ()}
    renamed = {fold(one.this.name): one.alias for one in star.args.get("rename") or ()}
    there = {fold(name) for name, _ in shown}
    for words, names in (("EXCLUDE", excluded), ("REPLACE", replaced), ("RENAME", renamed)):
        for name in names:
            if name not in there:
                raise InvalidInputError(f'Binder Error: Column "{name}" in {words} list not found in FROM clause')
    for name, bound in shown:
        if fold(name) in excluded:
            continue
        node = replaced.get(fold(name))
        shown_name = renamed.get(fold(name), name)
        yield Item(shown_name, Resolved(bound=bound) if node is None else expanded(node, environment.names))


def _columns(node: exp.Expr, environment: Environment, scope: Scope) -> Iterator[Item]:
    """Yield an expression once for each column that COLUMNS stands for."""
    inner = node.this if isinstance(node, exp.Alias) else node
    found = [one for one in parts_of_row(inner) if isinstance(one, exp.Columns)]
    choices = [_chosen(one, environment, scope) for one in found]
    if len({len(choice) for choice in choices}) > 1:
        raise InvalidInputError(
            "Binder Error: Multiple different STAR/COLUMNS in the same expression are not supported"
        )
    for place, item in enumerate(choices[0]):
        tree = inner.copy()
        marks = [one for one in parts_of_row(tree) if isinstance(one, exp.Columns)]
        for mark, choice in zip(marks, choices, strict=True):
            if mark is tree:
                tree = choice[place].node
            else:
                mark.replace(choice[place].node.copy())
        name = node.alias if isinstance(node, exp.Alias) else item.name
        yield Item(name, expanded(tree, environment.names), isinstance(node, exp.Alias))


def _chosen(node: exp.Columns, environment: Environment, scope: Scope) -> list[Item]:
    """Return the columns that COLUMNS stands for: those of a star, of a pattern, or of a list of names."""
    inner = node.this.unnest()
    if isinstance(inner, exp.Star):
        return list(_star(inner, _shown(scope), environment))
    shown = [(column.name, table, column) for table, column in scope.shown()]
    if isinstance(inner, exp.Literal) and inner.is_string:
        try:
            pattern = re.compile(inner.name)
        except re.error as error:
            raise InvalidInputError(f'Binder Error: Failed to compile regex "{inner.name}": {error}') from error
        chosen = [one for one in shown if pattern.search(one[0])]
        if not chosen:
            raise InvalidInputError(f'Binder Error: No matching columns found that match regex "{inner.name}"')
    elif isinstance(inner, exp.Array) and all(isinstance(one, exp.Literal) for one in inner.expressions):
        by_name = {fold(one[0]): one for one in shown}
        missing = next((one.name for one in inner.expressions if fold(one.name) not in by_name), None)
        if missing is not None:
            raise scope.missing([missing])
        chosen = [by_name[fold(one.name)] for one in inner.expressions]
    else:
        raise InvalidInputError(f"This is not supported in COLUMNS: {node.sql('duckdb')}")
    return [Item(name, Resolved(bound=scope.use_shown(table, column))) for name, table, column in chosen]
