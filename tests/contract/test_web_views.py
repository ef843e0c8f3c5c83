"""The views for web apps: each catalog as DuckLake's tables would show it, forks resolved."""

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import duckdb
import psycopg
import pytest

from forklake import Catalog, Lake, NewDataFile, NewDeleteFile
from forklake.catalog.places import catalog_directories
from forklake.metastore import visibility
from forklake.metastore.dependent_rows import followers
from forklake.metastore.schema.description import Visibility
from forklake.metastore.written_tables import DATA_FILE, DELETE_FILE, INLINED_ROW, TABLES, MetadataTable
from tests.contract.support import data_file
from tests.contract.varied import vary
from tests.lakes import LakeFactory

every_kind = pytest.mark.parametrize("lake_factory", ["sqlite", "duckdb", "postgres", "partitioned"], indirect=True)
indexed_kinds = pytest.mark.parametrize("lake_factory", ["sqlite", "postgres", "partitioned"], indirect=True)

TABLES_QUERY = """
SELECT t.table_name, t.table_uuid, s.schema_name FROM ducklake.ducklake_table t
  JOIN ducklake.ducklake_schema s ON s.catalog_id = t.catalog_id AND s.schema_id = t.schema_id
 WHERE t.catalog_id = ? AND t.end_snapshot IS NULL AND s.end_snapshot IS NULL"""
COLUMNS_QUERY = """
SELECT c.column_name, c.column_type, c.nulls_allowed FROM ducklake.ducklake_column c
  JOIN ducklake.ducklake_table t ON t.catalog_id = c.catalog_id AND t.table_id = c.table_id
 WHERE t.catalog_id = ? AND t.table_name = ? AND t.end_snapshot IS NULL AND c.end_snapshot IS NULL
 ORDER BY c.column_order"""
FILES_QUERY = """
SELECT df.path, df.path_is_relative, df.record_count FROM ducklake.ducklake_data_file df
  JOIN ducklake.ducklake_table t ON t.catalog_id = df.catalog_id AND t.table_id = df.table_id
 WHERE t.catalog_id = ? AND t.table_name = ? AND t.end_snapshot IS NULL AND df.end_snapshot IS NULL
 ORDER BY df.data_file_id"""

# DuckLake 1.0's tables, column by column, without the keys of files; the last four are ours or DuckLake 1.1's.
COLUMNS = {
    "ducklake_metadata": "key value scope scope_id",
    "ducklake_snapshot": "snapshot_id snapshot_time schema_version next_catalog_id next_file_id",
    "ducklake_snapshot_changes": "snapshot_id changes_made author commit_message commit_extra_info",
    "ducklake_schema": "schema_id schema_uuid begin_snapshot end_snapshot schema_name path path_is_relative",
    "ducklake_table": "table_id table_uuid begin_snapshot end_snapshot schema_id table_name path path_is_relative",
    "ducklake_view": "view_id view_uuid begin_snapshot end_snapshot schema_id view_name dialect sql column_aliases",
    "ducklake_tag": "object_id begin_snapshot end_snapshot key value",
    "ducklake_column_tag": "table_id column_id begin_snapshot end_snapshot key value",
    "ducklake_data_file": "data_file_id table_id begin_snapshot end_snapshot file_order path path_is_relative"
    " file_format record_count file_size_bytes footer_size row_id_start partition_id mapping_id"
    " partial_max",
    "ducklake_file_column_stats": "data_file_id table_id column_id column_size_bytes value_count null_count min_value"
    " max_value contains_nan extra_stats",
    "ducklake_file_variant_stats": "data_file_id table_id column_id variant_path shredded_type column_size_bytes"
    " value_count null_count min_value max_value contains_nan extra_stats",
    "ducklake_delete_file": "delete_file_id table_id begin_snapshot end_snapshot data_file_id path path_is_relative"
    " format delete_count file_size_bytes footer_size partial_max",
    "ducklake_column": "column_id begin_snapshot end_snapshot table_id column_order column_name column_type"
    " initial_default default_value nulls_allowed parent_column default_value_type default_value_dialect",
    "ducklake_table_stats": "table_id record_count next_row_id file_size_bytes",
    "ducklake_table_column_stats": "table_id column_id contains_null contains_nan min_value max_value extra_stats",
    "ducklake_partition_info": "partition_id table_id begin_snapshot end_snapshot",
    "ducklake_partition_column": "partition_id table_id partition_key_index column_id transform",
    "ducklake_file_partition_value": "data_file_id table_id partition_key_index partition_value",
    "ducklake_files_scheduled_for_deletion": "data_file_id path path_is_relative schedule_start",
    "ducklake_inlined_data_tables": "table_id table_name schema_version",
    "ducklake_column_mapping": "mapping_id table_id type",
    "ducklake_name_mapping": "mapping_id column_id source_name target_field_id parent_column is_partition",
    "ducklake_schema_versions": "begin_snapshot schema_version table_id",
    "ducklake_macro": "schema_id macro_id macro_name begin_snapshot end_snapshot",
    "ducklake_macro_impl": "macro_id impl_id dialect sql type",
    "ducklake_macro_parameters": "macro_id impl_id column_id parameter_name parameter_type default_value"
    " default_value_type",
    "ducklake_sort_info": "sort_id table_id begin_snapshot end_snapshot",
    "ducklake_sort_expression": "sort_id table_id sort_key_index expression dialect sort_direction null_order",
    "ducklake_catalog": "catalog_uuid parent_catalog_id parent_snapshot_id snapshot_id begin_time",
    "ducklake_catalog_size": "parent_catalog_id own_file_count own_byte_count own_record_count inlined_row_count",
    "ducklake_view_column_tag": "view_id column_name begin_snapshot end_snapshot key value",
    "ducklake_inlined_row": "table_id row_id schema_version begin_snapshot end_snapshot document",
    "ducklake_inlined_delete": "table_id data_file_id row_id begin_snapshot end_snapshot",
}

Ask = Callable[..., list[tuple[Any, ...]]]


def plain(value: Any) -> Any:
    """Return a value as all databases could have said it."""
    return str(value) if isinstance(value, UUID) else int(value) if isinstance(value, bool) else value


@pytest.fixture
def ask(lake: Lake, lake_factory: LakeFactory) -> Iterator[Ask]:
    """A web app: it has a connection of its own, the driver of the database, and nothing of forklake."""
    place = lake._runtime.store.location
    if lake_factory.kind == "sqlite":
        connection: Any = sqlite3.connect(place)
    elif lake_factory.kind == "duckdb":
        connection = duckdb.connect(place)
    else:
        connection = psycopg.connect(place, autocommit=True)
    is_embedded = lake_factory.kind in ("sqlite", "duckdb")

    def ask(sql: str, *values: Any) -> list[tuple[Any, ...]]:
        text = sql.replace("ducklake.", "") if is_embedded else sql.replace("?", "%s")
        answer = connection.execute(text, values)
        return [tuple(map(plain, row)) for row in answer.fetchall()] if answer.description else []

    yield ask
    connection.close()


def columns_of(ask: Ask, view: str) -> list[str]:
    found: list[tuple[Any, ...]] = ask(
        "SELECT column_name FROM information_schema.columns WHERE table_name = ?"
        " AND table_schema IN ('ducklake', 'main') ORDER BY ordinal_position",
        view,
    )
    return [name for (name,) in found]


# ---- what a web app asks -------------------------------------------------------------------------------------------


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT", "amount": "DECIMAL(10,2)"})
    shop.table("orders").storage.append_files([data_file("a", 10), data_file("b", 5)])
    return shop


@pytest.fixture
def agent(shop: Catalog) -> Catalog:
    """A fork at depth 3 that renamed a table, dropped a column, added a file and ended an inherited one."""
    agent = shop.fork("one").fork("two").fork("agent")
    ended = agent.table("orders").storage.files()[0].data_file_id
    agent.table("orders").rename("sales")
    agent.table("sales").alter.drop_column("amount")
    agent.table("sales").storage.append_files([data_file("c", 7)])
    agent.table("sales").storage.remove_files([ended])
    return agent


@every_kind
def test_a_web_app_lists_the_tables_of_a_catalog(shop: Catalog, agent: Catalog, ask: Ask) -> None:
    for catalog, name in ((shop, "orders"), (agent, "sales")):
        uuid = shop.table("orders").inspect.uuid
        assert ask(TABLES_QUERY, catalog.catalog_id) == [(name, uuid, "main")]
        assert [(table.name, table.inspect.uuid, table.schema_name) for table in catalog.tables()] == [
            (name, uuid, "main")
        ]


@every_kind
def test_a_web_app_lists_the_columns_of_a_table(shop: Catalog, agent: Catalog, ask: Ask) -> None:
    for catalog, name, names in ((shop, "orders", ["id", "amount"]), (agent, "sales", ["id"])):
        found = ask(COLUMNS_QUERY, catalog.catalog_id, name)
        assert found == [(c.name, c.type, int(c.nulls_allowed)) for c in catalog.table(name).columns]
        assert [column for column, _, _ in found] == names
    assert ask(COLUMNS_QUERY, agent.catalog_id, "orders") == []


@every_kind
def test_a_web_app_lists_the_files_of_a_table_and_inherited_ones_are_absolute(
    lake: Lake, shop: Catalog, agent: Catalog, ask: Ask
) -> None:
    assert ask(FILES_QUERY, shop.catalog_id, "orders") == [("a.parquet", 1, 10), ("b.parquet", 1, 5)]
    inherited = f"{lake.data_path}shop/main/orders/b.parquet"
    assert ask(FILES_QUERY, agent.catalog_id, "sales") == [(inherited, 0, 5), ("c.parquet", 1, 7)]
    own = f"{lake.data_path}agent/main/orders/c.parquet"
    assert [file.path for file in agent.table("sales").storage.files()] == [inherited, own]


@every_kind
def test_a_relative_path_starts_at_the_data_path_that_the_catalog_shows(lake: Lake, agent: Catalog, ask: Ask) -> None:
    lake.options.set("target_file_size", "1MB")
    agent.options.set("data_inlining_row_limit", "0", table="sales")
    agent.options.set("target_file_size", "2MB")
    table = agent.table("sales").table_id
    found = ask("SELECT key, value, scope, scope_id FROM ducklake.ducklake_metadata WHERE catalog_id = ?", 3)
    assert sorted(found, key=repr) == [
        ("created_by", "forklake", None, None),
        ("data_inlining_row_limit", "0", "table", table),
        ("data_path", f"{lake.data_path}agent/", None, None),
        ("encrypted", "false", None, None),
        ("target_file_size", agent.options.get("target_file_size"), None, None),
        ("version", "1.0", None, None),
    ]
    found = ask("SELECT value FROM ducklake.ducklake_metadata WHERE catalog_id = 0 AND key = 'target_file_size'")
    assert found == [(lake.options.get("target_file_size"),)]


@every_kind
def test_catalogs_show_while_they_are_live(lake: Lake, shop: Catalog, agent: Catalog, ask: Ask) -> None:
    lake.catalog("agent").rename("clerk")
    lake.catalog("two").drop()
    found = ask(
        "SELECT catalog_id, catalog_name, catalog_uuid, parent_catalog_id, parent_snapshot_id, snapshot_id"
        " FROM ducklake.ducklake_catalog ORDER BY catalog_name"
    )
    assert found == [
        (info.catalog_id, info.name, info.uuid, info.parent_id, info.parent_snapshot_id, info.snapshot_id)
        for info in lake.catalogs()
    ]
    for view in COLUMNS:
        assert ask(f"SELECT * FROM ducklake.{view} WHERE catalog_id = 2") == [], view
    assert ask(TABLES_QUERY.replace("SELECT", "SELECT t.catalog_name,"), 3)[0][:2] == ("clerk", "sales")


@every_kind
def test_each_view_has_the_columns_of_ducklake_behind_the_catalog(
    lake: Lake, lake_factory: LakeFactory, ask: Ask
) -> None:
    for view, columns in COLUMNS.items():
        if lake_factory.kind == "sqlite":
            found = [name for (name,) in ask("SELECT name FROM pragma_table_info(?)", view)]
        else:
            found = columns_of(ask, view)
        assert found == ["catalog_id", "catalog_name", *columns.split()], view


@pytest.fixture
def web(ask: Ask) -> Iterator[Ask]:
    """Ask as the role that the guide makes for a web app, with the rights that the guide grants, and no others."""
    page = (Path(__file__).parents[2] / "docs" / "guide" / "web-apps.md").read_text(encoding="utf-8")
    (statements,) = re.findall(r"```sql\n(CREATE ROLE web .*?)```", page, flags=re.DOTALL)
    role = f"web_{uuid4().hex}"
    for statement in statements.split(";"):
        if statement.strip():
            ask(re.sub(r"\bweb\b", role, statement))
    ask(f"SET ROLE {role}")
    yield ask
    ask("RESET ROLE")
    ask(f"DROP OWNED BY {role}")
    ask(f"DROP ROLE {role}")


@pytest.mark.parametrize("lake_factory", ["postgres"], indirect=True)
def test_a_role_with_rights_on_the_views_needs_none_on_the_tables(agent: Catalog, web: Ask) -> None:
    for view in COLUMNS:
        web(f"SELECT * FROM ducklake.{view}")
    assert [row[0] for row in web(TABLES_QUERY, agent.catalog_id)] == ["sales"]


@pytest.mark.parametrize("lake_factory", ["postgres", "partitioned"], indirect=True)
def test_the_role_of_a_web_app_reads_no_key_on_any_path(shop: Catalog, web: Ask) -> None:
    secret = "c2VjcmV0LWtleS1vZi1hLWZpbGU="
    shop.table("orders").storage.append_files([NewDataFile("k.parquet", 10, 100, encryption_key=secret)])
    keyed = shop.table("orders").storage.files()[-1].data_file_id
    shop.table("orders").storage.delete_rows([NewDeleteFile(keyed, "d.parquet", 1, 10, encryption_key=secret)])
    shop.fork("agent")
    role = web("SELECT current_user")[0][0]
    web("RESET ROLE")
    held = web("SELECT encryption_key FROM forklake.ducklake_data_file WHERE encryption_key IS NOT NULL")
    assert held == [(secret,)]
    web(f"SET ROLE {role}")

    relations = web(
        "SELECT n.nspname, c.relname, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname IN ('ducklake', 'forklake') AND c.relkind IN ('r', 'p', 'v', 'm', 'S') ORDER BY 1, 2"
    )
    assert {name for schema, name, _ in relations if schema == "ducklake"} == set(COLUMNS)
    for schema, name, _ in relations:
        if schema == "ducklake":
            assert secret not in repr(web(f"SELECT * FROM ducklake.{name}")), name
            continue
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            web(f"SELECT * FROM forklake.{name}")
    functions = web(
        "SELECT p.oid::regprocedure::text, p.prosecdef FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace"
        " WHERE n.nspname IN ('ducklake', 'forklake')"
    )
    assert functions
    for signature, runs_as_its_owner in functions:
        assert not runs_as_its_owner, signature
        assert signature.startswith("forklake."), signature
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        web("SELECT forklake.real_id(1, NULL)")
    assert secret not in repr(web("SELECT * FROM pg_stats"))


@pytest.mark.parametrize("lake_factory", ["duckdb"], indirect=True)
def test_the_views_work_in_a_database_that_is_attached(lake: Lake, agent: Catalog) -> None:
    place = lake._runtime.store.location
    lake.close()
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{place}' AS work (READ_ONLY)")
        for view in COLUMNS:
            connection.execute(f"SELECT * FROM work.{view}")
        found = connection.execute("SELECT table_name FROM work.ducklake_table WHERE end_snapshot IS NULL").fetchall()
    assert sorted(found) == [("orders",), ("orders",), ("orders",), ("sales",)]


def test_the_guide_asks_what_is_asked_here() -> None:
    page = (Path(__file__).parents[2] / "docs" / "guide" / "web-apps.md").read_text(encoding="utf-8")
    for query in (TABLES_QUERY, COLUMNS_QUERY, FILES_QUERY):
        assert f"```sql{query}\n```" in page


@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
def test_the_example_for_sqlite_runs(lake: Lake, agent: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[2] / "docs" / "guide" / "web-apps.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(import sqlite3.*?)```", page, flags=re.DOTALL)
    place = Path(lake._runtime.store.location)
    monkeypatch.chdir(place.parent)
    found: dict[str, Any] = {"catalog_id": agent.catalog_id}
    exec(code.replace("lake.db", place.name), found)
    assert found["tables"] == [(1, "sales")]


# ---- every view, every snapshot ------------------------------------------------------------------------------------


def live_catalogs(lake: Lake) -> list[Catalog]:
    return [lake.catalog(info.name) for info in lake.catalogs()]


def shown(table: MetadataTable[Any]) -> list[str]:
    """Return the columns that both the table and the view have."""
    return [name for name in table.columns if name in COLUMNS[table.name].split()]


def values(table: MetadataTable[Any], found: Sequence[Any]) -> list[tuple[Any, ...]]:
    return [tuple(plain(getattr(row, name)) for name in shown(table)) for row in found]


def seen_rows(lake: Lake, table: MetadataTable[Any], found: Sequence[Any], catalog: Catalog) -> list[tuple[Any, ...]]:
    """Return rows as a view should show them: inherited files by the place where their owner put them."""
    rows = values(table, found)
    if table in (DATA_FILE, DELETE_FILE):
        store, path, flag = lake._runtime.store, shown(table).index("path"), shown(table).index("path_is_relative")
        roots = catalog_directories(store, lake.data_path, {row.origin.owner for row in found})
        for number, row in enumerate(found):
            if row.origin.owner != catalog.catalog_id and row.path_is_relative:
                cells = list(rows[number])
                cells[path], cells[flag] = f"{roots[row.origin.owner]}main/events/{row.path}", 0
                rows[number] = tuple(cells)
    return sorted(rows, key=repr)


def moments(lake: Lake, catalog: Catalog) -> list[Catalog]:
    """Return the catalog at each snapshot of its own, and at the first and the last of each ancestor.

    DuckDB is slow at many small questions; it is asked about every third.
    """
    found = catalog.snapshots()
    ends = {s.catalog_id: s.snapshot_id for s in found} | {-s.catalog_id - 1: s.snapshot_id for s in reversed(found)}
    chosen = [s for s in found if s.catalog_id == catalog.catalog_id or s.snapshot_id in ends.values()]
    if lake._runtime.store.dialect.name == "duckdb":
        chosen = chosen[::-3]
    return [catalog.at(version=snapshot.snapshot_id) for snapshot in chosen]


def asked_rows(ask: Ask, table: MetadataTable[Any], catalog: Catalog, *more: str) -> list[tuple[Any, ...]]:
    """Return the rows of a view for one catalog: the columns of the table, then those asked for."""
    columns = ", ".join([*shown(table), *more])
    return ask(f"SELECT {columns} FROM ducklake.{table.name} WHERE catalog_id = ?", catalog.catalog_id)


def at_moment(found: list[tuple[Any, ...]], snapshot: int) -> list[tuple[Any, ...]]:
    """Return what DuckLake would read at a snapshot; begin and end come last and go."""
    live = [cells[:-2] for cells in found if cells[-2] <= snapshot and (cells[-1] is None or snapshot < cells[-1])]
    return sorted(live, key=repr)


INTERVAL = [table for table in TABLES if table.visibility is Visibility.INTERVAL]
FOLLOWING = [table for table in TABLES if table.follows is not None]


@pytest.mark.parametrize(
    "lake_factory",
    ["sqlite", pytest.param("duckdb", marks=pytest.mark.soak), "postgres", "partitioned"],
    indirect=True,
)
def test_every_view_shows_each_catalog_as_it_is_and_as_it_was(lake: Lake, ask: Ask) -> None:
    vary(lake)
    check_versioned_rows(lake, ask)
    check_statistics(lake, ask)
    check_lineages(lake, ask)
    check_sizes(lake, ask)


def check_sizes(lake: Lake, ask: Ask) -> None:
    """A catalog holds what it has rows of its own for, and nothing that it inherits."""
    store = lake._runtime.store
    seen = [0] * 4
    for catalog in live_catalogs(lake):
        own: dict[MetadataTable[Any], list[Any]] = {
            table: [
                row
                for row in visibility.visible(store, catalog._version(), table)
                if row.origin is not None and row.origin.owner == catalog.catalog_id
            ]
            for table in (DATA_FILE, DELETE_FILE, INLINED_ROW)
        }
        files = [*own[DATA_FILE], *own[DELETE_FILE]]
        ((*counts, byte_count),) = ask(
            "SELECT own_file_count, own_record_count, inlined_row_count, own_byte_count"
            " FROM ducklake.ducklake_catalog_size WHERE catalog_id = ?",
            catalog.catalog_id,
        )
        assert counts == [len(files), sum(row.record_count for row in own[DATA_FILE]), len(own[INLINED_ROW])], catalog
        assert byte_count == catalog.quota().used.byte_count, catalog
        assert byte_count >= sum(row.file_size_bytes for row in files), catalog
        seen = [one + int(other) for one, other in zip(seen, (*counts, byte_count), strict=True)]
    assert all(seen), seen


@every_kind
def test_what_a_tenant_inherits_is_not_on_its_bill(lake: Lake, shop: Catalog, ask: Ask) -> None:
    shop.fork_many(["a", "b"])
    lake.catalog("a").table("orders").storage.append_files([data_file("a1", 3)])
    found = ask(
        "SELECT catalog_name, own_file_count, own_record_count, own_byte_count FROM ducklake.ducklake_catalog_size"
        " ORDER BY catalog_name"
    )
    assert [row[:3] for row in found] == [("a", 1, 3), ("b", 0, 0), ("shop", 2, 15)]
    assert found[1][3] == 0
    inherited = ask(
        "SELECT catalog_name, sum(file_size_bytes) FROM ducklake.ducklake_table_stats GROUP BY catalog_name ORDER BY 1"
    )
    assert inherited[1][1] == inherited[2][1] > 0, "these count for each tenant that inherits them"


def check_versioned_rows(lake: Lake, ask: Ask) -> None:
    """At each moment a view shows what forklake sees, and what belongs to it."""
    store = lake._runtime.store
    seen = dict.fromkeys([table.name for table in (*INTERVAL, *FOLLOWING)], 0)
    for catalog in live_catalogs(lake):
        asked = {table: asked_rows(ask, table, catalog, "begin_snapshot", "end_snapshot") for table in INTERVAL}
        parents: dict[MetadataTable[Any], dict[int, Any]] = {table: {} for table in INTERVAL}
        for past in moments(lake, catalog):
            for table in INTERVAL:
                found = visibility.visible(store, past._version(), table)
                true = seen_rows(lake, table, found, catalog)
                assert at_moment(asked[table], past.head) == true, (past, table.name)
                parents[table] |= {row.origin.row_uid: row for row in found}
                seen[table.name] += len(true)
        for table in INTERVAL:
            now = visibility.visible(store, catalog._version(), table)
            live = sorted((cells[:-2] for cells in asked[table] if cells[-1] is None), key=repr)
            assert live == seen_rows(lake, table, now, catalog), (catalog, table.name)
        for table in FOLLOWING:
            assert table.follows is not None
            parent, key = table.follows
            owners = list(parents[parent].values())
            ids = {getattr(row, key) for row in owners}
            true = sorted(set(values(table, followers(store, table, owners))), key=repr)
            listed = asked_rows(ask, table, catalog)
            at = shown(table).index(key)
            assert sorted((cells for cells in listed if cells[at] in ids), key=repr) == true, (catalog, table.name)
            # Of parents that ended before the oldest snapshot there may be more, of those to come never.
            known = {cells[shown(parent).index(key)] for cells in asked[parent]}
            assert {cells[at] for cells in listed} <= known, (catalog, table.name)
            seen[table.name] += len(true)
    assert all(seen.values()), seen


def check_statistics(lake: Lake, ask: Ask) -> None:
    """Statistics are the newest of the nearest catalog that wrote any."""
    store = lake._runtime.store
    for table in TABLES:
        if table.visibility is Visibility.LATEST:
            for catalog in live_catalogs(lake):
                version = catalog._version()
                found = [row for t in catalog.tables() for row in visibility.latest(store, version, table, t.table_id)]
                true = sorted(values(table, found), key=repr)
                assert sorted(asked_rows(ask, table, catalog), key=repr) == true, (catalog, table.name)


def check_lineages(lake: Lake, ask: Ask) -> None:
    """Snapshots are those of the lineage that are not expired; the counters are the lake's."""
    store = lake._runtime.store
    for catalog in live_catalogs(lake):
        of_catalog = f"WHERE catalog_id = {catalog.catalog_id} ORDER BY snapshot_id"
        true = catalog.snapshots()
        found = ask(f"SELECT snapshot_id, schema_version FROM ducklake.ducklake_snapshot {of_catalog}")
        assert found == [(s.snapshot_id, s.schema_version) for s in true]
        found = ask(
            "SELECT snapshot_id, changes_made, author, commit_message, commit_extra_info"
            f" FROM ducklake.ducklake_snapshot_changes {of_catalog}"
        )
        assert found == [(s.snapshot_id, s.changes_made, s.author, s.commit_message, s.commit_extra_info) for s in true]
        newest = ask(
            "SELECT table_id, max(schema_version) FROM ducklake.ducklake_schema_versions WHERE catalog_id = ?"
            " GROUP BY table_id",
            catalog.catalog_id,
        )
        assert dict(newest) == visibility.schema_versions(store, catalog._version())
    lake.catalog("shop").schemas.create("next")
    (made,) = ask("SELECT max(schema_id) FROM ducklake.ducklake_schema WHERE catalog_id = 1")
    counters = set(ask("SELECT next_catalog_id, next_file_id FROM ducklake.ducklake_snapshot"))
    (newest_file,) = ask(
        "SELECT max(id) FROM (SELECT data_file_id AS id FROM ducklake.ducklake_data_file"
        " UNION ALL SELECT delete_file_id FROM ducklake.ducklake_delete_file"
        " UNION ALL SELECT mapping_id FROM ducklake.ducklake_column_mapping) ids"
    )
    assert counters == {(made[0] + 1, newest_file[0] + 1)}


@every_kind
def test_inlined_rows_have_no_table_each_and_files_to_delete_are_own(
    lake: Lake, shop: Catalog, agent: Catalog, ask: Ask
) -> None:
    shop.table("orders").storage.insert_inlined([{"id": "1"}])
    assert ask("SELECT * FROM ducklake.ducklake_inlined_data_tables") == []
    with lake._runtime.store.writing() as session:
        session.execute(
            "INSERT INTO forklake.ducklake_files_scheduled_for_deletion"
            " (catalog_id, data_file_id, path, path_is_relative, schedule_start) VALUES (0, 7, '/gone', :no, :now)",
            no=False,
            now=session.now(),
        )
    found = ask("SELECT catalog_name, path FROM ducklake.ducklake_files_scheduled_for_deletion")
    assert found == [("shop", "/gone")]


# ---- among many forks ----------------------------------------------------------------------------------------------

FORKS = 20_000

OWN_ROWS = {
    "ducklake_table": "table_id, table_uuid, schema_id, table_name, path, path_is_relative",
    "ducklake_column": "column_id, table_id, column_order, column_name, column_type, nulls_allowed",
    "ducklake_schema": "schema_id, schema_uuid, schema_name, path, path_is_relative",
    "ducklake_data_file": "data_file_id, table_id, path, path_is_relative, file_format, record_count, file_size_bytes",
}
OWN_VALUES = {
    "table_uuid": "'00000000-0000-0000-0000-000000000000'",
    "schema_uuid": "'00000000-0000-0000-0000-000000000000'",
    "path_is_relative": "k.path_is_relative",
    "nulls_allowed": "k.path_is_relative",
}


def crowd(lake: Lake, shop: Catalog, forks: int) -> None:
    """Make many forks, each with a schema, a table, a column, a file and a tombstone of its own."""
    shop.fork_many(f"fork-{number}" for number in range(forks))
    with lake._runtime.store.writing() as session:
        for number, (name, columns) in enumerate(OWN_ROWS.items()):
            cells = [OWN_VALUES.get(column, "'own'" if _is_text(column) else "9") for column in columns.split(", ")]
            session.execute(
                f"INSERT INTO forklake.{name} (catalog_id, row_uid, begin_snapshot, {columns})"
                f" SELECT k.catalog_id, k.catalog_id + {(number + 1) * 1_000_000}, k.begin_snapshot, {', '.join(cells)}"
                " FROM forklake.ducklake_catalog k WHERE k.catalog_id > 3"
            )
        session.execute(
            "INSERT INTO forklake.ducklake_tombstone (catalog_id, scope_id, row_uid, snapshot_id)"
            " SELECT k.catalog_id, 0, 1, k.begin_snapshot FROM forklake.ducklake_catalog k"
            " WHERE k.catalog_id > 3"
        )
        session.run("ANALYZE")


def _is_text(column: str) -> bool:
    return column in ("path", "file_format", "table_name", "schema_name", "column_name", "column_type")


@pytest.mark.slow
@indexed_kinds
def test_a_question_about_one_catalog_reads_no_table_as_a_whole(
    lake: Lake, lake_factory: LakeFactory, shop: Catalog, agent: Catalog, ask: Ask
) -> None:
    crowd(lake, shop, FORKS)
    prefix = "EXPLAIN QUERY PLAN " if lake_factory.kind == "sqlite" else "EXPLAIN "
    for query, more in ((TABLES_QUERY, ()), (COLUMNS_QUERY, ("sales",)), (FILES_QUERY, ("sales",))):
        plan = [str(row[-1]) for row in ask(prefix + query, agent.catalog_id, *more)]
        scanned = {match[1] for line in plan if (match := re.search(r"(?:Seq Scan on|SCAN) (\w+)", line))}
        # The two that are read whole: a choice of two constants, and the few options of the lake.
        assert scanned <= {"w", "CONSTANT", "ducklake_metadata"}, "\n".join(plan)
        assert any(re.search("Index|SEARCH", line) for line in plan)
    test_a_web_app_lists_the_files_of_a_table_and_inherited_ones_are_absolute(lake, shop, agent, ask)
