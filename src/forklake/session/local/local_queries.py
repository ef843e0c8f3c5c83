"""Queries that this process computes with DuckDB, over what their scans read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import pyarrow as pa

from forklake.engine import local
from forklake.engine.engine import Frame
from forklake.engine.local.exactness import is_exact
from forklake.errors import InvalidInputError
from forklake.files.arrow.schema import display_type
from forklake.files.arrow.wide_integers import is_wide, wide_array
from forklake.model import types
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.scan import ScanPlan
from forklake.ops.lakes.engine_rule import EngineRule
from forklake.ops.rows.write_target import WriteQuestions
from forklake.session.local.local_inputs import QueryInput, TableInput, are_small_inputs, bare_field, query_input
from forklake.session.results.result_content import FrameRows
from forklake.sql.local.duckdb_text import LocalQuery, computed_only_here, local_query
from forklake.sql.relation import BoundQuery
from forklake.sql.rows.joined_rows import FoundRows
from forklake.sql.rows.merged_rows import FoundMerge

_OF_DUCKDB: Final = "DuckDB says: "


@dataclass(frozen=True, slots=True)
class PlannedQuery:
    """A query that this process computes.

    Attributes:
        query: The query.
        inputs: What it reads, by the names of its tables.
        columns: The columns of the result.
    """

    query: LocalQuery
    inputs: Mapping[str, QueryInput]
    columns: tuple[Field, ...]

    @property
    def plans(self) -> list[ScanPlan]:
        """The scans of tables."""
        return [plan for one in self.inputs.values() for plan, _ in one.scans]

    def plan_of(self, scan: str) -> ScanPlan:
        """Return the plan for a scan of the bound query."""
        name = next(name for name, scans in self.query.names.items() if scan in scans)
        found = self.inputs[name]
        assert isinstance(found, TableInput)
        return found.plan

    def compute(self) -> pa.Table | str:
        """Return the rows, or the reason why Spark has to compute them.

        Raises:
            InvalidInputError: A value cannot be computed.
            DataFileError: A file is missing, damaged, or cannot be decrypted.
            LimitError: The statement reads too much, or its time is over.
        """
        try:
            tables = {name: one.read() for name, one in self.inputs.items()}
        except InvalidInputError as error:
            # A value that cannot be shown: the engine has the last word on it.
            return str(error)
        kinds = [field.type.sql_name for field in self.columns]
        found = local.duckdb_rows.compute_rows(self.query.text, tables, kinds)
        if isinstance(found, str) and self.query.is_only_here:
            raise InvalidInputError(self._refusal(found))
        return found if isinstance(found, str) else _show(self.columns, found)

    def _refusal(self, reason: str) -> str:
        """Return what is said of a query that nobody computes.

        ``reason`` is why this process does not.
        """
        nested = next((one for one in self.columns if one.type != types.VARIANT and _holds_variants(one)), None)
        if nested is not None:
            return (
                f'Not implemented Error: Column "{nested.name}" has values of type VARIANT within another type, which'
                " no result holds; nothing was computed."
            )
        if reason.startswith(_OF_DUCKDB):
            return reason.removeprefix(_OF_DUCKDB)
        return (
            "Not implemented Error: DuckDB computes with values of type VARIANT in this process, and it does not"
            f" compute this: {reason}."
        )


def _holds_variants(field: Field) -> bool:
    return field.type == types.VARIANT or any(map(_holds_variants, field.type.children))


@dataclass(frozen=True, slots=True)
class ComputedRows:
    """The rows of a query that this process computes, or else the engine.

    Attributes:
        planned: The query.
        by_engine: Gives the same rows, computed by the engine, for a reason.
    """

    planned: PlannedQuery
    by_engine: Callable[[str], FrameRows]

    def collect(self, limit: int | None) -> pa.Table:
        """Compute the rows."""
        found = self.planned.compute()
        return self.by_engine(found).collect(limit) if isinstance(found, str) else found.slice(0, limit)

    def frame(self, names: Sequence[str], limit: int | None) -> Frame:
        """Return the same rows as a frame, computed by the engine."""
        return self.by_engine("a DataFrame is asked for").frame(names, limit)


def find_here(
    rule: EngineRule, found: FoundRows | FoundMerge, plans: dict[str, ScanPlan]
) -> tuple[ScanPlan, pa.Table] | None:
    """Return the rows that a statement changes, and the scan that found them.

    None: Spark finds them.

    Args:
        rule: Which engine runs what.
        found: The statement.
        plans: The plans of scans, by name, where they were made already.

    Raises:
        InvalidInputError: A value cannot be computed.
        EngineError: Spark is needed, and not used.
    """
    planned = plan_locally(rule, found.query, plans)
    rows = planned if isinstance(planned, str) else planned.compute()
    if isinstance(planned, str) or isinstance(rows, str):
        rule.check_spark(str(rows))
        return None
    return planned.plan_of(found.scan), rows


def plan_locally(
    rule: EngineRule, bound: BoundQuery, plans: dict[str, ScanPlan], asked: WriteQuestions | None = None
) -> PlannedQuery | str:
    """Plan a query for this process; return the reason if Spark computes it.

    Args:
        rule: Which engine runs what.
        bound: The query.
        plans: The plans of its scans, by name; those that are made are added.
        asked: What the first scan of a table takes along.

    Raises:
        InvalidInputError: Spark does not compute it either.
    """
    found = _plan(rule, bound, plans, asked)
    what = computed_only_here(bound.parts) if isinstance(found, str) and bound.parts is not None else None
    if what is not None:
        raise InvalidInputError(
            f"Not implemented Error: DuckDB computes with {what} in this process, and this statement is one for Spark:"
            f" {found}."
        )
    return found


def _plan(
    rule: EngineRule, bound: BoundQuery, plans: dict[str, ScanPlan], asked: WriteQuestions | None
) -> PlannedQuery | str:
    if rule.choice == "spark":
        return "the engine is 'spark'"
    if not rule.setup.is_spark:
        return "another engine was given"
    query = local_query(bound)
    if isinstance(query, str):
        return query
    inputs: dict[str, QueryInput] = {}
    for name, scan in query.scans.items():
        found = query_input(scan, query.names[name], plans, asked)
        if isinstance(found, str):
            return found
        inputs[name] = found
    is_small = are_small_inputs(rule.setup.settings, inputs.values(), query.row_count)
    if not is_small and rule.leaves_large_to_spark:
        return "it reads more than this process does"
    if not all(is_exact(plan, fields) for one in inputs.values() for plan, fields in one.scans):
        return "files hold columns as other types"
    return PlannedQuery(query, inputs, bound.columns)


def _show(columns: Sequence[Field], found: pa.Table) -> pa.Table | str:
    """Return rows in the types that readers see; the reason if a value does not fit."""
    arrays = []
    for field, column in zip(columns, found.columns, strict=True):
        try:
            given = wide_array(field, column.combine_chunks()) if is_wide(field) else column
            given.validate()
            wanted = display_type(bare_field(field))
            arrays.append(given if given.type == wanted else given.cast(wanted))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            return f'column "{field.name}" does not fit: {error}'
    return pa.table(arrays, names=[f"c{place}" for place in range(len(columns))])
