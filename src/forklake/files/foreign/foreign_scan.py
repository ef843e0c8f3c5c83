"""Scans of Parquet files that belong to no table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Final

from forklake.errors import InvalidInputError
from forklake.files.access.threads import FileThreads
from forklake.files.parquet.footer import Footer, read_footer, resolve_fields
from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import ColumnId, DataFileId, SnapshotId
from forklake.model.scan import MappedField, ScanFile, ScanPlan

_READERS: Final = 16


def plan_files(paths: Sequence[str]) -> ScanPlan | None:
    """Return a scan of files, with the columns of the first file.

    Columns of the others are found by their names; one that a file lacks is NULL. Footers are read now: others may
    replace such files. None: Spark has no such values, or the files have columns that scans of tables hide.

    Raises:
        DataFileError: A file is missing, damaged or encrypted.
        InvalidInputError: A file has decimals of more digits than any type has.
    """
    with FileThreads(min(_READERS, len(paths))) as readers:
        footers = list(readers.map(read_footer, paths))
    if any(_is_left(footer) for footer in footers):
        return None
    for footer in footers:
        _check_decimals(footer.path, footer.fields)
    fields = _number([_show(field) for field in footers[0].fields], count(1))
    mapping = _mapping(fields)
    scanned = [_file(number, footer, fields, mapping) for number, footer in enumerate(footers, 1)]
    return ScanPlan(table="the files", fields=fields, files=tuple(scanned))


def _is_left(footer: Footer) -> bool:
    hides_columns = footer.has_row_ids or footer.has_snapshot_ids
    return footer.needs_arrow or hides_columns or any(map(_has_nanoseconds, footer.fields))


def _has_nanoseconds(field: Field) -> bool:
    return field.type == types.TIMESTAMP_NS or any(map(_has_nanoseconds, field.children))


def _check_decimals(path: str, fields: Sequence[Field]) -> None:
    """Refuse a file as soon as its columns are known; DuckDB reads other numbers."""
    for field in fields:
        kind = field.type
        if isinstance(kind, types.Decimal) and kind.precision > types.MAX_PRECISION:
            raise InvalidInputError(
                f'Column "{field.name}" of file "{path}" has the type {kind.sql_name}, and decimals have'
                f" {types.MAX_PRECISION} digits at most."
            )
        _check_decimals(path, field.children)


def _show(field: Field) -> Field:
    """Return a column as DuckDB shows it.

    Milliseconds are timestamps as others are; parts of lists and maps are not named as the file does.
    """
    if field.type == types.TIMESTAMP_MS:
        return replace(field, type=types.TIMESTAMP)
    children = map(_show, field.children)
    names = {types.List: ("element",), types.Map: ("key", "value")}.get(type(field.type))
    if names is None:
        return field.with_children(tuple(children))
    return field.with_children(tuple(replace(one, name=name) for one, name in zip(children, names, strict=True)))


def _file(number: int, footer: Footer, fields: Sequence[Field], mapping: Sequence[MappedField]) -> ScanFile:
    return ScanFile(
        data_file_id=DataFileId(number),
        path=footer.path,
        file_size_bytes=footer.file_size_bytes,
        record_count=footer.row_count,
        snapshot_id=None,
        read_upto=SnapshotId(0),
        fields=resolve_fields(footer, fields, mapping),
    )


def _number(fields: Sequence[Field], numbers: Iterator[int]) -> tuple[Field, ...]:
    """Return columns with ids of their own, at every depth."""
    return tuple(
        replace(field.with_children(_number(field.children, numbers)), column_id=ColumnId(next(numbers)))
        for field in fields
    )


def _mapping(fields: Sequence[Field]) -> tuple[MappedField, ...]:
    numbered = ((field, field.column_id) for field in fields)
    return tuple(
        MappedField(field.name, number, children=_mapping(field.children))
        for field, number in numbered
        if number is not None
    )
