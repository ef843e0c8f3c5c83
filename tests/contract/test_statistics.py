"""Statistics: rows, bytes, row ids, and the bounds of columns, merged by their type."""

import pytest

from forklake import Catalog, ColumnStats, Lake, NewDataFile
from forklake.errors import InvalidInputError, NotFoundError
from tests.contract.support import data_file, delete_file, rows


def file(name: str, **stats: ColumnStats) -> NewDataFile:
    return NewDataFile(f"{name}.parquet", 10, 100, column_stats=stats)


def bounds(low: str | None, high: str | None, nulls: int | None = 0, nan: bool | None = None) -> ColumnStats:
    return ColumnStats(10, nulls, low, high, nan)


def table_stats(lake: Lake, catalog: Catalog, name: str = "t") -> dict[str, tuple[object, ...]]:
    """Return (min, max, contains_null, contains_nan) of each column, from the rows of the catalog's own."""
    found = rows(
        lake,
        "SELECT column_id, min_value, max_value, contains_null, contains_nan"
        " FROM forklake.ducklake_table_column_stats s WHERE catalog_id = :c AND table_id = :t AND begin_snapshot ="
        " (SELECT max(begin_snapshot) FROM forklake.ducklake_table_column_stats"
        " WHERE catalog_id = :c AND table_id = :t)",
        c=catalog.catalog_id,
        t=catalog.table(name).table_id,
    )
    columns = {column.column_id: column.name for column in catalog.table(name).columns}
    flag = {None: None, 0: False, 1: True}
    return {columns[row[0]]: (row[1], row[2], flag[row[3]], flag[row[4]]) for row in found}


def test_rows_bytes_and_row_ids_are_counted(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER"})
    shop.table("t").storage.append_files([data_file("a", 10), data_file("b", 5)])
    shop.table("t").storage.append_files([data_file("c", 1)])
    stats = shop.table("t").inspect.stats
    assert (stats.record_count, stats.file_size_bytes, stats.next_row_id) == (16, 160, 16)
    assert [f.row_id_start for f in shop.table("t").storage.files()] == [0, 10, 15]
    (first, second, _) = shop.table("t").storage.files()
    shop.table("t").storage.delete_rows([delete_file(first.data_file_id, "d", 9)])
    assert shop.table("t").inspect.stats == stats  # deleted rows count until their file goes
    shop.table("t").storage.remove_files([first.data_file_id, second.data_file_id])
    stats = shop.table("t").inspect.stats
    assert (stats.record_count, stats.file_size_bytes, stats.next_row_id) == (1, 10, 16)
    shop.table("t").storage.append_files([data_file("d", 2)])
    assert [f.row_id_start for f in shop.table("t").storage.files()] == [15, 16]


@pytest.mark.parametrize(
    ("column_type", "first", "second", "low", "high"),
    [
        ("INTEGER", ("9", "9"), ("-10", "100"), "-10", "100"),
        ("HUGEINT", ("9", "9"), ("10", str(10**30)), "9", str(10**30)),
        ("DOUBLE", ("9.5", "9.5"), ("-1e3", "1e2"), "-1e3", "1e2"),
        ("DECIMAL(10,2)", ("9.00", "9.00"), ("10.00", "100.00"), "9.00", "100.00"),
        ("VARCHAR", ("9", "9"), ("10", "100"), "10", "9"),
        ("DATE", ("2024-02-01", "2024-02-01"), ("1999-12-31", "2024-10-01"), "1999-12-31", "2024-10-01"),
        ("INTEGER", ("1", "2"), ("broken", "3"), None, "3"),
        ("INTEGER", ("1", "2"), (None, "3"), None, "3"),
    ],
)
def test_bounds_are_compared_as_values_of_their_type(
    lake: Lake,
    column_type: str,
    first: tuple[str, str],
    second: tuple[str | None, str],
    low: str | None,
    high: str,
) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"x": column_type})
    shop.table("t").storage.append_files([file("a", x=bounds(*first))])
    shop.table("t").storage.append_files([file("b", x=bounds(*second))])
    assert table_stats(lake, shop) == {"x": (low, high, False, None)}
    once = lake.create_catalog("at-once")
    once.create_table("t", {"x": column_type})
    once.table("t").storage.append_files([file("a", x=bounds(*first)), file("b", x=bounds(*second))])
    assert table_stats(lake, once) == table_stats(lake, shop)


def test_what_one_file_does_not_know_is_not_known(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"x": "DOUBLE", "y": "INTEGER"})
    shop.table("t").storage.append_files([file("a", x=bounds("1", "2", nan=False), y=bounds("1", "2"))])
    shop.table("t").storage.append_files([file("b", x=bounds("0", "1", nulls=3, nan=True))])
    assert table_stats(lake, shop) == {"x": ("0", "2", True, True), "y": (None, None, None, None)}
    shop.table("t").storage.append_files([file("c", y=bounds("1", "2"))])
    assert table_stats(lake, shop)["y"][:2] == (None, None)  # the rows of file b may be anything


def test_a_file_of_nulls_only_leaves_the_bounds(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"x": "INTEGER"})
    shop.table("t").storage.append_files([file("a", x=bounds("1", "2"))])
    shop.table("t").storage.append_files([file("b", x=ColumnStats(0, 10))])
    assert table_stats(lake, shop) == {"x": ("1", "2", True, None)}


def test_a_younger_column_has_no_bounds_over_older_rows(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"x": "INTEGER"})
    shop.table("t").storage.append_files([file("a", x=bounds("1", "2"))])
    shop.table("t").alter.add_column(("y", "INTEGER"))
    shop.table("t").storage.append_files([file("b", x=bounds("1", "2"), y=bounds("5", "6"))])
    assert table_stats(lake, shop)["y"][:3] == (None, None, None)


def test_statistics_of_a_file_are_kept_by_column(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"x": "INTEGER", "Y": "VARCHAR"})
    shop.table("t").storage.append_files([file("a", X=bounds("1", "2"), y=bounds("a", "b", nulls=1))])
    found = rows(
        lake,
        "SELECT data_file_id, table_id, column_id, value_count, null_count, min_value, max_value"
        " FROM forklake.ducklake_file_column_stats ORDER BY column_id",
    )
    assert found == [(0, 1, 1, 10, 0, "1", "2"), (0, 1, 2, 10, 1, "a", "b")]
    with pytest.raises(NotFoundError, match=r'Column "z" exists in file "b\.parquet" but was not found in table "t"'):
        shop.table("t").storage.append_files([file("b", z=bounds("1", "2"))])


def test_a_file_that_a_transaction_takes_back_leaves_nothing(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"x": "INTEGER"})
    with shop.transaction() as transaction:
        transaction.table("t").storage.append_files([file("a", x=bounds("1", "2")), file("b", x=bounds("3", "4"))])
        (first, _) = transaction.table("t").storage.files()
        transaction.table("t").storage.remove_files([first.data_file_id])
    assert shop.table("t").inspect.stats.record_count == 10
    for table in ("data_file", "file_column_stats"):
        assert rows(lake, f"SELECT data_file_id FROM forklake.ducklake_{table}") == [
            (shop.table("t").storage.files()[0].data_file_id,)
        ]


@pytest.mark.parametrize("count", [-1, 1.5, "ten", True, None])
def test_a_count_is_a_whole_number_from_0_on(lake: Lake, count: int) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"x": "INTEGER"})
    for wrong in (NewDataFile("a.parquet", count, 1), NewDataFile("a.parquet", 1, count)):
        with pytest.raises(InvalidInputError, match="is no count of rows or bytes"):
            shop.table("t").storage.append_files([wrong])
    assert shop.table("t").storage.files() == []


@pytest.mark.parametrize(("count", "byte_count"), [(2**63, 1), (1, 2**63), (2**62, 1), (1, 2**62)])
def test_more_rows_or_bytes_than_64_bits_count_are_refused(lake: Lake, count: int, byte_count: int) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"x": "INTEGER"})
    shop.table("t").storage.append_files([NewDataFile("a.parquet", 2**62, 2**62)])
    with pytest.raises(InvalidInputError, match="cannot hold so much"):
        shop.table("t").storage.append_files([NewDataFile("b.parquet", count, byte_count)])
    assert len(shop.table("t").storage.files()) == 1


def test_a_fork_goes_on_with_the_statistics_of_its_parent_and_the_parent_does_not_see_it(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"x": "INTEGER"})
    shop.table("t").storage.append_files([file("a", x=bounds("5", "6"))])
    by_reference = shop.fork("by-reference")
    copied = shop.fork("copied", copy=True)
    shop.table("t").storage.append_files([file("b", x=bounds("0", "99"))])
    for fork in (by_reference, copied):
        assert fork.table("t").inspect.stats.record_count == 10
        fork.table("t").storage.append_files([file("c", x=bounds("4", "5"))])
        assert table_stats(lake, fork) == {"x": ("4", "6", False, None)}
        assert fork.table("t").inspect.stats.record_count == 20
        assert fork.table("t").storage.files()[-1].row_id_start == fork.catalog_id << 36
    assert table_stats(lake, shop) == {"x": ("0", "99", False, None)}
    assert shop.table("t").inspect.stats.next_row_id == 20


def test_statistics_of_the_past_are_those_of_then(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"x": "INTEGER"})
    made = shop.head
    shop.table("t").storage.append_files([data_file("a", 3)])
    appended = shop.head
    shop.table("t").storage.append_files([data_file("b", 4)])
    counts = [shop.at(version=version).table("t").inspect.stats.record_count for version in (made, appended, shop.head)]
    assert counts == [0, 3, 7]


def test_inlined_rows_widen_the_bounds_of_columns(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER", "f": "DOUBLE"})
    shop.table("t").storage.insert_inlined([{"i": "9", "f": "1.5"}, {"i": "10", "f": "2"}])
    assert table_stats(lake, shop)["i"] == ("9", "10", False, None)
    shop.table("t").storage.insert_inlined([{"i": None, "f": "nan"}, {"i": "-1", "f": "0"}])
    found = table_stats(lake, shop)
    assert found["i"] == ("-1", "10", True, None)
    assert found["f"] == (None, None, False, True)
    with pytest.raises(InvalidInputError, match="the column has NULL values"):
        shop.table("t").alter.set_not_null("i")
