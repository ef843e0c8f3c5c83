"""Histories of rows: made from a seed, run on a new lake, and made shorter when they fail."""

import shutil
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from uuid import uuid4

from forklake import Lake
from tests.lakes import IMPATIENT
from tests.property.histories import shrink
from tests.rows.driver import STEPS, Driver, Hands
from tests.sound import check_sound

Step = tuple[str, int]
"""What is done, and the seed of its choices: any subsequence of a history is a history."""


def generate(seed: int, length: int) -> list[Step]:
    """Return a history; it begins with rows."""
    rng = Random(seed)
    names = ["append", *rng.choices(list(STEPS), list(STEPS.values()), k=length - 1)]
    return [(name, rng.getrandbits(32)) for name in names]


def run(steps: Sequence[Step], directory: Path, hands: Callable[[], Hands], feeds: int) -> str | None:
    """Run a history on a new lake; return how it fails, if it does.

    Args:
        steps: The history.
        directory: Where the lake is made; nothing is left of it.
        hands: Makes what reads and writes.
        feeds: Between how many pairs of snapshots changes are compared.
    """
    home = directory / uuid4().hex[:8]
    home.mkdir()
    driver: Driver | None = None
    try:
        with Lake(f"sqlite:{home / 'lake.db'}", data_path=home / "data", settings=IMPATIENT) as lake:
            driver = Driver(lake, hands())
            for name, seed in steps:
                driver.step(name, seed)
            driver.check(Random(len(steps)), feeds)
            driver.check_files(home / "data")
            check_sound(lake)
    except Exception:
        log = [] if driver is None else driver.log
        return "\n  ".join(["after", *log]) + f"\n\n{traceback.format_exc()}"
    finally:
        shutil.rmtree(home)
    return None


def report(steps: Sequence[Step], directory: Path, hands: Callable[[], Hands], feeds: int) -> str:
    """Return the shortest history found that fails as this one does, ready to be run again."""
    shortest = shrink(steps, lambda shorter: run(shorter, directory, hands, feeds) is not None)
    failure = run(shortest, directory, hands, feeds)
    return f"{failure}\n\nHISTORY = {shortest}"
