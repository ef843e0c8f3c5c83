"""Column aliases of a view in DuckLake's format: quoted names and commas."""

from __future__ import annotations

import re

from forklake.model.quoting import quote_name


def format_aliases(names: tuple[str, ...]) -> str | None:
    """Format column aliases; return None if there are none.

    Quotes within a name are doubled.

    >>> format_aliases(("a", "b c"))
    '"a","b c"'
    """
    if not names:
        return None
    return ",".join(quote_name(name) for name in names)


def parse_aliases(text: str | None) -> tuple[str, ...]:
    """Read what `format_aliases` or DuckLake wrote.

    >>> parse_aliases('"a","b c"')
    ('a', 'b c')
    """
    return tuple(name.replace('""', '"') for name in re.findall(r'"((?:[^"]|"")*)"', text or ""))
