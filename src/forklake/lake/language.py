"""The SQL that lakes are opened with."""

from __future__ import annotations

from forklake import sql
from forklake.ops.language import Language


def load_language() -> Language:
    """Return what reads texts of SQL for the operations; the parser is loaded now."""
    return sql.language.DuckDBLanguage()
