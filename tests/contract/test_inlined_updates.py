"""Rows in the metadata that are updated there keep their ids."""

from forklake import Catalog, Lake
from forklake.catalog.transaction import Staging
from forklake.model.change import DeleteInlined, InsertInlined
from forklake.model.ids import ColumnId


def update(catalog: Catalog, value: str, *row_ids: int | None) -> None:
    """Replace rows of the table by rows with the same ids; None stands for a new row."""
    table = catalog.table("t").table_id
    rows = tuple(((ColumnId(1), value),) for _ in row_ids)

    def verb(staging: Staging) -> None:
        staging.stage(DeleteInlined(table, tuple(row for row in row_ids if row is not None)))
        staging.stage(InsertInlined(table, rows, row_ids))

    catalog._run(verb)


def seen(catalog: Catalog) -> list[tuple[int, str | None]]:
    return [(row.row_id, row.values["v"]) for row in catalog.table("t").storage.inlined_rows()]


def test_updated_rows_keep_their_ids_and_new_ones_get_the_next(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"v": "VARCHAR"})
    shop.table("t").storage.insert_inlined([{"v": "a"}, {"v": "b"}])
    before = shop.head
    update(shop, "c", 1, None)
    assert seen(shop) == [(0, "a"), (1, "c"), (2, "c")]
    assert (shop.table("t").inspect.stats.record_count, shop.table("t").inspect.stats.next_row_id) == (3, 3)
    update(shop, "d", 1)
    assert seen(shop) == [(0, "a"), (1, "d"), (2, "c")]
    assert seen(shop.at(version=before)) == [(0, "a"), (1, "b")]


def test_a_fork_updates_inherited_rows_for_itself(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"v": "VARCHAR"})
    shop.table("t").storage.insert_inlined([{"v": "a"}, {"v": "b"}])
    agent = shop.fork("agent")
    update(agent, "fork", 0)
    update(agent, "again", 0)
    assert (seen(agent), seen(shop)) == ([(0, "again"), (1, "b")], [(0, "a"), (1, "b")])
