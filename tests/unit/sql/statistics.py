"""What a writer of files would say of values: their statistics, as DuckDB sees them."""

from collections.abc import Mapping, Sequence
from typing import Any

import duckdb

from forklake.catalog.pruning import Constant, FileFacts, PartitionValue, Pruner
from forklake.model.ids import ColumnId, DataFileId, TableId
from forklake.model.predicate import Predicate
from forklake.model.rows import FileColumnStatsRow


def file_stats(
    database: duckdb.DuckDBPyConnection, relation: str, column: str, column_id: int, kind: str
) -> FileColumnStatsRow:
    """Return the statistics of a column of rows that are one file."""
    is_float = kind.startswith("float")
    bounded = f"({column}) FILTER (WHERE NOT isnan({column}))" if is_float else f"({column})"
    flag = "::INTEGER" if kind == "boolean" else ""
    has_nan = f"coalesce(bool_or(isnan({column})), false)" if is_float else "NULL"
    bounds = f"min{bounded}{flag}::VARCHAR, max{bounded}{flag}::VARCHAR"
    found: Any = database.execute(
        f"SELECT count({column}), count(*) - count({column}), {bounds}, {has_nan} FROM {relation}"
    ).fetchone()
    there, nulls, low, high, nan = found
    return FileColumnStatsRow(
        data_file_id=DataFileId(1),
        table_id=TableId(1),
        column_id=ColumnId(column_id),
        value_count=there,
        null_count=nulls,
        min_value=low,
        max_value=high,
        contains_nan=nan,
    )


def may_match(
    predicate: Predicate,
    stats: Mapping[ColumnId, FileColumnStatsRow],
    partition: Sequence[PartitionValue] = (),
    constants: Mapping[ColumnId, Constant] | None = None,
) -> bool:
    """Return whether a file that has statistics may hold a row that satisfies a predicate."""
    return not Pruner(predicate).rules_out(FileFacts(stats, partition, constants or {}))


def in_ids(ids: Sequence[int]) -> str:
    """Return the rows of ``t`` with these ids, as a relation."""
    return f"(SELECT * FROM t WHERE id IN ({', '.join(map(str, ids))}))"
