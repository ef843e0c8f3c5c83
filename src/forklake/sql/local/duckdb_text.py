"""The text of a bound query for DuckDB, in which scans take the place of tables.

Every kind of node that may occur is listed in `listed_nodes` or in `same_values`; a query with any other runs on Spark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from forklake.duck.calls import DESCENDING, MOST_PAIRS, pairs_error
from forklake.duck.json_depth import SHALLOW, SHALLOW_OR_NULL, SHALLOW_WITHIN
from forklake.model import types
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.types import Type
from forklake.sql.borne_names import names_of
from forklake.sql.expressions.bound import Bound, either
from forklake.sql.expressions.literals import is_too_long
from forklake.sql.expressions.nodes import call_arguments, function_name
from forklake.sql.expressions.render import BoundNode, render
from forklake.sql.expressions.variants import is_computed_here
from forklake.sql.local.exact_averages import exact_average
from forklake.sql.local.listed_nodes import NotListedError, check_listed, describe_part, has_variant_parts
from forklake.sql.local.same_types import WIDE, is_same_cast
from forklake.sql.local.same_values import describe_node, different_value, listed_arguments, listed_name
from forklake.sql.relation import TABLE_NUMBER, BoundQuery, Names, Parts, Scan


@dataclass(frozen=True, slots=True)
class LocalQuery:
    """A query in DuckDB's SQL.

    Attributes:
        text: The query; its tables are named as in ``scans``.
        scans: What each of them reads.
        names: The scans of the bound query that each of them stands for.
        row_count: How many rows it makes itself.
        is_only_here: Whether Spark does not compute it.
    """

    text: str
    scans: Mapping[str, Scan]
    names: Mapping[str, Sequence[str]]
    row_count: int
    is_only_here: bool = False


def local_query(bound: BoundQuery) -> LocalQuery | str:
    """Return a query for the in-process engine, or the reason why it runs on Spark.

    The reason does not depend on what the tables hold.
    """
    parts = bound.parts
    if parts is None:
        return "its columns are found by Spark first"
    if parts.mixes_types:
        return "columns of different types become one"
    only_here = computed_only_here(parts) is not None
    found = None if only_here else different_value(parts.values)
    if found is not None:
        return f"{found} is left to Spark"
    writer = _Writer(parts, bound.scans, is_only_here=only_here)
    try:
        tree = writer.write(parts.tree, parts.names)
        if parts.conformed:
            tree = _conform(tree, parts, is_only_here=only_here)
        text = render(tree, copy=False, identify=True)
        return LocalQuery(text, writer.scans, writer.names, writer.row_count, only_here)
    except NotListedError as error:
        return str(error)
    except RecursionError:
        return "the query is nested deeply"


def computed_only_here(parts: Parts) -> str | None:
    """Return which values of a query Spark does not compute, if there are any.

    A query with such values needs no answer that is the same on both engines.
    """
    if any(is_too_long(value.sql) for _, value in parts.values):
        return "integers of more than 38 digits"
    is_cast = any(
        number is not None and field.type == types.VARIANT != parts.given[number].type
        for field, number in parts.conformed
    )
    is_variant = is_cast or any(is_computed_here(value) for _, value in parts.values)
    return "values of type VARIANT" if is_variant else None


class _Writer:
    """Writes the trees of a query and of its views, with scans instead of tables."""

    def __init__(self, parts: Parts, scans: Mapping[str, Scan], *, is_only_here: bool) -> None:
        self.is_only_here = is_only_here
        self._parts = parts
        self._all = scans
        self._kinds = {id(node): bound for node, bound in parts.values}
        self.row_count = 0
        self.scans: dict[str, Scan] = {}
        self.names: dict[str, Sequence[str]] = {}

    def write(self, tree: exp.Query, names: Names) -> exp.Expr:
        """Return a copy of a tree whose tables are scans."""
        holder = exp.Paren(this=tree.copy())
        originals = {}
        if tree.find(exp.Avg) is not None:  # alone asks for them
            originals = {id(copy): one for one, copy in zip(tree.walk(), holder.this.walk(), strict=True)}
        _Tree(self, names, originals).visit(holder.this, frozenset())
        found: exp.Expr = holder.this
        return found

    def value_of(self, original: exp.Expr) -> Bound | None:
        """Return what a node of the query was bound to, if it was bound by itself."""
        return self._kinds.get(id(original))

    def table(self, node: exp.Table) -> exp.Expr:
        """Return what takes the place of a table in FROM."""
        number = node.meta.get(TABLE_NUMBER, -1)
        if number in self._parts.views:
            tree, view = self._parts.views[number]
            columns = [exp.to_identifier(name, quoted=True) for name in view.column_names]
            alias = exp.TableAlias(this=_alias(node), columns=columns or None)
            return exp.Subquery(this=self.write(tree, view.names), alias=alias)
        scans = [self._all[name] for name in self._parts.scans.get(number, ())]
        if not scans and isinstance(node.this, exp.GenerateSeries):
            return self._series(node)
        if not scans:
            raise NotListedError(describe_node(node))
        name = f"s{number}"
        self.scans[name], self.names[name] = _unite(scans), self._parts.scans[number]
        return exp.Table(this=exp.to_identifier(name, quoted=True), alias=exp.TableAlias(this=_alias(node)))

    def _series(self, node: exp.Table) -> exp.Expr:
        """Return numbers in a row as DuckDB makes them, and count them."""
        series = node.this
        numbers = [_whole_number(series.args.get(part)) for part in ("start", "end", "step")]
        start, end, step = (numbers[0] or 0, numbers[1] or 0, numbers[2] or 1)
        if None in numbers[:2] or (series.args.get("step") is not None and not numbers[2]):
            raise NotListedError(describe_node(node))
        is_open = series.args.get("is_end_exclusive")
        behind = end if is_open else end + (1 if step > 0 else -1)
        self.row_count += max(0, -((start - behind) // step))  # there may be more than a range of Python counts
        arguments = [exp.Literal.number(one) for one in (start, end, step)]
        made: exp.Expr = node.copy()
        made.set("this", exp.Anonymous(this="range" if is_open else "generate_series", expressions=arguments))
        return made

    def virtual_columns(self, node: exp.Expr) -> list[str]:
        """Return the virtual columns that a table needs, which ``*`` must not show."""
        scans = [self._all[name] for name in self._parts.scans.get(node.meta.get(TABLE_NUMBER, -1), ())]
        own = {column for scan in scans for column in scan.columns}
        return [one.name for scan in scans[:1] for one in scan.relation.virtual if one.name in own]


def _conform(tree: exp.Expr, parts: Parts, *, is_only_here: bool) -> exp.Select:
    """Return a query for the columns of a table, with casts and defaults."""
    shown: list[exp.Expr] = []
    for field, number in parts.conformed:
        if number is None:
            shown.append(_cast(_default(field), field.type))
            continue
        given = parts.given[number]
        is_alike = is_only_here or given.type == field.type
        if not is_alike and not is_same_cast(Bound("", given.type), field.type):
            raise NotListedError(f'column "{field.name}" of {given.type.sql_name}')
        value = exp.column(f"c{number}", table="given", quoted=True)
        shown.append(value if given.type == field.type else _cast(value, field.type))
    names = [exp.to_identifier(f"c{number}", quoted=True) for number in range(len(parts.given))]
    alias = exp.TableAlias(this=exp.to_identifier("given", quoted=True), columns=names)
    return exp.Select(expressions=shown, from_=exp.From(this=exp.Subquery(this=tree, alias=alias)))


def _default(field: Field) -> exp.Expr:
    if field.default is None:
        return exp.Null()
    value = Bound("", types.VARCHAR, literal=field.default)
    if field.default_is_expression or not is_same_cast(value, field.type):
        raise NotListedError(f'the default of column "{field.name}"')
    return exp.Literal.string(field.default)


def _cast(value: exp.Expr, kind: Type) -> exp.Cast:
    return exp.Cast(this=value, to=exp.DataType.build(kind.sql_name, dialect="duckdb"))


def _whole_number(node: exp.Expr | None) -> int | None:
    """Return the number that a constant says; None if it is none."""
    is_negative = isinstance(node, exp.Neg)
    literal = node.this if is_negative and node is not None else node
    if not isinstance(literal, exp.Literal) or literal.is_string or not literal.name.isdecimal():
        return None
    return -int(literal.name) if is_negative else int(literal.name)


def _alias(node: exp.Table) -> exp.Identifier:
    alias = node.args.get("alias")
    if alias is not None and alias.args.get("columns"):
        raise NotListedError("a table with new names of columns")
    name = alias.name if alias is not None and alias.this is not None else _own_name(node)
    return exp.to_identifier(name, quoted=True)


def _own_name(node: exp.Table) -> str:
    return function_name(node.this) if isinstance(node.this, exp.Func) else node.name


def _unite(scans: list[Scan]) -> Scan:
    """Return one scan for all that read a table in FROM.

    There are several where the table is part of a query that is used several times.
    """
    wanted = {name for scan in scans for name in scan.columns}
    relation = scans[0].relation
    columns = tuple(one.name for one in (*relation.columns, *relation.virtual) if one.name in wanted)
    top = scans[0].top if len(scans) == 1 else None
    return Scan(relation, columns, either(scan.predicate for scan in scans), top=top)


@dataclass(slots=True)
class _Tree:
    """One tree while it is written."""

    writer: _Writer
    names: Names
    originals: Mapping[int, exp.Expr]

    def visit(self, node: exp.Expr, common: frozenset[str]) -> None:
        """Check a node and all below it, and put scans in place of tables.

        ``common`` are the tables of WITH that it sees, by their names in lower case.
        """
        if isinstance(node, exp.Query) and node.args.get("with_") is not None:
            common = self._visit_common(node.args["with_"], common)
        match node:
            case exp.Table():
                self._visit_table(node, common)
                return
            case BoundNode():
                node.replace(_constant(node.bound))
                return
            case exp.Select():
                self._check_stars(node)
            case exp.Dot() if not isinstance(node.expression, exp.Identifier) and not self.writer.is_only_here:
                raise NotListedError("this field")
        if not (self.writer.is_only_here and has_variant_parts(node)):
            check_listed(node)
        if isinstance(node, exp.Func) and names_of(node, self.names).macro((function_name(node),)):
            raise NotListedError(f'macro "{function_name(node)}"')
        averaged = self._average_type(node) if isinstance(node, exp.Avg) else types.FLOAT64
        for part in list(node.iter_expressions()):
            if not isinstance(part, exp.With):
                self.visit(part, common)
        if averaged != types.FLOAT64 and isinstance(node, exp.Avg):
            node.replace(exact_average(node, averaged))
        if isinstance(node, exp.Cast):
            _check_depth_of_cast(node)
        elif isinstance(node, exp.Func):
            _check_depths_of_arguments(node)
        name = listed_name(node)
        if name is not None and isinstance(node, exp.Func):
            # As it was called: the parser has other names for some functions, and writes them in other ways.
            given = listed_arguments(node, name)
            if name in MOST_PAIRS:
                given[1] = _in_reach(name, *given[:2])
            node.replace(exp.Anonymous(this=name, expressions=given))

    def _visit_common(self, clause: exp.With, common: frozenset[str]) -> frozenset[str]:
        if clause.args.get("recursive"):
            raise NotListedError("WITH RECURSIVE")
        for one in clause.expressions:
            for part, value in one.args.items():
                if value and part not in ("this", "alias"):
                    raise NotListedError("this WITH")
            self.visit(one.this, common)
            common |= {fold(one.alias)}
        return common

    def _visit_table(self, node: exp.Table, common: frozenset[str]) -> None:
        for part, value in node.args.items():
            if value and part not in _TABLE:
                raise NotListedError(describe_part(node, part))
        is_bare = not node.args.get("db") and node.args.get("when") is None
        if is_bare and isinstance(node.this, exp.Identifier) and fold(node.name) in common:
            return
        node.replace(self.writer.table(node))

    def _check_stars(self, node: exp.Select) -> None:
        """Let ``*`` leave out the virtual columns that scans give beside the others."""
        source, joins = node.args.get("from_"), node.args.get("joins") or []
        tables = [one.this for one in (*([source] if source is not None else []), *joins)]
        hidden = [
            name for table in tables if isinstance(table, exp.Table) for name in self.writer.virtual_columns(table)
        ]
        if not hidden:
            return
        if node.find(exp.Columns) is not None:
            raise NotListedError("a virtual column beside COLUMNS")
        shown = [one.this if isinstance(one, exp.Column) else one for one in node.expressions]
        stars = [one for one in shown if isinstance(one, exp.Star)]
        is_natural = any(one.args.get("method") for one in joins)
        rows = {fold(table.alias_or_name) for table in tables}
        if any(not one.table and fold(one.name) in rows for one in node.find_all(exp.Column)) or is_natural:
            raise NotListedError("a virtual column in this query")
        if stars and len(tables) > 1:
            raise NotListedError("a virtual column beside *")
        for star in stars:
            left_out = [exp.to_identifier(name, quoted=True) for name in hidden]
            star.set("except_", [*(star.args.get("except_") or ()), *left_out])

    def _average_type(self, node: exp.Avg) -> Type:
        """Return the type of the numbers that are averaged."""
        value = node.this.expressions[0] if isinstance(node.this, exp.Distinct) else node.this
        bound = self.writer.value_of(self.originals[id(value)]) if id(value) in self.originals else None
        if bound is None or (bound.type != types.FLOAT64 and isinstance(node.parent, exp.Filter)):
            raise NotListedError("this average")
        return bound.type


def _in_reach(name: str, first: exp.Expr, second: exp.Expr) -> exp.Expr:
    """Return the second text, an error if there are too many pairs of letters."""
    lengths = [exp.Length(this=text.copy()) for text in (first, second)]
    pairs = exp.Mul(this=_cast(lengths[0], types.INT64), expression=lengths[1])
    error = exp.Anonymous(this="error", expressions=[exp.Literal.string(pairs_error(name))])
    return exp.Case().when(pairs > MOST_PAIRS[name], error).else_(second.copy())


def _check_depth_of_cast(node: exp.Cast) -> None:
    """Let a cast to JSON refuse what is nested too deeply.

    Whatever DuckDB goes down into, as a cast of JSON to VARIANT, is such JSON: columns of JSON are left to Spark.
    """
    if not any(one.is_type(exp.DataType.Type.JSON) for one in node.to.find_all(exp.DataType)):
        return
    plain = SHALLOW_OR_NULL if isinstance(node, exp.TryCast) else SHALLOW
    name = plain if node.to.is_type(exp.DataType.Type.JSON) else SHALLOW_WITHIN
    node.replace(exp.Anonymous(this=name, expressions=[node.copy()]))


def _check_depths_of_arguments(node: exp.Func) -> None:
    """Let a function of JSON refuse arguments that are nested too deeply."""
    for argument in call_arguments(node)[: _DOCUMENTS.get(function_name(node).lower(), 0)]:
        argument.replace(exp.Anonymous(this=SHALLOW, expressions=[argument.copy()]))


def _constant(bound: Bound) -> exp.Expr:
    """Return the node of a constant, such as a parameter's value."""
    if bound.type == types.NULL:
        return exp.Null()
    if bound.literal is None:
        raise NotListedError("this constant")
    if bound.type in (types.INT32, types.INT64):
        number = exp.Literal.number(bound.literal.lstrip("-"))
        is_short = -(2**31) <= int(bound.literal) < 2**31
        if is_short == (bound.type == types.INT32):
            return exp.Paren(this=exp.Neg(this=number)) if bound.literal.startswith("-") else number
    if bound.type == types.VARCHAR or bound.type in _CONSTANTS:
        return _cast(exp.Literal.string(bound.literal), bound.type)
    raise NotListedError(f"a parameter of type {bound.type.sql_name}")


_DOCUMENTS: Final = {
    **DESCENDING,
    "json": 1,
    "json_extract": 1,
    "json_extract_path": 1,
    "from_json": 1,
    "from_json_strict": 1,
}
"""Functions that go down into JSON, or give what is in it, and how many of their first arguments are JSON."""
_TABLE: Final = frozenset({"this", "db", "catalog", "alias", "when"})
_CONSTANTS: Final = frozenset({*WIDE, types.FLOAT64, types.DATE, types.TIMESTAMP, types.BOOLEAN, types.UUID})
