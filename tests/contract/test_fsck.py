"""A check of a lake finds what is broken, and nothing else."""

import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from forklake import Lake, MacroImplementation, MacroParameter, NewDataFile, Table
from forklake.model.findings import FINDINGS, REPAIRABLE, SEVERITIES
from tests.contract.support import data_file, delete_file, unprivileged
from tests.contract.test_garbage import expire_all, purge
from tests.contract.varied import MAPPING, event_file, vary
from tests.lakes import IMPATIENT, LakeFactory
from tests.sound import check_sound

PAGE = Path(__file__).parents[2] / "docs" / "spec" / "fsck.md"

SHOP, AGENT, DEEP, COPY = range(4)
HEAD = f"(SELECT snapshot_id FROM forklake.ducklake_head WHERE catalog_id = {SHOP})"
EVENTS = "(SELECT table_id FROM forklake.ducklake_table WHERE table_name = 'events' AND catalog_id = 0)"
NOTES = "(SELECT table_id FROM forklake.ducklake_table WHERE table_name = 'notes' AND catalog_id = 0)"
MANY = 999_999

Break = tuple[str, tuple[str, ...], set[str]]
"""What is broken, the statements that break it, and all that is found then."""


def broken(code: str, *statements: str, also: Sequence[str] = ()) -> Break:
    return code, statements, {code, *also}


def insert_again(table: str, columns: str, values: str, where: str) -> str:
    """Return the statement that writes a row again, with some values of its own."""
    return f"INSERT INTO forklake.{table} ({columns}) SELECT {values} FROM forklake.{table} WHERE {where}"


def contains(catalog: int, source: int, upto: int | str) -> str:
    """Return the statement by which a catalog contains another one from its head on."""
    return (
        "INSERT INTO forklake.ducklake_merge (catalog_id, source_id, begin_snapshot, source_snapshot_id, kind,"
        f" may_return) SELECT catalog_id, {source}, snapshot_id, {upto}, 'merge', false FROM forklake.ducklake_head"
        f" WHERE catalog_id = {catalog}"
    )


LEASE = "INSERT INTO forklake.ducklake_lease (catalog_id, lease_id, begin_time, end_time) VALUES "
OPTION = "INSERT INTO forklake.ducklake_metadata (catalog_id, scope, scope_id, key, value) VALUES "
BREAKS = [
    broken("own-totals", f"UPDATE forklake.ducklake_head SET own_files = own_files + 1 WHERE catalog_id = {SHOP}"),
    broken(
        "tag-lost",
        "INSERT INTO forklake.ducklake_snapshot_tag (catalog_id, tag_key, tag_name, snapshot_id, created_at)"
        f" VALUES ({SHOP}, 'v1', 'v1', {MANY}, '2020-01-01 00:00:00.000000+00')",
    ),
    broken("unknown-catalog", f"{OPTION} (99, '', -1, 'auto_compact', 'true')"),
    broken("unknown-owner", f"{LEASE} (99, 'x', '2020-01-01 00:00:00.000000+00', '2999-01-01 00:00:00.000000+00')"),
    broken(
        "catalog-twice",
        insert_again(
            "ducklake_catalog",
            "catalog_id, catalog_uuid, catalog_name, parent_catalog_id, parent_snapshot_id, path, path_is_relative,"
            " begin_snapshot, begin_time",
            "catalog_id, catalog_uuid, 'other', parent_catalog_id, parent_snapshot_id, path, path_is_relative,"
            f" {MANY}, begin_time",
            f"catalog_id = {DEEP}",
        ),
    ),
    broken(
        "directory-twice",
        "UPDATE forklake.ducklake_catalog SET path = (SELECT k.path FROM forklake.ducklake_catalog k"
        f" WHERE k.catalog_id = {SHOP}) WHERE catalog_id = {COPY}",
    ),
    broken("head-missing", f"DELETE FROM forklake.ducklake_head WHERE catalog_id = {DEEP}"),
    broken("head-snapshot", f"DELETE FROM forklake.ducklake_snapshot WHERE catalog_id = {DEEP}"),
    broken(
        "head-behind",
        "UPDATE forklake.ducklake_head SET snapshot_id = (SELECT max(s.snapshot_id) FROM forklake.ducklake_snapshot s"
        f" WHERE s.catalog_id = {SHOP} AND s.snapshot_id < {HEAD}) WHERE catalog_id = {SHOP}",
    ),
    broken("head-state", f"UPDATE forklake.ducklake_head SET live = false WHERE catalog_id = {DEEP}"),
    broken(
        "lineage-gap",
        f"UPDATE forklake.ducklake_snapshot_lineage SET previous_snapshot_id = {MANY} WHERE catalog_id = {DEEP}",
    ),
    broken("changes-missing", f"DELETE FROM forklake.ducklake_snapshot_changes WHERE catalog_id = {DEEP}"),
    broken(
        "chain-gap",
        f"UPDATE forklake.ducklake_segment SET depth = 5 WHERE catalog_id = {DEEP} AND depth = 2",
        also=["chain-short"],
    ),
    broken(
        "chain-owner",
        f"UPDATE forklake.ducklake_segment SET owner_id = {COPY} WHERE catalog_id = {DEEP} AND depth = 2",
        also=["chain-pin", "chain-short"],
    ),
    broken(
        "chain-pin",
        f"UPDATE forklake.ducklake_segment SET upto = {MANY} WHERE catalog_id = {DEEP} AND depth = 1",
        also=["chain-parent"],
    ),
    broken(
        "chain-parent",
        # A later snapshot of the right ancestor: the fork would see what came after its pin.
        f"UPDATE forklake.ducklake_segment SET upto = {HEAD} WHERE catalog_id = {AGENT}",
        also=["chain-short"],
    ),
    broken("chain-short", f"DELETE FROM forklake.ducklake_segment WHERE catalog_id = {DEEP} AND depth = 2"),
    broken("merge-source", contains(SHOP, 99, 1)),
    broken("merge-snapshot", contains(DEEP, COPY, MANY)),
    broken(
        "merge-open",  # nothing says that the shop contains the agent, which the fork of the agent does
        contains(SHOP, DEEP, f"(SELECT h.snapshot_id FROM forklake.ducklake_head h WHERE h.catalog_id = {DEEP})"),
    ),
    broken(
        "origin-later",
        f"UPDATE forklake.ducklake_inlined_row SET origin_snapshot_id = {MANY} WHERE catalog_id = {SHOP}",
    ),
    broken("column-id-next", f"UPDATE forklake.ducklake_table_stats SET next_column_id = 2 WHERE catalog_id = {SHOP}"),
    broken(
        "row-interval",
        f"UPDATE forklake.ducklake_tag SET begin_snapshot = {MANY} WHERE catalog_id = {SHOP}",
    ),
    broken(
        "row-twice",
        insert_again(
            "ducklake_tag",
            "catalog_id, row_uid, begin_snapshot, object_id, key, value",
            f"catalog_id, {MANY}, begin_snapshot, object_id, key, 'other'",
            f"catalog_id = {SHOP}",
        ),
        also=["own-totals"],
    ),
    broken(
        "delete-file-twice",
        insert_again(
            "ducklake_delete_file",
            "catalog_id, row_uid, begin_snapshot, delete_file_id, table_id, data_file_id, path, path_is_relative,"
            " format, delete_count, file_size_bytes",
            f"catalog_id, {MANY}, begin_snapshot, {MANY}, table_id, data_file_id, 'other', path_is_relative, format,"
            " delete_count, file_size_bytes",
            f"catalog_id = {SHOP}",
        ),
        also=["own-totals"],
    ),
    broken("name-twice", f"UPDATE forklake.ducklake_view SET view_name = 'EVENTS' WHERE catalog_id = {SHOP}"),
    broken(
        "table-missing",
        f"UPDATE forklake.ducklake_table SET end_snapshot = {HEAD} WHERE catalog_id = {SHOP} AND table_id = {NOTES}",
        also=["own-totals"],
    ),
    broken(
        "schema-missing",
        f"UPDATE forklake.ducklake_schema SET end_snapshot = {HEAD} WHERE catalog_id = {SHOP}",
        also=["own-totals"],
    ),
    broken(
        "columns-missing",
        f"UPDATE forklake.ducklake_column SET end_snapshot = {HEAD} WHERE catalog_id = {SHOP} AND table_id = {NOTES}",
        also=["own-totals"],
    ),
    broken(
        "data-file-missing",
        f"UPDATE forklake.ducklake_data_file SET end_snapshot = {HEAD} WHERE catalog_id = {SHOP}"
        " AND path = 'a.parquet'",
        also=["own-totals"],
    ),
    broken("follower-missing", f"DELETE FROM forklake.ducklake_name_mapping WHERE catalog_id = {SHOP}"),
    broken("follower-missing", f"DELETE FROM forklake.ducklake_partition_column WHERE catalog_id = {SHOP}"),
    broken(
        "follower-lost",
        insert_again(
            "ducklake_file_column_stats",
            "catalog_id, data_file_id, table_id, column_id",
            f"catalog_id, {MANY}, table_id, column_id",
            f"catalog_id = {SHOP} AND data_file_id = (SELECT min(f.data_file_id) FROM forklake.ducklake_data_file f)",
        ),
    ),
    broken(
        "tombstone-dead",
        insert_again(
            "ducklake_tombstone",
            "catalog_id, scope_id, row_uid, snapshot_id",
            f"catalog_id, scope_id, {MANY + 1}, snapshot_id",
            f"catalog_id = {AGENT} AND scope_id <> 0",
        ),
    ),
    broken(
        "statistics-missing",
        f"DELETE FROM forklake.ducklake_table_stats WHERE catalog_id = {SHOP} AND table_id = {NOTES}",
    ),
    broken(
        "statistics-rows",
        f"UPDATE forklake.ducklake_table_stats SET record_count = 199 WHERE catalog_id = {SHOP}"
        f" AND table_id = {EVENTS} AND record_count = 200",
    ),
    broken(
        "statistics-bytes",
        f"UPDATE forklake.ducklake_table_stats SET file_size_bytes = 3 WHERE catalog_id = {AGENT}",
    ),
    broken(
        "row-id-range",
        f"UPDATE forklake.ducklake_data_file SET row_id_start = 7 WHERE catalog_id = {AGENT}",
    ),
    broken(
        "row-id-next",
        f"UPDATE forklake.ducklake_table_stats SET next_row_id = 3 WHERE catalog_id = {SHOP} AND table_id = {EVENTS}",
    ),
    broken("row-ids-overlap", f"UPDATE forklake.ducklake_data_file SET row_id_start = 7 WHERE catalog_id = {SHOP}"),
    broken(
        "path-escapes",
        f"UPDATE forklake.ducklake_data_file SET path = '../x.parquet' WHERE catalog_id = {SHOP}",
    ),
    broken("option-invalid", f"{OPTION} ({SHOP}, '', -1, 'target_file_size', 'much')"),
    broken("lease-late", f"{LEASE} ({SHOP}, 'x', '2020-01-01 00:00:00.000000+00', '2020-01-02 00:00:00.000000+00')"),
    broken(
        "catalog-due",
        f"INSERT INTO forklake.ducklake_due (catalog_id, due_time) VALUES ({SHOP}, '2020-01-01 00:00:00.000000+00')",
    ),
]


# What takes away rows that other statements change, or that other findings need.
HIDE_OTHERS = {
    "catalog-due", "chain-gap", "chain-owner", "chain-short", "data-file-missing", "head-behind", "head-missing",
    "head-snapshot", "row-id-next", "statistics-missing", "table-missing",
}  # fmt: skip


def furnish(lake: Lake) -> None:
    """Make a root, a fork that hides and adds something, a fork of it, and a copy."""
    shop = lake.create_catalog("shop")
    events = shop.create_table("events", {"id": "INTEGER", "s": "STRUCT(a INTEGER)"}, partition_by=["id"])
    shop.create_table("notes", {"text": "VARCHAR"}).storage.insert_inlined([{"text": "a"}])
    events.storage.append_files([event_file("a", "1", mapping=MAPPING), event_file("b", "2")])
    events.alter.comment("what happened")
    shop.views.create("recent", "SELECT 1")
    shop.macros.create("twice", MacroImplementation("x * 2", (MacroParameter("x"),)))
    agent = shop.fork("agent")
    agent.table("events").storage.remove_files([events.storage.files()[1].data_file_id])
    agent.table("events").storage.append_files([event_file("c", "3")])
    agent.fork("deep")
    shop.fork("copy", copy=True)
    events.storage.delete_rows([delete_file(events.storage.files()[0].data_file_id, "d")])


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake in a file, to be copied."""
    path = tmp_path_factory.mktemp("furnished") / "lake.db"
    with Lake(f"sqlite:{path}", data_path=path.parent / "data", settings=IMPATIENT) as lake:
        furnish(lake)
        assert lake.maintenance.check(files=False).counts == {}
    return path


def break_rows(lake: Lake, *statements: str) -> None:
    with lake._runtime.store.writing() as session:
        for statement in statements:
            assert session.execute(statement) > 0, statement


@pytest.mark.parametrize(("code", "statements", "expected"), BREAKS, ids=[one[0] for one in BREAKS])
def test_what_is_broken_is_found_and_nothing_else(
    furnished: Path, tmp_path: Path, code: str, statements: tuple[str, ...], expected: set[str]
) -> None:
    path = Path(shutil.copy(furnished, tmp_path / "lake.db"))
    with Lake(f"sqlite:{path}", settings=IMPATIENT) as lake:
        break_rows(lake, *statements)
        found = lake.maintenance.check(files=False)
        assert set(found.counts) == expected, found.findings
        assert {one.code for one in found.findings} == expected
        assert found.severity == min((FINDINGS[each] for each in expected), key=SEVERITIES.index)
        before = dict(found.counts)
        planned = lake.maintenance.check(files=False, repair=True, dry_run=True)
        assert (planned.counts, set(planned.repaired)) == (before, expected & REPAIRABLE)
        done = lake.maintenance.check(files=False, repair=True)
        assert done.repaired == dict.fromkeys(expected & REPAIRABLE, 1)
        assert set(lake.maintenance.check(files=False).counts) == expected - REPAIRABLE


def test_every_store_finds_what_is_broken(lake: Lake) -> None:
    furnish(lake)
    check_sound(lake, files=False)
    chosen = [one for one in BREAKS if one[0] not in HIDE_OTHERS]
    for _, statements, _ in chosen:
        break_rows(lake, *statements)
    found = lake.maintenance.check(files=False)
    assert {code for code, _, _ in chosen} <= set(found.counts)
    done = lake.maintenance.check(files=False, repair=True)
    assert set(done.repaired) == REPAIRABLE
    assert not REPAIRABLE & set(lake.maintenance.check(files=False).counts)


def test_only_a_catalog_and_its_ancestors_are_checked_if_one_is_named(furnished: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(furnished, tmp_path / "lake.db"))
    with Lake(f"sqlite:{path}", settings=IMPATIENT) as lake:
        break_rows(lake, f"{OPTION} ({AGENT}, '', -1, 'target_file_size', 'much')")
        for name, is_found, count in (("shop", False, 1), ("agent", True, 2), ("deep", True, 3), ("copy", False, 1)):
            checked = lake.catalog(name).maintenance.check(files=False)
            assert (bool(checked.findings), checked.catalog_count) == (is_found, count)


def test_a_past_partitioning_that_a_severed_catalog_keeps_is_no_finding(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("events", {"id": "INTEGER"}, partition_by=["id"])
    agent = shop.fork("agent")
    agent.table("events").storage.append_files([NewDataFile("a.parquet", 1, 10, partition_values=("1",))])
    agent.table("events").alter.set_partitioning([])
    agent.table("events").alter.set_partitioning(["bucket(4, id)"])
    agent.maintenance.sever()
    check_sound(lake, files=False)


def test_statistics_of_a_purged_catalog_that_no_fork_needs_are_no_finding(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    events = shop.create_table("events", {"id": "INTEGER"})
    before = shop.head
    events.storage.append_files([data_file("a")])
    agent = shop.fork("agent")
    shop.fork("early", at=before)
    agent.table("events").storage.append_files([data_file("b")])
    purge(lake, "shop")
    expire_all(agent)
    lake.maintenance.cleanup_old_files(cleanup_all=True)
    check_sound(lake, files=False)


def test_the_next_column_of_a_purged_catalog_is_no_finding(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("events", {"id": "INTEGER"})
    before = shop.head
    shop.table("events").alter.add_column(("x", "INTEGER"))
    shop.fork("early", at=before)
    agent = shop.fork("agent")
    agent.table("events").storage.append_files([data_file("b")])
    purge(lake, "shop")
    expire_all(agent)
    lake.maintenance.cleanup_old_files(cleanup_all=True)
    check_sound(lake, files=False)


@pytest.mark.parametrize("lake_factory", ["sqlite", "postgres"], indirect=True)
def test_a_lake_with_a_bit_of_everything_is_sound(lake: Lake) -> None:
    vary(lake)
    check_sound(lake, files=False)
    purge(lake, "past")
    lake.purge("one")
    for name in ("second", "three", "between"):
        expire_all(lake.catalog(name))
    check_sound(lake, files=False)
    lake.maintenance.cleanup_old_files(cleanup_all=True)
    check_sound(lake, files=False)


def test_pages_of_catalogs_leave_nobody_out(lake_factory: LakeFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forklake.ops.checks.check_lake._PAGE", 2)
    with lake_factory.open() as lake:
        for name in "abcde":
            lake.create_catalog(name)
        break_rows(lake, *(f"{OPTION} ({place}, '', -1, 'nonsense', '1')" for place in (0, 3, 4)))
        found = lake.maintenance.check()
        assert [(one.code, one.catalog_id) for one in found.findings] == [
            ("option-invalid", 0), ("option-invalid", 3), ("option-invalid", 4),
        ]  # fmt: skip
        assert found.catalog_count == 5


def test_the_page_lists_every_finding() -> None:
    found = re.findall(r"^\| `([a-z-]+)` \| (\w+) \|.*\| (.*) ?\|$", PAGE.read_text(), re.MULTILINE)
    assert {code: severity for code, severity, _ in found} == FINDINGS
    assert {code for code, _, repair in found if repair.strip()} == REPAIRABLE


# ---- files ---------------------------------------------------------------------------------------------------------

LONG_AGO = 1_500_000_000


def write(table: Table, *names: str) -> list[Path]:
    """Add files to a table that are there with their sizes; return where they are."""
    table.storage.append_files([data_file(name) for name in names])
    paths = [Path(file.path) for file in table.storage.files() if Path(file.path).stem in names]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * 100)
    return paths


def codes(lake: Lake, *, deep: bool = False) -> dict[str, int]:
    return dict(lake.maintenance.check(deep=deep).counts)


def test_files_that_are_missing_or_changed_are_found_whoever_names_them(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    first, second = write(shop.create_table("t", {"i": "INTEGER"}), "a", "b")
    agent = shop.fork("agent")
    shop.fork("copy", copy=True)
    write(agent.table("t"), "c")
    check_sound(lake)
    first.unlink()
    assert codes(lake) == {"file-missing": 2}, "the row of the copy names it, too"
    assert {one.path for one in lake.maintenance.check().findings} == {str(first)}
    assert set(agent.maintenance.check().counts) == {"file-missing"}, "a fork sees it"
    second.write_bytes(b"x")
    assert codes(lake) == {"file-missing": 2, "file-size": 2}
    first.write_bytes(b"x" * 100)
    second.write_bytes(b"x" * 100)
    check_sound(lake)


def test_a_missing_file_that_no_snapshot_shows_is_a_note(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    table = shop.create_table("t", {"i": "INTEGER"})
    (file,) = write(table, "a")
    table.storage.remove_files([table.storage.files()[0].data_file_id])
    file.unlink()
    assert codes(lake) == {"file-missing": 1}, "the past shows it"
    with lake._runtime.store.writing() as session:
        session.execute(f"DELETE FROM forklake.ducklake_snapshot WHERE catalog_id = 0 AND snapshot_id < {HEAD}")
    assert codes(lake) == {"dead-file-missing": 1}


def test_a_file_that_nothing_names_is_found_when_it_is_old(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    table = shop.create_table("t", {"i": "INTEGER"})
    (file,) = write(table, "a")
    orphan = file.parent / "other.parquet"
    orphan.write_bytes(b"x")
    check_sound(lake)
    for path in (file, orphan):
        os.utime(path, (LONG_AGO, LONG_AGO))
    found = lake.maintenance.check()
    assert [(one.code, one.path) for one in found.findings] == [("file-orphaned", str(orphan))]
    assert (found.severity, found.file_count, found.is_sound) == ("warning", 2, False)
    shop.drop()
    lake.purge("shop")
    assert codes(lake)["file-orphaned"] == 1, "in the directory of a purged catalog, too"


def test_files_that_wait_for_deletion_are_no_finding_unless_they_are_named(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    table = shop.create_table("t", {"i": "INTEGER"})
    (file,) = write(table, "a")
    os.utime(file, (LONG_AGO, LONG_AGO))
    copy = shop.fork("copy", copy=True)
    table.storage.remove_files([table.storage.files()[0].data_file_id])
    expire_all(shop)
    assert codes(lake) == {"scheduled-named": 1}
    purge(lake, "copy")
    assert copy.catalog_id == 1
    check_sound(lake)
    assert "scheduled-named" not in codes(lake)


@pytest.mark.usefixtures("furnished")  # which imports all that another user may not read
def test_a_directory_that_cannot_be_listed_is_an_error() -> None:
    with unprivileged() as home:
        url = f"sqlite:{home / 'lake.db'}"
        with Lake(url, data_path=home / "data", settings=IMPATIENT) as lake:
            write(lake.create_catalog("shop").create_table("t", {"i": "INTEGER"}), "a")
            directory = home / "data" / "shop" / "main" / "t"
            directory.chmod(0)
            found = lake.maintenance.check()
            assert set(found.counts) == {"directory-unread", "file-missing"}
            directory.chmod(0o700)
            check_sound(lake)


def test_what_commits_and_clean_up_do_meanwhile_is_no_finding(lake_factory: LakeFactory) -> None:
    """At each step of the check, somebody adds a file, and removes, expires and cleans up another."""
    steps: list[str] = []

    def meddle(step: str) -> None:
        if not step.startswith("fsck: "):
            return
        steps.append(step)
        write(shop.table("t"), f"new-{len(steps)}")
        for catalog in (shop, copy):
            table = catalog.table("t")
            table.storage.remove_files([table.storage.files()[0].data_file_id])
            expire_all(catalog)
        lake.maintenance.cleanup_old_files(cleanup_all=True)

    with lake_factory.open(replace(IMPATIENT, on_step=meddle)) as lake:
        shop = lake.create_catalog("shop")
        write(shop.create_table("t", {"i": "INTEGER"}), *"abcdefghijkl")
        copy = shop.fork("copy", copy=True)
        check_sound(lake)
    assert "fsck: files missed" in steps, "a file was gone, and then its row was"
