"""DuckDB's lists have the columns here that they have in DuckDB."""

from pathlib import Path

import pytest

import forklake
from tests.interop.ducklake import duckdb_with_ducklake

LISTS = [
    *(f"duckdb_{name}()" for name in ("databases", "schemas", "tables", "views", "columns", "functions", "settings")),
    *("duckdb_secrets()", "duckdb_extensions()", "glob('*')"),
    *(f"information_schema.{name}" for name in ("schemata", "tables", "columns")),
]


@pytest.mark.parametrize("name", LISTS)
def test_a_list_has_the_columns_and_types_of_duckdbs(name: str, tmp_path: Path) -> None:
    with forklake.connect() as connection:
        connection.sql(
            f"ATTACH 'ducklake:sqlite:{tmp_path}/lake.db' AS shop (CATALOG 'shop', DATA_PATH '{tmp_path}/data/',"
            " CREATE_IF_NOT_EXISTS true)"
        )
        ours = connection.sql(f"DESCRIBE FROM {name}")
        assert ours is not None
        theirs = duckdb_with_ducklake().execute(f"DESCRIBE FROM {name}").fetchall()
        assert [row[:2] for row in ours.fetchall()] == [row[:2] for row in theirs]
