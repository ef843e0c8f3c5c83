"""Files that others wrote become files of a table: one commit, no copies, nothing twice, nothing that is to go."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake import Catalog, ColumnDefinition, Lake, MergePlan, NewDataFile, Settings, Table
from forklake.config import Clock
from forklake.errors import (
    AlreadyExistsError,
    CommitConflictError,
    DataFileError,
    ForklakeError,
    InvalidInputError,
    InvalidPathError,
    MergeConflictError,
    NotFoundError,
)
from forklake.lake.internals import runtime_of
from tests.contract.support import each, last, rows, state
from tests.lakes import LakeFactory
from tests.sound import check_sound
from tests.waiting import wait_until


def _write(path: Path, *values: int, name: str = "id") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({name: pa.array(values, pa.int32())}), path)
    return path


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT"})
    return shop


@pytest.fixture
def orders(shop: Catalog) -> Table:
    return shop.table("orders")


def _ids(table: Table) -> list[int]:
    return sorted(id for (id,) in table.rows())


def test_files_are_added_where_they_are_as_one_snapshot(shop: Catalog, orders: Table, tmp_path: Path) -> None:
    paths = [_write(tmp_path / f"{number}.parquet", number, number + 10) for number in range(3)]
    before = len(shop.snapshots())
    done = orders.storage.add_files(f"{tmp_path}/?.parquet")
    assert (done.snapshot_id, done.row_count, done.file_count) == (shop.head, 6, 3)
    assert len(shop.snapshots()) == before + 1
    assert last(shop).changes_made == f"inserted_into_table:{orders.table_id}"
    assert [file.path for file in orders.storage.files()] == [str(path) for path in paths]
    assert _ids(orders) == [0, 1, 2, 10, 11, 12]
    assert (orders.count(), orders.inspect.stats.next_row_id) == (6, 6)


def test_files_that_are_mapped_alike_share_a_mapping(lake: Lake, shop: Catalog, orders: Table, tmp_path: Path) -> None:
    orders.storage.add_files(_write(tmp_path / "a.parquet", 1))
    orders.storage.add_files([_write(tmp_path / "b.parquet", 2), _write(tmp_path / "c.parquet", 3, name="ID")])
    assert len({file.mapping_id for file in orders.storage.files()}) == 2
    fork = shop.fork("fork")
    fork.table("orders").storage.add_files(_write(tmp_path / "d.parquet", 4))
    assert _ids(fork.table("orders")) == [1, 2, 3, 4]
    with shop.transaction() as transaction:
        for number in (5, 6):
            transaction.table("orders").storage.add_files(_write(tmp_path / f"{number}.parquet", number))
    assert len({file.mapping_id for file in orders.storage.files()}) == 2
    assert len(rows(lake, "SELECT mapping_id FROM forklake.ducklake_column_mapping")) == 3  # the fork has its own
    assert _ids(orders) == [1, 2, 3, 5, 6]


def test_a_file_is_added_once(shop: Catalog, orders: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _write(tmp_path / "a.parquet", 1)
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "link.parquet").symlink_to(path)
    monkeypatch.chdir(tmp_path)
    orders.storage.add_files([path, f"{tmp_path}/./a.parquet", "a.*", tmp_path / "link" / "a.parquet", "link.parquet"])
    assert _ids(orders) == [1]
    twice = 'File ".*/a.parquet" is part of table "orders" already'
    for again in each(
        lambda: orders.storage.add_files(path),
        lambda: orders.storage.add_files("link/a.parquet"),
        lambda: shop.fork("fork").table("orders").storage.add_files(path),
    ):
        with pytest.raises(AlreadyExistsError, match=twice):
            again()
    with pytest.raises(AlreadyExistsError, match=twice), shop.transaction() as transaction:
        transaction.table("orders").storage.add_files(path)
    assert _ids(orders) == [1]
    shop.create_table("others", {"id": "BIGINT"}).storage.add_files(path)
    assert _ids(shop.table("others")) == [1]
    orders.delete()
    orders.storage.add_files(path)
    assert _ids(orders) == [1]


def test_a_file_that_replaced_an_adopted_one_is_read_as_it_is(orders: Table, tmp_path: Path) -> None:
    orders.alter.add_column(("item", "VARCHAR"))
    path = tmp_path / "a.parquet"
    written = [pa.table({"id": [1]}), pa.table({"item": ["x"], "id": pa.array([2], pa.int8())})]
    for rows_of_file, shown in zip(written, ((1, None), (2, "x")), strict=True):
        pq.write_table(rows_of_file, path)
        orders.storage.add_files(path, allow_missing=True)
        assert list(orders.rows()) == [shown]
        orders.delete()


def test_a_file_below_a_catalogs_directory_is_known_as_the_catalog_spells_it(lake_factory: LakeFactory) -> None:
    directory = lake_factory.directory
    (directory / "real").mkdir()
    (directory / "link").symlink_to(directory / "real", target_is_directory=True)
    with Lake(lake_factory.url(), data_path=directory / "link" / "data") as lake:
        orders = lake.create_catalog("shop").create_table("orders", {"id": "BIGINT"})
        path = _write(directory / "real" / "data" / "shop" / "a.parquet", 1)
        orders.storage.add_files(path)
        assert [file.path for file in orders.storage.files()] == [f"{directory}/link/data/shop/a.parquet"]
        _schedule(lake, lake.catalog("shop"), directory / "link" / "data" / "shop" / "b.parquet")
        with pytest.raises(InvalidInputError, match="it waits for deletion"):
            orders.storage.add_files(_write(directory / "real" / "data" / "shop" / "b.parquet", 2))


def test_a_file_that_the_table_wrote_itself_is_not_added(orders: Table, shop: Catalog) -> None:
    shop.options.set("data_inlining_row_limit", 0)
    orders.append(pa.table({"id": [1]}))
    (own,) = orders.storage.files()
    with pytest.raises(AlreadyExistsError, match="is part of table"):
        orders.storage.add_files(own.path)


def test_of_two_that_add_a_file_at_once_one_is_refused(shop: Catalog, orders: Table, tmp_path: Path) -> None:
    path = _write(tmp_path / "a.parquet", 1)
    transaction = shop.transaction()
    transaction.table("orders").storage.add_files(path)
    orders.storage.add_files(path)
    with pytest.raises(CommitConflictError, match="is part of table"):
        transaction.commit()
    assert _ids(orders) == [1]


def test_appends_and_adopted_files_do_not_conflict(shop: Catalog, orders: Table, tmp_path: Path) -> None:
    with shop.transaction() as transaction:
        transaction.table("orders").storage.add_files(_write(tmp_path / "a.parquet", 1))
        orders.append(pa.table({"id": [2]}))
    assert _ids(orders) == [1, 2]


def test_a_file_that_waits_for_deletion_is_refused(lake: Lake, shop: Catalog, orders: Table, tmp_path: Path) -> None:
    root = Path(str(runtime_of(lake).lake_path))
    path = _write(root / "shop" / "main" / "orders" / "a.parquet", 1)
    other = lake.create_catalog("other")
    table = other.create_table("t", {"id": "BIGINT"})
    _schedule(lake, shop, path)
    before = state(lake)
    for adopt in each(lambda: orders.storage.add_files(path), lambda: table.storage.add_files(path)):
        with pytest.raises(InvalidInputError, match=r'File ".*/a.parquet" was not added: .* it waits for deletion'):
            adopt()
    assert state(lake) == before
    assert path.exists()


def test_a_transaction_whose_commit_finds_such_a_file_has_ended_without_its_files(
    lake: Lake, shop: Catalog, orders: Table
) -> None:
    root = Path(str(runtime_of(lake).lake_path))
    path = _write(root / "shop" / "main" / "orders" / "a.parquet", 1)
    shop.options.set("data_inlining_row_limit", 0)
    transaction = shop.transaction()
    transaction.table("orders").append(pa.table({"id": [2]}))
    transaction.table("orders").storage.add_files(path)
    _schedule(lake, shop, path)
    with pytest.raises(InvalidInputError, match="it waits for deletion"):
        transaction.commit()
    with runtime_of(lake).store.writing() as session:
        session.execute("DELETE FROM forklake.ducklake_files_scheduled_for_deletion")
    with pytest.raises(InvalidInputError, match="The transaction has ended"):
        transaction.commit()
    assert _ids(orders) == []
    assert list(path.parent.iterdir()) == [path]
    check_sound(lake, deep=True)


def _schedule(lake: Lake, catalog: Catalog, path: Path) -> None:
    with runtime_of(lake).store.writing() as session:
        session.execute(
            "INSERT INTO forklake.ducklake_files_scheduled_for_deletion"
            " (catalog_id, data_file_id, path, path_is_relative, schedule_start) VALUES (:c, 999, :path, :no, :now)",
            c=catalog.catalog_id,
            path=str(path),
            no=False,
            now=session.now(),
        )


def test_a_file_of_another_catalog_may_be_added(lake: Lake, shop: Catalog, orders: Table) -> None:
    shop.options.set("data_inlining_row_limit", 0)
    orders.append(pa.table({"id": [1]}))
    (file,) = orders.storage.files()
    other = lake.create_catalog("other").create_table("t", {"id": "BIGINT"})
    other.storage.add_files(file.path)
    assert [one.path for one in other.storage.files()] == [file.path]
    assert _ids(other) == [1]


def test_a_file_that_is_gone_before_the_commit_is_refused(lake_factory: LakeFactory) -> None:
    directory = lake_factory.directory / "data" / "shop"
    path = _write(directory / "a.parquet", 1)

    def on_step(step: str) -> None:
        if step == "add files: footers read":
            path.unlink()

    settings = Settings(clock=Clock(sleep=lambda seconds: None), on_step=on_step)
    with lake_factory.open(settings) as lake:
        orders = lake.create_catalog("shop").create_table("orders", {"id": "BIGINT"})
        with pytest.raises(DataFileError, match=r'a\.parquet" was not added: it is gone'):
            orders.storage.add_files(path)
        assert orders.storage.files() == []


@pytest.mark.parametrize("lake_factory", ["postgres"], indirect=True)
def test_adoption_waits_for_whoever_cleans_up_and_sees_what_it_did(lake: Lake, shop: Catalog, orders: Table) -> None:
    root = Path(str(runtime_of(lake).lake_path))
    path = _write(root / "shop" / "a.parquet", 1)
    store, outcome = runtime_of(lake).store, list[object]()

    def adopt() -> None:
        try:
            outcome.append(orders.storage.add_files(path))
        except ForklakeError as error:
            outcome.append(error)

    with store.writing() as session:
        session.lock_alone(shop.catalog_id)
        thread = threading.Thread(target=adopt)
        thread.start()
        wait_until(lambda: store.query("SELECT 1 FROM pg_locks WHERE NOT granted"), "a wait")
        path.unlink()
    thread.join()
    assert isinstance(outcome[0], DataFileError)
    assert "it is gone" in outcome[0].message


def test_a_rolled_back_adoption_leaves_the_files(shop: Catalog, orders: Table, tmp_path: Path) -> None:
    path = _write(tmp_path / "a.parquet", 1)
    with shop.transaction() as transaction:
        transaction.table("orders").storage.add_files(path)
        assert _ids(transaction.table("orders")) == [1]
        transaction.rollback()
    assert path.exists()
    assert _ids(orders) == []


def test_a_file_without_rows_is_left_out(shop: Catalog, orders: Table, tmp_path: Path) -> None:
    before = shop.head
    assert orders.storage.add_files(_write(tmp_path / "a.parquet")).snapshot_id is None
    assert (shop.head, orders.storage.files()) == (before, [])


def test_bad_input_is_named_and_nothing_is_added(lake: Lake, orders: Table, tmp_path: Path) -> None:
    good = _write(tmp_path / "good.parquet", 1)
    (tmp_path / "text.parquet").write_text("this is text\n" * 5)
    (tmp_path / "cut.parquet").write_bytes(good.read_bytes()[:-12])
    _write(tmp_path / "other.parquet", 1, name="other")
    before = state(lake)
    cases: dict[str, tuple[type[ForklakeError], str]] = {
        "text.parquet": (DataFileError, 'File ".*/text.parquet" is damaged or no Parquet file'),
        "cut.parquet": (DataFileError, 'File ".*/cut.parquet" is damaged or no Parquet file'),
        "other.parquet": (InvalidInputError, 'Column "other" exists in file ".*/other.parquet"'),
        "missing.parquet": (NotFoundError, 'No files found that match the pattern ".*/missing.parquet"'),
        "*.nothing": (NotFoundError, r'No files found that match the pattern ".*/\*.nothing"'),
        ".": (InvalidInputError, "is a directory"),
    }
    for name, (kind, message) in cases.items():
        with pytest.raises(kind, match=message):
            orders.storage.add_files([good, f"{tmp_path}/{name}"])
    strange: list[Callable[[], object]] = [
        lambda: orders.storage.add_files([]),
        lambda: orders.storage.add_files(""),
        lambda: orders.storage.add_files(3),  # type: ignore[arg-type]
        lambda: orders.storage.add_files([None]),  # type: ignore[list-item]
        lambda: orders.storage.add_files("a\0b"),
    ]
    for attempt in strange:
        with pytest.raises(InvalidInputError, match="nothing was added"):
            attempt()
    assert state(lake) == before


def test_adopted_files_are_registered_by_add_files_alone(orders: Table, tmp_path: Path) -> None:
    path = str(_write(tmp_path / "a.parquet", 1))
    with pytest.raises(InvalidPathError, match="was written by others"):
        orders.storage.append_files([NewDataFile(path, 1, 10, is_adopted=True)])


def test_an_encrypted_table_takes_no_plain_file(lake: Lake, tmp_path: Path) -> None:
    secret = lake.create_catalog("secret", encrypted=True)
    table = secret.create_table("t", {"id": "BIGINT"})
    with pytest.raises(InvalidInputError, match='table "t" is encrypted'):
        table.storage.add_files(_write(tmp_path / "a.parquet", 1))
    plain = lake.create_catalog("plain").create_table("t", {"id": "BIGINT"})
    table.append(pa.table({"id": list(range(50))}))
    (own,) = table.storage.files()
    with pytest.raises(DataFileError, match="is encrypted, and the metadata has no key for it"):
        plain.storage.add_files(own.path)


def test_hive_partitions_prune_and_partitioned_tables_take_their_files(shop: Catalog, tmp_path: Path) -> None:
    table = shop.create_table("t", {"id": "BIGINT", "day": "DATE"}, partition_by=["day"])
    for day in (1, 2):
        _write(tmp_path / f"day=2024-01-0{day}" / "f.parquet", day)
    table.storage.add_files(f"{tmp_path}/**/*.parquet")
    assert [file.partition_values for file in table.storage.files()] == [("2024-01-01",), ("2024-01-02",)]
    assert table.inspect.plan("day = DATE '2024-01-02'").file_count == 1
    with pytest.raises(InvalidInputError, match="invalid partition value"):
        table.storage.add_files(_write(tmp_path / "f.parquet", 3), allow_missing=True)
    assert table.count() == 2


def test_columns_of_now_are_read_from_files_of_then(shop: Catalog, orders: Table, tmp_path: Path) -> None:
    orders.storage.add_files(_write(tmp_path / "a.parquet", 1))
    orders.alter.rename_column("id", "number")
    orders.alter.add_column(ColumnDefinition("note", "VARCHAR", default="none"))
    assert orders.rows() == [(1, "none")]
    orders.storage.add_files(_write(tmp_path / "b.parquet", 2, name="number"), allow_missing=True)
    assert sorted(orders.rows()) == [(1, "none"), (2, "none")]


@pytest.mark.parametrize("verb", ["merge", "refresh"])
@pytest.mark.parametrize("place", ["outside", "own"])
def test_a_file_that_both_sides_adopted_is_a_conflict(
    lake: Lake, shop: Catalog, tmp_path: Path, verb: str, place: str
) -> None:
    fork = shop.fork("agent")
    directory = tmp_path if place == "outside" else Path(fork.inspect.info.data_path)
    both, own = _write(directory / "main/orders/both.parquet", 1, 2, 3), _write(tmp_path / "own.parquet", 4)
    for catalog in (fork, shop):
        catalog.table("orders").storage.add_files(both)
    fork.table("orders").storage.add_files(own)
    held = fork.table("orders").storage
    held.inline_deletes({file.data_file_id: [1] for file in held.files() if file.record_count == 3})
    source, target = (fork, shop) if verb == "merge" else (shop, fork)
    before = _ids(target.table("orders"))

    def bring(**how: Any) -> MergePlan:
        return target.merge(source, **how) if verb == "merge" else target.refresh(**how)

    plan = bring(dry_run=True)
    assert [(one.kind, one.table, one.key, one.winner) for one in plan.conflicts] == [
        ("file", "orders", str(both), None)
    ]
    with pytest.raises(MergeConflictError, match=r'file ".*both\.parquet" was added in'):
        bring()
    assert _ids(target.table("orders")) == before
    other = target.fork("other") if verb == "merge" else None
    bring(strategy="theirs")
    assert _ids(target.table("orders")) == ([1, 3, 4] if verb == "merge" else [1, 2, 3, 4])
    if other is not None:
        other.merge(source, strategy={"orders": "ours"})
        assert _ids(other.table("orders")) == [1, 2, 3, 4]
    assert bring().is_nothing
    check_sound(lake)


def test_a_file_that_is_adopted_again_has_other_rows_and_each_change_is_told_at_its_snapshot(
    lake_factory: LakeFactory, tmp_path: Path
) -> None:
    file = _write(tmp_path / "again.parquet", 1, 2, 3, 4)
    with lake_factory.open(Settings(engine="local")) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT"})
        start, orders, wanted = shop.head, shop.table("orders"), list[tuple[int, str, int]]()
        for limit, source in ((0, shop), (3, shop), (0, shop.fork("one")), (3, shop.fork("two"))):
            shop.options.set("data_inlining_row_limit", limit)
            source.table("orders").storage.add_files(file)
            if source is not shop:
                shop.merge(source)
            wanted += [(shop.head, "insert", number) for number in (1, 2, 3, 4)]
            for condition, gone in (("id = 1", (1,)), ("id = 2", (2,)), ("id > 0", (3, 4))):
                orders.delete(condition)
                wanted += [(shop.head, "delete", number) for number in gone]
        feed = f"FROM ducklake_table_changes('shop', 'main', 'orders', {start}, {shop.head})"
        with shop.session() as session:
            found = session.sql(feed)
        assert found is not None
        told = found.fetchall()
        assert sorted((at, kind, number) for at, _, kind, number in told) == sorted(wanted)
        assert len({row_id for _, row_id, _, _ in told}) == 16
