"""What a statement answered."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from rich.console import Console

from forklake.engine.engine import Engine, Frame
from forklake.errors import ConfigError, InvalidInputError
from forklake.files.python_values import to_python
from forklake.files.texts import parse_values
from forklake.model import types
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.session.result_content import Content, FrameRows, KnownContent, LazyContent, Row, RowSource
from forklake.session.result_table import cell_text, html_table, text_table

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from pyspark.sql import DataFrame

SHOWN_ROWS: Final = 20
"""How many rows are printed unless more are asked for."""
_NARROWEST: Final = 120


class Result:
    """Rows, with the names and types of their columns.

    A result of Spark is lazy: its job runs when rows are first asked for, and the rows are kept from then on. So is one
    of a small table, which is read without Spark. One of metadata, and the count of a statement that changed rows, has
    its rows from the beginning: asking runs nothing. It belongs to one thread at a time, and outlives the connection's
    transaction: it shows what was visible when the statement was given.

    `fetchone`, `fetchmany`, `fetchall` and iteration go on where the last of them ended, as cursors of Python's
    database API do. `rows`, `head`, `arrow`, `pandas`, `polars`, `dataframe`, ``len`` and all that shows the result are
    of all of it, whatever was fetched before. To show a result, only its first rows are computed, and kept; all of them
    are then a job of their own, which may give rows in another order where the query says none.

    Values are those of DuckDB's Python client; what Python's types cannot say exactly is the text that DuckDB would
    print, see `forklake.files.python_values`.
    """

    def __init__(self, fields: Sequence[Field], content: Content) -> None:
        self._fields = tuple(fields)
        self._content = content
        self._given = 0

    # ---- made of -----------------------------------------------------------------------------------------------------

    @classmethod
    def of_frame(cls, engine: Engine, fields: Sequence[Field], frame: Frame, paths: Sequence[str] = ()) -> Result:
        """Return the rows of a frame, lazily.

        Args:
            engine: The engine of the frame.
            fields: What its columns are, by position; they have the types that columns of tables have in the engine.
            frame: The rows.
            paths: The files that are read, as messages shall name them.
        """
        return cls.of_source(fields, FrameRows(engine, frame, tuple(paths), "the query"))

    @classmethod
    def of_source(cls, fields: Sequence[Field], source: RowSource) -> Result:
        """Return the rows that a source gives when it is asked for them.

        Args:
            fields: What its columns are, by position.
            source: The rows.
        """
        return cls(fields, LazyContent(tuple(fields), source))

    @classmethod
    def of_rows(cls, fields: Sequence[Field], rows: Sequence[Row], engine: Engine | None = None) -> Result:
        """Return rows that are known; values are such as a result gives.

        Args:
            fields: The columns.
            rows: The rows.
            engine: Makes a frame of them for those who want one; without it there is none.
        """
        return cls(fields, KnownContent(tuple(fields), list(rows), engine))

    @classmethod
    def of_texts(
        cls,
        fields: Sequence[Field],
        texts: Sequence[Sequence[str | None]],
        engine: Engine | None = None,
    ) -> Result:
        """Return rows whose values are written as DuckLake's texts; as `of_rows`.

        Raises:
            InvalidInputError: A text means no value of its column.
        """
        columns = list(zip(*texts, strict=True)) if texts else [()] * len(fields)
        values = [
            to_python(field.type, parse_values(field, column)) for field, column in zip(fields, columns, strict=True)
        ]
        return cls.of_rows(fields, list(zip(*values, strict=True)), engine)

    @classmethod
    def of_count(cls, count: int, engine: Engine) -> Result:
        """Return how many rows a statement changed, as DuckDB tells it."""
        return cls.of_rows((Field(None, "Count", types.INT64),), [(count,)], engine)

    # ---- what it is --------------------------------------------------------------------------------------------------

    @property
    def columns(self) -> list[str]:
        """The names of the columns; they may repeat."""
        return [field.name for field in self._fields]

    @property
    def types(self) -> list[str]:
        """The types of the columns, as DuckDB names them."""
        return [field.type.sql_name for field in self._fields]

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
        """Return the first rows as a result of their own, which prints as a table; only so many are computed.

        Raises:
            InvalidInputError: The number is negative, or none.
        """
        return Result(self._fields, self._content.head(checked_count(n)))

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
        return self._named_table().to_pandas()

    def polars(self) -> pl.DataFrame:
        """Return the rows as a DataFrame of Polars; names that repeat are as in `pandas`.

        Raises:
            ConfigError: Polars is not installed.
        """
        try:
            import polars  # noqa: PLC0415 - nothing else needs it
        except ImportError as error:
            raise ConfigError(
                "Polars is not installed; nothing was read.", hint="Install it: pip install polars"
            ) from error
        return polars.from_arrow(self._named_table())

    def df(self) -> pd.DataFrame:
        """Return the same as `pandas`, under the name that DuckDB gives it."""
        return self.pandas()

    def fetchdf(self) -> pd.DataFrame:
        """Return the same as `pandas`, under the other name that DuckDB gives it."""
        return self.pandas()

    def pl(self) -> pl.DataFrame:
        """Return the same as `polars`, under the name that DuckDB gives it."""
        return self.polars()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand over the rows to whoever reads Arrow's streams: Polars, DuckDB, pandas, PyArrow."""
        return self._named_table().__arrow_c_stream__(requested_schema)

    def dataframe(self) -> DataFrame:
        """Return the rows as a DataFrame of Spark, lazily where the result is; names that repeat are as in `pandas`.

        Types are those that columns of tables have in Spark. No order is promised that the query does not say.
        """
        frame: DataFrame = self._content.frame(self._unique_names())
        return frame

    # ---- shown -------------------------------------------------------------------------------------------------------

    def show(self, max_rows: int = SHOWN_ROWS) -> None:
        """Print the first rows as a table; only so many are computed, unless all are known."""
        Console().print(text_table(self._fields, *self._first(max_rows)))

    def texts(self, max_rows: int | None = None) -> tuple[list[list[str]], bool]:
        """Return rows as DuckDB prints their values, and whether there are more; all of them without a number."""
        rows, has_more = (self.rows(), False) if max_rows is None else self._first(max_rows)
        fields = self._fields
        return [[cell_text(field, value) for field, value in zip(fields, row, strict=True)] for row in rows], has_more

    def __repr__(self) -> str:
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


def checked_count(n: Any) -> int:
    """Return a number of rows that a caller gave.

    Raises:
        InvalidInputError: It is negative, or no whole number.
    """
    if not isinstance(n, int) or isinstance(n, bool) or n < 0:
        raise InvalidInputError(f"head takes a number of rows, not {n!r}; nothing was read.")
    return n
