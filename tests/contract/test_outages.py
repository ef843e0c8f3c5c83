"""PostgreSQL goes away and comes back: an open lake says so at once, and works again when the server does."""

import logging
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from forklake import CatalogInfo, Lake, Settings
from forklake.errors import MetastoreUnavailableError
from forklake.metastore.postgres import initialise
from tests.contract.support import data_file, file_names, names
from tests.lakes import IMPATIENT
from tests.servers import PgBouncer, SwitchedPostgres, database_name


@pytest.fixture
def url(switched_postgres: SwitchedPostgres) -> Iterator[str]:
    """A lake on the server that goes off and on."""
    url = switched_postgres.server.create_database()
    initialise(url, None, Settings())
    yield url
    switched_postgres.start()
    switched_postgres.server.drop_database(url)


@pytest.fixture
def lake(url: str, tmp_path: Path) -> Iterator[Lake]:
    with Lake(url, data_path=tmp_path, settings=IMPATIENT) as lake:
        lake.create_catalog("shop").create_table("orders", {"id": "BIGINT"})
        yield lake


def use_connections(lake: Lake, count: int = 3) -> None:
    """Use several connections at one time, so that the lake has so many open."""
    together = threading.Barrier(count)

    def use() -> None:
        with lake._runtime.store.reading():
            together.wait(30)

    with ThreadPoolExecutor(count) as threads:
        for found in [threads.submit(use) for _ in range(count)]:
            found.result()


def test_an_open_lake_works_as_soon_as_the_server_is_back(
    switched_postgres: SwitchedPostgres,
    lake: Lake,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    shop = lake.catalog("shop")
    for calls in (1, 30):
        switched_postgres.stop()
        for _ in range(calls):
            with pytest.raises(MetastoreUnavailableError, match=r"^PostgreSQL cannot be reached \(.*\): ") as caught:
                shop.tables()
            assert caught.value.retryable
            assert caught.value.hint == "Check that the server runs, and its host and port."
        switched_postgres.start()
        assert names(shop) == ["orders"]
    assert [record for record in caplog.records if record.levelno >= logging.INFO] == []
    assert capfd.readouterr() == ("", "")


def test_a_change_does_not_notice_that_the_server_was_restarted(
    switched_postgres: SwitchedPostgres, lake: Lake
) -> None:
    shop = lake.catalog("shop")
    changes: tuple[Callable[[], object], ...] = (
        lambda: lake.create_catalog("other"),
        lambda: lake.options.set("auto_compact", False),
        lambda: shop.table("orders").storage.append_files([data_file("a")]),
        lambda: shop.fork("agent"),
        lambda: lake.catalog("other").drop(),
    )
    for change in changes:
        use_connections(lake)
        switched_postgres.stop()
        switched_postgres.start()
        change()
    assert [info.name for info in lake.catalogs()] == ["agent", "shop"]
    assert file_names(shop, "orders") == ["a"]


def test_a_lake_behind_pgbouncer_does_not_notice_that_the_server_was_restarted(
    switched_postgres: SwitchedPostgres, switched_pgbouncer: PgBouncer, url: str, tmp_path: Path
) -> None:
    with Lake(switched_pgbouncer.url(database_name(url)), data_path=tmp_path, settings=IMPATIENT) as lake:
        for name in ("shop", "other"):
            use_connections(lake)
            switched_postgres.stop()
            switched_postgres.start()
            lake.create_catalog(name).create_table("orders", {"id": "BIGINT"})
        switched_postgres.stop()
        switched_postgres.start()
        assert names(lake.catalog("shop")) == ["orders"]


def test_a_pooler_without_a_server_is_told_and_not_waited_for(
    switched_postgres: SwitchedPostgres, switched_pgbouncer: PgBouncer, url: str, tmp_path: Path
) -> None:
    settings = Settings(pool_timeout_seconds=0.5)
    through = switched_pgbouncer.url(database_name(url))
    with Lake(through, data_path=tmp_path, settings=settings) as lake:
        lake.create_catalog("shop")
        switched_postgres.stop()
        # The pooler lets the first wait, for two minutes if nobody stops it, and refuses those who come later.
        for complaint in ("a pooler in front of it, did not answer for 0.5 s", "PostgreSQL|metadata database"):
            with pytest.raises(MetastoreUnavailableError, match=complaint) as caught:
                lake.catalogs()
            assert caught.value.retryable
        with pytest.raises(MetastoreUnavailableError):
            Lake(through, settings=settings)
        switched_postgres.start()
        assert [info.name for info in until_it_works(lake.catalogs)] == ["shop"]


def until_it_works(call: Callable[[], list[CatalogInfo]]) -> list[CatalogInfo]:
    """Try until a pooler has found its server again."""
    deadline = time.monotonic() + 120
    while True:
        try:
            return call()
        except MetastoreUnavailableError:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_the_command_line_says_that_the_server_is_away_and_nothing_else(
    switched_postgres: SwitchedPostgres, url: str
) -> None:
    switched_postgres.stop()
    for command in (["catalog", "list"], ["init"], ["stats"]):
        program = [sys.executable, "-c", "from forklake.cli.main import main; main()", "--lake", url, *command]
        done = subprocess.run(program, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (8, "")
        error, hint = done.stderr.splitlines()
        assert error.startswith("Error: PostgreSQL cannot be reached (")
        assert hint == "Hint: Check that the server runs, and its host and port."
