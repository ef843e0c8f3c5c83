"""`forklake catalog drop`: drop catalogs, one or many."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from forklake import DroppedTogether, Lake
from forklake.cli import output
from forklake.cli.command import Command, catalog_argument, open_lake
from forklake.cli.draw_progress import draw_progress
from forklake.cli.terms import info_options
from forklake.errors import NotFoundError


@click.command(cls=Command)
@catalog_argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--if-exists", is_flag=True, help="Pass over names that no live catalog has.")
@click.option("--parent", metavar="NAME", help="All forks of this catalog.")
@click.option("--prefix", metavar="TEXT", help="All whose names begin so.")
@click.option("--older-than", metavar="TIME|AGE", help="All that were created before a time, or of an age.")
@click.option("--idle", metavar="TIME|AGE", help="All without a commit since a time, or for an age.")
@click.option("--keep", multiple=True, metavar="NAME", help="But not this one; it may be given several times.")
@click.option("--dry-run", is_flag=True, help="Only say which.")
@info_options
def drop(
    names: tuple[str, ...],
    if_exists: bool,
    keep: tuple[str, ...],
    dry_run: bool,
    author: str | None,
    message: str | None,
    **chosen: str | None,
) -> None:
    """Drop catalogs; nothing is deleted yet.

    By their names, or all for which every condition holds. Forks keep working, and `catalog undrop` brings a catalog
    back. Of many, one that somebody commits to meanwhile is left. `catalog list --dropped` says who dropped them.

    With --json: `dropped`, each with `catalog_id` and `name`; of many also `left` with `reason`, and `dry_run`.

    Examples:
      forklake catalog drop agent-001 --author ann --message 'run 7 is done'
      forklake catalog drop agent-001 agent-002 --if-exists
      forklake catalog drop --parent shop --prefix try- --keep try-7 --dry-run
      forklake catalog drop --prefix agent- --idle '1 day'
    """
    conditions = {name: value for name, value in chosen.items() if value is not None}
    if bool(names) == bool(conditions) or (names and (keep or dry_run)):
        raise click.UsageError(
            "Name catalogs, or say which by --parent, --prefix, --older-than or --idle; --keep and --dry-run go with"
            " those. Nothing was dropped."
        )
    with open_lake() as lake:
        if names:
            _drop_named(lake, names, if_exists=if_exists, author=author, message=message)
            return
        with draw_progress() as progress:
            given: dict[str, Any] = dict(conditions)
            done = lake.drop_catalogs(
                **given,
                keep=keep,
                dry_run=dry_run,
                author=author,
                message=message,
                progress=progress,
            )
    output.show(done, lambda: _lines(done))


def _drop_named(lake: Lake, names: tuple[str, ...], *, if_exists: bool, **info: Any) -> None:
    dropped: list[dict[str, Any]] = []
    # All names are looked up before the first is dropped.
    for name in dict.fromkeys(names):
        try:
            dropped.append({"catalog_id": lake.catalog(name).catalog_id, "name": name})
        except NotFoundError:
            if not if_exists:
                raise
    for each in dropped:
        lake.catalog(each["name"]).drop(**info)
    output.show(
        {"dropped": dropped},
        lambda: (
            f'Dropped "{output.printable(each["name"])}" (id {each["catalog_id"]}); `catalog undrop` brings it back.'
            for each in dropped
        ),
    )


def _lines(done: DroppedTogether) -> Iterator[str]:
    which = output.which_names([each.name for each in done.dropped])
    yield f"{'Would drop' if done.dry_run else 'Dropped'} {output.quantity(len(done.dropped), 'catalog')}{which}."
    for each in done.left:
        yield f'Left "{output.printable(each.name)}": {each.reason}'
