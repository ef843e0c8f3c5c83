"""Maintenance that dies at any step is done by the same command again: nothing is lost, and nothing is leaked."""

import os
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from forklake import Lake
from tests.lakes import LakeFactory
from tests.race.deeds import Death
from tests.race.processes import Job, Worker
from tests.race.scenes import (
    MAINTENANCE,
    OLD,
    Scene,
    build,
    check_files,
    end_leases,
    free_everything,
    ids_of,
    settings,
)
from tests.race.schedule import telling_of_begun_files, telling_of_deleted_files
from tests.sound import check_sound

STORES = ("sqlite", "postgres") if os.environ.get("FORKLAKE_FAULTS") else ("sqlite",)
"""PostgreSQL runs the same statements, and ends a transaction whose client dies in the same way."""


def do(url: str, deed: str, number: int, step: str, time: int) -> None:
    """Do a deed and die at a step of it."""
    death = Death(step, time)
    with telling_of_begun_files(death), telling_of_deleted_files(death), Lake(url, settings=settings(death)) as lake:
        MAINTENANCE[deed].do(lake, Scene(number))


def prepare(lake: Lake, deed: str, scene: Scene) -> None:
    build(lake, scene)
    for before in MAINTENANCE[deed].before:
        before(lake, scene)


@pytest.mark.parametrize("deed", MAINTENANCE)
@pytest.mark.parametrize("lake_factory", STORES, indirect=True)
def test_maintenance_that_died_at_any_step_is_done_again(lake_factory: LakeFactory, deed: str) -> None:
    url, data = lake_factory.url(), lake_factory.directory / "data"
    steps = list[str]()
    with Lake(url, data_path=data, settings=settings(lambda step: None)) as lake:
        prepare(lake, deed, Scene(0))
        with (
            telling_of_begun_files(steps.append),
            telling_of_deleted_files(steps.append),
            Lake(url, settings=settings(steps.append)) as other,
        ):
            MAINTENANCE[deed].do(other, Scene(0))
        check_done(lake, deed, Scene(0))
        seen = Counter[str]()
        for number, step in enumerate(steps, 1):
            seen[step] += 1
            scene = Scene(number)
            prepare(lake, deed, scene)
            before = unfinished_files(data)
            worker = Worker(Job(step, do, (url, deed, number, step, seen[step])))
            assert worker.wait() == Death.EXIT_CODE, f"no death at '{step}'"
            if step == "file begun":
                assert unfinished_files(data) - before, "a file was begun"
            check_files(lake, scene, complete=False)
            assert ids_of(lake.catalog(scene.agent)) == OLD
            again(lake, deed, scene)
            check_done(lake, deed, scene)
        check_sound(lake, deep=True)
    assert len(steps) >= 3, steps


def unfinished_files(data: Path) -> set[Path]:
    """Return the files that have no footer yet."""
    found = set()
    for path in data.rglob("ducklake-*"):
        try:
            pq.read_metadata(path)
        except Exception:
            found.add(path)
    return found


def again(lake: Lake, deed: str, scene: Scene) -> None:
    """Do what died again; it may have been done."""
    if deed == "add_data_files" and ids_of(lake.catalog(scene.shop)) == MAINTENANCE[deed].rows:
        return  # refused: the file is there already
    if deed == "delete_orphaned_files":
        end_leases(lake)
    MAINTENANCE[deed].do(lake, scene)


def check_done(lake: Lake, deed: str, scene: Scene) -> None:
    """Check rows and files after the deed was done; then free all that nothing needs, and check again."""
    rows = MAINTENANCE[deed].rows
    for complete in (False, True):
        if complete:
            free_everything(lake, scene)
        if rows is not None:
            assert ids_of(lake.catalog(scene.shop)) == rows
        assert ids_of(lake.catalog(scene.agent)) == OLD
        check_files(lake, scene, complete=complete)
