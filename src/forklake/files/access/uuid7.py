"""UUIDs that sort by the time they were made; Python has them since 3.14."""

from __future__ import annotations

import secrets
import time
from uuid import UUID


def uuid7() -> UUID:
    """Return a new UUID of version 7: milliseconds since 1970, then 74 random bits."""
    millis, drawn = time.time_ns() // 1_000_000, secrets.randbits(74)
    return UUID(
        int=(millis & (1 << 48) - 1) << 80 | 0x7 << 76 | (drawn >> 62) << 64 | 0b10 << 62 | (drawn & (1 << 62) - 1)
    )
