"""A column can become of the same types here as in DuckLake."""

from __future__ import annotations

from collections.abc import Sequence
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


_CHAINS: Final = sorted(
    {
        (old, between, new)
        for old in _VALUES
        for between in _TYPES
        if is_promotion(read_scalar(old), read_scalar(between))
        for new in _TYPES
        if new == between or is_promotion(read_scalar(between), read_scalar(new))
    }
)
"""All ways of two promotions, and of one."""
_COLUMN_COUNT: Final = 100
"""So many columns has a table of them: each ALTER looks at all."""


@pytest.mark.parametrize("row_limit", [0, 10], ids=["files", "metadata"])
def test_columns_that_were_promoted_twice_have_the_values_of_duckdb(tmp_path: Path, row_limit: int) -> None:
    tables = {f"t{first}": _CHAINS[first : first + _COLUMN_COUNT] for first in range(0, len(_CHAINS), _COLUMN_COUNT)}
    ours = {}
    with forklake.open(
        f"{tmp_path}/lake.db", data_path=f"{tmp_path}/data", settings=forklake.Settings(engine="local")
    ) as lake:
        shop = lake.create_catalog("shop")
        shop.options.set("data_inlining_row_limit", str(row_limit))
        for name, chains in tables.items():
            columns = ", ".join(f"c{place} {old}" for place, (old, _, _) in enumerate(chains))
            values = ", ".join(_VALUES[old] for old, _, _ in chains)
            shop.sql(f"CREATE TABLE {name} ({columns}); INSERT INTO {name} VALUES ({values})")
            with shop.transaction() as work:
                for place, (_, between, new) in enumerate(chains):
                    for promoted in dict.fromkeys((between, new)):
                        work.table(name).alter.set_type(f"c{place}", promoted)
            ours[name] = shop.table(name).rows(_read_here(chains))
        shop.maintenance.export(f"duckdb:{tmp_path}/plain.ducklake")
    with attached(f"ducklake:{tmp_path}/plain.ducklake") as (connection, _):
        for name, chains in tables.items():
            found = connection.execute(f"FROM {name}")
            assert [str(column[1]) for column in found.description] == [_shown(new) for _, _, new in chains]
            values_found = found.fetchone()
            # A file is read as what its column is now, whatever that was in between.
            wanted = ", ".join(
                f"CAST(CAST({_VALUES[old]} AS {old}) AS {new}) AS c{place}"
                for place, (old, _, new) in enumerate(chains)
            )
            assert values_found == connection.execute(f"SELECT {wanted}").fetchone()
            assert (
                ours[name]
                == connection.execute(f"SELECT {', '.join(_read_here(chains))} FROM (SELECT {wanted})").fetchall()
            )


def _read_here(chains: Sequence[tuple[str, str, str]]) -> list[str]:
    """Return the columns that this process reads as DuckDB's values."""
    return [
        f"c{place}"
        for place, (old, _, new) in enumerate(chains)
        # Nanoseconds are texts, and Spark rounds what files hold as decimals to 32 bits.
        if new != "TIMESTAMP_NS" and not (old.startswith(("DECIMAL", "HUGEINT", "UHUGEINT")) and new == "FLOAT")
    ]


def _shown(column_type: str) -> str:
    return {"TIMESTAMPTZ": "TIMESTAMP WITH TIME ZONE"}.get(column_type, column_type)
