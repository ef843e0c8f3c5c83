"""A socket between a client and PostgreSQL, which passes on what both say, and counts round trips."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

_READY = ord("Z")
"""The message that ends an answer of the server: the client has waited for it."""


class Passage:
    """Passes on what client and server say."""

    def __init__(self, url: str, directory: Path) -> None:
        info = conninfo_to_dict(url)
        self._server = str(info["host"]), int(info.get("port") or 5432)
        self.url = "postgres:" + make_conninfo(url, host=str(directory), port="5432")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(f"{directory}/.s.PGSQL.5432")
        self._listener.listen()
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._accepting.join()

    def hears(self, data: bytes, client: socket.socket, server: socket.socket) -> bool:
        """Pass on what the client said; return whether to go on."""
        server.sendall(data)
        return True

    def answers(self, data: bytes, rest: bytes) -> bytes:
        """Look at what the server said; return what it has not said to the end, which comes back as ``rest``."""
        return b""

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        server = _connected(*self._server)
        answers = threading.Thread(target=self._pass_on, args=(server, client), daemon=True)
        answers.start()
        while data := _received(client):
            if not self.hears(data, client, server):
                answers.join()  # the server does what it heard before it hears of the end
                break
        for end in (client, server):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        answers.join()
        client.close()
        server.close()

    def _pass_on(self, server: socket.socket, client: socket.socket) -> None:
        rest = b""
        while data := _received(server):
            rest = self.answers(data, rest)
            try:
                client.sendall(data)
            except OSError:
                return


class RoundTrips(Passage):
    """Counts how often clients waited for an answer, however many statements it was about."""

    def __init__(self, url: str, directory: Path) -> None:
        self.count = 0
        super().__init__(url, directory)

    def answers(self, data: bytes, rest: bytes) -> bytes:
        messages, rest = split(rest + data)
        self.count += sum(message[0] == _READY for message in messages)
        return rest


def split(data: bytes) -> tuple[list[bytes], bytes]:
    """Return the whole messages in some bytes, and what is left."""
    messages = []
    while len(data) >= 5 and len(data) > (size := int.from_bytes(data[1:5], "big")):
        messages.append(data[: size + 1])
        data = data[size + 1 :]
    return messages, data


def _connected(host: str, port: int) -> socket.socket:
    if not host.startswith("/"):
        return socket.create_connection((host, port))
    server = socket.socket(socket.AF_UNIX)
    server.connect(f"{host}/.s.PGSQL.{port}")
    return server


def _received(end: socket.socket) -> bytes:
    try:
        return end.recv(1 << 16)
    except OSError:
        return b""


@contextmanager
def counted_round_trips(url: str, directory: Path) -> Iterator[RoundTrips]:
    """Stand between the clients of the yielded ``url`` and the database at ``url``; one thread at a time asks."""
    passage = RoundTrips(url, directory)
    try:
        yield passage
    finally:
        passage.close()
