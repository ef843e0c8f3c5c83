"""Variants that this process computes with and writes: the same values, types and statistics as in stock DuckLake."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest

import forklake
from forklake import Connection
from forklake.errors import DataFileError, ForklakeError, InvalidInputError
from tests.interop.ducklake import attached, url_of, write

NO_SPARK = cast("Any", "there is no Spark here")
SCALARS = (
    *(
        "true",
        "false",
        "NULL",
        "1::TINYINT",
        "-7::SMALLINT",
        "42",
        "-9223372036854775807",
        "1.5::FLOAT",
        "2.25::DOUBLE",
    ),
    *("'nan'::DOUBLE", "'inf'::DOUBLE", "1.50::DECIMAL(3,2)", "12345678901234567.125::DECIMAL(38,3)", "''", "'ä ''x'"),
    *("repeat('long ', 30)", "'\\x00\\xFF'::BLOB", "DATE '2020-02-29'", "'infinity'::DATE", "TIME '01:02:03.5'"),
    *("TIMESTAMP '2020-01-01 01:02:03'", "'-infinity'::TIMESTAMP", "TIMESTAMPTZ '2020-01-01 01:02:03+00'"),
    *("TIMESTAMP_NS '2020-01-01 01:02:03.123456789'", "UUID '12345678-1234-1234-1234-123456789012'"),
    *('\'{"a": [1, null, {"b": 2.5}]}\'::JSON', "MAP {'k': 1}", "[]::INTEGER[]"),
)
NARROWED = ("200::UTINYINT", "60000::USMALLINT", "4000000000::UINTEGER", "12::UBIGINT", "5::HUGEINT", "-0.0::DOUBLE")
"""Values of which stock DuckLake has other bounds, or none: it does not shred unsigned integers."""


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Connection]:
    with forklake.connect(spark=NO_SPARK) as opened:
        opened.sql(
            f"ATTACH 'ducklake:sqlite:{tmp_path / 'lake.db'}' AS lake (CATALOG 'shop', DATA_PATH '{tmp_path / 'own'}',"
            " CREATE_IF_NOT_EXISTS true)"
        )
        opened.sql("USE lake; SET engine = 'local'")
        yield opened


def value(random: Random, depth: int, scalars: Sequence[str]) -> str:
    """Return a random value; lists hold variants, for elements of a list are of one type in SQL."""
    kind = random.random()
    if depth and kind < 0.2:
        return f"[{', '.join(f'({value(random, depth - 1, scalars)})::VARIANT' for _ in range(random.randint(1, 3)))}]"
    if depth and kind < 0.45:
        names = random.sample(["a", "b", "C c", 'q"u.o', "ä"], random.randint(1, 3))
        return "{" + ", ".join(f"'{name}': {value(random, depth - 1, scalars)}" for name in names) + "}"
    return random.choice(scalars)


def inserts(seed: int, scalars: Sequence[str]) -> list[str]:
    """Return statements that insert random values: of one type, of one shape, or of any."""
    random = Random(seed)
    found = ["CREATE TABLE t (i INTEGER, v VARIANT)"]
    for number in range(8):
        same = random.choice(scalars)
        made = [
            same if number % 3 == 0 else value(random, 1 + number % 3, scalars) for _ in range(random.randint(1, 5))
        ]
        rows = [f"({number * 10 + place}, ({one})::VARIANT)" for place, one in enumerate(made)]
        rows += [f"({number * 10 + 9}, NULL)"] if random.random() < 0.4 else []
        found.append(f"INSERT INTO t VALUES {', '.join(rows)}")
    return found


QUESTIONS = (
    "SELECT i, v::VARCHAR, variant_typeof(v), v IS NULL FROM t ORDER BY i",
    "SELECT i, variant_typeof(v.a), v.a::VARCHAR, v['b']::VARCHAR, v[1]::VARCHAR FROM t ORDER BY i",
    "SELECT i, TRY_CAST(v AS INTEGER), TRY_CAST(v AS DATE)::VARCHAR, variant_extract(v, 'a') IS NULL FROM t ORDER BY i",
    "SELECT count(v), count(*) FROM t",
    "SELECT i, coalesce(v, 0)::VARCHAR, variant_typeof(CASE WHEN i % 2 = 0 THEN v ELSE 'x' END) FROM t ORDER BY i",
    "SELECT i FROM t WHERE variant_typeof(v) LIKE 'INT%' AND v::HUGEINT > 10 ORDER BY i",
)
STATISTICS = """
    SELECT variant_path, shredded_type, value_count, null_count, min_value, max_value
    FROM {metadata}.ducklake_file_variant_stats s JOIN {metadata}.ducklake_data_file f USING (data_file_id)
    WHERE shredded_type <> 'blob' ORDER BY f.row_id_start, variant_path"""

TOTALS = "SELECT extra_stats FROM {metadata}.ducklake_table_column_stats ORDER BY column_id"


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("scalars", [SCALARS, SCALARS + NARROWED], ids=["plain", "narrowed"])
def test_random_variants_are_stored_and_told_as_by_stock_ducklake(
    session: Connection, tmp_path: Path, seed: int, scalars: Sequence[str]
) -> None:
    url = url_of(tmp_path / "theirs.ducklake")
    write(url, tmp_path / "data", *inserts(seed, scalars), DATA_INLINING_ROW_LIMIT=0)
    for statement in inserts(seed, scalars):
        session.sql(statement)
    path = tmp_path / "ours.ducklake"
    with forklake.open(f"sqlite:{tmp_path / 'lake.db'}", spark=NO_SPARK) as lake:
        lake.catalog("shop").maintenance.export(path)
        lake.import_catalog("theirs", tmp_path / "theirs.ducklake")
    session.sql(f"ATTACH 'ducklake:sqlite:{tmp_path / 'lake.db'}' AS copy (CATALOG 'theirs')")
    with attached(url) as (connection, alias):
        expected = [connection.execute(one).fetchall() for one in QUESTIONS]
        statistics = connection.execute(STATISTICS.format(metadata=f"__ducklake_metadata_{alias}")).fetchall()
        totals = connection.execute(TOTALS.format(metadata=f"__ducklake_metadata_{alias}")).fetchall()
    assert [_answers(session, one) for one in QUESTIONS] == expected
    if scalars == SCALARS:
        assert _answers(session, STATISTICS.format(metadata="__ducklake_metadata_lake")) == statistics
        ours = _answers(session, TOTALS.format(metadata="__ducklake_metadata_lake"))
        assert [_paths(text) for (text,) in ours] == [_paths(text) for (text,) in totals]
    session.sql("USE copy")
    assert [_answers(session, one) for one in QUESTIONS] == expected
    with attached(url_of(path)) as (connection, _):
        assert [connection.execute(one).fetchall() for one in QUESTIONS] == expected


def test_variants_are_updated_merged_into_one_file_and_told_by_the_change_feed(session: Connection) -> None:
    session.sql("CREATE TABLE t (i INTEGER, v VARIANT, u UUID)")
    session.sql("INSERT INTO t VALUES (1, 42::SMALLINT, NULL), (2, {'a': 1.50}, NULL)")
    session.sql("INSERT INTO t VALUES (3, NULL, NULL), (4, ['x', 'y'], NULL)")
    session.sql("UPDATE t SET v = v + 100::SMALLINT WHERE variant_typeof(v) = 'INT16'")
    session.sql("DELETE FROM t WHERE v.a = 1.5")
    shown = "SELECT i, v::VARCHAR, variant_typeof(v), rowid FROM t ORDER BY i"
    expected = [(1, "142", "INT16", 0), (3, None, "VARIANT_NULL", 2), (4, "[x, y]", "ARRAY(2)", 3)]
    assert _answers(session, shown) == expected
    feed = "SELECT change_type, i, v::VARCHAR FROM ducklake_table_changes('lake', 'main', 't', 4, 5) ORDER BY ALL"
    assert _answers(session, feed) == [
        ("delete", 2, "{'a': 1.50}"),
        ("update_postimage", 1, "142"),
        ("update_preimage", 1, "42"),
    ]
    session.sql("CALL ducklake_rewrite_data_files('lake', delete_threshold => 0)")
    session.sql("CALL ducklake_merge_adjacent_files('lake')")
    assert _answers(session, "SELECT count(*) FROM ducklake_list_files('lake', 't')") == [(1,)]
    assert _answers(session, shown) == expected


def test_all_variants_of_several_files_may_be_null(session: Connection) -> None:
    session.sql("CREATE TABLE t (i INTEGER, v VARIANT); ALTER TABLE t SET PARTITIONED BY (i)")
    session.sql("CALL lake.set_option('data_inlining_row_limit', 0); INSERT INTO t VALUES (1, NULL), (2, NULL)")
    assert _answers(session, "SELECT count(*), count(v) FROM t") == [(2, 0)]


@pytest.mark.parametrize("part", ["footer", "rows"])
def test_a_damaged_file_of_variants_is_told_by_its_name(session: Connection, tmp_path: Path, part: str) -> None:
    session.sql("CREATE TABLE t (v VARIANT); CALL lake.set_option('data_inlining_row_limit', 0)")
    session.sql("INSERT INTO t VALUES (1), ({'a': 'b'})")
    (file,) = tmp_path.glob("**/*.parquet")
    whole = file.read_bytes()
    first, last = (60, len(whole) - 8) if part == "footer" else (4, 84)
    file.write_bytes(whole[:first] + bytes(last - first) + whole[last:])
    with pytest.raises(DataFileError, match=f"{file.name}.* damaged"):
        _answers(session, "SELECT v::VARCHAR FROM t")


def test_what_spark_would_have_to_compute_of_variants_is_refused_by_name(session: Connection) -> None:
    session.sql("CREATE TABLE t (v VARIANT); INSERT INTO t VALUES (1)")
    session.sql("SET engine = 'spark'")
    for statement in (
        "SELECT v::INTEGER FROM t",
        "SELECT v.a FROM t",
        "INSERT INTO t SELECT 2",
        "SELECT variant_typeof(v) FROM t",
    ):
        with pytest.raises(InvalidInputError, match="DuckDB computes with values of type VARIANT in this process"):
            _answers(session, statement)
    session.sql("SET engine = 'local'")
    for statement in ("SELECT variant_typeof(1)", "SELECT v::INTEGER[] FROM t", "INSERT INTO t SELECT INTERVAL 1 DAY"):
        with pytest.raises(ForklakeError):
            _answers(session, statement)
    assert _answers(session, "FROM t") == [(1,)]


def _paths(text: str | None) -> list[tuple[Any, ...]]:
    names = ("field_name", "shredded_type", "null_count", "num_values", "min", "max")
    paths = [] if text is None else json.loads(text)
    return sorted(tuple(path.get(name) for name in names) for path in paths if path["shredded_type"] != "blob")


def _answers(session: Connection, query: str) -> list[Any]:
    found = session.sql(query)
    assert found is not None
    return found.fetchall()


def test_functions_of_the_clock_are_computed_beside_variants(session: Connection) -> None:
    texts = ("age(TIMESTAMP '2020-01-01') > INTERVAL 1 YEAR", "now() > TIMESTAMPTZ '2020-01-01'", "random() < 1")
    for text in texts:
        found = session.sql(f"SELECT {text}, 1::VARIANT::INTEGER")
        assert found is not None
        assert found.fetchall() == [(True, 1)]


def test_variants_of_a_lake_in_a_directory_that_is_a_pattern_are_its_own(tmp_path: Path) -> None:
    place, other = tmp_path / "lake[1]", tmp_path / "lake1"
    for directory in (place, other):
        with forklake.connect(spark=NO_SPARK) as session:
            session.sql(f"ATTACH 'ducklake:sqlite:{directory}.db' AS lake (DATA_PATH '{directory}')")
            session.sql("USE lake; SET engine = 'local'; CREATE TABLE t (v VARIANT)")
            session.sql(f"INSERT INTO t VALUES ('{directory.name}'::VARIANT)")
    (own,), (theirs,) = list(place.rglob("*.parquet")), list(other.rglob("*.parquet"))
    theirs.rename(theirs.with_name(own.name))
    with forklake.connect(spark=NO_SPARK) as session:
        session.sql(f"ATTACH 'ducklake:sqlite:{place}.db' AS lake; SET engine = 'local'")
        assert _answers(session, "FROM lake.t") == [("lake[1]",)]


def test_a_variant_that_changes_its_sign_is_a_bigint(session: Connection) -> None:
    session.sql("CREATE TABLE t (v VARIANT); INSERT INTO t VALUES (5::TINYINT::VARIANT)")
    assert _answers(session, "SELECT -v, typeof(-v), -7::VARIANT FROM t") == [(-5, "BIGINT", -7)]


def test_a_result_with_variants_in_another_type_is_refused_by_its_column(session: Connection) -> None:
    session.sql("CREATE TABLE t (v VARIANT); INSERT INTO t VALUES (5::VARIANT)")
    for made in ("[5::VARIANT]", "{'a': (v + 1)::VARIANT}", "[{'a': v::INTEGER::VARIANT}]"):
        with pytest.raises(InvalidInputError, match='Column "c" has values of type VARIANT within another type'):
            _answers(session, f"SELECT {made} AS c FROM t")
