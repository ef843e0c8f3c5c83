"""Every guard of a merge is needed: with any one of them removed, a scene goes wrong that goes well with it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import forklake
from forklake import Catalog, Lake, Settings
from forklake.catalog import knowledge, transaction
from forklake.catalog.draft import Draft
from forklake.catalog.knowledge import Node
from forklake.errors import ForklakeError, MergeBaseError, MergeConflictError
from forklake.metastore.queries import heads, merges
from forklake.metastore.written_tables import COLUMN, TABLE_STATS
from forklake.model.rows import MergeRow
from forklake.model.version import Segment
from forklake.ops.catalogs import copy_catalog, sever
from forklake.ops.maintenance import expire
from forklake.ops.merging import merge_catalogs, row_choice, table_files, table_rows
from forklake.ops.merging.sides import Side
from tests.contract.test_merges import (
    alter,
    append,
    delete,
    drop,
    grow,
    ids,
    items,
    make,
    own_snapshots,
    update,
)
from tests.merges.row_engine import RowEngine
from tests.property.test_sabotage import Sabotage

Scene = Callable[[Lake, Catalog], None]
OURS = set(range(100, 200))
"""The ids that a catalog begins with."""


@contextmanager
def conflict(kind: str) -> Iterator[None]:
    with pytest.raises(MergeConflictError) as found:
        yield
    assert kind in {one.kind for one in found.value.conflicts}


def purge(lake: Lake, catalog: Catalog) -> None:
    catalog.drop()
    lake.purge(int(catalog.catalog_id))


# ---- bases, and what catalogs contain ------------------------------------------------------------------------------


def the_base_moves_with_the_fork(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    append(1000)(agent)
    shop.merge(agent)
    delete("id = 1005")(shop)
    delete("id = 1006")(agent)
    shop.merge(agent)
    assert ids(shop) == {*OURS, *range(1000, 1100)} - {1005, 1006}


def _only_pins_are_known(sabotage: Sabotage) -> None:
    sabotage.cut(merges.MERGED_CATALOGS)


def the_base_is_what_both_have(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    append(1000)(agent)
    update("id = 107", "'shop'")(shop)
    shop.merge(agent)
    update("id = 107", "'agent'")(agent)
    with conflict("row"):
        shop.merge(agent)


def _the_last_merge_of_the_target_is_the_base(sabotage: Sabotage) -> None:
    original = knowledge.readable_bases

    def since_last_merge(session: Any, *arguments: Any) -> Any:
        found = session.query(
            "SELECT catalog_id, begin_snapshot FROM forklake.ducklake_merge WHERE kind = 'merge'"
            " ORDER BY begin_snapshot DESC LIMIT 1"
        )
        if not found:
            return original(session, *arguments)
        node = Node(*found[0])
        version = heads.version_of(session, *found[0])
        assert version is not None
        return [knowledge.Base(node, knowledge.knowledge(session, node), version)]

    sabotage.put(merge_catalogs, "readable_bases", since_last_merge)


def what_the_source_contains_is_contained(lake: Lake, shop: Catalog) -> None:
    one, other = shop.fork("one"), shop.fork("other")
    append(1000)(other)
    one.merge(other)
    shop.merge(one)
    delete("id = 1005")(shop)
    delete("id = 1006")(other)
    shop.merge(other)
    assert ids(shop) == {*OURS, *range(1000, 1100)} - {1005, 1006}


def _only_the_source_is_recorded(sabotage: Sabotage) -> None:
    _forget(sabotage, "via")


def a_reset_contains_its_source(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    append(1000)(agent)
    shop.reset_to(agent)
    delete("id = 1005")(shop)
    delete("id = 1006")(agent)
    shop.merge(agent)
    assert ids(shop) == {*OURS, *range(1000, 1100)} - {1005, 1006}


def _resets_are_not_recorded(sabotage: Sabotage) -> None:
    _forget(sabotage, "reset")


def _forget(sabotage: Sabotage, kind: str) -> None:
    insert = Draft.insert

    def without(draft: Draft, *rows: Any) -> None:
        insert(draft, *(row for row in rows if not (isinstance(row, MergeRow) and row.kind == kind)))

    sabotage.put(Draft, "insert", without)


def copies_and_severed_catalogs_merge(lake: Lake, shop: Catalog) -> None:
    agent, copied = shop.fork("agent"), shop.fork("copied", copy=True)
    append(1000)(agent)
    append(2000)(copied)
    agent.maintenance.sever()
    shop.merge(agent)
    shop.merge(copied)
    assert ids(shop) == {*OURS, *range(1000, 1100), *range(2000, 2100)}


def _copies_and_severed_catalogs_know_nothing(sabotage: Sabotage) -> None:
    sabotage.put(sever, "remember_chains", lambda session, catalogs: None)
    sabotage.put(copy_catalog, "write_contained", lambda *arguments: None)


def forks_know_what_a_purged_parent_knew(lake: Lake, shop: Catalog) -> None:
    middle, other = shop.fork("middle"), shop.fork("other")
    append(1000)(other)
    middle.merge(other)
    deep = middle.fork("deep")
    purge(lake, middle)
    delete("id = 1005")(deep)
    delete("id = 1006")(other)
    deep.merge(other)
    assert ids(deep) == {*OURS, *range(1000, 1100)} - {1005, 1006}


def _a_purge_forgets_what_was_known(sabotage: Sabotage) -> None:
    sabotage.put(merges, "ones_in_others", lambda source, catalogs: [])


def bases_that_differ_are_a_conflict(lake: Lake, shop: Catalog) -> None:
    first, second, one, other = (shop.fork(name) for name in ("first", "second", "one", "other"))
    append(1000)(first)
    append(2000)(second)
    for both in (one, other):
        both.merge(first)
        both.merge(second)
    delete("id = 1005")(one)
    delete("id = 2005")(one)
    with conflict("row"):
        other.merge(one)
    other.merge(one, strategy="theirs")
    assert ids(other) == {*OURS, *range(1000, 1100), *range(2000, 2100)} - {1005, 2005}


def _the_first_base_decides(sabotage: Sabotage) -> None:
    original = knowledge.readable_bases
    sabotage.put(merge_catalogs, "readable_bases", lambda *arguments: original(*arguments)[:1])


def an_expired_base_is_not_guessed(lake: Lake, shop: Catalog) -> None:
    one, other = shop.fork("one"), shop.fork("other")
    for catalog in (shop, one, other):
        append(1000)(catalog)
        catalog.maintenance.expire_snapshots(versions=own_snapshots(catalog)[:-1], release=True)
    with pytest.raises(MergeBaseError, match="is expired"):
        one.merge(other)


def _what_is_left_of_a_base_is_read(sabotage: Sabotage) -> None:
    def readable(source: Any, node: Node, names: tuple[str, str]) -> Any:
        chain = merges.segments_at(source, node.catalog_id, node.snapshot_id)
        own = Segment(node.catalog_id, node.snapshot_id)
        return knowledge.pinned_version(node, [own, *chain])

    sabotage.put(knowledge, "readable_version", readable)


def expiry_keeps_bases(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    append(1000)(agent)
    shop.merge(agent)
    append(2000)(agent)
    agent.maintenance.expire_snapshots(older_than="0 seconds")
    shop.merge(agent)
    assert ids(shop) == {*OURS, *range(1000, 1100), *range(2000, 2100)}


def _expiry_spares_no_base(sabotage: Sabotage) -> None:
    sabotage.put(expire, "_bases_of_merges", lambda session, catalog, chosen: {})


def tags_keep_snapshots(lake: Lake, shop: Catalog) -> None:
    shop.tag("v1")
    append(1000)(shop)
    shop.maintenance.expire_snapshots(older_than="0 seconds")
    assert ids(shop.at(tag="v1")) == OURS


def _tags_keep_nothing(sabotage: Sabotage) -> None:
    sabotage.put(expire, "_reasons_of_tags", lambda session, catalog: {})


# ---- rows ------------------------------------------------------------------------------------------------------------


def rows_that_both_changed_are_a_conflict(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    update("id = 107", "'agent'")(agent)
    update("id = 107", "'shop'")(shop)
    with conflict("row"):
        shop.merge(agent)
    assert items(shop)[107] == "shop"


def _files_decide(sabotage: Sabotage) -> None:
    sabotage.put(table_rows, "is_as_base", lambda bases, side, what: True)


def deletes_of_one_file_are_united(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    delete("id < 110")(agent)
    delete("id >= 190")(shop)
    shop.merge(agent)
    assert ids(shop) == set(range(110, 190))


def _deletes_of_the_source_replace_those_of_the_target(sabotage: Sabotage) -> None:
    place = table_rows.RowsMerge._place_file

    def replacing(merge: Any, edit: Any, file: Any, live: Any, source: Any, target: Any, compared: Any) -> None:
        theirs, ours = source[0].files.get(file), target[0].files.get(file)
        if theirs is not None and ours is not None:
            edit.redone.append((ours, theirs))
        else:
            place(merge, edit, file, live, source, target, compared)

    sabotage.put(table_rows.RowsMerge, "_place_file", replacing)


def files_that_both_ended_may_differ_in_rows(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    update("id >= 100", "'agent'")(agent)
    update("id >= 100", "'shop'")(shop)
    with conflict("row"):
        shop.merge(agent)


def _files_that_both_ended_are_agreed_on(sabotage: Sabotage) -> None:
    original = table_files.is_as_base

    def agreed(bases: Any, side: Any, what: Any) -> bool:
        gone = frozenset(file for file in what.files if side.file_value(file) is None)
        return original(bases, side, replace(what, files=what.files - gone))

    sabotage.put(table_rows, "is_as_base", agreed)


def rows_that_both_brought_back_are_there_once(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    was, had = shop.head, agent.head
    delete("id >= 100")(agent)
    shop.merge(agent)  # the base from now on, without rows
    shop.reset_to(was)
    agent.reset_to(had)
    grow(agent)  # the rows are in another file there
    shop.merge(agent)
    assert ids(shop) == {*OURS, *range(300, 400)}


def _nothing_ever_returns(sabotage: Sabotage) -> None:
    sabotage.put(merge_catalogs, "_may_have_returned", lambda *arguments: False)


def deletes_follow_rows_that_the_target_moved(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    delete("id = 107")(agent)
    grow(shop)
    shop.merge(agent)
    assert ids(shop) == {*OURS, *range(300, 400)} - {107}


def _only_files_of_the_source_are_looked_at(sabotage: Sabotage) -> None:
    sabotage.put(table_files.Touched, "__or__", lambda theirs, ours: theirs)


def a_row_that_the_source_moved_has_one_place(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    grow(agent)
    delete("id = 107")(shop)
    shop.merge(agent)
    assert ids(shop) == {*OURS, *range(300, 400)} - {107}


def _all_rows_of_the_source_come(sabotage: Sabotage) -> None:
    sabotage.put(row_choice.PlacedRows, "only", lambda rows, row_ids: rows)


# ---- tables, columns, counters ---------------------------------------------------------------------------------------


def a_table_that_one_dropped_and_one_changed_is_a_conflict(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    drop(agent)
    delete("id = 107")(shop)
    with conflict("dropped"):
        shop.merge(agent)


def _rows_do_not_keep_a_table(sabotage: Sabotage) -> None:
    sabotage.put(table_rows.RowsMerge, "has_rows_of_bases", lambda *arguments: True)


def names_are_unique_in_the_result(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    make("more")(agent)
    make("more")(shop)
    with conflict("name"):
        shop.merge(agent)


def _the_result_is_not_looked_at(sabotage: Sabotage) -> None:
    sabotage.put(merge_catalogs, "check_result", lambda draft, planned, runtime: None)


def columns_that_both_added_have_ids_of_their_own(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    alter("add_column", ("x", "INTEGER"))(agent)
    alter("add_column", ("y", "INTEGER"))(shop)
    shop.merge(agent)
    assert {column.name for column in shop.table("orders").columns} == {"id", "item", "x", "y"}


def _forks_count_columns_in_the_table(sabotage: Sabotage) -> None:
    sabotage.put(transaction.Staging, "new_columns", lambda staging, column: ())


def a_dropped_column_gives_its_id_to_no_other(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    agent.create_table("more", {"a": "INTEGER", "b": "INTEGER"})
    agent.table("more").alter.drop_column("b")
    shop.merge(agent)
    shop.table("more").alter.add_column(("c", "INTEGER"))
    assert [int(column.column_id) for column in shop.table("more").columns] == [1, 3]


def _the_next_column_follows_the_last_that_is_there(sabotage: Sabotage) -> None:
    latest = Side.latest

    def counted(side: Side, table: Any, table_id: Any) -> Any:
        found = latest(side, table, table_id)
        if table is not TABLE_STATS:
            return found
        newest = max((row.column_id for row in side.rows(COLUMN, {"table_id": table_id})), default=0)
        return [replace(row, next_column_id=newest + 1) for row in found]

    sabotage.put(Side, "latest", counted)


def a_table_that_returns_counts_on(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    append(1000)(shop)
    counted = shop.table("orders").inspect.stats.next_row_id
    drop(shop)
    shop.maintenance.expire_snapshots(older_than="0 seconds", release=True)
    assert lake.data_path is not None
    # Somebody who has not read the counters before.
    with Lake(str(Path(lake.data_path).parent / "lake.db"), settings=Settings(engine=RowEngine())) as other:
        other.catalog("shop").reset_to(other.catalog(agent.name))
        append(2000)(other.catalog("shop"))
    assert [file.row_id_start for file in shop.table("orders").storage.files()] == [0, counted]


def _counters_go_with_their_table(sabotage: Sabotage) -> None:
    sabotage.cut(
        " WHEN r.ends = :never AND (SELECT 1 FROM forklake.ducklake_head h WHERE h.catalog_id = r.catalog_id)"
        " IS NOT NULL THEN 0"
    )


GUARDS: dict[Scene, Callable[[Sabotage], None]] = {
    the_base_moves_with_the_fork: _only_pins_are_known,
    the_base_is_what_both_have: _the_last_merge_of_the_target_is_the_base,
    what_the_source_contains_is_contained: _only_the_source_is_recorded,
    a_reset_contains_its_source: _resets_are_not_recorded,
    copies_and_severed_catalogs_merge: _copies_and_severed_catalogs_know_nothing,
    forks_know_what_a_purged_parent_knew: _a_purge_forgets_what_was_known,
    bases_that_differ_are_a_conflict: _the_first_base_decides,
    an_expired_base_is_not_guessed: _what_is_left_of_a_base_is_read,
    expiry_keeps_bases: _expiry_spares_no_base,
    tags_keep_snapshots: _tags_keep_nothing,
    rows_that_both_changed_are_a_conflict: _files_decide,
    deletes_of_one_file_are_united: _deletes_of_the_source_replace_those_of_the_target,
    files_that_both_ended_may_differ_in_rows: _files_that_both_ended_are_agreed_on,
    rows_that_both_brought_back_are_there_once: _nothing_ever_returns,
    deletes_follow_rows_that_the_target_moved: _only_files_of_the_source_are_looked_at,
    a_row_that_the_source_moved_has_one_place: _all_rows_of_the_source_come,
    a_table_that_one_dropped_and_one_changed_is_a_conflict: _rows_do_not_keep_a_table,
    names_are_unique_in_the_result: _the_result_is_not_looked_at,
    columns_that_both_added_have_ids_of_their_own: _forks_count_columns_in_the_table,
    a_dropped_column_gives_its_id_to_no_other: _the_next_column_follows_the_last_that_is_there,
    a_table_that_returns_counts_on: _counters_go_with_their_table,
}


@pytest.mark.parametrize(("scene", "remove"), GUARDS.items(), ids=[scene.__name__ for scene in GUARDS])
def test_a_scene_goes_well_and_without_its_guard_it_does_not(
    scene: Scene, remove: Callable[[Sabotage], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(scene, remove, tmp_path, monkeypatch)


def play(scene: Scene, remove: Callable[[Sabotage], None], directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Play a scene, and again without its guard; it must go well at first, and then not."""
    _play(scene, directory / "guarded")
    sabotage = Sabotage(monkeypatch)
    remove(sabotage)
    with pytest.raises((AssertionError, ForklakeError, OSError, pytest.fail.Exception)):
        _play(scene, directory / "unguarded")
    assert sabotage.cuts, "what was to be removed is not there any more"


def _play(scene: Scene, directory: Path) -> None:
    directory.mkdir()
    with forklake.open(str(directory / "lake.db"), settings=Settings(engine=RowEngine())) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT", "item": "VARCHAR"})
        append(100)(shop)
        scene(lake, shop)
