"""Random histories of rows, read and written with PyArrow alone: plans, changes and forks against a model of rows.

A history that fails is made shorter and printed; to run it again, give it to `histories.run`. FORKLAKE_HISTORIES says
how many there are in all.
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
from tests.rows.histories import generate, report, run
from tests.rows.rivals import FORKS, change_together

HISTORIES = int(os.environ.get("FORKLAKE_HISTORIES", "60"))
STEPS = 15
FEEDS = 6

# Parts are what pytest's workers share out.
PARTS = [range(part, HISTORIES, 20) for part in range(20)]


@pytest.fixture
def memory() -> Iterator[Path]:
    """A directory in memory where there is such a thing: what these lakes hold need not last."""
    shared = Path("/dev/shm")
    directory = Path(tempfile.mkdtemp(prefix="forklake-rows-", dir=shared if os.access(shared, os.W_OK) else None))
    yield directory
    shutil.rmtree(directory)


@pytest.mark.parametrize("seeds", PARTS, ids=[f"part-{part}" for part in range(len(PARTS))])
def test_every_history_of_rows_is_read_from_its_plans_as_the_model_has_it(seeds: range, memory: Path) -> None:
    for seed in seeds:
        steps, hands = generate(seed, STEPS), partial(ArrowHands, seed)
        if run(steps, memory, hands, FEEDS) is not None:
            pytest.fail(f"seed {seed}: {report(steps, memory, hands, FEEDS)}", pytrace=False)


@pytest.mark.parametrize("lake_factory", ["sqlite", "postgres"], indirect=True)
def test_ten_forks_and_their_parent_change_the_same_rows_at_the_same_time(lake_factory: LakeFactory) -> None:
    def prepare(driver: Driver) -> None:
        for seed in range(3):
            driver.step_on(driver.catalogs[0], "append", Random(seed))
        driver.step_on(driver.catalogs[0], "delete", Random(4))

    for seed in range(3):
        with lake_factory.open(Settings()) as lake:
            driver = change_together(lake, ArrowHands(seed), 6, seed, prepare)
            driver.check(Random(seed), feeds=11)
            assert len({plain_text(catalog) for catalog in driver.catalogs}) > FORKS // 2, "they are all alike"


def plain_text(catalog: CatalogModel) -> str:
    return repr(sorted(row["k"] for row in catalog.head.shown().values()))
