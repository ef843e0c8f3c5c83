"""Upgrades the metadata of a lake to the version of this release."""

from __future__ import annotations

import logging
from typing import Final

from forklake.config import Settings
from forklake.errors import NotFoundError
from forklake.metastore.location import open_store
from forklake.metastore.queries import option_rows as options
from forklake.metastore.store import Store
from forklake.metastore.upgrade import plan_upgrade, upgrade
from forklake.model.ids import THE_LAKE
from forklake.model.overview import Upgrade
from forklake.ops.lakes.lake_exists import lake_exists

_LOG: Final = logging.getLogger("forklake.maintenance")


def upgrade_lake(
    url: str, *, trust_definitions: bool = False, dry_run: bool = False, settings: Settings | None = None
) -> Upgrade:
    """Upgrade the metadata of a lake, all or nothing.

    With ``dry_run`` only tell what would be run. With ``trust_definitions`` no definition is marked that was stored
    before there were marks.

    Raises:
        NotFoundError: There is no such file.
        MetastoreVersionError: The lake is of a newer version, or there is none.
        MetastoreRefusedError: The role does not own the tables, or other objects depend on the views.
    """
    if not lake_exists(url):
        raise NotFoundError(f'There is no lake at "{url}"; nothing was upgraded.')
    store = open_store(url, settings or Settings(), is_upgraded=True)
    try:
        if dry_run:
            return plan_upgrade(store, trusts=trust_definitions)
        done = upgrade(store, trusts=trust_definitions)
        _record_home(store)
    finally:
        store.close()
    if done.is_done:
        _LOG.info("The metadata was upgraded from version %d to %d", done.found_version, done.version)
    return done


def _record_home(store: Store) -> None:
    """Write down where the metadata is, if nobody has: older versions did not."""
    data_path, home = options.lake_place(store)
    if data_path is not None and home is None:
        place = options.OptionRow(options.HOME, store.home(), "", -1)
        with store.writing() as session:
            options.write_option(session, THE_LAKE, place)
