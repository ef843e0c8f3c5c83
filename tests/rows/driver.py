"""One lake twice: each operation is done to it and to the model, and then every catalog is read at every snapshot."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, Protocol

from forklake import Catalog, ColumnDefinition, Lake, PartitionField, Settings, Table, Transaction, errors
from forklake.metastore.written_tables import DELETE_FILE
from forklake.ops.rows.read_table import is_read_locally
from tests.rows.arrow_hands import planned
from tests.rows.conditions import Condition, random_condition
from tests.rows.model import (
    NO_TABLE,
    Change,
    ColumnModel,
    RowIds,
    Shown,
    TableModel,
    changes_between,
    numbers,
    plain,
)
from tests.rows.operations import (
    AddColumn,
    ColumnOperation,
    DropColumn,
    Operation,
    Partition,
    RenameColumns,
    RowOperation,
    Widen,
    applied,
    path_of,
)
from tests.rows.plans import WEIGHTS, Planner, keys

TABLE = "t"
MOVES = {"compact": 5, "rewrite": 4, "flush": 4}
"""Steps that move rows to other files, and change none, and how often each comes."""

STEPS = {**WEIGHTS, **MOVES, "transaction": 7, "fork": 5, "inlining": 3, "layout": 3, "refused": 2}
"""The steps of a history, and how often each comes."""

FoundRow = tuple[int, int | None, Shown]
"""A row as it was read: its row id, the snapshot that wrote it, its values."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One thing to read: a table as a handle shows it, and which of its rows."""

    label: str
    table: Table
    expected: TableModel
    row_ids: RowIds
    where: Condition | None = None
    is_committed: bool = True


class Hands(Protocol):
    """What does operations on rows of a lake, and reads them."""

    forms: Sequence[str]

    def change(self, target: Catalog | Transaction, state: TableModel, operation: RowOperation) -> None:
        """Do an operation on rows."""

    def read(self, readings: Sequence[Reading]) -> Iterable[tuple[list[str], list[FoundRow]]]:
        """Return for each reading the names of the columns, and the rows."""

    def count(self, table: Table) -> int | None:
        """Return how many rows there are; None if that cannot be told."""

    def feed(self, table: Table, first: int, last: int) -> list[tuple[int, int, str, Shown]]:
        """Return the changes between two snapshots: snapshot, row id, change, values."""


@dataclass(slots=True)
class CatalogModel:
    """A catalog as full copies: one state for each snapshot of its lineage.

    Attributes:
        handle: The catalog.
        states: The table at each snapshot.
        own: The snapshots that the catalog made itself.
        row_ids: Those of its tree.
        is_whole: Whether it has every snapshot that it ever saw, so that its change feed tells each change.
    """

    handle: Catalog
    states: dict[int, TableModel] = field(default_factory=dict)
    own: set[int] = field(default_factory=set)
    row_ids: RowIds = field(default_factory=RowIds)
    is_whole: bool = True

    @property
    def head(self) -> TableModel:
        return self.states[max(self.states)]


class Driver:
    """Runs the steps of a history."""

    needs_no_table = frozenset({"fork"})

    def __init__(self, lake: Lake, hands: Hands, *, encrypted: bool = False) -> None:
        self._hands = hands
        self._numbers = numbers()
        self._planner = Planner(self._numbers, hands.forms)
        first = lake.create_catalog("c0", encrypted=encrypted)
        catalog = CatalogModel(first, {first.head: NO_TABLE}, {first.head})
        self.catalogs = [catalog]
        self.log: list[str] = []
        self._readings = 0
        self._replaces = False
        """Whether a transaction did several things to rows, so that files may have come and gone within it."""
        self._create_table(catalog)

    def step(self, name: str, seed: int) -> CatalogModel:
        """Do one step; return the catalog that it was done in."""
        rng = Random(seed)
        # Young catalogs more often: what they inherit is where things can go wrong.
        catalog = self.catalogs[max(rng.randrange(len(self.catalogs)), rng.randrange(len(self.catalogs)))]
        self.step_on(catalog, name, rng)
        return catalog

    def step_on(self, catalog: CatalogModel, name: str, rng: Random) -> None:
        """Do one step in a catalog; threads may work on different catalogs at the same time."""
        self.log.append(f"{catalog.handle!r} {name}")
        special: Callable[[Random, CatalogModel], None] | None = getattr(self, f"_do_{name}", None)
        if not catalog.head.columns and name not in self.needs_no_table:
            self.log[-1] += ": there is no table; it is created"
            self._create_table(catalog)
        elif special is not None:
            special(rng, catalog)
        elif (operation := self._planner.operation(name, rng, catalog.head)) is not None:
            self.log[-1] += f": {operation}"
            self.do(catalog.handle, catalog.head, operation)
            self._committed(catalog, applied(catalog.head, operation, self._numbers))

    def _create_table(self, catalog: CatalogModel) -> None:
        columns = self._planner.first_columns()
        with catalog.handle.transaction() as transaction:
            transaction.schemas.create("main", if_not_exists=True)
            transaction.create_table(TABLE, [definition(column) for column in columns])
        self._committed(catalog, TableModel(columns, key=next(self._numbers)))

    def do(self, target: Catalog | Transaction, state: TableModel, operation: Operation) -> None:
        """Do an operation to the lake."""
        if isinstance(operation, RowOperation):
            self._hands.change(target, state, operation)
        else:
            alter(target, state, operation)

    def _committed(self, catalog: CatalogModel, state: TableModel) -> None:
        before, head = catalog.head, catalog.handle.head
        if head == max(catalog.states):
            assert plain_rows(state) == plain_rows(before), "nothing was committed"
        else:
            catalog.states[head] = state.settled(head)
            catalog.own.add(head)

    def _do_fork(self, rng: Random, catalog: CatalogModel) -> None:
        if len(self.catalogs) > 4:
            return
        at = rng.choice(sorted(catalog.states)) if rng.random() < 0.5 else None
        handle = catalog.handle.fork(f"c{next(self._numbers)}", at=at)
        self.catalogs.append(forked(catalog, handle, at))
        self.log[-1] += f" at {at} as {handle!r}"

    def _do_inlining(self, rng: Random, catalog: CatalogModel) -> None:
        catalog.handle.options.set("data_inlining_row_limit", rng.choice((0, 3, 100)), table=TABLE)

    def _do_layout(self, rng: Random, catalog: CatalogModel) -> None:
        """Files to come are of another size, or sorted."""
        if rng.random() < 0.6:
            catalog.handle.options.set("target_file_size", rng.choice(("2KB", "5KB", "512MB")), table=TABLE)
            return
        catalog.handle.table(TABLE).alter.set_sorting(rng.choice(([], ["k"], ["k DESC"])))
        self._committed(catalog, catalog.head)

    def _do_compact(self, rng: Random, catalog: CatalogModel) -> None:
        """Files are merged; in a transaction, somebody else may be faster."""
        limit = rng.choice((None, None, 1))
        if rng.random() < 0.7:
            catalog.handle.maintenance.merge_adjacent_files(max_compacted_files=limit)
            self._committed(catalog, catalog.head)
        else:
            self._overtaken(rng, catalog, lambda transaction: transaction.maintenance.merge_adjacent_files(TABLE))

    def _do_rewrite(self, rng: Random, catalog: CatalogModel) -> None:
        """Files lose their deleted rows; in a transaction, somebody else may be faster."""
        threshold = rng.choice((0.0, 0.3, 0.95))
        if rng.random() < 0.7:
            catalog.handle.maintenance.rewrite_data_files(delete_threshold=threshold)
            self._committed(catalog, catalog.head)
        else:
            self._overtaken(
                rng,
                catalog,
                lambda transaction: transaction.maintenance.rewrite_data_files(TABLE, delete_threshold=threshold),
            )

    def _do_flush(self, rng: Random, catalog: CatalogModel) -> None:
        catalog.handle.maintenance.flush_inlined()
        self._committed(catalog, catalog.head)

    def _overtaken(self, rng: Random, catalog: CatalogModel, move: Callable[[Transaction], object]) -> None:
        """Move rows in a transaction, and do something else to the table before it is committed."""
        transaction = catalog.handle.transaction()
        move(transaction)
        self._compare([Reading("transaction", transaction.table(TABLE), catalog.head, catalog.row_ids)])
        rival = rng.choice(("append", "delete", "columns", "partition", "compact", "flush"))
        self.log[-1] += ": overtaken by"
        self.step_on(catalog, rival, rng)
        try:
            transaction.commit()
        except errors.CommitConflictError:
            self.log[-1] += ": refused"
            return
        self._committed(catalog, catalog.head)

    def _do_refused(self, rng: Random, catalog: CatalogModel) -> None:
        """A write that does not fit leaves no trace, in a transaction neither."""
        before = catalog.handle.head
        with catalog.handle.transaction() as transaction:
            operations = self._several(rng, transaction, catalog.head, rng.choice((0, 1)))
            try:
                transaction.table(TABLE).append([{"k": 1}, {"k": "many"}])
            except errors.InvalidInputError:
                pass
            else:
                raise AssertionError("what does not fit was taken")
        if not operations[0]:
            assert catalog.handle.head == before
        self._committed(catalog, operations[1])

    def _do_transaction(self, rng: Random, catalog: CatalogModel) -> None:
        """Several operations become one snapshot, or none; somebody else may be faster."""
        base = catalog.head
        transaction = catalog.handle.transaction()
        _, ours = self._several(rng, transaction, base, rng.randint(1, 4))
        reading = Reading("transaction", transaction.table(TABLE), ours, catalog.row_ids, is_committed=False)
        self._compare([reading])
        if rng.random() < 0.15:
            self.log[-1] += ": rolled back"
            transaction.rollback()
            return
        if rng.random() < 0.3:
            rival = self._planner.operation(rng.choice(("append", "append", "delete", "update")), rng, base)
            if rival is not None:
                self.log[-1] += f": overtaken by {rival}"
                self.do(catalog.handle, base, rival)
                self._committed(catalog, applied(base, rival, self._numbers))
        try:
            transaction.commit()
        except errors.CommitConflictError:
            assert catalog.head is not base, "a conflict with nobody"
            self.log[-1] += ": refused"
            return
        self._committed(catalog, ours if catalog.head is base else merged(base, catalog.head, ours))

    def _several(
        self, rng: Random, transaction: Transaction, state: TableModel, count: int
    ) -> tuple[list[Operation], TableModel]:
        done = []
        for _ in range(count):
            operation = self._planner.any_operation(rng, state)
            if operation is not None:
                self.log[-1] += f": {operation}"
                self.do(transaction, state, operation)
                state = applied(state, operation, self._numbers)
                done.append(operation)
        self._replaces |= sum(isinstance(one, RowOperation) for one in done) > 1
        return done, state

    # -- checks --------------------------------------------------------------------------------------------------------

    def check(self, rng: Random, feeds: int) -> None:
        """Compare every catalog at every snapshot with the model, and the change feed between some of them."""
        readings = []
        for catalog in self.catalogs:
            for snapshot, state in catalog.states.items():
                for reading in self._reading(catalog, snapshot):
                    readings.append(reading)
                    check_delete_files(reading.label, reading.table)
                    if snapshot == max(catalog.states) or rng.random() < 0.2:
                        where = random_condition(rng, state.columns, keys(state))
                        label = f"{reading.label} where {where.sql()}"
                        readings.append(Reading(label, reading.table, state, catalog.row_ids, where))
        self._compare(readings)
        for catalog in rng.sample(self.catalogs, min(feeds, len(self.catalogs))):
            for _ in range(max(1, feeds // len(self.catalogs))):
                self._compare_feed(rng, catalog)

    def _reading(self, catalog: CatalogModel, snapshot: int) -> list[Reading]:
        """Return what to read of a catalog at a snapshot: nothing, if there is no table."""
        past, state = catalog.handle.at(version=snapshot), catalog.states[snapshot]
        if state.columns:
            return [Reading(f"{catalog.handle!r} at {snapshot}", past.table(TABLE), state, catalog.row_ids)]
        assert not past.tables(), f"{catalog.handle!r} at {snapshot} has a table"
        return []

    def check_files(self, data_path: Path) -> None:
        """Compare the files on disk with those that some snapshot of some catalog reads: none is missing.

        There are no others either, unless a transaction replaced what it had written itself.
        """
        read = set[str]().union(*(files_of(catalog.handle, TABLE) for catalog in self.catalogs))
        there = {str(path) for path in data_path.rglob("*") if path.is_file()}
        assert read <= there, f"files are missing: {sorted(read - there)}"
        assert self._replaces or there == read, f"files that nobody reads: {sorted(there - read)}"

    def _compare(self, readings: Sequence[Reading]) -> None:
        for reading, (names, rows) in zip(readings, self._hands.read(readings), strict=True):
            try:
                self._compare_rows(reading, names, rows)
            except AssertionError as error:
                raise AssertionError(f"{reading.label}: {error}") from error

    def _compare_rows(self, reading: Reading, names: list[str], rows: list[FoundRow]) -> None:
        state, where = reading.expected, reading.where
        assert names == [column.name for column in state.columns], f"columns are {names}"
        shown = state.shown()
        expected = {row["k"]: identity for identity, row in shown.items() if where is None or where.holds(row)}
        found = {row["k"]: (row_id, snapshot, row) for row_id, snapshot, row in rows}
        assert len(rows) == len(found), "a row comes twice"
        assert sorted(found) == sorted(expected), f"rows {sorted(found)} instead of {sorted(expected)}"
        for key, (row_id, snapshot, row) in found.items():
            identity = expected[key]
            assert plain(row) == plain(shown[identity]), f"{row} instead of {shown[identity]}"
            if reading.is_committed:
                written = state.rows[identity].written or -1
                assert written in (snapshot, -abs(written)), f"row {key} is of snapshot {written}, not of {snapshot}"
                reading.row_ids.learn(state.key, identity, row_id)
        if where is None:
            counted = self._hands.count(reading.table)
            assert counted in (None, len(expected)), f"{counted} rows are counted, and there are {len(expected)}"
            self._readings += 1
            if self._readings % 5 == 0:
                self._compare_readers(reading, names, rows)

    def _compare_readers(self, reading: Reading, names: list[str], rows: list[FoundRow]) -> None:
        """Check that this process reads of small tables what the hands have read."""
        plan = planned(reading.table, None)
        assert is_read_locally(plan, plan.fields, Settings()), "the table is not read here"
        found = reading.table.rows([*names, "rowid", "snapshot_id"])
        here = {row[-2]: (row[-1], plain(dict(zip(names, row, strict=False)))) for row in found}
        assert len(here) == len(found), "a row is read here twice"
        assert here == {row_id: (snapshot, plain(row)) for row_id, snapshot, row in rows}, "other rows are read here"

    def _compare_feed(self, rng: Random, catalog: CatalogModel) -> None:
        snapshots = sorted(catalog.states)
        first, last = sorted((rng.choice(snapshots), rng.choice(snapshots)))
        table_key = catalog.states[last].key
        if not catalog.is_whole or not catalog.states[last].columns:
            return
        columns = catalog.states[last].columns
        expected: list[Change] = []
        for before, snapshot in zip([None, *snapshots], snapshots, strict=False):
            if first <= snapshot <= last and catalog.states[snapshot].key == table_key:
                known = before is not None and catalog.states[before].key == table_key
                was = catalog.states[before] if before is not None and known else TableModel(columns)
                expected += changes_between(was, catalog.states[snapshot], snapshot, columns)
        wanted = sorted(
            ((snapshot, catalog.row_ids.of(identity), kind, plain(row)) for snapshot, identity, kind, row in expected),
            key=repr,
        )
        table = catalog.handle.at(version=last).table(TABLE)
        found = sorted(
            (
                (snapshot, row_id, kind, plain(row))
                for snapshot, row_id, kind, row in self._hands.feed(table, first, last)
            ),
            key=repr,
        )
        assert found == wanted, (
            f"changes of {catalog.handle!r} from {first} to {last}:\n"
            f"too many: {[one for one in found if one not in wanted]}\n"
            f"missing: {[one for one in wanted if one not in found]}"
        )


def forked(catalog: CatalogModel, handle: Catalog, at: int | None) -> CatalogModel:
    """Return a new fork, which sees the history up to its pin."""
    states = {snapshot: state for snapshot, state in catalog.states.items() if at is None or snapshot <= at}
    states[handle.head] = states[max(states)]
    return CatalogModel(handle, states, {handle.head}, catalog.row_ids, catalog.is_whole)


def files_of(catalog: Catalog, table: str) -> set[str]:
    """Return the paths of all files that any snapshot of a catalog reads of a table."""
    paths = set()
    for snapshot in catalog.snapshots():
        past = catalog.at(version=snapshot.snapshot_id)
        if table in {one.name for one in past.tables()}:
            for file in past.table(table).storage.files():
                paths |= {file.path} | (set() if file.delete_file is None else {file.delete_file.path})
    return paths


def check_delete_files(label: str, table: Table) -> None:
    """Check that no data file has two delete files that count."""
    live = [row.data_file_id for row in table._content().rows(DELETE_FILE, {"table_id": table.table_id})]
    assert len(set(live)) == len(live), f"{label}: a data file has two delete files"
    assert set(live) <= {file.data_file_id for file in table.storage.files()}, (
        f"{label}: a delete file without its data file"
    )


def merged(base: TableModel, theirs: TableModel, ours: TableModel) -> TableModel:
    """Return what two changes of one state make together.

    None may have touched a row that the other touched, unless both deleted it.
    """
    rows = dict(ours.rows)
    for identity, row in theirs.rows.items():
        was = base.rows.get(identity)
        if was is None:
            rows[identity] = row
        elif row.written != was.written:
            assert rows.get(identity) is was, "two commits changed one row, and one of them is lost"
            rows[identity] = row
    for identity, row in base.rows.items():
        if identity not in theirs.rows:
            gone = rows.pop(identity, row)
            assert gone is row, "two commits changed one row, and one of them is lost"
    return replace(ours, rows=rows)


def plain_rows(state: TableModel) -> Any:
    """Return what a reader sees of a state."""
    return [column.name for column in state.columns], plain(state.shown())


def definition(column: ColumnModel) -> ColumnDefinition:
    """Return a column as it is made."""
    default = None if column.default is None else str(plain(column.default))
    return ColumnDefinition(
        column.name, column.type, default=default, children=tuple(definition(child) for child in column.children)
    )


def alter(target: Catalog | Transaction, state: TableModel, operation: ColumnOperation | Partition) -> None:
    """Change columns or the partitioning."""
    columns = state.columns
    match operation:
        case AddColumn(column, parent):
            inside = None if parent is None else path_of(columns, parent)
            target.table(TABLE).alter.add_column(definition(column), parent=inside)
        case DropColumn(key):
            target.table(TABLE).alter.drop_column(path_of(columns, key))
        case Widen(key, kind):
            target.table(TABLE).alter.set_type(path_of(columns, key), kind)
        case Partition(chosen):
            by = [PartitionField(path_of(columns, key), transform) for key, transform in chosen]
            target.table(TABLE).alter.set_partitioning(by)
        case RenameColumns(names) if len(names) == 1:
            ((key, name),) = names.items()
            target.table(TABLE).alter.rename_column(path_of(columns, key), name)
        case RenameColumns(names) if isinstance(target, Transaction):
            _swap(target, [path_of(columns, key) for key in names])
        case RenameColumns(names):
            assert isinstance(target, Catalog)
            with target.transaction() as transaction:
                _swap(transaction, [path_of(columns, key) for key in names])


def _swap(transaction: Transaction, names: list[str]) -> None:
    one, other = names
    transaction.table(TABLE).alter.rename_column(one, "between")
    transaction.table(TABLE).alter.rename_column(other, one)
    transaction.table(TABLE).alter.rename_column("between", other)
