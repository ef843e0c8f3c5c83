"""Shared scans in this process: the rows of one table in several catalogs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import pyarrow as pa

from forklake.engine.local.exactness import is_exact
from forklake.engine.local.read_size import is_small
from forklake.engine.local.whole_scan import read_plan
from forklake.files.arrow.schema import display_type
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.scan import LINEAGE_COLUMNS, ScanPlan, ScanRows, SharedPlan

_PLACE: Final = Field(None, "file_index", LINEAGE_COLUMNS["file_index"])


def is_shared_small(plans: Sequence[SharedPlan], fields: Sequence[Field], max_bytes: int, max_rows: int) -> bool:
    """Return whether this process reads shared plans.

    It does if they are at most so much, and if it reads them as the engine does. A row counts once for each catalog
    that sees it.
    """
    shown = sum(
        file.record_count * len(holders)
        for shared in plans
        for file, holders in zip(shared.plan.files, shared.holders, strict=False)
    ) + sum(len(shared.holders[place]) for shared in plans for rows in shared.plan.inlined for place in rows.places)
    whole = ScanPlan("", (), tuple(file for shared in plans for file in shared.plan.files))
    return (
        shown <= max_rows
        and is_small(whole, max_bytes, max_rows)
        and all(field.column_id is not None or field.name != _PLACE.name for field in fields)
        and all(is_exact(shared.plan, _own_fields(shared.plan, fields)) for shared in plans)
    )


def read_shared(plans: Sequence[SharedPlan], fields: Sequence[Field]) -> pa.Table:
    """Return the rows of shared plans, once for each catalog that sees them.

    The name of the catalog comes first; a column that a plan lacks is NULL. Columns are called ``c0``, ``c1`` and so
    on.

    Raises:
        DataFileError: A file is missing, damaged, or cannot be decrypted.
        InvalidInputError: A value does not fit its column.
    """
    types = [pa.string(), *(display_type(field) for field in fields)]
    schema = pa.schema([pa.field(f"c{place}", kind) for place, kind in enumerate(types)])
    return pa.concat_tables([schema.empty_table(), *(_read(shared, fields, schema) for shared in plans)])


def _read(shared: SharedPlan, fields: Sequence[Field], schema: pa.Schema) -> pa.Table:
    plan, holders = _by_holders(shared)
    own = _own_fields(plan, fields)
    found = read_plan(plan, [*own, _PLACE])
    places = found.column(len(own)).cast(pa.int64()).to_numpy()
    names = [name for place in places.tolist() for name in holders[place]]
    counts = np.array([len(each) for each in holders], np.int64)
    rows = found.take(pa.array(np.repeat(np.arange(len(places)), counts[places]) if len(places) else [], pa.int64()))
    columns = {fold(field.name): rows.column(place) for place, field in enumerate(own)}
    return pa.table(
        [
            pa.array(names, pa.string()),
            *(columns.get(fold(field.name), pa.nulls(len(names), display_type(field))) for field in fields),
        ],
        schema=schema,
    )


def _by_holders(shared: SharedPlan) -> tuple[ScanPlan, list[tuple[str, ...]]]:
    """Return a plan whose inlined rows come in one group for each set of catalogs.

    Return also the catalogs that see each of its places: files, then these groups.
    """
    holders, inlined = list(shared.holders[: len(shared.plan.files)]), []
    for rows in shared.plan.inlined:
        found: dict[int, list[int]] = {}
        for number, place in enumerate(rows.places):
            found.setdefault(place, []).append(number)
        for place, numbers in found.items():
            names = tuple(rows.names[number] for number in numbers)
            inlined.append(ScanRows(rows.fields, tuple(rows.rows[number] for number in numbers), names))
            holders.append(shared.holders[place])
    return replace(shared.plan, inlined=tuple(inlined)), holders


def _own_fields(plan: ScanPlan, fields: Sequence[Field]) -> list[Field]:
    """Return columns as a plan has them; what it lacks is left out."""
    known = {fold(field.name): field for field in plan.fields}
    own = (known.get(fold(field.name)) if field.column_id is not None else field for field in fields)
    return [field for field in own if field is not None]
