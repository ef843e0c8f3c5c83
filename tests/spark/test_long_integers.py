"""Integers of more than 38 digits on Spark: those that it needs are refused, and nothing is lost."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import forklake
from forklake import Connection, Lake
from forklake.errors import InvalidInputError

MOST, MOST_UNSIGNED = 2**127 - 1, 2**128 - 1
SHORT = [(2, 22, 23, [24], {"x": 25}), (11, 5, 6, [7], {"x": 8}), (12, None, None, None, None)]
LONG = (1, MOST, MOST_UNSIGNED, [MOST], {"x": MOST_UNSIGNED})


@pytest.fixture
def lake(tmp_path: Path, spark: SparkSession) -> Iterator[Lake]:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=spark) as made:
        made.create_catalog("shop")
        yield made


@pytest.fixture
def session(lake: Lake, tmp_path: Path, spark: SparkSession) -> Iterator[Connection]:
    with forklake.connect(spark) as made:
        made.sql(f"ATTACH 'ducklake:sqlite:{tmp_path / 'lake.db'}' AS shop (CATALOG 'shop'); USE shop")
        yield made


def rows(session: Connection, text: str) -> list[Any]:
    found = session.sql(text)
    assert found is not None
    return found.fetchall()


@pytest.fixture(params=["inlined", "files"])
def table(request: pytest.FixtureRequest, session: Connection) -> Connection:
    """A table with a row that Spark does not have; a session that uses Spark for all."""
    session.sql(f"CALL shop.set_option('data_inlining_row_limit', {100 if request.param == 'inlined' else 0})")
    session.sql("CREATE TABLE t (id INTEGER, a HUGEINT, b UHUGEINT, l HUGEINT[], s STRUCT(x UHUGEINT))")
    long = f"(1, {MOST}, {MOST_UNSIGNED}, [{MOST}], {{x: {MOST_UNSIGNED}}})"
    session.sql(f"INSERT INTO t VALUES {long}, (2, 22, 23, [24], {{x: 25}})")
    session.sql("INSERT INTO t VALUES (11, 5, 6, [7], {x: 8}), (12, NULL, NULL, NULL, NULL)")
    session.sql("SET engine = 'spark'")
    return session


def test_rows_that_spark_has_are_read_beside_one_that_it_has_not(table: Connection) -> None:
    assert rows(table, "SELECT id, a + 0, b, l, s FROM t WHERE id > 1 ORDER BY id") == SHORT
    assert rows(table, "SELECT id + 0 FROM t ORDER BY id") == [(1,), (2,), (11,), (12,)]
    assert rows(table, "SELECT sum(a), max(b) FROM t WHERE id > 1") == [(27, 23)]


@pytest.mark.parametrize("value", ["a + 0", "b // 2", "l[1]", "s.x"])
def test_a_value_that_spark_has_not_is_refused_by_name(value: str, table: Connection) -> None:
    long = MOST if value[0] in "al" else MOST_UNSIGNED
    with pytest.raises(InvalidInputError, match=f"Value {long} of column .* has more than the 38 digits that Spark"):
        rows(table, f"SELECT {value} FROM t WHERE id = 1")


def test_changes_on_spark_lose_nothing(table: Connection) -> None:
    with pytest.raises(InvalidInputError, match="38 digits"):
        table.sql("UPDATE t SET id = id + 100 WHERE id = 1")
    table.sql("DELETE FROM t WHERE id = 2")
    table.sql("UPDATE t SET a = a + 1 WHERE id = 11")
    table.sql("SET engine = 'auto'")
    assert rows(table, "SELECT * FROM t ORDER BY id") == [LONG, (11, 6, *SHORT[1][2:]), SHORT[2]]


CALCULATIONS = {
    "sum(99999999999999999999999999999999999999::HUGEINT - i)": "399999999999999999999999999999999999990",
    "max(i::HUGEINT * 99999999999999999999999999999999999999)": "Overflow in multiplication of INT128",
    "max((i + 5)::UHUGEINT * 99999999999999999999999999999999999999)": "Overflow in multiplication of UINT128",
    "max((i || '00000000000000000000000000000000000000')::HUGEINT)": "Could not convert string",
    "max((i * 1e38)::UHUGEINT)": "Type DOUBLE with value",
}


@pytest.mark.parametrize("calculation", CALCULATIONS)
def test_what_spark_cannot_compute_is_refused_in_words_of_ours(calculation: str, session: Connection) -> None:
    session.sql("SET engine = 'spark'")
    with pytest.raises(InvalidInputError) as refused:
        rows(session, f"SELECT {calculation} FROM range(4) r(i)")
    assert CALCULATIONS[calculation] in str(refused.value)
    assert "38 digits" in str(refused.value)
    assert "Spark" in str(refused.value)
    assert "Decimal(" not in str(refused.value)


def test_a_default_that_spark_has_not_is_refused_only_where_it_is_read(session: Connection) -> None:
    session.sql("CREATE TABLE t (id INTEGER); INSERT INTO t VALUES (1)")
    session.sql(f"ALTER TABLE t ADD COLUMN z UHUGEINT DEFAULT {MOST_UNSIGNED}; SET engine = 'spark'")
    assert rows(session, "SELECT id + 1 FROM t") == [(2,)]
    with pytest.raises(InvalidInputError, match=f"Value {MOST_UNSIGNED} of column .z. has more than the 38 digits"):
        rows(session, "SELECT z + 0 FROM t")
    with pytest.raises(InvalidInputError, match="Spark holds 38 digits"):
        session.sql("INSERT INTO t (id) SELECT i FROM range(3) r(i)")
    session.sql("INSERT INTO t SELECT i, 5 FROM range(2, 4) r(i); SET engine = 'auto'")
    assert rows(session, "SELECT * FROM t ORDER BY id") == [(1, MOST_UNSIGNED), (2, 5), (3, 5)]


def test_spark_merges_files_that_hold_text_in_tasks(lake: Lake, session: Connection) -> None:
    session.sql("CALL shop.set_option('data_inlining_row_limit', 0)")
    session.sql("CREATE TABLE t (a HUGEINT)")
    for value in (5, MOST, -MOST - 1):
        session.sql(f"INSERT INTO t VALUES ({value})")
    session.sql("CALL shop.set_option('small_writes', 'spark', table_name => 't')")
    lake.catalog("shop").maintenance.merge_adjacent_files()
    (file,) = lake.catalog("shop").table("t").storage.files()
    assert pq.read_schema(file.path).field("a").type == pa.string()
    session.sql("SET engine = 'auto'")
    assert rows(session, "SELECT a FROM t ORDER BY a") == [(-MOST - 1,), (5,), (MOST,)]


def test_frames_in_and_out_have_38_digits(lake: Lake, session: Connection, spark: SparkSession) -> None:
    session.sql("CREATE TABLE t (a HUGEINT)")
    table = lake.catalog("shop").table("t")
    table.append(spark.sql("SELECT CAST('99999999999999999999999999999999999999' AS DECIMAL(38,0)) AS a"))
    assert [row.a for row in table.dataframe().collect()] == [10**38 - 1]
    (file,) = table.storage.files()
    assert pq.read_schema(file.path).field("a").type == pa.decimal128(38, 0)
    found = session.sql(f"SELECT {MOST} AS a")
    assert found is not None
    with pytest.raises(InvalidInputError, match="38 digits that Spark holds"):
        found.dataframe()
