"""Upgrades the metadata of a lake to the version of this release."""

from __future__ import annotations

from forklake.config import Settings
from forklake.errors import NotFoundError
from forklake.metastore.location import open_store
from forklake.metastore.upgrade import plan_upgrade, upgrade
from forklake.model.overview import Upgrade
from forklake.ops.lake_exists import lake_exists


def upgrade_lake(url: str, *, dry_run: bool = False, settings: Settings | None = None) -> Upgrade:
    """Upgrade the metadata of a lake, all or nothing.

    With ``dry_run`` only tell what would be run.

    Raises:
        NotFoundError: There is no such file.
        MetastoreVersionError: The lake is of a newer version, or there is none.
        MetastoreRefusedError: The role does not own the tables, or other objects depend on the views.
    """
    if not lake_exists(url):
        raise NotFoundError(f'There is no lake at "{url}"; nothing was upgraded.')
    store = open_store(url, settings or Settings(), is_upgraded=True)
    try:
        return plan_upgrade(store) if dry_run else upgrade(store)
    finally:
        store.close()
