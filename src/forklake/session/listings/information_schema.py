"""The tables of ``information_schema``, made of DuckDB's listings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from forklake.model.field import Field
from forklake.model.names import fold
from forklake.session.listings.system_listings import ListRows, listing_rows
from forklake.session.names.known_rows import Rows, listed_columns

if TYPE_CHECKING:
    from forklake.session.names.name_resolution import SessionNames


def information_table(names: SessionNames, name: str) -> Rows | None:
    """Return a table of ``information_schema``; None if there is no such table."""
    found = _INFORMATION.get(fold(name))
    return None if found is None else Rows(found[0], list(found[1](names)))


def _schemata(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    for schema in listing_rows(names, "duckdb_schemas"):
        yield schema["database_name"], schema["schema_name"], "duckdb", None, None, None, None


def _relations(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    for kind, name, listing in (("BASE TABLE", "table_name", "duckdb_tables"), ("VIEW", "view_name", "duckdb_views")):
        for one in listing_rows(names, listing):
            is_table = kind == "BASE TABLE"
            shown = "LOCAL TEMPORARY" if is_table and one["temporary"] else kind
            yield (
                one["database_name"], one["schema_name"], one[name], shown, None, None, None, None, None,
                "YES" if is_table else "NO", "NO", None, one["comment"],
            )  # fmt: skip


def _views(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    for one in listing_rows(names, "duckdb_views"):
        yield (
            one["database_name"],
            one["schema_name"],
            one["view_name"],
            one["sql"],
            "NONE",
            "NO",
            "NO",
            "NO",
            "NO",
            "NO",
        )


def _columns(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    for one in listing_rows(names, "duckdb_columns"):
        known = {
            "table_catalog": one["database_name"],
            "table_schema": one["schema_name"],
            "ordinal_position": one["column_index"],
            "is_nullable": "YES" if one["is_nullable"] else "NO",
            "column_comment": one["comment"],
        }
        yield tuple(known.get(fold(field.name), one.get(field.name)) for field in _INFORMATION_COLUMNS)


_INFORMATION_COLUMNS: Final = listed_columns(
    "table_catalog table_schema table_name column_name ordinal_position:int column_default is_nullable data_type"
    " character_maximum_length:int character_octet_length:int numeric_precision:int numeric_precision_radix:int"
    " numeric_scale:int datetime_precision:int interval_type interval_precision:int character_set_catalog"
    " character_set_schema character_set_name collation_catalog collation_schema collation_name domain_catalog"
    " domain_schema domain_name udt_catalog udt_schema udt_name scope_catalog scope_schema scope_name"
    " maximum_cardinality:long dtd_identifier is_self_referencing:bool is_identity:bool identity_generation"
    " identity_start identity_increment identity_maximum identity_minimum identity_cycle:bool is_generated"
    " generation_expression is_updatable:bool COLUMN_COMMENT"
)
_INFORMATION: Final[Mapping[str, tuple[tuple[Field, ...], ListRows]]] = {
    "schemata": (
        listed_columns(
            "catalog_name schema_name schema_owner default_character_set_catalog default_character_set_schema"
            " default_character_set_name sql_path"
        ),
        _schemata,
    ),
    "tables": (
        listed_columns(
            "table_catalog table_schema table_name table_type self_referencing_column_name reference_generation"
            " user_defined_type_catalog user_defined_type_schema user_defined_type_name is_insertable_into is_typed"
            " commit_action TABLE_COMMENT"
        ),
        _relations,
    ),
    "views": (
        listed_columns(
            "table_catalog table_schema table_name view_definition check_option is_updatable is_insertable_into"
            " is_trigger_updatable is_trigger_deletable is_trigger_insertable_into"
        ),
        _views,
    ),
    "columns": (_INFORMATION_COLUMNS, _columns),
}
