"""Logs what was done to catalogs beside commits: by whom, to which, and why."""

from __future__ import annotations

import logging
from typing import Final

from forklake.metastore.queries import catalogs
from forklake.metastore.source import Source
from forklake.model.ids import THE_LAKE, CatalogId
from forklake.model.records import UNSAID, CommitInfo

_LOG: Final = logging.getLogger("forklake.catalog")


def log_deed(source: Source, deed: str, *done: CatalogId, info: CommitInfo = UNSAID) -> None:
    """Log what was done, once for each catalog, with its id and name.

    The author and the message follow. Names, authors and messages are quoted: a line break in one begins no line of the
    log. Names are read only if somebody listens.
    """
    if not done or not _LOG.isEnabledFor(logging.INFO):
        return
    names = catalogs.last_names(source, done)
    said = f" by {info.author!r}" if info.author is not None else " (no author)"
    why = f": {info.message!r}" if info.message is not None else ""
    for catalog in done:
        name, _ = names.get(catalog, (None, False))
        which = "Lake" if catalog == THE_LAKE else f"Catalog {catalog}" + ("" if name is None else f" {name!r}")
        _LOG.info("%s %s%s%s", which, deed, said, why)
