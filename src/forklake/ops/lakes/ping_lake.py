"""Asks a lake whether it answers."""

from __future__ import annotations

import time

from forklake.metastore import schema
from forklake.metastore.store import Store
from forklake.model.overview import Ping


def ping_lake(store: Store) -> Ping:
    """Ask one cheap question, and tell how long the answer took.

    Raises:
        MetastoreError: The database does not answer, or holds no lake of this version any more.
    """
    begun = time.perf_counter()
    version = schema.read_version(store)
    return Ping(store.dialect.name, version, (time.perf_counter() - begun) * 1000)
