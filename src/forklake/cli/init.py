"""`forklake init`: prepare a database for a lake."""

from __future__ import annotations

import click

import forklake
from forklake.ops.init_lake import init_lake


@click.command()
@click.option("--data-path", metavar="PATH", help="Where data files go; kept in the lake.")
@click.option("--partitions", type=int, metavar="N", help="PostgreSQL: split the large tables by catalog into N parts.")
@click.pass_obj
def init(lake: str | None, data_path: str | None, partitions: int | None) -> None:
    r"""Make the metadata tables of a lake. Running it again changes nothing.

    \b
    Examples:
      forklake --lake lake.db init --data-path data
      forklake --lake postgresql://user@host/db init --data-path s3://bucket/lake --partitions 16
    """
    if lake is None:
        raise click.UsageError("Name the lake with --lake URL or the variable FORKLAKE_LAKE.")
    made = init_lake(lake, partitions)
    with forklake.open(lake, data_path=data_path) as opened:
        click.echo("The lake is ready." if made else "The lake was ready before; nothing was changed.")
        click.echo(f"Data path: {opened.data_path or 'not set; give --data-path'}")
