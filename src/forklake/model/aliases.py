"""Column aliases of a view as DuckLake writes them: quoted names with commas between."""

from __future__ import annotations

import re

from forklake.model.quoting import quote_name


def format_aliases(names: tuple[str, ...]) -> str | None:
    """Write aliases, quotes in them doubled; no alias is None.

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
