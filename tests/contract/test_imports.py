"""Catalogs that come back from an export: their rows and files are treated like all others."""

import sqlite3
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake import Catalog, ColumnDefinition, Lake
from forklake.errors import ConflictError, InvalidInputError
from tests.contract.test_garbage import expire_all
from tests.needed_rows import Rows, difference
from tests.sound import check_sound


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER"})
    shop.options.set("data_inlining_row_limit", 0)
    return shop


def test_a_history_with_expired_snapshots_is_sound_and_what_none_of_the_others_shows_is_collected(
    lake: Lake, shop: Catalog, tmp_path: Path
) -> None:
    for number in range(4):
        shop.table("t").append(pa.table({"i": pa.array([number], pa.int32())}))
    own = [snapshot.snapshot_id for snapshot in shop.snapshots()]
    shop.maintenance.expire_snapshots(versions=[own[1], own[3]])
    shop.maintenance.export(tmp_path / "exported.sqlite", history=True)
    imported = lake.import_catalog("imported", tmp_path / "exported.sqlite")
    check_sound(lake)
    lake.maintenance.cleanup_old_files(cleanup_all=True)
    rows = Rows.read(lake)
    assert difference(rows.stored, rows.needed()) == {}
    assert imported.table("t").rows() == shop.table("t").rows() == [(0,), (1,), (2,), (3,)]


def test_a_file_that_was_given_up_can_be_named_as_long_as_another_catalog_names_it(
    lake: Lake, shop: Catalog, tmp_path: Path
) -> None:
    path = Path(shop.inspect.info.data_path) / "a.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"i": pa.array([1], pa.int32())}), path)
    shop.table("t").storage.add_files(path)
    copy = shop.fork("copy", copy=True)
    other = lake.create_catalog("other")
    other.create_table("t", {"i": "INTEGER"})
    shop.table("t").delete()
    expire_all(shop)
    assert lake.maintenance.cleanup_old_files(cleanup_all=True).named == (str(path),)

    copy.maintenance.export(tmp_path / "exported.sqlite")
    imported = lake.import_catalog("imported", tmp_path / "exported.sqlite")
    other.table("t").storage.add_files(path)
    for catalog in (copy, imported, other):
        assert lake.maintenance.cleanup_old_files(cleanup_all=True).deleted == ()
        assert catalog.table("t").rows() == [(1,)]
        catalog.table("t").delete()
        expire_all(catalog)

    # Nobody names it now, so clean-up may be at it.
    with pytest.raises(InvalidInputError, match="it waits for deletion"):
        other.table("t").storage.add_files(path)
    with pytest.raises(ConflictError, match="is about to be deleted"):
        lake.import_catalog("again", tmp_path / "exported.sqlite")
    assert lake.maintenance.cleanup_old_files(cleanup_all=True).deleted == (str(path),)


def test_inlined_structs_whose_fields_changed_are_read_by_copies_severed_catalogs_and_imports(
    lake: Lake, tmp_path: Path
) -> None:
    shop = lake.create_catalog("shop")
    shop.options.set("data_inlining_row_limit", 10)
    fields = (ColumnDefinition("x", "int32"), ColumnDefinition("y", "varchar"))
    shop.create_table("t", [ColumnDefinition("i", "int32"), ColumnDefinition("s", "struct", children=fields)])
    shop.table("t").append([{"i": 1, "s": {"x": 1, "y": "one"}}])
    agent = shop.fork("agent")
    agent.options.set("data_inlining_row_limit", 10)
    table = agent.table("t")
    table.append([{"i": 2, "s": {"x": 2, "y": "two"}}])
    table.alter.rename_column("s.x", "z")
    table.alter.add_column(ColumnDefinition("n", "int32", default="7"), parent="s")
    table.alter.add_column(("e", "int32"))
    table.append([{"i": 3, "s": None, "e": 3}])
    older = agent.fork("older")
    expected = [(1, {"z": 1, "y": "one", "n": 7}, None), (2, {"z": 2, "y": "two", "n": 7}, None), (3, None, 3)]
    copy = agent.fork("copy", copy=True)
    ids = sorted(table.rows(["rowid"]))
    agent.maintenance.sever()
    catalogs: list[Catalog] = [copy, agent, older]
    for place, name in enumerate(("copy", "agent")):
        for history in (False, True):
            path = tmp_path / f"{name}-{history}.sqlite"
            catalogs[place].maintenance.export(path, history=history)
            catalogs.append(lake.import_catalog(path.stem, path))
    for catalog in catalogs:
        assert sorted(catalog.table("t").rows()) == expected, catalog
        assert sorted(catalog.table("t").rows(["rowid"])) == ids, catalog
    for catalog in (copy, agent):
        catalog.table("t").alter.rename_column("s.z", "x")
        catalog.table("t").alter.add_column(ColumnDefinition("m", "int32", default="8"), parent="s")
        assert ({"x": 1, "y": "one", "n": 7, "m": 8},) in catalog.table("t").rows(["s"])
    lake.maintenance.cleanup_old_files(cleanup_all=True)
    assert sorted(older.table("t").rows()) == expected
    check_sound(lake)


def test_rows_of_an_imported_catalog_that_was_compacted_are_as_old_after_another_export(
    lake: Lake, shop: Catalog, tmp_path: Path
) -> None:
    lake.create_catalog("before").create_table("t", {"i": "INTEGER"})  # so that snapshots get other ids
    for number in range(2):
        shop.table("t").append([{"i": number}])
    shop.maintenance.export(tmp_path / "first.sqlite", history=True)
    first = lake.import_catalog("first", tmp_path / "first.sqlite")
    assert first.maintenance.merge_adjacent_files()[0].files_created == 1
    first.maintenance.export(tmp_path / "second.sqlite", history=True)
    second = lake.import_catalog("second", tmp_path / "second.sqlite")
    for catalog in (first, second):
        made = [snapshot.snapshot_id for snapshot in catalog.snapshots() if "inserted" in str(snapshot.changes_made)]
        assert sorted(catalog.table("t").rows(["snapshot_id", "i"])) == [(made[0], 0), (made[1], 1)], catalog.name


@pytest.mark.parametrize("by", ["root", "fork"])
def test_values_of_a_column_that_was_dropped_before_an_export_never_come_back_under_another(
    lake: Lake, shop: Catalog, by: str, tmp_path: Path
) -> None:
    shop = shop if by == "root" else shop.fork("fork")
    for name in ("kept", "dropped"):
        shop.table("t").alter.add_column(ColumnDefinition(name, "VARCHAR"))
    shop.table("t").append(pa.table({"i": pa.array([1], pa.int32()), "kept": ["yes"], "dropped": ["no"]}))
    shop.table("t").alter.drop_column("dropped")
    for turn in range(2):
        exported = tmp_path / f"{turn}.sqlite"
        shop.maintenance.export(exported)
        shop = lake.import_catalog(f"imported {turn}", exported)
    with sqlite3.connect(exported) as plain:
        shown, known = (
            plain.execute(f"SELECT max(column_id) FROM ducklake_column WHERE {rows}").fetchone()[0]
            for rows in ("end_snapshot IS NULL", "true")
        )
        # DuckLake's next column has the highest id that is known plus one.
        assert known > shown
    fork = shop.fork("other")
    for catalog in (shop, fork):
        catalog.table("t").alter.add_column(ColumnDefinition(f"of {catalog.name}", "VARCHAR"))
        assert catalog.table("t").rows() == [(1, "yes", None)]
    shop.merge(fork)
    assert shop.table("t").rows() == [(1, "yes", None, None)]
    check_sound(lake)
