"""Rows for INSERT: values cast to the types of their columns, and defaults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from forklake.errors import InvalidInputError, NotFoundError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.types import Type
from forklake.model.types.shapes import shape_of
from forklake.sql.borne_names import bear_names
from forklake.sql.expressions.bound import Bound, is_null
from forklake.sql.expressions.coercion import cast, constant
from forklake.sql.expressions.columns import find
from forklake.sql.expressions.expression import ExpressionBinder
from forklake.sql.expressions.expression_site import Site
from forklake.sql.expressions.literals import ducklake_text
from forklake.sql.parse import parse_expression
from forklake.sql.query.bind import bind_query, expected_types
from forklake.sql.relation import BoundQuery, Names
from forklake.sql.relation_names import GivenNames
from forklake.sql.statements import Insert

_GIVEN = "given"
_PARTS_OF_LITERALS = (
    *(exp.Literal, exp.Boolean, exp.Null, exp.Neg, exp.Paren, exp.Interval, exp.Var),
    *(exp.Cast, exp.DataType, exp.DataTypeParam),
)
"""The nodes that a literal with a type around it consists of."""


def bind_insert(statement: Insert, table: str, fields: Sequence[Field], names: Names) -> BoundQuery:
    """Bind an INSERT to the query for the rows that it adds.

    The query has one column for each column of the table, in order and of its type.

    Raises:
        InvalidInputError: There are more or fewer values than columns, or a value cannot be cast.
        NotFoundError: The table does not have one of the columns.
    """
    columns = _target_columns(statement.columns, table, fields)
    if statement.query is None:
        return _defaults(fields)
    query = _without_keywords(statement.query, columns)
    bound = bind_query(query, names, () if statement.by_name else columns, keeps_null=True)
    if statement.by_name:
        columns = _target_columns([field.name for field in bound.columns], table, fields)
    if len(columns) != len(bound.columns):
        said = f"table {table} has {len(columns)} columns" if not statement.columns else f"{len(columns)} columns named"
        raise InvalidInputError(
            f"Binder Error: {said} but {len(bound.columns)} values were supplied; nothing was inserted."
        )
    given = {field.column_id: number for number, field in enumerate(columns)}
    return conform(bound, [(field, given.get(field.column_id)) for field in fields])


def conform(bound: BoundQuery, columns: Sequence[tuple[Field, int | None]]) -> BoundQuery:
    """Rewrite a query to return the given columns.

    Each column has its type, and the number of the value that it takes. A column without one has its default.

    Raises:
        InvalidInputError: A value cannot be cast.
    """
    fields = tuple(field for field, _ in columns)
    if bound.constants is not None:
        rows = _cast_constants(bound, columns)
        if rows is not None:
            return replace(bound, columns=fields, constants=rows)
    values = []
    for place, (field, number) in enumerate(columns):
        value = default_of(field) if number is None else _column(bound.columns[number], number)
        values.append(f"{cast(value, field.type).sql} AS c{place}")
    sql = f"SELECT {', '.join(values)} FROM ({bound.sql}) AS {_GIVEN}"
    parts = None if bound.parts is None else replace(bound.parts, conformed=tuple(columns), given=bound.columns)
    return replace(bound, sql=sql, columns=fields, projection=None, constants=None, totals=(), parts=parts)


def default_of(field: Field) -> Bound:
    """Return the default value of a column."""
    if field.default is None:
        return Bound("NULL", types.NULL)
    if field.default_is_expression:
        return ExpressionBinder(Site()).bind(parse_expression(field.default))
    # It is kept as it was written: 1.0 for an INTEGER.
    return constant(field.type, ducklake_text(field.default, field.type))


def resolve_default(text: str, kind: Type) -> tuple[str | None, bool]:
    """Return the default that a text means, and whether it stays an expression.

    A literal with a type around it (``DATE '2020-01-01'``, ``'1'::INTEGER``, ``INTERVAL 3 DAY``) becomes the
    literal of that value; NULL is no default. Any other expression is computed for each insert.

    Raises:
        InvalidInputError: No row could ever have it: it cannot be read, names a column or an unknown function,
            or is no value of the type.
    """
    tree = parse_expression(text)
    value = ExpressionBinder(Site()).bind(tree)
    if any(not isinstance(node, _PARTS_OF_LITERALS) for node in tree.walk()):
        return text, True
    settled = cast(value, kind)
    return settled.literal, settled.literal is None and not is_null(value)


def default_node(field: Field) -> exp.Expr:
    """Return the default of a column as an expression.

    It is computed from nothing, wherever it stands: it names nothing of the statement that uses it.

    Raises:
        InvalidInputError: It names a column, a query or a function that is no function of values.
    """
    if field.default is None:
        return exp.Null()
    if not field.default_is_expression:
        return exp.Literal.string(field.default)
    default_of(field)
    return bear_names(parse_expression(field.default), GivenNames({}))


def _target_columns(names: Sequence[str], table: str, fields: Sequence[Field]) -> list[Field]:
    if not names:
        return list(fields)
    chosen: list[Field] = []
    for name in names:
        field = find(fields, name)
        if field is None:
            raise NotFoundError(f'Binder Error: Table "{table}" does not have a column with name "{name}"')
        if field in chosen:
            raise InvalidInputError(f'Binder Error: Duplicate column name "{name}" in INSERT')
        chosen.append(field)
    return chosen


def _without_keywords(query: exp.Query, columns: Sequence[Field]) -> exp.Query:
    """Return a query with defaults in place of the keyword DEFAULT in VALUES.

    Where there are variants, each value is cast by itself: values of different types become variants.
    """
    values = query.find(exp.Values)
    has_keywords = values is not None and any(is_default(cell) for row in values.expressions for cell in _cells(row))
    has_variants = any(field.type == types.VARIANT for field in columns) and expected_types(query, columns) is not None
    if not has_keywords and not has_variants:
        return query
    copy = query.copy()
    values = copy.find(exp.Values)
    assert values is not None
    for row in values.expressions:
        for field, cell in zip(columns, _cells(row), strict=False):
            if is_default(cell):
                cell.replace(default_node(field))
            elif has_variants:
                cell.replace(exp.Cast(this=cell.copy(), to=exp.DataType.build(field.type.sql_name, dialect="duckdb")))
    return copy


def _cells(row: exp.Expr) -> list[exp.Expr]:
    return list(row.expressions) if isinstance(row, exp.Tuple) else [row]


def is_default(cell: exp.Expr) -> bool:
    """Return whether an expression is the keyword DEFAULT."""
    is_word = isinstance(cell, exp.Var) or (isinstance(cell, exp.Column) and not cell.this.args.get("quoted"))
    return is_word and fold(cell.name) == "default"


def _column(field: Field, number: int) -> Bound:
    return Bound(f"{_GIVEN}.c{number}", shape_of(field.type))


def _cast_constants(
    bound: BoundQuery, columns: Sequence[tuple[Field, int | None]]
) -> tuple[tuple[str | None, ...], ...] | None:
    """Cast rows of constants to the types of columns.

    Return None if a value cannot be cast without Spark.
    """
    assert bound.constants is not None
    defaults = [default_of(field) for field, number in columns if number is None]
    if any(value.literal is None and value.type != types.NULL for value in defaults):
        return None
    as_they_are = {
        number for field, number in columns if number is not None and bound.columns[number].type == shape_of(field.type)
    }
    rows = []
    for row in bound.constants:
        cells: list[str | None] = []
        for field, number in columns:
            if number in as_they_are:
                cells.append(row[number])
                continue
            value = default_of(field) if number is None else _constant(bound.columns[number], row[number])
            if value is None:
                cells.append(None)
                continue
            found = cast(value, field.type)
            if found.literal is None and value.type != types.NULL:
                return None
            cells.append(found.literal)
        rows.append(tuple(cells))
    return tuple(rows)


def _constant(field: Field, text: str | None) -> Bound | None:
    return None if text is None else replace(constant(field.type, text), is_untyped=field.type == types.VARCHAR)


def _defaults(fields: Sequence[Field]) -> BoundQuery:
    row = [default_of(field) for field in fields]
    values = [cast(value, field.type) for value, field in zip(row, fields, strict=True)]
    is_constant = all(value.literal is not None or value.type == types.NULL for value in row)
    sql = "SELECT " + ", ".join(f"{value.sql} AS c{place}" for place, value in enumerate(values))
    constants = (tuple(value.literal for value in values),) if is_constant else None
    return BoundQuery(sql, tuple(fields), constants=constants)
