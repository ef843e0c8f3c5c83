"""A statement that fails over its rows aborts its transaction; others leave it as it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from forklake import Connection, Lake
from forklake.errors import ForklakeError, InvalidInputError


@pytest.fixture
def session(lake: Lake) -> Iterator[Connection]:
    with lake.create_catalog("shop").session() as made:
        made.sql("CREATE TABLE t (i INTEGER NOT NULL)")
        yield made


def _count(session: Connection) -> int:
    result = session.sql("SELECT count(*) FROM t")
    assert result is not None
    return int(result.fetchall()[0][0])


@pytest.mark.parametrize("end", ["ROLLBACK", "COMMIT"])
@pytest.mark.parametrize("wrong", ["INSERT INTO t VALUES (NULL)", "INSERT INTO t VALUES ('x')", "COPY t FROM 'no.csv'"])
def test_rows_that_fail_abort_the_transaction(session: Connection, wrong: str, end: str) -> None:
    session.sql("BEGIN; INSERT INTO t VALUES (1)")
    with pytest.raises(ForklakeError):
        session.sql(wrong)
    for refused in ("SELECT count(*) FROM t", "INSERT INTO t VALUES (2)", "BEGIN"):
        with pytest.raises(InvalidInputError, match="Current transaction is aborted"):
            session.sql(refused)
    session.sql(end)
    assert not session.is_in_transaction
    assert _count(session) == 0
    session.sql("BEGIN; INSERT INTO t VALUES (3); COMMIT")
    assert _count(session) == 1


@pytest.mark.parametrize(
    "wrong", ["SELECT nothing FROM t", "SELEC", "FROM nowhere", "CREATE TABLE t (i INTEGER)", "SET nothing = 1"]
)
def test_what_is_not_understood_leaves_the_transaction(session: Connection, wrong: str) -> None:
    session.sql("BEGIN; INSERT INTO t VALUES (1)")
    with pytest.raises(ForklakeError):
        session.sql(wrong)
    session.sql("COMMIT")
    assert _count(session) == 1


def test_a_failed_statement_without_begin_aborts_nothing(session: Connection) -> None:
    with pytest.raises(InvalidInputError, match="NOT NULL"):
        session.sql("INSERT INTO t VALUES (NULL)")
    session.sql("INSERT INTO t VALUES (1)")
    assert _count(session) == 1
