"""`forklake catalog tag|untag|tags|renew|reap|quota`: the lives of catalogs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import click

from forklake import QuotaUsage, Reaped, Tag
from forklake.catalog.moments import TagName
from forklake.cli import output
from forklake.cli.command import Command, catalog_argument, open_lake
from forklake.cli.draw_progress import draw_progress
from forklake.cli.moment import at_option
from forklake.cli.terms import info_options, renewal_options
from forklake.lake.internals import runtime_of
from forklake.ops.catalogs.list_catalogs import catalog_titles


@click.command(cls=Command)
@catalog_argument("catalog")
@click.argument("name")
@at_option
@click.option("--keep-until", metavar="TIME|LENGTH", help="Until when it keeps the snapshot, or for how long.")
@click.option("--message", metavar="TEXT", help="Why it is set.")
def tag(
    catalog: str, name: str, at: int | datetime | TagName | None, keep_until: str | None, message: str | None
) -> None:
    """Give a snapshot of a catalog a name.

    The newest one, or the one that --at says; it must be the catalog's own. The name works wherever a version is asked
    for, in the catalog and in its forks, and expiry spares the snapshot.

    With --json: the tag's fields.

    Examples:
      forklake catalog tag shop v1
      forklake catalog tag shop before-import --at 17 --keep-until '30 days' --message 'in case it fails'
    """
    with open_lake() as lake:
        made = lake.catalog(catalog).tag(name, at=at, keep_until=keep_until, message=message)
    output.show(made, lambda: [f'Snapshot {made.snapshot_id} has the tag "{output.printable(made.name)}".'])


@click.command(cls=Command)
@catalog_argument("catalog")
@click.argument("name")
def untag(catalog: str, name: str) -> None:
    """Take the name of a snapshot away.

    The snapshot stays, and can be expired.

    With --json: `untagged`.

    Examples:
      forklake catalog untag shop v1
    """
    with open_lake() as lake:
        lake.catalog(catalog).untag(name)
    output.show({"untagged": name}, lambda: [f'Took the tag "{output.printable(name)}" away.'])


@click.command(cls=Command)
@catalog_argument("catalog")
def tags(catalog: str) -> None:
    """List the tags of a catalog's versions.

    Its own, then its ancestors', nearest first. CATALOG in the output is the one whose snapshot it is.

    With --json: `tags`, each with its fields.

    Examples:
      forklake catalog tags shop
    """
    with open_lake() as lake:
        found = lake.catalog(catalog).tags()
        names = catalog_titles(runtime_of(lake), (each.catalog_id for each in found))

    def row(each: Tag) -> tuple[object, ...]:
        owner = names.get(each.catalog_id, each.catalog_id)
        return each.name, each.snapshot_id, owner, each.created_at, each.keep_until or "for ever", each.message

    def text() -> list[str]:
        if not found:
            return ["No tags."]
        sheet = output.Sheet("TAG", "SNAPSHOT", "CATALOG", "CREATED", "KEPT UNTIL", "MESSAGE", right=("SNAPSHOT",))
        return sheet.lines(row(each) for each in found)

    output.show({"tags": found}, text)


@click.command(cls=Command)
@catalog_argument("catalog")
@click.argument("ttl", required=False, metavar="[TIME|LENGTH]")
@renewal_options[0]
@renewal_options[1]
@click.option("--forever", is_flag=True, help="It has no lifetime any more.")
def renew(catalog: str, ttl: str | None, renew_by_commits: str | None, purge_after: str | None, forever: bool) -> None:
    """Give a catalog another lifetime.

    It lives so long from now on, or until a time. That works until it is dropped, also past the old end.

    With --json: `catalog`, and `lifetime` with its fields, or null.

    Examples:
      forklake catalog renew agent-001 2h
      forklake catalog renew agent-001 '1 day' --renew-by-commits 2h --purge-after '7 days'
      forklake catalog renew accepted --forever
    """
    if (ttl is None) != forever:
        raise click.UsageError("Say how long it lives, or --forever; nothing was done.")
    with open_lake() as lake:
        given = lake.catalog(catalog).renew(ttl, renew_by_commits=renew_by_commits, purge_after=purge_after)
    end = "for ever" if given is None else f"until {output.short_time(given.expires_at)}"
    output.show(
        {"catalog": catalog, "lifetime": given}, lambda: [f'Catalog "{output.printable(catalog)}" lives {end}.']
    )


@click.command(cls=Command)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Drop or purge so many at most.")
@click.option("--dry-run", is_flag=True, help="Only say which.")
def reap(limit: int | None, dry_run: bool) -> None:
    """Drop the catalogs that are past their lifetimes.

    Those that were dropped so long ago as their lifetime says (--purge-after) are purged. `catalog undrop` brings the
    others back. `forklake maintain all` does this too.

    With --json: `dropped` and `purged`, each with `catalog_id` and `name`, and `dry_run`.

    Examples:
      forklake catalog reap --dry-run
      forklake catalog reap --limit 1000
    """
    with open_lake() as lake, draw_progress() as progress:
        done = lake.reap(limit=limit, dry_run=dry_run, progress=progress)
    output.show(done, lambda: reaped_lines(done))


def reaped_lines(done: Reaped) -> Iterator[str]:
    """Yield what a reap did, for people."""
    would = "Would drop" if done.dry_run else "Dropped"
    which = output.which_names([each.name for each in done.dropped])
    yield f"{would} {output.quantity(len(done.dropped), 'catalog')} past their lifetimes{which}."
    if done.purged:
        yield f"{'Would purge' if done.dry_run else 'Purged'} {output.quantity(len(done.purged), 'catalog')}."


@click.command(cls=Command)
@catalog_argument("catalog")
@click.option("--max-bytes", type=int, metavar="N", help="Bytes of its own files, definitions and inlined rows.")
@click.option("--max-files", type=int, metavar="N", help="Data and delete files of its own.")
@click.option("--max-forks", type=int, metavar="N", help="Live forks.")
@click.option("--max-depth", type=int, metavar="N", help="Levels of forks below it.")
@click.option("--subtree", is_flag=True, help="Its forks, and theirs, count with it.")
@click.option("--none", "none", is_flag=True, help="Take all limits away.")
@info_options
def quota(
    catalog: str,
    max_bytes: int | None,
    max_files: int | None,
    max_forks: int | None,
    max_depth: int | None,
    subtree: bool,
    none: bool,
    author: str | None,
    message: str | None,
) -> None:
    """Show or set what a catalog may hold.

    Without options it shows the limits and how much of them is used. Limits that are given take the place of all
    that it had; what would exceed one is refused.

    With --json: `quota` and `used`, each with its fields.

    Examples:
      forklake catalog quota shop
      forklake catalog quota shop --max-bytes 1000000000 --max-forks 100 --subtree
      forklake catalog quota shop --none
    """
    limits = {"max_bytes": max_bytes, "max_files": max_files, "max_forks": max_forks, "max_depth": max_depth}
    is_set = any(limit is not None for limit in limits.values())
    if (none and (is_set or subtree)) or (subtree and not is_set):
        raise click.UsageError("Say limits, with or without --subtree, or --none; nothing was set.")
    if not (is_set or none or author is None is message):
        raise click.UsageError("--author and --message go with limits or --none; nothing was set.")
    with open_lake() as lake:
        found = lake.catalog(catalog)
        if is_set or none:
            found.set_quota(**limits, subtree=subtree, author=author, message=message)
        shown = found.quota()
    output.show(shown, lambda: _quota_lines(shown))


def _quota_lines(shown: QuotaUsage) -> list[str]:
    quota, used = shown.quota, shown.used
    sheet = output.Sheet("LIMIT", "USED", "ALLOWED", right=("USED", "ALLOWED"))
    pairs = (
        ("bytes", used.byte_count, quota.max_bytes),
        ("files", used.file_count, quota.max_files),
        ("forks", used.fork_count, quota.max_forks),
        ("depth", used.depth, quota.max_depth),
    )
    lines = sheet.lines((name, f"{count:,}", "any" if limit is None else f"{limit:,}") for name, count, limit in pairs)
    return [*lines, "Its forks, and theirs, count with it."] if quota.subtree else lines
