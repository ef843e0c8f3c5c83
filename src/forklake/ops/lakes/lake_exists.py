"""Whether there is a lake to open."""

from __future__ import annotations

from forklake.metastore.location import embedded_path, is_filled


def lake_exists(url: str) -> bool:
    """Return whether there is a lake to open; otherwise opening makes a new file.

    A server is not contacted: opening never makes a lake there.

    Raises:
        ConfigError: The URL names no database that forklake knows, or no file can have its name.
    """
    path = embedded_path(url)
    return path is None or is_filled(path)
