"""A predicate on the rows of a table that a merge's source can match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import pyarrow as pa

from forklake.files.arrow import compute as pc
from forklake.files.casting.texts import to_texts
from forklake.model import types
from forklake.model.field import Field
from forklake.model.merge import Merge
from forklake.model.predicate import AllOf, Comparison, Nothing, OneOf, Predicate
from forklake.model.types import Type

_EXACT: Final[frozenset[Type]] = frozenset(
    {types.VARCHAR, types.DATE, types.TIMESTAMP, types.TIMESTAMP_S, types.TIMESTAMP_MS, types.TIMESTAMPTZ}
)
"""Types whose values are ordered by Arrow as by a table's statistics."""

_MOST_VALUES: Final = 200
"""Up to so many keys are asked for one by one, which partitions and buckets can answer."""


def match_predicate(
    merge: Merge, rows: pa.Table, source: Sequence[Field], target: Sequence[Field], *, is_range: bool = False
) -> Predicate | None:
    """Return a predicate on the table's rows that a merge can touch; None if any.

    Args:
        merge: The merge.
        rows: The source, or only its key columns.
        source: The columns of the source.
        target: The columns of the table.
        is_range: Whether the rows are only the smallest and largest values of the source.
    """
    most_values = 0 if is_range else _MOST_VALUES
    theirs = {field.name: field for field in source}
    ours = {field.name: field for field in target}
    parts = [
        part
        for key, name in pruning_keys(merge, source, target)
        for part in _bounds(ours[key], theirs[name], rows.column(name), most_values)
    ]
    return AllOf(tuple(parts)) if parts else None


def pruning_keys(merge: Merge, source: Sequence[Field], target: Sequence[Field]) -> list[tuple[str, str]]:
    """Return the keys of a merge that can prune the table's rows.

    Each is a column of the table and one of the source.
    """
    if any(clause.side == "not matched by source" for clause in merge.clauses):
        return []
    theirs = {field.name: field for field in source}
    ours = {field.name: field for field in target}
    return [(key, name) for key, name in merge.keys if _are_ordered_alike(ours[key], theirs[name])]


def _are_ordered_alike(ours: Field, theirs: Field) -> bool:
    match ours.type, theirs.type:
        case types.Integer(bits), types.Integer(other_bits):
            return max(bits, other_bits) < 128
    return ours.type == theirs.type and ours.type in _EXACT


def _bounds(ours: Field, theirs: Field, values: pa.ChunkedArray, most_values: int) -> Iterator[Predicate]:
    assert ours.column_id is not None
    known = pc.drop_null(pc.unique(values))
    if len(known) == 0:
        # NULL equals nothing.
        yield Nothing()
    elif len(known) <= most_values:
        yield OneOf(ours.column_id, ours.type, tuple(_texts(theirs, known)))
    else:
        order = pc.array_sort_indices(known)
        low, high = _texts(theirs, known.take(pa.array([order[0].as_py(), order[-1].as_py()])))
        yield Comparison(ours.column_id, ours.type, ">=", low)
        yield Comparison(ours.column_id, ours.type, "<=", high)


def _texts(field: Field, values: pa.Array) -> list[str]:
    return [text for text in to_texts(field.type, values) if text is not None]
