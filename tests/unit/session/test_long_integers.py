"""Integers of 128 bits, those beyond 38 digits included, are DuckDB's: stored, computed and refused alike."""

from __future__ import annotations

import logging
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import forklake
from forklake import Connection
from forklake.errors import InvalidInputError

MOST, MOST_UNSIGNED = 2**127 - 1, 2**128 - 1
LONG = 10**38
SIGNED = [0, 1, -1, 7, 2**63 - 1, 2**63, -(2**63), 2**64, LONG - 1, LONG, -LONG, 1 - LONG, MOST, MOST - 1, -MOST - 1]
UNSIGNED = [0, 1, 7, 2**63, 2**64 - 1, 2**64, LONG - 1, LONG, MOST, MOST + 1, MOST_UNSIGNED - 1, MOST_UNSIGNED]
COLUMNS = "id INTEGER, a HUGEINT, b UHUGEINT, l HUGEINT[], s STRUCT(x UHUGEINT, y HUGEINT[]), m MAP(HUGEINT, UHUGEINT)"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Connection]:
    with forklake.connect() as made:
        made.sql(f"ATTACH 'ducklake:{tmp_path}/lake.db' AS lake (DATA_PATH '{tmp_path}/data', CATALOG 'shop')")
        made.sql("USE lake; SET engine = 'local'")
        yield made


@pytest.fixture(scope="module")
def calculator() -> Iterator[Connection]:
    """A session that makes nothing."""
    with forklake.connect() as made:
        made.sql("SET engine = 'local'")
        yield made


@pytest.fixture
def oracle() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as made:
        yield made


def rows(session: Connection, text: str) -> list[Any]:
    found = session.sql(text)
    assert found is not None
    return found.fetchall()


def data_files(session: Connection, table: str = "t") -> list[str]:
    return [path for (path,) in rows(session, f"SELECT data_file FROM ducklake_list_files('lake', '{table}')")]


def held(path: str) -> dict[str, pa.DataType]:
    schema = pq.read_schema(path)
    return dict(zip(schema.names, schema.types, strict=True))


def answer(connection: Connection | duckdb.DuckDBPyConnection, text: str) -> object:
    """Return the rows of a query with their types, or the kind of error."""
    try:
        if isinstance(connection, Connection):
            found = connection.sql(text)
            assert found is not None
            return found.types, found.fetchall()
        relation = connection.execute(text)
        return [str(column[1]) for column in relation.description or ()], relation.fetchall()
    except (InvalidInputError, duckdb.Error) as error:
        return str(error).partition(":")[0]


CONSTANTS = [
    *(f"SELECT {value}, typeof({value})" for value in (*SIGNED, *UNSIGNED)),
    *(f"SELECT '{value}'::HUGEINT" for value in (*SIGNED, *UNSIGNED)),
    *(f"SELECT '{value}'::UHUGEINT" for value in (*SIGNED, *UNSIGNED, MOST_UNSIGNED + 1)),
    *(f"SELECT {MOST} {sign} {value}" for sign in "+-*%" for value in (0, 1, -1, 2)),
    *(f"SELECT {MOST_UNSIGNED} {sign} {value}" for sign in ("+", "-", "*", "//", "%") for value in (1, 2, 10**10)),
    f"SELECT 1.5 + {LONG}, {MOST} > 1.5",
    f"SELECT TRY_CAST('{MOST_UNSIGNED}' AS HUGEINT), TRY_CAST('{MOST_UNSIGNED}' AS UHUGEINT)",
    f"SELECT i::HUGEINT * {LONG - 1} FROM range(2) r(i)",
    f"SELECT i::HUGEINT * {LONG - 1} FROM range(3) r(i)",
    f"SELECT sum(i + {LONG}), max({MOST} - i) FROM range(1) r(i)",
    f"SELECT sum({LONG - 1}::HUGEINT - i) FROM range(2) r(i)",
    f"SELECT i FROM range(3) r(i) WHERE {MOST_UNSIGNED}::UHUGEINT > i::UHUGEINT ORDER BY {MOST} - i",
    f"SELECT {{a: {MOST}, b: [{MOST_UNSIGNED}]}}",
]


@pytest.mark.parametrize("query", CONSTANTS)
def test_a_constant_is_computed_as_by_duckdb(
    query: str, calculator: Connection, oracle: duckdb.DuckDBPyConnection
) -> None:
    assert answer(calculator, query) == answer(oracle, query)


def _row(chance: random.Random, number: int, *, is_long: bool) -> str:
    def some(values: list[int], suffix: str) -> str:
        known = values if is_long else [value for value in values if abs(value) < LONG]
        return "NULL" if chance.random() < 0.15 else f"{chance.choice(known)}::{suffix}"

    def listed() -> str:
        if chance.random() < 0.15:
            return "NULL"
        return f"[{', '.join(some(SIGNED, 'HUGEINT') for _ in range(chance.randrange(3)))}]::HUGEINT[]"

    a, b, x = some(SIGNED, "HUGEINT"), some(UNSIGNED, "UHUGEINT"), some(UNSIGNED, "UHUGEINT")
    struct = "NULL" if chance.random() < 0.15 else f"{{x: {x}, y: {listed()}}}"
    pairs = f"MAP {{{chance.choice(SIGNED if is_long else SIGNED[:8])}::HUGEINT: {some(UNSIGNED, 'UHUGEINT')}}}"
    return f"({number}, {a}, {b}, {listed()}, {struct}, {pairs})"


def _value(chance: random.Random, depth: int = 2) -> str:
    if depth and chance.random() < 0.5:
        one = _value(chance, depth - 1)
        return chance.choice(
            [
                f"({one} {chance.choice(['+', '-', '*', '//', '%'])} {chance.choice([1, 2, 3, -7, 10**19, LONG])})",
                f"({one} + id)",
                f"(-{one})",
                f"abs({one})",
                f"coalesce({one}, {chance.choice(SIGNED)})",
                f"(CASE WHEN {one} > 0 THEN {one} ELSE 5 END)",
                f"greatest({one}, a)",
            ]
        )
    return chance.choice(["a", "a", "l[1]", "s.y[1]", str(chance.choice(SIGNED))])


def _unsigned(chance: random.Random) -> str:
    column = chance.choice(["b", "s.x"])
    sign = chance.choice(["+", "-", "*", "//", "%"])
    return chance.choice(
        [column, f"({column} {sign} {chance.choice([1, 3, 10**19, MOST_UNSIGNED])})", f"TRY_CAST({column} AS HUGEINT)"]
    )


def _query(chance: random.Random) -> str:
    sign = chance.choice(["<", "<=", ">", ">=", "=", "<>"])
    conditions = [
        f"{_value(chance, 1)} {sign} {chance.choice(SIGNED)}",
        f"{chance.choice(['b', 's.x'])} {sign} {chance.choice(UNSIGNED)}",
        f"a IN ({chance.choice(SIGNED)}, {chance.choice(SIGNED)})",
        f"b BETWEEN {chance.choice(UNSIGNED)} AND {chance.choice(UNSIGNED)}",
        f"list_contains(l, {chance.choice(SIGNED)}::HUGEINT)",
        "a IS NULL",
    ]
    return chance.choice(
        [
            f"SELECT id, {_value(chance)} FROM t ORDER BY ALL",
            f"SELECT id, {_unsigned(chance)} FROM t ORDER BY ALL",
            f"SELECT id, a, b, l, s FROM t WHERE {chance.choice(conditions)} ORDER BY ALL",
            f"SELECT count(*), min(a), max(a), min(b), max(b), sum(a // 1000) FROM t WHERE {chance.choice(conditions)}",
            "SELECT a, count(*), max(b) FROM t GROUP BY a ORDER BY a NULLS FIRST",
            "SELECT DISTINCT b, a FROM t ORDER BY b DESC NULLS LAST, a NULLS FIRST",
            "SELECT x.id, y.id FROM t x JOIN t y ON x.a = y.a ORDER BY ALL",
            "SELECT id, a::VARCHAR, b::VARCHAR FROM t ORDER BY ALL",
            "SELECT DISTINCT b FROM t ORDER BY b NULLS LAST",
        ]
    )


def _change(chance: random.Random) -> str:
    condition = chance.choice(
        [f"a = {chance.choice(SIGNED)}", f"b > {chance.choice(UNSIGNED)}", f"id % 5 = {chance.randrange(5)}"]
    )
    return chance.choice(
        [
            f"DELETE FROM t WHERE {condition}",
            f"UPDATE t SET a = {chance.choice(SIGNED)}, id = id + 1 WHERE {condition}",
            f"UPDATE t SET b = b // 2 WHERE {condition}",
        ]
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_random_rows_changes_and_queries_are_those_of_duckdb(
    seed: int, session: Connection, oracle: duckdb.DuckDBPyConnection
) -> None:
    chance = random.Random(seed)
    for made in (session, oracle):
        made.sql(f"CREATE TABLE t ({COLUMNS})") if isinstance(made, Connection) else made.execute(
            f"CREATE TABLE t ({COLUMNS})"
        )
    number = 0
    for step in range(24):
        if step % 4 == 0:
            session.sql(f"CALL lake.set_option('data_inlining_row_limit', {chance.choice([0, 0, 3, 100])})")
        if chance.random() < 0.6:
            is_long = chance.random() < 0.5
            count = chance.randrange(1, 6)
            texts = [_row(chance, number + place, is_long=is_long) for place in range(count)]
            number += count
            statement = f"INSERT INTO t VALUES {', '.join(texts)}"
        else:
            statement = _change(chance)
        assert isinstance(answer(session, statement), str) == isinstance(answer(oracle, statement), str), statement
        if chance.random() < 0.2:
            session.sql("CALL ducklake_flush_inlined_data('lake')")
        if chance.random() < 0.2:
            session.sql("CALL ducklake_merge_adjacent_files('lake')")
        everything = "SELECT * FROM t ORDER BY ALL"
        assert answer(session, everything) == answer(oracle, everything), statement
        for query in (_query(chance) for _ in range(5)):
            assert answer(session, query) == answer(oracle, query), query


def test_a_merge_finds_and_writes_the_values(session: Connection) -> None:
    session.sql(f"CREATE TABLE t (a HUGEINT, b UHUGEINT); INSERT INTO t VALUES ({MOST}, 1), ({-MOST - 1}, 2), (3, 3)")
    session.sql(
        f"MERGE INTO t USING (SELECT {MOST} - 7 * i AS a FROM range(2) r(i)) u ON t.a = u.a"
        f" WHEN MATCHED THEN UPDATE SET b = {MOST_UNSIGNED} WHEN NOT MATCHED THEN INSERT (a) VALUES (u.a)"
    )
    assert rows(session, "SELECT * FROM t ORDER BY a") == [
        (-MOST - 1, 2),
        (3, 3),
        (MOST - 7, None),
        (MOST, MOST_UNSIGNED),
    ]


def test_a_file_holds_text_only_where_a_value_has_more_than_38_digits(session: Connection) -> None:
    session.sql("CREATE TABLE t (a HUGEINT, b UHUGEINT, l HUGEINT[])")
    session.sql("CALL lake.set_option('data_inlining_row_limit', 0)")
    session.sql(f"INSERT INTO t VALUES ({LONG - 1}, {LONG - 1}, [{1 - LONG}])")
    (first,) = data_files(session)
    number = pa.decimal128(38, 0)
    assert [held(first)["a"], held(first)["b"], held(first)["l"].value_type] == [number, number, number]
    session.sql(f"INSERT INTO t VALUES ({LONG}, 5, [1])")
    (second,) = [path for path in data_files(session) if path != first]
    assert [held(second)["a"], held(second)["b"], held(second)["l"].value_type] == [pa.string(), number, number]
    session.sql(f"INSERT INTO t VALUES (1, 5, [{-LONG}, 2])")
    (third,) = [path for path in data_files(session) if path not in (first, second)]
    assert [held(third)["a"], held(third)["b"], held(third)["l"].value_type] == [number, number, pa.string()]
    before = rows(session, "SELECT * FROM t")
    session.sql("CALL ducklake_merge_adjacent_files('lake')")
    (merged,) = data_files(session)
    assert [held(merged)["a"], held(merged)["b"], held(merged)["l"].value_type] == [pa.string(), number, pa.string()]
    assert rows(session, "SELECT * FROM t") == before


def test_rows_beside_types_that_only_pyarrow_writes_are_merged_here(session: Connection) -> None:
    session.sql("CREATE TABLE t (a UHUGEINT, u UUID, i INTERVAL, tm TIME, j JSON)")
    session.sql("CALL lake.set_option('data_inlining_row_limit', 0)")
    for value in (LONG - 1, MOST_UNSIGNED):
        session.sql(
            f"INSERT INTO t VALUES ({value}, 'f79c3e09-677c-4bbd-a479-3f349cb785e7', INTERVAL 3 DAY, '10:11:12', '[1]')"
        )
    before = rows(session, "SELECT * FROM t")
    session.sql("CALL ducklake_merge_adjacent_files('lake')")
    assert len(data_files(session)) == 1
    assert rows(session, "SELECT * FROM t") == before


def test_compaction_leaves_files_that_only_spark_could_merge_and_says_so(
    session: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    session.sql("CREATE TABLE t (a UHUGEINT); CREATE TABLE u (a INTEGER)")
    session.sql("CALL lake.set_option('data_inlining_row_limit', 0)")
    for value in (5, MOST_UNSIGNED):
        session.sql(f"INSERT INTO t VALUES ({value}); INSERT INTO u VALUES (1)")
    session.sql("ALTER TABLE t SET SORTED BY (a % 7)")
    with caplog.at_level(logging.WARNING, "forklake.maintenance"):
        session.sql("CALL ducklake_merge_adjacent_files('lake')")
    assert [len(data_files(session, name)) for name in "tu"] == [2, 1]
    assert any('Files of table "t" are left as they are' in message for message in caplog.messages)
    assert rows(session, "SELECT a FROM t ORDER BY a") == [(5,), (MOST_UNSIGNED,)]


def test_defaults_are_stored_exactly_and_count_for_older_rows(session: Connection) -> None:
    session.sql(f"CREATE TABLE t (id INTEGER, b UHUGEINT DEFAULT {MOST_UNSIGNED})")
    session.sql("INSERT INTO t (id) VALUES (1)")
    session.sql(f"ALTER TABLE t ADD COLUMN c HUGEINT DEFAULT {-MOST - 1}")
    session.sql("INSERT INTO t (id) SELECT 2")
    assert rows(session, "SELECT * FROM t ORDER BY ALL") == [
        (1, MOST_UNSIGNED, -MOST - 1),
        (2, MOST_UNSIGNED, -MOST - 1),
    ]
    with pytest.raises(InvalidInputError, match="nothing was changed"):
        session.sql(f"CREATE TABLE u (b HUGEINT DEFAULT {MOST + 1})")


def test_change_feeds_have_the_values(session: Connection) -> None:
    session.sql("CREATE TABLE t (id INTEGER, a HUGEINT)")
    session.sql(f"INSERT INTO t VALUES (1, {MOST}), (2, 5)")
    session.sql("UPDATE t SET a = a - 1 WHERE id = 1")
    (last,) = rows(session, "SELECT max(snapshot_id) FROM ducklake_snapshots('lake')")[0]
    feed = f"SELECT change_type, a FROM ducklake_table_changes('lake', 'main', 't', {last}, {last}) ORDER BY ALL"
    assert rows(session, feed) == [("update_postimage", MOST - 1), ("update_preimage", MOST)]


def test_arrow_has_more_digits_only_where_a_value_has_them(session: Connection) -> None:
    found = session.sql(f"SELECT i::HUGEINT AS short, {MOST} - i AS long, [{MOST} - i] AS listed FROM range(2) r(i)")
    assert found is not None
    table = found.arrow()
    assert table.schema.types == [pa.decimal128(38, 0), pa.decimal256(39, 0), pa.list_(pa.decimal256(39, 0))]
    assert table.column("long").to_pylist() == [MOST, MOST - 1]
    session.register("back", table)
    assert rows(session, "SELECT short, long, listed FROM back ORDER BY short") == [
        (0, MOST, [MOST]),
        (1, MOST - 1, [MOST - 1]),
    ]


def test_a_query_for_spark_is_refused_before_it_runs(session: Connection) -> None:
    session.sql("SET engine = 'spark'")
    with pytest.raises(InvalidInputError, match="integers of more than 38 digits in this process"):
        session.sql(f"SELECT i + {MOST} FROM range(3) r(i)").fetchall()  # type: ignore[union-attr]
