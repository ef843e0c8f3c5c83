"""Histories: made from a seed, run on new lakes, and made shorter when they fail."""

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random

from forklake import Lake
from tests.lakes import LakeFactory
from tests.property.checks import SteppingClock
from tests.property.comparison import MismatchError, failures_are_mismatches
from tests.property.driver import CONTENTION, WEIGHTS, Driver, Operation

STEPS = 50
SHRINK_SECONDS = 90


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong, and what was done until then."""

    message: str
    log: Sequence[str]


def generate(seed: int, length: int = STEPS, weights: Mapping[str, int] | None = None) -> list[Operation]:
    """Return a history: it begins with a catalog and something in it."""
    rng = Random(seed)
    if weights is None:
        weights = CONTENTION if seed % 4 == 3 else WEIGHTS
    names = ["create", "commit", "commit", "commit"]
    names += rng.choices(list(weights), list(weights.values()), k=length - len(names))
    return [(name, rng.getrandbits(32)) for name in names]


def open_lakes(factory: LakeFactory, clock: SteppingClock, stack: ExitStack) -> list[Lake]:
    """Return handles on one new lake, which know nothing of each other; DuckDB allows one."""
    url = factory.url()
    # A directory of its own: another history's files are not this one's.
    data = Path(tempfile.mkdtemp(prefix="data-", dir=factory.directory))
    count = 1 if factory.kind == "duckdb" else 2
    return [stack.enter_context(Lake(url, data_path=data, settings=clock.settings())) for _ in range(count)]


def run(operations: Sequence[Operation], factory: LakeFactory, make: type[Driver] = Driver) -> Failure | None:
    """Run a history on a new lake; return how it fails, if it does."""
    clock = SteppingClock()
    with ExitStack() as stack:
        driver = make(open_lakes(factory, clock, stack), clock)
        try:
            for name, seed in operations:
                driver.step(name, Random(seed))
            with failures_are_mismatches("at the end"):
                driver.check_everything()
        except MismatchError as error:
            return Failure(str(error), driver.log)
    return None


def shrink(operations: Sequence[Operation], fails: Callable[[Sequence[Operation]], bool]) -> list[Operation]:
    """Return a history that still fails and of which, if time allows, no operation can be left out."""
    best, size, end = list(operations), max(1, len(operations) // 2), time.monotonic() + SHRINK_SECONDS
    while True:
        place = 0
        while place < len(best):
            shorter = best[:place] + best[place + size :]
            if time.monotonic() > end:
                return best
            if fails(shorter):
                best = shorter
            else:
                place += size
        if size == 1:
            return best
        size //= 2


def report(operations: Sequence[Operation], factory: LakeFactory, make: type[Driver] = Driver) -> str:
    """Return the shortest history found that fails as this one does, ready to be run again."""
    shortest = shrink(operations, lambda shorter: run(shorter, factory, make) is not None)
    failure = run(shortest, factory, make)
    assert failure is not None
    steps = "".join(f"\n    {operation!r}," for operation in shortest)
    log = "".join(f"\n  {line}" for line in failure.log)
    return f"{failure.message}\n\nafter{log}\n\nHISTORY = [{steps}\n]"
