"""Which scans this process reads exactly as Spark does; Spark reads all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from forklake.errors import InvalidInputError
from forklake.files.access import storage
from forklake.files.arrow.schema import display_type
from forklake.files.parquet.footer import known_footer, resolve_fields
from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.promotions import can_become
from forklake.model.scan import ScanFile, ScanPlan
from forklake.model.types import Type

_ALSO_HELD_AS: Final[dict[Type, tuple[Type, ...]]] = {
    types.INT128: (types.FLOAT64, types.VARCHAR),
    types.UINT128: (types.FLOAT64, types.VARCHAR),
    types.GEOMETRY: (types.BLOB,),
    types.TIMESTAMP_S: (types.TIMESTAMP, types.TIMESTAMP_MS),
    types.TIMESTAMP_MS: (types.TIMESTAMP,),
    types.TIMESTAMP: (types.TIMESTAMP_NS,),
    types.TIME: (types.TIMETZ,),
}
"""What files hold columns as beside their own types and those that were promoted to them.

DuckDB's files do, and ours where integers of 128 bits have more than 38 digits.
"""


def is_exact(plan: ScanPlan, fields: Sequence[Field]) -> bool:
    """Return whether `read_plan` gives exactly the rows that Spark gives.

    It does not for variants in nested columns and in encrypted files, which DuckDB does not read; for files with a
    column of another type than the table's, unless it was promoted to that; and for files with columns that Spark
    cannot read as their types.

    Args:
        plan: What is read.
        fields: The columns to return.

    Raises:
        DataFileError: A footer that is needed cannot be read.
    """
    wanted = {field.column_id: field for field in fields if field.column_id is not None}
    if not all(_has_arrow_type(field) for field in wanted.values()):
        return False
    has_variants = any(field.type == types.VARIANT for field in wanted.values())
    if has_variants and any(file.encryption_key is not None for file in plan.files):
        return False
    kinds = {id(rows.fields): rows.fields for rows in plan.inlined}
    for file in plan.files:
        held = _file_fields(file, plan)
        if held is None:
            return False
        kinds[id(held)] = held
    return all(_are_exact(wanted, held) for held in kinds.values())


def _has_arrow_type(field: Field) -> bool:
    try:
        display_type(field)
    except InvalidInputError:
        return False
    return True


def _file_fields(file: ScanFile, plan: ScanPlan) -> tuple[Field, ...] | None:
    """Return the columns of a file as it holds them.

    None: Spark's own reader cannot read one of them as its type.
    """
    if file.fields is not None:
        return file.fields
    with storage.naming_table(file.path, plan.table):
        footer = known_footer(file)
    return None if footer.needs_arrow else resolve_fields(footer, plan.fields, file.mapping)


def _are_exact(wanted: Mapping[ColumnId, Field], held: Sequence[Field]) -> bool:
    return all(
        _is_exact(wanted[one.column_id], one) for one in held if one.column_id is not None and one.column_id in wanted
    )


def _is_exact(field: Field, held: Field) -> bool:
    if isinstance(field.type, types.Struct) and isinstance(held.type, types.Struct):
        children = {child.column_id: child for child in field.children if child.column_id is not None}
        return _are_exact(children, held.children)
    if field.children or held.children:
        pairs = zip(field.children, held.children, strict=False)
        return field.type.name == held.type.name and all(_is_exact(child, below) for child, below in pairs)
    if held.type in (field.type, field.type.stored_as, *_ALSO_HELD_AS.get(field.type, ())):
        return True
    # From decimals, Spark rounds to 32 bits once, and Python to 64 bits before.
    is_rounded_twice = isinstance(held.type, types.Decimal) and field.type == types.FLOAT32
    return can_become(held.type, field.type) and not is_rounded_twice
