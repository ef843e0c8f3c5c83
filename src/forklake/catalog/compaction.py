"""Which files of a table are compacted together.

The rules are in docs/spec/compaction.md.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import field
from typing import Final

from forklake.errors import InvalidInputError
from forklake.model.change_log import ChangeKind
from forklake.model.field import Field
from forklake.model.ids import ColumnId, PartitionId
from forklake.model.lazy_dataclass import dataclass

_THRESHOLD: Final = 0.95


@dataclass(frozen=True, slots=True)
class MergeRules:
    """Which files are merged, and how many groups of them; None is the default."""

    min_file_size: int | None = None
    max_file_size: int | None = None
    max_compacted_files: int | None = None

    kind = ChangeKind.MERGE_ADJACENT

    def __post_init__(self) -> None:
        _check_limit("max_compacted_files", self.max_compacted_files)
        _check_limit("max_file_size", self.max_file_size)
        _check_number("min_file_size", self.min_file_size)
        if self.min_file_size is not None and self.min_file_size < 0:
            raise InvalidInputError("The min_file_size option must not be negative; nothing was compacted.")
        if self.max_file_size is not None and (self.min_file_size or 0) >= self.max_file_size:
            raise InvalidInputError("The min_file_size must be less than max_file_size.")


@dataclass(frozen=True, slots=True)
class RewriteRules:
    """From which deleted fraction on files are rewritten, and how many groups.

    None is the default; that of the threshold is an option of the table.
    """

    delete_threshold: float | None = None
    max_compacted_files: int | None = None

    kind = ChangeKind.REWRITE_DELETE

    def __post_init__(self) -> None:
        _check_limit("max_compacted_files", self.max_compacted_files)
        if isinstance(self.delete_threshold, bool) or not isinstance(self.delete_threshold, int | float | None):
            raise InvalidInputError(
                f"The delete_threshold option is a number, not {self.delete_threshold!r}; nothing was compacted."
            )
        if self.delete_threshold is not None and not 0 <= self.delete_threshold <= 1:
            raise InvalidInputError("The delete_threshold option must be between 0 and 1")


Rules = MergeRules | RewriteRules


@dataclass(frozen=True, slots=True)
class Candidate:
    """A live data file, and what decides which others it goes with.

    Attributes:
        place: The number that the caller knows it by.
        fields: The columns that the table had when the file began.
    """

    place: int
    file_size_bytes: int
    record_count: int
    deleted_count: int = 0
    partition_id: PartitionId | None = None
    partition_values: tuple[str | None, ...] = ()
    fields: tuple[Field, ...] = field(default=(), repr=False)

    @property
    def deleted_fraction(self) -> float:
        """How much of it is deleted."""
        return self.deleted_count / self.record_count if self.record_count else 1.0


@dataclass(frozen=True, slots=True)
class Group:
    """Files that are replaced together, and how many files replace them."""

    candidates: tuple[Candidate, ...]
    file_count: int = 1


def choose_groups(
    candidates: Sequence[Candidate], rules: Rules, fields: tuple[Field, ...], target_file_size: int, *, is_sorted: bool
) -> list[Group]:
    """Return the files to compact, in groups.

    Args:
        candidates: All live files, in order.
        rules: Which of them to take.
        fields: The columns that the table has now.
        target_file_size: The size that files are to have.
        is_sorted: Whether the table is sorted: then the groups of a bucket are one, with as many new files.
    """
    buckets: dict[Hashable, list[Candidate]] = {}
    keys: dict[int, Hashable] = {}
    for one in candidates:
        if _is_chosen(one, rules, target_file_size):
            # Files that began between the same changes of columns share one tuple of fields.
            if id(one.fields) not in keys:
                keys[id(one.fields)] = _columns_key(one.fields, fields, rules)
            buckets.setdefault((keys[id(one.fields)], one.partition_id, one.partition_values), []).append(one)
    limit = rules.max_compacted_files
    chosen: list[Group] = []
    taken = 0
    for bucket in buckets.values():
        groups = list(_groups(bucket, rules, target_file_size))
        groups = groups if limit is None else groups[: limit - taken]
        taken += len(groups)
        if is_sorted and len(groups) > 1:
            groups = [Group(tuple(one for group in groups for one in group.candidates), len(groups))]
        chosen += groups
    return chosen


def _is_chosen(one: Candidate, rules: Rules, target_file_size: int) -> bool:
    if isinstance(rules, RewriteRules):
        threshold = _THRESHOLD if rules.delete_threshold is None else rules.delete_threshold
        return one.deleted_count > 0 and one.deleted_fraction >= threshold
    largest = target_file_size if rules.max_file_size is None else min(rules.max_file_size, target_file_size)
    return one.deleted_count == 0 and (rules.min_file_size or 0) <= one.file_size_bytes < largest


def _columns_key(held: tuple[Field, ...], now: tuple[Field, ...], rules: Rules) -> Hashable:
    if isinstance(rules, MergeRules) and _are_kept(held, {one.column_id: one for one in now}):
        return None
    return held


def _are_kept(held: Sequence[Field], now: dict[ColumnId | None, Field]) -> bool:
    """Return whether all columns exist today under the same names and types."""
    for one in held:
        found = now.get(one.column_id)
        if found is None or found.name != one.name:
            return False
        if one.children:
            same = found.type.name == one.type.name and len(one.children) <= len(found.children)
            if not same or not _are_kept(one.children, {child.column_id: child for child in found.children}):
                return False
        elif found.type != one.type:
            return False
    return True


def _groups(bucket: Sequence[Candidate], rules: Rules, target_file_size: int) -> Iterator[Group]:
    least = 2 if isinstance(rules, MergeRules) else 1
    start = 0
    while start < len(bucket):
        size = 0
        end = start
        while end < len(bucket):
            more = int(bucket[end].file_size_bytes * (1 - bucket[end].deleted_fraction))
            if size > 0 and abs(size + more - target_file_size) >= abs(size - target_file_size):
                break
            size += more
            end += 1
        if end - start >= least:
            yield Group(tuple(bucket[start:end]))
        start = end


def _check_number(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | None):
        raise InvalidInputError(f"The {name} option is a whole number, not {value!r}; nothing was compacted.")


def _check_limit(name: str, value: int | None) -> None:
    _check_number(name, value)
    if value is not None and value <= 0:
        raise InvalidInputError(f"The {name} option must be greater than zero.")
