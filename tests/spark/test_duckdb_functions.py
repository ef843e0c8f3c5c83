"""Functions that DuckDB computes are Spark's while a query is analysed, and fail in DuckDB's words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

import forklake
from forklake import Connection
from forklake.engine.spark.read.query import query_frame, query_session
from forklake.errors import InvalidInputError
from forklake.files.duckdb_calls import DuckCall
from forklake.model import types

_NAME: Final = DuckCall("damerau_levenshtein", (types.VARCHAR, types.VARCHAR)).name


@pytest.fixture
def texts(tmp_path: Path, spark: SparkSession) -> Iterator[Connection]:
    with forklake.connect(spark) as session:
        session.sql(
            f"ATTACH 'ducklake:{tmp_path}/lake.db' AS lake (CATALOG 'texts', DATA_PATH '{tmp_path}/data',"
            " CREATE_IF_NOT_EXISTS true); USE lake; SET engine = 'spark'; CREATE TABLE t (id INTEGER, a VARCHAR);"
            " INSERT INTO t VALUES (1, 'duck'), (2, 'dark'), (3, NULL), (4, 'ducks')"
        )
        yield session


def _rows(session: Connection, text: str) -> list[tuple[Any, ...]]:
    found = session.sql(text)
    assert found is not None
    return found.fetchall()


def test_a_frame_keeps_a_function_that_the_session_has_no_more(spark: SparkSession) -> None:
    copy, text = query_session(spark), f"SELECT `{_NAME}`('ca', 'ac').value AS d"
    frame = query_frame(copy, text, {})
    for session in (copy, spark):
        with pytest.raises(AnalysisException, match="UNRESOLVED_ROUTINE"):
            session.sql(text)
    assert [row.d for row in frame.collect()] == [1]


def test_a_value_fails_in_duckdbs_words_where_it_is_asked_for(texts: Connection) -> None:
    said = "Invalid Input Error: Mismatch Function: Strings must be of equal length!"
    with pytest.raises(InvalidInputError) as caught:
        _rows(texts, "SELECT hamming(a, 'duck') FROM t")
    assert str(caught.value) == said
    with pytest.raises(InvalidInputError) as caught:
        texts.sql("UPDATE t SET id = hamming(a, 'duck')")
    assert str(caught.value) == said
    asked = "SELECT CASE WHEN strlen(a) = 4 THEN hamming(a, 'duck') END FROM t ORDER BY id"
    assert _rows(texts, asked) == [(0,), (2,), (None,), (None,)]


def test_where_spark_calls_no_such_function_it_is_refused(texts: Connection) -> None:
    with pytest.raises(InvalidInputError, match=r'^Not implemented Error: DuckDB computes "strip_accents" for Spark'):
        texts.sql("SELECT list_transform([a], lambda x: strip_accents(x)) FROM t")
    with pytest.raises(InvalidInputError, match=r"^Not implemented Error: Spark calls no function .* of both sides\.$"):
        _rows(texts, "SELECT * FROM t LEFT JOIN t AS o ON jaccard(t.a, o.a) > 0.5")
    one_side = "SELECT t.id FROM t LEFT JOIN t AS o ON t.id = o.id AND jaccard(o.a, 'd') > 0 ORDER BY ALL"
    assert _rows(texts, one_side) == [(1,), (2,), (3,), (4,)]
