"""Stock DuckDB with DuckLake reads what the in-process engine wrote, in files or inlined."""

from __future__ import annotations

import random
from pathlib import Path

import duckdb
import pytest

import forklake
from forklake import Settings
from tests.interop.ducklake import attached

_TABLE = "CREATE TABLE t (id BIGINT, n INTEGER, s VARCHAR, d DECIMAL(10,2), f DOUBLE, day DATE)"
_ROWS = (
    "INSERT INTO t VALUES (1, 5, 'a', 1.50, 0.5, '2024-01-31'), (2, NULL, 'B', 2.25, 'nan', NULL),"
    " (3, 7, '', NULL, -0.0, '1999-12-31'), (4, 5, NULL, -3.00, '-inf', '2024-02-29')"
)


@pytest.mark.parametrize("limit", [0, 4])
@pytest.mark.parametrize("layout", ["", "ALTER TABLE t SET PARTITIONED BY (n)", "ALTER TABLE t SET SORTED BY (s DESC)"])
def test_ducklake_reads_random_changes_that_this_process_wrote(limit: int, layout: str, tmp_path: Path) -> None:
    chance = random.Random(f"{limit} {layout}")
    oracle = duckdb.connect()
    with forklake.open(
        str(tmp_path / "lake.db"), data_path=tmp_path / "data", settings=Settings(engine="local")
    ) as lake:
        shop = lake.create_catalog("shop")
        with shop.session() as session:
            session.sql(f"CALL ducklake_set_option('shop', 'data_inlining_row_limit', {limit})")
            for statement in (_TABLE, layout, _ROWS):
                if statement:
                    session.sql(statement)
                if statement != layout:
                    oracle.execute(statement)
            for _ in range(15):
                number, other = chance.randrange(8), chance.randrange(8)
                change = chance.choice(
                    [
                        f"INSERT INTO t SELECT id + {number}, n, s, d, f, day FROM t WHERE id <= {other}",
                        f"UPDATE t SET n = n + {number}, s = 'u' || id WHERE id = {other}",
                        f"UPDATE t SET d = d * 1.5 WHERE n > {other}",
                        f"DELETE FROM t WHERE id = {number}",
                        f"MERGE INTO t USING (SELECT DISTINCT id + {number} AS id FROM t WHERE id < 9) u USING (id)"
                        f" WHEN MATCHED AND n > {other} THEN DELETE WHEN MATCHED THEN UPDATE SET n = {other}, s = 'm'"
                        " WHEN NOT MATCHED THEN INSERT (id, day) VALUES (u.id, '2020-02-02')",
                    ]
                )
                session.sql(change)
                oracle.execute(change)
        shop.maintenance.export(tmp_path / "plain.ducklake")
    asked = "SELECT * FROM t ORDER BY ALL"
    with attached(f"ducklake:{tmp_path}/plain.ducklake") as (theirs, _):
        assert repr(theirs.execute(asked).fetchall()) == repr(oracle.execute(asked).fetchall())
    oracle.close()
