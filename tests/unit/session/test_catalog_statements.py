"""SHOW, CREATE and DROP CATALOG, SET schema, views of information_schema, EXPLAIN; none of this starts Spark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import forklake
from forklake import Connection, Lake
from forklake.errors import AlreadyExistsError, ForklakeError, InvalidInputError, NotFoundError


@pytest.fixture
def session(lake: Lake) -> Iterator[Connection]:
    with lake.create_catalog("shop").session() as made:
        made.sql("CREATE TABLE t (i INTEGER); INSERT INTO t VALUES (1), (2)")
        yield made


def _rows(session: Connection, text: str) -> list[tuple[Any, ...]]:
    result = session.sql(text)
    assert result is not None
    return result.fetchall()


def test_catalogs_are_made_shown_and_dropped(session: Connection, lake: Lake) -> None:
    session.sql('CREATE CATALOG "agent-001"; CREATE CATALOG IF NOT EXISTS "agent-001"; CREATE CATALOG other')
    with pytest.raises(AlreadyExistsError):
        session.sql("CREATE CATALOG other")
    assert [row[0] for row in _rows(session, "SHOW CATALOGS")] == ["agent-001", "other", "shop"]
    session.sql("DROP CATALOG other; DROP CATALOG IF EXISTS other")
    with pytest.raises(NotFoundError):
        session.sql("DROP CATALOG other")
    assert [one.name for one in lake.catalogs()] == ["agent-001", "shop"]
    with pytest.raises(InvalidInputError, match="neither OR REPLACE"):
        session.sql("CREATE OR REPLACE CATALOG other")


def test_forks_are_made_by_a_statement(session: Connection, lake: Lake) -> None:
    session.sql("CREATE FORK agent FROM shop; CREATE FORK IF NOT EXISTS agent FROM shop")
    shop = lake.catalog("shop")
    shop.tag("monday")
    session.sql("INSERT INTO t VALUES (3)")
    session.sql("CREATE FORK audit FROM shop AT monday; CREATE FORK first FROM shop AT 1; CREATE FORK late AT 'monday'")
    assert [_rows(session, f"SELECT count(*) FROM {name}.t")[0][0] for name in ("agent", "audit", "first", "late")] == [
        2,
        2,
        0,
        2,
    ]
    session.sql("CREATE FORK brief (TTL INTERVAL 2 HOURS, LABELS {'run': '7'}, AUTHOR 'a' || 'nn')")
    assert [info.name for info in lake.catalogs(labels={"run": "7"})] == ["brief"]
    assert lake.catalog("brief").inspect.lifetime is not None
    session.sql("USE agent; CREATE FORK deeper")
    parent = lake.catalog("deeper").inspect.parent
    assert parent is not None
    assert parent.name == "agent"
    for text, words in (
        ("CREATE FORK agent FROM shop", "already exists"),
        ("CREATE FORK x FROM nowhere", 'Catalog "nowhere" does not exist'),
        ("CREATE OR REPLACE FORK x FROM shop", "neither OR REPLACE"),
        ("CREATE FORK x (TLL '2h')", 'no option "tll"'),
        ("CREATE FORK x FROM shop AT 1.5", "AT takes"),
    ):
        with pytest.raises(ForklakeError, match=words):
            session.sql(text)
    with lake.connect(["shop"], confined=forklake.Confinement(fork_prefix="mine")) as confined:
        confined.sql("CREATE FORK mine FROM shop")
        with pytest.raises(ForklakeError):
            confined.sql("CREATE FORK other FROM shop")
        with pytest.raises(NotFoundError):
            confined.sql('CREATE FORK "mine-2" FROM agent')
    with forklake.connect() as bare, pytest.raises(InvalidInputError, match="No catalog is in use; nothing was forked"):
        bare.sql("CREATE FORK x")


def test_catalogs_tell_since_when_and_until_when_they_are_there(session: Connection, lake: Lake) -> None:
    lake.catalog("shop").fork("agent")
    found = "SELECT catalog_name, parent_catalog_id, begin_snapshot, end_snapshot FROM ducklake_catalogs('shop'{})"
    (fork, shop) = _rows(session, found.format(""))
    assert (fork[0], fork[1], fork[3]) == ("agent", lake.catalog("shop").catalog_id, None)
    assert (shop[0], shop[1], shop[3]) == ("shop", None, None)
    assert shop[2] < fork[2]
    lake.catalog("agent").drop()
    assert _rows(session, "SELECT catalog_name FROM ducklake_catalogs('shop')") == [("shop",)]
    ((*_, end),) = [row for row in _rows(session, found.format(f", at => {fork[2]}")) if row[0] == "agent"]
    assert end > fork[2]


def test_catalogs_need_a_lake() -> None:
    with forklake.connect() as session, pytest.raises(InvalidInputError, match="No catalog of a lake is attached"):
        session.sql("SHOW CATALOGS")


def test_set_schema_is_use(session: Connection) -> None:
    session.sql("CREATE SCHEMA s; CREATE TABLE s.u (i INTEGER); SET schema = 's'")
    assert _rows(session, "SELECT current_schema()") == [("s",)]
    assert _rows(session, "SELECT count(*) FROM u") == [(0,)]
    session.sql("SET search_path = 'shop.main'")
    assert _rows(session, "SELECT current_schema(), current_database()") == [("main", "shop")]
    with pytest.raises(NotFoundError, match="No catalog"):
        session.sql("SET schema = 'nothing'")
    with pytest.raises(InvalidInputError, match="One schema is in use"):
        session.sql("SET search_path = 's', 'main'")


def test_views_are_in_the_information_schema(session: Connection) -> None:
    session.sql("CREATE VIEW v AS SELECT i FROM t")
    ((catalog, schema, name, text, *rest),) = _rows(session, "FROM information_schema.views")
    assert (catalog, schema, name, rest) == ("shop", "main", "v", ["NONE", *["NO"] * 5])
    assert text.startswith("CREATE VIEW v AS")


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("INSERT INTO t SELECT i FROM t", 'Table "t"'),
        ("CREATE TABLE u AS SELECT i FROM t", 'Table "t"'),
        ("COPY t TO 'x.parquet'", 'Table "t"'),
        ("DELETE FROM t", 'Table "t"'),
        ("DROP TABLE t", "Drop: no rows are read"),
        ("INSERT INTO t VALUES (1)", "Answered from metadata"),
    ],
)
def test_every_statement_is_explained_and_not_run(session: Connection, statement: str, said: str) -> None:
    ((key, text),) = _rows(session, f"EXPLAIN {statement}")
    assert key == "physical_plan"
    assert said in text
    assert _rows(session, "SELECT count(*) FROM t") == [(2,)]


def test_explain_analyze_runs_the_statement(session: Connection) -> None:
    ((key, _),) = _rows(session, "EXPLAIN ANALYZE INSERT INTO t VALUES (3)")
    assert key == "analyzed_plan"
    assert _rows(session, "SELECT count(*) FROM t") == [(3,)]
    with pytest.raises(InvalidInputError, match="does not run BEGIN"):
        session.sql("EXPLAIN ANALYZE BEGIN")
