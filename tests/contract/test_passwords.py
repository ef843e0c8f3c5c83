"""A password is never shown: not in an error, its causes, a repr, nor a log."""

import logging
import socket
import struct
import threading
import traceback
from collections.abc import Callable, Iterator

import pytest

from forklake import Lake, Settings
from forklake.errors import ConfigError, ForklakeError, MetastoreRefusedError
from forklake.metastore.postgres import initialise
from tests.servers import PostgresServer

SECRET = "hunter2-swordfish"
SETTINGS = Settings(connect_timeout_seconds=2)


def message(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("!I", len(body) + 4) + body


def refuse(client: socket.socket) -> None:
    """Ask a PostgreSQL client for its password, and refuse it in an error that repeats it."""
    while True:
        head = client.recv(8, socket.MSG_WAITALL)
        if not head:
            return
        size, code = struct.unpack("!II", head)
        client.recv(size - 8, socket.MSG_WAITALL)
        if code not in (80877103, 80877104):  # asks for encryption
            break
        client.sendall(b"N")
    client.sendall(message(b"R", struct.pack("!I", 3)))
    if not client.recv(1, socket.MSG_WAITALL):
        return
    (size,) = struct.unpack("!I", client.recv(4, socket.MSG_WAITALL))
    password = client.recv(size - 4, socket.MSG_WAITALL).rstrip(b"\0")
    fields = b"SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed: it is not " + password + b"\0\0"
    client.sendall(message(b"E", fields))


@pytest.fixture
def gossip() -> Iterator[int]:
    """The port of a server that repeats every password it is given."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return
                with client:
                    refuse(client)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join(10)


def shown(error: BaseException) -> str:
    """Return all that a user may get to see of an error."""
    return f"{error!r} {error} {getattr(error, 'hint', '')}"


@pytest.mark.slow
def test_a_refused_password_is_not_repeated(gossip: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    attempts: tuple[Callable[[str], object], ...] = (
        lambda url: Lake(url, settings=SETTINGS),
        lambda url: initialise(url, None, SETTINGS),
    )
    for attempt in attempts:
        with pytest.raises(MetastoreRefusedError, match="password authentication failed") as caught:
            attempt(f"postgresql://me:{SECRET}@127.0.0.1:{gossip}/lake")
        assert SECRET not in shown(caught.value)
    assert SECRET not in caplog.text


def test_the_login_of_nobody_is_refused(postgres_server: PostgresServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    host = postgres_server.maintenance_url.split("host=")[-1]
    url = f"postgresql://nobody-knows-me:{SECRET}@/postgres?host={host}"
    with pytest.raises(MetastoreRefusedError, match="nobody-knows-me") as caught:
        Lake(url, settings=SETTINGS)
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    assert SECRET not in caplog.text


@pytest.mark.parametrize("url", [f"postgresql://me:{SECRET}@h:port/x", f"postgres:password={SECRET} what ever"])
def test_a_connection_string_that_makes_no_sense_is_not_repeated(url: str) -> None:
    with pytest.raises(ForklakeError) as caught:
        Lake(url, settings=SETTINGS)
    assert isinstance(caught.value, ConfigError | MetastoreRefusedError)
    assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_a_lake_shows_where_it_is_without_its_password(postgres_database: str) -> None:
    initialise(postgres_database, None, SETTINGS)
    url = postgres_database + f"&password={SECRET}&sslpassword={SECRET}"
    with Lake(url, settings=SETTINGS) as lake:
        assert SECRET not in repr(lake)
        assert "dbname=forklake_" in repr(lake)
