"""The same histories with files that are really there: what a version shows exists, and nothing else is left."""

import os
from collections.abc import Sequence
from pathlib import Path
from random import Random

from forklake import Lake
from tests.property.checks import SteppingClock
from tests.property.comparison import expect, failures_are_mismatches
from tests.property.content import State
from tests.property.driver import WEIGHTS, Driver

FREEING = {
    **WEIGHTS,
    "cleanup": 4,
    "expire": 8,
    "sever": 3,
    "copy": 4,
    "drop": 5,
    "undrop": 1,
    "purge": 5,
    "rename": 1,
    "option": 1,
    "refuse": 1,
    "open": 3,
    "finish": 4,
}
"""Much is given up."""


class FileDriver(Driver):
    """Writes a file when its row is committed, and looks for those that versions show."""

    def __init__(self, lakes: Sequence[Lake], clock: SteppingClock) -> None:
        super().__init__(lakes, clock)
        self._written: set[str] = set()

    def step(self, name: str, rng: Random) -> None:
        """Do one operation; then compare, and see that no file is missing that some version shows."""
        super().step(name, rng)
        with failures_are_mismatches(name):
            self._write()
            expect("the lake", "the files that are missing", sorted(self._needed() - self._there()), [])

    def do_cleanup(self, rng: Random) -> str | None:
        """Clean up one catalog, or all: then only the files are left that some version shows."""
        lake = self.lake(rng)
        if rng.random() < 0.3 and (picked := self.pick(rng)) is not None:
            done = picked[1].maintenance.cleanup_old_files(cleanup_all=True)
            return f"c{picked[0]}: {[Path(path).name for path in done.deleted]}"
        done = lake.maintenance.cleanup_old_files(cleanup_all=True)
        expect("the lake", "the files that nothing needs", sorted(self._there() - self._needed()), [])
        return f"all: {[Path(path).name for path in done.deleted]}"

    def check_everything(self) -> None:
        """Compare all, give up everything but heads, and see what is left."""
        super().check_everything()
        lake = self.lakes[0]
        for catalog in sorted(self.truth.live):
            own = self.truth.own(catalog)[:-1]
            self.handle(lake, catalog).maintenance.expire_snapshots(versions=own, release=True)
            self.truth.expire(own)
        self.check_garbage()
        lake.maintenance.cleanup_old_files(cleanup_all=True)
        expect("the lake", "the files that are there", sorted(self._there()), sorted(self._needed()))
        super().check_everything()

    def _write(self) -> None:
        for catalog in self.truth.live:
            for path in _paths(self.truth.content(catalog)) - self._written:
                self._written.add(path)
                Path(path).parent.mkdir(parents=True, exist_ok=True)
                Path(path).touch()

    def _needed(self) -> set[str]:
        return {path for history in self.truth.history.values() for state in history.values() for path in _paths(state)}

    def _there(self) -> set[str]:
        root = self.lakes[0].data_path
        assert root is not None
        return {os.path.join(directory, name) for directory, _, names in os.walk(root) for name in names}


def _paths(state: State) -> set[str]:
    files = [file for table in state.tables.values() for file in table.files]
    return {file.path for file in files} | {file.deletes.path for file in files if file.deletes is not None}
