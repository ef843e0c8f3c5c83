"""The numbers of snapshots in an exported database.

The numbers are not free: merged files and cumulative delete files carry snapshot numbers in their rows, and
DuckLake compares them with the number of the snapshot that it reads. Imported snapshots therefore get back
their old numbers, unless files that we merged since carry their ids and no file carries the old numbers. All
others keep their ids, moved up behind the imported ones if those numbers are higher.
"""

from __future__ import annotations

from forklake.ducklake.lineage_rows import DatedRow, LineageRows
from forklake.errors import InvalidInputError
from forklake.metastore import written_tables as metadata
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.numbering import Numbering
from forklake.model.rows import DataFileRow, DeleteFileRow

File = DataFileRow | DeleteFileRow


@dataclass(frozen=True, slots=True)
class ExportNumbers:
    """The number of each snapshot; ``newest`` is that of the version."""

    imported: tuple[CatalogId, Numbering] | None
    newest: int

    def number(self, snapshot: SnapshotId) -> int:
        """Return the number of a snapshot."""
        return _number(self.imported, snapshot)


def numbers_of_state(lineage: LineageRows) -> ExportNumbers:
    """Return the numbers for an export of one snapshot.

    Its number is above all numbers in delete files that are read whole.
    """
    imported = _imported_root(lineage)
    newest = _number(imported, lineage.version.snapshot_id)
    for file in lineage.visible(metadata.DELETE_FILE):
        if file.partial_max is not None and not is_cut(file):
            newest = max(newest, number_in_file(lineage, file, file.partial_max))
    return ExportNumbers(imported, newest)


def numbers_of_history(lineage: LineageRows) -> ExportNumbers:
    """Return the numbers for an export of the whole lineage.

    Raises:
        InvalidInputError: Files are read in part at the newest snapshot, or carry other numbers; DuckLake cannot
            express that.
    """
    imported = _imported_root(lineage)
    for table in (metadata.DATA_FILE, metadata.DELETE_FILE):
        for dated in lineage.of(table):
            if not _is_whole(lineage, imported, dated):
                raise InvalidInputError(
                    f"The history of the catalog cannot be exported: the merged file {lineage.place(dated.row)} holds"
                    f" rows of snapshots that are not part of it.",
                    hint="Export one snapshot instead, without history.",
                )
    return ExportNumbers(imported, _number(imported, lineage.version.snapshot_id))


def partial_max(lineage: LineageRows, numbers: ExportNumbers, dated: DatedRow) -> int | None:
    """Return the highest snapshot number in a merged file.

    It is None if the file is always read whole.
    """
    file: File = dated.row
    if file.partial_max is None or is_cut(file) or not _counts_alike(lineage, numbers.imported, file):
        return None
    return number_in_file(lineage, file, file.partial_max)


def is_cut(file: File) -> bool:
    """Return whether the version reads the file only in part.

    That is so if it reads the file as of a snapshot before the last one in it.
    """
    return file.partial_max is not None and bound_of(file) < file.partial_max


def bound_of(file: File) -> SnapshotId:
    """Return the snapshot as of which a file is read."""
    assert file.origin is not None
    return file.origin.bound if file.read_upto is None else min(file.origin.bound, file.read_upto)


def number_in_file(lineage: LineageRows, file: File, snapshot: SnapshotId) -> int:
    """Return the number of a snapshot in the rows of a file."""
    return snapshot if file.numbering_id is None else lineage.numberings[file.numbering_id].number(snapshot)


def _imported_root(lineage: LineageRows) -> tuple[CatalogId, Numbering] | None:
    """Return the root of the lineage and its numbering.

    None if it was not imported, or its old numbers are not needed. Only a root can be imported.
    """
    owner = lineage.version.owners[-1]
    merged = {
        dated.row.numbering_id
        for table in (metadata.DATA_FILE, metadata.DELETE_FILE)
        for dated in lineage.of(table)
        if dated.row.partial_max is not None
    }
    if owner not in lineage.numberings or (None in merged and owner not in merged):
        return None
    return owner, lineage.numberings[owner]


def _number(imported: tuple[CatalogId, Numbering] | None, snapshot: SnapshotId) -> int:
    if imported is None:
        return snapshot
    last, last_number = imported[1].last
    if snapshot <= last:
        return imported[1].number(snapshot)
    return snapshot + max(0, last_number - last)


def _counts_alike(lineage: LineageRows, imported: tuple[CatalogId, Numbering] | None, file: File) -> bool:
    """Return whether a file numbers its snapshots as the export does."""
    if file.numbering_id is not None:
        return imported is not None and imported[0] == file.numbering_id
    return _number(imported, lineage.version.snapshot_id) == lineage.version.snapshot_id


def _is_whole(lineage: LineageRows, imported: tuple[CatalogId, Numbering] | None, dated: DatedRow) -> bool:
    """Return whether DuckLake reads the same rows of a file as the lineage.

    That must hold at every snapshot.
    """
    file: File = dated.row
    if file.partial_max is None:
        return True
    if is_cut(file):
        return False
    if _counts_alike(lineage, imported, file):
        return True
    # The numbers in the file mean nothing here, which does no harm where they are never above those of the snapshots.
    if isinstance(file, DataFileRow):
        return file.partial_max <= dated.begin
    return number_in_file(lineage, file, file.partial_max) <= _number(imported, dated.begin)
