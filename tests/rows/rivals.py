"""Forks of one table and the table itself, changed at the same time by threads."""

import threading
from collections.abc import Callable
from random import Random

from forklake import Lake
from tests.rows.driver import CatalogModel, Driver, Hands, forked

FORKS = 10
STEPS = ("delete", "update", "merge", "overwrite")
"""What changes rows that all of them have."""


def change_together(lake: Lake, hands: Hands, steps: int, seed: int, prepare: Callable[[Driver], None]) -> Driver:
    """Return a lake of eleven catalogs whose rows were changed in different ways at the same time.

    Args:
        lake: An empty lake.
        hands: What does it.
        steps: How many changes each catalog sees.
        seed: Says which.
        prepare: Gives the parent its rows before it is forked.
    """
    driver = Driver(lake, hands)
    prepare(driver)
    (parent,) = driver.catalogs
    for number in range(FORKS):
        driver.catalogs.append(forked(parent, parent.handle.fork(f"fork-{number}"), None))
    failures: list[BaseException] = []
    start = threading.Barrier(len(driver.catalogs))

    def work(catalog: CatalogModel, rng: Random) -> None:
        try:
            start.wait(60)
            for _ in range(steps):
                driver.step_on(catalog, rng.choice(STEPS), rng)
        except BaseException as failure:
            failures.append(failure)

    threads = [
        threading.Thread(target=work, args=(catalog, Random(f"{seed} {number}")))
        for number, catalog in enumerate(driver.catalogs)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    return driver
