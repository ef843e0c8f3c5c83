"""Some of the same tricks on a lake in PostgreSQL, all of whose tenants share tables."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

import forklake
from forklake import Settings
from forklake.metastore.postgres import initialise
from tests.isolation.play import play
from tests.isolation.tricks import CHANGES, FAMILIES, GRIDS, calls
from tests.isolation.world import World
from tests.servers import PostgresServer

CHANCE = Random(7)
SOME = {
    "names": CHANCE.sample(GRIDS["names"].all(), 40),
    "functions": CHANCE.sample(calls(CHANCE, 2), 60),
    "catalogs": CHANCE.sample(FAMILIES["catalogs"], 30),
    "lives": CHANCE.sample(FAMILIES["lives"], 40),
    "past": CHANCE.sample(FAMILIES["past"], 20),
    "times": CHANCE.sample(FAMILIES["times"], 20),
    "listings": CHANCE.sample(FAMILIES["listings"], 20),
    "attach": CHANCE.sample(FAMILIES["attach"], 20),
}


@pytest.fixture(scope="module")
def world(postgres_server: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    directory, url = tmp_path_factory.mktemp("world"), postgres_server.create_database()
    initialise(url, None, Settings())
    with forklake.open(url, data_path=directory / "files", settings=Settings(engine="local")) as lake:
        yield World.make(lake, directory)
    postgres_server.drop_database(url)


@pytest.mark.parametrize("family", SOME)
def test_no_trick_reaches_another_tenant_on_postgres(
    world: World, family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(world.directory)
    play(world, SOME[family], world.session)


def test_what_was_given_to_read_does_not_change_on_postgres(world: World) -> None:
    play(world, CHANCE.sample(CHANGES, 40), world.reader, keeps_guest=True)
