"""Catalogs to fork and to write to: 100 tables of 10 columns, and as many files as asked for."""

from __future__ import annotations

from forklake import Catalog, ColumnStats, Lake, NewDataFile

COLUMNS = 10
TABLES = 100
_FILES_PER_COMMIT = 2_000


def table_name(number: int) -> str:
    """Return the name of a table."""
    return f"t{number:03}"


def new_file(name: str, number: int = 0) -> NewDataFile:
    """Return a data file with statistics of every column; higher numbers have higher values."""
    low, high = str(1000 * number), str(1000 * number + 999)
    stats = ColumnStats(value_count=1000, null_count=0, min_value=low, max_value=high, column_size_bytes=4000)
    return NewDataFile(
        f"{name}.parquet",
        record_count=1000,
        file_size_bytes=40_000,
        footer_size=800,
        column_stats={f"c{number}": stats for number in range(COLUMNS)},
    )


def make_parent(lake: Lake, name: str, files: int, tables: int = TABLES) -> Catalog:
    """Make a catalog with that many files, the same number in each table."""
    catalog = lake.create_catalog(name)
    with catalog.transaction() as transaction:
        for number in range(tables):
            transaction.create_table(table_name(number), {f"c{column}": "BIGINT" for column in range(COLUMNS)})
    per_table = files // tables
    at_once = max(1, _FILES_PER_COMMIT // max(1, per_table))
    for first in range(0, tables, at_once):
        with catalog.transaction() as transaction:
            for number in range(first, min(first + at_once, tables)):
                transaction.table(table_name(number)).storage.append_files(
                    [new_file(f"f{file}", file) for file in range(per_table)]
                )
    return catalog


def make_chain(root: Catalog, length: int) -> list[Catalog]:
    """Return the catalog and that many generations of forks, each of which has added a file of its own."""
    chain = [root]
    name = root.name
    for generation in range(1, length + 1):
        fork = chain[-1].fork(f"{name}-{generation}")
        fork.table(table_name(0)).storage.append_files([new_file("own")])
        chain.append(fork)
    return chain
