"""Rows that we change are changed for DuckDB, those that DuckDB changed are changed for us, and both tell the same."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from forklake import Catalog, Lake, MergeDelete, MergeInsert, MergeUpdate, Table
from forklake.catalog.fields import table_fields
from forklake.files.casting.texts import to_texts
from tests.interop.conftest import Source
from tests.interop.ducklake import Connection, attached, snapshot_numbers, url_of, write
from tests.interop.read_once import ReadOnce, Rows
from tests.lakes import IMPATIENT

MARKS = ("snapshot_id", "rowid", "change_type")


@pytest.fixture
def spark_lake(tmp_path: Path, spark: SparkSession) -> Iterator[Lake]:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "own", spark=spark, settings=IMPATIENT) as lake:
        yield lake


def shown(table: Table) -> list[str]:
    """Return the columns that Spark can show of all tables here: one has a number of 39 digits."""
    return [column.name for column in table.columns if column.type != "int128"]


def our_rows(table: Table) -> Rows:
    """Return the rows with their ids, as texts."""
    fields = {field.name: field for field in table_fields(table._content(), table.table_id)}
    names = shown(table)
    read = table.arrow([*names, "rowid"])
    columns = [to_texts(fields[name].type, read.column(name).combine_chunks()) for name in names]
    return sorted(zip(read.column("rowid").to_pylist(), *columns, strict=True), key=repr)


def their_rows(connection: Connection, table: Table, number: int) -> Rows:
    """Return what DuckDB shows for the same."""
    columns = ", ".join(f'CAST("{name}" AS VARCHAR)' for name in shown(table))
    name = f'"{table.schema_name}"."{table.name}"'
    return sorted(
        connection.execute(f"SELECT rowid, {columns} FROM {name} AT (VERSION => {number})").fetchall(), key=repr
    )


def our_feed(table: Table, first: int, last: int, number_of: dict[int, int]) -> Rows:
    """Return the change feed as texts, with the snapshots numbered as in the other database."""
    fields = {field.name: field for field in table_fields(table._content(), table.table_id)}
    names = shown(table)
    read = table.changes(first, last).select(*MARKS, *names).toArrow()
    columns = [to_texts(fields[name].type, read.column(name).combine_chunks()) for name in names]
    snapshots = [number_of[snapshot] for snapshot in read.column("snapshot_id").to_pylist()]
    marks = [read.column(name).to_pylist() for name in MARKS[1:]]
    return sorted(zip(snapshots, *marks, *columns, strict=True), key=repr)


def their_feed(connection: Connection, lake: str, table: Table, number: int) -> Rows:
    """Return what DuckDB tells of one snapshot."""
    columns = ", ".join([*MARKS, *(f'CAST("{name}" AS VARCHAR)' for name in shown(table))])
    feed = f"ducklake_table_changes('{lake}', '{table.schema_name}', '{table.name}', {number}, {number})"
    return connection.execute(f"SELECT {columns} FROM {feed}").fetchall()


def visible_changes(number: int, before: Rows, after: Rows) -> Iterator[tuple[Any, ...]]:
    """Yield what a snapshot did to rows, as comparing them tells."""
    old, new = ({row[0]: row[1:] for row in rows} for rows in (before, after))
    for row in old.keys() - new.keys():
        yield number, row, "delete", *old[row]
    for row in new.keys() - old.keys():
        yield number, row, "insert", *new[row]
    for row in old.keys() & new.keys():
        if old[row] != new[row]:
            yield number, row, "update_preimage", *old[row]
            yield number, row, "update_postimage", *new[row]


def assert_same_history(catalog: Catalog, url: str, *, feed_of_duckdb: bool = True) -> int:
    """Compare rows, row ids and change feeds of all tables at all snapshots; return how many states there were.

    A change feed must say what comparing the rows of two snapshots says, and what DuckDB's says. DuckDB is asked for
    one snapshot at a time: asked for several, it tells deletes again that a later delete file repeats. Rewrites of
    files, which it tells as updates to the same values, are left out.
    """
    numbers = dict(zip([int(one.snapshot_id) for one in catalog.snapshots()], snapshot_numbers(url), strict=True))
    rewrites = {int(one.snapshot_id) for one in catalog.snapshots() if "rewrite_delete" in one.changes_made}
    states: dict[tuple[Any, ...], dict[int, Rows]] = {}
    ours = ReadOnce(our_rows)
    with attached(url, READ_ONLY=True) as (connection, lake):
        for snapshot, number in numbers.items():
            for table in catalog.at(version=snapshot).tables():
                rows = ours.rows(table)
                assert rows == their_rows(connection, table, number), (number, table)
                states.setdefault((table.table_id, table.name, *shown(table)), {})[snapshot] = rows
        for table in catalog.tables():
            state = states[table.table_id, table.name, *shown(table)]
            if len(shown(table)) < len(table.columns) or len(state) < 2:
                continue
            told = our_feed(table, sorted(state)[1], max(state), numbers)
            expected = Counter(
                change
                for before, after in pairwise(state)
                for change in visible_changes(numbers[after], state[before], state[after])
            )
            assert Counter(told) - expected == Counter(), table
            assert expected - Counter(told) == Counter(), table
            if feed_of_duckdb:
                theirs = [their_feed(connection, lake, table, numbers[at]) for at in state if at not in rewrites]
                assert Counter(told) == Counter(row for rows in theirs[1:] for row in rows), table
    return sum(map(len, states.values()))


def make_changes(catalog: Catalog, spark: SparkSession) -> None:
    """Change rows of a table in all ways."""
    orders = catalog.table("orders")
    assert orders.delete("id IN (3, 5)").row_count == 2
    assert orders.update({"item": "item || '!'"}, "id BETWEEN 4 AND 7").row_count == 3
    assert orders.update({"price": "price + 1", "region": "'south'"}, "id = 6").row_count == 1
    assert orders.delete("id < 4").row_count == 3
    source = spark.range(8, 14).selectExpr("id", "concat('new ', id) AS item", "'west' AS region")
    merged = orders.merge(
        source,
        "target.id = source.id",
        matched=[MergeDelete(when="source.id = 9"), MergeUpdate()],
        not_matched=[MergeInsert(when="source.id < 13")],
        not_matched_by_source=[MergeUpdate({"price": "0"}, when="target.id = 4")],
    )
    assert merged.row_count == 6
    with catalog.transaction() as transaction:
        table = transaction.table("orders")
        table.append([{"id": 100 + number, "item": "late", "region": "north"} for number in range(3)])
        assert table.delete("id = 7").row_count == 1
        assert table.update({"item": "'own'"}, "id IN (8, 10)").row_count == 2
    orders.merge([{"id": 101, "item": "later"}, {"id": 200, "item": "last"}], on=["id"])


@pytest.mark.parametrize("layout", [pytest.param("plain", marks=pytest.mark.soak), "inlined", "partitioned"])
def test_duckdb_sees_our_changes_and_tells_them_as_we_do(
    spark_lake: Lake, tmp_path: Path, spark: SparkSession, layout: str
) -> None:
    catalog = spark_lake.create_catalog("shop")
    columns = {"id": "BIGINT", "item": "VARCHAR", "price": "DECIMAL(9,2)", "region": "VARCHAR"}
    if layout == "inlined":
        catalog.options.set("data_inlining_row_limit", "2")
        columns["key"] = "UUID"
    if layout == "partitioned":
        columns["tags"] = "VARCHAR[]"
    catalog.create_table("orders", columns, partition_by=["region"] if layout == "partitioned" else ())
    catalog.table("orders").append(
        [{"id": n, "item": f"item {n}", "price": n, "region": "north" if n % 2 else "south"} for n in range(10)]
    )
    if layout != "plain":
        catalog = catalog.fork("agent")
    make_changes(catalog, spark)
    catalog.table("orders").delete()
    catalog.table("orders").append([{"id": n, "item": "again"} for n in range(3)])
    made = catalog.maintenance.export(tmp_path / "made.ducklake", history=True)
    # When a file ends, DuckDB forgets which of its rows were deleted in the metadata, and tells these again.
    assert assert_same_history(catalog, url_of(made.path), feed_of_duckdb=layout != "inlined") > 10


@pytest.mark.parametrize("everything", ["duckdb"], indirect=True)
def test_what_duckdb_changed_is_read_and_told_as_duckdb_does(spark_lake: Lake, everything: Source) -> None:
    catalog = spark_lake.import_catalog("theirs", everything.url)
    assert assert_same_history(catalog, everything.ducklake_url) > 20


REWRITTEN = (
    "CALL {lake}.set_option('data_inlining_row_limit', '0')",
    "CREATE TABLE r (i INTEGER, v VARCHAR)",
    "INSERT INTO r SELECT i, 'a' FROM range(20) r(i)",
    "INSERT INTO r SELECT i, 'b' FROM range(20, 40) r(i)",
    "DELETE FROM r WHERE i % 2 = 0 AND i < 30",
    "DELETE FROM r WHERE i = 1",
    "UPDATE r SET v = 'c' WHERE i IN (3, 33)",
    "MERGE INTO r USING (VALUES (5, 'm'), (99, 'm')) s(i, v) ON r.i = s.i WHEN MATCHED THEN UPDATE SET v = s.v"
    " WHEN NOT MATCHED THEN INSERT VALUES (s.i, s.v)",
    "CALL ducklake_rewrite_data_files('{lake}', delete_threshold => 0.2)",
    "DELETE FROM r WHERE i = 7",
    "CALL ducklake_merge_adjacent_files('{lake}')",
    "DELETE FROM r WHERE i IN (99, 35)",
    "DELETE FROM r WHERE i = 5",
    "UPDATE r SET v = 'd' WHERE i = 37",
)


@pytest.mark.parametrize("vectors", ["true", "false"])
def test_rewritten_and_merged_files_and_deletion_vectors_change_no_row(
    spark_lake: Lake, tmp_path: Path, vectors: str
) -> None:
    path = tmp_path / "theirs.ducklake"
    write(
        url_of(path),
        tmp_path / "theirs",
        f"CALL {{lake}}.set_option('write_deletion_vectors', '{vectors}')",
        *REWRITTEN,
    )
    catalog = spark_lake.import_catalog("theirs", str(path))
    # With deletion vectors, DuckDB tells deletes of merged files at the snapshot that added the row.
    assert assert_same_history(catalog, url_of(path), feed_of_duckdb=vectors == "false") > 10


@pytest.mark.parametrize("engine", ["local", "spark"])
def test_deletion_vectors_of_ours_are_those_of_duckdb(spark_lake: Lake, tmp_path: Path, engine: str) -> None:
    catalog = spark_lake.create_catalog("ours")
    with catalog.session() as session:
        session.sql("CALL ours.set_option('write_deletion_vectors', true)")
        session.sql("CREATE TABLE r AS SELECT i::INTEGER AS i, 'v' || i AS v FROM range(200) t(i)")
        session.sql(f"SET engine = '{engine}'; DELETE FROM r WHERE i * 37 % 11 < 4")
        session.sql("UPDATE r SET v = 'w' WHERE i % 13 = 1; DELETE FROM r WHERE i = 51")
        formats = session.sql("SELECT DISTINCT format FROM __ducklake_metadata_ours.ducklake_delete_file")
        assert formats is not None
        assert formats.fetchall() == [("puffin",)]
    made = catalog.maintenance.export(tmp_path / "ours.ducklake", history=True)
    assert assert_same_history(catalog, url_of(made.path)) == 4


def test_our_changes_of_imported_tables_go_on_where_duckdb_ended(
    spark_lake: Lake, tmp_path: Path, spark: SparkSession
) -> None:
    path = tmp_path / "theirs.ducklake"
    write(
        url_of(path),
        tmp_path / "theirs",
        *REWRITTEN,
        "CREATE TABLE s (i INTEGER, v VARCHAR)",
        "CALL {lake}.set_option('data_inlining_row_limit', '10')",
        "INSERT INTO s VALUES (1, 'a'), (2, 'b')",
        "INSERT INTO s SELECT i, 'c' FROM range(10, 40) r(i)",
        "DELETE FROM s WHERE i IN (11, 12)",
        "UPDATE s SET v = 'd' WHERE i IN (2, 13)",
    )
    theirs = spark_lake.import_catalog("theirs", str(path))
    fork = theirs.fork("fork")
    for table in (fork.table("r"), fork.table("s")):
        table.delete("i IN (1, 17, 31)")
        table.update({"v": "v || '!'"}, "i IN (2, 15, 33, 37)")
        table.merge([{"i": 15, "v": "again"}, {"i": 19, "v": "changed"}, {"i": 500, "v": "new"}], on=["i"])
    made = fork.maintenance.export(tmp_path / "fork.ducklake", history=True)
    assert assert_same_history(fork, url_of(made.path)) > 20
    # Of a delete file that later deletes were added to, a fork of the past has the earlier ones only.
    first, second = (one.snapshot_id for one in theirs.snapshots()[4:6])
    past = theirs.fork("past", at=first)
    assert past.table("r").delete("i = 39").row_count == 1
    expected = {row[1] for row in our_rows(theirs.at(version=first).table("r"))} - {"39"}
    assert {row[1] for row in our_rows(past.table("r"))} == expected
    assert "1" in expected
    assert len(our_rows(theirs.at(version=second).table("r"))) == len(expected)
    assert our_rows(theirs.table("s")) != our_rows(fork.table("s"))


def test_rows_of_merged_files_tell_the_snapshot_that_added_them(spark_lake: Lake, tmp_path: Path) -> None:
    path = tmp_path / "theirs.ducklake"
    write(
        url_of(path),
        tmp_path / "theirs",
        "CALL {lake}.set_option('data_inlining_row_limit', '0')",
        "CREATE TABLE m (i INTEGER)",
        *(f"INSERT INTO m VALUES ({number}), ({number + 10})" for number in range(2, 8)),
        "CALL ducklake_merge_adjacent_files('{lake}')",
        "INSERT INTO m VALUES (9)",
        "CALL ducklake_expire_snapshots('{lake}', versions => [3, 5])",
    )
    # Ids of the two databases shall differ.
    taken = spark_lake.create_catalog("taken")
    for name in "abcd":
        taken.create_table(name, {"i": "INTEGER"})
    theirs = spark_lake.import_catalog("theirs", str(path))
    number_of = dict(zip([one.snapshot_id for one in theirs.snapshots()], snapshot_numbers(url_of(path)), strict=True))
    assert all(own != number for own, number in number_of.items())
    found = [(row.i, number_of[row.snapshot_id]) for row in theirs.table("m").dataframe(["i", "snapshot_id"]).collect()]
    # The rows of snapshots that were expired are told at the next that was not.
    expected = {2: 2, 3: 4, 4: 4, 5: 6, 6: 6, 7: 7}
    assert sorted(found) == sorted(
        [(9, 9), *((i, at) for i, at in expected.items()), *((i + 10, at) for i, at in expected.items())]
    )


def test_rows_that_were_flushed_are_the_same_rows_for_duckdb(spark_lake: Lake, tmp_path: Path) -> None:
    shop = spark_lake.create_catalog("shop")
    shop.create_table("t", {"id": "BIGINT", "v": "VARCHAR"})
    table = shop.table("t")
    table.append([{"id": n, "v": "file"} for n in range(6)])
    shop.options.set("data_inlining_row_limit", "3")
    table.append([{"id": 10, "v": "a"}, {"id": 11, "v": "b"}])
    table.append([{"id": 12, "v": "c"}])
    table.update({"v": "'new'"}, "id = 10")
    table.delete("id IN (3, 11)")
    shop.maintenance.flush_inlined()
    table.delete("id = 12")
    fork = shop.fork("fork")
    fork.maintenance.flush_inlined()
    made = fork.maintenance.export(tmp_path / "fork.ducklake", history=True)
    assert assert_same_history(fork, url_of(made.path), feed_of_duckdb=False) == 10
    with attached(url_of(made.path), READ_ONLY=True) as (connection, _):
        theirs = connection.execute("SELECT rowid, snapshot_id, id FROM t ORDER BY rowid").fetchall()
    assert theirs == sorted(map(tuple, fork.table("t").dataframe(["rowid", "snapshot_id", "id"]).collect()))
    again = spark_lake.import_catalog("again", made.path)
    told = [one.table("t").changes(one.snapshots()[1].snapshot_id).collect() for one in (fork, again)]
    assert sorted(row[1:] for row in told[0]) == sorted(row[1:] for row in told[1])
