"""Statements that should be written down nowhere, as they have secrets in them."""

from __future__ import annotations

import re
from typing import Final

_CREATE_SECRET: Final = re.compile(r"\bCREATE\b[^;(]*\bSECRET\b", re.IGNORECASE)


def has_secret(text: str) -> bool:
    """Return whether a text makes a secret.

    >>> has_secret("USE a; create or replace secret s (TYPE s3)"), has_secret("DROP SECRET s")
    (True, False)
    """
    return _CREATE_SECRET.search(text) is not None
