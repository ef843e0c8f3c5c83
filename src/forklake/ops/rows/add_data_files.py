"""Adopts Parquet files that others wrote: they become files of a table, uncopied."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from forklake.catalog import describe
from forklake.catalog.changes import mappings
from forklake.catalog.changes.adopted import adopted_twice_error
from forklake.catalog.fields import table_fields
from forklake.catalog.partition_transforms import read_transform
from forklake.catalog.paths import stored_ancestors
from forklake.catalog.places import Places
from forklake.catalog.state import live_data_files
from forklake.catalog.transaction import Staging
from forklake.engine.statement_limits import is_confined_text
from forklake.errors import DataFileError, InvalidInputError, NotFoundError
from forklake.files.access import storage
from forklake.files.access.find_files import find_files
from forklake.files.access.threads import FileThreads
from forklake.files.foreign.adopt_files import Adoption, adopt_files
from forklake.files.foreign.adopted_columns import AdoptionRules
from forklake.files.foreign.try_footers import try_footers
from forklake.metastore.queries.catalogs import catalogs_at
from forklake.metastore.store import Session
from forklake.model.definitions import NameMapping, NewDataFile
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.rows import TableRow
from forklake.model.write import PartitionKey
from forklake.ops.lakes.runtime import Runtime, leaves_large_to_engine
from forklake.ops.lakes.scoped_options import effective_options
from forklake.ops.maintenance.files_to_delete import doomed_files
from forklake.ops.rows.canonical_paths import settle_paths
from forklake.ops.rows.register_files import register_files

Files = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
"""Files by paths and patterns."""

_ENGINE_FILES: Final = 20_000
"""Footers of more files than this are read by the engine's tasks."""

_LOOKERS: Final = 16


@dataclass(frozen=True, slots=True)
class AddedFiles:
    """The files that were added, and how many rows they hold."""

    paths: tuple[str, ...]
    row_count: int


def add_data_files(
    staging: Staging,
    runtime: Runtime,
    table: TableRow,
    patterns: Sequence[str],
    *,
    allow_missing: bool = False,
    ignore_extra_columns: bool = False,
    hive_partitioning: bool | None = None,
) -> AddedFiles:
    """Add existing Parquet files to a table; see docs/spec/adoption.md.

    No file is copied, changed or deleted, whatever becomes of the transaction.

    Args:
        staging: The transaction.
        runtime: The open lake.
        table: The table as the transaction sees it.
        patterns: Paths and patterns, as `file_patterns` returns them.
        allow_missing: Whether files may lack columns of the table.
        ignore_extra_columns: Whether files may have columns that the table lacks.
        hive_partitioning: Whether directories ``key=value`` give values; None: where there are any.

    Raises:
        NotFoundError: A pattern matches nothing.
        AlreadyExistsError: The table has a file already.
        InvalidInputError: A file does not fit the table, or waits for deletion.
        DataFileError: A file is missing, damaged, encrypted or no Parquet file.
    """
    paths = _find(runtime, patterns)
    draft = staging.draft
    options = effective_options(
        runtime.store, draft.version.catalog_id, table.schema_id, table.table_id, runtime.options
    )
    if options.get("encrypted") == "true":
        raise InvalidInputError(
            f'File "{paths[0]}" was not added: table "{table.table_name}" is encrypted, and a file that others wrote'
            " is not.",
            hint="Append its rows, which writes them into files of the table.",
        )
    adoption = Adoption(
        AdoptionRules(table.table_name, table_fields(draft, table.table_id), allow_missing, ignore_extra_columns),
        tuple(
            PartitionKey(key.column, read_transform(key.transform))
            for key in describe.partitioning(draft, table.table_id)
        ),
        uses_directories=hive_partitioning is not False,
    )
    if is_confined_text():
        try_footers(paths)
    is_for_engine = len(paths) > _ENGINE_FILES and leaves_large_to_engine(runtime.settings)
    found = runtime.engine.adopt(paths, adoption) if is_for_engine else adopt_files(paths, adoption)
    runtime.settings.on_step("add files: footers read")
    _check_not_there(runtime, staging, table, paths)
    filled = [file for file in found if file.record_count]
    _register(staging, table, filled)
    lake_path = runtime.lake_path or ""
    added = tuple(file.path for file in filled)
    staging.guard(lambda session: _guard(session, lake_path, added))
    return AddedFiles(added, sum(file.record_count for file in filled))


def file_patterns(files: Files) -> list[str]:
    """Return the paths and patterns that a caller gives.

    Raises:
        InvalidInputError: There are none, or one is no text.
    """
    given = [files] if isinstance(files, str | os.PathLike) else files
    if not isinstance(given, Iterable):
        raise InvalidInputError(f"Files are named by paths and patterns, not by {files!r}; nothing was added.")
    patterns = [os.fspath(one) if isinstance(one, str | os.PathLike) else one for one in given]
    for one in patterns:
        if not isinstance(one, str) or not one or "\0" in one:
            raise InvalidInputError(f"Files are named by paths and patterns, not by {one!r}; nothing was added.")
    if not patterns:
        raise InvalidInputError("No files were named; nothing was added.")
    return patterns


def _find(runtime: Runtime, patterns: Sequence[str]) -> list[str]:
    """Return the files by their one path each, without duplicates."""
    try:
        found = find_files(patterns)
    except NotFoundError as error:
        raise NotFoundError(f"Failed to add data files to DuckLake: {error.message}") from None
    return settle_paths(runtime, found)


def _check_not_there(runtime: Runtime, staging: Staging, table: TableRow, paths: Sequence[str]) -> None:
    """Refuse files that are part of the table already."""
    rows = live_data_files(staging.draft, table.table_id)
    places = Places(runtime.store, runtime.lake_path, staging.draft, table, rows)
    known = {places.path(row) for row in rows}
    for path in paths:
        if path in known:
            raise adopted_twice_error(table.table_name, path)


def _register(staging: Staging, table: TableRow, files: Sequence[NewDataFile]) -> None:
    """Stage the files; files that are mapped alike share a mapping."""
    known = mappings.known_mappings(staging.draft, table) if files else {}
    if known:
        files = [
            replace(file, mapping=known.get(file.mapping, file.mapping))
            if isinstance(file.mapping, NameMapping)
            else file
            for file in files
        ]
    register_files(staging, table.table_id, files)


def _guard(session: Session, lake_path: str, paths: Sequence[str]) -> None:
    """Keep files that lie below catalogs' directories from being deleted.

    Raises:
        InvalidInputError: One waits for deletion.
        DataFileError: One is gone.
    """
    directories = {path.rpartition("/")[0] for path in paths}
    places = {fold(place) for directory in directories for place in stored_ancestors(lake_path, directory)}
    locked = sorted(catalogs_at(session, sorted(places))) if places else []
    for catalog in locked:
        session.lock_shared(catalog)
    waiting = doomed_files(session, lake_path, locked, paths)
    if waiting:
        raise InvalidInputError(
            f'File "{waiting[0]}" was not added: no table needs it any more, and it waits for deletion.',
            hint="Copy it, and add the copy.",
        )
    if locked:
        with FileThreads(_LOOKERS) as threads:
            there = list(threads.map(storage.exists, paths))
        for path, is_there in zip(paths, there, strict=True):
            if not is_there:
                raise DataFileError(f'File "{path}" was not added: it is gone.')
