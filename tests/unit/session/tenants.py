"""A lake of two tenants and what they share, for tests of confined sessions. No Spark."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import forklake
from forklake import Catalog, Connection, Lake, Settings
from forklake.errors import ForklakeError, InternalError
from tests.duck_engine import DuckEngine

SECRETS = ("sesame", "vault", "rival", "newcomer", "lamp")
"""What nobody but the other tenant may read: a value, a table, a catalog, what came after the fork, a tag."""


@dataclass(frozen=True)
class Tenants:
    """``shop`` with its forks ``agent`` and ``rival``; shop and rival went on after agent was forked.

    ``agent`` has a table ``t`` of its own beside ``goods``, which it inherits.
    """

    lake: Lake
    directory: Path
    agent: Catalog
    rival: Catalog

    def place(self, name: str) -> str:
        """Return the directory of a catalog."""
        return str(self.lake.catalog(name).inspect.info.data_path).rstrip("/")

    def fingerprint(self) -> Any:
        """Return all that the other tenants could notice."""
        files = [
            (os.path.join(where, name), os.path.getmtime(os.path.join(where, name)))
            for other in ("rival", "shop")
            for where, _, names in os.walk(self.place(other))
            for name in names
        ]
        return (
            {info for info in self.lake.catalogs() if info.name in ("shop", "rival")},
            [each.name for each in self.lake.dropped_catalogs() if not each.name.startswith("agent")],
            [self.lake.catalog(name).quota().quota for name in ("shop", "rival", "agent")],
            [self.lake.catalog(name).tags() for name in ("shop", "rival")],
            [self.lake.catalog(name).options.list() for name in ("shop", "rival")],
            [self.lake.catalog(name).inspect.lifetime for name in ("shop", "rival", "agent")],
            self.lake.options.list(),
            sorted(files),
            sorted(os.listdir(self.directory)),
        )


def make_tenants(directory: Path) -> Tenants:
    """Return a new lake in a directory."""
    lake = forklake.open(str(directory / "lake.db"), settings=Settings(engine=DuckEngine()))
    shop = lake.create_catalog("shop")
    shop.sql("CREATE TABLE goods (i INTEGER); INSERT INTO goods VALUES (1), (2)")
    shop.sql("CREATE VIEW prying AS FROM goods; CREATE MACRO twice(x) AS x * 2")
    agent = shop.fork("agent")
    agent.sql("CREATE TABLE t (i INTEGER, s VARCHAR); INSERT INTO t VALUES (1, 'mine')")
    shop.sql("CREATE TABLE newcomer (s VARCHAR); INSERT INTO newcomer VALUES ('sesame')")
    shop.sql("INSERT INTO goods VALUES (3)")
    rival = shop.fork("rival")
    rival.sql("CREATE TABLE vault (s VARCHAR); INSERT INTO vault VALUES ('sesame')")
    rival.sql("CREATE TABLE t (s VARCHAR); INSERT INTO t VALUES ('sesame')")
    rival.tag("lamp")
    pq.write_table(pa.table({"s": ["sesame"]}), directory / "outside.parquet")
    return Tenants(lake, directory, agent, rival)


def attempt(session: Connection, text: str) -> str:
    """Return all that a statement tells: its rows and columns as text, or its error."""
    try:
        found = (result for result in session.results(text) if result is not None)
        return "; ".join(f"{result.columns} {result.rows()}" for result in found)
    except InternalError:
        raise
    except ForklakeError as error:
        return f"{type(error).__name__}: {error}"


def leaks(told: str, text: str) -> list[str]:
    """Return what a statement told and did not itself say.

    Data is told by nobody, whatever was said.
    """
    return [
        secret for secret in SECRETS if secret in told.lower() and (secret == "sesame" or secret not in text.lower())
    ]
