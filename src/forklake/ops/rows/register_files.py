"""Stages written files of a table."""

from __future__ import annotations

from collections.abc import Sequence

from forklake.catalog.transaction import Staging
from forklake.model.change import AppendFiles
from forklake.model.definitions import NameMapping, NewDataFile
from forklake.model.ids import DataFileId, MappingId, TableId


def register_files(staging: Staging, table: TableId, files: Sequence[NewDataFile], *, unmatched: bool = False) -> None:
    """Stage data files; files with equal name mappings share one.

    ``unmatched`` as in `AppendFiles`.

    Raises:
        InvalidPathError: A path does not lie below the table's directory.
        InvalidInputError: Partition values do not fit the table's partitioning.
    """
    # Most files have the very same mapping, and to compare one takes as long as to register a file.
    given = {id(file.mapping): file.mapping for file in files}.values()
    mappings = {mapping: None for mapping in given if isinstance(mapping, NameMapping)}
    # Mappings get their ids before the files, as in DuckLake.
    numbered_mappings = tuple((MappingId(staging.new_file()), mapping) for mapping in mappings)
    numbered = tuple((DataFileId(staging.new_file()), file) for file in files)
    staging.stage(AppendFiles(table, numbered, numbered_mappings, unmatched))
