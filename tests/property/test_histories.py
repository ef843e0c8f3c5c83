"""Random histories: whatever is done in whatever order, the lake shows what full copies would show.

A history is a list of (operation, seed) pairs. One that fails is made shorter and printed; to run it again, give it to
`histories.run`. FORKLAKE_HISTORIES says how many there are in all.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tests.lakes import LakeFactory, lakes
from tests.property.checks import SteppingClock
from tests.property.comparison import MismatchError, failures_are_mismatches
from tests.property.driver import WEIGHTS, Driver
from tests.property.histories import generate, open_lakes, report, run

HISTORIES = int(os.environ.get("FORKLAKE_HISTORIES", "30"))

# A history takes half a second on SQLite, five times that on PostgreSQL and fifty times that on DuckDB.
ON_POSTGRES = HISTORIES // 15
ON_DUCKDB = HISTORIES // 75
ON_SQLITE = HISTORIES - ON_POSTGRES - ON_DUCKDB

# Parts are what pytest's workers share out.
PARTS = [
    *(("duckdb", range(part, ON_DUCKDB, 2)) for part in range(min(ON_DUCKDB, 2))),
    *(("postgres", range(part, ON_POSTGRES, 4)) for part in range(min(ON_POSTGRES, 4))),
    *(("sqlite", range(part, ON_SQLITE, 24)) for part in range(24)),
]


@pytest.fixture
def memory() -> Iterator[Path]:
    """A directory in memory where there is such a thing: what these lakes hold need not last."""
    shared = Path("/dev/shm")
    parent = shared if os.access(shared, os.W_OK) else None
    directory = Path(tempfile.mkdtemp(prefix="forklake-histories-", dir=parent))
    yield directory
    shutil.rmtree(directory)


@pytest.mark.parametrize(("kind", "seeds"), PARTS, ids=[f"{kind}-{place}" for place, (kind, _) in enumerate(PARTS)])
def test_every_history_shows_what_full_copies_would_show(
    kind: str, seeds: range, memory: Path, request: pytest.FixtureRequest
) -> None:
    server = request.getfixturevalue("postgres_server") if kind == "postgres" and seeds else None
    for seed in seeds:
        with lakes(kind, memory / str(seed), server) as factory:
            factory.directory.mkdir()
            operations = generate(seed)
            if run(operations, factory) is not None:
                pytest.fail(f"seed {seed} on {kind}: {report(operations, factory)}", pytrace=False)
        shutil.rmtree(memory / str(seed))


class HistoryMachine(RuleBasedStateMachine):
    """The same operations, chosen by Hypothesis, which makes a failing history shorter choice by choice."""

    def __init__(self, factory: LakeFactory) -> None:
        super().__init__()
        self._stack = ExitStack()
        self._failed = False
        clock = SteppingClock()
        self._driver = Driver(open_lakes(factory, clock, self._stack), clock)

    @initialize(rng=st.randoms(use_true_random=False))
    def begin(self, rng: Random) -> None:
        for name in ("create", "commit", "commit"):
            self._step(name, rng)

    @rule(
        name=st.sampled_from([name for name, weight in WEIGHTS.items() for _ in range(weight)]),
        rng=st.randoms(use_true_random=False),
    )
    def step(self, name: str, rng: Random) -> None:
        self._step(name, rng)

    def _step(self, name: str, rng: Random) -> None:
        try:
            self._driver.step(name, rng)
        except MismatchError:
            self._failed = True
            note("after\n  " + "\n  ".join(self._driver.log))
            raise

    def teardown(self) -> None:
        with self._stack, failures_are_mismatches("at the end"):
            if not self._failed:
                self._driver.check_everything()


def test_hypothesis_finds_no_history_that_shows_anything_else(memory: Path) -> None:
    profile = settings(
        max_examples=max(10, HISTORIES // 6),
        stateful_step_count=30,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    with lakes("sqlite", memory) as factory:

        class OnNewLakes(HistoryMachine):
            def __init__(self) -> None:
                super().__init__(factory)

        run_state_machine_as_test(OnNewLakes, settings=profile)
