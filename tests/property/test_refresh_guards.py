"""Every guard of a refresh, and of the commit of a merge, is needed: without it, a scene goes wrong."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forklake import Catalog, Lake, Settings
from forklake.catalog import versions
from forklake.catalog.draft import Draft
from forklake.errors import CatalogDroppedError, CommitConflictError, MergeConflictError, SnapshotNotFoundError
from forklake.metastore import procedures
from forklake.metastore.differences import shown_by_one
from forklake.metastore.queries import heads
from forklake.metastore.visibility import BareChain
from forklake.model.ids import SnapshotId
from forklake.ops.maintenance import cleanup
from forklake.ops.merging import lay_out, merge_catalogs, rebase
from tests.contract.test_merges import append, compact, delete, drop, ids, update
from tests.merges.row_engine import RowEngine
from tests.property.test_merge_guards import OURS, Scene, play, purge
from tests.property.test_sabotage import Sabotage
from tests.sound import check_sound


def expire_all(*catalogs: Catalog) -> None:
    for catalog in catalogs:
        catalog.maintenance.expire_snapshots(older_than="0 seconds", release=True)


# ---- epochs ----------------------------------------------------------------------------------------------------------


def a_snapshot_is_read_by_the_chain_of_its_epoch(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    append(1000)(shop)
    append(2000)(agent)  # later than what the parent did, and without it
    before = agent.head
    agent.refresh()
    append(3000)(shop)
    agent.refresh()
    assert ids(agent.at(before)) == {*OURS, *range(2000, 2100)}


def _all_snapshots_have_the_last_chain(sabotage: Sabotage) -> None:
    def by_last_chain(source: Any, catalog: Any, snapshot: Any) -> Any:
        head = heads.head_by_id(source, catalog)
        return None if head is None else replace(head.version, snapshot_id=snapshot)

    sabotage.put(heads, "version_of", by_last_chain)
    sabotage.put(versions, "_in_epoch", lambda store, head, found: replace(head, snapshot_id=found.snapshot_id))


def a_fork_has_no_version_from_before_a_refresh(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    before = agent.head
    append(1000)(shop)
    agent.refresh()
    with pytest.raises(SnapshotNotFoundError):
        agent.fork("later").at(before).tables()


def _all_snapshots_of_a_parent_are_versions(sabotage: Sabotage) -> None:
    write = heads.write_segments

    def since_ever(session: Any, catalog: Any, snapshot: Any, chain: Any, versions_from: Any) -> None:
        write(session, catalog, snapshot, chain, [SnapshotId(0)] * len(versions_from))

    sabotage.put(heads, "write_segments", since_ever)


def an_old_epoch_keeps_what_it_shows(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    before = agent.head
    delete("id >= 100")(shop)
    agent.refresh()
    expire_all(shop)
    lake.maintenance.cleanup_old_files(cleanup_all=True)
    assert ids(agent.at(before)) == OURS


def _only_the_last_epoch_pins(sabotage: Sabotage) -> None:
    sabotage.swap(
        "FROM forklake.ducklake_segment p WHERE p.owner_id",
        "FROM forklake.ducklake_segment p WHERE p.until = :never AND p.owner_id",
    )


def what_a_pin_showed_is_kept(lake: Lake, shop: Catalog) -> None:
    append(300)(shop)
    agent = shop.fork("agent")
    drop(agent)
    shop.create_table("theirs", {"i": "INTEGER"})
    agent.refresh()
    compact(shop)
    expire_all(agent, shop)
    shop.merge(agent)  # rows that only moved keep no table
    assert [table.name for table in shop.tables()] == ["theirs"]


def _a_pin_shows_what_its_catalog_left_of_it(sabotage: Sabotage) -> None:
    oldest = (
        "(SELECT min(o.snapshot_id) FROM forklake.ducklake_snapshot o"
        " WHERE o.catalog_id = p.catalog_id AND o.snapshot_id >= p.since AND o.snapshot_id < p.until)"
    )
    sabotage.cut(f" AND p.since < {oldest}")


# ---- rows of a refreshed fork ----------------------------------------------------------------------------------------


def own_rows_are_there_once(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    append(1000)(agent)
    shop.merge(agent)
    agent.refresh()
    check_sound(lake)
    assert ids(agent) == {*OURS, *range(1000, 1100)}


def _own_rows_do_not_end(sabotage: Sabotage) -> None:
    end = Draft.end

    def inherited(draft: Draft, *rows: Any) -> None:
        end(draft, *(row for row in rows if not draft._is_own(row)))

    sabotage.put(Draft, "end", inherited)


def what_a_fork_hid_comes_back_as_its_own(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    was = agent.head
    drop(agent)
    agent.reset_to(was)
    append(1000)(shop)
    agent.refresh()
    assert ids(agent) == {*OURS, *range(1000, 1100)}


def _tombstones_are_forgotten(sabotage: Sabotage) -> None:
    def unhidden(session: Any, version: Any, chain: Any, table: Any) -> Any:
        return shown_by_one(session, version, BareChain(chain.owners[1:], chain.bounds[1:]), table)

    sabotage.put(rebase, "shown_by_one", unhidden)


def a_refreshed_fork_counts_on(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    append(1000)(agent)
    append(2000)(shop)
    agent.refresh()
    append(3000)(agent)
    starts = [file.row_id_start for file in agent.table("orders").storage.files()]
    assert len(starts) == len(set(starts))


def _counters_begin_again(sabotage: Sabotage) -> None:
    sabotage.put(lay_out._Layout, "_own_stats", lambda layout, table_id: None)


def statistics_are_those_of_the_new_pin(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    append(1000)(agent)
    shop.merge(agent)
    append(2000)(shop)
    agent.refresh()
    assert agent.table("orders").inspect.stats.record_count == 300


def _statistics_stay_as_they_were(sabotage: Sabotage) -> None:
    sabotage.put(rebase._Rebase, "_count", lambda of: None)


def no_transaction_commits_over_a_refresh(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    transaction = agent.transaction()
    transaction.table("orders").delete("id = 107")
    update("id = 107")(shop)
    agent.refresh()
    with pytest.raises(CommitConflictError, match="the catalog was refreshed since this transaction began"):
        transaction.commit()
    assert 107 in ids(agent)


def _a_refresh_is_a_commit_like_others(sabotage: Sabotage) -> None:
    original = versions.head_by_id

    def without_epoch(session: Any, catalog: Any) -> Any:
        head = original(session, catalog)
        return replace(head, version=replace(head.version, since=SnapshotId(0)))

    sabotage.put(versions, "head_by_id", without_epoch)


# ---- merges beside others --------------------------------------------------------------------------------------------


def what_is_recorded_is_what_was_read(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    append(1000)(agent)
    read = agent.head
    append(2000)(agent)
    shop.merge(agent, at=read)
    shop.merge(agent)
    assert ids(shop) == {*OURS, *range(1000, 1100), *range(2000, 2100)}


def _the_head_of_the_source_is_recorded(sabotage: Sabotage) -> None:
    record = merge_catalogs._Attempt._record

    def newest(attempt: Any, planned: Any) -> None:
        theirs, ours = attempt._knows
        attempt._knows = {**theirs, attempt._owner: attempt._source.version.snapshot_id}, ours
        record(attempt, planned)

    sabotage.put(merge_catalogs._Attempt, "_record", newest)


def files_that_wait_for_deletion_are_kept_for_a_merge(lake: Lake, shop: Catalog) -> None:
    first, second = shop.fork("first"), shop.fork("second")
    append(1000)(first)
    second.merge(first)
    purge(lake, first)
    lake.maintenance.cleanup_old_files(cleanup_all=True)
    shop.merge(second)
    purge(lake, second)
    lake.maintenance.cleanup_old_files(cleanup_all=True)
    assert ids(shop) == {*OURS, *range(1000, 1100)}


def _scheduled_files_are_deleted_whoever_names_them(sabotage: Sabotage) -> None:
    sabotage.put(cleanup, "named_among", lambda *arguments: set())


def meanwhile(lake: Lake, act: Callable[[], object]) -> Lake:
    """Return the same lake, for somebody before whose first commit something else happens."""
    left = [act]

    def go_on(step: str) -> None:
        if step == "commit: before the call" and left:
            left.pop()()

    assert lake.data_path is not None
    return Lake(str(Path(lake.data_path).parent / "lake.db"), settings=Settings(engine=RowEngine(), on_step=go_on))


def a_source_that_goes_meanwhile_is_not_merged(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    append(1000)(agent)

    def give_up() -> None:
        purge(lake, agent)
        lake.maintenance.cleanup_old_files(cleanup_all=True)

    with meanwhile(lake, give_up) as other, pytest.raises(CatalogDroppedError):
        other.catalog("shop").merge(other.catalog("agent"))
    assert ids(shop) == OURS


def _nobody_looks_again(sabotage: Sabotage) -> None:
    sabotage.put(merge_catalogs._Attempt, "_check_source", lambda attempt, session: None)


def a_merge_into_another_head_is_planned_again(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    update("id = 107", "'agent'")(agent)
    with meanwhile(lake, lambda: update("id = 107", "'shop'")(shop)) as other, pytest.raises(MergeConflictError):
        other.catalog("shop").merge(other.catalog("agent"))


def _the_head_is_not_compared(sabotage: Sabotage) -> None:
    original = procedures.commit

    def onto_any(session: Any, request: Any, step: Any) -> Any:
        head = heads.head_by_id(session, request.catalog_id)
        assert head is not None
        return original(session, replace(request, expected=head.version.snapshot_id), step)

    sabotage.put(procedures, "commit", onto_any)


GUARDS: dict[Scene, Callable[[Sabotage], None]] = {
    a_snapshot_is_read_by_the_chain_of_its_epoch: _all_snapshots_have_the_last_chain,
    a_fork_has_no_version_from_before_a_refresh: _all_snapshots_of_a_parent_are_versions,
    an_old_epoch_keeps_what_it_shows: _only_the_last_epoch_pins,
    what_a_pin_showed_is_kept: _a_pin_shows_what_its_catalog_left_of_it,
    own_rows_are_there_once: _own_rows_do_not_end,
    what_a_fork_hid_comes_back_as_its_own: _tombstones_are_forgotten,
    a_refreshed_fork_counts_on: _counters_begin_again,
    statistics_are_those_of_the_new_pin: _statistics_stay_as_they_were,
    no_transaction_commits_over_a_refresh: _a_refresh_is_a_commit_like_others,
    what_is_recorded_is_what_was_read: _the_head_of_the_source_is_recorded,
    files_that_wait_for_deletion_are_kept_for_a_merge: _scheduled_files_are_deleted_whoever_names_them,
    a_source_that_goes_meanwhile_is_not_merged: _nobody_looks_again,
    a_merge_into_another_head_is_planned_again: _the_head_is_not_compared,
}


@pytest.mark.parametrize(("scene", "remove"), GUARDS.items(), ids=[scene.__name__ for scene in GUARDS])
def test_a_scene_goes_well_and_without_its_guard_it_does_not(
    scene: Scene, remove: Callable[[Sabotage], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(scene, remove, tmp_path, monkeypatch)
