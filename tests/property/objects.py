"""Views, macros and tags: what changes of them do to the truth, how they are made, and random ones."""

from dataclasses import dataclass, replace
from random import Random

from forklake import Catalog, MacroImplementation, MacroParameter, Transaction
from tests.property.changes import Draft, OtherChange
from tests.property.content import NOWHERE, Keys, Macro, RefusedError, State, Table, View

MAX_VIEWS = 3
MAX_MACROS = 2
MACRO_NAMES = ("m", "M", "t")
TAG_KEYS = ("comment", "owner")
# Names of tables are among them, and a view without aliases takes any column.
VIEW_NAMES = ("t", "V", "v", "w", "x", "y", "z")
ALIASES = ((), ("a", "b"), ('the "b"', "c"))
VIEW_COLUMNS = ("a", "A", 'the "b"')

SCALARS = (
    MacroImplementation("1"),
    MacroImplementation("a + b", (MacroParameter("a"), MacroParameter("b", "INTEGER", "1"))),
    MacroImplementation("a", (MacroParameter("a", default="now()", default_is_expression=True),), dialect="other"),
)
QUERIES = (MacroImplementation("SELECT n", (MacroParameter("n"),), type="table"),)


# -- views -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CreateView(OtherChange):
    key: int
    schema: int
    name: str
    sql: str
    aliases: tuple[str, ...]
    or_replace: bool = False

    def lay_over(self, draft: Draft) -> None:
        if self.schema not in draft.state.schemas:
            raise RefusedError("missing")
        if draft.state.is_taken(self.schema, self.name):
            raise RefusedError("exists")
        view = View(self.schema, self.name, self.sql, self.aliases)
        draft.state = replace(draft.state, views={**draft.state.views, self.key: view})
        draft.created("created view", self.key, self.name, self.schema)

    def steps(self, state: State) -> tuple[OtherChange, ...]:
        if not self.or_replace:
            return (self,)
        plain = replace(self, or_replace=False)
        if (found := state.view_named(self.schema, self.name)) is not None:
            return DropView(found), plain
        if state.table_named(self.schema, self.name) is not None:
            raise RefusedError("invalid")
        return (plain,)

    def execute(self, target: Catalog | Transaction, state: State) -> None:
        target.views.create(
            self.name,
            self.sql,
            column_aliases=self.aliases,
            schema=state.schema_name(self.schema),
            or_replace=self.or_replace,
        )


def _view(state: State, key: int) -> View:
    if key not in state.views:
        raise RefusedError("missing")
    return state.views[key]


def _put_view(draft: Draft, key: int, view: View) -> None:
    draft.state = replace(draft.state, views={**draft.state.views, key: view})
    draft.altered(key, "altered view")


def _names(state: State, key: int) -> tuple[str, str]:
    """The name and the schema of a view, or of nothing."""
    if key not in state.views:
        return NOWHERE, "main"
    view = state.views[key]
    return view.name, state.schema_name(view.schema)


@dataclass(frozen=True, slots=True)
class DropView(OtherChange):
    key: int

    def lay_over(self, draft: Draft) -> None:
        _view(draft.state, self.key)
        draft.drop_view(self.key)

    def execute(self, target: Catalog | Transaction, state: State) -> None:
        name, schema = _names(state, self.key)
        target.views.drop(name, schema=schema)


@dataclass(frozen=True, slots=True)
class RenameView(OtherChange):
    key: int
    name: str

    def lay_over(self, draft: Draft) -> None:
        view = _view(draft.state, self.key)
        if draft.state.is_taken(view.schema, self.name, besides=self.key):
            raise RefusedError("exists")
        _put_view(draft, self.key, replace(view, name=self.name))
        draft.renamed(self.key, self.name)

    def execute(self, target: Catalog | Transaction, state: State) -> None:
        name, schema = _names(state, self.key)
        target.views.rename(name, self.name, schema=schema)


@dataclass(frozen=True, slots=True)
class TagView(OtherChange):
    """Set a tag of a view or of a column of it; no value takes it away."""

    key: int
    column: str | None
    tag: str
    value: str | None

    def lay_over(self, draft: Draft) -> None:
        view = _view(draft.state, self.key)
        if self.column is None:
            _put_view(draft, self.key, replace(view, tags=_tagged(view.tags, self.tag, self.value)))
            return
        column = self.column
        if view.aliases and column.lower() not in (alias.lower() for alias in view.aliases):
            raise RefusedError("missing")
        tags = {
            (name, tag): value
            for (name, tag), value in view.column_tags.items()
            if (name.lower(), tag) != (column.lower(), self.tag)
        }
        if self.value is not None:
            tags[column, self.tag] = self.value
        _put_view(draft, self.key, replace(view, column_tags=tags))

    def execute(self, target: Catalog | Transaction, state: State) -> None:
        name, schema = _names(state, self.key)
        if self.tag == "comment":
            target.views.comment(name, self.value, column=self.column, schema=schema)
        else:
            target.views.set_tag(name, self.tag, self.value, column=self.column, schema=schema)


# -- macros ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CreateMacro(OtherChange):
    key: int
    schema: int
    name: str
    overloads: tuple[MacroImplementation, ...]
    or_replace: bool = False

    def lay_over(self, draft: Draft) -> None:
        if self.schema not in draft.state.schemas:
            raise RefusedError("missing")
        if draft.state.macro_named(self.schema, self.name) is not None:
            raise RefusedError("exists")
        if len({overload.type for overload in self.overloads}) != 1:
            raise RefusedError("invalid")
        macro = Macro(self.schema, self.name, self.overloads)
        draft.state = replace(draft.state, macros={**draft.state.macros, self.key: macro})
        draft.created("created macro", self.key, self.name, self.schema)

    def steps(self, state: State) -> tuple[OtherChange, ...]:
        plain = replace(self, or_replace=False)
        found = state.macro_named(self.schema, self.name) if self.or_replace else None
        return (plain,) if found is None else (DropMacro(found), plain)

    def execute(self, target: Catalog | Transaction, state: State) -> None:
        schema = state.schema_name(self.schema)
        target.macros.create(self.name, self.overloads, schema=schema, or_replace=self.or_replace)


@dataclass(frozen=True, slots=True)
class DropMacro(OtherChange):
    key: int

    def lay_over(self, draft: Draft) -> None:
        if self.key not in draft.state.macros:
            raise RefusedError("missing")
        draft.drop_macro(self.key)

    def execute(self, target: Catalog | Transaction, state: State) -> None:
        if (macro := state.macros.get(self.key)) is None:
            target.macros.drop(NOWHERE)
        else:
            target.macros.drop(macro.name, schema=state.schema_name(macro.schema))


# -- tags of tables ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TagTable(OtherChange):
    """Set a tag of a table or of a column of it; no value takes it away."""

    table: int
    column: int | None
    tag: str
    value: str | None

    def lay_over(self, draft: Draft) -> None:
        table = draft.table(self.table)
        if self.column is None:
            table = replace(table, tags=_tagged(table.tags, self.tag, self.value))
        elif (column := table.column(self.column)) is None:
            raise RefusedError("missing")
        else:
            new = replace(column, tags=_tagged(column.tags, self.tag, self.value))
            table = replace(table, columns=tuple(new if c is column else c for c in table.columns))
        draft.put(self.table, table)
        draft.altered(self.table)

    def execute(self, target: Catalog | Transaction, state: State) -> None:
        table = state.tables[self.table]
        column = None if self.column is None else table.dotted(self.column)
        schema = state.schema_name(table.schema)
        if self.tag == "comment":
            target.table(table.name, schema=schema).alter.comment(self.value, column=column)
        else:
            target.table(table.name, schema=schema).alter.set_tag(self.tag, self.value, column=column)


def _tagged(tags: object, tag: str, value: str | None) -> dict[str, str]:
    assert isinstance(tags, dict)
    others = {key: known for key, known in tags.items() if key != tag}
    return others if value is None else {**others, tag: value}


# -- random ones -------------------------------------------------------------------------------------------------------


def plan_object(rng: Random, state: State, keys: Keys) -> OtherChange:
    """Return a change of a view, of a macro, or of what is said about something."""
    kind = rng.random()
    if kind < 0.55:
        return _plan_view(rng, state, keys)
    if kind < 0.75 or not state.tables:
        return _plan_macro(rng, state, keys)
    key = rng.choice(list(state.tables))
    return _plan_tag(rng, key, state.tables[key], keys)


def _plan_view(rng: Random, state: State, keys: Keys) -> OtherChange:
    if not state.views or (len(state.views) < MAX_VIEWS and rng.random() < 0.3):
        return _create_view(rng, state, keys, or_replace=rng.random() < 0.3)
    key = rng.choice([*state.views] * 4 + [next(keys)])
    what = rng.random()
    if what < 0.15:
        return _create_view(rng, state, keys, or_replace=True)
    if what < 0.35:
        return DropView(key)
    if what < 0.6:
        return RenameView(key, rng.choice(VIEW_NAMES))
    column = rng.choice((None, *VIEW_COLUMNS))
    return TagView(key, column, rng.choice(TAG_KEYS), rng.choice((None, f"said {next(keys)}", "")))


def _create_view(rng: Random, state: State, keys: Keys, *, or_replace: bool) -> CreateView:
    number, schema = next(keys), rng.choice(list(state.schemas))
    return CreateView(number, schema, rng.choice(VIEW_NAMES), f"SELECT {number}", rng.choice(ALIASES), or_replace)


def _plan_macro(rng: Random, state: State, keys: Keys) -> OtherChange:
    if state.macros and (len(state.macros) >= MAX_MACROS or rng.random() < 0.7) and rng.random() < 0.9:
        return DropMacro(rng.choice([*state.macros, *state.macros, next(keys)]))
    overloads = rng.choice((SCALARS[:1], SCALARS[1:], SCALARS, QUERIES, QUERIES, (*QUERIES, *SCALARS), ()))
    schema, name = rng.choice(list(state.schemas)), rng.choice(MACRO_NAMES)
    return CreateMacro(next(keys), schema, name, overloads, or_replace=rng.random() < 0.4)


def _plan_tag(rng: Random, key: int, table: Table, keys: Keys) -> OtherChange:
    column = rng.choice((None, rng.choice(table.columns).column_id))
    return TagTable(key, column, rng.choice(TAG_KEYS), rng.choice((None, f"said {next(keys)}", "", "it's")))
