"""`forklake catalog diff`: what leads from one version to another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

import click

from forklake import Diff, RowCounts, TableDiff
from forklake.catalog.moments import TagName
from forklake.cli import output
from forklake.cli.answer import plain_rows
from forklake.cli.command import Command, catalog_argument, open_lake
from forklake.cli.moment import MOMENT, at_option
from forklake.lake.internals import runtime_of, words_of
from forklake.model.ids import CatalogId, TableId
from forklake.ops.catalogs.list_catalogs import catalog_titles

_BAR: Final = 40
"""How many signs the longest bar has at most."""
_SHOWN: Final = 100
_SIGNS: Final = {"insert": "+", "delete": "-", "update_preimage": "-", "update_postimage": "+"}


@click.command(cls=Command)
@catalog_argument("catalog")
@catalog_argument("other", required=False)
@at_option
@click.option("--since", type=MOMENT, metavar="ID|TIME|TAG", help="Compare CATALOG with its own past.")
@click.option("--since-base", is_flag=True, help="Only what OTHER changed since the newest snapshot that both contain.")
@click.option("--rows", "with_rows", is_flag=True, help="Show the rows, too.")
@click.option("--table", metavar="TABLE", help="Only rows of this table; schema.table outside of main.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=_SHOWN, show_default=True, metavar="N", help="Rows shown per table."
)
def diff(
    catalog: str,
    other: str | None,
    at: int | datetime | TagName | None,
    since: int | datetime | TagName | None,
    since_base: bool,
    with_rows: bool,
    table: str | None,
    limit: int,
) -> None:
    """Show what leads from CATALOG to OTHER, as `git diff --stat` does.

    The two are compared as they are, --at names a version of OTHER. Without OTHER, a fork is compared with the
    newest snapshot that it shares with its parent. Rows are told apart by their ids, and counted from metadata
    where that tells; else the ids in files that differ are read. Files that both share are never read.

    With --json: `before` and `after`, each with `catalog_id`, `catalog_name` and `snapshot_id`, `changes`, `words` and
    `tables`; with --rows also `rows` by table.

    Examples:
      forklake catalog diff shop agent
      forklake catalog diff shop agent --since-base --rows
      forklake catalog diff agent
      forklake catalog diff shop --since v1 --rows --table orders
    """
    if table is not None and not with_rows:
        raise click.UsageError("--table says whose rows are shown; add --rows.")
    with open_lake() as lake:
        named = lake.catalog(catalog)
        found = named.diff(None if other is None else lake.catalog(other), at=at, since=since, since_base=since_base)
        counts = {one.table_id: found.count_rows(one) for one in found.tables}
        wanted = _choose_tables(found, table) if with_rows else []
        names = catalog_titles(runtime_of(lake), (found.before[0], found.after[0]))
        if output.wants_json():
            output.show(_document(found, names, counts, wanted, limit), tuple)
            return
        for line in _stat(found, names, counts):
            click.echo(line)
        for one in wanted:
            click.echo()
            for line in _row_lines(found, one, limit):
                click.echo(line)


def _choose_tables(diff: Diff, table: str | None) -> list[TableDiff]:
    """Return the tables whose rows are shown."""
    if table is not None:
        return [diff.table(table)]
    return [one for one in diff.tables if one.rows is None or one.rows]


def _stat(diff: Diff, names: Mapping[CatalogId | None, str], counts: Mapping[TableId, RowCounts]) -> Iterator[str]:
    (one, at), (other, upto) = diff.before, diff.after
    yield output.printable(f'"{names[one]}" at snapshot {at} to "{names[other]}" at snapshot {upto}')
    if not diff:
        yield "Nothing differs."
        return
    for words in diff.words:
        yield f" {output.printable(words)}"
    shown = [table for table in diff.tables if table.has_files or counts[table.table_id]]
    yield from _bars([(_title(table), counts[table.table_id], _remark(table)) for table in shown])
    total = RowCounts(
        *(sum(numbers) for numbers in zip(*map(_numbers, counts.values()), strict=True)) if counts else ()
    )
    parts = [
        f"{number:,} {word}({sign})"
        for number, word, sign in zip(_numbers(total), ("inserted", "deleted", "updated"), "+-~", strict=True)
        if number
    ]
    changed = output.quantity(len(diff.tables), "table") + " changed" if diff.tables else ""
    rows = f"rows: {', '.join(parts)}" if parts else "no rows" if diff.tables else ""
    yield " " + "; ".join(part for part in (changed, rows, _others(diff)) if part)


def _bars(tables: Sequence[tuple[str, RowCounts, str]]) -> Iterator[str]:
    """Yield a line for each table, with a bar that is as long as its rows are many."""
    if not tables:
        return
    width = max(len(title) for title, _, _ in tables)
    most = max(sum(_numbers(counts)) for _, counts, _ in tables)
    digits = len(f"{most:,}")
    for title, counts, remark in tables:
        bar = "".join(
            sign * (-(-number * min(_BAR, most) // most) if most else 0)
            for number, sign in zip(_numbers(counts), "+-~", strict=True)
        )
        yield f" {title:<{width}} | {sum(_numbers(counts)):>{digits},} {bar}{remark}".rstrip()


def _row_lines(diff: Diff, table: TableDiff, limit: int) -> Iterator[str]:
    """Yield the rows of a table that differ.

    What went has a minus, what came a plus.
    """
    result = diff.result(table)
    texts, has_more = result.texts(limit)
    yield _title(table)
    sheet = output.Sheet("", *result.columns[1:], right=("rowid",))
    yield from sheet.lines((_SIGNS[str(kind)], *values) for kind, *values in texts)
    if has_more:
        yield f"The first {limit:,} rows; --limit shows more."


def _document(
    diff: Diff,
    names: Mapping[CatalogId | None, str],
    counts: Mapping[TableId, RowCounts],
    wanted: Sequence[TableDiff],
    limit: int,
) -> dict[str, Any]:
    (one, at), (other, upto) = diff.before, diff.after
    document: dict[str, Any] = {
        "before": {"catalog_id": one, "catalog_name": names[one], "snapshot_id": at},
        "after": {"catalog_id": other, "catalog_name": names[other], "snapshot_id": upto},
        "changes": [_change_document(diff, *told) for told in zip(diff.changes, words_of(diff), strict=True)],
        "words": diff.words,
        "tables": [asdict(table) | {"rows": counts[table.table_id]} for table in diff.tables],
    }
    if wanted:
        document["rows"] = {_title(table): _row_documents(diff, table, limit) for table in wanted}
    return document


def _change_document(diff: Diff, change: object, words: tuple[str, ...]) -> dict[str, Any]:
    """Return a change with its ids, what it does, and the name of its table."""
    document = {"change": type(change).__name__, **output.plain(change)}
    number = getattr(change, "table_id", None)
    table = next((f"{one.schema}.{one.table}" for one in diff.tables if one.table_id == number), None)
    return document | {"words": list(words)} | ({} if table is None else {"table": table})


def _row_documents(diff: Diff, table: TableDiff, limit: int) -> list[dict[str, object]]:
    """Return the rows of a table that differ: change, id and values."""
    result = diff.result(table).head(limit)
    names = result.columns[2:]
    return [
        {"change_type": kind, "rowid": row_id, "values": dict(zip(names, values, strict=True))}
        for kind, row_id, *values in plain_rows(result)
    ]


def _others(diff: Diff) -> str:
    return output.quantity(len(diff.words), "other change") if diff.words else ""


def _remark(table: TableDiff) -> str:
    return " (new)" if table.is_new else " (dropped)" if table.is_dropped else ""


def _title(table: TableDiff) -> str:
    return output.printable(f"{table.schema}.{table.table}")


def _numbers(counts: RowCounts) -> tuple[int, int, int]:
    return counts.inserted, counts.deleted, counts.updated
