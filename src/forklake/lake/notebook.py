"""Handles as a notebook shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from forklake.errors import ForklakeError
from forklake.model import html
from forklake.model.records import Column

if TYPE_CHECKING:
    from forklake.lake.catalog import Catalog
    from forklake.lake.lake import Lake
    from forklake.lake.table import Table

_MOST: Final = 20
"""How many catalogs or tables are listed."""


def lake_html(lake: Lake) -> str:
    """Return a lake with its first catalogs, as HTML.

    The cost does not grow with the number of catalogs.
    """

    def draw() -> str:
        found = lake.catalogs(limit=_MOST + 1)
        rows = [(one.name, one.catalog_id, one.snapshot_id, one.parent_id, one.begin_time) for one in found[:_MOST]]
        more = f"The first {_MOST}; there are more." if len(found) > _MOST else None
        return html.facts([("Data path", lake.data_path)]) + html.sheet(
            ["catalog", "id", "head", "parent", "since"], rows, more
        )

    return _render("Lake", lake._runtime.location, draw)


def catalog_html(catalog: Catalog) -> str:
    """Return a catalog, as it is or was, with its tables."""

    def draw() -> str:
        found = catalog.tables()
        rows = [
            (table.schema_name, table.name, table.inspect.stats.record_count, table.inspect.stats.file_size_bytes)
            for table in found[:_MOST]
        ]
        more = f"The first {_MOST} of {len(found):,} tables." if len(found) > _MOST else None
        return html.facts([("Snapshot", catalog.head)]) + html.sheet(["schema", "table", "rows", "bytes"], rows, more)

    return _render(type(catalog).__name__, catalog._known_name(), draw)


def table_html(table: Table) -> str:
    """Return a table with its columns and totals, and none of its rows."""

    def draw() -> str:
        stats, columns = table.inspect.stats, table.columns
        totals = [
            ("Rows", stats.record_count),
            ("Bytes", stats.file_size_bytes),
            ("Comment", table.inspect.comment),
        ]
        rows = [row for column in columns for row in _columns(column, "")]
        return html.facts(totals) + html.sheet(["column", "type", "nulls", "default", "comment"], rows)

    return _render("Table", table._full_name(), draw)


def _columns(column: Column, inside: str) -> Iterator[tuple[object, ...]]:
    name = inside + column.name
    yield name, column.type, column.nulls_allowed, column.default, column.comment
    for child in column.children:
        yield from _columns(child, f"{name}.")


def _render(kind: str, name: str, draw: Callable[[], str]) -> str:
    """Return a heading with what ``draw`` returns.

    If that fails, as for a handle that is closed or dropped, the error is shown and not raised: a notebook goes on.
    """
    try:
        return html.heading(kind, name) + draw()
    except ForklakeError as error:
        return html.heading(kind, name) + html.facts([("Not shown", error.message)])
