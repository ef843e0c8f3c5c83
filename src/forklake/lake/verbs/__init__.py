"""The changes that a catalog and a transaction both offer: at once, or as part of something larger."""

from __future__ import annotations

from forklake.lake.verbs.files import FileVerbs
from forklake.lake.verbs.objects import ObjectVerbs
from forklake.lake.verbs.rows import RowVerbs
from forklake.lake.verbs.tables import TableVerbs

__all__ = ["Verbs"]


class Verbs(TableVerbs, ObjectVerbs, FileVerbs, RowVerbs):
    """Changes by name. Each is checked at once and leaves nothing behind if it is refused."""
