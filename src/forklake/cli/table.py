"""`forklake table`: tables of a catalog, now or in the past.

Show them, list their files and changes, and flush their inlined rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from forklake import Catalog, Column, FlushedTable, PartitionField, Table
from forklake.catalog.moments import Moment, TagName
from forklake.cli import output
from forklake.cli.answer import show_answer
from forklake.cli.command import Group, catalog_argument, open_lake
from forklake.cli.draw_progress import draw_progress
from forklake.cli.moment import MOMENT, at_option
from forklake.errors import IncompleteError
from forklake.lake.internals import runtime_of
from forklake.model.types.read import is_nested, read_scalar
from forklake.ops.catalogs.list_catalogs import catalog_titles


@click.group(cls=Group)
def table() -> None:
    """Tables of a catalog, as they are or were."""


def _one_table(command: Callable[..., Any]) -> Callable[..., Any]:
    for decorate in (
        at_option,
        click.option("--schema", default="main", show_default=True, help="The schema of the table."),
        click.argument("name", metavar="TABLE"),
        catalog_argument("catalog"),
    ):
        command = decorate(command)
    return command


@contextmanager
def _open_catalog(catalog: str, at: Moment | None) -> Iterator[Catalog]:
    with open_lake() as lake:
        found = lake.catalog(catalog)
        yield found if at is None else found.at(at)


@table.command("list")
@catalog_argument("catalog")
@click.option("--schema", help="Only the tables of this schema.")
@at_option
def list_tables(catalog: str, schema: str | None, at: Moment | None) -> None:
    """List the tables of a catalog.

    STORED ROWS and SIZE are totals of their data files; deleted rows count until their file goes. `table show` tells
    how many rows there are.

    With --json: `tables`.

    Examples:
      forklake table list shop
      forklake table list shop --schema main --at 17
    """
    with _open_catalog(catalog, at) as found:
        tables = [_summary(each) for each in found.tables(schema)]

    def text() -> list[str]:
        sheet = output.Sheet("SCHEMA", "TABLE", "ID", "STORED ROWS", "SIZE", right=("ID", "STORED ROWS", "SIZE"))
        return sheet.lines(
            (each["schema_name"], each["name"], each["table_id"], f"{each['record_count']:,}",
             output.size(each["file_size_bytes"]))
            for each in tables
        )  # fmt: skip

    output.show({"tables": tables}, text)


def _summary(found: Table) -> dict[str, Any]:
    return {
        "schema_name": found.schema_name,
        "name": found.name,
        "table_id": found.table_id,
        "uuid": found.inspect.uuid,
        "record_count": found.inspect.stats.record_count,
        "file_size_bytes": found.inspect.stats.file_size_bytes,
    }


@table.command()
@_one_table
def show(catalog: str, name: str, schema: str, at: Moment | None) -> None:
    """Show one table.

    Its columns, how new files are partitioned and sorted, its comment and its totals. Deleted rows that its files still
    hold are told apart.

    With --json: the fields of `table list`, and `row_count`, `comment`, `tags`, `columns`, `partition_by`, `sort_by`.

    Examples:
      forklake table show shop orders
      forklake table show shop orders --schema main --at 2026-01-31T12:00:00Z
    """
    with _open_catalog(catalog, at) as opened:
        found = opened.table(name, schema=schema)
        summary = _summary(found) | {"row_count": found.count()}
        columns, tags = found.columns, found.inspect.tags
        partition_by, sort_by = found.inspect.partition_by, found.inspect.sort_by

    def text() -> Iterator[str]:
        yield from output.facts(
            ("Table", f"{summary['schema_name']}.{summary['name']}"),
            ("Id", summary["table_id"]),
            ("Uuid", summary["uuid"]),
            ("Comment", tags.get("comment")),
            ("Rows", f"{summary['row_count']:,}"),
            ("Deleted", _dead_rows(summary["record_count"] - summary["row_count"])),
            ("Size", output.size(summary["file_size_bytes"])),
            ("Partition by", ", ".join(_partition(key) for key in partition_by) or None),
            ("Sort by", ", ".join(f"{key.expression} {key.direction}" for key in sort_by) or None),
        )
        yield ""
        sheet = output.Sheet("COLUMN", "TYPE", "NULLS", "DEFAULT", "COMMENT")
        yield from sheet.lines(row for column in columns for row in _column_rows(column, ""))

    more = {"comment": tags.get("comment"), "tags": tags, "columns": columns}
    output.show(summary | more | {"partition_by": partition_by, "sort_by": sort_by}, text)


def _dead_rows(row_count: int) -> str | None:
    return f"{output.quantity(row_count, 'row')}, still in its files" if row_count > 0 else None


def _partition(key: PartitionField) -> str:
    return str(key.column) if key.transform == "identity" else f"{key.transform}({key.column})"


def _type(name: str) -> str:
    """Return a type as SQL names it; what is nested has rows of its own."""
    return name.upper() if is_nested(name) else read_scalar(name).sql_name


def _column_rows(column: Column, indent: str) -> Iterator[tuple[object, ...]]:
    name = f"{indent}{output.printable(column.name)}"
    yield name, _type(column.type), column.nulls_allowed, column.default, column.comment
    for child in column.children:
        yield from _column_rows(child, indent + "  ")


@table.command()
@_one_table
def files(catalog: str, name: str, schema: str, at: Moment | None) -> None:
    """List the data files of a table.

    DELETED counts rows that a delete file or the metadata takes away; OWNER is the catalog that added the file.

    With --json: `files`, with `owner_id`.

    Examples:
      forklake table files shop orders
      forklake table files shop orders --at 17 --json
    """
    with _open_catalog(catalog, at) as opened:
        found = opened.table(name, schema=schema).storage.files()
        names = catalog_titles(runtime_of(opened), (each.owner_id for each in found))

    def text() -> list[str]:
        sheet = output.Sheet(
            "FILE", "ROWS", "DELETED", "SIZE", "OWNER", "PATH", right=("FILE", "ROWS", "DELETED", "SIZE")
        )
        return sheet.lines(
            (
                each.data_file_id,
                f"{each.record_count:,}",
                (each.delete_file.delete_count if each.delete_file else 0) + len(each.inlined_deletes) or "",
                output.size(each.file_size_bytes),
                names.get(each.owner_id, each.owner_id),
                each.path,
            )
            for each in found
        )

    output.show({"files": found}, text)


@table.command()
@_one_table
def history(catalog: str, name: str, schema: str, at: Moment | None) -> None:
    """List the snapshots that changed a table.

    Oldest first, with what they did to it, in the words of the change log; `written_out` is what a copying fork
    and severing do. If there is no table of that name, it is the one that was dropped last, up to the snapshot that
    dropped it. CATALOG is the one that made the snapshot.

    With --json: `history`, each with `snapshot` and `changes`.

    Examples:
      forklake table history shop orders
      forklake table history agent-001 orders --json
    """
    with _open_catalog(catalog, at) as opened:
        found = opened.inspect.table_history(name, schema=schema)
        names = catalog_titles(runtime_of(opened), (each.snapshot.catalog_id for each in found))

    def text() -> list[str]:
        sheet = output.Sheet("SNAPSHOT", "TIME", "CATALOG", "CHANGES", "AUTHOR", "MESSAGE", right=("SNAPSHOT",))
        return sheet.lines(
            (
                each.snapshot.snapshot_id,
                each.snapshot.snapshot_time,
                names.get(each.snapshot.catalog_id, each.snapshot.catalog_id),
                ", ".join(each.changes),
                each.snapshot.author,
                each.snapshot.commit_message,
            )
            for each in found
        )

    output.show({"history": found}, text)


@table.command()
@catalog_argument("catalog")
@click.argument("name", metavar="TABLE")
@click.argument("start", type=MOMENT)
@click.argument("end", type=MOMENT, required=False)
@click.option("--schema", default="main", show_default=True, help="The schema of the table.")
@click.option(
    "--kind",
    type=click.Choice(["all", "insertions", "deletions"]),
    default="all",
    show_default=True,
    help="Which changes; insertions and deletions have an updated row in both.",
)
def changes(catalog: str, name: str, start: Moment, end: Moment | None, schema: str, kind: str) -> None:
    """Show how the rows of a table changed.

    From START to END, both included: a snapshot id, a time or a tag; without END, up to the newest snapshot. Small
    feeds are read without Spark.

    With --json: `columns`, `types` and `rows`.

    Examples:
      forklake table changes shop orders 17
      forklake table changes shop orders 17 21 --kind insertions
      forklake table changes shop orders 2026-01-31T12:00:00Z --json
    """
    function = "ducklake_table_changes" if kind == "all" else f"ducklake_table_{kind}"
    # What is asked for beside the columns is not shown by `*`.
    shown = "*" if kind == "all" else "snapshot_id, rowid, *"
    with open_lake() as lake:
        found = lake.catalog(catalog)
        bounds = [each.name if isinstance(each, TagName) else each for each in (start, end)]
        bounds[1] = found.head if end is None else bounds[1]
        show_answer(found.sql(f"FROM {function}(?, ?, ?, ?, ?) SELECT {shown}", [found.name, schema, name, *bounds]))


@table.command("add-files")
@catalog_argument("catalog")
@click.argument("name", metavar="TABLE")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--schema", default="main", show_default=True, help="The schema of the table.")
@click.option("--allow-missing", is_flag=True, help="Accept files without some of the columns.")
@click.option("--ignore-extra-columns", is_flag=True, help="Accept files with more columns; they are not read.")
@click.option(
    "--hive-partitioning/--no-hive-partitioning",
    default=None,
    help="Take values from directories such as year=2024, or not; by default they are taken.",
)
def add_files(
    catalog: str,
    name: str,
    files: tuple[str, ...],
    schema: str,
    allow_missing: bool,
    ignore_extra_columns: bool,
    hive_partitioning: bool | None,
) -> None:
    """Add Parquet files that others wrote to a table.

    FILE is a path, a URL, or a pattern in quotes: `*`, `?` and `[...]` match within a directory, `**` any number of
    directories. Nothing is copied: the files stay where they are. All of it is one snapshot.

    With --json: `snapshot_id`, `row_count` and `file_count`.

    Examples:
      forklake table add-files shop orders '/data/orders/**/*.parquet'
      forklake table add-files shop orders a.parquet b.parquet --allow-missing
    """
    with open_lake() as lake:
        done = (
            lake.catalog(catalog)
            .table(name, schema=schema)
            .storage.add_files(
                files,
                allow_missing=allow_missing,
                ignore_extra_columns=ignore_extra_columns,
                hive_partitioning=hive_partitioning,
            )
        )

    def text() -> list[str]:
        if done.snapshot_id is None:
            return ["The files have no rows; nothing was added."]
        files_added = "one file" if done.file_count == 1 else f"{done.file_count:,} files"
        rows_added = output.quantity(done.row_count, "row")
        return [f"Added {rows_added} in {files_added}: snapshot {done.snapshot_id}."]

    shown = {"snapshot_id": done.snapshot_id, "row_count": done.row_count, "file_count": done.file_count}
    output.show(shown, text)


@table.command()
@catalog_argument("catalog")
@click.argument("name", metavar="[TABLE]", required=False)
@click.option("--schema", help="The schema of the table; without a table, all tables of this schema.")
@click.option("--dry-run", is_flag=True, help="Only tell what would be written.")
def flush(catalog: str, name: str | None, schema: str | None, dry_run: bool) -> None:
    """Write rows that are kept in the metadata into files.

    Of one table, or of all whose option `auto_compact` is on. Nothing is seen to change: rows keep their ids and
    snapshots. All of it is one snapshot; if there is nothing to write, none is made. A table that fails does not stop
    the others.

    With --json: `flushed`, each with `schema_name`, `table_name`, `row_count`, `delete_count`, `files_created` and
    `bytes_created`; and `dry_run`.

    Examples:
      forklake table flush shop
      forklake table flush shop orders
      forklake table flush shop --schema staging
    """
    flush_tables(catalog, name, schema, dry_run=dry_run)


def flush_tables(catalog: str, name: str | None, schema: str | None, *, dry_run: bool) -> None:
    """Flush inlined data of one table or of many, and print what was flushed."""
    with open_lake() as lake, draw_progress() as progress:
        flush = lake.catalog(catalog).maintenance.flush_inlined
        try:
            flushed = flush(schema=schema, table=name, dry_run=dry_run, progress=progress)
        except IncompleteError as error:
            _show_flushed(error.done, dry_run=dry_run)
            raise
    _show_flushed(flushed, dry_run=dry_run)


def _show_flushed(flushed: Sequence[FlushedTable], *, dry_run: bool) -> None:
    def text() -> list[str]:
        if not flushed:
            return ["There is nothing to flush." if dry_run else "There was nothing to flush."]
        columns = ("ROWS", "DELETES") if dry_run else ("ROWS", "DELETES", "FILES", "SIZE")
        sheet = output.Sheet("SCHEMA", "TABLE", *columns, right=columns)
        return sheet.lines(
            (each.schema_name, each.table_name, *_flushed_cells(each)[: len(columns)]) for each in flushed
        )

    output.show({"flushed": flushed, "dry_run": dry_run}, text)


def _flushed_cells(flushed: FlushedTable) -> tuple[str, ...]:
    counts = (flushed.row_count, flushed.delete_count, flushed.files_created)
    return (*(f"{count:,}" for count in counts), output.size(flushed.bytes_created))
