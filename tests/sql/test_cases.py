"""Each file of `cases/` runs on forklake and on DuckDB with DuckLake: every query must give the same rows.

On forklake it runs on Spark, and in this process where that can.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import forklake
from forklake.errors import EngineError
from tests.interop.ducklake import attached

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_CASES = sorted((Path(__file__).parent / "cases").glob("*.sql"))
_QUERIES = ("SELECT", "FROM", "WITH", "VALUES", "DESCRIBE", "SHOW")


def _statements(text: str) -> list[str]:
    """Return the statements of a file: an empty line ends each."""
    lines = [line for line in text.splitlines() if not line.startswith("--")]
    return [part.strip() for part in "\n".join(lines).split("\n\n") if part.strip()]


def _comparable(rows: Sequence[Sequence[Any]], statement: str) -> list[Any]:
    plain = [[str(value) if isinstance(value, float) and math.isnan(value) else value for value in row] for row in rows]
    return plain if "ORDER BY" in statement.upper() else sorted(plain, key=repr)


def _answer_locally(session: forklake.Connection, statement: str) -> Sequence[Any] | None:
    """Return the rows of a query that this process computes; None if it leaves the query to Spark."""
    session.sql("SET engine = 'local'")
    try:
        found = session.sql(statement)
        assert found is not None
        return found.fetchall()
    except EngineError as error:
        if not str(error).startswith("This statement needs Spark"):
            raise
        return None
    finally:
        session.sql("SET engine = 'spark'")


def _run(session: forklake.Connection, statement: str) -> None:
    """Run a statement to its end: a query runs when its rows are asked for."""
    found = session.sql(statement)
    if found is not None:
        found.fetchall()


@pytest.mark.parametrize("case", _CASES, ids=lambda path: path.stem)
def test_every_query_answers_as_in_duckdb(case: Path, tmp_path: Path, spark: SparkSession) -> None:
    duckdb = attached(f"ducklake:{tmp_path}/theirs.ducklake", data_path=f"{tmp_path}/theirs")
    with duckdb as (theirs, _), forklake.connect(spark) as ours:
        ours.sql(
            f"ATTACH 'ducklake:{tmp_path}/ours.db' AS lake (DATA_PATH '{tmp_path}/ours', CATALOG 'case',"
            " CREATE_IF_NOT_EXISTS true, DATA_INLINING_ROW_LIMIT 10)"
        )
        ours.sql("USE lake; SET engine = 'spark'")
        for given in _statements(case.read_text()):
            statement = given.removeprefix("error: ")
            if statement != given:
                with pytest.raises(forklake.errors.ForklakeError):
                    _run(ours, statement)
                with pytest.raises(Exception, match=r"\w"):
                    theirs.execute(statement).fetchall()
                continue
            found = ours.sql(statement)
            expected = theirs.execute(statement)
            if statement.upper().startswith(_QUERIES):
                assert found is not None
                rows = expected.fetchall()
                assert _comparable(found.fetchall(), statement) == _comparable(rows, statement), statement
                local = _answer_locally(ours, statement)
                assert local is None or _comparable(local, statement) == _comparable(rows, statement), statement
                assert found.columns == [column[0] for column in expected.description], statement
                assert found.types == [str(column[1]) for column in expected.description], statement
