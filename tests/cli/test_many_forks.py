"""Tree and lists stay readable and quick when a catalog has a great many forks.

20,000 of them here; FORKLAKE_FORKS=100000 makes as many as you like.
"""

import json
import os
import re
import time
from pathlib import Path

import pytest

import forklake
from tests.cli.terminal import run

FORKS = int(os.environ.get("FORKLAKE_FORKS", "20000"))


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake with one catalog of many forks, one of which has forks of its own and was dropped."""
    path = tmp_path_factory.mktemp("crowded") / "lake.db"
    with forklake.open(str(path)) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT"})
        shop.fork_many([f"agent-{number:06}" for number in range(FORKS)])
        lake.catalog("agent-000002").fork("what-if")
        lake.catalog("agent-000002").drop()
    return path


@pytest.mark.slow
def test_the_tree_fits_on_a_screen_and_comes_at_once(crowded: Path) -> None:
    start = time.perf_counter()
    said = run("catalog", "tree", lake=crowded)
    seconds = time.perf_counter() - start
    lines = said.out.splitlines()
    assert [re.split(r" +\d+  ", line)[0] for line in lines[1:]] == [
        "shop",
        "├── agent-000000",
        "├── agent-000001",
        "├── agent-000002 (dropped)",
        "│   └── what-if",
        "├── agent-000003",
        "├── agent-000004",
        f"└── ... and {FORKS - 5:,} more",
    ]
    assert f"{FORKS:,}" in lines[1]
    assert max(len(line) for line in lines) <= 80
    assert seconds < 5


def test_the_tree_can_be_made_wider_but_not_endless(crowded: Path) -> None:
    wide = run("catalog", "tree", "shop", "--width", "10000", "--limit", "500", lake=crowded).out.splitlines()
    # The header, and a line for what is left out below the dropped fork and below shop.
    assert len(wide) == 1 + 500 + 2
    assert wide[-1] == f"└── ... and {FORKS - 499:,} more"


def test_a_tree_of_a_long_chain_is_drawn_whole(crowded: Path) -> None:
    with forklake.open(str(crowded)) as lake:
        link = lake.create_catalog("chain-0")
        for number in range(1, 60):
            link = link.fork(f"chain-{number}")
    lines = run("catalog", "tree", "chain-0", lake=crowded).out.splitlines()
    assert len(lines) == 1 + 60
    assert lines[-1].lstrip().startswith("└── chain-59")


def test_the_list_pages_by_itself(crowded: Path) -> None:
    said = run("catalog", "list", "--prefix", "agent-", lake=crowded)
    assert len(said.out.splitlines()) == 1 + FORKS - 1
    found = json.loads(run("catalog", "list", "--prefix", "agent-", "--limit", "2500", "--json", lake=crowded).out)
    names = [each["name"] for each in found["catalogs"]]
    assert len(names) == 2500
    assert names == sorted(set(names))
    assert found["next_after"] == names[-1]


def test_many_forks_are_told_in_one_line(crowded: Path) -> None:
    names = "".join(f"more-{number:04}\n" for number in range(200))
    said = run("catalog", "fork", "shop", "--names-from", "-", lake=crowded, stdin=names)
    assert said.out == 'Made 200 forks of "shop"; 0 were there before.\n'
