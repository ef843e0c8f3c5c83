"""CSV and JSON files are read and written as DuckDB does it."""

from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from forklake.errors import AlreadyExistsError, InvalidInputError
from forklake.files.foreign_files import read_foreign, write_foreign
from forklake.model import types
from forklake.model.field import Field

ROWS = pa.table({"i": [1, 2, None], "n": ["a", 'b"c', None]})
FIELDS = (Field(None, "i", types.INT64), Field(None, "n", types.VARCHAR))


@pytest.mark.parametrize("form", ["csv", "json"])
def test_what_is_written_is_read_again_and_by_duckdb(tmp_path: Path, form: str) -> None:
    path = f"{tmp_path}/rows.{form}"
    write_foreign(ROWS, FIELDS, path, {"format": form}, may_exist=False)
    columns, rows = read_foreign(f"read_{form}", [path], {})
    assert columns == [("i", "BIGINT"), ("n", "VARCHAR")]
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
    _, rows = read_foreign("read_csv", [path], {"nullstr": "it's", "filename": True})
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
