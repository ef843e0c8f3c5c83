"""Reads a table: planned from metadata, read in this process or by the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from forklake.catalog.exact_bounds import exact_bounds
from forklake.catalog.scan_plan import count_known, plan_scan
from forklake.catalog.state import Content
from forklake.config import Settings
from forklake.engine.local.exactness import is_exact
from forklake.engine.local.read_size import is_small
from forklake.engine.local.whole_scan import read_plan
from forklake.errors import NotFoundError
from forklake.files.casting.texts import display_type, to_array
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.predicate import Condition
from forklake.model.rows import TableRow
from forklake.model.scan import LINEAGE_COLUMNS, OWN_PLACES, ScanPlan
from forklake.ops.lakes.runtime import Runtime, leaves_large_to_engine


def plan_table(runtime: Runtime, content: Content, table: TableRow, condition: Condition | None) -> ScanPlan:
    """Plan a scan of the table, without files that cannot satisfy the condition."""
    predicate = None if condition is None else condition.predicate
    return plan_scan(runtime.store, runtime.lake_path, content, table, predicate)


def shown_fields(plan: ScanPlan, columns: Sequence[str] | None) -> tuple[Field, ...]:
    """Return the output columns of a scan; None selects all columns.

    Virtual columns, which rows have beside those of the table, have no id.

    Raises:
        NotFoundError: There is no such column.
    """
    if columns is None:
        return plan.fields
    known = {name: Field(None, name, kind) for name, kind in {**LINEAGE_COLUMNS, **OWN_PLACES}.items()}
    known |= {fold(field.name): field for field in plan.fields}
    for name in columns:
        if fold(name) not in known:
            raise NotFoundError(f'Table "{plan.table}" does not have a column with name "{name}"')
    return tuple(known[fold(name)] for name in columns)


def is_read_locally(plan: ScanPlan, fields: Sequence[Field], settings: Settings, limit: int | None = None) -> bool:
    """Return whether this process reads the rows of a plan itself.

    It does if they are few, or there is no engine, and the result is the same as the engine's.

    Raises:
        DataFileError: A footer that is needed to decide cannot be read.
    """
    is_few = is_small(plan, settings.local_read_bytes, settings.local_read_rows, limit)
    return (is_few or not leaves_large_to_engine(settings)) and is_exact(plan, fields)


def count_rows(runtime: Runtime, plan: ScanPlan) -> int:
    """Count the rows of a plan.

    Metadata gives the number. Only files of which it does not know enough are read: here if they are small, else by
    the engine.

    Raises:
        DataFileError: A file is missing or damaged.
        EngineError: The job failed.
    """
    count, unknown = count_known(plan)
    if not unknown:
        return count
    rest = replace(plan, files=unknown, inlined=())
    if is_read_locally(rest, (), runtime.settings):
        return count + int(read_plan(rest, ()).num_rows)
    return count + runtime.engine.count(rest, None)


def column_bound(runtime: Runtime, content: Content, table: TableRow, column: str, which: Literal["min", "max"]) -> Any:
    """Return the smallest or largest value of a column.

    It comes from metadata where that is exact, else from the engine.

    Raises:
        NotFoundError: There is no such column.
    """
    plan = plan_scan(runtime.store, runtime.lake_path, content, table, None)
    field = next((field for field in plan.fields if fold(field.name) == fold(column)), None)
    if field is None:
        raise NotFoundError(f'Table "{table.table_name}" does not have a column with name "{column}"')
    known = exact_bounds(content, table, plan, field)
    if known is not None:
        return to_array(field, [known[0 if which == "min" else 1]])[0].as_py()
    # The same value of the same type as from metadata, whatever the zone of the session.
    return runtime.engine.extreme_value(plan, field.name, which).cast(display_type(field))[0].as_py()
