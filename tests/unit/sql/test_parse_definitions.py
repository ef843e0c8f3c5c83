"""CREATE, DROP, ALTER and COMMENT, read from text."""

import pytest
from sqlglot import exp

from forklake.errors import ForklakeError, InvalidInputError, NotFoundError
from forklake.model import types
from forklake.model.definitions import (
    ColumnDefinition,
    MacroImplementation,
    MacroParameter,
    PartitionField,
    SortKey,
)
from forklake.sql.parse import parse
from forklake.sql.statements import (
    AddColumn,
    AlterTable,
    AlterView,
    ChangeType,
    Comment,
    CreateMacro,
    CreateSchema,
    CreateTable,
    CreateView,
    Drop,
    DropColumn,
    NoOperation,
    RenameColumn,
    RenameTable,
    SetDefault,
    SetNullsAllowed,
    SetPartitioning,
    SetSorting,
    Statement,
    TableAction,
)


def one(text: str) -> Statement:
    (statement,) = parse(text)
    return statement


def table(text: str) -> CreateTable:
    statement = one(text)
    assert isinstance(statement, CreateTable)
    return statement


def column(text: str) -> ColumnDefinition:
    (found,) = table(f"CREATE TABLE t (c {text})").columns
    return found


TYPES = {
    "INTEGER": "int32",
    "int8": "int64",  # eight bytes in SQL
    "INT1": "int8",
    "uint8": "uint8",
    "HUGEINT": "int128",
    "UBIGINT": "uint64",
    "REAL": "float32",
    "DOUBLE PRECISION": "float64",
    "double": "float64",
    "VARCHAR(10)": "varchar",
    "CHARACTER VARYING": "varchar",
    "TEXT": "varchar",
    '"INTEGER"': "int32",
    "DECIMAL": "decimal(18,3)",
    "NUMERIC(10, 2)": "decimal(10,2)",
    "BYTEA": "blob",
    "TIMESTAMP": "timestamp",
    "TIMESTAMP WITH TIME ZONE": "timestamptz",
    "TIMESTAMP WITHOUT TIME ZONE": "timestamp",
    "TIME WITH TIME ZONE": "timetz",
    "TIMESTAMP_NS": "timestamp_ns",
    "JSON": "json",
    "VARIANT": "variant",
    "GEOMETRY": "geometry",
    "UUID": "uuid",
    "INTERVAL": "interval",
}


def test_types_get_the_names_that_metadata_has() -> None:
    assert {text: column(text).type for text in TYPES} == TYPES


def test_nested_types_are_columns_within_columns() -> None:
    element = ColumnDefinition("element", "int32")
    assert column("INT[]") == column("INT ARRAY") == ColumnDefinition("c", "list", children=(element,))
    assert column("INT[][]").children == (ColumnDefinition("element", "list", children=(element,)),)
    nested = column('STRUCT(a INT[], "b ""c" MAP(VARCHAR, STRUCT("select" DATE)))')
    a, b = nested.children
    assert a == ColumnDefinition("a", "list", children=(element,))
    assert (b.name, b.type, [child.name for child in b.children]) == ('b "c', "map", ["key", "value"])
    assert b.children[1].children == (ColumnDefinition("select", "date"),)


@pytest.mark.parametrize(
    ("written", "text", "is_expression"),
    [
        ("42", "42", False),
        ("-1.50", "-1.50", False),
        ("(5)", "5", False),
        ("1e3", "1000.0", False),
        ("'it''s; ok'", "it's; ok", False),
        ("TRUE", "true", False),
        ("NULL", None, False),
        ("now()", "now()", True),
        ("CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP", True),
        ("'a' || 'b'", "'a' || 'b'", True),
        ("3 + 4", "3 + 4", True),
        ("DATE '2020-01-01'", "DATE '2020-01-01'", True),
        ("random() > 0.5", "random() > 0.5", True),
    ],
)
def test_default_is_a_value_or_an_expression_as_written(written: str, text: str | None, is_expression: bool) -> None:
    found = column(f"INTEGER DEFAULT {written} NOT NULL")
    assert (found.default, found.default_is_expression, found.nulls_allowed) == (text, is_expression, False)


def test_table_may_be_laid_out_as_it_is_made() -> None:
    made = table(
        "CREATE TABLE a.b.t (d DATE NOT NULL, k INT NULL) PARTITIONED BY (year(d), bucket(4, k), identity(k), k)"
    )
    assert made.name == ("a", "b", "t")
    assert [found.nulls_allowed for found in made.columns] == [False, True]
    keys = (PartitionField("d", "year"), PartitionField("k", "bucket(4)"), PartitionField("k"), PartitionField("k"))
    assert made.partition_by == keys
    assert table("CREATE TABLE t (d DATE, k INT) PARTITION BY (year(d), bucket(4, k), k, k)").partition_by == keys
    made = table("CREATE TABLE t PARTITIONED BY (a) SORTED BY (b DESC) AS SELECT 1 AS a, 2 AS b")
    assert (made.partition_by, made.sort_by) == ((PartitionField("a"),), (SortKey("b", "DESC"),))


def test_table_may_be_made_of_a_query() -> None:
    made = table("CREATE OR REPLACE TABLE t AS FROM x WITH NO DATA")
    assert (made.or_replace, made.with_data, isinstance(made.query, exp.Select)) == (True, False, True)
    made = table('CREATE TABLE IF NOT EXISTS t (a, "b c") AS VALUES (1, 2) WITH DATA')
    assert (made.if_not_exists, made.with_data, made.column_names, made.columns) == (True, True, ("a", "b c"), ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CREATE TABLE t (a INT PRIMARY KEY)", "PRIMARY KEY/UNIQUE constraints are not supported in DuckLake"),
        ("CREATE TABLE t (a INT, PRIMARY KEY (a))", "PRIMARY KEY/UNIQUE constraints are not supported in DuckLake"),
        ("CREATE TABLE t (a INT, CONSTRAINT c UNIQUE (a))", "PRIMARY KEY/UNIQUE constraints are not supported"),
        ("CREATE TABLE t (a INT CHECK (a > 1))", "CHECK constraints are not supported in DuckLake"),
        ("CREATE TABLE t (a INT REFERENCES x (a))", "FOREIGN KEY constraints are not supported in DuckLake"),
        ("CREATE TABLE t (a INT, FOREIGN KEY (a) REFERENCES x (a))", "FOREIGN KEY constraints are not supported"),
        ("CREATE TABLE t (a INT, b INT AS (a + 1))", "DuckLake does not support generated columns"),
        ("CREATE TABLE t (a INT, b INT GENERATED ALWAYS AS (a))", "DuckLake does not support generated columns"),
        ("CREATE TABLE t (a ENUM ('x'))", "unsupported type ENUM"),
        ("CREATE TABLE t (a UNION (x INT))", "unsupported type UNION"),
        ("CREATE TABLE t (a STRUCT(x INT[3]))", r"unsupported type INTEGER\[3\]"),
        ("CREATE TABLE t (a BIT)", "unsupported type BIT"),
        ("CREATE TABLE t (a VARCHAR COLLATE NOACCENT)", "Collations are not supported in DuckLake storage"),
        ("CREATE TABLE t (a VARCHAR USING COMPRESSION zstd)", "Defining a compression type for a column"),
        ("CREATE TABLE t ()", "Table must have at least one column!"),
        ("CREATE TABLE t (a INT DEFAULT b)", "DEFAULT value cannot contain column names"),
        ("CREATE TABLE t (a INT DEFAULT (SELECT 1))", "DEFAULT value cannot contain subqueries"),
        ("CREATE TABLE t (a INT) WITH (x = 3)", "WITH clause is not supported"),
        ("CREATE UNIQUE INDEX i ON t (a)", "DuckLake does not support indexes"),
        ("CREATE SEQUENCE s", "DuckLake does not support sequences"),
        ("CREATE TYPE x AS ENUM ('a')", "DuckLake does not support user-defined types"),
        ("ALTER TABLE t ADD PRIMARY KEY (a)", "Adding indexes or constraints is not supported in DuckLake"),
        ("ALTER TABLE t ADD COLUMN a INT NOT NULL", "Adding columns with constraints not yet supported"),
        ("ALTER TABLE t DROP a, DROP b", "Only one ALTER command per statement is supported"),
        ("ALTER SCHEMA a RENAME TO b", "Altering schemas is not yet supported"),
        (
            "ALTER TABLE t SET PARTITIONED BY (bucket(a))",
            r"Expected bucket\(bucket_count, column\), but got bucket\(a\)",
        ),
        ("ALTER TABLE t SET PARTITIONED BY (bucket(4, 'a'))", r"Expected bucket\(bucket_count, column\)"),
        ("ALTER TABLE t SET PARTITIONED BY (bucket(b, a))", "Bucket count must be a constant integer"),
        ("ALTER TABLE t SET PARTITIONED BY (bucket('x', a))", "Bucket count must be an integer"),
        ("ALTER TABLE t SET PARTITIONED BY (bucket(-1, a))", "Bucket count must be positive"),
        ("ALTER TABLE t SET PARTITIONED BY (year(3))", "Unsupported partition key year"),
        ("DROP TABLE a, b", "Can only drop one object at a time"),
        ("COMMENT ON SCHEMA s IS 'x'", "Adding comments to schemas is not implemented"),
    ],
)
def test_what_ducklake_has_not_is_refused_in_its_words(text: str, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        parse(text)


@pytest.mark.parametrize("text", ["CREATE TABLE t (a foo)", "DROP SEQUENCE s", "DROP TYPE x"])
def test_what_no_lake_can_have_does_not_exist(text: str) -> None:
    with pytest.raises(NotFoundError, match="does not exist!"):
        parse(text)


def test_view_keeps_the_text_of_its_query() -> None:
    view = one("CREATE OR REPLACE VIEW s.v (a, \"b c\") AS  SELECT 1,  'x;y' -- why\n  FROM t ; ")
    assert isinstance(view, CreateView)
    assert (view.name, view.column_names, view.or_replace) == (("s", "v"), ("a", "b c"), True)
    assert view.text == "SELECT 1,  'x;y' -- why\n  FROM t"
    assert isinstance(view.query, exp.Select)


def test_macro_keeps_the_text_of_its_bodies() -> None:
    assert one("CREATE MACRO m(a, b := 5, c VARCHAR := 'x''y') AS a +  b") == CreateMacro(
        ("m",),
        (
            MacroImplementation(
                "a +  b",
                (MacroParameter("a"), MacroParameter("b", None, "5"), MacroParameter("c", "varchar", "x'y")),
            ),
        ),
    )
    assert one("CREATE OR REPLACE FUNCTION s.m() AS 1, (a INTEGER) AS (SELECT max(a) FROM t)") == CreateMacro(
        ("s", "m"),
        (
            MacroImplementation("1"),
            MacroImplementation("(SELECT max(a) FROM t)", (MacroParameter("a", "int32"),)),
        ),
        or_replace=True,
    )
    assert one("CREATE MACRO IF NOT EXISTS m(a) AS TABLE SELECT * FROM t WHERE x = a") == CreateMacro(
        ("m",),
        (MacroImplementation("SELECT * FROM t WHERE x = a", (MacroParameter("a"),), "table"),),
        if_not_exists=True,
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CREATE SCHEMA a.b", CreateSchema(("a", "b"))),
        ("CREATE SCHEMA IF NOT EXISTS s", CreateSchema(("s",), if_not_exists=True)),
        ("DROP TABLE IF EXISTS a.b.c", Drop("table", ("a", "b", "c"), if_exists=True)),
        ("DROP SCHEMA s CASCADE", Drop("schema", ("s",), cascade=True)),
        ("DROP VIEW v RESTRICT", Drop("view", ("v",))),
        ("DROP MACRO m", Drop("macro", ("m",))),
        ("DROP FUNCTION m", Drop("macro", ("m",))),
        ("DROP MACRO TABLE IF EXISTS m", Drop("table macro", ("m",), if_exists=True)),
        ("DROP INDEX IF EXISTS i", NoOperation()),
        ("ALTER VIEW IF EXISTS a.v RENAME TO w", AlterView(("a", "v"), "w", if_exists=True)),
        ("COMMENT ON TABLE a.t IS 'it''s'", Comment("table", ("a", "t"), "it's")),
        ("COMMENT ON COLUMN a.t.c IS NULL", Comment("column", ("a", "t", "c"), None)),
        ("COMMENT ON VIEW v IS $$x$$", Comment("view", ("v",), "x")),
    ],
)
def test_definition_is_understood(text: str, expected: Statement) -> None:
    assert one(text) == expected


INT = ColumnDefinition("x", "int32")


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("ADD x INT", AddColumn(INT)),
        ("ADD COLUMN IF NOT EXISTS s.t.x INTEGER", AddColumn(INT, ("s", "t"), if_not_exists=True)),
        ("ADD COLUMN x INT DEFAULT 3", AddColumn(ColumnDefinition("x", "int32", default="3"))),
        ("DROP x", DropColumn(("x",))),
        ('DROP COLUMN IF EXISTS s."a.b" CASCADE', DropColumn(("s", "a.b"), if_exists=True, cascade=True)),
        ("RENAME a TO b", RenameColumn(("a",), "b")),
        ("RENAME COLUMN s.x TO y", RenameColumn(("s", "x"), "y")),
        ("RENAME TO u", RenameTable("u")),
        ("ALTER x TYPE INT", ChangeType(("x",), types.INT32)),
        ("ALTER COLUMN s.x SET DATA TYPE INT", ChangeType(("s", "x"), types.INT32)),
        ("ALTER x SET TYPE INT", ChangeType(("x",), types.INT32)),
        ("ALTER x SET DEFAULT 'a'", SetDefault(("x",), "a")),
        ("ALTER COLUMN x SET DEFAULT now()", SetDefault(("x",), "now()", is_expression=True)),
        ("ALTER x DROP DEFAULT", SetDefault(("x",), None)),
        ("ALTER x SET NOT NULL", SetNullsAllowed(("x",), allowed=False)),
        ("ALTER x DROP NOT NULL", SetNullsAllowed(("x",), allowed=True)),
        ("SET PARTITIONED BY (a, month(b))", SetPartitioning((PartitionField("a"), PartitionField("b", "month")))),
        ("RESET PARTITIONED BY", SetPartitioning(())),
        (
            "SET SORTED BY (a, lower(b) || ',' DESC, c ASC NULLS FIRST)",
            SetSorting((SortKey("a"), SortKey("lower(b) || ','", "DESC"), SortKey("c", "ASC", "NULLS_FIRST"))),
        ),
        ("RESET SORTED BY", SetSorting(())),
    ],
)
def test_table_is_altered_as_was_said(text: str, action: TableAction) -> None:
    assert one(f"ALTER TABLE IF EXISTS a.t {text}") == AlterTable(("a", "t"), action, if_exists=True)


def test_words_of_statements_are_names_where_they_can_be() -> None:
    made = table('CREATE TABLE "drop" (type INT, name INT, key INT, date DATE, "select" INT, value INT, schema INT)')
    assert [found.name for found in made.columns] == ["type", "name", "key", "date", "select", "value", "schema"]
    assert table("CREATE TABLE main.select (a INT)").name == ("main", "select")


@pytest.mark.parametrize(
    "text",
    ["CREATE TABLE select (a INT)", "CREATE TABLE t (a", "CREATE TABLE t (a INT b)", "CREATE", "DROP t",
     "CREATE VIEW v", "CREATE TABLE t (a INT) AS SELECT 1", "CREATE VIEW v AS x", "CREATE MACRO m AS 1",
     "COMMENT ON TABLE t", "ALTER TABLE t", "ALTER TABLE t RENAME a b", "ALTER TABLE t SET PARTITIONED",
     "CREATE TABLE t (a STRUCT)", "CREATE TABLE t AS"],
)  # fmt: skip
def test_definition_that_cannot_be_read_is_a_syntax_error(text: str) -> None:
    with pytest.raises(ForklakeError, match="Parser Error: syntax error at"):
        parse(text)
