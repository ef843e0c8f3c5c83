"""SQL sessions: attached catalogs, transactions, statements and their results.

Statements run on metadata alone where that is enough, else on the engine.
"""

from typing import TYPE_CHECKING

from forklake.model.submodules import submodules

__all__ = [
    "connection",
    "drawn_table",
    "queries",
    "result",
    "show",
]

if TYPE_CHECKING:
    from forklake.session import connection
    from forklake.session.results import drawn_table, result
    from forklake.session.statements import queries, show
else:
    __getattr__ = submodules(  # they bring sqlglot, PyArrow and rich
        __name__,
        "connection",
        "results.drawn_table",
        "results.result",
        "statements.queries",
        "statements.show",
    )
