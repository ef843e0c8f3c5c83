"""Stock DuckDB reads integers of more than 38 digits that were exported, and an import brings them back."""

from __future__ import annotations

from pathlib import Path

import pytest

import forklake
from forklake import Lake
from tests.interop.ducklake import attached, url_of

MOST, MOST_UNSIGNED = 2**127 - 1, 2**128 - 1
COLUMNS = "id INTEGER, a HUGEINT, b UHUGEINT, l HUGEINT[], s STRUCT(x UHUGEINT, y HUGEINT[]), m MAP(HUGEINT, UHUGEINT)"
ROWS = [
    "(1, 5, 6, [7, NULL], {x: 8, y: [9]}, MAP {10: 11}), (100, NULL, 10, NULL, NULL, NULL),"
    " (101, 9, 100, [], NULL, NULL)",
    f"(2, {MOST}, {MOST_UNSIGNED}, [0, {MOST}], {{x: {MOST_UNSIGNED}, y: [{MOST}, NULL]}},"
    f" MAP {{{MOST}: {MOST_UNSIGNED}}}), (3, {-MOST - 1}, {MOST + 1}, [NULL], {{x: 3, y: NULL}}, MAP {{1: NULL}})",
]
QUERIES = [
    "SELECT * FROM t ORDER BY id",
    f"SELECT id FROM t WHERE a = {MOST}",
    "SELECT id FROM t WHERE a < 0",
    "SELECT id, a FROM t WHERE a > 3 ORDER BY id",
    "SELECT id FROM t WHERE a BETWEEN 4 AND 10 ORDER BY id",
    "SELECT id FROM t WHERE a IS NULL",
    "SELECT id FROM t WHERE b > 9 ORDER BY id",
    f"SELECT id FROM t WHERE b = {MOST_UNSIGNED}",
    f"SELECT id FROM t WHERE b IN ({MOST + 1}, 6) ORDER BY id",
    f"SELECT id FROM t WHERE list_contains(l, {MOST}) ORDER BY id",
    f"SELECT id FROM t WHERE s.x = {MOST_UNSIGNED}",
    f"SELECT id FROM t WHERE m[{MOST}] = {MOST_UNSIGNED}",
    "SELECT max(a), min(a), max(b), min(b) FROM t",
    "SELECT id, a FROM t ORDER BY a DESC NULLS LAST LIMIT 2",
    f"SELECT count(*) FROM t WHERE z = {MOST_UNSIGNED}",
]


@pytest.mark.parametrize("limit", [0, 100])
@pytest.mark.parametrize("suffix", ["ducklake", "sqlite"])
def test_duckdb_reads_the_values_and_an_import_brings_them_back(limit: int, suffix: str, tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'lake.db'}"
    with Lake(url, data_path=tmp_path / "data") as lake, forklake.connect() as session:
        lake.create_catalog("shop")
        session.sql(f"ATTACH 'ducklake:{url}' AS shop (CATALOG 'shop'); USE shop; SET engine = 'local'")
        session.sql(f"CALL shop.set_option('data_inlining_row_limit', {limit}); CREATE TABLE t ({COLUMNS})")
        for rows in ROWS:
            session.sql(f"INSERT INTO t VALUES {rows}")
        session.sql(f"ALTER TABLE t ADD COLUMN z UHUGEINT DEFAULT {MOST_UNSIGNED}")
        ours = [session.sql(query).fetchall() for query in QUERIES]  # type: ignore[union-attr]
        made = url_of(lake.catalog("shop").maintenance.export(tmp_path / f"out.{suffix}").path)
        with attached(made) as (duckdb, _):
            for query, expected in zip(QUERIES, ours, strict=True):
                assert duckdb.execute(query).fetchall() == expected, query
        lake.import_catalog("back", made)
        session.sql(f"ATTACH 'ducklake:{url}' AS back (CATALOG 'back'); USE back")
        for query, expected in zip(QUERIES, ours, strict=True):
            assert session.sql(query).fetchall() == expected, query  # type: ignore[union-attr]
