"""Partition values of arrays are those that DuckLake itself gives, and those of single values agree with them."""

from decimal import Decimal
from functools import cache
from uuid import UUID

import numpy as np
import pyarrow as pa
import pytest

from forklake.errors import InvalidInputError
from forklake.files.arrow.array_transforms import partition_values, transform_value
from forklake.files.arrow.murmur3 import hash_bytes, hash_longs
from forklake.files.arrow.schema import arrow_type
from forklake.files.arrow.values import stored_array
from forklake.model import types
from forklake.model.field import Field
from forklake.model.murmur3 import murmur3
from forklake.model.transforms import IDENTITY, Function, Transform
from forklake.model.types import Type
from forklake.model.types.shapes import list_of
from tests.interop.ducklake import duckdb_with_ducklake
from tests.transforms import BEYOND_SPARK, CASES, VALUES

UNTOLD: dict[Type, str] = {
    types.BLOB: "the text of bytes is not what is hashed",
    types.INTERVAL: "as text, an interval has many spellings",
    types.TIMETZ: "as text, an offset has many spellings",
    types.Decimal(38, 10): "as text, a decimal has many spellings",
}
"""Types whose buckets are not told from a value's text."""


def texts_of(kind: Type) -> list[str]:
    return [*VALUES[kind], *BEYOND_SPARK.get(kind, ())]


@cache
def ask(expression: str, kind: Type) -> dict[str, str | None]:
    """Return what DuckDB makes of all values of a type, as text, by their texts."""
    typed = f"CAST(text AS {kind.sql_name})"
    query = f"SELECT text, CAST({expression.replace('$', typed)} AS VARCHAR) FROM (SELECT unnest(?) AS text)"
    return dict(duckdb_with_ducklake().execute(query, [texts_of(kind)]).fetchall())


def duckdb_says(kind: Type, transform: Transform) -> dict[str, str | None]:
    """Return the partition values of a type as DuckDB computes them; parts of a ``timestamptz`` in UTC."""
    moment = "make_timestamp(epoch_us($))" if kind == types.TIMESTAMPTZ else "$"
    if transform.is_identity:
        unsigned = {"-0.0": "0.0", "-nan": "nan"}  # they are equal, so they share a partition
        return {text: unsigned.get(said or "", said) for text, said in ask("$", kind).items()}
    if transform.is_bucket:
        return ask(f"(murmur3_32($) & 2147483647) % {transform.bucket_count}", kind)
    if transform.is_epoch:
        return ask(f"date_diff('{transform.function.removeprefix('epoch_')}', DATE '1970-01-01', {moment})", kind)
    return ask(f"{transform.function}({moment})", kind)


@pytest.mark.parametrize(
    ("kind", "transform"),
    [(kind, transform) for kind, transform in CASES if not (kind == types.TIMESTAMP_NS and transform.is_epoch)],
    ids=str,
)
def test_values_are_those_of_duckdb(kind: Type, transform: Transform) -> None:
    expected = duckdb_says(kind, transform)
    if transform.is_bucket and "-nan" in expected:
        expected["-nan"] = expected["nan"]  # they are equal, so they share a bucket; DuckDB hashes their bits
    assert {text: transform_value(kind, transform, text) for text in texts_of(kind)} == expected


@pytest.mark.parametrize(("kind", "transform"), CASES, ids=str)
def test_a_single_value_has_the_partition_value_that_it_has_in_an_array(kind: Type, transform: Transform) -> None:
    for text, expected in ask("$", kind).items():
        assert expected is not None
        found = transform.of_text(kind, expected)
        is_untold = (transform.is_bucket and (kind in UNTOLD or "nan" in text)) or (
            "infinity" in text and not transform.is_identity
        )
        wanted = expected if transform.is_identity else transform_value(kind, transform, text)
        assert (text, found) == (text, None if is_untold else wanted)


def test_the_last_hour_of_a_time_is_24_as_in_duckdb() -> None:
    midnight = pa.array([86_400_000_000]).view(pa.time64("us"))
    assert partition_values(midnight, types.TIME, Transform(Function.HOUR)) == ["24"]
    assert duckdb_with_ducklake().execute("SELECT hour(TIME '24:00:00')").fetchone() == (24,)


def test_epochs_of_nanoseconds_round_down() -> None:
    before, epochs = "1969-12-31 23:59:59.999999999", (Function.EPOCH_YEAR, Function.EPOCH_HOUR)
    assert [transform_value(types.TIMESTAMP_NS, Transform(epoch), before) for epoch in epochs] == ["-1", "-1"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (34, 2017239379),
        (17486, -653330422),
        (1510871468000000, -2047944441),
        (b"iceberg", 1210000089),
        (b"\x00\x01\x02\x03", -188683207),
        (UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7").bytes, 1488055340),
        ((1420).to_bytes(2, "big"), -500754589),
    ],
)
def test_both_hashes_are_those_that_iceberg_publishes(value: int | bytes, expected: int) -> None:
    is_long = isinstance(value, int)
    hashed = hash_longs(np.array([value])) if is_long else hash_bytes(pa.array([value]))
    assert hashed.view(np.int32).tolist() == [expected]
    assert murmur3(value.to_bytes(8, "little") if isinstance(value, int) else value) == expected % 2**32


def test_rows_are_transformed_as_a_column() -> None:
    array = pa.array(["a", None, "b", "a", ""]).slice(1)
    assert partition_values(array, types.VARCHAR, IDENTITY) == [None, "b", "a", ""]
    numbers = pa.array([Decimal("14.20"), None, Decimal("1.00")], pa.decimal128(9, 2)).slice(0, 2)
    assert partition_values(numbers, types.Decimal(9, 2), Transform.bucket(8)) == ["1", None]
    assert partition_values(pa.array([], pa.int32()), types.INT32, Transform.bucket(8)) == []


def test_a_column_of_uuids_is_transformed_as_files_store_it() -> None:
    field = Field(None, "u", types.UUID)
    array = stored_array(field, ["f79c3e09-677c-4bbd-a479-3f349cb785e7", None])
    assert array.type == arrow_type(field)
    assert partition_values(array, types.UUID, Transform.bucket(8)) == ["7", None]
    assert partition_values(array, types.UUID, IDENTITY) == ["f79c3e09-677c-4bbd-a479-3f349cb785e7", None]


@pytest.mark.parametrize(
    ("column_type", "transform"),
    [(types.VARCHAR, "year"), (types.TIME, "day"), (types.INT32, "hour"), (list_of(types.INT8), "identity")],
)
def test_a_transform_that_does_not_fit_is_refused(column_type: Type, transform: str) -> None:
    array = pa.array(["2020"]) if column_type == types.VARCHAR else pa.array([1]).cast(pa.int32())
    with pytest.raises(InvalidInputError, match=f"{transform} of a column of type {column_type}; nothing was written"):
        partition_values(array, column_type, Transform.parse(transform))


def test_a_text_that_is_no_value_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="2020-13-01"):
        transform_value(types.DATE, Transform(Function.YEAR), "2020-13-01")
