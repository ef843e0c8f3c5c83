"""A column can become of the same types here as in DuckLake."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import duckdb
import pytest

import forklake
from forklake.model.promotions import is_promotion
from forklake.model.types.read import read_scalar
from tests.interop.ducklake import attached

_INTEGERS: Final = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_DECIMALS: Final = tuple(f"DECIMAL({size})" for size in ("3,0", "4,1", "9,1", "10,0", "11,3", "22,3", "38,0"))
_MOMENTS: Final = ("DATE", "TIME", "TIMETZ", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")
_TYPES: Final = (
    *("BOOLEAN", *_INTEGERS, *(f"U{name}" for name in _INTEGERS), "FLOAT", "DOUBLE", *_DECIMALS),
    *("VARCHAR", "BLOB", *_MOMENTS, "INTERVAL", "UUID"),
)


def test_a_column_can_become_of_the_types_that_ducklake_allows(tmp_path: Path) -> None:
    theirs, ours, refusals = set(), set(), set()
    with attached(f"ducklake:{tmp_path}/theirs.ducklake", data_path=f"{tmp_path}/theirs") as (connection, _):
        for old in _TYPES:
            connection.execute(f"CREATE OR REPLACE TABLE t (x {old})")
            for new in (one for one in _TYPES if one != old):
                connection.execute("BEGIN")
                try:
                    connection.execute(f"ALTER TABLE t ALTER x TYPE {new}")
                    theirs.add((old, new))
                except duckdb.CatalogException as error:
                    refusals.add(str(error).rpartition(" - ")[2])
                connection.execute("ROLLBACK")
                if is_promotion(read_scalar(old), read_scalar(new)):
                    ours.add((old, new))
    assert refusals == {"only widening type promotions are allowed"}
    # DuckLake lets every decimal become one of 38 digits, though it loses what is behind the point.
    assert theirs - ours == {(old, "DECIMAL(38,0)") for old in _DECIMALS if not old.endswith(",0)")}
    assert ours - theirs == set()


_VALUES: Final = {
    **{"BOOLEAN": "true", "TINYINT": "-7", "SMALLINT": "-300", "INTEGER": "16777217", "BIGINT": "9007199254740993"},
    **{"HUGEINT": "-12345678901234567890123456789012345678", "UTINYINT": "200", "USMALLINT": "60000"},
    **{
        "UINTEGER": "4000000000",
        "UBIGINT": "18446744073709551615",
        "UHUGEINT": "12345678901234567890123456789012345678",
    },
    **{"FLOAT": "0.1", "DECIMAL(3,0)": "-123", "DECIMAL(4,1)": "12.5", "DECIMAL(9,1)": "1234567.5"},
    **{"DECIMAL(10,0)": "1234567890", "DECIMAL(11,3)": "1.125", "DECIMAL(22,3)": "1234567890123456789.125"},
    **{"DECIMAL(38,0)": "-12345678901234567890123456789012345678", "DATE": "'1960-02-29'"},
    **{"TIMESTAMP": "'1960-01-02 03:04:05.123456'", "TIMESTAMP_S": "'2020-01-02 03:04:05'"},
    "TIMESTAMP_MS": "'2020-01-02 03:04:05.123'",
}


@pytest.mark.parametrize("row_limit", [0, 10], ids=["files", "metadata"])
def test_duckdb_reads_promoted_columns_that_we_wrote(tmp_path: Path, row_limit: int) -> None:
    pairs = [(old, new) for old in _VALUES for new in _TYPES if is_promotion(read_scalar(old), read_scalar(new))]
    columns = ", ".join(f"c{place} {old}" for place, (old, _) in enumerate(pairs))
    with forklake.open(f"{tmp_path}/lake.db", data_path=f"{tmp_path}/data") as lake:
        shop = lake.create_catalog("shop")
        shop.options.set("data_inlining_row_limit", str(row_limit))
        shop.sql(f"CREATE TABLE t ({columns}); INSERT INTO t VALUES ({', '.join(_VALUES[old] for old, _ in pairs)})")
        shop.sql("; ".join(f"ALTER TABLE t ALTER c{place} TYPE {new}" for place, (_, new) in enumerate(pairs)))
        shop.maintenance.export(f"duckdb:{tmp_path}/plain.ducklake")
    with attached(f"ducklake:{tmp_path}/plain.ducklake") as (connection, _):
        found = connection.execute("FROM t")
        assert [str(column[1]) for column in found.description] == [_shown(new) for _, new in pairs]
        values = found.fetchone()
        wanted = ", ".join(f"CAST(CAST({_VALUES[old]} AS {old}) AS {new})" for old, new in pairs)
        assert values == connection.execute(f"SELECT {wanted}").fetchone()


def _shown(column_type: str) -> str:
    return {"TIMESTAMPTZ": "TIMESTAMP WITH TIME ZONE"}.get(column_type, column_type)
