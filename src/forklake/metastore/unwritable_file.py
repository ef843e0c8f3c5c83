"""Metadata files that are only read: where they lie, nothing can be written.

SQLite needs no file beside its own only if it is sure that nobody writes. A process that has the file open, through
another mount perhaps, has a log and its index there; where there is neither, the file itself says whether it changed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final
from urllib.parse import quote

from forklake.errors import MetastoreRefusedError
from forklake.model.lazy_dataclass import dataclass

_WRITTEN_HINT: Final = "Copy the lake to where it can be written, or make the directory writable."


def is_unwritable(path: Path) -> bool:
    """Return whether a file is there, and no file can be made beside it."""
    return path.exists() and not os.access(path.parent, os.W_OK)


def unwritable_error(path: Path) -> MetastoreRefusedError:
    """Return the error for whatever would write."""
    return MetastoreRefusedError(
        f'The metadata file "{path}" lies where nothing can be written, so the lake is only read; nothing was changed.',
        hint=_WRITTEN_HINT,
    )


def log_error(path: Path) -> MetastoreRefusedError:
    """Return the error for a file of which SQLite cannot read the log."""
    return MetastoreRefusedError(
        f'The metadata file "{path}" has changes in "{path.name}-wal" that are not in the file itself yet. They cannot'
        " be read where nothing can be written; nothing was read.",
        hint="Copy both files to a directory that can be written, and open the lake there with its data path.",
    )


@dataclass(frozen=True, slots=True)
class FileState:
    """What an SQLite file and its companions look like at a moment.

    Attributes:
        is_quiet: Whether no process seems to have the file open, and all of its content is in the file itself.
        stamp: What changes when somebody writes to the file.
    """

    is_quiet: bool
    stamp: tuple[int, int, int]

    @classmethod
    def of(cls, path: Path) -> FileState:
        """Look at a file."""
        found = path.stat()
        log = Path(f"{path}-wal")
        is_quiet = not os.path.exists(f"{path}-shm") and not (log.exists() and log.stat().st_size)
        return cls(is_quiet, (found.st_ino, found.st_size, found.st_mtime_ns))

    def address(self, path: Path) -> str:
        """Return how SQLite opens the file to read it."""
        return f"file:{quote(str(path))}?mode=ro{'&immutable=1' if self.is_quiet else ''}"
