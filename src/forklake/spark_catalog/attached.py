"""What questions about an attached catalog are answered with."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Self, TypeAlias, cast

from py4j.java_gateway import JavaObject
from pyspark.sql import DataFrame, SparkSession

from forklake.catalog import lookup, versions
from forklake.catalog.state import Content
from forklake.errors import InvalidInputError
from forklake.lake import Catalog, Transaction
from forklake.lake.internals import begin_on, is_past
from forklake.model.ids import CatalogId, SnapshotId, TableId, ViewId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.rows import SchemaRow, TableRow, ViewRow
from forklake.ops.lakes.runtime import Runtime
from forklake.spark_catalog.statements import Statements

Words: TypeAlias = Mapping[str, Any]
"""What Java says with a question."""

Answer: TypeAlias = "str | JavaObject | None"
"""A text in JSON, an object of Java, or nothing where there is no such thing."""

YES = "true"
NO = "false"
MAIN = "main"


@dataclass(frozen=True, slots=True)
class ReadKey:
    """A table or view at a snapshot, as Java knows it."""

    object_id: TableId | ViewId
    snapshot_id: SnapshotId

    def __str__(self) -> str:
        return f"{self.object_id}.{self.snapshot_id}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the key that a text says."""
        table, _, snapshot = text.partition(".")
        return cls(TableId(int(table)), SnapshotId(int(snapshot)))


@dataclass(frozen=True)
class Attached:
    """A catalog of a lake, attached to a Spark session.

    Attributes:
        name: The name that the session knows it by.
        token: What Java knows the attachment by; a secret of the session.
        runtime: The open lake, with jobs in the session.
        forks: The forks that its procedures have made, which they may merge and drop.
    """

    name: str
    token: str
    spark: SparkSession
    catalog: Catalog
    runtime: Runtime
    statements: Statements
    read_only: bool
    forks: set[CatalogId] = field(default_factory=set, compare=False)

    def check_writable(self) -> None:
        """Refuse changes where there can be none.

        Raises:
            InvalidInputError: The catalog is attached read-only, or at a past snapshot.
        """
        if self.read_only or is_past(self.catalog):
            how = "at a past snapshot" if is_past(self.catalog) else "read-only"
            raise InvalidInputError(
                f'Catalog "{self.name}" is attached {how}; nothing was changed.',
                hint="Attach the catalog itself, or a fork of it, without read_only.",
            )

    def schema(self, content: Content, words: Words) -> SchemaRow | None:
        """Return the schema that is asked about; without a name it is ``main``."""
        names: Sequence[str] = words["schema"]
        if len(names) > 1:
            return None
        return lookup.find_schema(content, names[0] if names else MAIN)

    def table(self, content: Content, words: Words) -> TableRow | None:
        """Return the table that is asked about; None if there is none."""
        schema = self.schema(content, words)
        return None if schema is None else lookup.find_table(content, schema.schema_id, words["name"])

    def view(self, content: Content, words: Words) -> ViewRow | None:
        """Return the view that is asked about; None if there is none."""
        schema = self.schema(content, words)
        return None if schema is None else lookup.find_view(content, schema.schema_id, words["name"])

    def check_no_view(self, content: Content, words: Words) -> None:
        """Refuse to change a view.

        Raises:
            InvalidInputError: A view has the name.
        """
        if self.view(content, words) is not None:
            raise InvalidInputError(
                f'"{words["name"]}" is a view of the lake; nothing was changed.',
                hint="CREATE OR REPLACE VIEW, ALTER VIEW and DROP VIEW change views, and so does catalog.views.",
            )

    def begin(self, words: Words, replaced: TableId | None = None) -> Transaction:
        """Begin a transaction on the snapshot that a statement sees.

        Without a statement it is the head. Rows that replace those of a table may have been read of it earlier, by a
        frame: then it begins on the snapshot that they were read at, so that what others did to the table meanwhile is
        no less a conflict.

        Raises:
            InvalidInputError: Nothing can be changed through this attachment.
            SnapshotNotFoundError: The snapshot that was read is expired.
        """
        self.check_writable()
        store = self.runtime.store
        if "statement" in words:
            head = self.statements.head(words["statement"])
        else:
            head = versions.head_by_id(store, self.catalog.catalog_id)
        read = read_at(words, replaced)
        if read is not None and read < head.version.snapshot_id:
            head = replace(head, version=versions.version_at(store, head.version, read))
        return begin_on(self.catalog, head)

    def frame(self, rows: Any) -> DataFrame:
        """Return a Dataset of Java as a DataFrame, of the session that it belongs to."""
        return frame_of(self.spark, rows)


def frame_of(spark: SparkSession, rows: Any) -> DataFrame:
    """Return a Dataset of Java as a DataFrame, of the session that it belongs to.

    That is the given one, or another one of its Java process.
    """
    of = rows.sparkSession()
    ours: Any = spark
    if of.equals(ours._jsparkSession):
        return DataFrame(rows, ours)
    return DataFrame(rows, cast("Any", SparkSession)(ours.sparkContext, of))


def plan_of(frame: Any) -> JavaObject:
    """Return the plan of a DataFrame, as Spark analysed it."""
    return frame._jdf.queryExecution().analyzed()


def read_at(words: Words, table: TableId | None) -> SnapshotId | None:
    """Return the oldest snapshot of a table that the rows of a change were read at.

    None: they were not read of it.
    """
    keys = map(ReadKey.parse, words.get("reads", ()))
    return min((key.snapshot_id for key in keys if key.object_id == table), default=None)


Question: TypeAlias = Callable[[Attached, Words, Any], Answer]
"""What answers one question; the last argument is an object of Java, if there is one."""


def say(value: Any) -> str:
    """Return an answer as text."""
    return json.dumps(value)
