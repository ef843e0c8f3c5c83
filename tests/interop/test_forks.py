"""Forks exported: DuckDB reads what the fork shows, over the files of its parent."""

from pathlib import Path
from typing import Any

import pytest

from forklake import Catalog, ColumnDefinition, Lake, MacroImplementation, MacroParameter, PartitionField, SortKey
from forklake.errors import InvalidInputError
from tests.interop.ducklake import attached, changes, snapshot_numbers, state, url_of, write

MERGED = (
    "CREATE TABLE m (i INTEGER)",
    *(f"INSERT INTO m SELECT i FROM range({part * 100}, {part * 100 + 20}) r(i)" for part in range(3)),
    "DELETE FROM m WHERE i = 7",
    "CALL ducklake_merge_adjacent_files('{lake}')",
)


def _imported(lake: Lake, directory: Path, *statements: str) -> tuple[Catalog, str]:
    """Return a catalog imported from what DuckDB wrote, and how DuckDB names its source."""
    path = directory / "source.ducklake"
    write(url_of(path), directory / "data", *statements, DATA_INLINING_ROW_LIMIT=0)
    return lake.import_catalog("shop", path), url_of(path)


def _query(url: str, query: str) -> list[Any]:
    with attached(url, READ_ONLY=True) as (connection, _):
        return connection.execute(query).fetchall()


def test_duckdb_reads_a_fork_that_renamed_a_table_dropped_a_column_and_removed_a_file(
    small_lake: Lake, tmp_path: Path
) -> None:
    shop, source = _imported(
        small_lake,
        tmp_path,
        "CREATE TABLE t (i INTEGER, w VARCHAR, x DOUBLE)",
        "INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2)",
        "INSERT INTO t VALUES (3, 'c', 3)",
    )
    fork = shop.fork("agent").fork("deeper")
    fork.table("t").rename("renamed")
    fork.table("renamed").alter.drop_column("w")
    fork.table("renamed").storage.remove_files([fork.table("renamed").storage.files()[0].data_file_id])
    exported = url_of(fork.maintenance.export(tmp_path / "fork.ducklake").path)

    assert _query(exported, "SELECT rowid, * FROM renamed") == [(2, 3, 3.0)]
    assert _query(exported, "SELECT count(*), min(i), max(i) FROM renamed") == [(1, 3, 3)]
    assert state(url_of(shop.maintenance.export(tmp_path / "shop.sqlite").path)) == state(source)


def test_the_history_of_a_fork_goes_back_to_before_the_fork(small_lake: Lake, tmp_path: Path) -> None:
    shop, source = _imported(small_lake, tmp_path, "CREATE TABLE t (i INTEGER)", "INSERT INTO t VALUES (1), (2)")
    numbers = snapshot_numbers(source)
    fork = shop.fork("agent")
    fork.table("t").storage.remove_files([fork.table("t").storage.files()[0].data_file_id])
    shop.table("t").drop()
    exported = url_of(fork.maintenance.export(tmp_path / "fork.sqlite", history=True).path)

    assert state(exported, numbers[-1]) == state(source)
    assert _query(exported, "FROM t") == []
    of_fork = snapshot_numbers(exported)[len(numbers) :]
    assert changes(exported, "t", of_fork[0], of_fork[0]) == []
    assert len(changes(exported, "t", of_fork[1], of_fork[1])) == 2


@pytest.mark.parametrize("suffix", ["ducklake", "sqlite"])
def test_a_fork_of_the_past_reads_a_file_that_was_merged_later_only_in_part(
    small_lake: Lake, tmp_path: Path, suffix: str
) -> None:
    shop, source = _imported(small_lake, tmp_path, *MERGED)
    numbers = snapshot_numbers(source)
    past = dict(zip(numbers, shop.snapshots(), strict=True))[numbers[3]].snapshot_id
    fork = shop.fork("agent", at=past)
    copy = fork.fork("copy", copy=True)
    fork.schemas.create("later")
    for catalog in (fork, copy):
        made = catalog.maintenance.export(tmp_path / f"{catalog.name}.{suffix}")
        exported = url_of(made.path)
        expected = state(source, numbers[3])["table", "main", "m"]
        assert state(exported)["table", "main", "m"] == expected
        assert _query(exported, "SELECT count(*) FROM m") == [(40,)]
        write(exported, made.path.with_name(f"{made.path.name}.files"), "INSERT INTO m VALUES (1000)")
        assert _query(exported, "SELECT count(*), max(i) FROM m") == [(41, 1000)]


def test_a_history_that_a_merged_file_reaches_beyond_is_refused(small_lake: Lake, tmp_path: Path) -> None:
    shop, _ = _imported(small_lake, tmp_path, *MERGED)
    fork = shop.fork("agent", at=shop.snapshots()[3].snapshot_id)
    with pytest.raises(InvalidInputError, match="history of the catalog cannot be exported"):
        fork.maintenance.export(tmp_path / "fork.ducklake", history=True)
    assert not list(tmp_path.glob("*fork*"))


def test_a_fork_taken_after_the_merge_exports_its_history(small_lake: Lake, tmp_path: Path) -> None:
    shop, source = _imported(small_lake, tmp_path, *MERGED)
    exported = url_of(shop.fork("agent").maintenance.export(tmp_path / "fork.ducklake", history=True).path)
    for number in snapshot_numbers(source):
        assert state(exported, number) == state(source, number)


@pytest.mark.parametrize("suffix", ["ducklake", "sqlite"])
def test_duckdb_reads_and_writes_what_forklake_made_itself(small_lake: Lake, tmp_path: Path, suffix: str) -> None:
    shop = small_lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER", "s": "STRUCT(x INTEGER, y VARCHAR[])", "b": "BLOB"})
    shop.table("t").storage.insert_inlined(
        [{"i": "1", "s": "{'x': 1, 'y': [a, 'b c']}", "b": "\\xAA\\x00z"}, {"i": "2"}]
    )
    shop.table("t").alter.add_column(ColumnDefinition("n", "BIGINT", default="7"))
    shop.table("t").storage.insert_inlined([{"i": "3", "n": "9"}])
    shop.table("t").storage.delete_inlined([1])
    shop.views.create("v", "SELECT i FROM t")
    shop.views.create("w", "SELECT i FROM t", column_aliases=("the first",))
    shop.macros.create(
        "plus",
        [
            MacroImplementation("a + b", (MacroParameter("a"), MacroParameter("b", default="2"))),
            MacroImplementation(
                "a || s", (MacroParameter("a"), MacroParameter("b"), MacroParameter("s", default="'x'"))
            ),
        ],
    )
    shop.macros.create("above", [MacroImplementation("SELECT i FROM t WHERE i > n", (MacroParameter("n"),), "table")])
    shop.table("t").alter.comment("a table")
    shop.table("t").alter.set_sorting([SortKey("i", "DESC")])
    shop.table("t").alter.set_partitioning([PartitionField("i", "bucket(4)")])
    made = shop.maintenance.export(tmp_path / f"shop.{suffix}")
    exported = url_of(made.path)

    rows = [(0, 1, {"x": 1, "y": ["a", "b c"]}, b"\xaa\x00z", 7), (2, 3, None, None, 9)]
    assert _query(exported, "SELECT rowid, * FROM t ORDER BY rowid") == rows
    assert _query(exported, "SELECT count(*), min(i), max(i) FROM v") == [(2, 1, 3)]
    assert _query(exported, "SELECT plus(1), plus('a', 'b', s := 'c') FROM above(1)") == [(3, "ac")]
    assert state(exported)["table", "main", "t"][0] == "a table"
    assert _query(exported, 'SELECT "the first" FROM w ORDER BY 1') == [(1,), (3,)]
    assert _query(exported, "SELECT n FROM t WHERE i = 3") == [(9,)]
    write(
        exported,
        made.path.with_name(f"{made.path.name}.files"),
        "INSERT INTO t SELECT i, NULL, NULL, 1 FROM range(20, 60) r(i)",
    )
    assert _query(exported, "SELECT count(*), max(rowid) FROM t") == [(42, 42)]
    assert _query(exported, "SELECT n FROM t WHERE i = 3") == [(9,)]
    assert len(shop.table("t").storage.files()) == 0


def test_a_fork_reads_merged_files_in_part_when_the_imported_parent_is_purged(small_lake: Lake, tmp_path: Path) -> None:
    small_lake.create_catalog("before")
    shop, source = _imported(small_lake, tmp_path, *MERGED)
    fork = shop.fork("agent", at=shop.snapshots()[3].snapshot_id)
    small_lake.catalog("shop").drop()
    small_lake.purge("shop")
    exported = url_of(fork.maintenance.export(tmp_path / "fork.ducklake").path)
    assert state(exported)["table", "main", "m"] == state(source, 3)["table", "main", "m"]


def test_what_is_committed_after_the_import_is_numbered_behind_the_imported_snapshots(
    small_lake: Lake, tmp_path: Path
) -> None:
    remarks = [f"COMMENT ON TABLE m IS '{number}'" for number in range(3)]  # of two no trace is left
    expire = "CALL ducklake_expire_snapshots('{lake}', versions => [0, 1, 2, 3, 4, 5])"
    shop, source = _imported(small_lake, tmp_path, MERGED[0], *remarks, *MERGED[1:], expire)
    numbers = snapshot_numbers(source)
    expected = {number: state(source, number) for number in numbers}
    assert shop.head < numbers[-1]  # our ids are lower, since fewer snapshots were imported
    shop.table("m").storage.insert_inlined([{"i": "1000"}])
    shop.fork("agent").schemas.create("later")
    exported = url_of(small_lake.catalog("agent").maintenance.export(tmp_path / "fork.sqlite", history=True).path)
    new = snapshot_numbers(exported)
    assert new[: len(numbers)] == numbers
    assert len(new) == len(numbers) + 3
    for number in numbers:
        assert state(exported, number) == expected[number], number
    assert len(changes(exported, "m", new[len(numbers)], new[-1])) == 1
    assert _query(exported, "SELECT count(*), max(i) FROM m") == [(60, 1000)]
