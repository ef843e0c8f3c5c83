"""Statistics of several files as those of one."""

from forklake.catalog.combined_stats import combine_stats
from forklake.model import types
from forklake.model.definitions import ColumnStats


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
