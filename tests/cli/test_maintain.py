"""What `forklake maintain` says of files that it replaced."""

import json
from pathlib import Path

import pyarrow as pa
import pytest

import forklake
from tests.cli.terminal import run


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """A lake whose table has three files, one of them with deleted rows, and another table of two."""
    path = tmp_path / "lake.db"
    with forklake.open(str(path)) as opened:
        shop = opened.create_catalog("shop")
        for name, count in (("orders", 3), ("other", 2)):
            shop.create_table(name, {"id": "BIGINT"})
            for first in range(count):
                shop.table(name).append(pa.table({"id": list(range(first * 10, first * 10 + 10))}))
        orders = shop.table("orders").storage
        orders.inline_deletes({orders.files()[0].data_file_id: range(5)})
    return path


def test_files_and_bytes_before_and_after_are_told(lake: Path) -> None:
    planned = run("maintain", "compact", "shop", "--dry-run", lake=lake)
    assert planned.out.splitlines()[-1].startswith("Would replace 4 files of ")
    assert planned.out.splitlines()[0].split() == ["SCHEMA", "TABLE", "FILES", "NEW", "FILES", "SIZE", "NEW", "SIZE"]
    document = json.loads(run("maintain", "compact", "shop", "orders", "--json", lake=lake).out)
    (one,) = document["compacted"]
    assert (one["table_name"], one["files_processed"], one["files_created"]) == ("orders", 2, 1)
    assert (min(one["bytes_before"], one["bytes_after"]) > 0, document["dry_run"]) == (True, False)
    done = run("maintain", "compact", "shop", lake=lake)
    assert done.out.splitlines()[-1].startswith("Replaced 2 files of ")
    assert run("maintain", "rewrite", "shop", lake=lake).out == "There was nothing to compact.\n"
    rewritten = run("maintain", "rewrite", "shop", "--delete-threshold", "0.5", lake=lake)
    assert rewritten.out.splitlines()[-1].startswith("Replaced 1 file of ")
    steps_planned = run("maintain", "checkpoint", "shop", "--dry-run", lake=lake).out.splitlines()
    assert [line.split() for line in steps_planned][:4:3] == [["STEP", "WOULD", "DO"], ["merge_adjacent_files", "2"]]
    steps = json.loads(run("maintain", "checkpoint", "shop", "--json", lake=lake).out)["steps"]
    assert {step["name"]: step["count"] for step in steps}["merge_adjacent_files"] == 2


def test_a_table_that_fails_is_told_after_the_others(lake: Path) -> None:
    with forklake.open(str(lake)) as opened:
        Path(opened.catalog("shop").table("orders").storage.files()[1].path).unlink()
    said = run("maintain", "compact", "shop", lake=lake)
    assert "other" in said.out
    assert said.out.splitlines()[-1].startswith("Replaced 2 files of ")
    assert said.err.startswith('Error: 1 table was not compacted; the others were: "main"."orders": ')
    assert said.code == 11
