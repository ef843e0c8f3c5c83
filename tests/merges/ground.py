"""A lake and its full copies, which the deeds of a history change alike."""

import math
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

from forklake import Catalog, Lake
from tests.duck_engine import DuckFrame
from tests.merges.totals import wrong_totals
from tests.merges.truth import Node, State, Table, Truth, visible


class Ground:
    """One lake twice."""

    def __init__(self, lake: Lake, seed: int, catalogs: int = 6) -> None:
        self.lake, self.rng, self.limit = lake, random.Random(seed), catalogs
        self._looks = random.Random(seed)
        self.truth = Truth()
        self.names: dict[int, str] = {}
        self.dropped: dict[int, str] = {}
        self.tagged: dict[Node, set[str]] = {}
        self.released: set[int] = set()
        self.count = 0
        self.log: list[str] = []

    # ---- checks ------------------------------------------------------------------------------------------------------

    def told(self, *more: object) -> str:
        """Return all that was done so far, and what is wrong."""
        return "\n".join([*self.log, *map(str, more)])

    def check(self, share: float = 1.0) -> None:
        """Compare all catalogs, or a share of them, with what they should hold."""
        for catalog, name in self.names.items():
            if share < 1.0 and self._looks.random() >= share:
                continue
            expected, found = visible(self.truth.state(catalog)), self.read(self.lake.catalog(name))
            assert found == expected, self.told(f"{name}: {_difference(found, expected)}")
            wrong = wrong_totals(self.lake.catalog(name))
            assert not wrong, self.told(*wrong)

    def check_past(self) -> None:
        """Compare all snapshots of all catalogs with what they should hold."""
        for catalog in self.names:
            for node in self.truth.retained(catalog):
                found, state = self.read(self.at(node)), self.truth.states[node]
                told = f"{self.names[catalog]} at {node[1]}: {_difference(found, visible(state))}"
                assert found == visible(state), self.told(told)

    def check_files(self) -> None:
        """See that every file is there that a retained snapshot shows."""
        missing = {path for path in self.files() if not Path(path).exists()}
        assert not missing, self.told(f"files are gone: {missing}")

    def files(self) -> set[str]:
        """Return every file that a retained snapshot shows."""
        found = set[str]()
        for node in (node for catalog in self.names for node in self.truth.retained(catalog)):
            for table in self.at(node).tables():
                for file in table.storage.files():
                    found |= {file.path, *([file.delete_file.path] if file.delete_file else [])}
        return found

    def read(self, catalog: Catalog) -> dict[str, list[dict[str, Any]]]:
        """Return all rows of a catalog, by table."""
        return {
            table.name: sorted(
                ({name: plain(value) for name, value in row.items()} for row in table.arrow().to_pylist()),
                key=lambda row: int(row["k"]),
            )
            for table in catalog.tables()
        }

    # ---- catalogs ----------------------------------------------------------------------------------------------------

    def handle(self, catalog: int) -> Catalog:
        """Return a catalog by its id."""
        return self.lake.catalog(self.names[catalog])

    def at(self, node: Node) -> Catalog:
        """Return a catalog at one of its snapshots."""
        return self.handle(node[0]).at(node[1])

    def pick(self) -> tuple[int, Catalog]:
        """Choose a catalog."""
        catalog = self.rng.choice(sorted(self.names))
        return catalog, self.handle(catalog)

    def pick_table(self) -> tuple[int, Catalog, int, Table] | None:
        """Choose a table, if there is one."""
        catalog, handle = self.pick()
        state = self.truth.state(catalog)
        if not state:
            return None
        number = self.rng.choice(sorted(state))
        return catalog, handle, number, state[number]

    @staticmethod
    def head(catalog: Catalog) -> int:
        """Return the newest snapshot of a catalog."""
        return int(catalog.snapshots()[-1].snapshot_id)

    def advance(self, catalog: int, handle: Catalog, state: State) -> None:
        """Let the copies of a catalog have what its newest snapshot holds."""
        self.truth.advance(catalog, self.head(handle), state)

    def new_value(self) -> int:
        """Return a number that was never there."""
        self.count += 1
        return self.count

    def new_name(self, letter: str) -> str:
        """Return a name that was never there."""
        return f"{letter}{self.new_value()}"


def rows_of(frame: Any) -> list[dict[str, Any]]:
    """Return the rows of a frame of Spark, or of the engine of the tests, in plain form."""
    rows = frame.rows.to_pylist() if isinstance(frame, DuckFrame) else frame.toArrow().to_pylist()
    return [{name: plain(value) for name, value in row.items()} for row in rows]


def plain(value: Any) -> Any:
    """Return a value in a form in which equal means the same: not a number equals itself, and zeros have signs."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else "-0.0" if value == 0 and math.copysign(1, value) < 0 else value
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    return int(value) if isinstance(value, Decimal) else value


def _difference(found: dict[str, Any], expected: dict[str, Any]) -> str:
    for name in sorted({*found, *expected}):
        if found.get(name) != expected.get(name):
            ours, theirs = found.get(name), expected.get(name)
            if ours is None or theirs is None:
                return f"{name}: {ours} instead of {theirs}"
            extra = [row for row in ours if row not in theirs]
            missing = [row for row in theirs if row not in ours]
            return f"{name}: has {extra}, lacks {missing}"
    return ""
