"""Queries that DuckDB computes in this process."""

from __future__ import annotations

import signal
import threading

import pytest

from forklake.engine.local.duckdb_rows import compute_rows


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
