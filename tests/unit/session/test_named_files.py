"""Files named in queries: small Parquet files are read without Java, and all as DuckDB reads and packs them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake import Connection, Lake
from forklake.errors import DataFileError, InvalidInputError

NUMBERS = [1, 2, None]
DAYS = [(1_711_839_600 + day * 86_400) * 10**9 for day in range(3)]
WRITTEN = {
    "numbers": pa.table({"i": NUMBERS, "u": pa.array(NUMBERS, pa.uint32()), "s": ["a", None, "Ő"]}),
    "nested": pa.table({"l": [[1], None, []], "s": [{"x": 1, "y z": "b"}, None, {"x": None, "y z": "c"}]}),
    "zoned": pa.table({"at": pa.array(DAYS, pa.timestamp("ns", "Europe/Budapest"))}),
    "zoned below": pa.table(
        {"s": pa.array([{"at": DAYS[0]}, None, None], pa.struct({"at": pa.timestamp("ns", "UTC")}))}
    ),
    "nothing": pa.table({"n": pa.nulls(3)}),
    "halves": pa.table(
        {"d": pa.array(["x", None, "x"]).dictionary_encode(), "f": pa.array([1.5, None, 2], pa.float16())}
    ),
}
NOT_COMPUTED_HERE = {
    "nanoseconds": pa.table({"at": pa.array(NUMBERS, pa.timestamp("ns"))}),
    "nanoseconds below": pa.table({"l": pa.array([[1], None, []], pa.list_(pa.timestamp("ns")))}),
    "seconds": pa.table({"t": pa.array(NUMBERS, pa.time32("s"))}),
}


@pytest.fixture
def session(lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    monkeypatch.chdir(tmp_path)
    with lake.create_catalog("shop").session() as made:
        made.sql("SET engine = 'local'")
        yield made


def _described(session: Connection) -> list[tuple[object, ...]]:
    described = session.sql("DESCRIBE FROM 'f.parquet'")
    assert described is not None
    return [row[:2] for row in described.rows()]


def _described_by_duckdb() -> list[tuple[object, ...]]:
    return [row[:2] for row in duckdb.connect().execute("DESCRIBE FROM 'f.parquet'").fetchall()]


@pytest.mark.parametrize("written", WRITTEN)
def test_files_are_read_as_by_duckdb(session: Connection, written: str) -> None:
    pq.write_table(WRITTEN[written], "f.parquet")
    assert _described(session) == _described_by_duckdb()
    session.sql("CREATE TABLE t AS FROM 'f.parquet'")
    text = ", ".join(f'"{name}"::VARCHAR' for name in WRITTEN[written].column_names)
    session.sql("COPY t TO 'ours.parquet'")
    shown = f"SET TimeZone = 'UTC'; SELECT {text} FROM"
    ours, given = (duckdb.connect().execute(f"{shown} '{one}.parquet'").fetchall() for one in ("ours", "f"))
    assert ours == given


@pytest.mark.parametrize("written", NOT_COMPUTED_HERE)
def test_columns_are_those_of_duckdb(session: Connection, written: str) -> None:
    pq.write_table(NOT_COMPUTED_HERE[written], "f.parquet")
    assert _described(session) == _described_by_duckdb()


def test_few_rows_of_a_large_file_and_its_count_need_no_java(session: Connection) -> None:
    pq.write_table(pa.table({"i": range(1_000_000), "t": pa.array([1] * 1_000_000, pa.time64("us"))}), "f.parquet")
    found, count = (
        session.sql("SELECT t, i FROM 'f.parquet' LIMIT 2 OFFSET 1"),
        session.sql("SELECT count(*) FROM 'f.parquet'"),
    )
    assert found is not None
    assert count is not None
    assert [row[1] for row in found.rows()] == [1, 2]
    assert count.rows() == [(1_000_000,)]


def test_what_replaces_a_file_is_read(session: Connection) -> None:
    for number in (1, 2):
        pq.write_table(pa.table({f"c{number}": [number] * number}), "f.parquet")
        found = session.sql("SELECT *, count(*) OVER () AS n FROM 'f.parquet'")
        assert found is not None
        assert (found.columns[0], found.rows()) == (f"c{number}", [(number, number)] * number)


def test_columns_of_files_that_are_replaced_are_found_anew(session: Connection) -> None:
    Path("year=2024").mkdir()
    one, several = pa.table({"i": [1]}), pa.table({"i": [1], "j": [2]})
    for first, second, columns in ((one, one, {"i"}), (one, several, {"i", "j"})):
        pq.write_table(first, "year=2024/a.parquet")
        pq.write_table(second, "year=2024/b.parquet")
        found = session.sql("DESCRIBE FROM read_parquet('year=2024/*.parquet', union_by_name = true)")
        assert found is not None
        assert {row[0] for row in found.rows()} == {*columns, "year"}
    pq.write_table(pa.table({"i": [1], "year": [7]}), "year=2024/a.parquet")
    found = session.sql("FROM 'year=2024/a.parquet'")
    assert found is not None
    assert (found.columns, found.rows()) == (["i", "year"], [(1, 2024)])


def test_parts_of_lists_may_have_any_name_in_a_file(session: Connection) -> None:
    columns = pa.table({"l": [[[1], None], None], "m": pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64()))})
    for other, name in enumerate(("as the standard says.parquet", "as it was.parquet")):
        pq.write_table(columns, name, use_compliant_nested_type=not other)
        session.sql(f"CREATE TABLE t{other} AS FROM '{name}'")
        found = session.sql(f"FROM t{other}")
        assert found is not None
        assert found.rows() == [([[1], None], {"k": 1}), (None, None)]
    found = session.sql("FROM '*.parquet'")
    assert found is not None
    assert found.rows() == [([[1], None], {"k": 1}), (None, None)] * 2


def test_columns_that_scans_of_tables_hide_are_shown(session: Connection) -> None:
    names = ["a", "_ducklake_internal_row_id", "_ducklake_internal_snapshot_id"]
    pq.write_table(pa.table({name: [7] for name in names}), "x.parquet")
    found = session.sql("FROM 'x.parquet'")
    assert found is not None
    assert (found.columns, found.rows()) == (names, [(7, 7, 7)])


@pytest.mark.parametrize(
    ("name", "magic"),
    [("t.csv", b"i\n1"), ("t.csv.gz", b"\x1f\x8b"), ("t.json.gz", b"\x1f\x8b"), ("t.tsv.zst", b"\x28\xb5\x2f\xfd")],
)
def test_the_name_of_a_file_tells_how_it_is_packed(session: Connection, name: str, magic: bytes) -> None:
    session.sql("CREATE TABLE t AS SELECT 1 AS i")
    session.sql(f"COPY t TO '{name}'")
    assert Path(name).read_bytes().startswith(magic)
    found = session.sql(f"FROM '{name}'")
    assert found is not None
    assert found.rows() == [(1,)]
    assert duckdb.connect().execute(f"FROM '{name}'").fetchall() == [(1,)]


@pytest.mark.parametrize("engine", ["local", "auto"])
def test_what_lies_behind_the_first_rows_of_files_is_not_read(session: Connection, tmp_path: Path, engine: str) -> None:
    session.sql(f"SET engine = '{engine}'")
    lines = "".join(f"{i},x{i}\n" for i in range(60_000))
    (tmp_path / "far.csv").write_text(f"i,s\n{lines}no,number,here\n")
    for query in (
        "FROM 'far.csv' LIMIT 3",
        "SELECT s, i FROM read_csv('far.csv', header => true) LIMIT 2 OFFSET 2",
        "DESCRIBE FROM 'far.csv'",
    ):
        found = session.sql(query)
        assert found is not None
        assert found.rows() == duckdb.sql(query).fetchall()
    with pytest.raises(InvalidInputError, match="Conversion Error: CSV Error on Line: 60002"):
        session.sql("SELECT max(i) FROM 'far.csv'").rows()  # type: ignore[union-attr]


@pytest.mark.slow
def test_first_rows_of_files_are_those_of_duckdb(session: Connection, tmp_path: Path) -> None:
    chance = random.Random(7)
    for number in range(12):
        kinds = chance.sample(["{0}", "x{0}", "{0}.5", "2024-01-{1:02}", "", "true", '"a, {0}"'], 3)
        rows = [",".join(kind.format(i, i % 28 + 1) for kind in kinds) for i in range(chance.choice([0, 1, 5, 3_000]))]
        (tmp_path / f"{number}.csv").write_text("\n".join(["a,b,c", *rows]) + "\n")
        objects = [f'{{"a": {i}, "b": {{"c": "x{i}"}}}}' for i in range(1, chance.choice([2, 5, 3_000]))]
        (tmp_path / f"{number}.json").write_text(chance.choice(["\n".join(objects), f"[{', '.join(objects)}]"]))
        duckdb.sql(f"FROM '{number}.json'").write_parquet(f"{number}.parquet")
        for ending in ("csv", "json", "parquet"):
            limit, offset = chance.choice([0, 1, 4, 5_000]), chance.choice([0, 0, 2, 4_000])
            query = f"SELECT {chance.choice(['*', 'a', 'b, a'])} FROM '{number}.{ending}' LIMIT {limit} OFFSET {offset}"
            found = session.sql(query)
            assert found is not None
            assert found.rows() == duckdb.sql(query).fetchall(), query


def test_bytes_that_are_not_utf_8_are_refused_by_name(session: Connection) -> None:
    pq.write_table(pa.table({"s": pa.array([b"\xff\xfe", b"ok"]).view(pa.string())}), "bad.parquet")
    pq.write_table(pa.table({"abcdef": [1]}), "name.parquet")
    name = Path("name.parquet")
    name.write_bytes(name.read_bytes().replace(b"abcdef", b"\xff\xfe\xfdabc"))
    found = session.sql("FROM 'bad.parquet'")
    assert found is not None
    for read in (found.fetchall, found.show):
        with pytest.raises(DataFileError, match="not valid UTF-8"):
            read()
    assert found.arrow().column("s").cast(pa.binary()).to_pylist() == [b"\xff\xfe", b"ok"]
    for text in ("FROM 'name.parquet'", "DESCRIBE FROM 'name.parquet'", "FROM parquet_schema('name.parquet')"):
        with pytest.raises(DataFileError):
            session.sql(text)


@pytest.mark.usefixtures("pandas")
def test_bytes_that_are_not_utf_8_have_no_frame_of_pandas(session: Connection) -> None:
    pq.write_table(pa.table({"s": pa.array([b"\xff\xfe", b"ok"]).view(pa.string())}), "bad.parquet")
    found = session.sql("FROM 'bad.parquet'")
    assert found is not None
    with pytest.raises(DataFileError, match="not valid UTF-8"):
        found.pandas()
