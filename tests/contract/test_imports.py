"""Catalogs that come back from an export: their rows and files are treated like all others."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake import Catalog, Lake
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
    shop.maintenance.expire_snapshots(snapshot_ids=[own[1], own[3]])
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
