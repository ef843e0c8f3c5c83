"""A table as a handle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forklake.catalog import describe, lookup
from forklake.model.ids import TableId
from forklake.model.records import Column, DataFile, TableStats
from forklake.model.rows import TableRow

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
        content = self._reader._content()
        lookup.table_by_id(content, self.table_id)
        return describe.column_tree(lookup.columns(content, self.table_id))

    @property
    def stats(self) -> TableStats:
        """The totals.

        Raises:
            NotFoundError: The table was dropped.
        """
        content = self._reader._content()
        lookup.table_by_id(content, self.table_id)
        row = lookup.table_stats(content, self.table_id)
        return TableStats(row.record_count, row.file_size_bytes, row.next_row_id)

    def files(self) -> list[DataFile]:
        """Return the data files with their delete files, in the order they were added.

        Raises:
            NotFoundError: The table was dropped.
        """
        content = self._reader._content()
        row = lookup.table_by_id(content, self.table_id)
        context = self._reader._context
        return describe.data_files(context.store, context.lake_path, content, row)
