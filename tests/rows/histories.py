"""Histories of rows: made from a seed, run on a new lake, and made shorter when they fail."""

import shutil
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from forklake import Lake
from tests.lakes import IMPATIENT, lakes
from tests.property.histories import shrink
from tests.rows.driver import Hands
from tests.rows.life import LIFE, LifeDriver
from tests.servers import PostgresServer

Step = tuple[str, int]
"""What is done, and the seed of its choices: any subsequence of a history is a history."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a history runs, and how.

    Attributes:
        directory: Where the lake is made.
        kind: In which database.
        server: The server, if that is PostgreSQL.
        encrypted: Whether the first catalog's files are.
        reads_each_step: Whether rows are read after each step, not at the end only.
    """

    directory: Path
    kind: str = "sqlite"
    server: PostgresServer | None = None
    encrypted: bool = False
    reads_each_step: bool = True


def generate(seed: int, length: int, weights: Mapping[str, int] = LIFE) -> list[Step]:
    """Return a history; it begins with rows."""
    rng = Random(seed)
    names = ["append", *rng.choices(list(weights), list(weights.values()), k=length - 1)]
    return [(name, rng.getrandbits(32)) for name in names]


def run(steps: Sequence[Step], place: Place, hands: Callable[[], Hands], feeds: int) -> str | None:
    """Run a history on a new lake; return how it fails, if it does.

    Args:
        steps: The history.
        place: Where the lake is made; nothing is left of it.
        hands: Makes what reads and writes.
        feeds: Between how many pairs of snapshots changes are compared.
    """
    home = Path(tempfile.mkdtemp(dir=place.directory))
    driver: LifeDriver | None = None
    try:
        (home / "outside").mkdir()
        with (
            lakes(place.kind, home, place.server) as factory,
            Lake(factory.url(), data_path=home / "data", settings=IMPATIENT) as lake,
        ):
            driver = LifeDriver(
                lake, hands(), home / "outside", encrypted=place.encrypted, reads_each_step=place.reads_each_step
            )
            for name, seed in steps:
                driver.step(name, seed)
            driver.check(Random(len(steps)), feeds)
            driver.end()
    except Exception:
        log = [] if driver is None else driver.log
        return "\n  ".join(["after", *log]) + f"\n\n{traceback.format_exc()}"
    finally:
        shutil.rmtree(home)
    return None


def report(steps: Sequence[Step], place: Place, hands: Callable[[], Hands], feeds: int) -> str:
    """Return the shortest history found that fails as this one does, ready to be run again."""
    shortest = shrink(steps, lambda shorter: run(shorter, place, hands, feeds) is not None)
    failure = run(shortest, place, hands, feeds)
    return f"{failure}\n\nHISTORY = {shortest}"
