"""`forklake catalog`: create, fork, list, drop and undrop catalogs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any, TextIO

import click

from forklake import Catalog, CatalogInfo, DroppedCatalog, Lake, PurgedCatalog
from forklake.catalog.moments import Moment
from forklake.cli import output
from forklake.cli.catalog_diff import diff
from forklake.cli.catalog_lives import quota, reap, renew, tag, tags, untag
from forklake.cli.catalog_merge import merge, refresh, reset
from forklake.cli.catalog_tree import tree
from forklake.cli.command import Group, catalog_argument, open_lake
from forklake.cli.draw_progress import draw_progress
from forklake.cli.drop_catalogs import drop
from forklake.cli.moment import at_option
from forklake.cli.terms import info_options, label_option, read_terms, terms_options, ttl_option
from forklake.cli.transfer import export_command, import_command
from forklake.lake.internals import runtime_of
from forklake.model.ids import CatalogId
from forklake.model.lives import MOST_HOLDERS
from forklake.ops.catalogs.list_catalogs import catalog_titles

_PAGE = 1000


@click.group(cls=Group)
def catalog() -> None:
    """Catalogs, and forks of them."""


# Verbs that need a page of their own: one module each, added here.
_PAGES = (tree, diff, merge, refresh, reset, drop, tag, untag, tags, renew, reap, quota, export_command, import_command)
for verb in _PAGES:
    catalog.add_command(verb)


@catalog.command()
@click.argument("name")
@click.option("--data-path", metavar="PATH", help="Where its files go, if not below the lake's data path.")
@click.option("--at-base", is_flag=True, help="Put it at the data path itself, where it must be the only one.")
@click.option("--if-not-exists", is_flag=True, help="Leave a catalog of that name as it is.")
@terms_options
def create(name: str, data_path: str | None, at_base: bool, if_not_exists: bool, **terms: Any) -> None:
    """Create a catalog with an empty schema `main`.

    With --json: the catalog's fields, and `created`.

    Examples:
      forklake catalog create shop
      forklake catalog create archive --data-path s3://cold/archive --if-not-exists
      forklake catalog create scratch --ttl '1 day' --label team=web
    """
    with open_lake() as lake:
        made = lake.create_catalog(
            name, data_path=data_path, at_base=at_base, if_not_exists=if_not_exists, **read_terms(terms)
        )
        _show_one(made, "Created" if made.created else "There already is", created=made.created)


@catalog.command("list")
@click.option("--prefix", default="", help="Only names that begin so; case does not matter for A to Z.")
@click.option("--after", metavar="NAME", help="Go on after this name.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Show so many at most; all if not given.")
@at_option
@label_option
@click.option("--dropped", is_flag=True, help="Those that were dropped and can be brought back, by id.")
def list_catalogs(
    prefix: str,
    after: str | None,
    limit: int | None,
    at: Moment | None,
    labels: tuple[tuple[str, str], ...],
    dropped: bool,
) -> None:
    """List the catalogs by name, as they are or were.

    Reads page by page, however many there are. PARENT is the catalog that one was forked from, AT the snapshot;
    SINCE is when it got its name.

    With --json: `catalogs` with `parent_id`, and `next_after` for --after if --limit left some out.

    Examples:
      forklake catalog list
      forklake catalog list --prefix agent- --limit 20
      forklake catalog list --at 2026-01-31T12:00:00Z
      forklake catalog list --label team=web
      forklake catalog list --dropped
    """
    if dropped and (after is not None or at is not None or labels):
        raise click.UsageError("--dropped goes with --prefix and --limit only.")
    chosen = {"prefix": prefix, "at": at, "labels": dict(labels)}
    with open_lake() as lake:
        if dropped:
            _show_dropped(lake, lake.dropped_catalogs(prefix=prefix, limit=limit))
            return
        if output.wants_json():
            found = [info for page in _pages(lake, after, limit, **chosen) for info in page]
            document = {"catalogs": found, "next_after": _next(lake, found, limit, **chosen)}
            output.show(document, tuple)
            return
        sheet = output.Sheet("NAME", "ID", "HEAD", "PARENT", "AT", "SINCE", right=("ID", "HEAD", "AT"))
        shown: list[CatalogInfo] = []
        for page in _pages(lake, after, limit, **chosen):
            names = catalog_titles(runtime_of(lake), (info.parent_id for info in page))
            for line in sheet.lines(_row(info, names) for info in page):
                click.echo(line)
            shown += page
        if not shown:
            click.echo("No catalogs.")
        rest = _next(lake, shown, limit, **chosen)
        if rest is not None:
            click.echo(f"There are more; go on with --after '{output.printable(rest)}'.", err=True)


def _row(info: CatalogInfo, names: Mapping[CatalogId | None, str]) -> tuple[object, ...]:
    parent = names.get(info.parent_id, info.parent_id)
    return info.name, info.catalog_id, info.snapshot_id, parent, info.parent_snapshot_id, info.begin_time


def _show_dropped(lake: Lake, found: list[DroppedCatalog]) -> None:
    names = catalog_titles(runtime_of(lake), (each.parent_id for each in found))

    def text() -> list[str]:
        if not found:
            return ["No dropped catalogs."]
        sheet = output.Sheet(
            "NAME", "ID", "HEAD", "PARENT", "AT", "DROPPED", "BY", "MESSAGE", right=("ID", "HEAD", "AT")
        )
        return sheet.lines(
            (
                each.name,
                each.catalog_id,
                each.snapshot_id,
                names.get(each.parent_id, each.parent_id),
                each.parent_snapshot_id,
                each.dropped_at,
                each.author,
                each.message,
            )
            for each in found
        )

    output.show({"catalogs": found}, text)


def _pages(lake: Lake, after: str | None, limit: int | None, **chosen: Any) -> Iterator[list[CatalogInfo]]:
    left = limit
    while left is None or left > 0:
        size = _PAGE if left is None else min(left, _PAGE)
        page = lake.catalogs(after=after, limit=size, **chosen)
        if page:
            yield page
        if len(page) < size:
            return
        after, left = page[-1].name, None if left is None else left - size


def _next(lake: Lake, shown: list[CatalogInfo], limit: int | None, **chosen: Any) -> str | None:
    if limit is None or len(shown) < limit:
        return None
    last = shown[-1].name
    return last if lake.catalogs(after=last, limit=1, **chosen) else None


@catalog.command()
@catalog_argument("name")
def show(name: str) -> None:
    """Show one catalog.

    Its head, its parent, what it holds, and what of that it added itself. Bytes are of all files that it keeps, also
    for the past: seen by it alone, seen by its forks too, inherited, and what dropping and purging it would give
    back.

    With --json: the catalog's fields, `kind`, `created_at`, `snapshot_time`, `parent_name`, `author`, `labels`,
    `lifetime`, and counts.

    Examples:
      forklake catalog show shop
      forklake catalog show shop --json
    """
    with open_lake() as lake:
        document = _describe(lake, lake.catalog(name))
    lifetime = document["lifetime"]

    def text() -> list[str]:
        parent = document["parent_name"] or (f"catalog {document['parent_id']}, which is dropped")
        pinned = f"{parent} at snapshot {document['parent_snapshot_id']}"
        return output.facts(
            ("Catalog", document["name"]),
            ("Id", document["catalog_id"]),
            ("Uuid", document["uuid"]),
            ("Head", f"{document['snapshot_id']}, committed {output.short_time(document['snapshot_time'])}"),
            ("Created", document["created_at"]),
            ("Author", document["author"]),
            ("Labels", ", ".join(f"{key}={value}" for key, value in document["labels"].items()) or None),
            ("Lives until", lifetime and output.short_time(lifetime.expires_at)),
            ("Kind", document["kind"]),
            ("Parent", None if document["parent_id"] is None else pinned),
            ("Forks", document["fork_count"]),
            ("Schemas", document["schema_count"]),
            ("Tables", document["table_count"]),
            ("Views", document["view_count"]),
            ("Macros", document["macro_count"]),
            ("Own files", f"{document['own_file_count']}, {output.size(document['own_byte_count'])}"),
            ("Seen by it alone", output.size(document["alone_byte_count"])),
            ("Shared with forks", output.size(document["shared_byte_count"])),
            ("Inherited", output.size(document["inherited_byte_count"])),
            ("Freed without it", output.size(document["freed_byte_count"])),
            ("Data path", document["data_path"]),
        )

    output.show(document, text)


def _describe(lake: Lake, found: Catalog) -> dict[str, Any]:
    info = found.inspect.info
    node = lake.fork_tree(info.name, depth=0).roots[0]
    parent = found.inspect.parent
    sizes = found.inspect.bytes
    fields: dict[str, Any] = output.plain(info)
    return fields | {
        "kind": node.kind,
        "created_at": node.created_at,
        "snapshot_time": node.snapshot_time,
        "parent_name": parent and parent.name,
        "author": found.inspect.author,
        "labels": found.inspect.labels,
        "lifetime": found.inspect.lifetime,
        "fork_count": node.fork_count,
        "schema_count": len(found.schemas.list()),
        "table_count": len(found.tables()),
        "view_count": len(found.views.list()),
        "macro_count": len(found.macros.list()),
        "own_file_count": node.own_file_count,
        "own_byte_count": node.own_byte_count,
        "alone_byte_count": sizes.alone,
        "shared_byte_count": sizes.in_forks,
        "inherited_byte_count": sizes.inherited,
        "freed_byte_count": sizes.freed,
    }


@catalog.command()
@catalog_argument("parent")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--names-from", type=click.File(encoding="utf-8"), metavar="FILE", help="Names, a line each; - is stdin.")
@at_option
@click.option("--data-path", metavar="PATH", help="Where the forks' own files go, if not below the lake's data path.")
@click.option("--if-not-exists", is_flag=True, help="Leave a fork of this parent that has the name as it is.")
@click.option("--copy", is_flag=True, help="Write the metadata out: no ancestry, no earlier history.")
@terms_options
def fork(
    parent: str,
    names: tuple[str, ...],
    names_from: TextIO | None,
    at: Moment | None,
    data_path: str | None,
    if_not_exists: bool,
    copy: bool,
    **given: Any,
) -> None:
    """Fork a catalog, once for each name.

    A fork starts as the catalog is, or was at any snapshot it can see, and takes milliseconds whatever its size.
    Several forks start from the same snapshot. Many are made in batches of 10,000, each all or nothing; with
    --data-path, --if-not-exists or --copy they are made one by one.

    With --json: `parent` and `forks`, each with `catalog_id`, `name` and `created`.

    Examples:
      forklake catalog fork shop agent-001
      forklake catalog fork shop audit --at 2026-01-31T12:00:00Z
      forklake catalog fork shop agent-002 agent-003 --if-not-exists
      forklake catalog fork shop try-1 --at v1 --ttl 2h --renew-by-commits 30m --author ann --label run=7
      seq -f 'agent-%06.0f' 100000 | forklake catalog fork shop --names-from -
    """
    try:
        wanted = [*names, *(line.rstrip("\r\n") for line in names_from or () if line.strip())]
    except UnicodeDecodeError as error:
        raise click.UsageError("The file of '--names-from' is no text in UTF-8; no fork was made.") from error
    if not wanted:
        raise click.UsageError("Name at least one fork.")
    if copy and if_not_exists:
        raise click.UsageError("--copy and --if-not-exists do not go together.")
    with open_lake() as lake, draw_progress() as progress:
        source, terms = lake.catalog(parent), read_terms(given)
        if data_path is None and not if_not_exists and not copy and len(wanted) > 1:
            made = source.fork_many(wanted, at=at, progress=progress, **terms)
        else:
            pin = source.head if at is None and len(wanted) > 1 else at
            made = []
            for name in wanted:
                place: dict[str, Any] = {"data_path": data_path, "if_not_exists": if_not_exists, "copy": copy}
                made.append(source.fork(name, at=pin, **place, **terms))
                progress("Forking", len(made), len(wanted))
    forks = [
        {"catalog_id": fork.catalog_id, "name": name, "created": fork.created}
        for name, fork in zip(wanted, made, strict=True)
    ]
    output.show({"parent": parent, "forks": forks}, lambda: _fork_lines(parent, forks))


def _fork_lines(parent: str, forks: list[dict[str, Any]]) -> list[str]:
    made = sum(fork["created"] for fork in forks)
    if len(forks) > 20:
        return [
            f'Made {output.quantity(made, "fork")} of "{output.printable(parent)}";'
            f" {len(forks) - made:,} were there before."
        ]
    return [
        f'Forked "{output.printable(parent)}" into "{output.printable(fork["name"])}" (id {fork["catalog_id"]}).'
        if fork["created"]
        else f'"{output.printable(fork["name"])}" (id {fork["catalog_id"]}) was there before.'
        for fork in forks
    ]


def asks() -> bool:
    """Return whether a user can be asked for confirmation."""
    return sys.stdin.isatty()


def _which(name: str | None, catalog_id: int | None) -> str | int:
    if (name is None) == (catalog_id is None):
        raise click.UsageError("Name a dropped catalog, or give its --id.")
    return name if name is not None else int(catalog_id or 0)


@catalog.command()
@click.argument("name", required=False)
@click.option("--id", "catalog_id", type=int, metavar="N", help="The catalog's id, where several had the name.")
@ttl_option
@info_options
def undrop(name: str | None, catalog_id: int | None, ttl: str | None, author: str | None, message: str | None) -> None:
    """Bring a dropped catalog back.

    By a name that only one was dropped under, or by its id. A lifetime that has passed is forgotten, unless --ttl gives
    it another.

    With --json: the catalog's fields.

    Examples:
      forklake catalog undrop agent-001
      forklake catalog undrop --id 17
    """
    with open_lake() as lake:
        back = lake.undrop_catalog(_which(name, catalog_id), ttl=ttl, author=author, message=message)
        _show_one(back, "Brought back")


@catalog.command()
@click.argument("name", required=False)
@click.option("--id", "catalog_id", type=int, metavar="N", help="The catalog's id, where several had the name.")
@click.option("--dropped", is_flag=True, help="All dropped catalogs, or those with --prefix.")
@click.option("--prefix", metavar="TEXT", help="All dropped catalogs whose names begin so.")
@click.option("--drop", "drop_live", is_flag=True, help="With --prefix: drop live ones first.")
@click.option("--dry-run", is_flag=True, help="With --dropped or --prefix: only say how many.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@info_options
def purge(
    name: str | None,
    catalog_id: int | None,
    dropped: bool,
    prefix: str | None,
    drop_live: bool,
    dry_run: bool,
    yes: bool,
    author: str | None,
    message: str | None,
) -> None:
    """Give up dropped catalogs for good.

    One, or all whose names begin with a text. Their snapshots, options and ancestry go. Forks keep what they
    see. Files that nobody sees any more are deleted later, by `forklake maintain cleanup`.

    With --json: `purged`, the name or id that was given, or the ids of all that were purged; of one also `file_count`
    and `byte_count` of files to delete, and `held_by`, the forks that go on showing rows of it.

    Examples:
      forklake catalog purge agent-001
      forklake catalog purge --id 17 --yes
      forklake catalog purge --dropped --yes
      forklake catalog purge --prefix agent- --drop --yes
    """
    if dropped or prefix is not None:
        if name is not None or catalog_id is not None or (drop_live and not prefix):
            raise click.UsageError("Name one catalog, or say --dropped or --prefix; --drop goes with --prefix.")
        _purge_many(prefix or "", drop_live, dry_run, yes, author=author, message=message)
        return
    if drop_live or dry_run:
        raise click.UsageError("--drop and --dry-run go with --prefix.")
    which = _which(name, catalog_id)
    _confirm(f"Give up catalog {which!r} for good?", yes)
    with open_lake() as lake:
        done = lake.purge(which, author=author, message=message)
    output.show({"purged": which} | output.plain(done), lambda: _purged_lines(which, done))


def _purged_lines(which: str | int, done: PurgedCatalog) -> Iterator[str]:
    yield f"Purged {which!r}; its name is free, its directory stays its own."
    if done.file_count:
        files = f"{output.quantity(done.file_count, 'file')}, {output.size(done.byte_count)},"
        yield f"Scheduled {files} for deletion by `maintain cleanup`."
    if done.held_by:
        most = "at least " if len(done.held_by) == MOST_HOLDERS else ""
        forks = output.which_names([fork.name for fork in done.held_by])
        yield f"Rows of it stay in {most}{output.quantity(len(done.held_by), 'fork')}{forks}."


def _purge_many(prefix: str, drop_live: bool, dry_run: bool, yes: bool, **info: Any) -> None:
    with open_lake() as lake:
        found = lake.maintenance.purge_catalogs(prefix, drop=drop_live, dry_run=True)
        if dry_run or not found:
            action = "Would purge" if dry_run else "Purged"
            output.show({"purged": found}, lambda: [f"{action} {output.quantity(len(found), 'catalog')}."])
            return
        _confirm(f"Give up {output.quantity(len(found), 'catalog')} for good?", yes)
        with draw_progress() as progress:
            purged = lake.maintenance.purge_catalogs(prefix, drop=drop_live, **info, progress=progress)
    output.show({"purged": purged}, lambda: [f"Purged {output.quantity(len(purged), 'catalog')}."])


def _confirm(question: str, yes: bool) -> None:
    if not yes:
        if not asks():
            raise click.UsageError("A purge cannot be undone, and nobody can be asked here: say --yes.")
        click.confirm(question, abort=True, err=True)


@catalog.command()
@catalog_argument("name")
@click.argument("new_name")
@info_options
def rename(name: str, new_name: str, author: str | None, message: str | None) -> None:
    """Give a catalog another name.

    Its directory, its forks and open handles stay as they are.

    With --json: the catalog's fields.

    Examples:
      forklake catalog rename agent-001 accepted
    """
    with open_lake() as lake:
        lake.catalog(name).rename(new_name, author=author, message=message)
        _show_one(lake.catalog(new_name), f'Renamed "{output.printable(name)}":')


@catalog.command()
@catalog_argument("name")
def sever(name: str) -> None:
    """Cut a fork off from its ancestors.

    What it inherits becomes its own, and its earlier history goes. A catalog that inherits nothing stays as
    it is.

    With --json: the catalog's fields.

    Examples:
      forklake catalog sever accepted
    """
    with open_lake() as lake:
        found = lake.catalog(name)
        found.maintenance.sever()
        _show_one(found, "Stands on its own:")


def _show_one(found: Catalog, what: str, **more: object) -> None:
    info = found.inspect.info
    output.show(
        output.plain(info) | more,
        lambda: [f'{what} catalog "{output.printable(info.name)}" (id {info.catalog_id}, head {info.snapshot_id}).'],
    )
