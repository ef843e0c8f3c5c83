"""Projections: columns of a table as expressions over the columns of a file.

Columns are matched by id. A column that a file lacks is NULL, or its initial default. Where nothing differs
the file's column itself is used, so that Spark plans as if it read the file alone and filters reach the
scan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812

from forklake.engine.spark.columns.conversion import convert, is_shown_as_held
from forklake.engine.spark.columns.literal import default_literal
from forklake.model import types
from forklake.model.field import Field


def project(field: Field, physical: Iterable[Field], column: Callable[[Field], Column]) -> Column:
    """Return a column of the table, under its name, from the columns of a file.

    Args:
        field: The column of the table.
        physical: The columns of the file.
        column: Gives the file's column as an expression.

    Raises:
        InvalidInputError: The file holds the column as a type that cannot become the table's.
    """
    found = next((held for held in physical if _are_one(field, held)), None)
    if found is None:
        return default_literal(field).alias(field.name)
    return _value(field, found, column(found)).alias(field.name)


def is_same(field: Field, physical: Field) -> bool:
    """Return whether a file holds a column just as the table shows it.

    The name of the column itself may differ.
    """
    if not isinstance(field.type, types.Nested):
        return not physical.children and is_shown_as_held(field, physical)
    pairs = list(zip(field.children, physical.children, strict=False))
    if field.type.name != physical.type.name or len(field.children) != len(physical.children):
        return False
    if isinstance(field.type, types.Struct) and any(
        ours.name != theirs.name or not _are_one(ours, theirs) for ours, theirs in pairs
    ):
        return False
    return all(is_same(ours, theirs) for ours, theirs in pairs)


def _value(field: Field, physical: Field, value: Column) -> Column:
    if is_same(field, physical):
        return value
    match field.type:
        case types.Struct() if isinstance(physical.type, types.Struct):
            return _struct(field, physical, value)
        case types.List() if isinstance(physical.type, types.List):
            element, held = field.children[0], physical.children[0]
            return F.transform(value, lambda item: _value(element, held, item))
        case types.Map() if isinstance(physical.type, types.Map):
            return _map(field, physical, value)
    return convert(field, physical, value)


def _struct(field: Field, physical: Field, value: Column) -> Column:
    """Return a struct rebuilt field by field; NULL stays NULL."""
    parts = [project(child, physical.children, lambda held: value.getField(held.name)) for child in field.children]
    return F.when(value.isNotNull(), F.struct(*parts))


def _map(field: Field, physical: Field, value: Column) -> Column:
    (key, item), (held_key, held_item) = field.children, physical.children
    result = value
    if not is_same(item, held_item):
        result = F.transform_values(result, lambda _, held: _value(item, held_item, held))
    if not is_same(key, held_key):
        keys = F.transform(F.map_keys(value), lambda held: _value(key, held_key, held))
        result = F.map_from_arrays(keys, F.map_values(result))
    return result


def _are_one(field: Field, physical: Field) -> bool:
    return physical.column_id is not None and physical.column_id == field.column_id
