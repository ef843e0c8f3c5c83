"""UPDATE, DELETE and MERGE: what they ask of rows and make of them, in Spark SQL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError, NotFoundError
from forklake.model.field import Field
from forklake.model.merge import Clause, Deed, Merge
from forklake.model.names import fold
from forklake.model.predicate import Condition
from forklake.model.scan import OWN_ROW_ID
from forklake.sql import statements as said
from forklake.sql.bound import Bound
from forklake.sql.coercion import cast
from forklake.sql.columns import TableSite, extracted, find, missing_column
from forklake.sql.insertion import conformed, default_node, is_default
from forklake.sql.literals import identifier, quoted, spark_type
from forklake.sql.nodes import is_subquery
from forklake.sql.phrases import refusal
from forklake.sql.query.bind import bind_query
from forklake.sql.query.output_names import written
from forklake.sql.query.rows import RowBinder, RowSite
from forklake.sql.relation import BoundQuery, Names
from forklake.sql.site import Site
from forklake.sql.values import named_table

ROW_ID: Final = Field(None, OWN_ROW_ID, "int64")
TARGET: Final = "target"
SOURCE: Final = "source"


@dataclass(frozen=True, slots=True)
class RowUpdate:
    """An update that looks at one row at a time: columns and what they become, and which rows."""

    values: tuple[tuple[str, str], ...]
    condition: Condition | None


@dataclass(frozen=True, slots=True)
class JoinedChange:
    """A change of rows that a query finds: its first column is the row id, the others what ``columns`` become."""

    query: BoundQuery
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JoinedMerge:
    """A merge with the rows of a query; they are named as the merge's source."""

    query: BoundQuery
    merge: Merge


def bind_update(statement: said.Update, table: str, fields: Sequence[Field], names: Names) -> RowUpdate | JoinedChange:
    """Return what an UPDATE does.

    Raises:
        InvalidInputError: A column is set twice, or an expression is not understood.
        NotFoundError: There is no such column.
    """
    assigned = [(_column(name, table, fields), value) for name, value in statement.assignments]
    for place, (field, _) in enumerate(assigned):
        if any(field is other for other, _ in assigned[:place]):
            raise InvalidInputError(f'Binder Error: Multiple assignments to same column "{field.name}"')
    values = [(field, default_node(field) if is_default(value) else value) for field, value in assigned]
    if statement.sources or statement.with_ or _asks_queries([statement.where, *(value for _, value in values)]):
        bound = bind_query(_joined(statement, [value for _, value in values]), names, keeps_null=True)
        numbered: list[tuple[Field, int | None]] = [(ROW_ID, 0)]
        numbered += [(field, number) for number, (field, _) in enumerate(values, 1)]
        return JoinedChange(conformed(bound, numbered), tuple(field.name for field, _ in values))
    binder = _row_binder(table, statement.alias, fields, names)
    condition = _condition(binder, statement.where)
    return RowUpdate(tuple((field.name, cast(binder.bind(value), field).sql) for field, value in values), condition)


def bind_delete(
    statement: said.Delete, table: str, fields: Sequence[Field], names: Names
) -> Condition | JoinedChange | None:
    """Return which rows a DELETE deletes; None for all.

    Raises:
        InvalidInputError: The condition is not understood.
        NotFoundError: There is no such column.
    """
    if statement.sources or statement.with_ or _asks_queries([statement.where]):
        return JoinedChange(bind_query(_joined(statement, []), names), ())
    return _condition(_row_binder(table, statement.alias, fields, names), statement.where)


def bind_merge(statement: said.Merge, table: str, fields: Sequence[Field], names: Names) -> JoinedMerge:
    """Return what a MERGE does.

    Raises:
        InvalidInputError: A condition or an expression is not understood, or a column is given twice.
        NotFoundError: There is no such column.
    """
    target, given_name = statement.alias or statement.table[-1], _source_name(statement.source)
    if given_name is not None and fold(given_name) == fold(target):
        raise InvalidInputError(
            f'Binder Error: Ambiguous reference to table "{target}" (duplicate alias "{target}", explicitly alias one'
            ' of the tables using "AS my_alias")'
        )
    source = exp.select("*").from_(statement.source.copy())
    if statement.with_ is not None:
        source.set("with_", statement.with_.copy())
    bound = bind_query(source, names, keeps_null=True)
    site = _MergeSite(names, (statement.alias or table, *fields), _source_name(statement.source), bound.columns)
    on = _matching(statement, site, fields)
    clauses = tuple(_clauses(statement, site, fields, bound.columns, table))
    given = tuple(Field(None, f"c{place}", field.type, field.children) for place, field in enumerate(bound.columns))
    return JoinedMerge(bound, Merge(on, clauses, given))


# ---- UPDATE and DELETE -----------------------------------------------------------------------------------------------


def _row_binder(table: str, alias: str | None, fields: Sequence[Field], names: Names) -> RowBinder:
    return RowBinder(RowSite(names, TableSite(alias or table, fields)))


def _condition(binder: RowBinder, where: exp.Expr | None) -> Condition | None:
    if where is None:
        return None
    bound = binder.condition(where)
    return Condition(bound.when_true, bound.sql)


def _asks_queries(nodes: Sequence[exp.Expr | None]) -> bool:
    return any(is_subquery(inner) for node in nodes if node is not None for inner in node.walk())


def _joined(statement: said.Update | said.Delete, values: Sequence[exp.Expr]) -> exp.Select:
    """Return the query for the rows that change, and for their new values."""
    common = () if statement.with_ is None else statement.with_.expressions
    if len(statement.table) == 1 and any(fold(one.alias) == fold(statement.table[0]) for one in common):
        words = "update" if isinstance(statement, said.Update) else "delete from"
        raise InvalidInputError(f"Binder Error: Can only {words} base table")
    name = statement.alias or statement.table[-1]
    target = named_table(statement.table, name)
    found = exp.select(
        exp.column(ROW_ID.name, table=exp.to_identifier(name, quoted=True)), *(value.copy() for value in values)
    )
    found = found.from_(target)
    for source in statement.sources:
        found.append("joins", exp.Join(this=source.copy()))
    if statement.where is not None:
        found = found.where(statement.where.copy())
    if statement.with_ is not None:
        found.set("with_", statement.with_.copy())
    return found


def _column(name: str, table: str, fields: Sequence[Field]) -> Field:
    found = find(fields, name)
    if found is None:
        raise NotFoundError(
            f'Binder Error: Referenced update column {name} not found in table "{table}"; nothing was changed.'
        )
    return found


# ---- MERGE -----------------------------------------------------------------------------------------------------------


class _MergeSite(RowSite):
    """Where the expressions of a merge stand: columns of the target and of the source, as fields of two structs."""

    def __init__(
        self, names: Names, target: tuple[str, *tuple[Field, ...]], source: str | None, given: Sequence[Field]
    ) -> None:
        super().__init__(names, Site())
        self._target_name, *self._target = target
        self._source_name, self._source = source, given
        self.sides: frozenset[str] = frozenset({TARGET, SOURCE})

    def column(self, names: Sequence[str]) -> Bound:
        """Return a column of the target or of the source."""
        if len(names) > 1:
            if fold(names[0]) == fold(self._target_name) and find(self._target, names[1]) is not None:
                return self._of_target(names[1], names[2:])
            if self._source_name is not None and fold(names[0]) == fold(self._source_name):
                return self._of_source(names[1], names[2:])
        in_target = TARGET in self.sides and find(self._target, names[0]) is not None
        in_source = SOURCE in self.sides and find(self._source, names[0]) is not None
        if in_target and in_source:
            raise InvalidInputError(
                f'Binder Error: Ambiguous reference to column name "{names[0]}" (use: "{self._target_name}.{names[0]}"'
                f' or "{self._source_name}.{names[0]}")'
            )
        if in_target:
            return self._of_target(names[0], names[1:])
        if in_source:
            return self._of_source(names[0], names[1:])
        raise missing_column(names[-1], [field.name for field in (*self._target, *self._source)])

    def _of_target(self, name: str, inside: Sequence[str]) -> Bound:
        field = find(self._target, name)
        assert field is not None
        return extracted(Bound(f"{TARGET}.{identifier(field.name)}", field.type, field), inside, name)

    def _of_source(self, name: str, inside: Sequence[str]) -> Bound:
        number = next((place for place, field in enumerate(self._source) if fold(field.name) == fold(name)), None)
        if number is None:
            raise missing_column(name, [field.name for field in self._source])
        return extracted(self.source_value(number), inside, name)

    def source_value(self, number: int) -> Bound:
        """Return a column of the source by its number."""
        field = self._source[number]
        return Bound(f"{SOURCE}.`c{number}`", field.type, Field(None, field.name, field.type, field.children))


def _source_name(source: exp.Expr) -> str | None:
    return source.alias_or_name or None


def _matching(statement: said.Merge, site: _MergeSite, fields: Sequence[Field]) -> str:
    if statement.on is not None:
        return RowBinder(site).condition(statement.on).sql
    binder = RowBinder(site)
    target, source = statement.alias or statement.table[-1], _source_name(statement.source)
    parts = []
    for name in statement.using:
        _column(name, target, fields)
        first, second = exp.column(name, table=target, quoted=True), exp.column(name, table=source, quoted=True)
        parts.append(binder.condition(exp.EQ(this=first, expression=second)).sql)
    return " AND ".join(parts)


def _clauses(
    statement: said.Merge, site: _MergeSite, fields: Sequence[Field], source: Sequence[Field], table: str
) -> Iterator[Clause]:
    binder = RowBinder(site)
    passed: dict[str, list[str]] = {}
    for action in statement.actions:
        site.sides = _SIDES[action.side]
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
        values = () if deed == "delete" else tuple(_values(action, binder, site, fields, source, table))
        yield Clause(action.side, deed, condition, values)


_SIDES: Final = {
    "matched": frozenset({TARGET, SOURCE}),
    "not matched": frozenset({SOURCE}),
    "not matched by source": frozenset({TARGET}),
}


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
        parts.append(f"coalesce({cast(binder.bind(action.message), 'varchar').sql}, 'NULL')")
    value = f"CAST({refusal(*parts)} AS {spark_type(field)})"
    return Clause(
        action.side, "insert" if action.side == "not matched" else "update", condition, ((field.name, value),)
    )


def _values(
    action: said.MergeAction,
    binder: RowBinder,
    site: _MergeSite,
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
        given = [(one, site.source_value(by_name[one.name])) for one in fields if one.name in by_name]
    else:
        if len(source) != len(fields):
            raise InvalidInputError(
                f"Binder Error: table {table} has {len(fields)} columns but {len(source)} values were supplied"
            )
        given = [(field, site.source_value(number)) for number, field in enumerate(fields)]
    if action.deed == "insert":
        named = [field for field, _ in given]
        others = [field for field in fields if field.default_is_expression and field not in named]
        given += [(field, binder.bind(default_node(field))) for field in others]
    for place, (field, value) in enumerate(given):
        if any(field is other for other, _ in given[:place]):
            raise InvalidInputError(f'Binder Error: Multiple assignments to same column "{field.name}"')
        yield field.name, cast(value, field).sql
