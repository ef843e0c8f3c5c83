"""What questions about an attached catalog are answered with."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from py4j.java_gateway import JavaObject
from pyspark.sql import DataFrame, SparkSession

from forklake.catalog import lookup
from forklake.catalog.state import Content
from forklake.errors import InvalidInputError
from forklake.lake import Catalog, Transaction
from forklake.lake.internals import begin_on, is_past
from forklake.model.rows import SchemaRow, TableRow
from forklake.ops.runtime import Runtime
from forklake.spark_catalog.statements import Statements

Words: TypeAlias = Mapping[str, Any]
"""What Java says with a question."""

Answer: TypeAlias = "str | JavaObject | None"
"""A text in JSON, an object of Java, or nothing where there is no such thing."""

YES = "true"
NO = "false"
MAIN = "main"


@dataclass(frozen=True)
class Attached:
    """A catalog of a lake, attached to a Spark session.

    Attributes:
        name: The name that the session knows it by.
        number: A number that no other attachment of this process has.
        runtime: The open lake, with jobs in the session.
    """

    name: str
    number: int
    spark: SparkSession
    catalog: Catalog
    runtime: Runtime
    statements: Statements
    read_only: bool

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

    def begin(self, words: Words) -> Transaction:
        """Begin a transaction on the snapshot that a statement sees.

        Raises:
            InvalidInputError: Nothing can be changed through this attachment.
        """
        self.check_writable()
        return begin_on(self.catalog, self.statements.head(words["statement"]))

    def frame(self, rows: Any) -> DataFrame:
        """Return a Dataset of Java as a DataFrame, of the session that it belongs to."""
        of = rows.sparkSession()
        ours: Any = self.spark
        if of.equals(ours._jsparkSession):
            return DataFrame(rows, ours)
        return DataFrame(rows, cast("Any", SparkSession)(ours.sparkContext, of))


Question: TypeAlias = Callable[[Attached, Words, Any], Answer]
"""What answers one question; the last argument is an object of Java, if there is one."""


def say(value: Any) -> str:
    """Return an answer as text."""
    return json.dumps(value)
