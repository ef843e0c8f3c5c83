"""Parses the transforms of partition keys, from metadata or from a user."""

from __future__ import annotations

from forklake.errors import InvalidInputError
from forklake.model.transforms import Transform


def read_transform(text: str) -> Transform:
    """Parse the name of a transform.

    Raises:
        InvalidInputError: There is no such transform.
    """
    try:
        return Transform.parse(text)
    except ValueError as error:
        raise InvalidInputError(str(error)) from error


def known_transform(text: str) -> Transform | None:
    """Parse the name of a transform in the metadata.

    The result is None if another writer knows the transform and we do not.
    """
    try:
        return Transform.parse(text)
    except ValueError:
        return None
