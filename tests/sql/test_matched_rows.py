"""Rows that are found by the rows of a source: which files are opened for it, and how often."""

from __future__ import annotations

from pathlib import Path

import pytest

from forklake import Catalog, Connection, MergeUpdate
from forklake.errors import InvalidInputError

FILES = 20
PER_FILE = 10


@pytest.fixture
def shop(session: Connection) -> Catalog:
    """A catalog with a table of 20 files with ten ids each, and with a source of which all ids are in the eighth."""
    (attached,) = session._state.attachments.all()
    shop = attached.catalog
    shop.create_table("t", {"id": "INTEGER", "v": "VARCHAR"})
    with shop.transaction() as transaction:
        for file in range(FILES):
            rows = [{"id": file * PER_FILE + n, "v": "old"} for n in range(PER_FILE)]
            transaction.table("t").append(rows)
    shop.create_table("s", {"id": "BIGINT", "w": "VARCHAR", "batch": "INTEGER"})
    shop.table("s").append([{"id": 73, "w": "new", "batch": 1}, {"id": 75, "w": "new", "batch": 1}])
    shop.table("s").append([{"id": 0, "w": "other", "batch": 2}, {"id": None, "w": "none", "batch": 1}])
    return shop


def without_others(shop: Catalog, number: int) -> None:
    """Remove all files but one: a statement that opens another fails."""
    for place, file in enumerate(shop.table("t").storage.files()):
        if place != number:
            Path(file.path).unlink()


@pytest.mark.parametrize(
    "statement",
    [
        "MERGE INTO t USING (FROM s WHERE batch = 1) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.w",
        "MERGE INTO t USING (VALUES (73), (75), (1000)) s(id) USING (id) WHEN MATCHED THEN UPDATE SET v = 'new'",
        "WITH x AS (FROM s WHERE batch = 1) MERGE INTO t AS y USING x ON x.id = y.id AND y.v = 'old' WHEN MATCHED THEN"
        " UPDATE SET v = x.w WHEN NOT MATCHED AND x.id > 0 THEN INSERT VALUES (x.id, x.w)",
        "UPDATE t SET v = s.w FROM s WHERE t.id = s.id AND s.batch = 1",
        "UPDATE t AS x SET v = w FROM (SELECT id AS i, w, batch AS b FROM s) AS y WHERE b = 1 AND x.id = y.i",
        "UPDATE t SET v = q.w FROM s AS q JOIN s AS r ON q.id = r.id WHERE t.id = r.id AND q.batch = 1 AND v = 'old'",
        "UPDATE t SET v = 'new' FROM (VALUES (73), (NULL), (75)) s(id) WHERE t.id = s.id",
        "UPDATE t SET v = 'new' WHERE id IN (73, 75) AND id IN (SELECT id FROM s)",
        "DELETE FROM t USING s WHERE t.id = s.id AND s.batch = 1",
        "DELETE FROM t USING s, (SELECT 1 AS one) AS o WHERE s.id = t.id AND s.batch = o.one AND s.batch = 1",
        "WITH x AS (FROM s WHERE batch = 1) DELETE FROM t USING x WHERE t.id = x.id",
        "DELETE FROM t WHERE id BETWEEN 71 AND 78 AND EXISTS (SELECT 1 FROM s WHERE s.id = t.id)",
    ],
)
def test_of_twenty_files_the_one_is_opened_that_a_source_touches(
    session: Connection, shop: Catalog, statement: str
) -> None:
    without_others(shop, 7)
    result = session.sql(statement)
    assert result is not None
    assert result.fetchall() == [(2,)]
    left = session.sql("SELECT id, v FROM t WHERE id BETWEEN 70 AND 79 ORDER BY id")
    assert left is not None
    is_deleted = "DELETE" in statement
    changed = {73: "new", 75: "new"}
    assert left.fetchall() == [
        (id_, changed.get(id_, "old")) for id_ in range(70, 80) if not (is_deleted and id_ in changed)
    ]


def test_of_twenty_files_the_one_is_opened_that_a_source_of_python_touches(session: Connection, shop: Catalog) -> None:
    without_others(shop, 7)
    table, clause = shop.table("t"), [MergeUpdate({"v": "'new'"})]
    assert table.merge([{"id": 73}, {"id": None}, {"id": 75}], "target.id = source.id", matched=clause).row_count == 2
    frame = shop.table("s").dataframe(where="batch = 1")
    assert table.merge(frame, "target.id = source.id", matched=clause).row_count == 2
    assert table.count("v = ? AND id BETWEEN 70 AND 79", parameters=["new"]) == 2


def test_keys_that_are_compared_as_other_types_leave_out_no_file(session: Connection, shop: Catalog) -> None:
    shop.create_table("k", {"d": "DOUBLE", "n": "DECIMAL(9,2)", "x": "VARCHAR", "h": "HUGEINT"})
    shop.table("k").append([{"d": 5.0, "n": 25, "x": "045", "h": 65}])
    for condition in (
        "t.id = k.d",
        "t.id = k.n",
        "t.id = k.x::INTEGER",
        "t.id = k.h",
        "t.id::VARCHAR = k.n::INT::VARCHAR",
    ):
        found = session.sql(f"UPDATE t SET v = 'met' FROM k WHERE {condition}")
        assert found is not None
        assert found.fetchall() == [(1,)], condition
    rows = session.sql("SELECT id FROM t WHERE v = 'met' ORDER BY id")
    assert rows is not None
    assert rows.fetchall() == [(5,), (25,), (45,), (65,)]


def test_a_key_that_leaves_out_files_stands_beside_one_that_does_not(session: Connection, shop: Catalog) -> None:
    without_others(shop, 7)
    found = session.sql(
        "UPDATE t SET v = 'x' FROM (SELECT id AS i, id::DOUBLE AS d FROM s WHERE batch = 1) WHERE t.id = d AND t.id = i"
    )
    assert found is not None
    assert found.fetchall() == [(2,)]


def test_a_row_that_several_rows_would_update_is_refused(session: Connection, shop: Catalog) -> None:
    head = shop.head
    for statement in (
        "UPDATE t SET v = s.w FROM (VALUES (1, 'a'), (1, 'b')) s(id, w) WHERE t.id = s.id",
        "UPDATE t SET v = r.w FROM s, s AS r WHERE t.id = s.id",
        "MERGE INTO t USING (VALUES (1, 'a'), (1, 'b')) s(id, w) ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = w",
    ):
        with pytest.raises(InvalidInputError, match="The same row was updated multiple times"):
            session.sql(statement)
    assert shop.head == head


def test_a_source_that_is_not_the_same_each_time_is_run_once(session: Connection, shop: Catalog) -> None:
    session.sql("UPDATE t SET v = r.v FROM (SELECT id AS i, random()::VARCHAR AS v FROM t) r WHERE t.id = r.i")
    found = session.sql("SELECT count(*), count(DISTINCT id), count(DISTINCT v) > 150 FROM t")
    assert found is not None
    assert found.fetchall() == [(200, 200, True)]
    deleted = session.sql(
        "DELETE FROM t USING (SELECT id AS i FROM t WHERE random() < 0.7) r WHERE t.id = r.i AND random() < 0.7"
    )
    left = session.sql("SELECT count(*) FROM t")
    assert deleted is not None
    assert left is not None
    assert deleted.fetchall()[0][0] + left.fetchall()[0][0] == 200


def test_a_subquery_of_a_merge_stands_in_its_source(session: Connection, shop: Catalog) -> None:
    for statement in (
        "MERGE INTO t USING s ON t.id IN (SELECT id FROM s) WHEN MATCHED THEN DELETE",
        "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = (SELECT max(w) FROM s)",
    ):
        with pytest.raises(InvalidInputError, match="MERGE has subqueries in its source only"):
            session.sql(statement)
