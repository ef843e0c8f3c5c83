"""The metadata tables of a catalog, against those of DuckLake with the same history."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from forklake import Lake
from forklake.session.listings.metadata_tables import metadata_table, metadata_table_names
from tests.interop.ducklake import duckdb_with_ducklake, url_of
from tests.interop.history import write_everything
from tests.unit.session.attached import Attached

Table = list[dict[str, Any]]

# An import numbers files anew, names them by absolute path, and gives the catalog a directory of its own.
FILES = ("data_file_id", "delete_file_id", "mapping_id", "file_id")
PLACES = {"path", "path_is_relative"}
LEFT_OUT = {
    ("ducklake_snapshot", "next_file_id"),
    ("ducklake_metadata", "value"),
    # Python has no months in its spans of time.
    ("ducklake_inlined_data_1_1", "iv"),
    # With a table its inlined rows end.
    ("ducklake_inlined_data_6_15", "end_snapshot"),
}
# What is scheduled for deletion is not imported, nor that a table without inlined rows might get some.
NOT_COMPARED = {"ducklake_files_scheduled_for_deletion", "ducklake_inlined_data_tables"}


def test_an_imported_history_shows_as_it_did_in_ducklake(tmp_path: Path) -> None:
    source = tmp_path / "lake.ducklake"
    write_everything(url_of(source), tmp_path)
    theirs = tables_of(source)
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "own") as lake:
        attached = Attached("x", lake, lake.import_catalog("c", source))
        names = metadata_table_names(attached)
        assert set(names) <= set(theirs)
        assert all(not rows for name, rows in theirs.items() if name not in names)
        ours = {name: named(attached, name) for name in names}
    assert len(ours["ducklake_inlined_data_tables"]) == 6
    files = renumbered(theirs, ours)
    for name in set(names) - NOT_COMPARED:
        left_out = PLACES | {column for table, column in LEFT_OUT if table == name}
        expected = [row | {key: files.get(row[key], row[key]) for key in FILES if key in row} for row in theirs[name]]
        assert without(ours[name], left_out) == without(expected, left_out), name


def tables_of(path: Path) -> dict[str, Table]:
    """Return all tables of a DuckDB file."""
    connection = duckdb_with_ducklake().cursor()
    connection.execute(f"ATTACH '{path}' AS compared (READ_ONLY)")
    try:
        found = connection.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = 'compared'").fetchall()
        tables: dict[str, Table] = {}
        for (name,) in found:
            answer = connection.execute(f'SELECT * FROM compared."{name}"')
            columns = [column[0] for column in answer.description]
            tables[name] = [dict(zip(columns, row, strict=True)) for row in answer.fetchall()]
        return tables
    finally:
        connection.execute("DETACH compared")


def named(attached: Attached, name: str) -> Table:
    found = metadata_table(attached, name)
    assert found is not None
    return [dict(zip((column.name for column in found.columns), row, strict=True)) for row in found.rows]


def renumbered(theirs: Mapping[str, Table], ours: Mapping[str, Table]) -> dict[int, int]:
    """Return what the files were renumbered to, found by their names; there is one mapping."""
    numbers: dict[int, int] = {}
    for table, key in (("ducklake_data_file", "data_file_id"), ("ducklake_delete_file", "delete_file_id")):
        by_name = {row["path"].rsplit("/", 1)[-1]: row for row in ours[table]}
        for row in theirs[table]:
            mine = by_name[row["path"].rsplit("/", 1)[-1]]
            numbers[row[key]] = mine[key]
            if row.get("mapping_id") is not None:
                numbers[row["mapping_id"]] = mine["mapping_id"]
    return numbers


def without(rows: Table, columns: set[str]) -> list[str]:
    """Return rows without some columns, in one order and in words: a NaN is a NaN then, and a zone its offset."""
    return sorted(
        repr({key: value.isoformat() if isinstance(value, datetime) else value for key, value in row.items()})
        for row in ({key: row[key] for key in row if key not in columns} for row in rows)
    )
