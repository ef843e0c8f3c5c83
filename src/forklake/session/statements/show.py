"""The statements SHOW, DESCRIBE and PRAGMA."""

from __future__ import annotations

from typing import Any, Final

from forklake import __version__
from forklake.catalog.fields import table_fields
from forklake.errors import ForklakeError, InvalidInputError
from forklake.lake.internals import content_of
from forklake.model import types
from forklake.model.field import Field
from forklake.model.types.shapes import list_of
from forklake.session.listings.system_listings import listing
from forklake.session.names.attached_catalogs import AttachedCatalog
from forklake.session.names.known_rows import Rows, column
from forklake.session.names.name_resolution import SessionNames
from forklake.session.results.result import Result
from forklake.session.state import SessionState
from forklake.session.statements.described_columns import describe_rows, table_info
from forklake.sql import statements
from forklake.sql.query.bind import bind_query
from forklake.sql.simple_queries import all_of

_NAMES: Final = list_of(types.VARCHAR)
_ALL_TABLES: Final = (
    column("database", types.VARCHAR),
    column("schema", types.VARCHAR),
    column("name", types.VARCHAR),
    column("column_names", _NAMES),
    column("column_types", _NAMES),
    column("temporary", types.BOOLEAN),
)


def show(state: SessionState, statement: statements.Show) -> Result:
    """Run SHOW TABLES, SHOW ALL TABLES, SHOW SCHEMAS or SHOW DATABASES."""
    return _result(state, show_rows(state, statement))


def describe(state: SessionState, statement: statements.Describe) -> Result:
    """Run DESCRIBE: list the columns of a table or a query."""
    return _result(state, describe_rows(SessionNames(state, may_act=False), statement))


def _result(state: SessionState, rows: Rows) -> Result:
    return Result.of_rows(rows.columns, rows.rows, state.setup.engine)


def show_rows(state: SessionState, statement: statements.Show) -> Rows:
    """Return the rows of a SHOW."""
    match statement.what:
        case "databases":
            names = sorted(one.alias for one in state.attachments.all())
            return Rows((column("database_name", types.VARCHAR),), [(name,) for name in names])
        case "schemas":
            rows = [(one.alias, schema) for one in _live_catalogs(state) for schema in state.reader(one).schemas.list()]
            return Rows((column("database_name", types.VARCHAR), column("schema_name", types.VARCHAR)), list(rows))
        case "all tables":
            found: list[tuple[Any, ...]] = []
            for seen in state.relation_attachments():
                found += _relations(state, seen.attached)
            return Rows(_ALL_TABLES, sorted(found, key=lambda row: row[:3]))
    shown = [_shown_schema(state, statement.within)]
    if not statement.within and state.temporary.catalog is not None:
        shown.append((state.temporary.catalog, "main"))
    names = [name for attached, schema in shown for name in _relation_names(state, attached, schema)]
    return Rows((column("name", types.VARCHAR),), [(name,) for name in sorted(names)])


def _live_catalogs(state: SessionState) -> list[AttachedCatalog]:
    return [one for one in state.attachments.all() if state.is_live(one)]


def _relation_names(state: SessionState, attached: AttachedCatalog, schema: str | None) -> list[str]:
    reader = state.reader(attached)
    return [one.name for one in reader.tables(schema)] + [one.name for one in reader.views.list(schema)]


def _shown_schema(state: SessionState, name: statements.Name) -> tuple[AttachedCatalog, str | None]:
    if not name:
        if state.current is not None:
            return state.current
        if state.in_use is None and (state.memory.catalog or state.temporary.catalog):
            return state.memory.make(state.setup), "main"
        raise InvalidInputError("No catalog is in use.", hint="Say USE first, or SHOW ALL TABLES.")
    names = SessionNames(state)
    found = state.attachments.find(name[0])
    if found is None and not names.has_schema(name[0]):
        found = state.named_catalog(name[0])
    if len(name) == 1 and found is not None:
        return found, None
    return names.schema_target(name)


def _relations(state: SessionState, attached: AttachedCatalog) -> list[tuple[Any, ...]]:
    reader = state.reader(attached)
    rows: list[tuple[Any, ...]] = []
    for table in reader.tables():
        fields = table_fields(content_of(table), table.table_id)
        rows.append(_relation(attached, table.schema_name, table.name, fields))
    for view in reader.views.list():
        names = SessionNames(state, (attached, view.schema_name), may_act=False)
        try:
            fields = bind_query(all_of((view.schema_name, view.name)), names).columns
        except ForklakeError:  # something that it names is gone
            fields = ()
        rows.append(_relation(attached, view.schema_name, view.name, fields))
    return rows


def _relation(attached: AttachedCatalog, schema: str, name: str, fields: tuple[Field, ...]) -> tuple[Any, ...]:
    names, kinds = [field.name for field in fields], [field.type.sql_name for field in fields]
    return attached.alias, schema, name, names, kinds, attached.is_temporary


def pragma(state: SessionState, statement: statements.Pragma) -> Result:
    """Run PRAGMA show_tables, table_info, version and the like."""
    name = statement.name.lower()
    if name in ("show_tables", "show_databases", "show_schemas"):
        return show(state, statements.Show(name.removeprefix("show_")))  # type: ignore[arg-type]
    if name == "show_tables_expanded":
        return show(state, statements.Show("all tables"))
    if name == "version":
        return _result(state, Rows((column("library_version", types.VARCHAR),), [(f"forklake {__version__}",)]))
    if name == "database_size":
        found = listing(SessionNames(state), "pragma_database_size")
        assert found is not None
        return _result(state, found)
    if name == "table_info":
        return _result(state, table_info(SessionNames(state, may_act=False), statement.arguments))
    raise InvalidInputError(f'PRAGMA "{statement.name}" is not supported.')
