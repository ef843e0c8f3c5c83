"""`forklake catalog merge`, `refresh` and `reset`: forks come back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import reduce
from typing import Any, Final, TypeVar

import click

from forklake import MergeConflict, MergePlan
from forklake.cli import output
from forklake.cli.command import Command, catalog_argument, open_lake
from forklake.cli.draw_progress import draw_progress
from forklake.cli.moment import MOMENT, at_option
from forklake.errors import MergeConflictError
from forklake.model.fork_merge import CODES
from forklake.ops.merging.merge_terms import read_key_texts, read_strategy_texts

_LISTED: Final = 20
_F = TypeVar("_F", bound=Callable[..., Any])


def _commit_options(who: str, why: str) -> Callable[[_F], _F]:
    """Add the options of every commit of this module, with their help."""
    options = (
        click.option("--author", help=who),
        click.option("--message", help=why),
        click.option("--dry-run", is_flag=True, help="Only say what would be done."),
    )
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


def _merge_options(sides: str) -> Callable[[_F], _F]:
    """Add the options by which conflicts are found and decided."""
    options = (
        click.option(
            "--strategy",
            callback=lambda context, option, given: read_strategy_texts(given),
            multiple=True,
            metavar="[TABLE=]ours|theirs|fail",
            help=f"Who decides conflicts: {sides}, or nobody; for all, or several times, for a table each.",
        ),
        click.option(
            "--key",
            "keys",
            callback=lambda context, option, given: read_key_texts(given),
            multiple=True,
            metavar="TABLE=COLUMN[,COLUMN]...",
            help="Rows that both inserted with the same values in these columns are a conflict; once for each table.",
        ),
        click.option(
            "--code",
            type=click.Choice(CODES),
            default="take",
            show_default=True,
            help="Whether texts of views, macros, defaults and sort keys are merged, or refuse the whole.",
        ),
    )
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


@click.command(cls=Command)
@catalog_argument("source")
@catalog_argument("target")
@click.option(
    "--at",
    type=MOMENT,
    metavar="ID|TIME|TAG",
    help="One of the source's own snapshots, by id, time or tag; its head if not given.",
)
@_merge_options("the target, the source")
@_commit_options("Who merges.", "Why; if not given, it says what was merged.")
def merge(source: str, target: str, **how: Any) -> None:
    """Bring what SOURCE changed into TARGET, as one commit.

    Rows are compared by their ids, all else by name and attribute. What one side changed is taken; what both
    changed is a conflict, and then nothing is merged, unless a strategy decides. Merging again brings what is
    new since.

    Exit code 5 if conflicts are left, in a dry run too. With --json: the plan with `changes`, `tables`, `conflicts`
    and `snapshot_id`.

    Examples:
      forklake catalog merge agent-001 shop --dry-run
      forklake catalog merge agent-001 shop
      forklake catalog merge agent-001 shop --strategy theirs
      forklake catalog merge agent-001 shop --key orders=id --strategy ours
      forklake catalog merge agent-001 shop --strategy orders=ours --strategy staging.items=theirs
    """
    with open_lake() as lake, draw_progress() as progress:
        try:
            plan = lake.catalog(target).merge(lake.catalog(source), progress=progress, **how)
        except MergeConflictError as error:
            first = f'Merge of "{source}" into "{target}" has {{}}; nothing was merged:'
            raise _on_lines(error, first, source, target) from error
    title = f'"{output.printable(source)}" at snapshot {plan.source[1]}'
    into = f'"{output.printable(target)}"'
    nothing = f"{into} contains {title} already; nothing was merged."
    _show(plan, ("merge", "Merged"), f"{title} into {into}", nothing, (source, target))


@click.command(cls=Command)
@catalog_argument("catalog")
@_merge_options("the fork, its parent")
@_commit_options("Who refreshes.", "Why; if not given, it says from what.")
def refresh(catalog: str, **how: Any) -> None:
    """Bring a fork to the head of its parent, as one commit.

    Its own changes come on top: the content is that of merging the parent into the fork. What both changed is a
    conflict, and then nothing is refreshed, unless a strategy decides. Earlier snapshots stay, and so do forks of the
    fork.

    Exit code 5 if conflicts are left, in a dry run too. With --json: the plan with `changes`, `tables`, `conflicts`,
    `is_nothing` and `snapshot_id`.

    Examples:
      forklake catalog refresh agent-001 --dry-run
      forklake catalog refresh agent-001
      forklake catalog refresh agent-001 --strategy ours
      forklake catalog refresh agent-001 --key orders=id --strategy orders=theirs
    """
    with open_lake() as lake, draw_progress() as progress:
        fork = lake.catalog(catalog)
        found = fork.inspect.parent
        parent = "" if found is None else found.name
        try:
            plan = fork.refresh(progress=progress, **how)
        except MergeConflictError as error:
            first = f'Refresh of "{catalog}" from "{parent}" has {{}}; nothing was refreshed:'
            raise _on_lines(error, first, parent, catalog) from error
    title, source = f'"{output.printable(catalog)}"', f'"{output.printable(parent)}" at snapshot {plan.source[1]}'
    nothing = f"{title} is pinned to {source} already; nothing was refreshed."
    _show(plan, ("refresh", "Refreshed"), f"{title} from {source}", nothing, (parent, catalog))


@click.command(cls=Command)
@catalog_argument("catalog")
@catalog_argument("source", required=False)
@at_option
@_commit_options("Who resets.", "Why; if not given, it says to what.")
def reset(catalog: str, source: str | None, at: int | datetime | None, **how: Any) -> None:
    """Give CATALOG the content of SOURCE, or of its own past.

    It is one commit, and earlier snapshots stay: a reset can be taken back by another one.

    With --json: the plan with `changes`, `tables` and `snapshot_id`.

    Examples:
      forklake catalog reset shop --at 17
      forklake catalog reset shop agent-007
      forklake catalog reset shop agent-007 --at 2026-01-31T12:00:00Z --dry-run
    """
    if source is None and at is None:
        raise click.UsageError("Name a catalog to reset to, or a moment with --at.")
    with open_lake() as lake, draw_progress() as progress:
        target = lake.catalog(catalog)
        to = target if source is None else lake.catalog(source)
        plan = target.reset_to(to, at=at, progress=progress, **how)
    title = f'"{output.printable(catalog)}"'
    state = f'"{output.printable(source or catalog)}" at snapshot {plan.source[1]}'
    if plan.snapshot_id is not None:
        first = f"Reset {title} to {state}: snapshot {plan.snapshot_id}."
    else:
        first = (
            f"Would reset {title} to {state}." if plan.changes else f"{title} is as {state} already; nothing was done."
        )
    output.show(plan, lambda: [first, *_lines(plan, source or catalog, catalog)])


def _show(plan: MergePlan, verb: tuple[str, str], what: str, nothing: str, sides: tuple[str, str]) -> None:
    """Tell what was done, would be done or would be refused.

    Where it would be refused, the command ends as one that was. The verb is in its infinitive and past.
    """
    if not plan.is_possible:
        first = f"Would refuse to {verb[0]} {what}: {_count(plan.conflicts)}."
    elif plan.snapshot_id is not None:
        first = f"{verb[1]} {what}: snapshot {plan.snapshot_id}."
    else:
        first = nothing if plan.is_nothing else f"Would {verb[0]} {what}."
    output.show(plan, lambda: [first, *_lines(plan, *sides)])
    if not plan.is_possible:
        click.get_current_context().exit(MergeConflictError.exit_code)


def _lines(plan: MergePlan, source: str, target: str) -> Iterator[str]:
    of_rows = {table.words for table in plan.tables}
    for words in (words for words in plan.words if words not in of_rows):
        yield f"  {output.printable(words)}"
    for code in plan.code:
        yield f"  {output.printable(' '.join(code.words.split()))}"
    if plan.tables:
        sheet = output.Sheet(
            "TABLE", "FILES+", "FILES-", "ROWS+", "ROWS-", right=("FILES+", "FILES-", "ROWS+", "ROWS-")
        )
        yield from sheet.lines(
            (f"{one.schema}.{one.table}", one.files_added, one.files_removed, one.rows_added, one.rows_removed)
            for one in plan.tables
        )
    yield from _conflict_lines(plan.conflicts, source, target)


def _conflict_lines(conflicts: tuple[MergeConflict, ...], source: str, target: str) -> Iterator[str]:
    """Yield the first conflicts; those that nobody decided come before the others."""
    ordered = sorted(conflicts, key=lambda conflict: conflict.winner is not None)
    for conflict in ordered[:_LISTED]:
        decided = "" if conflict.winner is None else f"; {conflict.winner} wins"
        yield f"  Conflict: {output.printable(conflict.in_words(source, target))}{decided}."
    if len(conflicts) > _LISTED:
        yield f"  and {len(conflicts) - _LISTED:,} more; --dry-run --json lists all."


def _count(conflicts: tuple[MergeConflict, ...]) -> str:
    left = sum(conflict.winner is None for conflict in conflicts)
    counted = output.quantity(left, "conflict")
    return counted if left == len(conflicts) else f"{counted} that no strategy decides, of {len(conflicts):,}"


def _on_lines(error: MergeConflictError, first: str, source: str, target: str) -> MergeConflictError:
    """Return the same error, with its conflicts on lines of their own.

    In the first line, braces stand for their number.
    """
    text = "\n".join([first.format(_count(error.conflicts)), *_conflict_lines(error.conflicts, source, target)])
    return MergeConflictError(text, conflicts=error.conflicts, hint=error.advice)
