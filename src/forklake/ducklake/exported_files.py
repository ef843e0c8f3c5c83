"""Data files in an exported history, where their deletes do not go on for ever.

In DuckLake a file has one id and one interval, and an inlined delete no end. Here a file may come back, and inlined
deletes end: a flush moves them to a delete file, and a merge, refresh or reset may take them back. A position that is
deleted twice is read wrongly by DuckLake, and counted twice.

So a delete file that a flush wrote begins where the first of its inlined deletes began, and takes their place; it has
the snapshot of each, as DuckLake's own. If its snapshots have other numbers than the export's, the inlined deletes go
on instead, and it is left out; it must then hold until its data file ends. From other snapshots at which inlined
deletes end, and where a file comes back, the export has the file once more, under another id, with the deletes that
hold then; the rows there seem to be of that snapshot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, pairwise

from forklake.ducklake.lineage_rows import DatedRow
from forklake.model.ids import DataFileId, DeleteFileId, SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.rows import InlinedDeleteRow

_Deletes = tuple[DeleteFileId, SnapshotId]
"""A delete file, and where it begins."""
Flushed = Mapping[_Deletes, bool]
"""Delete files that a flush wrote, and whether the numbers of the export tell when each of their deletes was made."""


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
    flushed: Flushed,
    next_id: int,
) -> ExportedFiles:
    """Give each file one interval, and deletes that hold to its end.

    Args:
        files: The data files.
        deletes: The delete files.
        places: The inlined deletes.
        flushed: The delete files that hold what was inlined before.
        next_id: The first of further ids.
    """
    ids = count(next_id)
    deletes, places = _with_moved(files, deletes, places, flushed)
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
    files: Sequence[DatedRow], deletes: Sequence[DatedRow], places: Sequence[DatedRow], flushed: Flushed
) -> tuple[list[DatedRow], list[DatedRow]]:
    """Move delete files of a flush to their first delete, or leave them out.

    To begin earlier they must say when each delete was made. Those that are left out hold what the deletes before
    them hold, which then go on.
    """
    ending: dict[tuple[DataFileId, SnapshotId], list[DatedRow]] = {}
    for dated in (*places, *deletes):
        ending.setdefault((dated.row.data_file_id, dated.end), []).append(dated)
    ends_of_files = {(file.row.data_file_id, file.end) for file in files}
    begins: dict[_Deletes, SnapshotId] = {}
    ends: dict[_Deletes, SnapshotId] = {}
    moved: set[tuple[DataFileId, SnapshotId]] = set()
    going_on: dict[tuple[DataFileId, SnapshotId], SnapshotId] = {}
    left_out: set[_Deletes] = set()
    for dated in deletes:
        key, at = (dated.row.delete_file_id, dated.begin), (dated.row.data_file_id, dated.begin)
        before = ending.get(at, [])
        if key not in flushed or not before:
            continue
        inlined = [one.begin for one in before if isinstance(one.row, InlinedDeleteRow)]
        earlier = [one for one in before if not isinstance(one.row, InlinedDeleteRow)]
        first = min(inlined, default=dated.begin)
        if flushed[key] and all(_says_when(one) for one in before) and all(one.begin < first for one in earlier):
            begins[key] = first
            ends |= {(one.row.delete_file_id, one.begin): first for one in earlier}
            moved.add(at)
        elif (at[0], dated.end) in ends_of_files and dated.row.delete_count == sum(
            1 if isinstance(one.row, InlinedDeleteRow) else one.row.delete_count for one in before
        ):
            left_out.add(key)
            ends |= {(one.row.delete_file_id, one.begin): dated.end for one in earlier}
            going_on[at] = dated.end
    changed = []
    for dated in deletes:
        key = (dated.row.delete_file_id, dated.begin)
        if key not in left_out:
            changed.append(replace(dated, begin=begins.get(key, dated.begin), end=ends.get(key, dated.end)))
    kept = (dated for dated in places if (dated.row.data_file_id, dated.end) not in moved)
    return changed, [replace(dated, end=going_on.get((dated.row.data_file_id, dated.end), dated.end)) for dated in kept]


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
