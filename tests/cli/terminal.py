"""A terminal for tests: run a command line in-process, and say what it printed."""

import re
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner

import forklake
from forklake import ColumnDefinition, Lake, NewDataFile, NewDeleteFile
from forklake.cli.main import forklake as program


@dataclass(frozen=True)
class Said:
    """What a command printed, and its exit code."""

    out: str
    err: str
    code: int


def run(*words: str, lake: str | Path | None = None, stdin: str | None = None) -> Said:
    """Run the program; the lake goes in by the variable."""
    runner = CliRunner(env={"FORKLAKE_LAKE": None if lake is None else str(lake)})
    result = runner.invoke(program, list(words), input=stdin, prog_name="forklake")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Said(result.stdout, result.stderr, result.exit_code)


def make_shop(directory: Path) -> Path:
    """Make a lake with a catalog `shop`, a fork of it, a fork of that, and one in the past; return its file."""
    path = directory / "lake.db"
    with forklake.open(str(path), data_path=directory / "data") as lake:
        fill_shop(lake)
    pq.write_table(pa.table({"id": [7, 8, 9], "note": ["x", "y", "z"]}), directory / "theirs.parquet")
    return path


def fill_shop(lake: Lake) -> None:
    """Make `shop`, and `agent`, `what-if` and `audit` below it."""
    shop = lake.create_catalog("shop")
    address = ColumnDefinition(
        "address", "STRUCT", children=(ColumnDefinition("street", "VARCHAR"), ColumnDefinition("zip", "VARCHAR"))
    )
    with shop.transaction(author="ann", message="Two tables") as txn:
        txn.create_table("orders", {"id": "BIGINT", "amount": "DECIMAL(10,2)", "day": "DATE"}, partition_by=["day"])
        txn.create_table("customers", [ColumnDefinition("id", "BIGINT", nulls_allowed=False), address])
        txn.table("orders").alter.comment("What was sold")
    with shop.transaction(author="ann", message="Load") as txn:
        txn.table("orders").storage.append_files(
            [
                NewDataFile("day=1/a.parquet", 1000, 64_000, partition_values=("1",)),
                NewDataFile("day=2/b.parquet", 500, 32_000, partition_values=("2",)),
            ]
        )
    agent = shop.fork("agent")
    first = agent.table("orders").storage.files()[0]
    agent.table("orders").storage.delete_rows([NewDeleteFile(first.data_file_id, "a-delete.parquet", 3, 800)])
    agent.table("customers").rename("people")
    agent.fork("what-if").table("people").storage.append_files([NewDataFile("p.parquet", 7, 900)])
    shop.fork("audit", at=shop.snapshots()[1].snapshot_id)


_SAME_WIDTH = (
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ"), "YYYY-MM-DD hh:mm:ssZ"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"), "YYYY-MM-DDThh:mm:ss.ffffffZ"),
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "uuuuuuuu-uuuu-uuuu-uuuu-uuuuuuuuuuuu"),
)


def normalised(text: str, directory: Path) -> str:
    """Return output without what differs from run to run, the columns where they were."""
    text = text.replace(str(directory), "/somewhere")
    for pattern, word in _SAME_WIDTH:
        text = pattern.sub(word, text)
    return text
