"""Types of columns in Arrow, and what Parquet makes of them."""

import io
import re

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake.errors import InvalidInputError
from forklake.files.arrow.schema import VARIANT_TYPE, arrow_schema, arrow_type, display_type
from forklake.files.arrow.values import shown_array, stored_array
from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from tests.fields import named_field


def column(number: int, name: str, type_name: str, *children: Field) -> Field:
    return named_field(ColumnId(number), name, type_name, children)


NESTED = column(
    1,
    "l",
    "list",
    column(
        2,
        "element",
        "struct",
        column(3, "u", "uuid"),
        column(4, "m", "map", column(5, "key", "varchar"), column(6, "value", "list", column(7, "element", "uint64"))),
    ),
)


def test_field_ids_are_in_the_footer_at_every_depth() -> None:
    file = io.BytesIO()
    rows = stored_array(NESTED, [[("00000000-0000-0000-0000-00000000000a", [("k", [2**64 - 1])])], None, []])
    pq.write_table(pa.table([rows], schema=arrow_schema([NESTED])), file)
    text = str(pq.read_metadata(file).schema)
    numbers = dict(re.findall(r"field_id=([1-9]\d*) (\w+)", text))
    assert numbers == {"1": "l", "2": "element", "3": "u", "4": "m", "5": "key", "6": "value", "7": "element"}
    assert "fixed_len_byte_array(16) field_id=3 u (UUID)" in text
    assert "required binary field_id=5 key (String)" in text
    assert "(Int(bitWidth=64, isSigned=false))" in text


def test_parquet_has_the_logical_types_of_duckdbs_own_files(tmp_path: object) -> None:
    names = {
        "boolean": "BOOLEAN",
        **{f"int{bits}": name for bits, name in ((8, "TINYINT"), (16, "SMALLINT"), (32, "INTEGER"), (64, "BIGINT"))},
        **{f"uint{bits}": name for bits, name in ((8, "UTINYINT"), (16, "USMALLINT"), (64, "UBIGINT"))},
        **{"float32": "FLOAT", "float64": "DOUBLE", "varchar": "VARCHAR", "blob": "BLOB", "date": "DATE"},
        **{"time": "TIME", "timestamp": "TIMESTAMP", "timestamp_s": "TIMESTAMP_S", "timestamp_ms": "TIMESTAMP_MS"},
        **{"timestamp_ns": "TIMESTAMP_NS", "timestamptz": "TIMESTAMPTZ", "uuid": "UUID"},
    }
    theirs = f"{tmp_path}/theirs.parquet"
    columns = ", ".join(f'NULL::{sql} AS "{name}"' for name, sql in names.items())
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT {columns}) TO '{theirs}' (FORMAT parquet)")
    file = io.BytesIO()
    with pq.ParquetWriter(file, arrow_schema([named_field(None, name, name) for name in names])):
        pass
    ours_schema, their_schema = pq.read_metadata(file).schema, pq.read_metadata(theirs).schema
    for position, name in enumerate(names):
        ours, their = ours_schema.column(position), their_schema.column(position)
        assert ours.physical_type == their.physical_type, name
        # Parquet's signed integers of full width need no annotation; DuckDB writes one all the same.
        if name not in ("int32", "int64"):
            assert str(ours.logical_type) == str(their.logical_type), name


@pytest.mark.parametrize(
    ("name", "stored", "shown"),
    [
        ("uint8", pa.uint8(), pa.int16()),
        ("uint16", pa.uint16(), pa.int32()),
        ("uint32", pa.uint32(), pa.int64()),
        ("uint64", pa.uint64(), pa.decimal128(20, 0)),
        ("int128", pa.decimal256(39, 0), pa.decimal256(39, 0)),
        ("uint128", pa.decimal256(39, 0), pa.decimal256(39, 0)),
        ("decimal(5,2)", pa.decimal128(5, 2), pa.decimal128(5, 2)),
        ("uuid", pa.uuid(), pa.string()),
        ("time", pa.time64("us"), pa.string()),
        ("timetz", pa.string(), pa.string()),
        ("interval", pa.string(), pa.string()),
        ("json", pa.string(), pa.string()),
        ("timestamp_ns", pa.timestamp("ns"), pa.string()),
        ("timestamp_s", pa.timestamp("us"), pa.timestamp("us")),
        ("timestamp_ms", pa.timestamp("ms"), pa.timestamp("us")),
        ("timestamptz", pa.timestamp("us", "UTC"), pa.timestamp("us", "UTC")),
        ("geometry", pa.binary(), pa.binary()),
    ],
)
def test_a_type_is_stored_and_shown_as_the_same_values(name: str, stored: pa.DataType, shown: pa.DataType) -> None:
    assert arrow_type(named_field(None, "c", name)) == stored
    assert display_type(named_field(None, "c", name)) == shown


def test_a_variant_is_its_encoding_and_refused_within_other_types() -> None:
    variant = Field(None, "v", types.VARIANT)
    assert arrow_schema([variant]).types == [VARIANT_TYPE]
    for kind in (types.Struct((variant,)), types.List(variant)):
        with pytest.raises(InvalidInputError, match='Field "v" is a variant within another type'):
            arrow_schema([Field(None, "s", kind)])


def test_an_unknown_type_is_refused_by_name() -> None:
    with pytest.raises(InvalidInputError, match='Column "c" has type "box"'):
        arrow_type(named_field(None, "c", "box"))


@pytest.mark.parametrize("kind", [kind for kind in types.FACTS if kind not in (types.NULL, types.VARIANT)], ids=str)
def test_every_type_has_arrow_types(kind: types.Type) -> None:
    field = Field(None, "c", kind)
    assert shown_array(field, [None]).type == display_type(field)
    assert stored_array(field, [None]).type == arrow_type(field)
