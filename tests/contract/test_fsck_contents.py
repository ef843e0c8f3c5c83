"""A deep check opens files, and finds what is not as recorded; of a lake of every shape it finds nothing."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake import Catalog, Lake, PartitionField
from forklake.files.parquet.deletes import write_delete_file
from tests.contract.support import rows
from tests.contract.test_garbage import expire_all, purge
from tests.lakes import IMPATIENT
from tests.sound import check_sound


def batch(first: int, count: int = 10) -> pa.Table:
    numbers = range(first, first + count)
    return pa.table({"i": pa.array(numbers, pa.int32()), "v": [None if n % 5 == 0 else f"v{n}" for n in numbers]})


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    """A lake in a file: what is in data files does not depend on the database."""
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", settings=IMPATIENT) as opened:
        yield opened


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER", "v": "VARCHAR"})
    for first in (0, 10, 20):
        shop.table("t").append(batch(first))
    return shop


def delete(catalog: Catalog, place: int, *positions: int) -> None:
    """Delete rows of one of the data files of the table, without an engine."""
    table = catalog.table("t")
    file = table.storage.files()[place]
    home = catalog._runtime.lake_path
    directory = f"{home}{catalog.name}/main/t/"
    is_encrypted = catalog.name == "secret"
    written = write_delete_file(directory, file.data_file_id, file.path, positions, is_encrypted=is_encrypted)
    table.storage.delete_rows([written])


def deep_codes(lake: Lake) -> dict[str, int]:
    return dict(lake.maintenance.check(deep=True).counts)


def test_a_lake_of_every_shape_is_sound(lake: Lake, shop: Catalog, tmp_path: Path) -> None:
    early = shop.head
    delete(shop, 0, 3)
    agent, past = shop.fork("agent"), shop.fork("past", at=early)
    delete(agent, 1, 2, 3, 4)
    agent.maintenance.rewrite_data_files(delete_threshold=0.0)
    agent.maintenance.merge_adjacent_files()
    deep = agent.fork("deep")
    deep.options.set("data_inlining_row_limit", 100)
    deep.table("t").append(batch(100, 2))
    deep.table("t").storage.inline_deletes({deep.table("t").storage.files()[0].data_file_id: [1]})
    copy = deep.fork("copy", copy=True)
    copy.table("t").append(batch(200, 3))
    deep.maintenance.flush_inlined()
    check_sound(lake, deep=True)
    past.maintenance.sever()
    delete(past, 1, 5)
    shop.maintenance.merge_adjacent_files()
    outside = tmp_path / "outside.parquet"
    pq.write_table(batch(300), outside)
    past.table("t").storage.add_files(str(outside))
    secret = lake.create_catalog("secret", encrypted=True)
    parts = secret.create_table("t", {"i": "INTEGER", "v": "VARCHAR"}, partition_by=[PartitionField("i", "bucket(3)")])
    parts.append(batch(0, 40))
    delete(secret, 0, 0)
    check_sound(lake, deep=True)
    agent.drop()
    lake.purge("agent")
    expire_all(shop)
    check_sound(lake, deep=True)
    lake.maintenance.cleanup_old_files(cleanup_all=True)
    check_sound(lake, deep=True)
    for name in ("deep", "copy", "past"):
        purge(lake, name)
    lake.maintenance.cleanup_old_files(cleanup_all=True)
    check_sound(lake, deep=True)
    assert outside.exists()


def test_an_imported_lake_is_sound(lake: Lake, shop: Catalog, tmp_path: Path) -> None:
    delete(shop, 0, 3)
    shop.maintenance.merge_adjacent_files()
    shop.maintenance.export(f"sqlite:{tmp_path / 'plain.sqlite'}", history=True)
    found = lake.import_catalog("imported", f"sqlite:{tmp_path / 'plain.sqlite'}")
    found.fork("fork").table("t").append(batch(50))
    check_sound(lake, deep=True)


def change_rows(lake: Lake, statement: str) -> None:
    with lake._runtime.store.writing() as session:
        assert session.execute(statement) > 0


STATS = "UPDATE forklake.ducklake_file_column_stats SET "
OF_ONE = " WHERE data_file_id = (SELECT min(f.data_file_id) FROM forklake.ducklake_data_file f)"


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        (f"{STATS} min_value = '4'{OF_ONE} AND min_value = '0'", "file-statistics"),
        (f"{STATS} max_value = '8'{OF_ONE} AND max_value = '9'", "file-statistics"),
        (f"{STATS} max_value = 'v1'{OF_ONE} AND max_value = 'v9'", "file-statistics"),
        (f"{STATS} null_count = 0{OF_ONE} AND null_count = 2", "file-statistics"),
        (f"UPDATE forklake.ducklake_data_file SET footer_size = footer_size + 1{OF_ONE}", "file-damaged"),
        (f"UPDATE forklake.ducklake_data_file SET encryption_key = 'AAAAAAAAAAAAAAAAAAAAAA=='{OF_ONE}", "file-damaged"),
        (f"UPDATE forklake.ducklake_data_file SET record_count = 9{OF_ONE}", "file-rows"),
        (f"UPDATE forklake.ducklake_data_file SET partial_max = 2{OF_ONE}", "file-lineage"),
        ("UPDATE forklake.ducklake_delete_file SET delete_count = 2", "file-deletes"),
        ("UPDATE forklake.ducklake_delete_file SET format = 'other'", "file-deletes"),
    ],
)
def test_a_file_that_is_not_as_recorded_is_found(lake: Lake, shop: Catalog, statement: str, code: str) -> None:
    delete(shop, 1, 3)
    check_sound(lake, deep=True)
    change_rows(lake, statement)
    assert set(lake.maintenance.check().counts) == set(), "a shallow check opens no file"
    assert set(deep_codes(lake)) == {code}
    assert {one.catalog_name for one in lake.maintenance.check(deep=True).findings} == {"shop"}


def test_wider_bounds_are_no_finding(lake: Lake, shop: Catalog) -> None:
    change_rows(lake, f"{STATS} min_value = '-1'{OF_ONE} AND min_value = '0'")
    assert deep_codes(lake) == {}


def _cut(path: Path, size: int) -> None:
    path.write_bytes(b"x" * size)


def _delete_beyond(path: Path, size: int) -> None:
    table = pq.read_table(path)
    columns = {"file_path": table["file_path"], "pos": pa.array([77], pa.int64())}
    pq.write_table(pa.table(columns), path)


@pytest.mark.parametrize(
    ("files", "spoil", "code"),
    [
        ("data_file", _cut, "file-damaged"),
        ("delete_file", _cut, "file-deletes"),
        ("delete_file", _delete_beyond, "file-deletes"),
    ],
)
def test_a_file_that_was_changed_is_found(
    lake: Lake, shop: Catalog, files: str, spoil: Callable[[Path, int], None], code: str
) -> None:
    table = shop.table("t")
    delete(shop, 1, 3)
    found = table.storage.files()
    path = Path(found[0].path)
    if files == "delete_file":
        path = next(Path(file.delete_file.path) for file in found if file.delete_file is not None)
    spoil(path, path.stat().st_size)
    size = path.stat().st_size
    change_rows(lake, f"UPDATE forklake.ducklake_{files} SET file_size_bytes = {size} WHERE path LIKE '%{path.name}'")
    found_codes = set(deep_codes(lake))
    assert code in found_codes
    assert found_codes <= {code, "statistics-bytes", "own-totals"}
    assert rows(lake, "SELECT count(*) FROM forklake.ducklake_catalog") == [(1,)]


def test_a_file_that_is_another_since_it_was_read_is_found(lake: Lake, shop: Catalog) -> None:
    check_sound(lake, deep=True)
    path = Path(shop.table("t").storage.files()[0].path)
    pq.write_table(pq.read_table(path).slice(1), path)
    size = path.stat().st_size
    change_rows(lake, f"UPDATE forklake.ducklake_data_file SET file_size_bytes = {size} WHERE path LIKE '%{path.name}'")
    assert deep_codes(lake)["file-rows"] == 1


def test_sql_lists_findings(lake: Lake, shop: Catalog) -> None:
    session = lake.connect()
    session.execute("ATTACH 'ducklake:' AS shop (CATALOG 'shop', READ_ONLY)")
    assert session.execute("FROM ducklake_check_catalog('shop')").fetchall() == []
    (first, *_) = shop.table("t").storage.files()
    Path(first.path).unlink()
    for call in ("ducklake_check_catalog('shop')", "shop.check_catalog(deep => true)"):
        found = session.execute(f"SELECT code, severity, catalog_name, path FROM {call}").fetchall()
        assert found == [("file-missing", "error", "shop", first.path)]
    assert session.execute("FROM ducklake_check_catalog('shop', files => false)").fetchall() == []
