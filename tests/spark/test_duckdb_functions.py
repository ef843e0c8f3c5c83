"""Functions that DuckDB computes are Spark's while a query is analysed, and fail in DuckDB's words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, cast

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

import forklake
from forklake import Connection
from forklake.duck.calls import DuckCall
from forklake.engine.spark.columns.duckdb_functions import duckdb_functions
from forklake.engine.spark.read.query import query_frame, query_session
from forklake.errors import InvalidInputError
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


def test_conditions_on_many_catalogs_call_them(tmp_path: Path, spark: SparkSession) -> None:
    with forklake.open(str(tmp_path / "lake.db"), data_path=tmp_path / "data", spark=spark) as lake:
        lake.create_catalog("a").sql("CREATE TABLE t (a BIGINT); INSERT INTO t VALUES (1), (5)")
        lake.catalog("a").fork("b").sql("INSERT INTO t VALUES (1)")
        found = lake.across(["a", "b"]).table("t").dataframe(where="to_base(a, 2) = '1'")
        assert sorted(row.a for row in found.collect()) == [1, 1, 1]


def test_a_merge_of_spark_sorts_by_them(tmp_path: Path, spark: SparkSession) -> None:
    with forklake.open(str(tmp_path / "lake.db"), data_path=tmp_path / "data", spark=spark) as lake:
        shop = lake.create_catalog("shop")
        shop.sql("CREATE TABLE t (a BIGINT, b INTEGER); ALTER TABLE t SET SORTED BY (to_base(a, 2))")
        with lake.attach(spark, catalog="shop"):
            spark.sql(
                "MERGE INTO shop.main.t USING (SELECT * FROM VALUES (10L, 1), (1L, 3), (2L, 2) AS s(a, b)) s"
                " ON t.a = s.a WHEN NOT MATCHED THEN INSERT *"
            )
        assert shop.table("t").rows(columns=["a"]) == [(1,), (2,), (10,)]


def test_two_objects_of_one_session_share_a_function(spark: SparkSession) -> None:
    again = cast("Any", SparkSession)(spark.sparkContext, cast("Any", spark)._jsparkSession)
    text = f"SELECT `{_NAME}`('ca', 'ac').value AS d"
    with duckdb_functions(spark, text):
        with duckdb_functions(again, text):
            pass
        assert spark.sql(text).collect()[0].d == 1
    with pytest.raises(AnalysisException, match="UNRESOLVED_ROUTINE"):
        spark.sql(text)


def test_a_function_that_could_not_be_registered_is_registered_by_the_next_statement(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"SELECT `{_NAME}`('ca', 'ac').value AS d"
    with monkeypatch.context() as broken:
        broken.setattr(type(spark.udf), "register", lambda *_: _fail())
        with pytest.raises(OSError, match="gone"), duckdb_functions(spark, text):
            pass
    with duckdb_functions(spark, text):
        assert spark.sql(text).collect()[0].d == 1


def _fail() -> None:
    raise OSError("gone")
