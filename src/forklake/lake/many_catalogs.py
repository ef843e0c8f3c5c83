"""Verbs of a lake for many catalogs at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta

from forklake.catalog.moments import Time
from forklake.lake.across import Across
from forklake.lake.catalog import Catalog
from forklake.lake.trials import Attempt, Better, Keep, try_many
from forklake.model.lives import DroppedTogether, Reaped
from forklake.model.progress import Progress, ignore_progress
from forklake.model.trials import Trials
from forklake.ops.catalogs.catalog_terms import Duration, read_info
from forklake.ops.catalogs.end_catalogs import drop_catalogs, reap
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.rows.read_across import choose_catalogs


class ManyCatalogs(ABC):
    """What a lake does with many catalogs at once."""

    _runtime: Runtime

    @abstractmethod
    def catalog(self, name: str) -> Catalog:
        """Return a live catalog by its name."""

    def drop_catalogs(
        self,
        *,
        parent: str | None = None,
        prefix: str = "",
        older_than: Time | timedelta | None = None,
        idle: Time | timedelta | None = None,
        keep: Iterable[str] = (),
        dry_run: bool = False,
        author: str | None = None,
        message: str | None = None,
        progress: Progress | None = None,
    ) -> DroppedTogether:
        """Drop all catalogs for which every given condition holds.

        A catalog that somebody commits to meanwhile is left, and reported.

        Args:
            parent: Forks of this catalog.
            prefix: Those whose names begin so; case does not matter for A to Z.
            older_than: Those that were created before a time, or longer ago than an age such as ``7 days``.
            idle: Those that nobody committed to since a time, or for an age.
            keep: The names of catalogs that stay.
            dry_run: Drop nothing; only return which.
            author: Who drops them; `Lake.dropped_catalogs` and the log have it.
            message: Why, likewise.
            progress: Called with the step and how many catalogs are done; how many there are is None.

        Raises:
            InvalidInputError: No condition is given, or one makes no sense.
            NotFoundError: The parent, or one to keep, is no live catalog. Nothing was dropped.
        """
        return drop_catalogs(
            self._runtime,
            parent=parent,
            prefix=prefix,
            older_than=older_than,
            idle=idle,
            keep=keep,
            dry_run=dry_run,
            info=read_info(author, message),
            progress=progress or ignore_progress,
        )

    def reap(self, *, limit: int | None = None, dry_run: bool = False, progress: Progress | None = None) -> Reaped:
        """Drop the catalogs that are past their lifetimes.

        Those that were dropped so long ago that their time has come are purged. Run it from time to time;
        `LakeMaintenance.run` does. `undrop_catalog` brings a catalog back until it is purged.

        Args:
            limit: How many catalogs to drop or purge, at most.
            dry_run: Do nothing; only return which.
            progress: Called with the step and how many catalogs are done; how many there are is None.

        Raises:
            InvalidInputError: The limit is no number above 0.
        """
        return reap(self._runtime, limit=limit, dry_run=dry_run, progress=progress or ignore_progress)

    def across(
        self,
        names: Iterable[str] | None = None,
        *,
        parent: str | None = None,
        prefix: str = "",
        labels: Mapping[str, str] | None = None,
    ) -> Across:
        """Return catalogs that are read together: a table in all of them.

        They are those for which every given condition holds.

        ``lake.across(parent="shop").table("orders").dataframe()`` has the orders of all forks of a catalog, with the
        name of the fork.

        Args:
            names: These catalogs.
            parent: Forks of this catalog, without their own forks.
            prefix: Those whose names begin so; case does not matter for A to Z.
            labels: Those that have all of these labels.

        Raises:
            InvalidInputError: No condition is given.
            NotFoundError: The parent, or one of the names, is no live catalog.
        """
        chosen = choose_catalogs(self._runtime, names=names, parent=parent, prefix=prefix, labels=labels)
        return Across(self._runtime, chosen)

    def try_many(
        self,
        parent: str,
        attempts: Mapping[str, Attempt],
        *,
        score: Callable[[Catalog], object] | str,
        keep: Keep = "merge",
        better: Better = "highest",
        workers: int = 4,
        ttl: Duration = "1 day",
        message: str | None = None,
    ) -> Trials:
        """Try several ways to change a catalog, and keep the best.

        Each runs in a fork of its own. The forks are made at one snapshot and run in parallel; what fails is reported
        and loses. Then the best comes home, and the forks are dropped. If it cannot come home, because the catalog
        changed meanwhile and both sides conflict, the error says so, and all forks stay until their lifetime ends.

        Args:
            parent: The catalog.
            attempts: What to try, by name: functions that get the fork, or SQL.
            score: How good the result is: a query whose first value counts, or a function that gets the fork. NULL,
                None and NaN are no score.
            keep: What becomes of the best: ``merge`` it into the catalog, ``reset`` the catalog to it, leave the
                ``fork``, or ``none``: drop it too, only the scores are wanted.
            better: Which score is better: the ``highest`` or the ``lowest``.
            workers: How many attempts run at the same time.
            ttl: The lifetime of the forks, if this process dies meanwhile.
            message: The message of the commit that brings the best home.

        Raises:
            NotFoundError: No live catalog has the name.
            MergeConflictError: The best conflicts with what was committed to the catalog meanwhile.
            InvalidInputError: There is nothing to try, an argument makes no sense, or two scores cannot be compared;
                then all forks stay, too.
        """
        return try_many(
            self.catalog(parent),
            attempts,
            score,
            keep=keep,
            better=better,
            workers=workers,
            ttl=ttl,
            message=message,
        )
