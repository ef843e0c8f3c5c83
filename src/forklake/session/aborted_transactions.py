"""Transactions that a failed statement ended: nothing runs in them but their end."""

from __future__ import annotations

from typing import Final

from forklake.errors import AlreadyExistsError, ForklakeError, InvalidInputError, NotFoundError
from forklake.session.session_transaction import Work
from forklake.sql import statements
from forklake.sql.catalog_statements import CopyDatabase, ImportDatabase

_END: Final = (statements.Commit, statements.Rollback)
_CHANGES_ROWS: Final = (
    CopyDatabase,
    ImportDatabase,
    statements.CopyFrom,
    statements.CreateTable,
    statements.Delete,
    statements.Insert,
    statements.Merge,
    statements.Truncate,
    statements.Update,
)
_UNDERSTANDING: Final = ("Binder Error", "Catalog Error", "Parser Error", "TransactionContext Error")
"""How errors begin that come before anything is read or changed."""
_COMPUTING: Final = ("Constraint Error", "Conversion Error", "IO Error", "Invalid Input Error", "Out of Range Error")


def check_not_aborted(work: Work, statement: statements.Statement) -> None:
    """Refuse a statement in a transaction that is aborted, unless it ends it.

    Raises:
        InvalidInputError: It is aborted.
    """
    if work.is_aborted and not isinstance(statement, _END):
        raise InvalidInputError("TransactionContext Error: Current transaction is aborted (please ROLLBACK)")


def aborts_transaction(statement: statements.Statement, error: ForklakeError) -> bool:
    """Return whether an error ends the transaction of its statement, as in DuckDB.

    A statement that was not understood, or names what is not there, leaves it as it was. One that failed over its rows
    ends it.
    """
    text = str(error)
    if text.startswith(_COMPUTING):
        return True
    if isinstance(error, NotFoundError | AlreadyExistsError) or text.startswith(_UNDERSTANDING):
        return False
    return isinstance(statement, _CHANGES_ROWS)
