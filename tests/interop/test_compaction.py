"""Stock DuckLake reads what we compacted, and we compact what it wrote."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from forklake import Catalog, Lake, SortKey
from tests.interop.ducklake import attached, snapshot_numbers, state, url_of, write


def shown(catalog: Catalog, name: str = "t") -> list[tuple[Any, ...]]:
    """Return the rows of a table with their ids and snapshots."""
    table = catalog.table(name)
    read = table.arrow(["rowid", "snapshot_id", *(column.name for column in table.columns)])
    return sorted(zip(*(read.column(at).to_pylist() for at in range(read.num_columns)), strict=True), key=repr)


def rows_of(url: str, number: int) -> list[tuple[Any, ...]]:
    with attached(url, READ_ONLY=True, SNAPSHOT_VERSION=number) as (connection, _):
        found = connection.execute("SELECT rowid, snapshot_id, * FROM t").fetchall()
        (count,) = connection.execute("SELECT count(*) FROM t").fetchone() or (None,)
    assert count == len(found)
    return sorted(found, key=repr)


@pytest.mark.parametrize("is_sorted", [False, True])
def test_ducklake_reads_compacted_files_at_every_snapshot(small_lake: Lake, tmp_path: Path, is_sorted: bool) -> None:
    shop = small_lake.create_catalog("shop")
    shop.create_table(
        "t", {"i": "INTEGER", "l": "INTEGER[]", "k": "VARCHAR"}, sort_by=[SortKey("i")] if is_sorted else []
    )
    table = shop.table("t")
    for first in range(4):
        rows = [{"i": 10 * n + first, "l": [first, n], "k": "ab"[n % 2]} for n in range(5)]
        table.append(
            pa.Table.from_pylist(rows, pa.schema([("i", pa.int32()), ("l", pa.list_(pa.int32())), ("k", pa.string())]))
        )
    table.storage.inline_deletes({table.storage.files()[0].data_file_id: [0, 1, 2, 3]})
    shop.maintenance.merge_adjacent_files()
    shop.maintenance.rewrite_data_files(delete_threshold=0.5)
    shop.maintenance.merge_adjacent_files()
    assert len(table.storage.files()) == 1
    made = shop.maintenance.export(tmp_path / "ours.ducklake", history=True)
    url = url_of(made.path)
    for number in snapshot_numbers(url)[2:]:
        assert rows_of(url, number) == shown(shop.at(version=number)), f"at snapshot {number}"
    newest = shop.maintenance.export(tmp_path / "newest.ducklake")
    assert rows_of(url_of(newest.path), newest.snapshot_id) == shown(shop)


def test_files_that_ducklake_merged_are_merged_again_under_our_snapshots(small_lake: Lake, tmp_path: Path) -> None:
    url = url_of(tmp_path / "theirs.ducklake")
    write(
        url,
        tmp_path / "data",
        "CREATE TABLE t (i INTEGER, v VARCHAR)",
        *(f"INSERT INTO t SELECT range, 'v' FROM range({first}, {first + 20})" for first in (0, 20, 40)),
        "CALL {lake}.merge_adjacent_files()",
        "INSERT INTO t SELECT range, 'w' FROM range(60, 80)",
        "DELETE FROM t WHERE i % 2 = 0 AND i < 40",
    )
    small_lake.create_catalog("first")  # so that their numbers are not ours
    shop = small_lake.import_catalog("shop", str(tmp_path / "theirs.ducklake"))
    before, past = shown(shop), shop.head
    fork = shop.fork("fork")
    assert [done.files_processed for done in fork.maintenance.rewrite_data_files(delete_threshold=0)] == [1]
    assert [done.files_processed for done in fork.maintenance.merge_adjacent_files()] == [2]
    assert shown(fork) == before == shown(shop) == shown(fork.at(version=past))
    exported = fork.maintenance.export(tmp_path / "again.ducklake")
    assert [row[2:] for row in rows_of(url_of(exported.path), exported.snapshot_id)] == [row[2:] for row in before]
    assert state(url_of(exported.path))


def test_added_files_of_others_are_merged_by_their_names(small_lake: Lake, tmp_path: Path) -> None:
    url = url_of(tmp_path / "theirs.ducklake")
    for number in range(2):
        directory = tmp_path / "added" / f"k={number}"
        directory.mkdir(parents=True)
        with attached(url, DATA_PATH=f"{tmp_path / 'data'}/") as (connection, _):
            connection.execute(
                f"COPY (SELECT range::INTEGER AS i, 'x' AS v FROM range(3)) TO '{directory / 'f.parquet'}'"
            )
    write(
        url,
        tmp_path / "data",
        "CREATE TABLE t (i INTEGER, v VARCHAR, k INTEGER)",
        f"CALL ducklake_add_data_files('{{lake}}', 't', '{tmp_path}/added/**/*.parquet', hive_partitioning => true)",
        "INSERT INTO t SELECT range, 'y', 7 FROM range(10, 30)",
    )
    shop = small_lake.import_catalog("shop", str(tmp_path / "theirs.ducklake"))
    before = shown(shop)
    assert sorted({row[-1] for row in before}) == [0, 1, 7]
    assert [done.files_processed for done in shop.maintenance.merge_adjacent_files()] == [3]
    assert shown(shop) == before
