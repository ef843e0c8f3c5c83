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
    shop.append_files("orders", [NewDataFile(f"{name}.parquet", 10, 100, column_stats=stats) for name in "abc"])
    (first, *_) = shop.table("orders").files()
    shop.delete_rows("orders", [NewDeleteFile(first.data_file_id, "a.delete", 1, 10)])
    shop.options.set("parquet_version", 2)
    shop.options.set("target_file_size", "1MB", table="orders")
    agent = shop.fork("agent")
    agent.append_files("orders", [NewDataFile("own.parquet", 10, 100)])
    own = agent.table("orders").files()[-1]
    agent.delete_rows("orders", [NewDeleteFile(own.data_file_id, "own.delete", 1, 10)])


def commit(lake: Lake) -> None:
    """Change everything that one transaction can change, of the fork's own and of what it inherits."""
    agent = lake.catalog("agent")
    first, second, _, own = agent.table("orders").files()
    with agent.transaction(author="killed", message="everything", commit_key="once") as transaction:
        transaction.create_schema("more")
        transaction.create_table("new", {"id": "BIGINT"}, schema="more")
        transaction.append_files("new", [NewDataFile("n.parquet", 3, 30)], schema="more")
        transaction.delete_rows("orders", [NewDeleteFile(first.data_file_id, "x.delete", 2, 20)])
        transaction.delete_rows("orders", [NewDeleteFile(own.data_file_id, "y.delete", 2, 20)])
        transaction.remove_files("orders", [second.data_file_id])
        stats = {"id": ColumnStats(5, 0, "1", "5")}
        transaction.append_files("orders", [NewDataFile("m.parquet", 5, 50, column_stats=stats)])
        transaction.add_column("orders", ("note", "VARCHAR"))
        transaction.drop_column("orders", "amount")
        transaction.rename_table("orders", "sales")
        transaction.drop_table("events")


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


DEEDS: dict[str, Deed] = {"commit": commit, "fork": fork, "fork in the past": fork_past, "several forks": fork_many}


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
