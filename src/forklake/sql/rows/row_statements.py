"""UPDATE, DELETE and MERGE: what they ask of rows and make of them, in Spark SQL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from forklake.errors import InvalidInputError, NotFoundError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.merge import Clause, Deed, Merge
from forklake.model.names import fold
from forklake.model.predicate import Condition
from forklake.sql import statements as said
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.coercion import cast
from forklake.sql.expressions.columns import TableSite, find
from forklake.sql.expressions.literals import quoted, spark_type
from forklake.sql.expressions.phrases import refusal
from forklake.sql.query.bind import bind_query
from forklake.sql.query.output_names import written
from forklake.sql.query.row_expressions import RowBinder
from forklake.sql.relation import BoundQuery, Names
from forklake.sql.rows.insertion import default_node, is_default
from forklake.sql.rows.matched_columns import MatchedColumns, given_name


@dataclass(frozen=True, slots=True)
class RowUpdate:
    """An update that looks at one row at a time: columns and what they become, and which rows."""

    values: tuple[tuple[str, str], ...]
    condition: Condition | None


@dataclass(frozen=True, slots=True)
class JoinedMerge:
    """A merge with the rows of a query; they are named as the merge's source."""

    query: BoundQuery
    merge: Merge


def bind_condition(
    where: exp.Expr, table: str, fields: Sequence[Field], names: Names | None = None, alias: str | None = None
) -> Condition:
    """Return a condition on the rows of a table.

    It may name the columns, with or without the table before them, fields of structs, and the lineage of rows.

    Raises:
        InvalidInputError: It says what cannot be said of one row; or, where there are no names of a session, it is of
            another type than BOOLEAN.
        NotFoundError: There is no such column.
    """
    return _condition(RowBinder(TableSite(alias or table, fields), names), where)


def bind_update(statement: said.Update, table: str, fields: Sequence[Field], names: Names | None = None) -> RowUpdate:
    """Return what an UPDATE does in which a row alone decides about itself.

    Raises:
        InvalidInputError: A column is set twice, or an expression is not understood.
        NotFoundError: There is no such column.
    """
    values = assigned_values(statement, table, fields)
    binder = RowBinder(TableSite(statement.alias or table, fields), names)
    condition = None if statement.where is None else _condition(binder, statement.where)
    return RowUpdate(
        tuple((field.name, cast(binder.bind(value), field.type).sql) for field, value in values), condition
    )


def assigned_values(statement: said.Update, table: str, fields: Sequence[Field]) -> list[tuple[Field, exp.Expr]]:
    """Return the columns that an UPDATE sets, and what to.

    Raises:
        InvalidInputError: A column is set twice.
        NotFoundError: There is no such column.
    """
    assigned = [(_column(name, table, fields), value) for name, value in statement.assignments]
    for place, (field, _) in enumerate(assigned):
        if any(field is other for other, _ in assigned[:place]):
            raise InvalidInputError(f'Binder Error: Multiple assignments to same column "{field.name}"')
    return [(field, default_node(field) if is_default(value) else value) for field, value in assigned]


def bind_delete(
    statement: said.Delete, table: str, fields: Sequence[Field], names: Names | None = None
) -> Condition | None:
    """Return which rows a DELETE deletes in which a row alone decides about itself; None for all.

    Raises:
        InvalidInputError: The condition is not understood.
        NotFoundError: There is no such column.
    """
    if statement.where is None:
        return None
    return bind_condition(statement.where, table, fields, names, statement.alias)


def bind_merge(statement: said.Merge, table: str, fields: Sequence[Field], names: Names) -> JoinedMerge:
    """Return what a MERGE does, and the query for its source.

    Raises:
        InvalidInputError: A condition or an expression is not understood, or a column is given twice.
        NotFoundError: There is no such column.
    """
    target, source_name = statement.alias or statement.table[-1], _source_name(statement)
    if source_name is not None and fold(source_name) == fold(target):
        raise InvalidInputError(
            f'Binder Error: Ambiguous reference to table "{target}" (duplicate alias "{target}", explicitly alias one'
            ' of the tables using "AS my_alias")'
        )
    source = exp.select("*").from_(statement.source.copy())
    if statement.with_ is not None:
        source.set("with_", statement.with_.copy())
    bound = bind_query(source, names, keeps_null=True)
    return JoinedMerge(bound, bind_merge_with(bound.columns, statement, table, fields, names))


def bind_merge_with(
    source: Sequence[Field],
    statement: said.Merge,
    table: str,
    fields: Sequence[Field],
    names: Names | None = None,
) -> Merge:
    """Return what a MERGE does with rows of a source that has these columns, whatever they are called in Spark.

    Raises:
        InvalidInputError: A condition or an expression is not understood, or a column is given twice.
        NotFoundError: There is no such column.
    """
    columns = MatchedColumns(statement.alias or table, fields, _source_name(statement), source)
    binder = RowBinder(columns, names)
    on = binder.expanded(_on(statement, table, fields, source))
    matches, keys = binder.condition(on).sql, tuple(columns.keys(on))
    clauses = tuple(_clauses(statement, binder, columns, fields, source, table))
    given = tuple(Field(None, given_name(place), field.type) for place, field in enumerate(source))
    return Merge(matches, clauses, given, keys)


# ---- UPDATE and DELETE -----------------------------------------------------------------------------------------------


def _condition(binder: RowBinder, where: exp.Expr) -> Condition:
    bound = binder.condition(where)
    return Condition(bound.when_true, bound.sql)


def _column(name: str, table: str, fields: Sequence[Field]) -> Field:
    found = find(fields, name)
    if found is None:
        raise NotFoundError(
            f'Binder Error: Referenced update column {name} not found in table "{table}"; nothing was changed.'
        )
    return found


# ---- MERGE -----------------------------------------------------------------------------------------------------------


def _source_name(statement: said.Merge) -> str | None:
    return statement.source.alias_or_name or None


def _on(statement: said.Merge, table: str, fields: Sequence[Field], source: Sequence[Field]) -> exp.Expr:
    """Return which rows match: by the condition, or by equal values of the columns of USING."""
    if statement.on is not None:
        return statement.on
    target, given = statement.alias or table, _source_name(statement)
    for name in statement.using:
        for columns, side, owner in ((source, "left", "The source"), (fields, "right", f'Table "{table}"')):
            if find(columns, name) is None:
                raise NotFoundError(
                    f'Binder Error: Column "{name}" does not exist on {side} side of join! {owner} has none of that'
                    " name; nothing was changed."
                )
    pairs = [[exp.column(name, table=of, quoted=True) for of in (target, given)] for name in statement.using]
    return exp.and_(*(exp.EQ(this=ours, expression=theirs) for ours, theirs in pairs))


def _clauses(
    statement: said.Merge,
    binder: RowBinder,
    columns: MatchedColumns,
    fields: Sequence[Field],
    source: Sequence[Field],
    table: str,
) -> Iterator[Clause]:
    passed: dict[str, list[str]] = {}
    for action in statement.actions:
        columns.see(action.side)
        when = None if action.when is None else binder.condition(action.when).sql
        if action.deed == "do nothing":
            passed.setdefault(action.side, []).append(when or "TRUE")
            continue
        # Rows for which there is nothing to do are none for the actions that follow.
        skipped = [f"NOT coalesce({one}, FALSE)" for one in passed.get(action.side, ())]
        condition = " AND ".join([*skipped, *([f"({when})"] if when else [])]) or None
        if action.deed == "error":
            yield _failure(action, binder, condition, fields[0])
            continue
        deed: Deed = action.deed
        values = () if deed == "delete" else tuple(_values(action, binder, columns, fields, source, table))
        yield Clause(action.side, deed, condition, values)


def _failure(action: said.MergeAction, binder: RowBinder, condition: str | None, field: Field) -> Clause:
    """Return what fails a merge at the first row that the action is for: it is to change, and its value cannot be had.

    A condition that fails would not do: Spark asks conditions in the order that it likes.
    """
    words = f"Constraint Error: Merge error condition WHEN {action.side.upper()}"
    if action.when is not None:
        plain = action.when.transform(lambda node: exp.column(node.this) if isinstance(node, exp.Column) else node)
        words += f" AND {written(plain)}"
    parts = [quoted(words if action.message is None else f"{words}: ")]
    if action.message is not None:
        parts.append(f"coalesce({cast(binder.bind(action.message), types.VARCHAR).sql}, 'NULL')")
    value = f"CAST({refusal(*parts)} AS {spark_type(field.type)})"
    return Clause(
        action.side, "insert" if action.side == "not matched" else "update", condition, ((field.name, value),)
    )


def _values(
    action: said.MergeAction,
    binder: RowBinder,
    columns: MatchedColumns,
    fields: Sequence[Field],
    source: Sequence[Field],
    table: str,
) -> Iterator[tuple[str, str]]:
    """Yield the columns that an action gives values, and the values."""
    given: list[tuple[Field, Bound]] = []
    if action.is_default:
        given = [(field, binder.bind(default_node(field))) for field in fields]
    elif action.assignments or action.values:
        pairs = [(_column(name, table, fields), value) for name, value in action.assignments]
        pairs += list(zip(fields, action.values, strict=False))
        if len(action.values) > len(fields) or 0 < len(action.values) < len(fields):
            raise InvalidInputError(
                f"Binder Error: table {table} has {len(fields)} columns but {len(action.values)} values were supplied"
            )
        given = [(field, binder.bind(default_node(field) if is_default(value) else value)) for field, value in pairs]
    elif action.by_name:
        by_name = {_column(field.name, table, fields).name: number for number, field in enumerate(source)}
        given = [(one, columns.given(by_name[one.name])) for one in fields if one.name in by_name]
    else:
        if len(source) != len(fields):
            raise InvalidInputError(
                f"Binder Error: table {table} has {len(fields)} columns but {len(source)} values were supplied"
            )
        given = [(field, columns.given(number)) for number, field in enumerate(fields)]
    if action.deed == "insert":
        named = [field for field, _ in given]
        others = [field for field in fields if field.default_is_expression and field not in named]
        given += [(field, binder.bind(default_node(field))) for field in others]
    for place, (field, value) in enumerate(given):
        if any(field is other for other, _ in given[:place]):
            raise InvalidInputError(f'Binder Error: Multiple assignments to same column "{field.name}"')
        yield field.name, cast(value, field.type).sql
