"""The transforms of partition keys, read from the metadata or from a user."""

from __future__ import annotations

from forklake.errors import InvalidInputError
from forklake.model.transforms import Transform


def read_transform(text: str) -> Transform:
    """Return the transform that a text names.

    Raises:
        InvalidInputError: There is no such transform.
    """
    try:
        return Transform.parse(text)
    except ValueError as error:
        raise InvalidInputError(str(error)) from error


def known_transform(text: str) -> Transform | None:
    """Return the transform that a text of the metadata names; None if another writer knows it and we do not."""
    try:
        return Transform.parse(text)
    except ValueError:
        return None
