"""Catalogs: making, opening, listing, renaming, dropping, and what comes back."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from forklake import Clock, Lake, Settings
from forklake.errors import (
    AlreadyExistsError,
    InvalidInputError,
    InvalidNameError,
    NotFoundError,
    SnapshotNotFoundError,
)
from tests.contract.support import each, names, rows, state
from tests.lakes import LakeFactory

STRANGE_NAMES = [
    "../x",
    "a/b",
    "...",
    'say "hi"',
    "it's",
    "; DROP TABLE x; --",
    "%s :name $1 {}",
    " ",
    "ä€😀",
]


def listed(lake: Lake, **how: object) -> list[str]:
    return [info.name for info in lake.catalogs(**how)]  # type: ignore[arg-type]


# ---- making and opening --------------------------------------------------------------------------------------------


def test_a_new_catalog_has_an_empty_schema_main(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    assert (shop.name, shop.schemas.list(), shop.tables()) == ("shop", ["main"], [])
    (first,) = shop.snapshots()
    assert first.changes_made == 'created_schema:"main"'


def test_a_catalog_is_opened_by_its_name_in_any_case_of_a_to_z(lake: Lake) -> None:
    shop = lake.create_catalog("Shop_Ä")
    assert lake.catalog("sHOP_Ä").catalog_id == shop.catalog_id
    with pytest.raises(NotFoundError, match='Catalog "shop_ä" does not exist'):
        lake.catalog("shop_ä")


def test_a_name_is_taken_once_whatever_its_case(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    before = state(lake)
    with pytest.raises(AlreadyExistsError, match="Catalog 'SHOP' already exists"):
        lake.create_catalog("SHOP")
    assert lake.create_catalog("SHOP", if_not_exists=True).catalog_id == shop.catalog_id
    assert state(lake) == before


@pytest.mark.parametrize("name", STRANGE_NAMES)
def test_a_strange_name_is_only_a_name(lake: Lake, name: str) -> None:
    strange = lake.create_catalog(name)
    strange.schemas.create(name)
    strange.create_table(name, {name: "INTEGER"}, schema=name)
    fork = strange.fork(name + "!")
    assert lake.catalog(name).catalog_id == strange.catalog_id
    assert listed(lake, prefix=name) == [name, name + "!"]
    (table,) = fork.tables(name)
    assert (table.name, [column.name for column in table.columns]) == (name, [name])
    quoted = name.replace('"', '""')
    assert strange.snapshots()[-1].changes_made == f'created_table:"{quoted}"."{quoted}"'


@pytest.mark.parametrize("letter", ["x", "é", "😀"])
def test_a_name_has_up_to_255_characters(lake: Lake, letter: str) -> None:
    catalog = lake.create_catalog(letter * 255)
    assert lake.catalog(letter * 255).catalog_id == catalog.catalog_id
    with pytest.raises(InvalidNameError, match=r"must not be longer than 255 characters.*has 256"):
        lake.create_catalog(letter * 256)


@pytest.mark.parametrize("name", ["", "nul\0", "half \ud800", 7, None])
def test_a_name_that_cannot_be_stored_is_refused_everywhere(lake: Lake, name: str) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT"})
    before = state(lake)
    for attempt in each(
        lambda: lake.create_catalog(name),
        lambda: lake.catalog("shop").rename(name),
        lambda: shop.fork(name),
        lambda: shop.fork(name, copy=True),
        lambda: shop.fork_many(["fine", name]),
        lambda: shop.schemas.create(name),
        lambda: shop.create_table(name, {"id": "BIGINT"}),
        lambda: shop.create_table("t", {name: "BIGINT"}),
        lambda: shop.table("orders").rename(name),
        lambda: shop.table("orders").alter.add_column((name, "BIGINT")),
        lambda: shop.table("orders").alter.rename_column("id", name),
    ):
        with pytest.raises(InvalidNameError, match=r"The name of a (catalog|schema|table|column) must"):
            attempt()
    assert state(lake) == before


@pytest.mark.parametrize("name", ["none", "", "nul\0", "half \ud800", "x" * 300])
def test_what_is_not_there_is_not_found_whatever_it_is_called(lake: Lake, name: str) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT"})
    before = state(lake)
    for attempt in each(
        lambda: lake.catalog(name),
        lambda: lake.at(version=shop.head).catalog(name),
        lambda: lake.catalog(name).rename("other"),
        lambda: lake.catalog(name).drop(),
        lambda: lake.undrop_catalog(name),
        lambda: lake.purge(name),
        lambda: shop.table(name),
        lambda: shop.tables(name),
        lambda: shop.schemas.drop(name),
        lambda: shop.table(name).drop(),
        lambda: shop.table("orders").alter.drop_column(name),
        lambda: shop.table(name).storage.append_files([]),
    ):
        with pytest.raises(NotFoundError if name == "none" else (NotFoundError, InvalidInputError)):
            attempt()
    assert state(lake) == before


# ---- listing -------------------------------------------------------------------------------------------------------


def test_catalogs_are_listed_page_by_page(lake: Lake) -> None:
    made = ["B", "a", "a-1", "a-2", "C", "Ä", "😀"]
    for name in made:
        lake.create_catalog(name)
    assert listed(lake) == ["a", "a-1", "a-2", "B", "C", "Ä", "😀"]
    pages, after = [], None
    while page := listed(lake, after=after, limit=3):
        pages.append(page)
        after = page[-1]
    assert pages == [["a", "a-1", "a-2"], ["B", "C", "Ä"], ["😀"]]


# DuckDB makes forks slowly, and lists with the same statements.
@pytest.mark.parametrize("lake_factory", ["sqlite", "postgres"], indirect=True)
def test_a_list_without_a_limit_is_complete(lake: Lake) -> None:
    root = lake.create_catalog("root")
    made = sorted(f"agent-{number}" for number in range(2002))
    root.fork_many(made)
    assert listed(lake) == [*made, "root"]
    assert listed(lake, prefix="agent-") == made
    assert listed(lake, after="agent-1") == [*made[made.index("agent-1") + 1 :], "root"]
    assert [info.name for info in lake.at(version=root.head).catalogs()] == ["root"]
    last = lake.snapshots()[-1].snapshot_id
    assert [info.name for info in lake.at(version=last).catalogs()] == [*made, "root"]
    ids = [snapshot.snapshot_id for snapshot in lake.snapshots()]
    assert len(ids) == 2003
    assert ids == sorted(set(ids))
    assert [snapshot.snapshot_id for snapshot in lake.snapshots(after=ids[0])] == ids[1:]
    assert len(lake.catalogs(limit=1000)) == len(lake.snapshots(limit=1000)) == 1000


def test_a_prefix_narrows_the_list(lake: Lake) -> None:
    for name in ["agent-1", "Agent-2", "agent", "agent\U0010ffff", "agens", "ageo", "z"]:
        lake.create_catalog(name)
    assert listed(lake, prefix="AGENT") == ["agent", "agent-1", "Agent-2", "agent\U0010ffff"]
    assert listed(lake, prefix="agent", after="agent-1", limit=1) == ["Agent-2"]
    assert listed(lake, prefix="none") == []


def test_letters_that_other_programs_read_as_wildcards_are_letters(lake: Lake) -> None:
    for name in ["a%b", "a_b", "axb"]:
        lake.create_catalog(name)
    assert listed(lake, prefix="a%") == ["a%b"]
    assert listed(lake, prefix="a_") == ["a_b"]


@pytest.mark.parametrize("limit", [0, -1, 10_001, "ten", True])
def test_a_page_has_a_sensible_size(lake: Lake, limit: int) -> None:
    with pytest.raises(InvalidInputError, match="The limit of a page must be between 1 and 10000"):
        lake.catalogs(limit=limit)
    with pytest.raises(InvalidInputError, match="The limit of a page must be between 1 and 10000"):
        lake.snapshots(limit=limit)


def test_the_list_says_where_a_fork_comes_from(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    agent = shop.fork("agent")
    info, root = lake.catalogs()
    assert (info.catalog_id, info.parent_id, info.parent_snapshot_id) == (agent.catalog_id, shop.catalog_id, shop.head)
    assert (info.snapshot_id, info.data_path, info.is_live) == (agent.head, f"{lake.data_path}agent/", True)
    assert (root.parent_id, root.parent_snapshot_id) == (None, None)


def test_a_list_of_the_past_shows_what_existed_then_under_its_name_of_then(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    first = shop.head
    other = lake.create_catalog("other")
    before = other.head
    lake.catalog("shop").rename("store")
    lake.catalog("other").drop()
    now = lake.create_catalog("now").head
    assert listed(lake) == ["now", "store"]
    assert listed(lake, at=first) == ["shop"]
    assert listed(lake, at=before) == ["other", "shop"]
    assert listed(lake, at=now) == ["now", "store"]
    assert listed(lake, at=before, prefix="o") == ["other"]
    assert listed(lake, at=before, after="other") == ["shop"]
    assert [info.is_live for info in lake.catalogs(at=before)] == [False, False]
    assert lake.at(version=before).catalogs() == lake.catalogs(at=before)
    assert lake.at(version=before).catalog("shop").catalog_id == shop.catalog_id
    with pytest.raises(NotFoundError, match='Catalog "store" did not exist at'):
        lake.at(version=before).catalog("store")


@pytest.mark.parametrize("lake_factory", ["sqlite", "duckdb"], indirect=True)
def test_a_list_of_a_time_shows_what_existed_then(lake_factory: LakeFactory) -> None:
    now = datetime(2030, 1, 1, tzinfo=UTC)
    ticks: list[datetime] = []

    def tick() -> datetime:
        ticks.append(now + timedelta(hours=len(ticks)))
        return ticks[-1]

    with lake_factory.open(Settings(clock=Clock(now=tick))) as lake:
        shop = lake.create_catalog("shop")
        made = ticks[-1]
        lake.catalog("shop").rename("store")
        renamed = ticks[-1]
        shop.create_table("orders", {"id": "BIGINT"})
        lake.catalog("store").drop()
        dropped = ticks[-1]
        moment = timedelta(microseconds=1)
        assert listed(lake, at=made - moment) == []
        assert listed(lake, at=made) == listed(lake, at=renamed - moment) == ["shop"]
        assert listed(lake, at=renamed) == listed(lake, at=dropped - moment) == ["store"]
        assert listed(lake, at=dropped) == []
        assert names(lake.at(timestamp=renamed).catalog("store")) == []
        assert names(lake.at(timestamp=dropped - moment).catalog("store")) == ["orders"]


def test_a_list_of_a_time_is_taken_from_the_clock_of_the_database(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    (created,) = shop.snapshots()
    assert listed(lake, at=created.snapshot_time) == ["shop"]
    assert listed(lake, at=created.snapshot_time - timedelta(days=1)) == []


@pytest.mark.parametrize("at", [-1, 2**63, True, "yesterday", 1.5])
def test_a_moment_is_a_snapshot_or_a_time(lake: Lake, at: int) -> None:
    with pytest.raises(InvalidInputError):
        lake.catalogs(at=at)
    with pytest.raises(InvalidInputError):
        lake.at(version=at)


# ---- renaming ------------------------------------------------------------------------------------------------------


def test_a_renamed_catalog_keeps_its_id_its_files_and_its_forks(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT"})
    agent = shop.fork("agent")
    lake.catalog("shop").rename("Store")
    assert (shop.name, names(shop), names(agent)) == ("Store", ["orders"], ["orders"])
    assert next(info.data_path for info in lake.catalogs() if info.name == "Store") == f"{lake.data_path}shop/"
    lake.catalog("store").rename("STORE")  # only the case
    assert shop.name == "STORE"
    with pytest.raises(NotFoundError, match='Catalog "shop" does not exist'):
        lake.catalog("shop")


def test_a_catalog_is_not_renamed_onto_a_taken_name(lake: Lake) -> None:
    lake.create_catalog("shop")
    lake.create_catalog("other")
    before = state(lake)
    with pytest.raises(AlreadyExistsError, match="Catalog 'OTHER' already exists"):
        lake.catalog("shop").rename("OTHER")
    assert state(lake) == before


# ---- dropping, undropping, purging ---------------------------------------------------------------------------------


def test_a_dropped_catalog_is_gone_and_its_forks_stay(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT"})
    agent = shop.fork("agent")
    lake.catalog("shop").drop()
    for attempt in each(
        lambda: lake.catalog("shop"),
        lambda: lake.catalog("shop").drop(),
        shop.tables,
        lambda: shop.fork("x"),
        lambda: shop.fork("x", copy=True),
        lambda: shop.create_table("t", {"i": "INTEGER"}),
        lambda: shop.options.set("auto_compact", False),
        lambda: shop.options.get("auto_compact"),
        shop.options.list,
        shop.maintenance.sever,
        lambda: shop.maintenance.expire_snapshots(versions=[0]),
    ):
        with pytest.raises(NotFoundError, match=r"was dropped|does not exist"):
            attempt()
    assert names(agent) == ["orders"]
    agent.create_table("more", {"i": "INTEGER"})
    assert names(agent.fork("nested")) == ["more", "orders"]


def test_a_transaction_of_a_catalog_that_is_dropped_meanwhile_is_refused(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    transaction = shop.transaction()
    transaction.create_table("orders", {"id": "BIGINT"})
    lake.catalog("shop").drop()
    with pytest.raises(NotFoundError, match="was dropped"):
        transaction.commit()
    assert names(lake.undrop_catalog("shop")) == []


@pytest.mark.parametrize("by", ["name", "id"])
def test_a_dropped_catalog_comes_back_as_it_was(lake: Lake, by: str) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT"})
    shop.options.set("target_file_size", "1GB")
    snapshots = shop.snapshots()
    lake.catalog("shop").drop()
    back = lake.undrop_catalog("SHOP" if by == "name" else shop.catalog_id)
    assert (back.catalog_id, back.name, back.snapshots()) == (shop.catalog_id, "shop", snapshots)
    assert repr(back) == "Catalog('shop')"
    assert shop.options.get("target_file_size") == "1GB"
    shop.create_table("more", {"i": "INTEGER"})
    assert names(shop) == ["more", "orders"]


def test_a_name_that_several_were_dropped_under_needs_an_id(lake: Lake) -> None:
    first = lake.create_catalog("shop")
    lake.catalog("shop").drop()
    second = lake.create_catalog("shop")
    lake.catalog("shop").drop()
    with pytest.raises(InvalidInputError, match='2 catalogs were dropped under the name "shop": 0, 1; nothing'):
        lake.undrop_catalog("shop")
    with pytest.raises(InvalidInputError, match="2 catalogs were dropped"):
        lake.purge("shop")
    assert lake.undrop_catalog(first.catalog_id).name == "shop"
    with pytest.raises(AlreadyExistsError, match="Catalog 'shop' already exists"):
        lake.undrop_catalog(second.catalog_id)
    lake.catalog("shop").rename("old")
    assert lake.undrop_catalog("shop").catalog_id == second.catalog_id


def test_a_catalog_is_undropped_by_its_last_name_only(lake: Lake) -> None:
    lake.create_catalog("old")
    lake.catalog("old").rename("new")
    lake.catalog("new").drop()
    with pytest.raises(NotFoundError, match='No dropped catalog "old" exists'):
        lake.undrop_catalog("old")
    assert lake.undrop_catalog("new").name == "new"


def test_only_what_is_dropped_is_undropped_or_purged(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    before = state(lake)
    for which in ("shop", shop.catalog_id, 99, -1, 2**63, "none"):
        for verb in (lake.undrop_catalog, lake.purge):
            with pytest.raises(NotFoundError, match=f'No dropped catalog "{which}" exists'):
                verb(which)
    assert state(lake) == before


def test_a_purged_catalog_never_comes_back_and_its_forks_stay(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT"})
    pin = shop.head
    agent = shop.fork("agent")
    lake.catalog("shop").drop()
    lake.purge("shop")
    for verb in (lake.undrop_catalog, lake.purge):
        with pytest.raises(NotFoundError, match="No dropped catalog"):
            verb("shop")
    assert names(agent) == ["orders"]
    assert [snapshot.snapshot_id for snapshot in agent.snapshots()] == [agent.head]
    with pytest.raises(SnapshotNotFoundError):
        agent.at(version=pin)
    assert names(agent.fork("nested")) == ["orders"]
    kept = rows(lake, "SELECT path FROM forklake.ducklake_catalog WHERE catalog_id = :c", c=shop.catalog_id)
    assert kept == [("shop/",)]  # nobody else gets the directory
    assert lake.create_catalog("shop").catalog_id != shop.catalog_id


def test_dropped_catalogs_say_who_dropped_them_and_why(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.fork("a").drop(author="mallory", message="tidy up")
    shop.fork("b").drop()
    shop.fork_many(["run-1", "run-2"])
    lake.drop_catalogs(prefix="run-", author="cron")
    late = shop.fork("late")
    late.renew(timedelta(milliseconds=1))
    while not lake.reap().dropped:
        pass

    def ends() -> list[tuple[str, str | None, str | None]]:
        return [(each.name, each.author, each.message) for each in lake.dropped_catalogs()]

    assert ends() == [
        ("a", "mallory", "tidy up"),
        ("b", None, None),
        ("run-1", "cron", None),
        ("run-2", "cron", None),
        ("late", None, "Past its lifetime"),
    ]
    back = lake.undrop_catalog("a")
    back.rename("c", author="ann", message="a better name")
    back.drop(message="once more")
    assert ends()[0] == ("c", None, "once more")
    back = lake.undrop_catalog("c")
    back.drop(author="bob")
    assert ends()[0] == ("c", "bob", None)


MISLEADING = [
    *("a\nb", "\t", "x\x7f", "\x85", "a\x1b[31m"),
    *(f"a{letter}b" for letter in "\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"),
]


@pytest.mark.parametrize("name", [".", "..", *MISLEADING])
def test_what_breaks_lists_and_paths_is_no_name_of_a_new_catalog(lake: Lake, name: str) -> None:
    shop = lake.create_catalog("shop")
    before = state(lake)
    makers: list[Callable[[], object]] = [
        lambda: lake.create_catalog(name),
        lambda: shop.fork(name),
        lambda: shop.fork(name, copy=True),
        lambda: shop.fork_many(["fine", name]),
        lambda: shop.rename(name),
        lambda: lake.import_catalog(name, "nothing.ducklake"),
    ]
    for make in makers:
        with pytest.raises(InvalidNameError, match=r"control characters|names a directory") as refused:
            make()
        assert str(refused.value).isprintable()
    assert state(lake) == before
    with pytest.raises(NotFoundError):
        lake.catalog(name)


@pytest.mark.parametrize("name", MISLEADING)
def test_what_breaks_lists_is_no_name_of_a_new_tag(lake: Lake, name: str) -> None:
    shop = lake.create_catalog("shop")
    before = state(lake)
    with pytest.raises(InvalidNameError, match="control characters") as refused:
        shop.tag(name)
    assert str(refused.value).isprintable()
    assert state(lake) == before


def test_a_catalog_and_a_tag_that_have_such_names_keep_them(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.tag("first")
    name = "gnp\u202eexe"
    with lake._runtime.store.writing() as session:
        session.execute("UPDATE forklake.ducklake_catalog SET catalog_name = :name", name=name)
        session.execute("UPDATE forklake.ducklake_snapshot_tag SET tag_name = :name, tag_key = :name", name=name)
    kept = lake.catalog(name)
    assert [tag.name for tag in kept.tags()] == [name]
    assert kept.at(name).head == kept.head
    kept.untag(name)
    kept.drop()
    lake.undrop_catalog(name)
    lake.catalog(name).rename("shop")
