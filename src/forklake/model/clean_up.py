"""What maintenance did, as users see it."""

from __future__ import annotations

from forklake.model.ids import CatalogId, SnapshotId, TableId
from forklake.model.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CleanUp:
    """What a clean-up deleted, or would delete.

    Attributes:
        deleted: The paths of the files that are gone.
        byte_count: The bytes that they had; a file that was gone before had none.
        named: Files that stay scheduled because a row of some catalog still names them.
        failed: Files that could not be deleted, and stay scheduled.
        failures: Why they could not, as sentences.
        dry_run: Whether nothing was done.
    """

    deleted: tuple[str, ...] = ()
    byte_count: int = 0
    named: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    dry_run: bool = False

    def __add__(self, other: CleanUp) -> CleanUp:
        return CleanUp(
            self.deleted + other.deleted,
            self.byte_count + other.byte_count,
            self.named + other.named,
            self.failed + other.failed,
            self.failures + other.failures,
            self.dry_run,
        )


@dataclass(frozen=True, slots=True)
class FileReference:
    """A metadata row that names a file, and a catalog that sees the row.

    Attributes:
        kind: ``data file`` or ``delete file``.
        file_id: Its id; copies of a row have the same.
        path: The path as the row has it: absolute, or below the directory of the table.
        owner_id: The catalog that wrote the row.
        owner_name: Its name.
        table_id: The table that the file belongs to.
        begin_snapshot_id: The owner's snapshot at which the row begins.
        end_snapshot_id: The one at which it ends; None if it is live.
        catalog_id: The catalog that sees the row, the owner or a fork; None if nobody does.
        catalog_name: Its name.
        first_snapshot_id: The first of that catalog's own retained snapshots that shows the file.
        last_snapshot_id: The last one.
    """

    kind: str
    file_id: int
    path: str
    owner_id: CatalogId
    owner_name: str | None
    table_id: TableId
    begin_snapshot_id: SnapshotId
    end_snapshot_id: SnapshotId | None
    catalog_id: CatalogId | None
    catalog_name: str | None
    first_snapshot_id: SnapshotId | None
    last_snapshot_id: SnapshotId | None
