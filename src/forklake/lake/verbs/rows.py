"""Tables that are made with their rows, and rows that go from the metadata into files."""

from __future__ import annotations

from typing import Any

from forklake import lake
from forklake.lake.verbs.runner import Runner
from forklake.model.records import FlushedTable
from forklake.ops.arrange_files import PartitionKeys
from forklake.ops.sort_keys import SortKeys


class RowVerbs(Runner):
    """Changes that bring rows with them."""

    def create_table_as(
        self,
        name: str,
        frame: Any,
        *,
        schema: str = "main",
        partition_by: PartitionKeys = (),
        sort_by: SortKeys = (),
        if_not_exists: bool = False,
        or_replace: bool = False,
    ) -> None:
        """Create a table with the columns and the rows of a frame, in one snapshot.

        Args:
            name: Its name, which no table or view of the schema has.
            frame: A DataFrame of Spark or pandas, an Arrow table or reader, or rows as a list of mappings.
            schema: The schema it goes into.
            partition_by: Columns, or fields with a transform, that its files are partitioned by.
            sort_by: What its files are sorted by: SQL such as ``a DESC``, or keys as values.
            if_not_exists: Do nothing if there is a table of that name.
            or_replace: Drop the table of that name first; the frame may still read it.

        Raises:
            AlreadyExistsError: There is a table or view of that name.
            InvalidInputError: A column has a type that no column of a table can have.
            EngineError: The Spark job failed; nothing was made.
        """
        lake.rows.create_table_as(self, name, frame, schema, partition_by, sort_by, if_not_exists, or_replace)

    def flush_inlined(self, *, schema: str | None = None, table: str | None = None) -> list[FlushedTable]:
        """Write rows that are kept in the metadata into files, and deletes of rows of files into delete files.

        Nothing is seen to change: rows keep their ids and snapshots, and the change feed does not tell of it. Earlier
        snapshots read the metadata as before. All tables are flushed by one snapshot; if there is nothing to flush,
        none is made. What a transaction itself has added stays where it is.

        Args:
            schema: Only the tables of this schema; with ``table``, the schema it is in, or else ``main``.
            table: Only this table. Without it, tables whose option ``auto_compact`` is off are left out.

        Returns:
            The tables of which rows were flushed.

        Raises:
            NotFoundError: There is no such schema or table.
            InvalidInputError: The transaction has deleted or updated rows of the table.
        """
        return lake.rows.flush_inlined(self, schema, table)
