"""Which numbers the snapshots get in an exported database.

The numbers are not free: merged files and cumulative delete files carry snapshot numbers in their rows, and DuckLake
compares them with the number of the snapshot that it reads. Imported snapshots therefore get back the numbers they had,
and all others keep their ids, moved up behind the imported ones where these reach further.
"""

from __future__ import annotations

from dataclasses import dataclass

from forklake.errors import InvalidInputError
from forklake.metastore import tables as metadata
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.numbering import Numbering
from forklake.model.rows import DataFileRow, DeleteFileRow
from forklake.ops.lineage_rows import Dated, LineageRows


@dataclass(frozen=True, slots=True)
class ExportNumbers:
    """The number of each snapshot. ``newest`` is that of the version; nothing exported is above it."""

    imported: tuple[CatalogId, Numbering] | None
    newest: int
    is_cut: bool
    """Whether a file is read only in part at the newest snapshot, so that none may follow it."""
    is_pressed: bool
    """Whether the newest number is below what the snapshots between would have."""

    def number(self, snapshot: SnapshotId) -> int:
        """Return the number of a snapshot."""
        return min(_number(self.imported, snapshot), self.newest)


def numbers_of_state(lineage: LineageRows) -> ExportNumbers:
    """Return the numbers for an export of one snapshot, at which every file is read as the version reads it.

    Raises:
        InvalidInputError: No number makes DuckLake read all files so.
    """
    imported = _imported(lineage)
    plain = _number(imported, lineage.version.snapshot_id)
    wanted: dict[int, str] = {}
    least = 0
    files: list[DataFileRow | DeleteFileRow] = [*lineage.visible(metadata.DATA_FILE)]
    files += lineage.visible(metadata.DELETE_FILE)
    for file in files:
        if file.partial_max is None:
            continue
        bound = _bound(file)
        if bound < file.partial_max:
            wanted[_in_file(lineage, file, bound)] = lineage.place(file)
        elif isinstance(file, DeleteFileRow):
            least = max(least, _in_file(lineage, file, file.partial_max))
    newest = next(iter(wanted), max(plain, least))
    if len(wanted) > 1 or newest < least:
        raise InvalidInputError(
            f"The catalog at snapshot {lineage.version.snapshot_id} cannot be exported: its merged files are read up to"
            f" different snapshots ({', '.join(sorted(wanted.values())[:2])}), and DuckLake has one number for all.",
        )
    return ExportNumbers(imported, newest, bool(wanted), newest < plain)


def numbers_of_history(lineage: LineageRows) -> ExportNumbers:
    """Return the numbers for an export of the whole lineage.

    Raises:
        InvalidInputError: A file is read in part by more than one snapshot with the same bound, as in a fork of an
            imported catalog's past.
    """
    imported = _imported(lineage)
    newest = _number(imported, lineage.version.snapshot_id)
    cut = False
    for table in (metadata.DATA_FILE, metadata.DELETE_FILE):
        for dated in lineage.of(table):
            file = dated.row
            if _is_whole(lineage, imported, dated):
                continue
            if not _counts_alike(lineage, imported, file) or _bound(file) != lineage.version.snapshot_id:
                raise InvalidInputError(
                    f"The history of the catalog cannot be exported: the merged file {lineage.place(file)} is read"
                    f" up to snapshot {_bound(file)} by later snapshots too, which DuckLake cannot express.",
                    hint="Export one snapshot instead, without history.",
                )
            cut = True
    return ExportNumbers(imported, newest, cut, is_pressed=False)


def partial_max(lineage: LineageRows, numbers: ExportNumbers, dated: Dated) -> int | None:
    """Return the highest snapshot number in a merged file, or None if it is always read whole."""
    file = dated.row
    if file.partial_max is None:
        return None
    highest = _in_file(lineage, file, file.partial_max)
    if _counts_alike(lineage, numbers.imported, file) and file.read_upto is None:
        return highest
    return highest if _bound(file) < file.partial_max else None


def _imported(lineage: LineageRows) -> tuple[CatalogId, Numbering] | None:
    """Return the root of the lineage, if it was imported; nothing else in a lineage can be."""
    owner = lineage.version.owners[-1]
    return (owner, lineage.numberings[owner]) if owner in lineage.numberings else None


def _number(imported: tuple[CatalogId, Numbering] | None, snapshot: SnapshotId) -> int:
    if imported is None:
        return snapshot
    last, last_number = imported[1].last
    if snapshot <= last:
        return imported[1].number(snapshot)
    return snapshot + max(0, last_number - last)


def _in_file(lineage: LineageRows, file: DataFileRow | DeleteFileRow, snapshot: SnapshotId) -> int:
    return snapshot if file.numbering_id is None else lineage.numberings[file.numbering_id].number(snapshot)


def _bound(file: DataFileRow | DeleteFileRow) -> SnapshotId:
    assert file.origin is not None
    return file.origin.bound if file.read_upto is None else min(file.origin.bound, file.read_upto)


def _counts_alike(
    lineage: LineageRows, imported: tuple[CatalogId, Numbering] | None, file: DataFileRow | DeleteFileRow
) -> bool:
    """Return whether the numbers in a file are those that the export gives to the same snapshots."""
    if file.numbering_id is not None:
        return imported is not None and imported[0] == file.numbering_id
    return _number(imported, lineage.version.snapshot_id) == lineage.version.snapshot_id


def _is_whole(lineage: LineageRows, imported: tuple[CatalogId, Numbering] | None, dated: Dated) -> bool:
    """Return whether DuckLake reads all that the file holds wherever the lineage does."""
    file: DataFileRow | DeleteFileRow = dated.row
    if file.partial_max is None:
        return True
    if _bound(file) < file.partial_max:
        return False
    if _counts_alike(lineage, imported, file):
        return True
    # The numbers in the file mean nothing here, which does no harm where they are never above those of the snapshots.
    if isinstance(file, DataFileRow):
        return file.partial_max <= dated.begin
    return _in_file(lineage, file, file.partial_max) <= _number(imported, dated.begin)
