"""Statistics of several files as those of one."""

from random import Random

from forklake.catalog.combined_stats import combine_stats, widen_stats
from forklake.model import types
from forklake.model.definitions import ColumnStats
from forklake.model.ids import ColumnId, TableId
from forklake.model.rows import ColumnRow

_COLUMN = ColumnRow(
    column_id=ColumnId(1), table_id=TableId(1), column_order=1, column_name="n", column_type="int64",
    initial_default=None, default_value=None, nulls_allowed=True, parent_column=None, default_value_type=None,
    default_value_dialect=None,
)  # fmt: skip


def test_what_one_file_does_not_know_is_unknown_but_a_null_is_there() -> None:
    with_null = ColumnStats(value_count=1, null_count=2, min_value="1", max_value="1", contains_nan=None)
    for given in ([with_null, ColumnStats()], [ColumnStats(), with_null]):
        found = combine_stats(types.INT32, given)
        assert found is not None
        assert (found.value_count, found.null_count, found.min_value, found.max_value) == (None, 2, None, None)


def test_bounds_are_those_of_all_files() -> None:
    assert combine_stats(types.INT32, []) is None
    one = ColumnStats(value_count=1, null_count=0, min_value="5", max_value="5")
    assert combine_stats(types.INT32, [one]) == one
    found = combine_stats(types.INT32, [one, ColumnStats(value_count=1, min_value="10", max_value="10")])
    assert found is not None
    assert (found.value_count, found.null_count, found.min_value, found.max_value) == (2, None, "5", "10")


def test_a_table_that_grows_by_files_knows_what_all_their_values_say() -> None:
    random = Random(7)
    for _ in range(300):
        files = [[random.choice([None, *range(-20, 200)]) for _ in range(random.randint(1, 3))] for _ in range(6)]
        first = random.randint(1, 5)
        widened = widen_stats(_COLUMN, None, [_stats(file) for file in files[:first]], was_empty=True)
        widened = widen_stats(_COLUMN, widened, [_stats(file) for file in files[first:]], was_empty=False)
        values = [value for file in files for value in file]
        there = [value for value in values if value is not None]
        assert widened.contains_null == (None in values)
        bounds = (widened.min_value, widened.max_value)
        # Where the first files had only NULL there was no bound, as if it were unknown.
        assert bounds in ((str(min(there, default=None)), str(max(there, default=None))), (None, None)), files
        if any(value is not None for file in files[:first] for value in file):
            assert bounds != (None, None), files


def test_a_file_that_knows_nothing_of_a_column_leaves_it_unknown() -> None:
    known = [_stats([1]), _stats([5])]
    for given in ([None, *known], [known[0], None, known[1]], [*known, None]):
        widened = widen_stats(_COLUMN, None, given, was_empty=True)
        assert (widened.contains_null, widened.min_value, widened.max_value) == (None, None, None)


def _stats(values: list[int | None]) -> ColumnStats:
    there = [value for value in values if value is not None]
    low, high = (str(min(there)), str(max(there))) if there else (None, None)
    return ColumnStats(len(there), len(values) - len(there), low, high)
