"""UPDATE, DELETE and MERGE: their conditions and new values in Spark SQL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from forklake.errors import InvalidInputError, NotFoundError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.merge import Clause, Merge, MergeOperation
from forklake.model.names import fold
from forklake.model.predicate import Condition
from forklake.sql import statements
from forklake.sql.expressions.coercion import cast
from forklake.sql.expressions.columns import TableSite, find
from forklake.sql.expressions.literals import spark_type, text_literal
from forklake.sql.expressions.spark_idioms import refusal
from forklake.sql.query.bind import bind_query
from forklake.sql.query.output_names import duckdb_text
from forklake.sql.query.row_expressions import RowBinder
from forklake.sql.relation import BoundQuery, Names
from forklake.sql.rows.insertion import default_node, is_default
from forklake.sql.rows.matched_columns import MatchedColumns, given_name


@dataclass(frozen=True, slots=True)
class RowUpdate:
    """An update that needs one row at a time: new values, and a condition."""

    values: tuple[tuple[str, str], ...]
    condition: Condition | None


@dataclass(frozen=True, slots=True)
class JoinedMerge:
    """A merge whose source is a query."""

    query: BoundQuery
    merge: Merge


def bind_condition(
    where: exp.Expr, table: str, fields: Sequence[Field], names: Names | None = None, alias: str | None = None
) -> Condition:
    """Bind a condition on the rows of a table.

    It may use the columns, qualified with the table or not, struct fields, and the lineage columns of rows.

    Raises:
        InvalidInputError: It needs more than one row; or, without the names of a session, its type is not
            BOOLEAN.
        NotFoundError: There is no such column.
    """
    return _condition(RowBinder(TableSite(alias or table, fields), names), where)


def bind_update(
    statement: statements.Update, table: str, fields: Sequence[Field], names: Names | None = None
) -> RowUpdate:
    """Bind an UPDATE that needs one row at a time.

    Raises:
        InvalidInputError: A column is set twice, or an expression is not supported.
        NotFoundError: There is no such column.
    """
    values = assigned_values(statement, table, fields)
    binder = RowBinder(TableSite(statement.alias or table, fields), names)
    condition = None if statement.where is None else _condition(binder, statement.where)
    return RowUpdate(
        tuple((field.name, cast(binder.bind(value), field.type).sql) for field, value in values), condition
    )


def assigned_values(statement: statements.Update, table: str, fields: Sequence[Field]) -> list[tuple[Field, exp.Expr]]:
    """Return the columns that an UPDATE sets, with their new values.

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
    statement: statements.Delete, table: str, fields: Sequence[Field], names: Names | None = None
) -> Condition | None:
    """Bind a DELETE that needs one row at a time: its condition, or None for all.

    Raises:
        InvalidInputError: The condition is not supported.
        NotFoundError: There is no such column.
    """
    if statement.where is None:
        return None
    return bind_condition(statement.where, table, fields, names, statement.alias)


def bind_merge(statement: statements.Merge, table: str, fields: Sequence[Field], names: Names) -> JoinedMerge:
    """Bind a MERGE, and the query for its source.

    Raises:
        InvalidInputError: A condition or an expression is not supported, or a column is set twice.
        NotFoundError: There is no such column.
    """
    target, given = statement.alias or statement.table[-1], source_name(statement)
    if given is not None and fold(given) == fold(target):
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
    statement: statements.Merge,
    table: str,
    fields: Sequence[Field],
    names: Names | None = None,
) -> Merge:
    """Bind a MERGE with a source that has these columns.

    Their names in Spark do not matter.

    Raises:
        InvalidInputError: A condition or an expression is not supported, or a column is set twice.
        NotFoundError: There is no such column.
    """
    columns = MatchedColumns(statement.alias or table, fields, source_name(statement), source)
    binder = RowBinder(columns, names)
    on = binder.expand_macros(match_condition(statement, table, fields, source))
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


def source_name(statement: statements.Merge) -> str | None:
    """Return the name of the source of a merge, if it has one."""
    return statement.source.alias_or_name or None


def match_condition(
    statement: statements.Merge, table: str, fields: Sequence[Field], source: Sequence[Field]
) -> exp.Expr:
    """Return the condition for matching rows, from ON or from the columns of USING."""
    if statement.on is not None:
        return statement.on
    target, given = statement.alias or table, source_name(statement)
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
    statement: statements.Merge,
    binder: RowBinder,
    columns: MatchedColumns,
    fields: Sequence[Field],
    source: Sequence[Field],
    table: str,
) -> Iterator[Clause]:
    passed: dict[str, list[str]] = {}
    for action in statement.actions:
        columns.limit_to(action.side)
        when = None if action.when is None else binder.condition(action.when).sql
        if action.operation == "do nothing":
            passed.setdefault(action.side, []).append(when or "TRUE")
            continue
        # Rows of a DO NOTHING are excluded from the actions after it.
        skipped = [f"NOT coalesce({one}, FALSE)" for one in passed.get(action.side, ())]
        condition = " AND ".join([*skipped, *([f"({when})"] if when else [])]) or None
        if action.operation == "error":
            yield _failure(action, binder, condition, fields[0])
            continue
        operation: MergeOperation = action.operation
        values = () if operation == "delete" else tuple(_values(action, binder, columns, fields, source, table))
        yield Clause(action.side, operation, condition, values)


def _failure(action: statements.MergeAction, binder: RowBinder, condition: str | None, field: Field) -> Clause:
    """Return a clause that fails the merge at the first row of an action.

    The clause changes a row to a value that fails. A failing condition would not do, because Spark evaluates
    conditions in any order.
    """
    words = f"Constraint Error: Merge error condition WHEN {action.side.upper()}"
    if action.when is not None:
        plain = action.when.transform(lambda node: exp.column(node.this) if isinstance(node, exp.Column) else node)
        words += f" AND {duckdb_text(plain)}"
    parts = [text_literal(words if action.message is None else f"{words}: ")]
    if action.message is not None:
        parts.append(f"coalesce({cast(binder.bind(action.message), types.VARCHAR).sql}, 'NULL')")
    value = f"CAST({refusal(*parts)} AS {spark_type(field.type)})"
    return Clause(
        action.side, "insert" if action.side == "not matched" else "update", condition, ((field.name, value),)
    )


def _values(
    action: statements.MergeAction,
    binder: RowBinder,
    columns: MatchedColumns,
    fields: Sequence[Field],
    source: Sequence[Field],
    table: str,
) -> Iterator[tuple[str, str]]:
    """Yield the columns that an action sets, with their values."""
    for field, given in merged_values(action, fields, source, table):
        value = columns.source_column(given) if isinstance(given, int) else binder.bind(given)
        yield field.name, cast(value, field.type).sql


def merged_values(
    action: statements.MergeAction, fields: Sequence[Field], source: Sequence[Field], table: str
) -> list[tuple[Field, exp.Expr | int]]:
    """Return the columns that an action of a merge sets, with their new values.

    A value is an expression, or the number of a column of the source.

    Raises:
        InvalidInputError: A column is set twice, or there are more or fewer values than columns.
        NotFoundError: There is no such column.
    """
    given: list[tuple[Field, exp.Expr | int]] = []
    if action.is_default:
        given = [(field, default_node(field)) for field in fields]
    elif action.assignments or action.values:
        pairs = [(_column(name, table, fields), value) for name, value in action.assignments]
        pairs += list(zip(fields, action.values, strict=False))
        if len(action.values) > len(fields) or 0 < len(action.values) < len(fields):
            raise _wrong_count(table, fields, len(action.values))
        given = [(field, default_node(field) if is_default(value) else value) for field, value in pairs]
    elif action.by_name:
        by_name = {_column(field.name, table, fields).name: number for number, field in enumerate(source)}
        given = [(one, by_name[one.name]) for one in fields if one.name in by_name]
    elif len(source) != len(fields):
        raise _wrong_count(table, fields, len(source))
    else:
        given = [(field, number) for number, field in enumerate(fields)]
    if action.operation == "insert":
        named = [field for field, _ in given]
        others = [field for field in fields if field.default_is_expression and field not in named]
        given += [(field, default_node(field)) for field in others]
    for place, (field, _) in enumerate(given):
        if any(field is other for other, _ in given[:place]):
            raise InvalidInputError(f'Binder Error: Multiple assignments to same column "{field.name}"')
    return given


def _wrong_count(table: str, fields: Sequence[Field], count: int) -> InvalidInputError:
    return InvalidInputError(f"Binder Error: table {table} has {len(fields)} columns but {count} values were supplied")
