"""DuckDB's listings, such as ``duckdb_tables()``, over all attached catalogs.

They show what the session's statements see, its own changes included. Numbers that DuckDB gives out itself
are the ids of the lake here. Columns of views are not listed here: they are known once a view is bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, Final

from forklake import duck
from forklake.catalog.draft import Draft
from forklake.catalog.fields import field_tree
from forklake.catalog.places import catalog_directories
from forklake.catalog.state import Content
from forklake.catalog.versions import check_retained
from forklake.lake.internals import content_of, runtime_of
from forklake.metastore import visibility
from forklake.metastore.written_tables import COLUMN, COLUMN_TAG, SCHEMA, TABLE, TABLE_STATS, TAG, VIEW
from forklake.model import types
from forklake.model.aliases import parse_aliases
from forklake.model.field import Field
from forklake.model.ids import ColumnId, TableId
from forklake.model.keywords import identifier
from forklake.model.lazy_dataclass import dataclass
from forklake.model.rows import ColumnRow, SchemaRow, TableRow, ViewRow
from forklake.model.types import Type
from forklake.session.functions.arguments import Signature
from forklake.session.functions.function import Call, CatalogFunction
from forklake.session.names.attachment import Attachment
from forklake.session.names.known_rows import Rows, listed_columns
from forklake.session.safety.confinement import Policy
from forklake.sql.object_texts import default_text, table_text, view_text

Row = tuple[Any, ...]

_DATABASES: Final = listed_columns(
    "database_name database_oid:long path comment tags:map internal:bool type readonly:bool encrypted:bool"
    " cipher options:map"
)
_SCHEMAS: Final = listed_columns(
    "oid:long database_name database_oid:long schema_name comment tags:map internal:bool sql"
)
_TABLES: Final = listed_columns(
    "database_name database_oid:long schema_name schema_oid:long table_name table_oid:long comment tags:map"
    " internal:bool temporary:bool has_primary_key:bool estimated_size:long column_count:long index_count:long"
    " check_constraint_count:long sql"
)
_VIEWS: Final = listed_columns(
    "database_name database_oid:long schema_name schema_oid:long view_name view_oid:long comment tags:map"
    " internal:bool temporary:bool column_count:long sql is_bound:bool"
)
_COLUMNS: Final = listed_columns(
    "database_name database_oid:long schema_name schema_oid:long table_name table_oid:long column_name"
    " column_index:int comment internal:bool column_default is_nullable:bool data_type data_type_id:long"
    " character_maximum_length:int numeric_precision:int numeric_precision_radix:int numeric_scale:int"
)


@dataclass(frozen=True)
class _CatalogListing:
    """The rows that listings show of one attached catalog, each kind read once."""

    attachment: Attachment
    policy: Policy

    @cached_property
    def content(self) -> Content:
        """The catalog as the session's statements see it."""
        return content_of(self.attachment.reader)

    @property
    def names(self) -> tuple[str, int]:
        """The alias of the catalog, and its id."""
        return self.attachment.alias, self.attachment.catalog.catalog_id

    @cached_property
    def schemas(self) -> dict[int, SchemaRow]:
        """The schemas by id, sorted by name."""
        return {row.schema_id: row for row in sorted(self.content.rows(SCHEMA), key=lambda row: row.schema_name)}

    def tables(self) -> Iterator[tuple[SchemaRow, TableRow]]:
        """Yield the tables with their schemas, in the order of their creation."""
        for row in sorted(self.content.rows(TABLE), key=lambda row: (row.table_id < 0, abs(row.table_id))):
            yield self.schemas[row.schema_id], row

    def views(self) -> Iterator[tuple[SchemaRow, ViewRow]]:
        """Yield the views with their schemas, in the order of their creation."""
        for row in sorted(self.content.rows(VIEW), key=lambda row: (row.view_id < 0, abs(row.view_id))):
            yield self.schemas[row.schema_id], row

    @cached_property
    def tags(self) -> dict[int, dict[str, str]]:
        """The tags of tables and views, by object id."""
        found: dict[int, dict[str, str]] = {}
        for tag in self.content.rows(TAG):
            found.setdefault(tag.object_id, {})[tag.key] = tag.value or ""
        return found

    @cached_property
    def column_comments(self) -> dict[tuple[TableId, ColumnId | None], str | None]:
        """The comments on columns."""
        tags = self.content.rows(COLUMN_TAG)
        return {(tag.table_id, tag.column_id): tag.value for tag in tags if tag.key == "comment"}

    @cached_property
    def fields(self) -> dict[TableId, tuple[Field, ...]]:
        """The columns of each table."""
        found: dict[TableId, list[ColumnRow]] = {}
        for row in sorted(self.content.rows(COLUMN), key=lambda row: (row.column_order, row.column_id)):
            found.setdefault(row.table_id, []).append(row)
        return {table: field_tree(rows) for table, rows in found.items()}

    @cached_property
    def sizes(self) -> dict[TableId, int]:
        """How many rows each table has, deleted ones included."""
        store = runtime_of(self.attachment.reader).store
        latest = visibility.all_latest(store, self.content.version, TABLE_STATS)
        check_retained(store, self.content.version)
        sizes = {row.table_id: row.record_count for row in latest}
        if isinstance(self.content, Draft):
            staged = self.content.statistics(TABLE_STATS)
            sizes |= {table: rows[0].record_count for table, rows in staged.items() if rows}
        return sizes

    def sql(self, text: str) -> str:
        """Return the statement that made an object, with TEMP if it is temporary."""
        return text.replace("CREATE", "CREATE TEMP", 1) if self.attachment.is_temporary else text

    def split_tags(self, object_id: int) -> tuple[str | None, dict[str, str]]:
        """Return the comment on a table or view, and its other tags."""
        tags = dict(self.tags.get(object_id, {}))
        return tags.pop("comment", None), tags


def _listing(columns: tuple[Field, ...], rows: Callable[[_CatalogListing], Iterable[Row]]) -> Callable[[Call], Rows]:
    def run(call: Call) -> Rows:
        return Rows(
            columns, [row for attachment in call.attachments for row in rows(_CatalogListing(attachment, call.policy))]
        )

    return run


def _databases(listed: _CatalogListing) -> Iterator[Row]:
    attachment = listed.attachment
    location = None if listed.policy.is_confined else runtime_of(attachment.lake).store.location
    context, catalog = runtime_of(attachment.lake), attachment.catalog.catalog_id
    directory = catalog_directories(context.store, context.lake_path, {catalog}).get(catalog, "")
    facts = {"data_path": directory}
    name, number = listed.names
    yield (
        name, number, location, None, facts, False, "ducklake", attachment.read_only, False, None, {}
    )  # fmt: skip


def _schemas(listed: _CatalogListing) -> Iterator[Row]:
    for row in listed.schemas.values():
        yield row.schema_id, *listed.names, row.schema_name, None, {}, False, None


def _tables(listed: _CatalogListing) -> Iterator[Row]:
    for schema, row in listed.tables():
        fields = listed.fields.get(row.table_id, ())
        size = listed.sizes.get(row.table_id, 0)
        yield (
            *listed.names, schema.schema_name, schema.schema_id, row.table_name, row.table_id,
            *listed.split_tags(row.table_id), False, listed.attachment.is_temporary, False, size, len(fields), 0, 0,
            listed.sql(table_text(identifier(row.table_name), fields)),
        )  # fmt: skip


def _views(listed: _CatalogListing) -> Iterator[Row]:
    for schema, row in listed.views():
        aliases, is_temporary = parse_aliases(row.column_aliases), listed.attachment.is_temporary
        query = duck.printed_texts.print_query(row.sql) if row.dialect == "duckdb" else row.sql
        text = listed.sql(view_text(identifier(row.view_name), query, aliases))
        yield (
            *listed.names, schema.schema_name, schema.schema_id, row.view_name, row.view_id,
            *listed.split_tags(row.view_id), False, is_temporary, len(aliases) or None, text, False,
        )  # fmt: skip


def _all_columns(listed: _CatalogListing) -> Iterator[Row]:
    for schema, row in listed.tables():
        for place, field in enumerate(listed.fields.get(row.table_id, ()), 1):
            comment = listed.column_comments.get((row.table_id, field.column_id))
            yield (
                *listed.names, schema.schema_name, schema.schema_id, row.table_name, row.table_id, field.name, place,
                comment, False, default_text(field), field.nulls_allowed, *column_facts(field),
            )  # fmt: skip


def column_facts(field: Field) -> Row:
    """Return the last columns of ``duckdb_columns`` for a column.

    They are the name and number of its type, its length and its precision.
    """
    return field.type.sql_name, field.type.facts.duckdb_id, None, *_precision(field.type)


def _precision(kind: Type) -> Row:
    """Return precision, radix and scale of a number type.

    They are NULL for unsigned integers and all other types.
    """
    match kind:
        case types.Decimal(precision, scale):
            return precision, 10, scale
        case types.Integer(bits, is_signed=True):
            return bits, 2, 0
        case types.Float(bits):
            return 24 if bits == 32 else 53, 2, 0
    return None, None, None


FUNCTIONS: Final = tuple(
    CatalogFunction(name, (Signature(),), _listing(columns, rows), is_bound=False)
    for name, columns, rows in (
        ("duckdb_databases", _DATABASES, _databases),
        ("duckdb_schemas", _SCHEMAS, _schemas),
        ("duckdb_tables", _TABLES, _tables),
        ("duckdb_views", _VIEWS, _views),
        ("duckdb_columns", _COLUMNS, _all_columns),
    )
)
