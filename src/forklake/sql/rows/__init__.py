"""Statements on the rows of a table: what INSERT, UPDATE, DELETE and MERGE do to each row."""

from typing import TYPE_CHECKING

from forklake.model.submodules import submodules

__all__ = ["insertion", "row_statements", "row_texts"]

if TYPE_CHECKING:
    from forklake.sql.rows import insertion, row_statements, row_texts
else:
    __getattr__ = submodules(__name__, *__all__)  # they bring sqlglot
