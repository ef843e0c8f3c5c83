"""FROM: the tables of a query, and the names that they bring into scope."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import field, replace
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.quoting import quote_spark_name
from forklake.sql.borne_names import borne_names, names_of
from forklake.sql.expressions.columns import column_of
from forklake.sql.expressions.nodes import function_name
from forklake.sql.expressions.render import ShowNode, render
from forklake.sql.parse import parse_query
from forklake.sql.query.constants import python_value
from forklake.sql.query.environment import CommonTable, Environment, LastRows
from forklake.sql.query.recursion import bind_recursive, with_names
from forklake.sql.query.reshaping import reshape
from forklake.sql.query.samples import sample_rows
from forklake.sql.query.scope import Column, Scope, Table
from forklake.sql.query.table_functions import bind_table_function, bind_unnest
from forklake.sql.relation import At, AtKind, BoundQuery, Relation, StoredQuery

_TABLE: Final = frozenset({"this", "db", "catalog", "alias", "when", "joins"})
_SUBQUERY: Final = frozenset({"this", "expressions", "alias", "joins", "order", "limit", "offset", "with_"})


@dataclass(frozen=True, slots=True)
class TableText:
    """A table of a FROM clause: its SQL, and its names."""

    sql: str
    table: Table
    query: BoundQuery | None = None
    """The query, if the table is one."""
    is_sample: bool = False
    """Whether only some rows are taken, so that the table is not what it scans."""


@dataclass(slots=True)
class Source:
    """The joined tables of a FROM clause.

    Attributes:
        nullable: Aliases of tables whose rows may be missing, because of an outer join.
        only: The table, if there is only one.
        position: The text of a row's position, if the tables are joined by positions.
    """

    sql: str
    scope: Scope
    nullable: set[str] = field(default_factory=set)
    only: TableText | None = None
    position: str | None = None


def table_text(node: exp.Expr, environment: Environment, beside: Scope) -> TableText:
    """Bind one table of a FROM clause; subqueries may use the tables before it.

    Raises:
        InvalidInputError: It is not supported.
        NotFoundError: There is nothing of that name.
    """
    sample, pivots = node.args.get("sample"), node.args.get("pivots")
    if sample is not None:
        return _sample(table_text(_copy_without(node, "sample"), environment, beside), sample)
    if pivots:
        *_, pivot = pivots
        inner = _copy_without(node, "pivots")
        inner.set("pivots", [one.copy() for one in pivots[:-1]])
        return _reshape_table(pivot, inner, environment)
    match node:
        case exp.Pivot() | exp.Summarize():
            return _reshape_table(node, _relation_of(node.this), environment)
        case exp.Table() if isinstance(node.this, exp.Func):
            check_parts(node, _TABLE - {"when"})
            return _function(node, environment, beside)
        case exp.Table():
            check_parts(node, _TABLE)
            return _named_table(node, environment)
        case ShowNode():
            shown = names_of(node, environment.names).show_relation(node.statement)
            return scan_table(shown, environment, None)
        case exp.Unnest():
            bound = bind_unnest(node, environment, beside)
            alias = node.args.get("alias")
            return _derived_table(bound.query, alias, ("unnest",), environment, is_lateral=bound.is_lateral)
        case exp.Lateral() | exp.Subquery() | exp.Values() | exp.Query():
            if not isinstance(node, exp.Query) or isinstance(node, exp.Subquery):
                check_parts(node, _SUBQUERY)
            return _subquery(node, environment, beside)
    raise InvalidInputError(f"This is not supported in a FROM clause: {render(node)}")


def _copy_without(node: exp.Expr, part: str) -> exp.Expr:
    copied = node.copy()
    copied.set(part, None)
    return copied


def _relation_of(node: exp.Expr) -> exp.Expr:
    return exp.Subquery(this=node) if isinstance(node, exp.Query) and not isinstance(node, exp.Subquery) else node


def _sample(text: TableText, node: exp.Expr) -> TableText:
    """Return some rows of a table; conditions do not limit what it scans."""
    sql = sample_rows(text.sql, text.table.alias, node)
    return TableText(sql, replace(text.table, origin=None), is_sample=True)


def _reshape_table(node: exp.Pivot | exp.Summarize, source: exp.Expr, environment: Environment) -> TableText:
    alias = node.args.get("alias")
    name = ("unnamed_subquery",) if alias is None or alias.this is None else (alias.this.name,)
    inner = replace(environment, depth=environment.deeper())
    return _derived_table(environment.bind(reshape(node, source, environment), inner), alias, name, environment)


def check_parts(node: exp.Expr, parts: Collection[str]) -> None:
    """Refuse a node with other parts than these, so that nothing is ignored.

    Raises:
        InvalidInputError: It has another part.
    """
    for part, value in node.args.items():
        if value and part not in parts:
            name = part.strip("_").upper().removesuffix("S").replace("_", " ")
            raise InvalidInputError(f"{name} is not supported: {render(node)}")


def _named_table(node: exp.Table, environment: Environment) -> TableText:
    parts = tuple(part.name for part in node.parts)
    alias = node.args.get("alias")
    when = node.args.get("when")
    common = environment.common.get(fold(parts[0])) if len(parts) == 1 and when is None else None
    # The body of a macro knows its own tables of WITH, not those of who calls it.
    if common is not None and (common.names is borne_names(node) or borne_names(node) is None):
        query = common.query if isinstance(common, LastRows) else _common(common)
        return _derived_table(query, alias, (common.name,), environment)
    names = names_of(node, environment.names)
    found = names.relation(parts, None if when is None else _at(when, environment))
    if isinstance(found, StoredQuery):
        return _derived_table(_view(found, node, environment), alias, (*parts[:-1], found.name), environment)
    return scan_table(found, environment, alias, (*parts[:-1], found.name), node)


_KINDS: Final[dict[str, AtKind]] = {"version": "version", "tag": "tag"}


def _at(when: exp.Expr, environment: Environment) -> At:
    value = python_value(when.expression, environment.names)
    return At(_KINDS.get(str(when.args["kind"]).lower(), "timestamp"), value)


def scan_table(
    relation: Relation,
    environment: Environment,
    alias: exp.Expr | None,
    name: Sequence[str] = (),
    node: exp.Expr | None = None,
) -> TableText:
    """Return a table that scans a relation, which a node of FROM names."""
    reading = environment.reading
    text, scan = reading.alias(), reading.scan(relation, node)
    columns = tuple(
        Column(one.name, column_of(one, f"{text}.{quote_spark_name(one.name)}"), one.name) for one in relation.columns
    )
    virtual = tuple(
        Column(one.name, column_of(one, f"{text}.{quote_spark_name(one.name)}"), one.name) for one in relation.virtual
    )
    table = Table(tuple(name) or (relation.name,), text, columns, virtual, scan, scan)
    return TableText(f"{scan} AS {text}", _apply_alias(table, alias))


def _derived_table(
    query: BoundQuery,
    alias: exp.Expr | None,
    name: tuple[str, ...],
    environment: Environment,
    *,
    is_lateral: bool = False,
) -> TableText:
    """Return a query as a table.

    If it only returns rows of a scan, conditions on it limit that scan.
    """
    text = environment.reading.alias()
    origin = query.keeps_order if query.limit is None and not query.offset and not is_lateral else None
    columns = tuple(
        Column(
            name, column_of(replace(one, name=name, column_id=one.column_id if origin else None), f"{text}.c{place}")
        )
        for place, (name, one) in enumerate(zip(_distinct(query.columns), query.columns, strict=True))
    )
    table = _apply_alias(Table(name, text, columns, origin=origin), alias)
    lateral = "LATERAL " if is_lateral else ""
    return TableText(f"{lateral}({query.nested_sql}) AS {text}", table, None if is_lateral else query)


def _distinct(columns: Sequence[Field]) -> list[str]:
    """Return the names of columns, with a number added to repeated ones."""
    found: list[str] = []
    seen: set[str] = set()
    for column in columns:
        name, count = column.name, 0
        while fold(name) in seen:
            count += 1
            name = f"{column.name}_{count}"
        seen.add(fold(name))
        found.append(name)
    return found


def _apply_alias(table: Table, alias: exp.Expr | None) -> Table:
    """Apply an alias to a table, with the alias's names of columns."""
    if alias is None:
        return table
    name = (alias.this.name,) if alias.this is not None else table.name
    given = [one.name for one in alias.args.get("columns") or ()]
    if len(given) > len(table.columns):
        raise InvalidInputError(
            f'Binder Error: table "{name[-1]}" has {len(table.columns)} columns available but {len(given)} columns'
            " specified"
        )
    columns = [replace(column, name=one) for column, one in zip(table.columns, given, strict=False)]
    return replace(table, name=name, columns=(*columns, *table.columns[len(given) :]))


def _common(common: CommonTable) -> BoundQuery:
    if common.is_recursive:
        return bind_recursive(common)

    def bind() -> BoundQuery:
        return common.environment.bind(common.query, common.environment)

    bound = common.environment.reading.define(common, bind) if common.is_shared else bind()
    return with_names(bound, common.column_names, common.name)


def _view(view: StoredQuery, node: exp.Expr, environment: Environment) -> BoundQuery:
    inner = replace(environment, names=view.names, common={}, outer=None, depth=environment.deeper())
    tree = environment.reading.view_tree(node, view, parse_query)
    return with_names(environment.bind(tree, inner), view.column_names, view.name)


def _function(node: exp.Table, environment: Environment, beside: Scope) -> TableText:
    found = bind_table_function(node, environment, beside)
    alias = node.args.get("alias")
    if isinstance(found, Relation):
        return scan_table(found, environment, alias, node=node)
    if isinstance(found, StoredQuery):
        return _derived_table(_view(found, node, environment), alias, (found.name,), environment)
    name = found.query.columns[0].name if isinstance(node.this, exp.GenerateSeries) else function_name(node.this)
    return _derived_table(found.query, alias, (name,), environment, is_lateral=found.is_lateral)


def _subquery(node: exp.Expr, environment: Environment, beside: Scope) -> TableText:
    """Bind a query in parentheses, which may use the tables before it."""
    alias = node.args.get("alias")
    inner = node
    if isinstance(node, exp.Lateral | exp.Subquery) and not _has_clauses(node):
        inner = node.this
    around = Scope(beside.reading, beside.tables, beside.merged, beside.outer)
    around.touched = set()
    own = replace(environment, outer=around, depth=environment.deeper())
    bound = environment.bind(inner, own)
    name = ("unnamed_subquery",) if alias is None or alias.this is None else (alias.this.name,)
    return _derived_table(bound, alias, name, environment, is_lateral=bool(around.touched))


def _has_clauses(node: exp.Expr) -> bool:
    return any(node.args.get(name) for name in ("order", "limit", "offset", "with_"))
