"""The rows of a table as a version holds them.

Those are data files with their deletes, and inlined rows. Merges, diffs and change feeds compare two holdings by
`HeldDifference`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from forklake.catalog.state import CatalogState
from forklake.catalog.table_files import TableFiles, cut_at
from forklake.metastore.written_tables import DATA_FILE, DELETE_FILE, INLINED_DELETE, INLINED_ROW
from forklake.model.ids import DataFileId, SnapshotId, TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.rows import DataFileRow, DeleteFileRow, InlinedDeleteRow, InlinedRow
from forklake.model.version import Version


@dataclass(frozen=True, slots=True)
class HeldFile:
    """A data file as one version has it, with its deletes.

    The bounds are the snapshots as of which the file and its delete file are read, where these hold younger rows.
    """

    row: DataFileRow
    deletes: DeleteFileRow | None
    positions: tuple[InlinedDeleteRow, ...]
    bounds: tuple[SnapshotId | None, SnapshotId | None]

    @property
    def live_count(self) -> int:
        """How many rows it has without the deleted ones, as far as metadata tells."""
        return self.row.record_count - (self.deletes.delete_count if self.deletes else 0) - len(self.positions)

    @property
    def value(self) -> tuple[object, ...]:
        """What two versions share if they have the same rows of the file."""
        delete_file = None if self.deletes is None else self.deletes.delete_file_id
        return self.bounds, delete_file, frozenset(row.row_id for row in self.positions)


@dataclass(frozen=True, slots=True)
class Held:
    """Files and inlined rows of a table, as one version has them."""

    files: Mapping[DataFileId, HeldFile]
    rows: Mapping[int, InlinedRow]

    @classmethod
    def of(
        cls,
        version: Version,
        files: Iterable[DataFileRow],
        deletes: Iterable[DeleteFileRow],
        positions: Iterable[InlinedDeleteRow],
        rows: Iterable[InlinedRow],
    ) -> Held:
        """Join files with their deletes; deletes of other files are left out."""
        delete_files = {row.data_file_id: row for row in deletes}
        inlined: dict[DataFileId, list[InlinedDeleteRow]] = {}
        for position in positions:
            inlined.setdefault(position.data_file_id, []).append(position)
        found = {}
        for row in files:
            deleted = delete_files.get(row.data_file_id)
            bounds = cut_at(row, version), None if deleted is None else cut_at(deleted, version)
            found[row.data_file_id] = HeldFile(row, deleted, tuple(inlined.get(row.data_file_id, ())), bounds)
        return cls(found, {row.row_id: row for row in rows})

    @classmethod
    def of_table(cls, state: CatalogState, table_id: TableId) -> Held:
        """Read all that a state has of a table, with four queries."""
        where = {"table_id": table_id}
        return cls.of(
            state.version,
            state.rows(DATA_FILE, where),
            state.rows(DELETE_FILE, where),
            state.rows(INLINED_DELETE, where),
            state.rows(INLINED_ROW, where),
        )

    def file_value(self, file: DataFileId) -> tuple[object, ...] | None:
        """Return how the version has a file, or None."""
        return self.files[file].value if file in self.files else None

    def row_value(self, row_id: int) -> tuple[object, ...] | None:
        """Return how the version has an inlined row, or None."""
        row = self.rows.get(row_id)
        return None if row is None else (row.document, version_of(row))


@dataclass
class HeldDifference:
    """What leads from what one version holds of a table to what another holds.

    Attributes:
        removed: Files that only the first has.
        added: Files that only the second has.
        changed: Files of both, of which they show other rows.
        removed_rows: Inlined rows that only the first has, or has in another version.
        added_rows: Those of the second.
    """

    removed: list[HeldFile] = field(default_factory=list)
    added: list[HeldFile] = field(default_factory=list)
    changed: list[tuple[HeldFile, HeldFile]] = field(default_factory=list)
    removed_rows: list[InlinedRow] = field(default_factory=list)
    added_rows: list[InlinedRow] = field(default_factory=list)

    @classmethod
    def of(cls, before: Held, after: Held) -> HeldDifference:
        """Compare what two versions hold."""
        found = cls()
        for file in sorted({*before.files, *after.files}):
            one, other = before.files.get(file), after.files.get(file)
            if one is None and other is not None:
                found.added.append(other)
            elif one is not None and other is None:
                found.removed.append(one)
            elif one is not None and other is not None and one.value != other.value:
                found.changed.append((one, other))
        for row_id in sorted({*before.rows, *after.rows}):
            if before.row_value(row_id) != after.row_value(row_id):
                found.removed_rows += [before.rows[row_id]] if row_id in before.rows else []
                found.added_rows += [after.rows[row_id]] if row_id in after.rows else []
        return found

    def __bool__(self) -> bool:
        return any((self.removed, self.added, self.changed, self.removed_rows, self.added_rows))

    @property
    def before(self) -> Held:
        """What has to be read of the first version to find the rows that differ."""
        return _holding([*self.removed, *(one for one, _ in self.changed)], self.removed_rows)

    @property
    def after(self) -> Held:
        """What has to be read of the second."""
        return _holding([*self.added, *(other for _, other in self.changed)], self.added_rows)


def files_of(files: Iterable[HeldFile]) -> TableFiles:
    """Return held files in the form that scans are planned from."""
    found = list(files)
    return TableFiles(
        [one.row for one in found],
        {one.row.data_file_id: one.deletes for one in found if one.deletes is not None},
        {one.row.data_file_id: tuple(sorted(row.row_id for row in one.positions)) for one in found if one.positions},
    )


def version_of(row: DataFileRow | InlinedRow) -> SnapshotId:
    """Return the snapshot that first added a file or an inlined row.

    It may be one of another catalog.
    """
    assert row.origin is not None
    return row.origin.begun if row.origin_snapshot_id is None else row.origin_snapshot_id


def _holding(files: Sequence[HeldFile], rows: Sequence[InlinedRow]) -> Held:
    return Held({file.row.data_file_id: file for file in files}, {row.row_id: row for row in rows})
