"""Random plans over all types, with files that hold columns in all ways that readers know: for comparing readers."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Final
from urllib.parse import quote

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from forklake.files.arrow.schema import arrow_schema
from forklake.files.arrow.values import stored_array
from forklake.files.arrow.wide_integers import narrow_table
from forklake.files.casting.texts import format_value, parse_values
from forklake.files.parquet.deletes import write_delete_file
from forklake.files.parquet.partitions import NULL_DIRECTORY
from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import ColumnId, DataFileId, SnapshotId
from forklake.model.promotions import is_promotion
from forklake.model.scan import (
    ROW_ID_COLUMN,
    ROW_ID_FIELD_ID,
    SNAPSHOT_ID_COLUMN,
    SNAPSHOT_ID_FIELD_ID,
    MappedField,
    ScanDeletes,
    ScanFile,
    ScanPlan,
    ScanRows,
)
from forklake.model.types.read import stored_type
from tests.fields import named_field

TEXTS: Final = {
    "boolean": ("true", "false"),
    "int8": ("-128", "0", "127"),
    "int16": ("-32768", "1", "32767"),
    "int32": ("-2147483648", "16777217", "2147483647"),
    "int64": ("-9223372036854775808", "9007199254740993", "9223372036854775807"),
    "int128": ("-99999999999999999999999999999999999999", "0", "18446744073709551617"),
    "uint8": ("0", "255"),
    "uint16": ("0", "65535"),
    "uint32": ("0", "4294967295"),
    "uint64": ("0", "9007199254740993", "18446744073709551615"),
    "uint128": ("0", "99999999999999999999999999999999999999"),
    "float32": ("nan", "inf", "-inf", "-0.0", "0.0", "1e-45", "3.4028235e38", "0.1", "16777216"),
    "float64": ("nan", "inf", "-inf", "-0.0", "0.0", "5e-324", "1.7976931348623157e308", "0.1", "1e22"),
    "decimal(4,1)": ("-999.9", "0.0", "12.5"),
    "decimal(9,2)": ("-9999999.99", "0.01"),
    "decimal(18,3)": ("999999999999999.999", "-0.001"),
    "decimal(22,3)": ("1234567890123456789.125", "-1.500"),
    "decimal(38,0)": ("-99999999999999999999999999999999999999", "7"),
    "decimal(38,38)": ("0.00000000000000000000000000000000000001",),
    "varchar": ("", "a", "null", "it's", "\N{DUCK}", "a\tb", "é" * 300),
    "json": ('{"a": [1, null]}', "null"),
    "blob": ("", "\\x00\\xFF", "abc"),
    "uuid": ("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-4fff-8fff-ffffffffffff"),
    "date": ("0001-01-01", "1582-10-04", "1582-10-15", "1969-12-31", "9999-12-31", "10000-01-01", "0044-03-15 (BC)"),
    "time": ("00:00:00", "23:59:59.999999", "12:34:56.1", "01:02:03.00004"),
    "timetz": ("12:00:00+00", "01:02:03.5-02:30", "23:59:59.999999+15:59:59"),
    "timestamp": ("0001-01-01 00:00:00", "1582-10-10 12:00:00", "1969-12-31 23:59:59.999999", "2020-03-08 02:30:00",
                  "9999-12-31 23:59:59.999999"),
    "timestamp_s": ("0001-01-01 00:00:00", "1969-12-31 23:59:59", "9999-12-31 23:59:59"),
    "timestamp_ms": ("0001-01-01 00:00:00", "1969-12-31 23:59:59.999", "9999-12-31 23:59:59.001"),
    "timestamp_ns": ("1677-09-22 00:00:00", "1969-12-31 23:59:59.999999999", "2262-04-11 23:47:16.854775806",
                     "infinity", "2020-02-29 12:00:00.5"),
    "timestamptz": ("0001-01-01 00:00:00+00", "1969-12-31 23:59:59.999999+00", "2020-03-29 01:30:00+00",
                    "9999-12-31 23:59:59.999999+00"),
    "interval": ("00:00:00", "1 year 2 months", "3 days 04:05:06.789", "25:00:00"),
    "geometry": ("POINT (1 2)", "LINESTRING (0 0, 1 1)"),
}  # fmt: skip
"""By type, values that readers are most likely to show differently."""

_FARTHEST: Final = {
    "date": ("infinity", "-infinity", "5881580-07-10", "5877642-06-25 (BC)"),
    "timestamp": ("infinity", "-infinity", "294247-01-10 04:00:54.775806", "290309-12-22 (BC) 00:00:00"),
    "timestamp_s": ("infinity", "-infinity"),
    "timestamptz": ("infinity", "-infinity", "294247-01-10 04:00:54.775806+00", "290309-12-22 (BC) 00:00:00+00"),
}
"""More values of columns whose type never changed."""
_NANOSECONDS: Final = ("1700-01-01 00:00:00", "1969-12-31 23:59:59.999999", "2262-01-01 00:00:00")
"""Moments that become nanoseconds."""
_BY_DUCKDB: Final = frozenset(TEXTS) - {"geometry", "json", "decimal(38,38)", "timestamp_s", "timestamp_ms"}
_READ_UPTO: Final = SnapshotId(50)


class AnyPlan:
    """Makes plans, with their files; one for each seed."""

    def __init__(self, directory: Path, seed: int) -> None:
        self._directory = directory
        self._rng = Random(seed)
        self._ids = iter(range(1, 10_000))
        self._numbers = iter(range(1, 10_000))

    def plan(self, columns: int = 12, files: int = 4, rows: int = 12) -> ScanPlan:
        """Return a plan of a table with columns of random types, and of files that are older than it."""
        fields = tuple(self._field(f"c{number}" if number else "a.b`c", 2) for number in range(columns))
        made = [self._file(fields, rows) for _ in range(files)]
        inlined = [self._inlined(fields, place) for place in range(self._rng.choice((0, 1, 2)))]
        return ScanPlan("t", fields, tuple(made), tuple(inlined))

    # ---- columns -----------------------------------------------------------------------------------------------------

    def _field(self, name: str, depth: int) -> Field:
        kind = self._rng.choice(("struct", "list", "map")) if depth and self._rng.random() < 0.3 else ""
        number = ColumnId(next(self._ids))
        match kind:
            case "struct":
                children = tuple(self._field(f"f{place}", depth - 1) for place in range(self._rng.choice((1, 2, 3))))
                return named_field(number, name, "struct", children)
            case "list":
                return Field(number, name, types.List(self._field("element", depth - 1)))
            case "map":
                key = Field(
                    ColumnId(next(self._ids)),
                    "key",
                    self._rng.choice((types.VARCHAR, types.INT32, types.UUID, types.DATE)),
                )
                return Field(number, name, types.Map(key, self._field("value", depth - 1)))
        scalar = self._rng.choice(list(TEXTS))
        default = self._rng.choice(TEXTS[scalar]) if self._rng.random() < 0.5 else None
        return named_field(number, name, scalar, initial_default=default)

    def _older(self, field: Field, *, is_key: bool = False) -> Field:
        """Return a column as a file may hold it: under another name, of a type that was promoted since."""
        name = field.name if self._rng.random() < 0.6 else f"old {field.name}"
        if isinstance(field.type, types.Struct):
            kept = [self._older(child) for child in field.children if self._rng.random() < 0.8]
            gone = [self._field("gone", 0)] if self._rng.random() < 0.3 or not kept else []
            return replace(field.with_children((*self._rng.sample(kept, len(kept)), *gone)), name=name)
        if field.children:
            parts = [
                self._older(part, is_key=isinstance(field.type, types.Map) and not n)
                for n, part in enumerate(field.children)
            ]
            pairs = zip(parts, field.children, strict=True)
            return replace(field.with_children(tuple(replace(part, name=now.name) for part, now in pairs)), name=name)
        older = [kind for kind in map(stored_type, TEXTS) if is_promotion(kind, field.type)]
        if older and not is_key and self._rng.random() < 0.5:
            return replace(field, name=name, type=self._rng.choice(older))
        return replace(field, name=name)

    # ---- values ------------------------------------------------------------------------------------------------------

    def _text(self, held: Field, now: Field) -> str | None:
        """Return a value of a column as a file holds it, which has one of the column as it is now."""
        if self._rng.random() < 0.2:
            return None
        if isinstance(held.type, types.Struct):
            known = {child.column_id: child for child in now.children}
            parts = {child.name: self._text(child, known.get(child.column_id, child)) for child in held.children}
            values = tuple(_value(child, parts[child.name]) for child in held.children)
            return format_value(held.type, values)
        if isinstance(held.type, types.List):
            items = [self._text(held.children[0], now.children[0]) for _ in range(self._rng.choice((0, 1, 3)))]
            return format_value(held.type, [_value(held.children[0], item) for item in items])
        if isinstance(held.type, types.Map):
            keys = self._rng.sample(TEXTS[held.children[0].type.name], self._rng.choice((0, 1, 2)))
            items = [self._text(held.children[1], now.children[1]) for _ in keys]
            pairs = zip(keys, items, strict=True)
            return format_value(
                held.type, [(_value(held.children[0], key), _value(held.children[1], item)) for key, item in pairs]
            )
        if now.type == types.TIMESTAMP_NS and held.type != now.type:
            chosen = self._rng.choice(_NANOSECONDS)
            return chosen[:10] if held.type == types.DATE else chosen[:19] if held.type != types.TIMESTAMP else chosen
        if held.type == types.UINT128 and now.type not in (types.UINT128, types.INT128):
            return "7"
        more = _FARTHEST.get(held.type.name, ()) if held.type == now.type else ()
        return self._rng.choice((*TEXTS[held.type.name], *more))

    # ---- files -------------------------------------------------------------------------------------------------------

    def _file(self, fields: Sequence[Field], count: int) -> ScanFile:
        number = next(self._numbers)
        now = {field.column_id: field for field in fields}
        held = [self._older(field) for field in fields if self._rng.random() < 0.85]
        self._rng.shuffle(held)
        texts = {field.name: [self._text(field, now[field.column_id]) for _ in range(count)] for field in held}
        parts = self._from_path(fields) if self._rng.random() < 0.3 else {}
        held = [field for field in held if field.column_id not in parts]
        path = self._directory.joinpath(str(number), *parts.values(), "f.parquet")
        path.parent.mkdir(parents=True)
        carries = self._rng.random() < 0.3
        by_duckdb = not carries and bool(held) and self._rng.random() < 0.3 and all(map(_is_for_duckdb, held))
        if by_duckdb:
            _write_by_duckdb(path, held, texts, count)
        else:
            self._write(path, held, texts, count, carries=carries)
        is_known = not by_duckdb and not parts and self._rng.random() < 0.5
        mapping = tuple(map(_mapped, held)) if by_duckdb or parts else ()
        mapping += tuple(MappedField(f"p{key}", key, is_partition=True) for key in parts)
        return ScanFile(
            data_file_id=DataFileId(number),
            path=str(path),
            file_size_bytes=path.stat().st_size,
            record_count=count,
            snapshot_id=SnapshotId(number),
            read_upto=_READ_UPTO,
            row_id_start=None if carries else number * 1000,
            is_cut=carries,
            fields=tuple(map(_stored, held)) if is_known else None,
            mapping=mapping or None,
            deletes=self._deletes(number, path, count) if self._rng.random() < 0.3 else None,
            inlined_deletes=tuple(self._rng.sample(range(count), 2)) if self._rng.random() < 0.3 else (),
        )

    def _from_path(self, fields: Sequence[Field]) -> dict[ColumnId, str]:
        """Return columns that a file does not hold, and the directories that hold them in its place."""
        found = {}
        for field in fields:
            if field.column_id is not None and field.type in (
                types.VARCHAR,
                types.INT32,
                types.DATE,
                types.TIMESTAMP,
                types.BOOLEAN,
            ):
                texts = [text for text in (*TEXTS[field.type.name], NULL_DIRECTORY) if 0 < len(text) < 100]
                found[field.column_id] = f"p{field.column_id}={quote(self._rng.choice(texts), safe='')}"
        return found

    def _write(
        self, path: Path, held: Sequence[Field], texts: dict[str, list[str | None]], count: int, *, carries: bool
    ) -> None:
        arrays = [stored_array(field, parse_values(field, texts[field.name])) for field in held]
        written = list(held)
        if carries:
            for number, name in ((ROW_ID_FIELD_ID, ROW_ID_COLUMN), (SNAPSHOT_ID_FIELD_ID, SNAPSHOT_ID_COLUMN)):
                written.append(Field(number, name, types.INT64))
                arrays.append(pa.array(self._rng.choices((None, *range(99)), k=count), pa.int64()))
        if not written:
            written, arrays = [Field(None, "other", types.INT32)], [pa.nulls(count, pa.int32())]
        table = pa.table(arrays, schema=arrow_schema(written))
        pq.write_table(narrow_table(table), path, row_group_size=5, store_schema=self._rng.random() < 0.5)

    def _deletes(self, number: int, path: Path, count: int) -> ScanDeletes:
        gone = self._rng.sample(range(count), 3)
        made = write_delete_file(f"{self._directory}/", DataFileId(number), str(path), gone)
        return ScanDeletes(
            f"{self._directory}/{made.path}", "parquet", made.file_size_bytes, _READ_UPTO, False, delete_count=3
        )

    def _inlined(self, fields: Sequence[Field], place: int) -> ScanRows:
        held = [self._older(field) for field in fields if self._rng.random() < 0.8]
        held = [field for field in held if field.type != types.GEOMETRY]
        now = {field.column_id: field for field in fields}
        rows = tuple(
            (
                (place + 1) * 10_000 + row,
                SnapshotId(40 + row),
                {field.column_id: self._text(field, now[field.column_id]) for field in held if field.column_id},
            )
            for row in range(3)
        )
        return ScanRows(tuple(held), rows, tuple(f"inlined_{row}" for row in range(3)))


def _value(field: Field, text: str | None) -> object:
    return parse_values(field, [text])[0]


def _stored(field: Field) -> Field:
    """Return a column with the types that files hold, as a plan tells them."""
    inner = field.with_children(tuple(map(_stored, field.children)))
    return replace(inner, type=inner.type.stored_as)


def _mapped(field: Field) -> MappedField:
    assert field.column_id is not None
    return MappedField(field.name, field.column_id, children=tuple(map(_mapped, field.children)))


def _is_for_duckdb(field: Field) -> bool:
    return all(map(_is_for_duckdb, field.children)) if field.children else field.type.name in _BY_DUCKDB


def _write_by_duckdb(path: Path, held: Sequence[Field], texts: dict[str, list[str | None]], count: int) -> None:
    def literal(field: Field, text: str | None) -> str:
        if text is None:
            return f"NULL::{field.type.sql_name}"
        return f"CAST('{text.replace(chr(39), chr(39) * 2)}' AS {field.type.sql_name})"

    rows = [
        "SELECT " + ", ".join(f'{literal(field, texts[field.name][row])} AS "{field.name}"' for field in held)
        for row in range(count)
    ]
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"COPY ({' UNION ALL '.join(rows)}) TO '{path}' (FORMAT parquet)")
