"""The obvious semantics, in plain dictionaries: every catalog holds a full copy of its content at every snapshot.

Nothing is shared, so nothing can leak: a fork copies states, a commit adds one, expiry removes some. The truth numbers
nothing that the store numbers: schemas, tables and files have keys of its own, and whoever compares learns which id
belongs to which key. Row ids, column ids, paths and statistics it works out itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from tests.property.changes import Draft
from tests.property.clashes import WITHOUT_NEW_VERSION, Touch, clash
from tests.property.content import File, Schema, State, first_row_id

Outcome = Literal["nothing", "known", "dropped", "conflict", "commit"]
OptionName = tuple[str, int | None, str]
"""The scope, the key of the schema or table, and the name of the option."""


@dataclass(frozen=True, slots=True)
class CatalogTruth:
    """What never changes of a catalog: its directory, what it was made from, and the root of its tree."""

    home: str
    parent: int | None
    pin: int | None
    tree: int


@dataclass(slots=True)
class Truth:
    """All catalogs of a lake, as full copies."""

    catalogs: dict[int, CatalogTruth] = field(default_factory=dict)
    history: dict[int, dict[int, State]] = field(default_factory=dict)
    """Of each catalog that is not purged, every snapshot it can see."""
    owner: dict[int, int] = field(default_factory=dict)
    """Of every snapshot that ever was, the catalog that made it."""
    touches: dict[int, tuple[Touch, ...]] = field(default_factory=dict)
    said: dict[int, tuple[str | None, str | None]] = field(default_factory=dict)
    """Of each commit, its author and message."""
    names: dict[int, str] = field(default_factory=dict)
    live: set[int] = field(default_factory=set)
    attached: set[int] = field(default_factory=set)
    """Catalogs that inherit from others."""
    options: dict[int, dict[OptionName, str]] = field(default_factory=dict)
    lake_options: dict[str, str] = field(default_factory=dict)
    keys: dict[int, dict[str, int]] = field(default_factory=dict)
    rosters: dict[int, dict[int, str]] = field(default_factory=dict)
    """Of every snapshot that ever was, the live catalogs and their names when it was made."""

    def head(self, catalog: int) -> int:
        return max(self.history[catalog])

    def content(self, catalog: int) -> State:
        return self.history[catalog][self.head(catalog)]

    def own(self, catalog: int) -> list[int]:
        """The snapshots that the catalog made itself and still has."""
        return sorted(snapshot for snapshot in self.history[catalog] if self.owner[snapshot] == catalog)

    def dropped(self) -> list[int]:
        return sorted(self.history.keys() - self.live)

    def is_taken(self, name: str) -> bool:
        return name.lower() in (self.names[catalog].lower() for catalog in self.live)

    # -- catalogs ------------------------------------------------------------------------------------------------------

    def create(self, catalog: int, name: str, home: str, snapshot: int, main: int) -> None:
        self._begin(catalog, name, CatalogTruth(home, None, None, catalog), {})
        self._record(catalog, snapshot, State(0, {main: Schema("main", "main/")}, {}))

    def fork(self, parent: int, at: int, catalog: int, name: str, home: str, snapshot: int, *, copy: bool) -> None:
        """The new catalog starts as the parent was; a fork by reference sees the history up to there too."""
        past = {known: state for known, state in self.history[parent].items() if known <= at}
        held = {None, *past[at].schemas, *past[at].tables}
        options = {option: value for option, value in self.options[parent].items() if option[1] in held}
        self._begin(catalog, name, CatalogTruth(home, parent, at, self.catalogs[parent].tree), options)
        if copy:
            self._record(catalog, snapshot, written_out(past[at], catalog))
        else:
            self.history[catalog] = past
            self.attached.add(catalog)
            self._record(catalog, snapshot, past[at])

    def sever(self, catalog: int, snapshot: int) -> None:
        """The same content on its own feet is all that is left of the history."""
        state = written_out(self.content(catalog), catalog)
        self._record(catalog, snapshot, state)
        self.expire(known for known in self.own(catalog) if known != snapshot)
        self.history[catalog] = {snapshot: state}
        self.attached.remove(catalog)

    def purge(self, catalog: int) -> None:
        self.expire(self.own(catalog))
        for known in (self.history, self.options, self.keys):
            del known[catalog]

    def expire(self, snapshots: Iterable[int]) -> None:
        """Forgotten by the catalog and by whoever inherited them; own snapshots of forks stay."""
        for snapshot in list(snapshots):
            for history in self.history.values():
                history.pop(snapshot, None)

    def lake_at(self, version: int) -> dict[int, tuple[str, int]]:
        """Each catalog that was live when a snapshot was made: its name, its newest own snapshot not above it."""
        found = {}
        for catalog, name in self.rosters[version].items():
            own = [s for s in self.own(catalog) if s <= version] if catalog in self.history else []
            if own:
                found[catalog] = (name, max(own))
        return found

    def _begin(self, catalog: int, name: str, what: CatalogTruth, options: Mapping[OptionName, str]) -> None:
        assert catalog not in self.catalogs, "the id of a catalog was given twice"
        self.catalogs[catalog] = what
        self.history[catalog] = {}
        self.names[catalog] = name
        self.options[catalog] = dict(options)
        self.keys[catalog] = {}
        self.live.add(catalog)

    def _record(self, catalog: int, snapshot: int, state: State) -> None:
        assert snapshot > max(self.owner, default=-1), "the id of a snapshot is not above all before it"
        self.history[catalog][snapshot] = state
        self.owner[snapshot] = catalog
        self.rosters[snapshot] = {known: self.names[known] for known in self.live}

    # -- commits -------------------------------------------------------------------------------------------------------

    def outcome(self, catalog: int, base: int, draft: Draft, key: str | None) -> tuple[Outcome, State | None]:
        """What has to become of a transaction, and for a commit the content after it."""
        if not draft.touches:
            return "nothing", None
        if catalog in self.history and key in self.keys[catalog]:
            return "known", None
        if catalog not in self.live:
            return "dropped", None
        since = [s for s, owner in self.owner.items() if owner == catalog and s > base]
        if not since:
            return "commit", draft.state
        if any(s not in self.history[catalog] for s in (base, *since)):
            return "conflict", None  # what others did is not known any more
        theirs = [touch for snapshot in since for touch in self.touches.get(snapshot, ())]
        if any(clash(mine, other) for mine in draft.touches for other in theirs):
            return "conflict", None
        again = draft.replayed(self.content(catalog))
        return ("conflict", None) if again is None else ("commit", again.state)

    def commit(
        self,
        catalog: int,
        state: State,
        touches: Sequence[Touch],
        snapshot: int,
        said: tuple[str | None, str | None],
        key: str | None,
    ) -> None:
        reshapes = any(touch.kind not in WITHOUT_NEW_VERSION for touch in touches)
        version = self.content(catalog).schema_version + (1 if reshapes else 0)
        self._record(catalog, snapshot, replace(state, schema_version=version))
        self.touches[snapshot] = tuple(touches)
        self.said[snapshot] = said
        if key is not None:
            self.keys[catalog][key] = snapshot


def written_out(state: State, catalog: int) -> State:
    """The content as the catalog's own: it owns the files, and numbers new rows from its own range."""

    def owned(file: File) -> File:
        return replace(file, owner=catalog)

    tables = {}
    for key, table in state.tables.items():
        files = tuple(owned(file) for file in table.files)
        tables[key] = replace(table, files=files)
        if table.counted_by != catalog:
            tables[key] = replace(tables[key], counted_by=catalog, next_row=first_row_id(catalog, is_root=False))
    return replace(state, tables=tables)
