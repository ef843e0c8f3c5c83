"""`forklake catalog export` and `import`: plain DuckLake databases."""

from __future__ import annotations

from collections.abc import Iterator

import click

import forklake
from forklake.catalog.moments import Moment
from forklake.cli import output
from forklake.cli.command import Command, catalog_argument, named_lake, open_lake, say_new_lake
from forklake.cli.draw_progress import draw_progress
from forklake.cli.moment import at_option
from forklake.ducklake.import_catalog import check_importable
from forklake.lake.internals import runtime_of
from forklake.ops.lakes.lake_exists import lake_exists


@click.command("export", cls=Command)
@catalog_argument()
@click.argument("path")
@at_option
@click.option("--history", is_flag=True, help="Write all snapshots up to that one, not only that one.")
def export_command(catalog: str, path: str, at: Moment | None, history: bool) -> None:
    """Write a catalog as a plain DuckLake 1.0 database.

    PATH is a new file: x.ducklake, x.duckdb or x.db for DuckDB, x.sqlite for SQLite, or duckdb:path or sqlite:path.
    Data files are not copied; the database names them where they lie. It appears complete or not at all.

    With --json: `path`, `product`, `snapshot_id`, `table_count`, `file_count`.

    Examples:
      forklake catalog export shop shop.ducklake
      forklake catalog export agent-001 agent.sqlite --at 42
      forklake catalog export shop shop.ducklake --history
    """
    with open_lake() as lake, draw_progress() as progress:
        made = lake.catalog(catalog).maintenance.export(path, at=at, history=history, progress=progress)
    document = {
        "path": str(made.path),
        "product": made.product,
        "snapshot_id": made.snapshot_id,
        "table_count": made.table_count,
        "file_count": made.file_count,
    }
    attach = f"ducklake:{'sqlite:' if made.product == 'sqlite' else ''}{made.path}"

    def text() -> Iterator[str]:
        tables, files = output.quantity(made.table_count, "table"), output.quantity(made.file_count, "data file")
        yield f'Exported "{output.printable(catalog)}" with {tables} and {files}, as snapshot {made.snapshot_id}.'
        yield f"DuckDB opens it: ATTACH '{output.printable(attach)}' AS lake"

    output.show(document, text)


@click.command("import", cls=Command)
@click.argument("name")
@click.argument("url")
@click.option("--data-path", metavar="PATH", help="Where the catalog's own new files go, if not below the lake's path.")
@click.option("--source-data-path", metavar="PATH", help="Where the database's files lie, if not where it says.")
@click.option("--metadata-schema", metavar="NAME", help="PostgreSQL: the schema of its tables; public if not given.")
def import_command(
    name: str, url: str, data_path: str | None, source_data_path: str | None, metadata_schema: str | None
) -> None:
    """Make a catalog of a plain DuckLake database, with its history.

    URL is a DuckDB or SQLite file, or postgresql://..., of DuckLake 0.3 to 1.0. Its files are not copied, and never
    belong to the catalog. All or nothing. A lake in a file is made if it is not there; on a
    server, only `forklake init` makes one.

    With --json: `catalog_id`, `name`, `snapshot_id`, `snapshot_count`, `table_count`.

    Examples:
      forklake catalog import shop shop.ducklake
      forklake catalog import shop shop.ducklake --lake lake.db
      forklake catalog import shop postgresql://user@host/db --metadata-schema lake
    """
    url_of_lake = named_lake()
    is_new = not lake_exists(url_of_lake)
    if is_new:
        check_importable(name, url, metadata_schema)
    with forklake.open(url_of_lake) as lake:
        if is_new:
            say_new_lake(runtime_of(lake).store.location)
        with draw_progress() as progress:
            made = lake.import_catalog(
                name,
                url,
                data_path=data_path,
                source_data_path=source_data_path,
                metadata_schema=metadata_schema,
                progress=progress,
            )
        tables, snapshots = len(made.tables()), len(made.snapshots())
        document = {
            "catalog_id": made.catalog_id,
            "name": made.name,
            "snapshot_id": made.head,
            "snapshot_count": snapshots,
            "table_count": tables,
        }
    held = f"{output.quantity(tables, 'table')} and {output.quantity(snapshots, 'snapshot')}"
    output.show(document, lambda: [f'Imported "{output.printable(name)}" with {held}.'])
