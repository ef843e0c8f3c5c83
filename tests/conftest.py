"""Fixtures of all tests. Services are started on first use, once per pytest process."""

import os
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NoReturn

import pytest
from hypothesis import settings

from forklake import Lake
from tests.java import start_quickly
from tests.lakes import EMBEDDED, STORES, LakeFactory, lakes
from tests.servers import (
    PgBouncer,
    PostgresServer,
    SwitchedPostgres,
    UnavailableError,
    running_pgbouncer,
    running_postgres,
    running_switched_postgres,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from xdist.remote import Producer

    from tests.turns import Turns

# A busy machine is no bug, so no deadline. FORKLAKE_HISTORIES sets how many histories a property test tries.
settings.register_profile(
    "forklake", deadline=None, print_blob=True, max_examples=int(os.environ.get("FORKLAKE_HISTORIES", "100"))
)
settings.load_profile("forklake")
start_quickly()


# What --fast leaves out: by folder, and by the fixtures that start a server or Java.
SLOW_FOLDERS = ("interop", "isolation", "property", "race", "spark", "sql")
SLOW_FIXTURES = {"postgres_server", "switched_postgres", "spark"}

SPARK_FOLDERS = ("interop", "spark", "sql")
"""Whose statements run on Spark, however small, unless a test says otherwise."""

DUCKDB_FOLDERS = {"contract", "interop"}
DUCKDB_MODULES = {
    "test_commits",
    "test_stores",
    "test_upgrades",
    "test_web_views",
}
DUCKDB_TESTS = {"test_every_store_finds_what_is_broken", "test_pages_of_catalogs_leave_nobody_out"}


@pytest.fixture(autouse=True, scope="module")
def engine_of_folder(request: pytest.FixtureRequest) -> Iterator[None]:
    """Have statements run on Spark in the folders that test what Spark does."""
    with pytest.MonkeyPatch.context() as patch:
        if any(folder in request.path.parts for folder in SPARK_FOLDERS):
            patch.setenv("FORKLAKE_ENGINE", "spark")
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add an option for the tests that one runs after every change."""
    parser.addoption(
        "--fast", action="store_true", help="only tests without a server, without Java, and not marked slow"
    )
    parser.addoption("--soak", action="store_true", help="only tests that are marked soak, which are else left out")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even read the folders that --fast leaves out, unless one of them was asked for by name."""
    is_left_out = config.getoption("fast") and collection_path in {
        Path(__file__).parent / name for name in SLOW_FOLDERS
    }
    return True if is_left_out else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is for a long run, and what is slow, if that was asked for."""
    is_soak, is_fast = config.getoption("soak"), config.getoption("fast")
    chosen: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        is_for_soak = item.get_closest_marker("soak") is not None or _is_more_of_duckdb(item)
        is_wanted = is_for_soak == is_soak and not (is_fast and _is_slow(item))
        (chosen if is_wanted else left).append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = chosen


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: "Producer") -> "Turns | None":
    """Give whole files to workers, as `turns` says, unless the caller wants it otherwise."""
    if config.getoption("dist") != "loadfile":
        return None
    from tests.turns import Turns  # noqa: PLC0415 - without xdist there are no turns

    return Turns(config, log)


def _is_more_of_duckdb(item: pytest.Item) -> bool:
    """Return whether a test is one of those on a DuckDB file that only a long run makes.

    DuckDB is slow with many small statements, and speaks as PostgreSQL does. A part of the contract is enough to see
    whether it still speaks so.
    """
    is_of_part = item.path.stem in DUCKDB_MODULES or item.name.partition("[")[0] in DUCKDB_TESTS
    return _folder(item) in DUCKDB_FOLDERS and _store(item) == "duckdb" and not is_of_part


def _folder(item: pytest.Item) -> str:
    return item.path.relative_to(Path(__file__).parent).parts[0]


def _store(item: pytest.Item) -> str | None:
    """Return the kind of lake that a test is for; None if it does not say."""
    spec = getattr(item, "callspec", None)
    return None if spec is None else str(spec.params.get("lake_factory", "sqlite"))


def _is_slow(item: pytest.Item) -> bool:
    assert isinstance(item, pytest.Function)
    folder, store = _folder(item), _store(item)
    return (
        folder in SLOW_FOLDERS
        or item.get_closest_marker("slow") is not None
        or not SLOW_FIXTURES.isdisjoint(item.fixturenames)
        or store not in (None, "sqlite")
    )


def _skip_or_fail(reason: Exception | str) -> NoReturn:
    """Skip what needs a missing service; fail where CI is set, for there it must not be missing."""
    if os.environ.get("CI"):
        pytest.fail(str(reason), pytrace=False)
    pytest.skip(str(reason))


@pytest.fixture(scope="session", autouse=True)
def _outside_the_checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let relative paths lead to a temporary directory, also for children: nothing is left where the code is."""
    root, before = str(Path(__file__).parents[1]), os.getcwd()
    os.environ["PYTHONPATH"] = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    os.chdir(tmp_path_factory.mktemp("work"))
    yield
    os.chdir(before)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL server for databases of one's own."""
    try:
        with running_postgres() as server:
            yield server
    except UnavailableError as reason:
        _skip_or_fail(reason)


@pytest.fixture(scope="session")
def pgbouncer(postgres_server: PostgresServer) -> Iterator[PgBouncer]:
    """PgBouncer in transaction mode, in front of `postgres_server`."""
    try:
        with running_pgbouncer(postgres_server) as bouncer:
            yield bouncer
    except UnavailableError as reason:
        _skip_or_fail(reason)


@pytest.fixture(scope="session")
def switched_postgres() -> Iterator[SwitchedPostgres]:
    """A PostgreSQL server that tests turn off; they leave it on."""
    try:
        with running_switched_postgres() as server:
            yield server
    except UnavailableError as reason:
        _skip_or_fail(reason)


@pytest.fixture(scope="session")
def switched_pgbouncer(switched_postgres: SwitchedPostgres) -> Iterator[PgBouncer]:
    """PgBouncer in transaction mode, in front of `switched_postgres`."""
    try:
        with running_pgbouncer(switched_postgres.server) as bouncer:
            yield bouncer
    except UnavailableError as reason:
        _skip_or_fail(reason)


@pytest.fixture
def postgres_database(postgres_server: PostgresServer) -> Iterator[str]:
    """The URL of an empty database of this test alone."""
    url = postgres_server.create_database()
    yield url
    postgres_server.drop_database(url)


@pytest.fixture(params=STORES)
def lake_factory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LakeFactory]:
    """A maker of empty lakes, in each database; indirect parameters ask for other kinds."""
    kind = request.param
    server = None if kind in EMBEDDED else request.getfixturevalue("postgres_server")
    bouncer = request.getfixturevalue("pgbouncer") if kind == "pgbouncer" else None
    with lakes(kind, tmp_path, server, bouncer) as factory:
        yield factory


@pytest.fixture
def lake(lake_factory: LakeFactory) -> Iterator[Lake]:
    """An empty lake, in each database."""
    with lake_factory.open() as opened:
        yield opened


@pytest.fixture(scope="session")
def spark() -> Iterator["SparkSession"]:
    """A lean Spark session; whoever changes its settings puts them back."""
    # Spark is imported by the tests that need it, not by all.
    from forklake.engine.spark.driver.java import check_java  # noqa: PLC0415
    from forklake.engine.spark.driver.session import session  # noqa: PLC0415
    from forklake.errors import EngineError  # noqa: PLC0415

    try:
        check_java()
    except EngineError as reason:
        _skip_or_fail(reason)
    started = session(
        None,
        {
            "spark.master": "local[2]",
            "spark.driver.memory": "2g",
            "spark.buffer.pageSize": "2m",  # what each task of an aggregate asks for first, and fills with zeros
            "spark.driver.extraJavaOptions": "-XX:+UseSerialGC",  # the quickest where there is little to collect
            "spark.sql.shuffle.partitions": "2",
            "spark.default.parallelism": "2",
        },
    )
    yield started
    started.stop()


@pytest.fixture(scope="session")
def pyspark() -> None:
    """PySpark is there, for tests of what is left to Spark; it is not started, and needs no Java."""
    if find_spec("pyspark") is None:
        _skip_or_fail("PySpark is not installed")


@pytest.fixture(scope="session")
def pandas() -> ModuleType:
    """Pandas, for tests of its frames."""
    if find_spec("pandas") is None:
        _skip_or_fail("pandas is not installed")
    return import_module("pandas")


@pytest.fixture(autouse=True)
def _leaves_spark_alone(request: pytest.FixtureRequest) -> Iterator[None]:
    """See that only tests that ask for Spark start it: it would keep their directory for all tests that come after."""
    before = _active_spark()
    yield
    assert "spark" in request.fixturenames or _active_spark() is before, "the test started Spark"
    _activate_the_shared_session()


def _activate_the_shared_session() -> None:
    """Make the session of all tests the active one again: any other is, once it has made a frame of Python data."""
    sessions = sys.modules.get("pyspark.sql.session")
    shared = None if sessions is None else sessions.SparkSession._instantiatedSession
    if shared is not None and sessions is not None and sessions.SparkSession._activeSession is not shared:
        sessions.SparkSession._activeSession = shared
        sessions.SparkSession._get_j_spark_session_class(shared._jvm).setActiveSession(shared._jsparkSession)


def _active_spark() -> object:
    core = sys.modules.get("pyspark.core.context")
    return None if core is None else core.SparkContext._active_spark_context


@pytest.fixture
def local_clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Set the local clock of this process an hour ahead of UTC, two in summer."""
    with monkeypatch.context() as changed:
        changed.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
        time.tzset()
        yield
    time.tzset()
