"""A read of the metadata ends with the time of its statement, on every store; the store works on."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

import pytest

from forklake import Lake
from forklake.engine.statement_limits import Allowance
from forklake.errors import LimitError
from forklake.lake.internals import runtime_of

_ENDLESS = {
    "sqlite": "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 10000000000) SELECT max(n)"
    " FROM r",
    "duckdb": "SELECT sum(hash(a.range + b.range)) FROM range(1000000) a, range(1000000) b",
    "postgresql": "SELECT max(n) FROM generate_series(1, 10000000000) s(n)",
}


def test_a_read_that_takes_too_long_is_interrupted(lake: Lake) -> None:
    store = runtime_of(lake).store

    def in_transaction() -> None:
        with store.reading() as session:
            session.query("SELECT 1")
            session.query(_ENDLESS[store.dialect.name])

    reads: list[Callable[[], object]] = [lambda: store.query(_ENDLESS[store.dialect.name]), in_transaction]
    for read in reads:
        begun = monotonic()
        with pytest.raises(LimitError, match=r"took longer than the 0\.3 seconds"), Allowance(max_seconds=0.3).spend():
            read()
        assert monotonic() - begun < 60  # without an end it would be hours
        assert store.query("SELECT 1") == [(1,)]
    with Allowance(max_seconds=600).spend():
        assert store.query("SELECT 2") == [(2,)]
