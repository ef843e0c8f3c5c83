"""Files go when nobody can see them any more, and not before."""

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from forklake import Catalog, Clock, Lake, Settings, Table
from forklake.errors import InvalidInputError
from forklake.metastore import garbage
from forklake.metastore.schema.description import Visibility
from forklake.metastore.store import Session
from forklake.metastore.written_tables import TABLES
from forklake.model.ids import RowUid
from forklake.ops.maintenance import collect
from tests.contract.support import data_file, delete_file, each, rows
from tests.contract.test_garbage import expire_all, purge
from tests.lakes import EMBEDDED, LakeFactory


def write(table: Table, *names: str) -> list[Path]:
    """Add files to a table that are really there; return where they are."""
    table.storage.append_files([data_file(name) for name in names])
    paths = [Path(file.path) for file in table.storage.files() if Path(file.path).stem in names]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * 10)
    return paths


def remove_all(table: Table) -> None:
    table.storage.remove_files([file.data_file_id for file in table.storage.files()])


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER"})
    return shop


def test_a_file_goes_after_its_grace_period(lake: Lake, shop: Catalog) -> None:
    table = shop.table("t")
    (first,) = write(table, "a")
    assert shop.maintenance.cleanup_old_files(cleanup_all=True).deleted == ()
    remove_all(table)
    assert shop.maintenance.cleanup_old_files(cleanup_all=True).deleted == (), "the past still shows it"
    expire_all(shop)
    assert shop.maintenance.cleanup_old_files().deleted == (), "it waits for two days"
    assert shop.maintenance.cleanup_old_files(older_than="1 hour").deleted == ()
    told = shop.maintenance.cleanup_old_files(cleanup_all=True, dry_run=True)
    assert (told.deleted, told.byte_count, told.dry_run) == ((str(first),), 10, True)
    assert first.exists()
    shop.options.set("delete_older_than", "0 seconds")
    done = shop.maintenance.cleanup_old_files()
    assert (done.deleted, done.byte_count, done.named, done.failed) == ((str(first),), 10, (), ())
    assert not first.exists()
    assert shop.maintenance.cleanup_old_files(cleanup_all=True).deleted == ()


@pytest.mark.parametrize("lake_factory", EMBEDDED, indirect=True)
def test_the_grace_period_is_counted_for_each_file(lake_factory: LakeFactory) -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    settings = Settings(clock=Clock(now=lambda: moment, sleep=lambda seconds: None))
    with lake_factory.open(settings) as lake:
        shop = lake.create_catalog("shop")
        table = shop.create_table("t", {"i": "INTEGER"})
        (first,) = write(table, "a")
        remove_all(table)
        expire_all(shop)
        moment += timedelta(days=1.5)
        (second,) = write(table, "b")
        remove_all(table)
        expire_all(shop)
        moment += timedelta(days=1)
        assert shop.maintenance.cleanup_old_files().deleted == (str(first),)
        moment += timedelta(days=1.1)
        assert lake.maintenance.cleanup_old_files().deleted == (str(second),)


def test_a_file_that_a_copy_names_stays_until_the_copy_lets_go(lake: Lake, shop: Catalog) -> None:
    table = shop.table("t")
    (file,) = write(table, "a")
    copy = shop.fork("copy", copy=True)
    agent = shop.fork("agent")
    agent.maintenance.sever()
    remove_all(table)
    expire_all(shop)
    for catalog in (copy, agent):
        kept = shop.maintenance.cleanup_old_files(cleanup_all=True)
        assert (kept.deleted, kept.named) == ((), (str(file),))
        remove_all(catalog.table("t"))
        assert shop.maintenance.cleanup_old_files(cleanup_all=True).named == (str(file),), "the past still names it"
        expire_all(catalog)
        assert catalog.maintenance.cleanup_old_files(cleanup_all=True).deleted == (), "it is not the copy's to delete"
        assert file.exists()
    assert lake.maintenance.cleanup_old_files(cleanup_all=True).deleted == (str(file),)
    assert not file.exists()


def test_a_file_that_another_row_of_its_own_catalog_names_stays(lake: Lake, shop: Catalog) -> None:
    table = shop.table("t")
    (file,) = write(table, "a")
    # Named twice, which adopting a file does.
    table.storage.append_files([data_file("a")])
    first, second = table.storage.files()
    table.storage.remove_files([first.data_file_id])
    expire_all(shop)
    kept = shop.maintenance.cleanup_old_files(cleanup_all=True)
    assert (kept.deleted, kept.named, file.exists()) == ((), (str(file),), True)
    table.storage.remove_files([second.data_file_id])
    expire_all(shop)
    assert shop.maintenance.cleanup_old_files(cleanup_all=True).deleted == (str(file),)


def test_rows_below_a_table_or_schema_with_an_absolute_path_name_files(lake: Lake, shop: Catalog) -> None:
    table = shop.table("t")
    (file,) = write(table, "a")
    other = lake.create_catalog("other")
    other.create_table("t", {"i": "INTEGER"}).storage.append_files([data_file("a")])
    remove_all(table)
    expire_all(shop)
    directory = f"{file.parent}/"
    place = "UPDATE forklake.{} SET path = :path, path_is_relative = {} WHERE catalog_id = :c"
    never = "false" if lake._runtime.store.dialect.name != "sqlite" else "0"
    with lake._runtime.store.writing() as session:
        session.execute(place.format("ducklake_table", never), path=directory, c=other.catalog_id)
    assert shop.maintenance.cleanup_old_files(cleanup_all=True).named == (str(file),)
    with lake._runtime.store.writing() as session:
        back = place.format("ducklake_table", "true" if never == "false" else "1")
        session.execute(back, path="t/", c=other.catalog_id)
        session.execute(place.format("ducklake_schema", never), path=f"{file.parent.parent}/", c=other.catalog_id)
    assert shop.maintenance.cleanup_old_files(cleanup_all=True).named == (str(file),)
    remove_all(other.table("t"))
    expire_all(other)
    assert lake.maintenance.cleanup_old_files(cleanup_all=True).deleted == (str(file),)


def test_files_of_purged_catalogs_are_given_back(lake: Lake, shop: Catalog) -> None:
    (shared,) = write(shop.table("t"), "a")
    agent, other = shop.fork("agent"), shop.fork("other")
    (own,) = write(agent.table("t"), "b")
    child = agent.fork("child")
    purge(lake, "agent")
    assert lake.maintenance.cleanup_old_files(cleanup_all=True).deleted == (), "the child sees it"
    assert own.exists()
    purge(lake, "child")
    assert lake.maintenance.cleanup_old_files(cleanup_all=True).deleted == (str(own),)
    shop.drop()
    lake.purge("shop")
    assert lake.maintenance.cleanup_old_files(cleanup_all=True).deleted == (), "another fork sees it"
    assert [file.path for file in other.table("t").storage.files()] == [str(shared)]
    purge(lake, "other")
    assert lake.maintenance.cleanup_old_files(cleanup_all=True).deleted == (str(shared),)
    assert child.catalog_id > agent.catalog_id
    assert rows(lake, "SELECT path FROM forklake.ducklake_files_scheduled_for_deletion") == []


def test_the_place_of_a_file_is_found_whichever_catalog_is_collected_first(lake: Lake, shop: Catalog) -> None:
    """A file of a purged catalog, in a table that only another one, purged too, still had a row of."""
    middle = shop.fork("middle")
    (file,) = write(middle.table("t"), "a")
    last = middle.fork("last")
    last.table("t").rename("renamed")
    shop.table("t").drop()
    expire_all(shop)
    expire_all(last)
    purge(lake, "middle")
    assert lake.maintenance.cleanup_old_files(cleanup_all=True).deleted == ()
    assert rows(lake, "SELECT catalog_id FROM forklake.ducklake_table") == [(last.catalog_id,)]
    assert file.exists()
    purge(lake, "last")
    assert lake.maintenance.cleanup_old_files(cleanup_all=True).deleted == (str(file),)
    assert rows(lake, "SELECT row_uid FROM forklake.ducklake_table") == []
    assert rows(lake, "SELECT catalog_id FROM forklake.ducklake_due") == []


def test_a_file_that_is_gone_counts_as_deleted_and_one_that_cannot_be_deleted_stays_scheduled(
    lake: Lake, shop: Catalog
) -> None:
    table = shop.table("t")
    gone, stuck = write(table, "a", "b")
    remove_all(table)
    expire_all(shop)
    gone.unlink()
    stuck.unlink()
    stuck.mkdir()  # not a file: it cannot be deleted as one
    done = shop.maintenance.cleanup_old_files(cleanup_all=True)
    assert (done.deleted, done.failed, done.byte_count) == ((str(gone),), (str(stuck),), 0)
    stuck.rmdir()
    stuck.write_bytes(b"x")
    assert shop.maintenance.cleanup_old_files(cleanup_all=True).deleted == (str(stuck),)


def test_the_name_of_a_file_that_waits_for_deletion_is_not_given_again(lake: Lake, shop: Catalog) -> None:
    table = shop.table("t")
    write(table, "a", "b")
    first, second = table.storage.files()
    table.storage.remove_files([first.data_file_id])
    expire_all(shop)
    shop.maintenance.cleanup_old_files()
    head = shop.head
    for attempt in each(
        lambda: table.storage.append_files([data_file("a")]),
        lambda: table.storage.delete_rows([delete_file(second.data_file_id, "a")]),
    ):
        with pytest.raises(InvalidInputError, match=r'File ".*/a.parquet" was not added: .* it waits for deletion'):
            attempt()
    with shop.transaction() as transaction:
        with pytest.raises(InvalidInputError):
            transaction.table("t").storage.append_files([data_file("a")])
        assert len(transaction.table("t").storage.files()) == 1
    assert shop.head == head
    # In a fork it is another file; and a name is free again when its file is gone.
    shop.fork("agent").table("t").storage.append_files([data_file("a")])
    shop.maintenance.cleanup_old_files(cleanup_all=True)
    write(table, "a")
    assert shop.maintenance.cleanup_old_files(cleanup_all=True).deleted == ()
    assert all(Path(file.path).exists() for file in table.storage.files())


def test_a_transaction_learns_of_files_that_wait_for_deletion_since_it_began(shop: Catalog) -> None:
    table = shop.table("t")
    write(table, "a")
    remove_all(table)
    with shop.transaction() as transaction:
        expire_all(shop)
        assert shop.maintenance.cleanup_old_files().deleted == ()
        with pytest.raises(InvalidInputError, match="it waits for deletion"):
            transaction.table("t").storage.append_files([data_file("a")])


def test_only_files_in_the_own_directory_are_deleted(lake: Lake, shop: Catalog) -> None:
    table = shop.table("t")
    (file,) = write(table, "a")
    copy = shop.fork("copy", copy=True)
    purge(lake, "shop")
    remove_all(copy.table("t"))
    expire_all(copy)
    assert copy.maintenance.cleanup_old_files(cleanup_all=True).deleted == ()
    assert file.exists()
    assert lake.maintenance.cleanup_old_files(cleanup_all=True).deleted == (str(file),)
    assert not os.path.exists(file)


def test_wrong_arguments_are_refused(shop: Catalog) -> None:
    with pytest.raises(InvalidInputError, match="either cleanup_all OR older_than must be specified"):
        shop.maintenance.cleanup_old_files(cleanup_all=True, older_than="1 day")
    with pytest.raises(InvalidInputError, match="neither a time nor an age; nothing was deleted"):
        shop.maintenance.cleanup_old_files(older_than="soon")
    with pytest.raises(InvalidInputError, match="An age is not negative; nothing was deleted"):
        shop.maintenance.cleanup_old_files(older_than=timedelta(days=-1))
    with pytest.raises(InvalidInputError):
        shop.at(version=shop.head).maintenance.cleanup_old_files()


def test_sql_cleans_up_as_ducklake_does(lake: Lake, shop: Catalog) -> None:
    table = shop.table("t")
    first, second = write(table, "a", "b")
    remove_all(table)
    session = lake.connect()
    session.execute("ATTACH 'ducklake:' AS shop (CATALOG 'shop')")
    session.execute("CALL ducklake_expire_snapshots('shop', older_than => now())")
    told = session.execute("CALL ducklake_cleanup_old_files('shop', cleanup_all => true, dry_run => true)")
    assert [column[0] for column in told.description or ()] == ["path"]
    assert sorted(told.fetchall()) == [(str(first),), (str(second),)]
    assert session.execute("CALL shop.cleanup_old_files()").fetchall() == []
    assert session.execute("CALL shop.cleanup_old_files(older_than => now() - INTERVAL 1 DAY)").fetchall() == []
    with pytest.raises(InvalidInputError, match="either cleanup_all OR older_than must be specified"):
        session.execute("CALL shop.cleanup_old_files(older_than => now(), cleanup_all => true)")
    assert first.exists()
    session.execute("CALL shop.set_option('delete_older_than', '0 seconds')")
    assert sorted(session.execute("CALL shop.cleanup_old_files()").fetchall()) == [(str(first),), (str(second),)]
    assert not first.exists()


def test_read_only_attachments_refuse_to_clean_up(lake: Lake, shop: Catalog) -> None:
    session = lake.connect()
    session.execute("ATTACH 'ducklake:' AS shop (CATALOG 'shop', READ_ONLY)")
    session.execute(f"ATTACH 'ducklake:' AS past (CATALOG 'shop', SNAPSHOT_VERSION {shop.head})")
    for alias in ("shop", "past"):
        with pytest.raises(InvalidInputError, match="attached in read-only mode"):
            session.execute(f"CALL {alias}.cleanup_old_files(cleanup_all => true)")


def test_many_forks_are_purged_at_once_and_others_stay(lake: Lake, shop: Catalog) -> None:
    (shared,) = write(shop.table("t"), "a")
    names = [f"agent-{number}" for number in range(12)]
    agents = shop.fork_many(names)
    own = [write(agent.table("t"), "b")[0] for agent in agents[:3]]
    stays = shop.fork("stays")
    child = agents[1].fork("child of an agent")
    for agent in agents[:6]:
        agent.drop()
    told: list[tuple[str, int, int | None]] = []
    assert lake.maintenance.purge_catalogs("AGENT-", dry_run=True) == [agent.catalog_id for agent in agents[:6]]
    done = lake.maintenance.purge_catalogs("AGENT-", progress=lambda *step: told.append(step))
    assert (done, told) == ([agent.catalog_id for agent in agents[:6]], [("Purging", 6, 6)])
    assert [info.name for info in lake.catalogs(prefix="agent-")] == sorted(names[6:])
    assert lake.maintenance.purge_catalogs("agent-", drop=True) == [agent.catalog_id for agent in agents[6:]]
    assert sorted(info.name for info in lake.catalogs()) == ["child of an agent", "shop", "stays"]
    assert lake.maintenance.purge_catalogs("") == []
    deleted = lake.maintenance.cleanup_old_files(cleanup_all=True).deleted
    assert sorted(deleted) == sorted(str(path) for path in (own[0], own[2])), "the child sees one"
    assert [file.path for file in child.table("t").storage.files()] == [str(shared), str(own[1])]
    assert [file.path for file in stays.table("t").storage.files()] == [str(shared)]
    session = lake.connect()
    session.execute("ATTACH 'ducklake:' AS shop (CATALOG 'shop')")
    purged = session.execute("CALL ducklake_purge_catalogs('shop', 'child', drop => true)").fetchall()
    assert purged == [(child.catalog_id,)]
    assert lake.maintenance.cleanup_old_files(cleanup_all=True).deleted == (str(own[1]),)


def test_everyone_who_sees_a_file_is_told(lake: Lake, shop: Catalog) -> None:
    table = shop.table("t")
    (path,) = write(table, "a")
    (file,) = table.storage.files()
    since = shop.head
    agent, copy = shop.fork("agent"), shop.fork("copy", copy=True)
    child = agent.fork("child")
    remove_all(agent.table("t"))
    gone = agent.head
    remove_all(table)
    ended = shop.head
    told = lake.maintenance.file_references(str(path))
    assert [(one.owner_name, one.begin_snapshot_id, one.end_snapshot_id, one.catalog_name) for one in told] == [
        ("copy", copy.head, None, "copy"),
        ("shop", since, ended, "shop"),
        ("shop", since, ended, "agent"),
        ("shop", since, ended, "child"),
    ]
    first = next(snapshot.snapshot_id for snapshot in agent.snapshots() if snapshot.catalog_id == agent.catalog_id)
    assert [(one.first_snapshot_id, one.last_snapshot_id) for one in told] == [
        (copy.head, copy.head),
        (since, since),
        (first, first),
        (child.head, child.head),
    ]
    assert gone > first
    by_id = lake.maintenance.file_references(file.data_file_id)
    assert sorted(by_id, key=repr) == sorted(told, key=repr)
    assert {(one.kind, one.file_id, one.table_id) for one in told} == {("data file", file.data_file_id, table.table_id)}
    assert len(lake.maintenance.file_references(str(path), limit=1)) == 2, "one for each row"
    for catalog in (shop, agent):
        expire_all(catalog)
    assert [one.catalog_name for one in lake.maintenance.file_references(str(path))] == ["copy", "child"]
    assert lake.maintenance.file_references(f"{path}x") == lake.maintenance.file_references(10**9) == []
    for wrong in (True, "", None, 1.5):
        with pytest.raises(InvalidInputError, match="by its path or its id"):
            lake.maintenance.file_references(wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="limit must be between"):
        lake.maintenance.file_references(1, limit=0)


@pytest.mark.parametrize("lake_factory", ["postgres"], indirect=True)
def test_rows_are_judged_by_indexes_however_many_forks_there_are(lake: Lake, shop: Catalog) -> None:
    """No table is read as a whole, and none is hashed: the plan is one look into an index after the other."""
    owners = garbage.Owners([shop.catalog_id], have_heads=True)
    for table in (one for one in TABLES if one.visibility is Visibility.INTERVAL):
        with lake._runtime.store.writing() as session:
            session.run("SET LOCAL enable_seqscan = off")
            explained = Explained(session)
            garbage.dead_rows(explained, table, owners, (), after=RowUid(-1), limit=100)
        plan = "\n".join(line for (line,) in explained.plan)
        assert "segment_pin_idx" in plan
        for slow in ("Seq Scan", "Hash"):
            assert slow not in plan, f"{table.name}: {plan}"


class Explained:
    """A session that shows how a statement would be run."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.dialect = session.dialect
        self.plan: list[tuple[str]] = []

    def query(self, sql: str, /, **params: object) -> list[tuple[str]]:
        self.plan = self._session.query(f"EXPLAIN {sql}", **params)
        return []

    def query_all(self, statements: Sequence[tuple[str, Mapping[str, Any]]]) -> list[list[tuple[str]]]:
        return [self.query(sql, **params) for sql, params in statements]

    def time(self, value: object) -> datetime:
        return self._session.time(value)


@pytest.mark.parametrize("lake_factory", ["sqlite", "postgres"], indirect=True)
def test_a_file_that_dies_while_its_catalog_is_collected_is_still_found(
    lake_factory: LakeFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table's row, which tells where the file lies, dies with it, and is met after the file was passed."""
    url, purged = lake_factory.url(), list[str]()

    def purge_the_last_fork(step: str) -> None:
        if step == "collect: batch done" and not purged:
            purged.append("last")
            other.purge("last")

    monkeypatch.setattr(collect, "_BATCH", 1)
    with (
        Lake(url, data_path=lake_factory.directory / "data") as other,
        Lake(url, settings=Settings(on_step=purge_the_last_fork)) as lake,
    ):
        first = other.create_catalog("given up, first")
        first.create_table("t", {"i": "INTEGER"})
        second = first.fork("given up, second")
        (kept,) = write(second.table("t"), "kept")
        second.fork("last").drop()
        (gone,) = write(second.table("t"), "gone")
        lake.maintenance.purge_catalogs("given up", drop=True)
        assert purged
        monkeypatch.undo()
        assert set(lake.maintenance.cleanup_old_files(cleanup_all=True).deleted) == {str(kept), str(gone)}
        assert rows(lake, "SELECT row_uid FROM forklake.ducklake_table") == []
        assert rows(lake, "SELECT catalog_id FROM forklake.ducklake_due") == []
