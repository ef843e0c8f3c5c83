"""IMPORT DATABASE: everything that an export wrote, ours or DuckDB's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from forklake.engine.statement_limits import charge_files
from forklake.engine.text_budget import check_size
from forklake.errors import InvalidInputError, NotFoundError
from forklake.files.access import storage
from forklake.model.names import fold
from forklake.session.state import SessionState
from forklake.session.statements import changes, copying, definitions, queries
from forklake.session.statements.export_database import LOAD_FILE, SCHEMA_FILE, directory_path
from forklake.sql import statements
from forklake.sql.catalog_statements import ImportDatabase
from forklake.sql.parse import parse

_MAKES: Final[Mapping[type[Any], Callable[[SessionState, Any], Any]]] = {
    statements.CreateSchema: definitions.create_schema,
    statements.CreateTable: changes.create_table,
    statements.CreateView: queries.create_view,
    statements.CreateMacro: definitions.create_macro,
}
_LOADS: Final[Mapping[type[Any], Callable[[SessionState, Any], Any]]] = {statements.CopyFrom: copying.copy_from}


def import_database(state: SessionState, statement: ImportDatabase) -> None:
    """Run IMPORT DATABASE, into the catalog in use.

    Without BEGIN everything is imported, or nothing. Files of rows are looked for in the directory, wherever they were
    when they were written.

    Raises:
        NotFoundError: There are no such files.
        InvalidInputError: They hold other statements than those of an export.
        AlreadyExistsError: Something of a name that is to be made is there.
        LimitError: They are larger than is allowed here.
    """
    path = directory_path(statement.path)
    files = {f"{path}/{SCHEMA_FILE}": _MAKES, f"{path}/{LOAD_FILE}": _LOADS}
    state.policy.check_files(list(files))
    found = [(file, known, parse(_read(file))) for file, known in files.items()]
    for file, known, parsed in found:
        for one in parsed:
            if type(one) not in known:
                raise InvalidInputError(
                    f'"{file}" holds another statement than exports have ({type(one).__name__}); nothing was imported.',
                    hint="Run the file by itself, if it is to be trusted.",
                )
    for _, known, parsed in found:
        for one in parsed:
            state.policy.check_statement(one)
            known[type(one)](state, _of_catalog_in_use(state, one, path))


def _read(file: str) -> str:
    if not storage.exists(file):
        raise NotFoundError(f'IO Error: Cannot open file "{file}": No such file or directory; nothing was imported.')
    with storage.explain_errors(file, "read"), storage.open_input(file) as source:
        size = source.size()
        check_size(size)
        charge_files([(file, size)])
        content = source.read()
    try:
        return str(content, "utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInputError(f'"{file}" is no text in UTF-8; nothing was imported.') from error


def _of_catalog_in_use(state: SessionState, statement: Any, path: str) -> Any:
    """Return a statement with names of the catalog in use, and files of the directory."""
    if isinstance(statement, statements.CopyFrom):
        file = statement.path.replace("\\", "/").rpartition("/")[2]
        return replace(statement, table=_full_name(state, statement.table), path=f"{path}/{file}")
    if not isinstance(statement, statements.CreateSchema):
        return replace(statement, name=_full_name(state, statement.name))
    # Every catalog has the schema main.
    return replace(statement, if_not_exists=statement.if_not_exists or fold(statement.name[-1]) == "main")


def _full_name(state: SessionState, name: statements.Name) -> statements.Name:
    if len(name) > 2:
        raise InvalidInputError(
            f'"{".".join(name)}" is in a catalog of its own, and an import is made in the catalog in use; nothing was'
            " imported."
        )
    current = state.current
    alias = state.memory.make(state.setup).alias if current is None else current[0].alias
    return (alias, *(("main",) if len(name) == 1 else ()), *name)
