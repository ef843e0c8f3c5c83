"""The functions of catalogs, called as SQL calls them."""

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from forklake import Catalog, Lake, MacroImplementation, NewDataFile, NewDeleteFile, Settings
from forklake.errors import (
    AlreadyExistsError,
    DataFileError,
    ForklakeError,
    InvalidInputError,
    NotFoundError,
    SnapshotNotFoundError,
)
from forklake.model import types
from forklake.model.ids import SnapshotId
from forklake.model.types.shapes import list_of
from forklake.session.functions import FUNCTIONS
from forklake.session.names.known_rows import Changes, Differences, Files, Rows
from tests.unit.session.attached import Attached, call, call_scalar


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "INTEGER", "price": "DECIMAL(10,2)"})
    shop.table("orders").storage.append_files(
        [NewDataFile("a.parquet", 10, 100, footer_size=7), NewDataFile("b.parquet", 5, 50)]
    )
    return shop


@pytest.fixture
def x(lake: Lake, shop: Catalog) -> Attached:
    return Attached("x", lake, shop)


def columns(found: Rows | Changes | Differences | Files) -> list[tuple[str, str]]:
    return [(column.name, column.type.name) for column in found.columns]


# ---- snapshots -------------------------------------------------------------------------------------------------------


def test_snapshots_have_the_columns_of_ducklake(x: Attached) -> None:
    found = x.call("snapshots")
    assert columns(found) == [
        ("snapshot_id", "int64"),
        ("snapshot_time", "timestamptz"),
        ("schema_version", "int64"),
        ("changes", "map"),
        ("author", "varchar"),
        ("commit_message", "varchar"),
        ("commit_extra_info", "varchar"),
    ]
    key, value = found.columns[3].children
    assert (key.type, value.type) == (types.VARCHAR, list_of(types.VARCHAR))


def test_snapshots_say_what_changed_in_the_words_of_ducklake(x: Attached, shop: Catalog) -> None:
    with shop.transaction(author="ann", message="much", extra_info="{}") as txn:
        txn.schemas.create("my side")
        txn.create_table("data", {"i": "INTEGER"}, schema="my side")
        txn.create_table("Plain", {"i": "INTEGER"})
        txn.views.create("v", "SELECT 1")
        txn.macros.create("m", MacroImplementation("1"))
        txn.table("orders").storage.insert_inlined([{"id": "1"}])
    shop.views.drop("v")
    shop.table("orders").alter.comment("here")
    shop.table("Plain").drop()
    rows = x.rows("snapshots")
    assert [row[0] for row in rows] == list(range(7))
    assert all(row[1].tzinfo is UTC for row in rows)
    assert [row[3] for row in rows[:3]] == [
        {"schemas_created": ["main"]},
        {"tables_created": ["main.orders"]},
        {"tables_inserted_into": ["1"]},
    ]
    assert list(rows[3][3].items()) == [
        ("schemas_created", ["my side"]),
        ("tables_created", ['"my side"."data"', "main.Plain"]),
        ("views_created", ["main.v"]),
        ("scalar_macros_created", ["main.m"]),
        ("inlined_insert", ["1"]),
    ]
    assert rows[3][4:] == ("ann", "much", "{}")
    assert [list(row[3]) for row in rows[4:]] == [["views_dropped"], ["tables_altered"], ["tables_dropped"]]


def test_a_fork_has_the_snapshots_of_its_lineage(lake: Lake, x: Attached, shop: Catalog) -> None:
    agent = shop.fork("agent", at=1)
    shop.table("orders").drop()
    lake.create_catalog("other").create_table("t", {"i": "INTEGER"})
    rows = Attached("y", lake, agent).rows("snapshots")
    assert [row[0] for row in rows] == [0, 1, agent.head]
    assert rows[-1][3] == {}


def test_current_snapshot_is_the_one_that_statements_see(lake: Lake, x: Attached, shop: Catalog) -> None:
    assert (columns(x.call("current_snapshot")), x.rows("current_snapshot")) == ([("id", "uint64")], [(2,)])
    with shop.transaction() as txn:
        shop.create_table("t", {"i": "INTEGER"})
        assert replace(x, transaction=txn).value("current_snapshot") == 2
        assert x.value("current_snapshot") == 3
        assert Attached("y", lake, shop.at(version=1)).value("current_snapshot") == 1


def test_last_committed_snapshot_is_null_before_the_first_commit(x: Attached) -> None:
    assert x.rows("last_committed_snapshot") == [(None,)]
    assert replace(x, last_committed=SnapshotId(4)).rows("last_committed_snapshot") == [(4,)]


def test_a_commit_message_belongs_to_the_transaction(x: Attached, shop: Catalog) -> None:
    with shop.transaction() as txn:
        txn.create_table("t", {"i": "INTEGER"})
        inside = replace(x, transaction=txn)
        assert inside.rows("set_commit_message", "ann", "new table", extra_info="more") == []
    assert x.rows("snapshots")[-1][4:] == ("ann", "new table", "more")
    with pytest.raises(InvalidInputError, match=r"no transaction is active; nothing was set\.\nHint: .*BEGIN"):
        x.rows("set_commit_message", "bob", "nothing")
    shop.create_table("u", {"i": "INTEGER"})
    assert x.rows("snapshots")[-1][4:] == (None, None, None)


def test_a_commit_message_is_not_lost_without_a_word(lake: Lake, shop: Catalog) -> None:
    session = shop.session()
    for call_ in ("CALL shop.set_commit_message('a', 'b')", "CALL ducklake_set_commit_message('shop', 'a', 'b')"):
        with pytest.raises(InvalidInputError, match="no transaction is active"):
            session.sql(call_)
    session.sql("BEGIN; CALL shop.set_commit_message('a', 'b'); CREATE TABLE w (i INTEGER); COMMIT")
    assert (shop.snapshots()[-1].author, shop.snapshots()[-1].commit_message) == ("a", "b")
    session.sql("BEGIN; CALL shop.set_commit_message('a', 'gone'); CREATE TABLE x (i INTEGER); ROLLBACK")
    session.sql("CREATE TABLE y (i INTEGER)")
    assert shop.snapshots()[-1].author is None


def test_expired_snapshots_are_returned_and_gone(x: Attached, shop: Catalog) -> None:
    assert [row[0] for row in x.rows("expire_snapshots", versions=[0, 2, 99], dry_run=True)] == [0]
    assert len(x.rows("snapshots")) == 3
    assert [row[0] for row in x.rows("expire_snapshots", versions=[0, 2, 99])] == [0]
    assert [row[0] for row in x.rows("snapshots")] == [1, 2]
    assert x.rows("expire_snapshots") == []
    assert x.rows("expire_snapshots", timedelta(days=1)) == []
    assert [row[0] for row in x.rows("expire_snapshots", older_than=datetime.now(UTC))] == [1]
    assert columns(x.call("expire_snapshots")) == columns(x.call("snapshots"))


def test_snapshots_expire_by_the_option_of_the_catalog(x: Attached, shop: Catalog) -> None:
    x.rows("set_option", "expire_older_than", "1 month 2 days")
    assert x.rows("expire_snapshots") == []
    x.rows("set_option", "expire_older_than", "0 seconds")
    assert [row[0] for row in x.rows("expire_snapshots")] == [0, 1]


def test_inherited_snapshots_are_not_expired_by_age_and_refused_by_name(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    agent.create_table("t", {"i": "INTEGER"})
    y = Attached("y", lake, agent)
    assert y.rows("expire_snapshots", older_than=datetime.now(UTC)) == []  # a fork's first is spared
    own = [row[0] for row in y.rows("expire_snapshots", older_than=datetime.now(UTC), release=True)]
    assert own == [agent.head - 1]
    with pytest.raises(SnapshotNotFoundError, match="among the catalog's own"):
        y.rows("expire_snapshots", versions=[0])


# ---- tables ----------------------------------------------------------------------------------------------------------


def test_table_info_counts_the_files_that_are_there(lake: Lake, x: Attached, shop: Catalog) -> None:
    shop.schemas.create("side")
    shop.create_table("empty", {"i": "INTEGER"}, schema="side")
    first, second = shop.table("orders").storage.files()
    shop.table("orders").storage.delete_rows([NewDeleteFile(first.data_file_id, "d.parquet", 2, 20)])
    uuid, empty = UUID(shop.table("orders").inspect.uuid), shop.table("empty", schema="side")
    rows = x.rows("table_info")
    assert rows[0] == ("orders", 0, 1, uuid, 2, 150, 1, 20)
    assert rows[1][0] == "empty"
    assert rows[1][2:] == (empty.table_id, UUID(empty.inspect.uuid), 0, 0, 0, 0)
    agent = shop.fork("agent")
    agent.table("orders").storage.remove_files([second.data_file_id])
    assert Attached("y", lake, agent).rows("table_info", "orders") == [("orders", 0, 1, uuid, 1, 100, 1, 20)]
    assert x.rows("table_info", "orders")[0][4] == 2


def test_a_table_is_named_in_one_text_with_its_schema_or_without(x: Attached, shop: Catalog) -> None:
    shop.schemas.create("side")
    shop.create_table('"a.b"', {"i": "INTEGER"})
    shop.create_table("b", {"i": "INTEGER"}, schema="side")
    assert [row[0] for row in x.rows("table_info", "a.b")] == ["a.b"]
    assert [row[0] for row in x.rows("table_info", "SIDE.B")] == ["b"]
    assert [row[0] for row in x.rows("table_info", '"side"."b"')] == ["b"]
    assert [row[0] for row in x.rows("table_info", "b", schema="side")] == ["b"]
    assert [row[0] for row in replace(x, schema="side").rows("table_info", "b")] == ["b"]
    for name in ("b", "side.orders", "nowhere.b", "", "x.side.b"):
        with pytest.raises(ForklakeError, match=r"does not exist|name"):
            x.rows("table_info", name)


def test_list_files_has_a_row_for_each_data_file(lake: Lake, x: Attached, shop: Catalog) -> None:
    first, _ = shop.table("orders").storage.files()
    shop.table("orders").storage.delete_rows([NewDeleteFile(first.data_file_id, "d.parquet", 2, 20)])
    place = f"{lake.data_path}shop/main/orders"
    assert x.rows("list_files", "orders") == [
        (f"{place}/a.parquet", 100, 7, None, f"{place}/d.parquet", 20, None, None),
        (f"{place}/b.parquet", 50, None, None, None, None, None, None),
    ]
    assert [row[4] for row in x.rows("list_files", "orders", snapshot_version=2)] == [None, None]
    assert x.rows("list_files", "main.orders", snapshot_version=1) == []
    assert len(x.rows("list_files", "orders", schema="main", snapshot_time=datetime.now(UTC))) == 2
    found = x.call("list_files", "orders")
    assert columns(found)[:4] == [
        ("data_file", "varchar"),
        ("data_file_size_bytes", "uint64"),
        ("data_file_footer_size", "uint64"),
        ("data_file_encryption_key", "blob"),
    ]
    with pytest.raises(SnapshotNotFoundError, match="No snapshot found at version 99"):
        x.rows("list_files", "orders", snapshot_version=99)
    with pytest.raises(
        InvalidInputError, match="Either snapshot_version OR snapshot_time must be specified - not both"
    ):
        x.rows("list_files", "orders", snapshot_version=1, snapshot_time=datetime.now(UTC))
    with pytest.raises(NotFoundError, match="does not exist"):
        x.rows("list_files", "orders", snapshot_version=0)


def test_changes_are_those_of_the_table_at_the_end(x: Attached, shop: Catalog) -> None:
    shop.table("orders").alter.add_column(("day", "DATE"))
    found = x.call("table_changes", "orders", 0, 2)
    assert isinstance(found, Changes)
    assert (found.table.table_id, found.start, found.end, found.kind) == (1, 0, 2, "all")
    assert [name for name, _ in columns(found)] == ["snapshot_id", "rowid", "change_type", "id", "price"]
    later = x.call("table_insertions", "main", "orders", 0, 3)
    assert isinstance(later, Changes)
    assert ([name for name, _ in columns(later)], later.kind) == (["id", "price", "day"], "insertions")
    assert [column.name for column in later.virtual] == ["snapshot_id", "rowid"]
    shop.table("orders").drop()
    gone = x.call("table_deletions", "main.orders", timedelta(days=1), 3)
    assert isinstance(gone, Changes)
    assert isinstance(gone.start, datetime)
    assert gone.kind == "deletions"


def test_changes_need_a_table_and_snapshots_that_exist(x: Attached) -> None:
    with pytest.raises(NotFoundError, match=r"Table with name nothing does not exist at version 2!"):
        x.call("table_changes", "nothing", 0, 2)
    with pytest.raises(SnapshotNotFoundError, match="No snapshot found at version 99"):
        x.call("table_changes", "orders", 0, 99)
    with pytest.raises(InvalidInputError, match="Snapshot identifier cannot be NULL"):
        x.call("table_changes", "orders", None, 2)
    with pytest.raises(InvalidInputError, match="Table cannot be NULL"):
        x.call("table_changes", None, 0, 2)
    with pytest.raises(InvalidInputError, match="Schema cannot be NULL"):
        x.call("table_changes", None, "orders", 0, 2)


# ---- options ---------------------------------------------------------------------------------------------------------


def test_options_show_what_is_set_and_where(lake: Lake, x: Attached, shop: Catalog) -> None:
    shop.schemas.create("side")
    assert x.rows("set_option", "target_file_size", "10MB") == []
    x.rows("set_option", "Parquet_Compression", "ZSTD", table_name="orders")
    x.rows("set_option", "parquet_compression", "gzip", schema="side")
    x.rows("set_option", "delete_older_than", timedelta(days=3))
    x.rows("set_option", "rewrite_delete_threshold", 0.5)
    found = x.call("options")
    assert [name for name, _ in columns(found)] == ["option_name", "description", "value", "scope", "scope_entry"]
    assert [(row[0], *row[2:]) for row in x.rows("options")] == [
        ("created_by", "forklake", "GLOBAL", None),
        ("data_path", f"{lake.data_path}shop/", "GLOBAL", None),
        ("delete_older_than", "3 days", "GLOBAL", None),
        ("encrypted", "false", "GLOBAL", None),
        ("parquet_compression", "gzip", "SCHEMA", "side"),
        ("parquet_compression", "zstd", "TABLE", "main.orders"),
        ("rewrite_delete_threshold", "0.500000", "GLOBAL", None),
        ("target_file_size", "10000000", "GLOBAL", None),
        ("version", "1.0", "GLOBAL", None),
    ]
    assert all(row[1] for row in x.rows("options"))
    assert shop.options.get("parquet_compression", table="orders") == "zstd"
    assert [row[0] for row in Attached("y", lake, lake.create_catalog("other")).rows("options")] == [
        "created_by",
        "data_path",
        "encrypted",
        "version",
    ]


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("nothing", 1, "Unsupported option nothing"),
        ("parquet_version", 5, "Only Parquet version 1 and 2 are supported"),
        (
            "parquet_compression",
            "lzo",
            'Unsupported codec "lzo" for parquet, supported options are uncompressed, snappy',
        ),
        ("parquet_row_group_size", 0, "Row group size cannot be 0"),
        ("parquet_row_group_size", "abc", "Could not convert string 'abc' to UINT64"),
        ("parquet_compression_level", "-1", "Could not convert string '-1' to UINT64"),
        ("parquet_version", "z", "Could not convert string 'z' to UINT64"),
        ("parquet_row_group_size_bytes", "abc", "Memory must have a number"),
        ("parquet_row_group_size_bytes", 0, "Row group size bytes cannot be 0"),
        ("data_inlining_row_limit", -1, "data_inlining_row_limit"),
        ("rewrite_delete_threshold", 2, "The rewrite_delete_threshold must be between 0 and 1"),
        ("rewrite_delete_threshold", "abc", "The rewrite_delete_threshold must be between 0 and 1"),
        ("delete_older_than", "abc", "delete_older_than is not a valid interval value"),
        ("auto_compact", None, "The auto_compact option can't be null"),
        ("sort_on_insert", "maybe", "sort_on_insert"),
    ],
)
def test_an_option_that_cannot_be_set_is_refused(x: Attached, option: str, value: Any, message: str) -> None:
    before = x.rows("options")
    with pytest.raises(InvalidInputError, match=message):
        x.rows("set_option", option, value)
    assert x.rows("options") == before


def test_an_option_is_set_for_a_table_or_schema_that_exists(x: Attached) -> None:
    with pytest.raises(NotFoundError, match="Table with name nothing does not exist"):
        x.rows("set_option", "parquet_version", 1, table_name="nothing")
    with pytest.raises(NotFoundError, match='Schema with name "nowhere" does not exist'):
        x.rows("set_option", "parquet_version", 1, schema="nowhere")


def test_settings_say_what_the_lake_is_kept_in(lake: Lake, x: Attached) -> None:
    ((product, version, data_path),) = x.rows("settings")
    assert (product, data_path) == ("sqlite", f"{lake.data_path}shop/")
    assert version


# ---- catalogs --------------------------------------------------------------------------------------------------------


def test_a_catalog_is_forked_by_its_alias_or_by_its_name(lake: Lake, x: Attached, shop: Catalog) -> None:
    made = call("fork_catalog", [x], ["x", "one"], {})
    assert isinstance(made, Rows)
    assert columns(made) == [("catalog_id", "int64"), ("catalog_name", "varchar"), ("created", "boolean")]
    assert made.rows == [(1, "one", True)]
    assert call_scalar("fork_catalog", [x], ["shop", "two"], {}) == 2
    again = call("fork_catalog", [x], ["shop", "ONE"], {"if_not_exists": True})
    assert again == replace(made, rows=[(1, "one", False)])
    with pytest.raises(AlreadyExistsError, match="one"):
        call("fork_catalog", [x], ["shop", "one"], {})
    assert {info.name: info.parent_id for info in lake.catalogs()} == {"shop": None, "one": 0, "two": 0}


def test_a_fork_starts_at_the_snapshot_or_time_that_is_said(lake: Lake, x: Attached, shop: Catalog) -> None:
    early = shop.snapshots()[1]
    call("fork_catalog", [x], ["x", "by id"], {"at": 1})
    call("fork_catalog", [x], ["x", "by time"], {"at": early.snapshot_time})
    past = Attached("past", lake, shop.at(version=1))
    call("fork_catalog", [past], ["past", "by alias"], {})
    for name in ("by id", "by time", "by alias"):
        assert lake.catalog(name).inspect.info.parent_snapshot_id == 1, name
    with pytest.raises(SnapshotNotFoundError, match="No snapshot found"):
        call("fork_catalog", [x], ["x", "too early"], {"at": timedelta(days=365)})


def test_a_fork_may_have_a_data_path_of_its_own(tmp_path: Path, lake: Lake, x: Attached) -> None:
    call("fork_catalog", [x], ["x", "away", str(tmp_path / "elsewhere")], {})
    assert lake.catalog("away").inspect.info.data_path.startswith(str(tmp_path / "elsewhere"))


def test_a_name_that_two_attached_lakes_have_is_ambiguous(tmp_path: Path, x: Attached) -> None:
    with Lake(f"sqlite:{tmp_path / 'second.db'}", data_path=tmp_path / "second") as second:
        y = Attached("y", second, second.create_catalog("shop"))
        with pytest.raises(InvalidInputError, match='Ambiguous reference to catalog "shop"'):
            call("fork_catalog", [x, y], ["shop", "one"], {})
        call("fork_catalog", [x, y], ["y", "one"], {})
        assert [info.name for info in second.catalogs()] == ["one", "shop"]
    with pytest.raises(NotFoundError, match='Catalog "nothing" does not exist'):
        call("fork_catalog", [x], ["nothing", "one"], {})
    with pytest.raises(NotFoundError, match='Catalog "shop" does not exist'):
        call("fork_catalog", [], ["shop", "one"], {})


def test_no_catalog_is_forked_or_dropped_within_changes(lake: Lake, x: Attached) -> None:
    changed = replace(x, has_changes=True)
    for function, arguments in (("fork_catalog", ["x", "one"]), ("drop_catalog", ["x", "shop"])):
        with pytest.raises(InvalidInputError, match="in a transaction that has changes"):
            call(function, [changed], arguments, {})
    assert [info.name for info in lake.catalogs()] == ["shop"]


def test_nothing_is_imported_or_reset_within_changes(lake: Lake, x: Attached) -> None:
    x.rows("set_option", "parquet_version", "2")
    changed = replace(x, has_changes=True)
    with pytest.raises(InvalidInputError, match="A catalog cannot be imported in a transaction that has changes"):
        changed.call("import_catalog", "other", "other.ducklake")
    with pytest.raises(InvalidInputError, match="An option cannot be reset in a transaction that has changes"):
        changed.call("reset_option", "parquet_version")
    assert x.catalog.options.get("parquet_version") == "V2"


def test_catalogs_are_made_listed_renamed_dropped_and_brought_back(lake: Lake, x: Attached) -> None:
    assert x.rows("create_catalog", "new") == [(1, "new", True)]
    assert x.rows("create_catalog", "NEW", if_not_exists=True) == [(1, "new", False)]
    assert x.rows("rename_catalog", "new", 'it\'s "other"; --') == [(1, 'it\'s "other"; --')]
    call("fork_catalog", [x], ["x", "agent"], {})
    found = x.call("catalogs")
    assert [name for name, _ in columns(found)] == [
        "catalog_id",
        "catalog_name",
        "catalog_uuid",
        "parent_catalog_id",
        "parent_snapshot_id",
        "snapshot_id",
        "begin_time",
        "data_path",
        "begin_snapshot",
        "end_snapshot",
    ]
    assert [row[:2] for row in x.rows("catalogs")] == [(2, "agent"), (1, 'it\'s "other"; --'), (0, "shop")]
    assert [row[3:5] for row in x.rows("catalogs", prefix="ag")] == [(0, 2)]
    assert x.rows("drop_catalog", "agent") == [(2, "agent")]
    assert x.rows("drop_catalog", "agent", if_exists=True) == []
    with pytest.raises(NotFoundError, match='"agent" does not exist'):
        x.rows("drop_catalog", "agent")
    assert x.rows("undrop_catalog", "agent") == [(2, "agent")]
    x.rows("drop_catalog", "agent")
    assert x.value("undrop_catalog", 2) == 2
    with pytest.raises(NotFoundError, match='"nothing"'):
        x.rows("rename_catalog", "nothing", "new")


def test_who_ends_and_limits_catalogs_is_said_by_name(
    x: Attached, lake: Lake, shop: Catalog, caplog: pytest.LogCaptureFixture
) -> None:
    who = {"author": "ann", "message": "why"}
    shop.fork("agent")
    with caplog.at_level(logging.INFO, "forklake.catalog"):
        x.rows("rename_catalog", "agent", "run", **who)
        x.rows("set_quota", name="run", max_files=3, **who)
        x.rows("drop_catalog", "run", **who)
        assert [(one.author, one.message) for one in lake.dropped_catalogs()] == [("ann", "why")]
        x.rows("undrop_catalog", "run", **who)
        x.rows("drop_catalogs", prefix="run", **who)
        x.rows("purge_catalog", "run", **who)
        x.rows("set_option", "target_file_size", "64MB", **who)
        x.rows("reset_option", "target_file_size", **who)
        shop.fork("late")
        x.rows("purge_catalogs", "late", drop=True, **who)
    assert len(caplog.messages) == 10
    assert [text for text in caplog.messages if not text.endswith("by 'ann': 'why'")] == []


# ---- how functions are called ----------------------------------------------------------------------------------------


def test_all_functions_of_ducklake_and_ours_are_known() -> None:
    theirs = (
        "snapshots current_snapshot last_committed_snapshot options settings table_info list_files table_changes"
        " table_insertions table_deletions set_option set_commit_message expire_snapshots cleanup_old_files"
        " delete_orphaned_files cleanup_orphaned_files merge_adjacent_files rewrite_data_files flush_inlined_data"
        " add_data_files"
    )
    ours = (
        "catalogs fork_catalog create_catalog drop_catalog undrop_catalog purge_catalog purge_catalogs rename_catalog"
        " sever_catalog check_catalog export_catalog import_catalog fork_tree lake_stats table_history reset_option"
        " checkpoint"
    )
    forks = "across diff merge_catalog refresh_catalog reset_catalog drop_catalogs"
    lives = "tag untag tags renew reap quota set_quota"
    assert set(FUNCTIONS) == {*theirs.split(), *ours.split(), *forks.split(), *lives.split()}


@pytest.mark.parametrize("name", ["delete_orphaned_files", "cleanup_orphaned_files"])
def test_orphaned_files_are_returned_and_gone(x: Attached, shop: Catalog, name: str) -> None:
    stray = Path(shop.inspect.info.data_path) / "main" / "stray.parquet"
    stray.parent.mkdir(parents=True, exist_ok=True)
    stray.write_bytes(b"stray")
    assert columns(x.call(name)) == [("path", "varchar")]
    assert x.rows(name) == x.rows(name, older_than=timedelta(days=1)) == []
    for _ in range(2):
        assert x.rows(name, cleanup_all=True, dry_run=True) == [(str(stray),)]
    with pytest.raises(
        InvalidInputError, match=r"ducklake_delete_orphaned_files: either cleanup_all OR older_than must"
    ):
        x.rows(name, cleanup_all=True, older_than=timedelta(days=1))
    with pytest.raises(InvalidInputError, match="read-only mode"):
        replace(x, read_only=True).rows(name, cleanup_all=True)
    assert x.rows(name, cleanup_all=True) == [(str(stray),)]
    assert not stray.exists()


def test_an_orphaned_file_that_cannot_be_deleted_is_told(lake: Lake, shop: Catalog) -> None:
    place = Path(shop.inspect.info.data_path)
    place.mkdir(parents=True, exist_ok=True)
    for name in ("a.parquet", "b.parquet", "c.parquet"):
        (place / name).write_bytes(b"stray")
    x = Attached("x", opened_with(lake, lambda step: block(step, place / "b.parquet")), shop)
    with pytest.raises(DataFileError, match=r"b.parquet\" was not deleted: .* \(2 orphaned files were deleted.\)"):
        x.rows("delete_orphaned_files", cleanup_all=True)
    assert [path.name for path in place.iterdir()] == ["b.parquet"]


def opened_with(lake: Lake, on_step: Callable[[str], None]) -> Lake:
    """Return the same lake, opened with steps that are told."""
    return Lake(f"sqlite:{lake._runtime.location}", settings=Settings(on_step=on_step))


def block(step: str, path: Path) -> None:
    """Put a directory in the place of a file before it is deleted."""
    if step == "orphans: judged":
        path.unlink()
        path.mkdir()


def test_a_parameter_that_a_function_does_not_have_is_named(x: Attached) -> None:
    with pytest.raises(
        InvalidInputError, match='Invalid named parameter "colour" for function ducklake_cleanup_old_files'
    ):
        x.rows("cleanup_old_files", colour=1)


def test_arguments_that_do_not_fit_are_refused_in_the_words_of_duckdb(x: Attached) -> None:
    for arguments, named, message in (
        ([], {}, r"argument types 'ducklake_snapshots\(\)'.*\n\tCandidate functions:\n\tducklake_snapshots\(VARCHAR\)"),
        (["x", 3], {}, r"argument types 'ducklake_snapshots\(VARCHAR, INTEGER\)'"),
        ([3], {}, r"argument types 'ducklake_snapshots\(INTEGER\)'"),
        ([None], {}, "Catalog cannot be NULL"),
        (["x"], {"foo": 3}, 'Invalid named parameter "foo" for function ducklake_snapshots\nFunction does not accept'),
    ):
        with pytest.raises(InvalidInputError, match=message):
            call("snapshots", [x], arguments, named)
    with pytest.raises(NotFoundError, match='Failed to find attached database "y"'):
        call("snapshots", [x], ["y"], {})
    with pytest.raises(InvalidInputError, match=r"foo.*\nCandidates:\n    schema VARCHAR\n    snapshot_time TIMESTAMP"):
        x.rows("list_files", "orders", foo=1)
    with pytest.raises(InvalidInputError, match=r"Failed to cast value: Could not convert string 'abc' to INT64"):
        x.rows("list_files", "orders", snapshot_version="abc")
    with pytest.raises(InvalidInputError, match=r"Unimplemented type for cast \(INTEGER -> UBIGINT\[\]\)"):
        x.rows("expire_snapshots", versions=1)
    with pytest.raises(InvalidInputError, match="cannot specify both 'versions' and 'older_than'"):
        x.rows("expire_snapshots", versions=[1], older_than=datetime.now(UTC))
    with pytest.raises(InvalidInputError, match="not 'soon', and the catalog has no such tag"):
        x.call("table_changes", "orders", "soon", 1)


def test_a_function_of_rows_is_none_of_expressions(x: Attached) -> None:
    with pytest.raises(InvalidInputError, match='"ducklake_snapshots" is a table function but it was used as a scalar'):
        x.value("snapshots")


def test_nothing_is_changed_through_a_catalog_that_is_attached_for_reading(lake: Lake, x: Attached) -> None:
    reading = replace(x, read_only=True)
    for function, arguments in (
        ("set_option", ["parquet_version", 1]),
        ("set_commit_message", ["a", "b"]),
        ("expire_snapshots", []),
        ("create_catalog", ["new"]),
        ("drop_catalog", ["shop"]),
        ("undrop_catalog", ["shop"]),
        ("rename_catalog", ["shop", "new"]),
        ("renew", ["1 hour"]),
        ("renew", ["shop", "1 hour"]),
    ):
        with pytest.raises(InvalidInputError, match='database "x" which is attached in read-only mode'):
            reading.rows(function, *arguments)
    assert [info.name for info in lake.catalogs()] == ["shop"]


def test_times_are_taken_as_texts_dates_and_ages(x: Attached, shop: Catalog) -> None:
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    for time in (str(tomorrow.date()), tomorrow.date(), tomorrow.replace(tzinfo=None), timedelta(0), "0 days"):
        assert len(x.rows("expire_snapshots", older_than=time, dry_run="true")) == 2, time
    for age in (timedelta(days=7), "7 days", "1 month 2 days"):
        assert x.rows("expire_snapshots", older_than=age) == [], age
        with pytest.raises(SnapshotNotFoundError, match="No snapshot found at timestamp"):
            call("fork_catalog", [x], ["x", "fork"], {"at": age})


@pytest.mark.parametrize("age", [timedelta(days=-7), timedelta(microseconds=-1), "-7 days", "7 days ago"])
def test_a_negative_age_is_refused(x: Attached, age: object) -> None:
    before = x.rows("snapshots")
    with pytest.raises(InvalidInputError, match='"older_than": An age is not negative; nothing was done'):
        x.rows("expire_snapshots", older_than=age)
    with pytest.raises(InvalidInputError, match='"at": An age is not negative; nothing was done'):
        call("fork_catalog", [x], ["x", "fork"], {"at": age})
    assert x.rows("snapshots") == before


@pytest.mark.parametrize("text", ["7", "soon", "7 dayz", ""])
def test_a_text_that_is_neither_a_time_nor_an_age_is_refused(x: Attached, text: str) -> None:
    with pytest.raises(InvalidInputError, match=f"Could not convert string '{text}' to TIMESTAMP WITH TIME ZONE"):
        x.rows("expire_snapshots", older_than=text)


@pytest.mark.parametrize("function", ["table_changes", "table_insertions", "table_deletions"])
def test_changes_that_end_before_they_start_are_refused(x: Attached, function: str) -> None:
    with pytest.raises(InvalidInputError, match="The changes cannot start at snapshot 2, after their end 1"):
        x.call(function, "orders", 2, 1)
    with pytest.raises(InvalidInputError, match="The changes cannot start at snapshot 1, after their end 0"):
        x.call(function, "orders", 1, 0)


@pytest.mark.parametrize("age", [timedelta.max, "9999 years"])
def test_an_age_that_no_time_has_is_refused(x: Attached, age: object) -> None:
    with pytest.raises(InvalidInputError, match='"older_than": The age goes back before the year 1; nothing was done'):
        x.rows("expire_snapshots", older_than=age)


def test_a_dropped_catalog_is_purged_by_name_or_id(x: Attached, lake: Lake) -> None:
    for name in ("one", "two"):
        made = lake.create_catalog(name)
        made.create_table("t", {"i": "INTEGER"}).storage.append_files([NewDataFile("a.parquet", 1, 100)])
        if name == "one":
            made.fork("kept")
        made.drop()
    assert x.rows("purge_catalog", "one") == [(1, "one", 0, 0, ["kept"])]
    assert x.rows("purge_catalog", 3) == [(3, "two", 1, 100, [])]
    with pytest.raises(NotFoundError, match='No dropped catalog "one" exists; nothing was done'):
        x.call("purge_catalog", "one")
    with pytest.raises(NotFoundError, match='No dropped catalog "shop" exists'):
        x.call("purge_catalog", "shop")


def test_a_fork_is_severed(x: Attached, shop: Catalog) -> None:
    agent = shop.fork("agent")
    assert x.rows("sever_catalog", "agent") == [(1, "agent")]
    assert [one.catalog_id for one in agent.snapshots()] == [agent.catalog_id]
    with pytest.raises(InvalidInputError, match="cannot be severed in a transaction that has changes"):
        replace(x, has_changes=True).call("sever_catalog", "agent")


def test_a_catalog_goes_to_a_plain_database_and_comes_back(x: Attached, lake: Lake, tmp_path: Path) -> None:
    ((path, product, _, tables, files),) = x.rows("export_catalog", str(tmp_path / "plain.sqlite"))
    assert (path, product, tables, files) == (str(tmp_path / "plain.sqlite"), "sqlite", 1, 2)
    assert x.rows("import_catalog", "back", path) == [(1, "back")]
    assert [table.name for table in lake.catalog("back").tables()] == ["orders"]
    with pytest.raises(InvalidInputError, match="cannot be exported in a transaction that has changes"):
        replace(x, has_changes=True).call("export_catalog", str(tmp_path / "other.sqlite"))


def test_the_tree_of_forks_has_a_row_for_each_catalog_below_its_parent(x: Attached, shop: Catalog) -> None:
    agent = shop.fork("agent")
    agent.fork("try")
    shop.fork("other")
    found = x.rows("fork_tree")
    assert [(level, name, parent, kind) for level, _, name, parent, _, kind, *_ in found] == [
        (0, "shop", None, "root"),
        (1, "agent", 0, "fork"),
        (2, "try", agent.catalog_id, "fork"),
        (1, "other", 0, "fork"),
    ]
    assert [row[2] for row in x.rows("fork_tree", name="agent", depth=0)] == ["agent"]


def test_the_lake_is_counted(x: Attached, shop: Catalog, lake: Lake) -> None:
    shop.fork("agent").drop()
    names = [name for name, _ in columns(x.call("lake_stats"))]
    found = dict(zip(names, *x.rows("lake_stats"), strict=True))
    assert (found["catalog_count"], found["fork_count"], found["dropped_count"]) == (1, 0, 1)
    assert found["byte_count"] == lake.metadata_bytes()


def test_the_history_of_a_table_is_what_changed_it(x: Attached, shop: Catalog) -> None:
    shop.create_table("other", {"id": "INTEGER"})
    shop.table("orders").alter.add_column(("note", "VARCHAR"))
    assert [(row[0], row[3]) for row in x.rows("table_history", "orders")] == [
        (1, ["created_table"]),
        (2, ["inserted_into_table"]),
        (4, ["altered_table"]),
    ]
    with pytest.raises(NotFoundError, match="nothing"):
        x.call("table_history", "nothing")


def test_an_option_is_forgotten_where_it_was_set(x: Attached, shop: Catalog) -> None:
    x.call("set_option", "target_file_size", "64MB")
    x.call("set_option", "target_file_size", "32MB", table_name="orders")
    assert x.rows("reset_option", "target_file_size", table_name="orders") == []
    assert shop.options.get("target_file_size", table="orders") == shop.options.get("target_file_size")
    x.call("reset_option", "Target_File_Size")
    assert shop.options.list() == []
    with pytest.raises(InvalidInputError, match="no_such"):
        x.call("reset_option", "no_such")
