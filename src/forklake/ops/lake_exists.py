"""Whether there is a lake to open."""

from __future__ import annotations

from forklake.metastore.location import embedded_path


def lake_exists(url: str) -> bool:
    """Return whether opening the URL finds something; False means that it would make a new file.

    A server is not asked: opening never makes a lake there.

    Raises:
        ConfigError: The URL names no database that forklake knows.
    """
    path = embedded_path(url)
    return path is None or (path.exists() and path.stat().st_size > 0)
