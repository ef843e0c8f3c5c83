"""A merge shows the texts that it brings and that are bound later, and is refused over them if it is told to."""

from typing import Any

import pytest

from forklake import Catalog, CodeChange, Lake
from forklake.errors import InvalidInputError, MergeConflictError

DEFINED = (
    "CREATE VIEW seen AS SELECT * FROM goods; CREATE MACRO twice(x, y := 2) AS x * y;"
    "CREATE TABLE made (at VARCHAR DEFAULT (lower('A' || 'B')), n INTEGER DEFAULT 7);"
    "ALTER TABLE made SET SORTED BY (lower(at)); ALTER TABLE goods SET SORTED BY (i);"
    "ALTER TABLE goods ALTER s SET DEFAULT (upper('a' || 'b'))"
)


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.sql("CREATE TABLE goods (i INTEGER, s VARCHAR); CREATE VIEW old AS SELECT 1 AS one; CREATE MACRO gone(x) AS x")
    return shop


def told(plan: Any) -> set[tuple[str, str, str | None, bool, bool]]:
    return {(one.kind, one.name, one.column, one.before is None, one.trusted) for one in plan.code}


@pytest.mark.parametrize("confined", [True, False])
def test_the_plan_of_a_merge_has_the_texts_that_it_brings(lake: Lake, shop: Catalog, confined: bool) -> None:
    fork = shop.fork("fork")
    with lake.connect(["fork"], confined=confined) as session:
        session.sql(DEFINED)
        session.sql("CREATE OR REPLACE VIEW old AS SELECT 2 AS one; DROP MACRO gone; INSERT INTO goods VALUES (1, 'a')")
    plan = shop.merge(fork, dry_run=True)
    assert told(plan) == {
        ("view", "seen", None, True, not confined),
        ("view", "old", None, False, not confined),
        ("macro", "twice", None, True, not confined),
        ("macro", "gone", None, False, False),
        ("default", "made", "at", True, not confined),
        ("default", "goods", "s", True, not confined),
        ("sort key", "made", None, True, not confined),
    }
    bodies = {one.name: one.after for one in plan.code if one.kind == "macro"}
    assert bodies == {"twice": "(x, y := 2) AS x * y", "gone": None}
    assert shop.merge(fork).code == plan.code
    assert shop.macros.get("twice").implementations[0].trusted is not confined


def test_a_merge_is_refused_over_code_if_it_is_told_to(shop: Catalog) -> None:
    fork = shop.fork("fork")
    fork.sql("INSERT INTO goods VALUES (1, 'a'); CREATE TABLE plain (n INTEGER DEFAULT 7)")
    head = shop.merge(fork, code="refuse").snapshot_id
    assert head == shop.head
    fork.sql(DEFINED)
    with pytest.raises(MergeConflictError, match=r'the text of macro "main"\."twice" was added') as caught:
        shop.merge(fork, code="refuse")
    assert {one.kind for one in caught.value.conflicts} == {"code"}
    assert 'code="take"' in str(caught.value.hint)
    planned = shop.merge(fork, code="refuse", dry_run=True)
    assert (planned.is_possible, len(planned.code), shop.head) == (False, 5, head)
    assert shop.merge(fork, code="take").is_possible
    with pytest.raises(InvalidInputError, match="Code is one of 'take', 'refuse', not 'maybe'"):
        shop.merge(fork, code="maybe")  # type: ignore[arg-type]


def test_a_refresh_shows_and_refuses_code_alike(shop: Catalog) -> None:
    fork = shop.fork("fork")
    shop.sql("CREATE MACRO new(x) AS x + 1")
    with pytest.raises(MergeConflictError):
        fork.refresh(code="refuse")
    plan = fork.refresh()
    assert plan.code == (CodeChange("macro", "main", "new", None, None, "(x) AS x + 1", trusted=True),)


def test_sql_shows_and_refuses_code_alike(lake: Lake, shop: Catalog) -> None:
    fork = shop.fork("fork")
    fork.sql("CREATE MACRO new(x) AS x + 1")
    with lake.connect(["shop", "fork"]) as session:
        for text in (
            "FROM ducklake_merge_catalog('shop', 'fork', code => 'refuse')",
            "MERGE FORK fork INTO shop CODE refuse",
        ):
            with pytest.raises(MergeConflictError):
                session.sql(text)
        found = session.sql("EXPLAIN MERGE FORK fork INTO shop CODE take")
        assert found is not None
        shown = [(row[1], row[2], row[-1]) for row in found.rows() if row[1] == "code"]
        assert shown == [("code", 'macro "main"."new"', 'macro "main"."new" is (x) AS x + 1')]
        with pytest.raises(InvalidInputError, match="Code is one of take, refuse"):
            session.sql("MERGE FORK fork INTO shop CODE perhaps")
        session.sql("MERGE FORK fork INTO shop STRATEGY ours KEYS (goods (i)) CODE take")
    assert shop.macros.get("new").implementations[0].trusted
