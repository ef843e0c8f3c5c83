"""SQL sessions for tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import forklake
from forklake import Connection

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark: SparkSession) -> Iterator[Connection]:
    """A session in an empty directory, with one catalog of a new lake attached as ``lake`` and in use."""
    monkeypatch.chdir(tmp_path)
    with forklake.connect(spark) as made:
        made.sql("ATTACH 'ducklake:lake.db' AS lake (DATA_PATH 'data', CATALOG 'shop', CREATE_IF_NOT_EXISTS true)")
        made.sql("USE lake")
        yield made
