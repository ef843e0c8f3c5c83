"""Maintains the catalogs of a lake that hold work, in bounded time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Protocol

from forklake.errors import ForklakeError, IncompleteError, InvalidInputError, NotFoundError
from forklake.model.ids import CatalogId
from forklake.model.progress import Progress, ignore_progress
from forklake.model.records import CheckpointStep
from forklake.model.upkeep import LakeMaintained, MaintainedCatalog, MaintenanceNeeds
from forklake.ops.catalogs.end_catalogs import reap
from forklake.ops.lakes.relative_times import NO_AGE, Age, age_of, time_before
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.maintenance.checkpoint import CheckpointWork, checkpoint
from forklake.ops.maintenance.cleanup import cleanup_old_files
from forklake.ops.maintenance.pending_work import find_needs


class OpenCatalog(Protocol):
    """Opens a catalog by its id."""

    def __call__(self, catalog_id: CatalogId, *, dry_run: bool) -> tuple[str, CheckpointWork]:
        """Return the name of the catalog, and its work.

        Raises:
            NotFoundError: The catalog was dropped.
        """
        ...


def maintain_lake(
    runtime: Runtime,
    opened: OpenCatalog,
    *,
    duration: timedelta | str | None = None,
    at_least: timedelta | str | None = None,
    dry_run: bool = False,
    progress: Progress = ignore_progress,
) -> LakeMaintained:
    """Reap, clean up the files of a lake, then do what its catalogs need.

    The catalogs are found by a few queries (`find_needs`), and visited in random order: several processes that
    maintain one lake at the same time rarely meet, and where they do, one of them finds nothing left or is refused by a
    conflict. A catalog that fails is reported, and the rest goes on. What was done needs nothing any more, so the next
    run goes on where this one ended.

    Args:
        runtime: The lake.
        opened: Opens a catalog.
        duration: For how long new work is begun, such as ``10 minutes``; what is being done then is finished. If not
            given, all is done.
        at_least: How old snapshots are that expire, and how long files wait, whatever options say.
        dry_run: Only return what would be done.
        progress: Called with the catalog, how many are done, and how many there are.

    Raises:
        InvalidInputError: The duration, or the age, is none.
    """
    clock = runtime.settings.clock
    end = None if duration is None else clock.now() + _read_duration(clock.now(), duration)
    floor = NO_AGE if at_least is None else _read_age(clock.now(), at_least)

    def is_over() -> bool:
        return end is not None and clock.now() >= end

    reaped = reap(runtime, dry_run=dry_run, is_over=is_over)
    cleaned = cleanup_old_files(runtime, None, dry_run=dry_run, is_over=is_over, at_least=floor)
    needs = find_needs(runtime.store, floor)
    waiting = sorted(needs.catalogs)
    Random(clock.now().timestamp()).shuffle(waiting)
    done: list[MaintainedCatalog] = []
    for place, catalog in enumerate(waiting):
        if is_over():
            return LakeMaintained(tuple(done), len(waiting) - place, cleaned, reaped, dry_run)
        progress("catalogs", place, len(waiting))
        done += _maintain_one(partial(opened, catalog, dry_run=dry_run), catalog, tuple(_steps(needs, catalog)), floor)
    progress("catalogs", len(waiting), len(waiting))
    return LakeMaintained(tuple(done), 0, cleaned, reaped, dry_run)


def _maintain_one(
    opened: Callable[[], tuple[str, CheckpointWork]], catalog: CatalogId, names: tuple[str, ...], floor: Age
) -> list[MaintainedCatalog]:
    try:
        name, work = opened()
    except NotFoundError:
        return []  # dropped since
    steps: list[CheckpointStep] = []
    try:
        steps += checkpoint(replace(work, at_least=floor), ignore_progress, names)
    except IncompleteError as error:
        return [MaintainedCatalog(catalog, name, error.done, error.message)]
    except ForklakeError as error:
        return [MaintainedCatalog(catalog, name, (), error.message)]
    return [MaintainedCatalog(catalog, name, tuple(steps))]


def _steps(needs: MaintenanceNeeds, catalog: CatalogId) -> Iterator[str]:
    """Yield the steps of a checkpoint that a catalog needs."""
    if catalog in needs.flush:
        yield "flush_inlined_data"
    if catalog in needs.expire:
        yield "expire_snapshots"
    if catalog in needs.merge or catalog in needs.flush:
        yield "merge_adjacent_files"
    if catalog in needs.rewrite:
        yield "rewrite_data_files"


def _read_age(now: datetime, given: timedelta | str) -> Age:
    age = age_of(given) if isinstance(given, str | timedelta) else None
    if age is None:
        raise InvalidInputError(
            f'"{given}" is not an age; nothing was maintained.', hint="Say '7 days', or '12 hours'."
        )
    time_before(now, age, "nothing was maintained")
    return age


def _read_duration(now: datetime, given: timedelta | str) -> timedelta:
    age = age_of(given) if isinstance(given, str | timedelta) else None
    if age is None:
        raise InvalidInputError(
            f'"{given}" is no length of time; nothing was maintained.', hint="Say '10 minutes', or '2 hours'."
        )
    return now - time_before(now, age, "nothing was maintained")
