"""`forklake maintain`: keep files few, and give back what nothing needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click

from forklake import CheckpointStep, CompactedFiles
from forklake.cli import output
from forklake.cli.clean_up import cleanup, everything, expire, orphans, tell_failures
from forklake.cli.command import Group, catalog_argument, open_lake
from forklake.cli.draw_progress import draw_progress
from forklake.cli.table import flush_tables
from forklake.errors import DataFileError, IncompleteError


@click.group(cls=Group)
def maintain() -> None:
    """Maintenance, from time to time; it changes no row."""


_table = click.argument("table", required=False)
_schema = click.option("--schema", metavar="NAME", help="The schema of the table, or of all tables to take.")
_limit = click.option("--max-compacted-files", type=int, metavar="N", help="Write so many files for a table at most.")
_dry_run = click.option("--dry-run", is_flag=True, help="Only say what would be done.")


@maintain.command()
@catalog_argument()
@_table
@_schema
@click.option("--min-file-size", type=int, metavar="BYTES", help="Leave smaller files out.")
@click.option("--max-file-size", type=int, metavar="BYTES", help="Leave files of this size and larger ones out.")
@_limit
@_dry_run
def compact(catalog: str, table: str | None, dry_run: bool, **limits: Any) -> None:
    """Merge small data files into larger ones.

    Of one table, or of all whose option auto_compact is not off. Rows keep their ids and snapshots, and earlier
    snapshots their files. Each table is a commit of its own; one that fails does not stop the others.

    With --json: `compacted`, each with `schema_name`, `table_name`, `files_processed`, `files_created`, `bytes_before`,
    `bytes_after` and `snapshot_id`; and `dry_run`.

    Examples:
      forklake maintain compact shop
      forklake maintain compact shop orders --dry-run
      forklake maintain compact shop --schema staging --max-file-size 1000000
    """
    with open_lake() as lake, draw_progress() as progress:
        merge = lake.catalog(catalog).maintenance.merge_adjacent_files
        _show(lambda: merge(table, dry_run=dry_run, progress=progress, **limits), dry_run=dry_run)


@maintain.command()
@catalog_argument()
@_table
@_schema
@click.option("--delete-threshold", type=float, metavar="FRACTION", help="Rewrite files of which so much is deleted.")
@_limit
@_dry_run
def rewrite(catalog: str, table: str | None, dry_run: bool, **limits: Any) -> None:
    """Rewrite data files without their deleted rows.

    Those of which the option rewrite_delete_threshold (0.95) or more is deleted, or what --delete-threshold says, from
    0 to 1. Otherwise as `forklake maintain compact`.

    With --json: as `forklake maintain compact`.

    Examples:
      forklake maintain rewrite shop
      forklake maintain rewrite shop orders --delete-threshold 0.2
    """
    with open_lake() as lake, draw_progress() as progress:
        rewrite_files = lake.catalog(catalog).maintenance.rewrite_data_files
        _show(lambda: rewrite_files(table, dry_run=dry_run, progress=progress, **limits), dry_run=dry_run)


@maintain.command()
@catalog_argument()
@_table
@_schema
@_dry_run
def flush(catalog: str, table: str | None, schema: str | None, dry_run: bool) -> None:
    """Write rows that are kept in the metadata into files.

    The same as `forklake table flush`.

    With --json: as there.

    Examples:
      forklake maintain flush shop
      forklake maintain flush shop orders --dry-run
    """
    flush_tables(catalog, table, schema, dry_run=dry_run)


@maintain.command()
@catalog_argument()
@_dry_run
def checkpoint(catalog: str, dry_run: bool) -> None:
    """Do all maintenance of a catalog that is due.

    Inlined rows are flushed, snapshots expire that are older than the option expire_older_than, small files are merged,
    files with many deleted rows are rewritten, and files that nothing needs or names are deleted.

    With --dry-run each step tells what it would do now; what earlier steps would leave to it is not counted.

    With --json: `steps`, each with `name`, `count` and `failures`, and `dry_run`. The exit code is 9 if some files
    could not be deleted.

    Examples:
      forklake maintain checkpoint shop
      forklake maintain checkpoint shop --dry-run
    """
    with open_lake() as lake, draw_progress() as progress:
        try:
            steps = lake.catalog(catalog).maintenance.checkpoint(dry_run=dry_run, progress=progress)
        except IncompleteError as error:
            _show_steps(error.done, dry_run=dry_run)
            raise
    _show_steps(steps, dry_run=dry_run)
    if any(step.failures for step in steps):
        click.get_current_context().exit(DataFileError.exit_code)


for command in (expire, cleanup, orphans, everything):
    maintain.add_command(command)


def _show_steps(steps: Sequence[CheckpointStep], *, dry_run: bool) -> None:
    count = "WOULD DO" if dry_run else "COUNT"
    sheet = output.Sheet("STEP", count, right=(count,))
    output.show(
        {"steps": steps, "dry_run": dry_run}, lambda: sheet.lines((step.name, f"{step.count:,}") for step in steps)
    )
    tell_failures(failure for step in steps for failure in step.failures)


def _show(compact: Callable[[], list[CompactedFiles]], *, dry_run: bool) -> None:
    """Print what was compacted; if some tables failed, what was done of the others."""
    try:
        done = compact()
    except IncompleteError as error:
        _show_compacted(error.done, dry_run=dry_run)
        raise
    _show_compacted(done, dry_run=dry_run)


def _show_compacted(done: Sequence[CompactedFiles], *, dry_run: bool) -> None:
    def text() -> Iterator[str]:
        if not done:
            yield "There was nothing to compact."
            return
        columns = ("SCHEMA", "TABLE", "FILES", "NEW FILES", "SIZE", "NEW SIZE")
        sheet = output.Sheet(*columns, right=columns[2:])
        yield from sheet.lines(_row(one) for one in done)
        files, made = sum(one.files_processed for one in done), sum(one.files_created for one in done)
        before, after = sum(one.bytes_before for one in done), sum(one.bytes_after or 0 for one in done)
        if dry_run:
            yield f"Would replace {output.quantity(files, 'file')} of {output.size(before)} by {made:,}."
        else:
            size = output.size(after)
            yield f"Replaced {output.quantity(files, 'file')} of {output.size(before)} by {made:,} of {size}."

    output.show({"compacted": done, "dry_run": dry_run}, text)


def _row(one: CompactedFiles) -> tuple[object, ...]:
    counts = (f"{one.files_processed:,}", f"{one.files_created:,}")
    return one.schema_name, one.table_name, *counts, output.size(one.bytes_before), output.size(one.bytes_after)
