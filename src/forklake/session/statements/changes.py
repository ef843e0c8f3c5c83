"""Statements that change rows.

INSERT, UPDATE, DELETE, MERGE, TRUNCATE and CREATE TABLE AS.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import pyarrow as pa

from forklake.catalog import lookup
from forklake.catalog.fields import table_fields
from forklake.catalog.transaction import Staging
from forklake.engine.engine import Frame
from forklake.errors import AlreadyExistsError, ForklakeError, InvalidInputError
from forklake.files.casting.texts import to_array
from forklake.lake import Table, Transaction
from forklake.lake.internals import commit, content_of, runtime_of, staging_of
from forklake.model import types
from forklake.model.definitions import ColumnDefinition
from forklake.model.field import Field
from forklake.model.rows import TableRow
from forklake.model.scan import ScanPlan
from forklake.model.types.read import definition_of, field_of
from forklake.ops.objects.define_table import NewTable
from forklake.ops.rows import append as appending
from forklake.ops.rows import change_table as changing
from forklake.ops.rows.create_table_as import create_table_as
from forklake.ops.rows.write_target import WriteQuestions
from forklake.session.local.local_queries import find_here, plan_locally
from forklake.session.names.existence import check_object, check_schema
from forklake.session.names.name_resolution import SessionNames, Target
from forklake.session.results.result import Result
from forklake.session.state import SessionState
from forklake.session.statements import definitions, queries
from forklake.sql import statements
from forklake.sql.query.bind import bind_query
from forklake.sql.relation import BoundQuery
from forklake.sql.rows.insertion import bind_insert
from forklake.sql.rows.joined_rows import FoundRows, bind_found, bind_joined
from forklake.sql.rows.merged_rows import FoundMerge, bind_found_merge
from forklake.sql.rows.row_statements import JoinedMerge, bind_delete, bind_merge, bind_update

Found = TypeVar("Found", FoundRows, FoundMerge)


def insert(state: SessionState, statement: statements.Insert) -> Result:
    """Run INSERT."""
    names = SessionNames(state)
    writer, row, fields = _table(state, names.target(statement.table), "INSERT")
    bound = bind_insert(statement, row.table_name, fields, names)
    runtime = state.runtime(writer)
    asked = WriteQuestions(staging_of(writer), runtime, row)
    frame = _new_rows(state, bound, fields, asked)
    return _run(
        writer,
        row,
        lambda staging, table: appending.append(staging, runtime, table, frame, by_name=False, asked=asked),
    )


def update(state: SessionState, statement: statements.Update) -> Result:
    """Run UPDATE."""
    names = SessionNames(state)
    writer, row, fields = _table(state, names.target(statement.table), "UPDATE")
    joined = bind_joined(statement, row.table_name, fields, names)
    here = _run_here(state, writer, row, lambda: bind_found(statement, row.table_name, fields, names))
    if here is not None:
        return here
    if joined is not None:
        return _run_joined(state, writer, row, joined)
    bound, runtime = bind_update(statement, row.table_name, fields, names), state.runtime(writer)
    return _run(
        writer,
        row,
        lambda staging, table: changing.update_where(staging, runtime, table, bound.values, bound.condition),
    )


def delete(state: SessionState, statement: statements.Delete) -> Result:
    """Run DELETE."""
    names = SessionNames(state)
    writer, row, fields = _table(state, names.target(statement.table), "DELETE")
    joined = bind_joined(statement, row.table_name, fields, names)
    if statement.where is not None or joined is not None:
        here = _run_here(state, writer, row, lambda: bind_found(statement, row.table_name, fields, names))
        if here is not None:
            return here
    if joined is not None:
        return _run_joined(state, writer, row, joined)
    bound, runtime = bind_delete(statement, row.table_name, fields, names), state.runtime(writer)
    if bound is None:
        return _run(writer, row, lambda staging, table: changing.truncate(staging, runtime, table))
    return _run(writer, row, lambda staging, table: changing.delete_where(staging, runtime, table, bound))


def truncate(state: SessionState, statement: statements.Truncate) -> Result:
    """Run TRUNCATE."""
    return delete(state, statements.Delete(statement.table, None))


def merge(state: SessionState, statement: statements.Merge) -> Result:
    """Run MERGE INTO."""
    names = SessionNames(state)
    writer, row, fields = _table(state, names.target(statement.table), "MERGE_INTO")
    joined = bind_merge(statement, row.table_name, fields, names)
    here = _merge_here(
        state, writer, row, lambda: bind_found_merge(statement, row.table_name, fields, names, joined.query.columns)
    )
    return here if here is not None else _run_joined(state, writer, row, joined)


def create_table(state: SessionState, statement: statements.CreateTable) -> Result | None:
    """Run CREATE TABLE, with columns or AS a query."""
    if statement.query is None:
        definitions.create_table(state, statement)
        return None
    names = SessionNames(state)
    target = names.new_target(statement.name, is_temporary=statement.is_temporary)
    writer = state.work.writer(target.attached, "CREATE")
    bound = bind_query(statement.query, names)
    columns = _columns(bound, statement.column_names)
    fields = [field_of(column) for column in columns]
    check_schema(content_of(writer), target.attached.alias, target.schema)
    definitions.check_names(state, writer, target, [column.name for column in columns])
    new = NewTable(
        target.name,
        columns,
        target.schema,
        statement.partition_by,
        statement.sort_by,
        statement.if_not_exists,
        statement.or_replace,
    )
    runtime = state.runtime(writer)
    # Before the table is made: the query may read the one that is replaced.
    is_there = statement.if_not_exists and definitions.has_table(writer, target)
    frame = _new_rows(state, bound, fields) if statement.with_data and not is_there else None
    made = commit(writer, lambda staging: create_table_as(staging, runtime, new, frame)[1])
    if is_there:
        return None
    return Result.of_count(made.row_count, runtime_of(writer).setup.engine)


def _columns(bound: BoundQuery, names: Sequence[str]) -> tuple[ColumnDefinition, ...]:
    if len(names) > len(bound.columns):
        raise InvalidInputError("Binder Error: Target table has more colum names than query result.")
    columns: list[ColumnDefinition] = []
    for place, field in enumerate(bound.columns):
        name = names[place] if place < len(names) else field.name
        if any(other.name.lower() == name.lower() for other in columns):
            raise AlreadyExistsError(f'Catalog Error: Column with name "{name}" already exists! No table was made.')
        columns.append(definition_of(name, _stored_field(field).type))
    return tuple(columns)


def _stored_field(field: Field) -> Field:
    """Return the column of a table that stores a column of a query.

    As in DuckDB, a NULL without a type is stored as INTEGER.
    """
    if field.type == types.NULL:
        return replace(field, type=types.INT32)
    return field.with_children(tuple(map(_stored_field, field.children)))


# ---- how they run ----------------------------------------------------------------------------------------------------


def _table(state: SessionState, target: Target, kind: str) -> tuple[Transaction, TableRow, tuple[Field, ...]]:
    """Return the transaction that changes a table, the table's row, and its columns."""
    writer = state.work.writer(target.attached, kind)
    content = content_of(writer)
    schema = lookup.find_schema(content, target.schema)
    if schema is not None and lookup.find_view(content, schema.schema_id, target.name) is not None:
        raise InvalidInputError(f"Catalog Error: {target.name} is not an table; nothing was changed.")
    check_object("table", content, target.attached, target.schema, target.name)
    row = lookup.table(content, target.name, target.schema)
    return writer, row, table_fields(content, row.table_id)


def _run(writer: Transaction, row: TableRow, change: Callable[[Staging, TableRow], int]) -> Result:
    def verb(staging: Staging) -> int:
        return change(staging, lookup.table_by_id(staging.draft, row.table_id))

    return Result.of_count(commit(writer, verb).row_count, runtime_of(writer).setup.engine)


def _run_here(state: SessionState, writer: Transaction, row: TableRow, bind: Callable[[], FoundRows]) -> Result | None:
    """Change rows in this process if it finds and writes them; else return None.

    Raises:
        EngineError: The session does not use Spark, and this statement needs it.
    """
    here, runtime = _find_here(state, writer, row, bind), state.runtime(writer)

    def change(staging: Staging, table: TableRow) -> int:
        assert here is not None
        found, it = here
        return changing.change_found_rows(
            staging, runtime, table, it.plan, it.rows, is_update=found.is_update, how=it.how
        )

    return None if here is None else _run(writer, row, change)


def _merge_here(
    state: SessionState, writer: Transaction, row: TableRow, bind: Callable[[], FoundMerge]
) -> Result | None:
    """Run a merge in this process, as `_run_here` does."""
    here, runtime = _find_here(state, writer, row, bind, is_sound=True), state.runtime(writer)

    def change(staging: Staging, table: TableRow) -> int:
        assert here is not None
        found, it = here
        return changing.merge_found_rows(
            staging, runtime, table, it.plan, it.rows, found.operations, may_repeat=found.may_repeat, how=it.how
        )

    return None if here is None else _run(writer, row, change)


def _find_here(
    state: SessionState, writer: Transaction, row: TableRow, bind: Callable[[], Found], *, is_sound: bool = False
) -> tuple[Found, changing.FoundChange] | None:
    """Return the rows that a statement changes, if this process finds and writes them.

    ``is_sound``: whether the statement was bound for Spark already, so that it is not at fault if no query says it.
    """
    try:
        found = bind()
    except ForklakeError as error:
        if is_sound:
            state.rule.check_spark(f"{error.message} is left to Spark")
        return None  # what is said of it depends on the kind of statement
    scans = found.query.scans
    plan, how = changing.plan_change(staging_of(writer), state.runtime(writer), row, scans[found.scan].predicate)
    if not changing.is_changed_here(how):
        state.rule.check_spark("Spark sorts the table")
        return None
    # Tables that are named twice are read by one plan, of which this would be half.
    is_only = sum(isinstance(scan.relation.source, Table) for scan in scans.values()) == 1
    located = find_here(state.rule, found, {found.scan: plan} if is_only else {})
    return None if located is None else (found, changing.FoundChange(*located, how))


def _run_joined(state: SessionState, writer: Transaction, row: TableRow, joined: JoinedMerge | FoundRows) -> Result:
    """Change the rows that a MERGE, or an UPDATE or DELETE with a join, finds."""
    runtime = state.runtime(writer)
    if isinstance(joined, JoinedMerge):
        source = _frame(state, joined.query, joined.merge.source)
        return _run(writer, row, lambda staging, table: changing.merge(staging, runtime, table, source, joined.merge))
    plans: dict[str, ScanPlan] = {}
    found = queries.query_frame(state, joined.query, plans)
    plan = plans[joined.scan]
    return _run(
        writer,
        row,
        lambda staging, table: changing.change_found_rows(
            staging, runtime, table, plan, found, is_update=joined.is_update
        ),
    )


def _new_rows(
    state: SessionState, bound: BoundQuery, fields: Sequence[Field], asked: WriteQuestions | None = None
) -> Frame | pa.Table:
    """Return new rows of a table: from this process where possible, or the engine.

    The first table that is read takes along what is ``asked`` before they are written.

    Raises:
        EngineError: The session does not use Spark, and the query needs it.
    """
    if bound.constants is None:
        planned = plan_locally(state.rule, bound, {}, asked)
        rows = planned if isinstance(planned, str) else planned.compute()
        if not isinstance(rows, str):
            return rows.rename_columns([field.name for field in fields])
        state.rule.check_spark(rows)
    return _frame(state, bound, fields)


def _frame(state: SessionState, bound: BoundQuery, fields: Sequence[Field]) -> Frame | pa.Table:
    """Return rows for a table: in memory if they are constants, else from the engine."""
    if bound.constants is None or any(field.type == types.NULL for field in fields):
        return state.engine.rename_columns(queries.query_frame(state, bound), [field.name for field in fields])
    columns: list[Any] = list(zip(*bound.constants, strict=True)) if bound.constants else [()] * len(fields)
    arrays = [to_array(field, list(values)) for field, values in zip(fields, columns, strict=True)]
    return pa.table(arrays, [field.name for field in fields])
