"""Options of a lake or a catalog: `Lake.options` and `Catalog.options`."""

from __future__ import annotations

from collections.abc import Callable

from forklake.catalog import lookup
from forklake.catalog.names import qualified_name
from forklake.catalog.state import Content
from forklake.errors import InvalidInputError
from forklake.model.ids import THE_LAKE, CatalogId
from forklake.model.records import CommitInfo, Option
from forklake.ops.catalogs.catalog_terms import read_info
from forklake.ops.lakes import scoped_options as ops
from forklake.ops.lakes.runtime import Runtime


class Options:
    """Options of one catalog, or of the lake for catalogs without their own.

    The nearest scope wins: table, schema, catalog, lake, default. Setting an option makes no snapshot. A fork
    starts with a copy of its parent's options; after that neither sees what the other sets.
    """

    def __init__(
        self,
        runtime: Runtime,
        catalog: CatalogId,
        content: Callable[[], Content] | None,
        check_writable: Callable[[], None] = lambda: None,
        sign: Callable[[str | None, str | None], CommitInfo] = read_info,
    ) -> None:
        self._runtime = runtime
        self._catalog = catalog
        self._content = content
        self._check_writable = check_writable
        self._sign = sign

    def get(self, key: str, *, table: str | None = None, schema: str | None = None) -> str | None:
        """Return the effective value of an option; None if it is not set anywhere.

        It is that of the table, the schema or the catalog.
        """
        schema_id, table_id = self._ids(table, schema)
        return ops.effective_option(self._runtime.store, self._catalog, key, schema_id, table_id)

    def set(
        self,
        key: str,
        value: object,
        *,
        table: str | None = None,
        schema: str | None = None,
        author: str | None = None,
        message: str | None = None,
    ) -> None:
        """Set an option for the table, the schema, or the whole catalog.

        The author and the message, who sets it and why, are logged.

        Raises:
            InvalidInputError: There is no such option, or it cannot have the value.
            NotFoundError: There is no such table or schema.
        """
        scope, scope_id = self._scope(table, schema)
        info = self._sign(author, message)
        ops.set_option(self._runtime.store, self._catalog, key, value, scope, scope_id, info=info)

    def reset(
        self,
        key: str,
        *,
        table: str | None = None,
        schema: str | None = None,
        author: str | None = None,
        message: str | None = None,
    ) -> None:
        """Remove an option, so that the next wider scope applies again.

        The author and the message are logged.
        """
        scope, scope_id = self._scope(table, schema)
        info = self._sign(author, message)
        ops.reset_option(self._runtime.store, self._catalog, key, scope, scope_id, info=info)

    def list(self) -> list[Option]:
        """Return the options that are set here, including narrower scopes."""
        self._ids(None, None)  # a dropped catalog is refused here
        return ops.list_options(self._runtime.store, self._catalog)

    def _scope(self, table: str | None, schema: str | None) -> tuple[ops.Scope, int]:
        self._check_writable()
        schema_id, table_id = self._ids(table, schema)
        if table is not None:
            return "table", table_id
        return ("schema", schema_id) if schema is not None else ("", -1)

    def _ids(self, table: str | None, schema: str | None) -> tuple[int, int]:
        if self._content is None:
            if table is not None or schema is not None:
                raise InvalidInputError("The lake has no tables or schemas of its own; set options of a catalog.")
            return -1, -1
        content = self._content()  # a dropped catalog is refused here
        if table is not None:
            schema, table = qualified_name(table, schema)
            row = lookup.table(content, table, schema)
            return row.schema_id, row.table_id
        return (-1 if schema is None else lookup.schema(content, schema).schema_id), -1


def lake_options(runtime: Runtime) -> Options:
    """Return the options of the lake itself."""
    return Options(runtime, THE_LAKE, None)
