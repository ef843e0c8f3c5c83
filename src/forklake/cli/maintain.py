"""`forklake maintain`: give back what nothing needs any more."""

from __future__ import annotations

from collections.abc import Iterator

import click

from forklake.cli import output
from forklake.cli.command import Group, catalog_argument, open_lake
from forklake.errors import DataFileError


@click.group(cls=Group)
def maintain() -> None:
    """Maintenance: give back what nothing needs any more."""


@maintain.command()
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
    a writer at work has written.

    With --json: `files`, each with `path`, `byte_count` and `modified`, `failures`, `byte_count` and `dry_run`. The
    exit code is 9 if something could not be deleted or read.

    Examples:
      forklake maintain orphans shop --dry-run
      forklake maintain orphans shop --older-than '12 hours'
      forklake maintain orphans --all
    """
    if (catalog is None) != everything:
        raise click.UsageError("Name a catalog, or say --all.")
    if any_age and older_than is not None:
        raise click.UsageError("Say --older-than or --any-age, not both; nothing was deleted.")
    with open_lake() as lake:
        maintenance = lake.maintenance if catalog is None else lake.catalog(catalog).maintenance
        found = maintenance.delete_orphaned_files(older_than=older_than, cleanup_all=any_age, dry_run=dry_run)

    def text() -> Iterator[str]:
        for file in found.files:
            yield output.printable(file.path)
        action = "Would delete" if dry_run else "Deleted"
        yield f"{action} {output.quantity(len(found.files), 'orphaned file')}, {output.size(found.byte_count)}."

    output.show(
        {
            "files": found.files,
            "failures": found.failures,
            "byte_count": found.byte_count,
            "dry_run": found.dry_run,
        },
        text,
    )
    for failure in found.failures:
        click.echo(output.printable(failure), err=True)
    if found.failures:
        click.get_current_context().exit(DataFileError.exit_code)
