"""`forklake init`: prepare a database for a lake."""

from __future__ import annotations

import click

from forklake.cli import output
from forklake.cli.command import Command, name_lake, named_lake
from forklake.ops.lakes.init_lake import InitialisedLake, init_lake


@click.command(cls=Command)
@click.argument("given", required=False, metavar="[LAKE]")
@click.option("--data-path", metavar="PATH", help="Where data files go; kept in the lake.")
@click.option("--partitions", type=int, metavar="N", help="PostgreSQL: split the large tables by catalog into N parts.")
def init(given: str | None, data_path: str | None, partitions: int | None) -> None:
    """Create the metadata tables of a lake.

    LAKE is the lake, as for --lake. Running it again changes only what is missing. A data path is kept from the first
    time on: a lake that has none yet gets it, a different one is refused. `forklake upgrade` brings the tables of an
    older release to this one.

    With --json: `created`, `data_path_set`, `data_path`.

    Examples:
      forklake init lake.db --data-path data
      forklake init --lake postgresql://user@host/db --data-path s3://bucket/lake --partitions 16
      forklake init --lake "postgresql://user@host/db?metadata_schema=sales" --data-path s3://bucket/sales
    """
    if given is not None:
        name_lake(given)
    made = init_lake(named_lake(), partitions, data_path)
    output.show(
        {
            "created": made.made_tables,
            "data_path_set": made.set_data_path,
            "data_path": made.data_path,
        },
        lambda: [*_status_lines(made), f"Data path: {made.data_path or 'not set; give --data-path'}"],
    )


def _status_lines(lake: InitialisedLake) -> list[str]:
    if lake.made_tables:
        return ["The lake is ready."]
    if not lake.changed:
        return ["The lake was ready before; nothing was changed."]
    return ["The lake was ready before.", "It had no data path; now it has one."]
