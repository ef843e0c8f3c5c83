"""The Spark data source ``forklake``."""

from __future__ import annotations

from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    DataSourceStreamWriter,
    DataSourceWriter,
)
from pyspark.sql.types import StructType

from forklake.connector.feed import ChangeReader, at_end, feed_schema
from forklake.connector.source_options import Options, Use, parse_options
from forklake.connector.stream import ChangeStream
from forklake.connector.table_reader import TableReader
from forklake.connector.writer import TableWriter
from forklake.errors import InvalidInputError
from forklake.lake.internals import runtime_of
from forklake.model.ids import SnapshotId
from forklake.model.table_read import TableRead


class LakeSource(DataSource):
    """Tables of a lake as a Spark data source.

    Spark creates it in processes of its own. So it holds only options and numbers, and opens the lake when
    needed.
    """

    seen: SnapshotId | None = None
    """The state that the schema was read of, which is then the one that is read."""
    read: TableRead | None = None
    """The table as it is then, unless options name its moment, or are for its changes."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return "forklake"

    def schema(self) -> StructType:
        """Return the columns of the table as a Spark schema.

        Raises:
            InvalidInputError: Options are missing, not known, or contradict each other.
            NotFoundError: There is no such lake, catalog, table or snapshot.
        """
        # Whether this will be a read or a stream is not told here.
        options = self._parse_options(Use.READ, Use.STREAM)
        with options.source.open_catalog() as newest:
            catalog = at_end(newest, options)
            self.seen = catalog.head
            table = options.source.table_of(catalog.at(version=self.seen))
            columns = table.inspect.spark_schema
            if not (options.is_feed or options.source.is_past):
                self.read = TableRead(runtime_of(newest).key, newest.catalog_id, table.table_id, self.seen)
        return feed_schema(columns, deletions=options.changes) if options.is_feed else columns

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return a reader of the table, or of its changes."""
        options = self._parse_options(Use.READ).at(self.seen)
        return ChangeReader(options, schema) if options.is_feed else TableReader(options.source, schema, options.prune)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        """Return a writer into the table."""
        options = self._parse_options(Use.WRITE)
        return TableWriter(options.source, schema, overwrite, options.commit_key)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802
        """Return a stream of the table's changes."""
        return ChangeStream(self.options, schema)

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamWriter:  # noqa: N802
        """Refuse streaming writes.

        A Python data source does not get enough from Spark to write each batch once.

        Raises:
            InvalidInputError: Always.
        """
        raise InvalidInputError(
            "A stream is not written with format forklake; nothing was written.",
            hint="writeStream.foreachBatch(forklake.batch_writer(lake, catalog, table)) writes each batch once.",
        )

    def _parse_options(self, *uses: Use) -> Options:
        return parse_options(self.options, *uses)
