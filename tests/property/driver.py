"""One lake twice: each operation is done through the public API and to the truth, then the two are compared."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime
from random import Random

from forklake import Catalog, CatalogInfo, Lake, Transaction, errors
from tests.property.changes import Draft, DropTable, RenameTable
from tests.property.checks import OPTIONS, Checks, SteppingClock, refused
from tests.property.comparison import MismatchError, expect, failures_are_mismatches
from tests.property.content import Keys, RefusedError, State
from tests.property.plans import REFUSALS, execute, new_keys, plan

Operation = tuple[str, int]
"""What is done, and the seed of its choices: any subsequence of a history is a history."""

WEIGHTS = {
    "commit": 26,
    "transaction": 8,
    "open": 9,
    "finish": 9,
    "retry": 2,
    "fork": 9,
    "fork_many": 1,
    "copy": 2,
    "sever": 2,
    "expire": 4,
    "option": 4,
    "rename": 2,
    "drop": 3,
    "undrop": 2,
    "purge": 1,
    "create": 1,
    "refuse": 3,
    "clock": 1,
}

# Few catalogs and many transactions at once: who overtakes whom, and what was expired meanwhile.
CONTENTION = {"commit": 12, "open": 7, "finish": 7, "expire": 3, "retry": 1, "fork": 1, "drop": 1, "undrop": 2}

_FREES = ("expire", "purge", "sever")

MAX_CATALOGS = 7
MAX_OPEN = 3
CATALOG_NAMES = ("a", "A", "b", "c", "d", "e", "f", "g h", "i/j")


@dataclass(slots=True)
class OpenTransaction:
    catalog: int
    base: int
    transaction: Transaction
    draft: Draft
    said: tuple[str | None, str | None]
    key: str | None


class Driver(Checks):
    """Runs operations, each through one of the handles on the lake; raises MismatchError at the first difference."""

    def __init__(self, lakes: Sequence[Lake], clock: SteppingClock) -> None:
        super().__init__(lakes, clock)
        self.keys: Keys = new_keys()
        self.opened: list[OpenTransaction] = []
        self.log: list[str] = []

    def step(self, name: str, rng: Random) -> None:
        """Do one operation, and compare the heads and three versions taken at random.

        After one that gives up versions, compare the rows that are left with those that others need, too.
        """
        operation: Callable[[Random], str | None] = getattr(self, f"do_{name}")
        before = len(self.log)
        with failures_are_mismatches(name):
            self.log.append(f"{name} ...")
            done = operation(rng)
            self.log[before:] = [f"{name} {done}"] if done else []
            if done and name in _FREES:
                self.check_garbage()
            if done:
                # The comparison draws from a source of its own, so that it can change without changing histories.
                self.check(Random(len(self.log)))

    # -- helpers -------------------------------------------------------------------------------------------------------

    def lake(self, rng: Random) -> Lake:
        return rng.choice(self.lakes)

    def pick(self, rng: Random) -> tuple[int, Catalog] | None:
        if not self.truth.live:
            return None
        live = sorted(self.truth.live)
        contended = sorted(self.truth.live & {opened.catalog for opened in self.opened})
        if contended and rng.random() < 0.4:
            live = contended
        # Young catalogs more often: deep ancestries are where things can go wrong.
        catalog = live[max(rng.randrange(len(live)), rng.randrange(len(live)))]
        return catalog, self.handle(self.lake(rng), catalog)

    def draft(self, catalog: int) -> Draft:
        known = self.truth.catalogs[catalog]
        return Draft(self.truth.content(catalog), catalog, known.parent is None, known.home)

    def change(self, rng: Random, target: Catalog | Transaction, draft: Draft) -> str:
        """Make a change that the truth takes or refuses; the store has to do the same."""
        planned = plan(rng, draft.state, self.keys)
        before = draft.state
        try:
            draft.apply(planned)
        except RefusedError as error:
            with refused(REFUSALS[error.refusal]):
                execute(target, planned, before)
            return f"refused: {planned}"
        execute(target, planned, before)
        return str(planned)

    def _info(self, lake: Lake, catalog: int) -> CatalogInfo:
        return next(info for info in lake.catalogs() if info.catalog_id == catalog)

    def _home(self, lake: Lake, catalog: int) -> str:
        """The directory of a new catalog, which overlaps none that ever was."""
        home = self._info(lake, catalog).data_path
        for other, known in self.truth.catalogs.items():
            if home.startswith(known.home) or known.home.startswith(home):
                raise MismatchError(f"c{catalog} lies in {home}, c{other} in {known.home}")
        return home

    # -- commits -------------------------------------------------------------------------------------------------------

    def do_commit(self, rng: Random) -> str | None:
        """One change by itself."""
        if (picked := self.pick(rng)) is None:
            return None
        catalog, handle = picked
        draft = self.draft(catalog)
        done = self.change(rng, handle, draft)
        head = handle.head
        if draft.touches:
            self.truth.commit(catalog, draft.state, draft.touches, head, (None, None), None)
        expect(f"c{catalog}", "its head", head, self.truth.head(catalog))
        return f"c{catalog}, head {head}: {done}"

    def do_open(self, rng: Random) -> str | None:
        """Begin a transaction with a few changes, each of which it sees at once."""
        if len(self.opened) >= MAX_OPEN or (picked := self.pick(rng)) is None:
            return None
        catalog, handle = picked
        number = next(self.keys)
        said = rng.choice(((None, None), (f"author {number}", f"message {number}")))
        key = f"key {number}" if rng.random() < 0.4 else None
        rivals = [
            other.key for other in self.opened if other.catalog == catalog and other.key not in self.truth.keys[catalog]
        ]
        if rivals and rng.random() < 0.3:
            key = rivals[0]  # two tries at one commit
        transaction = handle.transaction(author=said[0], message=said[1], commit_key=key)
        opened = OpenTransaction(catalog, transaction.base, transaction, self.draft(catalog), said, key)
        opened.draft.may_alter_later = True
        expect(f"c{catalog}", "the base", transaction.base, self.truth.head(catalog))
        done = [self.change(rng, transaction, opened.draft) for _ in range(rng.choice((1, 1, 2, 3, 4)))]
        self._compare_own_writes(opened)
        self.opened.append(opened)
        return f"c{catalog} on {opened.base}: {'; '.join(done)}"

    def _compare_own_writes(self, opened: OpenTransaction) -> None:
        where = f"transaction on c{opened.catalog} at {opened.base}"
        tree = self.truth.catalogs[opened.catalog].tree
        # What it has read once it knows. The rest is refused if its base is expired: rows of it may be gone.
        is_expired = opened.base not in self.truth.history.get(opened.catalog, {})
        with suppress(errors.SnapshotNotFoundError) if is_expired else nullcontext():
            self.comparison.content(where, opened.transaction, opened.draft.state, tree)

    def do_finish(self, rng: Random) -> str | None:
        """Commit a transaction that others may have overtaken, or roll it back."""
        if not self.opened:
            return None
        opened = self.opened.pop(rng.randrange(len(self.opened)))
        self._compare_own_writes(opened)
        if rng.random() < 0.1:
            opened.transaction.rollback()
            return f"c{opened.catalog} on {opened.base}: rolled back"
        return self._finish(opened)

    def do_transaction(self, rng: Random) -> str | None:
        """Several changes, one snapshot."""
        if len(self.opened) >= MAX_OPEN:
            return self.do_finish(rng)
        begun = self.do_open(rng)
        return begun and f"{begun} | {self._finish(self.opened.pop())}"

    def _finish(self, opened: OpenTransaction) -> str:
        catalog, draft = opened.catalog, opened.draft
        outcome, state = self.truth.outcome(catalog, opened.base, draft, opened.key)
        match outcome:
            case "nothing":
                expect(f"c{catalog}", "a commit of nothing", opened.transaction.commit().snapshot_id, None)
            case "known":
                assert opened.key is not None
                made = self.truth.keys[catalog][opened.key]
                expect(f"c{catalog}", f"the commit of {opened.key}", opened.transaction.commit().snapshot_id, made)
            case "dropped":
                with refused(errors.NotFoundError):
                    opened.transaction.commit()
            case "conflict":
                with refused(errors.CommitConflictError):
                    opened.transaction.commit()
            case "commit":
                snapshot = opened.transaction.commit().snapshot_id
                assert snapshot is not None
                assert state is not None
                self.truth.commit(catalog, state, draft.touches, snapshot, opened.said, opened.key)
                return f"c{catalog} on {opened.base}: snapshot {snapshot}"
        return f"c{catalog} on {opened.base}: {outcome}"

    def do_retry(self, rng: Random) -> str | None:
        """Under a key that was committed before, changes are passed over, whatever they are.

        To look for a table is no change: one that is not there is not found.
        """
        picked = self.pick(rng)
        if picked is None or not self.truth.keys[picked[0]]:
            return None
        catalog, handle = picked
        key = rng.choice(sorted(self.truth.keys[catalog]))
        transaction = handle.transaction(commit_key=key)
        state = self.truth.content(catalog)
        planned = plan(rng, state, self.keys)
        if isinstance(planned, DropTable | RenameTable) and planned.key not in state.tables:
            with refused(errors.NotFoundError):
                execute(transaction, planned, state)
        else:
            execute(transaction, planned, state)
        self.comparison.content(f"c{catalog} under {key}", transaction, state, self.truth.catalogs[catalog].tree)
        expect(f"c{catalog}", f"the commit of {key}", transaction.commit().snapshot_id, self.truth.keys[catalog][key])
        return f"c{catalog} {key}"

    # -- forks ---------------------------------------------------------------------------------------------------------

    def do_create(self, rng: Random) -> str | None:
        lake, name = self.lake(rng), rng.choice(CATALOG_NAMES)
        if len(self.truth.history) >= MAX_CATALOGS:
            return None
        if self.truth.is_taken(name):
            with refused(errors.AlreadyExistsError):
                lake.create_catalog(name)
            return f"refused: {name} is taken"
        made = lake.create_catalog(name)
        self.truth.create(made.catalog_id, name, self._home(lake, made.catalog_id), made.head, next(self.keys))
        return f"c{made.catalog_id}"

    def do_fork(self, rng: Random) -> str | None:
        return self._fork(rng, copy=False)

    def do_copy(self, rng: Random) -> str | None:
        return self._fork(rng, copy=True)

    def _fork(self, rng: Random, *, copy: bool) -> str | None:
        picked, name = self.pick(rng), rng.choice(CATALOG_NAMES)
        if picked is None or len(self.truth.history) >= MAX_CATALOGS:
            return None
        parent, handle = picked
        if self.truth.is_taken(name):
            with refused(errors.AlreadyExistsError):
                handle.fork(name, copy=copy)
            return f"refused: {name} is taken"
        known = sorted(self.truth.history[parent])
        pin = rng.choice((known[-1], rng.choice(known)))
        at: int | datetime | None = pin
        if pin == known[-1] and rng.random() < 0.5:
            at = None
        elif pin in self.comparison.snapshots and rng.random() < 0.3:
            at = self.comparison.time(pin)
            # Of several snapshots of one moment, the newest is meant.
            newest = self.at_time(parent, at)
            assert newest is not None
            pin = newest
        made = handle.fork(name, at=at, copy=copy)
        lake = self.lake(rng)
        self.truth.fork(parent, pin, made.catalog_id, name, self._home(lake, made.catalog_id), made.head, copy=copy)
        return f"c{parent} at {pin} -> c{made.catalog_id}{' (copy)' if copy else ''}, snapshot {made.head}"

    def do_fork_many(self, rng: Random) -> str | None:
        """Several forks at once, all or none."""
        picked, names = self.pick(rng), rng.sample(CATALOG_NAMES, 2)
        if picked is None or len(self.truth.history) + 2 > MAX_CATALOGS:
            return None
        parent, handle = picked
        if names[0].lower() == names[1].lower():
            with refused(errors.InvalidInputError):
                handle.fork_many(names)
            return f"refused: {names} are one name"
        if any(self.truth.is_taken(name) for name in names):
            with refused(errors.AlreadyExistsError):
                handle.fork_many(names)
            return f"refused: one of {names} is taken"
        pin = rng.choice(sorted(self.truth.history[parent]))
        lake = self.lake(rng)
        made = sorted(zip(handle.fork_many(names, at=pin), names, strict=True), key=lambda pair: pair[0].head)
        for fork, name in made:
            home = self._home(lake, fork.catalog_id)
            self.truth.fork(parent, pin, fork.catalog_id, name, home, fork.head, copy=False)
        return f"c{parent} at {pin} -> {[(fork.catalog_id, fork.head) for fork, _ in made]}"

    def do_sever(self, rng: Random) -> str | None:
        if (picked := self.pick(rng)) is None:
            return None
        catalog, handle = picked
        handle.maintenance.sever()
        if catalog in self.truth.attached:
            self.truth.sever(catalog, handle.head)
        return f"c{catalog}, head {handle.head}"

    # -- the list of catalogs ------------------------------------------------------------------------------------------

    def do_rename(self, rng: Random) -> str | None:
        if (picked := self.pick(rng)) is None:
            return None
        catalog, lake, name = picked[0], self.lake(rng), rng.choice(CATALOG_NAMES)
        old = self.truth.names[catalog]
        if self.truth.is_taken(name) and name.lower() != old.lower():
            with refused(errors.AlreadyExistsError):
                lake.catalog(old).rename(name)
            return f"refused: {name} is taken"
        lake.catalog(old).rename(name)
        self.truth.names[catalog] = name
        return f"c{catalog} {old} -> {name}"

    def do_drop(self, rng: Random) -> str | None:
        if (picked := self.pick(rng)) is None or len(self.truth.live) < 2:
            return None
        catalog, handle = picked
        self.lake(rng).catalog(self.truth.names[catalog].swapcase()).drop()
        self.truth.live.remove(catalog)
        with refused(errors.NotFoundError):
            handle.tables()
        return f"c{catalog}"

    def do_undrop(self, rng: Random) -> str | None:
        if not (dropped := self.truth.dropped()):
            return None
        catalog, lake = rng.choice(dropped), self.lake(rng)
        name = self.truth.names[catalog]
        namesakes = [other for other in dropped if self.truth.names[other].lower() == name.lower()]
        which: int | str = name if len(namesakes) == 1 and rng.random() < 0.5 else catalog
        if self.truth.is_taken(name):
            with refused(errors.AlreadyExistsError):
                lake.undrop_catalog(which)
            return f"refused: {name} is taken"
        expect("undrop", "the catalog", lake.undrop_catalog(which).catalog_id, catalog)
        self.truth.live.add(catalog)
        return f"c{catalog}"

    def do_purge(self, rng: Random) -> str | None:
        if not (dropped := self.truth.dropped()):
            return None
        catalog = rng.choice(dropped)
        self.lake(rng).purge(catalog)
        self.truth.purge(catalog)
        with refused(errors.NotFoundError):
            self.lake(rng).undrop_catalog(catalog)
        return f"c{catalog}"

    def do_expire(self, rng: Random) -> str | None:
        if (picked := self.pick(rng)) is None:
            return None
        catalog, handle = picked
        own = self.truth.own(catalog)[:-1]
        chosen = rng.random()
        if own and chosen < 0.25:
            moment = self.comparison.time(rng.choice(own))
            gone = [snapshot for snapshot in own if self.comparison.time(snapshot) < moment]
            seen = handle.maintenance.expire_snapshots(older_than=moment, release=True)
        else:
            # Holes in the history are as good as a clean cut.
            gone = own if chosen < 0.4 else sorted(rng.sample(own, min(len(own), rng.choice((1, 1, 2, 4)))))
            seen = handle.maintenance.expire_snapshots(versions=gone, release=True)
        expect(f"c{catalog}", "what was expired", seen, gone)
        self.truth.expire(gone)
        return f"c{catalog} {gone}"

    def do_option(self, rng: Random) -> str | None:
        if (picked := self.pick(rng)) is None:
            return None
        catalog, handle = picked
        name, value = rng.choice(OPTIONS), str(rng.randrange(1, 1000))
        if rng.random() < 0.1:
            self.lake(rng).options.set(name, value)
            self.truth.lake_options[name] = value
            return f"lake {name} = {value}"
        scope, key, schema, table = self._scope(rng, self.truth.content(catalog))
        options = self.truth.options[catalog]
        if rng.random() < 0.2:
            handle.options.reset(name, schema=schema, table=table)
            options.pop((scope, key, name), None)
            return f"c{catalog} {scope} {key} {name} reset"
        handle.options.set(name, value, schema=schema, table=table)
        options[scope, key, name] = value
        if key is not None and scope == "schema":
            self._learn_schema(handle, catalog, key)
        return f"c{catalog} {scope} {key} {name} = {value}"

    @staticmethod
    def _scope(rng: Random, state: State) -> tuple[str, int | None, str | None, str | None]:
        kind = rng.choice(("catalog", "schema", "table"))
        if kind == "schema" and state.schemas:
            key = rng.choice(list(state.schemas))
            return kind, key, state.schemas[key].name, None
        if kind == "table" and state.tables:
            key = rng.choice(list(state.tables))
            return kind, key, state.schemas[state.tables[key].schema].name, state.tables[key].name
        return "catalog", None, None, None

    def _learn_schema(self, handle: Catalog, catalog: int, key: int) -> None:
        """Ids of schemas show in options only: the one that is new is the one that was set."""
        known = {i for (kind, k), i in self.comparison.ids.items() if kind == "object" and k != key}
        ids = {option.scope_id for option in handle.options.list() if option.scope == "schema"} - known
        if ("object", key) not in self.comparison.ids:
            expect(f"c{catalog}", f"how many ids option of schema {key} may have", len(ids), 1)
        for scope_id in ids:
            assert scope_id is not None
            self.comparison.learn(f"c{catalog}", "object", key, scope_id)

    # -- what is refused, and time -------------------------------------------------------------------------------------

    def do_refuse(self, rng: Random) -> str | None:
        """Snapshots that are not the catalog's own, or not its at all, are refused by every door."""
        if (picked := self.pick(rng)) is None:
            return None
        catalog, handle = picked
        strangers = sorted(self.truth.owner.keys() - self.truth.history[catalog].keys()) or [10**6]
        stranger = rng.choice(strangers)
        with refused(errors.SnapshotNotFoundError):
            handle.fork("stranger", at=stranger, copy=rng.random() < 0.5)
        with refused(errors.SnapshotNotFoundError):
            handle.maintenance.expire_snapshots(versions=[stranger])
        inherited = sorted(self.truth.history[catalog].keys() - set(self.truth.own(catalog)))
        if inherited:
            with refused(errors.SnapshotNotFoundError):
                handle.maintenance.expire_snapshots(versions=[rng.choice(inherited)])
        with refused(errors.InvalidInputError):
            handle.maintenance.expire_snapshots(versions=[self.truth.head(catalog)])
        return f"c{catalog}: {stranger}"

    def do_clock(self, rng: Random) -> str | None:
        self.clock.set_back(rng.choice((2, 20, 200)))
        return "set back"
