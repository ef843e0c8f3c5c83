"""Eight processes write to three catalogs of one tree while two fork them and one reads."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePosixPath

import pytest

from forklake import Catalog, Lake, NewDataFile, NewDeleteFile, RetryPolicy, Settings
from forklake.errors import CommitConflictError, CommitContentionError
from tests.lakes import LakeFactory
from tests.race.processes import SECONDS, Job, race, turns
from tests.race.state import Content, check_rules, content

CATALOGS = ("shop", "agent", "deep")
TABLES = ("orders", "events")
WRITERS = 8
LOOKED_AT = 100
"""At most so many forks, and so many reads, are looked at again when the race is over."""

# Short waits: more attempts meet.
EAGER = Settings(retry=RetryPolicy(max_retry_count=15, wait_seconds=0.005, backoff=1.3), pool_size=2)


@dataclass
class Diary:
    """What one writer did to its catalog, and what it was told."""

    catalog: str
    author: str
    appended: dict[str, tuple[str, int]] = field(default_factory=dict)
    """The table and the rows of each file whose append was acknowledged."""
    deleted: dict[str, int] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    columns: dict[str, set[str]] = field(default_factory=lambda: {table: set() for table in TABLES})
    tables: set[str] = field(default_factory=set)
    snapshots: list[int] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    """Files whose append was refused, and why."""
    commits: int = 0
    refusals: int = 0


class Writer:
    """Does one random thing after the other to a catalog, and writes down what was acknowledged."""

    def __init__(self, lake: Lake, catalog: str, seed: int) -> None:
        self.catalog = lake.catalog(catalog)
        self.diary = Diary(catalog, str(seed))
        self.seed = seed
        self.random = random.Random(seed)
        self.count = 0

    def run(self, seconds: float) -> Diary:
        actions: list[Callable[[], None]] = [self.append, self.append, self.append, self.transaction, self.delete]
        actions += [self.remove, self.alter, self.rename, self.rollback]
        for _ in turns(seconds):
            self.count += 1
            try:
                self.random.choice(actions)()
                self.diary.commits += 1
            except (CommitConflictError, CommitContentionError):
                self.diary.refusals += 1
        return self.diary

    def file(self) -> NewDataFile:
        self.count += 1
        rows = self.random.randint(2, 50)
        return NewDataFile(f"{self.seed}-{self.count}.parquet", rows, rows * 10)

    def append(self) -> None:
        table, file = self.random.choice(TABLES), self.file()
        try:
            self.catalog.table(table).storage.append_files([file])
        except (CommitConflictError, CommitContentionError) as error:
            self.diary.refused[file.path] = str(error)
            raise
        self.diary.appended[file.path] = (table, file.record_count)

    def transaction(self) -> None:
        made, files = f"t_{self.seed}_{self.count}", {table: self.file() for table in TABLES}
        inside = self.file()
        try:
            with self.catalog.transaction(author=self.diary.author, commit_key=made) as transaction:
                transaction.create_table(made, {"id": "BIGINT"})
                transaction.table(made).storage.append_files([inside])
                for table, file in files.items():
                    transaction.table(table).storage.append_files([file])
        except (CommitConflictError, CommitContentionError) as error:
            self.diary.refused |= {file.path: str(error) for file in (inside, *files.values())}
            raise
        assert transaction.snapshot_id is not None
        self.diary.snapshots.append(transaction.snapshot_id)
        self.diary.tables.add(made)
        self.diary.appended |= {file.path: (table, file.record_count) for table, file in files.items()}
        self.diary.appended[inside.path] = (made, inside.record_count)

    def own_file(self) -> tuple[str, str, int, int] | None:
        """Return table, name, id and rows of a file that this writer added and has not removed."""
        mine = [path for path in self.diary.appended if path not in self.diary.removed]
        if not mine:
            return None
        name = self.random.choice(mine)
        table, rows = self.diary.appended[name]
        for file in self.catalog.table(table).storage.files():
            if PurePosixPath(file.path).name == name:
                return table, name, file.data_file_id, rows
        raise AssertionError(f'the file "{name}" of "{table}" was acknowledged and is not there')

    def delete(self) -> None:
        if found := self.own_file():
            table, name, file, rows = found
            count = self.diary.deleted.get(name, 0) + 1
            if count < rows:
                path = f"{name}-{self.count}.delete"
                self.catalog.table(table).storage.delete_rows([NewDeleteFile(file, path, count, 10)])  # type: ignore[arg-type]
                self.diary.deleted[name] = count

    def remove(self) -> None:
        if found := self.own_file():
            self.catalog.table(found[0]).storage.remove_files([found[2]])
            self.diary.removed.add(found[1])

    def alter(self) -> None:
        table, name = self.random.choice(TABLES), f"c_{self.seed}_{self.count}"
        self.catalog.table(table).alter.add_column((name, "VARCHAR"))
        self.diary.columns[table].add(name)

    def rename(self) -> None:
        table = self.random.choice(TABLES)
        if mine := self.diary.columns[table]:
            old = self.random.choice(sorted(mine))
            if old.endswith("_r"):
                self.catalog.table(table).alter.drop_column(old)
                mine.remove(old)
            else:
                self.catalog.table(table).alter.rename_column(old, f"{old}_r")
                mine.remove(old)
                mine.add(f"{old}_r")

    def rollback(self) -> None:
        file = self.file()
        transaction = self.catalog.transaction()
        transaction.table("orders").storage.append_files([file])
        transaction.rollback()
        self.diary.refused[file.path] = "rolled back"


def write(url: str, catalog: str, seed: int, seconds: float) -> Diary:
    with Lake(url, settings=EAGER) as lake:
        return Writer(lake, catalog, seed).run(seconds)


def fork_heads(url: str, seconds: float) -> list[tuple[str, str, int]]:
    return fork(url, seconds, past=False)


def fork_past(url: str, seconds: float) -> list[tuple[str, str, int]]:
    return fork(url, seconds, past=True)


def fork(url: str, seconds: float, *, past: bool) -> list[tuple[str, str, int]]:
    """Fork until the end, now and then a fork, and return the names of fork and parent, and the pin."""
    made: list[tuple[str, str, int]] = []
    choose = random.Random(past)
    with Lake(url, settings=EAGER) as lake:
        for _ in turns(seconds):
            parents = [*CATALOGS, *(name for name, _, _ in made[-3:])]
            parent, name = choose.choice(parents), f"{'past' if past else 'head'}-{len(made)}"
            catalog = lake.catalog(parent)
            if past:
                catalog.fork(name, at=choose.choice(catalog.snapshots()).snapshot_id)
            else:
                catalog.fork(name)
            (info,) = lake.catalogs(prefix=name, limit=1)
            assert info.parent_snapshot_id is not None
            made.append((name, parent, info.parent_snapshot_id))
            time.sleep(0.02)
    return made


def read(url: str, seconds: float) -> dict[tuple[str, int], Content]:
    """Read heads and the past over and over; what was read once must be read again."""
    seen: dict[tuple[str, int], Content] = {}
    heads = dict.fromkeys(CATALOGS, -1)
    choose = random.Random(0)
    with Lake(url, settings=EAGER) as lake:
        for _ in turns(seconds):
            name = choose.choice(CATALOGS)
            catalog = lake.catalog(name)
            head = catalog.head
            assert head >= heads[name], f"the head of {name} went back from {heads[name]} to {head}"
            heads[name] = head
            for version in {head, choose.choice(catalog.snapshots()).snapshot_id}:
                found = content(catalog.at(version=version))
                assert seen.setdefault((name, version), found) == found, f"{name} at {version} has changed"
    return seen


@pytest.mark.parametrize("lake_factory", ["sqlite", "postgres"], indirect=True)
def test_writers_forkers_and_readers_lose_nothing_and_number_nothing_twice(lake_factory: LakeFactory) -> None:
    url = lake_factory.url()
    with Lake(url, data_path=lake_factory.directory / "data") as lake:
        parent = lake.create_catalog("shop")
        for table in TABLES:
            parent.create_table(table, {"id": "BIGINT", "amount": "DECIMAL(10,2)"})
        for name in CATALOGS[1:]:
            parent.table("orders").storage.append_files([NewDataFile(f"before-{name}.parquet", 10, 100)])
            parent = parent.fork(name)
        results = race(
            *(Job(f"writer {seed}", write, (url, CATALOGS[seed % 3], seed, SECONDS)) for seed in range(WRITERS)),
            Job("forks of heads", fork_heads, (url, SECONDS)),
            Job("forks of the past", fork_past, (url, SECONDS)),
            Job("reader", read, (url, SECONDS)),
        )
        diaries = [results[f"writer {seed}"] for seed in range(WRITERS)]
        assert all(diary.commits for diary in diaries), [(diary.commits, diary.refusals) for diary in diaries]

        check_rules(lake)
        for name in CATALOGS:
            _check_writes(lake.catalog(name), [diary for diary in diaries if diary.catalog == name])
            _check_log(lake.catalog(name), [diary for diary in diaries if diary.catalog == name])
        forks = results["forks of heads"] + results["forks of the past"]
        assert forks
        for name, its_parent, pin in random.Random(0).sample(forks, min(len(forks), LOOKED_AT)):
            at_pin = content(lake.catalog(its_parent).at(version=pin))
            assert content(lake.catalog(name)) == at_pin, f"{name} is not {its_parent} at {pin}"
        read_then = list(results["reader"].items())
        for (name, version), found in random.Random(0).sample(read_then, min(len(read_then), LOOKED_AT)):
            assert content(lake.catalog(name).at(version=version)) == found, f"{name} at {version} has changed"


def _check_writes(catalog: Catalog, diaries: list[Diary]) -> None:
    """What was acknowledged is there once; what was refused is not."""
    mine: dict[str, list[tuple[str, int, int]]] = {}
    for table in catalog.tables():
        files = table.storage.files()
        assert table.inspect.stats.record_count == sum(file.record_count for file in files), f"{table}: wrong total"
        assert table.inspect.stats.file_size_bytes == sum(file.file_size_bytes for file in files), (
            f"{table}: wrong total"
        )
        for file in files:
            deleted = 0 if file.delete_file is None else file.delete_file.delete_count
            mine.setdefault(PurePosixPath(file.path).name, []).append((table.name, file.record_count, deleted))
    expected = {
        name: [(*diary.appended[name], diary.deleted.get(name, 0))]
        for diary in diaries
        for name in diary.appended.keys() - diary.removed
    }
    found = {name: places for name, places in mine.items() if not name.startswith("before-")}
    assert found == expected
    for name in TABLES:
        columns = {column.name for column in catalog.table(name).columns} - {"id", "amount"}
        assert columns == set().union(*(diary.columns[name] for diary in diaries))
    assert {table.name for table in catalog.tables()} == {*TABLES}.union(*(diary.tables for diary in diaries))


def _check_log(catalog: Catalog, diaries: list[Diary]) -> None:
    """Each transaction has the snapshot that its writer was told, and no other has it."""
    written = [(snapshot, diary.author) for diary in diaries for snapshot in diary.snapshots]
    by_transaction = [
        (snapshot.snapshot_id, snapshot.author) for snapshot in catalog.snapshots() if snapshot.author is not None
    ]
    own = [entry for entry in by_transaction if entry[1] in {diary.author for diary in diaries}]
    assert own == sorted(written)
