"""Many catalogs are dropped at once, by what they have in common."""

from datetime import timedelta

import pytest

from forklake import Catalog, Lake
from forklake.errors import InvalidInputError, NotFoundError
from forklake.ops.catalogs import end_catalogs
from tests.contract.support import each, state


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT"})
    return shop


def names(lake: Lake) -> list[str]:
    return [info.name for info in lake.catalogs()]


def age(lake: Lake, name: str, by: timedelta, *, commits: bool = True) -> None:
    """Make a catalog older, and its last commit too."""
    catalog = lake.catalog(name).catalog_id
    with lake._runtime.store.writing() as session:
        then = session.now() - by
        session.execute("UPDATE forklake.ducklake_catalog SET begin_time = :t WHERE catalog_id = :c", t=then, c=catalog)
        if commits:
            session.execute(
                "UPDATE forklake.ducklake_snapshot SET snapshot_time = :t WHERE catalog_id = :c", t=then, c=catalog
            )


def test_catalogs_are_chosen_by_parent_prefix_age_and_idleness(lake: Lake, shop: Catalog) -> None:
    shop.fork_many(["try-1", "TRY-2", "try-3", "other"])
    lake.catalog("try-1").fork("try-below")
    age(lake, "try-1", timedelta(days=8))
    age(lake, "TRY-2", timedelta(days=8), commits=False)

    def chosen(**conditions: object) -> list[str]:
        found = lake.drop_catalogs(dry_run=True, **conditions)  # type: ignore[arg-type]
        assert found.dry_run
        return sorted(each.name for each in found.dropped)

    assert chosen(parent="shop") == ["TRY-2", "other", "try-1", "try-3"]
    assert chosen(prefix="Try-") == ["TRY-2", "try-1", "try-3", "try-below"]
    assert chosen(parent="shop", prefix="try-") == ["TRY-2", "try-1", "try-3"]
    assert chosen(older_than="7 days") == ["TRY-2", "try-1"]
    assert chosen(idle="7 days") == ["try-1"]
    assert chosen(idle=timedelta(days=7), prefix="t") == ["try-1"]
    assert chosen(parent="shop", keep=["try-3", "Other"]) == ["TRY-2", "try-1"]
    assert len(names(lake)) == 6
    done = lake.drop_catalogs(parent="shop", keep=["try-3"])
    assert (len(done.dropped), done.left) == (3, ())
    assert names(lake) == ["shop", "try-3", "try-below"]
    assert lake.undrop_catalog("other").tables()


def test_pages_leave_nobody_out(lake: Lake, shop: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(end_catalogs, "_PAGE", 3)
    monkeypatch.setattr(end_catalogs, "BATCH", 2)
    wanted = [f"Try-{number}" for number in range(7)]
    shop.fork_many(wanted)
    seen: list[int] = []
    done = lake.drop_catalogs(prefix="try", progress=lambda step, done, total: seen.append(done))
    assert sorted(each.name for each in done.dropped) == wanted
    assert seen == [2, 4, 6, 7]
    shop.fork_many(wanted)
    assert len(lake.drop_catalogs(parent="shop").dropped) == 7
    assert names(lake) == ["shop"]


def test_who_committed_meanwhile_is_left_and_told(lake: Lake, shop: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    busy, gone, idle = shop.fork_many(["busy", "gone", "idle"])
    drop = end_catalogs._drop_unmoved

    def late(*given: object) -> object:
        busy.create_table("more", {"id": "BIGINT"})
        gone.drop()
        return drop(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(end_catalogs, "_drop_unmoved", late)
    done = lake.drop_catalogs(parent="shop")
    assert [each.name for each in done.dropped] == ["idle"]
    assert [(each.name, each.reason) for each in done.left] == [
        ("busy", "It was committed to or dropped meanwhile."),
        ("gone", "It was committed to or dropped meanwhile."),
    ]
    assert (busy.inspect.is_live, idle.inspect.is_live) == (True, False)


def test_what_makes_no_sense_drops_nothing(lake: Lake, shop: Catalog) -> None:
    shop.fork("try-1")
    before = state(lake)
    for conditions in (
        {},
        {"prefix": ""},
        {"idle": "soon"},
        {"older_than": "-1 day"},
        {"prefix": "t", "keep": "try-1"},
    ):
        with pytest.raises(InvalidInputError, match="nothing was dropped"):
            lake.drop_catalogs(**conditions)  # type: ignore[arg-type]
    for attempt in each(
        lambda: lake.drop_catalogs(parent="shoop"), lambda: lake.drop_catalogs(prefix="try", keep=["try-11"])
    ):
        with pytest.raises(NotFoundError):
            attempt()
    assert state(lake) == before


def test_a_drop_may_find_nothing(shop: Catalog) -> None:
    shop.drop()
    shop.drop(if_exists=True)
    with pytest.raises(NotFoundError):
        shop.drop()
