"""Some of the same tricks where Spark runs the statements, and those that Spark alone runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from random import Random
from typing import TYPE_CHECKING

import pytest

import forklake
from forklake import Catalog, Confinement, Connection, Lake, Settings
from tests.isolation.calls import calls_of
from tests.isolation.play import play
from tests.isolation.tricks import FAMILIES, GRIDS
from tests.isolation.world import AUTHOR, World

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CHANCE = Random(7)
SOME = {
    "names": GRIDS["names"].some(CHANCE, 1),
    "reads": CHANCE.sample(GRIDS["reads"].some(CHANCE, 1), 40),
    "stored": CHANCE.sample(FAMILIES["stored"], 30),
    "times": CHANCE.sample(FAMILIES["times"], 20),
    "hidden": CHANCE.sample(FAMILIES["hidden"], 20),
    "settings": CHANCE.sample(FAMILIES["settings"], 30),
    "across": CHANCE.sample(calls_of("across"), 20),
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    directory = tmp_path_factory.mktemp("world")
    store = directory / "lake.db"
    with forklake.open(str(store), data_path=directory / "files", settings=Settings(engine="local")) as lake:
        yield World.make(lake, directory, store)


@pytest.fixture
def lake(world: World, spark: SparkSession) -> Iterator[Lake]:
    with forklake.open(str(world.store), spark=spark, settings=Settings(engine="spark")) as lake:
        yield lake


@pytest.mark.parametrize("family", SOME)
def test_no_trick_reaches_another_tenant_on_spark(
    world: World, lake: Lake, family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def open_session(guest: Catalog) -> AbstractContextManager[Connection]:
        return lake.catalog(guest.name).session(confined=Confinement(author=AUTHOR))

    monkeypatch.chdir(world.directory)
    play(world, SOME[family], open_session)
