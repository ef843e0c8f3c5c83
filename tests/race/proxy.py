"""A socket between a client and PostgreSQL that breaks at the worst moment: when the answer is on its way."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo


class Proxy:
    """Passes on what client and server say, until it hears a word; the answer to that is lost."""

    def __init__(self, url: str, directory: Path, word: bytes, *, times: int) -> None:
        info = conninfo_to_dict(url)
        self._server = f"{info['host']}/.s.PGSQL.{info.get('port') or 5432}"
        self._word = word
        self._left = times
        self.lost = 0
        """How many answers were lost."""
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

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        server = socket.socket(socket.AF_UNIX)
        server.connect(self._server)
        answers = threading.Thread(target=self._pass_on, args=(server, client), daemon=True)
        answers.start()
        while data := _received(client):
            if self._word in data and self._left:
                self._left -= 1
                self.lost += 1
                # The client hears nothing more; the server gets the request, and does it before it hears of the end.
                client.shutdown(socket.SHUT_RDWR)
                server.sendall(data)
                answers.join()
                break
            server.sendall(data)
        for end in (client, server):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        answers.join()
        client.close()
        server.close()

    @staticmethod
    def _pass_on(server: socket.socket, client: socket.socket) -> None:
        while data := _received(server):
            try:
                client.sendall(data)
            except OSError:
                return


def _received(end: socket.socket) -> bytes:
    try:
        return end.recv(1 << 16)
    except OSError:
        return b""


@contextmanager
def running_proxy(url: str, directory: Path, word: bytes, *, times: int = 1) -> Iterator[Proxy]:
    """Stand between the clients of ``proxy.url`` and the database at ``url``."""
    proxy = Proxy(url, directory, word, times=times)
    try:
        yield proxy
    finally:
        proxy.close()
