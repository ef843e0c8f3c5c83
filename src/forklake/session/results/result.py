"""The result of a statement."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from forklake import session
from forklake.engine.engine import Engine, Frame
from forklake.errors import InvalidInputError
from forklake.extras import require
from forklake.files.casting.python_values import to_python
from forklake.files.casting.texts import parse_values
from forklake.model import types
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.session.results.result_content import (
    FrameRows,
    KnownContent,
    LazyContent,
    ResultContent,
    Row,
    RowSource,
    refuse_bad_text,
)
from forklake.session.results.result_table import cell_text, html_table

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from pyspark.sql import DataFrame

SHOWN_ROWS: Final = 20
"""How many rows are printed unless more are asked for."""

_COUNT: Final = Field(None, "Count", types.INT64)
"""The column of the number of rows that a statement changed."""


class _NamedRow(tuple[Any, ...]):
    """A row of a result; a copy in another process is a plain tuple."""

    __slots__ = ()

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return tuple, (tuple(self),)


class Result:
    """Rows, with the names and types of their columns.

    A result of Spark is lazy: its job runs when rows are first read, and the rows are kept from then on. The same
    is true of a small table, which is read without Spark. Results of metadata, and the count of a statement that
    changed rows, have their rows from the beginning. A result belongs to one thread at a time. It outlives the
    transaction of its session: it shows what was visible when the statement was run.

    `fetchone`, `fetchmany`, `fetchall` and iteration continue where the last of them ended, like cursors of
    Python's database API. `rows`, `head`, `arrow`, `pandas`, `polars`, `dataframe`, ``len`` and the printed
    forms always cover the whole result, whatever was fetched before. Printing a result computes only its first
    rows, and keeps them. Reading all rows later is another job, which may give them in another order if the
    query has none.

    Values are those of DuckDB's Python client. Where no Python type is exact, the value is the text that DuckDB
    would print, see `forklake.files.casting.python_values`.
    """

    def __init__(self, fields: Sequence[Field], content: ResultContent) -> None:
        self._fields = tuple(fields)
        self._content = content
        self._given = 0

    # ---- made of -----------------------------------------------------------------------------------------------------

    @classmethod
    def of_frame(cls, engine: Engine, fields: Sequence[Field], frame: Frame, paths: Sequence[str] = ()) -> Result:
        """Return the rows of a frame, lazily.

        Args:
            engine: The engine of the frame.
            fields: Its columns, by position; their types are those of table columns in the engine.
            frame: The rows.
            paths: The files that are read, as messages name them.
        """
        return cls.of_source(fields, FrameRows(engine, frame, tuple(paths), "the query"))

    @classmethod
    def of_source(cls, fields: Sequence[Field], source: RowSource) -> Result:
        """Return the rows of a source, which is read when they are needed.

        Args:
            fields: Its columns, by position.
            source: The rows.
        """
        return cls(fields, LazyContent(tuple(fields), source))

    @classmethod
    def of_rows(cls, fields: Sequence[Field], rows: Sequence[Row], engine: Engine | None = None) -> Result:
        """Return rows that are already known, as values of Python.

        Args:
            fields: The columns.
            rows: The rows.
            engine: Makes a frame of them for `dataframe`; without it there is none.
        """
        return cls(fields, KnownContent(tuple(fields), list(rows), engine))

    @classmethod
    def of_texts(
        cls,
        fields: Sequence[Field],
        texts: Sequence[Sequence[str | None]],
        engine: Engine | None = None,
    ) -> Result:
        """Return rows whose values are DuckLake's texts; otherwise as `of_rows`.

        Raises:
            InvalidInputError: A text is no value of its column.
        """
        columns = list(zip(*texts, strict=True)) if texts else [()] * len(fields)
        values = [
            to_python(field.type, parse_values(field, column)) for field, column in zip(fields, columns, strict=True)
        ]
        return cls.of_rows(fields, list(zip(*values, strict=True)), engine)

    @classmethod
    def of_count(cls, count: int, engine: Engine) -> Result:
        """Return the number of rows that a statement changed, in the form of DuckDB."""
        return cls.of_rows((_COUNT,), [(count,)], engine)

    def with_content(self, change: Callable[[ResultContent], ResultContent]) -> Result:
        """Return a result of the same columns whose rows are read in another way."""
        return Result(self._fields, change(self._content))

    # ---- what it is --------------------------------------------------------------------------------------------------

    @property
    def columns(self) -> list[str]:
        """The names of the columns; they may repeat."""
        return [field.name for field in self._fields]

    @property
    def types(self) -> list[str]:
        """The types of the columns, as DuckDB names them."""
        return [field.type.sql_name for field in self._fields]

    @property
    def is_count(self) -> bool:
        """Whether it is the number of rows that a statement changed, wrote or read."""
        return self._fields[0] is _COUNT

    # ---- rows --------------------------------------------------------------------------------------------------------

    def rows(self) -> list[Row]:
        """Return all rows, whatever was fetched before.

        Raises:
            InvalidInputError: A value cannot be computed.
            DataFileError: A file is missing or damaged.
            EngineError: The job failed for another reason.
        """
        return list(self._content.rows())

    def head(self, n: int = 10) -> Result:
        """Return the first rows as another result, which prints as a table.

        Only these rows are computed.

        Raises:
            InvalidInputError: The number is negative, or none.
        """
        return Result(self._fields, self._content.head(check_count(n)))

    def fetchall(self) -> list[Row]:
        """Return the rows that were not fetched yet; raises what `rows` raises."""
        found = self._content.rows()[self._given :]
        self._given += len(found)
        return found

    def fetchone(self) -> Row | None:
        """Return the next row, None after the last; raises what `rows` raises."""
        found = self.fetchmany(1)
        return found[0] if found else None

    def fetchmany(self, size: int = 1) -> list[Row]:
        """Return the next rows, at most that many; fewer at the end.

        Raises what `rows` raises, too.

        Raises:
            InvalidInputError: The number is negative.
        """
        if size < 0:
            raise InvalidInputError(f"fetchmany takes a number of rows, not {size}.")
        found = self._content.rows()[self._given : self._given + size]
        self._given += len(found)
        return found

    def __iter__(self) -> Iterator[Row]:
        # Rows that know their columns, so that pandas.DataFrame(result) has their names.
        named: Any = type("Row", (_NamedRow,), {"__slots__": (), "_fields": tuple(self.columns)})
        while (row := self.fetchone()) is not None:
            yield named(row)

    def __len__(self) -> int:
        return len(self._content.rows())

    def __bool__(self) -> bool:
        # None is what a statement without a result gives; a result without rows is one.
        return True

    # ---- other forms -------------------------------------------------------------------------------------------------

    def arrow(self) -> pa.Table:
        """Return the rows as an Arrow table, with the types of data files.

        Intervals, JSON and times with a zone are text. HUGEINT is DECIMAL(38,0), or DECIMAL(39,0) in 256 bits where a
        value of the column has more digits. Column names may repeat.
        """
        return self._content.table().rename_columns(self.columns)

    def pandas(self) -> pd.DataFrame:
        """Return the rows as a pandas DataFrame.

        Column names that repeat get a number, as in DuckDB: ``a``, ``a_1``.

        Raises:
            NotInstalledError: pandas is not installed.
        """
        with require("pandas"):
            import pandas  # noqa: F401, PLC0415 - told before rows are computed, if it is missing
        with refuse_bad_text():
            return self._named_table().to_pandas()

    def polars(self) -> pl.DataFrame:
        """Return the rows as a Polars DataFrame; repeated names are as in `pandas`.

        Raises:
            NotInstalledError: Polars is not installed.
        """
        with require("polars"):
            import polars  # noqa: PLC0415 - nothing else needs it
        return polars.from_arrow(self._named_table())

    def df(self) -> pd.DataFrame:
        """Return the same as `pandas`; DuckDB has this name."""
        return self.pandas()

    def fetchdf(self) -> pd.DataFrame:
        """Return the same as `pandas`; DuckDB has this name, too."""
        return self.pandas()

    def pl(self) -> pl.DataFrame:
        """Return the same as `polars`; DuckDB has this name."""
        return self.polars()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the rows as an Arrow stream.

        Polars, DuckDB, pandas and PyArrow can read it.
        """
        return self._named_table().__arrow_c_stream__(requested_schema)

    def dataframe(self) -> DataFrame:
        """Return the rows as a Spark DataFrame, lazily if the result is lazy.

        Repeated names are as in `pandas`, types are those of table columns in Spark. The order is undefined unless
        the query has one.
        """
        frame: DataFrame = self._content.frame(self._unique_names())
        return frame

    # ---- shown -------------------------------------------------------------------------------------------------------

    def show(self, max_rows: int = SHOWN_ROWS) -> None:
        """Print the first rows as a table.

        Only these are computed, unless all are known.
        """
        session.drawn_table.print_table(self._fields, *self._first(max_rows))

    def texts(self, max_rows: int | None = None) -> tuple[list[list[str]], bool]:
        """Return rows as DuckDB prints their values, and whether there are more.

        Without ``max_rows`` all rows are returned.
        """
        rows, has_more = (self.rows(), False) if max_rows is None else self._first(max_rows)
        fields = self._fields
        return [[cell_text(field, value) for field, value in zip(fields, row, strict=True)] for row in rows], has_more

    def __repr__(self) -> str:
        return session.drawn_table.table_text(self._fields, *self._first(SHOWN_ROWS))

    def _repr_html_(self) -> str:
        return html_table(self._fields, *self._first(SHOWN_ROWS))

    def _first(self, count: int) -> tuple[list[Row], bool]:
        """Return the first rows, and whether there are more."""
        found = self._content.first(count + 1)
        return found[:count], len(found) > count

    def _named_table(self) -> pa.Table:
        return self._content.table().rename_columns(self._unique_names())

    def _unique_names(self) -> list[str]:
        names: list[str] = []
        taken: set[str] = set()
        for name in self.columns:
            candidates = itertools.chain([name], (f"{name}_{number}" for number in itertools.count(1)))
            names.append(next(one for one in candidates if fold(one) not in taken))
            taken.add(fold(names[-1]))
        return names


def check_count(n: Any) -> int:
    """Return a number of rows from the caller, after checking it.

    Raises:
        InvalidInputError: It is negative, or no whole number.
    """
    if not isinstance(n, int) or isinstance(n, bool) or n < 0:
        raise InvalidInputError(f"head takes a number of rows, not {n!r}; nothing was read.")
    return n
