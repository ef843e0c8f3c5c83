"""Histories in which deletes end, exported: DuckDB reads each snapshot as it was, and counts what it reads."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from forklake import Catalog, Lake, Settings
from tests.interop.ducklake import attached, url_of
from tests.lakes import LakeFactory
from tests.merges.row_engine import RowEngine
from tests.sound import check_sound

Rows = list[tuple[Any, ...]]


@pytest.fixture
def lake(lake_factory: LakeFactory) -> Iterator[Lake]:
    with lake_factory.open(Settings(engine=RowEngine())) as lake:
        yield lake
        check_sound(lake)


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.options.set("data_inlining_row_limit", 4)
    shop.create_table("t", {"id": "BIGINT", "v": "BIGINT"})
    shop.table("t").append(pa.table({"id": range(20), "v": range(20)}))
    return shop


def shown(catalog: Catalog, snapshot: int) -> Rows:
    return sorted(tuple(row.values()) for row in catalog.at(snapshot).table("t").arrow().to_pylist())


def check_history(catalog: Catalog, path: Path) -> None:
    """Compare the export of a history with the catalog, and what an import makes of it."""
    exported = catalog.maintenance.export(path, history=True)
    snapshots = [one.snapshot_id for one in catalog.snapshots()]
    with attached(url_of(exported.path), READ_ONLY=True) as (connection, alias):
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (len(shown(catalog, snapshots[-1])),)
        told = connection.execute(f"SELECT snapshot_id FROM ducklake_snapshots('{alias}') ORDER BY ALL").fetchall()
    for snapshot, (number,) in list(zip(snapshots, told, strict=True))[2:]:
        with attached(url_of(exported.path), READ_ONLY=True, SNAPSHOT_VERSION=number) as (connection, _):
            assert connection.execute("SELECT id, v FROM t ORDER BY ALL").fetchall() == shown(catalog, snapshot)


def test_inlined_deletes_that_were_flushed_delete_once(shop: Catalog, tmp_path: Path) -> None:
    table = shop.table("t")
    table.update({"v": "100"}, "id IN (1, 2)")
    table.delete("id = 3")
    shop.maintenance.flush_inlined()
    table.delete("id IN (4, 5)")
    table.delete("id > 12")
    table.update({"v": "200"}, "id = 6")
    shop.maintenance.flush_inlined()
    check_history(shop, tmp_path / "shop.ducklake")


def test_rows_of_a_file_whose_deletes_were_flushed_keep_their_snapshot(
    lake: Lake, shop: Catalog, tmp_path: Path
) -> None:
    written = shop.head
    shop.table("t").delete("id = 3")
    shop.maintenance.flush_inlined()
    check_history(shop, tmp_path / "shop.ducklake")
    imported = lake.import_catalog("imported", tmp_path / "shop.ducklake")
    fork = imported.fork("fork")
    fork.table("t").delete("id = 4")
    fork.maintenance.flush_inlined()  # with numbers of snapshots that an export of the fork does not have
    check_history(fork, tmp_path / "fork.ducklake")
    with attached(url_of(tmp_path / "fork.ducklake"), READ_ONLY=True) as (connection, _):
        assert connection.execute("SELECT DISTINCT snapshot_id FROM t").fetchall() == [(written,)]


@pytest.mark.parametrize("condition", ["id = 3", "id < 10", "true"], ids=["inlined", "file", "all"])
def test_rows_that_a_reset_brought_back_are_there(shop: Catalog, tmp_path: Path, condition: str) -> None:
    before = shop.head
    shop.table("t").delete(condition)
    shop.reset_to(shop, at=before)
    shop.table("t").delete("id = 7")
    shop.maintenance.flush_inlined()
    shop.reset_to(shop, at=before)
    shop.table("t").delete("id IN (7, 8)")
    check_history(shop, tmp_path / "shop.ducklake")
