"""Where the rows of a result come from: they are known, or are read when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from forklake.errors import EngineError, InvalidInputError
from forklake.model.field import Field
from forklake.model.scan import ScanPlan

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

Row = tuple[Any, ...]

_KEPT_ROWS: Final = 200
"""How many rows are computed to show some of them: so many can be shown again, or more of them, without another job."""


class Content(Protocol):
    """The rows of a result, however they come about."""

    def rows(self) -> list[Row]:
        """Return all rows."""

    def first(self, count: int) -> list[Row]:
        """Return the first rows, without computing the others if that is possible."""

    def head(self, count: int) -> Content:
        """Return the first rows as a content of their own, without computing any."""

    def table(self) -> pa.Table:
        """Return all rows; columns may have any names."""

    def frame(self, names: Sequence[str]) -> DataFrame:
        """Return all rows as a frame whose columns have these names."""


class RowSource(Protocol):
    """Rows that take work to get."""

    def collect(self, limit: int | None) -> pa.Table:
        """Return the rows, or the first of them, of the types that a reader is shown; columns may have any names."""

    def frame(self, names: Sequence[str]) -> DataFrame:
        """Return the rows as a frame of Spark, lazily."""


# ---- sources ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FrameRows:
    """The rows of a frame of Spark.

    Attributes:
        rows: The frame.
        paths: The files that are read, as messages shall name them.
        what: What is read, as messages shall name it.
    """

    rows: DataFrame
    paths: tuple[str, ...]
    what: str

    def collect(self, limit: int | None) -> pa.Table:
        """Run the job."""
        from forklake.engine.query import collect_rows  # noqa: PLC0415 - Spark comes with the first row

        return collect_rows(self.rows if limit is None else self.rows.limit(limit), self.paths, self.what)

    def frame(self, names: Sequence[str]) -> DataFrame:
        """Return the frame."""
        from forklake.engine.query import named  # noqa: PLC0415

        return named(self.rows, names)


@dataclass(frozen=True, slots=True)
class LocalRows:
    """The rows of a scan that this process reads.

    Attributes:
        plan: What is read.
        columns: What is shown of it.
        spark: Gives the same rows by Spark.
    """

    plan: ScanPlan
    columns: tuple[Field, ...]
    spark: Callable[[], FrameRows]

    def collect(self, limit: int | None) -> pa.Table:
        """Read the files."""
        from forklake.engine.local.scan import read_plan  # noqa: PLC0415 - brings PyArrow

        try:
            return read_plan(self.plan, self.columns, limit)
        except InvalidInputError:
            # A value that cannot be shown: Spark has the last word on it.
            return self.spark().collect(limit)

    def frame(self, names: Sequence[str]) -> DataFrame:
        """Return what Spark reads."""
        return self.spark().frame(names)


# ---- contents --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class KnownContent:
    """Rows that are known; values are such as a result gives."""

    _fields: tuple[Field, ...]
    _rows: list[Row]
    _spark: Callable[[], SparkSession] | None

    def rows(self) -> list[Row]:
        """Return all rows."""
        return self._rows

    def first(self, count: int) -> list[Row]:
        """Return the first rows."""
        return self._rows[:count]

    def head(self, count: int) -> KnownContent:
        """Return the first rows as a content."""
        return replace(self, _rows=self._rows[:count])

    def table(self) -> pa.Table:
        """Return all rows as files hold them."""
        import pyarrow as pa  # noqa: PLC0415

        from forklake.files.python_values import from_python  # noqa: PLC0415
        from forklake.files.values import stored_array  # noqa: PLC0415

        columns = list(zip(*self._rows, strict=True)) if self._rows else [()] * len(self._fields)
        arrays = [
            stored_array(field, from_python(field, column))
            for field, column in zip(_unnumbered(self._fields), columns, strict=True)
        ]
        return pa.table(arrays, names=_positions(self._fields))

    def frame(self, names: Sequence[str]) -> DataFrame:
        """Return all rows as a frame."""
        from forklake.engine.rows_frame import rows_frame  # noqa: PLC0415
        from forklake.engine.session import existing  # noqa: PLC0415

        spark = self._spark() if self._spark is not None else existing()
        if spark is None:
            raise EngineError("There is no Spark session to make a DataFrame in.")
        fields = [replace(field, name=name) for field, name in zip(self._fields, names, strict=True)]
        return rows_frame(spark, fields, self._rows)


@dataclass(slots=True)
class LazyContent:
    """Rows that are read when they are first asked for, and kept then.

    Attributes:
        limit: How many there are at most.
    """

    _fields: tuple[Field, ...]
    _source: RowSource
    limit: int | None = None
    _table: pa.Table | None = None
    _rows: list[Row] | None = None
    _head: list[Row] = field(default_factory=list)

    def rows(self) -> list[Row]:
        """Return all rows."""
        if self._rows is None:
            self._rows = self._python(self._collected())
        return self._rows

    def first(self, count: int) -> list[Row]:
        """Return the first rows; only so many are computed, unless all are known."""
        if self._table is not None:
            return self.rows()[:count]
        if count > len(self._head):
            wanted = max(count, _KEPT_ROWS)
            if self.limit is not None and self.limit <= wanted:
                return self.rows()[:count]
            found = self._source.collect(wanted)
            if found.num_rows < wanted:
                self._table = found  # that is all
                return self.rows()[:count]
            self._head = self._python(found)
        return self._head[:count]

    def head(self, count: int) -> LazyContent:
        """Return the first rows as a content."""
        limit = count if self.limit is None else min(count, self.limit)
        table = None if self._table is None else self._table.slice(0, limit)
        return LazyContent(self._fields, self._source, limit, table)

    def table(self) -> pa.Table:
        """Return all rows as files hold them."""
        import pyarrow as pa  # noqa: PLC0415

        from forklake.files.casts import cast  # noqa: PLC0415

        arrays = [
            column if field.type == "variant" else cast(field, column.combine_chunks(), "the result")
            for field, column in zip(_unnumbered(self._fields), self._collected().columns, strict=True)
        ]
        return pa.table(arrays, names=_positions(self._fields))

    def frame(self, names: Sequence[str]) -> DataFrame:
        """Return all rows as a frame."""
        found = self._source.frame(names)
        return found if self.limit is None else found.limit(self.limit)

    def _collected(self) -> pa.Table:
        if self._table is None:
            self._table = self._source.collect(self.limit)
        return self._table

    def _python(self, table: pa.Table) -> list[Row]:
        from forklake.files.python_values import to_python  # noqa: PLC0415
        from forklake.files.values import values_of  # noqa: PLC0415

        if not self._fields:
            return [()] * table.num_rows
        held = [values_of(column.combine_chunks()) for column in table.columns]
        columns = [
            _variant_values(values) if field.type == "variant" else to_python(field, values)
            for field, values in zip(self._fields, held, strict=True)
        ]
        return list(zip(*columns, strict=True))


def _variant_values(values: list[Any]) -> list[Any]:
    from forklake.engine.query import variant_values  # noqa: PLC0415 - only Spark has read any

    return variant_values(values)


def _positions(fields: Sequence[Field]) -> list[str]:
    return [f"c{position}" for position in range(len(fields))]


def _unnumbered(fields: Sequence[Field]) -> tuple[Field, ...]:
    """Return columns without the ids that they have in a table, which are nothing to a result."""
    return tuple(replace(field, column_id=None, children=_unnumbered(field.children)) for field in fields)
