"""What metadata knows of the values in files, and which files it rules out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from forklake.catalog.partition_transforms import known_transform
from forklake.catalog.pruning import Constant, FileFacts, PartitionValue, Pruner
from forklake.catalog.read_files import FileRows
from forklake.catalog.state import Content
from forklake.metastore.written_tables import FILE_COLUMN_STATS, FILE_PARTITION_VALUE, PARTITION_COLUMN, PARTITION_INFO
from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import ColumnId, DataFileId, PartitionId, TableId
from forklake.model.predicate import Predicate
from forklake.model.rows import DataFileRow, FileColumnStatsRow, PartitionInfoRow
from forklake.model.scan import ScanRows
from forklake.model.transforms import IDENTITY, Transform
from forklake.model.types import Type

Fields = tuple[Field, ...] | None
_MUCH: Final = 5_000
"""Rows of statistics that are read though no predicate is about them: at most about 40 ms."""


def prune(
    content: Content,
    table_id: TableId,
    fields: Sequence[Field],
    files: Sequence[DataFileRow],
    fields_of: Mapping[DataFileId, Fields],
    predicate: Predicate,
    known: FileRows | None = None,
) -> tuple[list[DataFileRow], dict[str, tuple[int, int]]]:
    """Return the files that may hold a row of the predicate.

    For each reason, return also how many files it excludes, and their bytes. Statistics are read only for the
    predicate's columns, and, if ``known`` does not have them, only for files that their partition does not exclude.
    """
    pruner = Pruner(predicate)
    partitions = _partition_values(content, table_id, files, pruner.columns)
    kept: list[DataFileRow] = []
    by_partition: list[DataFileRow] = []
    now = {column: field.type for column, field, _ in _fields_with_ids(fields) if column in pruner.columns}
    for row in files:
        keys = partitions.get(row.data_file_id, [])
        if any(key.transform.is_bucket for key in keys):
            keys = partitions[row.data_file_id] = _valid_keys(keys, now, fields_of[row.data_file_id])
        is_out = bool(keys) and pruner.rules_out(FileFacts(partition=keys))
        (by_partition if is_out else kept).append(row)
    stats = column_stats(content, kept, pruner.columns - _variants(fields), known)
    absent = _MissingColumns(fields, pruner.columns)
    left: list[DataFileRow] = []
    by_statistics: list[DataFileRow] = []
    for row in kept:
        file = row.data_file_id
        facts = FileFacts(stats.get(file, {}), partitions.get(file, ()), absent.constants(fields_of[file]))
        (by_statistics if pruner.rules_out(facts) else left).append(row)
    pruned = {"partition": by_partition, "statistics": by_statistics}
    sums = {why: (len(rows), sum(row.file_size_bytes for row in rows)) for why, rows in pruned.items() if rows}
    return left, sums


def no_row_matches(groups: Sequence[ScanRows], fields: Sequence[Field], predicate: Predicate) -> bool:
    """Return whether there are inlined rows, and none of them fulfils a predicate.

    Nothing is known of a column that had another type, or was not there yet.
    """
    pruner = Pruner(predicate)
    asked = {field.column_id: field.type for field in fields if field.type.facts.has_bounds}
    for group in groups:
        then = [field for field in group.fields if field.column_id in pruner.columns]
        there = [one.column_id for one in then if one.column_id is not None and asked.get(one.column_id) == one.type]
        for _, _, values in group.rows:
            if not pruner.rules_out(FileFacts(partition=[PartitionValue(one, IDENTITY, values[one]) for one in there])):
                return False
    return bool(groups)


def _variants(fields: Sequence[Field]) -> frozenset[ColumnId]:
    """Return the variant columns.

    DuckDB writes a NULL of theirs as a variant that is null, and statistics count it as a value.
    """
    return frozenset(column for column, field, _ in _fields_with_ids(fields) if field.type == types.VARIANT)


def columns_of_interest(fields: Sequence[Field], predicate: Predicate | None) -> frozenset[ColumnId]:
    """Return the columns whose statistics a plan asks for, if there are not too many."""
    named = frozenset() if predicate is None else Pruner(predicate).columns
    return _floats(fields) | (named - _variants(fields))


def _floats(fields: Sequence[Field]) -> frozenset[ColumnId]:
    return frozenset(column for column, field, _ in _fields_with_ids(fields) if isinstance(field.type, types.Float))


def column_stats(
    content: Content, files: Sequence[DataFileRow], columns: Iterable[ColumnId], known: FileRows | None = None
) -> dict[DataFileId, dict[ColumnId, FileColumnStatsRow]]:
    """Return the statistics of some columns by file.

    If they are not known, they are read, in one round trip.
    """
    wanted, there = set(columns), {row.data_file_id for row in files}
    found: dict[DataFileId, dict[ColumnId, FileColumnStatsRow]] = {}
    if not wanted or not there:
        return found
    if known is not None and known.stats is not None and wanted <= known.columns:
        rows = [row for row in known.stats if row.data_file_id in there and row.column_id in wanted]
    else:
        rows = content.following(FILE_COLUMN_STATS, files, {"column_id": sorted(wanted)})
    for row in rows:
        found.setdefault(row.data_file_id, {})[row.column_id] = row
    return found


def without_nan(
    content: Content,
    fields: Sequence[Field],
    files: Sequence[DataFileRow],
    predicate: Predicate | None,
    known: FileRows | None = None,
) -> dict[DataFileId, frozenset[ColumnId]]:
    """Return by file the float columns that are known to hold no NaN.

    If there are very many, only the columns of the predicate are looked up.
    """
    floats = _floats(fields)
    if len(floats) * len(files) > _MUCH:
        floats &= frozenset() if predicate is None else Pruner(predicate).columns
    free: dict[DataFileId, frozenset[ColumnId]] = {}
    kept: dict[frozenset[ColumnId], frozenset[ColumnId]] = {}
    for file, stats in column_stats(content, files, floats, known).items():
        found = frozenset(column for column, row in stats.items() if row.contains_nan is False or row.value_count == 0)
        free[file] = kept.setdefault(found, found)
    return free


def _partition_values(
    content: Content, table_id: TableId, files: Sequence[DataFileRow], columns: frozenset[ColumnId]
) -> dict[DataFileId, list[PartitionValue]]:
    """Return what partition values say of some columns, by file.

    Old files keep the keys they were written with.
    """
    partitioned = [row for row in files if row.partition_id is not None]
    if not partitioned or not columns:
        return {}
    of_table = {"table_id": table_id}
    infos: list[PartitionInfoRow] = [row for row, _, _ in content.history(PARTITION_INFO, of_table)]
    infos += [row for row in content.rows(PARTITION_INFO, of_table) if row.origin is None]
    keys: dict[tuple[PartitionId, int], tuple[ColumnId, Transform]] = {
        (key.partition_id, key.partition_key_index): (key.column_id, transform)
        for key in content.following(PARTITION_COLUMN, infos)
        if key.column_id in columns and (transform := known_transform(key.transform)) is not None
    }
    partition_of = {row.data_file_id: row.partition_id for row in partitioned}
    wanted = sorted({index for _, index in keys})
    found: dict[DataFileId, list[PartitionValue]] = {}
    if wanted:
        for row in content.following(FILE_PARTITION_VALUE, partitioned, {"partition_key_index": wanted}):
            partition = partition_of[row.data_file_id]
            key = None if partition is None else keys.get((partition, row.partition_key_index))
            if key is not None:
                found.setdefault(row.data_file_id, []).append(PartitionValue(*key, row.partition_value))
    return found


def _valid_keys(keys: Sequence[PartitionValue], now: Mapping[ColumnId, Type], held: Fields) -> list[PartitionValue]:
    """Return the keys that are valid for the column's current type.

    They say which were computed from it. A bucket is computed from a value in the column's type of that time. If the
    type has changed since, the bucket is not valid.
    """
    then = {column: field.type for column, field, _ in _fields_with_ids(held or ())}
    found: list[PartitionValue] = []
    for key in keys:
        kind = now[key.column_id]
        if key.transform.is_bucket and then.get(key.column_id) == kind:
            found.append(replace(key, held=kind))
        elif not key.transform.is_bucket or not _may_be_promoted(kind):
            found.append(key)
    return found


def _may_be_promoted(kind: Type) -> bool:
    """Return whether buckets may have been computed from another type.

    Integers are not included: a comparison checks the buckets of all integer types.
    """
    return isinstance(kind, types.Float | types.Decimal | types.Timestamp)


class _MissingColumns:
    """Values of columns that are younger than their files."""

    def __init__(self, fields: Sequence[Field], columns: frozenset[ColumnId]) -> None:
        self._defaults = {
            column: Constant(field.initial_default, is_nested)
            for column, field, is_nested in _fields_with_ids(fields)
            if column in columns
        }
        self._kept: dict[int, Mapping[ColumnId, Constant]] = {}

    def constants(self, held: Fields) -> Mapping[ColumnId, Constant]:
        """Return the constant columns of a file that holds these columns.

        It is empty for a file whose columns are not known.
        """
        if held is None:
            return {}
        # The caller keeps the fields of all files, so no two of them share an identity.
        if id(held) not in self._kept:
            there = {column for column, _, _ in _fields_with_ids(held)}
            self._kept[id(held)] = {column: one for column, one in self._defaults.items() if column not in there}
        return self._kept[id(held)]


def _fields_with_ids(fields: Sequence[Field], *, is_nested: bool = False) -> Iterable[tuple[ColumnId, Field, bool]]:
    for field in fields:
        if field.column_id is not None:
            yield field.column_id, field, is_nested
        yield from _fields_with_ids(field.children, is_nested=True)
