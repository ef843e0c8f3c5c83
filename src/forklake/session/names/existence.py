"""Checks that objects exist.

Errors use DuckDB's words and suggest the most similar name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

from forklake.catalog import lookup
from forklake.catalog.state import Content
from forklake.errors import CatalogDroppedError, NotFoundError
from forklake.lake import Catalog
from forklake.lake.internals import runtime_of
from forklake.metastore.queries.catalogs import last_name
from forklake.model.keywords import identifier
from forklake.model.names import fold, nearest
from forklake.ops.objects.former_tables import look_at_dropped
from forklake.session.hints import in_sql

if TYPE_CHECKING:
    from forklake.session.state import SessionState

Kind = Literal["table", "view", "macro"]


class Named(Protocol):
    """A catalog under the alias that a session gave it."""

    @property
    def alias(self) -> str:
        """The alias."""

    @property
    def catalog(self) -> Catalog:
        """The catalog."""


_NOUNS = {"table": "Table", "view": "View", "macro": "Macro Function"}


def object_exists(kind: Kind, content: Content, schema_name: str, name: str) -> bool:
    """Return whether a schema has an object of this kind and name."""
    schema = lookup.find_schema(content, schema_name)
    if schema is None:
        return False
    find = {"table": lookup.find_table, "view": lookup.find_view, "macro": lookup.find_macro}[kind]
    return find(content, schema.schema_id, name) is not None


def find_in_path(kind: Kind | Literal["relation"], content: Content, schema_name: str, name: str) -> str | None:
    """Return the schema that has a name: the given one, or else ``main``.

    None if neither has it. A relation is a table or a view.
    """
    kinds: tuple[Kind, ...] = ("table", "view") if kind == "relation" else (kind,)
    for schema in (schema_name, "main"):
        if any(object_exists(one, content, schema, name) for one in kinds):
            return schema
    return None


def check_object(kind: Kind, content: Content, attached: Named, schema_name: str, name: str) -> None:
    """Refuse an object that does not exist in an attached catalog.

    Raises:
        NotFoundError: It does not exist.
    """
    if not object_exists(kind, content, schema_name, name):
        raise missing_object_error(kind, content, attached, schema_name, name)


def check_schema(content: Content, alias: str, name: str) -> None:
    """Refuse a schema that does not exist.

    Raises:
        NotFoundError: It does not exist.
    """
    if lookup.find_schema(content, name) is None:
        known = [row.schema_name for row in lookup.schemas(content)]
        raise NotFoundError(f'Binder Error: Schema "{name}" not found in DuckLakeCatalog "{alias}"' + hint(name, known))


def missing_object_error(
    kind: Kind, content: Content, attached: Named, schema_name: str, name: str, when: str = ""
) -> NotFoundError:
    """Return the error for an object that does not exist in an attached catalog.

    ``when`` is the version or time in the message, if the statement names one. If there was a table of that name, the
    hint says which snapshot dropped it.
    """
    dropped = None
    if kind == "table":
        dropped = look_at_dropped(runtime_of(attached.catalog).store, content.version, schema_name, name)
    advice = None if dropped is None else in_sql(attached.alias, dropped)
    schema = lookup.find_schema(content, schema_name)
    if schema is None:
        known = [row.schema_name for row in lookup.schemas(content)]
        return NotFoundError(
            f'Catalog Error: {_NOUNS[kind]} with name "{schema_name}.{name}" does not exist because schema'
            f' "{schema_name}" does not exist.' + (hint(schema_name, known) or _other_schema_hint(content, name)),
            hint=advice,
        )
    if kind == "macro":
        known = [row.macro_name for row in lookup.macros(content, schema.schema_id)]
        return NotFoundError(f"Catalog Error: {_NOUNS[kind]} with name {name} does not exist!" + hint(name, known))
    known = [row.table_name for row in lookup.tables(content, schema.schema_id)]
    known += [row.view_name for row in lookup.views(content, schema.schema_id)]
    text = f"Catalog Error: {_NOUNS[kind]} with name {name} does not exist{when}!"
    return NotFoundError(text + (hint(name, known) or _other_schema_hint(content, name)), hint=advice)


def hint(name: str, known: list[str]) -> str:
    """Return the line "Did you mean ...?" with the most similar name, if there is one."""
    near = nearest(name, known)
    return "" if near is None else f'\nDid you mean "{near}"?'


def _other_schema_hint(content: Content, name: str) -> str:
    """Return the line "Did you mean ...?" for what has that name in other schemas."""
    near = []
    for schema in lookup.schemas(content):
        names = [row.table_name for row in lookup.tables(content, schema.schema_id)]
        names += [row.view_name for row in lookup.views(content, schema.schema_id)]
        near += [f"{schema.schema_name}.{one}" for one in names if fold(one) == fold(name)]
    return f'\nDid you mean "{" or ".join(near)}"?' if near else ""


def dropped_attachment_error(state: SessionState, error: CatalogDroppedError) -> CatalogDroppedError:
    """Return the error for an attached catalog that was dropped.

    It has the catalog's name and a hint. The error that was given is returned if it is about another catalog.
    """
    for attached in state.attachments.all():
        catalog = attached.catalog
        if catalog.catalog_id != error.catalog_id or catalog.inspect.is_live:
            continue
        name = last_name(runtime_of(catalog).store, catalog.catalog_id)
        return CatalogDroppedError(
            f'Catalog Error: Catalog "{name}", attached as "{attached.alias}", was dropped; nothing was done.',
            catalog_id=catalog.catalog_id,
            hint=f"DETACH {identifier(attached.alias)}, or bring it back with ducklake_undrop_catalog.",
        )
    return error
