"""A lake with something of everything in it, and the deeds that are killed half way."""

import os
from collections.abc import Callable
from typing import Any

from forklake import ColumnStats, Lake, NewDataFile, NewDeleteFile

Deed = Callable[[Lake], Any]


def fill(lake: Lake) -> None:
    """Make a catalog and a fork of it, each with files, delete files and options."""
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT", "amount": "DECIMAL(10,2)"})
    shop.create_table("events", {"id": "BIGINT"})
    stats = {"id": ColumnStats(10, 0, "1", "10")}
    shop.table("orders").storage.append_files(
        [NewDataFile(f"{name}.parquet", 10, 100, column_stats=stats) for name in "abc"]
    )
    (first, *_) = shop.table("orders").storage.files()
    shop.table("orders").storage.delete_rows([NewDeleteFile(first.data_file_id, "a.delete", 1, 10)])
    shop.options.set("parquet_version", 2)
    shop.options.set("target_file_size", "1MB", table="orders")
    agent = shop.fork("agent")
    agent.table("orders").storage.append_files([NewDataFile("own.parquet", 10, 100)])
    own = agent.table("orders").storage.files()[-1]
    agent.table("orders").storage.delete_rows([NewDeleteFile(own.data_file_id, "own.delete", 1, 10)])
    shop.table("events").storage.append_files([NewDataFile("later.parquet", 10, 100)])
    shop.table("orders").alter.add_column(("later", "INTEGER"))


def commit(lake: Lake) -> None:
    """Change everything that one transaction can change, of the fork's own and of what it inherits."""
    agent = lake.catalog("agent")
    first, second, _, own = agent.table("orders").storage.files()
    with agent.transaction(author="killed", message="everything", commit_key="once") as transaction:
        transaction.schemas.create("more")
        transaction.create_table("new", {"id": "BIGINT"}, schema="more")
        transaction.table("new", schema="more").storage.append_files([NewDataFile("n.parquet", 3, 30)])
        transaction.table("orders").storage.delete_rows([NewDeleteFile(first.data_file_id, "x.delete", 2, 20)])
        transaction.table("orders").storage.delete_rows([NewDeleteFile(own.data_file_id, "y.delete", 2, 20)])
        transaction.table("orders").storage.remove_files([second.data_file_id])
        stats = {"id": ColumnStats(5, 0, "1", "5")}
        transaction.table("orders").storage.append_files([NewDataFile("m.parquet", 5, 50, column_stats=stats)])
        transaction.table("orders").alter.add_column(("note", "VARCHAR"))
        transaction.table("orders").alter.drop_column("amount")
        transaction.table("orders").rename("sales")
        transaction.table("events").drop()


def fork(lake: Lake) -> None:
    """Fork a fork that has options."""
    lake.catalog("agent").fork("forked")


def fork_past(lake: Lake) -> None:
    """Fork at a snapshot of the ancestor."""
    agent = lake.catalog("agent")
    agent.fork("forked", at=agent.snapshots()[3].snapshot_id)


def fork_many(lake: Lake) -> None:
    """Make several forks at once."""
    lake.catalog("shop").fork_many(["forked", "forked-2", "forked-3"])


def merge(lake: Lake) -> None:
    """Bring what the fork has into its parent."""
    lake.catalog("shop").merge(lake.catalog("agent"), commit_key="once")


def refresh(lake: Lake) -> None:
    """Bring a fork with rows of its own to the head of its parent."""
    lake.catalog("agent").refresh(commit_key="once")


def reset(lake: Lake) -> None:
    """Give a catalog the content of its fork."""
    lake.catalog("shop").reset_to(lake.catalog("agent"), commit_key="once")


DEEDS: dict[str, Deed] = {
    "commit": commit,
    "fork": fork,
    "fork in the past": fork_past,
    "several forks": fork_many,
    "merge": merge,
    "refresh": refresh,
    "reset": reset,
}


class Death:
    """Ends the process when a step comes up for the n-th time, as a power cut would."""

    EXIT_CODE = 77

    def __init__(self, step: str, time: int) -> None:
        self.step = step
        self.left = time

    def __call__(self, step: str) -> None:
        if step == self.step:
            self.left -= 1
            if not self.left:
                os._exit(self.EXIT_CODE)
