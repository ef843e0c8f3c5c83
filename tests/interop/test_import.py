"""What an import keeps, what it refuses, and that it leaves nothing behind."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from forklake import Lake, RowCounts
from forklake.errors import (
    AlreadyExistsError,
    ConfigError,
    InvalidInputError,
    MetastoreCorruptError,
    MetastoreVersionError,
)
from tests.interop.ducklake import attached, snapshot_numbers, state, url_of, write
from tests.lakes import LakeFactory
from tests.sound import check_sound

ORDERS = ("CREATE TABLE orders (i INTEGER)", "INSERT INTO orders SELECT i FROM range(50) r(i)")


def _source(directory: Path, *statements: str, suffix: str = "sqlite", **options: object) -> Path:
    path = directory / f"source.{suffix}"
    write(url_of(path), directory / "data", *statements, **options)
    return path


def _run(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def _older_layout(path: Path) -> None:
    """Turn a SQLite file of version 1.0 into what version 0.3 would have written."""
    gone = ("macro", "macro_impl", "macro_parameters", "sort_info", "sort_expression", "file_variant_stats")
    _run(
        path,
        *(f"DROP TABLE ducklake_{table}" for table in gone),
        "ALTER TABLE ducklake_column DROP COLUMN default_value_type",
        "ALTER TABLE ducklake_column DROP COLUMN default_value_dialect",
        "UPDATE ducklake_column SET default_value = NULL WHERE default_value = 'NULL'",
        "ALTER TABLE ducklake_data_file ADD COLUMN partial_file_info VARCHAR",
        "UPDATE ducklake_data_file SET partial_file_info = 'partial_max:' || partial_max WHERE partial_max IS NOT NULL",
        "ALTER TABLE ducklake_data_file DROP COLUMN partial_max",
        "ALTER TABLE ducklake_delete_file DROP COLUMN partial_max",
        "DELETE FROM ducklake_schema_versions",
        "INSERT INTO ducklake_schema_versions SELECT min(snapshot_id), schema_version, NULL FROM ducklake_snapshot"
        " GROUP BY schema_version",
        "ALTER TABLE ducklake_schema_versions DROP COLUMN table_id",
        "UPDATE ducklake_metadata SET value = '0.3' WHERE key = 'version'",
    )


def test_a_database_of_version_0_3_answers_as_before(small_lake: Lake, tmp_path: Path) -> None:
    path = _source(
        tmp_path,
        *ORDERS,
        "INSERT INTO orders SELECT i FROM range(100, 120) r(i)",
        "CALL ducklake_merge_adjacent_files('{lake}')",
        "CREATE TABLE small (i INTEGER, s STRUCT(x INTEGER))",
        "INSERT INTO small VALUES (1, {'x': 1})",
        "ALTER TABLE small ADD COLUMN w VARCHAR DEFAULT 'none'",
        "ALTER TABLE small ADD COLUMN s.y INTEGER",
        "INSERT INTO small VALUES (2, {'x': 2, 'y': 3}, 'w')",
    )
    numbers = snapshot_numbers(url_of(path))
    expected = {number: state(url_of(path), number) for number in numbers}
    _older_layout(path)
    exported = url_of(
        small_lake.import_catalog("old", path).maintenance.export(tmp_path / "new.ducklake", history=True).path
    )
    for number in numbers:
        assert state(exported, number) == expected[number], number


def test_merged_files_that_only_count_rows_are_refused_while_their_past_is_there(
    small_lake: Lake, tmp_path: Path
) -> None:
    path = _source(tmp_path, *ORDERS)
    _older_layout(path)
    _run(path, "UPDATE ducklake_data_file SET partial_file_info = '2:30|4:50'")
    with pytest.raises(InvalidInputError, match="past cannot be kept"):
        small_lake.import_catalog("old", path)
    _run(path, "UPDATE ducklake_data_file SET partial_file_info = '1:30|2:50'")
    assert small_lake.import_catalog("old", path).table("orders").inspect.stats.record_count == 50


@pytest.mark.parametrize("version", ["0.1", "0.2", "0.3-dev1", "1.1-dev1", "2.0"])
def test_other_versions_are_refused(small_lake: Lake, tmp_path: Path, version: str) -> None:
    path = _source(tmp_path, *ORDERS)
    _run(path, f"UPDATE ducklake_metadata SET value = '{version}' WHERE key = 'version'")
    with pytest.raises(MetastoreVersionError, match=f"DuckLake version {version}"):
        small_lake.import_catalog("shop", path)
    assert small_lake.catalogs() == []


def test_history_whose_beginning_was_expired_is_imported(small_lake: Lake, tmp_path: Path) -> None:
    path = _source(
        tmp_path,
        *ORDERS,
        "INSERT INTO orders SELECT i FROM range(100, 120) r(i)",
        "CALL ducklake_merge_adjacent_files('{lake}')",
        "INSERT INTO orders VALUES (1000)",
        "CALL ducklake_expire_snapshots('{lake}', versions => [0, 1, 2])",
    )
    numbers = snapshot_numbers(url_of(path))
    assert numbers[0] == 3
    shop = small_lake.import_catalog("shop", path)
    assert len(shop.snapshots()) == len(numbers)
    exported = url_of(shop.maintenance.export(tmp_path / "new.ducklake", history=True).path)
    for number in numbers:
        assert state(exported, number) == state(url_of(path), number)


def test_versions_that_show_parts_of_one_merged_file_are_compared(small_lake: Lake, tmp_path: Path) -> None:
    path = _source(
        tmp_path,
        *ORDERS,
        "INSERT INTO orders SELECT i FROM range(100, 120) r(i)",
        "CALL ducklake_merge_adjacent_files('{lake}')",
    )
    shop = small_lake.import_catalog("shop", path)
    diff = shop.diff(since=shop.snapshots()[2].snapshot_id)
    assert diff.count_rows("orders") == RowCounts(inserted=20)
    past = shop.fork("past", at=shop.snapshots()[2].snapshot_id)
    assert shop.diff(past).count_rows("orders") == RowCounts(deleted=20)


@pytest.mark.parametrize("suffix", ["ducklake", "sqlite"])
def test_encrypted_files_keep_their_keys(small_lake: Lake, tmp_path: Path, suffix: str) -> None:
    path = _source(
        tmp_path,
        *ORDERS,
        "INSERT INTO orders SELECT i FROM range(100, 120) r(i)",
        "CALL ducklake_merge_adjacent_files('{lake}')",
        "DELETE FROM orders WHERE i BETWEEN 10 AND 40",
        suffix=suffix,
        ENCRYPTED=True,
    )
    shop = small_lake.import_catalog("secret", path)
    exported = url_of(shop.fork("agent").maintenance.export(tmp_path / f"new.{suffix}").path)
    assert state(exported) == state(url_of(path))
    before_the_merge = shop.maintenance.export(tmp_path / f"past.{suffix}", at=shop.snapshots()[2].snapshot_id)
    assert state(url_of(before_the_merge.path)) == state(url_of(path), 2)


def test_options_come_along(small_lake: Lake, tmp_path: Path) -> None:
    path = _source(
        tmp_path,
        *ORDERS,
        "CALL {lake}.set_option('parquet_compression', 'zstd', table_name => 'orders')",
        "CALL {lake}.set_option('target_file_size', '64MB', schema => 'main')",
        "CALL {lake}.set_option('require_commit_message', true)",
    )
    shop = small_lake.import_catalog("shop", path)
    assert shop.options.get("parquet_compression", table="orders") == "zstd"
    assert shop.options.get("require_commit_message") == "true"
    exported = url_of(shop.maintenance.export(tmp_path / "new.sqlite").path)

    def options(url: str) -> list[Any]:
        with attached(url, READ_ONLY=True) as (connection, alias):
            found = connection.execute(f"SELECT option_name, value, scope, scope_entry FROM {alias}.options()")
            return sorted(row for row in found.fetchall() if row[0] not in ("created_by", "data_path"))

    assert options(exported) == options(url_of(path))


def test_every_snapshot_has_statistics_of_its_own(lake: Lake, tmp_path: Path) -> None:
    path = _source(
        tmp_path,
        *ORDERS,
        "INSERT INTO orders VALUES (50)",
        "INSERT INTO orders SELECT i FROM range(100, 130) r(i)",
        "DELETE FROM orders WHERE i >= 100",
    )
    shop = lake.import_catalog("shop", path)
    counts = [
        shop.at(version=snapshot.snapshot_id).table("orders").inspect.stats.record_count
        for snapshot in shop.snapshots()[1:]
    ]
    # Sums of what was there; at the newest change what DuckLake says, who counts all rows that were ever inserted.
    assert counts == [0, 50, 51, 81, 81]


def test_files_are_named_where_they_lie_and_new_ones_go_elsewhere(lake: Lake, tmp_path: Path) -> None:
    path = _source(tmp_path, *ORDERS)
    shop = lake.import_catalog("shop", path)
    (file,) = shop.table("orders").storage.files()
    assert file.path.startswith(f"{tmp_path}/data/main/orders/")
    assert Path(file.path).is_file()
    (info,) = lake.catalogs()
    assert not file.path.startswith(info.data_path)


def test_a_relative_data_path_can_be_said_anew(small_lake: Lake, tmp_path: Path) -> None:
    path = _source(tmp_path, *ORDERS)
    _run(path, "UPDATE ducklake_metadata SET value = 'elsewhere/' WHERE key = 'data_path'")
    shop = small_lake.import_catalog("shop", path, source_data_path=tmp_path / "data")
    assert state(url_of(shop.maintenance.export(tmp_path / "new.ducklake").path))["table", "main", "orders"][3] == [
        (50, 0, 49)
    ]


def test_snapshots_get_new_ids_in_their_order(lake: Lake, tmp_path: Path) -> None:
    before = lake.create_catalog("before").head
    shop = lake.import_catalog("shop", _source(tmp_path, *ORDERS))
    ids = [snapshot.snapshot_id for snapshot in shop.snapshots()]
    assert ids == sorted(ids)
    assert ids[0] > before
    assert shop.head == ids[-1]
    shop.schemas.create("later")
    assert shop.head > ids[-1]
    assert [snapshot.changes_made for snapshot in shop.snapshots()][1:3] == [
        'created_table:"main"."orders"',
        f"inserted_into_table:{shop.table('orders').table_id}",
    ]


def test_forks_of_an_imported_fork_never_give_one_row_id_twice(small_lake: Lake, tmp_path: Path) -> None:
    first = small_lake.create_catalog("first")
    first.create_table("t", {"i": "INTEGER"})
    fork = first.fork("a").fork("b").fork("c")
    fork.table("t").storage.insert_inlined([{"i": "1"}])
    made = fork.maintenance.export(tmp_path / "fork.sqlite")
    with Lake(f"sqlite:{tmp_path / 'other.db'}", data_path=tmp_path / "other") as other:
        imported = other.import_catalog("t", made.path)
        forks = [imported.fork(f"f{number}") for number in range(5)]
        given = [imported.table("t").storage.inlined_rows()[0].row_id]
        for catalog in (imported, *forks):
            catalog.table("t").storage.insert_inlined([{"i": "2"}])
            given.append(catalog.table("t").storage.inlined_rows()[-1].row_id)
        assert len(set(given)) == len(given)


def test_an_import_that_fails_halfway_leaves_nothing(lake: Lake, tmp_path: Path) -> None:
    path = _source(tmp_path, *ORDERS)

    class StopError(Exception):
        pass

    def stop(step: str, done: int, total: int | None) -> None:
        if step == "Writing" and done == total:
            raise StopError

    with pytest.raises(StopError):
        lake.import_catalog("shop", path, progress=stop)
    assert lake.catalogs() == []
    assert lake.snapshots() == []
    assert lake.import_catalog("shop", path).table("orders").inspect.stats.record_count == 50


def test_a_name_that_is_taken_is_refused(lake: Lake, tmp_path: Path) -> None:
    path = _source(tmp_path, *ORDERS)
    lake.create_catalog("Shop")
    with pytest.raises(AlreadyExistsError, match="already exists"):
        lake.import_catalog("shop", path)


def test_what_is_no_ducklake_database_is_refused(small_lake: Lake, tmp_path: Path) -> None:
    empty = tmp_path / "empty.sqlite"
    _run(empty, "CREATE TABLE t (i INTEGER)")
    with pytest.raises(MetastoreVersionError, match="holds no DuckLake catalog"):
        small_lake.import_catalog("shop", empty)
    with pytest.raises(MetastoreVersionError, match="is a lake of forklake"):
        small_lake.import_catalog("shop", tmp_path / "lake.db")
    with pytest.raises(ConfigError, match="There is no file"):
        small_lake.import_catalog("shop", tmp_path / "missing.sqlite")
    text = tmp_path / "text.db"
    text.write_text("neither the one nor the other")
    with pytest.raises(MetastoreCorruptError, match="neither a SQLite nor a DuckDB database"):
        small_lake.import_catalog("shop", text)


def test_a_lake_in_duckdb_is_no_ducklake_database_either(tmp_path: Path) -> None:
    with LakeFactory("duckdb", tmp_path).open() as lake:
        path = Path(lake._runtime.store.location)
    with (
        Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "own") as other,
        pytest.raises(MetastoreVersionError, match="is a lake of forklake"),
    ):
        other.import_catalog("shop", path)


def test_inlined_variants_are_refused_until_they_are_flushed(small_lake: Lake, tmp_path: Path) -> None:
    path = _source(
        tmp_path, "CREATE TABLE t (v VARIANT)", "INSERT INTO t VALUES (1::VARIANT), ('x'::VARIANT)", suffix="ducklake"
    )
    with pytest.raises(InvalidInputError, match="of type variant"):
        small_lake.import_catalog("shop", path)
    write(url_of(path), tmp_path / "data", "CALL ducklake_flush_inlined_data('{lake}')")
    exported = url_of(small_lake.import_catalog("shop", path).maintenance.export(tmp_path / "new.ducklake").path)
    assert state(exported) == state(url_of(path))


def test_macros_and_views_read_as_they_were_written(small_lake: Lake, tmp_path: Path) -> None:
    path = _source(
        tmp_path,
        *ORDERS,
        "CREATE MACRO plus(x, y := 2) AS x + y",
        'CREATE VIEW v ("the first", second) AS SELECT i, i + 1 FROM orders',
    )
    shop = small_lake.import_catalog("shop", path)
    (plus,) = shop.macros.get("plus").implementations
    assert [(parameter.name, parameter.default) for parameter in plus.parameters] == [("x", None), ("y", "2")]
    assert shop.views.get("v").column_aliases == ("the first", "second")


def test_what_ducklake_leaves_of_files_that_are_gone_is_no_finding(small_lake: Lake, tmp_path: Path) -> None:
    path = _source(
        tmp_path,
        "CREATE TABLE t (k INTEGER)",
        "INSERT INTO t SELECT * FROM range(10)",
        "DELETE FROM t WHERE k = 2",
        "UPDATE t SET k = k + 100",
        DATA_INLINING_ROW_LIMIT=0,
    )
    shop = small_lake.import_catalog("shop", f"sqlite:{path}")
    assert sorted(shop.table("t").rows()) == [(100 + number,) for number in range(10) if number != 2]
    check_sound(small_lake, deep=True)


def test_delete_files_that_others_replaced_end_with_them(small_lake: Lake, tmp_path: Path) -> None:
    path = _source(
        tmp_path,
        *("CREATE TABLE t (k INTEGER)", "INSERT INTO t SELECT * FROM range(10)"),
        *("DELETE FROM t WHERE k = 2", "DELETE FROM t WHERE k = 3"),
        DATA_INLINING_ROW_LIMIT=0,
    )
    _run(
        path, "UPDATE ducklake_delete_file SET end_snapshot = NULL", "UPDATE ducklake_table_stats SET record_count = 4"
    )
    shop = small_lake.import_catalog("shop", f"sqlite:{path}")
    assert sorted(shop.table("t").rows()) == [(number,) for number in range(10) if number not in (2, 3)]
    before = shop.snapshots()[-2].snapshot_id
    assert len(shop.at(before).table("t").rows()) == 9
    check_sound(small_lake, deep=True)
