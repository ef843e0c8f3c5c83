"""What maintenance did, as users see it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CleanUp:
    """What a clean-up deleted, or would delete.

    Attributes:
        deleted: The paths of the files that are gone.
        byte_count: The bytes that they had; a file that was gone before had none.
        named: Files that stay scheduled because a row of some catalog still names them.
        failed: Files that could not be deleted, and stay scheduled.
        dry_run: Whether nothing was done.
    """

    deleted: tuple[str, ...] = ()
    byte_count: int = 0
    named: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    dry_run: bool = False

    def __add__(self, other: CleanUp) -> CleanUp:
        return CleanUp(
            self.deleted + other.deleted,
            self.byte_count + other.byte_count,
            self.named + other.named,
            self.failed + other.failed,
            self.dry_run,
        )
