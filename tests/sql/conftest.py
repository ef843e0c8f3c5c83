"""SQL sessions for tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import forklake
from forklake import Connection, Settings
from forklake.metastore.postgres import initialise

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def store(request: pytest.FixtureRequest) -> str:
    """The URL of a new lake: a file, or as a test's parameter says a ``postgres`` server."""
    if getattr(request, "param", "file") == "file":
        return "lake.db"
    url: str = request.getfixturevalue("postgres_database")
    initialise(url, None, Settings())
    return url


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark: SparkSession, store: str) -> Iterator[Connection]:
    """A session in an empty directory, with one catalog of a new lake attached as ``lake`` and in use.

    ``ATTACH 'ducklake:'`` attaches others of that lake.
    """
    monkeypatch.chdir(tmp_path)
    with forklake.connect(spark) as made:
        made.sql(f"CREATE SECRET (TYPE ducklake, metadata_path '{store}')")
        made.sql("ATTACH 'ducklake:' AS lake (DATA_PATH 'data', CATALOG 'shop', CREATE_IF_NOT_EXISTS true)")
        made.sql("USE lake")
        yield made
