"""Which function runs which statement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.field import Field
from forklake.session.names.use_schema import use_schema
from forklake.session.results.result import Result
from forklake.session.state import SessionState
from forklake.session.statements import alterations, changes, copying, definitions, queries, session_statements, show
from forklake.session.statements.catalog_statements import run_catalog_statement
from forklake.session.statements.checkpoint import checkpoint
from forklake.session.statements.copy_database import copy_database
from forklake.session.statements.export_database import export_database
from forklake.session.statements.forks import create_fork, explain_fork, merge_fork, refresh_fork
from forklake.session.statements.import_database import import_database
from forklake.session.statements.prepared_statements import deallocate, prepare
from forklake.sql import statements
from forklake.sql.catalog_statements import CatalogStatement, CopyDatabase, ExportDatabase, ImportDatabase
from forklake.sql.fork_statements import CreateFork, MergeFork, RefreshFork
from forklake.sql.prepared import Deallocate, Prepare

TRANSACTION: Final = (statements.Begin, statements.Commit, statements.Rollback)


_MAKES: Final = (statements.CreateSchema, statements.CreateTable, statements.CreateView, statements.CreateMacro)


def result_without_rows(state: SessionState, statement: statements.Statement) -> Result:
    """Return what DuckDB's Python API has for a statement that gives no rows.

    It is an empty column ``Count`` for what makes something, else ``Success``; a secret that was made is a row.
    """
    kind, name = (types.INT64, "Count") if isinstance(statement, _MAKES) else (types.BOOLEAN, "Success")
    rows = [(True,)] if isinstance(statement, statements.CreateSecret) else []
    return Result.of_rows((Field(None, name, kind),), rows, state.setup.engine)


def run_statement(state: SessionState, statement: statements.Statement) -> Result | None:
    """Run one statement in the transaction of the session, which stays open."""
    return _STATEMENTS[type(statement)](state, statement)


def _explain(state: SessionState, statement: statements.Explain) -> Result:
    inner = statement.statement
    if isinstance(inner, MergeFork | RefreshFork) and not statement.analyze:
        return explain_fork(state, inner)
    if statement.analyze and not isinstance(inner, statements.Query):
        if isinstance(inner, TRANSACTION):
            raise InvalidInputError("EXPLAIN ANALYZE does not run BEGIN, COMMIT and ROLLBACK; nothing was done.")
        _STATEMENTS[type(inner)](state, inner)
    return queries.explain(state, statement)


_STATEMENTS: Final[Mapping[type[Any], Callable[[SessionState, Any], Result | None]]] = {
    statements.Attach: session_statements.run_attach,
    statements.Detach: session_statements.detach,
    statements.Use: use_schema,
    statements.Begin: lambda state, statement: state.begin(read_only=statement.read_only),
    statements.Commit: lambda state, statement: state.commit(),
    statements.Rollback: lambda state, statement: state.rollback(),
    statements.SetVariable: session_statements.set_variable,
    statements.ResetVariable: lambda state, statement: state.settings.forget(statement.name),
    statements.SetSetting: lambda state, statement: state.settings.set(statement.name, statement.value),
    statements.ResetSetting: lambda state, statement: state.settings.reset(statement.name),
    statements.Pragma: session_statements.run_pragma,
    statements.CreateSecret: session_statements.create_secret,
    statements.DropSecret: lambda state, statement: state.secrets.drop(statement),
    statements.NoOperation: lambda state, statement: None,
    statements.CreateSchema: definitions.create_schema,
    statements.CreateTable: changes.create_table,
    statements.CreateView: queries.create_view,
    statements.CreateMacro: definitions.create_macro,
    statements.Drop: definitions.drop,
    statements.AlterTable: alterations.alter_table,
    statements.AlterView: alterations.alter_view,
    statements.Comment: definitions.comment,
    statements.Insert: changes.insert,
    statements.CopyTo: copying.copy_to,
    statements.CopyFrom: copying.copy_from,
    CopyDatabase: copy_database,
    ExportDatabase: export_database,
    ImportDatabase: import_database,
    statements.Update: changes.update,
    statements.Delete: changes.delete,
    statements.Truncate: changes.truncate,
    statements.Merge: changes.merge,
    CreateFork: create_fork,
    MergeFork: merge_fork,
    RefreshFork: refresh_fork,
    statements.Query: queries.query,
    statements.Show: show.show,
    statements.Describe: show.describe,
    statements.Explain: _explain,
    CatalogStatement: run_catalog_statement,
    statements.Checkpoint: checkpoint,
    Prepare: prepare,
    Deallocate: deallocate,
}
