"""What catalogs, handles on the past and transactions have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from forklake import lake
from forklake.catalog import lookup
from forklake.catalog.moments import Moment
from forklake.catalog.names import qualified_name
from forklake.catalog.state import Content
from forklake.catalog.transaction import Staging
from forklake.errors import InvalidInputError, NotFoundError
from forklake.lake.macros import Macros
from forklake.lake.objects import wrong_kind_error
from forklake.lake.runner import Runner
from forklake.lake.schemas import Schemas
from forklake.lake.table import Table
from forklake.lake.views import Views
from forklake.model.ids import SchemaId, TableId
from forklake.model.records import Commit
from forklake.model.rows import TableRow
from forklake.ops.objects import define_table
from forklake.ops.objects.arrange_files import PartitionKeys
from forklake.ops.objects.define_table import Columns, NewTable, define_columns
from forklake.ops.objects.former_tables import look_at_dropped
from forklake.ops.objects.sort_keys import SortKeys


class Reader(Runner):
    """Schemas, tables, views and macros of a catalog or a transaction.

    Names are written ``table`` or ``schema.table``, each part in double quotes where it has a dot; without a
    schema it is ``main``. If ``schema`` is given, the name is not split.
    """

    @abstractmethod
    def _past(self, moment: Moment) -> Reader:
        """Return the catalog at an earlier moment."""

    @property
    def schemas(self) -> Schemas:
        """The schemas: list, create and drop them."""
        return Schemas(self)

    @property
    def views(self) -> Views:
        """The views: list, create, rename, comment and drop them."""
        return Views(self)

    @property
    def macros(self) -> Macros:
        """The macros: list, create and drop them."""
        return Macros(self)

    def tables(self, schema: str | None = None) -> list[Table]:
        """Return all tables, or those of a schema, by schema and name."""
        content = self._content()
        if schema is not None:
            wanted = lookup.schema(content, schema)
            return [Table(self, row, wanted.schema_name) for row in lookup.tables(content, wanted.schema_id)]
        names = {row.schema_id: row.schema_name for row in lookup.schemas(content)}
        found = [Table(self, row, names[row.schema_id]) for row in lookup.tables(content)]
        return sorted(found, key=lambda table: (table.schema_name, table.name))

    def table(self, name: str, *, schema: str | None = None) -> Table:
        """Return a table.

        Raises:
            NotFoundError: There is none of that name. If there was one, the hint says which snapshot dropped it.
        """
        content = self._content()
        schema, name = qualified_name(name, schema)
        try:
            return Table(self, *_find_table(content, name, schema))
        except NotFoundError as error:
            dropped = look_at_dropped(self._runtime.store, content.version, schema, name)
            error.advice = dropped or error.advice
            raise

    def drop_table(self, name: str, *, schema: str | None = None, if_exists: bool = False) -> Commit:
        """Drop a table; time travel and forks still see it.

        With ``if_exists``, nothing is done if there is none.

        Raises:
            NotFoundError: There is none of that name, or it is a view.
        """
        schema, name = qualified_name(name, schema)

        def verb(staging: Staging) -> None:
            found = lookup.find_schema(staging.draft, schema)
            if found is not None and lookup.find_view(staging.draft, found.schema_id, name) is not None:
                raise wrong_kind_error(name, schema, there="view", wanted="table")
            if if_exists and (found is None or lookup.find_table(staging.draft, found.schema_id, name) is None):
                return
            define_table.drop_table(staging, lookup.table(staging.draft, name, schema))

        return self._commit(verb)

    def create_table(
        self,
        name: str,
        columns: Columns | None = None,
        *,
        rows: Any = None,
        schema: str | None = None,
        partition_by: PartitionKeys = (),
        sort_by: SortKeys = (),
        if_not_exists: bool = False,
        or_replace: bool = False,
    ) -> Table:
        """Create a table, empty or with the rows of a frame, and return it.

        All of it is one snapshot.

        ``created`` of what is returned tells whether this call made it, ``commit`` what it did.

        Args:
            name: Its name, which no table or view of the schema has.
            columns: Names and types, as DuckDB or DuckLake write them; ``STRUCT(a INTEGER)[]`` too. Or a text as in
                CREATE TABLE, ``a INT NOT NULL, b VARCHAR``, or a schema of Arrow or Spark, or a DataFrame of pandas or
                its ``dtypes``, whose rows are left out.
            rows: Instead of columns: a DataFrame of Spark or pandas, an Arrow table or reader, or rows as a list of
                mappings.
            schema: The schema it goes into.
            partition_by: What its files are partitioned by: columns, transforms such as ``month(ts)`` and
                ``bucket(16, id)``, or fields with a transform.
            sort_by: What its files are sorted by: SQL such as ``a DESC``, or keys as values.
            if_not_exists: Do nothing if there is a table of that name.
            or_replace: Drop the table of that name first; the new one has an id of its own. The frame may still read
                the old one.

        Raises:
            AlreadyExistsError: There is a table or view of that name.
            InvalidInputError: A column has no such type, or a name that is taken; or columns and rows are both given.
            EngineError: The Spark job failed; nothing was made.
        """
        schema, name = qualified_name(name, schema)
        if (columns is None) == (rows is None):
            raise InvalidInputError(f'Table "{name}" is created with columns or with rows; nothing was created.')
        if columns is None:
            verb = lake.row_verbs.table_maker(
                self, name, rows, schema, partition_by, sort_by, if_not_exists, or_replace
            )
        else:
            defined = define_columns(self._runtime, columns)
            new = NewTable(name, defined, schema, partition_by, sort_by, if_not_exists, or_replace)

            def verb(staging: Staging) -> tuple[int | None, int]:
                return define_table.create_table(staging, self._runtime, new), 0

        made = self._make(
            verb, lambda seen: _find_table(seen, name, schema), lambda local: _local_table(local, name, schema)
        )
        return Table(self, *made.thing, created=made.created, commit=made.commit)


def _find_table(content: Content, name: str, schema: str) -> tuple[TableRow, str]:
    """Return a table, and the name of its schema."""
    row = lookup.table(content, name, schema)
    return row, lookup.schema_by_id(content, row.schema_id).schema_name


def _local_table(local_id: int, name: str, schema: str) -> tuple[TableRow, str]:
    """Return a table that its own transaction dropped again, and its schema's name."""
    row = TableRow(
        table_id=TableId(local_id),
        table_uuid="",
        schema_id=SchemaId(-1),
        table_name=name,
        path="",
        path_is_relative=True,
    )
    return row, schema
