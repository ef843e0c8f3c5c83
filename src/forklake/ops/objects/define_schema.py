"""Creates and drops schemas."""

from __future__ import annotations

import uuid

from forklake.catalog import lookup
from forklake.catalog.transaction import Staging
from forklake.model import change
from forklake.model.ids import SchemaId


def create_schema(staging: Staging, name: str, *, if_not_exists: bool = False) -> bool:
    """Create a schema; return whether this call created it.

    Raises:
        AlreadyExistsError: There is one of that name.
    """
    if if_not_exists and lookup.find_schema(staging.draft, name) is not None:
        return False
    staging.stage(change.CreateSchema(SchemaId(staging.new_object()), str(uuid.uuid4()), name))
    return True


def drop_schema(staging: Staging, name: str, *, cascade: bool = False, if_exists: bool = False) -> None:
    """Drop a schema; with ``cascade`` also its tables, views and macros.

    Raises:
        NotFoundError: There is none of that name.
        InvalidInputError: It holds something, and ``cascade`` was not given.
    """
    if if_exists and lookup.find_schema(staging.draft, name) is None:
        return
    staging.stage(change.DropSchema(lookup.schema(staging.draft, name).schema_id, cascade))
