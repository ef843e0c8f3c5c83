"""Frames of the caller that queries can use like tables.

They are registered under a name, or are variables of the calling Python code.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from types import FrameType
from typing import Any, Final

import pyarrow as pa

from forklake.engine.engine import Engine, Frame
from forklake.errors import InvalidInputError, NotFoundError
from forklake.files.incoming.conform import conform
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold, nearest
from forklake.ops.rows.append import frame_fields, rereadable_rows

_PACKAGE: Final = __name__.partition(".")[0]
_FRAME_MODULES: Final = ("pandas.", "polars.", "pyarrow.")


@dataclass(frozen=True, slots=True)
class CallerFrame:
    """A frame of the caller, with the columns that a table for it would have.

    The rows are an Arrow table, already conformed to the columns, or a frame of the engine.
    """

    columns: tuple[Field, ...]
    rows: pa.Table | Frame


@dataclass(slots=True)
class Frames:
    """The frames that queries of one session can name: registered ones, and variables."""

    _registered: dict[str, CallerFrame] = field(default_factory=dict)
    _variables: dict[str, CallerFrame] | None = None

    def register(self, engine: Engine, name: str, frame: Any) -> None:
        """Register a frame under a name; a frame that has the name already is replaced.

        Raises:
            InvalidInputError: The name is no text, or the value no frame.
        """
        if not isinstance(name, str) or not name:
            raise InvalidInputError(f"A frame is registered under a name, not under {name!r}.")
        self._registered[fold(name)] = read_frame(engine, frame)

    def unregister(self, name: str) -> None:
        """Forget a registered frame.

        Raises:
            NotFoundError: None was registered under the name.
        """
        if self._registered.pop(fold(name), None) is None:
            near = nearest(name, self._registered)
            raise NotFoundError(
                f'No frame is registered as "{name}".', hint=f'Did you mean "{near}"?' if near else None
            )

    def find(self, name: str) -> CallerFrame | None:
        """Return the frame that is registered under a name; None if there is none."""
        return self._registered.get(fold(name))

    @contextmanager
    def of_one_statement(self) -> Iterator[None]:
        """Read each variable once while the block runs.

        A statement that names a frame twice, or runs again after a conflict, has the same rows each time. A stream
        could not be read again.
        """
        outer, self._variables = self._variables, {}
        try:
            yield
        finally:
            self._variables = outer

    def of_caller(self, engine: Engine, name: str) -> CallerFrame | None:
        """Return the frame in a variable of the caller, as `frame_of_caller` does."""
        known = {} if self._variables is None else self._variables
        if name not in known:
            found = frame_of_caller(engine, name)
            if found is None:
                return None
            known[name] = found
        return known[name]


def frame_of_caller(engine: Engine, name: str) -> CallerFrame | None:
    """Return the frame in a variable of the code that called forklake.

    Local variables come before global ones. None if there is no such variable, or if it holds anything but a
    frame.

    Raises:
        InvalidInputError: A column of the frame has a type that tables do not support.
    """
    frame: FrameType | None = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame = frame.f_back
    if frame is None:
        return None
    for variables in (frame.f_locals, frame.f_globals):
        found = _variable(variables, name)
        if engine.is_frame(found) or _is_frame(found):
            return read_frame(engine, found)
    return None


def read_frame(engine: Engine, frame: Any) -> CallerFrame:
    """Return a frame of the caller with the columns that a table for it would have.

    Raises:
        InvalidInputError: It is no frame, or one of its columns has a type that tables do not support.
    """
    rows = rereadable_rows(engine, frame)
    fields = frame_fields(engine, rows)
    return CallerFrame(fields, conform(rows, fields, "frame", by_name=False) if isinstance(rows, pa.Table) else rows)


def _variable(variables: Mapping[str, Any], name: str) -> Any:
    """Return the value of a variable; None if there is none.

    An exact match comes first; otherwise upper and lower case are the same, as for names in SQL.
    """
    if name in variables:
        return variables[name]
    return next((value for one, value in variables.items() if fold(one) == fold(name)), None)


def _is_frame(value: Any) -> bool:
    """Return whether SQL may read a variable as a table without `register`.

    Lists and dictionaries are not read this way: they may be anything.
    """
    kind = type(value)
    return kind.__module__.startswith((f"{_PACKAGE}.", *_FRAME_MODULES)) and (
        hasattr(value, "__arrow_c_stream__") or kind.__name__ == "DataFrame"
    )
