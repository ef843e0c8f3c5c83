"""Rows come out of every transaction that alters their table as DuckDB has them."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import forklake
from tests.lakes import IMPATIENT
from tests.rows.altering import History, PythonMeans

HISTORIES = int(os.environ.get("FORKLAKE_HISTORIES", "80"))

# Parts are what pytest's workers share out.
PARTS = [range(part, HISTORIES, 10) for part in range(10)]


@pytest.fixture
def memory() -> Iterator[Path]:
    """A directory in memory where there is such a thing: what these lakes hold need not last."""
    shared = Path("/dev/shm")
    directory = Path(tempfile.mkdtemp(prefix="forklake-alter-", dir=shared if os.access(shared, os.W_OK) else None))
    yield directory
    shutil.rmtree(directory)


@pytest.mark.parametrize("seeds", PARTS, ids=[f"part-{part}" for part in range(len(PARTS))])
def test_rows_of_every_transaction_that_alters_their_table_are_those_of_duckdb(seeds: range, memory: Path) -> None:
    with forklake.open(str(memory / "lake.db"), data_path=memory / "data", settings=IMPATIENT) as lake:
        for seed in seeds:
            history = History(lake, seed, PythonMeans())
            try:
                history.run()
            except Exception as error:
                text = "\n".join(history.told)
                pytest.fail(f"seed {seed}: {type(error).__name__}: {error}\n{text}", pytrace=False)
