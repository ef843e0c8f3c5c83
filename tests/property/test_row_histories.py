"""Random histories of rows and of the files that hold them, without Spark, against a model of rows.

Catalogs are forked, copied, imported, severed, dropped and purged, tables are changed, compacted and dropped, files
are adopted, snapshots expire, and what nothing needs is deleted. A history that fails is made shorter and printed; to
run it again, give it to `histories.run`. FORKLAKE_HISTORIES says how many there are in all.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random

import pytest

from forklake import Settings
from tests.lakes import LakeFactory
from tests.rows.arrow_hands import ArrowHands
from tests.rows.driver import CatalogModel, Driver
from tests.rows.histories import Place, generate, report, run
from tests.rows.rivals import FORKS, change_together

HISTORIES = int(os.environ.get("FORKLAKE_HISTORIES", "60"))
STEPS = {"sqlite": 40, "encrypted": 40, "postgres": 40, "duckdb": 15}
"""DuckDB takes ten times as long as SQLite, which makes no other rule."""
FEEDS = 2

_FEW = {"encrypted": HISTORIES // 6, "postgres": max(1, HISTORIES // 25), "duckdb": max(1, HISTORIES // 100)}
_FIRST_SEEDS = {"encrypted": 100_000, "postgres": 200_000, "duckdb": 300_000}

# Parts are what pytest's workers share out.
PARTS = [
    *((kind, range(_FIRST_SEEDS[kind], _FIRST_SEEDS[kind] + count)) for kind, count in _FEW.items()),
    *(("sqlite", range(part, HISTORIES - sum(_FEW.values()), 8)) for part in range(8)),
]


@pytest.fixture
def memory() -> Iterator[Path]:
    """A directory in memory where there is such a thing: what these lakes hold need not last."""
    shared = Path("/dev/shm")
    directory = Path(tempfile.mkdtemp(prefix="forklake-rows-", dir=shared if os.access(shared, os.W_OK) else None))
    yield directory
    shutil.rmtree(directory)


@pytest.mark.parametrize(("kind", "seeds"), PARTS, ids=[f"{kind}-{place}" for place, (kind, _) in enumerate(PARTS)])
def test_every_history_shows_the_rows_of_the_model_and_leaves_no_other_file(
    kind: str, seeds: range, memory: Path, request: pytest.FixtureRequest
) -> None:
    server = request.getfixturevalue("postgres_server") if kind == "postgres" else None
    encrypted = kind == "encrypted"
    place = Place(memory, "sqlite" if encrypted else kind, server, encrypted)
    for seed in seeds:
        steps, hands = generate(seed, STEPS[kind]), partial(ArrowHands, seed)
        if run(steps, place, hands, FEEDS) is not None:
            pytest.fail(f"seed {seed} on {kind}: {report(steps, place, hands, FEEDS)}", pytrace=False)


@pytest.mark.parametrize("lake_factory", ["sqlite", "postgres"], indirect=True)
def test_ten_forks_and_their_parent_change_the_same_rows_at_the_same_time(lake_factory: LakeFactory) -> None:
    def prepare(driver: Driver) -> None:
        for seed in range(3):
            driver.step_on(driver.catalogs[0], "append", Random(seed))
        driver.step_on(driver.catalogs[0], "delete", Random(4))

    for seed in range(2):
        with lake_factory.open(Settings()) as lake:
            driver = change_together(lake, ArrowHands(seed), 6, seed, prepare)
            driver.check(Random(seed), feeds=11)
            assert len({plain_text(catalog) for catalog in driver.catalogs}) > FORKS // 2, "they are all alike"


def plain_text(catalog: CatalogModel) -> str:
    return repr(sorted(row["k"] for row in catalog.head.shown().values()))
