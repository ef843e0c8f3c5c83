"""Parquet files that belong to no table, named in queries."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import forklake
from forklake.errors import DataFileError


def test_files_are_read_by_their_paths(spark: SparkSession, tmp_path: Path) -> None:
    for number in (1, 2):
        pq.write_table(pa.table({"i": [number], "a b": ["x"], "l": [[number]]}), tmp_path / f"f{number}.parquet")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and nothing else")
    with forklake.connect(spark) as connection:
        result = connection.sql(
            f"SELECT a.i, b.\"a b\", b.l FROM '{tmp_path}/f*.parquet' a JOIN read_parquet(['{tmp_path}/f2.parquet']) b"
            " USING (i)"
        )
        assert result is not None
        assert result.fetchall() == [(2, "x", [2])]
        with pytest.raises(DataFileError, match=r"broken\.parquet"):
            connection.sql(f"FROM '{tmp_path}/broken.parquet'")


@pytest.mark.parametrize("name", ["a{1,2}.parquet", "{x}.parquet", "[a]b.parquet"])
def test_names_with_braces_and_brackets_are_no_patterns(spark: SparkSession, tmp_path: Path, name: str) -> None:
    for other in ("a1.parquet", "x.parquet", "ab.parquet"):
        pq.write_table(pa.table({"i": [0]}), tmp_path / other)
    pq.write_table(pa.table({"i": [1]}), tmp_path / name)
    with forklake.connect(spark) as connection:
        result = connection.sql(f"SELECT i + 0 FROM read_parquet('{tmp_path}/{name.replace('[a]', '[[]a]')}')")
        assert result is not None
        assert result.fetchall() == [(1,)]
