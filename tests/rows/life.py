"""The life of files: catalogs are copied, imported, dropped, severed and purged, snapshots expire, files are adopted.

After each step the catalogs show what the model has, and what they show is on disk; after a full clean-up nothing else
is.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq

from forklake import Lake, errors
from forklake.metastore.queries.due import due_catalogs
from tests.needed_rows import Rows, difference
from tests.rows.conditions import random_value
from tests.rows.driver import STEPS, TABLE, CatalogModel, Driver, Hands, files_of
from tests.rows.model import NO_TABLE, ColumnModel, RowModel, Shown, TableModel, held
from tests.rows.plans import keys
from tests.sound import check_sound

FREEING = {
    "expire": 6,
    "cleanup": 5,
    "orphans": 2,
    "checkpoint": 3,
    "drop": 4,
    "undrop": 2,
    "purge": 4,
    "sever": 3,
}
"""Steps after which every catalog is read, and how often each comes."""

LIFE = {
    **STEPS,
    **FREEING,
    "fork": 8,
    "copy": 3,
    "transfer": 2,
    "adopt": 6,
    "drop_table": 1,
    "drop_schema": 1,
}
"""The steps of a history, and how often each comes."""

MAX_CATALOGS = 5
_ARROW = {"int16": pa.int16(), "int32": pa.int32(), "int64": pa.int64(), "varchar": pa.string()}
_WIDTHS = ("int16", "int32", "int64")


@dataclass(frozen=True, slots=True)
class ForeignFile:
    """A file that no catalog wrote: its columns with their types, and its rows."""

    path: Path
    columns: Mapping[str, str]
    rows: Sequence[Shown]


class LifeDriver(Driver):
    """Runs histories in which much is given up."""

    needs_no_table = frozenset({*FREEING, "fork", "copy", "transfer"})

    def __init__(
        self, lake: Lake, hands: Hands, outside: Path, *, encrypted: bool = False, reads_each_step: bool = True
    ) -> None:
        """Make a catalog with a table.

        Args:
            lake: An empty lake.
            hands: What reads and writes.
            outside: A directory that is not the lake's.
            encrypted: Whether the catalog's files are.
            reads_each_step: Whether rows are read after each step.
        """
        super().__init__(lake, hands, encrypted=encrypted)
        self._lake = lake
        self._outside = outside
        self._encrypted = encrypted
        self._reads_each_step = reads_each_step
        self._dropped: list[CatalogModel] = []
        self._foreign: list[ForeignFile] = []
        self._adopted: set[Path] = set()

    def step(self, name: str, seed: int) -> CatalogModel:
        """Do one step; then read catalogs at their heads and at snapshots taken at random.

        After a step that gives something up these are all of them, else the one that changed and another one.
        """
        changed = super().step(name, seed)
        # A source of its own, so that checks can change without changing histories.
        rng = Random(seed + 1)
        gives_up = name in FREEING or changed not in self.catalogs
        chosen = self.catalogs if gives_up else [changed, rng.choice(self.catalogs)]
        readings = []
        for place, catalog in enumerate(chosen):
            seen = [snapshot.snapshot_id for snapshot in catalog.handle.snapshots()]
            assert seen == sorted(catalog.states), f"{catalog.handle!r} has {seen}, not {sorted(catalog.states)}"
            wanted = {seen[-1], rng.choice(seen)} if gives_up else {seen[-1] if place == 0 else rng.choice(seen)}
            for snapshot in wanted:
                readings += self._reading(catalog, snapshot)
        if self._reads_each_step:
            self._compare(readings)
        return changed

    # -- catalogs ------------------------------------------------------------------------------------------------------

    def _do_copy(self, rng: Random, catalog: CatalogModel) -> None:
        """A copy names the files of its source, and has no past."""
        if len(self.catalogs) >= MAX_CATALOGS:
            return
        at = rng.choice((max(catalog.states), rng.choice(sorted(catalog.states))))
        handle = catalog.handle.fork(f"c{next(self._numbers)}", at=at, copy=True)
        states: dict[int, TableModel] = {handle.head: catalog.states[at].rewritten({})}
        self.catalogs.append(CatalogModel(handle, states, {handle.head}, catalog.row_ids, is_whole=False))
        self.log[-1] += f" at {at} as {handle!r}"

    def _do_transfer(self, rng: Random, catalog: CatalogModel) -> None:
        """A catalog is exported, and what was exported is imported."""
        if len(self.catalogs) >= MAX_CATALOGS:
            return
        name = f"c{next(self._numbers)}"
        path = self._outside / f"{name}.{rng.choice(('sqlite', 'sqlite', 'duckdb'))}"
        at = rng.choice((max(catalog.states), rng.choice(sorted(catalog.states))))
        past = sorted(snapshot for snapshot in catalog.states if snapshot <= at)
        if rng.random() < 0.5:
            # Files that are read in part cannot be told to DuckLake.
            with suppress(errors.InvalidInputError):
                catalog.handle.maintenance.export(path, at=at, history=True)
        if not path.exists():
            catalog.handle.maintenance.export(path, at=at)
            past = [at]
        handle = self._lake.import_catalog(name, path)
        path.unlink()
        own = [snapshot.snapshot_id for snapshot in handle.snapshots()]
        numbers: dict[int, int] = dict(zip(past, own, strict=True))
        known = catalog.row_ids.taken(catalog.states[snapshot] for snapshot in past)
        states: dict[int, TableModel] = {
            numbers[snapshot]: catalog.states[snapshot].rewritten(numbers) for snapshot in past
        }
        self.catalogs.append(CatalogModel(handle, states, set(own), known, is_whole=False))
        self.log[-1] += f" at {at} as {handle!r} with {len(past)} snapshots"

    def _do_sever(self, rng: Random, catalog: CatalogModel) -> None:
        before, state = catalog.handle.head, catalog.head
        catalog.handle.maintenance.sever()
        head = catalog.handle.head
        if head == before:
            return
        self._forget(catalog.own)
        catalog.states, catalog.own, catalog.is_whole = {head: state.rewritten({})}, {head}, False

    def _do_drop(self, rng: Random, catalog: CatalogModel) -> None:
        if len(self.catalogs) < 2:
            return
        catalog.handle.drop()
        self.catalogs.remove(catalog)
        self._dropped.append(catalog)

    def _do_undrop(self, rng: Random, catalog: CatalogModel) -> None:
        if self._dropped:
            back = self._dropped.pop(rng.randrange(len(self._dropped)))
            self.catalogs.append(back)
            back.handle = self._lake.undrop_catalog(back.handle.catalog_id)
            self.log[-1] += f": {back.handle!r}"

    def _do_purge(self, rng: Random, catalog: CatalogModel) -> None:
        if not self._dropped and len(self.catalogs) > 2:
            self._do_drop(rng, catalog)
        if self._dropped:
            gone = self._dropped.pop(rng.randrange(len(self._dropped)))
            self.log[-1] += f": {gone.handle.catalog_id}"
            self._lake.purge(gone.handle.catalog_id)
            self._forget(gone.own)

    def _forget(self, snapshots: Iterable[int]) -> None:
        """Snapshots are gone, for those that inherited them, too."""
        for catalog in (*self.catalogs, *self._dropped):
            for snapshot in catalog.states.keys() & set(snapshots):
                del catalog.states[snapshot]
                catalog.is_whole = False
            catalog.own &= catalog.states.keys()

    # -- tables and files ----------------------------------------------------------------------------------------------

    def _do_drop_table(self, rng: Random, catalog: CatalogModel) -> None:
        catalog.handle.drop_table(TABLE)
        self._committed(catalog, NO_TABLE)

    def _do_drop_schema(self, rng: Random, catalog: CatalogModel) -> None:
        catalog.handle.schemas.drop("main", cascade=True)
        self._committed(catalog, NO_TABLE)

    def _do_adopt(self, rng: Random, catalog: CatalogModel) -> None:
        """A file that no catalog wrote becomes a file of the table; other catalogs may have it already."""
        self._foreign = [file for file in self._foreign if file.path.exists()]
        state = catalog.head
        fitting = [file for file in self._foreign if _fits(file, state)]
        file = rng.choice(fitting) if fitting and rng.random() < 0.6 else self._write_foreign(rng, catalog)
        table = catalog.handle.table(TABLE)
        self.log[-1] += f": {file.path.name} {[row['k'] for row in file.rows]}"
        is_there = str(file.path) in {one.path for one in table.storage.files()}
        is_given_up = file.path in self._adopted and str(file.path) not in self._needed()
        may_refuse = self._encrypted or state.partition_keys or is_there or is_given_up
        try:
            table.storage.add_files(file.path, allow_missing=True, ignore_extra_columns=True)
        except (errors.AlreadyExistsError, errors.InvalidInputError):
            if not may_refuse:
                raise
            self.log[-1] += ": refused"
        else:
            self._adopted.add(file.path)
            rows = dict(state.rows)
            for shown in file.rows:
                identity = next(self._numbers)
                names = {column.name for column in state.columns}
                values = {name: value for name, value in shown.items() if name in names}
                rows[identity] = RowModel(identity, held(state.columns, values))
            self._committed(catalog, replace(state, rows=rows))

    def _write_foreign(self, rng: Random, catalog: CatalogModel) -> ForeignFile:
        """Write a file: outside of the lake, in the catalog's directory, or in another catalog's."""
        columns = [column for column in catalog.head.columns if column.type in _ARROW]
        columns = [column for column in columns if column.name == "k" or rng.random() < 0.7]
        rows = [
            {column.name: random_value(rng, column) for column in columns} | {"k": next(self._numbers)}
            for _ in range(rng.randint(1, 4))
        ]
        owner = rng.choice((None, catalog, catalog, rng.choice(self.catalogs)))
        directory = self._outside if owner is None else Path(owner.handle.inspect.info.data_path) / "adopted"
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / f"foreign-{next(self._numbers)}.parquet"
        types = {column.name: column.type for column in columns}
        schema = pa.schema([(name, _ARROW[kind]) for name, kind in types.items()])
        pq.write_table(pa.Table.from_pylist(rows, schema), path)
        file = ForeignFile(path, types, rows)
        self._foreign.append(file)
        return file

    # -- maintenance ---------------------------------------------------------------------------------------------------

    def _do_expire(self, rng: Random, catalog: CatalogModel) -> None:
        own = sorted(catalog.own)[:-1]
        # Holes in the history are as good as a clean cut.
        gone = own if rng.random() < 0.3 else sorted(rng.sample(own, min(len(own), rng.choice((1, 1, 2, 4)))))
        assert catalog.handle.maintenance.expire_snapshots(versions=gone, release=True) == gone
        self._forget(gone)
        self.log[-1] += f": {gone}"

    def _do_cleanup(self, rng: Random, catalog: CatalogModel) -> None:
        """One catalog is cleaned up, or all are."""
        if rng.random() < 0.3:
            catalog.handle.maintenance.cleanup_old_files(cleanup_all=True)
        else:
            self._lake.maintenance.cleanup_old_files(cleanup_all=True)

    def _do_orphans(self, rng: Random, catalog: CatalogModel) -> None:
        """What nothing names goes."""
        if rng.random() < 0.5:
            catalog.handle.maintenance.delete_orphaned_files(cleanup_all=True)
        else:
            self.clean_up()

    def _do_checkpoint(self, rng: Random, catalog: CatalogModel) -> None:
        """All maintenance of a catalog; it may be set to keep nothing but the head."""
        keeps_nothing = rng.random() < 0.5
        for option in ("expire_older_than", "delete_older_than"):
            if keeps_nothing:
                catalog.handle.options.set(option, "0 seconds")
            else:
                catalog.handle.options.reset(option)
        catalog.handle.maintenance.checkpoint()
        seen = {snapshot.snapshot_id for snapshot in catalog.handle.snapshots()}
        state, gone = catalog.head, catalog.own - seen
        assert keeps_nothing or not gone, f"{gone} expired"
        made: dict[int, TableModel] = dict.fromkeys(seen - catalog.states.keys(), state)
        catalog.own |= made.keys()
        catalog.states |= made
        self._forget(gone)

    def clean_up(self) -> None:
        """Delete all that nothing needs: what is left is what some snapshot shows, and the rows that it needs."""
        wanted = Rows.read(self._lake).needed()
        self._lake.maintenance.cleanup_old_files(cleanup_all=True)
        self._lake.maintenance.delete_orphaned_files(cleanup_all=True)
        if not self._dropped:
            needed = self._needed()
            there = self._there()
            assert there == needed, f"missing: {sorted(needed - there)}, too many: {sorted(there - needed)}"
        assert not due_catalogs(self._lake._runtime.store, None, 1000), "a catalog is due after a clean-up"
        rows = Rows.read(self._lake)
        gone, left = difference(wanted, rows.stored), difference(rows.stored, rows.needed())
        assert not gone, f"rows that some version needs are gone: {gone}"
        assert not left, f"rows that nothing needs are left: {left}"

    def end(self) -> None:
        """Give up all but what catalogs show at their heads; that is all that is left then."""
        for catalog in list(self._dropped):
            self._lake.purge(catalog.handle.catalog_id)
            self._dropped.remove(catalog)
            self._forget(catalog.own)
        for catalog in self.catalogs:
            own = sorted(catalog.own)[:-1]
            catalog.handle.maintenance.expire_snapshots(versions=own, release=True)
            self._forget(own)
        self.clean_up()
        self.check(Random(0), feeds=0)
        check_sound(self._lake, deep=not self._encrypted)

    def _needed(self) -> set[str]:
        found = set[str]().union(*(files_of(catalog.handle, TABLE) for catalog in self.catalogs))
        data = str(self._lake.data_path)
        return {path for path in found if path.startswith(data)}

    def _there(self) -> set[str]:
        assert self._lake.data_path is not None
        return {os.path.join(root, name) for root, _, names in os.walk(self._lake.data_path) for name in names}


def _fits(file: ForeignFile, state: TableModel) -> bool:
    """Return whether a table takes the columns of a file, and has none of its rows."""
    if set(keys(state)) & {row["k"] for row in file.rows}:
        return False
    by_name = {column.name: column for column in state.columns}
    return all(_takes(by_name[name], kind) for name, kind in file.columns.items() if name in by_name)


def _takes(column: ColumnModel, kind: str) -> bool:
    if column.type in _WIDTHS and kind in _WIDTHS:
        return _WIDTHS.index(kind) <= _WIDTHS.index(column.type)
    return column.type == kind
