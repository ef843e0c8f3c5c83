"""Columns and nested fields: added, dropped, renamed, widened, with defaults and without NULLs."""

from collections.abc import Callable

import pytest

from forklake import Catalog, Column, ColumnDefinition, ColumnStats, Lake, NewDataFile
from forklake.errors import AlreadyExistsError, CommitConflictError, InvalidInputError, InvalidNameError, NotFoundError
from forklake.model.change import SetNullsAllowed
from forklake.model.ids import ColumnId, DataFileId, TableId
from tests.contract.support import last


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "INTEGER", "place": "STRUCT(town VARCHAR, at STRUCT(x FLOAT, y FLOAT))"})
    return shop


def column(catalog: Catalog, *path: str, table: str = "orders") -> Column:
    columns, found = catalog.table(table).columns, None
    for name in path:
        found = next(column for column in columns if column.name == name)
        columns = found.children
    assert found is not None
    return found


def shape(column: Column) -> object:
    return (column.name, column.type, [shape(child) for child in column.children]) if column.children else column.type


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("BIGINT", "int64"),
        ("int8", "int8"),
        ("Numeric(12)", "decimal(12,0)"),
        ("DECIMAL", "decimal(18,3)"),
        ("timestamp with time zone", "timestamptz"),
        ("VARCHAR[]", ("c", "list", ["varchar"])),
        ("MAP(VARCHAR, INTEGER[])", ("c", "map", ["varchar", ("value", "list", ["int32"])])),
        ('STRUCT("a b" INT, s STRUCT(x DATE))', ("c", "struct", ["int32", ("s", "struct", ["date"])])),
        ("STRUCT(a DECIMAL(4,2))[]", ("c", "list", [("element", "struct", ["decimal(4,2)"])])),
    ],
)
def test_types_are_read_as_users_write_them(lake: Lake, text: str, expected: object) -> None:
    catalog = lake.create_catalog("types")
    catalog.create_table("orders", {"c": text})
    assert shape(column(catalog, "c")) == expected


@pytest.mark.parametrize(
    "text", ["INT[3]", "UNION(a INT)", "ENUM('a')", "nothing", "STRUCT(a)", "MAP(INT)", "DECIMAL(50,1)"]
)
def test_a_type_that_ducklake_has_not_is_refused_and_nothing_is_made(lake: Lake, text: str) -> None:
    catalog = lake.create_catalog("types")
    with pytest.raises(InvalidInputError, match='Column "c" cannot be of that type'):
        catalog.create_table("orders", {"c": text})
    assert catalog.tables() == []


def test_ids_are_given_depth_first_and_never_again(shop: Catalog) -> None:
    assert [column(shop, *path).column_id for path in (["id"], ["place"], ["place", "at", "y"])] == [1, 2, 6]
    shop.table("orders").alter.add_column(("extra", "DATE"))
    shop.table("orders").alter.drop_column("extra")
    shop.table("orders").alter.add_column(("extra", "DATE"))
    assert column(shop, "extra").column_id == 8


def test_a_field_is_added_dropped_and_renamed_within_its_struct(shop: Catalog) -> None:
    shop.table("orders").alter.add_column(("z", "FLOAT"), parent="place.at")
    shop.table("orders").alter.rename_column("place.town", "city")
    shop.table("orders").alter.drop_column("place.at.x")
    assert [child.name for child in column(shop, "place").children] == ["city", "at"]
    assert [child.name for child in column(shop, "place", "at").children] == ["y", "z"]
    with pytest.raises(InvalidInputError, match="Fields can only be added to structs - id is a int32"):
        shop.table("orders").alter.add_column(("z", "FLOAT"), parent="id")


def test_types_only_widen(shop: Catalog) -> None:
    shop.table("orders").alter.set_type("id", "BIGINT")
    shop.table("orders").alter.set_type("place.at.x", "DOUBLE")
    assert (column(shop, "id").type, column(shop, "place", "at", "x").type) == ("int64", "float64")
    refused = "Cannot change type of column id from BIGINT to INTEGER - only widening type promotions are allowed"
    with pytest.raises(InvalidInputError, match=refused):
        shop.table("orders").alter.set_type("id", "INTEGER")
    before = shop.head
    shop.table("orders").alter.set_type("id", "int64")
    assert shop.head == before


def test_the_default_of_a_truth_value_becomes_a_number(shop: Catalog) -> None:
    shop.table("orders").alter.add_column(ColumnDefinition("paid", "BOOLEAN", default="true"))
    shop.table("orders").alter.set_type("paid", "TINYINT")
    assert column(shop, "paid").default == "1"


def test_a_type_with_parts_becomes_no_other(shop: Catalog) -> None:
    refused = r"Type evolution is not supported from type STRUCT\(x FLOAT, y FLOAT\) to type FLOAT"
    with pytest.raises(InvalidInputError, match=refused):
        shop.table("orders").alter.set_type("place.at", "FLOAT")
    with pytest.raises(InvalidInputError, match="not supported from type INTEGER to type INTEGER\\[]"):
        shop.table("orders").alter.set_type("id", "INTEGER[]")


TYPED = [
    ("DATE", "DATE '2020-1-2'", "2020-01-02"),
    ("DATE", "'2020-01-02'::DATE", "2020-01-02"),
    ("DATE", "CAST('2020-01-02' AS DATE)", "2020-01-02"),
    ("DATE", "TIMESTAMP '2020-01-02 10:00'", "2020-01-02"),
    ("VARCHAR", "DATE '2020-1-2'", "2020-01-02"),
    ("TIMESTAMP", "TIMESTAMP '2020-01-02 10:00'", "2020-01-02 10:00:00"),
    ("TIME", "(TIME '10:00')", "10:00:00"),
    ("INTERVAL", "INTERVAL '32 days 03:04:05'", "32 days 03:04:05"),
    ("INTERVAL", "INTERVAL 3 DAY", "3 days"),
    ("INTEGER", "-('5'::INT)", "-5"),
    ("INTEGER", "NULL::INTEGER", None),
]


@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
@pytest.mark.parametrize(("kind", "text", "literal"), TYPED)
def test_a_default_with_a_type_around_it_is_a_literal(shop: Catalog, kind: str, text: str, literal: str | None) -> None:
    shop.sql(f"CREATE TABLE made (i INTEGER, x {kind} DEFAULT {text})")
    shop.sql(f"CREATE TABLE added (i INTEGER); ALTER TABLE added ADD COLUMN x {kind} DEFAULT {text}")
    shop.sql(f"CREATE TABLE changed (i INTEGER, x {kind}); ALTER TABLE changed ALTER x SET DEFAULT {text}")
    shop.create_table("in_python", [ColumnDefinition("x", kind, default=text, default_is_expression=True)])
    shop.create_table("later", {"x": kind})
    shop.table("later").alter.set_default("x", text, is_expression=True)
    for name in ("made", "added", "changed", "in_python", "later"):
        found = shop.table(name).columns[-1]
        assert (found.default, found.default_is_expression) == (literal, False), name
    shop.table("made").append([{"i": 1}])  # no expression has to be computed


@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("default", "is_expression", "words"),
    [
        ("DATE '2020-13-01'", True, "date field value out of range"),
        ("SELEC x", True, "Parser Error"),
        ("id", True, "there are no columns"),
        ("no_such()", True, "Scalar Function with name no_such does not exist"),
        ("DATE '2020-01-01'", False, "invalid date field format"),
        ("", False, "invalid date field format"),
    ],
)
def test_a_default_that_no_row_could_have_is_refused_when_it_is_given(
    shop: Catalog, default: str, is_expression: bool, words: str
) -> None:
    wrong = ColumnDefinition("x", "DATE", default=default, default_is_expression=is_expression)
    shop.create_table("t", {"x": "DATE"})
    acts: list[Callable[[], object]] = [
        lambda: shop.create_table("made", [wrong]),
        lambda: shop.table("orders").alter.add_column(wrong),
        lambda: shop.table("t").alter.set_default("x", default, is_expression=is_expression),
    ]
    for act in acts:
        with pytest.raises(InvalidInputError, match=f'Column "x" cannot have the default .*{words}'):
            act()


@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
def test_an_expression_given_as_a_value_gets_a_hint(shop: Catalog) -> None:
    with pytest.raises(InvalidInputError) as caught:
        shop.create_table("made", [ColumnDefinition("x", "DATE", default="DATE '2020-01-01'")])
    assert "default_is_expression=True" in str(caught.value.hint)


def test_a_default_is_for_rows_to_come(shop: Catalog) -> None:
    shop.table("orders").alter.add_column(ColumnDefinition("state", "VARCHAR", default="new"))
    shop.table("orders").alter.set_default("state", "now()", is_expression=True)
    assert (column(shop, "state").default, column(shop, "state").default_is_expression) == ("now()", True)
    shop.table("orders").alter.set_default("state", None)
    assert column(shop, "state").default is None
    with pytest.raises(InvalidInputError, match="We cannot add a column with a non-literal default value"):
        shop.table("orders").alter.add_column(
            ColumnDefinition("t", "TIMESTAMP", default="now()", default_is_expression=True)
        )
    with pytest.raises(InvalidInputError, match="Default value for STRUCT type not supported"):
        shop.table("orders").alter.set_default("place", "{}")


def test_null_is_forbidden_only_where_statistics_prove_that_there_is_none(shop: Catalog) -> None:
    stats = {"id": ColumnStats(value_count=5, null_count=0), "place.town": ColumnStats(value_count=4, null_count=1)}
    shop.table("orders").storage.append_files([NewDataFile("a.parquet", 5, 50, column_stats=stats)])
    shop.table("orders").alter.set_not_null("id")
    assert not column(shop, "id").nulls_allowed
    with pytest.raises(InvalidInputError, match="it already has a NOT NULL constraint"):
        shop.table("orders").alter.set_not_null("id")
    with pytest.raises(InvalidInputError, match="Cannot SET NOT NULL on column town - the column has NULL values"):
        shop.table("orders").alter.set_not_null("place.town")
    with pytest.raises(InvalidInputError, match="no column stats are available"):
        shop.table("orders").alter.set_not_null("place.at.x")
    shop.table("orders").alter.drop_not_null("id")
    with pytest.raises(InvalidInputError, match="it has no NOT NULL constraint defined"):
        shop.table("orders").alter.drop_not_null("id")


@pytest.mark.parametrize("null_count", [0, 1])
def test_null_is_forbidden_where_rows_were_read_but_for_those_that_others_added_since(
    shop: Catalog, null_count: int
) -> None:
    def file(name: str, nulls: int) -> NewDataFile:
        return NewDataFile(name, 5, 50, column_stats={"id": ColumnStats(value_count=5 - nulls, null_count=nulls)})

    shop.table("orders").storage.append_files([file("a.parquet", 1)])
    searched = frozenset(DataFileId(one.data_file_id) for one in shop.table("orders").storage.files())
    table, column_id = TableId(shop.table("orders").table_id), ColumnId(column(shop, "id").column_id)
    work = shop.transaction()
    work._run(lambda staging: staging.stage(SetNullsAllowed(table, column_id, allowed=False, searched=searched)))
    shop.table("orders").storage.append_files([file("b.parquet", null_count)])
    if null_count:
        with pytest.raises(CommitConflictError, match="Cannot SET NOT NULL on column id - the column has NULL values"):
            work.commit()
    else:
        work.commit()
    assert column(shop, "id").nulls_allowed is bool(null_count)


def test_names_of_columns_compare_folded_and_some_are_reserved(shop: Catalog) -> None:
    with pytest.raises(AlreadyExistsError, match='Column with name "ID" already exists'):
        shop.table("orders").alter.add_column(("ID", "DATE"))
    with pytest.raises(InvalidNameError, match='Column name "_DuckLake_x" is reserved by DuckLake for internal use'):
        shop.table("orders").alter.add_column(("_DuckLake_x", "DATE"))
    with pytest.raises(NotFoundError, match='does not have a column with name "nothing"'):
        shop.table("orders").alter.drop_column("nothing")
    with pytest.raises(NotFoundError, match=r'does not have a column with name "place\.nothing"'):
        shop.table("orders").alter.rename_column("place.nothing", "x")


def test_altering_a_column_in_a_fork_leaves_the_parent_alone(shop: Catalog) -> None:
    fork = shop.fork("fork")
    fork.table("orders").alter.set_type("id", "BIGINT")
    fork.table("orders").alter.set_default("id", "7")
    fork.table("orders").alter.drop_column("place.at")
    assert (column(shop, "id").type, column(shop, "id").default) == ("int32", None)
    assert [child.name for child in column(shop, "place").children] == ["town", "at"]
    assert (column(fork, "id").type, column(fork, "id").default) == ("int64", "7")
    assert last(fork).changes_made == f"altered_table:{fork.table('orders').table_id}"
