"""Databases that DuckDB wrote, once for each kind of metadata database."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from forklake import Lake
from tests.interop.ducklake import Answers, duckdb_with_ducklake, snapshot_numbers, state, url_of
from tests.interop.history import write_everything
from tests.servers import PostgresServer
from tests.sound import check_sound


@dataclass
class Source:
    """A DuckLake database: how DuckDB names it, how forklake does, and what it answered."""

    ducklake_url: str
    url: str
    directory: Path
    numbers: list[int] = field(default_factory=list)
    _states: dict[int, Answers] = field(default_factory=dict)

    def state(self, number: int) -> Answers:
        """Return what DuckDB answers from it at a snapshot."""
        if number not in self._states:
            self._states[number] = state(self.ducklake_url, number)
        return self._states[number]


@pytest.fixture(scope="session", autouse=True)
def _extensions() -> None:
    """Skip where the extensions are not installed; fail where CI is set, for there they must be."""
    if not os.environ.get("CI"):
        pytest.importorskip("duckdb_extension_ducklake")
    duckdb_with_ducklake()


@pytest.fixture(scope="session")
def everything(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Source]:
    """The history that uses everything; the parameter says in which database."""
    directory = tmp_path_factory.mktemp("everything")
    if request.param == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres_server")
        database = server.create_database()
        source = Source(f"ducklake:postgres:{_words(database)}", database, directory)
    else:
        path = directory / f"lake.{'sqlite' if request.param == 'sqlite' else 'ducklake'}"
        source = Source(url_of(path), str(path), directory)
    write_everything(source.ducklake_url, directory)
    source.numbers = snapshot_numbers(source.ducklake_url)
    yield source
    if request.param == "postgres":
        server.drop_database(source.url)


@pytest.fixture
def small_lake(tmp_path: Path) -> Iterator[Lake]:
    """An empty lake in a SQLite file; in the end all is well with it."""
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "own") as lake:
        yield lake
        check_sound(lake)


def _words(url: str) -> str:
    words: dict[str, Any] = dict(conninfo_to_dict(url))
    return make_conninfo(**words)
