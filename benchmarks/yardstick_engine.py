"""forklake as the runner of DuckLake's suite drives it: the runner's own adapter, but for three answers.

The runner's adapter says that extensions of DuckDB are missing whose work forklake does without them, asks `sql`, which
returns nothing for statements without rows, and gives each ATTACH a limit for inlining that counts before the settings
which tests change. Here such extensions are there, `execute` is asked, and DuckLake's limit is the default of each
session, also after RESET. No expectation is changed, and no record is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from slt.api import Connection, Result
from slt.engines import forklake as runner

import forklake

_INLINING = "DATA_INLINING_ROW_LIMIT"
_SETTING = "ducklake_default_data_inlining_row_limit"
_RESET = re.compile(rf"^\s*RESET\s+(?:SESSION\s+|GLOBAL\s+)?{_SETTING}\s*;?\s*$", re.IGNORECASE)
_NEEDLESS = frozenset({"httpfs", "sqlite_scanner"})
"""What DuckDB needs for encrypted files and object stores, and for metadata in SQLite."""


class SuiteConnection(runner.ForklakeConnection):  # type: ignore[misc]  # the runner is not installed
    """One session, with DuckLake's default for inlining."""

    def __init__(self, raw: forklake.Connection, limit: str) -> None:
        super().__init__(raw)
        self._default = f"SET {_SETTING} = {limit}"
        raw.execute(self._default)

    def execute(self, sql: str) -> Result:
        """Run statements, and return the rows of the last with the columns that DuckDB's clients show."""
        self.raw.execute(self._default if _RESET.match(sql) else runner._with_tenant(sql))
        columns = self.raw.description
        if columns is None:
            return Result()
        return Result([one[0] for one in columns], [one[1] for one in columns], self.raw.fetchall())


class SuiteEngine(runner.ForklakeEngine):  # type: ignore[misc]  # the runner is not installed
    """A fresh session for each file."""

    def __init__(self) -> None:
        super().__init__()
        self.root: forklake.Connection | None = None
        self._limit = runner._DEFAULTS.pop(_INLINING)

    def connect(self) -> Connection:
        """Open a session; those of a file share their attachments."""
        if self.root is None:
            self.root = forklake.connect()
        return SuiteConnection(self.root.cursor(), self._limit)

    def require(self, name: str, arguments: Sequence[str]) -> bool:
        """Tell whether what a test asks for is there, or is done without it."""
        return name in _NEEDLESS or super().require(name, arguments)


def engine() -> SuiteEngine:
    """Make the engine that `--engine benchmarks.yardstick_engine:engine` names."""
    return SuiteEngine()
