"""Refreshed forks exported: DuckDB reads them as they are, and as they were before."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from forklake import Catalog, Lake, Settings
from tests.interop.ducklake import attached, url_of, write
from tests.lakes import LakeFactory
from tests.merges.row_engine import RowEngine
from tests.sound import check_sound


@pytest.fixture
def lake(lake_factory: LakeFactory) -> Iterator[Lake]:
    with lake_factory.open(Settings(engine=RowEngine())) as lake:
        yield lake
        check_sound(lake)


@pytest.fixture
def agent(lake: Lake) -> Catalog:
    """A fork that was refreshed twice, with columns, files, inlined rows and deletes of both sides.

    Its parent has merged it in between.
    """
    shop = lake.create_catalog("shop")
    shop.options.set("data_inlining_row_limit", 4)
    shop.create_table("orders", {"id": "BIGINT", "item": "VARCHAR"})
    append(shop, 100, 20)
    agent = shop.fork("agent")
    append(agent, 1000, 20)
    append(agent, 1100, 2)
    agent.table("orders").alter.add_column(("mine", "INTEGER"))
    append(agent, 1200, 3, mine=1)
    agent.table("orders").delete("id IN (101, 1001, 1101)")
    append(shop, 2000, 20)
    append(shop, 2100, 2)
    shop.table("orders").alter.add_column(("theirs", "INTEGER"))
    append(shop, 2200, 3, theirs=2)
    shop.table("orders").delete("id IN (102, 2001, 2101)")
    shop.table("orders").update({"item": "'changed'"}, "id = 103")
    shop.create_table("t", {"i": "INTEGER"})
    append(agent, 1300, 2)
    agent.refresh()
    append(agent, 1400, 3, theirs=3, mine=3)
    shop.merge(agent, at=agent.head)
    agent.table("orders").alter.rename_column("item", "thing")
    shop.table("orders").delete("id = 1000")
    shop.table("orders").alter.drop_column("mine")
    agent.refresh()
    agent.table("orders").delete("id = 104")
    return agent


def append(catalog: Catalog, first: int, count: int, **columns: Any) -> None:
    given = {"id": range(first, first + count), "item": ["new"] * count}
    catalog.table("orders").append(pa.table(given | {name: [value] * count for name, value in columns.items()}))


def shown(catalog: Catalog) -> dict[str, list[dict[str, Any]]]:
    return {table.name: sort_rows(table.arrow().to_pylist()) for table in catalog.tables()}


def sort_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: str(sorted(row.items())))


def test_duckdb_reads_a_refreshed_fork(agent: Catalog, tmp_path: Path) -> None:
    exported = url_of(agent.maintenance.export(tmp_path / "fork.ducklake").path)
    with attached(exported, READ_ONLY=True) as (connection, _):
        for name, rows in shown(agent).items():
            assert sort_rows(connection.execute(f"FROM {name}").to_arrow_table().to_pylist()) == rows
            assert connection.execute(f"SELECT count(*) FROM {name}").fetchone() == (len(rows),)


def test_duckdb_reads_the_past_of_a_refreshed_fork(agent: Catalog, tmp_path: Path) -> None:
    exported = url_of(agent.maintenance.export(tmp_path / "fork.sqlite", history=True).path)
    with attached(exported, READ_ONLY=True) as (connection, _):
        for snapshot in agent.snapshots():
            past = shown(agent.at(snapshot.snapshot_id))
            for name, rows in past.items():
                found = connection.execute(f"FROM {name} AT (VERSION => {snapshot.snapshot_id})").to_arrow_table()
                assert sort_rows(found.to_pylist()) == rows, (name, snapshot)


def test_an_export_of_a_refreshed_fork_comes_back(lake: Lake, agent: Catalog, tmp_path: Path) -> None:
    path = agent.maintenance.export(tmp_path / "fork.ducklake", history=True).path
    back = lake.import_catalog("back", path)
    assert shown(back) == shown(agent)


def test_metadata_tables_of_a_refreshed_fork_show_each_snapshot(agent: Catalog) -> None:
    with agent.session() as session:
        told = session.sql(
            "SELECT table_name, begin_snapshot, end_snapshot FROM __ducklake_metadata_agent.ducklake_table"
        )
        assert told is not None
        tables = told.fetchall()
        listed = session.sql("SELECT table_name FROM __ducklake_metadata_agent.ducklake_inlined_data_tables")
        assert listed is not None
        for (name,) in listed.fetchall():
            session.sql(f"FROM __ducklake_metadata_agent.{name}").fetchall()  # type: ignore[union-attr]
    for snapshot in agent.snapshots():
        at = snapshot.snapshot_id
        found = [name for name, begin, end in tables if begin <= at and (end is None or end > at)]
        assert sorted(found) == sorted(table.name for table in agent.at(at).tables())


@pytest.fixture
def imported(lake: Lake, tmp_path: Path) -> tuple[Catalog, Catalog]:
    """A catalog with a file that was merged before its import, and a fork that sees the older part of it."""
    source = tmp_path / "source.sqlite"
    write(
        url_of(source),
        tmp_path / "written",
        "CREATE TABLE orders (id INTEGER)",
        "INSERT INTO orders SELECT i FROM range(50) r(i)",
        "INSERT INTO orders SELECT i FROM range(100, 120) r(i)",
        "CALL ducklake_merge_adjacent_files('{lake}')",
    )
    shop = lake.import_catalog("shop", source)
    return shop, shop.fork("past", at=shop.snapshots()[2].snapshot_id)


def test_refresh_and_reset_show_more_and_less_of_a_merged_file(imported: tuple[Catalog, Catalog]) -> None:
    _, past = imported
    first, young = past.head, range(100, 120)
    past.refresh()
    assert numbers(past) == [*range(50), *young]
    assert changes_at_head(past) == [("insert", number) for number in young]
    past.reset_to(first)
    assert numbers(past) == [*range(50)]
    assert changes_at_head(past) == [("delete", number) for number in young]


def test_a_merge_brings_more_of_a_merged_file_of_which_rows_are_deleted(imported: tuple[Catalog, Catalog]) -> None:
    shop, past = imported
    past.table("orders").delete("id = 3")
    past.merge(shop)
    rows = [number for number in (*range(50), *range(100, 120)) if number != 3]
    assert numbers(past) == rows
    shop.merge(past)
    assert numbers(shop) == rows


def numbers(catalog: Catalog) -> list[int]:
    return sorted(catalog.table("orders").arrow().column("id").to_pylist())


def changes_at_head(catalog: Catalog) -> list[tuple[str, int]]:
    told: Any = catalog.table("orders").changes(catalog.head)
    return sorted((row["change_type"], row["id"]) for row in told.rows.to_pylist())
