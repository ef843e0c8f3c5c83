"""The rows of a result: already known, or read when they are first needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from typing import Any, Final, Protocol

import pyarrow as pa

from forklake import files
from forklake.engine.engine import Engine, Frame
from forklake.engine.local.whole_scan import read_plan
from forklake.errors import DataFileError, EngineError, InvalidInputError
from forklake.files.arrow.values import stored_array, values_of
from forklake.files.arrow.wide_integers import narrow_table
from forklake.files.casting.casts import cast
from forklake.files.casting.python_values import from_python, to_python
from forklake.model import types
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.scan import ScanPlan
from forklake.model.table_read import TableRead

Row = tuple[Any, ...]

_KEPT_ROWS: Final = 200
"""How many rows are computed to show some of them: so many can be shown again, or more of them, without another job."""


class ResultContent(Protocol):
    """The rows of a result, whatever they come from."""

    def rows(self) -> list[Row]:
        """Return all rows."""

    def first(self, count: int) -> list[Row]:
        """Return the first rows, without computing the others where possible."""

    def head(self, count: int) -> ResultContent:
        """Return the first rows as another content, without computing any."""

    def table(self) -> pa.Table:
        """Return all rows; the columns may have any names."""

    def frame(self, names: Sequence[str]) -> Frame:
        """Return all rows as a frame whose columns have these names."""


class RowSource(Protocol):
    """Rows that are computed or read when they are needed."""

    def collect(self, limit: int | None) -> pa.Table:
        """Return the rows, or the first of them, as an Arrow table.

        The types are those that readers of a table see; the columns may have any names.
        """

    def frame(self, names: Sequence[str], limit: int | None) -> Frame:
        """Return the rows, or the first of them, as a frame of the engine, lazily."""


# ---- sources ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FrameRows:
    """The rows of a frame.

    Attributes:
        engine: The engine of the frame.
        rows: The frame.
        paths: The files that are read, as messages name them.
        what: The thing that is read, as messages name it.
        reads: The tables that are read, as a note for who takes the frame.
    """

    engine: Engine
    rows: Frame
    paths: tuple[str, ...]
    what: str
    reads: tuple[TableRead, ...] = ()

    def collect(self, limit: int | None) -> pa.Table:
        """Compute the rows."""
        return self.engine.collect(self.rows, limit=limit, paths=self.paths, what=self.what)

    def frame(self, names: Sequence[str], limit: int | None) -> Frame:
        """Return the frame."""
        return self.engine.limit_rows(
            self.engine.note_reads(self.engine.rename_columns(self.rows, names), self.reads), limit
        )


@dataclass(frozen=True, slots=True)
class LocalRows:
    """The rows of a scan that this process reads.

    Attributes:
        plan: The scan.
        columns: The columns of the result.
        by_engine: Gives the same rows, read by the engine.
        offset: How many rows to skip.
    """

    plan: ScanPlan
    columns: tuple[Field, ...]
    by_engine: Callable[[], FrameRows]
    offset: int = 0

    def collect(self, limit: int | None) -> pa.Table:
        """Read the files."""
        try:
            found = read_plan(self.plan, self.columns, None if limit is None else self.offset + limit)
        except InvalidInputError:
            # A value that cannot be shown: the engine has the last word on it.
            return self.by_engine().collect(limit)
        return found.slice(self.offset) if self.offset else found

    def frame(self, names: Sequence[str], limit: int | None) -> Frame:
        """Return the same rows as a frame, read by the engine."""
        return self.by_engine().frame(names, limit)


@dataclass(frozen=True, slots=True)
class RowsReadHere:
    """Rows of several scans that this process reads together.

    Attributes:
        read: Reads them all.
        by_engine: Gives the same rows, read by the engine.
    """

    read: Callable[[], pa.Table]
    by_engine: Callable[[], FrameRows]

    def collect(self, limit: int | None) -> pa.Table:
        """Read the files."""
        try:
            return self.read().slice(0, limit)
        except InvalidInputError:
            # A value that cannot be shown: the engine has the last word on it.
            return self.by_engine().collect(limit)

    def frame(self, names: Sequence[str], limit: int | None) -> Frame:
        """Return the same rows as a frame, read by the engine."""
        return self.by_engine().frame(names, limit)


# ---- contents --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class KnownContent:
    """Rows that are already known, as values of Python."""

    _fields: tuple[Field, ...]
    _rows: list[Row]
    _engine: Engine | None

    def rows(self) -> list[Row]:
        """Return all rows."""
        return self._rows

    def first(self, count: int) -> list[Row]:
        """Return the first rows."""
        return self._rows[:count]

    def head(self, count: int) -> KnownContent:
        """Return the first rows as another content."""
        return replace(self, _rows=self._rows[:count])

    def table(self) -> pa.Table:
        """Return all rows, with the types of data files."""
        columns = list(zip(*self._rows, strict=True)) if self._rows else [()] * len(self._fields)
        arrays = [
            stored_array(field, from_python(field.type, column))
            for field, column in zip(_remove_ids(self._fields), columns, strict=True)
        ]
        return narrow_table(pa.table(arrays, names=_positions(self._fields)))

    def frame(self, names: Sequence[str]) -> Frame:
        """Return all rows as a frame."""
        if self._engine is None:
            raise EngineError("There is no engine to make a DataFrame with.")
        fields = [replace(field, name=name) for field, name in zip(self._fields, names, strict=True)]
        return self._engine.rows_frame(fields, self._rows)


@dataclass(slots=True)
class LazyContent:
    """Rows that are read when they are first needed, and kept from then on.

    Attributes:
        limit: The largest number of rows.
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
            self._rows = self._python(self._collect())
        return self._rows

    def first(self, count: int) -> list[Row]:
        """Return the first rows; only these are computed, unless all are known."""
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
        """Return the first rows as another content."""
        limit = count if self.limit is None else min(count, self.limit)
        table = None if self._table is None else self._table.slice(0, limit)
        return LazyContent(self._fields, self._source, limit, table)

    def table(self) -> pa.Table:
        """Return all rows, with the types of data files."""
        arrays = [
            column if field.type == types.VARIANT else cast(field, column.combine_chunks(), "the result")
            for field, column in zip(_remove_ids(self._fields), self._collect().columns, strict=True)
        ]
        return narrow_table(pa.table(arrays, names=_positions(self._fields)))

    def frame(self, names: Sequence[str]) -> Frame:
        """Return all rows as a frame."""
        return self._source.frame(names, self.limit)

    def _collect(self) -> pa.Table:
        if self._table is None:
            self._table = self._source.collect(self.limit)
        return self._table

    def _python(self, table: pa.Table) -> list[Row]:

        if not self._fields:
            return [()] * table.num_rows
        with refuse_bad_text():
            held = [values_of(column.combine_chunks()) for column in table.columns]
        columns = [
            files.variants.python_variants(values) if field.type == types.VARIANT else to_python(field.type, values)
            for field, values in zip(self._fields, held, strict=True)
        ]
        return list(zip(*columns, strict=True))


@contextmanager
def refuse_bad_text() -> Iterator[None]:
    """Refuse texts that are not UTF-8 in our words, not in Python's.

    A file that others wrote may hold any bytes.

    Raises:
        DataFileError: It cannot.
    """
    try:
        yield
    except (UnicodeDecodeError, pa.ArrowException) as error:
        raise DataFileError(
            f"A text of the result is not valid UTF-8, and cannot be shown ({error}).",
            hint="Read the column as bytes with arrow(), and write the file that holds it anew.",
        ) from error


def _positions(fields: Sequence[Field]) -> list[str]:
    return [f"c{position}" for position in range(len(fields))]


def _remove_ids(fields: Sequence[Field]) -> tuple[Field, ...]:
    """Return columns without their column ids, which mean nothing in a result."""
    return tuple(replace(field.with_children(_remove_ids(field.children)), column_id=None) for field in fields)
