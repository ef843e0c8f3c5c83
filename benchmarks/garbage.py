"""What safety among forks costs: judging files that forks may keep, and giving up forks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.databases import Database, Databases
from benchmarks.measure import Samples
from benchmarks.parents import make_parent, new_file, table_name
from benchmarks.report import Aim, Figure
from forklake import Catalog, Lake, NewDataFile
from forklake.lake.internals import runtime_of
from forklake.metastore import garbage
from forklake.metastore.garbage import Owners
from forklake.metastore.store import Store
from forklake.metastore.written_tables import DATA_FILE
from forklake.model.ids import RowUid

_TIMES_SLOWER = Aim("at most", 2)
_CHUNK = 10_000
_INSERTS = 200
_PINS = 10
"""So many snapshots of a parent have forks."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much there is."""

    files: int = 100_000
    forks: int = 100_000
    few_forks: int = 10
    purged: int = 10_000
    staying: int = 100_000
    few_staying: int = 1_000
    rounds: int = 3


QUICK = Sizes(files=200, forks=200, few_forks=10, purged=40, staying=100, few_staying=10, rounds=1)


def safety(databases: Databases, quick: bool) -> list[Figure]:
    """Ask which of many ended files nobody needs, while many forks need them all, and while a few do."""
    sizes = QUICK if quick else Sizes()
    return [_judge_files(databases.new(kind), sizes) for kind in databases.kinds]


def _judge_files(database: Database, sizes: Sizes) -> Figure:
    many, few = Samples(), Samples()
    with database.open() as lake:
        asks = [_question(lake, _ended_parent(lake, name, sizes.files, forks))
                for name, forks in (("many", sizes.forks), ("few", sizes.few_forks))]  # fmt: skip
        database.settle()
        for _ in range(sizes.rounds + 1):
            for samples, ask in zip((many, few), asks, strict=True):
                assert samples.time(ask) == 0, "a file was called free that forks show"
    name = f"check of {sizes.files:,} ended files, {sizes.forks:,} forks keep them, p50"
    reference = f"the same with {sizes.few_forks} forks"
    return Figure(f"garbage on {database.kind}", name, many.p50, "ms", few.p50, reference, _TIMES_SLOWER)


def _ended_parent(lake: Lake, name: str, files: int, forks: int) -> Catalog:
    """Make a catalog that ended all its files, and forgot its past, after it was forked."""
    parent = lake.create_catalog(name)
    table = parent.create_table("events", {"id": "BIGINT"})
    for pin in range(_PINS):
        part = [NewDataFile(f"{pin}-{number}.parquet", 1000, 40_000, 800) for number in range(files // _PINS)]
        table.storage.append_files(part)
        fork_many(parent, f"{name}-{pin}", forks // _PINS)
    table.drop()
    past = [snapshot.snapshot_id for snapshot in parent.snapshots()][:-1]
    parent.maintenance.expire_snapshots(versions=past)
    assert len(parent.snapshots()) == 1
    return parent


def _question(lake: Lake, parent: Catalog) -> Callable[[], int]:
    """Return what counts the files of a catalog that nobody needs."""
    store: Store = runtime_of(lake).store
    owners = Owners([parent.catalog_id], have_heads=True)
    return lambda: len(garbage.dead_rows(store, DATA_FILE, owners, (), after=RowUid(-1), limit=_CHUNK))


def purge(databases: Databases, quick: bool) -> list[Figure]:
    """Drop and purge thousands of forks by one call, of few and of many."""
    sizes = QUICK if quick else Sizes()
    return [figure for kind in databases.kinds for figure in _give_up(databases, kind, sizes)]


def _give_up(databases: Databases, kind: str, sizes: Sizes) -> list[Figure]:
    many, few, inserts = Samples(), Samples(), Samples()
    plain = databases.new(kind).inserter()
    with databases.new(kind).open() as crowded, databases.new(kind).open() as quiet:
        parents = [_parent(crowded, sizes.staying), _parent(quiet, sizes.few_staying)]
        for turn in range(sizes.rounds):
            for lake, parent, samples in zip((crowded, quiet), parents, (many, few), strict=True):
                fork_many(parent, f"gone-{turn}", sizes.purged)
                for number in range(0, sizes.purged, _PINS):
                    fork = lake.catalog(f"gone-{turn}-{number}")
                    fork.table(table_name(0)).storage.append_files([new_file("own")])
                purged = samples.time(lake.maintenance.purge_catalogs, "gone-", drop=True)
                assert len(purged) == sizes.purged, len(purged)
                for _ in range(_INSERTS):
                    inserts.time(plain.insert)
    plain.close()
    group = f"garbage on {kind}"
    each, each_of_few = many.p50 / sizes.purged, few.p50 / sizes.purged
    name = f"drop and purge each of {sizes.purged:,} forks, {sizes.staying:,} stay"
    reference = f"{sizes.few_staying:,} stay"
    aim = Aim("at most", 2, "value") if kind == "postgres" else None
    return [
        Figure(group, name, each, "ms", inserts.p50, "one-row insert and commit", aim),
        Figure(group, name, each, "ms", each_of_few, reference, Aim("at most", 1.5)),
    ]


def _parent(lake: Lake, staying: int) -> Catalog:
    parent = make_parent(lake, "parent", files=1_000, tables=10)
    fork_many(parent, "stays", staying)
    return parent


def fork_many(parent: Catalog, prefix: str, count: int) -> None:
    """Fork a catalog so many times."""
    for first in range(0, count, _CHUNK):
        parent.fork_many([f"{prefix}-{number}" for number in range(first, min(first + _CHUNK, count))])
