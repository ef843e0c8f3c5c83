"""A table that stock DuckLake wrote, next to what its metadata says of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from forklake.model.field import Field, leaves
from forklake.model.ids import ColumnId
from tests.fields import named_field
from tests.interop.ducklake import attached, write


@dataclass(frozen=True)
class DuckLakeTable:
    """One file of a table ``t``, its columns, and the statistics of its leaves by their dotted names."""

    path: str
    record_count: int
    file_size_bytes: int
    footer_size: int
    fields: tuple[Field, ...]
    stats: dict[str, tuple[int | None, int | None, str | None, str | None, bool | None]]


def written_by_ducklake(folder: Path, columns: str, *rows: str) -> DuckLakeTable:
    """Make a table of those columns with those rows, in one file."""
    url = f"ducklake:{folder}/lake.ducklake"
    write(
        url,
        folder / "data",
        f"CREATE TABLE t({columns})",
        "CALL {lake}.set_option('data_inlining_row_limit', 0)",
        f"INSERT INTO t VALUES {', '.join(rows)}",
    )
    with attached(url, READ_ONLY=True) as (connection, alias):
        schema = f"__ducklake_metadata_{alias}"
        found = connection.execute(
            f"SELECT column_id, column_name, column_type, parent_column FROM {schema}.ducklake_column ORDER BY 1"
        ).fetchall()
        stats = {
            row[0]: row[1:]
            for row in connection.execute(
                "SELECT column_id, value_count, null_count, min_value, max_value, contains_nan"
                f" FROM {schema}.ducklake_file_column_stats"
            ).fetchall()
        }
        file = connection.execute(
            f"SELECT path, record_count, file_size_bytes, footer_size FROM {schema}.ducklake_data_file"
        ).fetchone()
    assert file is not None

    def below(parent: int | None) -> Iterator[Field]:
        for column_id, name, kind, above in found:
            if above == parent:
                yield named_field(ColumnId(column_id), name, kind, tuple(below(column_id)))

    fields = tuple(below(None))
    named = {".".join(path): stats[field.column_id] for path, field in leaves(fields)}
    return DuckLakeTable(f"{folder}/data/main/t/{file[0]}", file[1], file[2], file[3], fields, named)
