"""PostgreSQL loses the connection in the middle of a commit or a fork: the client gets it done, once and whole."""

import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from forklake import Lake, RetryPolicy, Settings
from forklake.errors import CommitUnknownError
from tests.lakes import LakeFactory, postgres_lakes
from tests.race.deeds import DEEDS, fill
from tests.race.processes import Job, Worker
from tests.race.proxy import running_proxy
from tests.race.state import check_rules, difference, dump
from tests.race.stops import stop_at, victim
from tests.servers import PgBouncer, PostgresServer, database_name

pytestmark = [
    pytest.mark.parametrize("lake_factory", ["postgres"], indirect=True),
    pytest.mark.filterwarnings("ignore::forklake.errors.SharedDataPathWarning"),  # each test has a copy of one lake
]

PATIENT = Settings(retry=RetryPolicy(max_retry_count=20, wait_seconds=0.01))

COMMIT_WRITES = (
    "ducklake_head",
    "ducklake_snapshot",
    "ducklake_snapshot_lineage",
    "ducklake_snapshot_changes",
    "ducklake_tombstone",
    "ducklake_schema_versions",
    "ducklake_schema",
    "ducklake_table",
    "ducklake_column",
    "ducklake_column_mapping",
    "ducklake_name_mapping",
    "ducklake_data_file",
    "ducklake_delete_file",
    "ducklake_file_column_stats",
    "ducklake_table_stats",
    "ducklake_table_column_stats",
)
FORK_WRITES = (
    "ducklake_catalog",
    "ducklake_head",
    "ducklake_segment",
    "ducklake_snapshot",
    "ducklake_snapshot_lineage",
    "ducklake_snapshot_changes",
    "ducklake_metadata",
)
STOPS = [("commit", table) for table in COMMIT_WRITES] + [("several forks", table) for table in FORK_WRITES]


def do(url: str, deed: str) -> None:
    with Lake(url, settings=PATIENT) as lake:
        DEEDS[deed](lake)


@cache
def _filled(server: PostgresServer, empty: str) -> str:
    """Return a database with something in it, to copy."""
    url = server.create_database(template=empty)
    with Lake(url, data_path="/data") as lake:
        fill(lake)
    return url


@pytest.fixture
def filled(lake_factory: LakeFactory) -> Iterator[str]:
    """The URL of a lake with something in it, to which nobody is connected."""
    server = lake_factory.server
    assert server is not None
    url = server.create_database(template=_filled(server, postgres_lakes(server).template))
    yield url
    server.drop_database(url)


@pytest.fixture
def socket_directory() -> Iterator[Path]:
    """A directory whose name is short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="forklake-") as name:
        yield Path(name)


@pytest.mark.parametrize(("deed", "table"), STOPS)
def test_a_backend_that_dies_after_writing_a_table_has_written_nothing_and_the_client_tries_again(
    filled: str, deed: str, table: str
) -> None:
    trigger = f"TRIGGER stop AFTER INSERT OR UPDATE ON forklake.{table} FOR EACH STATEMENT"
    _check_that_death_is_survived(filled, deed, trigger)


@pytest.mark.parametrize(("deed", "table"), [("commit", "ducklake_head"), ("several forks", "ducklake_segment")])
def test_a_backend_that_dies_while_it_commits_has_written_nothing_and_the_client_tries_again(
    filled: str, deed: str, table: str
) -> None:
    trigger = (
        f"CONSTRAINT TRIGGER stop AFTER INSERT OR UPDATE ON forklake.{table} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
    )
    _check_that_death_is_survived(filled, deed, trigger)


def _check_that_death_is_survived(url: str, deed: str, trigger: str) -> None:
    with Lake(url) as lake, stop_at(url, trigger) as stop:
        before = dump(lake)
        client = Worker(Job(deed, do, (victim(url), deed)))
        try:
            stop.terminate(stop.wait_for_victim())
        except AssertionError:
            client.result()
            raise
        # The client is at it again, and stands at the same place.
        second = stop.wait_for_victim()
        assert not difference(before, dump(lake)), "half of it can be seen"
        stop.terminate(second)
        assert not difference(before, dump(lake)), "half of it can be seen"
        stop.open()
        client.result()
        _check_done_once(lake, deed, before)


def _check_done_once(lake: Lake, deed: str, before: dict[str, list[tuple[str, ...]]]) -> None:
    check_rules(lake)
    after = dump(lake)
    made = len(after["ducklake_snapshot"]) - len(before["ducklake_snapshot"])
    assert made == {"commit": 1, "fork": 1, "several forks": 3}[deed], difference(before, after)
    if deed == "commit":
        assert [table.name for table in lake.catalog("agent").tables()] == ["sales", "new"]
    else:
        assert lake.catalog("forked").head > lake.catalog("shop").head


def test_the_stops_are_at_all_tables_that_are_written(lake_factory: LakeFactory) -> None:
    with lake_factory.open() as lake:
        fill(lake)
        for deed, expected in (("commit", COMMIT_WRITES), ("several forks", FORK_WRITES)):
            before = dump(lake)
            DEEDS[deed](lake)
            after = dump(lake)
            assert {table for table in after if after[table] != before[table]} == set(expected), deed


@pytest.mark.parametrize(("deed", "word"), [("commit", b"lake_commit"), ("fork", b"lake_fork")])
@pytest.mark.parametrize("times", [1, 3])
def test_an_answer_that_is_lost_is_asked_for_again_and_the_work_is_done_once(
    filled: str, deed: str, word: bytes, times: int, socket_directory: Path
) -> None:
    with Lake(filled) as lake, running_proxy(filled, socket_directory, word, times=times) as proxy:
        before = dump(lake)
        Worker(Job(deed, do, (proxy.url, deed))).result()
        assert proxy.lost == times
        _check_done_once(lake, deed, before)


@pytest.mark.parametrize(("deed", "word"), [("commit", b"lake_commit"), ("fork", b"lake_fork")])
def test_an_answer_that_is_lost_before_a_pooler_is_asked_for_again_and_the_work_is_done_once(
    filled: str, deed: str, word: bytes, pgbouncer: PgBouncer, socket_directory: Path
) -> None:
    pooled = pgbouncer.url(database_name(filled))
    with Lake(filled) as lake, running_proxy(pooled, socket_directory, word, times=3) as proxy:
        before = dump(lake)
        Worker(Job(deed, do, (proxy.url, deed))).result()
        assert proxy.lost == 3
        _check_done_once(lake, deed, before)


def give_up(url: str, deed: str) -> str | None:
    """Do a deed whose answer never comes, and return the commit key that the error names."""
    with Lake(url, settings=Settings(retry=RetryPolicy(max_retry_count=2, wait_seconds=0.01))) as lake:
        try:
            DEEDS[deed](lake)
        except CommitUnknownError as error:
            return f"{error.commit_key}: {error}"
        return None


@pytest.mark.parametrize(("deed", "word"), [("commit", b"lake_commit"), ("fork", b"lake_fork")])
def test_an_answer_that_never_comes_is_told_as_unknown_and_the_work_is_done_once(
    filled: str, deed: str, word: bytes, socket_directory: Path
) -> None:
    with Lake(filled) as lake, running_proxy(filled, socket_directory, word, times=1000) as proxy:
        before = dump(lake)
        told = Worker(Job(deed, give_up, (proxy.url, deed))).result()
        assert told is not None
        assert told.startswith("once: " if deed == "commit" else "None: "), told
        _check_done_once(lake, deed, before)
        if deed == "commit":
            agent = lake.catalog("agent")
            with agent.transaction(commit_key="once") as transaction:
                transaction.create_table("another", {"id": "BIGINT"})
            assert transaction.snapshot_id == agent.head
            _check_done_once(lake, deed, before)
