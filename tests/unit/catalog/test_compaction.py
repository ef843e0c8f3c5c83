"""Which files are compacted together."""

from typing import Any

import pytest

from forklake.catalog.compaction import Candidate, MergeRules, RewriteRules, Rules, choose_groups
from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import ColumnId, PartitionId

NOW = (Field(ColumnId(1), "i", types.INT32), Field(ColumnId(2), "v", types.VARCHAR))


def file(place: int, size: int, **details: Any) -> Candidate:
    return Candidate(place, size, details.pop("rows", 100), fields=details.pop("fields", NOW), **details)


def groups(files: list[Candidate], rules: Rules, target: int = 100, *, is_sorted: bool = False) -> list[list[int]]:
    """Return the places of the files of each group."""
    found = choose_groups(files, rules, NOW, target, is_sorted=is_sorted)
    return [[one.place for one in group.candidates] for group in found]


def test_files_are_added_until_the_next_would_lead_away_from_the_target() -> None:
    sizes = [40, 40, 40, 30, 90, 20, 5, 5]
    files = [file(place, size) for place, size in enumerate(sizes)]
    assert groups(files, MergeRules()) == [[0, 1], [2, 3], [5, 6, 7]]


def test_a_file_alone_is_not_merged_and_does_not_count_against_the_limit() -> None:
    files = [file(place, size) for place, size in enumerate([99, 99, 10, 10, 60, 60, 60])]
    assert groups(files, MergeRules()) == [[2, 3, 4], [5, 6]]
    assert groups(files, MergeRules(max_compacted_files=1)) == [[2, 3, 4]]
    assert groups(files[:1], MergeRules()) == []


def test_sizes_have_bounds_and_files_of_the_target_size_are_left() -> None:
    files = [file(place, size) for place, size in enumerate([5, 10, 20, 30, 100, 200])]
    assert groups(files, MergeRules(), target=1000) == [[0, 1, 2, 3, 4, 5]]
    assert groups(files, MergeRules(min_file_size=10, max_file_size=30), target=1000) == [[1, 2]]
    assert groups(files, MergeRules(max_file_size=10**9), target=100) == [[0, 1, 2, 3]]


def test_files_with_deleted_rows_are_rewritten_and_others_merged() -> None:
    files = [file(place, 1000, deleted_count=gone) for place, gone in enumerate([0, 1, 95, 100, 0])]
    assert groups(files, MergeRules(), 10**6) == [[0, 4]]
    assert groups(files, RewriteRules(), 10**6) == [[2], [3]]
    assert groups(files, RewriteRules(delete_threshold=0.01), 10**6) == [[1, 2], [3]]
    assert groups(files, RewriteRules(delete_threshold=1), 10**6) == [[3]]


def test_of_a_file_to_rewrite_what_is_left_counts() -> None:
    files = [file(place, 400, deleted_count=90) for place in range(4)]
    assert groups(files, RewriteRules(0.5)) == [[0, 1, 2], [3]]
    assert groups([file(0, 10_000, deleted_count=50)], RewriteRules(0.5)) == [[0]]


def test_partitions_are_not_mixed() -> None:
    one, other = PartitionId(7), PartitionId(8)
    files = [
        file(0, 10, partition_id=one, partition_values=("a",)),
        file(1, 10, partition_id=one, partition_values=(None,)),
        file(2, 10, partition_id=one, partition_values=("a",)),
        file(3, 10, partition_id=other, partition_values=("a",)),
        file(4, 10, partition_id=one, partition_values=(None,)),
        file(5, 10, partition_id=other, partition_values=("a",)),
        file(6, 10),
        file(7, 10),
    ]
    assert groups(files, MergeRules()) == [[0, 2], [1, 4], [3, 5], [6, 7]]
    assert groups(files, MergeRules(max_compacted_files=3)) == [[0, 2], [1, 4], [3, 5]]


def test_files_of_columns_that_changed_go_with_their_like() -> None:
    older = NOW[:1]
    renamed = (Field(ColumnId(1), "old", types.INT32), NOW[1])
    retyped = (Field(ColumnId(1), "i", types.INT16), NOW[1])
    dropped = (*NOW, Field(ColumnId(3), "gone", types.INT32))
    kinds = [older, NOW, renamed, retyped, dropped] * 2
    files = [file(place, 5, fields=fields) for place, fields in enumerate(kinds)]
    assert groups(files, MergeRules()) == [[0, 1, 5, 6], [2, 7], [3, 8], [4, 9]]
    gone = [file(place, 5, fields=fields, deleted_count=100) for place, fields in enumerate(kinds)]
    assert groups(gone, RewriteRules()) == [[0, 5], [1, 6], [2, 7], [3, 8], [4, 9]]


def test_nested_columns_must_be_kept_too() -> None:
    inner = Field(ColumnId(4), "x", types.INT32)
    now = (Field(ColumnId(3), "s", types.Struct((inner, Field(ColumnId(5), "y", types.INT32)))),)
    grown = (Field(ColumnId(3), "s", types.Struct((inner,))),)
    changed = (Field(ColumnId(3), "s", types.Struct((Field(ColumnId(4), "z", types.INT32),))),)
    files = [file(0, 5, fields=now), file(1, 5, fields=grown), file(2, 5, fields=changed), file(3, 5, fields=changed)]
    found = choose_groups(files, MergeRules(), now, 100, is_sorted=False)
    assert [[one.place for one in group.candidates] for group in found] == [[0, 1], [2, 3]]


def test_groups_of_a_sorted_table_are_one_with_as_many_files() -> None:
    files = [file(place, 50) for place in range(6)]
    assert groups(files, MergeRules()) == [[0, 1], [2, 3], [4, 5]]
    (group,) = choose_groups(files, MergeRules(), NOW, 100, is_sorted=True)
    assert (len(group.candidates), group.file_count) == (6, 3)
    (limited,) = choose_groups(files, MergeRules(max_compacted_files=2), NOW, 100, is_sorted=True)
    assert (len(limited.candidates), limited.file_count) == (4, 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MergeRules(max_compacted_files=0), "The max_compacted_files option must be greater than zero."),
        (lambda: RewriteRules(max_compacted_files=-1), "The max_compacted_files option must be greater than zero."),
        (lambda: MergeRules(max_file_size=0), "The max_file_size option must be greater than zero."),
        (lambda: MergeRules(min_file_size=5, max_file_size=5), "The min_file_size must be less than max_file_size."),
        (lambda: MergeRules(min_file_size=-1), "min_file_size"),
        (lambda: MergeRules(max_file_size="10MB"), "The max_file_size option is a whole number, not '10MB'"),  # type: ignore[arg-type]
        (lambda: MergeRules(min_file_size="1"), "The min_file_size option is a whole number, not '1'"),  # type: ignore[arg-type]
        (lambda: RewriteRules("half"), "The delete_threshold option is a number, not 'half'"),  # type: ignore[arg-type]
        (lambda: RewriteRules(1.01), "The delete_threshold option must be between 0 and 1"),
        (lambda: RewriteRules(float("nan")), "The delete_threshold option must be between 0 and 1"),
    ],
)
def test_limits_out_of_range_are_refused(make: Any, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        make()
