"""CHECKPOINT: all maintenance of a catalog."""

from __future__ import annotations

from forklake.session.functions.maintenance import run_checkpoint
from forklake.session.names.name_resolution import SessionNames
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
    run_checkpoint(state.session_attachment(attached))
