"""CHECKPOINT: all maintenance of a catalog."""

from __future__ import annotations

from forklake.errors import DataFileError, InvalidInputError
from forklake.session.name_resolution import SessionNames
from forklake.session.state import SessionState
from forklake.sql import statements


def checkpoint(state: SessionState, statement: statements.Checkpoint) -> None:
    """Run CHECKPOINT, for a catalog or the current one.

    Raises:
        InvalidInputError: The transaction has changes.
        DataFileError: All steps were done, but files could not be deleted.
    """
    if statement.catalog is not None:
        attached = SessionNames(state).attached_catalog(statement.catalog)
    elif state.current is not None:
        attached = state.current[0]
    else:
        return  # what is in memory needs none
    seen = state.session_attachment(attached)
    if seen.has_changes:
        raise InvalidInputError(
            "TransactionContext Error: Cannot CHECKPOINT: the current transaction has transaction local changes",
            hint="Say COMMIT or ROLLBACK first.",
        )
    seen.writer("CHECKPOINT")
    left = [failure for step in attached.catalog.maintenance.checkpoint() for failure in step.failures]
    if left:
        raise DataFileError(f"The checkpoint was done, but {len(left)} files were not deleted. {left[0]}")
