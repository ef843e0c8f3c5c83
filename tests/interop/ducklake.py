"""Real DuckDB with its DuckLake extension, and everything that a database answers when asked."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any
from uuid import uuid4

import duckdb
import pytest

EXTENSIONS = ("ducklake", "sqlite_scanner", "postgres_scanner")

Answers = dict[tuple[str, ...], Any]
Connection = duckdb.DuckDBPyConnection


@cache
def duckdb_with_ducklake() -> Connection:
    """Return a DuckDB that needs no network: the extensions come from packages."""
    pytest.importorskip("duckdb_extension_ducklake", reason="the extension of DuckLake is not installed")
    connection = duckdb.connect()
    for name in EXTENSIONS:
        package = resources.files(f"duckdb_extension_{name}")
        connection.execute(f"LOAD '{package / 'extensions' / f'v{duckdb.__version__}' / f'{name}.duckdb_extension'}'")
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET threads = 1")
    # Keys of test data need no good random numbers, which would take another extension.
    connection.execute("SET force_mbedtls_unsafe = 'true'")
    return connection


def url_of(path: Path) -> str:
    """Return how DuckLake names a metadata file."""
    return f"ducklake:sqlite:{path}" if path.suffix == ".sqlite" else f"ducklake:{path}"


@contextmanager
def attached(url: str, **options: object) -> Iterator[tuple[Connection, str]]:
    """Attach a DuckLake database, and make it the default; nobody else has it open then."""
    connection = duckdb_with_ducklake()
    alias = f"lake_{uuid4().hex[:8]}"
    given = ", ".join(f"{name} {value if isinstance(value, bool) else repr(value)}" for name, value in options.items())
    connection.execute(f"ATTACH '{url}' AS {alias}{f' ({given})' if given else ''}")
    try:
        connection.execute(f"USE {alias}")
        yield connection, alias
    finally:
        connection.execute("USE memory")
        connection.execute(f"DETACH {alias}")


def write(url: str, data_path: Path, *statements: str, **options: object) -> None:
    """Run statements in a DuckLake database, made if it is new; ``{lake}`` stands for its name."""
    with attached(url, DATA_PATH=f"{data_path}/", **options) as (connection, alias):
        for statement in statements:
            connection.execute(statement.replace("{lake}", alias))


def snapshot_numbers(url: str) -> list[int]:
    """Return the numbers of all snapshots."""
    with attached(url, READ_ONLY=True) as (connection, alias):
        found = connection.execute(f"SELECT snapshot_id FROM {alias}.snapshots() ORDER BY snapshot_id")
        return [number for (number,) in found.fetchall()]


def state(url: str, snapshot: int | None = None) -> Answers:
    """Return all that a database answers at a snapshot: tables, columns, rows, row ids, views, macros, comments."""
    at = {} if snapshot is None else {"SNAPSHOT_VERSION": snapshot}
    with attached(url, READ_ONLY=True, **at) as (connection, alias):
        found: Answers = {("macros",): _macros(connection, alias)}
        columns = _columns(connection, alias)
        for schema, table, comment in connection.execute(
            "SELECT schema_name, table_name, comment FROM duckdb_tables() WHERE database_name = ? ORDER BY ALL", [alias]
        ).fetchall():
            found["table", schema, table] = (
                comment,
                columns[schema, table],
                *_rows(
                    connection,
                    f'"{schema}"."{table}"',
                    [column[2] for column in columns[schema, table]],
                    [column[3] for column in columns[schema, table]],
                ),
            )
        for schema, view, comment in connection.execute(
            "SELECT schema_name, view_name, comment FROM duckdb_views() WHERE database_name = ? AND NOT internal"
            " ORDER BY ALL",
            [alias],
        ).fetchall():
            shown = connection.execute(f'SELECT * FROM "{schema}"."{view}"').fetchall()
            found["view", schema, view] = (comment, sorted(shown, key=str))
        return found


def _columns(connection: Connection, alias: str) -> dict[tuple[str, str], list[Any]]:
    found: dict[tuple[str, str], list[Any]] = {}
    for row in connection.execute(
        "SELECT schema_name, table_name, column_name, data_type, is_nullable, column_default, comment"
        " FROM duckdb_columns() WHERE database_name = ? AND NOT internal"
        " ORDER BY schema_name, table_name, column_index",
        [alias],
    ).fetchall():
        found.setdefault(row[:2], []).append(row)
    return found


def _rows(connection: Connection, table: str, columns: list[str], kinds: list[str]) -> tuple[Any, ...]:
    """Return the rows with their ids, and what statistics answer: counts, bounds, and the files that hold a value."""
    shown = ", ".join(f'CAST("{column}" AS VARCHAR)' for column in columns)
    rows = connection.execute(f"SELECT rowid, {shown} FROM {table} ORDER BY rowid").fetchall()
    first = f'"{columns[0]}"'
    bounds = connection.execute(f"SELECT count(*), min({first}), max({first}) FROM {table}").fetchall()
    found = [
        connection.execute(f"SELECT count(*) FROM {table} WHERE {first} = {literal}").fetchall()
        for literal in {f"'{rows[place][1]}'" for place in (0, len(rows) // 2, -1) if rows and rows[place][1]}
        if kinds[0] != "VARIANT"
    ]
    return rows, bounds, sorted(found)


def _macros(connection: Connection, alias: str) -> list[Any]:
    return connection.execute(
        "SELECT schema_name, function_name, function_type, parameters, macro_definition FROM duckdb_functions()"
        " WHERE database_name = ? AND NOT internal AND function_type LIKE '%macro%' ORDER BY ALL",
        [alias],
    ).fetchall()


def changes(url: str, table: str, first: int, last: int, schema: str = "main") -> list[str]:
    """Return the change feed of a table: snapshots, row ids, kinds of change, and values."""
    with attached(url, READ_ONLY=True) as (connection, alias):
        feed = connection.execute(f"FROM ducklake_table_changes('{alias}', '{schema}', '{table}', {first}, {last})")
        return sorted(map(str, feed.fetchall()))


def log(url: str) -> list[Any]:
    """Return the snapshots with what they did and who said what."""
    with attached(url, READ_ONLY=True) as (connection, alias):
        return connection.execute(
            "SELECT snapshot_id, CAST(snapshot_time AS VARCHAR), schema_version, CAST(changes AS VARCHAR), author,"
            f" commit_message, commit_extra_info FROM {alias}.snapshots() ORDER BY snapshot_id"
        ).fetchall()
