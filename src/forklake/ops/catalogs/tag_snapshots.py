"""Tags snapshots: a name for a version, which keeps it from expiry."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from forklake.catalog import limits, versions
from forklake.catalog.moments import Moment, Time, read_time
from forklake.catalog.names import check_name, check_shown, check_text
from forklake.errors import AlreadyExistsError, InvalidInputError, InvalidNameError, NotFoundError
from forklake.metastore import limits as stored_limits
from forklake.metastore.queries import catalogs, snapshots, tags
from forklake.metastore.store import DuplicateKeyError, Session
from forklake.model.hint import ListTags
from forklake.model.ids import CatalogId
from forklake.model.lives import MAX_TAGS, Excess, Tag
from forklake.model.names import fold
from forklake.model.version import Version
from forklake.ops.catalogs.catalog_terms import Duration
from forklake.ops.lakes.relative_times import age_of, seconds_of
from forklake.ops.lakes.runtime import Runtime

_UNDONE: Final = "nothing was tagged"


def tag_snapshot(
    runtime: Runtime,
    catalog: CatalogId,
    name: str,
    *,
    at: Moment | None = None,
    keep_until: Time | Duration | None = None,
    message: str | None = None,
) -> Tag:
    """Give one of a catalog's own snapshots a name.

    Args:
        runtime: The lake.
        catalog: The catalog.
        name: A name that reads neither as a number nor as a time or an age; case does not matter for A to Z.
        at: The snapshot: its id, a time or another tag; the newest one if not given.
        keep_until: How long it keeps the snapshot from expiry: a time, or a length of time from now on. For ever if
            not given.
        message: Why.

    Raises:
        InvalidNameError: The name cannot be used.
        InvalidInputError: The snapshot is inherited, or ``keep_until`` lies in the past.
        AlreadyExistsError: A snapshot of the catalog has the name.
        SnapshotNotFoundError: There is no such snapshot.
        NotFoundError: The catalog was dropped.
        QuotaError: It has a quota, and too many tags or too long a message.
    """
    check_tag_name(name)
    check_text(f'message of tag "{name}"', message)
    try:
        with runtime.store.writing() as session:
            session.lock_shared(catalog)  # nobody expires the snapshot meanwhile
            version = versions.head_by_id(session, catalog).version
            if at is not None:
                version = versions.version_of(session, version, at)
            if not snapshots.is_own(session, catalog, version.snapshot_id):
                raise _inherited_error(session, version)
            now = session.now()
            tag = Tag(name, version.snapshot_id, catalog, now, _read_end(keep_until, now), message)
            there = tags.own_tags(session, catalog)
            if any(fold(other.name) == fold(name) for other in there):
                raise _taken_error(name)
            _check_quotas(session, catalog, len(there) + 1, message)
            tags.write_tag(session, tag)
    except DuplicateKeyError as error:
        raise _taken_error(name) from error
    return tag


def _check_quotas(session: Session, catalog: CatalogId, count: int, message: str | None) -> None:
    beyond = limits.beyond_every_quota(message)
    if count > MAX_TAGS:
        beyond = Excess("tags", MAX_TAGS, count)
    if beyond is not None:
        refusal = stored_limits.find_excess(session, catalog, files=False, sizes=False, beyond=beyond)
        if refusal is not None:
            raise limits.quota_error(session, refusal, _UNDONE.capitalize())


def untag_snapshot(runtime: Runtime, catalog: CatalogId, name: str) -> None:
    """Take a tag of the catalog's own away; the snapshot stays, and can be expired.

    Raises:
        NotFoundError: None of its snapshots has the name.
    """
    check_name("tag", name)
    with runtime.store.writing() as session:
        versions.head_by_id(session, catalog)
        if not tags.forget_tag(session, catalog, name):
            raise NotFoundError(f'No snapshot of the catalog\'s own has the tag "{name}".', hint=ListTags())


def list_tags(runtime: Runtime, version: Version) -> list[Tag]:
    """Return the tags that name versions of a catalog: its own, and its ancestors'.

    Of several with one name, the nearest counts, and only that is returned.
    """
    nearest: dict[str, Tag] = {}
    for tag in tags.tags_of_lineage(runtime.store, version):
        nearest.setdefault(fold(tag.name), tag)
    return list(nearest.values())


def check_tag_name(name: str) -> None:
    """Refuse a name that could be taken for another moment, or breaks lists.

    Raises:
        InvalidNameError: It is not a name, it reads as a number, a time or an age, or has control characters.
    """
    check_name("tag", name)
    check_shown("tag", name)
    if _is_number(name) or _is_time(name) or age_of(name) is not None or name != name.strip():
        raise InvalidNameError(
            f'"{name}" cannot be the name of a tag: it reads as a number, a time or a length of time, or has spaces'
            f" around it; {_UNDONE}.",
            hint="Say v1, or release-2026.",
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_time(text: str) -> bool:
    try:
        read_time(text)
    except InvalidInputError as error:
        return "is no timestamp" not in error.message
    return True


def _read_end(given: Time | Duration | None, now: datetime) -> datetime | None:
    if given is None:
        return None
    if isinstance(given, timedelta) or (isinstance(given, str) and age_of(given) is not None):
        return now + timedelta(seconds=seconds_of(given, "The time that a tag keeps a snapshot", _UNDONE))
    try:
        end = read_time(given)
    except InvalidInputError:
        raise InvalidInputError(
            f"A tag keeps its snapshot until a time, or for a length of time, not {given!r}; {_UNDONE}.",
            hint="Say '30 days', or 2026-01-31T12:00:00Z.",
        ) from None
    if end <= now:
        raise InvalidInputError(f"A tag keeps its snapshot until after now, not {end.isoformat(sep=' ')}; {_UNDONE}.")
    return end


def _inherited_error(session: Session, version: Version) -> InvalidInputError:
    owner = next(
        segment.owner for segment in version.segments if snapshots.is_own(session, segment.owner, version.snapshot_id)
    )
    return InvalidInputError(
        f"Snapshot {version.snapshot_id} is not the catalog's own but inherited from \""
        f'{catalogs.last_name(session, owner)}"; {_UNDONE}.',
        hint="Tag it there: the tag is found from here, too.",
    )


def _taken_error(name: str) -> AlreadyExistsError:
    return AlreadyExistsError(
        f'A snapshot of the catalog has the tag "{name}" already; {_UNDONE}.', hint="Take it away first."
    )
