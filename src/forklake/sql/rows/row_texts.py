"""Texts of Python callers about rows, as SQL statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlglot import exp

from forklake.catalog.names import column_name, column_names
from forklake.errors import InvalidInputError
from forklake.model.definitions import FindMacro
from forklake.model.expression import Expression
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.merge import SOURCE, TARGET, MergeDelete, MergeInsert, MergeUpdate, Side
from forklake.model.names import fold, split_name
from forklake.model.predicate import Condition
from forklake.sql import statements
from forklake.sql.expressions.columns import TableSite
from forklake.sql.expressions.expression_trees import expression_tree
from forklake.sql.expressions.sort_keys import sort_key
from forklake.sql.parameters import Parameters, Values, checked_parameters, literal
from forklake.sql.parse import parse_expression, parse_value
from forklake.sql.query.macro_calls import expand_macros
from forklake.sql.query.row_expressions import RowBinder
from forklake.sql.relation import StoredMacro
from forklake.sql.rows.row_statements import bind_condition
from forklake.sql.simple_queries import named_table

Assignments = tuple[tuple[str, exp.Expr], ...]
MergeClause = MergeUpdate | MergeDelete | MergeInsert
Said = str | Expression
"""What a caller says of rows: SQL text, or what an engine read of an object of its own."""


@dataclass(frozen=True, slots=True)
class MergeClauses:
    """The clauses of a merge: for matched rows, new rows, and unmatched table rows.

    Anything else than lists of the right kinds raises InvalidInputError.
    """

    matched: Sequence[MergeUpdate | MergeDelete] = ()
    not_matched: Sequence[MergeInsert] = ()
    not_matched_by_source: Sequence[MergeUpdate | MergeDelete] = ()

    def __post_init__(self) -> None:
        for side, given, kinds in (
            ("matched", self.matched, (MergeUpdate, MergeDelete)),
            ("not_matched", self.not_matched, (MergeInsert,)),
            ("not_matched_by_source", self.not_matched_by_source, (MergeUpdate, MergeDelete)),
        ):
            if not isinstance(given, tuple | list) or not all(isinstance(clause, kinds) for clause in given):
                names = " and ".join(kind.__name__ for kind in kinds)
                raise InvalidInputError(
                    f'What a merge does with rows that are "{side}" is a list of {names}, not {given!r};'
                    " nothing was changed."
                )


# ---- one text --------------------------------------------------------------------------------------------------------


def read_where(text: Said | None, parameters: Values | None = None) -> exp.Expr | None:
    """Parse a condition; None stays None.

    Raises:
        InvalidInputError: It cannot be read, or its parameters do not match the given values.
    """
    with checked_parameters(parameters) as values:
        return None if text is None else _condition(text, values)


def condition(text: str, table: str, fields: Sequence[Field], parameters: Values | None = None) -> Condition:
    """Parse and bind a condition on the rows of a table.

    It is bound as by `bind_condition`, without the names of a session.

    Raises:
        InvalidInputError: It cannot be read, is no condition, or needs more than one row.
        NotFoundError: There is no such column.
    """
    with checked_parameters(parameters) as values:
        tree = _condition(text, values)
    return bind_condition(tree, table, fields)


def sort_expression(text: str, table: str, fields: Sequence[Field], macros: FindMacro) -> str:
    """Return the Spark SQL to sort the rows of a table by, in DuckDB's order.

    Macros that it calls are expanded.

    Raises:
        InvalidInputError: It cannot be read, needs more than one row, or has no order.
        NotFoundError: There is no such column.
    """

    def find(parts: tuple[str, ...]) -> list[StoredMacro]:
        return [StoredMacro(one) for one in macros(parts)]

    tree = expand_macros(parse_expression(_check_text(text, "value")), find)
    return sort_key(RowBinder(TableSite(table, fields), None).bind(tree))


# ---- statements ------------------------------------------------------------------------------------------------------


def delete_statement(where: Said | None, parameters: Values | None) -> statements.Delete:
    """Return the DELETE of all rows, or of those for which a condition holds.

    Raises:
        InvalidInputError: It cannot be read, or its parameters do not match the given values.
    """
    with checked_parameters(parameters) as values:
        return statements.Delete((), None, where=None if where is None else _condition(where, values))


def update_statement(
    assignments: Mapping[str, Any], where: Said | None, parameters: Values | None
) -> statements.Update:
    """Return the UPDATE that sets columns.

    Parameters are those of the values, in order, then those of the condition.

    Raises:
        InvalidInputError: Nothing is set, a text cannot be read, or its parameters do not match the given values.
    """
    with checked_parameters(parameters) as values:
        assigned = _not_empty(_assignments(assignments, values))
        return statements.Update((), None, assigned, where=None if where is None else _condition(where, values))


def merge_statement(
    on: Said | Sequence[str],
    clauses: MergeClauses,
    fields: Sequence[Field],
    source: Sequence[Field],
    parameters: Values | None,
) -> statements.Merge:
    """Return the MERGE of a source; columns are those of ``target`` and ``source``.

    Rows match by a condition, or by equal values in key columns: the name of one, or a list of names. With keys
    and without clauses, matching rows are updated and the others inserted. Parameters are those of ``on``, then
    those of the clauses, in order; in each clause those of its condition come before those of its values.

    Raises:
        InvalidInputError: A text cannot be read, or its parameters do not match the given values.
    """
    keys = _keys(on, fields)
    if not keys and (not isinstance(on, str | Expression) or (isinstance(on, str) and not on.strip())):
        raise InvalidInputError("A merge needs a condition or keys that say which rows match; nothing was changed.")
    shared = _shared_assignments(fields, source)
    sides: tuple[tuple[Side, Sequence[MergeClause]], ...] = (
        ("matched", clauses.matched),
        ("not matched", clauses.not_matched),
        ("not matched by source", clauses.not_matched_by_source),
    )
    with checked_parameters(parameters) as values:
        matches = None if keys else _condition(on, values)
        actions = tuple(_action(side, given, shared, values) for side, all_given in sides for given in all_given)
    if not actions and not keys:
        names = split_name(on.strip()) if isinstance(on, str) else None
        missing = f'The table has no column "{names[0]}" that could be a key. ' if names and len(names) == 1 else ""
        raise InvalidInputError(
            f"{missing}A merge needs something to do: matched, not_matched or not_matched_by_source."
        )
    upsert = (
        statements.MergeAction("matched", "update", None, shared),
        statements.MergeAction("not matched", "insert", None, shared),
    )
    return statements.Merge((TARGET,), TARGET, named_table((SOURCE,)), matches, keys, actions or upsert)


def _keys(on: Said | Sequence[str], fields: Sequence[Field]) -> tuple[str, ...]:
    """Return the key columns; none if it is a condition."""
    if isinstance(on, Expression):
        return ()
    if not isinstance(on, str):
        return column_names(on)
    parts = split_name(on.strip()) or ()
    return parts if len(parts) == 1 and any(fold(parts[0]) == fold(field.name) for field in fields) else ()


# ---- their parts -----------------------------------------------------------------------------------------------------


def _action(side: Side, given: MergeClause, shared: Assignments, values: Parameters) -> statements.MergeAction:
    when = None if given.when is None else _condition(given.when, values)
    match given:
        case MergeDelete():
            return statements.MergeAction(side, "delete", when)
        case MergeInsert(values=new):
            assigned = shared if new is None else _assignments(new, values)
            return statements.MergeAction(side, "insert", when, assigned, is_default=not assigned)
        case MergeUpdate(set=new):
            if new is None and side == "not matched by source":
                raise InvalidInputError("An update of rows that the source does not have must say what to set.")
            assigned = _not_empty(shared if new is None else _assignments(new, values))
            return statements.MergeAction(side, "update", when, assigned)


def _shared_assignments(fields: Sequence[Field], source: Sequence[Field]) -> Assignments:
    """Return assignments of the source's value to each column that both have."""
    theirs = {fold(field.name): field.name for field in source}
    if len(theirs) < len(source):
        raise InvalidInputError("Two columns of the source of a merge have the same name; nothing was changed.")
    both = [(field.name, theirs[fold(field.name)]) for field in fields if fold(field.name) in theirs]
    return tuple((ours, exp.column(name, table=SOURCE, quoted=True)) for ours, name in both)


def _assignments(given: Mapping[str, Any], values: Parameters) -> Assignments:
    """Return the assignments of a mapping.

    Texts are SQL, any other value is a literal.
    """
    if not isinstance(given, Mapping):
        raise InvalidInputError(
            f"What columns become is a mapping of their names to SQL, not {given!r}; nothing was changed.",
            hint='For example: {"price": "price * 2"}.',
        )
    found = []
    for name, text in given.items():
        column = column_name(name)
        found.append((column, values.fill(parse_value(text)) if isinstance(text, str) else _plain(column, text)))
    return tuple(found)


def _plain(column: str, value: Any) -> exp.Expr:
    if isinstance(value, Expression):
        return expression_tree(value)
    try:
        return literal(value)
    except InvalidInputError as error:
        raise InvalidInputError(
            f'Column "{column}" is set to {value!r}, which is neither SQL text nor a value; nothing was changed.',
            hint="Texts are SQL: 'price * 2', \"'text'\"; or '?', with the value in parameters. Numbers, dates, None"
            " and so on stand for themselves.",
        ) from error


def _not_empty(assigned: Assignments) -> Assignments:
    if not assigned:
        raise InvalidInputError("An update must set a column; nothing was changed.")
    return assigned


def _condition(text: Any, values: Parameters) -> exp.Expr:
    if isinstance(text, Expression):
        return expression_tree(text)
    return values.fill(parse_expression(_check_text(text, "condition")))


def _check_text(text: Any, what: str) -> str:
    if not isinstance(text, str):
        given = "None" if text is None else f"of type {type(text).__name__}"
        raise InvalidInputError(
            f"A {what} is SQL text{' or a Column of Spark' if what == 'condition' else ''}, not {given}; nothing was"
            " done.",
            hint='Write it as text: delete("id = 4"), update({"price": "price * 2"}).',
        )
    return text
