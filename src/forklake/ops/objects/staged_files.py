"""Keeps the files of a transaction in step with its changes of column types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from forklake.catalog.fields import table_fields
from forklake.catalog.scan_plan import ScanPlanner
from forklake.catalog.state import live_data_files
from forklake.catalog.table_files import TableFiles
from forklake.catalog.transaction import Staging
from forklake.errors import InvalidInputError
from forklake.files.access import storage
from forklake.files.parquet.rewrite_file import Rewriting, rewrite_file
from forklake.model import types
from forklake.model.change import RewriteFiles
from forklake.model.definitions import NameMapping, NewDataFile
from forklake.model.field import Field
from forklake.model.ids import MappingId
from forklake.model.rows import TableRow
from forklake.model.write import WriteTarget
from forklake.ops.lakes.runtime import Runtime, leaves_large_to_engine
from forklake.ops.rows.write_target import writing

_DRIVER_BYTES: Final = 64 * 2**20
"""Files beyond this are rewritten by Spark, in parallel."""


class StagedFiles:
    """The files that a transaction wrote into its new table, and their columns.

    For a file of a committed table, the footer decides where the same commit changed columns. For a table that
    the commit itself makes, nothing records earlier columns, so its files are written again.
    """

    def __init__(self, staging: Staging, runtime: Runtime, table: TableRow) -> None:
        self._staging, self._runtime, self._table = staging, runtime, table
        self._before = table_fields(staging.draft, table.table_id)
        self._rows = live_data_files(staging.draft, table.table_id)
        planner = ScanPlanner(runtime.store, runtime.lake_path, staging.draft, table)
        self._files = planner.plan_rows(TableFiles(self._rows, {}, {}), []).files

    def rewrite(self) -> None:
        """Write the files again if the types of columns have changed.

        The old files are left for clean-up. Rows keep their order, so row ids and deleted positions stay the same. If
        the transaction is not committed, the new files are removed again.

        Raises:
            InvalidInputError: A value does not fit its new type, or only Spark could write the files.
            DataFileError: A file cannot be read or written.
        """
        how = writing(self._runtime, self._staging.draft, self._table, may_alter_later=self._staging.may_alter_later)
        if not self._files or not _is_retyped(self._before, how.target.fields):
            return
        _check_writable(how.target.fields, self._table.table_name)
        old = [
            Rewriting(file, self._before, row.partition_id is not None)
            for file, row in zip(self._files, self._rows, strict=True)
        ]
        files: list[NewDataFile] = []
        self._staging.take_lease()
        self._staging.on_undo(lambda: storage.delete(how.target.directory + file.path for file in files))
        _rewrite(self._runtime, old, how.target, files)
        mappings = {file.mapping: None for file in files if isinstance(file.mapping, NameMapping)}
        self._staging.stage(
            RewriteFiles(
                self._table.table_id,
                tuple((row.data_file_id, file) for row, file in zip(self._rows, files, strict=True)),
                tuple((MappingId(self._staging.new_file()), mapping) for mapping in mappings),
            )
        )


def _rewrite(runtime: Runtime, old: Sequence[Rewriting], target: WriteTarget, files: list[NewDataFile]) -> None:
    """Write files again; add each new file to a list as soon as it exists."""
    is_small = sum(one.file.file_size_bytes for one in old) <= _DRIVER_BYTES
    if is_small or not leaves_large_to_engine(runtime.settings):
        for one in old:
            files.append(rewrite_file(one, target))  # noqa: PERF401 - those before one that fails are known
        return
    files += runtime.engine.rewrite(old, target)


def _is_retyped(before: Iterable[Field], now: Iterable[Field]) -> bool:
    then = _types(before)
    return any(then.get(column, name) != name for column, name in _types(now).items())


def _types(fields: Iterable[Field]) -> dict[int, str]:
    found: dict[int, str] = {}
    for field in fields:
        if field.column_id is not None:
            found[field.column_id] = field.type.name
        found |= _types(field.children)
    return found


def _check_writable(fields: Iterable[Field], table: str) -> None:
    for field in fields:
        if field.type == types.VARIANT:
            raise InvalidInputError(
                f'Cannot change a type of table "{table}", which this transaction makes and has written rows of: column'
                f' "{field.name}" is a variant, and its rows cannot be written again. Nothing was changed.',
                hint="Commit first, then change the type.",
            )
        _check_writable(field.children, table)
