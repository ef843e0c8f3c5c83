"""EXPORT DATABASE: all of a catalog as files that DuckDB imports, too."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from forklake.catalog.fields import table_fields
from forklake.errors import InvalidInputError
from forklake.files.access import storage
from forklake.lake import Catalog, Table, Transaction
from forklake.lake.internals import content_of
from forklake.model.names import fold
from forklake.model.quoting import quote_text
from forklake.model.records import Macro, View
from forklake.session.names.attached_catalogs import AttachedCatalog
from forklake.session.names.name_resolution import SessionNames
from forklake.session.state import SessionState
from forklake.session.statements import copying
from forklake.sql import statements
from forklake.sql.catalog_statements import ExportDatabase
from forklake.sql.object_texts import full_name, macro_text, schema_text, table_text, view_text
from forklake.sql.portable import named_objects
from forklake.sql.simple_queries import compute_options

SCHEMA_FILE: Final = "schema.sql"
LOAD_FILE: Final = "load.sql"
_OF_DIRECTORIES: Final = (
    "append", "filename_pattern", "overwrite", "overwrite_or_ignore", "partition_by", "write_partition_columns",
)  # fmt: skip
"""Options of COPY that are about directories, where each table is one file."""
_CSV: Final = {"quote": '"', "delimiter": ",", "header": True}
_ANY_WORD: Final = re.compile(r"[^a-z0-9]")


def export_database(state: SessionState, statement: ExportDatabase) -> None:
    """Run EXPORT DATABASE.

    The directory gets one file for each table, what makes the objects, and what loads the rows. Files that are there
    are replaced, but not by a confined session. If it fails, files that were not there are removed.

    Raises:
        InvalidInputError: An option does not fit, or the directory cannot be made.
        NotFoundError: There is no such catalog.
    """
    written, path = statement.path.rstrip("/"), directory_path(statement.path)
    state.policy.check_place(path)
    options = compute_options(statement.options, SessionNames(state))
    form = str(options.setdefault("format", "csv")).lower()
    for name in options:
        if name in _OF_DIRECTORIES:
            raise InvalidInputError(f"EXPORT DATABASE writes one file of each table: it takes no {name.upper()}.")
    copying.check_format(form)
    attached = _catalog_to_export(state, statement.database)
    reader = state.reader(attached)
    files = _file_names(reader, form)
    targets = [f"{path}/{name}" for name in (SCHEMA_FILE, LOAD_FILE, *files.values())]
    for target in targets:
        state.policy.check_target(target, is_directory=False, may_replace=False)
    _make_directory(path)
    with _remove_new_files(targets):
        loads = []
        for table in reader.tables():
            file, place = files[table.table_id], (attached.alias, table.schema_name, table.name)
            copying.copy_to(state, statements.CopyTo(place, (), f"{path}/{file}", options))
            loads.append(_load_text(table, f"{written}/{file}", form, options))
        _write(f"{path}/{SCHEMA_FILE}", _definitions(reader))
        _write(f"{path}/{LOAD_FILE}", loads)


def directory_path(path: str) -> str:
    """Return the absolute path of a directory of files, or its URL.

    Raises:
        InvalidInputError: It is empty.
        InvalidPathError: It is no path.
    """
    if not path.strip():
        raise InvalidInputError("The directory of an EXPORT or IMPORT is named; nothing was done.")
    found = storage.absolute_path(path).rstrip("/")
    storage.locate(found)
    return found


def _catalog_to_export(state: SessionState, database: str | None) -> AttachedCatalog:
    if database is not None:
        return SessionNames(state).attached_catalog(database)
    return state.memory.make(state.setup) if state.current is None else state.current[0]


def _make_directory(path: str) -> None:
    if not storage.is_local(path) or os.path.isdir(path):
        return
    try:
        os.mkdir(path)
    except OSError as error:
        reason = "path exists but is not a directory!" if os.path.exists(path) else error.strerror
        raise InvalidInputError(
            f'IO Error: Failed to create directory "{path}": {reason}; nothing was exported.'
        ) from error


@contextmanager
def _remove_new_files(paths: list[str]) -> Iterator[None]:
    """Remove files that the block made, if it fails."""
    new = [path for path in paths if not storage.exists(path)]
    try:
        yield
    except BaseException:
        storage.delete(path for path in new if storage.exists(path))
        raise


def _write(path: str, texts: list[str]) -> None:
    with storage.explain_errors(path, "written"), storage.open_output(path) as file:
        file.write("".join(f"{text}\n" for text in texts).encode())


def _file_names(reader: Catalog | Transaction, form: str) -> dict[int, str]:
    """Return the name of each table's file, made as DuckDB makes it."""
    found: dict[int, str] = {}
    for table in reader.tables():
        words = table.name if fold(table.schema_name) == "main" else f"{table.schema_name}_{table.name}"
        base = _ANY_WORD.sub("_", words.lower())
        numbers = ("" if count == 0 else f"_{count}" for count in range(len(found) + 1))
        found[table.table_id] = next(
            name for number in numbers if (name := f"{base}{number}.{form}") not in found.values()
        )
    return found


def _load_text(table: Table, path: str, form: str, options: Mapping[str, Any]) -> str:
    given = {name: value for name, value in options.items() if name != "format"}
    if form == "csv":
        required = [column.name for column in table.columns if not column.nulls_allowed]
        given = {**({"force_not_null": required} if required else {}), **_CSV, **given}
    texts = [f"FORMAT {quote_text(form)}"]
    texts += [f"{name} {_option(value)}" for name, value in given.items() if copying.is_option_of_reading(form, name)]
    return f"COPY {full_name(table.schema_name, table.name)} FROM {quote_text(path)} ({', '.join(texts)});"


def _option(value: Any) -> str:
    if isinstance(value, bool | int | float):
        return str(value).lower()
    if isinstance(value, list | tuple):
        texts = ", ".join(quote_text(str(one)) for one in value)
        return texts if len(value) == 1 else f"({texts})"
    return quote_text(str(value))


def _definitions(reader: Catalog | Transaction) -> list[str]:
    """Return what makes everything of a catalog, in an order in which it can be made."""
    texts = [schema_text(schema) for schema in reader.schemas.list() if fold(schema) != "main"]
    for table in reader.tables():
        fields = table_fields(content_of(table), table.table_id)
        texts.append(table_text(full_name(table.schema_name, table.name), fields))
    for one in _sort_by_need([*reader.macros.list(), *sorted(reader.views.list(), key=lambda view: view.view_id)]):
        name = full_name(one.schema_name, one.name)
        if isinstance(one, Macro):
            texts.append(macro_text(name, one.implementations))
        elif one.dialect != "duckdb":
            raise InvalidInputError(
                f'View "{name}" is written for {one.dialect}, not for DuckDB; nothing was exported.'
            )
        else:
            texts.append(view_text(name, one.sql, one.column_aliases))
    return texts


def _sort_by_need(objects: list[Macro | View]) -> list[Macro | View]:
    """Return views and macros, each after those that it names."""
    by_name: dict[str, list[Macro | View]] = {}
    for one in objects:
        by_name.setdefault(fold(one.name), []).append(one)
    done: dict[int, Macro | View] = {}

    def visit(one: Macro | View) -> None:
        if id(one) in done or id(one) in open_:
            return
        open_.add(id(one))
        for name in sorted(_names_in(one)):
            for needed in by_name.get(name, ()):
                visit(needed)
        done[id(one)] = one

    open_: set[int] = set()
    for one in objects:
        visit(one)
    return list(done.values())


def _names_in(one: Macro | View) -> set[str]:
    """Return the last parts of all names in a stored text, in lower case."""
    if isinstance(one, View):
        return named_objects(one.sql, "table")
    return {name for overload in one.implementations for name in named_objects(overload.sql, overload.type)}
