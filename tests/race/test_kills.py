"""A process that dies at any step of a commit or a fork leaves the lake as it was before, or as it is after."""

import random
import shutil
import time
from collections import Counter
from pathlib import Path, PurePosixPath

import pytest

from forklake import Lake, NewDataFile, RetryPolicy, Settings
from tests.lakes import STORES, LakeFactory
from tests.race.deeds import DEEDS, Death, fill
from tests.race.processes import SECONDS, Job, Worker
from tests.race.state import check_rules, content, difference, dump

pytestmark = pytest.mark.filterwarnings(
    "ignore::forklake.errors.SharedDataPathWarning"
)  # tests have copies of one lake


def do(url: str, deed: str, step: str, time: int) -> None:
    """Do a deed and die at a step of it."""
    with Lake(url, settings=Settings(on_step=Death(step, time))) as lake:
        DEEDS[deed](lake)


ALIKE = {"fork in the past", "several forks", "reset"}
"""What takes the same steps as another deed: a fork, or a merge."""


def _is_for_soak(store: str, deed: str) -> bool:
    """DuckDB runs the same statements as SQLite, and takes its time."""
    return (store == "duckdb" and deed != "fork") or (store == "postgres" and deed in ALIKE)


STORED_DEEDS = [
    pytest.param(store, deed, marks=[pytest.mark.soak] if _is_for_soak(store, deed) else [])
    for store in STORES
    for deed in DEEDS
]


@pytest.mark.parametrize(("lake_factory", "deed"), STORED_DEEDS, indirect=["lake_factory"])
def test_death_at_any_step_leaves_the_state_before_or_after(lake_factory: LakeFactory, deed: str) -> None:
    filled, steps = lake_factory.url(), list[str]()
    with Lake(filled, data_path=lake_factory.directory / "data") as lake:
        fill(lake)
        before = dump(lake, repeatable=True)
    with Lake(_copy(lake_factory, filled), settings=Settings(on_step=steps.append)) as lake:
        DEEDS[deed](lake)
        after = dump(lake, repeatable=True)
    assert difference(before, after)
    assert len(steps) >= 2, steps

    outcomes, seen = [], Counter[str]()
    for step in steps:
        seen[step] += 1
        url = _copy(lake_factory, filled)
        worker = Worker(Job(step, do, (url, deed, step, seen[step])))
        assert worker.wait() == Death.EXIT_CODE, f"the process did not die at '{step}'"
        with Lake(url) as lake:
            found = dump(lake, repeatable=True)
            is_before, is_after = not difference(before, found), not difference(after, found)
            assert is_before or is_after, f"killed at '{step}', against before:\n{difference(before, found)}"
            outcomes.append(is_after)
            _check_that_life_goes_on(lake, deed, thoroughly=len(outcomes) == len(steps) - 1)
    # Whatever comes before the end is undone, and what was done stays.
    assert outcomes == [False] * (len(steps) - 1) + [True], list(zip(steps, outcomes, strict=True))


def _copy(factory: LakeFactory, url: str) -> str:
    """Return the URL of a copy of a lake that nobody has open."""
    if factory.server is not None:
        factory._databases.append(factory.server.create_database(template=url))
        return factory._databases[-1]
    copy = factory.url()
    shutil.copy(url.partition(":")[2], copy.partition(":")[2])
    return copy


def _check_that_life_goes_on(lake: Lake, deed: str, *, thoroughly: bool) -> None:
    """The next commit works; what died can be done again, which takes longer and is looked at once."""
    agent = lake.catalog("agent")
    before = agent.head
    agent.schemas.create("afterwards")
    assert agent.head > before
    if thoroughly:
        DEEDS[deed](lake)
        assert content(agent.fork("afterwards")) == content(agent)
        check_rules(lake, written_out=deed in ("merge", "refresh", "reset"))


def append_forever(url: str, diary: Path, life: int) -> None:
    """Append numbered files, each to its catalog and to a new fork, and note what was acknowledged."""
    with Lake(url, settings=Settings(retry=RetryPolicy(wait_seconds=0.01))) as lake, diary.open("a") as notes:
        shop = lake.catalog("shop")
        for number in range(1_000_000):
            shop.table("orders").storage.append_files([NewDataFile(f"{life}-{number}.parquet", 1, 10)])
            notes.write(f"file {life}-{number}.parquet\n")
            notes.flush()
            shop.fork(f"{life}-{number}")
            notes.write(f"fork {life}-{number}\n")
            notes.flush()


@pytest.mark.parametrize("lake_factory", ["sqlite", "postgres"], indirect=True)
def test_a_process_killed_at_any_moment_has_done_what_it_said_and_at_most_one_thing_more(
    lake_factory: LakeFactory,
) -> None:
    url, diary, choose = lake_factory.url(), lake_factory.directory / "diary", random.Random(0)
    with Lake(url, data_path=lake_factory.directory / "data") as lake:
        lake.create_catalog("shop").create_table("orders", {"id": "BIGINT"})
    lives = max(4, int(5 * SECONDS))
    for life in range(lives):
        worker = Worker(Job(f"life {life}", append_forever, (url, diary, life)))
        noted = diary.stat().st_size if diary.exists() else 0
        while not diary.exists() or diary.stat().st_size == noted:
            assert worker.process.is_alive(), f"life {life} ended by itself: exit code {worker.process.exitcode}"
            time.sleep(0.002)
        time.sleep(choose.random() * 0.05)
        worker.kill()

    said = Counter(diary.read_text().splitlines())
    with Lake(url) as lake:
        shop = lake.catalog("shop")
        shop.table("orders").storage.append_files([NewDataFile("last.parquet", 1, 10)])
        done = Counter(f"file {PurePosixPath(file.path).name}" for file in shop.table("orders").storage.files())
        forks = [info.name for info in lake.catalogs(limit=10_000) if info.name != "shop"]
        done += Counter(f"fork {name}" for name in forks)
        assert not said - done, f"acknowledged and lost: {said - done}"
        more = done - said - Counter(["file last.parquet"])
        assert len(more) <= lives, f"done and never said: {more}"
        assert max(done.values()) == 1, f"done twice: {done}"
        for name in forks:
            (info,) = lake.catalogs(prefix=name, limit=1)
            assert info.parent_snapshot_id is not None
            assert content(lake.catalog(name)) == content(shop.at(version=info.parent_snapshot_id))
        check_rules(lake)
