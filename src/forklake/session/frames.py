"""Frames of the caller that queries name like tables: those that were registered, and variables of Python."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Final

import pyarrow as pa

from forklake.engine.engine import Engine, Frame
from forklake.errors import InvalidInputError, NotFoundError
from forklake.files.conform import conform
from forklake.model.field import Field
from forklake.model.names import fold, nearest
from forklake.ops.append import frame_fields, held

_PACKAGE: Final = __name__.partition(".")[0]
_FRAME_MODULES: Final = ("pandas.", "polars.", "pyarrow.")


@dataclass(frozen=True, slots=True)
class HeldFrame:
    """Rows of the caller: an Arrow table as `conform` makes it for its columns, or a frame of the engine."""

    columns: tuple[Field, ...]
    rows: pa.Table | Frame


@dataclass(slots=True)
class Frames:
    """The frames that one session knows by name."""

    _registered: dict[str, HeldFrame] = field(default_factory=dict)

    def register(self, engine: Engine, name: str, frame: Any) -> None:
        """Let queries name a frame; one that has the name already is replaced.

        Raises:
            InvalidInputError: The name is no text, or the value no frame.
        """
        if not isinstance(name, str) or not name:
            raise InvalidInputError(f"A frame is registered under a name, not under {name!r}.")
        self._registered[fold(name)] = hold(engine, frame)

    def unregister(self, name: str) -> None:
        """Forget a frame.

        Raises:
            NotFoundError: None was registered under the name.
        """
        if self._registered.pop(fold(name), None) is None:
            near = nearest(name, self._registered)
            raise NotFoundError(
                f'No frame is registered as "{name}".', hint=f'Did you mean "{near}"?' if near else None
            )

    def registered(self, name: str) -> HeldFrame | None:
        """Return the frame that was registered under a name."""
        return self._registered.get(fold(name))


def frame_of_caller(engine: Engine, name: str) -> HeldFrame | None:
    """Return the frame that a variable holds where forklake was called, a local or a global one; None if there is none.

    A variable that holds anything else is none.

    Raises:
        InvalidInputError: The frame has a column of a type that no column of a table can have.
    """
    frame: FrameType | None = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame = frame.f_back
    if frame is None:
        return None
    for variables in (frame.f_locals, frame.f_globals):
        found = _variable(variables, name)
        if engine.is_frame(found) or _is_frame(found):
            return hold(engine, found)
    return None


def hold(engine: Engine, frame: Any) -> HeldFrame:
    """Return a frame with the columns that a table would need to hold it.

    Raises:
        InvalidInputError: It is no frame, or has a column of a type that no column of a table can have.
    """
    rows = held(engine, frame)
    fields = frame_fields(engine, rows)
    return HeldFrame(fields, conform(rows, fields, "frame", by_name=False) if isinstance(rows, pa.Table) else rows)


def _variable(variables: Mapping[str, Any], name: str) -> Any:
    """Return the value of a variable; as SQL's names, it need not be written in the same case."""
    if name in variables:
        return variables[name]
    return next((value for one, value in variables.items() if fold(one) == fold(name)), None)


def _is_frame(value: Any) -> bool:
    """Return whether a value has rows that SQL may read unasked: no list or dictionary, which may be anything."""
    kind = type(value)
    return kind.__module__.startswith((f"{_PACKAGE}.", *_FRAME_MODULES)) and (
        hasattr(value, "__arrow_c_stream__") or kind.__name__ == "DataFrame"
    )
