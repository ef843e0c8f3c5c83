"""What differs between two versions, as a handle that reads rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forklake import lake, ops
from forklake.catalog.names import qualified_name
from forklake.model.difference import CatalogDiff, Changes, DiffScan, RowCounts, TableDiff
from forklake.model.ids import CatalogId, SnapshotId, TableId
from forklake.model.records import ScanSummary
from forklake.model.version import Version
from forklake.ops.lakes.runtime import Runtime

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from forklake.session.results.result import Result


class Diff:
    """What leads from one version to another.

    The two versions never change, and neither does the diff; rows can be read while both are retained. A table is
    named as the second version names it, one that it lacks as the first does; or it is given as one of `tables`.
    """

    def __init__(self, runtime: Runtime, before: Version, after: Version) -> None:
        self._runtime, self._before, self._after = runtime, before, after
        self._found: CatalogDiff = ops.diff_catalogs.diff_catalogs(runtime, before, after)

    def __repr__(self) -> str:
        """Return where it leads from and to, and how much differs."""
        sides = zip(self._found.names, (self.before[1], self.after[1]), strict=True)
        path = " to ".join(f"{name!r} at {snapshot}" for name, snapshot in sides)
        return f"Diff({path}: {len(self.changes)} changes)"

    def __bool__(self) -> bool:
        """Whether anything differs."""
        return bool(self.changes or self.tables)

    @property
    def before(self) -> tuple[CatalogId, SnapshotId]:
        """The catalog and the snapshot that it leads from."""
        return self._found.before

    @property
    def after(self) -> tuple[CatalogId, SnapshotId]:
        """The catalog and the snapshot that it leads to."""
        return self._found.after

    @property
    def changes(self) -> Changes:
        """What a commit would do to get from one to the other."""
        return self._found.changes

    @property
    def words(self) -> tuple[str, ...]:
        """What the changes do, for people; changes of rows are left out."""
        return tuple(line for lines in self._found.words for line in lines)

    @property
    def tables(self) -> tuple[TableDiff, ...]:
        """The tables in which something differs, by schema and name."""
        return self._found.tables

    def table(self, name: str, *, schema: str | None = None) -> TableDiff:
        """Return what differs in a table; nothing, if it is the same in both.

        Raises:
            NotFoundError: Neither version has it.
        """
        schema, name = qualified_name(name, schema)
        number = self._table_id(schema, name)
        found = next((one for one in self.tables if one.table_id == number), None)
        return TableDiff(schema, name, number) if found is None else found

    def count_rows(self, table: str | TableDiff, *, schema: str | None = None) -> RowCounts:
        """Return how many rows of a table were inserted, deleted and updated.

        It comes from metadata where that tells; else the ids of rows are read, from the files that differ.

        Raises:
            NotFoundError: Neither version has the table.
            SnapshotNotFoundError: A version was expired meanwhile.
        """
        known = table if isinstance(table, TableDiff) else self.table(table, schema=schema)
        if known.rows is not None:
            return known.rows
        return ops.diff_catalogs.count_differences(self._runtime, self._before, self._after, known.table_id)

    def rows(self, table: str | TableDiff, *, schema: str | None = None) -> DataFrame:
        """Return the rows of a table that differ, as a Spark DataFrame.

        The columns are ``change_type`` (``insert``, ``delete``, ``update_preimage``, ``update_postimage``), ``rowid``
        and those of the table as the second version has it. Files that both versions show alike are not read. Rows
        that only moved to other files do not come.

        Raises:
            NotFoundError: Neither version has the table.
            SnapshotNotFoundError: A version was expired meanwhile.
            InvalidInputError: The types of a column cannot be shown together.
        """
        plan = self.scan(table, schema=schema)
        frame: DataFrame = self._runtime.engine.differences(plan.before, plan.after)
        return frame

    def result(self, table: str | TableDiff, *, schema: str | None = None) -> Result:
        """Return the same as `rows`, as a result.

        This process reads the rows if they are few, else Spark does.

        Raises:
            NotFoundError: Neither version has the table.
            SnapshotNotFoundError: A version was expired meanwhile.
            InvalidInputError: The types of a column cannot be shown together.
        """
        return lake.read_rows.read_differences(self._runtime, self.scan(table, schema=schema))

    def scan(self, table: str | TableDiff, *, schema: str | None = None) -> DiffScan:
        """Return how the rows of a table that differ are read, fully resolved.

        Raises:
            NotFoundError: Neither version has the table.
            SnapshotNotFoundError: A version was expired meanwhile.
            InvalidInputError: The types of a column cannot be shown together.
        """
        number = table.table_id if isinstance(table, TableDiff) else self._table_id(*qualified_name(table, schema))
        return ops.diff_catalogs.plan_differences(self._runtime, self._before, self._after, number)

    def plan(self, table: str | TableDiff, *, schema: str | None = None) -> ScanSummary:
        """Return what `rows` reads.

        A file of which both versions show some rows counts once.

        Raises:
            NotFoundError: Neither version has the table.
        """
        plans = self.scan(table, schema=schema).plans
        files = {file.path: file for plan in plans for file in plan.files}
        return ScanSummary(
            file_count=len(files),
            file_size_bytes=sum(file.file_size_bytes for file in files.values()),
            record_count=sum(file.record_count for file in files.values()),
            delete_file_count=len({file.deletes.path for plan in plans for file in plan.files if file.deletes}),
            inlined_row_count=sum(len(rows.rows) for plan in plans for rows in plan.inlined),
            pruned=(),
            paths=tuple(files),
        )

    def _table_id(self, schema: str, name: str) -> TableId:
        return ops.diff_catalogs.find_table(self._runtime, self._before, self._after, name, schema)
