"""SQL sessions: attached catalogs, transactions, statements and their results.

Statements run on metadata alone where that is enough, else on the engine.
"""

from typing import TYPE_CHECKING

from forklake.model.submodules import submodules

__all__ = ["connection", "drawn_table", "queries", "result", "show"]

if TYPE_CHECKING:
    from forklake.session import connection, drawn_table, queries, result, show
else:
    __getattr__ = submodules(__name__, *__all__)  # they bring sqlglot, PyArrow and rich
