"""COPY ... TO writes Parquet files that DuckDB reads; none of this starts Spark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake import Connection, Lake
from forklake.errors import AlreadyExistsError, DataFileError, InvalidInputError, NotFoundError


@pytest.fixture
def session(lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    monkeypatch.chdir(tmp_path)
    with lake.create_catalog("shop").session() as made:
        made.sql("CREATE TABLE t (i INTEGER, s VARCHAR); INSERT INTO t VALUES (1, 'a'), (2, 'b c'), (NULL, NULL)")
        yield made


def _count(session: Connection, text: str) -> int:
    result = session.sql(text)
    assert result is not None
    ((count,),) = result.fetchall()
    return int(count)


def _read(pattern: str, *, hive: bool = False) -> list[Any]:
    query = f"FROM read_parquet('{pattern}', hive_partitioning = {hive}) ORDER BY ALL"
    return duckdb.connect().execute(query).fetchall()


def test_a_table_or_query_becomes_one_file(session: Connection, tmp_path: Path) -> None:
    assert _count(session, "COPY t TO 't.parquet'") == 3
    assert _read("t.parquet") == [(1, "a"), (2, "b c"), (None, None)]
    assert _count(session, "COPY t (s) TO 's.parquet' (FORMAT parquet)") == 3
    assert _read("s.parquet") == [("a",), ("b c",), (None,)]
    assert _count(session, f"COPY (SELECT 7 AS x) TO '{tmp_path}/t.parquet' WITH (COMPRESSION zstd)") == 1
    assert _read("t.parquet") == [(7,)]
    metadata = pq.read_metadata("t.parquet")
    assert metadata.row_group(0).column(0).compression == "ZSTD"
    assert "field_id=-1 x" in str(metadata.schema)
    assert sorted(path.name for path in tmp_path.glob("*.parquet*")) == ["s.parquet", "t.parquet"]


def test_partitions_are_directories(session: Connection) -> None:
    assert _count(session, "COPY t TO 'parts' (FORMAT parquet, PARTITION_BY (s))") == 3
    assert sorted(str(path) for path in Path("parts").rglob("*.parquet")) == [
        "parts/s=__HIVE_DEFAULT_PARTITION__/data_0.parquet",
        "parts/s=a/data_0.parquet",
        "parts/s=b%20c/data_0.parquet",
    ]
    assert pq.read_schema("parts/s=a/data_0.parquet").names == ["i"]
    assert _read("parts/**/*.parquet", hive=True) == [(1, "a"), (2, "b c"), (None, None)]
    with pytest.raises(AlreadyExistsError, match=r'Directory ".*/parts" is not empty'):
        session.sql("COPY t TO 'parts' (FORMAT parquet, PARTITION_BY s)")
    session.sql("COPY t TO 'parts' (FORMAT parquet, PARTITION_BY s, OVERWRITE_OR_IGNORE)")
    assert len(_read("parts/**/*.parquet")) == 3
    session.sql("COPY t TO 'parts' (FORMAT parquet, PARTITION_BY (s), APPEND)")
    assert len(_read("parts/**/*.parquet")) == 6
    session.sql(
        "COPY t TO 'kept' (FORMAT parquet, PARTITION_BY (s, i), WRITE_PARTITION_COLUMNS, FILENAME_PATTERN 'x_{i}')"
    )
    assert pq.read_table("kept/s=a/i=1/x_0.parquet", partitioning=None).to_pylist() == [{"i": 1, "s": "a"}]


def test_files_of_a_directory_have_as_many_row_groups_as_is_said(session: Connection, tmp_path: Path) -> None:
    rows = pa.table({"i": range(10000), "k": [number % 7 for number in range(10000)]})
    for place in ("ours", "theirs"):
        text = f"COPY made TO '{place}' (FORMAT parquet, ROW_GROUP_SIZE 2048, ROW_GROUPS_PER_FILE 2)"
        (session if place == "ours" else duckdb.connect()).register("made", rows).execute(text)
    assert [path.name for path in sorted((tmp_path / "ours").iterdir())] == [
        path.name for path in sorted((tmp_path / "theirs").iterdir())
    ]
    assert _read("ours/*.parquet") == _read("theirs/*.parquet")
    for file in (tmp_path / "ours").iterdir():
        assert pq.ParquetFile(file).num_row_groups <= 2
    with pytest.raises(AlreadyExistsError, match="is not empty"):
        session.sql("COPY t TO 'ours' (FORMAT parquet, ROW_GROUPS_PER_FILE 1)")
    session.sql("COPY (FROM t LIMIT 0) TO 'none' (FORMAT parquet, ROW_GROUPS_PER_FILE 1)")
    assert _read("none/*.parquet") == []


def test_what_copy_wrote_can_be_added_to_a_table(session: Connection) -> None:
    session.sql("COPY t TO 'parts' (FORMAT parquet, PARTITION_BY (s)); COPY t TO 'whole.parquet'")
    session.sql(
        "CREATE TABLE u (i BIGINT, s VARCHAR); CALL shop.add_data_files('u', ['parts/**/*.parquet', 'whole.parquet'])"
    )
    found = session.sql("SELECT i, s FROM u")
    assert found is not None
    assert sorted(found.fetchall(), key=repr) == sorted([(1, "a"), (2, "b c"), (None, None)] * 2, key=repr)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("COPY t TO 'x.csv' (CODEC gzip)", InvalidInputError, 'Unrecognized option for CSV: "codec"'),
        ("COPY t TO 'x.parquet' (FORMAT xlsx)", InvalidInputError, "Copy Function with name xlsx does not exist"),
        ("COPY t TO 'x.parquet' (HEADER)", InvalidInputError, 'Unrecognized option for PARQUET: "header"'),
        ("COPY t TO 'x.parquet' (COMPRESSION rar)", InvalidInputError, 'COMPRESSION is one of .*, not "rar"'),
        ("COPY t TO 'x.parquet' (ROW_GROUP_SIZE 0)", InvalidInputError, 'ROW_GROUP_SIZE is a positive number, not "0"'),
        ("COPY t TO 'x.parquet' (PER_THREAD_OUTPUT)", InvalidInputError, "PER_THREAD_OUTPUT is not supported"),
        (
            "COPY t TO 'x.parquet' (GEOPARQUET_VERSION v3)",
            InvalidInputError,
            "Expected geoparquet_version 'NONE', 'V1', 'V2' or 'BOTH', not \"v3\"; nothing was copied",
        ),
        ("COPY t TO 'x.parquet' (GEOPARQUET_VERSION '')", InvalidInputError, "Expected geoparquet_version 'NONE'"),
        ("COPY t TO 'x.parquet' (GEOPARQUET_VERSION NULL)", InvalidInputError, "NULL is not supported as a valid opt"),
        ("COPY t TO 'x.parquet' (GEOPARQUET_VERSION 1)", InvalidInputError, '"geoparquet_version" expected an argum'),
        ("COPY t TO 'x.parquet' (GEOPARQUET_VERSION)", InvalidInputError, '"geoparquet_version" expected an argument'),
        ("COPY t TO 'x.csv' (GEOPARQUET_VERSION V1)", InvalidInputError, 'for CSV: "geoparquet_version"'),
        ("COPY t TO 'x.parquet' (APPEND maybe)", InvalidInputError, 'APPEND is true or false, not "maybe"'),
        ("COPY t TO 'x' (FORMAT parquet, PARTITION_BY (z))", InvalidInputError, 'Column "z" not found'),
        ("COPY t TO 'x' (FORMAT parquet, PARTITION_BY (i, I))", InvalidInputError, "named twice"),
        ("COPY t TO 'x' (FORMAT parquet, PARTITION_BY (i, s))", InvalidInputError, "No column to write"),
        ("COPY t TO 'x' (FORMAT parquet, PARTITION_BY (i), OVERWRITE)", InvalidInputError, "would delete all files"),
        (
            "COPY (SELECT [1] AS l, 2 AS b) TO 'x' (FORMAT parquet, PARTITION_BY (l))",
            InvalidInputError,
            "partitioned by",
        ),
        (
            "COPY t TO 'x' (FORMAT parquet, PARTITION_BY (i), FILENAME_PATTERN '../y')",
            InvalidInputError,
            "without direct",
        ),
        (
            "COPY (SELECT 1 AS a, 2 AS A) TO 'x.parquet'",
            InvalidInputError,
            'Two columns of the query have the name "a"',
        ),
        (
            "COPY t TO 'x' (FORMAT parquet, PARTITION_BY (i), ROW_GROUPS_PER_FILE 1)",
            InvalidInputError,
            "Can't combine file rotation",
        ),
        ("COPY t TO 'x' (FORMAT parquet, ROW_GROUPS_PER_FILE 0)", InvalidInputError, "is a positive number"),
        ("COPY nothing TO 'x.parquet'", NotFoundError, "Table with name nothing does not exist"),
        ("COPY t TO 't.db/x.parquet'", DataFileError, "was not written"),
        ("COPY t TO 'there.parquet'", InvalidInputError, "it is a directory"),
        ("COPY t TO 'x/t.parquet'", NotFoundError, 'Cannot open file ".*x/t.parquet": No such file or directory'),
        ("COPY t TO 'x/t.csv'", NotFoundError, 'Cannot open file ".*x/t.csv": No such file or directory'),
        ("COPY t TO 'x/y' (FORMAT parquet, PARTITION_BY (i))", NotFoundError, 'Failed to create directory ".*x/y"'),
        ("COPY t FROM 'nothing.parquet'", NotFoundError, 'No files found that match the pattern "nothing.parquet"'),
    ],
)
def test_what_cannot_be_copied_is_refused_and_leaves_nothing(
    session: Connection, tmp_path: Path, text: str, kind: type[Exception], message: str
) -> None:
    (tmp_path / "t.db").touch()
    (tmp_path / "there.parquet").mkdir()
    before = sorted(tmp_path.rglob("*.parquet*"))
    with pytest.raises(kind, match=message):
        session.sql(text)
    assert sorted(tmp_path.rglob("*.parquet*")) == before
    assert not (tmp_path / "x").exists()


def test_a_file_of_an_attached_lake_is_not_replaced(session: Connection) -> None:
    session.sql("CALL shop.set_option('data_inlining_row_limit', 0); CREATE TABLE u AS SELECT 1 AS i")
    found = session.sql("SELECT data_file FROM ducklake_list_files('shop', 'u')")
    assert found is not None
    ((path,),) = found.fetchall()
    with pytest.raises(InvalidInputError, match="is a file of an attached lake"):
        session.sql(f"COPY t TO '{path}'")
    assert session.sql("FROM u").fetchall() == [(1,)]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "function", ["parquet_metadata", "parquet_schema", "parquet_file_metadata", "parquet_kv_metadata"]
)
def test_footers_are_told_as_duckdb_tells_them(session: Connection, tmp_path: Path, function: str) -> None:
    session.sql("COPY t (s) TO 'a.parquet' (COMPRESSION zstd); COPY t TO 'b.parquet'")
    for files in (f"'{tmp_path}/*.parquet'", f"['{tmp_path}/a.parquet', '{tmp_path}/a.parquet']"):
        query = f"FROM {function}({files})"
        ours, theirs = session.sql(query), duckdb.connect().execute(query)
        assert ours is not None
        assert ours.fetchall() == theirs.fetchall()
        assert ours.columns == [name for name, *_ in theirs.description]
        assert ours.types == [str(kind) for _, kind, *_ in theirs.description]


def test_footers_of_no_file_or_of_another_format_are_refused(session: Connection, tmp_path: Path) -> None:
    (tmp_path / "text.csv").write_text("a,b")
    with pytest.raises(NotFoundError, match=r'No files found that match the pattern "none\.parquet"'):
        session.sql("FROM parquet_metadata('none.parquet')")
    with pytest.raises(DataFileError, match=r"text\.csv\" is damaged or no Parquet file"):
        session.sql("FROM parquet_schema('text.csv')")
    with pytest.raises(InvalidInputError, match='Invalid named parameter "x" for function parquet_metadata'):
        session.sql("FROM parquet_metadata('text.csv', x = 1)")


ODD_VALUES = {
    "VARIANT": ["42::VARIANT", "{'a': 1, 'b': [1, 2]}::VARIANT", "NULL", "[1, 'a'::VARIANT]::VARIANT"],
    "GEOMETRY": ["'POINT(1 2)'::GEOMETRY", "NULL", "'POINT EMPTY'::GEOMETRY"],
    "HUGEINT": ["170141183460469231731687303715884105727", "-170141183460469231731687303715884105728", "NULL", "7"],
    "UHUGEINT": ["340282366920938463463374607431768211455", "NULL", "7"],
    "MAP(VARCHAR, UHUGEINT)": ["MAP {'a': 340282366920938463463374607431768211455, 'b': NULL}", "NULL"],
    "STRUCT(g GEOMETRY)[]": ["[{'g': 'POINT(1 2)'::GEOMETRY}, NULL]", "NULL"],
}
"""Values whose types PyArrow, or DuckDB over Arrow, does not know."""


@pytest.fixture(params=ODD_VALUES)
def odd(session: Connection, request: pytest.FixtureRequest) -> tuple[Connection, duckdb.DuckDBPyConnection]:
    """Return ourselves and DuckDB, each with the table ``odd`` of the same values of one type."""
    theirs = duckdb.connect()
    session.sql("SET engine = 'local'")
    for statement in (
        f"CREATE TABLE odd (i INTEGER, v {request.param})",
        *(f"INSERT INTO odd VALUES ({place}, {value})" for place, value in enumerate(ODD_VALUES[request.param])),
    ):
        session.sql(statement)
        theirs.execute(statement)
    return session, theirs


@pytest.mark.parametrize("layout", ["", ", PARTITION_BY (i)", ", ROW_GROUP_SIZE 2048, ROW_GROUPS_PER_FILE 1"])
def test_parquet_files_hold_types_that_pyarrow_does_not_write(
    odd: tuple[Connection, duckdb.DuckDBPyConnection], layout: str
) -> None:
    ours, theirs = odd
    (kind,) = theirs.execute("SELECT DISTINCT typeof(v) FROM odd").fetchall()[0]
    place, pattern = ("odd", "odd/**/*.parquet") if layout else ("odd.parquet", "odd.parquet")
    ours.sql(f"COPY odd TO '{place}' (FORMAT parquet{layout})")
    if kind == "STRUCT(g GEOMETRY)[]":
        return  # DuckDB writes them as BLOB, too
    shown = "SELECT i, v::VARCHAR FROM {} ORDER BY i"
    assert theirs.execute(shown.format(f"'{pattern}'")).fetchall() == theirs.execute(shown.format("odd")).fetchall()
    if kind in ("VARIANT", "GEOMETRY"):
        (found,) = theirs.execute(f"SELECT DISTINCT typeof(v) FROM '{pattern}'").fetchall()
        assert found[0].startswith(kind)


GEOMETRIES = (
    "SELECT 1 AS i, 'POINT(1 2)'::GEOMETRY AS g",
    "SELECT {'g': 'POINT(1 2)'::GEOMETRY} AS s, ['POINT(3 4)'::GEOMETRY, NULL] AS l, 2 AS i",
    "SELECT 'POINT(1 2)'::GEOMETRY AS g, {'g': 'POINT(1 2)'::GEOMETRY} AS s, '[1]'::JSON AS j",
    "SELECT 1 AS i",
)


@pytest.mark.parametrize("version", ["", "NONE", "v1", "V2", "'both'"])
@pytest.mark.parametrize("query", GEOMETRIES)
def test_geometries_are_stored_in_the_way_that_is_asked_for(session: Connection, version: str, query: str) -> None:
    theirs = duckdb.connect()
    session.sql("SET engine = 'local'")
    asked = f", GEOPARQUET_VERSION {version}" if version else ""
    for place, run in (("ours", session.sql), ("theirs", theirs.execute)):
        run(f"COPY ({query}) TO '{place}.parquet' (FORMAT parquet{asked})")
    for told in (
        "SELECT name, type, logical_type FROM parquet_schema('{}.parquet') WHERE type IS NOT NULL",
        "SELECT path_in_schema, geo_bbox, geo_types FROM parquet_metadata('{}.parquet')",
        "SELECT key, value FROM parquet_kv_metadata('{}.parquet')",
        "SELECT typeof(COLUMNS(*)) FROM '{}.parquet'",
        "FROM '{}.parquet'",
    ):
        assert theirs.execute(told.format("ours")).fetchall() == theirs.execute(told.format("theirs")).fetchall()


def test_each_file_of_a_directory_stores_geometries_in_the_way_that_is_asked_for(session: Connection) -> None:
    session.sql("SET engine = 'local'")
    query = "SELECT 1 AS i, 'POINT(1 2)'::GEOMETRY AS g UNION ALL SELECT 2, 'POINT(3 4)'::GEOMETRY"
    session.sql(f"COPY ({query}) TO 'parts' (FORMAT parquet, PARTITION_BY (i), GEOPARQUET_VERSION NONE)")
    held = duckdb.connect().execute(
        "SELECT name, logical_type FROM parquet_schema('parts/*/*.parquet') WHERE name = 'g'"
    )
    assert held.fetchall() == [("g", "GeometryType(crs=<null>)")] * 2


def test_files_with_geometries_of_their_own_type_can_be_added_and_those_without_cannot(session: Connection) -> None:
    session.sql("SET engine = 'local'; CREATE TABLE shapes (g GEOMETRY)")
    point = "COPY (SELECT 'POINT(5 6)'::GEOMETRY AS g) TO"
    session.sql(f"{point} 'own.parquet' (GEOPARQUET_VERSION NONE); {point} 'blob.parquet'")
    session.sql("CALL shop.add_data_files('shapes', 'own.parquet')")
    with pytest.raises(InvalidInputError, match='Expected type "GEOMETRY" but found type "BLOB"'):
        session.sql("CALL shop.add_data_files('shapes', 'blob.parquet')")
    assert session.execute("FROM shapes").fetchall() == [("POINT (5 6)",)]
    total = "SELECT extra_stats FROM __ducklake_metadata_shop.ducklake_table_column_stats WHERE extra_stats IS NOT NULL"
    assert len(session.execute(total).fetchall()) == 1
    session.sql("COPY (SELECT 'POINT(inf 6)'::GEOMETRY AS g) TO 'far.parquet' (GEOPARQUET_VERSION NONE)")
    session.sql("CALL shop.add_data_files('shapes', 'far.parquet')")
    assert session.execute(total).fetchall() == []


@pytest.mark.parametrize("form", ["csv", "json"])
def test_texts_of_types_that_arrow_does_not_have_are_duckdbs(
    odd: tuple[Connection, duckdb.DuckDBPyConnection], form: str
) -> None:
    ours, theirs = odd
    ours.sql(f"COPY odd TO 'ours.{form}'")
    theirs.execute(f"COPY odd TO 'theirs.{form}'")
    assert Path(f"ours.{form}").read_text() == Path(f"theirs.{form}").read_text()


@pytest.mark.parametrize(
    ("kind", "form"), [("VARIANT", "parquet"), ("VARIANT", "csv"), ("HUGEINT", "csv"), ("UHUGEINT", "json")]
)
def test_what_was_copied_comes_back(session: Connection, kind: str, form: str) -> None:
    theirs = duckdb.connect()
    session.sql("SET engine = 'local'")
    chosen = " UNION ALL ".join(
        f"SELECT {place} AS i, ({one})::{kind} AS v" for place, one in enumerate(ODD_VALUES[kind])
    )
    theirs.execute(f"COPY ({chosen}) TO 'theirs.{form}'")
    filled = f"CREATE TABLE back (i INTEGER, v {kind}); COPY back FROM 'theirs.{form}'"
    session.execute(filled)
    theirs.execute(filled)
    assert session.execute("FROM back").fetchall() == theirs.execute("FROM back").fetchall()
    session.sql("COPY back TO 'ours.parquet'")
    if kind == "VARIANT":
        assert theirs.execute("SELECT v::VARCHAR FROM 'ours.parquet'").fetchall() == (
            theirs.execute("SELECT v::VARCHAR FROM back").fetchall()
        )


def test_decimals_of_more_digits_than_any_type_has_are_refused(session: Connection) -> None:
    long = pa.table({"n": pa.array([None], pa.list_(pa.decimal256(45, 2)))})
    pq.write_table(long, "long.parquet")
    with pytest.raises(InvalidInputError, match=r'"element" of file ".*long.parquet" has the type DECIMAL\(45,2\)'):
        session.sql("FROM 'long.parquet'")
    with pytest.raises(InvalidInputError, match=r'Column "n" has the Arrow type "list<.*decimal256\(45, 2\)>"'):
        session.register("long", long)
