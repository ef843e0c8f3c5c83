"""`forklake fsck`: check that metadata and files fit together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import click

from forklake import LakeCheck
from forklake.cli import output
from forklake.cli.command import Command, complete_catalog, open_lake
from forklake.cli.draw_progress import draw_progress

EXIT_CODES: Final = {"error": 13, "warning": 12, "note": 0, None: 0}
"""The exit code for the worst that was found."""


@click.command(cls=Command)
@click.option("--catalog", metavar="NAME", shell_complete=complete_catalog, help="Only this catalog and its ancestors.")
@click.option("--deep", is_flag=True, help="Open each file: footers, rows, statistics, deleted positions.")
@click.option("--no-files", is_flag=True, help="Check the metadata only.")
@click.option("--repair", is_flag=True, help="Delete rows that mean nothing; see --dry-run first.")
@click.option("--dry-run", is_flag=True, help="With --repair: only say what would be deleted.")
def fsck(catalog: str | None, deep: bool, no_files: bool, repair: bool, dry_run: bool) -> None:
    """Check that metadata and files fit together.

    Every file that a snapshot shows is there with its recorded size, every file on disk is named by something, and the
    metadata has no contradictions. What others do meanwhile is no finding. --repair deletes only rows that hide, follow
    or protect something which is not there; it deletes no file.

    The exit code is 13 if there are errors, 12 if there are warnings, 0 if there are notes only or nothing.

    With --json: `severity`, `counts` by code, `findings`, each with `code`, `severity`, `catalog_id`, `catalog_name`,
    `message` and `path` (the first 1,000 of each code), `catalog_count`, `file_count`, `repaired` and `dry_run`.

    Examples:
      forklake fsck
      forklake fsck --catalog shop --deep
      forklake fsck --repair --dry-run
    """
    if deep and no_files:
        raise click.UsageError("Say --deep or --no-files, not both; nothing was checked.")
    if dry_run and not repair:
        raise click.UsageError("--dry-run goes with --repair: a check changes nothing; nothing was checked.")
    with open_lake() as lake, draw_progress() as progress:
        maintenance = lake.maintenance if catalog is None else lake.catalog(catalog).maintenance
        found = maintenance.check(files=not no_files, deep=deep, repair=repair, dry_run=dry_run, progress=progress)
    document = {
        "severity": found.severity,
        "counts": found.counts,
        "findings": found.findings,
        "catalog_count": found.catalog_count,
        "file_count": found.file_count,
        "repaired": found.repaired,
        "dry_run": found.dry_run,
    }
    output.show(document, lambda: _lines(found))
    click.get_current_context().exit(EXIT_CODES[found.severity])


def _lines(found: LakeCheck) -> Iterator[str]:
    if found.findings:
        sheet = output.Sheet("SEVERITY", "CODE", "CATALOG", "WHAT")
        yield from sheet.lines(
            (one.severity, one.code, one.catalog_name or f"id {one.catalog_id}", output.printable(one.message))
            for one in found.findings
        )
        for code, count in found.counts.items():
            shown = sum(one.code == code for one in found.findings)
            if shown < count:
                yield f"{count - shown:,} more of {code} are not shown."
    for code, count in found.repaired.items():
        word = "Would delete" if found.dry_run else "Deleted"
        yield f"{word} {output.quantity(count, 'row')} for {code}."
    catalogs, files = output.quantity(found.catalog_count, "catalog"), output.quantity(found.file_count, "file")
    verdict = {"error": "There are errors", "warning": "There are warnings", "note": "All is well", None: "All is well"}
    yield f"{verdict[found.severity]}: {catalogs} and {files} were checked."
