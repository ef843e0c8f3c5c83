"""Queries on options, the rows of ``ducklake_metadata``.

They belong to the lake, a catalog, a schema or a table. The ``scope`` of an option is '' for the whole
catalog, 'schema' or 'table'; ``scope_id`` is the object, or -1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from forklake.metastore.source import Question, Source
from forklake.metastore.store import Session
from forklake.model.ids import THE_LAKE, CatalogId

HOME: Final = "metadata_home"
"""The fact that says where the metadata was when the data path was set."""


IN_SCOPE: Final = (
    "((catalog_id = :c AND ((scope = 'table' AND scope_id = :table) OR (scope = 'schema' AND scope_id = :schema)"
    " OR scope = '')) OR (catalog_id = :lake AND scope = ''))"
)
"""The condition of options that a table has, or may have from its schema, its catalog or the lake."""


class OptionRow(NamedTuple):
    """One option as it is stored."""

    key: str
    value: str
    scope: str
    scope_id: int


def options_of(source: Source, catalog: CatalogId) -> list[OptionRow]:
    """Return the options of a catalog (or of the lake), its schemas and tables.

    Those of the whole catalog come first.
    """
    found = source.query(
        "SELECT key, value, scope, scope_id FROM forklake.ducklake_metadata WHERE catalog_id = :c"
        " ORDER BY scope, scope_id, key",
        c=catalog,
    )
    return [OptionRow(*row) for row in found]


def options_with_lake(source: Source, catalog: CatalogId) -> list[tuple[OptionRow, CatalogId]]:
    """Return the options of a catalog, its schemas and tables, and of the lake.

    Each comes with the catalog's id, or the lake's.
    """
    found = source.query(
        "SELECT key, value, scope, scope_id, catalog_id FROM forklake.ducklake_metadata"
        " WHERE catalog_id = :c OR (catalog_id = :lake AND scope = '') ORDER BY scope, scope_id, key",
        c=catalog,
        lake=THE_LAKE,
    )
    return [(OptionRow(*row[:4]), CatalogId(row[4])) for row in found]


def options_in_scope(catalog: CatalogId, schema_id: int, table_id: int) -> Question[list[OptionRow]]:
    """Ask for the options of a table, its schema, its catalog and the lake.

    The widest scope comes first.
    """
    return Question(
        f"SELECT key, value, scope, scope_id FROM forklake.ducklake_metadata WHERE {IN_SCOPE}"
        " ORDER BY CASE WHEN catalog_id = :lake THEN 3 WHEN scope = 'table' THEN 0 WHEN scope = 'schema' THEN 1"
        " ELSE 2 END DESC",
        scope_params(catalog, schema_id, table_id),
        lambda found: [OptionRow(*row) for row in found],
    )


def scope_params(catalog: CatalogId, schema_id: int, table_id: int) -> dict[str, int]:
    """Return the parameters of `IN_SCOPE`."""
    return {"c": catalog, "table": table_id, "schema": schema_id, "lake": THE_LAKE}


def write_option(session: Session, catalog: CatalogId, option: OptionRow) -> None:
    """Set an option, whether or not it was set before."""
    session.execute(
        "INSERT INTO forklake.ducklake_metadata (catalog_id, key, value, scope, scope_id)"
        " VALUES (:c, :key, :value, :scope, :id)"
        " ON CONFLICT (catalog_id, scope, scope_id, key) DO UPDATE SET value = excluded.value",
        c=catalog,
        key=option.key,
        value=option.value,
        scope=option.scope,
        id=option.scope_id,
    )


def write_options(session: Session, catalog: CatalogId, options: Iterable[OptionRow]) -> None:
    """Write the options of a new catalog, which has none yet."""
    session.execute_many(
        "INSERT INTO forklake.ducklake_metadata (catalog_id, key, value, scope, scope_id)"
        " VALUES (:c, :key, :value, :scope, :scope_id)",
        [{"c": catalog} | option._asdict() for option in options],
    )


def forget_option(session: Session, catalog: CatalogId, key: str, scope: str, scope_id: int) -> None:
    """Delete an option of one scope."""
    session.execute(
        "DELETE FROM forklake.ducklake_metadata"
        " WHERE catalog_id = :c AND key = :key AND scope = :scope AND scope_id = :id",
        c=catalog,
        key=key,
        scope=scope,
        id=scope_id,
    )


def forget_options_of_missing(session: Session, catalogs: Sequence[CatalogId]) -> None:
    """Delete the options of tables and schemas that nobody has a row of any more.

    Neither their catalog nor an ancestor of it has one. An option is written after the row of its table, so none is
    taken for a table that somebody is making.
    """
    for scope in ("table", "schema"):
        missing = session.query(
            "SELECT m.catalog_id, m.key, m.scope_id FROM forklake.ducklake_metadata m WHERE m.catalog_id IN (:ids...)"
            f" AND m.scope = :scope AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_{scope} r"
            f" WHERE r.{scope}_id = m.scope_id AND (r.catalog_id = m.catalog_id"
            " OR r.catalog_id IN (SELECT s.owner_id FROM forklake.ducklake_segment s"
            " WHERE s.catalog_id = m.catalog_id)))",
            ids=list(catalogs),
            scope=scope,
        )
        for catalog, key, scope_id in missing:
            forget_option(session, catalog, key, scope, scope_id)


def lake_place(source: Source) -> tuple[str | None, str | None]:
    """Return the base path of the lake's files, and where its metadata is at home.

    Either is None if it was never set.
    """
    found: dict[str, str] = dict(
        source.query(
            "SELECT key, value FROM forklake.ducklake_metadata WHERE catalog_id = :lake AND scope = ''"
            " AND key IN (:keys...)",
            lake=THE_LAKE,
            keys=["data_path", HOME],
        )
    )
    return found.get("data_path"), found.get(HOME)


def lake_data_path(source: Source) -> str | None:
    """Return the base path of the lake's files, if it was ever set."""
    found = source.query(
        "SELECT value FROM forklake.ducklake_metadata WHERE catalog_id = :lake AND scope = '' AND key = 'data_path'",
        lake=THE_LAKE,
    )
    return str(found[0][0]) if found else None
