"""A table as a handle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forklake.catalog import describe, lookup
from forklake.catalog.view import Content
from forklake.model.definitions import PartitionField, SortKey
from forklake.model.ids import TableId
from forklake.model.overview import TableChange
from forklake.model.records import Column, DataFile, InlinedRow, TableStats
from forklake.model.rows import TableRow
from forklake.ops.table_history import table_history

if TYPE_CHECKING:
    from forklake.lake.reader import Reader


class Table:
    """One table of a catalog. It is found by its id, so a rename does not lose it.

    What it shows is that of the catalog, past or transaction it was taken from, at each call.
    """

    def __init__(self, reader: Reader, row: TableRow, schema_name: str) -> None:
        self._reader = reader
        self._row = row
        self.schema_name = schema_name

    def __repr__(self) -> str:
        return f"Table({self.schema_name!r}, {self.name!r}, table_id={self.table_id})"

    @property
    def name(self) -> str:
        """The name when the handle was made."""
        return self._row.table_name

    @property
    def table_id(self) -> TableId:
        """The id: the same in the catalog and in all its forks. Negative until the transaction is committed."""
        return self._row.table_id

    @property
    def uuid(self) -> str:
        """The uuid, which is that of the ancestor's table in a fork."""
        return self._row.table_uuid

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns, each with what is nested in it.

        Raises:
            NotFoundError: The table was dropped.
        """
        return describe.columns(self._content(), self.table_id)

    @property
    def tags(self) -> dict[str, str]:
        """The tags, the comment among them."""
        return describe.object_tags(self._content(), self.table_id)

    @property
    def comment(self) -> str | None:
        """What is said about the table."""
        return self.tags.get("comment")

    @property
    def partition_by(self) -> tuple[PartitionField, ...]:
        """The keys that new files are partitioned by."""
        return describe.partitioning(self._content(), self.table_id)

    @property
    def sort_by(self) -> tuple[SortKey, ...]:
        """The keys that new files are sorted by."""
        return describe.sorting(self._content(), self.table_id)

    @property
    def stats(self) -> TableStats:
        """The totals.

        Raises:
            NotFoundError: The table was dropped.
        """
        row = lookup.table_stats(self._content(), self.table_id)
        return TableStats(row.record_count, row.file_size_bytes, row.next_row_id)

    def inlined_rows(self) -> list[InlinedRow]:
        """Return the rows that are kept in the metadata, by row id.

        Raises:
            NotFoundError: The table was dropped.
        """
        return describe.inlined_rows(self._content(), self.table_id)

    def files(self) -> list[DataFile]:
        """Return the data files with their delete files, in the order they were added.

        Raises:
            NotFoundError: The table was dropped.
        """
        content = self._reader._content()
        row = lookup.table_by_id(content, self.table_id)
        context = self._reader._context
        return describe.data_files(context.store, context.lake_path, content, row)

    def history(self) -> list[TableChange]:
        """Return the snapshots that changed the table, oldest first, up to the one that is seen.

        Raises:
            NotFoundError: The table was dropped.
        """
        return table_history(self._reader._context.store, self._content().version, self.table_id)

    def _content(self) -> Content:
        content = self._reader._content()
        lookup.table_by_id(content, self.table_id)
        return content
