"""Plans of scans: which files are read, with which columns, and what metadata answers by itself."""

from random import Random

import pytest

from forklake import (
    Catalog,
    ColumnDefinition,
    ColumnStats,
    Lake,
    MappedColumn,
    NameMapping,
    NewDataFile,
    PartitionField,
)
from forklake.catalog import lookup, read_files
from forklake.catalog.exact_bounds import exact_bounds
from forklake.catalog.scan_plan import count_rows, plan_scan
from forklake.lake.reader import Reader
from forklake.model.field import Field
from forklake.model.predicate import Predicate
from forklake.model.scan import ScanFile, ScanPlan
from forklake.model.types.read import definition_of, read_type
from forklake.sql.rows.row_texts import condition
from tests.contract.support import data_file, delete_file


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER", "j": "JSON"})
    return shop


def plan(reader: Reader, where: str | None = None, table: str = "t") -> ScanPlan:
    runtime, content = reader._runtime, reader._content()
    row = lookup.table(content, table)
    everything = plan_scan(runtime.store, runtime.lake_path, content, row)
    if where is None:
        return everything
    predicate: Predicate = condition(where, table, everything.fields).predicate
    return plan_scan(runtime.store, runtime.lake_path, content, row, predicate)


def name(file: ScanFile) -> str:
    return file.path.rsplit("/", 1)[1].removesuffix(".parquet")


def names(planned: ScanPlan) -> list[str]:
    return [name(file) for file in planned.files]


def shape(fields: tuple[Field, ...] | None) -> object:
    if fields is None:
        return None
    return [(f.name, f.type.name, shape(f.children)) if f.children else (f.name, f.type.name) for f in fields]


def shapes(planned: ScanPlan) -> dict[str, object]:
    return {name(file): shape(file.fields) for file in planned.files}


def with_bounds(path: str, low: str, high: str, rows: int = 10) -> NewDataFile:
    return NewDataFile(f"{path}.parquet", rows, 100, column_stats={"i": ColumnStats(rows, 0, low, high)})


def bounds(reader: Reader, column: str = "i") -> tuple[str, str] | None:
    planned, content = plan(reader), reader._content()
    field = next(field for field in planned.fields if field.name == column)
    return exact_bounds(content, lookup.table(content, "t"), planned, field)


def test_files_have_the_columns_that_the_table_had_when_they_were_written(shop: Catalog) -> None:
    shop.table("t").storage.append_files([data_file("first")])
    shop.table("t").alter.rename_column("i", "n")
    shop.table("t").storage.append_files([data_file("renamed")])
    shop.table("t").alter.set_type("n", "BIGINT")
    shop.table("t").alter.add_column(definition_of("s", read_type("STRUCT(a TIME, b INTERVAL[])")))
    shop.table("t").storage.append_files([data_file("wider")])
    shop.table("t").alter.set_default("n", "5")
    shop.table("t").alter.drop_column("j")
    shop.table("t").storage.append_files([data_file("last")])
    planned = plan(shop)
    struct = ("s", "struct", [("a", "time"), ("b", "list", [("element", "varchar")])])
    assert [field.name for field in planned.fields] == ["n", "s"]
    assert shapes(planned) == {
        "first": [("i", "int32"), ("j", "varchar")],
        "renamed": [("n", "int32"), ("j", "varchar")],
        "wider": [("n", "int64"), ("j", "varchar"), struct],
        "last": [("n", "int64"), struct],
    }
    begun = [file.snapshot_id or 0 for file in planned.files]
    assert begun == sorted({0, *begun} - {0})


def test_physical_columns_carry_no_defaults_so_equal_files_are_equal(shop: Catalog) -> None:
    shop.table("t").storage.append_files([data_file("first")])
    shop.table("t").alter.set_default("i", "5")
    shop.table("t").storage.append_files([data_file("second")])
    first, second = plan(shop).files
    assert first.fields == second.fields


def test_a_fork_reads_inherited_files_with_the_columns_of_their_time(shop: Catalog, lake: Lake) -> None:
    shop.table("t").storage.append_files([data_file("old")])
    fork = shop.fork("fork")
    fork.table("t").alter.rename_column("i", "mine")
    fork.table("t").storage.append_files([data_file("own")])
    shop.table("t").alter.rename_column("i", "theirs")
    shop.table("t").storage.append_files([data_file("later")])
    nested = fork.fork("nested")
    nested.table("t").alter.drop_column("mine")
    json = ("j", "varchar")
    assert shapes(plan(fork)) == {"old": [("i", "int32"), json], "own": [("mine", "int32"), json]}
    assert shapes(plan(shop)) == {"old": [("i", "int32"), json], "later": [("theirs", "int32"), json]}
    assert names(plan(nested)) == ["old", "own"]
    assert [field.name for field in plan(nested).fields] == ["j"]
    assert {file.path.split("/")[-4] for file in plan(fork).files} == {"shop", "fork"}


def test_the_past_is_planned_as_it_was(shop: Catalog) -> None:
    shop.table("t").storage.append_files([data_file("first")])
    then = shop.head
    shop.table("t").alter.rename_column("i", "n")
    shop.table("t").storage.append_files([data_file("second")])
    planned = plan(shop.at(version=then))
    assert names(planned) == ["first"]
    assert shapes(planned) == {"first": [("i", "int32"), ("j", "varchar")]}


def test_a_commit_that_alters_and_appends_leaves_the_columns_to_the_footer(shop: Catalog) -> None:
    with shop.transaction() as work:
        work.table("t").storage.append_files([data_file("unclear")])
        work.table("t").alter.rename_column("i", "n")
        assert shapes(plan(work)) == {"unclear": None}
    assert shapes(plan(shop)) == {"unclear": None}


def test_a_commit_that_makes_a_table_and_appends_knows_its_columns(shop: Catalog) -> None:
    shop.table("t").drop()
    with shop.transaction() as work:
        work.create_table("t", {"x": "UUID"})
        work.table("t").storage.append_files([data_file("new")])
        assert shapes(plan(work)) == {"new": [("x", "uuid")]}
    assert shapes(plan(shop)) == {"new": [("x", "uuid")]}
    shop.table("t").alter.rename_column("x", "y")
    assert shapes(plan(shop)) == {"new": [("x", "uuid")]}


def test_staged_files_and_rows_are_part_of_a_transactions_plan(shop: Catalog) -> None:
    shop.table("t").storage.append_files([data_file("first", 10)])
    with shop.transaction() as work:
        work.table("t").storage.append_files([data_file("second", 5)])
        work.table("t").storage.insert_inlined([{"i": "1"}])
        planned = plan(work)
        assert names(planned) == ["first", "second"]
        assert count_rows(planned) == 16
        assert shapes(planned)["second"] == [("i", "int32"), ("j", "varchar")]


def test_mapped_files_have_their_own_names(shop: Catalog) -> None:
    mapping = NameMapping((MappedColumn("II", "i"), MappedColumn("p", "j", is_partition=True)))
    shop.table("t").storage.append_files([NewDataFile("hive.parquet", 1, 1, mapping=mapping)])
    shop.table("t").storage.append_files(
        [NewDataFile("named.parquet", 1, 1, mapping=NameMapping((MappedColumn("II", "i"),)))]
    )
    shop.table("t").alter.rename_column("i", "n")
    hive, named = plan(shop).files
    assert hive.fields is None
    assert [(part.source_name, part.is_partition) for part in hive.mapping or ()] == [("II", False), ("p", True)]
    assert shape(named.fields) == [("II", "int32")]
    assert named.mapping is None


def test_a_severed_fork_leaves_what_it_forgot_to_the_footers(shop: Catalog) -> None:
    shop.table("t").storage.append_files([data_file("inherited")])
    fork = shop.fork("fork")
    fork.table("t").storage.append_files([data_file("own")])
    fork.table("t").alter.rename_column("i", "n")
    fork.maintenance.sever()
    fork.table("t").storage.append_files([data_file("after")])
    json = ("j", "varchar")
    assert shapes(plan(fork)) == {"inherited": None, "own": None, "after": [("n", "int32"), json]}
    assert shapes(plan(fork.fork("again")))["own"] is None


def test_deletes_come_with_their_file(shop: Catalog) -> None:
    shop.table("t").storage.append_files([data_file("first", 10), data_file("second", 5)])
    first, second = plan(shop).files
    shop.table("t").storage.delete_rows([delete_file(first.data_file_id, "d", 3)])
    shop.table("t").storage.inline_deletes({second.data_file_id: [4, 0]})
    planned = plan(shop)
    first, second = planned.files
    assert first.deletes is not None
    assert first.deletes.path.endswith("/t/d.parquet")
    assert (first.deletes.delete_count, first.deletes.is_cut, second.inlined_deletes) == (3, False, (0, 4))
    assert count_rows(planned) == 10
    shop.table("t").storage.inline_deletes({first.data_file_id: [9]})
    assert count_rows(plan(shop)) is None  # the delete file may have that row too


def test_inlined_rows_have_the_columns_of_their_time(shop: Catalog) -> None:
    shop.table("t").storage.insert_inlined([{"i": "1", "j": None}])
    shop.table("t").alter.add_column(ColumnDefinition("k", "INTEGER", default="7"))
    shop.table("t").storage.insert_inlined([{"i": "2", "k": "3"}])
    old, new = plan(shop).inlined
    assert [field.name for field in old.fields] == ["i", "j"]
    assert [field.name for field in new.fields] == ["i", "j", "k"]
    assert [(row_id, dict(values)) for row_id, _, values in old.rows] == [(0, {1: "1", 2: None})]
    assert [(row_id, dict(values)) for row_id, _, values in new.rows] == [(1, {1: "2", 2: None, 3: "3"})]
    copied = shop.fork("copy", copy=True)
    assert [[field.name for field in group.fields] for group in plan(copied).inlined] == [["i", "j"], ["i", "j", "k"]]


def test_inlined_rows_of_a_severed_fork_keep_all_their_values(shop: Catalog) -> None:
    fork = shop.fork("fork")
    fork.table("t").storage.insert_inlined([{"i": "1", "j": "2"}])
    fork.table("t").alter.rename_column("i", "n")
    fork.table("t").storage.insert_inlined([{"n": "3", "j": "4"}])
    fork.maintenance.sever()
    fork.table("t").alter.add_column(ColumnDefinition("k", "INTEGER"))
    (group,) = plan(fork).inlined
    assert [field.name for field in group.fields] == ["n", "j"]
    assert [dict(values) for _, _, values in group.rows] == [{1: "1", 2: "2"}, {1: "3", 2: "4"}]


def test_statistics_rule_files_out(shop: Catalog, lake: Lake) -> None:
    shop.table("t").storage.append_files(
        [with_bounds("low", "1", "9"), with_bounds("high", "10", "20"), data_file("unknown")]
    )
    fork = shop.fork("fork")
    fork.table("t").storage.append_files([with_bounds("own", "100", "200")])
    planned = plan(fork, "i > 9 and i < 50")
    assert names(planned) == ["high", "unknown"]
    assert planned.pruned == {"statistics": (2, 200)}
    assert names(plan(fork, "i is null")) == ["unknown"]
    assert names(plan(fork, "false")) == []
    assert names(plan(fork, "i + 1 = 2")) == ["low", "high", "unknown", "own"]


def test_columns_that_are_younger_than_a_file_rule_it_out(shop: Catalog) -> None:
    shop.table("t").storage.append_files([data_file("old")])
    shop.table("t").alter.add_column(ColumnDefinition("k", "INTEGER", default="7"))
    shop.table("t").alter.add_column(ColumnDefinition("m", "INTEGER"))
    shop.table("t").storage.append_files([data_file("new")])
    assert names(plan(shop, "k = 7")) == ["old", "new"]
    assert names(plan(shop, "k > 7")) == ["new"]
    assert names(plan(shop, "m is not null")) == ["new"]
    assert names(plan(shop, "k is null")) == ["new"]


def test_partition_values_rule_files_out_by_the_keys_they_were_written_with(shop: Catalog) -> None:
    shop.table("t").storage.append_files([data_file("before")])
    shop.table("t").alter.set_partitioning(["i"])
    shop.table("t").storage.append_files(
        [NewDataFile(f"{value}.parquet", 1, 7, partition_values=(value,)) for value in ("1", "2", None)]
    )
    shop.table("t").alter.set_partitioning([PartitionField("i", "bucket(1000)")])
    shop.table("t").storage.append_files(
        [NewDataFile(f"b{value}.parquet", 1, 7, partition_values=(value,)) for value in ("379", "5")]
    )
    fork = shop.fork("fork")
    fork.table("t").alter.set_partitioning([])
    planned = plan(fork, "i = 34")
    assert names(planned) == ["before", "b379"]
    assert planned.pruned == {"partition": (4, 28)}
    assert names(plan(fork, "i >= 2")) == ["before", "2", "b379", "b5"]
    with fork.transaction() as work:
        work.table("t").alter.set_partitioning(["i"])
        work.table("t").storage.append_files([NewDataFile("staged.parquet", 1, 7, partition_values=("34",))])
        assert names(plan(work, "i = 34")) == ["before", "b379", "staged"]
        assert names(plan(work, "i = 2")) == ["before", "2"]


def test_what_old_files_have_in_a_truth_value_that_became_a_number_is_known(shop: Catalog) -> None:
    shop.table("t").storage.append_files([data_file("old")])
    shop.table("t").alter.add_column(ColumnDefinition("b", "BOOLEAN", default="true"))
    shop.table("t").alter.set_type("b", "TINYINT")
    assert names(plan(shop, "b = 1")) == ["old"]
    assert names(plan(shop, "b = 0")) == []


def test_buckets_of_another_type_rule_no_file_out(shop: Catalog) -> None:
    shop.create_table("d", {"f": "INTEGER", "day": "DATE"})
    shop.table("d").alter.set_partitioning([PartitionField("f", "bucket(1000)"), PartitionField("day", "bucket(1000)")])
    file = NewDataFile("d.parquet", 1, 7, partition_values=("5", "6"))
    shop.table("d").storage.append_files([file])
    assert names(plan(shop, "day = '2020-01-01'", "d")) == []
    shop.table("d").alter.set_type("f", "DOUBLE")
    shop.table("d").alter.set_type("day", "TIMESTAMP")
    assert names(plan(shop, "f = 34", "d")) == ["d"]
    assert names(plan(shop, "day = '2020-01-01'", "d")) == ["d"]
    shop.table("d").storage.append_files([NewDataFile("e.parquet", 1, 7, partition_values=("5", "6"))])
    assert names(plan(shop, "f = 34", "d")) == ["d"]


def test_the_bucket_of_an_integer_is_that_of_the_type_that_its_file_holds(shop: Catalog) -> None:
    shop.create_table("d", {"f": "UTINYINT"})
    shop.table("d").alter.set_partitioning([PartitionField("f", "bucket(1000)")])
    shop.table("d").storage.append_files([NewDataFile("d.parquet", 1, 7, partition_values=("257",))])
    shop.table("d").alter.set_type("f", "INTEGER")
    shop.table("d").storage.append_files([NewDataFile("e.parquet", 1, 7, partition_values=("257",))])
    shop.table("d").storage.append_files([NewDataFile("f.parquet", 1, 7, partition_values=("379",))])
    assert names(plan(shop, "f = 34", "d")) == ["d", "f"]


def test_bounds_are_exact_or_not_given(shop: Catalog) -> None:
    assert bounds(shop) is None
    shop.table("t").storage.append_files([with_bounds("a", "9", "10"), with_bounds("b", "-3", "4")])
    shop.table("t").storage.insert_inlined([{"i": "100"}, {"i": None}])
    assert bounds(shop) == ("-3", "100")
    assert bounds(shop, "j") is None
    shop.table("t").storage.inline_deletes({plan(shop).files[0].data_file_id: [0]})
    assert bounds(shop) is None


def test_bounds_count_what_older_files_have_in_a_younger_column(shop: Catalog) -> None:
    shop.table("t").storage.append_files([with_bounds("a", "9", "10")])
    shop.table("t").alter.add_column(ColumnDefinition("k", "INTEGER", default="7"))
    assert bounds(shop, "k") == ("7", "7")
    shop.table("t").storage.append_files([data_file("unknown")])
    assert bounds(shop, "k") is None


def test_a_plan_knows_which_columns_of_files_hold_no_nan(shop: Catalog) -> None:
    shop.create_table("f", {"x": "DOUBLE", "i": "INTEGER", "s": "STRUCT(y FLOAT)"})

    def given(path: str, x: ColumnStats, y: ColumnStats) -> NewDataFile:
        stats = {"x": x, "i": ColumnStats(1, 0, "1", "1"), "s.y": y}
        return NewDataFile(f"{path}.parquet", 1, 100, column_stats=stats)

    none, one, unknown = (ColumnStats(1, 0, "1", "1", contains_nan=known) for known in (False, True, None))
    empty = ColumnStats(0, 1)
    files = [given("none", none, none), given("one", one, none), given("unknown", none, unknown)]
    shop.table("f").storage.append_files([*files, given("empty", empty, empty), NewDataFile("silent.parquet", 1, 100)])
    planned = plan(shop, table="f")
    x, _, s = (field.column_id for field in planned.fields)
    y = planned.fields[2].children[0].column_id
    assert {name(file): file.without_nan for file in planned.files} == {
        "none": {x, y},
        "one": {y},
        "unknown": {x},
        "empty": {x, y},
        "silent": set(),
    }
    assert s not in {column for file in planned.files for column in file.without_nan}


def test_of_many_files_a_plan_asks_only_for_the_columns_of_its_condition(shop: Catalog) -> None:
    columns = {f"x{number}": "DOUBLE" for number in range(51)}
    shop.create_table("wide", columns)
    stats = {name: ColumnStats(1, 0, "1", "1", contains_nan=False) for name in columns}
    shop.table("wide").storage.append_files(
        [NewDataFile(f"{number}.parquet", 1, 100, column_stats=stats) for number in range(98)]
    )
    assert {file.without_nan for file in plan(shop, table="wide").files} != {frozenset()}
    shop.table("wide").storage.append_files([NewDataFile("last.parquet", 1, 100, column_stats=stats)])
    planned = plan(shop, table="wide")
    assert {file.without_nan for file in planned.files} == {frozenset()}
    asked = plan(shop, "x7 > 0.5", table="wide")
    assert {file.without_nan for file in asked.files} == {frozenset({planned.fields[7].column_id})}


def test_a_plan_is_the_same_whether_statistics_come_with_the_files_or_by_themselves(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Statistics of many files are read only for those that partition values leave."""
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER", "f": "DOUBLE"}, partition_by=[PartitionField("i", "bucket(2)")])
    chance = Random(7)

    def file(number: int) -> NewDataFile:
        low = chance.randrange(50)
        stats = {
            "i": ColumnStats(10, 0, str(low), str(low + chance.randrange(9))),
            "f": ColumnStats(10, 0, "0.5", "1.5", contains_nan=chance.random() < 0.5),
        }
        return NewDataFile(f"{number}.parquet", 10, 100, column_stats=stats, partition_values=(str(number % 2),))

    shop.table("t").storage.append_files([file(number) for number in range(8)])
    fork = shop.fork("agent")
    fork.table("t").storage.append_files([file(number) for number in range(8, 12)])
    files = {name(found): found.data_file_id for found in plan(fork).files}
    fork.table("t").storage.remove_files([files["1"], files["9"]])
    with fork.transaction() as transaction:
        transaction.table("t").storage.append_files([file(number) for number in range(12, 15)])
        transaction.table("t").storage.remove_files([files["2"]])
        for reader in (shop, fork, transaction):
            for number in range(0, 60, 3):
                where = f"i = {number} AND f > 0.25" if number % 2 else f"i < {number}"
                together = plan(reader, where)
                with monkeypatch.context() as patch:
                    patch.setattr(read_files, "_MANY", 0)
                    apart = plan(reader, where)
                assert together == apart, where
        assert 0 < len(plan(transaction, "i < 20").files) < 12
        transaction.rollback()
