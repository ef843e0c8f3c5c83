"""A server that goes away: what is done is done once, what is unknown is said to be, and nothing is half done.

The moments within a commit and a fork, and answers that are lost on their way, are tested in tests/race.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from forklake import Clock, Lake, RetryPolicy, Settings
from forklake.errors import CommitUnknownError, MetastoreUnavailableError
from forklake.metastore import postgres_pool
from forklake.metastore.postgres import initialise
from tests.contract.support import data_file, each, file_names, names, state
from tests.lakes import LakeFactory
from tests.servers import PostgresServer, running_postgres

postgres = pytest.mark.parametrize("lake_factory", ["postgres"], indirect=True)

OURS = "application_name = 'forklake' AND datname = current_database()"


class Saboteur:
    """Cuts off the connections of a lake, at a named step or whenever it is told to."""

    def __init__(self, factory: LakeFactory) -> None:
        self.url = factory.url()
        self.at: str | None = None
        self.waits: list[float] = []
        clock = Clock(sleep=self.waits.append, jitter=lambda: 1.0)
        self.lake = Lake(
            self.url, data_path=factory.directory, settings=Settings(clock=clock, on_step=self.on_step, pool_size=2)
        )
        self.connection = psycopg.connect(self.url, autocommit=True)

    def on_step(self, step: str) -> None:
        if step == self.at:
            self.at = None
            self.cut()

    def cut(self) -> int:
        found = self.connection.execute(
            f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE {OURS}".encode()
        ).fetchall()
        assert all(ended for (ended,) in found)
        return len(found)

    def close(self) -> None:
        self.connection.close()
        self.lake.close()


@pytest.fixture
def saboteur(lake_factory: LakeFactory) -> Iterator[Saboteur]:
    saboteur = Saboteur(lake_factory)
    yield saboteur
    saboteur.close()


@postgres
def test_a_reader_does_not_notice(saboteur: Saboteur) -> None:
    shop = saboteur.lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT"})
    for read in each(
        lambda: names(shop),
        lambda: names(shop.at(version=1)),
        saboteur.lake.catalogs,
        lambda: shop.options.get("auto_compact"),
        lambda: shop.table("orders").storage.files()[:],
    ):
        expected = read()
        assert saboteur.cut()
        assert read() == expected


@postgres
def test_a_commit_whose_connection_was_cut_before_is_made_once(saboteur: Saboteur) -> None:
    shop = saboteur.lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT"})
    count = len(shop.snapshots())
    saboteur.at = "commit: before the call"
    with shop.transaction(commit_key="job") as transaction:
        transaction.table("orders").storage.append_files([data_file("a")])
    assert saboteur.waits == []  # that the connection was dead was seen before anything was sent
    assert transaction.snapshot_id == shop.head
    assert file_names(shop, "orders") == ["a"]
    assert len(shop.snapshots()) == count + 1


@postgres
@pytest.mark.parametrize("many", [False, True])
def test_a_fork_whose_connection_was_cut_before_is_made_once(saboteur: Saboteur, many: bool) -> None:
    shop = saboteur.lake.create_catalog("shop")
    saboteur.at = "fork: before the call"
    made = shop.fork_many(["agent", "other"]) if many else [shop.fork("agent")]
    assert saboteur.waits == []
    expected = ["agent", "other"] if many else ["agent"]
    assert [fork.name for fork in made] == expected
    assert [info.name for info in saboteur.lake.catalogs()] == [*expected, "shop"]


@postgres
def test_a_commit_that_is_cut_while_it_waits_is_made_once(saboteur: Saboteur) -> None:
    shop = saboteur.lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT"})
    with psycopg.connect(saboteur.url) as blocker:
        blocker.execute("SELECT 1 FROM forklake.ducklake_head FOR UPDATE")

        def cut_when_it_waits() -> None:
            waiting = f"SELECT count(*) FROM pg_stat_activity WHERE {OURS} AND wait_event_type = 'Lock'".encode()
            while saboteur.connection.execute(waiting).fetchone() == (0,):
                time.sleep(0.01)
            saboteur.cut()
            blocker.rollback()

        thread = threading.Thread(target=cut_when_it_waits)
        thread.start()
        shop.table("orders").storage.append_files([data_file("a")])
        thread.join()
    assert saboteur.waits
    assert file_names(shop, "orders") == ["a"]


@postgres
def test_a_change_of_the_catalogs_that_could_not_begin_was_not_made(saboteur: Saboteur) -> None:
    lake = saboteur.lake
    shop = lake.create_catalog("shop")
    changes: tuple[Callable[[], object], ...] = (
        lambda: lake.create_catalog("other"),
        lambda: lake.catalog("shop").rename("store"),
        lambda: shop.options.set("auto_compact", False),
        lambda: shop.fork("copy", copy=True),
        lambda: lake.catalog("store").drop(),
    )
    for change in changes:
        before = state(lake)
        saboteur.cut()
        try:
            change()
        except MetastoreUnavailableError:
            assert state(lake) == before
            change()
        assert state(lake) != before
    assert [info.name for info in lake.catalogs()] == ["copy", "other"]


@postgres
def test_a_connection_that_nobody_uses_is_given_back_to_the_server(
    lake_factory: LakeFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_pool, "_IDLE_SECONDS", 0.05)
    url = lake_factory.url()
    with Lake(url, data_path=lake_factory.directory) as lake, psycopg.connect(url, autocommit=True) as watcher:
        for _ in range(2):
            assert list(lake.catalogs()) == []
            deadline = time.monotonic() + 120
            while watcher.execute(f"SELECT count(*) FROM pg_stat_activity WHERE {OURS}".encode()).fetchone() != (0,):
                assert time.monotonic() < deadline, "the connection is still open"
                time.sleep(0.01)


def end_at_once(server: PostgresServer) -> None:
    """End the server as if the power went; when this returns, none of its processes answers any more."""
    with psycopg.connect(server.maintenance_url) as connection:
        found = connection.execute("SHOW data_directory").fetchone()
    assert found is not None
    process_file = Path(found[0], "postmaster.pid")  # the server removes it after the last of its backends has gone
    os.kill(int(process_file.read_text().split()[0]), signal.SIGQUIT)
    deadline = time.monotonic() + 120
    while process_file.exists():
        assert time.monotonic() < deadline, "the server did not end"
        time.sleep(0.01)


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[tuple[PostgresServer, Lake]]:
    """A server that may die, and a lake on it that gives up soon."""
    if os.environ.get("FORKLAKE_TEST_POSTGRES"):
        pytest.skip("the server belongs to somebody else")
    settings = Settings(retry=RetryPolicy(1, 0.01), clock=Clock(jitter=lambda: 1.0))
    with running_postgres() as server:
        initialise(server.maintenance_url, None, Settings())
        with Lake(server.maintenance_url, data_path=tmp_path, settings=settings) as lake:
            lake.create_catalog("shop").create_table("orders", {"id": "BIGINT"})
            yield server, lake


def test_a_server_that_died_before_a_commit_is_told_as_that(mortal: tuple[PostgresServer, Lake]) -> None:
    server, lake = mortal
    shop = lake.catalog("shop")
    transaction = shop.transaction(commit_key="job")
    transaction.table("orders").storage.append_files([data_file("a")])
    end_at_once(server)
    for attempt in (
        transaction.commit,
        shop.tables,
        lambda: lake.create_catalog("other"),
        lambda: Lake(server.maintenance_url),
    ):
        with pytest.raises(MetastoreUnavailableError, match="PostgreSQL cannot be reached") as caught:
            attempt()
        assert caught.value.retryable


def test_a_server_that_dies_during_a_commit_leaves_it_unknown(mortal: tuple[PostgresServer, Lake]) -> None:
    server, lake = mortal
    shop = lake.catalog("shop")
    transaction = shop.transaction(commit_key="job")
    transaction.table("orders").storage.append_files([data_file("a")])
    with psycopg.connect(server.maintenance_url) as blocker:
        blocker.execute("SELECT 1 FROM forklake.ducklake_head FOR UPDATE")

        def end_when_it_waits() -> None:
            waiting = f"SELECT count(*) FROM pg_stat_activity WHERE {OURS} AND wait_event_type = 'Lock'".encode()
            with psycopg.connect(server.maintenance_url, autocommit=True) as watcher:
                while watcher.execute(waiting).fetchone() == (0,):
                    time.sleep(0.01)
            end_at_once(server)

        thread = threading.Thread(target=end_when_it_waits)
        thread.start()
        with pytest.raises(CommitUnknownError, match="It happened once or not at all") as unknown:
            transaction.commit()
        thread.join()
        blocker.close()
    assert unknown.value.commit_key == "job"
