"""A writer and a search for orphaned files, each stopped at every step: nothing that is committed is lost."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from forklake import Catalog, Lake, Settings
from forklake.catalog import transaction as transaction_module
from forklake.catalog.lease import Lease
from forklake.errors import DataFileError, LeaseLostError
from forklake.metastore.queries import known_files, leases
from forklake.metastore.queries.known_files import Claims
from forklake.ops.maintenance.delete_orphaned_files import _Search
from tests.lakes import EMBEDDED, LakeFactory
from tests.race.deeds import Death
from tests.race.processes import SECONDS, Job, Worker, race, turns
from tests.race.schedule import Actor, Relay, is_within_transaction, play, telling_of_begun_files
from tests.sound import check_sound

ROWS = [{"id": number} for number in range(20)]


class World:
    """A lake that a writer and a search have opened, each for itself."""

    def __init__(self, url: str, data: Path, lease_seconds: float, *, is_embedded: bool) -> None:
        self.relay = Relay()
        settings = Settings(on_step=self.relay, lease_seconds=lease_seconds)
        self.writer, self.searcher = (Lake(url, data_path=data, settings=settings) for _ in range(2))
        self.place = data / "shop/main/orders"
        self._is_embedded = is_embedded
        self._committed = 0

    def close(self) -> None:
        self.writer.close()
        self.searcher.close()

    def write(self) -> None:
        self.writer.catalog("shop").table("orders").append(ROWS)

    def search(self) -> set[str]:
        found = self.searcher.catalog("shop").maintenance.delete_orphaned_files(cleanup_all=True)
        assert found.failures == ()
        return {file.path for file in found.files}

    def counts(self, step: str) -> bool:
        """Return whether an actor may stop at a step: where it has an embedded store for itself, the other waits."""
        return not (self._is_embedded and is_within_transaction(step))

    def play(self, write_stop: int, search_stop: int, *, writer_first: bool) -> tuple[Actor, Actor]:
        """Let both go to their stops, then the one that came first to its end, then the other; return both."""
        stray = self.place / "stray.parquet"
        put(stray, timedelta(days=30))
        writer = Actor(self.relay, self.write, write_stop, self.counts)
        search = Actor(self.relay, self.search, search_stop, self.counts)
        first, second = (writer, search) if writer_first else (search, writer)
        play(first, second)
        if search.error is not None:
            raise search.error
        assert str(stray) in search.result
        return writer, search

    def check(self, writer: Actor) -> None:
        """Check that what the writer committed is there, and that it committed all or nothing."""
        # Its file may also go while it is written.
        assert writer.error is None or isinstance(writer.error, LeaseLostError | DataFileError), writer.error
        self._committed += writer.error is None
        named = [Path(file.path) for file in self.searcher.catalog("shop").table("orders").storage.files()]
        assert len(named) == self._committed
        assert [path for path in named if not path.is_file()] == [], f"lost after {writer.steps}"

    def check_that_nothing_else_is_there(self) -> None:
        named = {file.path for file in self.searcher.catalog("shop").table("orders").storage.files()}
        there = {str(path) for path in self.place.rglob("*") if path.is_file()}
        assert there == named
        check_sound(self.searcher)


def put(path: Path, age: timedelta) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"stray")
    time = (datetime.now(UTC) - age).timestamp()
    os.utime(path, (time, time))


@contextmanager
def world_of(factory: LakeFactory, lease_seconds: float) -> Iterator[World]:
    url, data = factory.url(), factory.directory / "data"
    world = World(url, data, lease_seconds, is_embedded=factory.kind in EMBEDDED)
    try:
        world.writer.create_catalog("shop").create_table("orders", {"id": "BIGINT"})
        with telling_of_begun_files(world.relay):
            yield world
    finally:
        world.close()


def play_all(world: World) -> set[bool]:
    """Play every pair of stops, in both orders; return which outcomes the writer had."""
    writer, search = world.play(99, 99, writer_first=True)
    world.check(writer)
    outcomes = set()
    # The last step is the end of each.
    for write_stop, search_stop in product(range(len(writer.steps)), range(len(search.steps))):
        for writer_first in (True, False):
            played, _ = world.play(write_stop, search_stop, writer_first=writer_first)
            world.check(played)
            outcomes.add(played.error is None)
    return outcomes


in_both = pytest.mark.parametrize("lake_factory", ["sqlite", "postgres"], indirect=True)


@in_both
def test_a_writer_with_a_lease_never_loses_a_file_and_is_never_refused(lake_factory: LakeFactory) -> None:
    with world_of(lake_factory, 86_400.0) as world:
        assert play_all(world) == {True}
        world.search()
        world.check_that_nothing_else_is_there()


@in_both
def test_a_writer_whose_lease_ran_out_is_refused_or_loses_no_file(lake_factory: LakeFactory) -> None:
    with world_of(lake_factory, -1.0) as world:
        assert play_all(world) == {True, False}
        world.search()
        world.check_that_nothing_else_is_there()


# ---- each guard, taken out -------------------------------------------------------------------------------------------


def _writers_take_no_lease(patch: pytest.MonkeyPatch) -> None:
    def take(store: Any, catalog: Any) -> Lease:
        return Lease(store, catalog, "none")

    patch.setattr(transaction_module, "take_lease", take)
    _commits_do_not_miss_their_lease(patch)


def _commits_do_not_miss_their_lease(patch: pytest.MonkeyPatch) -> None:
    def exists(*args: object) -> bool:
        return True

    patch.setattr(leases, "exists", exists)


def _metadata_is_read_before_the_listing(patch: pytest.MonkeyPatch) -> None:
    run, judge = _Search.run, _Search._judge

    def run_late(search: _Search, on_page: Callable[[Any], None]) -> Iterator[Any]:
        with search._store.reading() as session:
            search._known = search._begin()
            search.early = known_files.claims(  # type: ignore[attr-defined]
                session, search._catalog, search._stored_path, [], search._known.newest, None
            )
        search._step("orphans: metadata read")
        yield from run(search, on_page)

    def judge_early(search: _Search, *args: Any) -> Any:
        with pytest.MonkeyPatch.context() as inner:
            inner.setattr(known_files, "claims", lambda *others: search.early)  # type: ignore[attr-defined]
            return judge(search, *args)

    patch.setattr(_Search, "run", run_late)
    patch.setattr(_Search, "_judge", judge_early)


def _rows_are_read_before_leases(patch: pytest.MonkeyPatch) -> None:
    clean, asked = _Search._clean, known_files.claims

    def clean_in_two(search: _Search, batch: Any) -> Any:
        def claims(session: Any, catalog: Any, path: str, paths: Any, since: Any, now: Any) -> Claims:
            later = asked(session, catalog, path, paths, since, now)
            return Claims(early.named, early.added, early.newest, later.leased_since, early.places, early.catalogs)

        assert search._known is not None
        with search._store.reading() as session:
            paths = [file.path for file in batch]
            early = asked(session, search._catalog, search._stored_path, paths, search._known.newest, None)
        search._step("orphans: rows read")
        with pytest.MonkeyPatch.context() as inner:
            inner.setattr(known_files, "claims", claims)
            return clean(search, batch)

    patch.setattr(_Search, "_clean", clean_in_two)


GUARDS: dict[str, tuple[Callable[[pytest.MonkeyPatch], None], float]] = {
    "writer takes a lease": (_writers_take_no_lease, 86_400.0),
    "commit checks its lease": (_commits_do_not_miss_their_lease, -1.0),
    "list before metadata": (_metadata_is_read_before_the_listing, 86_400.0),
    "rows and leases in one read": (_rows_are_read_before_leases, 86_400.0),
}


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
def test_without_a_guard_a_committed_file_is_lost(
    lake_factory: LakeFactory, guard: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_out, lease_seconds = GUARDS[guard]
    take_out(monkeypatch)
    with world_of(lake_factory, lease_seconds) as world, pytest.raises(AssertionError, match="lost after"):
        play_all(world)


# ---- kills -----------------------------------------------------------------------------------------------------------


def write_and_die(url: str, lease_seconds: float, stop: str) -> None:
    """Write in a process that ends at a step."""
    death = Death(stop, 2)
    with (
        Lake(url, settings=Settings(on_step=death, lease_seconds=lease_seconds)) as lake,
        telling_of_begun_files(death),
    ):
        with lake.catalog("shop").transaction() as transaction:
            for _ in range(3):
                transaction.table("orders").append(ROWS)
        lake.catalog("shop").table("orders").append(ROWS)


@pytest.mark.parametrize(
    "stop", ["lease: taken", "file begun", "append: files written", "commit: before the call", "commit: head moved"]
)
@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
def test_files_of_a_killed_writer_go_when_its_lease_has_run_out(lake_factory: LakeFactory, stop: str) -> None:
    url, data = lake_factory.url(), lake_factory.directory / "data"
    with Lake(url, data_path=data) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT"})
        for lease_seconds, goes in ((86_400.0, False), (-1.0, True)):
            assert Worker(Job(stop, write_and_die, (url, lease_seconds, stop))).wait() == Death.EXIT_CODE
            left = stray(shop, data)
            assert left or stop == "lease: taken"
            found = shop.maintenance.delete_orphaned_files(cleanup_all=True)
            assert found.failures == ()
            if not goes:
                assert found.files == (), "its lease has not run out"
                with lake._runtime.store.writing() as session:
                    session.execute("UPDATE forklake.ducklake_lease SET end_time = :now", now=session.now())
                found = shop.maintenance.delete_orphaned_files(cleanup_all=True)
            assert {file.path for file in found.files} == left
            assert stray(shop, data) == set()
            assert shop.maintenance.delete_orphaned_files(cleanup_all=True).files == ()
            shop.table("orders").append(ROWS)


def stray(shop: Catalog, data: Path) -> set[str]:
    """Return the files that are there and not read; all that are read are there."""
    there = {str(path) for path in data.rglob("*") if path.is_file()}
    read = {file.path for file in shop.table("orders").storage.files()}
    assert read <= there
    return there - read


# ---- real processes --------------------------------------------------------------------------------------------------


def write_for_a_while(url: str) -> int:
    """Write file after file; return how many were committed."""
    with Lake(url) as lake:
        orders = lake.catalog("shop").table("orders")
        for turn in turns(SECONDS):
            orders.append(ROWS)
            if turn % 3 == 0:
                given_up = lake.catalog("shop").transaction()
                given_up.table("orders").append(ROWS)
                given_up.rollback()
    return turn + 1


def search_for_a_while(url: str, place: Path) -> int:
    """Search for orphans of any age again and again, of which there is always one; return how many were found."""
    found = 0
    with Lake(url) as lake:
        for turn in turns(SECONDS):
            put(place / f"stray-{turn}.parquet", timedelta(days=1))
            done = lake.catalog("shop").maintenance.delete_orphaned_files(cleanup_all=True)
            assert done.failures == ()
            found += len(done.files)
    return found


@in_both
def test_writers_and_searches_in_processes_of_their_own_lose_nothing(lake_factory: LakeFactory) -> None:
    url, data = lake_factory.url(), lake_factory.directory / "data"
    with Lake(url, data_path=data) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT"})
        place = data / "shop/main/orders"
        writers = [Job(f"writer {number}", write_for_a_while, (url,)) for number in range(2)]
        done = race(*writers, Job("search", search_for_a_while, (url, place)))
        named = {file.path for file in shop.table("orders").storage.files()}
        assert len(named) == done["writer 0"] + done["writer 1"]
        assert done["search"] > 0
        assert stray(shop, data) == set()
        assert rows_of_leases(lake) == []


def rows_of_leases(lake: Lake) -> list[Any]:
    return lake._runtime.store.query("SELECT lease_id FROM forklake.ducklake_lease")
