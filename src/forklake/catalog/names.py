"""The rules for names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final
from unicodedata import category

from forklake.errors import InvalidInputError, InvalidNameError
from forklake.model.names import byte_length, split_name

MAX_NAME_LENGTH: Final = 255
MAX_TEXT_BYTES: Final = 64 * 1024
"""How long a text of the metadata may be: of a definition, a comment, a message, an option."""

_TURNS: Final = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Letters that are not shown, and turn the direction of those around them."""
_PLAIN: Final = re.compile(r"[A-Za-z0-9_-]+")


def check_name(kind: str, name: str) -> str:
    """Return the name if something can have it.

    Any text that a database can store is allowed: 1 to 255 characters, no NUL, no half of a surrogate pair.

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


def check_new_catalog(name: str) -> str:
    """Return the name if a new catalog can have it.

    Control characters and their like would break lists and logs, ``.`` and ``..`` are places of a file system.
    Catalogs that have such a name from before keep it.

    Raises:
        InvalidNameError: The name cannot be used.
    """
    check_name("catalog", name)
    if name in (".", ".."):
        raise InvalidNameError(f'"{name}" names a directory, and cannot be the name of a catalog; nothing was done.')
    check_shown("catalog", name)
    return name


def check_shown(kind: str, name: str) -> None:
    """Refuse a new name that would be shown on several lines, or in another order.

    Raises:
        InvalidNameError: It has control characters, line separators, or characters that turn the direction of text.
    """
    if not name.isprintable() and any(letter in _TURNS or category(letter) in ("Cc", "Zl", "Zp") for letter in name):
        raise InvalidNameError(
            f"The name of a {kind} must not contain control characters, line separators, or characters that turn the"
            f" direction of text: {name!r}."
        )


def qualified_name(name: str, schema: str | None = None) -> tuple[str, str]:
    """Return the schema and the name in ``table`` or ``schema.table``.

    The schema is ``main`` if there is none. Parts with dots are in double quotes. If the schema is given, the
    name is taken as it is.

    >>> qualified_name("orders"), qualified_name('sales."a.b"'), qualified_name("a.b", "main")
    (('main', 'orders'), ('sales', 'a.b'), ('main', 'a.b'))

    Raises:
        InvalidNameError: It is no such name.
    """
    if schema is not None:
        return schema, name
    if not isinstance(name, str) or ("." not in name and not name.startswith('"')):
        return "main", name
    parts = split_name(name)
    if parts is None or len(parts) > 2:
        raise InvalidNameError(
            f'"{name}" is no name of a table, view or macro.',
            hint='Names are written table or schema."my.table"; if the schema is given apart, any name does.',
        )
    return ("main", *parts) if len(parts) == 1 else (parts[0], parts[1])


def check_text(what: str, text: str | None) -> str | None:
    """Return a text of the metadata that every database can store, or None.

    Raises:
        InvalidInputError: It is not a text, contains NUL or half of a surrogate pair, or is too long.
    """
    checked = check_value(what, text)
    if checked is not None and (size := byte_length(checked)) > MAX_TEXT_BYTES:
        raise InvalidInputError(
            f"The {what} has {size:,} bytes, and at most {MAX_TEXT_BYTES:,} are allowed; nothing was done.",
            hint="Keep long texts in a table or in a file, and name them here.",
        )
    return checked


def check_value(what: str, text: str | None) -> str | None:
    """Return a value, as text, that every database can store, or None.

    Raises:
        InvalidInputError: It is no text, or contains NUL or half of a surrogate pair.
    """
    if text is None:
        return None
    if not isinstance(text, str) or not is_storable(text):
        raise InvalidInputError(f"The {what} must be text without NUL or halves of surrogate pairs, not {text!r}.")
    return text


def column_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the column names that a caller lists.

    Raises:
        InvalidInputError: It is no list of texts: one text, say, or columns of a DataFrame.
    """
    try:
        given = None if isinstance(names, str) else list(names)
    except TypeError:
        given = None
    if given is None:
        raise InvalidInputError(f"Columns are a list of their names, not {_describe(names)}; nothing was done.")
    return tuple(column_name(name) for name in given)


def column_name(name: str) -> str:
    """Return the column name that a caller passes.

    Raises:
        InvalidInputError: It is no text: a column of a DataFrame, say.
    """
    if not isinstance(name, str):
        raise InvalidInputError(f"A column is named by text, not by {_describe(name)}; nothing was done.")
    return name


def _describe(given: object) -> str:
    return repr(given) if isinstance(given, str) else f"a value of type {type(given).__name__}"


def is_storable(text: str) -> bool:
    """Return whether every database can store the text.

    It must have no NUL and no half of a surrogate pair.
    """
    return "\0" not in text and (text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text))


def directory(name: str, uuid: str) -> str:
    """Return the directory for a name: the name itself if it is plain, else the uuid.

    A name cannot lead outside: only letters, digits, ``_`` and ``-`` ever become part of a path.

    >>> directory("orders", "0190"), directory("../x", "0190")
    ('orders/', '0190/')
    """
    return f"{name}/" if _PLAIN.fullmatch(name) else f"{uuid}/"
