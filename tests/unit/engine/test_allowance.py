"""What one statement may take."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from forklake.engine import statement_limits as allowance
from forklake.engine.statement_limits import Allowance, charge_files, check_time, uncounted_time
from forklake.errors import LimitError
from forklake.files.access.threads import FileThreads


def test_time_that_is_spent_for_all_statements_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = [0.0]
    monkeypatch.setattr(allowance, "time", SimpleNamespace(monotonic=lambda: seconds[0]))
    mine = Allowance(max_seconds=30)
    with mine.spend():
        seconds[0] = 20
        with uncounted_time():  # Spark starts
            seconds[0] = 120
        check_time()
        seconds[0] = 129
        check_time()
        seconds[0] = 131
        with pytest.raises(LimitError, match="30 seconds"):
            check_time()
    with uncounted_time():  # nobody limits anything
        check_time()


def test_threads_that_read_files_for_a_statement_spend_its_allowance() -> None:
    with Allowance(max_bytes=10).spend(), FileThreads(2) as threads:
        threads.submit(charge_files, [("a", 6)]).result()
        with pytest.raises(LimitError, match="would read 12 bytes"):
            threads.submit(charge_files, [("b", 6)]).result()
