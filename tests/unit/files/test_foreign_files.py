"""CSV and JSON files are read and written as DuckDB does it."""

import re
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake.errors import AlreadyExistsError, InvalidInputError
from forklake.files.foreign.foreign_files import describe_foreign, read_foreign, write_foreign
from forklake.files.parquet.parquet_facts import footer_facts
from forklake.model import types
from forklake.model.field import Field

ROWS = pa.table({"i": [1, 2, None], "n": ["a", 'b"c', None]})
FIELDS = (Field(None, "i", types.INT64), Field(None, "n", types.VARCHAR))


@pytest.mark.parametrize("form", ["csv", "json"])
def test_what_is_written_is_read_again_and_by_duckdb(tmp_path: Path, form: str) -> None:
    path = f"{tmp_path}/rows.{form}"
    write_foreign(ROWS, FIELDS, path, {"format": form}, may_exist=False)
    rows = read_foreign(f"read_{form}", [path], {})
    assert describe_foreign(f"read_{form}", [path], {}) == [("i", "BIGINT"), ("n", "VARCHAR")]
    assert rows.to_pydict() == ROWS.to_pydict()
    assert duckdb.sql(f"FROM '{path}'").fetchall() == [(1, "a"), (2, 'b"c'), (None, None)]
    assert [one.name for one in tmp_path.iterdir()] == [f"rows.{form}"]


def test_partitions_are_directories_and_a_full_directory_is_refused(tmp_path: Path) -> None:
    options = {"format": "csv", "partition_by": ["n"]}
    write_foreign(ROWS.slice(0, 1), FIELDS, str(tmp_path), options, may_exist=False)
    assert [str(one.relative_to(tmp_path)) for one in tmp_path.rglob("*.csv")] == ["n=a/data_0.csv"]
    with pytest.raises(AlreadyExistsError, match="is not empty"):
        write_foreign(ROWS, FIELDS, str(tmp_path), options, may_exist=False)
    write_foreign(ROWS.slice(0, 2), FIELDS, str(tmp_path), options, may_exist=True)
    assert len(list(tmp_path.rglob("*.csv"))) == 2


def test_a_value_of_an_option_is_never_read_as_sql(tmp_path: Path) -> None:
    path = f"{tmp_path}/it's.csv"
    write_foreign(ROWS, FIELDS, path, {"format": "csv", "nullstr": "it's"}, may_exist=False)
    rows = read_foreign("read_csv", [path], {"nullstr": "it's", "filename": True})
    assert rows.column("n").to_pylist() == ["a", 'b"c', None]
    assert rows.column("filename").to_pylist() == [path] * 3


def test_what_duckdb_cannot_read_is_an_error_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("{")
    with pytest.raises(InvalidInputError, match="Malformed JSON"):
        read_foreign("read_json", [str(path)], {})
    with pytest.raises(InvalidInputError):
        write_foreign(ROWS, FIELDS, f"{tmp_path}/y.csv", {"format": "csv", "delim": "ab" * 9}, may_exist=False)
    assert [one.name for one in tmp_path.iterdir()] == ["x.json"]


def test_a_file_whose_name_is_a_pattern_is_read_and_no_other(tmp_path: Path) -> None:
    others = tmp_path / "lake1"
    place = tmp_path / "lake[1]"
    for directory, number in ((place, 1), (others, 2)):
        (directory / "k=*").mkdir(parents=True)
        for name in ("x", "[x]*", "a?b"):
            (directory / "k=*" / f"{name}.csv").write_text(f"i\n{number}{len(name)}\n")
            pq.write_table(pa.table({name: [1]}), directory / "k=*" / f"{name}.parquet")
    paths = [str(place / "k=*" / f"{name}.csv") for name in ("[x]*", "x", "a?b")]
    rows = read_foreign("read_csv", paths, {"filename": True, "hive_partitioning": True})
    assert rows.column_names == ["i", "filename", "k"]
    assert list(rows.to_pydict().values()) == [[14, 11, 13], paths, ["*"] * 3]
    paths = [path.replace(".csv", ".parquet") for path in paths]
    _, facts = footer_facts("parquet_schema", paths)
    assert [(row[0], row[1]) for row in facts if row[1] != "schema"] == list(
        zip(paths, ("[x]*", "x", "a?b"), strict=True)
    )
    with pytest.raises(InvalidInputError, match=re.escape(str(place))):
        read_foreign("read_json", [str(place / "k=*" / "[x]*.parquet")], {})


def test_json_that_was_replaced_is_looked_at_again(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    for text, is_deep in (('{"a": 1}', False), ('{"a": ' + "[" * 600 + "]" * 600 + "}", True), ('{"a": 22}', False)):
        path.write_text(text)
        for _ in range(2):
            if is_deep:
                with pytest.raises(InvalidInputError, match=r"500 levels deep in \".*rows\.json\"; it was not read"):
                    describe_foreign("read_json", [str(path)], {})
            else:
                assert describe_foreign("read_json", [str(path)], {}) == [("a", "BIGINT")]
