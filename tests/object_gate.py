"""An object store in this process that refuses requests, and remembers who sent them."""

import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

import pytest
from pyarrow import fs

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

DENIED = b"""<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"""
_SIGNED_BY = re.compile(r"Credential=([^/]+)/")


class Gate:
    """An object store that refuses requests: a method, and a part of the key.

    Attributes:
        refused: What is refused.
        told: The requests that were refused.
        owners: The access keys that may reach a bucket; anybody reaches all others.
        seen: Who asked for what: the access key (empty if the request is not signed), the method, and the path.
    """

    def __init__(self) -> None:
        self.refused: set[tuple[str, str]] = set()
        self.owners: dict[str, set[str]] = {}
        self.seen: list[tuple[str, str, str]] = []
        # What takes a second to import is not imported where these tests are only collected.
        from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app  # noqa: PLC0415
        from werkzeug.serving import make_server  # noqa: PLC0415

        self.told: list[str] = []
        self._store = DomainDispatcherApplication(create_backend_app)
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True)
        self.host = f"127.0.0.1:{self._server.server_port}"
        self.url = f"http://{self.host}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, environment: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        method, path = environment["REQUEST_METHOD"], environment["PATH_INFO"]
        signed = _SIGNED_BY.search(environment.get("HTTP_AUTHORIZATION", ""))
        key = signed[1] if signed else ""
        self.seen.append((key, method, path))
        owners = self.owners.get(path.strip("/").partition("/")[0])
        is_other = owners is not None and key not in owners
        if is_other or any(method == refused and part in path for refused, part in self.refused):
            self.told.append(f"{method} {path}")
            start_response("403 Forbidden", [("Content-Type", "application/xml"), ("Content-Length", str(len(DENIED)))])
            return [DENIED]
        return cast("Iterable[bytes]", self._store(environment, start_response))

    @contextmanager
    def refusing(self, method: str, part: str) -> Iterator[None]:
        """Refuse requests until the block ends."""
        self.refused.add((method, part))
        try:
            yield
        finally:
            self.refused.clear()

    @contextmanager
    def asking(self) -> Iterator[set[str]]:
        """Give the access keys that the requests of the block were signed with, when it has ended."""
        found: set[str] = set()
        before = len(self.seen)
        yield found
        found.update(key for key, _, _ in self.seen[before:])

    def storage(self, key: str = "anybody") -> fs.S3FileSystem:
        """Return the store as PyArrow reaches it, with an access key."""
        return fs.S3FileSystem(
            access_key=key, secret_key="anything", endpoint_override=self.url, allow_bucket_creation=True
        )


@contextmanager
def gate_of_environment(key: str) -> Iterator[Gate]:
    """Run an object store which this process reaches through its environment, with an access key."""
    gate = Gate()
    try:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in {
                "AWS_ENDPOINT_URL": gate.url,
                "AWS_REGION": "us-east-1",
                "AWS_ACCESS_KEY_ID": key,
                "AWS_SECRET_ACCESS_KEY": "anything",
                "AWS_EC2_METADATA_DISABLED": "true",
            }.items():
                patch.setenv(name, value)
            yield gate
    finally:
        gate.close()
