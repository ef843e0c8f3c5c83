"""Tables as a user has them: appended to, overwritten, made of frames, read back."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from forklake import Catalog, ColumnDefinition, Lake, PartitionField, Settings
from forklake.errors import (
    AlreadyExistsError,
    CommitConflictError,
    CommitUnknownError,
    DataFileError,
    InvalidInputError,
    NotFoundError,
)
from tests.lakes import IMPATIENT


@pytest.fixture
def lake(tmp_path: Path, spark: SparkSession) -> Iterator[Lake]:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=spark, settings=IMPATIENT) as lake:
        yield lake


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT", "item": "VARCHAR"})
    return shop


def rows(catalog: Catalog, table: str = "orders", where: str | None = None) -> list[tuple[object, ...]]:
    """Return the rows of a table, in order."""
    return sorted((tuple(row) for row in catalog.table(table).dataframe(where=where).collect()), key=repr)


def parquet_files(tmp_path: Path) -> set[Path]:
    """Return all files below the data path."""
    return {path for path in (tmp_path / "data").rglob("*") if path.is_file()}


def test_frames_of_all_kinds_give_the_same_rows(shop: Catalog, spark: SparkSession) -> None:
    expected = [(1, "a"), (2, None)]
    frames = {
        "spark": spark.createDataFrame(expected, "id bigint, item string"),
        "pandas": pd.DataFrame({"id": [1, 2], "item": ["a", None]}),
        "arrow": pa.table({"id": [1, 2], "item": ["a", None]}),
        "reader": pa.table({"id": [1, 2], "item": ["a", None]}).to_reader(),
        "rows": [{"id": 1, "item": "a"}, {"id": 2, "item": None}],
        "by position": pa.table({"x": [1, 2], "y": ["a", None]}),
    }
    for name, frame in frames.items():
        shop.create_table(name, {"id": "BIGINT", "item": "VARCHAR"})
        shop.table(name).append(frame, by_name=name != "by position")
        assert rows(shop, name) == sorted(expected, key=repr), name


def test_metadata_work_and_small_writes_start_no_spark(tmp_path: Path) -> None:
    script = f"""
import sys, forklake
assert not {{"pyspark", "pyarrow", "pandas", "sqlglot"}} & set(sys.modules), sorted(sys.modules)
with forklake.open({str(tmp_path / "lake.db")!r}) as lake:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {{"id": "BIGINT", "u": "UUID"}}, partition_by=["id"])
    shop.table("t").append([{{"id": 1, "u": None}}, {{"id": 2, "u": None}}])
    shop.options.set("data_inlining_row_limit", 5)
    shop.table("t").append([{{"id": 3, "u": None}}])
    assert shop.table("t").count() == 3 and shop.table("t").inspect.max("id") == 3
    assert shop.table("t").inspect.plan("id = 2").file_count == 1
    shop.table("t").delete()
assert "pyspark" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)


def test_a_transaction_reads_its_own_rows_and_commits_them_as_one_snapshot(shop: Catalog) -> None:
    before = len(shop.snapshots())
    with shop.transaction() as txn:
        txn.create_table("made", rows=[{"a": 1}])
        txn.table("made").alter.rename_column("a", "b")
        txn.table("made").alter.add_column(ColumnDefinition("c", "INTEGER", default="7"))
        txn.table("made").append([{"b": 2, "c": 3}, {"b": 9, "c": 9}])
        txn.table("made").delete("b = 9")
        txn.create_table("changed", rows=[{"a": 1}, {"a": 2}])
        txn.table("changed").update({"a": "a * 10"}, "a = 2")
        txn.table("changed").alter.rename_column("a", "b")
        txn.table("orders").append([{"id": 1, "item": "x"}])
        txn.table("orders").alter.rename_column("item", "thing")
        assert sorted(map(tuple, txn.table("made").dataframe().collect())) == [(1, 7), (2, 3)]
        assert [row.thing for row in txn.table("orders").dataframe(where="thing = 'x'").collect()] == ["x"]
        assert shop.table("orders").count() == 0
    assert len(shop.snapshots()) == before + 1
    assert rows(shop, "made") == [(1, 7), (2, 3)]
    assert rows(shop, "changed") == [(1,), (20,)]
    assert rows(shop, where="thing = 'x'") == [(1, "x")]


def test_a_rolled_back_write_removes_its_files(shop: Catalog, tmp_path: Path, spark: SparkSession) -> None:
    txn = shop.transaction()
    txn.table("orders").append(spark.range(5).selectExpr("id"))
    txn.table("orders").append([{"id": 7}])
    assert len(parquet_files(tmp_path)) == 2
    txn.rollback()
    assert parquet_files(tmp_path) == set()
    assert rows(shop) == []


def test_a_refused_write_removes_its_files_and_a_second_try_works(shop: Catalog, tmp_path: Path) -> None:
    txn = shop.transaction()
    txn.table("orders").append([{"id": 1}])
    shop.table("orders").alter.drop_column("item")
    with pytest.raises(CommitConflictError):
        txn.commit()
    assert parquet_files(tmp_path) == set()
    shop.table("orders").append([{"id": 1}])
    assert rows(shop) == [(1,)]


def test_an_unknown_outcome_removes_nothing(shop: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from forklake.catalog import transaction  # noqa: PLC0415

    def lost(*args: object) -> None:
        raise CommitUnknownError("the connection was lost")

    monkeypatch.setattr(transaction, "commit", lost)
    with pytest.raises(CommitUnknownError):
        shop.table("orders").append([{"id": 1}])
    assert len(parquet_files(tmp_path)) == 1


@pytest.mark.parametrize("small_writes", ["driver", "spark"])
def test_small_writes_give_the_same_files_either_way(shop: Catalog, small_writes: str) -> None:
    shop.create_table(
        "t",
        {"id": "INTEGER", "u": "UUID", "l": "VARCHAR[]", "at": "TIMESTAMP", "x": "DOUBLE"},
        partition_by=[PartitionField("at", "year"), PartitionField("id", "bucket(2)")],
        sort_by=["id"],
    )
    shop.options.set("small_writes", small_writes)
    shop.table("t").append(
        [
            {"id": n, "u": f"0000000{n}-0000-0000-0000-000000000000", "l": ["a", None], "at": f"202{n}-01-01", "x": 0.5}
            for n in range(4)
        ]
    )
    table = shop.table("t")
    found = sorted(
        (file.partition_values, file.record_count, file.row_id_start is not None, file.mapping_id is None)
        for file in table.storage.files()
    )
    assert [(values, count) for values, count, _, _ in found] == [
        (("2020", "0"), 1),
        (("2021", "0"), 1),
        (("2022", "0"), 1),
        (("2023", "1"), 1),
    ]
    assert [row.id for row in table.dataframe(where="u = '00000002-0000-0000-0000-000000000000'").collect()] == [2]
    assert table.inspect.plan("id = 3").file_count == 1
    assert (table.inspect.min("id"), table.inspect.max("x")) == (0, 0.5)


def test_inlined_rows_are_rows_like_others(shop: Catalog, tmp_path: Path, spark: SparkSession) -> None:
    shop.options.set("data_inlining_row_limit", 2)
    shop.table("orders").append([{"id": 1, "item": "it's"}])
    shop.table("orders").append(spark.range(2, 4).selectExpr("id", "'x' AS item"))
    assert parquet_files(tmp_path) == set()
    shop.table("orders").append([{"id": n} for n in (4, 5, 6)])
    assert len(parquet_files(tmp_path)) == 1
    shop.table("orders").alter.rename_column("item", "thing")
    assert rows(shop, where="id <= 4") == [(1, "it's"), (2, "x"), (3, "x"), (4, None)]
    assert sorted(row.rowid for row in shop.table("orders").dataframe(["rowid"]).collect()) == [0, 1, 2, 3, 4, 5]
    assert shop.table("orders").count() == 6


def test_overwrite_replaces_all_rows_or_those_of_a_condition(shop: Catalog, spark: SparkSession) -> None:
    orders = shop.table("orders")
    orders.append(spark.range(10).selectExpr("id", "'old' AS item"))
    before = shop.head
    orders.overwrite(orders.dataframe(where="id < 3").selectExpr("id", "'new' AS item"), where="id < 5")
    assert rows(shop) == sorted([(n, "new") for n in range(3)] + [(n, "old") for n in range(5, 10)])
    orders.overwrite(pd.DataFrame({"id": [77]}))
    assert rows(shop) == [(77, None)]
    assert len(rows(shop.at(version=before))) == 10


def test_a_table_is_made_of_a_frame_with_its_columns_and_rows(shop: Catalog, spark: SparkSession) -> None:
    frame = spark.sql(
        "SELECT 1Y a, 2S b, 3 c, 4L d, 1.5F e, 2.5D f, 1.25BD g, 'x' h, X'01' i, DATE'2026-01-01' j,"
        " TIMESTAMP_NTZ'2026-01-01 01:00:00' k, array(1) l, map('a', 1) m, named_struct('x', 1) n, true o"
    )
    shop.create_table("made", rows=frame)
    kinds = [column.type for column in shop.table("made").columns]
    assert kinds == [
        *("int8", "int16", "int32", "int64", "float32", "float64", "decimal(3,2)", "varchar", "blob", "date"),
        *("timestamp", "list", "map", "struct", "boolean"),
    ]
    assert shop.table("made").dataframe().collect() == frame.collect()
    with pytest.raises(AlreadyExistsError):
        shop.create_table("made", rows=frame)
    shop.create_table("made", rows=pd.DataFrame({"t": pd.to_datetime(["2026-01-01 00:00:00.5"])}), or_replace=True)
    assert [column.type for column in shop.table("made").columns] == ["timestamp"]


def test_an_encrypted_catalog_gives_every_file_a_key_and_its_forks_too(lake: Lake, spark: SparkSession) -> None:
    safe = lake.create_catalog("safe", encrypted=True)
    safe.create_table("t", {"id": "BIGINT", "l": "INTEGER[]"})
    safe.table("t").append(spark.range(3).selectExpr("id", "array(1, 2) AS l"))
    fork = safe.fork("fork")
    fork.table("t").append([{"id": 7, "l": None}])
    assert sorted(row.id for row in fork.table("t").dataframe(where="id > 1").collect()) == [2, 7]
    for file in fork.table("t").storage.files():
        with pytest.raises(OSError, match=r"(?i)encrypt|decrypt|key"):
            pq.read_table(file.path)


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        ([{"id": "x"}], "Could not convert string 'x' to INT64"),
        ([{"nope": 1}], 'Table "orders" does not have a column with name "nope"'),
        (pa.table([[1], [2]], names=["id", "ID"]), "Duplicate column name"),
        ([{"id": 2**70}], "Failed to cast decimal value 1180591620717411303424 to type INT64"),
        (object(), "cannot be read from"),
        ([{"id": 1}, {"item": "x"}], "same keys"),
    ],
)
def test_rows_that_do_not_fit_are_refused(shop: Catalog, tmp_path: Path, frame: object, complaint: str) -> None:
    before = shop.head
    with pytest.raises(InvalidInputError, match=complaint):
        shop.table("orders").append(frame)
    assert shop.head == before
    assert parquet_files(tmp_path) == set()


def test_spark_rows_that_do_not_fit_are_refused(shop: Catalog, tmp_path: Path, spark: SparkSession) -> None:
    shop.create_table("narrow", [ColumnDefinition("n", "TINYINT", nulls_allowed=False)])
    for frame, complaint in (
        ("CAST(300 AS BIGINT) AS n", "out of range for the destination type INT8"),
        ("CAST(NULL AS INT) AS n", "NOT NULL constraint failed: narrow.n"),
        ("'abc' AS n", "Could not convert string 'abc' to INT8"),
    ):
        with pytest.raises(InvalidInputError, match=complaint):
            shop.table("narrow").append(spark.range(1).selectExpr(frame))
    with pytest.raises(InvalidInputError, match="2 columns but 3 values"):
        shop.table("orders").append(spark.range(1).selectExpr("id", "id", "id"), by_name=False)
    assert parquet_files(tmp_path) == set()
    assert rows(shop, "narrow") == []


@pytest.mark.parametrize(
    ("where", "kind", "complaint"),
    [
        ("id =", InvalidInputError, "Parser Error: syntax error"),
        ("colour = 1", NotFoundError, '"colour"'),
        ("id = 'abc'", InvalidInputError, "Could not convert string 'abc' to INT64"),
        ("id", InvalidInputError, "condition"),
        ("count(*) > 1", InvalidInputError, "cannot contain aggregates"),
    ],
)
def test_a_condition_that_makes_no_sense_is_refused(
    shop: Catalog, where: str, kind: type[Exception], complaint: str
) -> None:
    with pytest.raises(kind, match=complaint):
        shop.table("orders").dataframe(where=where)


def test_a_file_that_is_gone_or_damaged_is_named(shop: Catalog) -> None:
    shop.table("orders").append([{"id": n} for n in range(3)])
    path = Path(shop.table("orders").storage.files()[0].path)
    data = path.read_bytes()
    path.write_bytes(data[:100])
    with pytest.raises(DataFileError, match=f'"{path}" of table "orders"'):
        shop.table("orders").count("id > 0")
    path.unlink()
    with pytest.raises(DataFileError, match=f'"{path}" of table "orders": there is no such file'):
        shop.table("orders").count("id > 0")
    path.write_bytes(data)
    assert shop.table("orders").count("id > 0") == 2


def test_a_directory_that_cannot_be_written_is_named(lake: Lake, tmp_path: Path) -> None:
    shop = lake.create_catalog("blocked")
    shop.create_table("t", {"id": "BIGINT"})
    (tmp_path / "data").mkdir(exist_ok=True)
    (tmp_path / "data" / "blocked").write_text("a file where a directory should be")
    with pytest.raises(DataFileError, match="blocked"):
        shop.table("t").append([{"id": 1}])
    (tmp_path / "data" / "blocked").unlink()
    shop.table("t").append([{"id": 1}])
    assert rows(shop, "t") == [(1,)]


def test_options_say_how_files_are_written(shop: Catalog, spark: SparkSession) -> None:
    for compression in ("zstd", "gzip", "brotli", "uncompressed", "lz4_raw"):
        shop.options.set("parquet_compression", compression)
        shop.options.set("parquet_row_group_size", 100)
        shop.create_table(compression, rows=spark.range(0, 300, 1, 1).selectExpr("id"))
        (file,) = shop.table(compression).storage.files()
        metadata = pq.read_metadata(file.path)
        written = metadata.row_group(0).column(0).compression
        assert written == {"lz4_raw": "LZ4"}.get(compression, compression.upper())
        assert metadata.num_row_groups == 3
        assert shop.table(compression).dataframe().count() == 300


def test_a_lake_uses_the_spark_session_it_was_given(tmp_path: Path, spark: SparkSession) -> None:
    other = spark.newSession()
    with Lake(f"sqlite:{tmp_path / 'own.db'}", spark=other, settings=Settings()) as lake:
        assert lake.spark is other


def test_an_hour_that_the_zone_of_the_session_skips_is_kept(shop: Catalog, spark: SparkSession) -> None:
    moments = ["2020-03-08 02:30:00.123456", "2020-03-08 03:30:00.123456"]
    shop.create_table(
        "t",
        {"a": "TIMESTAMPTZ", "b": "TIMESTAMP_MS", "c": "TIMESTAMP"},
        partition_by=["c", PartitionField("a", "hour")],
    )
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        values = ", ".join(f"(TIMESTAMP_NTZ'{moment}')" for moment in moments)
        shop.table("t").append(spark.sql(f"SELECT v AS a, v AS b, v AS c FROM VALUES {values} AS t(v)"))
        for moment in moments:
            for where in (f"c = '{moment}'", f"a = '{moment}+00'", f"c = a AND b <= '{moment}' AND c = '{moment}'"):
                assert shop.table("t").count(where) == 1, where
    finally:
        spark.conf.set("spark.sql.session.timeZone", before or "UTC")
    assert sorted(file.partition_values for file in shop.table("t").storage.files()) == [
        (moments[0], "2"),
        (moments[1], "3"),
    ]


def test_numbers_are_compared_exactly_whatever_their_types(shop: Catalog) -> None:
    shop.create_table("t", {"i": "INTEGER", "d": "DECIMAL(38,10)", "h": "HUGEINT"})
    shop.table("t").append(
        [{"i": 2, "d": "1.0000000001", "h": 2}, {"i": -2, "d": "1.5", "h": 10**30}, {"i": 1, "d": "3", "h": 1}]
    )
    for where, expected in {
        "abs(i) > 1.5": [-2, 2],
        "i * i = 1.5": [],
        "d = 1.00000000005": [],
        "h > 1.5": [-2, 2],
        "d > h": [1],
        "i <= CAST(2.99999999 AS FLOAT)": [-2, 1, 2],
    }.items():
        assert sorted(row.i for row in shop.table("t").dataframe(["i"], where).collect()) == expected, where
    assert shop.table("t").count("d * d > 1") == 3


def test_rows_are_sorted_by_values_that_spark_does_not_order(lake: Lake) -> None:
    shop = lake.create_catalog("maps")
    shop.create_table("t", {"k": "INTEGER", "m": "MAP(INTEGER, INTEGER)"}, sort_by=["m DESC", "k"])
    shop.sql("INSERT INTO t SELECT range, CASE WHEN range < 3 THEN MAP {1: range % 2} END FROM range(4)")
    (file,) = shop.table("t").storage.files()
    assert pq.read_table(file.path).column("k").to_pylist() == [1, 0, 2, 3]
