"""Default values of columns that an insert leaves out."""

from __future__ import annotations

import random
import re
import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

import pyarrow as pa

from forklake.errors import InvalidInputError
from forklake.files.access.uuid7 import uuid7
from forklake.files.arrow.values import stored_array
from forklake.files.casting.casts import cast
from forklake.files.casting.texts import parse_values
from forklake.model.field import Field
from forklake.model.types import Type
from forklake.model.types.read import read_scalar

_TYPE: Final = r"([\w ]+(?:\([\d, ]+\))?)\s*"
_CALL: Final = re.compile(r'"?(\w+)"?\s*(?:\(\s*\))?')
_CAST: Final = re.compile(rf"CAST\s*\((.*)\s+AS\s+{_TYPE}\)|(.*)::\s*{_TYPE}", re.IGNORECASE | re.DOTALL)


def default_array(field: Field, count: int, table: str, now: datetime) -> pa.Array:
    """Return a column's default for some rows, in the type that files hold.

    Without a default, the values are NULL.

    Args:
        field: A column of the table.
        count: How many rows there are.
        table: The table's name, for messages.
        now: The time that clock functions return, with a zone.

    Raises:
        InvalidInputError: The default is an expression that is not evaluated here, or is not a value of the
            column's type.
    """
    if field.default is None:
        return stored_array(field, [None] * count)
    if not field.default_is_expression:
        return stored_array(field, parse_values(field, [field.default]) * count)
    name, kinds = _call(field.default)
    if name in _CLOCKS:
        made = pa.repeat(_CLOCKS[name](pa.array([now], pa.timestamp("us", "UTC")))[0], count)
    elif name in _GENERATORS:
        made = pa.array([_GENERATORS[name]() for _ in range(count)], _GENERATED[name])
    else:
        raise InvalidInputError(
            f'The default of column "{field.name}" is the expression "{field.default}", which is not evaluated here; '
            "give the column a value."
        )
    for kind in kinds:
        made = cast(Field(None, field.name, kind), made, table)
    return cast(field, made, table)


def is_drawn_per_row(field: Field) -> bool:
    """Return whether the default of a column is a new value for each row."""
    return field.default is not None and field.default_is_expression and _call(field.default)[0] in _GENERATORS


def _call(expression: str) -> tuple[str, list[Type]]:
    """Return the function that an expression calls, and the casts of its result.

    The function has no arguments. The casts are type names, in order.
    """
    text, kinds = expression.strip(), list[Type]()
    while True:
        if text.startswith("(") and text.endswith(")"):
            text = text[1:-1].strip()
        elif match := _CAST.fullmatch(text):
            text = (match[1] or match[3]).strip()
            try:
                kinds.insert(0, read_scalar(match[2] or match[4], is_sql=True))
            except ValueError:
                return "", []
        else:
            call = _CALL.fullmatch(text)
            return (call[1].lower() if call else ""), kinds


_MOMENTS: Final = ("now", "current_timestamp", "get_current_timestamp", "transaction_timestamp")
_CLOCKS: Final[dict[str, Callable[[pa.Array], pa.Array]]] = {
    **{name: lambda moment: moment for name in _MOMENTS},
    **dict.fromkeys(("current_localtimestamp", "localtimestamp"), lambda moment: moment.cast(pa.timestamp("us"))),
    **dict.fromkeys(("current_date", "today"), lambda moment: moment.cast(pa.timestamp("us")).cast(pa.date32())),
    **dict.fromkeys(
        ("current_time", "get_current_time", "current_localtime", "localtime"),
        lambda moment: moment.cast(pa.timestamp("us")).cast(pa.time64("us")),
    ),
}
_GENERATORS: Final[dict[str, Callable[[], Any]]] = {
    **dict.fromkeys(("uuid", "gen_random_uuid", "uuidv4"), lambda: str(uuid.uuid4())),
    "uuidv7": lambda: str(uuid7()),
    "random": random.random,
}
_GENERATED: Final = {name: pa.float64() if name == "random" else pa.string() for name in _GENERATORS}
