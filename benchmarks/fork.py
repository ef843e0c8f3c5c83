"""What a fork costs: time against one inserted row, bytes against a copy, and forks a second."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from benchmarks.databases import Database, Databases
from benchmarks.measure import WARM_UP_STEPS, Samples, Worker, rate
from benchmarks.parents import TABLES, make_chain, make_parent
from benchmarks.report import Aim, Figure
from forklake import Catalog

INSERT = "one-row insert and commit"


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is done."""

    files: tuple[int, ...] = (100, 10_000, 100_000)
    depths: tuple[int, ...] = (1, 16, 64)
    rounds: int = 300
    forks_for_bytes: int = 5_000
    processes: tuple[int, ...] = (1, 4, 8)
    seconds: float = 5.0
    copies: int = 3
    many: int = 20_000
    tables: int = TABLES


QUICK = Sizes(
    files=(10, 100), depths=(1, 4), rounds=4, forks_for_bytes=200, processes=(2,), seconds=0.1, copies=1, many=20,
    tables=10,
)  # fmt: skip


def run(databases: Databases, quick: bool) -> list[Figure]:
    """Measure each store."""
    sizes = QUICK if quick else Sizes()
    return [figure for kind in databases.kinds for figure in _store(databases.new(kind), sizes)]


Parents = dict[tuple[int, int], Catalog]
"""What is forked, by the files it holds and the depth of its forks."""


def _store(database: Database, sizes: Sizes) -> list[Figure]:
    group = f"fork on {database.kind}"
    with database.open() as lake:
        parents: Parents = {}
        for files in sizes.files:
            chain = make_chain(make_parent(lake, f"parent-{files}", files, sizes.tables), max(sizes.depths) - 1)
            parents |= {(files, depth): chain[depth - 1] for depth in sizes.depths}
        figures = _latencies(group, database, parents, sizes)
        figures += _bytes(group, database, parents, sizes)
        figures += _many(group, database, parents[sizes.files[0], 1], sizes)
    return figures + _rates(group, database, f"parent-{sizes.files[0]}", sizes)


def _latencies(group: str, database: Database, parents: Parents, sizes: Sizes) -> list[Figure]:
    forks = {key: Samples() for key in parents}
    inserts = {key: Samples() for key in parents}
    inserter = database.inserter()
    for number in range(-WARM_UP_STEPS, sizes.rounds):
        for key, parent in parents.items():
            fork, insert = (forks[key], inserts[key]) if number >= 0 else (Samples(), Samples())
            name = f"fork-{key[0]}-{key[1]}-{number}"
            # Turn about, so that what disturbs the machine disturbs both.
            insert.time(inserter.insert)
            fork.time(parent.fork, name)
    inserter.close()
    # On SQLite each level more is a page more to write.
    aim = Aim("at most", 4) if database.kind == "postgres" else None
    figures = []
    for (files, depth), fork in forks.items():
        insert = inserts[files, depth]
        what = f"fork, {files:,} files, depth {depth}"
        figures.append(Figure(group, f"{what}, p50", fork.p50, "ms", insert.p50, INSERT, aim))
        figures.append(Figure(group, f"{what}, p99", fork.p99, "ms", insert.p99, INSERT))
    few, many = min(sizes.files), max(sizes.files)
    shallow, deep = min(sizes.depths), max(sizes.depths)
    figures += [
        Figure(
            group, f"fork, {many:,} files, depth {depth}, p50", forks[many, depth].p50, "ms", forks[few, depth].p50,
            f"the same with {few:,} files", Aim("at most", 1.2),
        )
        for depth in sizes.depths
    ]  # fmt: skip
    name = f"fork, {few:,} files, depth {deep}, p50"
    reference = f"the same at depth {shallow}"
    figures.append(Figure(group, name, forks[few, deep].p50, "ms", forks[few, shallow].p50, reference))
    return figures


def _bytes(group: str, database: Database, parents: Parents, sizes: Sizes) -> list[Figure]:
    shallow, deep = min(sizes.depths), max(sizes.depths)
    figures = []
    for files in sizes.files:
        parent = parents[files, shallow]
        copy, fork = Samples(), Samples()
        before = database.byte_count()
        for number in range(sizes.copies):
            copy.time(parent.fork, f"copy-{files}-{number}", copy=True)
        copied = (database.byte_count() - before) / sizes.copies
        for number in range(min(20, sizes.rounds)):
            fork.time(parent.fork, f"beside-{files}-{number}")
        forked = _bytes_per_fork(database, parent, f"bytes-{files}", sizes.forks_for_bytes)
        what, reference = f"{files:,} files, depth {shallow}", "a copying fork"
        figures.append(Figure(group, f"fork, {what}, p50", fork.p50, "ms", copy.p50, reference))
        aim = Aim("at most", 1024, "value")
        figures.append(Figure(group, f"bytes of a fork, {what}", forked, "B", copied, reference, aim))
    parent = parents[sizes.files[-1], deep]
    more = (_bytes_per_fork(database, parent, "bytes-deep", sizes.forks_for_bytes) - forked) / (deep - shallow)
    name = f"bytes of each level more, to depth {deep}"
    figures.append(Figure(group, name, more, "B", aim=Aim("at most", 120, "value")))
    return figures


def _bytes_per_fork(database: Database, parent: Catalog, prefix: str, count: int) -> float:
    before = database.byte_count()
    parent.fork_many([f"{prefix}-{number:06}" for number in range(count)])
    return (database.byte_count() - before) / count


def _many(group: str, database: Database, parent: Catalog, sizes: Sizes) -> list[Figure]:
    single, many = Samples(), Samples()
    for number in range(min(100, sizes.many)):
        single.time(parent.fork, f"single-{number}")
    many.time(parent.fork_many, [f"many-{number}" for number in range(sizes.many)])
    name = f"forks a second, fork_many of {sizes.many:,}"
    per_second = sizes.many / many.p50 * 1000
    return [Figure(group, name, per_second, "/s", 1000 / single.p50, "one by one")]


def _rates(group: str, database: Database, parent: str, sizes: Sizes) -> list[Figure]:
    figures = []
    for processes in sizes.processes:
        inserts = rate(partial(Insert, database), processes, sizes.seconds)
        forks = rate(partial(Fork, database, parent, f"rate-{processes}"), processes, sizes.seconds)
        name = f"forks a second, {processes} process{'es' if processes > 1 else ''}"
        figures.append(Figure(group, name, forks, "/s", inserts, f"{INSERT}, as many processes"))
    return figures


class Fork(Worker):
    """Forks one catalog again and again."""

    def __init__(self, database: Database, parent: str, prefix: str, index: int) -> None:
        self._lake = database.open()
        self._parent = self._lake.catalog(parent)
        self._prefix = f"{prefix}-{index}"

    def step(self, number: int) -> bool:
        self._parent.fork(f"{self._prefix}-{number}")
        return True

    def close(self) -> None:
        self._lake.close()


class Insert(Worker):
    """Inserts a row again and again."""

    def __init__(self, database: Database, index: int) -> None:
        self._inserter = database.inserter()

    def step(self, number: int) -> bool:
        self._inserter.insert()
        return True

    def close(self) -> None:
        self._inserter.close()
