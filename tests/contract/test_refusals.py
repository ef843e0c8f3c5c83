"""PostgreSQL says no: what was wrong, what to do, and whether trying again can help."""

import socket
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from forklake import Lake, Settings
from forklake.errors import ForklakeError, MetastoreError, MetastoreRefusedError, MetastoreUnavailableError
from forklake.metastore.postgres import initialise
from forklake.metastore.postgres_address import Address
from forklake.metastore.postgres_connect import Connector
from forklake.metastore.postgres_pool import ConnectionPool
from forklake.ops.lakes.init_lake import init_lake
from tests.contract.test_passwords import SECRET
from tests.servers import SwitchedPostgres
from tests.waiting import wait_until


@pytest.fixture(scope="module")
def guarded(switched_postgres: SwitchedPostgres) -> SwitchedPostgres:
    """A server with roles that may do little, and one that needs a password."""
    server = switched_postgres.server
    initialise(server.maintenance_url, None, Settings())
    Lake(server.maintenance_url, data_path="/data").close()
    rules = switched_postgres.directory / "data" / "pg_hba.conf"
    before = rules.read_text()
    rules.write_text(f"local all outsider reject\nlocal all guarded scram-sha-256\n{before}")
    with psycopg.connect(server.maintenance_url, autocommit=True) as connection:
        for statement in (
            "SELECT pg_reload_conf()",
            f"CREATE ROLE guarded LOGIN PASSWORD '{SECRET}'",
            "CREATE ROLE narrow LOGIN CONNECTION LIMIT 1",
            "CREATE ROLE poor LOGIN",
            "CREATE ROLE reader LOGIN",
            "ALTER ROLE reader SET default_transaction_read_only = on",
            "GRANT USAGE ON SCHEMA forklake TO narrow, reader",
            "GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA forklake TO narrow, reader",
            "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA forklake TO reader",
            "CREATE DATABASE private",
            "REVOKE CONNECT ON DATABASE private FROM public",
        ):
            connection.execute(statement)
    # The rules count from the next connection after the server has read them.
    switched_postgres.stop()
    switched_postgres.start()
    return switched_postgres


@pytest.fixture
def narrow(guarded: SwitchedPostgres) -> str:
    """The address for a role that may have one connection, when nobody has it."""
    with psycopg.connect(guarded.server.maintenance_url, autocommit=True) as connection:
        # A server process ends some time after its client.
        count = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'narrow'"
        wait_until(lambda: connection.execute(count).fetchone() == (0,), "the end of a connection")
    return make_conninfo(guarded.server.maintenance_url, user="narrow")


REFUSED = [
    ("user=guarded password=wrong-one", "refused the login .* password authentication failed", "Check user, password"),
    ("user=guarded", "refused the login .* no password supplied", "Check user, password"),
    ("user=missing", 'refused the login .* role "missing" does not exist', "Check user, password"),
    ("user=outsider", "refused the login .* pg_hba.conf rejects", "pg_hba.conf"),
    ("user=poor dbname=nowhere", 'does not exist .* database "nowhere" does not exist', "create it and run `forklake"),
    ("user=poor dbname=private", "may not connect .* permission denied for database", "GRANT CONNECT ON DATABASE"),
    ("user=poor", "does not allow this: permission denied for schema forklake", 'USAGE on the schema "forklake"'),
]


@pytest.mark.parametrize(("words", "complaint", "advice"), REFUSED)
def test_what_somebody_must_put_right_is_not_worth_trying_again(
    guarded: SwitchedPostgres, words: str, complaint: str, advice: str
) -> None:
    address = "postgres:" + make_conninfo(guarded.server.maintenance_url, **dict(w.split("=") for w in words.split()))
    attempts: list[Callable[[], object]] = [lambda: Lake(address)]
    if words != "user=poor":  # who may connect may see that the lake is there
        attempts.append(lambda: init_lake(address))
    for attempt in attempts:
        with pytest.raises(MetastoreRefusedError, match=complaint) as caught:
            attempt()
        assert not caught.value.retryable
        assert advice in (caught.value.hint or "")
        assert "wrong-one" not in "".join(traceback.format_exception(caught.value))


def test_a_role_without_the_right_to_make_schemas_is_told_what_it_needs(guarded: SwitchedPostgres) -> None:
    address = make_conninfo(guarded.server.maintenance_url, user="poor")
    with pytest.raises(MetastoreRefusedError, match="The metadata tables were not made") as caught:
        init_lake(f"postgres:{address} metadata_schema=other")
    assert "GRANT CREATE ON DATABASE" in (caught.value.hint or "")


def test_a_server_that_only_reads_refuses_a_change(guarded: SwitchedPostgres) -> None:
    with Lake("postgres:" + make_conninfo(guarded.server.maintenance_url, user="reader")) as lake:
        with pytest.raises(MetastoreRefusedError, match=r"is read-only: .*; nothing was changed") as caught:
            lake.options.set("auto_compact", False)
        assert "target_session_attrs" in (caught.value.hint or "")


def test_a_role_without_rights_on_the_tables_is_told_so(narrow: str) -> None:
    with Lake(f"postgres:{narrow}") as lake:
        with pytest.raises(MetastoreRefusedError, match="does not allow this: permission denied") as caught:
            lake.create_catalog("shop")
        assert not caught.value.retryable


# ---- what passes ---------------------------------------------------------------------------------------------------


def test_too_many_connections_are_worth_trying_again(narrow: str) -> None:
    with psycopg.connect(narrow):
        with pytest.raises(MetastoreUnavailableError, match=r"takes no more connections .* too many conn") as caught:
            Lake(f"postgres:{narrow}")
        assert caught.value.retryable


def test_who_cannot_get_a_connection_of_his_own_waits_for_one_of_the_lake(narrow: str) -> None:
    # The server grants one connection; the lake would make four.
    with Lake(f"postgres:{narrow}") as lake:
        store = lake._runtime.store
        with ThreadPoolExecutor(8) as threads:
            found = list(threads.map(lambda n: store.query("SELECT :n, pg_sleep(0.01)", n=n)[0][0], range(40)))
    assert found == list(range(40))


def test_who_waits_too_long_for_a_connection_is_told_who_has_them(postgres_database: str, tmp_path: Path) -> None:
    initialise(postgres_database, None, Settings())
    settings = Settings(pool_size=1, pool_timeout_seconds=0.05)
    with Lake(postgres_database, data_path=tmp_path, settings=settings) as lake:
        with (
            lake._runtime.store.reading(),
            pytest.raises(MetastoreUnavailableError, match=r"Others used all 1 connections .* for 0\.05 s"),
        ):
            lake.catalogs()
        assert list(lake.catalogs()) == []


# In a process of its own: libpq asks a server how it is without giving way to other threads.
ANSWER = """
import socket, struct, sys

fields = b"".join(part.encode() + b"\\0" for part in ("SFATAL", "VFATAL", "C" + sys.argv[1], "M" + sys.argv[2], ""))
with socket.create_server(("127.0.0.1", 0)) as server:
    print(server.getsockname()[1], flush=True)
    while True:
        client, _ = server.accept()
        with client:
            while head := client.recv(8, socket.MSG_WAITALL):
                size, request = struct.unpack("!II", head)
                client.recv(size - 8, socket.MSG_WAITALL)
                if request in (80877103, 80877104):  # asks for encryption
                    client.sendall(b"N")
                    continue
                client.sendall(b"E" + struct.pack("!I", len(fields) + 4) + fields)
                break
"""


@contextmanager
def answering(code: str, text: str) -> Iterator[int]:
    """Give the port of a server that answers every login with an error."""
    command = [sys.executable, "-c", ANSWER, code, text]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield int(server.stdout.readline())
        finally:
            server.kill()


@pytest.mark.parametrize(
    ("code", "text", "kind"),
    [
        ("57P03", "the database system is starting up", MetastoreUnavailableError),
        ("57P03", "das Datenbanksystem startet", MetastoreUnavailableError),
        ("57P03", "le système de bases de données s'arrête", MetastoreUnavailableError),
        ("53300", "sorry, too many clients already", MetastoreUnavailableError),
        ("53300", "remaining connection slots are reserved for superusers", MetastoreUnavailableError),
        ("08P01", "no more connections allowed (max_client_conn)", MetastoreUnavailableError),
        ("08P01", "server login has been failing, try again later (server_login_retry)", MetastoreUnavailableError),
        ("28P01", "Passwort-Authentifizierung für Benutzer »me« fehlgeschlagen", MetastoreRefusedError),
        ("3D000", "Datenbank »lake« existiert nicht", MetastoreRefusedError),
        ("28000", 'role "me" is not permitted to log in', MetastoreRefusedError),
    ],
)
def test_a_server_that_cannot_now_is_told_from_one_that_will_not(
    code: str, text: str, kind: type[MetastoreError]
) -> None:
    with answering(code, text) as port, pytest.raises(ForklakeError) as caught:
        Lake(f"postgresql://me:{SECRET}@127.0.0.1:{port}/lake")
    assert isinstance(caught.value, kind)
    assert text in str(caught.value)
    assert SECRET not in "".join(traceback.format_exception(caught.value))


@pytest.mark.slow
def test_a_queue_learns_together_that_nobody_answers() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=64) as silent:
        connector = Connector(Address.parse(f"postgresql://me@127.0.0.1:{silent.getsockname()[1]}/lake"), Settings())
        pool = ConnectionPool(connector.connect, size=1, timeout_seconds=60)

        def attempt(_: int) -> str:
            with pytest.raises(MetastoreUnavailableError) as caught:
                pool.take()
            return str(caught.value)

        with ThreadPoolExecutor(8) as threads:
            told = set(threads.map(attempt, range(8)))
    (text,) = told
    assert "cannot be reached" in text
    assert "no answer within 2 s" in text


def test_the_words_of_the_url_count_for_more_than_our_defaults() -> None:
    words = "connect_timeout=7 application_name=mine tcp_user_timeout=0 keepalives_idle=99"
    ours = Connector(Address.parse("host=127.0.0.1"), Settings())._words
    theirs = Connector(Address.parse(f"host=127.0.0.1 {words}"), Settings())._words
    assert (ours["connect_timeout"], ours["application_name"]) == (2, "forklake")
    assert {key: str(theirs[key]) for key in ("connect_timeout", "application_name", "keepalives_idle")} == {
        "connect_timeout": "7",
        "application_name": "mine",
        "keepalives_idle": "99",
    }
