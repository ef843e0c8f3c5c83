"""Whatever a session is told, it answers or raises an error of ours; the lake stays sound.

FORKLAKE_STATEMENTS says how many statements are tried, FORKLAKE_SEED with which luck.
"""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, NoReturn

import pytest

import forklake
from forklake.errors import EngineError, ForklakeError, InternalError
from tests.property.statement_texts import Mutations, known_statements

COUNT = int(os.environ.get("FORKLAKE_STATEMENTS", "2000"))
SEED = int(os.environ.get("FORKLAKE_SEED", "15"))
LAKE_LASTS = 500
SESSION_LASTS = 25
MAKE_AFTER = 4 * SESSION_LASTS
LONGEST_SECONDS = 60


class NoEngine:
    """An engine that computes nothing, so that all which is tried is ours."""

    def is_frame(self, value: object) -> bool:
        return False

    def expression(self, value: object) -> None:
        return None

    def for_session(self) -> NoEngine:
        return self

    def losses(self) -> int:
        return 0

    def loss(self, error: Exception, since: int) -> EngineError | None:
        return None

    def __getattr__(self, name: str) -> Any:
        def refuse(*_: object, **__: object) -> NoReturn:
            raise EngineError(f"There is no engine for {name}; nothing was computed.")

        return refuse


ATTACHING = (
    "ATTACH 'ducklake:lake.db' AS lake (CATALOG 'shop', DATA_PATH 'data', CREATE_IF_NOT_EXISTS true)",
    "USE lake",
    "ATTACH 'ducklake:lake.db' AS agent (CATALOG 'agent')",
)
MAKING = (
    "CREATE TABLE orders (id BIGINT, customer VARCHAR, amount DECIMAL(10,2), day DATE)",
    "CREATE TABLE t (id INTEGER, a INTEGER, b VARCHAR DEFAULT 'x', s STRUCT(x INTEGER, y VARCHAR), l INTEGER[])",
    "CREATE TABLE u (a BIGINT, i INTEGER, at TIMESTAMP, j JSON, v VARIANT, f DOUBLE, g BLOB, m MAP(VARCHAR, INTEGER))",
    "INSERT INTO orders VALUES (1, 'Ada', 9.99, '2026-01-31'), (2, NULL, 5, NULL)",
    "CALL set_option('data_inlining_row_limit', 10)",
    "INSERT INTO t VALUES (1, 1, 'one', {'x': 1, 'y': 'p'}, [1, NULL]), (2, NULL, NULL, NULL, NULL)",
    "CREATE VIEW large AS SELECT * FROM orders WHERE amount > 5",
    "CREATE MACRO twice(x) AS x * 2",
    "CREATE MACRO those(who) AS TABLE SELECT * FROM orders WHERE customer = who",
    "CALL ducklake_tag('lake', 'v1')",
    "CALL ducklake_fork_catalog('lake', 'agent')",
    "ATTACH 'ducklake:lake.db' AS agent (CATALOG 'agent')",
)

CRASHED = (
    "SELECT * FROM generate_series(TIMESTAMP '2024-01-31', TIMESTAMP '2024-05-31', INTERVAL 1 \x1b) t(ts)",
    "CALL ducklake_drop_catalog('lake', INTERVAL 1e308 DAY)",
    "SELECT * FROM range(DATE '2024-01-01', DATE '2024-01-04', INTERVAL 9223372036854775808 DAY)",
    "SELECT 1 FROM t OFFSET 1000000000000000000000000000000000000000000000000000000000000",
    "SELECT DISTINCT ON (1e400) id FROM t",
    "SELECT [1].avg(2, 3)",
    "SELECT ()",
    "SELECT 1 ORDER BY " + "1" * 5_000,
    "SELECT 0xF_",
    "SELECT ducklake_fork_catalog('lake', 'f', at => 1e308.5)",
    "SELECT COLUMNS(c -> c = 1.5) FROM t",
)
"""What once was no error of ours."""


@contextmanager
def time_limit(text: str) -> Iterator[None]:
    """End a statement that does not end."""

    def stop(_: int, __: FrameType | None) -> NoReturn:
        raise TimeoutError(f"It takes more than {LONGEST_SECONDS} s: {text!r}")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, LONGEST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def crash(session: forklake.Connection, text: str) -> tuple[str, str] | None:
    """Run a statement; return where it crashed and how, None if it was answered or refused."""
    try:
        with time_limit(text):
            result = session.sql(text)
            if result is not None:
                result.fetchall()
    except Exception as error:
        if isinstance(error, ForklakeError) and not isinstance(error, InternalError):
            return None
        cause = error.__cause__ or error
        last = traceback.extract_tb(cause.__traceback__)[-1]
        return (
            f"{type(cause).__name__} in {last.filename}:{last.lineno}",
            f"{text!r}\n{''.join(traceback.format_exception(cause, limit=-8, chain=False))}",
        )
    return None


@contextmanager
def odd_session(statements: Sequence[str]) -> Iterator[forklake.Connection]:
    """A session on the lake of this directory, with what can still be attached and made there."""
    settings = forklake.Settings(engine=NoEngine(), retry=forklake.RetryPolicy(max_retry_count=1))
    with forklake.connect(settings=settings) as session:
        for statement in statements:
            with suppress(ForklakeError):  # earlier statements may have dropped, renamed or limited something
                session.sql(statement)
        yield session


def run(texts: list[str]) -> dict[str, str]:
    """Run statements in sessions on a new lake; return the crashes, one of each kind."""
    crashes: dict[str, str] = {}
    for number in range(0, len(texts), SESSION_LASTS):
        with odd_session(ATTACHING if number % MAKE_AFTER else ATTACHING + MAKING) as session:
            for text in texts[number : number + SESSION_LASTS]:
                if found := crash(session, text):
                    crashes.setdefault(*found)
            with suppress(ForklakeError):
                session.sql("ROLLBACK")
            assert session.sql("SHOW DATABASES") is not None
    with forklake.open("lake.db") as lake:
        errors = [finding for finding in lake.maintenance.check().findings if finding.severity == "error"]
    assert errors == [], "after these statements:\n" + "\n".join(map(repr, texts))
    return crashes


def test_what_the_documents_and_tests_say_changed_by_chance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    statements = known_statements()
    assert len(statements) > 500
    source = iter(Mutations(statements, Random(SEED)))
    crashes: dict[str, str] = {}
    for number in range(0, COUNT, LAKE_LASTS):
        directory = tmp_path / str(number)
        directory.mkdir()
        monkeypatch.chdir(directory)
        crashes |= run(list(islice(source, min(LAKE_LASTS, COUNT - number))))
    assert not crashes, f"{len(crashes)} kinds of crashes\n\n" + "\n\n".join(crashes.values())


def test_what_crashed_once_is_answered_or_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(list(CRASHED)) == {}


def test_a_crash_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with odd_session(ATTACHING) as session:
        monkeypatch.setattr(session, "sql", lambda _: [].pop())
        assert crash(session, "SELECT 1") is not None
