"""Chooses rows by their ids, between files that two sides changed.

Rows are columns of numbers: ids, versions, and places. No value of a row is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from forklake.model.lazy_dataclass import dataclass

INLINED = -1
"""The file of a row that the metadata holds; its position is its id."""
_NONE = -1

Numbers = NDArray[np.int64]


def unite(*parts: Numbers) -> Numbers:
    """Return the numbers of all parts, each once, in order.

    The parts are in order mostly, which a stable sort makes use of; NumPy's own unions hash every number.

    >>> unite(np.array([1, 4]), np.array([2, 4])).tolist()
    [1, 2, 4]
    """
    numbers = np.sort(np.concatenate(parts), kind="stable")
    is_new = np.ones(numbers.size, np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=is_new[1:])
    found: Numbers = numbers[is_new]
    return found


@dataclass(frozen=True)
class PlacedRows:
    """Live rows of one side, in the order of their ids: versions, files and positions."""

    row_ids: Numbers
    versions: Numbers
    files: Numbers
    positions: Numbers

    @classmethod
    def of(cls, parts: Sequence[tuple[int, Numbers, Numbers, Numbers]]) -> PlacedRows:
        """Return rows of several files.

        Each part has the file, and of its rows ids, versions and positions.
        """
        if not parts:
            empty = np.empty(0, np.int64)
            return cls(empty, empty, empty, empty)
        ids = np.concatenate([part[1] for part in parts])
        order = np.argsort(ids, kind="stable")
        files = np.concatenate([np.full(part[1].size, part[0], np.int64) for part in parts])
        return cls(
            ids[order],
            np.concatenate([part[2] for part in parts])[order],
            files[order],
            np.concatenate([part[3] for part in parts])[order],
        )

    def versions_at(self, row_ids: Numbers) -> Numbers:
        """Return the versions of rows, or -1 where there is no such row."""
        found = np.full(row_ids.size, _NONE, np.int64)
        if self.row_ids.size:
            at = np.minimum(np.searchsorted(self.row_ids, row_ids), self.row_ids.size - 1)
            is_there = self.row_ids[at] == row_ids
            found[is_there] = self.versions[at[is_there]]
        return found

    def only(self, row_ids: Numbers) -> PlacedRows:
        """Return the rows with some ids."""
        return self._where(np.isin(self.row_ids, row_ids))

    def without(self, row_ids: Numbers) -> PlacedRows:
        """Return the rows without some ids."""
        return self._where(~np.isin(self.row_ids, row_ids))

    def positions_in(self, file: int) -> Numbers:
        """Return the positions of the rows in one file, in order."""
        return self._by_file.get(file, np.empty(0, np.int64))

    @cached_property
    def _by_file(self) -> dict[int, Numbers]:
        order = np.argsort(self.files, kind="stable")
        files = self.files[order]
        starts = np.flatnonzero(np.diff(files, prepend=-1 if not files.size else files[0] - 1))
        parts = np.split(self.positions[order], starts[1:])
        return {int(files[start]): np.sort(part, kind="stable") for start, part in zip(starts, parts, strict=False)}

    def _where(self, keep: NDArray[np.bool_]) -> PlacedRows:
        return PlacedRows(self.row_ids[keep], self.versions[keep], self.files[keep], self.positions[keep])


@dataclass(frozen=True, slots=True)
class RowChoice:
    """What becomes of rows.

    Attributes:
        from_source: The ids of rows that become as the source has them: changed, added or deleted.
        conflicts: The ids of rows that both sides changed, each with the versions of target and source; -1: deleted.
        ambiguous: Those of them on which the bases differ.
    """

    from_source: Numbers
    conflicts: tuple[Numbers, Numbers, Numbers]
    ambiguous: Numbers


def choose_rows(bases: Sequence[PlacedRows], source: PlacedRows, target: PlacedRows) -> RowChoice:
    """Compare rows of three sides by their ids and versions.

    >>> def rows(**versions):
    ...     ids = np.array([int(name[1:]) for name in versions], np.int64)
    ...     return PlacedRows.of([(7, ids, np.array(list(versions.values()), np.int64), ids)])
    >>> made = choose_rows([rows(r1=1, r2=1, r3=1)], rows(r1=5, r3=1, r4=5), rows(r1=6, r2=1))
    >>> made.from_source.tolist(), [part.tolist() for part in made.conflicts]
    ([2, 4], [[1], [6], [5]])
    """
    ids = unite(source.row_ids, *(base.row_ids for base in bases))
    theirs, ours = source.versions_at(ids), target.versions_at(ids)
    before = [base.versions_at(ids) for base in bases]
    is_agreed = np.ones(ids.size, np.bool_)
    for other in before[1:]:
        is_agreed &= other == before[0]
    differs = theirs != ours
    is_source = differs & is_agreed & (ours == before[0])
    is_target = differs & is_agreed & (theirs == before[0])
    is_conflict = differs & ~is_source & ~is_target
    return RowChoice(
        ids[is_source], (ids[is_conflict], ours[is_conflict], theirs[is_conflict]), ids[is_conflict & ~is_agreed]
    )


def same_rows(one: PlacedRows, other: PlacedRows) -> Numbers:
    """Return the ids of rows that both have in the same version, wherever they are."""
    ids = np.intersect1d(one.row_ids, other.row_ids, assume_unique=True)
    found: Numbers = ids[one.versions_at(ids) == other.versions_at(ids)]
    return found
