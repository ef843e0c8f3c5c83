"""What it costs to bring forks home: merges, diffs and refreshes beside commits, and lifetimes that end."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from benchmarks.databases import Database, Databases
from benchmarks.measure import WARM_UP_STEPS, Samples
from benchmarks.parents import make_parent, new_file, table_name
from benchmarks.report import Aim, Figure
from benchmarks.spark import new_lake
from forklake import Catalog, DataFile, Lake, NewDataFile

_TABLES = 10
_CHANGED = 10
"""Files of the diff: half are new, of the others rows are deleted."""
_FLAT = Aim("at most", 1.2)
_COMMITS = Aim("at most", 4)
_SAME_FILES = "a commit of the same files"

Parents = dict[int, Catalog]
"""What is forked, by how many files it has."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much there is."""

    parents: tuple[tuple[int, int], ...] = ((1_000, 1_000), (100_000, 10_000))
    """Files and commits of each parent."""
    files: tuple[int, ...] = (1, 100, 1_000)
    rounds: int = 11
    refreshed: int = 1_000
    lapsed: int = 10_000
    rows: int = 10_000_000


QUICK = Sizes(parents=((50, 5), (100, 10)), files=(1, 20), rounds=2, refreshed=20, lapsed=50, rows=20_000)


def merge(databases: Databases, quick: bool) -> list[Figure]:
    """Merge and compare forks of small and large parents, beside commits of the same files."""
    sizes = QUICK if quick else Sizes()
    return [figure for kind in databases.kinds for figure in _merges(databases.new(kind), sizes)]


def _merges(database: Database, sizes: Sizes) -> list[Figure]:
    group = f"merge on {database.kind}"
    with database.open() as lake:
        parents = {files: _parent(lake, files, commits) for files, commits in sizes.parents}
        database.settle()
        figures = [figure for count in sizes.files for figure in _merge_files(group, parents, count, sizes)]
        return figures + _diff_files(group, parents, sizes)


def _parent(lake: Lake, files: int, commits: int) -> Catalog:
    """Make a catalog with that many files, of which as many as there are commits came one by one."""
    parent = make_parent(lake, f"parent-{files}", files=files - commits, tables=_TABLES)
    tables = [parent.table(table_name(number)) for number in range(_TABLES)]
    for number in range(commits):
        tables[number % _TABLES].storage.append_files([new_file(f"c{number}", number)])
    return parent


def _merge_files(group: str, parents: Parents, count: int, sizes: Sizes) -> list[Figure]:
    merges = {held: Samples() for held in parents}
    commits = {held: Samples() for held in parents}
    for turn in range(-WARM_UP_STEPS, sizes.rounds):
        for held, parent in parents.items():
            own, plain = (merges[held], commits[held]) if turn >= 0 else (Samples(), Samples())
            fork = parent.fork(f"{parent.name}-{count}-{turn}")
            fork.table(table_name(0)).storage.append_files([new_file(f"m{turn}-{at}", at) for at in range(count)])
            files = [new_file(f"p{count}-{turn}-{at}", at) for at in range(count)]
            plain.time(parent.table(table_name(0)).storage.append_files, files)
            plan = own.time(parent.merge, fork)
            assert sum(table.files_added for table in plan.tables) == count, plan
    what = f"merge of {count:,} file{'s' if count > 1 else ''} into"
    figures = _beside_commits(group, what, merges, commits)
    if group.endswith("postgres") and count == 100:
        bound = Aim("at most", 100, "value")
        figures += [Figure(group, f"{what} {held:,}, p50", merges[held].p50, "ms", aim=bound) for held in parents]
    return figures


def _diff_files(group: str, parents: Parents, sizes: Sizes) -> list[Figure]:
    diffs = {held: Samples() for held in parents}
    commits = {held: Samples() for held in parents}
    half = _CHANGED // 2
    inherited = {held: parent.table(table_name(1)).storage.files()[:half] for held, parent in parents.items()}
    for turn in range(-WARM_UP_STEPS, sizes.rounds):
        for held, parent in parents.items():
            own, plain = (diffs[held], commits[held]) if turn >= 0 else (Samples(), Samples())
            fork = parent.fork(f"{parent.name}-diff-{turn}")
            new = [new_file(f"d{turn}-{at}", at) for at in range(_CHANGED - half)]
            plain.time(_change, fork, new, inherited[held])
            found = own.time(fork.diff)
            told = sum(table.files_added + table.files_changed for table in found.tables)
            assert told == len(new) + len(inherited[held]), found.tables
    return _beside_commits(group, f"diff of {_CHANGED} files with", diffs, commits)


def _change(fork: Catalog, new: list[NewDataFile], inherited: list[DataFile]) -> None:
    with fork.transaction() as transaction:
        transaction.table(table_name(0)).storage.append_files(new)
        transaction.table(table_name(1)).storage.inline_deletes({file.data_file_id: [0] for file in inherited})


def _beside_commits(group: str, what: str, ours: dict[int, Samples], commits: dict[int, Samples]) -> list[Figure]:
    """Return the figures of what should cost as much as changed, whatever the parent holds."""
    figures = [
        Figure(group, f"{what} {held:,}, p50", samples.p50, "ms", commits[held].p50, _SAME_FILES, _COMMITS)
        for held, samples in ours.items()
    ]
    few, many = min(ours), max(ours)
    reference = f"the same with {few:,}"
    return [*figures, Figure(group, f"{what} {many:,}, p50", ours[many].p50, "ms", ours[few].p50, reference, _FLAT)]


def refresh(databases: Databases, quick: bool) -> list[Figure]:
    """Bring a thousand forks, each with a file of its own, to the head of their parent."""
    sizes = QUICK if quick else Sizes()
    return [figure for kind in databases.kinds for figure in _refresh(databases.new(kind), sizes)]


def _refresh(database: Database, sizes: Sizes) -> list[Figure]:
    refreshes, commits, inserts, plain = Samples(), Samples(), Samples(), database.inserter()
    with database.open() as lake:
        parent = make_parent(lake, "parent", files=1_000, tables=_TABLES)
        made = parent.fork_many([f"f{number}" for number in range(sizes.refreshed)])
        forks = [lake.catalog(fork.name) for fork in made]
        for number, fork in enumerate(forks):
            commits.time(fork.table(table_name(0)).storage.append_files, [new_file("own", number)])
        parent.table(table_name(1)).storage.append_files([new_file("new")])
        database.settle()
        for fork in forks:
            inserts.time(plain.insert)
            plan = refreshes.time(fork.refresh)
            assert not plan.is_nothing, plan
    plain.close()
    name = f"refresh each of {sizes.refreshed:,} forks, p50"
    group = f"merge on {database.kind}"
    return [
        Figure(group, name, refreshes.p50, "ms", commits.p50, "a commit of one file in each"),
        Figure(group, name, refreshes.p50, "ms", inserts.p50, "one-row insert and commit"),
    ]


def reap(databases: Databases, quick: bool) -> list[Figure]:
    """Drop thousands of forks whose lifetimes ended, by one call."""
    sizes = QUICK if quick else Sizes()
    return [_reap(databases.new(kind), sizes) for kind in databases.kinds]


def _reap(database: Database, sizes: Sizes) -> Figure:
    lapsed, inserts, plain = Samples(), Samples(), database.inserter()
    with database.open() as lake:
        parent = make_parent(lake, "parent", files=100, tables=_TABLES)
        parent.fork_many([f"f{number}" for number in range(sizes.lapsed)], ttl=timedelta(milliseconds=1))
        time.sleep(0.1)  # the last of them lapse, too
        reaped = lapsed.time(lake.reap)
        assert len(reaped.dropped) == sizes.lapsed, len(reaped.dropped)
    for _ in range(200):
        inserts.time(plain.insert)
    plain.close()
    name = f"reap each of {sizes.lapsed:,} lapsed forks"
    each = lapsed.p50 / sizes.lapsed
    return Figure(f"merge on {database.kind}", name, each, "ms", inserts.p50, "one-row insert and commit")


def merge_rows(databases: Databases, quick: bool) -> list[Figure]:
    """Merge rows that both sides updated in the same files, beside a MERGE statement of the same rows."""
    sizes = QUICK if quick else Sizes()
    with new_lake() as (lake, spark, _):
        shop = lake.create_catalog("shop")
        rows = spark.range(sizes.rows).selectExpr("id", "id * 3 AS amount", "concat('note ', id) AS note")
        shop.create_table("orders", rows=rows)
        merges, statements = Samples(), Samples()
        for turn in range(3):
            fork = shop.fork(f"fork-{turn}")
            _update(fork, 4 * turn)
            _update(shop, 4 * turn + 1)
            merges.time(shop.merge, fork)
            changed = fork.table("orders").dataframe(where=f"id % 100 = {4 * turn}").persist()
            changed.count()
            statements.time(_merge_statement(shop, changed))
            changed.unpersist()
    name = f"merge of 1 % of {sizes.rows:,} rows updated on each side, p50"
    return [
        Figure("merge of rows", name, merges.p50, "ms", statements.p50, "MERGE of the same rows", Aim("at most", 1))
    ]


def _update(catalog: Catalog, rest: int) -> None:
    catalog.table("orders").update({"amount": "amount + 1"}, where=f"id % 100 = {rest}")


def _merge_statement(shop: Catalog, changed: object) -> Callable[[], object]:
    return lambda: shop.table("orders").merge(changed, on="id")
