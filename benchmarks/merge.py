"""What it costs to bring forks home: merges beside commits of the same files, and lifetimes that end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from benchmarks.databases import Database, Databases
from benchmarks.measure import Samples
from benchmarks.parents import make_parent, new_file, table_name
from benchmarks.report import Aim, Figure
from benchmarks.spark import new_lake
from forklake import Catalog, Lake

_TABLES = 10


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much there is."""

    parents: tuple[tuple[int, int], ...] = ((1_000, 1_000), (100_000, 10_000))
    """Files and commits of each parent."""
    files: tuple[int, ...] = (1, 100, 1_000)
    rounds: int = 7
    lapsed: int = 10_000
    rows: int = 10_000_000


QUICK = Sizes(parents=((100, 10), (400, 40)), files=(1, 20), rounds=2, lapsed=50, rows=20_000)


def merge(databases: Databases, quick: bool) -> list[Figure]:
    """Merge forks with few and many new files into small and large parents, beside commits of the same files."""
    sizes = QUICK if quick else Sizes()
    return [figure for kind in databases.kinds for figure in _merge_files(databases.new(kind), sizes)]


def _merge_files(database: Database, sizes: Sizes) -> list[Figure]:
    group = f"merge on {database.kind}"
    figures: list[Figure] = []
    small: dict[int, float] = {}
    with database.open() as lake:
        parents = [_parent(lake, f"parent-{files}", files, commits) for files, commits in sizes.parents]
        database.settle()
        for parent, (held, _) in zip(parents, sizes.parents, strict=True):
            for count in sizes.files:
                merges, commits = _times(parent, count, sizes.rounds)
                name = f"merge of {count:,} files into {held:,}, p50"
                bound = Aim("at most", 4)
                figures.append(Figure(group, name, merges.p50, "ms", commits.p50, "a commit of the same files", bound))
                if database.kind == "postgres" and count == 100:
                    figures.append(Figure(group, name, merges.p50, "ms", aim=Aim("at most", 100, "value")))
                before = small.setdefault(count, merges.p50)
                if held != sizes.parents[0][0]:
                    reference = f"the same into {sizes.parents[0][0]:,}"
                    figures.append(Figure(group, name, merges.p50, "ms", before, reference, Aim("at most", 1.2)))
    return figures


def _parent(lake: Lake, name: str, files: int, commits: int) -> Catalog:
    """Make a catalog with that many files, and at least that many commits."""
    parent = make_parent(lake, name, files=files, tables=_TABLES)
    table = parent.table(table_name(1))
    for number in range(commits):
        table.storage.append_files([new_file(f"c{number}", number)])
    return parent


def _times(parent: Catalog, count: int, rounds: int) -> tuple[Samples, Samples]:
    """Return the times of merges of so many files, and of commits of as many."""
    merges, commits = Samples(), Samples()
    for turn in range(rounds):
        fork = parent.fork(f"{parent.name}-{count}-{turn}")
        fork.table(table_name(0)).storage.append_files([new_file(f"m{turn}-{at}", at) for at in range(count)])
        files = [new_file(f"p{count}-{turn}-{at}", at) for at in range(count)]
        commits.time(parent.table(table_name(0)).storage.append_files, files)
        plan = merges.time(parent.merge, fork)
        assert sum(table.files_added for table in plan.tables) == count, plan
    return merges, commits


def reap(databases: Databases, quick: bool) -> list[Figure]:
    """Drop thousands of forks whose lifetimes ended, by one call."""
    sizes = QUICK if quick else Sizes()
    return [_reap(databases.new(kind), sizes) for kind in databases.kinds]


def _reap(database: Database, sizes: Sizes) -> Figure:
    lapsed, inserts, plain = Samples(), Samples(), database.inserter()
    with database.open() as lake:
        parent = make_parent(lake, "parent", files=100, tables=_TABLES)
        parent.fork_many([f"f{number}" for number in range(sizes.lapsed)], ttl=timedelta(milliseconds=1))
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
