"""Fields whose types are given by the names that the metadata has for them."""

from __future__ import annotations

from typing import Any

from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.types.read import stored_type


def named_field(column_id: int | None, name: str, kind: str, children: tuple[Field, ...] = (), **others: Any) -> Field:
    """Return a field; `others` are attributes of it."""
    number = None if column_id is None else ColumnId(column_id)
    return Field(number, name, stored_type(kind, children), **others)
