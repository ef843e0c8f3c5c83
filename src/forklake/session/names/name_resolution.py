"""Name resolution of a session.

It finds the catalogs, schemas, tables, views, macros and functions that statements name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

from forklake import __version__, session
from forklake.catalog import lookup
from forklake.errors import InvalidInputError, NotFoundError
from forklake.files.access.find_files import match_files
from forklake.lake import Table
from forklake.lake.internals import content_of
from forklake.model.built_in_names import BUILT_IN_NAMES
from forklake.model.definitions import MacroImplementation
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.records import Macro
from forklake.session.functions import FUNCTIONS, call, call_scalar, check_form, check_scalar
from forklake.session.listings.metadata_tables import metadata_table, metadata_table_names
from forklake.session.listings.system import system_function, system_relation
from forklake.session.listings.system_files import parquet_query, reader_of
from forklake.session.names.attached_catalogs import AttachedCatalog
from forklake.session.names.existence import find_in_path, hint, missing_object_error
from forklake.session.names.frames import CallerFrame
from forklake.session.names.known_rows import Changes, Rows
from forklake.session.names.past_readers import reader_at
from forklake.session.names.private_catalogs import TEMPORARY
from forklake.session.names.scan_plans import table_relation
from forklake.session.statements.described_columns import describe_rows
from forklake.sql import statements
from forklake.sql.portable import Home, qualify_names
from forklake.sql.query.check_macro import check_macro
from forklake.sql.relation import At, BoundQuery, Relation, StoredMacro, StoredQuery

if TYPE_CHECKING:
    from forklake.session.state import SessionAttachment, SessionState

_PREFIX: Final = "ducklake_"
_IN_USE: Final = {"current_database": 0, "current_catalog": 0, "current_schema": 1}
"""Functions that tell what is in use: the catalog, or the schema."""


@dataclass(frozen=True, slots=True)
class Target:
    """The catalog, schema and object name that a name in a statement stands for."""

    attached: AttachedCatalog
    schema: str
    name: str


@dataclass(frozen=True, slots=True)
class SessionNames:
    """The names that a statement of a session can use.

    Attributes:
        state: The session.
        inside: The catalog and schema of unqualified names; those of USE if not given.
        may_act: Whether functions that change something may be called. False where a query is bound but not run.
        acting: If given, functions that change something are added to this list instead of being called: a
            statement is bound once like this before it runs.
        is_new: Whether the text will be stored in the catalog of ``inside``. Ambiguous names are refused then,
            because their author can still qualify them.
        at: The version of tables that have no AT clause of their own. It comes from the view that names them.
    """

    state: SessionState
    inside: tuple[AttachedCatalog, str] | None = None
    may_act: bool = True
    is_new: bool = False
    acting: list[str] | None = None
    at: At | None = None
    _macros: dict[tuple[str, ...], Sequence[StoredMacro]] = field(default_factory=dict, init=False, repr=False)

    # ---- where a name leads ------------------------------------------------------------------------------------------

    def new_target(self, parts: tuple[str, ...], *, is_temporary: bool = False) -> Target:
        """Return the place where an object of this name would be created.

        If no catalog is in use, that is the database ``memory``.

        Raises:
            NotFoundError: There is no such catalog.
            InvalidInputError: It is temporary, and another catalog is named.
        """
        if is_temporary:
            if [fold(part) for part in parts[:-1]] not in ([], ["main"], [TEMPORARY], [TEMPORARY, "main"]):
                raise InvalidInputError(
                    'Parser Error: TEMPORARY table names can *only* use the "temp" catalog; nothing was created.'
                )
            return Target(self.state.temporary.make(self.state.setup), "main", parts[-1])
        if len(parts) == 1 and self.inside is None and self.state.in_use is None:
            return Target(self.state.memory.make(self.state.setup), "main", parts[0])
        return self._persistent_target(parts)

    def target(
        self, parts: tuple[str, ...], kind: Literal["relation", "macro"] = "relation", at: At | None = None
    ) -> Target:
        """Return the place where an object of this name is.

        A temporary one comes before others of its name. A name without a schema that the schema in use does not
        have is that of ``main``.

        Raises:
            NotFoundError: There is no such catalog, or no catalog is in use.
        """
        if len(parts) != 1:
            return self._persistent_target(parts)
        if self.inside is None and self.state.has_temporary(kind, parts[0]):
            return Target(self.state.temporary.make(self.state.setup), "main", parts[0])
        found = self._persistent_target(parts)
        if fold(found.schema) == "main":
            return found
        content = content_of(reader_at(self.state, found.attached, at))
        return replace(found, schema=find_in_path(kind, content, found.schema, found.name) or found.schema)

    def _persistent_target(self, parts: tuple[str, ...]) -> Target:
        if len(parts) > 3:
            raise InvalidInputError(f'Parser Error: a name has at most three parts, not "{".".join(parts)}".')
        if len(parts) > 1 and self.state.attachments.find_metadata(parts[0]) is not None:
            raise InvalidInputError(f'"{parts[0]}" holds metadata, which statements only read; nothing was changed.')
        if len(parts) == 3:
            return Target(self.attached_catalog(parts[0]), parts[1], parts[2])
        if len(parts) == 2:
            in_schema, in_catalog = self._readings(parts[0], parts[1])
            if in_schema is not None and in_catalog is not None:
                raise self._ambiguous(in_schema, parts)
            return in_schema or in_catalog or Target(self._current(parts[0])[0], parts[0], parts[1])
        attached, schema = self._current(parts[0])
        return Target(attached, schema, parts[0])

    def _readings(self, first: str, name: str) -> tuple[Target | None, Target | None]:
        """Return both meanings of ``first.name``: in a schema, and in a catalog.

        ``first`` may be a schema of the catalog in use, or an attached catalog. A meaning is None if there is no
        such schema or catalog. If both lead to the same place, only the first is returned. Text that is stored in a
        catalog means its own schemas, whatever else is attached.
        """
        if not self.has_schema(first):
            there = self._find_catalog(first)
            return None, None if there is None else Target(there, "main", name)
        found = self.state.attachments.find(first)
        attached, _ = self._current()
        in_schema = Target(attached, first, name)
        if (
            found is None
            or (self.inside is not None and not self.is_new)
            or (found is attached and fold(first) == "main")
        ):
            return in_schema, None
        return in_schema, Target(found, "main", name)

    @staticmethod
    def _ambiguous(in_schema: Target, parts: tuple[str, ...]) -> InvalidInputError:
        schema = f"{in_schema.attached.alias}.{in_schema.schema}"
        return InvalidInputError(
            f'Binder Error: Ambiguous reference to catalog or schema "{parts[0]}" - use a fully qualified path like'
            f' "{schema}"',
            hint=f'"{schema}.{parts[1]}" is in the catalog in use, "{parts[0]}.main.{parts[1]}" in the other one.',
        )

    def new_schema_target(self, parts: tuple[str, ...]) -> tuple[AttachedCatalog, str]:
        """Return where a schema would be created: in ``memory`` if no catalog is in use.

        Otherwise as `schema_target`.
        """
        if len(parts) == 1 and self.inside is None and self.state.in_use is None:
            return self.state.memory.make(self.state.setup), parts[0]
        return self.schema_target(parts)

    def schema_target(self, parts: tuple[str, ...]) -> tuple[AttachedCatalog, str]:
        """Return the catalog of a schema, and the schema's name.

        Raises:
            NotFoundError: There is no such catalog, or none is in use.
            InvalidInputError: The name has more than two parts.
        """
        if len(parts) > 2:
            raise InvalidInputError(
                f'Parser Error: the name of a schema has at most two parts, not "{".".join(parts)}".',
                hint="catalog.schema, or schema",
            )
        if len(parts) == 2:
            return self.attached_catalog(parts[0]), parts[1]
        attached, _ = self._current(parts[0])
        return attached, parts[0]

    def attached_catalog(self, alias: str) -> AttachedCatalog:
        """Return the catalog that is attached under an alias.

        Else it is the catalog of the lake in use that has this name.

        Raises:
            NotFoundError: There is none.
        """
        found = self._find_catalog(alias)
        if found is None:
            known = [one.alias for one in self.state.attachments.all()]
            raise NotFoundError(f'Binder Error: Catalog "{alias}" does not exist!' + hint(alias, known))
        return found

    def _find_catalog(self, alias: str) -> AttachedCatalog | None:
        found = self.state.find_catalog(alias)
        # What is stored in a catalog reaches no other of its lake, unless the reader attached it.
        is_other = found is not None and self.inside is not None and found is not self.inside[0]
        return None if found is not None and found.is_only_named and is_other else found

    def _current(self, wanted: str = "") -> tuple[AttachedCatalog, str]:
        found = self.inside or self.state.current
        if found is None and self.state.in_use is None and self.state.memory.catalog is not None:
            return self.state.memory.catalog, "main"
        if found is None:
            raise NotFoundError(
                f'Catalog Error: "{wanted}" does not exist: no catalog is in use.',
                hint="Name the catalog before it, or say USE first.",
            )
        return found

    def has_schema(self, name: str) -> bool:
        """Return whether the catalog in use has a schema of this name."""
        found = self.inside or self.state.current
        if found is None or not self.state.is_live(found[0]):
            return False
        return any(fold(one) == fold(name) for one in self.state.reader(found[0]).schemas.list())

    # ---- relations ---------------------------------------------------------------------------------------------------

    def relation(self, parts: tuple[str, ...], at: At | None) -> Relation | StoredQuery:
        """Return the table, view, metadata table, frame or file of a name.

        A registered frame comes first, like a temporary table; a variable of the caller comes last.
        """
        held = self._registered_frame(parts)
        if held is not None:
            return Relation(parts[-1], held.columns, held)
        try:
            return self._stored_relation(parts, at)
        except NotFoundError:
            held = self._variable(parts, at)
            if held is None:
                raise
            return Relation(parts[-1], held.columns, held)

    def _registered_frame(self, parts: tuple[str, ...]) -> CallerFrame | None:
        # What is stored in a catalog means the same to everybody who reads it, so it names no frame.
        return self.state.frames.find(parts[0]) if len(parts) == 1 and self.inside is None else None

    def _variable(self, parts: tuple[str, ...], at: At | None) -> CallerFrame | None:
        may_be_one = len(parts) == 1 and self.inside is None and at is None
        if not may_be_one or self.state.policy.is_confined or not self.state.settings.get("python_enable_replacements"):
            return None
        return self.state.frames.of_caller(self.state.engine, parts[0])

    def _stored_relation(self, parts: tuple[str, ...], at: At | None) -> Relation | StoredQuery:
        may_be_file = len(parts) == 1 and self.state.policy.may_be_file(parts[0])
        if may_be_file and reader_of(parts[0]) == "read_parquet" and match_files(parts[0]):
            query = parquet_query("read_parquet", [parts[0]], {})
            if query is not None:
                return StoredQuery(parts[0], query, (), SessionNames(self.state, may_act=False))
        system = system_relation(self, parts, may_be_file=may_be_file)
        if system is not None:
            return Relation(parts[-1], system.columns, system)
        metadata = self._metadata_relation(parts)
        if metadata is not None:
            return metadata
        at = at or self.at
        target = self.target(parts, at=at)
        reader = reader_at(self.state, target.attached, at)
        content = content_of(reader)
        schema = lookup.find_schema(content, target.schema)
        if schema is None:
            raise missing_object_error("table", content, target.attached, target.schema, target.name)
        row = lookup.find_table(content, schema.schema_id, target.name)
        if row is not None:
            return table_relation(Table(reader, row, schema.schema_name), content, row)
        if lookup.find_view(content, schema.schema_id, target.name) is not None:
            view = reader.views.get(target.name, schema=schema.schema_name)
            # A temporary view names what its session names.
            inside = None if target.attached.is_temporary else (target.attached, schema.schema_name)
            state = self.state if view.trusted else self._state_within(target.attached)
            names = SessionNames(state, inside, may_act=False, at=at)
            return StoredQuery(view.name, view.sql, tuple(view.column_aliases), names)
        if may_be_file and reader_of(parts[0]) is not None:
            raise NotFoundError(f'IO Error: No files found that match the pattern "{parts[0]}"')
        raise missing_object_error(
            "table",
            content,
            target.attached,
            target.schema,
            target.name,
            "" if at is None else f" at {at.kind} {at.value}",
        )

    def _metadata_relation(self, parts: tuple[str, ...]) -> Relation | None:
        found = self.state.attachments.find_metadata(parts[0]) if len(parts) in (2, 3) else None
        if found is None or (len(parts) == 3 and fold(parts[1]) not in ("main", "public", fold(found.metadata_schema))):
            return None
        seen = self.state.session_attachment(found)
        rows = metadata_table(seen, fold(parts[-1]))
        if rows is None:
            known = metadata_table_names(seen)
            raise NotFoundError(f"Catalog Error: Table with name {parts[-1]} does not exist!" + hint(parts[-1], known))
        return Relation(parts[-1], rows.columns, self.state.policy.conceal(rows))

    # ---- functions ---------------------------------------------------------------------------------------------------

    def function(
        self, parts: tuple[str, ...], arguments: Sequence[Any], named: Mapping[str, Any]
    ) -> Relation | StoredQuery | None:
        """Return the rows of a table function; None if there is none of this name.

        Catalog functions are called as ``ducklake_x('alias', ...)`` or ``alias.x(...)``.
        """
        found = self._catalog_function(parts, arguments)
        if found is None:
            self.state.policy.check_system_function(fold(parts[-1]), arguments)
            query = parquet_query(fold(parts[0]), arguments, named) if len(parts) == 1 else None
            if query is not None:
                return StoredQuery(parts[0], query, (), SessionNames(self.state, may_act=False))
            system = system_function(self, parts, arguments, named)
            return None if system is None else Relation(parts[-1], system.columns, system)
        name, given = found
        gives = self._deferred_columns(name)
        if gives is not None:
            return Relation(parts[-1], gives, Rows(gives, []))
        schema = parts[1] if len(parts) == 3 else None
        result = call(name, self._attachments(name, given), given, named, self.state.policy, schema)
        virtual = result.virtual if isinstance(result, Changes) else ()
        return Relation(parts[-1], result.columns, result, virtual)

    def scalar(self, parts: tuple[str, ...], arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Return the value of a function of a catalog or the session in an expression.

        ``NotImplemented`` if there is no such function.
        """
        if len(parts) == 1 and fold(parts[0]) in _IN_USE and not arguments:
            current = self.inside or self.state.current
            return None if current is None else (current[0].alias, current[1])[_IN_USE[fold(parts[0])]]
        if len(parts) == 1 and fold(parts[0]) == "version" and not arguments:
            return f"forklake {__version__}"
        found = self._catalog_function(parts, arguments)
        if found is None:
            return NotImplemented
        check_scalar(found[0])
        if self._deferred_columns(found[0]) is not None:
            return 0  # what stands for the id of a catalog
        return call_scalar(found[0], self._attachments(*found), found[1], named, self.state.policy)

    def _catalog_function(self, parts: tuple[str, ...], arguments: Sequence[Any]) -> tuple[str, list[Any]] | None:
        name = fold(parts[-1])
        if len(parts) == 1 and name.startswith(_PREFIX) and name.removeprefix(_PREFIX) in FUNCTIONS:
            self.state.policy.check_catalog_function(name.removeprefix(_PREFIX))
            return name.removeprefix(_PREFIX), list(arguments)
        if name not in FUNCTIONS:
            return None
        current = self.inside or self.state.current
        of = None if current is None else current[0]
        if len(parts) > 1:
            of = self.state.attachments.find(parts[0])
            of = self._find_catalog(parts[0]) if of is None and not self.has_schema(parts[0]) else of
        if of is None:
            return None
        self.state.policy.check_catalog_function(name)
        check_form(name, ".".join(parts), arguments, of.alias)
        return name, [of.alias, *arguments]

    def _attachments(self, name: str, arguments: Sequence[Any]) -> list[SessionAttachment]:
        """Return the catalogs that a function may be called for.

        One that is only named is among them.
        """
        alias = arguments[0] if arguments and FUNCTIONS[name].is_bound else None
        if isinstance(alias, str):
            return self.state.attachments_with(alias, self._find_catalog)
        return self.state.session_attachments()

    def _deferred_columns(self, name: str) -> tuple[Field, ...] | None:
        """Return the columns of a function that must not be called yet.

        None if the function may be called: it changes nothing, or the statement runs now.
        """
        acts = FUNCTIONS[name].acts
        if acts is not None and self.acting is not None:
            self.acting.append(name)
            return acts
        if acts is not None and not self.may_act:
            raise InvalidInputError(
                f'Binder Error: "{_PREFIX}{name}" changes something: it is called by itself, not in a view or a macro,'
                " and its plan or columns are not shown; nothing was done."
            )
        return None

    def show_relation(self, statement: statements.Show | statements.Describe) -> Relation:
        """Return the rows of a SHOW or DESCRIBE inside a query."""
        # What is shown is found with names again.
        show = session.show
        rows = (
            show.show_rows(self.state, statement)
            if isinstance(statement, statements.Show)
            else describe_rows(replace(self, may_act=False), statement)
        )
        return Relation("unnamed_subquery", rows.columns, rows)

    def computed_rows(self, bound: BoundQuery) -> list[tuple[Any, ...]]:
        """Return the rows of a query on which the query around it depends; it runs now."""
        return session.queries.answer(self.state, bound).rows()

    def known_relation(self, columns: tuple[Field, ...], rows: list[tuple[Any, ...]]) -> Relation:
        """Return rows in memory as a relation."""
        return Relation("unnamed_subquery", columns, Rows(columns, rows))

    def macro(self, parts: tuple[str, ...]) -> Sequence[StoredMacro]:
        """Return the overloads of a macro; none if there is no such macro.

        Each name is looked up once: every function call might be a macro.
        """
        if parts not in self._macros:
            self._macros[parts] = self._find_macro(parts)
        return self._macros[parts]

    def _find_macro(self, parts: tuple[str, ...]) -> Sequence[StoredMacro]:
        if len(parts) > 3:
            return ()  # a function that is called on a field of a struct
        readings = [one for one in self._readings(*parts) if one is not None] if len(parts) == 2 else []
        macros = [self._macro_at(one) for one in readings] if len(readings) > 1 else [self._macro_at(parts)]
        there = [one for one in macros if one is not None]
        if len(there) > 1:
            raise self._ambiguous(readings[0], parts)
        if not there:
            return ()  # most functions are no macros, also where the name before them is ambiguous
        ((target, found),) = there
        # The body of a macro is no statement that somebody gave: nothing in it changes anything.
        names = replace(self, may_act=False, acting=None) if self.may_act else self
        if target.attached.is_temporary:
            return [StoredMacro(one, names) for one in found.implementations]  # it names what its session names
        reader = self.state.reader(target.attached)
        home = Home(
            target.attached.alias,
            {fold(one) for one in reader.schemas.list()},
            {fold(one.name) for one in reader.macros.list()},
            lambda name: find_in_path("relation", content_of(reader), target.schema, name) or target.schema,
            partial(find_in_path, "macro", content_of(reader), target.schema),
        )
        bodies = [replace(one, sql=qualify_names(one.sql, home, one.type)) for one in found.implementations]
        is_built_in = self._is_built_in(parts)
        return [
            StoredMacro(one, names if one.trusted else self._marked_names(target, one))
            for one in bodies
            if one.trusted or not is_built_in
        ]

    def _state_within(self, attached: AttachedCatalog) -> SessionState:
        """Return the state for what is marked in a catalog."""
        return self.state if self.state.is_within(attached) else self.state.within(attached)

    def _marked_names(self, target: Target, body: MacroImplementation) -> SessionNames:
        """Return the names for a marked macro, after a look at whether it needs no others.

        Raises:
            ForklakeError: It names something that it does not reach.
        """
        names = SessionNames(self._state_within(target.attached), (target.attached, target.schema), may_act=False)
        if not self.state.is_within(target.attached):
            check_macro(body, names)
        return names

    def _is_built_in(self, parts: tuple[str, ...]) -> bool:
        """Return whether a call means a function that every session has.

        Only a trusted macro takes its name: whoever may make a schema in one catalog does not answer for the functions
        of another one that is attached under the name of the schema.
        """
        if len(parts) == 1:
            return fold(parts[0]) in BUILT_IN_NAMES
        if len(parts) != 2 or fold(parts[-1]) not in FUNCTIONS:
            return False
        return self.state.attachments.find(parts[0]) is not None or not self.has_schema(parts[0])

    def _macro_at(self, place: Target | tuple[str, ...]) -> tuple[Target, Macro] | None:
        try:
            target = place if isinstance(place, Target) else self.target(place, "macro")
            return target, self.state.reader(target.attached).macros.get(target.name, schema=target.schema)
        except NotFoundError:
            return None

    def variable(self, name: str) -> Any:
        """Return the value of a variable."""
        return self.state.settings.variables.get(fold(name))

    def setting(self, name: str) -> Any:
        """Return the value of a setting."""
        return self.state.settings.get(name)
