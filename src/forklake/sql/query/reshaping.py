"""PIVOT, UNPIVOT and SUMMARIZE: the plain queries that they stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.sql.expressions.render import render
from forklake.sql.query.environment import Environment, Reading, whole_query
from forklake.sql.query.output_names import output_name
from forklake.sql.relation import BoundQuery

_MOST_CELLS: Final = 10_000
"""The most columns that a PIVOT makes; Spark plans each of them."""


def reshape(node: exp.Pivot | exp.Summarize, source: exp.Expr, environment: Environment) -> exp.Query:
    """Return the plain query of a PIVOT, an UNPIVOT or a SUMMARIZE.

    A PIVOT that does not list its values reads them now, so that the columns of the result are known.

    Args:
        node: What is done.
        source: The table or query that it is done to, as an item of FROM.
        environment: Where its names are looked up.

    Raises:
        InvalidInputError: It asks for something that is not supported.
        NotFoundError: Something that it names does not exist.
    """
    if isinstance(node, exp.Summarize):
        return _summary(source, _bind(_all_of(source), environment).columns)
    return _longer(node, source, environment) if node.args.get("unpivot") else _wider(node, source, environment)


def _bind(query: exp.Query, environment: Environment) -> BoundQuery:
    """Bind a query apart from the one around it."""
    reading = Reading()
    return whole_query(environment.bind(query, replace(environment, reading=reading)), reading)


def _all_of(source: exp.Expr) -> exp.Select:
    return exp.Select(expressions=[exp.Star()], from_=exp.From(this=source.copy()))


def _name(text: str) -> exp.Identifier:
    return exp.to_identifier(text, quoted=True)


def _column(text: str) -> exp.Column:
    return exp.Column(this=_name(text))


def _text(node: exp.Expr) -> exp.Cast:
    return exp.Cast(this=node, to=exp.DataType.build("VARCHAR", dialect="duckdb"))


# ---- PIVOT -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Key:
    """An expression of ON, with the values that become columns and their names."""

    test: exp.Expr
    values: Sequence[tuple[str, exp.Expr]]


def _wider(node: exp.Pivot, source: exp.Expr, environment: Environment) -> exp.Select:
    is_statement = bool(node.args.get("this"))
    asked = node.expressions if is_statement else node.args.get("fields") or []
    cells = (node.args.get("using") or []) if is_statement else node.expressions
    if not asked:
        raise InvalidInputError(
            "Binder Error: this PIVOT has no ON, so no values become columns; nothing was computed.",
            hint="Without ON it is a query with GROUP BY.",
        )
    keys = [_key(one, source, environment) for one in asked]
    cells = cells or [exp.Count(this=exp.Star())]
    group = node.args.get("group")
    if group is None:
        used = {fold(column.name) for one in (*asked, *cells) for column in one.find_all(exp.Column)}
        names = [one.name for one in _bind(_all_of(source), environment).columns if fold(one.name) not in used]
        groups: list[exp.Expr] = [_column(name) for name in names]
    else:
        groups = [one.copy() for one in group.expressions]
    shown: list[exp.Expr] = list(groups)
    for combination in product(*(key.values for key in keys)):
        tests = [_equals(key.test, value) for key, (_, value) in zip(keys, combination, strict=True)]
        label = "_".join(name for name, _ in combination)
        shown += [_cell(cell, exp.and_(*tests), label, is_only=len(cells) == 1) for cell in cells]
        if len(shown) > _MOST_CELLS:
            raise InvalidInputError(
                f"Binder Error: this PIVOT has more than {_MOST_CELLS} columns; nothing was computed.",
                hint="Say which values become columns: ON column IN (...).",
            )
    made = exp.Select(expressions=shown, from_=exp.From(this=source.copy()))
    if groups:
        made.set("group", exp.Group(expressions=[one.copy() for one in groups]))
    return made


def _key(node: exp.Expr, source: exp.Expr, environment: Environment) -> _Key:
    if not isinstance(node, exp.In):
        key = exp.alias_(node.copy(), "k")
        query = exp.Select(expressions=[key], from_=exp.From(this=source.copy()), distinct=exp.Distinct())
        query.set("where", exp.Where(this=exp.Not(this=exp.Is(this=exp.paren(node.copy()), expression=exp.null()))))
        query.set("order", exp.Order(expressions=[exp.Ordered(this=exp.Literal.number(1))]))
        outer = exp.Select(expressions=[_text(exp.column("k"))], from_=exp.From(this=exp.Subquery(this=query)))
        found = environment.names.computed_rows(_bind(outer, environment))
        return _Key(_text(node.copy()), [(str(value), exp.Literal.string(value)) for (value,) in found])
    if node.args.get("query") or node.args.get("unnest") or node.args.get("field"):
        raise InvalidInputError(f"The values of a PIVOT are listed, not computed: {render(node)}")
    values = []
    for one in node.expressions:
        is_named = isinstance(one, exp.Alias | exp.PivotAlias)
        value = one.this if is_named else one
        values.append((one.args["alias"].name if is_named else _label(value), value))
    return _Key(node.this, values)


def _label(value: exp.Expr) -> str:
    if isinstance(value, exp.Boolean):
        return str(value.this).lower()
    inner = value.this if isinstance(value, exp.Cast) else value
    return inner.name if isinstance(inner, exp.Column | exp.Literal) else render(value)


def _equals(test: exp.Expr, value: exp.Expr) -> exp.Expr:
    # A bare word in IN means its text.
    said = exp.Literal.string(value.name) if isinstance(value, exp.Column) else value.copy()
    return exp.NullSafeEQ(this=exp.paren(test.copy()), expression=said)


def _cell(cell: exp.Expr, test: exp.Expr, label: str, *, is_only: bool) -> exp.Expr:
    """Return an aggregate of the rows that belong to one column of the result."""
    value = cell.this if isinstance(cell, exp.Alias) else cell
    name = cell.alias if isinstance(cell, exp.Alias) else "" if is_only else output_name(cell)
    made = value.copy()
    for one in list(made.find_all(exp.AggFunc, exp.Anonymous)):
        filtered = exp.Filter(this=one.copy(), expression=exp.Where(this=test.copy()))
        if isinstance(one, exp.Anonymous) or isinstance(one.parent, exp.Filter):
            continue
        made = filtered if one is made else made
        if one.parent is not None:
            one.replace(filtered)
    return exp.alias_(made, f"{label}_{name}" if name else label, quoted=True)


# ---- UNPIVOT ---------------------------------------------------------------------------------------------------------


def _longer(node: exp.Pivot, source: exp.Expr, environment: Environment) -> exp.Select:
    if node.args.get("this"):
        into = node.args.get("into")
        label = "name" if into is None else into.this.name
        values = ["value"] if into is None else [one.name for one in into.expressions]
        asked = node.expressions
    else:
        (field,) = node.args["fields"]
        label, asked = field.this.name, field.expressions
        given = node.expressions[0]
        values = [one.name for one in (given.expressions if isinstance(given, exp.Tuple) else [given])]
    columns: list[tuple[str, list[exp.Expr]]] = []
    for one in asked:
        columns += _unpivot_columns(one, source, environment)
    if any(len(parts) != len(values) for _, parts in columns):
        raise InvalidInputError("Binder Error: UNPIVOT value count mismatch: each item has a column for each value.")
    used = [part for _, parts in columns for one in parts for part in one.find_all(exp.Column)]
    star = exp.Star(except_=[_name(name) for name in dict.fromkeys(column.name for column in used)])
    shown = {fold(one.name) for one in _bind(_all_of(source), environment).columns}
    is_rest = bool(shown - {fold(column.name) for column in used})
    lists: list[exp.Expr] = [
        _unnest_as([exp.Literal.string(name) for name, _ in columns], label),
        *(_unnest_as([parts[place] for _, parts in columns], value) for place, value in enumerate(values)),
    ]
    made = exp.Select(expressions=[star, *lists] if is_rest else lists, from_=exp.From(this=source.copy()))
    if node.args.get("include_nulls"):
        return made
    known = [exp.Not(this=exp.Is(this=_column(value), expression=exp.null())) for value in values]
    return exp.Select(
        expressions=[exp.Star()],
        from_=exp.From(this=exp.Subquery(this=made, alias=exp.TableAlias(this=_name("unpivot")))),
        where=exp.Where(this=exp.and_(*known)),
    )


def _unnest_as(values: Sequence[exp.Expr], name: str) -> exp.Expr:
    listed = exp.Array(expressions=[value.copy() for value in values])
    return exp.alias_(exp.Explode(this=listed), name, quoted=True)


def _unpivot_columns(node: exp.Expr, source: exp.Expr, environment: Environment) -> list[tuple[str, list[exp.Expr]]]:
    """Return the columns that one item of ON stands for, each with its label.

    The label is the name of the column that an expression reads, as the table has it.
    """
    label = node.alias if isinstance(node, exp.Alias | exp.PivotAlias) else ""
    inner = (node.this if isinstance(node, exp.Alias | exp.PivotAlias) else node).unnest()
    chosen = next(inner.find_all(exp.Columns, exp.Star), None)
    if chosen is not None:
        query = exp.Select(expressions=[chosen.copy()], from_=exp.From(this=source.copy()))
        names = [one.name for one in _bind(query, environment).columns]
        return [(name, [_put_in_place(inner, chosen, _column(name))]) for name in names]
    parts = list(inner.expressions) if isinstance(inner, exp.Tuple) else [inner]
    known = {fold(one.name): one.name for one in _bind(_all_of(source), environment).columns}
    names = [_only_column(part, known) for part in parts]
    return [(label or "_".join(names), parts)]


def _put_in_place(whole: exp.Expr, part: exp.Expr, other: exp.Expr) -> exp.Expr:
    return other if whole is part else whole.transform(lambda one: other.copy() if one == part else one)


def _only_column(part: exp.Expr, known: Mapping[str, str]) -> str:
    """Return the name of the one column of a key, as the table has it."""
    read = list(dict.fromkeys(fold(column.name) for column in part.find_all(exp.Column)))
    if len(read) != 1:
        said = "contains multiple" if read else "does not contain any"
        raise InvalidInputError(
            f'Binder Error: UNPIVOT clause must contain exactly one column - expression "{render(part)}" {said}.'
        )
    if read[0] not in known:
        raise InvalidInputError(
            f'Binder Error: Column "{read[0]}" referenced in UNPIVOT but no matching entry was found in the table'
        )
    return known[read[0]]


# ---- SUMMARIZE -------------------------------------------------------------------------------------------------------

_TOTALS: Final = ("min", "max", "approx_unique", "avg", "std", "q25", "q50", "q75", "count", "null_percentage")


def _summary(source: exp.Expr, columns: Sequence[Field]) -> exp.Select:
    """Return a query with a row of totals for each column; it reads the rows once."""
    described = [
        exp.Struct(
            expressions=[
                exp.PropertyEQ(this=_name(name), expression=value)
                for name, value in (
                    ("column_name", exp.Literal.string(one.name)),
                    ("column_type", exp.Literal.string(one.type.sql_name)),
                    *zip(_TOTALS, _totals(one), strict=True),
                )
            ]
        )
        for one in columns
    ]
    totals = exp.Select(
        expressions=[exp.alias_(exp.Array(expressions=described), "all_columns")], from_=exp.From(this=source.copy())
    )
    rows = exp.Select(
        expressions=[exp.alias_(exp.Explode(this=exp.column("all_columns")), "one")],
        from_=exp.From(this=exp.Subquery(this=totals, alias=exp.TableAlias(this=_name("totals")))),
    )
    names = ("column_name", "column_type", *_TOTALS)
    return exp.Select(
        expressions=[
            exp.alias_(exp.Dot(this=exp.column("one"), expression=_name(name)), name, quoted=True) for name in names
        ],
        from_=exp.From(this=exp.Subquery(this=rows, alias=exp.TableAlias(this=_name("summary")))),
    )


def _totals(field: Field) -> list[exp.Expr]:
    column, kind = _column(field.name), field.type
    is_number = isinstance(kind, types.Number)
    is_ordered = is_number or isinstance(kind, types.Date | types.Timestamp | types.Time)
    nothing, is_map = _text(exp.null()), isinstance(kind, types.Map | types.Variant | types.Geometry)
    quantiles = [
        _text(exp.PercentileDisc(this=column.copy(), expression=exp.Literal.number(part)))
        if is_ordered
        else nothing.copy()
        for part in ("0.25", "0.5", "0.75")
    ]
    missing = exp.Sub(this=exp.Count(this=exp.Star()), expression=exp.Count(this=column.copy()))
    share = exp.Div(
        this=exp.Mul(this=exp.Literal.number("100.0"), expression=exp.paren(missing)),
        expression=exp.Nullif(this=exp.Count(this=exp.Star()), expression=exp.Literal.number(0)),
    )
    return [
        nothing.copy() if is_map else _text(exp.Min(this=column.copy())),
        nothing.copy() if is_map else _text(exp.Max(this=column.copy())),
        exp.cast(exp.null(), "BIGINT") if is_map else exp.ApproxDistinct(this=column.copy()),
        _text(exp.Avg(this=column.copy())) if is_number else nothing.copy(),
        _text(exp.Stddev(this=exp.cast(column.copy(), "DOUBLE"))) if is_number else nothing.copy(),
        *quantiles,
        exp.Count(this=exp.Star()),
        exp.cast(share, "DECIMAL(9,2)"),
    ]
