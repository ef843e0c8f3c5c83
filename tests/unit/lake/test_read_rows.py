"""Rows of small tables, read without Spark."""

import datetime as dt
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import duckdb
import pyarrow as pa
import pytest

from forklake import Catalog, ColumnDefinition, Lake, Settings, Table
from forklake.errors import DataFileError, InvalidInputError, NotFoundError, NotInstalledError
from forklake.files.parquet.deletes import write_delete_file
from forklake.model.scan import OWN_ROW_ID, ScanPlan
from forklake.ops.rows.read_table import is_read_locally
from tests.rows.arrow_hands import planned

NO_SPARK: Any = cast("Any", "there is no Spark here")
"""Given as a session, so that whatever would use one fails."""


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=NO_SPARK) as lake:
        yield lake


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    made = lake.create_catalog("shop")
    made.create_table("t", {"id": "BIGINT", "item": "VARCHAR"})
    made.table("t").append([{"id": 1, "item": "apple"}, {"id": 2, "item": None}])
    made.options.set("data_inlining_row_limit", 1)
    made.table("t").append([{"id": 3, "item": "pear"}])
    return made


ROWS = [(1, "apple"), (2, None), (3, "pear")]


# ---- forms -----------------------------------------------------------------------------------------------------------


def test_all_forms_have_the_same_rows_in_the_order_they_were_added(shop: Catalog) -> None:
    table = shop.table("t")
    assert table.rows() == ROWS
    assert table.arrow().schema == pa.schema({"id": pa.int64(), "item": pa.string()})
    assert [tuple(row.values()) for row in table.arrow().to_pylist()] == ROWS
    assert (table.head().rows(), table.head(2).rows(), table.head(0).rows()) == (ROWS, ROWS[:2], [])
    assert pa.table(table).equals(table.arrow())


@pytest.mark.usefixtures("pandas")
def test_a_frame_of_pandas_has_the_same_rows(shop: Catalog) -> None:
    assert shop.table("t").pandas()["item"].tolist() == ["apple", None, "pear"]


def test_head_looks_like_a_table_and_can_be_cut_again(shop: Catalog) -> None:
    head = shop.table("t").head(2)
    assert repr(head).splitlines()[1:3] == ["│     id │ item    │", "│ BIGINT │ VARCHAR │"]
    assert "apple" in head._repr_html_()
    assert (len(head), head.head(1).rows(), head.head(9).rows()) == (2, ROWS[:1], ROWS[:2])


@pytest.mark.parametrize("wrong", [-1, 1.5, "2", None, True])
def test_a_head_of_no_number_is_refused(shop: Catalog, wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match="head takes a number of rows"):
        shop.table("t").head(wrong)


def test_duckdb_reads_a_table_as_a_stream(shop: Catalog) -> None:
    with duckdb.connect() as connection:
        connection.register("orders", shop.table("t"))
        assert connection.sql("SELECT max(id), count(item) FROM orders").fetchall() == [(3, 2)]


def test_columns_come_as_asked_and_named_as_in_the_table(shop: Catalog) -> None:
    table = shop.table("t")
    assert table.rows(["ITEM", "id"]) == [(item, number) for number, item in ROWS]
    assert table.arrow(["ITEM"]).column_names == ["item"]
    assert table.rows(["id", "id"])[0] == (1, 1)
    assert table.rows([]) == [(), (), ()]
    assert table.rows([OWN_ROW_ID, "rowid"]) == [(0, 0), (1, 1), (2, 2)]
    with pytest.raises(NotFoundError, match='Table "t" does not have a column with name "price"'):
        table.rows(["price"])
    with pytest.raises(InvalidInputError, match="Columns are a list of their names"):
        table.arrow("item")


def test_where_each_row_is_from_can_be_asked_for(shop: Catalog) -> None:
    (file,) = shop.table("t").storage.files()
    found = shop.table("t").rows(["rowid", "snapshot_id", "filename", "file_row_number", "file_index"])
    second = shop.head
    (first,) = {one for (one,) in shop.table("t").rows(["snapshot_id"])} - {second}
    assert shop.at(version=first).table("t").rows() == ROWS[:2]
    assert found == [
        (0, first, file.path, 0, 0),
        (1, first, file.path, 1, 0),
        (2, second, f"ducklake_inlined_data_{shop.table('t').table_id}_1", 2, 1),
    ]


def test_polars_that_is_missing_says_what_to_install(shop: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    for source in (shop.table("t"), shop.table("t").head()):
        with pytest.raises(NotInstalledError, match="This needs Polars, which is not installed") as caught:
            source.polars()
        assert caught.value.hint == "Install it: pip install polars"


# ---- states ----------------------------------------------------------------------------------------------------------


def test_a_table_shows_the_state_that_it_was_taken_from(shop: Catalog) -> None:
    before = shop.head
    fork = shop.fork("agent")
    with shop.transaction() as transaction:
        transaction.table("t").append([{"id": 4}])
        transaction.table("t").append([{"id": number} for number in (5, 6)])
        assert sorted(row[0] for row in transaction.table("t").rows()) == [1, 2, 3, 4, 5, 6]
        assert transaction.table("t").head(4).rows()[:2] == ROWS[:2]
        assert shop.table("t").rows() == ROWS
    assert len(shop.table("t").rows()) == 6
    assert shop.at(version=before).table("t").rows() == fork.table("t").rows() == ROWS


def test_columns_that_changed_show_in_old_rows(shop: Catalog) -> None:
    shop.table("t").alter.add_column(ColumnDefinition("size", "INTEGER", default="7"))
    shop.table("t").alter.rename_column("item", "thing")
    shop.table("t").alter.set_type("id", "DECIMAL(20,1)")
    assert shop.table("t").rows(["size", "thing", "id"])[1:] == [(7, None, Decimal("2.0")), (7, "pear", Decimal("3.0"))]


def test_values_are_those_of_sql_and_of_duckdb(lake: Lake) -> None:
    values = {
        "BIGINT": 2**63 - 1,
        "HUGEINT": 10**37,
        "UBIGINT": 2**64 - 1,
        "DECIMAL(10,2)": Decimal("1.50"),
        "DOUBLE": float("-inf"),
        "DATE": dt.date(2024, 2, 29),
        "TIME": dt.time(1, 2, 3, 500000),
        "TIMESTAMP": dt.datetime(2024, 2, 29, 12, 34, 56, 789000),  # noqa: DTZ001
        "TIMESTAMPTZ": dt.datetime(2024, 2, 29, 12, 34, 56, tzinfo=dt.UTC),
        "TIMESTAMP_NS": "2024-02-29 12:34:56.789012345",
        "INTERVAL": dt.timedelta(3, 5),
        "UUID": UUID(int=5),
        "BLOB": b"\x00\xff",
        "INTEGER[]": [1, None],
        "STRUCT(a INTEGER, b DATE)": {"a": 1, "b": dt.date(2024, 1, 1)},
        "MAP(VARCHAR, DOUBLE)": {"k": 1.5},
    }
    shop = lake.create_catalog("types")
    shop.create_table("t", {f"c{place}": kind for place, kind in enumerate(values)})
    row = {f"c{place}": value for place, value in enumerate(values.values())}
    shop.table("t").append([{**row, "c10": "3 days 00:00:05"}, dict.fromkeys(row)])
    assert shop.table("t").rows() == [tuple(values.values()), (None,) * len(values)]
    columns = ", ".join(f"{name}::{kind}::VARCHAR" for name, kind in zip(row, values, strict=True))
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.register("stored", shop.table("t"))
        found = connection.sql(f"SELECT {columns} FROM stored").fetchall()
    assert [list(texts) for texts in found] == [*shop.table("t").head().texts()[0][:1], [None] * len(values)]


def test_encrypted_files_are_read(lake: Lake) -> None:
    secret = lake.create_catalog("secret", encrypted=True)
    secret.create_table("t", {"id": "BIGINT", "u": "UUID[]"})
    secret.table("t").append([{"id": 1, "u": [UUID(int=7), None]}, {"id": 2, "u": None}])
    assert planned(secret.table("t"), None).files[0].encryption_key
    assert secret.table("t").rows() == [(1, [UUID(int=7), None]), (2, None)]


def test_deleted_rows_are_not_shown(lake: Lake) -> None:
    shop = lake.create_catalog("deleted")
    shop.create_table("t", {"id": "BIGINT"})
    shop.table("t").append(pa.table({"id": range(10)}))
    (file,) = shop.table("t").storage.files()
    gone = write_delete_file(f"{Path(file.path).parent}/", file.data_file_id, file.path, [0, 1, 2, 5])
    shop.table("t").storage.delete_rows([gone])
    assert [row[0] for row in shop.table("t").rows()] == [3, 4, 6, 7, 8, 9]
    assert shop.table("t").head(3).rows() == [(3,), (4,), (6,)]
    (Path(file.path).parent / gone.path).unlink()
    with pytest.raises(
        DataFileError, match=f'"{file.path}" of table "t": File ".*" was not read: there is no such file'
    ):
        shop.table("t").rows()


# ---- which way -------------------------------------------------------------------------------------------------------


def is_here(table: Table, limit: int | None = None, **settings: Any) -> bool:
    plan = planned(table, None)
    return is_read_locally(plan, plan.fields, Settings(**settings), limit)


@pytest.mark.usefixtures("pyspark")
def test_up_to_how_many_bytes_and_rows_a_table_is_read_here_can_be_set(lake: Lake) -> None:
    shop = lake.create_catalog("large")
    shop.create_table("t", {"id": "BIGINT"})
    shop.table("t").append(pa.table({"id": range(100_000)}))
    table = shop.table("t")
    size = sum(file.file_size_bytes for file in table.storage.files())
    assert is_here(table)
    assert is_here(table, local_read_bytes=size, local_read_rows=100_000)
    assert not is_here(table, local_read_bytes=size - 1)
    assert not is_here(table, local_read_rows=99_999)
    assert not is_here(table, local_read_bytes=0)
    assert not is_here(table, local_read_rows=0)
    shop.table("t").append(pa.table({"id": [1]}))
    assert not is_here(shop.table("t"))


@pytest.mark.usefixtures("pyspark")
def test_many_files_are_not_small_whatever_their_sizes(shop: Catalog) -> None:
    (file,) = planned(shop.table("t"), None).files
    plan = ScanPlan("t", (), (file,) * 300)
    assert sum(one.file_size_bytes for one in plan.files) < 1_000_000
    assert not is_read_locally(plan, (), Settings())
    assert is_read_locally(plan, (), Settings(), limit=10)


@pytest.mark.usefixtures("pyspark")
def test_a_head_counts_only_the_row_groups_that_it_reads(lake: Lake) -> None:
    shop = lake.create_catalog("groups")
    shop.create_table("t", {"id": "BIGINT"})
    shop.options.set("parquet_row_group_size", 20_000)
    shop.table("t").append(pa.table({"id": range(200_000)}))
    table = shop.table("t")
    (file,) = table.storage.files()
    assert not is_here(table)
    assert not is_here(table, limit=150_000)
    assert is_here(table, limit=10)
    assert table.head(3).rows() == [(0,), (1,), (2,)]
    assert is_here(table, limit=10, local_read_bytes=file.file_size_bytes // 4)
    assert not is_here(table, limit=50_000, local_read_bytes=file.file_size_bytes // 4)


def test_a_head_reads_no_file_behind_its_rows(shop: Catalog) -> None:
    shop.table("t").append([{"id": 4}, {"id": 5}])
    Path(shop.table("t").storage.files()[1].path).unlink()
    assert shop.table("t").head(2).rows() == ROWS[:2]


def test_a_condition_that_no_file_can_fulfil_needs_no_spark(lake: Lake) -> None:
    shop = lake.create_catalog("empty")
    shop.create_table("t", {"id": "BIGINT"})
    assert shop.table("t").rows(where="id = 1") == []
    shop.table("t").append([{"id": 1}])
    assert shop.table("t").rows(["id"], where="id > 7") == shop.table("t").head(3, where="id > 7").rows() == []
    assert shop.table("t").arrow(where="id > 7").schema.names == ["id"]


def test_reading_a_small_table_imports_neither_spark_nor_the_parser(shop: Catalog, tmp_path: Path) -> None:
    assert shop.table("t").storage.files()
    script = f"""
import sys, forklake
with forklake.open({str(tmp_path / "lake.db")!r}) as lake:
    table = lake.catalog("shop").table("t")
    assert table.rows() == {ROWS}
    assert table.head(1).rows() == {ROWS[:1]}
    assert table.arrow().num_rows == 3
assert not {{"pyspark", "py4j", "sqlglot"}} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)


# ---- SQL -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("FROM t", ROWS),
        ("SELECT item AS name, id FROM t", [(item, number) for number, item in ROWS]),
        ("SELECT id, id, rowid FROM main.t AS x LIMIT 2", [(1, 1, 0), (2, 2, 1)]),
        ("SELECT id FROM t LIMIT 1 OFFSET 1", [(2,)]),
        ("SELECT id FROM t OFFSET 2", [(3,)]),
        ("SELECT * FROM t LIMIT 0", []),
    ],
)
def test_a_query_of_columns_of_a_small_table_needs_no_spark(
    shop: Catalog, query: str, expected: list[tuple[Any, ...]]
) -> None:
    found = shop.sql(query)
    assert found is not None
    assert repr(found).count("\n") >= 4
    assert (found.fetchall(), found.rows(), found.arrow().num_rows) == (expected, expected, len(expected))


def test_a_result_of_a_small_table_shows_what_was_visible_when_it_was_asked(shop: Catalog) -> None:
    found = shop.sql("SELECT id FROM t")
    assert found is not None
    shop.table("t").append([{"id": 4}])
    shop.table("t").alter.rename_column("id", "number")
    assert (found.columns, found.rows()) == (["id"], [(1,), (2,), (3,)])


def test_a_query_that_is_read_without_spark_is_explained_as_such(shop: Catalog) -> None:
    found = shop.sql("EXPLAIN SELECT id FROM t")
    assert found is not None
    ((_, text),) = found.rows()
    assert text.startswith('Table "t": Total Files Read: 1 (')
    assert text.endswith("inlined rows: 1\n  TABLE_SCAN of ~3 rows\nRead by this process, without Spark.")
