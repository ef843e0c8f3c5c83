"""Booleans in texts."""

from __future__ import annotations

from typing import Final

BOOLEANS: Final = {
    **dict.fromkeys(("true", "t", "1", "yes", "y"), True),
    **dict.fromkeys(("false", "f", "0", "no", "n"), False),
}
"""The texts that DuckDB casts to BOOLEAN, in lower case."""
_SWITCHES: Final = {**BOOLEANS, "on": True, "off": False}


def read_flag(value: object) -> bool | None:
    """Return the boolean that an option or a setting means; None if it is neither.

    >>> read_flag(True), read_flag(" Off"), read_flag(1), read_flag("maybe")
    (True, False, True, None)
    """
    return value if isinstance(value, bool) else _SWITCHES.get(str(value).strip().lower())
