"""The SQL language of lakes."""

from __future__ import annotations

from forklake import sql
from forklake.ops.language import Language


def load_language() -> Language:
    """Return the language that parses SQL for operations; the parser is imported now."""
    return sql.language.DuckDBLanguage()
