"""Describes Parquet files that others wrote as new data files of a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from forklake.errors import DataFileError, InvalidInputError
from forklake.files.access import storage
from forklake.files.access.threads import FileThreads
from forklake.files.casting.texts import format_value
from forklake.files.foreign.adopted_columns import AdoptionRules, ColumnMatch, match_columns
from forklake.files.parquet.footer import damage_error, read_metadata
from forklake.files.parquet.held_columns import HeldColumn, held_columns
from forklake.files.parquet.partitions import directory_names, hive_text, hive_values
from forklake.files.parquet.statistics import leaf_stats, stored_leaves
from forklake.model import types
from forklake.model.definitions import ColumnStats, NewDataFile
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.write import PartitionKey

_READERS: Final = 16
_LOCAL_READERS: Final = 4
"""What this machine has needs little waiting, and more threads get in each other's way."""
_FILES_AT_ONCE: Final = 64
"""A thread takes so many at a time: to hand over each by itself costs as much as to read it."""
_KEPT_MATCHES: Final = 64


@dataclass(frozen=True, slots=True)
class Adoption:
    """How files are adopted; it needs no metadata, so tasks can do it.

    Attributes:
        rules: The table's columns, and what the caller allows.
        partition_keys: The keys of the table's partitioning.
        uses_directories: Whether directories ``key=value`` give values.
    """

    rules: AdoptionRules
    partition_keys: tuple[PartitionKey, ...] = ()
    uses_directories: bool = True


def adopt_files(paths: Sequence[str], adoption: Adoption) -> list[NewDataFile]:
    """Return files as new data files of a table, in order, read at the same time.

    Raises:
        InvalidInputError: A file does not fit the table.
        DataFileError: A file is missing, damaged, encrypted or no Parquet file.
    """
    adopter = _Adopter(adoption)
    if len(paths) < 2:
        return [adopter.adopt(path) for path in paths]
    readers = _LOCAL_READERS if all(map(storage.is_local, paths)) else _READERS
    size = min(_FILES_AT_ONCE, math.ceil(len(paths) / readers))
    parts = [paths[first : first + size] for first in range(0, len(paths), size)]
    with FileThreads(min(readers, len(parts))) as threads:
        return [file for part in threads.map(lambda part: [*map(adopter.adopt, part)], parts) for file in part]


class _Adopter:
    """Adopts files one by one; files with the same columns are matched once."""

    def __init__(self, adoption: Adoption) -> None:
        self._adoption = adoption
        self._names = directory_names(adoption.partition_keys)
        self._lock = Lock()
        self._known: list[tuple[pq.ParquetSchema, tuple[HeldColumn, ...]]] = []
        self._matches: dict[tuple[int, tuple[tuple[str, str], ...]], ColumnMatch] = {}

    def adopt(self, path: str) -> NewDataFile:
        try:
            metadata, byte_count, footer_size = read_metadata(path)
        except DataFileError as error:
            raise DataFileError(f"Failed to add data files to DuckLake: {error.message}", hint=error.hint) from error
        directories = hive_values(path) if self._adoption.uses_directories else {}
        match = self._match(path, metadata, directories)
        self._check_nulls(path, metadata, match)
        stats = leaf_stats(metadata, match.stored)
        for name in match.rounded:
            stats[name] = replace(stats[name], min_value=None, max_value=None)
        for field, value in match.from_path.values():
            stats[field.name] = _constant_stats(field, value, metadata.num_rows)
        return NewDataFile(
            path=path,
            record_count=metadata.num_rows,
            file_size_bytes=byte_count,
            footer_size=footer_size,
            column_stats=stats,
            partition_values=self._partition_values(path, match, directories),
            mapping=match.mapping,
            is_adopted=True,
        )

    def _match(self, path: str, metadata: pq.FileMetaData, directories: Mapping[str, str]) -> ColumnMatch:
        schema = metadata.schema
        with self._lock:
            number = next((at for at, (known, _) in enumerate(self._known) if known.equals(schema)), None)
            if number is None:
                self._known.append((schema, self._columns(path, metadata)))
                number = len(self._known) - 1
        rules = self._adoption.rules
        used = {field.name for field in rules.fields if field.name in directories} if directories else ()
        key = (number, tuple(sorted((name, directories[name]) for name in used)))
        found = self._matches.get(key)
        if found is None:
            found = match_columns(path, self._known[number][1], rules, directories)
            found.stored = stored_leaves(metadata, found.leaves)
            if len(self._matches) < _KEPT_MATCHES:
                self._matches[key] = found
        return found

    def _columns(self, path: str, metadata: pq.FileMetaData) -> tuple[HeldColumn, ...]:
        try:
            return held_columns(metadata)
        except (pa.ArrowException, ValueError, OSError) as error:
            raise DataFileError(f'File "{path}" has columns that cannot be read: {error}') from error

    def _partition_values(
        self, path: str, match: ColumnMatch, directories: Mapping[str, str]
    ) -> tuple[str | None, ...]:
        """Return the values of the table's partition keys.

        Raises:
            InvalidInputError: There is not exactly one for each key.
        """
        keys = self._adoption.partition_keys
        if not keys:
            return ()
        by_name = {field.name: (field, value) for field, value in match.from_path.values()}
        found: list[str | None] = []
        for key, name in zip(keys, self._names, strict=True):
            if key.transform.is_identity and key.column in by_name:
                field, value = by_name.pop(key.column)
                found.append(None if value is None else format_value(field.type, value))
            elif not key.transform.is_identity and name in directories:
                found.append(self._number(path, key, name, directories[name]))
            else:
                raise _partition_error(path)
        if by_name:
            raise _partition_error(path)
        return tuple(found)

    def _number(self, path: str, key: PartitionKey, name: str, text: str) -> str | None:
        meant = hive_text(types.INT64, text)
        if meant is None:
            return None
        try:
            number = int(meant)
        except ValueError:
            raise InvalidInputError(
                f"Unable to cast '{text}' (from hive partition column '{name.upper()}') to: 'BIGINT' (file \"{path}\")"
            ) from None
        count = key.transform.bucket_count
        if count is not None and not 0 <= number < count:
            raise _partition_error(path)
        return str(number)

    def _check_nulls(self, path: str, metadata: pq.FileMetaData, match: ColumnMatch) -> None:
        """Refuse NULL in columns that do not allow it.

        Raises:
            InvalidInputError: There is one.
        """
        if not metadata.num_rows:
            return
        for field in self._adoption.rules.fields:
            if field.nulls_allowed or field.column_id is None:
                continue
            if field in match.missing:
                is_null = field.initial_default is None
            elif field.column_id in match.from_path:
                is_null = match.from_path[field.column_id][1] is None
            else:
                is_null = _has_nulls(path, metadata, match.held[field.column_id])
            if is_null:
                raise InvalidInputError(
                    f'NOT NULL constraint failed: {self._adoption.rules.table}.{field.name} (file "{path}")'
                )


def _partition_error(path: str) -> InvalidInputError:
    return InvalidInputError(f'File "{path}" contains an invalid partition value for the table configuration.')


def _has_nulls(path: str, metadata: pq.FileMetaData, column: HeldColumn) -> bool:
    """Return whether a column holds NULL; it is read if the footer does not tell."""
    if column.is_required:
        return False
    if not column.children:
        counts = [_null_count(metadata.row_group(group).column(column.place)) for group in _groups(metadata)]
        if None not in counts:
            return any(counts)
    with storage.open_input(path) as opened:
        try:
            parquet = pq.ParquetFile(opened)
            return any(batch.column(0).null_count for batch in parquet.iter_batches(columns=[column.name]))
        except (OSError, ValueError, pa.ArrowException) as error:
            raise damage_error(path, None, error) from error


def _groups(metadata: pq.FileMetaData) -> Iterable[int]:
    return range(metadata.num_row_groups)


def _null_count(chunk: Any) -> int | None:
    known = chunk.statistics
    return known.null_count if known is not None and known.has_null_count else None


def _constant_stats(field: Field, value: Any, count: int) -> ColumnStats:
    """Return the statistics of a column with the same value in all rows."""
    if value is None:
        return ColumnStats(value_count=0, null_count=count, column_size_bytes=0)
    is_nan = isinstance(value, float) and math.isnan(value)
    text = _bound_text(field, value) if field.type.facts.has_bounds and not is_nan else None
    return ColumnStats(
        value_count=count,
        null_count=0,
        min_value=text,
        max_value=text,
        contains_nan=is_nan if isinstance(field.type, types.Float) else None,
        column_size_bytes=0,
    )


def _bound_text(field: Field, value: Any) -> str | None:
    match field.type:
        case types.Boolean():
            return str(int(value))
        case types.Integer(bits) if bits > 64:
            return None
        case types.Float():
            return format_value(field.type, value + 0.0 if value else 0.0)
        case kind:
            return format_value(kind, value)
