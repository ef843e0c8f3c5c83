"""What one look into the metadata tells of the files and inlined rows of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from forklake.metastore.dependent_rows import visible_followers
from forklake.metastore.source import Question, Source
from forklake.metastore.visibility import Chain, visible_rows
from forklake.metastore.written_tables import (
    DATA_FILE,
    DELETE_FILE,
    FILE_COLUMN_STATS,
    INLINED_DELETE,
    INLINED_ROW,
    MetadataTable,
    R,
)
from forklake.model.ids import ColumnId, TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.rows import FileColumnStatsRow

FILE_TABLES: Final[tuple[MetadataTable[Any], ...]] = (DATA_FILE, DELETE_FILE, INLINED_DELETE, INLINED_ROW)
_MANY: Final = 1_000
"""Rows of statistics that are read before it is known of which files they are needed."""


@dataclass(frozen=True, slots=True)
class FileRows:
    """The files and inlined rows of a table, as one reader sees them.

    Attributes:
        table_id: The table.
        rows: The rows of each of `FILE_TABLES`, by its name.
        columns: The columns whose statistics were asked for.
        stats: The statistics of these columns in the files, or None if there are too many.
        answers: The answers to what else was asked.
    """

    table_id: TableId
    rows: Mapping[str, list[Any]]
    columns: frozenset[ColumnId]
    stats: Sequence[FileColumnStatsRow] | None
    answers: Sequence[Any]

    def of(self, table: MetadataTable[R]) -> list[R]:
        """Return the rows of a metadata table."""
        return self.rows[table.name]


def file_questions(
    source: Source, chain: Chain, table_id: TableId, columns: frozenset[ColumnId]
) -> list[Question[Any]]:
    """Ask for the files and inlined rows of a table.

    Statistics of some columns in the files are asked for as well.
    """
    of_table = {"table_id": table_id}
    questions: list[Question[Any]] = [visible_rows(source, chain, table, of_table) for table in FILE_TABLES]
    if columns:
        of_columns = {"column_id": sorted(columns)}
        questions.append(visible_followers(source, chain, FILE_COLUMN_STATS, of_table, of_columns, _MANY))
    return questions


def file_rows(table_id: TableId, columns: frozenset[ColumnId], answers: Sequence[Any]) -> FileRows:
    """Return what the answers to `file_questions`, and to others after them, tell."""
    rows = {table.name: found for table, found in zip(FILE_TABLES, answers, strict=False)}
    others = answers[len(FILE_TABLES) :]
    if not columns:
        return FileRows(table_id, rows, columns, [], others)
    return FileRows(table_id, rows, columns, others[0], others[1:])
