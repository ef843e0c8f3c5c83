"""What the body of a stored macro may do to whoever calls it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import forklake
from forklake import Lake, Settings
from forklake.errors import InvalidInputError

ACTS = (
    "ducklake_drop_catalog('shop', 'rival')",
    "ducklake_rename_catalog('shop', 'rival', 'gone')",
    "'shop'.ducklake_drop_catalog('rival')",
    "(SELECT max(1) FROM ducklake_set_option('shop', 'target_file_size', '1MB'))",
    "CASE WHEN false THEN ducklake_drop_catalog('shop', 'rival') END",
    "inner_act(x)",
)
USES = (
    "SELECT {call}",
    "SELECT 1 WHERE {call} = 1",
    "SELECT CASE WHEN false THEN {call} END",
    "SELECT i FROM goods ORDER BY {call}",
    "SELECT i FROM goods GROUP BY i HAVING {call} = 1",
    "SELECT sum(i) OVER (PARTITION BY {call}) FROM goods",
    "SELECT i FROM goods QUALIFY {call} = 1",
    "SELECT i FROM goods LIMIT {call}",
    "SELECT (SELECT {call})",
    "WITH w AS (SELECT {call}) FROM w",
    "SELECT * FROM goods a JOIN goods b ON {call} = 1",
    "VALUES ({call})",
    "INSERT INTO goods VALUES ({call})",
    "INSERT INTO goods SELECT {call}",
    "UPDATE goods SET i = {call}",
    "DELETE FROM goods WHERE {call} = 1",
    "CREATE TABLE made AS SELECT {call} AS c",
    "MERGE INTO goods USING (SELECT 1 AS i) AS s ON goods.i = s.i WHEN MATCHED THEN UPDATE SET i = {call}",
    "EXPLAIN SELECT {call}",
    "DESCRIBE SELECT {call}",
    "SET VARIABLE v = {call}",
)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    path: Path = tmp_path_factory.mktemp("macros")
    lake = forklake.open(str(path / "lake.db"), settings=Settings(engine="local"))
    shop = lake.create_catalog("shop")
    lake.create_catalog("rival")
    shop.sql("CREATE TABLE goods (i INTEGER); INSERT INTO goods VALUES (1), (2)")
    shop.sql(f"CREATE MACRO inner_act(x) AS {ACTS[0]}")
    for place, body in enumerate(ACTS):
        shop.sql(f"CREATE MACRO act_{place}(x) AS {body}")
    shop.sql("CREATE MACRO upper(x) AS ducklake_drop_catalog('shop', 'rival')")
    shop.sql("CREATE MACRO listed() AS TABLE FROM ducklake_set_option('shop', 'target_file_size', '1MB')")
    shop.sql("CREATE MACRO given(x := ducklake_drop_catalog('shop', 'rival')) AS x")
    with lake:
        yield lake


def refuse(lake: Lake, text: str) -> None:
    shop = lake.catalog("shop")
    head = shop.head
    with shop.session() as session, pytest.raises(InvalidInputError, match="not in a view or a macro"):
        session.sql(text)
    assert (shop.head, [one.name for one in lake.catalogs()]) == (head, ["rival", "shop"])


@pytest.mark.parametrize("use", USES)
def test_the_body_of_a_macro_never_acts_wherever_it_is_called(lake: Lake, use: str) -> None:
    refuse(lake, use.format(call="upper('x')"))


@pytest.mark.parametrize("place", range(len(ACTS)))
def test_no_body_of_a_macro_acts_whatever_it_is(lake: Lake, place: int) -> None:
    refuse(lake, f"SELECT act_{place}('x')")


@pytest.mark.parametrize(
    "text",
    [
        "FROM listed()",
        "SELECT given()",
        "PREPARE asked AS SELECT upper('x'); EXECUTE asked",
        "CREATE TEMP MACRO mine(x) AS ducklake_drop_catalog('shop', 'rival'); SELECT mine(1)",
        "CREATE TEMP MACRO mine(x) AS upper(x); SELECT mine(1)",
        "CREATE VIEW seen AS SELECT upper('x')",
        "SELECT main.upper('x')",
        "SELECT shop.main.upper('x')",
    ],
)
def test_other_ways_to_a_body_do_not_act_either(lake: Lake, text: str) -> None:
    refuse(lake, text)


def test_what_a_caller_gives_to_a_macro_acts_as_anywhere_else(lake: Lake) -> None:
    shop = lake.catalog("shop")
    shop.sql("CREATE MACRO same(x) AS x")
    lake.create_catalog("spare")
    shop.sql("SELECT same(ducklake_drop_catalog('shop', 'spare'))")
    assert "spare" not in [one.name for one in lake.catalogs()]
