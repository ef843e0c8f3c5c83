"""How the files of a plan are divided among tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from forklake.engine.local.file_rows import Rows, Selection, file_rows, inlined_rows
from forklake.model.lazy_dataclass import dataclass
from forklake.model.scan import ScanFile, ScanRows

PART_BYTES: Final = 32 * 2**20
"""About what one task reads: larger files are divided by row groups, smaller ones are read together."""


@dataclass(frozen=True, slots=True)
class FilePart:
    """One of ``count`` parts of a file."""

    file: ScanFile
    number: int = 0
    count: int = 1


Piece = FilePart | ScanRows


def tasks(files: Sequence[ScanFile], inlined: Sequence[ScanRows] = ()) -> list[tuple[Piece, ...]]:
    """Return what each task reads, in the order of the files, inlined rows last."""
    found: list[tuple[Piece, ...]] = []
    waiting: list[Piece] = []
    byte_count = 0
    for file in files:
        if file.file_size_bytes > PART_BYTES:
            count = -(-file.file_size_bytes // PART_BYTES)
            found += [(FilePart(file, number, count),) for number in range(count)]
            continue
        if waiting and byte_count + file.file_size_bytes > PART_BYTES:
            found.append(tuple(waiting))
            waiting, byte_count = [], 0
        waiting.append(FilePart(file))
        byte_count += file.file_size_bytes
    waiting += [rows for rows in inlined if rows.rows]
    return [*found, tuple(waiting)] if waiting else found


def piece_rows(pieces: Sequence[Piece], selection: Selection) -> Iterator[Rows]:
    """Yield the rows of what one task reads."""
    for piece in pieces:
        if isinstance(piece, ScanRows):
            yield inlined_rows(piece, selection)
        else:
            yield from file_rows(piece.file, selection, (piece.number, piece.count))
