"""What maintenance has to do in a lake, found by a few queries."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Final

from forklake.errors import InvalidInputError
from forklake.metastore.queries import needs as queries
from forklake.metastore.queries.lifetimes import lapsed_count
from forklake.metastore.store import Session, Store
from forklake.model.ids import THE_LAKE, CatalogId
from forklake.model.option_rules import OPTIONS
from forklake.model.upkeep import MaintenanceNeeds
from forklake.ops.lakes.relative_times import NO_AGE, Age, time_of_option

_UNDONE: Final = "nothing was maintained"

FLUSH_ROWS: Final = 100
"""Rows of one table in the metadata from which on they are worth a file."""
MERGE_FILES: Final = 8
"""Small files of one table from which on they are worth merging."""
SMALL_FILE_BYTES: Final = 64 * 2**20
REWRITE_FRACTION: Final = 0.95
"""The default of the option ``rewrite_delete_threshold``; a lower one of a catalog counts when that is maintained."""


def find_needs(store: Store, at_least: Age = NO_AGE) -> MaintenanceNeeds:
    """Return which catalogs hold work for each verb of maintenance.

    ``at_least`` is how old snapshots are that expire, and how long files wait, whatever options say.
    The cost is a scan of the rows of files, inlined rows, delete files and snapshots, not a visit to each catalog.
    """
    with store.reading() as session:
        scheduled = queries.scheduled_count(session)
        return MaintenanceNeeds(
            flush=frozenset(queries.with_inlined_rows(session, FLUSH_ROWS)),
            expire=frozenset(_expirable(session, at_least)),
            merge=frozenset(queries.with_small_files(session, SMALL_FILE_BYTES, MERGE_FILES)),
            rewrite=frozenset(queries.with_deleted_rows(session, REWRITE_FRACTION)),
            lapsed_count=lapsed_count(session),
            due_count=queries.due_count(session),
            scheduled_count=scheduled,
            waited_count=_waited_count(session, at_least) if scheduled else 0,
        )


def _waited_count(session: Session, at_least: Age) -> int:
    """Return how many files have waited as long as their catalog says."""
    now, ages = session.now(), queries.options_named(session, "delete_older_than")
    own = [catalog for catalog in ages if catalog != THE_LAKE]
    usual = ages.get(THE_LAKE) or OPTIONS["delete_older_than"].default
    before = _time(now, usual, at_least)
    count = 0 if before is None else queries.scheduled_before(session, before, own, but=True)
    for age, catalogs in _by_age(ages).items():
        before = _time(now, age, at_least)
        count += 0 if before is None else queries.scheduled_before(session, before, catalogs)
    return count


def _by_age(ages: Mapping[CatalogId, str]) -> dict[str, list[CatalogId]]:
    """Return the catalogs that set an option to an age, by this age."""
    found: dict[str, list[CatalogId]] = {}
    for catalog, age in ages.items():
        if catalog != THE_LAKE and age:
            found.setdefault(age, []).append(catalog)
    return found


def _expirable(session: Session, at_least: Age) -> set[CatalogId]:
    """Return the catalogs with snapshots that may expire by their option."""
    now, ages = session.now(), queries.options_named(session, "expire_older_than")
    found: set[CatalogId] = set()
    for age, catalogs in _by_age(ages).items():
        before = _time(now, age, at_least)
        found |= set() if before is None else queries.with_snapshots_before(session, before, catalogs)
    before = _time(now, ages.get(THE_LAKE), at_least)
    if before is not None:
        found |= queries.with_snapshots_before(session, before, None) - ages.keys()
    return found


def _time(now: datetime, age: str | None, at_least: Age) -> datetime | None:
    """Return the time that an option means.

    None is one that says nothing, or no age: what one catalog has set keeps nobody from the work of others.
    """
    with suppress(InvalidInputError):
        return time_of_option(now, age, _UNDONE, at_least) if age else None
    return None
