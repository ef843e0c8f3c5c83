"""What a check of a lake costs: of many files against listing them, of many forks against few."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from benchmarks.databases import Database, Databases
from benchmarks.measure import Samples
from benchmarks.parents import TABLES, make_parent
from benchmarks.report import Figure
from forklake import Catalog, Lake, LakeCheck

LISTING = "listing them with their sizes"


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is checked."""

    files: int = 100_000
    forks: int = 10_000
    tables: int = TABLES
    rounds: int = 3


QUICK = Sizes(files=200, forks=20, tables=10, rounds=1)


class NotSoundError(Exception):
    """The check found something in a lake that is sound, so its time means nothing."""


def fsck(databases: Databases, quick: bool) -> list[Figure]:
    """Check a catalog with many files, and then the same with many forks."""
    sizes = QUICK if quick else Sizes()
    return [figure for kind in databases.kinds for figure in _store(databases.new(kind), sizes)]


def _store(database: Database, sizes: Sizes) -> list[Figure]:
    group = f"fsck on {database.kind}"
    with database.open() as lake:
        shop = make_parent(lake, f"shop-{database.kind}", sizes.files, sizes.tables)
        root = _write_files(shop)
        files = f"{sizes.files:,} files"
        database.settle()
        listing, whole, metadata, forks = Samples(), Samples(), Samples(), Samples()
        for _ in range(sizes.rounds):
            listing.time(_list, root)
            whole.time(_check, lake, files=True)
            metadata.time(_check, lake, files=False)
        shop.fork_many([f"agent-{number}" for number in range(sizes.forks)])
        database.settle()
        for _ in range(sizes.rounds):
            forks.time(_check, lake, files=False)
    name = f"check of the metadata of {files}"
    return [
        Figure(group, f"check of {files}, p50", whole.p50, "ms", listing.p50, LISTING),
        Figure(group, f"{name}, p50", metadata.p50, "ms", listing.p50, LISTING),
        Figure(group, f"{name}, {sizes.forks:,} forks, p50", forks.p50, "ms", metadata.p50, "without forks"),
    ]


def _write_files(catalog: Catalog) -> Path:
    """Write the files that the metadata names, without content; return their directory."""
    home = Path()
    for table in catalog.tables():
        for file in table.storage.files():
            path = Path(file.path)
            home = path.parents[2]
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as made:
                made.truncate(file.file_size_bytes)
    return home


def _list(root: Path) -> int:
    count, left = 0, [str(root)]
    while left:
        with os.scandir(left.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    left.append(entry.path)
                else:
                    count += entry.stat(follow_symlinks=False).st_size >= 0
    return count


def _check(lake: Lake, *, files: bool) -> LakeCheck:
    found = lake.maintenance.check(files=files)
    if not found.is_sound:
        raise NotSoundError(str(found.findings[:3]))
    return found
