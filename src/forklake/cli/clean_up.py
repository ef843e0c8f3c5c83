"""Commands that give back what nothing needs: expire, cleanup, orphans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import click

from forklake import CleanUp
from forklake.cli import output
from forklake.cli.catalog_lives import reaped_lines
from forklake.cli.command import Command, catalog_argument, open_lake
from forklake.cli.draw_progress import draw_progress
from forklake.cli.snapshot import spared_lines
from forklake.errors import DataFileError, IncompleteError


@click.command(cls=Command)
@catalog_argument("catalog")
@click.argument("ids", type=int, nargs=-1, metavar="[ID]...")
@click.option("--older-than", metavar="TIME|AGE", help="All before a time, or of an age such as '7 days'.")
@click.option("--release", is_flag=True, help="Also tagged ones, and those that merges are compared with.")
@click.option("--dry-run", is_flag=True, help="Only say which snapshots would expire.")
def expire(catalog: str, ids: tuple[int, ...], older_than: str | None, release: bool, dry_run: bool) -> None:
    """Forget snapshots of a catalog, and say what that frees.

    This is `forklake snapshot expire`. Files that nobody sees any more wait for their grace period;
    `forklake maintain cleanup` deletes them.

    With --json: `versions`, `spared`, `waiting_count`, `waiting_bytes` and `dry_run`.

    Examples:
      forklake maintain expire shop --older-than '7 days'
      forklake maintain expire shop 17 18 --dry-run
    """
    if bool(ids) == (older_than is not None):
        raise click.UsageError("Name snapshots by their ids, or say --older-than; nothing was expired.")
    with open_lake() as lake:
        maintenance = lake.catalog(catalog).maintenance
        gone = maintenance.expire_snapshots(
            versions=ids or None, older_than=older_than, release=release, dry_run=dry_run
        )
        waiting = maintenance.cleanup_old_files(cleanup_all=True, dry_run=True)
    document = {
        "versions": gone,
        "spared": gone.spared,
        "waiting_count": len(waiting.deleted),
        "waiting_bytes": waiting.byte_count,
        "dry_run": dry_run,
    }

    def text() -> Iterator[str]:
        yield f"{'Would expire' if dry_run else 'Expired'} {output.quantity(len(gone), 'snapshot')}."
        yield from spared_lines(gone)
        yield f"{output.quantity(len(waiting.deleted), 'file')} ({output.size(waiting.byte_count)}) wait for deletion."

    output.show(document, text)


@click.command(cls=Command)
@catalog_argument("catalog", required=False)
@click.option("--older-than", metavar="TIME|AGE", help="What waits since before a time, or longer than an age.")
@click.option("--all", "everything", is_flag=True, help="All catalogs of the lake, dropped and purged ones too.")
@click.option("--any-age", is_flag=True, help="Delete all that waits, however short.")
@click.option("--dry-run", is_flag=True, help="Only say which files would be deleted.")
def cleanup(catalog: str | None, older_than: str | None, everything: bool, any_age: bool, dry_run: bool) -> None:
    """Delete files that nothing needs any more.

    Of one catalog, or with --all of the whole lake, purged catalogs included. Each file has waited for the time in
    the option delete_older_than, 2 days if it is not set. Files that some catalog still names, and those
    that cannot be deleted, go on waiting.

    With --json: `deleted`, `byte_count`, `named`, `failed`, `failures` and `dry_run`. The exit code is 9 if some files
    could not be deleted.

    Examples:
      forklake maintain cleanup --all
      forklake maintain cleanup shop --older-than '7 days' --dry-run
      forklake maintain cleanup shop --any-age
    """
    if (catalog is None) != everything:
        raise click.UsageError("Name a catalog, or say --all.")
    if any_age and older_than is not None:
        raise click.UsageError("Say --older-than or --any-age, not both; nothing was deleted.")
    with open_lake() as lake:
        maintenance = lake.maintenance if catalog is None else lake.catalog(catalog).maintenance
        found = maintenance.cleanup_old_files(older_than=older_than, cleanup_all=any_age, dry_run=dry_run)
    output.show(found, lambda: _summary(found))
    if found.failed:
        tell_failures(found.failures)
        raise DataFileError(
            f"{output.quantity(len(found.failed), 'file')} could not be deleted.",
            hint="They go on waiting; run it again when they can be deleted.",
        )


@click.command("all", cls=Command)
@click.option("--for", "duration", metavar="TIME", help="Begin new work for so long, such as 10m or '2 hours'.")
@click.option("--at-least", metavar="AGE", help="Expire and delete nothing younger, whatever options say.")
@click.option("--dry-run", is_flag=True, help="Only say what there is to do.")
def everything(duration: str | None, at_least: str | None, dry_run: bool) -> None:
    """Do the maintenance that catalogs of the lake need.

    First catalogs are dropped that are past their lifetimes, and files deleted that nothing needs any more. Then each
    catalog that holds work is visited: rows in the metadata are flushed, snapshots expire that the option
    expire_older_than lets expire, small files are merged, files with many deleted rows are rewritten. Several
    machines may run this at once; the next run goes on where this one ended.

    Whoever may write to a lake may set the options expire_older_than and delete_older_than. With --at-least, snapshots
    that expire are that old, and files have waited so long, whatever these say.

    With --json: `catalogs`, each with `catalog_id`, `name`, `steps` and `failure`, `left`, `cleaned`, `reaped` and
    `dry_run`. The exit code is 11 if some catalogs failed, and 9 if none did but
    some files could not be deleted.

    Examples:
      forklake maintain all --dry-run
      forklake maintain all --for '10 minutes'
      forklake maintain all --at-least '7 days'
    """
    with open_lake() as lake, draw_progress() as progress:
        done = lake.maintenance.run(duration=duration, at_least=at_least, dry_run=dry_run, progress=progress)

    def text() -> Iterator[str]:
        if done.reaped.dropped or done.reaped.purged:
            yield from reaped_lines(done.reaped)
        yield from _summary(done.cleaned)
        for one in done.catalogs:
            told = ", ".join(f"{step.name} {step.count:,}" for step in one.steps)
            yield f"{output.printable(one.name)}: {told or 'nothing was done'}"
        action = "Would maintain" if dry_run else "Maintained"
        left = f"; {output.quantity(done.left, 'catalog')} left" if done.left else ""
        yield f"{action} {output.quantity(len(done.catalogs), 'catalog')}{left}."

    output.show(done, text)
    failures = [one for one in done.catalogs if one.failure is not None]
    for one in failures:
        click.echo(f'Catalog "{output.printable(one.name)}": {one.failure}', err=True)
    tell_failures(done.cleaned.failures)
    if failures:
        click.get_current_context().exit(IncompleteError.exit_code)
    if done.cleaned.failed:
        click.get_current_context().exit(DataFileError.exit_code)


def tell_failures(failures: Iterable[str]) -> None:
    """Print what could not be deleted or read beside the results."""
    for failure in failures:
        click.echo(output.printable(failure), err=True)


def _summary(found: CleanUp) -> Iterator[str]:
    action = "Would delete" if found.dry_run else "Deleted"
    yield f"{action} {output.quantity(len(found.deleted), 'file')} ({output.size(found.byte_count)})."
    if found.named:
        yield f"{output.quantity(len(found.named), 'file')} wait on, because a catalog still names them."


@click.command(cls=Command)
@catalog_argument("catalog", required=False)
@click.option("--all", "everything", is_flag=True, help="All catalogs of the lake, dropped and purged ones too.")
@click.option(
    "--older-than", metavar="TIME|AGE", help="Files last written before a time, or of an age such as '7 days'."
)
@click.option("--any-age", is_flag=True, help="Files of any age; those of writers at work stay all the same.")
@click.option("--dry-run", is_flag=True, help="Only say which files would be deleted.")
def orphans(catalog: str | None, everything: bool, older_than: str | None, any_age: bool, dry_run: bool) -> None:
    """Delete files that nothing names.

    Writers that die leave files in the catalog's directory which no snapshot knows. They are deleted if they are
    older than the option delete_older_than says (2 days), or than --older-than. What any catalog names stays, and what
    a writer at work has written. In a directory outside of the lake's data path only files go that have names
    which forklake or DuckLake gives; others may be somebody else's.

    With --json: `files`, each with `path`, `byte_count` and `modified`, `failures`, `byte_count`, `left` and `dry_run`.
    The exit code is 9 if something could not be deleted or read.

    Examples:
      forklake maintain orphans shop --dry-run
      forklake maintain orphans shop --older-than '12 hours'
      forklake maintain orphans --all
    """
    if (catalog is None) != everything:
        raise click.UsageError("Name a catalog, or say --all.")
    if any_age and older_than is not None:
        raise click.UsageError("Say --older-than or --any-age, not both; nothing was deleted.")
    with open_lake() as lake, draw_progress() as progress:
        maintenance = lake.maintenance if catalog is None else lake.catalog(catalog).maintenance
        found = maintenance.delete_orphaned_files(
            older_than=older_than, cleanup_all=any_age, dry_run=dry_run, progress=progress
        )

    def text() -> Iterator[str]:
        for file in found.files:
            yield output.printable(file.path)
        action = "Would delete" if dry_run else "Deleted"
        yield f"{action} {output.quantity(len(found.files), 'orphaned file')}, {output.size(found.byte_count)}."
        if found.left:
            yield f"{output.quantity(found.left, 'file')} outside of the data path may be of others, and stay."

    output.show(
        {
            "files": found.files,
            "failures": found.failures,
            "byte_count": found.byte_count,
            "left": found.left,
            "dry_run": found.dry_run,
        },
        text,
    )
    tell_failures(found.failures)
    if found.failures:
        click.get_current_context().exit(DataFileError.exit_code)
