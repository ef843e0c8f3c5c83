"""Another engine than Spark serves tables and SQL, and nothing above the seam knows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import forklake
from forklake import Catalog, Connection, Lake, Settings
from forklake.errors import ConfigError, EngineError, InvalidInputError, NotFoundError
from tests.duck_engine import DuckEngine, DuckFrame


@pytest.fixture
def engine() -> DuckEngine:
    return DuckEngine()


@pytest.fixture
def lake(tmp_path: Path, engine: DuckEngine) -> Iterator[Lake]:
    with forklake.open(str(tmp_path / "lake.db"), settings=Settings(engine=engine, local_read_rows=0)) as lake:
        yield lake


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER", "s": "VARCHAR"})
    return shop


def rows(source: Catalog | Connection, text: str) -> list[Any]:
    found = source.sql(text)
    assert found is not None
    return found.fetchall()


def test_a_table_is_written_and_read_by_the_engine_of_the_settings(shop: Catalog, engine: DuckEngine) -> None:
    table = shop.table("t")
    table.append(DuckFrame(pa.table({"s": ["a", "b", "c"], "i": [1, 2, 3]})))
    assert engine.asked == ["write"]
    found: Any = table.dataframe(["s", "i"], where="i >= 2")
    assert isinstance(found, DuckFrame)
    assert found.rows.to_pylist() == [{"s": "b", "i": 2}, {"s": "c", "i": 3}]
    assert table.count("s < 'c'") == 2
    assert table.delete("i = 2").row_count == 1
    found = table.dataframe(["i"])
    assert found.rows.column("i").to_pylist() == [1, 3]
    shop.create_table("u", rows=DuckFrame(pa.table({"x": [1.5]})))
    assert [column.type for column in shop.table("u").columns] == ["float64"]
    assert shop.table("u").inspect.max("x") == 1.5
    with pytest.raises(NotFoundError, match="nope"):
        table.dataframe(["nope"])
    with pytest.raises(InvalidInputError, match="column"):
        table.append(DuckFrame(pa.table({"other": [1]})))


def test_sql_is_computed_by_the_engine_of_the_lake(shop: Catalog, lake: Lake, engine: DuckEngine) -> None:
    with shop.session() as session:
        session.sql("INSERT INTO t VALUES (1, 'x1'), (2, 'x2'), (3, 'x3'), (4, 'x3')")
        assert rows(session, "INSERT INTO t (i) SELECT i FROM t WHERE i = 4") == [(1,)]
        assert rows(session, "SELECT s, i FROM t WHERE i > 1 AND i < 4 ORDER BY i DESC") == [("x3", 3), ("x2", 2)]
        assert rows(session, "SELECT s, count(*), max(i) FROM t GROUP BY ALL ORDER BY s NULLS LAST") == [
            ("x1", 1, 1),
            ("x2", 1, 2),
            ("x3", 2, 4),
            (None, 1, 4),
        ]
        assert rows(session, "CREATE TABLE u AS SELECT i FROM t WHERE i = 3") == [(1,)]
        assert rows(session, "DELETE FROM t WHERE i IN (1, 2, 4)") == [(4,)]
        assert rows(session, "SELECT t.i FROM t JOIN u USING (i)") == [(3,)]
        assert "DuckDB" in rows(session, "EXPLAIN FROM t")[0][1]
        known = session.sql("SELECT 7 AS seven")
        assert known is not None
        assert isinstance(known.dataframe(), DuckFrame)
        with pytest.raises(EngineError, match="does not have updates; nothing was done"):
            session.sql("UPDATE t SET i = 4")
        assert rows(session, "SELECT i FROM t WHERE true") == [(3,)]
    assert {"query", "scan", "write", "delete", "collect"} <= set(engine.asked)


def test_lakes_that_a_session_attaches_have_its_engine(tmp_path: Path, engine: DuckEngine) -> None:
    attach = f"ATTACH 'ducklake:{tmp_path / 'other.db'}' AS o (CATALOG 'c', CREATE_IF_NOT_EXISTS true)"
    with forklake.connect(settings=Settings(engine=engine, local_read_rows=0)) as session:
        session.sql(f"{attach}; CREATE TABLE o.t AS SELECT 1 AS i")
        assert rows(session, "SELECT i FROM o.t WHERE i > 0") == [(1,)]
    assert "scan" in engine.asked


def test_spark_cannot_be_asked_of_a_lake_that_has_another_engine(lake: Lake, engine: DuckEngine) -> None:
    with pytest.raises(EngineError, match="by DuckEngine, not by Spark"):
        lake.spark  # noqa: B018
    given: Any = object()
    with pytest.raises(ConfigError, match="Both a Spark session and another engine"):
        forklake.connect(given, settings=Settings(engine=engine, local_read_rows=0))
