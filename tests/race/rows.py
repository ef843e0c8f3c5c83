"""A table with rows for the races, and the changes of it that need no Spark."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from forklake import Catalog, ColumnDefinition, Lake, PartitionField
from forklake.files.parquet.open_file import OpenFile
from tests.rows.arrow_hands import TABLE, ArrowHands, planned
from tests.rows.conditions import Assigned, Compared
from tests.rows.driver import files_of
from tests.rows.model import TableModel
from tests.rows.operations import Delete, Merge, Overwrite, RowOperation, Update
from tests.rows.reference_reader import read_plan

Rows = list[tuple[int, int | None, int]]
"""Keys, values and row ids."""

Deed = Callable[[Lake, Callable[[str], None]], None]
_NO_STATE = TableModel(())


def fill(lake: Lake, row_count: int) -> Catalog:
    """Make a table of one file with rows from 0 on, and a fork of it; new files are partitioned."""
    shop = lake.create_catalog("shop")
    shop.create_table(TABLE, {"k": "BIGINT", "a": "INTEGER"})
    shop.table(TABLE).append([{"k": number, "a": 0} for number in range(row_count)])
    shop.table(TABLE).alter.set_partitioning([PartitionField("k", "bucket(3)")])
    return shop.fork("agent")


def rows_of(catalog: Catalog) -> Rows:
    """Return the rows of the table, by key."""
    found = read_plan(planned(catalog.table(TABLE), None))
    return sorted((row.values["k"], row.values["a"], row.row_id) for row in found)


def stray_files(lake: Lake, directory: Path) -> set[str]:
    """Return the files on disk that no snapshot of any catalog reads; none that one reads is missing."""
    read = set[str]().union(*(files_of(lake.catalog(info.name), TABLE) for info in lake.catalogs()))
    there = {str(path) for path in directory.rglob("*") if path.is_file()}
    assert read <= there, f"files are missing: {read - there}"
    return there - read


def change(target: Any, operation: RowOperation, on_step: Callable[[str], None] = lambda step: None) -> None:
    """Change rows of a catalog's table, or as part of a transaction."""
    # The seed says that all deletes of these changes go into files.
    ArrowHands(1, on_step).change(target, _NO_STATE, operation)


def tell_of_files(on_step: Callable[[str], None]) -> None:
    """Have each data file of this process told of as a step when it is written."""
    close = OpenFile.close

    def closed(file: OpenFile, *args: Any) -> Any:
        made = close(file, *args)
        on_step("file written")
        return made

    OpenFile.close = closed  # type: ignore[method-assign, assignment]


def _append(lake: Lake, on_step: Callable[[str], None]) -> None:
    lake.catalog("agent").table(TABLE).append([{"k": 100 + number, "a": 1} for number in range(9)])


def _change(operation: RowOperation) -> Deed:
    return lambda lake, on_step: change(lake.catalog("agent"), operation, on_step)


def _several(lake: Lake, on_step: Callable[[str], None]) -> None:
    with lake.catalog("agent").transaction() as transaction:
        transaction.table(TABLE).append([{"k": 100 + number, "a": 1} for number in range(9)])
        change(transaction, Update((Assigned("a", source="k"),), Compared(("k",), "<", 3)), on_step)
        transaction.table(TABLE).alter.add_column(ColumnDefinition("more", "INTEGER", default="7"))
        change(transaction, Delete(Compared(("k",), ">=", 105)), on_step)


DEEDS: dict[str, Deed] = {
    "append": _append,
    "delete": _change(Delete(Compared(("k",), "<", 3))),
    "update": _change(Update((Assigned("a", source="a", plus=1),), Compared(("k",), "<", 5))),
    "merge": _change(Merge(({"k": 1, "a": 5}, {"k": 50, "a": 6}))),
    "overwrite": _change(Overwrite(({"k": 60, "a": 7},), Compared(("k",), ">=", 5), "rows")),
    "transaction": _several,
}
