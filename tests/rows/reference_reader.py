"""Plans read with PyArrow alone, as plainly as can be: what a plan says is believed, and nothing else is asked."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from forklake.files.access.keys import decrypting
from forklake.files.casting.texts import to_array
from forklake.files.parquet.deletes import read_deletes
from forklake.model import types
from forklake.model.change_scan import ChangePlan, DatedScan, PlainChanges
from forklake.model.field import Field
from forklake.model.scan import (
    ROW_ID_COLUMN,
    SNAPSHOT_ID_COLUMN,
    MappedField,
    ScanDeletes,
    ScanFile,
    ScanPlan,
    ScanRows,
)
from tests.fields import named_field

FIELD_ID = b"PARQUET:field_id"


@dataclass(frozen=True, slots=True)
class ReadRow:
    """A row: its id, the snapshot that wrote it, its values by name, and where it is: None if in the metadata.

    The snapshot of a row that is not committed is 0.
    """

    row_id: int
    snapshot_id: int
    values: Mapping[str, Any]
    file: ScanFile | None
    position: int


def read_plan(plan: ScanPlan) -> Iterator[ReadRow]:
    """Yield the rows of a plan."""
    for file in plan.files:
        yield from _read_file(file, plan.fields)
    for rows in plan.inlined:
        yield from _read_inlined(rows, plan.fields)


def read_changes(plan: ChangePlan) -> list[tuple[int, int, str, Mapping[str, Any]]]:
    """Return the change feed of a plan: snapshot, row id, what happened, values.

    A row that one snapshot deleted and inserted was updated.
    """
    (part,) = plan.plain
    assert not plan.merged
    return _read_plain(part)


def _read_plain(plan: PlainChanges) -> list[tuple[int, int, str, Mapping[str, Any]]]:
    inserted = [row for row in read_plan(plan.inserted) if plan.first <= row.snapshot_id <= plan.last]
    deleted = [(row, _end(plan.ended, row)) for row in read_plan(plan.ended.scan)]
    places = {(file, position): snapshot for file, position, snapshot in plan.inlined_deletes}
    for one in plan.deletes:
        before = set() if one.before is None else set(read_deletes(one.before).tolist())
        new = set(read_deletes(one.after).tolist()) - before
        places |= {(one.data_file_id, position): one.snapshot_id for position in new}
    for row in read_plan(plan.deleted_from):
        assert row.file is not None
        if (row.file.data_file_id, row.position) in places:
            deleted.append((row, places[row.file.data_file_id, row.position]))
    came = {(int(row.snapshot_id), row.row_id) for row in inserted}
    went = {(int(snapshot), row.row_id) for row, snapshot in deleted}
    return [
        (int(row.snapshot_id), row.row_id, "update_postimage" if (row.snapshot_id, row.row_id) in went else "insert",
         row.values)
        for row in inserted
    ] + [
        (int(snapshot), row.row_id, "update_preimage" if (snapshot, row.row_id) in came else "delete", row.values)
        for row, snapshot in deleted
    ]  # fmt: skip


def _end(ended: DatedScan, row: ReadRow) -> int:
    if row.file is not None:
        return ended.files[ended.scan.files.index(row.file)]
    return next(end for (row_id, begun), end in ended.rows.items() if (row_id, begun) == (row.row_id, row.snapshot_id))


def _read_file(file: ScanFile, fields: Sequence[Field]) -> Iterator[ReadRow]:
    schema, rows = _file_content(file.path, file.encryption_key, _identity(file.path))
    assert len(rows) == file.record_count, f"{file.path} has {len(rows)} rows, not {file.record_count}"
    physical = _physical(file, schema)
    gone = set(file.inlined_deletes)
    if file.deletes is not None:
        places = _positions(file.deletes, _identity(file.deletes.path))
        assert not gone & places, "a row is deleted twice"
        gone |= places
    names = [field.name for field in fields]
    for position, held in enumerate(rows):
        snapshot = _snapshot(file, held.get(SNAPSHOT_ID_COLUMN))
        if position in gone or (file.is_cut and snapshot > file.read_upto):
            continue
        row_id = held.get(ROW_ID_COLUMN)
        if row_id is None:
            assert file.row_id_start is not None
            row_id = file.row_id_start + position
        values = dict(zip(names, _evolved(fields, physical, held), strict=True))
        yield ReadRow(row_id, int(snapshot or 0), values, file, position)


_Identity = tuple[int, int, int]


def _identity(path: str) -> _Identity:
    """Return what tells a file from any other that was at its path; it must be there."""
    found = os.stat(path)
    return found.st_ino, found.st_size, found.st_mtime_ns


@lru_cache(maxsize=1024)
def _file_content(path: str, key: str | None, identity: _Identity) -> tuple[pa.Schema, Sequence[Mapping[str, Any]]]:
    """Return what a file holds; the histories read each of theirs dozens of times."""
    table = pq.ParquetFile(path, decryption_properties=decrypting(path, key)).read(use_threads=False)
    return table.schema, table.to_pylist()


@lru_cache(maxsize=1024)
def _positions(deletes: ScanDeletes, identity: _Identity) -> frozenset[int]:
    return frozenset(read_deletes(deletes).tolist())


def _snapshot(file: ScanFile, carried: int | None) -> int:
    if carried is None:
        return int(file.snapshot_id or 0)
    return carried if file.numbering is None else int(file.numbering.snapshot(carried))


def _read_inlined(rows: ScanRows, fields: Sequence[Field]) -> Iterator[ReadRow]:
    columns = {
        field.name: to_array(field, [values.get(field.column_id) for _, _, values in rows.rows]).to_pylist()
        for field in rows.fields
        if field.column_id is not None
    }
    names = [field.name for field in fields]
    for number, (row_id, snapshot, _) in enumerate(rows.rows):
        held = {name: values[number] for name, values in columns.items()}
        values = dict(zip(names, _evolved(fields, rows.fields, held), strict=True))
        yield ReadRow(row_id, int(snapshot or 0), values, None, -1)


def _physical(file: ScanFile, schema: pa.Schema) -> Sequence[Field]:
    """Return the columns of a file: as the plan has them, by the mapping, or by the field ids that the file has."""
    if file.fields is not None:
        found = {int(field.metadata[FIELD_ID]): field.name for field in schema if _is_numbered(field)}
        for field in file.fields:
            assert field.name in schema.names, f"{file.path} has no column {field.name}"
            assert found.get(int(field.column_id or 0), field.name) == field.name, f"{field.name} has another id"
        return file.fields
    if file.mapping is not None:
        return [_mapped(one, schema.field(one.source_name).type) for one in file.mapping]
    return [_numbered(field) for field in schema if _is_numbered(field)]


def _is_numbered(field: pa.Field) -> bool:
    return field.metadata is not None and FIELD_ID in field.metadata


def _numbered(field: pa.Field) -> Field:
    children = [field.type.field(number) for number in range(field.type.num_fields)]
    number = int(field.metadata[FIELD_ID]) if _is_numbered(field) else None
    return named_field(number, field.name, _kind(field.type), tuple(map(_numbered, children)))


def _mapped(one: MappedField, data_type: pa.DataType) -> Field:
    kind = _kind(data_type)
    children = tuple(
        _mapped(child, data_type.value_type if kind == "list" else data_type.field(child.source_name).type)
        for child in one.children
    )
    return named_field(one.column_id, one.source_name, kind, children)


def _kind(data_type: pa.DataType) -> str:
    if pa.types.is_struct(data_type):
        return "struct"
    return "list" if pa.types.is_list(data_type) else str(data_type)


def _evolved(fields: Sequence[Field], physical: Sequence[Field], held: Mapping[str, Any]) -> list[Any]:
    """Return what a reader sees of the values that a file or a row of the metadata holds."""
    by_id = {one.column_id: one for one in physical}
    assert None not in {field.column_id for field in fields}
    return [_value(field, by_id.get(field.column_id), held) for field in fields]


def _value(field: Field, physical: Field | None, held: Mapping[str, Any]) -> Any:
    if physical is None:
        return None if field.initial_default is None else to_array(field, [field.initial_default])[0].as_py()
    return _shown(field, physical, held[physical.name])


def _shown(field: Field, physical: Field, value: Any) -> Any:
    if value is None or not field.children:
        return value
    if isinstance(field.type, types.List):
        return [_shown(field.children[0], physical.children[0], item) for item in value]
    names = [child.name for child in field.children]
    return dict(zip(names, _evolved(field.children, physical.children, value), strict=True))
