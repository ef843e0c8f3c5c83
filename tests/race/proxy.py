"""A socket between a client and PostgreSQL that breaks at the worst moment: when the answer is on its way."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.passage import Passage


class Proxy(Passage):
    """Passes on what client and server say, until it hears a word; the answer to that is lost."""

    def __init__(self, url: str, directory: Path, word: bytes, *, times: int) -> None:
        self._word = word
        self._left = times
        self.lost = 0
        """How many answers were lost."""
        super().__init__(url, directory)

    def hears(self, data: bytes, client: socket.socket, server: socket.socket) -> bool:
        if self._word not in data or not self._left:
            return super().hears(data, client, server)
        self._left -= 1
        self.lost += 1
        # The client hears nothing more; the server gets the request, and does it.
        client.shutdown(socket.SHUT_RDWR)
        server.sendall(data)
        return False


@contextmanager
def running_proxy(url: str, directory: Path, word: bytes, *, times: int = 1) -> Iterator[Proxy]:
    """Stand between the clients of ``proxy.url`` and the database at ``url``."""
    proxy = Proxy(url, directory, word, times=times)
    try:
        yield proxy
    finally:
        proxy.close()
