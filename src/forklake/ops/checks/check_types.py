"""Checks that columns can be read from files that hold them as other types.

A column that was promoted is cast where its older files are read. One file of each pair of types is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from forklake.catalog import lookup, versions
from forklake.engine.local.whole_scan import read_plan
from forklake.errors import ForklakeError, InvalidInputError, NotFoundError
from forklake.files.parquet.footer import known_footer, resolve_fields
from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import CatalogId
from forklake.model.promotions import can_become
from forklake.model.scan import ScanFile, ScanPlan
from forklake.ops.checks.findings import Findings
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.rows.read_table import plan_table

Pair = tuple[str, str]
"""What a file holds a column as, and what the table shows it as."""


def check_types(runtime: Runtime, catalog: CatalogId, known: set[Pair], findings: Findings) -> None:
    """Read a file of each pair of types that a live catalog has and no other one had.

    ``known`` has the pairs that were read, and gets the new ones. Files that are missing or damaged are told elsewhere.
    """
    try:
        content = runtime.state(versions.head_by_id(runtime.store, catalog))
    except NotFoundError:
        return  # it was dropped
    for schema in lookup.schemas(content):
        for table in lookup.tables(content, schema.schema_id):
            origins = (row.origin for row in lookup.columns(content, table.table_id))
            if not any(origin is not None and origin.owner == catalog for origin in origins):
                continue  # its columns are those of an ancestor, which is checked itself
            plan = plan_table(runtime, content, table, None)
            for file in plan.files:
                for field, held in _other_types(file, plan):
                    pair = str(held.type), str(field.type)
                    if pair in known:
                        continue
                    known.add(pair)
                    if reason := _error(plan, file, field, held):
                        told = f'Column "{field.name}" of table "{table.table_name}" cannot be read: {reason}'
                        findings.add("file-types", catalog, told, file.path)


def _other_types(file: ScanFile, plan: ScanPlan) -> Iterator[tuple[Field, Field]]:
    """Yield columns that a file holds as other types: the table's and the file's."""
    held: Sequence[Field]
    try:
        held = file.fields if file.fields is not None else resolve_fields(known_footer(file), plan.fields, file.mapping)
    except ForklakeError:
        return
    wanted = {field.column_id: field for field in plan.fields}
    for one in held:
        field = wanted.get(one.column_id)
        if (
            field is not None
            and not (field.children or one.children)
            and one.type not in (field.type, field.type.stored_as)
        ):
            yield field, one


def _error(plan: ScanPlan, file: ScanFile, field: Field, held: Field) -> str | None:
    """Return why a column of a file cannot be read, if it cannot."""
    if isinstance(held.type, types.Boolean | types.Number) and not can_become(held.type, field.type):
        return f"the file holds it as {held.type}, which does not become {field.type}."
    try:
        read_plan(replace(plan, files=(file,), inlined=()), (field,))
    except InvalidInputError as error:
        return error.message
    except ForklakeError:
        return None
    return None
