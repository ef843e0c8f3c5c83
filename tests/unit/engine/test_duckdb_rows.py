"""Queries that DuckDB computes in this process."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pyarrow as pa
import pytest

from forklake.engine.local.duckdb_rows import compute_rows


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C as in a terminal, also in what a shell began in the background, where it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_ends_a_query() -> None:
    main = threading.main_thread().ident
    assert main is not None
    press = threading.Timer(0.2, signal.pthread_kill, (main, signal.SIGINT))
    press.start()
    pairs = "SELECT count(*) AS n FROM range(10000000) a(i), range(10000000) b(i) WHERE a.i + b.i = 7 OR a.i * b.i = 12"
    with pytest.raises(KeyboardInterrupt):
        compute_rows(pairs, {}, ["BIGINT"])
    press.join()
    assert compute_rows("SELECT 1 AS n", {}, ["INTEGER"]).to_pylist() == [{"n": 1}]  # type: ignore[union-attr]


def test_rows_of_a_correlated_exists_are_those_of_its_join() -> None:
    rows = pa.table({"id": [1, 2, 3, 4, 5], "x": [10, 20, 30, 40, 10], "y": [10, 20, 10, 20, 40], "s": list("abcde")})
    condition = "b.id > a.id AND a.x = b.y AND a.s <> b.s"
    by_exists = f"SELECT id FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE {condition}) ORDER BY id"
    by_join = f"SELECT DISTINCT a.id FROM t a JOIN t b ON {condition} ORDER BY a.id"
    found = [compute_rows(text, {"t": rows}, ["BIGINT"]) for text in (by_exists, by_join)]
    assert [one.to_pydict() for one in found if isinstance(one, pa.Table)] == [{"id": [1, 2, 4]}] * 2
