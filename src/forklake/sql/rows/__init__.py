"""Binders of INSERT, UPDATE, DELETE and MERGE."""

from typing import TYPE_CHECKING

from forklake.model.submodules import submodules

__all__ = ["insertion", "row_statements", "row_texts"]

if TYPE_CHECKING:
    from forklake.sql.rows import insertion, row_statements, row_texts
else:
    __getattr__ = submodules(__name__, *__all__)  # they bring sqlglot
