"""The metadata tables that SQL shows of a catalog, against the views of the metadata database itself."""

from typing import Any
from uuid import UUID

import pytest

from forklake import Catalog, Lake
from forklake.duck.printed_texts import print_macro
from forklake.metastore.plain.layout import TABLES
from tests.contract.support import rows
from tests.contract.varied import furnish, upset, vary
from tests.lakes import LakeFactory
from tests.unit.session.attached import Attached

SCHEMAS = {"sqlite": "", "duckdb": "main.", "postgres": "ducklake."}

# The views count ids for the whole lake, know no inlined tables, and show some texts as we keep them.
DIFFERENT = {
    "ducklake_snapshot",
    "ducklake_inlined_data_tables",
    "ducklake_table_stats",
    "ducklake_table_column_stats",
    "ducklake_macro_parameters",
    "ducklake_view",
}


@pytest.mark.parametrize("lake_factory", ["sqlite", "duckdb", "postgres"], indirect=True)
def test_each_table_shows_what_the_views_show_of_the_catalog(lake: Lake, lake_factory: LakeFactory) -> None:
    if lake_factory.kind == "duckdb":
        # It has no indexes, and takes its time for the views of many catalogs.
        shop = lake.create_catalog("shop")
        furnish(shop)
        upset(shop.fork("agent"), "agent")
    else:
        vary(lake)
    for info in lake.catalogs():
        catalog = lake.catalog(info.name)
        attached = Attached("x", lake, catalog)
        for table in sorted(TABLES.keys() - DIFFERENT):
            source = f"{SCHEMAS[lake_factory.kind]}{table}"
            columns = [name for name in TABLES[table] if name != "encryption_key"]  # which the views have not
            view = rows(lake, f"SELECT {', '.join(columns)} FROM {source} WHERE catalog_id = :c", c=info.catalog_id)
            if "sql" in columns:
                view = [print_text(dict(zip(columns, row, strict=True))) for row in view]
            shown = [
                tuple(value for name, value in zip(TABLES[table], row, strict=True) if name in columns)
                for row in attached.table(table)
            ]
            assert in_order(shown) == in_order(view), (info.name, table)
        check_statistics(catalog, attached)


def print_text(row: dict[str, Any]) -> tuple[Any, ...]:
    """Return a row with its text as DuckDB prints it; the views have it as it was written."""
    return tuple({**row, "sql": print_macro(row["sql"], row.get("type", "table"))}.values())


def in_order(found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted((tuple(map(plain, row)) for row in found), key=repr)


def plain(value: Any) -> Any:
    """Return a value as all databases could have said it."""
    return str(value) if isinstance(value, UUID) else int(value) if isinstance(value, bool) else value


def check_statistics(catalog: Catalog, attached: Attached) -> None:
    """Check the totals, which tables that never had a row have none of."""
    shown = {row[0]: row[1:] for row in attached.table("ducklake_table_stats")}
    for table in catalog.tables():
        stats = table.inspect.stats
        if table.table_id in shown:
            assert shown[table.table_id] == (stats.record_count, stats.next_row_id, stats.file_size_bytes), table
        else:
            assert stats.record_count == stats.file_size_bytes == 0, table
