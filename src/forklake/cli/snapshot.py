"""`forklake snapshot`: list and expire the snapshots of a catalog or the lake."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import click

from forklake import Lake, Snapshot
from forklake.cli import output
from forklake.cli.command import Group, catalog_argument, open_lake
from forklake.cli.snapshot_graph import draw
from forklake.lake.internals import runtime_of, version_of
from forklake.lake.maintenance import ExpiredSnapshots
from forklake.model.ids import SnapshotId
from forklake.ops.catalogs.list_catalogs import catalog_titles
from forklake.ops.catalogs.logged_names import NamedChange, named_changes
from forklake.ops.catalogs.snapshot_graph import snapshot_graph

_PAGE = 1000


@click.group(cls=Group)
def snapshot() -> None:
    """Snapshots: the committed states of catalogs."""


@snapshot.command("list")
@catalog_argument("catalog", required=False)
@click.option("--all", "everything", is_flag=True, help="The snapshots of all catalogs, by id.")
@click.option("--after", type=int, metavar="ID", help="Go on after this snapshot.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Show so many at most; all if not given.")
@click.option("--graph", is_flag=True, help="Draw forks and merges; what came by a merge is listed, too.")
def list_snapshots(catalog: str | None, everything: bool, after: int | None, limit: int | None, graph: bool) -> None:
    """List the versions of a catalog.

    Oldest first: its own, and its ancestors' up to the fork. CATALOG in the output is the one that made the snapshot.
    CHANGES has the names of that time; a thing whose rows were collected after an expiry has its id.

    With --graph each catalog has a lane, and a line connects a snapshot with the catalog that it forked, merged,
    was refreshed from or reset to.

    With --json: `snapshots` with `catalog_id` and `changes`, and `next_after` for --after if --limit left some out;
    with --graph `snapshots` and `edges`.

    Examples:
      forklake snapshot list shop
      forklake snapshot list shop --graph
      forklake snapshot list --all --after 1000 --limit 50
    """
    if (catalog is None) != everything:
        raise click.UsageError("Name a catalog, or say --all.")
    with open_lake() as lake:
        if graph:
            _show_graph(lake, catalog, after, limit)
            return
        pages = _lake_pages(lake, after, limit) if catalog is None else _own_page(lake, catalog, after, limit)
        if output.wants_json():
            found = [each for page in pages for each in page]
            named = named_changes(runtime_of(lake).store, found)
            listed = [output.plain(each) | {"changes": named[each.snapshot_id]} for each in found]
            output.show({"snapshots": listed, "next_after": _next(lake, catalog, found, limit)}, tuple)
            return
        sheet = output.Sheet("SNAPSHOT", "TIME", "CATALOG", "AUTHOR", "MESSAGE", "CHANGES", right=("SNAPSHOT",))
        shown: list[Snapshot] = []
        for page in pages:
            for line in sheet.lines(_rows(lake, page)):
                click.echo(line)
            shown += page
        rest = _next(lake, catalog, shown, limit)
        if rest is not None:
            click.echo(f"There are more; go on with --after {rest}.", err=True)


def _show_graph(lake: Lake, catalog: str | None, after: int | None, limit: int | None) -> None:
    version = None if catalog is None else version_of(lake.catalog(catalog))
    first = None if after is None else SnapshotId(after)
    found = snapshot_graph(runtime_of(lake), version, after=first, limit=limit)
    sheet = output.Sheet("", "SNAPSHOT", "TIME", "CATALOG", "AUTHOR", "MESSAGE", "CHANGES", right=("SNAPSHOT",))
    rows = zip(draw(found), _rows(lake, found.snapshots), strict=True)
    output.show(found, lambda: sheet.lines((line, *row) for line, row in rows))


def _words(changes: Iterable[NamedChange]) -> str:
    """Return the changes of a snapshot in words.

    What nothing is known of any more is named by its id.

    >>> from forklake.model.change_log import ChangeKind
    >>> dropped = NamedChange(ChangeKind.DROPPED_TABLE, 1, "main", "t")
    >>> _words([dropped, NamedChange(ChangeKind.DROPPED_VIEW, 2, None, None)])
    'dropped table t, dropped view #2'
    """
    return ", ".join(f"{each.kind.value.replace('_', ' ')} {_name(each)}" for each in changes)


def _name(change: NamedChange) -> str:
    if change.name is None:
        return f"#{change.object_id}"
    return change.name if change.schema_name in (None, "main") else f"{change.schema_name}.{change.name}"


def _rows(lake: Lake, page: Sequence[Snapshot]) -> Iterator[tuple[object, ...]]:
    titles = catalog_titles(runtime_of(lake), (each.catalog_id for each in page))
    named = named_changes(runtime_of(lake).store, page)
    for each in page:
        catalog, changes = titles.get(each.catalog_id, each.catalog_id), named[each.snapshot_id]
        # A log that another program wrote is shown as it is.
        words = each.changes_made if changes is None else _words(changes)
        yield each.snapshot_id, each.snapshot_time, catalog, each.author, each.commit_message, words


def _own_page(lake: Lake, catalog: str, after: int | None, limit: int | None) -> Iterator[list[Snapshot]]:
    found = lake.catalog(catalog).snapshots()
    yield [each for each in found if after is None or each.snapshot_id > after][:limit]


def _lake_pages(lake: Lake, after: int | None, limit: int | None) -> Iterator[list[Snapshot]]:
    left = limit
    while left is None or left > 0:
        size = _PAGE if left is None else min(left, _PAGE)
        page = lake.snapshots(after=after, limit=size)
        yield page
        if len(page) < size:
            return
        after, left = page[-1].snapshot_id, None if left is None else left - size


def _next(lake: Lake, catalog: str | None, shown: list[Snapshot], limit: int | None) -> int | None:
    if limit is None or len(shown) < limit:
        return None
    last = shown[-1].snapshot_id
    more = (
        lake.snapshots(after=last, limit=1)
        if catalog is None
        else [each for each in lake.catalog(catalog).snapshots() if each.snapshot_id > last]
    )
    return last if more else None


@snapshot.command()
@catalog_argument("catalog")
@click.argument("ids", type=int, nargs=-1, metavar="[ID]...")
@click.option("--older-than", metavar="TIME|AGE", help="All before a time, or of an age such as '7 days'.")
@click.option("--release", is_flag=True, help="Also tagged ones, and those that merges are compared with.")
@click.option("--dry-run", is_flag=True, help="Only say which snapshots would expire.")
def expire(catalog: str, ids: tuple[int, ...], older_than: str | None, release: bool, dry_run: bool) -> None:
    """Forget snapshots of a catalog.

    By their ids, or by age; never the newest, and none that the catalog inherits. Those that a tag keeps, or
    that later merges are compared with, are spared, and told. Time travel to the others ends. Forks keep what they
    see. Files that nobody sees any more are deleted later, by `forklake maintain cleanup`.

    With --json: `versions`, `spared`, each with `snapshot_id` and `reason`, and `dry_run`.

    Examples:
      forklake snapshot expire shop 17 18
      forklake snapshot expire shop --older-than '7 days' --dry-run
      forklake snapshot expire shop --older-than 2026-01-31T12:00:00Z
    """
    if bool(ids) == (older_than is not None):
        raise click.UsageError("Name snapshots by their ids, or say --older-than; nothing was expired.")
    with open_lake() as lake:
        gone = lake.catalog(catalog).maintenance.expire_snapshots(
            versions=ids or None, older_than=older_than, release=release, dry_run=dry_run
        )
    action = "Would expire" if dry_run else "Expired"
    which = f": {', '.join(str(each) for each in gone)}" if gone else ""
    line = f"{action} {output.quantity(len(gone), 'snapshot')}{which}."
    output.show({"versions": gone, "spared": gone.spared, "dry_run": dry_run}, lambda: [line, *spared_lines(gone)])


def spared_lines(gone: ExpiredSnapshots) -> Iterator[str]:
    """Yield which snapshots an expiry spared, for people."""
    for each in gone.spared:
        yield f"Spared snapshot {each.snapshot_id}: {output.printable(each.reason)}"
