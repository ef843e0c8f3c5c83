"""Random histories in which much is given up: every version keeps its rows and files, and nothing else is left.

With any one guard of the rule for garbage removed, a few of them show it.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forklake import Lake
from forklake.catalog import state
from forklake.metastore import garbage
from forklake.metastore.queries import due
from forklake.metastore.source import Question
from forklake.model.ids import CatalogId
from forklake.ops.catalogs import purge_catalogs
from forklake.ops.maintenance import cleanup, collect, expire
from tests.contract import test_cleanup as of_files
from tests.contract import test_garbage as of_rows
from tests.lakes import LakeFactory, lakes
from tests.property.file_driver import FREEING, FileDriver
from tests.property.histories import generate, report, run
from tests.property.test_sabotage import Sabotage

HISTORIES = int(os.environ.get("FORKLAKE_HISTORIES", "75"))
# Histories of rows come to the same rules on every store; DuckDB takes a minute for one of these.
ON_POSTGRES = HISTORIES // 100
ON_DUCKDB = HISTORIES // 300
ON_SQLITE = max(2, HISTORIES // 18)
PARTS = [
    *([("duckdb", range(7000, 7000 + ON_DUCKDB))] if ON_DUCKDB else []),
    *([("postgres", range(8000, 8000 + ON_POSTGRES))] if ON_POSTGRES else []),
    *(("sqlite", range(9000 + part, 9000 + ON_SQLITE, 2)) for part in range(2)),
]


@pytest.mark.parametrize(("kind", "seeds"), PARTS, ids=[f"{kind}-{place}" for place, (kind, _) in enumerate(PARTS)])
def test_nothing_that_a_version_shows_is_lost_and_nothing_else_is_left(
    kind: str, seeds: range, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    server = request.getfixturevalue("postgres_server") if kind == "postgres" else None
    for seed in seeds:
        with lakes(kind, tmp_path / str(seed), server) as factory:
            factory.directory.mkdir()
            # What is slow on other stores is not another rule.
            operations = generate(seed, 50 if kind == "sqlite" else 25, FREEING)
            if run(operations, factory, FileDriver) is not None:
                pytest.fail(f"seed {seed} on {kind}: {report(operations, factory, FileDriver)}", pytrace=False)
        shutil.rmtree(tmp_path / str(seed))


# ---- without one guard -----------------------------------------------------------------------------------------------


def _pins_keep_nothing(sabotage: Sabotage) -> None:
    sabotage.put(garbage, "_FIRST_PIN", ":never")


def _retained_snapshots_keep_nothing(sabotage: Sabotage) -> None:
    sabotage.put(garbage, "_FIRST_OWN", ":never")


def _hidden_rows_are_pinned_for_ever(sabotage: Sabotage) -> None:
    sabotage.put(garbage, "_unhidden", lambda row, scope: "1 = 1")


def _rows_hidden_by_the_head_are_hidden_from_all_versions(sabotage: Sabotage) -> None:
    sabotage.put(garbage, "_OLDEST", ":never")


def _tombstones_after_the_pin_hide_rows(sabotage: Sabotage) -> None:
    sabotage.cut(" AND z.snapshot_id <= n.upto")


def _files_do_not_keep_the_columns_they_are_read_with(sabotage: Sabotage) -> None:
    sabotage.put(garbage, "_uses", lambda table: ())


def _files_of_forks_do_not_keep_inherited_columns(sabotage: Sabotage) -> None:
    sabotage.put(garbage, "_own_use", lambda table, used: "NULL")


def _files_between_do_not_keep_inherited_columns(sabotage: Sabotage) -> None:
    sabotage.put(garbage, "_inherited_use", lambda table, used: "NULL")


def _statistics_are_not_collected(sabotage: Sabotage) -> None:
    sabotage.put(collect, "_SETS", ())


def _statistics_never_end(sabotage: Sabotage) -> None:
    sabotage.cut(" AND x.begin_snapshot > r.begin_snapshot")


def _tombstones_outlive_their_rows(sabotage: Sabotage) -> None:
    def delete_rows(session: Any, table: Any, owner: CatalogId, uids: Any) -> None:
        statement = f"DELETE FROM forklake.{table.name} WHERE catalog_id = :c AND row_uid IN (:uids...)"
        session.execute(statement, c=owner, uids=list(uids))

    sabotage.put(collect, "delete_rows", delete_rows)


def _tombstones_of_severed_and_purged_catalogs_are_forgotten(sabotage: Sabotage) -> None:
    sabotage.cut(
        " AND snapshot_id > coalesce((SELECT max(v.upto) FROM forklake.ducklake_segment v WHERE v.owner_id = :c"
        " AND EXISTS (SELECT 1 FROM forklake.ducklake_segment w WHERE w.catalog_id = v.catalog_id"
        " AND w.since = v.since AND w.depth > v.depth)), -1)"
    )


def _tombstones_of_severed_and_purged_catalogs_stay(sabotage: Sabotage) -> None:
    sabotage.put(garbage, "forget_unread_tombstones", lambda session, catalogs: None)


def _ancestors_do_not_become_due(sabotage: Sabotage) -> None:
    def mark_due(session: Any, catalogs: Any) -> None:
        due.mark_due(session, [max(catalogs)])

    sabotage.put(expire, "mark_due", mark_due)
    sabotage.put(purge_catalogs, "mark_due", mark_due)


def _files_that_copies_name_are_deleted(sabotage: Sabotage) -> None:
    sabotage.put(cleanup, "named_among", lambda *arguments: set())


def _tables_go_before_files_are_found_through_them(sabotage: Sabotage) -> None:
    sabotage.put(due, "tables_of_due_files", lambda session, tables, but: set())


def _readers_of_expired_versions_are_not_refused(sabotage: Sabotage) -> None:
    sabotage.put(state, "check_retained", lambda store, version: None)
    sabotage.put(state, "ask_retained", lambda snapshot: Question("SELECT 1", {}, bool))


GUARDS: dict[Callable[[Sabotage], None], int] = {
    _pins_keep_nothing: 2002,
    _retained_snapshots_keep_nothing: 2000,
    _hidden_rows_are_pinned_for_ever: 2013,
    _rows_hidden_by_the_head_are_hidden_from_all_versions: 2010,
    _tombstones_after_the_pin_hide_rows: 2023,
    _statistics_are_not_collected: 2000,
    _statistics_never_end: 2000,
    _tombstones_outlive_their_rows: 2013,
    _tombstones_of_severed_and_purged_catalogs_are_forgotten: 2002,
    _tombstones_of_severed_and_purged_catalogs_stay: 2003,
    _ancestors_do_not_become_due: 2013,
    _files_that_copies_name_are_deleted: 2019,
    _readers_of_expired_versions_are_not_refused: 2005,
}
"""Each with the seed of a history that shows it; if that one does not any more, the next ones are tried."""


@pytest.mark.parametrize(("remove", "seed"), GUARDS.items(), ids=[guard.__name__.strip("_") for guard in GUARDS])
def test_histories_find_a_lake_in_which(
    remove: Callable[[Sabotage], None], seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sabotage = Sabotage(monkeypatch)
    remove(sabotage)
    factory = LakeFactory("sqlite", tmp_path)
    seeds = range(seed, seed + 10)
    failing = (one for one in seeds if run(generate(one, weights=FREEING), factory, FileDriver) is not None)
    found = next(failing, None)
    assert sabotage.cuts, "what was to be removed is not there any more"
    assert found is not None, f"no history of {seeds} shows it"


def _place(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER"})
    of_files.test_the_place_of_a_file_is_found_whichever_catalog_is_collected_first(lake, shop)


# What random histories seldom come upon has a test of its own, which fails without the guard.
RARE: dict[Callable[[Sabotage], None], Callable[[Lake], None]] = {
    _files_do_not_keep_the_columns_they_are_read_with: of_rows.test_columns_stay_as_long_as_files_are_read_with_them,
    _files_of_forks_do_not_keep_inherited_columns: (
        of_rows.test_inherited_columns_and_partitions_stay_for_files_that_a_fork_wrote_with_them
    ),
    _files_between_do_not_keep_inherited_columns: (
        of_rows.test_columns_stay_for_files_that_a_purged_catalog_between_wrote_with_them
    ),
    _tables_go_before_files_are_found_through_them: _place,
}


@pytest.mark.parametrize(("remove", "check"), RARE.items(), ids=[guard.__name__.strip("_") for guard in RARE])
def test_a_test_finds_a_lake_in_which(
    remove: Callable[[Sabotage], None],
    check: Callable[[Lake], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    factory = LakeFactory("sqlite", tmp_path)
    with factory.open() as lake:
        check(lake)
    remove(Sabotage(monkeypatch))
    with factory.open() as lake, pytest.raises(AssertionError):
        check(lake)
