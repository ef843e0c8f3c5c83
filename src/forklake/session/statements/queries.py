"""Queries: binding them to what the session sees, and answering them.

Answers come from metadata, from this process, or from the engine.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from forklake.catalog import lookup
from forklake.catalog.exact_bounds import exact_bounds
from forklake.catalog.scan_plan import count_rows
from forklake.engine.engine import Frame
from forklake.errors import InvalidInputError
from forklake.lake import Table
from forklake.lake.internals import content_of, reads_of, run, runtime_of
from forklake.model import types
from forklake.model.field import Field
from forklake.model.scan import ScanPlan, first_rows, plan_lines
from forklake.model.types.read import field_of
from forklake.ops.objects.define_view import NewView
from forklake.ops.objects.define_view import create_view as define_view
from forklake.ops.rows.read_table import is_read_locally, shown_fields
from forklake.session.local.foreign_rows import ForeignRows
from forklake.session.local.local_queries import ComputedRows, plan_locally
from forklake.session.names.existence import check_schema
from forklake.session.names.frames import CallerFrame
from forklake.session.names.known_rows import Changes, Differences, Files, FileScan, Rows
from forklake.session.names.name_resolution import SessionNames
from forklake.session.names.scan_plans import scan_plan
from forklake.session.results.result import Result
from forklake.session.results.result_content import FrameRows, LocalRows
from forklake.session.state import SessionState
from forklake.session.statements.definitions import portable_text
from forklake.sql import statements
from forklake.sql.explained import explained_query
from forklake.sql.query.bind import bind_query
from forklake.sql.relation import BoundQuery, Scan
from forklake.sql.simple_queries import all_of, bind_value
from forklake.sql.spark_text import spark_text


def query(state: SessionState, statement: statements.Query) -> Result:
    """Answer a query.

    Functions in it that change something are called only after the whole query was bound once without calling
    them.
    """
    names = SessionNames(state, acting=[])
    bound = bind_query(statement.query, names)
    return answer(state, bind_query(statement.query, SessionNames(state)) if names.acting else bound)


def answer(state: SessionState, bound: BoundQuery) -> Result:
    """Return the rows of a bound query.

    Known rows are returned at once. All others are computed lazily, by this process or by the engine.
    """
    if bound.constants is not None:
        return Result.of_texts(bound.columns, bound.constants, state.setup.engine)
    known = _known_rows(bound)
    if known is not None:
        return Result.of_rows(bound.columns, known, state.setup.engine)
    totals = _known_totals(bound)
    if totals is not None:
        return Result.of_texts(bound.columns, [totals], state.setup.engine)
    bound = _with_first_rows(bound)
    plans: dict[str, ScanPlan] = {}
    small = _small_scan(state, bound, plans)
    if small is not None:
        found = Result.of_source(bound.columns, small)
        return found if bound.limit is None else found.head(bound.limit)
    planned = plan_locally(state.rule, bound, plans)
    if isinstance(planned, str):
        return Result.of_source(bound.columns, _spark_rows(state, bound, plans, planned))
    computed = ComputedRows(planned, lambda reason: _spark_rows(state, bound, plans, reason))
    return Result.of_source(bound.columns, computed)


def _known_rows(bound: BoundQuery) -> list[tuple[Any, ...]] | None:
    """Return the rows of a query on rows in memory, if it only projects them.

    None of other queries.
    """
    if bound.projection is not None:
        (scan,) = bound.scans.values()
        source = scan.relation.source
        if isinstance(source, Rows):
            end = None if bound.limit is None else bound.offset + bound.limit
            return source.project(bound.projection).rows[bound.offset : end]
    return None


def _known_totals(bound: BoundQuery) -> list[str] | None:
    """Return the totals of a query as texts, if metadata has all of them; else None."""
    if not bound.totals:
        return None
    scan = bound.scans[bound.totals[0].scan]
    source = scan.relation.source
    if isinstance(source, Rows):
        are_counts = all(total.kind == "count" for total in bound.totals)
        return [str(len(source.rows))] * len(bound.totals) if are_counts else None
    if isinstance(source, FileScan):
        count = count_rows(source.plan) if all(total.kind == "count" for total in bound.totals) else None
        return None if count is None else [str(count)] * len(bound.totals)
    if not isinstance(source, Table):
        return None
    content, plan = content_of(source), scan_plan(scan)
    row = lookup.table_by_id(content, source.table_id)
    found: list[str] = []
    for total in bound.totals:
        if total.kind == "count":
            count = count_rows(plan)
            known = None if count is None else str(count)
        else:
            field = next(one for one in plan.fields if one.name == total.column)
            bounds = exact_bounds(content, row, plan, field)
            known = None if bounds is None else bounds[0 if total.kind == "min" else 1]
        if known is None:
            return None
        found.append(known)
    return found


def _with_first_rows(bound: BoundQuery) -> BoundQuery:
    """Return a query with the first rows of files, if it needs no others.

    They are read now, and what lies behind them is not. Any other query stays as it is.
    """
    if bound.projection is None or bound.limit is None:
        return bound
    ((name, scan),) = bound.scans.items()
    source = scan.relation.source
    if not isinstance(source, ForeignRows):
        return bound
    first = CallerFrame(source.columns, source.read(bound.offset + bound.limit))
    return replace(bound, scans={name: replace(scan, relation=replace(scan.relation, source=first))})


def _small_scan(state: SessionState, bound: BoundQuery, plans: dict[str, ScanPlan]) -> LocalRows | None:
    """Return the rows of a query of columns of one table or of files, if small.

    None of any other query. Such rows need no engine. If the scan had to be planned to decide, the plan is
    added to ``plans``.
    """
    if bound.projection is None:
        return None
    ((name, scan),) = bound.scans.items()
    source = scan.relation.source
    if not isinstance(source, Table | FileScan):
        return None
    plan = plans[name] = _plan_for_query(name, scan, bound)
    settings = state.setup.settings if isinstance(source, FileScan) else runtime_of(source).settings
    columns = shown_fields(plan, bound.projection)
    end = None if bound.limit is None else bound.offset + bound.limit
    if not is_read_locally(plan, columns, settings, end):
        return None
    return LocalRows(plan, columns, lambda: _frame_rows(state, bound, plans), bound.offset)


# ---- by the engine ---------------------------------------------------------------------------------------------------


def _spark_rows(state: SessionState, bound: BoundQuery, plans: dict[str, ScanPlan], reason: str) -> FrameRows:
    """Return the rows of a query that this process does not compute, for a reason.

    Raises:
        EngineError: The session does not use Spark.
    """
    state.rule.check_spark(reason)
    return _frame_rows(state, bound, plans)


def _frame_rows(state: SessionState, bound: BoundQuery, plans: dict[str, ScanPlan]) -> FrameRows:
    frame = query_frame(state, bound, plans)
    paths = tuple(file.path for plan in plans.values() for file in plan.files)
    tables = {name: scan.relation.source for name, scan in bound.scans.items()}
    reads = reads_of((table, plans[name]) for name, table in tables.items() if isinstance(table, Table))
    return FrameRows(state.engine, frame, paths, "the query", reads)


def query_frame(state: SessionState, bound: BoundQuery, plans: dict[str, ScanPlan] | None = None) -> Frame:
    """Return a query as a frame with the columns ``c0``, ``c1`` and so on.

    Args:
        state: The session.
        bound: The query.
        plans: The plans of its scans, by name; missing ones are made, and added.
    """
    planned = plans if plans is not None else {}
    frames = {name: _scan_frame(state, name, scan, planned, bound) for name, scan in bound.scans.items()}
    are_counted = all(isinstance(scan.relation.source, Rows | Table) for scan in bound.scans.values())
    counted = list(planned.values()) if are_counted else None
    return state.engine.query(bound.sql, frames, counted, limit=bound.limit, offset=bound.offset)


def _plan_for_query(name: str, scan: Scan, bound: BoundQuery) -> ScanPlan:
    """Return the plan of a table scan in a query.

    It is cut to the first rows if the query needs no others.
    """
    plan = scan.relation.source.plan if isinstance(scan.relation.source, FileScan) else scan_plan(scan)
    if bound.keeps_order == name and bound.limit is not None and bound.projection is not None:
        return first_rows(plan, bound.limit + bound.offset)
    return plan


def _scan_frame(state: SessionState, name: str, scan: Scan, plans: dict[str, ScanPlan], bound: BoundQuery) -> Frame:
    source = scan.relation.source
    if isinstance(source, Rows):
        shown = source.project(scan.columns)
        return state.engine.rows_frame(shown.columns, shown.rows)
    if isinstance(source, Changes):
        return state.engine.select(_changes_frame(source), scan.columns)
    if isinstance(source, Differences):
        return state.engine.select(state.engine.differences(*source.plan.plans), scan.columns)
    if isinstance(source, Files):
        return state.engine.select(source.read(), scan.columns)
    if isinstance(source, FileScan):
        return state.engine.scan(source.plan, scan.columns)
    if isinstance(source, ForeignRows):
        return state.engine.select(state.engine.typed_frame(source.read(), source.columns), scan.columns)
    if isinstance(source, CallerFrame):
        return state.engine.select(state.engine.typed_frame(source.rows, source.columns), scan.columns)
    plan = plans[name] = plans.get(name) or _plan_for_query(name, scan, bound)
    keeps_order = scan.is_ordered or (bound.keeps_order == name and state.settings.get("preserve_insertion_order"))
    return state.engine.scan(
        plan,
        scan.columns,
        keep_order=keeps_order,
        is_limited=bound.limit is not None or bool(bound.offset),
    )


def _changes_frame(changes: Changes) -> Frame:
    return changes.table.changes(changes.start, changes.end, kind=changes.kind)


# ---- values ----------------------------------------------------------------------------------------------------------


def single_value(state: SessionState, value: Any) -> Any:
    """Return the value of an expression that has no columns outside subqueries."""
    bound = bind_value(value, SessionNames(state))
    rows = answer(state, bound).fetchall()
    return rows[0][0] if rows else None


# ---- views and plans -------------------------------------------------------------------------------------------------


def create_view(state: SessionState, statement: statements.CreateView) -> None:
    """Run CREATE VIEW; the query is bound once, to check it."""
    target = SessionNames(state).new_target(statement.name, is_temporary=statement.is_temporary)
    writer = state.work.writer(target.attached, "CREATE")
    check_schema(content_of(writer), target.attached.alias, target.schema)
    # Names mean what they will mean to whoever reads the view: what is in its own catalog and schema.
    inside = None if target.attached.is_temporary else (target.attached, target.schema)
    is_marked = state.policy.is_confined and not target.attached.is_private
    of = state.within(target.attached) if is_marked else state
    bound = bind_query(statement.query, SessionNames(of, inside, may_act=False, is_new=True))
    if len(statement.column_names) > len(bound.columns):
        raise InvalidInputError("Binder Error: More VIEW aliases than columns in query result; no view was made.")
    new = NewView(
        target.name,
        portable_text(writer, target, statement.text),
        target.schema,
        statement.column_names,
        if_not_exists=statement.if_not_exists,
        or_replace=statement.or_replace,
    )
    run(writer, lambda staging: define_view(staging, runtime_of(writer), new))


def explain(state: SessionState, statement: statements.Explain) -> Result:
    """Run EXPLAIN: list the files that are read and pruned, and Spark's plan.

    With ANALYZE a query runs first; what is no query has run already. Of a statement that changes rows it is the
    plan that finds them.
    """
    columns = (Field(None, "explain_key", types.VARCHAR), Field(None, "explain_value", types.VARCHAR))
    key = "analyzed_plan" if statement.analyze else "physical_plan"
    inner = statement.statement
    asked = explained_query(inner)
    if asked is None:
        found = [(key, f"{type(inner).__name__}: no rows are read.")]
        return Result.of_rows(columns, found, state.setup.engine)
    bound = bind_query(asked, SessionNames(state, may_act=False))
    if bound.constants is not None or _known_rows(bound) is not None or _known_totals(bound) is not None:
        found = [(key, "Answered from metadata: no file is read.")]
        return Result.of_rows(columns, found, state.setup.engine)
    if statement.analyze and isinstance(inner, statements.Query):
        answer(state, bound).fetchall()
    plans: dict[str, ScanPlan] = {}
    small = _small_scan(state, bound, plans)
    if small is not None:
        text = "\n".join([*plan_lines(small.plan), "Read by this process, without Spark."])
    else:
        text = _explain_computed(state, bound, plans)
    return Result.of_rows(columns, [(key, text)], state.setup.engine)


def _explain_computed(state: SessionState, bound: BoundQuery, plans: dict[str, ScanPlan]) -> str:
    """Tell which engine computes a query, and why."""
    local = plan_locally(state.rule, bound, plans)
    if not isinstance(local, str):
        lines = [line for plan in local.plans for line in plan_lines(plan)]
        return "\n".join([*lines, "Computed by this process with DuckDB, without Spark."])
    state.rule.check_spark(local)
    plan = state.engine.explain(query_frame(state, bound, plans), list(plans.values()))
    return f"{plan}\nComputed by Spark: {local}."


def spark_query(state: SessionState, text: str) -> Result:
    """Answer a query in Spark's own SQL.

    Tables of the lake are named as in other statements.
    """
    said_in_spark = spark_text(text)
    names = SessionNames(state)
    frames = {}
    for name, parts in said_in_spark.tables.items():
        bound = bind_query(all_of(parts), names)
        frames[name] = state.engine.rename_columns(query_frame(state, bound), [field.name for field in bound.columns])
    frame = state.engine.query(said_in_spark.text, frames)
    return Result.of_frame(state.engine, [field_of(column) for column in state.engine.columns(frame)], frame)
