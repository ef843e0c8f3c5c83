"""Rows that are written before their transaction gives a column another type."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from forklake import Catalog, ColumnDefinition, Lake, NewDataFile, PartitionField, Transaction
from forklake.catalog import lookup
from forklake.catalog.exact_bounds import exact_bounds
from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.scan import ROW_ID_COLUMN
from tests.rows.arrow_hands import TABLE, ArrowHands, planned
from tests.rows.conditions import Compared
from tests.rows.driver_changes import change_rows
from tests.rows.shown_rows import shown_rows

pytestmark = pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)

NARROW = 0.10000000149011612
"""What 0.1 is as a float of 32 bits."""

CASES: dict[str, tuple[str, list[Any], str, list[Any]]] = {
    "decimal to double": ("DECIMAL(8,2)", [Decimal("1.25"), None], "DOUBLE", [1.25, None]),
    "boolean to integer": ("BOOLEAN", [True, False, None], "INTEGER", [1, 0, None]),
    "small integer to float": ("SMALLINT", [5, -7], "FLOAT", [5.0, -7.0]),
    "float to double": ("FLOAT", [0.1, None], "DOUBLE", [NARROW, None]),
    "integer to decimal": ("INTEGER", [3], "DECIMAL(14,3)", [Decimal("3.000")]),
    "decimal to wider decimal": ("DECIMAL(4,1)", [Decimal("1.5")], "DECIMAL(9,3)", [Decimal("1.500")]),
    "list of floats": ("FLOAT[]", [[0.1, None], []], "DOUBLE[]", [[NARROW, None], []]),
    "struct": ("STRUCT(a DECIMAL(8,2))", [{"a": Decimal("1.25")}], "STRUCT(a DOUBLE)", [{"a": 1.25}]),
}


@pytest.fixture(params=[0, 100], ids=["files", "inlined"])
def shop(lake: Lake, request: pytest.FixtureRequest) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.options.set("data_inlining_row_limit", request.param)
    return shop


def values(reader: Catalog | Transaction, column: str = "x") -> list[Any]:
    rows = shown_rows(planned(reader.table(TABLE), None))
    return [row[column] for row in sorted(rows, key=lambda row: row["k"])]


def written(shop: Catalog, old: str, given: list[Any]) -> Callable[[Transaction], None]:
    rows = [{"k": number, "x": value} for number, value in enumerate(given)]

    def write(transaction: Transaction) -> None:
        if "t" not in [table.name for table in shop.tables()]:
            transaction.create_table(TABLE, {"k": "INTEGER", "x": old})
        transaction.table(TABLE).append(rows)

    return write


@pytest.mark.parametrize("is_new", [True, False], ids=["new table", "old table"])
@pytest.mark.parametrize("case", CASES)
def test_rows_have_the_type_that_their_transaction_gives_to_the_column(
    shop: Catalog, lake: Lake, case: str, is_new: bool
) -> None:
    old, given, new, expected = CASES[case]
    if not is_new:
        shop.create_table(TABLE, {"k": "INTEGER", "x": old})
    with shop.transaction() as transaction:
        written(shop, old, given)(transaction)
        transaction.table(TABLE).alter.set_type("x", new)
        assert values(transaction) == expected
        transaction.table(TABLE).append([{"k": len(given), "x": expected[0]}])
    assert values(shop) == [*expected, expected[0]]
    fork = shop.fork("other")
    assert values(fork) == [*expected, expected[0]]
    fork.maintenance.flush_inlined()
    assert values(fork) == [*expected, expected[0]]
    feed = ArrowHands(1).feed(shop.table(TABLE), shop.head, shop.head)
    assert sorted(kind for _, _, kind, _ in feed) == ["insert"] * (len(given) + 1)


def test_rows_keep_ids_and_deletes_when_their_file_is_rewritten(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    with shop.transaction() as transaction:
        transaction.create_table(TABLE, {"k": "INTEGER", "x": "FLOAT"})
        transaction.table(TABLE).append([{"k": number, "x": 0.1 * number} for number in range(5)])
        change_rows(transaction, TABLE, "k", ["2"], None)
        before = [row[ROW_ID_COLUMN] for row in shown_rows(planned(transaction.table(TABLE), None))]
        transaction.table(TABLE).alter.set_type("x", "DOUBLE")
        after = list(shown_rows(planned(transaction.table(TABLE), None)))
    assert before == [row[ROW_ID_COLUMN] for row in after] == [0, 1, 3, 4]
    assert [row["k"] for row in shown_rows(planned(shop.table(TABLE), None))] == [0, 1, 3, 4]
    (file,) = shop.table(TABLE).storage.files()
    assert not planned(shop.table(TABLE), Compared(("x",), ">", after[-1]["x"])).files
    assert shop.table(TABLE).inspect.stats.file_size_bytes == file.file_size_bytes


def test_a_rewritten_file_is_told_by_the_history_of_columns_and_not_by_its_footer(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    with shop.transaction() as transaction:
        transaction.create_table(TABLE, {"k": "INTEGER", "x": "FLOAT"})
        transaction.table(TABLE).append([{"k": 1, "x": 0.1}])
        transaction.table(TABLE).alter.set_type("x", "DOUBLE")
        transaction.table(TABLE).alter.rename_column("x", "y")
    (file,) = planned(shop.table(TABLE), None).files
    assert file.fields is not None
    assert [(field.name, field.type) for field in file.fields] == [("k", types.INT32), ("x", types.FLOAT64)]
    assert values(shop, "y") == [NARROW]


def test_files_follow_a_type_that_changes_twice_between_renames_and_drops(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    with shop.transaction() as transaction:
        transaction.create_table(TABLE, {"k": "INTEGER", "x": "BOOLEAN", "gone": "VARCHAR"})
        transaction.table(TABLE).append([{"k": 0, "x": True, "gone": "a"}])
        transaction.table(TABLE).alter.drop_column("gone")
        transaction.table(TABLE).alter.rename_column("x", "y")
        transaction.table(TABLE).alter.set_type("y", "SMALLINT")
        transaction.table(TABLE).alter.add_column(("gone", "DATE"))
        transaction.table(TABLE).append([{"k": 1, "y": 700}])
        transaction.table(TABLE).alter.rename_column("y", "x")
        transaction.table(TABLE).alter.set_type("x", "FLOAT")
    assert values(shop) == [1.0, 700.0]
    assert values(shop, "gone") == [None, None]


@pytest.mark.parametrize("transform", ["identity", "bucket(4)"])
def test_partitions_of_rewritten_files_are_those_of_the_new_type(lake: Lake, transform: str) -> None:
    shop = lake.create_catalog("shop")
    with shop.transaction() as transaction:
        transaction.create_table(
            TABLE, {"k": "INTEGER", "x": "DECIMAL(8,2)"}, partition_by=[PartitionField("x", transform)]
        )
        transaction.table(TABLE).append([{"k": number, "x": Decimal(number) / 4} for number in range(40)])
        transaction.table(TABLE).alter.set_type("x", "DOUBLE")
    expected = [number / 4 for number in range(40)]
    assert values(shop) == expected
    for number, value in enumerate(expected):
        found = shown_rows(planned(shop.table(TABLE), Compared(("x",), "=", value)))
        assert number in [row["k"] for row in found], f"the file with {value} was left out"


def test_a_type_that_a_value_does_not_fit_is_refused_and_the_transaction_goes_on(shop: Catalog) -> None:
    with shop.transaction() as transaction:
        transaction.create_table(TABLE, {"k": "INTEGER", "x": "TIMESTAMP"})
        transaction.table(TABLE).append([{"k": 1, "x": "9999-01-01 00:00:00"}])
        with pytest.raises(InvalidInputError):
            transaction.table(TABLE).alter.set_type("x", "TIMESTAMP_NS")
        transaction.table(TABLE).alter.set_type("x", "TIMESTAMPTZ")
    assert [value.year for value in values(shop)] == [9999]


def test_rows_are_right_when_the_transaction_is_planned_again_on_a_newer_head(shop: Catalog) -> None:
    shop.create_table("s", {"k": "INTEGER", "x": "FLOAT"})
    with shop.transaction() as transaction:
        transaction.create_table(TABLE, {"k": "INTEGER", "x": "FLOAT"})
        for name in (TABLE, "s"):
            transaction.table(name).append([{"k": 1, "x": 0.1}])
            transaction.table(name).alter.set_type("x", "DOUBLE")
        shop.table("s").append([{"k": 2, "x": 0.1}])
    assert values(shop) == [NARROW]
    assert [row["x"] for row in shown_rows(planned(shop.table("s"), None))] == [NARROW, NARROW]


def test_rolling_back_removes_rewritten_files(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    with shop.transaction() as transaction:
        transaction.create_table(TABLE, {"k": "INTEGER", "x": "FLOAT"})
        transaction.table(TABLE).append([{"k": 1, "x": 0.1}])
        (old,) = [file.path for file in planned(transaction.table(TABLE), None).files]
        transaction.table(TABLE).alter.set_type("x", "DOUBLE")
        (new,) = [file.path for file in planned(transaction.table(TABLE), None).files]
        transaction.rollback()
    assert old != new
    assert not Path(old).exists()
    assert not Path(new).exists()


def test_a_default_of_a_float_is_the_same_number_once_the_column_is_a_double(shop: Catalog) -> None:
    shop.create_table(TABLE, {"k": "INTEGER"})
    shop.table(TABLE).append([{"k": 1}])
    shop.table(TABLE).alter.add_column(ColumnDefinition("x", "FLOAT", default="0.1"))
    assert values(shop)[0] == pytest.approx(NARROW)
    shop.table(TABLE).alter.set_type("x", "DOUBLE")
    shop.table(TABLE).append([{"k": 2}])
    assert values(shop) == [NARROW, 0.1]


def test_rows_updated_between_a_rename_and_its_reverse_are_read(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table(TABLE, {"k": "INTEGER", "x": "INTEGER"})
    shop.table(TABLE).append([{"k": 1, "x": 1}, {"k": 2, "x": 2}])
    with shop.transaction() as transaction:
        transaction.table(TABLE).alter.rename_column("x", "y")
        change_rows(transaction, TABLE, "k", ["1"], {"y": "9"})
        transaction.table(TABLE).alter.rename_column("y", "x")
    assert values(shop) == [9, 2]


def test_a_rewritten_file_of_an_encrypted_table_is_encrypted(lake: Lake) -> None:
    shop = lake.create_catalog("shop", encrypted=True)
    with shop.transaction() as transaction:
        transaction.create_table(TABLE, {"k": "INTEGER", "x": "BOOLEAN"})
        transaction.table(TABLE).append([{"k": 0, "x": True}])
        transaction.table(TABLE).alter.set_type("x", "INTEGER")
    assert values(shop) == [1]
    (file,) = planned(shop.table(TABLE), None).files
    assert file.encryption_key is not None
    assert Path(file.path).read_bytes()[:4] == b"PARE"


def test_a_type_beside_a_variant_is_changed_only_after_the_rows_are_committed(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    with shop.transaction() as transaction:
        transaction.create_table(TABLE, {"k": "INTEGER", "v": "VARIANT"})
        transaction.table(TABLE).storage.append_files([NewDataFile("by-spark.parquet", 1, 100)])
        with pytest.raises(InvalidInputError, match="is a variant, and its rows cannot be written again"):
            transaction.table(TABLE).alter.set_type("k", "BIGINT")
    assert [column.type for column in shop.table(TABLE).columns] == ["int32", "variant"]
    shop.table(TABLE).alter.set_type("k", "BIGINT")
    assert [column.type for column in shop.table(TABLE).columns] == ["int64", "variant"]


def test_the_largest_value_of_a_promoted_column_has_the_digits_of_the_new_type(shop: Catalog) -> None:
    shop.create_table(TABLE, {"k": "INTEGER", "x": "FLOAT"})
    shop.table(TABLE).append([{"k": 1, "x": 0.05}, {"k": 2, "x": 0.1}])
    shop.table(TABLE).alter.set_type("x", "DOUBLE")
    content, row = shop._content(), lookup.table(shop._content(), TABLE, "main")
    plan = planned(shop.table(TABLE), None)
    bounds = exact_bounds(content, row, plan, plan.fields[1])
    assert bounds is None, "floats of 32 bits are not read as text of 64"
    assert exact_bounds(content, row, plan, plan.fields[0]) == ("1", "2")


def test_a_file_registered_before_its_column_is_renamed_keeps_the_name_that_it_has(shop: Catalog) -> None:
    with shop.transaction() as txn:
        txn.create_table("registered", {"a": "BIGINT"})
        txn.table("registered").storage.append_files([NewDataFile("x.parquet", 2, 100)])
        txn.table("registered").alter.rename_column("a", "b")
    plan = planned(shop.table("registered"), None)
    assert [[field.name for field in file.fields or ()] for file in plan.files] == [["a"]]
