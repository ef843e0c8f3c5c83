"""Many forks are read while some of them, and their parent, are written to."""

import random
from pathlib import PurePosixPath

import pytest

from forklake import Catalog, Lake, NewDataFile
from tests.lakes import LakeFactory
from tests.race.processes import SECONDS, Job, race, turns
from tests.race.state import Content, check_rules, content

FORKS = 300
WRITTEN = 10
"""Every so many-th fork is written to, by one process alone."""


def write(url: str, seed: int, seconds: float) -> dict[str, int]:
    """Append numbered files to this process's share of the forks; return how many each has got."""
    choose = random.Random(seed)
    mine = range(seed * WRITTEN, FORKS, 2 * WRITTEN)
    counts: dict[str, int] = {}
    with Lake(url) as lake:
        for _ in turns(seconds):
            name = f"fork-{choose.choice(mine)}"
            number = counts.get(name, 0)
            lake.catalog(name).table("orders").storage.append_files([NewDataFile(f"{number}.parquet", 1, 10)])
            counts[name] = number + 1
    return counts


def write_parent(url: str, seconds: float) -> int:
    """Change the parent in all ways that a fork must not see."""
    with Lake(url) as lake:
        shop = lake.catalog("shop")
        for count in turns(seconds):
            shop.table("orders").storage.append_files([NewDataFile(f"parent-{count}.parquet", 3, 30)])
            shop.table("orders").storage.remove_files([shop.table("orders").storage.files()[0].data_file_id])
            shop.table("orders").alter.add_column((f"c{count}", "INTEGER"))
    return count


def read(url: str, seed: int, base: Content, seconds: float) -> int:
    """Read random forks: each is what it was forked as, or that and the first few files of its writer."""
    choose = random.Random(seed)
    seen: dict[str, int] = {}
    reads = 0
    with Lake(url) as lake:
        for _ in turns(seconds):
            reads += 1
            number = choose.randrange(FORKS)
            if choose.random() < 0.5:
                number -= number % WRITTEN
            name = f"fork-{number}"
            fork = lake.catalog(name)
            if number % WRITTEN:
                assert content(fork) == base, name
                continue
            own = _own_files(fork)
            assert own == [f"{place}.parquet" for place in range(len(own))], f"{name} shows {own}"
            assert len(own) >= seen.get(name, 0), f"{name} had {seen[name]} files, now {len(own)}"
            seen[name] = len(own)
    return reads


def _own_files(fork: Catalog) -> list[str]:
    own = [file for file in fork.table("orders").storage.files() if file.owner_id == fork.catalog_id]
    return [PurePosixPath(file.path).name for file in own]


@pytest.mark.parametrize("lake_factory", ["sqlite", "postgres"], indirect=True)
def test_a_thousand_forks_are_read_while_others_commit(lake_factory: LakeFactory) -> None:
    url = lake_factory.url()
    with Lake(url, data_path=lake_factory.directory / "data") as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT"})
        shop.table("orders").storage.append_files(
            [NewDataFile(f"before-{number}.parquet", 5, 50) for number in range(5)]
        )
        shop.fork_many([f"fork-{number}" for number in range(FORKS)])
        base = content(shop)
        results = race(
            *(Job(f"reader {seed}", read, (url, seed, base, SECONDS)) for seed in range(3)),
            *(Job(f"writer {seed}", write, (url, seed, SECONDS)) for seed in range(2)),
            Job("parent", write_parent, (url, SECONDS)),
        )
        assert all(results.values()), results
        counts = results["writer 0"] | results["writer 1"]
        for number in range(FORKS):
            name = f"fork-{number}"
            fork = lake.catalog(name)
            if name in counts:
                assert _own_files(fork) == [f"{place}.parquet" for place in range(counts[name])], name
            else:
                assert content(fork) == base, name
        check_rules(lake)
