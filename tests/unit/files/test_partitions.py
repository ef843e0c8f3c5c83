"""Directories of partitions are named as DuckLake names them."""

from pathlib import Path

from forklake.files.arrow.array_transforms import transform_value
from forklake.files.parquet.partitions import hive_path, hive_text, hive_values
from forklake.model import types
from forklake.model.transforms import Transform
from forklake.model.write import PartitionKey
from tests.interop.ducklake import attached, write

ODD = "a b%/é=?:#\"'*^~-_.+&"


def test_directories_are_those_that_ducklake_makes(tmp_path: Path) -> None:
    quoted = ODD.replace("'", "''")
    url = f"ducklake:{tmp_path}/lake.ducklake"
    write(
        url,
        tmp_path / "data",
        'CREATE TABLE t("a b" VARCHAR, "year" INTEGER, d DATE, e DATE, f DATE)',
        "CALL {lake}.set_option('data_inlining_row_limit', 0)",
        'ALTER TABLE t SET PARTITIONED BY ("a b", "year", year(d), year(e), bucket(4, f), bucket(4, d))',
        f"INSERT INTO t VALUES ('{quoted}', NULL, '2020-01-02', '2021-01-02', NULL)",
    )
    with attached(url, READ_ONLY=True) as (connection, alias):
        row = connection.execute(f"SELECT path FROM __ducklake_metadata_{alias}.ducklake_data_file").fetchone()
    assert row is not None
    keys = [
        PartitionKey("a b"),
        PartitionKey("year"),
        PartitionKey("d", Transform.parse("year")),
        PartitionKey("e", Transform.parse("year")),
        PartitionKey("f", Transform.parse("bucket(4)")),
        PartitionKey("d", Transform.parse("bucket(4)")),
    ]
    values = [ODD, None, "2020", "2021", None, transform_value(types.DATE, Transform.bucket(4), "2020-01-02")]
    assert hive_path(keys, values) == row[0].rpartition("/")[0] + "/"
    found = hive_values(row[0]).values()
    assert [hive_text(types.VARCHAR, text) for text in found] == values


def test_a_directory_name_stays_short_enough_for_file_systems() -> None:
    one, other = (hive_path([PartitionKey("c")], ["x" * 1000 + end]) for end in "ab")
    assert one != other
    assert len(one) <= 256
