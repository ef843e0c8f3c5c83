"""The SELECT list: one item for each column of the result.

Stars and COLUMNS are expanded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from forklake.errors import InvalidInputError, NotFoundError
from forklake.model import types
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.columns import extract_field
from forklake.sql.expressions.expression import ExpressionBinder
from forklake.sql.expressions.nodes import call_arguments, call_node, function_name, parts_of_row
from forklake.sql.expressions.render import BoundNode, render
from forklake.sql.query.chosen_names import NameFilter, lambda_filter, matching_names, pattern_filter, renamed_column
from forklake.sql.query.environment import Environment
from forklake.sql.query.macro_calls import expand_macros
from forklake.sql.query.output_names import output_name
from forklake.sql.query.scope import Scope
from forklake.sql.query.site import QuerySite
from forklake.sql.query.unnesting import unnested_columns


@dataclass(frozen=True, slots=True)
class Item:
    """One column of a result: its name and expression.

    ``is_alias`` tells whether the query gives the name.
    """

    name: str
    node: exp.Expr
    is_alias: bool = False


def select_items(nodes: Sequence[exp.Expr], environment: Environment, scope: Scope) -> list[Item]:
    """Return the columns of a result.

    Raises:
        InvalidInputError: A star or COLUMNS matches no column.
        NotFoundError: It names a column that does not exist.
    """
    items: list[Item] = []
    for node in nodes:
        tested = pattern_filter(node)
        if tested is not None:
            items += _filter_items(*tested, select_items([tested[0]], environment, scope))
        elif isinstance(node, exp.Star):
            items += _star(node, _star_columns(scope), environment)
        elif isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
            items += _star(node.this, _of_table(node, environment, scope), environment)
        elif isinstance(node, exp.Dot) and isinstance(node.expression, exp.Star):
            items += _star(node.expression, _of_struct(node.this, environment, scope), environment)
        elif any(isinstance(one, exp.Columns) for one in parts_of_row(node)):
            items += _columns(node, environment, scope)
        else:
            items += _unnest_items(node, environment, scope) or [_item(node, environment)]
    return items


def _unnest_items(node: exp.Expr, environment: Environment, scope: Scope) -> list[Item]:
    """Return the columns of an unnest() with several columns or levels.

    Return an empty list for anything else.
    """
    inner = expand_macros(node.this if isinstance(node, exp.Alias) else node, environment.names.macro)
    columns = unnested_columns(ExpressionBinder(QuerySite(environment, scope, "SELECT")), inner)
    if columns is None:
        return []
    if len(columns) == 1 and columns[0][0] == "unnest":
        return [Item(output_name(node), columns[0][1], isinstance(node, exp.Alias))]
    return [Item(name, column) for name, column in columns]


def _filter_items(star: exp.Expr, passing: NameFilter, items: Sequence[Item]) -> list[Item]:
    """Return the columns of a star whose names pass a test."""
    names = passing([item.name for item in items])
    found = [item for item in items if item.name in names]
    if not found:
        raise _no_match(star)
    return found


def _no_match(star: exp.Expr) -> InvalidInputError:
    return InvalidInputError(f"Binder Error: No matching columns found for {render(star)} with a pattern")


def _item(node: exp.Expr, environment: Environment) -> Item:
    name = output_name(node)
    inner = node.this if isinstance(node, exp.Alias) else node
    return Item(name, expand_macros(inner, environment.names.macro), isinstance(node, exp.Alias))


NamedValues = list[tuple[str, Bound]]


def _star_columns(scope: Scope) -> NamedValues:
    if not scope.tables:
        raise InvalidInputError("Binder Error: SELECT * without FROM clause is not supported")
    return [(column.name, scope.use_star_column(table, column)) for table, column in scope.star_columns()]


def _of_table(node: exp.Column, environment: Environment, scope: Scope) -> NamedValues:
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


def _of_struct(node: exp.Expr, environment: Environment, scope: Scope) -> NamedValues:
    return _fields(ExpressionBinder(QuerySite(environment, scope, "SELECT")).bind(node), render(node))


def _fields(value: Bound, label: str) -> NamedValues:
    if not isinstance(value.type, types.Struct):
        raise InvalidInputError(f'Binder Error: Cannot extract fields from "{label}" because it is not a struct')
    return [(field.name, extract_field(value, [field.name], label)) for field in value.type.fields]


def _star(star: exp.Expr, visible: NamedValues, environment: Environment) -> Iterator[Item]:
    """Yield the columns of a star, with EXCLUDE, REPLACE and RENAME applied."""
    for name, value in star.args.items():
        if value and name not in ("except_", "replace", "rename", "ilike"):
            raise InvalidInputError(f"This is not supported after a star: {render(star)}")
    excluded = {fold(one.name): one.name for one in star.args.get("except_") or ()}
    replaced = {fold(one.alias): one.this for one in star.args.get("replace") or ()}
    renamed = {fold(one.this.name): one.alias for one in star.args.get("rename") or ()}
    there = {fold(name) for name, _ in visible}
    for words, names in (("EXCLUDE", excluded), ("REPLACE", replaced), ("RENAME", renamed)):
        for name in names:
            if name not in there:
                raise InvalidInputError(f'Binder Error: Column "{name}" in {words} list not found in FROM clause')
    # The parser has `* ILIKE` in the star itself.
    pattern = star.args.get("ilike")
    tested = None if pattern is None else pattern_filter(exp.ILike(this=exp.Star(), expression=pattern.copy()))
    shown = [one for one in visible if fold(one[0]) not in excluded]
    if tested is not None:
        passing = tested[1]([name for name, _ in shown])
        shown = [one for one in shown if one[0] in passing]
        if not shown:
            raise _no_match(star)
    for name, bound in shown:
        node = replaced.get(fold(name))
        shown_name = renamed.get(fold(name), name)
        yield Item(shown_name, BoundNode(bound=bound) if node is None else expand_macros(node, environment.names.macro))


def _columns(node: exp.Expr, environment: Environment, scope: Scope) -> Iterator[Item]:
    """Yield an expression once for each column that COLUMNS matches."""
    inner = _unpack(node.this if isinstance(node, exp.Alias) else node, environment, scope)
    found = [one for one in parts_of_row(inner) if isinstance(one, exp.Columns)]
    if not found:
        name = node.alias if isinstance(node, exp.Alias) else output_name(inner)
        yield Item(name, expand_macros(inner, environment.names.macro), isinstance(node, exp.Alias))
        return
    choices = [_matching_items(one, environment, scope) for one in found]
    if len({len(choice) for choice in choices}) > 1:
        raise InvalidInputError(
            "Binder Error: Multiple different STAR/COLUMNS in the same expression are not supported"
        )
    chosen = found[0].this.unnest()
    pattern = chosen.name if isinstance(chosen, exp.Literal) else None
    for place, item in enumerate(choices[0]):
        tree = inner.copy()
        marks = [one for one in parts_of_row(tree) if isinstance(one, exp.Columns)]
        for mark, choice in zip(marks, choices, strict=True):
            if mark is tree:
                tree = choice[place].node
            else:
                mark.replace(choice[place].node.copy())
        name = renamed_column(node.alias, item.name, pattern) if isinstance(node, exp.Alias) else item.name
        yield Item(name, expand_macros(tree, environment.names.macro), isinstance(node, exp.Alias))


def _unpack(node: exp.Expr, environment: Environment, scope: Scope) -> exp.Expr:
    """Replace each ``*COLUMNS(...)`` by its columns, as arguments of the function.

    Raises:
        InvalidInputError: One is no argument of a function.
    """
    holder = exp.Paren(this=node.copy())
    while True:
        mark = next(
            (one for one in parts_of_row(holder) if isinstance(one, exp.Columns) and one.args.get("unpack")), None
        )
        if mark is None:
            found: exp.Expr = holder.this
            return found
        call = mark.parent
        if not isinstance(call, exp.Func):
            raise InvalidInputError(f"Binder Error: UNPACK is only allowed in functions: {render(node)}")
        arguments: list[exp.Expr] = []
        for one in call_arguments(call):
            if one is mark:
                arguments += [
                    _named_argument(item) if isinstance(call, exp.Struct) else item.node
                    for item in _matching_items(mark, environment, scope)
                ]
            else:
                arguments.append(one)
        name = "struct_pack" if isinstance(call, exp.Struct) else function_name(call)
        call.replace(call_node(name, [one.copy() for one in arguments]))


def _named_argument(item: Item) -> exp.Expr:
    return exp.PropertyEQ(this=exp.to_identifier(item.name, quoted=True), expression=item.node)


def all_columns_hold(node: exp.Expr, environment: Environment, scope: Scope) -> exp.Expr:
    """Expand COLUMNS in a condition, which must hold for each column."""
    if not any(isinstance(one, exp.Columns) for one in parts_of_row(node)):
        return node
    tests = [item.node for item in _columns(node, environment, scope)]
    return exp.and_(*tests, copy=False) if len(tests) > 1 else tests[0]


def _matching_items(node: exp.Columns, environment: Environment, scope: Scope) -> list[Item]:
    """Return the columns of COLUMNS: of a star, a pattern, or a list of names."""
    inner = node.this.unnest()
    if isinstance(inner, exp.Star):
        return list(_star(inner, _star_columns(scope), environment))
    visible = [(column.name, table, column) for table, column in scope.star_columns()]
    passing = lambda_filter(inner)
    if isinstance(inner, exp.Literal) and inner.is_string:
        names = matching_names(inner.name, [one[0] for one in visible])
        chosen = [one for one in visible if one[0] in names]
    elif passing is not None:
        passed = passing([one[0] for one in visible])
        chosen = [one for one in visible if one[0] in passed]
        if not chosen:
            raise InvalidInputError("Binder Error: Star expression resulted in an empty set of columns")
    elif isinstance(inner, exp.Array) and inner.expressions and all(one.is_string for one in inner.expressions):
        listed = {fold(one.name): one.name for one in inner.expressions}
        chosen = [one for one in visible if fold(one[0]) in listed]
        missing = listed.keys() - {fold(one[0]) for one in chosen}
        if missing:
            raise NotFoundError(
                f'Binder Error: Column "{listed[min(missing)]}" was selected but was not found in the FROM clause'
            )
    else:
        raise InvalidInputError(f"This is not supported in COLUMNS: {render(node)}")
    return [Item(name, BoundNode(bound=scope.use_star_column(table, column))) for name, table, column in chosen]
