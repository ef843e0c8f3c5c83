"""Facts about a table: `Table.inspect`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from forklake import lake
from forklake.catalog import describe, lookup
from forklake.lake.engine_columns import Condition
from forklake.model.definitions import PartitionField, SortKey
from forklake.model.overview import TableChange
from forklake.model.records import ScanSummary, TableStats
from forklake.ops.objects.table_history import table_history

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from forklake.lake.table import Table
    from forklake.sql.parameters import Values


class Inspection:
    """Facts about one table at the moment of each call.

    Those that need only metadata do not start Spark.

    Raises:
        NotFoundError: The table was dropped.
    """

    def __init__(self, table: Table) -> None:
        self._table = table

    @property
    def uuid(self) -> str:
        """The UUID; the table has the same one in all forks."""
        return self._table._row.table_uuid

    @property
    def tags(self) -> dict[str, str]:
        """The tags, including the comment."""
        return describe.object_tags(self._table._content(), self._table.table_id)

    @property
    def comment(self) -> str | None:
        """The comment of the table."""
        return self.tags.get("comment")

    @property
    def partition_by(self) -> tuple[PartitionField, ...]:
        """The keys that new files are partitioned by."""
        return describe.partitioning(self._table._content(), self._table.table_id)

    @property
    def sort_by(self) -> tuple[SortKey, ...]:
        """The keys that new files are sorted by."""
        return describe.sorting(self._table._content(), self._table.table_id)

    @property
    def stats(self) -> TableStats:
        """Totals of the table: rows, bytes and the next row id."""
        row = lookup.table_stats(self._table._content(), self._table.table_id)
        return TableStats(row.record_count, row.file_size_bytes, row.next_row_id)

    @property
    def spark_schema(self) -> StructType:
        """The columns as Spark shows them."""
        return lake.row_verbs.schema(self._table)

    def history(self) -> list[TableChange]:
        """Return the snapshots that changed the table, oldest first.

        Snapshots after the one that the handle sees are left out.
        """
        return table_history(self._table._reader._runtime.store, self._table._content().version, self._table.table_id)

    def plan(self, where: Condition | None = None, *, parameters: Values | None = None) -> ScanSummary:
        """Return what a scan would read.

        It lists the files to read, and counts the pruned ones by reason. It costs only metadata; Spark is not
        started.
        """
        return lake.row_verbs.plan(self._table, where, parameters)

    def min(self, column: str) -> Any:
        """Return the smallest value of a column, without NULLs.

        It comes from metadata where that is exact, else from Spark.
        """
        return lake.row_verbs.find_bound(self._table, column, "min")

    def max(self, column: str) -> Any:
        """Return the largest value of a column, without NULLs.

        It comes from metadata where that is exact, else from Spark.
        """
        return lake.row_verbs.find_bound(self._table, column, "max")
