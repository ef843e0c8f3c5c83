"""Brings the metadata of an older version to that of this release."""

from __future__ import annotations

from dataclasses import replace

from forklake.metastore import schema
from forklake.metastore.queries.stored_definitions import stored_definitions
from forklake.metastore.schema.steps import MARKS_SINCE, VERSION
from forklake.metastore.store import Session, Store
from forklake.model.overview import Upgrade


def upgrade(store: Store, *, trusts: bool = False) -> Upgrade:
    """Upgrade an open store in one transaction, unless it is up to date.

    Others wait until it is done: of several upgrades at once, one does it. With ``trusts`` no definition is marked that
    was stored before there were marks.

    Raises:
        MetastoreVersionError: The store is of a newer version, or of one that is not known.
    """
    with store.writing() as session:
        begin = session.begin_upgrade()
        for statement in begin:
            session.run(statement)
        # Read under the lock: another upgrade may have ended meanwhile.
        planned = _plan(session, store, begin, trusts=trusts)
        for statement in planned.statements[len(begin) :]:
            session.run(statement)
    return replace(planned, is_done=bool(planned.statements))


def plan_upgrade(store: Store, *, trusts: bool = False) -> Upgrade:
    """Return what an upgrade of an open store would run now; nothing is changed.

    Raises:
        MetastoreVersionError: The store is of a newer version, or of one that is not known.
    """
    with store.reading() as session:
        return _plan(session, store, session.begin_upgrade(), trusts=trusts)


def _plan(session: Session, store: Store, begin: list[str], *, trusts: bool) -> Upgrade:
    found = schema.known_version(dict(session.query(schema.VERSION_QUERY)), store.dialect.name)
    statements = [] if found == VERSION else [*begin, *session.upgrade_script(found, trusts=trusts)]
    definitions = stored_definitions(session) if found < MARKS_SINCE else ()
    return Upgrade(found, VERSION, tuple(statements), is_done=False, definitions=definitions, trusts_definitions=trusts)
