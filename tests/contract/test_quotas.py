"""Quotas refuse what would exceed them, in the transaction that would."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from forklake import Catalog, Confinement, Lake, MacroImplementation, MacroParameter
from forklake.catalog import limits
from forklake.errors import InvalidInputError, QuotaError
from forklake.metastore.schema.own_bytes import ROW_BYTES
from forklake.model.lives import MAX_COLUMNS, MAX_TAGS, MAX_WORDS
from forklake.ops.catalogs import tag_snapshots
from tests.contract.support import data_file, delete_file, rows, state
from tests.sound import check_sound

SCHEMA = ROW_BYTES
"""What a new catalog counts: its schema."""
ORDERS = 2 * ROW_BYTES + len("NULL")
"""What a table of one column counts, with the default of that."""
DEFINED = SCHEMA + ORDERS


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT"})
    shop.table("orders").storage.append_files([data_file("a"), data_file("b", 5)])
    return shop


def used(catalog: Catalog) -> tuple[int, int]:
    found = catalog.quota().used
    return found.file_count, found.byte_count


def counted(lake: Lake, catalog: Catalog) -> tuple[int, int]:
    """Return the totals that the head has, after a look that they are those of the rows."""
    check_sound(lake, files=False)
    ((files, size),) = rows(
        lake, "SELECT own_files, own_bytes FROM forklake.ducklake_head WHERE catalog_id = :c", c=catalog.catalog_id
    )
    return files, size


def test_every_way_to_write_or_end_files_is_counted(lake: Lake, shop: Catalog) -> None:
    orders = shop.table("orders").storage
    assert counted(lake, shop) == (2, 150 + DEFINED)
    first, second = (file.data_file_id for file in orders.files())
    orders.delete_rows([delete_file(first, "d")])
    assert counted(lake, shop) == (3, 160 + DEFINED)
    orders.delete_rows([delete_file(first, "e", 2)])  # in place of the other
    assert counted(lake, shop) == (3, 160 + DEFINED)
    agent = shop.fork("agent")
    assert counted(lake, agent) == (0, 0)
    agent.table("orders").storage.remove_files([second])  # inherited: a tombstone
    assert counted(lake, agent) == (0, 0)
    agent.table("orders").storage.append_files([data_file("f", 3)])
    assert counted(lake, agent) == (1, 30)
    orders.remove_files([first])  # with its delete file
    assert counted(lake, shop) == (1, 50 + DEFINED)
    assert counted(lake, shop.fork("copied", copy=True)) == (1, 50 + DEFINED)
    agent.maintenance.sever()
    assert counted(lake, agent) == (3, 140 + DEFINED)
    agent.table("orders").drop()
    assert counted(lake, agent) == (0, SCHEMA)
    agent.maintenance.expire_snapshots(older_than="0 seconds")
    lake.maintenance.cleanup_old_files(cleanup_all=True)
    assert counted(lake, agent) == (0, SCHEMA)
    with shop.transaction() as transaction:
        transaction.create_table("gone", {"id": "BIGINT"})
        transaction.table("gone").storage.append_files([data_file("g")])
        transaction.table("gone").drop()
        transaction.table("orders").storage.append_files([data_file("h")])
    assert counted(lake, shop) == (2, 150 + DEFINED)


def test_a_flush_and_a_compaction_are_counted(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    table = shop.create_table("orders", {"id": "BIGINT"})
    table.storage.insert_inlined([{"id": "1"}])
    assert counted(lake, shop) == (0, DEFINED + ROW_BYTES + len('{"1": "1"}'))
    shop.maintenance.flush_inlined()
    assert counted(lake, shop)[0] == 1
    for number in range(3):
        table.append(pa.table({"id": [number]}))
    assert counted(lake, shop)[0] == 4
    shop.set_quota(max_files=4)
    assert [one.files_processed for one in shop.maintenance.merge_adjacent_files()] == [4]
    assert counted(lake, shop)[0] == 1


def test_bytes_and_files_are_limited(lake: Lake, shop: Catalog) -> None:
    shop.set_quota(max_bytes=200 + DEFINED, max_files=4)
    orders = shop.table("orders").storage
    orders.append_files([data_file("c", 5)])
    before, head = state(lake), shop.head
    with pytest.raises(QuotaError, match=r'"shop" does not allow it: max_bytes is 588, and this would make 598'):
        orders.append_files([data_file("d", 1)])
    assert (state(lake), shop.head) == (before, head)
    orders.append_files([data_file("e", 0)])
    with pytest.raises(QuotaError, match=r"max_files is 4, and this would make 5"):
        orders.append_files([data_file("f", 0)])
    assert used(shop) == (4, 200 + DEFINED)
    orders.remove_files([orders.files()[0].data_file_id])
    orders.append_files([data_file("d", 1)])
    with pytest.raises(QuotaError, match="max_bytes is 588, and this would make 758"):
        shop.create_table("more", {"id": "BIGINT"})
    agent = shop.fork("agent")
    agent.table("orders").storage.append_files([data_file("x", 1000)])  # its own, and no subtree
    shop.set_quota()
    orders.append_files([data_file("y", 1000)])
    assert shop.quota().quota.max_bytes is None


def test_who_is_over_a_quota_may_still_give_back(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    agent.table("orders").storage.append_files([data_file("x"), data_file("y")])
    agent.drop()
    shop.set_quota(max_files=2, subtree=True)  # what is dropped does not count
    lake.undrop_catalog("agent")
    with pytest.raises(QuotaError, match='"shop"'):
        agent.table("orders").storage.append_files([data_file("z")])
    for file in agent.table("orders").storage.files():
        agent.table("orders").storage.remove_files([file.data_file_id])
    assert shop.quota().used.file_count == 2


def test_a_subtree_counts_its_forks_and_theirs(lake: Lake, shop: Catalog) -> None:
    shop.set_quota(max_files=4, subtree=True)
    agent = shop.fork("agent")
    below = agent.fork("below")
    agent.table("orders").storage.append_files([data_file("x")])
    below.table("orders").storage.append_files([data_file("y")])
    for one in (shop, agent, below):
        with pytest.raises(QuotaError, match=r'"shop" does not allow it: max_files is 4, and this would make 5'):
            one.table("orders").storage.append_files([data_file("z")])
    with pytest.raises(QuotaError, match=r"max_files is 4, and this would make 6.*not severed"):
        below.maintenance.sever()
    assert used(shop) == (4, 350 + DEFINED)
    below.drop()
    shop.table("orders").storage.append_files([data_file("z")])


def test_forks_and_levels_are_limited(lake: Lake, shop: Catalog) -> None:
    shop.set_quota(max_forks=2, max_depth=2)
    agent, _ = shop.fork("agent"), shop.fork("other")
    before = state(lake)
    with pytest.raises(QuotaError, match=r"max_forks is 2, and this would make 3. 'third' was not made"):
        shop.fork("third")
    with pytest.raises(QuotaError, match=r"max_forks is 2"):
        shop.fork("third", copy=True)
    assert state(lake) == before
    below = agent.fork("below")
    before = state(lake)
    with pytest.raises(QuotaError, match=r"max_depth is 2, and this would make 3"):
        below.fork("too deep")
    assert state(lake) == before
    lake.catalog("other").drop()
    with pytest.raises(QuotaError, match=r"max_forks is 2"):
        shop.fork_many(["x", "y"])
    shop.fork_many(["x"])
    shop.set_quota(max_forks=4, subtree=True)  # agent, below, x
    below.fork("fourth")
    with pytest.raises(QuotaError, match=r"max_forks is 4"):
        agent.fork("fifth")
    assert shop.quota().used.fork_count == 4
    assert shop.quota().used.depth == 3


def test_a_quota_below_what_is_used_is_refused(lake: Lake, shop: Catalog) -> None:
    shop.fork("agent").fork("below").table("orders").storage.append_files([data_file("x")])
    for given, told in (
        ({"max_bytes": 149 + DEFINED}, "max_bytes cannot be 537: 538 are used already"),
        ({"max_files": 1}, "max_files cannot be 1: 2 are used already"),
        ({"max_files": 2, "subtree": True}, "max_files cannot be 2: 3 are used already"),
        ({"max_forks": 0}, "max_forks cannot be 0: 1 are used already"),
        ({"max_forks": 1, "subtree": True}, "max_forks cannot be 1: 2 are used already"),
        ({"max_depth": 1}, "max_depth cannot be 1: 2 are used already"),
        ({"max_bytes": -1}, "max_bytes is a whole number from 0 to 4,611,686,018,427,387,904, not -1"),
        ({"max_files": "many"}, "max_files is a whole number from 0 to 4,611,686,018,427,387,904, not 'many'"),
        ({"max_forks": True}, "max_forks is a whole number from 0 to 4,611,686,018,427,387,904, not True"),
    ):
        with pytest.raises(InvalidInputError, match=told):
            shop.set_quota(**given)
    assert rows(lake, "SELECT count(*) FROM forklake.ducklake_quota") == [(0,)]
    shop.set_quota(max_bytes=150 + DEFINED, max_files=2, max_forks=1, max_depth=2)


def test_a_purge_takes_all_of_it_away(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent", ttl="1h", labels={"a": "b"})
    agent.set_quota(max_files=7)
    agent.tag("v1")
    agent.drop()
    lake.purge("agent")
    for table in ("lifetime", "quota", "snapshot_tag", "catalog_label"):
        name = f"ducklake_{table}"
        assert rows(lake, f"SELECT count(*) FROM forklake.{name}") == [(0,)]
    check_sound(lake, files=False)


TEXT = "\u00e4" * 10_000  # two bytes each
MACRO = MacroImplementation(f"'{TEXT}'", parameters=(MacroParameter("a", default="1"),))


def test_every_definition_and_inlined_row_is_counted_and_given_back(lake: Lake, shop: Catalog) -> None:
    orders = shop.table("orders")
    ways: list[tuple[Callable[[], object], Callable[[], object], int]] = [
        (lambda: shop.views.create("v", f"SELECT '{TEXT}' AS a"), lambda: shop.views.drop("v"), 1),
        (lambda: shop.macros.create("m", [MACRO]), lambda: shop.macros.drop("m"), 3),
        (lambda: orders.alter.comment(TEXT), lambda: orders.alter.comment(None), 1),
        (lambda: orders.alter.comment(TEXT, column="id"), lambda: orders.alter.comment(None, column="id"), 1),
        (lambda: orders.alter.set_sorting([f"concat(id, '{TEXT}')"]), lambda: orders.alter.set_sorting([]), 2),
        (lambda: shop.sql(f"ALTER TABLE orders ADD COLUMN d VARCHAR DEFAULT '{TEXT}'"),
         lambda: shop.sql("ALTER TABLE orders DROP COLUMN d"), 1),
        (lambda: shop.schemas.create("s"), lambda: shop.schemas.drop("s"), 1),
        (lambda: orders.alter.set_partitioning(["id"]), lambda: orders.alter.set_partitioning([]), 1),
        (lambda: orders.storage.insert_inlined([{"id": "1"}]), lambda: orders.storage.delete_inlined([15]), 1),
    ]  # fmt: skip
    for make, end, rows_made in ways:
        _, before = counted(lake, shop)
        make()
        assert counted(lake, shop)[1] - before >= rows_made * ROW_BYTES
        end()
        assert counted(lake, shop)[1] == before


def test_definitions_that_a_reset_brings_back_are_counted_with_what_was_kept_of_them(lake: Lake, shop: Catalog) -> None:
    table = shop.create_table("sorted", {"id": "INTEGER"})
    table.alter.set_sorting(["id DESC"])
    shop.macros.create("double", [MacroImplementation("x * 2", (MacroParameter("x"),))])
    before = shop.head
    table.alter.set_sorting([])
    shop.macros.drop("double")
    shop.reset_to(before)
    check_sound(lake, files=False)


def test_what_a_quota_does_not_allow_is_refused_as_files_are(lake: Lake, shop: Catalog) -> None:
    shop.options.set("data_inlining_row_limit", 1_000_000_000)
    agent = shop.fork("agent")
    agent.set_quota(max_bytes=10_000)
    shop.fork("sister").set_quota(max_bytes=10_000, subtree=True)
    below = lake.catalog("sister").fork("below")
    for one in (agent, below):
        before = state(lake)
        ways: list[Callable[[Catalog], object]] = [
            lambda catalog: catalog.table("orders").append(pa.table({"id": range(1000)})),
            lambda catalog: catalog.views.create("v", f"SELECT '{'x' * 10_000}' AS a"),
            lambda catalog: catalog.macros.create("m", [MACRO]),
            lambda catalog: catalog.table("orders").alter.comment("x" * 10_000),
            lambda catalog: catalog.create_table("wide", {f"c{place}": "BIGINT" for place in range(100)}),
        ]
        for growth in ways:
            with pytest.raises(QuotaError, match="max_bytes is 10,000, and this would make"):
                growth(one)
        assert state(lake) == before


def test_texts_have_at_most_64_kib_everywhere(lake: Lake, shop: Catalog) -> None:
    long, orders = "x" * (64 * 1024 + 1), shop.table("orders")
    before = state(lake)
    for growth, what in (
        (lambda: shop.views.create("v", f"SELECT '{long}'"), 'query of view "v" has 65,546 bytes'),
        (lambda: shop.macros.create("m", [replace(MACRO, sql=f"'{long}'")]), 'body of macro "m" has 65,539 bytes'),
        (lambda: orders.alter.comment(long), 'comment of table "orders" has 65,537 bytes'),
        (lambda: orders.alter.comment(long, column="id"), 'comment of column "id" of table "orders" has'),
        (lambda: orders.alter.set_default("id", f"{long}()", is_expression=True), 'default of column "id" has'),
        (lambda: orders.alter.set_sorting([f"concat(id, '{long}')"]), "expression of a sort key has"),
        (lambda: shop.transaction(message=long), "message has"),
        (lambda: shop.transaction(author=long), "author has"),
        (lambda: shop.transaction(extra_info=long), "extra info has"),
        (lambda: shop.transaction(commit_key=long), "commit key has"),
        (lambda: shop.tag("t", message=long), 'message of tag "t" has'),
        (lambda: shop.fork("f", labels={"a": long}), 'label "a" has'),
        (lambda: shop.fork("f", labels={f"k{place}": "x" * 8192 for place in range(9)}), "labels of a catalog have"),
        (lambda: shop.fork("f", author=long), "author has"),
        (lambda: shop.options.set("expire_older_than", long), 'value of option "expire_older_than" has'),
    ):
        with pytest.raises(InvalidInputError, match=f"{what}.*, and at most 65,536 are allowed"):
            growth()
    assert state(lake) == before
    orders.alter.comment(long[1:])


def test_a_catalog_with_a_quota_says_little_tags_little_and_has_no_widest_tables(
    lake: Lake, shop: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (MAX_COLUMNS, MAX_WORDS, MAX_TAGS) == (4096, 4096, 1000)
    monkeypatch.setattr(limits, "MAX_COLUMNS", 4)
    columns = {f"c{place}": "BIGINT" for place in range(5)}
    shop.create_table("wide", columns)
    agent = shop.fork("agent")
    agent.set_quota(max_forks=1)
    with pytest.raises(QuotaError, match=r'"agent" has a quota, and .* columns .* at most 4, not 5. Nothing was'):
        agent.create_table("mine", columns)
    with pytest.raises(QuotaError, match=r"columns .* at most 4, not 5"):
        agent.create_table("mine", {"a": "STRUCT(b INT, c INT, d INT[])"})
    agent.create_table("mine", dict(list(columns.items())[1:]))
    with pytest.raises(QuotaError, match=r"columns .* at most 4, not 5"):
        agent.table("mine").alter.add_column(("more", "BIGINT"))
    agent.table("wide").alter.comment("inherited, and only its comment changes")
    with pytest.raises(QuotaError, match="bytes: at most 4,096, not"), agent.transaction(message="x" * 4097) as said:
        said.schemas.create("s")
    agent.tag("v0")
    with pytest.raises(QuotaError, match=r"bytes: at most 4,096, not 4,097. Nothing was tagged"):
        agent.tag("v1", message="x" * 4097)
    monkeypatch.setattr(tag_snapshots, "MAX_TAGS", 1)
    with pytest.raises(QuotaError, match="tags of its snapshots are at most 1, not 2"):
        agent.tag("v1")
    shop.tag("v1", message="x" * 4097)
    shop.tag("v2")


def test_a_long_value_is_not_kept_as_a_bound_with_each_commit(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    table = shop.create_table("texts", {"s": "VARCHAR"})
    table.storage.insert_inlined([{"s": "a"}, {"s": "x" * 5000}])
    found = rows(lake, "SELECT min_value, max_value FROM forklake.ducklake_table_column_stats")
    assert found == [("a", None)]
    assert sorted(table.rows(where="s > 'b'")) == [("x" * 5000,)]


def test_a_confined_session_writes_no_file_that_a_quota_cannot_count(lake: Lake, shop: Catalog, tmp_path: Path) -> None:
    agent, beside = shop.fork("agent"), tmp_path / "beside"
    beside.mkdir()
    agent.set_quota(max_bytes=10_000)
    inside = agent.inspect.info.data_path.rstrip("/")
    session = agent.session(confined=Confinement(directories=(str(beside),)))
    below = agent.fork("below").session(confined=True)  # the quota does not count forks
    for text in (f"COPY (SELECT 1) TO '{inside}/x.parquet'", f"EXPORT DATABASE '{inside}/all.d'"):
        with pytest.raises(QuotaError, match='the directory of catalog "agent", which has a quota'):
            session.sql(text)
    assert not list(Path(inside).rglob("*.parquet"))
    session.sql(f"COPY (SELECT 1) TO '{beside}/x.parquet'")
    below.sql(f"COPY (SELECT 1) TO '{lake.catalog('below').inspect.info.data_path}x.parquet'")
