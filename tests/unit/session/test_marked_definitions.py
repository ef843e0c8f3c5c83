"""What a confined session stores is marked, and reaches nothing but its own catalog, whoever uses it."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlglot import exp

import forklake
from forklake import Catalog, Connection, Lake, Settings
from forklake.errors import ForklakeError, NotFoundError, PermissionDeniedError
from forklake.model.built_in_names import BUILT_IN_NAMES
from forklake.model.quoting import quote_text
from forklake.session.functions import FUNCTIONS
from forklake.session.safety.permissions import FILE_FUNCTIONS, LISTINGS
from forklake.sql.expressions.aggregates import AGGREGATES, WINDOWS
from forklake.sql.expressions.nodes import function_name
from forklake.sql.functions import FUNCTIONS as OF_NODES
from forklake.sql.functions import NAMED
from forklake.sql.parse import parse_expression
from forklake.sql.vocabulary import BY_NAME
from tests.unit.session.tenants import attempt

TAKEN = (
    "upper", "lower", "trim", "length", "substring", "replace", "concat", "md5", "abs", "round", "coalesce", "ifnull",
    "nullif", "greatest", "least", "now", "today", "current_database", "current_schema", "version", "count", "sum",
    "max", "min", "avg", "string_agg", "first", "range", "read_csv", "read_text", "glob", "duckdb_tables",
    "ducklake_snapshots", "ducklake_catalogs", "list_value", "if", "getvariable", "date_trunc", "random",
)  # fmt: skip
USES = (
    "SELECT {call}",
    "SELECT i FROM goods WHERE {call} IS NOT NULL",
    "SELECT i FROM goods ORDER BY {call}, i",
    "SELECT (SELECT {call})",
    "WITH w AS (SELECT {call} AS c) FROM w",
    "VALUES ({call})",
    "FROM {call}",
    "SELECT CASE WHEN false THEN {call} END",
    "INSERT INTO notes SELECT {call}::VARCHAR",
    "EXPLAIN SELECT {call}",
)
BODIES = (
    "(SELECT max(s) FROM rival.main.vault)",
    "(SELECT max(s) FROM vault)",
    "(SELECT max(s) FROM read_parquet('{outside}'))",
    "(SELECT max(s) FROM '{outside}')",
    "(SELECT string_agg(name, ',') FROM ducklake_catalogs('bait'))",
    "(SELECT string_agg(database_name, ',') FROM duckdb_databases())",
    "(SELECT string_agg(table_catalog, ',') FROM information_schema.tables)",
    "(SELECT count(*) FROM __ducklake_metadata_rival.ducklake_table)",
    "(SELECT max(s) FROM far)",
    "getvariable('secret')",
    "ducklake_drop_catalog('bait', 'rival')",
    "'bait'.ducklake_drop_catalog('rival')",
    "s",
    "v.s",
    "(SELECT s)",
    "(SELECT max(s) FROM w)",
    "(WITH w AS (SELECT 1) SELECT 1) || (SELECT max(s) FROM w)",
    "frame_of_caller.s",
    "(SELECT max(s) FROM frame_of_caller)",
    "(SELECT max(s) FROM temporary)",
    "columns('s')",
    "count(s)",
    "max(s) OVER w",
)


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    with forklake.open(str(tmp_path / "lake.db"), settings=Settings(engine="local")) as lake:
        pq.write_table(pa.table({"s": ["sesame"]}), tmp_path / "outside.parquet")
        shop = lake.create_catalog("shop")
        shop.sql("CREATE TABLE goods (i INTEGER, s VARCHAR); INSERT INTO goods VALUES (1, 'a'), (2, 'b')")
        shop.sql(f"CREATE VIEW far AS FROM read_parquet('{tmp_path}/outside.parquet'); CREATE MACRO twice(x) AS x * 2")
        shop.sql("CREATE TABLE notes (s VARCHAR)")
        lake.catalog("shop").fork("bait")
        rival = shop.fork("rival")
        rival.sql("CREATE TABLE vault (s VARCHAR); INSERT INTO vault VALUES ('sesame')")
        yield lake


@pytest.fixture
def agent(lake: Lake) -> Iterator[Connection]:
    with lake.connect(["bait"], confined=True) as session:
        yield session


@pytest.fixture
def owner(lake: Lake) -> Iterator[Connection]:
    with lake.connect(["bait", "rival"]) as session:
        session.sql("USE bait; SET VARIABLE secret = 'sesame'")
        session.sql("CREATE TEMP TABLE temporary AS SELECT 'sesame' AS s")
        session.register("frame_of_caller", pa.table({"s": ["sesame"]}))
        yield session


def write_body(lake: Lake, name: str, body: str, kind: str = "scalar") -> None:
    """Store the body of a macro as another program does that writes to the metadata."""
    catalog = lake.catalog("bait")
    catalog.sql(f"CREATE OR REPLACE MACRO {name}(x) AS {'TABLE SELECT 1' if kind == 'table' else '1'}")
    with lake._runtime.store.writing() as session:
        session.execute(
            f"UPDATE forklake.ducklake_macro_impl SET sql = {quote_text(body)}, trusted = NULL WHERE macro_id ="
            " (SELECT max(macro_id) FROM forklake.ducklake_macro)"
        )


def rows(session: Connection, text: str) -> list[tuple[Any, ...]]:
    found = session.sql(text)
    assert found is not None
    return found.rows()


# ---- names of built-in functions -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", TAKEN)
def test_a_marked_macro_takes_no_name_of_a_built_in_function(lake: Lake, agent: Connection, name: str) -> None:
    calls = (f"{name}('x')", f"{name}('x', 'y')", f"{name}()")
    with lake.connect(["bait"]) as session:
        before = [attempt(session, use.format(call=call)) for use in USES for call in calls]
    agent.sql(f'CREATE MACRO "{name}"() AS 7, (x) AS 8, (x, y) AS 9')
    for confined in (False, True):
        with lake.connect(["bait"], confined=confined) as session:
            after = [attempt(session, use.format(call=call)) for use in USES for call in calls]
            if not confined and name not in ("now", "random"):
                assert [*map(_plain, after)] == [*map(_plain, before)]
            assert attempt(session, f'SELECT main."{name}"(1), bait.main."{name}"(1, 2)').endswith("[(8, 9)]")


def _plain(told: str) -> str:
    return re.sub(r"\d{4}-\d\d-\d\d[^']*|datetime.*|\d+, \d+", "", told)


def test_a_trusted_macro_goes_before_a_built_in_function(lake: Lake) -> None:
    shop = lake.catalog("shop")
    shop.sql("CREATE MACRO upper(x) AS 'mine'")
    with shop.session() as session:
        assert rows(session, "SELECT upper('a')") == [("mine",)]
    with lake.connect(["shop"], confined=True) as session:
        assert rows(session, "SELECT upper('a')") == [("mine",)]


def test_catalog_functions_in_method_form_are_no_marked_macros(lake: Lake, agent: Connection) -> None:
    agent.sql("CREATE MACRO current_snapshot() AS TABLE SELECT 'taken'")
    with lake.connect(["bait"]) as session:
        assert rows(session, "FROM bait.current_snapshot()") != [("taken",)]
        assert rows(session, "FROM bait.main.current_snapshot()") == [("taken",)]


def test_a_schema_named_as_another_catalog_takes_none_of_its_functions(
    lake: Lake, agent: Connection, owner: Connection
) -> None:
    agent.sql("CREATE SCHEMA rival; CREATE MACRO rival.current_snapshot() AS TABLE SELECT 'taken'")
    agent.sql("CREATE MACRO rival.tag(x) AS TABLE SELECT 'taken'")
    assert rows(owner, "FROM rival.current_snapshot()") == [(lake.catalog("rival").head,)]
    owner.sql("CALL rival.tag('kept')")
    assert [tag.name for tag in lake.catalog("rival").tags()] == ["kept"]
    assert rows(owner, "FROM bait.rival.current_snapshot()") == [("taken",)]


def test_the_list_of_built_in_names_is_complete() -> None:
    with duckdb.connect() as database:
        found = {name for (name,) in database.sql("SELECT lower(function_name) FROM duckdb_functions()").fetchall()}
    for known in (BY_NAME, AGGREGATES, WINDOWS, OF_NODES, NAMED):
        for one in known:
            found |= {one} if isinstance(one, str) else {name.lower() for name in _names_of(one)}
    found |= {f"ducklake_{name}" for name in FUNCTIONS} | LISTINGS | FILE_FUNCTIONS
    assert sorted(name for name in found - BUILT_IN_NAMES if name.isidentifier()) == []


def _names_of(node: type[Any]) -> list[str]:
    return node.sql_names() if issubclass(node, exp.Func) else []


@pytest.mark.parametrize(
    "text",
    [
        "a ^ b", "a ** b", "a // b", "a % b", "a || b", "a ~ b", "a !~ b", "a ~~ b", "a ~~* b", "a SIMILAR TO b",
        "a LIKE b ESCAPE 'c'", "a ILIKE b", "a GLOB b", "a -> 'b'", "a ->> 'b'", "a[1]", "a[1:2]", "a & b", "a | b",
        "a << 1", "a >> 1", "~a", "a @> b", "a <@ b", "a && b", "a ^@ b", "a IS DISTINCT FROM b", "a::DATE",
        "TRY_CAST(a AS DATE)", "a AT TIME ZONE 'UTC'", "EXTRACT(year FROM a)", "SUBSTRING(a FROM 1 FOR 2)",
        "POSITION('a' IN b)", "TRIM(LEADING 'x' FROM a)", "OVERLAY(a PLACING b FROM 1)",
        "CASE WHEN a THEN b END",
        "a IN (1, 2)", "a BETWEEN 1 AND 2", "EXISTS (SELECT 1)", "a = ANY (SELECT 1)",
        "INTERVAL 1 DAY", "INTERVAL (a) DAY", "DATE '2000-01-01'", "{'a': 1}", "MAP {'a': 1}", "[1, 2]",
        "[x + 1 FOR x IN a]", "lambda x: x",
        "a COLLATE NOCASE", "current_date", "current_timestamp", "CURRENT_TIME", "localtimestamp", "current_user",
        "COLUMNS('a')",
        "GROUPING(a)", "sum(a) FILTER (b)", "sum(a) OVER (ORDER BY b)", "ARRAY[1]", "ARRAY(SELECT 1)", "row(1, 2)",
        "a IS NULL", "a ISNULL", "a NOTNULL", "-a", "NOT a", "a.b.c", "x'00'", "a!",
    ],
)  # fmt: skip
def test_no_operator_is_a_call_of_a_name_that_is_not_built_in(text: str) -> None:
    try:
        tree = parse_expression(text)
    except ForklakeError:
        return  # our SQL does not have it
    called = {function_name(node).lower() for node in tree.walk() if isinstance(node, exp.Func)}
    assert called <= BUILT_IN_NAMES | {"connector", "and", "or", "cast"}


# ---- reach -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("body", BODIES)
def test_a_confined_session_stores_no_macro_that_reaches_further(
    lake: Lake, agent: Connection, tmp_path: Path, body: str
) -> None:
    body = body.replace("{outside}", f"{tmp_path}/outside.parquet")
    if "_databases" in body or "tables)" in body or "getvariable" in body or "ducklake_catalogs" in body:
        return  # it may list what is its own
    with pytest.raises(ForklakeError):
        agent.sql(f"CREATE MACRO m(x) AS {body}")
    assert lake.catalog("bait").macros.list() == lake.catalog("shop").macros.list()


@pytest.mark.slow
@pytest.mark.parametrize("body", BODIES)
def test_a_macro_that_another_program_wrote_reaches_its_own_catalog_only(
    lake: Lake, owner: Connection, tmp_path: Path, body: str
) -> None:
    write_body(lake, "m", body.replace("{outside}", f"{tmp_path}/outside.parquet"))
    for text in (
        "SELECT m(1)",
        "SELECT m(1) FROM rival.main.vault AS v",
        "SELECT m(1) FROM rival.main.vault AS v GROUP BY s",
        "SELECT s, m(1) FROM rival.main.vault AS v GROUP BY ALL",
        "WITH w AS (SELECT 'sesame' AS s) SELECT m(1)",
        "WITH w AS (SELECT 'sesame' AS s) SELECT m(1) FROM w",
        "SELECT m(1) FROM frame_of_caller",
        "SELECT max(s) OVER w, m(1) FROM rival.main.vault AS v WINDOW w AS (ORDER BY s)",
        "INSERT INTO bait.main.notes SELECT m(1) FROM rival.main.vault AS v",
        "INSERT INTO bait.main.notes SELECT concat(m(1)) FROM (FROM rival.main.vault) AS v WHERE m(1) IS NOT NULL",
        "UPDATE bait.main.notes SET s = m(1)",
    ):
        told = attempt(owner, text)
        told = told.replace("max(s) OVER", "").partition("OVER")[0] if "OVER w" in text else told
        assert "sesame" not in re.sub(r"^\['s', .*?\] \[\('sesame', ", "", told), text
        assert "rival" not in told.replace('"rival"', "").replace("'rival'", "") or "Error" in told, told
    assert "sesame" not in attempt(owner, "FROM bait.main.notes")
    assert [one.name for one in lake.catalogs()] == ["bait", "rival", "shop"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "query", [body for body in BODIES if body.startswith("(SELECT") and "FROM w" not in body and "FROM" in body]
)
def test_a_view_that_another_program_wrote_reaches_its_own_catalog_only(
    lake: Lake, owner: Connection, tmp_path: Path, query: str
) -> None:
    query = query.removeprefix("(").removesuffix(")").replace("{outside}", f"{tmp_path}/outside.parquet")
    lake.catalog("bait").sql("CREATE VIEW seen AS SELECT 1")
    with lake._runtime.store.writing() as session:
        session.execute(
            f"UPDATE forklake.ducklake_view SET sql = {quote_text(query)}, trusted = NULL WHERE view_name = 'seen'"
        )
    told = attempt(owner, "FROM bait.main.seen")
    assert "sesame" not in told
    assert "rival" not in told or "Error" in told


def test_a_trusted_view_reaches_no_further_from_a_marked_one(lake: Lake, agent: Connection, owner: Connection) -> None:
    assert rows(owner, "FROM bait.main.far") == [("sesame",)]
    with pytest.raises(PermissionDeniedError):
        agent.sql("CREATE VIEW near AS FROM far")
    lake.catalog("bait").sql("CREATE VIEW near AS FROM far")
    with lake._runtime.store.writing() as session:
        session.execute("UPDATE forklake.ducklake_view SET trusted = NULL WHERE view_name = 'near'")
    with pytest.raises(PermissionDeniedError):
        owner.sql("FROM bait.main.near")


# ---- the mark --------------------------------------------------------------------------------------------------------


def define(session: Connection) -> None:
    session.sql(
        "CREATE VIEW v AS FROM goods; CREATE MACRO m(x) AS x + 1;"
        "CREATE TABLE made (at VARCHAR DEFAULT (lower('A' || 'B')))"
    )
    session.sql("ALTER TABLE made SET SORTED BY (lower(at)); ALTER TABLE goods ALTER s SET DEFAULT (upper('a' || 'b'))")


def marks(catalog: Catalog, view: str = "v") -> set[bool]:
    """Return which marks the definitions have; there is one of each kind."""
    made, goods = catalog.table("made"), catalog.table("goods")
    defaults = [made.columns[0], goods.columns[1]]
    assert all(one.default_is_expression for one in defaults)
    (key,), (body,) = made.inspect.sort_by, catalog.macros.get("m").implementations
    return {catalog.views.get(view).trusted, body.trusted, key.trusted, *(one.trusted for one in defaults)}


def merged(lake: Lake) -> Catalog:
    lake.catalog("shop").merge(lake.catalog("bait"))
    return lake.catalog("shop")


def refreshed(lake: Lake) -> Catalog:
    fork = lake.catalog("shop").fork("young")
    merged(lake)
    fork.refresh()
    return fork


def reset(lake: Lake) -> Catalog:
    bait = lake.catalog("bait")
    before = bait.head
    for text in ("VIEW v", "MACRO m", "TABLE made"):
        bait.sql(f"DROP {text}")
    bait.sql("ALTER TABLE goods ALTER s DROP DEFAULT")
    bait.reset_to(before)
    return bait


def severed(lake: Lake) -> Catalog:
    fork = lake.catalog("bait").fork("cut")
    fork.maintenance.sever()
    return fork


def renamed(lake: Lake) -> Catalog:
    bait = lake.catalog("bait")
    bait.views.rename("v", "w")
    bait.views.rename("w", "v")
    bait.table("made").alter.rename_column("at", "moment")
    bait.table("goods").alter.rename_column("s", "name")
    bait.rename("other")
    return bait


def copied_database(lake: Lake) -> Catalog:
    lake.create_catalog("target")
    with lake.connect(["bait", "target"]) as session:
        session.sql("COPY FROM DATABASE bait TO target")
    return lake.catalog("target")


def with_types_widened(lake: Lake) -> Catalog:
    bait = lake.catalog("bait")
    bait.table("made").alter.add_column(("more", "INTEGER"))
    bait.table("goods").alter.set_not_null("s")
    return bait


WAYS: tuple[Callable[[Lake], Catalog], ...] = (
    lambda lake: lake.catalog("bait"),
    lambda lake: lake.catalog("bait").fork("young"),
    lambda lake: lake.catalog("bait").fork("copied", copy=True),
    merged,
    refreshed,
    reset,
    severed,
    renamed,
    copied_database,
    with_types_widened,
)


@pytest.mark.slow
@pytest.mark.parametrize("confined", [True, False])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_the_mark_stays_on_all_ways(lake: Lake, way: Callable[[Lake], Catalog], confined: bool) -> None:
    with lake.connect(["bait"], confined=confined) as session:
        define(session)
    assert marks(way(lake)) == {not confined}


def test_confined_copies_of_trusted_definitions_are_marked(lake: Lake) -> None:
    with lake.connect(["shop"]) as session:
        define(session)
    lake.create_catalog("target")
    with lake.connect(["shop", "target"], confined=True) as session:
        with pytest.raises(PermissionDeniedError):
            session.sql("COPY FROM DATABASE shop TO target")
        session.sql("USE shop; ALTER TABLE goods RENAME COLUMN s TO name; CREATE OR REPLACE VIEW v AS FROM goods")
    shop = lake.catalog("shop")
    assert not shop.views.get("v").trusted
    assert shop.macros.get("m").implementations[0].trusted


def test_a_trusted_view_that_a_confined_session_renames_is_marked(lake: Lake, agent: Connection) -> None:
    """Else the owner, who asks for a table, would read what only the owner reaches, under its name."""
    agent.sql("DROP TABLE goods; ALTER VIEW far RENAME TO goods")
    with lake.connect(["bait"]) as session, pytest.raises(PermissionDeniedError):
        session.sql("FROM goods")


def test_transactions_of_a_session_that_becomes_confined_mark(lake: Lake) -> None:
    with lake.connect(["bait"]) as session:
        session.sql("BEGIN; CREATE VIEW before AS FROM goods; SET enable_external_access = false")
        session.sql("CREATE VIEW after AS FROM goods; COMMIT")
    views = lake.catalog("bait").views
    assert (views.get("before").trusted, views.get("after").trusted) == (True, False)


def test_an_imported_ducklake_is_text_of_strangers(lake: Lake, tmp_path: Path) -> None:
    with lake.connect(["bait"]) as session:
        define(session)
    lake.catalog("bait").maintenance.export(tmp_path / "plain.ducklake")
    lake.import_catalog("imported", tmp_path / "plain.ducklake")
    assert marks(lake.catalog("imported")) == {False}


def test_private_catalogs_of_a_confined_session_name_what_it_was_given(agent: Connection) -> None:
    agent.sql("CREATE TEMP VIEW a AS FROM bait.main.goods; CREATE TEMP MACRO n(x) AS x + 1")
    agent.sql("CREATE VIEW memory.main.b AS FROM bait.main.goods")
    assert rows(agent, "SELECT count(*) FROM a, memory.main.b") == [(4,)]
    assert rows(agent, "SELECT n(1)") == [(2,)]
    with pytest.raises(NotFoundError):
        agent.sql("CREATE VIEW bait.main.c AS FROM memory.main.b")


# ---- defaults and sort keys ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "default",
    [
        "ducklake_drop_catalog('bait', 'rival')",
        "(SELECT max(s) FROM rival.main.vault)",
        "getvariable('secret')",
        "taken('x')",
        "s",
        "excluded.s",
    ],
)
@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO goods VALUES (3, DEFAULT)",
        "INSERT INTO goods (i) VALUES (3)",
        "INSERT INTO goods (i) SELECT 3",
        "UPDATE goods SET s = DEFAULT",
        "MERGE INTO goods USING (SELECT 1 AS i, 'sesame' AS s) AS v USING (i) WHEN MATCHED THEN UPDATE SET s = DEFAULT",
        "MERGE INTO goods USING (SELECT 9 AS i) AS v USING (i) WHEN NOT MATCHED THEN INSERT (i) VALUES (v.i)",
        "MERGE INTO goods USING (SELECT 9 AS i) AS v USING (i) WHEN NOT MATCHED THEN INSERT VALUES (v.i, DEFAULT)",
    ],
)
def test_a_default_that_another_program_wrote_is_computed_from_nothing(
    lake: Lake, owner: Connection, default: str, statement: str
) -> None:
    lake.catalog("bait").sql(
        "CREATE MACRO taken(x) AS 'taken'; ALTER TABLE goods ALTER s SET DEFAULT (lower('A' || 'B'))"
    )
    with lake._runtime.store.writing() as session:
        session.execute(
            f"UPDATE forklake.ducklake_column SET default_value = {quote_text(default)}, trusted = NULL"
            " WHERE default_value_type = 'expression' AND column_name = 's'"
        )
    told = attempt(owner, statement)
    assert "Error" in told, told
    assert [one.name for one in lake.catalogs()] == ["bait", "rival", "shop"]
    assert "sesame" not in attempt(owner, "FROM bait.main.goods")


def test_a_default_means_the_same_wherever_it_is_used(lake: Lake, owner: Connection) -> None:
    owner.sql("ALTER TABLE goods ALTER s SET DEFAULT (lower('A' || 'B')); CREATE MACRO lower(x) AS 'mine'")
    owner.sql("INSERT INTO goods VALUES (3, DEFAULT); UPDATE goods SET s = DEFAULT")
    assert rows(owner, "SELECT DISTINCT s FROM goods") == [("ab",)]
