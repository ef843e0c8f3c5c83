"""The forks that a confined session makes: names, number and lifetimes."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, Final

from forklake.config import Confinement
from forklake.errors import AlreadyExistsError, LimitError, NotFoundError, PermissionDeniedError
from forklake.lake import Catalog, Lake
from forklake.lake.internals import runtime_of
from forklake.metastore.limits import end_of
from forklake.metastore.queries.catalogs import last_name, last_names, live_between, parent_of
from forklake.model.ids import CatalogId
from forklake.model.lives import Lifetime
from forklake.model.names import fold
from forklake.ops.catalogs.catalog_terms import read_lifetime
from forklake.ops.catalogs.list_catalogs import names_between
from forklake.ops.catalogs.renew import lifetime_of
from forklake.ops.lakes.runtime import Runtime

_GOES_ON_WITH: Final = ("-", "_", ".", "/")
_AFTER_EXACTLY: Final = "\x01"


class OwnForks:
    """The forks that a session and its cursors made. Safe to share between threads."""

    def __init__(self, terms: Confinement) -> None:
        self._terms = terms
        self._given: frozenset[tuple[str, CatalogId]] | None = None
        self._made: dict[tuple[str, CatalogId], Lake] = {}
        self._making = threading.RLock()

    def __contains__(self, fork: tuple[Lake, CatalogId]) -> bool:
        return (runtime_of(fork[0]).key, fork[1]) in self._made

    def all(self) -> list[tuple[Lake, CatalogId]]:
        """Return them, each with its lake, dropped ones too."""
        return [(lake, catalog) for (_, catalog), lake in list(self._made.items())]

    def confine(self, given: Iterable[tuple[Lake, CatalogId]]) -> None:
        """Confine the session to what it was given; until then it may do all of this."""
        self._given = frozenset((runtime_of(lake).key, catalog) for lake, catalog in given)

    @property
    def is_confined(self) -> bool:
        """Whether the session is confined to what it was given."""
        return self._given is not None

    def note(self, lake: Lake, fork: Catalog) -> None:
        """Remember a fork that the session has asked for: if it made it, it is its own.

        Raises:
            AlreadyExistsError: It was there before, and is not the session's.
        """
        if self._given is None:
            return
        one = (runtime_of(lake).key, fork.catalog_id)
        if fork.created:
            self._made[one] = lake
        elif one not in self._made and one not in self._given:
            raise AlreadyExistsError(f"Catalog '{fork.name}' already exists.", hint="Choose another name.")

    # ---- whose they are ----------------------------------------------------------------------------------------------

    def check_own(self, lake: Lake, catalog: CatalogId, action: str) -> None:
        """Refuse to change the life of a catalog that the session was given.

        Raises:
            PermissionDeniedError: It was.
        """
        if self.is_confined and (lake, catalog) not in self:
            raise denial(f"A catalog that it was given is not {action}, only forks that it made are")

    def own_dropped(self, lake: Lake, which: str | int, ttl: Any = None) -> tuple[str | int, Any]:
        """Return a dropped catalog that may be brought back, and its lifetime.

        Args:
            lake: Its lake.
            which: Its name or id.
            ttl: The lifetime that it is to have.

        Raises:
            NotFoundError: There is none that the session made.
            PermissionDeniedError: It would outlive its parent.
        """
        if not self.is_confined:
            return which, ttl
        runtime = runtime_of(lake)
        for other, catalog in self.all():
            if runtime_of(other).key != runtime.key or Catalog(runtime, catalog).inspect.is_live:
                continue
            if which == catalog or (
                isinstance(which, str) and fold(last_name(runtime.store, catalog) or "") == fold(which)
            ):
                return catalog, self._ttl_with_parent(runtime, catalog, ttl)
        raise NotFoundError(f"No dropped catalog {which!r} exists.")

    def check_fork(self, parent: Catalog, name: str, data_path: str | None, terms: Mapping[str, Any]) -> dict[str, Any]:
        """Refuse a fork that the session may not make; return the terms that it gets.

        Raises:
            PermissionDeniedError: It may make none, none of that name, none there, or none that lives so long.
        """
        if not self.is_confined:
            return dict(terms)
        if not self._terms.may_fork:
            raise denial("Forking is not permitted")
        if data_path is not None:
            raise denial("A data path for a fork is not permitted")
        self.check_name(name)
        return self._end_with_parent(parent, terms)

    # ---- names -------------------------------------------------------------------------------------------------------

    def check_name(self, name: str) -> None:
        """Refuse a name for a fork.

        Raises:
            PermissionDeniedError: It does not begin as the names of the session's forks do.
        """
        prefix = self._terms.fork_prefix
        if self.is_confined and not _is_permitted(name, prefix):
            begin = f'begin with "{prefix}"'
            if _needs_separator(prefix):
                begin = f'are "{prefix}" or go on from it with "-", "_", "." or "/"'
            raise PermissionDeniedError(
                f'Permission Error: The names of forks of this session {begin}, and "{name}" does not; nothing was'
                " done."
            )

    @contextmanager
    def naming(self, name: str) -> Iterator[None]:
        """Say of a name that is taken nothing but that.

        Raises:
            AlreadyExistsError: It is.
        """
        try:
            yield
        except AlreadyExistsError:
            if not self.is_confined:
                raise
            raise AlreadyExistsError(f"Catalog '{name}' already exists.", hint="Choose another name.") from None

    # ---- how many ----------------------------------------------------------------------------------------------------

    @contextmanager
    def making(self, lake: Lake, if_not_exists: str | None = None) -> Iterator[None]:
        """Let one more fork live, or none if there are as many as there may be.

        Cursors of a session wait for each other.

        Args:
            lake: Its lake.
            if_not_exists: The name of a fork of the session, of which none is made if it is there.

        Raises:
            LimitError: There are as many as there may be.
        """
        limit = self._terms.max_forks
        if self._given is None or limit is None:
            yield
            return
        with self._making:
            names, live = self._live(runtime_of(lake))
            if len(live) >= limit and (if_not_exists is None or fold(if_not_exists) not in names):
                prefix = self._terms.fork_prefix
                which = f', of names with "{prefix}"' if prefix else ""
                raise LimitError(
                    f"This session may have {limit:,} live forks{which}, and they are there; nothing was done.",
                    limit="forks",
                    hint="Drop one of them first." if limit else None,
                )
            yield

    def _live(self, runtime: Runtime) -> tuple[set[str], set[CatalogId]]:
        """Return the folded names of live forks that the session made, and all that count."""
        made = {catalog for key, catalog in list(self._made) if key == runtime.key}
        prefix = self._terms.fork_prefix
        with runtime.store.reading() as session:
            known = last_names(session, made) if made else {}
            live = {catalog: fold(name) for catalog, (name, is_live) in known.items() if is_live}
            found = {*live, *(live_between(session, *_name_ranges(prefix)) if prefix else ())}
        given = {catalog for key, catalog in self._given or () if key == runtime.key}
        return set(live.values()), found - given

    # ---- how long ----------------------------------------------------------------------------------------------------

    def _end_with_parent(self, parent: Catalog, terms: Mapping[str, Any]) -> dict[str, Any]:
        """Return the terms of a new fork.

        It ends with its parent if they say nothing of it.

        Raises:
            PermissionDeniedError: It would live longer than its parent.
        """
        runtime = runtime_of(parent)
        bound = lifetime_of(runtime, parent.catalog_id)
        if bound is None or bound.expires_at <= _now(runtime):
            return dict(terms)  # a parent that has lapsed is not forked
        purge = terms.get("purge_after")
        if purge is None and bound.purge_after_seconds is not None:
            purge = timedelta(seconds=bound.purge_after_seconds)
        return {**terms, "ttl": _end_within(runtime, bound, terms), "purge_after": purge}

    def renewal(self, fork: Catalog, terms: Mapping[str, Any]) -> dict[str, Any]:
        """Return the terms of a fork's further life.

        Raises:
            PermissionDeniedError: It would live longer than its parent.
        """
        if not self.is_confined:
            return dict(terms)
        runtime = runtime_of(fork)
        bound = _bound_of(runtime, fork.catalog_id)
        if bound is None:
            return dict(terms)
        if terms.get("ttl") is None:
            raise _outlives(bound)
        return {**terms, "ttl": _end_within(runtime, bound, terms)}

    def _ttl_with_parent(self, runtime: Runtime, fork: CatalogId, ttl: Any) -> Any:
        """Return the lifetime with which a fork is brought back; None if it keeps its own.

        Raises:
            PermissionDeniedError: It would live longer than its parent.
        """
        bound, own = _bound_of(runtime, fork), lifetime_of(runtime, fork)
        if bound is None or (ttl is None and own is not None and own.expires_at > _now(runtime)):
            return ttl
        return _end_within(runtime, bound, {"ttl": ttl})


def _bound_of(runtime: Runtime, fork: CatalogId) -> Lifetime | None:
    """Return the lifetime that a fork must not outlive: its parent's.

    Where the parent is gone and has none, it is the fork's own.
    """
    parent = parent_of(runtime.store, fork)
    found = None if parent is None else lifetime_of(runtime, parent)
    if found is None and (parent is None or not Catalog(runtime, parent).inspect.is_live):
        return lifetime_of(runtime, fork)
    return found


def _end_within(runtime: Runtime, bound: Lifetime, terms: Mapping[str, Any]) -> datetime:
    """Return when a fork ends by its terms; with its parent if they do not say it.

    Raises:
        PermissionDeniedError: It would be later than its parent, or is over.
    """
    now, ttl, renew = _now(runtime), terms.get("ttl"), terms.get("renew_by_commits")
    end = bound.expires_at
    if ttl is not None:
        end = end_of(read_lifetime(runtime.store, ttl, None, terms.get("purge_after")), now)
    if end > bound.expires_at or bound.expires_at <= now or renew is not None:
        raise _outlives(bound)
    return end


def _now(runtime: Runtime) -> datetime:
    with runtime.store.reading() as session:
        return session.now()


def _outlives(bound: Lifetime) -> PermissionDeniedError:
    return PermissionDeniedError(
        "Permission Error: A fork that this session makes ends with its parent at the latest, and no commit prolongs"
        f" its life: the parent ends at {bound.expires_at.isoformat(sep=' ')}. Nothing was done.",
        hint="Give it a shorter life, or say nothing of it.",
    )


def denial(what: str, hint: str | None = None, *, subject: str = "this session is confined") -> PermissionDeniedError:
    """Return the error for what a confined session may not do."""
    return PermissionDeniedError(f"Permission Error: {what}: {subject}; nothing was done.", hint=hint)


def _needs_separator(prefix: str) -> bool:
    return prefix[-1:].isalnum()


def _is_permitted(name: str, prefix: str) -> bool:
    """Return whether a fork may have a name, case aside.

    >>> [_is_permitted(name, "run-7") for name in ("run-7", "RUN-7/a", "run-71", "run")]
    [True, True, False, False]
    >>> [_is_permitted(name, "run-") for name in ("run-", "run-71", "run")]
    [True, True, False]
    """
    if not fold(name).startswith(fold(prefix)):
        return False
    rest = fold(name)[len(fold(prefix)) :]
    return not rest or not _needs_separator(prefix) or rest.startswith(_GOES_ON_WITH)


def _name_ranges(prefix: str) -> list[tuple[str, str]]:
    """Return the ranges of folded names that a prefix permits, each without its end."""
    if not _needs_separator(prefix):
        return [found for found in (names_between(prefix),) if found]
    longer = [found for each in _GOES_ON_WITH if (found := names_between(prefix + each))]
    return [(fold(prefix), fold(prefix) + _AFTER_EXACTLY), *longer]
