"""Transactions that meet: which can follow which, how often they try, and what happens once only."""

from collections.abc import Callable

import pytest

from forklake import Catalog, Clock, Lake, MacroImplementation, MacroParameter, RetryPolicy, Settings, Transaction
from forklake.errors import (
    CommitConflictError,
    CommitContentionError,
    InvalidInputError,
    NotFoundError,
    SnapshotExpiredError,
)
from forklake.model.change import InsertInlined
from forklake.model.ids import ColumnId
from forklake.ops.lakes.run_again import run_again
from forklake.ops.rows.register_files import register_files
from tests.contract.support import data_file, delete_file, file_names, last, names, rows, state
from tests.lakes import LakeFactory

Act = Callable[[Transaction], object]


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    return stocked(lake)


def stocked(lake: Lake) -> Catalog:
    """Return a catalog with schema 1 and table 2, with the data files 0 and 1, and an empty table 3."""
    shop = lake.create_catalog("shop")
    shop.schemas.create("sales")
    shop.create_table("orders", {"id": "BIGINT", "amount": "DOUBLE"})
    shop.table("orders").storage.append_files([data_file("a"), data_file("b")])
    shop.create_table("empty", {"i": "INTEGER"})
    return shop


def meet(catalog: Catalog, ours: Act, theirs: Act) -> None:
    """Let both act on the same base; theirs is committed first, then ours."""
    mine = catalog.transaction()
    with catalog.transaction() as other:
        theirs(other)
    ours(mine)
    mine.commit()


def append(t: Transaction) -> None:
    t.table("orders").storage.append_files([data_file("c")])


def append_inlined(t: Transaction) -> None:
    t.table("orders").storage.insert_inlined([{"id": "1"}])


def merge_new(t: Transaction) -> None:
    """Add rows as a merge does that found no row of the table to match them."""
    table = t.table("orders").table_id
    t._run(lambda staging: register_files(staging, table, [data_file("m")], unmatched=True))


def merge_new_inlined(t: Transaction) -> None:
    table = t.table("orders").table_id
    t._run(lambda staging: staging.stage(InsertInlined(table, (((ColumnId(1), "1"),),), unmatched=True)))


def update(t: Transaction) -> None:
    t.table("orders").storage.delete_rows([delete_file(0, "d")])
    t.table("orders").storage.append_files([data_file("u")])


def delete(t: Transaction) -> None:
    t.table("orders").storage.delete_rows([delete_file(0, "d")])


def delete_other(t: Transaction) -> None:
    t.table("orders").storage.delete_rows([delete_file(1, "e")])


def inline_delete(t: Transaction) -> None:
    t.table("orders").storage.inline_deletes({0: [1]})


def remove(t: Transaction) -> None:
    t.table("orders").storage.remove_files([0])


def alter(t: Transaction) -> None:
    t.table("orders").alter.add_column(("x", "INTEGER"))


def rename(t: Transaction) -> None:
    t.table("orders").rename("sold")


def drop(t: Transaction) -> None:
    t.table("orders").drop()


def create(t: Transaction) -> None:
    t.create_table("new", {"i": "INTEGER"})


def create_in_sales(t: Transaction) -> None:
    t.create_table("new", {"i": "INTEGER"}, schema="sales")


def create_schema(t: Transaction) -> None:
    t.schemas.create("New")


def drop_sales(t: Transaction) -> None:
    t.schemas.drop("sales")


def rename_to_new(t: Transaction) -> None:
    t.table("empty").rename("NEW")


INSERT = 'insert into table with index "2"'
UNMATCHED = 'insert what matched no row into table with index "2"'
DELETE = 'delete from table with index "2"'
DELETE_FILE = 'delete from file with index "0"'
ALTER = 'alter table with index "2"'
CREATE_NEW = 'create table "new" in schema "main"'

# Conflicts are found above the stores; embedded ones commit by the same code.
TWO_STORES = pytest.mark.parametrize("lake_factory", ["sqlite", "postgres"], indirect=True)


@TWO_STORES
@pytest.mark.parametrize(
    ("ours", "theirs", "attempt", "outcome"),
    [
        (drop, drop, 'drop table with index "2"', "another transaction has dropped it already"),
        (drop_sales, drop_sales, 'drop schema with index "1"', "another transaction has dropped it already"),
        (drop_sales, create_in_sales, 'drop schema with name "sales"', "another transaction has created an entry in"),
        (create_in_sales, drop_sales, 'create table "new" in schema "sales" with index "1"', "another transaction has"),
        (create_schema, create_schema, 'create schema with name "New"', "another transaction has created a schema"),
        (create, create, CREATE_NEW, "this table has been created by another transaction already"),
        (append, drop, INSERT, "another transaction has dropped it"),
        (append, alter, INSERT, "another transaction has altered it"),
        (append, rename, INSERT, "another transaction has altered it"),
        (append, delete, INSERT, "another transaction has deleted from it"),
        (append, remove, INSERT, "another transaction has deleted from it"),
        (merge_new, append, UNMATCHED, "another transaction has inserted into it"),
        (merge_new, append_inlined, UNMATCHED, "another transaction has inserted into it"),
        (merge_new, merge_new, UNMATCHED, "another transaction has inserted into it"),
        (merge_new_inlined, append, UNMATCHED, "another transaction has inserted into it"),
        (merge_new_inlined, merge_new_inlined, UNMATCHED, "another transaction has inserted into it"),
        (delete, drop, DELETE, "another transaction has dropped it"),
        (delete, alter, DELETE, "another transaction has altered it"),
        (delete, append, DELETE, "another transaction has inserted into it"),
        (delete, delete, DELETE_FILE, "another transaction has deleted from it"),
        (delete, remove, DELETE_FILE, "another transaction has deleted from it"),
        (delete, inline_delete, DELETE_FILE, "another transaction has deleted from it"),
        (inline_delete, delete, DELETE_FILE, "another transaction has deleted from it"),
        (inline_delete, remove, DELETE_FILE, "another transaction has deleted from it"),
        (remove, inline_delete, DELETE_FILE, "another transaction has deleted from it"),
        (remove, delete, DELETE_FILE, "another transaction has deleted from it"),
        (remove, remove, DELETE_FILE, "another transaction has deleted from it"),
        (alter, drop, ALTER, "another transaction has dropped it"),
        (alter, alter, ALTER, "another transaction has altered it"),
        (rename, alter, ALTER, "another transaction has altered it"),
    ],
)
def test_what_cannot_follow_is_refused_in_the_words_of_ducklake(
    lake: Lake, shop: Catalog, ours: Act, theirs: Act, attempt: str, outcome: str
) -> None:
    mine = shop.transaction()
    ours(mine)
    with shop.transaction() as other:
        theirs(other)
    before = state(lake)
    with pytest.raises(CommitConflictError) as caught:
        mine.commit()
    assert str(caught.value).startswith(f"Transaction conflict - attempting to {attempt} - but {outcome}")
    assert caught.value.conflicts == (caught.value.message,)
    assert state(lake) == before


@TWO_STORES
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (append, append),
        (append, append_inlined),
        (append, merge_new),
        (append_inlined, merge_new_inlined),
        (merge_new, lambda t: t.table("empty").storage.append_files([data_file("x")])),
        (merge_new, create),
        (append, create),
        (delete, delete_other),
        (remove, delete_other),
        (inline_delete, delete_other),
        (delete_other, inline_delete),
        (alter, append),
        (alter, delete),
        (drop, append),
        (drop, alter),
        (create, create_in_sales),
        (create_schema, create),
    ],
)
def test_what_commutes_follows(shop: Catalog, ours: Act, theirs: Act) -> None:
    before = len(shop.snapshots())
    meet(shop, ours, theirs)
    assert len(shop.snapshots()) == before + 2


def test_a_flush_adds_no_rows_that_a_merge_might_have_matched(shop: Catalog) -> None:
    shop.table("orders").storage.insert_inlined([{"id": "1"}])
    meet(shop, merge_new, lambda t: t.maintenance.flush_inlined(table="orders"))
    assert [change.changes_made for change in shop.snapshots()[-2:]] == ["inline_flush:2", "inserted_into_table:2"]


def test_a_key_that_an_update_gave_a_row_conflicts_with_a_merge_that_missed_it(shop: Catalog) -> None:
    with pytest.raises(CommitConflictError, match="what matched no row") as caught:
        meet(shop, merge_new, update)
    assert len(caught.value.conflicts) == 2  # and the delete of the row as it was


def test_what_matched_nothing_is_remembered_of_each_table_of_a_transaction(shop: Catalog) -> None:
    def merge_and_append(t: Transaction) -> None:
        t.table("empty").storage.append_files([data_file("x")])
        merge_new(t)
        append(t)

    meet(shop, merge_and_append, lambda t: t.table("empty").storage.append_files([data_file("y")]))
    with pytest.raises(CommitConflictError, match=f"attempting to {UNMATCHED}"):
        meet(shop, merge_and_append, append)


def test_what_matched_nothing_is_remembered_when_it_is_planned_again(lake_factory: LakeFactory) -> None:
    rival = Rival()
    with lake_factory.open(rival.settings()) as lake:
        shop = stocked(lake)

        def append_at_last() -> None:
            if rival.rounds == 0:
                shop.table("orders").storage.append_files([data_file("theirs")])
            else:
                shop.create_table("new", {"i": "INTEGER"})

        rival.act = append_at_last
        rival.rounds = 2
        with pytest.raises(CommitConflictError, match=f"attempting to {UNMATCHED}"), shop.transaction() as transaction:
            merge_new(transaction)
        assert (names(shop), file_names(shop, "orders")) == (["empty", "new", "orders"], ["a", "b", "theirs"])


def test_a_merge_under_a_commit_key_is_committed_once(shop: Catalog) -> None:
    for _ in range(2):
        with shop.transaction(commit_key="job-1") as transaction:
            merge_new(transaction)
        shop.table("orders").storage.append_files([data_file("theirs")])
    assert file_names(shop, "orders") == ["a", "b", "m", "theirs", "theirs"]


def test_two_appends_both_stay_and_share_no_row_id(shop: Catalog) -> None:
    meet(shop, append, lambda t: t.table("orders").storage.append_files([data_file("x", 7)]))
    assert file_names(shop, "orders") == ["a", "b", "x", "c"]
    assert [file.row_id_start for file in shop.table("orders").storage.files()] == [0, 10, 20, 27]
    assert shop.table("orders").inspect.stats.record_count == 37


def test_an_append_after_an_append_to_a_table_that_was_new_to_both(shop: Catalog) -> None:
    meet(
        shop,
        lambda t: t.table("empty").storage.append_files([data_file("mine", 2)]),
        lambda t: t.table("empty").storage.append_files([data_file("theirs", 3)]),
    )
    assert [file.row_id_start for file in shop.table("empty").storage.files()] == [0, 3]


def test_a_drop_takes_what_was_appended_meanwhile_with_it(lake: Lake, shop: Catalog) -> None:
    meet(shop, drop, append)
    assert names(shop) == ["empty"]
    live = "SELECT count(*) FROM forklake.ducklake_{} WHERE table_id = 2 AND end_snapshot > :head"
    for table in ("data_file", "column", "table"):
        assert rows(lake, live.format(table), head=shop.head) == [(0,)]


def test_a_name_taken_by_a_rename_is_a_conflict_too(shop: Catalog) -> None:
    with pytest.raises(CommitConflictError, match=r'another transaction has changed .*: Table with name "new" already'):
        meet(shop, create, rename_to_new)
    assert names(shop) == ["NEW", "orders"]


def test_all_conflicts_are_listed(shop: Catalog) -> None:
    mine = shop.transaction()
    append(mine)
    create(mine)
    delete(mine)
    with shop.transaction() as other:
        create(other)
        drop(other)
    with pytest.raises(CommitConflictError) as caught:
        mine.commit()
    assert sorted(caught.value.conflicts) == [
        f"Transaction conflict - attempting to {CREATE_NEW} - but this table has been created by another transaction"
        " already",
        f"Transaction conflict - attempting to {DELETE} - but another transaction has dropped it"
        ' (table "main"."orders")',
        f"Transaction conflict - attempting to {INSERT} - but another transaction has dropped it"
        ' (table "main"."orders")',
    ]
    assert all(conflict in str(caught.value) for conflict in caught.value.conflicts)


def test_all_that_was_committed_since_the_base_counts(shop: Catalog) -> None:
    mine = shop.transaction()
    append(mine)
    shop.table("orders").alter.add_column(("x", "INTEGER"))
    shop.create_table("one", {"i": "INTEGER"})
    shop.create_table("two", {"i": "INTEGER"})
    with pytest.raises(CommitConflictError, match="has altered it"):
        mine.commit()


def test_commits_of_other_catalogs_never_conflict(lake: Lake, shop: Catalog) -> None:
    agent, other = shop.fork("agent"), lake.create_catalog("other")
    waited: list[float] = []
    mine = agent.transaction()
    alter(mine)
    append(mine)
    shop.table("orders").drop()  # the parent, a sibling, a child and a stranger
    shop.fork("sibling").create_table("new", {"i": "INTEGER"})
    agent.fork("child").table("orders").drop()
    other.create_table("orders", {"id": "BIGINT"})
    mine.commit()
    assert waited == []
    assert [column.name for column in agent.table("orders").columns] == ["id", "amount", "x"]


@pytest.mark.parametrize("lake_factory", ["sqlite", "duckdb", "postgres", "partitioned", "pgbouncer"], indirect=True)
@pytest.mark.parametrize("act", [delete, remove])
@pytest.mark.parametrize("depth", [1, 3])
def test_a_hidden_inherited_row_is_a_conflict_as_an_ended_one_is(shop: Catalog, act: Act, depth: int) -> None:
    agent = shop
    for level in range(depth):
        agent = agent.fork(f"agent-{level}")
    with pytest.raises(CommitConflictError, match='attempting to delete from file with index "0" - but another'):
        meet(agent, delete, act)
    meet(agent, delete_other, lambda t: t.create_table("new", {"i": "INTEGER"}))


def test_a_second_delete_file_replaces_the_first_also_an_inherited_one(shop: Catalog) -> None:
    shop.table("orders").storage.delete_rows([delete_file(0, "one", 1)])
    agent = shop.fork("agent")
    for catalog in (agent, shop):
        with pytest.raises(InvalidInputError, match="must delete more than the one before it"):
            catalog.table("orders").storage.delete_rows([delete_file(0, "less", 1)])
        catalog.table("orders").storage.delete_rows([delete_file(0, f"two-{catalog.catalog_id}", 2)])
        (first, _) = catalog.table("orders").storage.files()
        assert first.delete_file is not None
        assert first.delete_file.path.endswith(f"two-{catalog.catalog_id}.parquet")
    with pytest.raises(CommitConflictError, match='delete from file with index "0"'):
        meet(agent, lambda t: t.table("orders").storage.delete_rows([delete_file(0, "d", 5)]), remove)


def test_what_happened_since_an_expired_base_cannot_be_known(lake: Lake, shop: Catalog) -> None:
    mine = shop.transaction()
    append(mine)
    base = shop.head
    shop.create_table("one", {"i": "INTEGER"})
    shop.create_table("two", {"i": "INTEGER"})
    shop.maintenance.expire_snapshots(versions=[base])
    before = state(lake)
    with pytest.raises(CommitConflictError, match=f"the snapshot {base} that this transaction started from, or one"):
        mine.commit()
    assert state(lake) == before


def test_a_hole_in_what_happened_since_the_base_is_refused_too(shop: Catalog) -> None:
    mine = shop.transaction()
    append(mine)
    shop.table("orders").alter.add_column(("x", "INTEGER"))
    hole = shop.head
    shop.create_table("two", {"i": "INTEGER"})
    shop.maintenance.expire_snapshots(versions=[hole])
    with pytest.raises(CommitConflictError, match="has been expired, so what others did since cannot be known"):
        mine.commit()


# ---- trying again --------------------------------------------------------------------------------------------------


class Rival:
    """Commits something else right before each attempt, as often as it is told to."""

    def __init__(self) -> None:
        self.rounds = 0
        self.waits: list[float] = []
        self.act: Callable[[], object] = lambda: None
        self._acting = False

    def on_step(self, step: str) -> None:
        if step == "commit: before the call" and self.rounds and not self._acting:
            self.rounds -= 1
            self._acting = True
            self.act()
            self._acting = False

    def settings(self, **how: object) -> Settings:
        clock = Clock(sleep=self.waits.append, jitter=lambda: 0.75)
        # Without turns: whoever has one loses races that do not count.
        return Settings(clock=clock, on_step=self.on_step, lock_timeout_seconds=0, **how)  # type: ignore[arg-type]


@pytest.mark.parametrize("rounds", [1, 3, 10])
def test_a_lost_race_is_run_again_after_a_growing_wait(lake_factory: LakeFactory, rounds: int) -> None:
    rival = Rival()
    with lake_factory.open(rival.settings()) as lake:
        shop = stocked(lake)
        rival.act = lambda: shop.table("orders").storage.append_files([data_file("theirs", 1)])
        rival.rounds = rounds
        with shop.transaction() as transaction:
            append(transaction)
        assert rival.waits == pytest.approx([0.1 * 0.75 * 1.5**i for i in range(rounds)])
        assert file_names(shop, "orders") == ["a", "b", *["theirs"] * rounds, "c"]


def test_a_base_that_is_expired_while_it_is_read_is_run_again() -> None:
    tries: list[str] = []

    def attempt() -> str:
        tries.append("begun")
        if len(tries) < 3:
            raise SnapshotExpiredError("No snapshot found at version 4: it was expired while it was in use.")
        return "done"

    rival = Rival()
    settings = rival.settings()
    assert run_again(attempt, lambda: None, settings.retry, settings.clock) == "done"
    assert (len(tries), len(rival.waits)) == (3, 2)


def test_after_ten_lost_races_it_is_given_up(lake_factory: LakeFactory) -> None:
    rival = Rival()
    with lake_factory.open(rival.settings()) as lake:
        shop = stocked(lake)
        rival.act = lambda: shop.table("orders").storage.append_files([data_file("theirs", 1)])
        rival.rounds = 99
        with pytest.raises(CommitContentionError) as caught, shop.transaction() as transaction:
            append(transaction)
        assert caught.value.message == (
            "Failed to commit DuckLake transaction. Exceeded the maximum retry count of 10 set by the"
            " ducklake_max_retry_count setting."
        )
        assert caught.value.retryable
        assert rival.waits == pytest.approx([0.1 * 0.75 * 1.5**i for i in range(10)])
        assert file_names(shop, "orders") == ["a", "b", *["theirs"] * 11]


def test_how_often_and_how_long_can_be_set(lake_factory: LakeFactory) -> None:
    rival = Rival()
    with lake_factory.open(rival.settings(retry=RetryPolicy(2, 1.0, 3.0))) as lake:
        shop = stocked(lake)
        rival.act = lambda: shop.table("orders").storage.append_files([data_file("theirs", 1)])
        rival.rounds = 99
        with pytest.raises(CommitContentionError, match="maximum retry count of 2 "), shop.transaction() as transaction:
            append(transaction)
        assert rival.waits == pytest.approx([0.75, 2.25])


def test_a_change_by_itself_is_made_again_on_the_new_head(lake_factory: LakeFactory) -> None:
    rival = Rival()
    with lake_factory.open(rival.settings()) as lake:
        shop = stocked(lake)
        rival.act = lambda: shop.table("orders").alter.add_column(("x", "INTEGER"))
        rival.rounds = 1
        shop.table("orders").storage.append_files([data_file("c")])  # in a transaction of its own a conflict
        assert file_names(shop, "orders") == ["a", "b", "c"]
        rival.act = lambda: shop.table("orders").storage.delete_rows([delete_file(0, "theirs")])
        rival.rounds = 1
        with pytest.raises(CommitConflictError):  # what it deletes was decided on other rows
            shop.table("orders").storage.delete_rows([delete_file(0, "mine")])
        rival.act = lambda: shop.table("orders").drop()
        rival.rounds = 1
        with pytest.raises(NotFoundError, match=r"Table with index \"\d+\" does not exist"):
            shop.table("orders").storage.append_files([data_file("d")])


def test_the_name_of_what_is_meant_follows_the_words_of_ducklake(shop: Catalog) -> None:
    shop.views.create("recent", "SELECT 1")
    shop.macros.create("half", MacroImplementation("x / 2", (MacroParameter("x"),)))
    shop.schemas.create("staging")
    orders = shop.table("orders")
    first, second = shop.transaction(), shop.transaction()
    first.drop_table("orders")
    second.table("orders").rename("sold")
    for transaction in (first, second):
        transaction.views.drop("recent")
        transaction.macros.drop("half")
        transaction.schemas.drop("staging")
    first.commit()
    with pytest.raises(CommitConflictError) as refused:
        second.commit()
    assert {text[text.index("(") :] for text in refused.value.conflicts} == {
        '(table "main"."orders")',
        '(view "main"."recent")',
        '(macro "main"."half")',
        '(schema "staging")',
    }
    with pytest.raises(NotFoundError, match=r'Table with index "\d+" does not exist! \(table "main"."orders"\)'):
        orders.append([{"id": 1}])
    with pytest.raises(NotFoundError, match=r'No inlined row with id 7 exists in table "main"."more"!'):
        shop.create_table("more", {"i": "INTEGER"}).storage.delete_inlined([7])


# ---- commit keys ---------------------------------------------------------------------------------------------------


def keyed(catalog: Catalog, key: str, file: str) -> int | None:
    with catalog.transaction(commit_key=key) as transaction:
        transaction.table("orders").storage.append_files([data_file(file)])
    return transaction.snapshot_id


def test_a_commit_key_is_committed_once(shop: Catalog) -> None:
    first = keyed(shop, "job-1", "c")
    shop.create_table("more", {"i": "INTEGER"})
    head = shop.head
    assert keyed(shop, "job-1", "c") == first
    assert shop.head == head
    assert keyed(shop, "job-2", "d") == shop.head > head
    assert file_names(shop, "orders") == ["a", "b", "c", "d"]


def test_a_commit_key_is_known_even_if_its_snapshot_is_expired(shop: Catalog) -> None:
    first = keyed(shop, "job-1", "c")
    assert first is not None
    shop.create_table("more", {"i": "INTEGER"})
    shop.maintenance.expire_snapshots(versions=[first])
    assert keyed(shop, "job-1", "c") == first
    assert file_names(shop, "orders") == ["a", "b", "c"]


def test_a_commit_key_belongs_to_one_catalog(shop: Catalog) -> None:
    first = keyed(shop, "job-1", "c")
    agent = shop.fork("agent")
    copy = shop.fork("copy", copy=True)
    for fork in (agent, copy):
        assert keyed(fork, "job-1", "d") == fork.head != first
        assert file_names(fork, "orders") == ["a", "b", "c", "d"]
    assert file_names(shop, "orders") == ["a", "b", "c"]


def test_a_commit_key_that_changed_nothing_is_not_used_up(shop: Catalog) -> None:
    with shop.transaction(commit_key="job-1"):
        pass
    assert keyed(shop, "job-1", "c") == shop.head


def test_a_commit_key_is_not_empty(shop: Catalog) -> None:
    with pytest.raises(InvalidInputError, match="A commit key must not be empty"):
        shop.transaction(commit_key="")


def test_a_commit_without_a_key_gets_one_of_its_own(lake: Lake, shop: Catalog) -> None:
    keys = rows(lake, "SELECT commit_key FROM forklake.ducklake_snapshot_lineage WHERE commit_key IS NOT NULL")
    assert len(keys) == len(set(keys)) == 4
    assert last(shop).snapshot_id == 4
