"""What a statement answered."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from forklake.errors import EngineError, InvalidInputError
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.type_text import type_text
from forklake.session.result_table import cell_text, html_table, text_table

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

Row = tuple[Any, ...]

SHOWN_ROWS: Final = 20
"""How many rows are printed unless more are asked for."""
_KEPT_ROWS: Final = 200
"""How many rows are computed to show some of them: so many can be shown again, or more of them, without another job."""
_NARROWEST: Final = 120


class Result:
    """Rows, with the names and types of their columns.

    A result of Spark is lazy: its job runs when rows are first asked for, and the rows are kept from then on. One of
    metadata, and the count of a statement that changed rows, has its rows from the beginning: asking runs nothing. It
    belongs to one thread at a time, and outlives the connection's transaction: it shows what was visible when the
    statement was given.

    `fetchone`, `fetchmany`, `fetchall` and iteration go on where the last of them ended, as cursors of Python's
    database API do. `rows`, `arrow`, `pandas`, `dataframe`, ``len`` and all that shows the result are of all of it,
    whatever was fetched before. To show a result, only its first rows are computed, and kept; all of them are then a
    job of their own, which may give rows in another order where the query says none.

    Values are those of DuckDB's Python client; what Python's types cannot say exactly is the text that DuckDB would
    print, see `forklake.files.python_values`.
    """

    def __init__(self, fields: Sequence[Field], content: Content) -> None:
        self._fields = tuple(fields)
        self._content = content
        self._given = 0

    # ---- made of -----------------------------------------------------------------------------------------------------

    @classmethod
    def of_frame(cls, fields: Sequence[Field], frame: DataFrame, paths: Sequence[str] = ()) -> Result:
        """Return the rows of a frame of Spark, lazily.

        Args:
            fields: What its columns are, by position; they have the types that columns of tables have in Spark.
            frame: The rows.
            paths: The files that are read, as messages shall name them.
        """
        return cls(fields, _FrameContent(tuple(fields), frame, tuple(paths)))

    @classmethod
    def of_rows(
        cls, fields: Sequence[Field], rows: Sequence[Row], spark: Callable[[], SparkSession] | None = None
    ) -> Result:
        """Return rows that are known; values are such as a result gives.

        Args:
            fields: The columns.
            rows: The rows.
            spark: Gives the session for those who want the rows as a frame of Spark; else the active one is taken.
        """
        return cls(fields, _KnownContent(tuple(fields), list(rows), spark))

    @classmethod
    def of_texts(
        cls,
        fields: Sequence[Field],
        texts: Sequence[Sequence[str | None]],
        spark: Callable[[], SparkSession] | None = None,
    ) -> Result:
        """Return rows whose values are written as DuckLake's texts; as `of_rows`.

        Raises:
            InvalidInputError: A text means no value of its column.
        """
        from forklake.files.python_values import to_python  # noqa: PLC0415 - brings PyArrow
        from forklake.files.texts import parse_values  # noqa: PLC0415

        columns = list(zip(*texts, strict=True)) if texts else [()] * len(fields)
        values = [to_python(field, parse_values(field, column)) for field, column in zip(fields, columns, strict=True)]
        return cls.of_rows(fields, list(zip(*values, strict=True)), spark)

    @classmethod
    def of_count(cls, count: int) -> Result:
        """Return how many rows a statement changed, as DuckDB tells it."""
        return cls.of_rows((Field(None, "Count", "int64"),), [(count,)])

    # ---- what it is --------------------------------------------------------------------------------------------------

    @property
    def columns(self) -> list[str]:
        """The names of the columns; they may repeat."""
        return [field.name for field in self._fields]

    @property
    def types(self) -> list[str]:
        """The types of the columns, as DuckDB names them."""
        return [type_text(field) for field in self._fields]

    # ---- rows --------------------------------------------------------------------------------------------------------

    def rows(self) -> list[Row]:
        """Return all rows, whatever was fetched before.

        Raises:
            InvalidInputError: A value cannot be computed.
            DataFileError: A file is missing or damaged.
            EngineError: The job failed for another reason.
        """
        return list(self._content.rows())

    def fetchall(self) -> list[Row]:
        """Return the rows that were not fetched yet; fails as `rows` does."""
        found = self._content.rows()[self._given :]
        self._given += len(found)
        return found

    def fetchone(self) -> Row | None:
        """Return the next row, None after the last; fails as `rows` does."""
        found = self.fetchmany(1)
        return found[0] if found else None

    def fetchmany(self, size: int = 1) -> list[Row]:
        """Return the next rows, at most that many; fewer at the end. Fails as `rows` does.

        Raises:
            InvalidInputError: The number is negative.
        """
        if size < 0:
            raise InvalidInputError(f"fetchmany takes a number of rows, not {size}.")
        found = self._content.rows()[self._given : self._given + size]
        self._given += len(found)
        return found

    def __iter__(self) -> Iterator[Row]:
        while (row := self.fetchone()) is not None:
            yield row

    def __len__(self) -> int:
        return len(self._content.rows())

    def __bool__(self) -> bool:
        # None is what a statement without a result gives; a result without rows is one.
        return True

    # ---- other forms -------------------------------------------------------------------------------------------------

    def arrow(self) -> pa.Table:
        """Return the rows as an Arrow table, of the types that data files have.

        Intervals, JSON and times with a zone are text, HUGEINT is DECIMAL(38,0). Names repeat where they do here.
        """
        return self._content.table().rename_columns(self.columns)

    def pandas(self) -> pd.DataFrame:
        """Return the rows as a DataFrame of pandas; names that repeat get a number, as from DuckDB: ``a``, ``a_1``."""
        return self._content.table().rename_columns(self._unique_names()).to_pandas()

    def dataframe(self) -> DataFrame:
        """Return the rows as a DataFrame of Spark, lazily where the result is; names that repeat are as in `pandas`.

        Types are those that columns of tables have in Spark. No order is promised that the query does not say.
        """
        return self._content.frame(self._unique_names())

    # ---- shown -------------------------------------------------------------------------------------------------------

    def show(self, max_rows: int = SHOWN_ROWS) -> None:
        """Print the first rows as a table; only so many are computed, unless all are known."""
        from rich.console import Console  # noqa: PLC0415

        Console().print(text_table(self._fields, *self._first(max_rows)))

    def texts(self, max_rows: int | None = None) -> tuple[list[list[str]], bool]:
        """Return rows as DuckDB prints their values, and whether there are more; all of them without a number."""
        rows, has_more = (self.rows(), False) if max_rows is None else self._first(max_rows)
        fields = self._fields
        return [[cell_text(field, value) for field, value in zip(fields, row, strict=True)] for row in rows], has_more

    def __repr__(self) -> str:
        from rich.console import Console  # noqa: PLC0415

        console = Console(color_system=None, force_jupyter=False)
        console.width = max(console.width, _NARROWEST)
        with console.capture() as captured:
            console.print(text_table(self._fields, *self._first(SHOWN_ROWS)))
        return captured.get().rstrip("\n")

    def _repr_html_(self) -> str:
        return html_table(self._fields, *self._first(SHOWN_ROWS))

    def _first(self, count: int) -> tuple[list[Row], bool]:
        """Return the first rows, and whether there are more."""
        found = self._content.first(count + 1)
        return found[:count], len(found) > count

    def _unique_names(self) -> list[str]:
        names: list[str] = []
        taken: set[str] = set()
        for name in self.columns:
            candidates = itertools.chain([name], (f"{name}_{number}" for number in itertools.count(1)))
            names.append(next(one for one in candidates if fold(one) not in taken))
            taken.add(fold(names[-1]))
        return names


# ---- where rows come from --------------------------------------------------------------------------------------------


class Content(Protocol):
    """The rows of a result, however they come about."""

    def rows(self) -> list[Row]:
        """Return all rows."""

    def first(self, count: int) -> list[Row]:
        """Return the first rows, without computing the others if that is possible."""

    def table(self) -> pa.Table:
        """Return all rows; columns may have any names."""

    def frame(self, names: Sequence[str]) -> DataFrame:
        """Return all rows as a frame whose columns have these names."""


@dataclass(slots=True)
class _KnownContent:
    _fields: tuple[Field, ...]
    _rows: list[Row]
    _spark: Callable[[], SparkSession] | None

    def rows(self) -> list[Row]:
        return self._rows

    def first(self, count: int) -> list[Row]:
        return self._rows[:count]

    def table(self) -> pa.Table:
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
        from forklake.engine.rows_frame import rows_frame  # noqa: PLC0415
        from forklake.engine.session import existing  # noqa: PLC0415

        spark = self._spark() if self._spark is not None else existing()
        if spark is None:
            raise EngineError("There is no Spark session to make a DataFrame in.")
        fields = [replace(field, name=name) for field, name in zip(self._fields, names, strict=True)]
        return rows_frame(spark, fields, self._rows)


@dataclass(slots=True)
class _FrameContent:
    _fields: tuple[Field, ...]
    _frame: DataFrame
    _paths: tuple[str, ...]
    _table: pa.Table | None = None
    _rows: list[Row] | None = None
    _head: list[Row] = field(default_factory=list)

    def rows(self) -> list[Row]:
        if self._rows is None:
            self._rows = self._python(self._collected())
        return self._rows

    def first(self, count: int) -> list[Row]:
        if self._table is not None:
            return self.rows()[:count]
        if count > len(self._head):
            from forklake.engine.query import collect_rows  # noqa: PLC0415

            wanted = max(count, _KEPT_ROWS)
            found = collect_rows(self._frame.limit(wanted), self._paths)
            if found.num_rows < wanted:
                self._table = found  # that is all
                return self.rows()[:count]
            self._head = self._python(found)
        return self._head[:count]

    def table(self) -> pa.Table:
        import pyarrow as pa  # noqa: PLC0415

        from forklake.files.casts import cast  # noqa: PLC0415

        arrays = [
            column if field.type == "variant" else cast(field, column.combine_chunks(), "the result")
            for field, column in zip(_unnumbered(self._fields), self._collected().columns, strict=True)
        ]
        return pa.table(arrays, names=_positions(self._fields))

    def frame(self, names: Sequence[str]) -> DataFrame:
        from forklake.engine.query import named  # noqa: PLC0415

        return named(self._frame, names)

    def _collected(self) -> pa.Table:
        if self._table is None:
            from forklake.engine.query import collect_rows  # noqa: PLC0415

            self._table = collect_rows(self._frame, self._paths)
        return self._table

    def _python(self, table: pa.Table) -> list[Row]:
        from forklake.engine.query import variant_values  # noqa: PLC0415
        from forklake.files.python_values import to_python  # noqa: PLC0415
        from forklake.files.values import values_of  # noqa: PLC0415

        if not self._fields:
            return [()] * table.num_rows
        held = [values_of(column.combine_chunks()) for column in table.columns]
        columns = [
            variant_values(values) if field.type == "variant" else to_python(field, values)
            for field, values in zip(self._fields, held, strict=True)
        ]
        return list(zip(*columns, strict=True))


def _positions(fields: Sequence[Field]) -> list[str]:
    return [f"c{position}" for position in range(len(fields))]


def _unnumbered(fields: Sequence[Field]) -> tuple[Field, ...]:
    """Return columns without the ids that they have in a table, which are nothing to a result."""
    return tuple(replace(field, column_id=None, children=_unnumbered(field.children)) for field in fields)
