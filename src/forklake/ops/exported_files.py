"""Data files in an exported history, where their deletes do not go on for ever.

In DuckLake a file has one id and one interval, and an inlined delete no end. Here a file may come back, and inlined
deletes end: a flush moves them to a delete file, and a merge, refresh or reset may take them back. A position that is
deleted twice is read wrongly by DuckLake, and counted twice.

So a delete file that a flush wrote begins where the first of its inlined deletes began, and takes their place; it has
the snapshot of each, as DuckLake's own. From other snapshots at which inlined deletes end, and where a file comes back,
the export has the file once more, under another id, with the deletes that hold then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import count, pairwise

from forklake.model.ids import DataFileId, DeleteFileId, SnapshotId
from forklake.model.rows import InlinedDeleteRow
from forklake.ops.lineage_rows import DatedRow


@dataclass(frozen=True, slots=True)
class ExportedFiles:
    """The files of a history, each with one interval, and the deletes of each.

    Attributes:
        files: The data files.
        deletes: The delete files.
        places: The inlined deletes, each with the interval of its file.
        copies: The further ids of data files.
    """

    files: list[DatedRow]
    deletes: list[DatedRow]
    places: list[DatedRow]
    copies: Mapping[DataFileId, Sequence[DataFileId]]


def exported_files(
    files: Sequence[DatedRow],
    deletes: Sequence[DatedRow],
    places: Sequence[DatedRow],
    flushed: Set[tuple[DeleteFileId, SnapshotId]],
    next_id: int,
) -> ExportedFiles:
    """Give each file one interval, and deletes that hold to its end.

    Args:
        files: The data files.
        deletes: The delete files.
        places: The inlined deletes.
        flushed: The delete files that hold what was inlined before, with the snapshot of each delete; and where each
            begins.
        next_id: The first of further ids.
    """
    ids = count(next_id)
    deletes, places = _with_moved(deletes, places, flushed)
    ends: dict[DataFileId, set[SnapshotId]] = {}
    for place in places:
        ends.setdefault(place.row.data_file_id, set()).add(place.end)
    parts: dict[DataFileId, list[DatedRow]] = {}
    for file in sorted(files, key=lambda dated: dated.begin):
        file_id = file.row.data_file_id
        for part in _divide(file, ends.get(file_id, set())):
            of_file = parts.setdefault(file_id, [])
            number = DataFileId(next(ids)) if of_file else file_id
            of_file.append(replace(part, row=replace(part.row, data_file_id=number)))
    of_deletes: list[DatedRow] = []
    for dated in deletes:
        for place_of, part in enumerate(_parts_of(dated, parts)):
            number = DeleteFileId(next(ids)) if place_of else dated.row.delete_file_id
            of_deletes.append(replace(part, row=replace(part.row, delete_file_id=number)))
    return ExportedFiles(
        [part for of_file in parts.values() for part in of_file],
        of_deletes,
        [part for dated in places for part in _parts_of(dated, parts)],
        {file_id: [part.row.data_file_id for part in of_file[1:]] for file_id, of_file in parts.items()},
    )


def _with_moved(
    deletes: Sequence[DatedRow], places: Sequence[DatedRow], flushed: Set[tuple[DeleteFileId, SnapshotId]]
) -> tuple[list[DatedRow], list[DatedRow]]:
    """Let delete files that a flush wrote begin with their first delete.

    They must say when each was made.
    """
    ending: dict[tuple[DataFileId, SnapshotId], list[DatedRow]] = {}
    for dated in (*places, *deletes):
        ending.setdefault((dated.row.data_file_id, dated.end), []).append(dated)
    begins: dict[tuple[DeleteFileId, SnapshotId], SnapshotId] = {}
    ends: dict[tuple[DeleteFileId, SnapshotId], SnapshotId] = {}
    moved: set[tuple[DataFileId, SnapshotId]] = set()
    for dated in deletes:
        if (dated.row.delete_file_id, dated.begin) not in flushed:
            continue
        before = ending.get((dated.row.data_file_id, dated.begin), [])
        inlined = [one.begin for one in before if isinstance(one.row, InlinedDeleteRow)]
        earlier = [one for one in before if not isinstance(one.row, InlinedDeleteRow)]
        first = min(inlined, default=dated.begin)
        if all(_says_when(one) for one in before) and all(one.begin < first for one in earlier):
            begins[dated.row.delete_file_id, dated.begin] = first
            ends |= {(one.row.delete_file_id, one.begin): first for one in earlier}
            moved.add((dated.row.data_file_id, dated.begin))
    changed = []
    for dated in deletes:
        key = (dated.row.delete_file_id, dated.begin)
        changed.append(replace(dated, begin=begins.get(key, dated.begin), end=ends.get(key, dated.end)))
    return changed, [dated for dated in places if (dated.row.data_file_id, dated.end) not in moved]


def _says_when(dated: DatedRow) -> bool:
    """Return whether a flush knew since when deletes hold.

    Those that a refresh wrote anew seem younger.
    """
    return dated.row.origin is not None and dated.row.origin.begun == dated.begin


def _divide(file: DatedRow, ends: set[SnapshotId]) -> Iterator[DatedRow]:
    inner = sorted(end for end in ends if file.begin < end < file.end)
    for begin, end in pairwise((file.begin, *inner, file.end)):
        yield replace(file, begin=begin, end=end)


def _parts_of(deletes: DatedRow, parts: Mapping[DataFileId, Sequence[DatedRow]]) -> Iterator[DatedRow]:
    """Yield deletes once for each part of their file during which they hold."""
    for part in parts.get(deletes.row.data_file_id, ()):
        begin, end = max(deletes.begin, part.begin), min(deletes.end, part.end)
        if begin < end:
            row = replace(deletes.row, data_file_id=part.row.data_file_id)
            yield DatedRow(row, begin, end)
