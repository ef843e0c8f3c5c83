"""Streaming writes: each batch of a stream becomes one commit, exactly once.

Spark may repeat a batch; a repeated batch is not committed again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

from forklake.connector.register import register
from forklake.connector.source import LakeSource
from forklake.connector.source_options import Source, open_existing, parse_name
from forklake.connector.write_frame import batch_key, write_frame
from forklake.engine.spark.driver.session import is_remote
from forklake.errors import EngineError, InvalidInputError
from forklake.lake import Lake
from forklake.model.quoting import quote_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Mode = Literal["append", "overwrite"]


class BatchWriter:
    """A function for ``foreachBatch`` that writes batches into a table.

    If it has the URL of a lake it can be pickled; the lake is then opened on first use.
    """

    def __init__(self, lake: Lake | str, catalog: str, table: str, mode: Mode, query: str | None) -> None:
        if mode not in get_args(Mode):
            raise InvalidInputError(f'"{mode}" is no mode of writing batches; there is append and overwrite.')
        self._given = lake
        self._opened: Lake | None = None
        self._catalog = catalog
        self._schema, self._table = parse_name(table)
        self._mode = mode
        self._query = query

    def __getstate__(self) -> dict[str, Any]:
        if isinstance(self._given, Lake):
            raise _pickling_error()
        return {**self.__dict__, "_opened": None}

    def __call__(self, frame: DataFrame, batch_id: int) -> None:
        """Commit the rows of a batch.

        A batch that was committed before is neither computed nor committed again.

        Raises:
            InvalidInputError: Columns or values do not fit; nothing was committed.
            EngineError: The Spark job failed, or the stream has no id; nothing was committed.
        """
        key = batch_key(frame, self._table, batch_id, self._query)
        if is_remote(frame.sparkSession):
            self._save(frame, key)
            return
        source = Source("", self._catalog, self._schema, self._table)
        overwrite = self._mode == "overwrite"
        write_frame(self._lake(), source, frame, overwrite=overwrite, commit_key=key, makes_table=False)

    def _save(self, frame: DataFrame, key: str) -> None:
        """Write through the data source, as Spark Connect needs it.

        With Spark Connect, only the session of a batch can compute its rows.
        """
        if isinstance(self._given, Lake):
            raise _pickling_error()
        options = {"lake": self._given, "catalog": self._catalog, "commit_key": key}
        name = ".".join(quote_name(part) for part in (self._schema, self._table))
        register(frame.sparkSession)
        frame.write.format(LakeSource.name()).options(**options, table=name).mode(self._mode).save()

    def _lake(self) -> Lake:
        if isinstance(self._given, Lake):
            return self._given
        if self._opened is None:
            self._opened = open_existing(self._given)
        return self._opened


def _pickling_error() -> EngineError:
    return EngineError("An open lake cannot go to another process.", hint="Give the URL of the lake instead.")
