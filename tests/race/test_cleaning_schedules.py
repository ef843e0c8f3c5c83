"""One cleans and one works, each stopped at every step of its own: nothing that anybody sees is lost."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import count, product
from pathlib import Path
from random import Random
from typing import Any

import psycopg
import pytest

from forklake import Catalog, Lake
from forklake.errors import DataFileError, NotFoundError, SnapshotNotFoundError
from forklake.ops.maintenance.cleanup import cleanup_old_files
from tests.contract.test_garbage import expire_all
from tests.lakes import EMBEDDED, LakeFactory
from tests.race.processes import PATIENCE_SECONDS, SECONDS, Job, race, turns
from tests.race.scenes import (
    NEW,
    OLD,
    PAST,
    Scene,
    adopted,
    append,
    build,
    catalog_id,
    check_files,
    expire,
    free_everything,
    ids_of,
    is_live,
    read_ids,
    search,
    settings,
)
from tests.race.schedule import (
    Actor,
    Relay,
    is_within_transaction,
    play,
    telling_of_begun_files,
    telling_of_deleted_files,
)
from tests.sound import check_sound

EVERY = bool(os.environ.get("FORKLAKE_FAULTS"))
PLAYS = {"sqlite": 2, "postgres": 1}
"""So many pairs of stops are played of each pair of deeds; with FORKLAKE_FAULTS, all of them."""

WORKS = {"sqlite": 10, "postgres": 5}
"""So many deeds of workers meet each who cleans; with FORKLAKE_FAULTS, all of them."""

_WAITING = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


class World:
    """A lake that one opened who cleans, and one who works; scenes are made one after the other."""

    def __init__(self, url: str, stack: ExitStack, factory: LakeFactory) -> None:
        self.relay = Relay()
        data = factory.directory / "data"
        self.builder, self.cleaner, self.worker = (
            stack.enter_context(Lake(url, data_path=data, settings=settings(self.relay))) for _ in range(3)
        )
        self.is_embedded = factory.kind in EMBEDDED
        self._numbers = count()
        self._database = None if self.is_embedded else stack.enter_context(psycopg.connect(url, autocommit=True))
        stack.enter_context(telling_of_begun_files(self.relay))
        stack.enter_context(telling_of_deleted_files(self.relay))

    def new_scene(self) -> Scene:
        scene = Scene(next(self._numbers))
        build(self.builder, scene)
        return scene

    def is_waiting(self) -> bool:
        """Return whether somebody waits for a lock."""
        return self._database is not None and self._database.execute(_WAITING).fetchone() is not None


@contextmanager
def world_of(factory: LakeFactory) -> Iterator[World]:
    with ExitStack() as stack:
        yield World(factory.url(), stack, factory)


# ---- who cleans ------------------------------------------------------------------------------------------------------


def _expire(lake: Lake, scene: Scene, *, grace: bool) -> None:
    expire(lake, scene)


def _clean_up(lake: Lake, scene: Scene, *, grace: bool) -> None:
    expire(lake, scene)
    assert cleanup_old_files(lake._runtime, catalog_id(lake, scene.shop), cleanup_all=not grace).failed == ()


def _search(lake: Lake, scene: Scene, *, grace: bool) -> None:
    search(lake, scene)


def _purge(lake: Lake, scene: Scene, *, grace: bool) -> None:
    lake.maintenance.purge_catalogs(scene.shop)
    assert cleanup_old_files(lake._runtime, catalog_id(lake, scene.shop), cleanup_all=not grace).failed == ()


CLEANING = {"expire": _expire, "clean-up": _clean_up, "orphans": _search, "purge": _purge}


# ---- who works -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Work:
    """A deed of one who works.

    Attributes:
        do: Does it to a catalog: the shop, or its fork if the shop is purged. Returns the rows that it read, if any.
        rows: The rows of that catalog afterwards, by those before.
        made: The rows of the catalog that it makes, by those of its source.
        refusals: How it may be refused instead.
    """

    do: Callable[[World, Scene, Catalog], Any]
    rows: Callable[[frozenset[int]], frozenset[int]] = lambda before: before
    made: Callable[[frozenset[int]], frozenset[int]] | None = None
    refusals: tuple[type[Exception], ...] = ()


def _fork_past(world: World, scene: Scene, catalog: Catalog) -> None:
    catalog.fork(scene.made, at=_early(catalog))


def _copy_past(world: World, scene: Scene, catalog: Catalog) -> None:
    catalog.fork(scene.made, at=_early(catalog), copy=True)


def _early(catalog: Catalog) -> int:
    """Return the snapshot of the shop with rows that no fork has; of a fork, the one that it was taken at."""
    early = [one.snapshot_id for one in catalog.snapshots() if one.changes_made.startswith("inserted_into_table")]
    place = 2 if catalog.name.startswith("shop") else 1
    if len(early) <= place:
        raise SnapshotNotFoundError("It is expired.")
    return early[place]


def _past_rows(rows: frozenset[int]) -> frozenset[int]:
    """Return the rows at that snapshot, by those that there are now."""
    return PAST if rows == NEW else OLD


def _read(world: World, scene: Scene, catalog: Catalog) -> None:
    """Read an early snapshot: it is refused, or complete, though it expires while it is read."""
    table = catalog.at(version=_early(catalog)).table("t")
    store, ask = world.worker._runtime.store, world.worker._runtime.store.query

    def told(sql: str, /, **params: Any) -> Any:
        world.relay("read: before a query")
        return ask(sql, **params)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "query", told)
        rows = read_ids(table, lambda: world.relay("read: planned"))
    assert rows == (PAST if catalog.name == scene.shop else OLD)


def _undrop(world: World, scene: Scene, catalog: Catalog) -> None:
    name = scene.gone if is_live(world.worker, scene.shop) else scene.shop
    assert ids_of(world.worker.undrop_catalog(name)) == (OLD if name == scene.gone else NEW)


WORKING = {
    "fork": Work(lambda world, scene, catalog: catalog.fork(scene.made), made=lambda rows: rows),
    "fork of the past": Work(_fork_past, made=_past_rows, refusals=(SnapshotNotFoundError,)),
    "copy": Work(lambda world, scene, catalog: catalog.fork(scene.made, copy=True), made=lambda rows: rows),
    "copy of the past": Work(_copy_past, made=_past_rows, refusals=(SnapshotNotFoundError,)),
    "append": Work(
        lambda world, scene, catalog: append(catalog.table("t"), range(300, 320)),
        lambda rows: rows | frozenset(range(300, 320)),
    ),
    "delete": Work(
        lambda world, scene, catalog: catalog.table("t").delete("id > 30 AND id < 55"),
        lambda rows: rows - frozenset(range(31, 55)),
    ),
    "read": Work(_read, refusals=(SnapshotNotFoundError,)),
    "undrop": Work(_undrop, refusals=(NotFoundError,)),
    "sever": Work(lambda world, scene, catalog: world.worker.catalog(scene.agent).maintenance.sever()),
    "add": Work(
        lambda world, scene, catalog: catalog.table("t").storage.add_files(adopted(world.worker, scene)),
        lambda rows: rows | frozenset(range(200, 220)),
        refusals=(NotFoundError, DataFileError),
    ),
}


# ---- plays -----------------------------------------------------------------------------------------------------------


class Play:
    """A pair of deeds, played in one new scene after the other."""

    def __init__(self, world: World, cleaning: str, working: str) -> None:
        self.world, self.cleaning, self.working = world, cleaning, working
        self.work = WORKING[working]

    def play(self, clean_stop: int, work_stop: int, *, cleaner_first: bool) -> tuple[Actor, Actor]:
        """Play with some stops, and check; return who cleaned and who worked."""
        world, scene = self.world, self.world.new_scene()
        if self.cleaning == "purge":
            world.builder.catalog(scene.shop).drop()
        # What a reader needs is there for a grace period.
        clean, grace = CLEANING[self.cleaning], self.working == "read"
        target = scene.agent if self.cleaning == "purge" else scene.shop
        cleaner = Actor(world.relay, lambda: clean(world.cleaner, scene, grace=grace), clean_stop, self._counts)
        worker = Actor(
            world.relay, lambda: self.work.do(world, scene, world.worker.catalog(target)), work_stop, self._counts
        )
        actors = (cleaner, worker) if cleaner_first else (worker, cleaner)
        play(*actors, world.is_waiting)
        told = (
            f"{self.cleaning} against {self.working}, in scene {scene.number}: {cleaner.steps} to {clean_stop},"
            f" {worker.steps} to {work_stop}, cleaner first: {cleaner_first}, {worker.error!r}"
        )
        if cleaner.error is not None:
            raise AssertionError(told) from cleaner.error
        assert worker.error is None or isinstance(worker.error, self.work.refusals), told
        self._check(scene, told, is_done=worker.error is None)
        return cleaner, worker

    def _counts(self, step: str) -> bool:
        """Return whether an actor may stop at a step: where it has an embedded store for itself, the other waits."""
        # A search deletes files under the lock of the catalog, a clean-up does not.
        alone = is_within_transaction(step) or (step == "file deleted" and self.cleaning == "orphans")
        return not (self.world.is_embedded and alone)

    def _check(self, scene: Scene, told: str, *, is_done: bool) -> None:
        lake = self.world.builder
        target, before = (scene.agent, OLD) if self.cleaning == "purge" else (scene.shop, NEW)
        for complete in (False, True):
            if complete:
                free_everything(lake, scene)
            assert ids_of(lake.catalog(target)) == (self.work.rows(before) if is_done else before), told
            if target != scene.agent:
                assert ids_of(lake.catalog(scene.agent)) == OLD, told
            if self.work.made is not None and is_done:
                assert ids_of(lake.catalog(scene.made)) == self.work.made(before), told
            for name, rows in ((scene.gone, OLD), (scene.shop, NEW)):
                if name != target and is_live(lake, name):
                    assert ids_of(lake.catalog(name)) == rows, told
            check_files(lake, scene, complete=complete)


@pytest.mark.parametrize("cleaning", CLEANING)
@pytest.mark.parametrize("lake_factory", ["sqlite", "postgres"], indirect=True)
def test_who_works_loses_nothing_to_one_who_cleans(lake_factory: LakeFactory, cleaning: str) -> None:
    with world_of(lake_factory) as world:
        works = sorted(WORKING)
        for working in works if EVERY else Random(cleaning).sample(works, WORKS[lake_factory.kind]):
            played = Play(world, cleaning, working)
            cleaner, worker = played.play(99, 99, cleaner_first=False)
            assert worker.steps or working == "undrop"  # which is one transaction
            stops = list(product(range(len(cleaner.steps)), range(len(worker.steps) + 1), (True, False)))
            if not EVERY:
                stops = Random(f"{cleaning} {working}").sample(stops, min(PLAYS[lake_factory.kind], len(stops)))
            for clean_stop, work_stop, cleaner_first in stops:
                played.play(clean_stop, work_stop, cleaner_first=cleaner_first)
        check_sound(world.builder)


# ---- real processes --------------------------------------------------------------------------------------------------


def work_for_a_while(url: str, seed: int, end: Path) -> dict[str, frozenset[int]]:
    """Fork, copy, append, delete, compact, read, drop and undrop; return the rows that each catalog has in the end."""
    choose, numbers = Random(seed), count(1000)
    with Lake(url, settings=settings(lambda step: None)) as lake:
        first = f"work-{seed}"
        lake.create_catalog(first).create_table("t", {"id": "BIGINT"})
        rows = {first: frozenset[int]()}
        for turn in turns(SECONDS / 3, at_least=9):
            name = choose.choice(sorted(rows))
            catalog, added = lake.catalog(name), frozenset(next(numbers) for _ in range(20))
            append(catalog.table("t"), sorted(added))
            rows[name] |= added
            if turn % 3 == 1:
                last = max(rows[name]) - 5
                catalog.table("t").delete(f"id > {last}")
                rows[name] = frozenset(number for number in rows[name] if number <= last)
            if turn % 2 == 1:
                catalog.maintenance.rewrite_data_files(delete_threshold=0.0)
                catalog.maintenance.merge_adjacent_files()
            if turn % 4 == 2:
                made = f"work-{seed}-{turn}"
                catalog.fork(made, copy=turn % 8 == 2)
                rows[made] = rows[name]
            if turn % 5 == 3 and name != first:
                catalog.drop()
                try:
                    lake.undrop_catalog(name)
                except NotFoundError:
                    del rows[name]  # purged
                    continue
            assert ids_of(catalog) == rows[name], f"{name} in turn {turn}"
    end.touch()
    return rows


def clean_until_the_end(url: str, ends: list[Path]) -> int:
    """Purge what is dropped, expire all but heads, and delete files of any age; return how many were deleted.

    The last turn begins when all who work have ended.
    """
    gone, is_last, limit = 0, False, time.monotonic() + PATIENCE_SECONDS
    with Lake(url, settings=settings(lambda step: None)) as lake:
        while not is_last and time.monotonic() < limit:
            is_last = all(end.exists() for end in ends)
            lake.maintenance.purge_catalogs("work")
            for info in lake.catalogs(prefix="work", limit=1000):
                with suppress(NotFoundError):  # dropped meanwhile
                    expire_all(lake.catalog(info.name))
            # Nobody reads a version that is expired: each reader is at the head, and follows its own writes.
            gone += len(lake.maintenance.cleanup_old_files(cleanup_all=True).deleted)
            found = lake.maintenance.delete_orphaned_files(cleanup_all=True)
            assert found.failures == ()
            gone += len(found.files)
    return gone


@pytest.mark.parametrize("lake_factory", ["sqlite", "postgres"], indirect=True)
def test_workers_and_cleaners_in_processes_of_their_own_lose_nothing(lake_factory: LakeFactory) -> None:
    url, data = lake_factory.url(), lake_factory.directory / "data"
    with Lake(url, data_path=data, settings=settings(lambda step: None)) as lake:
        ends = [lake_factory.directory / f"end-{seed}" for seed in range(2)]
        workers = [Job(f"worker {seed}", work_for_a_while, (url, seed, ends[seed])) for seed in range(2)]
        done = race(*workers, Job("cleaner", clean_until_the_end, (url, ends)))
        expected = done["worker 0"] | done["worker 1"]
        assert {info.name for info in lake.catalogs(limit=1000)} == set(expected)
        for name, rows in expected.items():
            assert ids_of(lake.catalog(name)) == rows, name
        assert done["cleaner"] > 0
        check_sound(lake, deep=True)
