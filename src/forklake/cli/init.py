"""`forklake init`: prepare a database for a lake."""

from __future__ import annotations

import click

import forklake
from forklake.cli import output
from forklake.cli.command import Command, named_lake
from forklake.ops.init_lake import init_lake


@click.command(cls=Command)
@click.option("--data-path", metavar="PATH", help="Where data files go; kept in the lake.")
@click.option("--partitions", type=int, metavar="N", help="PostgreSQL: split the large tables by catalog into N parts.")
def init(data_path: str | None, partitions: int | None) -> None:
    """Make the metadata tables of a lake. Running it again changes nothing.

    With --json: `created`, `data_path`.

    Examples:
      forklake init --lake lake.db --data-path data
      forklake init --lake postgresql://user@host/db --data-path s3://bucket/lake --partitions 16
      forklake init --lake "postgresql://user@host/db?metadata_schema=sales" --data-path s3://bucket/sales
    """
    url = named_lake()
    made = init_lake(url, partitions)
    with forklake.open(url, data_path=data_path) as lake:
        output.show(
            {"created": made, "data_path": lake.data_path},
            lambda: [
                "The lake is ready." if made else "The lake was ready before; nothing was changed.",
                f"Data path: {lake.data_path or 'not set; give --data-path'}",
            ],
        )
