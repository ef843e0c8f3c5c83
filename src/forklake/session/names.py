"""What names in statements mean to a session: catalogs, schemas, tables, views, macros and functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from forklake.catalog import lookup
from forklake.catalog.fields import table_fields
from forklake.errors import InvalidInputError, NotFoundError
from forklake.lake import Catalog, Table, Transaction
from forklake.model.definitions import MacroImplementation
from forklake.model.field import Field
from forklake.model.names import fold, nearest
from forklake.session.catalogs import AttachedCatalog
from forklake.session.functions import FUNCTIONS, call, call_scalar
from forklake.session.metadata_tables import metadata_table, metadata_table_names
from forklake.session.moments import aware_time
from forklake.session.rows import Changes
from forklake.session.system import system_function, system_relation
from forklake.sql.relation import At, Relation, StoredQuery

if TYPE_CHECKING:
    from forklake.session.state import State

VIRTUAL: Final = (
    Field(None, "rowid", "int64"),
    Field(None, "snapshot_id", "int64"),
    Field(None, "filename", "varchar"),
    Field(None, "file_row_number", "int64"),
    Field(None, "file_index", "uint64"),
)
_PREFIX: Final = "ducklake_"
_IN_USE: Final = {"current_database": 0, "current_catalog": 0, "current_schema": 1}
"""Functions that tell what is in use: the catalog, or the schema."""


@dataclass(frozen=True, slots=True)
class Target:
    """The place that a name in a statement leads to."""

    attached: AttachedCatalog
    schema: str
    name: str


@dataclass(frozen=True, slots=True)
class SessionNames:
    """The names that a statement of a session can use.

    Attributes:
        state: The session's.
        inside: The catalog and schema that names without one are looked for in; those of USE if not given.
        may_act: Whether functions that change something may be called: not where a query is only looked at.
        at: The past that tables are read of where nothing else is said: that of a view in which they are named.
    """

    state: State
    inside: tuple[AttachedCatalog, str] | None = None
    may_act: bool = True
    at: At | None = None

    # ---- where a name leads ------------------------------------------------------------------------------------------

    def target(self, parts: tuple[str, ...]) -> Target:
        """Return where an object of that name is, or would be made.

        Raises:
            NotFoundError: There is no such catalog, or no catalog is in use.
        """
        if len(parts) > 3:
            raise InvalidInputError(f'Parser Error: a name has at most three parts, not "{".".join(parts)}".')
        if len(parts) > 1 and self.state.attachments.find_metadata(parts[0]) is not None:
            raise InvalidInputError(f'"{parts[0]}" holds metadata, which statements only read; nothing was changed.')
        if len(parts) == 3:
            return Target(self.attached(parts[0]), parts[1], parts[2])
        if len(parts) == 2:
            found = self.state.attachments.find(parts[0])
            if self._has_schema(parts[0]):
                attached, _ = self._current()
                return Target(attached, parts[0], parts[1])
            if found is not None:
                return Target(found, "main", parts[1])
            attached, _ = self._current(parts[0])
            return Target(attached, parts[0], parts[1])
        attached, schema = self._current(parts[0])
        return Target(attached, schema, parts[0])

    def schema_target(self, parts: tuple[str, ...]) -> tuple[AttachedCatalog, str]:
        """Return the catalog of a schema, and the schema's name.

        Raises:
            NotFoundError: There is no such catalog, or none is in use.
        """
        if len(parts) == 2:
            return self.attached(parts[0]), parts[1]
        attached, _ = self._current(parts[0])
        return attached, parts[0]

    def attached(self, alias: str) -> AttachedCatalog:
        """Return what is attached under a name.

        Raises:
            NotFoundError: Nothing is.
        """
        found = self.state.attachments.find(alias)
        if found is None:
            near = nearest(alias, [one.alias for one in self.state.attachments.all()])
            raise NotFoundError(
                f'Catalog Error: Catalog "{alias}" does not exist!' + (f' Did you mean "{near}"?' if near else "")
            )
        return found

    def _current(self, wanted: str = "") -> tuple[AttachedCatalog, str]:
        found = self.inside or self.state.current
        if found is None:
            raise NotFoundError(
                f'Catalog Error: "{wanted}" does not exist: no catalog is in use.',
                hint="Name the catalog before it, or say USE first.",
            )
        return found

    def _has_schema(self, name: str) -> bool:
        found = self.inside or self.state.current
        return found is not None and any(fold(one) == fold(name) for one in self.state.reader(found[0]).schemas())

    # ---- relations ---------------------------------------------------------------------------------------------------

    def relation(self, parts: tuple[str, ...], at: At | None) -> Relation | StoredQuery:
        """Return the table, view, metadata table or file of a name."""
        system = system_relation(self, parts)
        if system is not None:
            return Relation(parts[-1], system.columns, system)
        metadata = self._metadata_relation(parts)
        if metadata is not None:
            return metadata
        target = self.target(parts)
        at = at or self.at
        reader = self._reader_at(target.attached, at)
        content = reader._content()
        schema = lookup.find_schema(content, target.schema)
        if schema is None:
            raise NotFoundError(f'Catalog Error: Table with name {target.name} does not exist because schema'
                                f' "{target.schema}" does not exist.')  # fmt: skip
        row = lookup.find_table(content, schema.schema_id, target.name)
        if row is not None:
            table = Table(reader, row, schema.schema_name)
            return Relation(row.table_name, table_fields(content, row.table_id), table, VIRTUAL)
        if lookup.find_view(content, schema.schema_id, target.name) is not None:
            view = reader.view(target.name, schema=schema.schema_name)
            names = SessionNames(self.state, (target.attached, schema.schema_name), may_act=False, at=at)
            return StoredQuery(view.name, view.sql, tuple(view.column_aliases), names)
        known = [one.name for one in reader.tables(schema.schema_name)]
        known += [one.name for one in reader.views(schema.schema_name)]
        near = nearest(target.name, known)
        when = "" if at is None else f" at {at.kind} {at.value}"
        raise NotFoundError(
            f"Catalog Error: Table with name {target.name} does not exist{when}!"
            + (f'\nDid you mean "{near}"?' if near else "")
        )

    def _reader_at(self, attached: AttachedCatalog, at: At | None) -> Catalog | Transaction:
        if at is None:
            return self.state.reader(attached)
        if at.kind == "version":
            if not isinstance(at.value, int):
                raise InvalidInputError(f"Binder Error: A version is the number of a snapshot, not {at.value!r}.")
            return attached.catalog.at(version=at.value)
        if isinstance(at.value, timedelta):
            return attached.catalog.at(timestamp=datetime.now(UTC) - at.value)
        return attached.catalog.at(timestamp=aware_time(at.value))

    def _metadata_relation(self, parts: tuple[str, ...]) -> Relation | None:
        found = self.state.attachments.find_metadata(parts[0]) if len(parts) in (2, 3) else None
        if found is None or (len(parts) == 3 and fold(parts[1]) not in ("main", "public", fold(found.metadata_schema))):
            return None
        seen = self.state.seen(found)
        rows = metadata_table(seen, fold(parts[-1]))
        if rows is None:
            near = nearest(parts[-1], metadata_table_names(seen))
            raise NotFoundError(
                f"Catalog Error: Table with name {parts[-1]} does not exist!"
                + (f'\nDid you mean "{near}"?' if near else "")
            )
        return Relation(parts[-1], rows.columns, rows)

    # ---- functions ---------------------------------------------------------------------------------------------------

    def function(self, parts: tuple[str, ...], arguments: Sequence[Any], named: Mapping[str, Any]) -> Relation | None:
        """Return the rows of a catalog function, as ``ducklake_x('alias', ...)`` or ``alias.x(...)``."""
        found = self._catalog_function(parts, arguments)
        if found is None:
            system = system_function(self, parts, arguments, named)
            return None if system is None else Relation(parts[-1], system.columns, system)
        name, given = found
        self._check_may_act(name)
        schema = parts[1] if len(parts) == 3 else None
        result = call(name, self.state.all_seen(), given, named, schema)
        virtual = result.virtual if isinstance(result, Changes) else ()
        return Relation(parts[-1], result.columns, result, virtual)

    def scalar(self, parts: tuple[str, ...], arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Return the value of a catalog function that gives one."""
        if len(parts) == 1 and fold(parts[0]) in _IN_USE and not arguments:
            current = self.inside or self.state.current
            return None if current is None else (current[0].alias, current[1])[_IN_USE[fold(parts[0])]]
        found = self._catalog_function(parts, arguments)
        if found is None:
            return NotImplemented
        self._check_may_act(found[0])
        return call_scalar(found[0], self.state.all_seen(), found[1], named)

    def _catalog_function(self, parts: tuple[str, ...], arguments: Sequence[Any]) -> tuple[str, list[Any]] | None:
        name = fold(parts[-1])
        if len(parts) == 1 and name.startswith(_PREFIX) and name.removeprefix(_PREFIX) in FUNCTIONS:
            return name.removeprefix(_PREFIX), list(arguments)
        current = self.inside or self.state.current
        if len(parts) == 1 and name in FUNCTIONS and current is not None:
            return name, [current[0].alias, *arguments]
        if len(parts) > 1 and name in FUNCTIONS and self.state.attachments.find(parts[0]) is not None:
            return name, [parts[0], *arguments]
        return None

    def _check_may_act(self, name: str) -> None:
        if FUNCTIONS[name].acts and not self.may_act:
            raise InvalidInputError(
                f'Binder Error: "{_PREFIX}{name}" changes something: it is called by itself, not in a view, and its'
                " plan or columns are not shown; nothing was done."
            )

    def macro(self, parts: tuple[str, ...]) -> Sequence[MacroImplementation]:
        """Return the overloads of a macro."""
        try:
            target = self.target(parts)
            return self.state.reader(target.attached).macro(target.name, schema=target.schema).implementations
        except NotFoundError:
            return ()

    def variable(self, name: str) -> Any:
        """Return the value of a variable."""
        return self.state.settings.variables.get(fold(name))

    def setting(self, name: str) -> Any:
        """Return the value of a setting."""
        return self.state.settings.get(name)
