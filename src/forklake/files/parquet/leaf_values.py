"""The values of one type in rows, also those within structs, lists and maps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from forklake.model import types
from forklake.model.field import Field


def leaf_values(
    batch: pa.RecordBatch, fields: Sequence[Field], kind: type[types.Type]
) -> Iterator[tuple[str, pa.Array]]:
    """Yield the values of all columns and fields of a type, with their dotted names.

    What is hidden behind a NULL, or outside of a slice, is not among them.
    """
    for field in fields:
        if _has(field, kind):
            yield from _below(batch.column(field.name), field, field.name, kind)


def _has(field: Field, kind: type[types.Type]) -> bool:
    return isinstance(field.type, kind) or any(_has(child, kind) for child in field.children)


def _below(values: pa.Array, field: Field, name: str, kind: type[types.Type]) -> Iterator[tuple[str, pa.Array]]:
    if isinstance(field.type, kind):
        yield name, values
        return
    if isinstance(field.type, types.Map):
        values = values.cast(pa.list_(pa.struct([values.type.key_field, values.type.item_field])))
    parts = values.flatten()
    if isinstance(field.type, types.List):
        parts = [parts]
    elif isinstance(field.type, types.Map):
        parts = parts.flatten()
    for child, part in zip(field.children, parts, strict=True):
        if _has(child, kind):
            yield from _below(part, child, f"{name}.{child.name}", kind)
