"""The data source ``forklake`` of Spark."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, DataSourceWriter
from pyspark.sql.types import StructType

from forklake.connector.options import Source, parse_source, switch
from forklake.connector.reader import TableReader
from forklake.connector.stream import CHANGES, STARTING_VERSION, ChangeStream, stream_schema
from forklake.connector.writer import TableWriter
from forklake.errors import InvalidInputError
from forklake.model.ids import SnapshotId


class LakeSource(DataSource):
    """Tables of a lake, by name.

    Spark makes it in processes of its own: it holds options and numbers only, and opens the lake where it needs it.
    """

    _seen: SnapshotId | None = None
    """The state that the schema was read of, which is then the one that is read."""

    @classmethod
    def name(cls) -> str:
        """Return what the format is called."""
        return "forklake"

    def schema(self) -> StructType:
        """Return the columns of the table as Spark shows them.

        Raises:
            InvalidInputError: Options are missing or contradict each other.
            NotFoundError: There is no such lake, catalog, table or snapshot.
        """
        source = parse_source(self.options)
        with source.opened() as catalog:
            self._seen = catalog.head
            columns = source.table_of(catalog.at(version=self._seen)).schema
        # Only streams have these options, and there is no other way to tell that this will be one.
        return stream_schema(columns, self.options) if self._is_feed() else columns

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return what reads the table."""
        if self._is_feed():
            raise InvalidInputError(
                f'The options "{CHANGES}" and "{STARTING_VERSION}" are for streams; nothing was read.',
                hint="Read with spark.readStream, or call Table.changes.",
            )
        return TableReader(self._source(), schema, self.options.get("prune"))

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        """Return what writes into the table."""
        return TableWriter(parse_source(self.options), schema, overwrite, self.options.get("commit_key"))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802
        """Return what follows the changes of the table."""
        return ChangeStream(parse_source(self.options), schema, self.options)

    def _is_feed(self) -> bool:
        return switch(self.options, CHANGES) or STARTING_VERSION in self.options

    def _source(self) -> Source:
        source = parse_source(self.options)
        return source if self._seen is None else replace(source, version=self._seen, timestamp=None)
