"""What every operation on rows works with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from forklake.metastore.store import Store
from forklake.model.field import Field

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class Place:
    """Where an operation on rows works.

    Attributes:
        store: The metadata.
        lake_path: The base path of the lake.
        spark: Gives the session; it is only called if it comes to Spark.
        goes_on: Whether the transaction may still change the table's columns after the operation, so that files must
            keep the names that their columns have.
        sort_expression: Turns what a table is sorted by, in DuckDB's words over its columns, into Spark's.
        options: What the session says about writing, whatever the catalog's options are.
    """

    store: Store
    lake_path: str | None
    spark: Callable[[], SparkSession]
    goes_on: bool
    sort_expression: Callable[[str, str, Sequence[Field]], str]
    options: Mapping[str, str] = field(default_factory=dict)
