"""Which names are allowed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from forklake.errors import InvalidInputError, InvalidNameError

MAX_NAME_LENGTH: Final = 255

_PLAIN: Final = re.compile(r"[A-Za-z0-9_-]+")


def check_name(kind: str, name: str) -> str:
    """Return the name if it can be given to something.

    Any text does that a database can store: 1 to 255 characters, no NUL, no half of a surrogate pair.

    Raises:
        InvalidNameError: The name cannot be used.
    """
    if not isinstance(name, str):
        raise InvalidNameError(f"The name of a {kind} must be text, not {type(name).__name__}.")
    if not name:
        raise InvalidNameError(f"The name of a {kind} must not be empty.")
    if len(name) > MAX_NAME_LENGTH:
        raise InvalidNameError(
            f"The name of a {kind} must not be longer than {MAX_NAME_LENGTH} characters:"
            f' "{name[:40]}..." has {len(name)}.'
        )
    if not is_storable(name):
        raise InvalidNameError(f"The name of a {kind} must not contain NUL or half of a surrogate pair: {name!r}.")
    return name


def check_text(what: str, text: str | None) -> str | None:
    """Return a text that every database can store, or None.

    Raises:
        InvalidInputError: It is no text, or contains NUL or half of a surrogate pair.
    """
    if text is None:
        return None
    if not isinstance(text, str) or not is_storable(text):
        raise InvalidInputError(f"The {what} must be text without NUL or halves of surrogate pairs, not {text!r}.")
    return text


def column_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return names of columns that a caller lists.

    Raises:
        InvalidInputError: It is no list of texts: one text, say, or columns of a DataFrame.
    """
    try:
        given = None if isinstance(names, str) else list(names)
    except TypeError:
        given = None
    if given is None:
        raise InvalidInputError(f"Columns are a list of their names, not {_shown(names)}; nothing was done.")
    return tuple(column_name(name) for name in given)


def column_name(name: str) -> str:
    """Return the name of a column that a caller gives.

    Raises:
        InvalidInputError: It is no text: a column of a DataFrame, say.
    """
    if not isinstance(name, str):
        raise InvalidInputError(f"A column is named by text, not by {_shown(name)}; nothing was done.")
    return name


def _shown(given: object) -> str:
    return repr(given) if isinstance(given, str) else f"a value of type {type(given).__name__}"


def is_storable(text: str) -> bool:
    """Return whether every database can store the text: no NUL, no half of a surrogate pair."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def directory(name: str, uuid: str) -> str:
    """Return the directory of something that is called so: its name if that is plain, else its uuid.

    A name cannot lead anywhere else: what is not letters, digits, ``_`` and ``-`` is never part of a path.

    >>> directory("orders", "0190"), directory("../x", "0190")
    ('orders/', '0190/')
    """
    return f"{name}/" if _PLAIN.fullmatch(name) else f"{uuid}/"
