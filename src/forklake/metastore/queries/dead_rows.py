"""Deletes dead rows with what belongs to them, and schedules their files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from forklake.metastore.source import Source
from forklake.metastore.store import Session
from forklake.metastore.written_tables import SCHEMA, TABLE, TABLES, MetadataTable
from forklake.model.ids import CatalogId, RowUid
from forklake.model.lazy_dataclass import dataclass

Level = tuple[str, bool]
"""A part of a path, and whether it is relative to those before it."""


@dataclass(frozen=True, slots=True)
class DyingFile:
    """A data file or delete file whose row is dead."""

    owner: CatalogId
    file_id: int
    path: str
    byte_count: int


def delete_rows(session: Session, table: MetadataTable[Any], owner: CatalogId, uids: Sequence[RowUid]) -> None:
    """Delete rows of an interval table, and the tombstones that hid them from forks."""
    session.execute(
        f"DELETE FROM forklake.{table.name} WHERE catalog_id = :c AND row_uid IN (:uids...)", c=owner, uids=list(uids)
    )
    session.execute("DELETE FROM forklake.ducklake_tombstone WHERE row_uid IN (:uids...)", uids=list(uids))


def delete_followers(
    session: Session, parent: MetadataTable[Any], owner: CatalogId, keys: Mapping[str, Sequence[int]]
) -> None:
    """Delete the rows that followed deleted rows.

    They stay if another row of the owner has the id that they follow.
    ``keys`` has the ids of the deleted rows, by the column that joins followers to them.
    """
    for table in followers_of(parent):
        assert table.follows is not None
        key = table.follows[1]
        if keys[key]:
            session.execute(
                f"DELETE FROM forklake.{table.name} WHERE catalog_id = :c AND {key} IN (:keys...)"
                f" AND NOT ({key} IN (SELECT r.{key} FROM forklake.{parent.name} r"
                f" WHERE r.catalog_id = :c AND r.{key} IN (:keys...)))",
                c=owner,
                keys=list(keys[key]),
            )


def followers_of(parent: MetadataTable[Any]) -> list[MetadataTable[Any]]:
    """Return the tables whose rows follow rows of an interval table."""
    return [table for table in TABLES if table.follows is not None and table.follows[0] is parent]


def last_rows(source: Source, table: MetadataTable[Any], column: str, rows: Sequence[tuple[RowUid, int]]) -> set[int]:
    """Return the schemas or tables of which only these rows are left.

    Rows of all catalogs count.

    Each row is given by its uid and the id in the column.
    """
    ids = {of for _, of in rows}
    found = source.query(
        f"SELECT DISTINCT {column} FROM forklake.{table.name} WHERE {column} IN (:ids...)"
        " AND NOT (row_uid IN (:uids...))",
        ids=sorted(ids),
        uids=[uid for uid, _ in rows],
    )
    return ids - {int(of) for (of,) in found}


def table_levels(source: Source, tables: Iterable[int]) -> dict[int, tuple[Level, Level]]:
    """Return the paths of schemas and tables, by table.

    Any catalog may have a row of them. The path of a schema or table never changes, so any row tells it.
    """
    wanted = sorted(set(tables))
    if not wanted:
        return {}
    found = source.query(
        f"SELECT DISTINCT table_id, schema_id, path, path_is_relative FROM forklake.{TABLE.name}"
        " WHERE table_id IN (:tables...)",
        tables=wanted,
    )
    schemas = {
        schema: (str(path), bool(is_relative))
        for schema, path, is_relative in source.query(
            f"SELECT DISTINCT schema_id, path, path_is_relative FROM forklake.{SCHEMA.name}"
            " WHERE schema_id IN (:schemas...)",
            schemas=sorted({schema for _, schema, _, _ in found}),
        )
    }
    return {
        int(table): (schemas[schema], (str(path), bool(is_relative)))
        for table, schema, path, is_relative in found
        if schema in schemas
    }


def schedule_files(session: Session, files: Iterable[DyingFile], now: datetime) -> None:
    """Let files wait for deletion from now on; one that waits already goes on waiting."""
    waiting = {(file.owner, file.path): file for file in files}
    for owner in sorted({owner for owner, _ in waiting}):
        paths = [path for of, path in waiting if of == owner]
        known = {
            path
            for (path,) in session.query(
                "SELECT path FROM forklake.ducklake_files_scheduled_for_deletion"
                " WHERE catalog_id = :c AND path IN (:paths...)",
                c=owner,
                paths=paths,
            )
        }
        session.insert_many(
            "ducklake_files_scheduled_for_deletion",
            ["catalog_id", "data_file_id", "path", "path_is_relative", "schedule_start"],
            [[owner, waiting[owner, path].file_id, path, False, now] for path in paths if path not in known],
        )
