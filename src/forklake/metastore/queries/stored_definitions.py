"""The definitions that a lake has: texts that are bound when they are used."""

from __future__ import annotations

from typing import Final

from forklake.metastore.schema.description import LIVE
from forklake.metastore.store import Session
from forklake.model.overview import StoredDefinition

_CATALOG: Final = (
    "(SELECT k.catalog_name FROM forklake.ducklake_catalog k WHERE k.catalog_id = o.catalog_id"
    " ORDER BY k.begin_time DESC LIMIT 1)"
)
_SCHEMA: Final = "(SELECT max(s.schema_name) FROM forklake.ducklake_schema s WHERE s.schema_id = {of}.schema_id)"
_TABLE: Final = (
    f"(SELECT max({_SCHEMA.format(of='t')} || '.' || t.table_name) FROM forklake.ducklake_table t"
    " WHERE t.table_id = o.table_id)"
)
_KINDS: Final = {
    "view": f"{_SCHEMA.format(of='o')} || '.' || o.view_name, o.sql FROM forklake.ducklake_view o WHERE",
    "macro": f"{_SCHEMA.format(of='o')} || '.' || o.macro_name, i.sql"
    " FROM forklake.ducklake_macro o, forklake.ducklake_macro_impl i"
    " WHERE i.catalog_id = o.catalog_id AND i.macro_id = o.macro_id AND",
    "default": f"{_TABLE} || '.' || o.column_name, o.default_value FROM forklake.ducklake_column o"
    " WHERE o.default_value_type = 'expression' AND",
    "sort key": f"{_TABLE}, i.expression FROM forklake.ducklake_sort_info o, forklake.ducklake_sort_expression i"
    " WHERE i.catalog_id = o.catalog_id AND i.sort_id = o.sort_id AND",
}


def stored_definitions(session: Session) -> tuple[StoredDefinition, ...]:
    """Return the live definitions of all catalogs, each with who stored it.

    Sort keys that are only the name of a column are left out. It is for metadata of any version that can be upgraded.
    """
    found = []
    for kind, question in _KINDS.items():
        for catalog, name, text in session.query(
            f"SELECT {_CATALOG}, {question} o.end_snapshot = {LIVE} ORDER BY 1, 2"
        ):
            if kind != "sort key" or not str(text).strip('"').isidentifier():
                found.append(StoredDefinition(str(catalog), kind, str(name), str(text)))
    return tuple(found)
