"""Signatures of catalog functions, and matching of arguments to them.

Errors use DuckDB's words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from forklake.catalog.moments import TagName, read_time
from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.flags import BOOLEANS
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.types.constants import type_of
from forklake.ops.lakes.relative_times import age_of, time_before

VARCHAR: Final = "VARCHAR"
BIGINT: Final = "BIGINT"
UBIGINT: Final = "UBIGINT"
BOOLEAN: Final = "BOOLEAN"
DOUBLE: Final = "DOUBLE"
ANY: Final = "ANY"
TIMESTAMPTZ: Final = "TIMESTAMP WITH TIME ZONE"
MOMENT: Final = f"{BIGINT} | {TIMESTAMPTZ}"
"""A snapshot by its id or its tag, or a point in time."""
TEXTS: Final = "VARCHAR[]"
IDS: Final = "UBIGINT[]"
SIGNED: Final[Mapping[str, str]] = {"author": VARCHAR, "message": VARCHAR}
"""Who does something, and why: what many functions take by name; `Call.signature` reads it."""

Now = Callable[[], datetime]
"""The clock that ages are counted from."""


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of a catalog function.

    The alias of the catalog is not part of it; a function of one catalog takes it before all others.

    Attributes:
        positional: Names and types of the required arguments.
        optional: Names and types of the arguments that may follow them.
        named: Names and types of the arguments that must be given by name.
    """

    positional: Mapping[str, str] = field(default_factory=dict)
    optional: Mapping[str, str] = field(default_factory=dict)
    named: Mapping[str, str] = field(default_factory=dict)

    def after_catalog(self) -> Signature:
        """Return the signature with the alias of a catalog as the first parameter."""
        return replace(self, positional={"catalog": VARCHAR, **self.positional})

    def in_words(self, name: str) -> str:
        """Return the signature as DuckDB lists candidates in an error."""
        types = [*self.positional.values(), *(f"[{kind}]" for kind in self.optional.values())]
        types += [f"{key} : {kind}" for key, kind in self.named.items()]
        return f"{name}({', '.join(types)})"


def match(
    name: str,
    signatures: Sequence[Signature],
    arguments: Sequence[Any],
    named: Mapping[str, Any],
    now: Now,
    *,
    catalog: str | None = None,
) -> dict[str, Any]:
    """Return the arguments by name, converted to the types of the signature.

    Arguments that were not given are left out. Where a time is expected, an interval, or its text, means that long
    before now, and is not negative. ``catalog`` is the alias before the arguments, if there was one.

    Raises:
        InvalidInputError: No signature fits, or a value cannot be converted.
    """
    given = {fold(key): value for key, value in named.items()}
    for signature in signatures:
        parameters = {**signature.positional, **signature.optional}
        if not len(signature.positional) <= len(arguments) <= len(parameters):
            continue
        pairs = list(zip(parameters.items(), arguments, strict=False))
        if not all(_fits(kind, value) for (_, kind), value in pairs):
            continue
        taken = {**signature.named, **dict(list(parameters.items())[len(arguments) :])}
        for key in given:
            if key not in taken:
                raise _no_such_name(name, key, taken)
        found = {key: _convert(key, kind, value, now) for (key, kind), value in pairs}
        return found | {key: _convert(key, taken[key], value, now) for key, value in given.items()}
    if catalog is None:
        raise no_match(name, signatures, arguments)
    raise no_match(name, [signature.after_catalog() for signature in signatures], [catalog, *arguments])


def no_match(name: str, signatures: Sequence[Signature], arguments: Sequence[Any]) -> InvalidInputError:
    """Return the error for arguments that fit no signature."""
    shown = ", ".join(_type_name(value) for value in arguments)
    candidates = "\n".join(f"\t{signature.in_words(name)}" for signature in signatures)
    return InvalidInputError(
        f"Binder Error: No function matches the given name and argument types '{name}({shown})'. You might need to add"
        f" explicit type casts.\n\tCandidate functions:\n{candidates}"
    )


def _no_such_name(name: str, key: str, taken: Mapping[str, str]) -> InvalidInputError:
    known = "\n".join(f"    {other} {kind}" for other, kind in sorted(taken.items()))
    listed = f"Candidates:\n{known}" if known else "Function does not accept any named parameters."
    return InvalidInputError(f'Binder Error: Invalid named parameter "{key}" for function {name}\n{listed}')


def _type_name(value: object) -> str:
    """Return what DuckDB calls the type of a constant."""
    return (type_of(value) or types.VARCHAR).sql_name


def _fits(kind: str, value: Any) -> bool:
    """Return whether a value fits a parameter without a cast that can fail."""
    if value is None or kind == ANY:
        return True
    is_number = isinstance(value, int) and not isinstance(value, bool)
    match kind:
        case "VARCHAR":
            return isinstance(value, str)
        case "BIGINT":
            return is_number
        case "UBIGINT":
            return is_number and value >= 0
        case "BOOLEAN":
            return isinstance(value, bool)
        case "DOUBLE":
            return is_number or isinstance(value, float | Decimal)
        case "VARCHAR[]":
            return isinstance(value, list | tuple) and all(isinstance(part, str) for part in value)
        case "UBIGINT[]":
            return isinstance(value, list | tuple) and all(_fits(BIGINT, part) for part in value)
        case "TIMESTAMP WITH TIME ZONE":
            return isinstance(value, date | timedelta) or (
                isinstance(value, str) and (_is_time(value) or age_of(value) is not None)
            )
        case _:
            # A text that is no number, time or age is the name of a snapshot.
            return (
                _fits(BIGINT, value) or _fits(TIMESTAMPTZ, value) or (isinstance(value, str) and not _is_number(value))
            )


def _convert(name: str, kind: str, value: Any, now: Now) -> Any:
    if value is None or kind == ANY:
        return value
    if _fits(kind, value):
        if kind == DOUBLE:
            return float(value)
        return _moment(name, value, now) if kind in (TIMESTAMPTZ, MOMENT) else value
    if kind == VARCHAR:
        return str(value)
    if kind == MOMENT and not _is_number(value):
        raise InvalidInputError(
            f'Invalid Input Error: "{name}" is the number of a snapshot, a time or an age, not {value!r}; nothing was'
            " done."
        )
    if isinstance(value, str):
        text = value.strip()
        if kind == BOOLEAN and text.lower() in BOOLEANS:
            return BOOLEANS[text.lower()]
        if kind in (BIGINT, MOMENT) and _is_number(text):
            return int(text)
        if kind == UBIGINT and _is_number(text) and int(text) >= 0:
            return int(text)
        target = _CAST_NAMES.get(kind, kind)
        raise InvalidInputError(
            f"Invalid Input Error: Failed to cast value: Could not convert string '{value}' to {target}"
        )
    if kind == BOOLEAN and isinstance(value, int):
        return value != 0
    if kind == UBIGINT and _fits(BIGINT, value):
        raise InvalidInputError(
            f"Invalid Input Error: Failed to cast value: Type {_integer_name(value)} with value {value} can't be cast"
            " because the value is out of range for the destination type UINT64"
        )
    raise InvalidInputError(
        f"Invalid Input Error: Failed to cast value: Unimplemented type for cast ({_type_name(value)} -> {kind})"
    )


def _integer_name(value: int) -> str:
    """Return the name that DuckDB's messages have for the type of an integer."""
    return "INT32" if -(2**31) <= value < 2**31 else "INT64"


def _is_number(value: Any) -> bool:
    text = value.strip() if isinstance(value, str) else ""
    return text.isascii() and text.lstrip("+-").isdecimal()


_CAST_NAMES: Final = {BIGINT: "INT64", UBIGINT: "UINT64", MOMENT: "INT64", BOOLEAN: "BOOL"}


def _moment(name: str, value: Any, now: Now) -> Any:
    if isinstance(value, int) or value is None:
        return value
    if isinstance(value, date) or (isinstance(value, str) and _is_time(value)):
        return read_time(value)
    age = age_of(value)
    if age is None:
        unread = f'Invalid Input Error: "{name}" is the number of a snapshot, a time or an age, not {value!r}'
        return TagName(value, unread)
    try:
        return time_before(now(), age)
    except InvalidInputError as error:
        raise InvalidInputError(f'Invalid Input Error: "{name}": {error.message}', hint=error.hint) from None


def _is_time(text: str) -> bool:
    try:
        read_time(text)
    except InvalidInputError:
        return False
    return True
