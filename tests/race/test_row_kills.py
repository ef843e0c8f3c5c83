"""A process that dies while it writes rows leaves the table as before or as after; its files are strays."""

import shutil
from collections import Counter
from pathlib import Path

import pytest

import forklake
from forklake import Catalog, Lake, Settings
from forklake.errors import CommitConflictError
from tests.lakes import LakeFactory
from tests.race.deeds import Death
from tests.race.processes import Job, Worker
from tests.race.rows import DEEDS, change, fill, rows_of, stray_files, tell_of_files
from tests.rows.arrow_hands import TABLE
from tests.rows.conditions import Assigned, Compared
from tests.rows.operations import Update
from tests.sound import check_sound

OFTEN = ("transaction",)
"""What is tried on PostgreSQL in each run: the others write files and commit in the same steps."""


def do(url: str, deed: str, step: str, time: int) -> None:
    """Do a deed and die at a step of it."""
    death = Death(step, time)
    tell_of_files(death)
    with Lake(url, settings=Settings(on_step=death)) as lake:
        DEEDS[deed](lake, death)


def note_steps(url: str, deed: str) -> list[str]:
    """Do a deed and return the steps of it."""
    steps: list[str] = []
    tell_of_files(steps.append)
    with Lake(url, settings=Settings(on_step=steps.append)) as lake:
        DEEDS[deed](lake, steps.append)
    return steps


STORED_DEEDS = [
    pytest.param(store, deed, marks=[pytest.mark.soak] if store == "postgres" and deed not in OFTEN else [])
    for store in ("sqlite", "postgres")
    for deed in DEEDS
]


@pytest.mark.parametrize(("lake_factory", "deed"), STORED_DEEDS, indirect=["lake_factory"])
def test_death_at_any_step_of_a_write_leaves_the_rows_before_or_after(lake_factory: LakeFactory, deed: str) -> None:
    filled, data = lake_factory.url(), lake_factory.directory / "data"
    with Lake(filled, data_path=data) as lake:
        before = rows_of(fill(lake, 10))
    kept = lake_factory.directory / "kept"
    shutil.copytree(data, kept)
    done = copied(lake_factory, filled)
    steps = Worker(Job("steps", note_steps, (done, deed))).result()
    with Lake(done) as lake:
        after = rows_of(lake.catalog("agent"))
        assert not stray_files(lake, data) or deed == "transaction"
    assert after != before
    assert any("written" in step for step in steps[:-1]), steps

    outcomes, seen = [], Counter[str]()
    for step in steps:
        seen[step] += 1
        shutil.rmtree(data)
        shutil.copytree(kept, data)
        url = copied(lake_factory, filled)
        assert Worker(Job(step, do, (url, deed, step, seen[step]))).wait() == Death.EXIT_CODE, f"no death at '{step}'"
        with Lake(url) as lake:
            agent = lake.catalog("agent")
            found, stray = rows_of(agent), stray_files(lake, data)
            assert found in (before, after), f"killed at '{step}': {found}"
            outcomes.append(found == after)
            if deed != "transaction":
                assert bool(stray) == (found == before and has_written(steps, step, seen[step])), f"'{step}': {stray}"
            assert rows_of(lake.catalog("shop")) == before
            if found == before:
                check_that_its_files_wait_for_its_lease(agent, step)
            check_that_life_goes_on(agent)
            check_that_nothing_is_left_behind(lake, data, step)
    # Whatever comes before the end is undone, and what was done stays.
    assert outcomes == [False] * (len(steps) - 1) + [True], list(zip(steps, outcomes, strict=True))


def check_that_its_files_wait_for_its_lease(catalog: Catalog, step: str) -> None:
    """No search takes the files of a writer that may still be at work, though it asks for files of any age."""
    assert catalog.maintenance.delete_orphaned_files(cleanup_all=True).files == (), f"killed at '{step}'"


def check_that_nothing_is_left_behind(lake: Lake, data: Path, step: str) -> None:
    """When the lease has run out, a search takes all that was left behind, and the next one finds nothing."""
    rows = rows_of(lake.catalog("agent"))
    with lake._runtime.store.writing() as session:
        session.execute("UPDATE forklake.ducklake_lease SET end_time = :now", now=session.now())
    search = lake.catalog("agent").maintenance.delete_orphaned_files
    assert search(cleanup_all=True).failures == ()
    assert not stray_files(lake, data), f"killed at '{step}'"
    assert search(cleanup_all=True).files == ()
    assert rows_of(lake.catalog("agent")) == rows
    check_sound(lake)


def has_written(steps: list[str], step: str, time: int) -> bool:
    """Return whether a file was complete when a step came up for the n-th time."""
    place = [number for number, name in enumerate(steps) if name == step][time - 1]
    return any("written" in name and not name.startswith("commit") for name in steps[: place + 1])


def copied(factory: LakeFactory, url: str) -> str:
    """Return the URL of a copy of a lake that nobody has open."""
    if factory.server is not None:
        copy = factory.server.create_database(template=url)
        factory._databases.append(copy)
    else:
        copy = factory.url()
        shutil.copy(url.partition(":")[2], copy.partition(":")[2])
    forklake.relocate(copy, factory.directory / "data")  # it is the one that is used from now on
    return copy


def check_that_life_goes_on(catalog: Catalog) -> None:
    """The next writes work."""
    rows = rows_of(catalog)
    catalog.table(TABLE).append([{"k": 999, "a": 9}])
    change(catalog, Update((Assigned("a", value=4),), Compared(("k",), "=", 999)))
    found = rows_of(catalog)
    assert [row[:2] for row in found] == [*(row[:2] for row in rows), (999, 4)]
    assert len({row[2] for row in found}) == len(found)


def test_files_of_a_refused_write_are_gone(lake_factory: LakeFactory) -> None:
    data: Path = lake_factory.directory / "data"
    with lake_factory.open() as lake:
        agent = fill(lake, 10)
        loser = agent.transaction()
        loser.table(TABLE).append([{"k": 100, "a": 1}])
        change(loser, Update((Assigned("a", value=1),), Compared(("k",), "<", 3)))
        assert len(stray_files(lake, data)) >= 3
        change(agent, Update((Assigned("a", value=2),), Compared(("k",), "=", 7)))
        with pytest.raises(CommitConflictError):
            loser.commit()
        assert not stray_files(lake, data)
        assert [row[1] for row in rows_of(agent)] == [2 if number == 7 else 0 for number in range(10)]
