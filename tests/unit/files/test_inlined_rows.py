"""Rows of the metadata in the types of files: what a text said, the file says."""

import pytest

from forklake.files.arrow.schema import arrow_schema
from forklake.files.casting.texts import to_texts
from forklake.files.incoming.inlined_rows import stored_rows
from forklake.model.field import Field
from forklake.model.ids import ColumnId, SnapshotId
from forklake.model.scan import ScanRows
from tests.fields import named_field

VALUES = {
    "boolean": "true", "int8": "-128", "int16": "-1", "int32": "7", "int64": "-9223372036854775808",
    "int128": "-12345678901234567890123456789012345678", "uint8": "255", "uint16": "65535", "uint32": "4294967295",
    "uint64": "18446744073709551615", "uint128": "12345678901234567890123456789012345678", "float32": "1.5",
    "float64": "nan", "decimal(5,2)": "-1.20", "decimal(38,3)": "12345678901234567890123456789012345.678",
    "varchar": "it's \U0001f40d", "json": '{"a": [1, null]}', "blob": "\\x00\\xFFab", "date": "0044-03-15 (BC)",
    "time": "23:59:59.123456", "timetz": "01:02:03+04:30", "timestamp": "1999-12-31 23:59:59.999999",
    "timestamp_s": "1999-12-31 23:59:59", "timestamp_ms": "1999-12-31 23:59:59.123",
    "timestamp_ns": "1999-12-31 23:59:59.123456789", "timestamptz": "1999-12-31 23:59:59.5+00",
    "interval": "1 year 2 days 00:00:03", "uuid": "00000000-0000-4000-8000-0000000000ff",
}  # fmt: skip


def column(number: int, name: str, kind: str, *children: Field, initial: str | None = None) -> Field:
    return named_field(ColumnId(number), name, kind, children, initial_default=initial)


@pytest.mark.parametrize("kind", VALUES)
def test_a_value_of_every_type_is_the_same_in_a_file(kind: str) -> None:
    field = column(1, "c", kind)
    listed = column(2, "l", "list", column(3, "element", kind))
    rows = ScanRows(
        (field,), tuple((n, SnapshotId(1), {ColumnId(1): text}) for n, text in enumerate([VALUES[kind], None]))
    )
    made = stored_rows(rows, [field, listed], "t")
    assert made.schema.equals(arrow_schema([field, listed]))
    assert to_texts(field.type, made.column("c").combine_chunks()) == [VALUES[kind], None]
    assert made.column("l").null_count == 2


def test_columns_and_what_is_nested_in_them_are_found_by_their_ids() -> None:
    old = column(1, "p", "list", column(2, "element", "struct", column(3, "x", "int8"), column(4, "gone", "int32")))
    new = column(1, "q", "list", column(2, "element", "struct", column(5, "y", "int32"), column(3, "z", "int64")))
    added = column(6, "d", "varchar", initial="before")
    rows = ScanRows((old,), ((0, SnapshotId(1), {ColumnId(1): "[{'x': 1, 'gone': 2}, NULL]"}), (1, SnapshotId(1), {})))
    made = stored_rows(rows, [new, added], "t")
    assert made.to_pylist() == [
        {"q": [{"y": None, "z": 1}, None], "d": "before"},
        {"q": None, "d": "before"},
    ]
