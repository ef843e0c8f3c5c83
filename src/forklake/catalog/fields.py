"""Converts column rows to trees of fields."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from forklake.catalog import lookup
from forklake.catalog.state import Content
from forklake.catalog.stored_defaults import default_of
from forklake.errors import InvalidInputError
from forklake.model.field import Field
from forklake.model.ids import ColumnId, TableId
from forklake.model.promotions import can_become
from forklake.model.rows import ColumnRow
from forklake.model.types.read import stored_type


def table_fields(content: Content, table_id: TableId) -> tuple[Field, ...]:
    """Return the columns of a table in order, each with its nested fields."""
    return field_tree(lookup.columns(content, table_id))


def field_tree(rows: Sequence[ColumnRow]) -> tuple[Field, ...]:
    """Return the fields that ordered column rows describe."""
    below = _by_parent(rows)

    def tree(parent: ColumnId | None) -> tuple[Field, ...]:
        return tuple(
            Field(
                column_id=row.column_id,
                name=row.column_name,
                type=stored_type(row.column_type, tree(row.column_id)),
                nulls_allowed=row.nulls_allowed,
                default=default_of(row)[0],
                default_is_expression=default_of(row)[1],
                initial_default=row.initial_default,
            )
            for row in below.get(parent, ())
        )

    return tree(None)


def stored_tree(rows: Sequence[ColumnRow]) -> tuple[Field, ...]:
    """Return the fields of a file written with these columns.

    They have only names and stored types.
    """
    below = _by_parent(rows)

    def tree(parent: ColumnId | None) -> tuple[Field, ...]:
        return tuple(
            Field(row.column_id, row.column_name, stored_type(row.column_type, tree(row.column_id)).stored_as)
            for row in below.get(parent, ())
        )

    return tree(None)


def wider_fields(before: Sequence[Field], after: Sequence[Field]) -> tuple[Field, ...]:
    """Return the later columns, each with the wider of its two types.

    Rows of both can be shown in them.

    Raises:
        InvalidInputError: A column has types that are not widened into each other.
    """
    was = {field.column_id: field for field in before}
    return tuple(_wider_field(was.get(field.column_id), field) for field in after)


def _wider_field(before: Field | None, after: Field) -> Field:
    if before is None or before.type == after.type or can_become(before.type, after.type):
        return after
    if can_become(after.type, before.type):
        return replace(after, type=before.type)
    if before.children and after.children and type(before.type) is type(after.type):
        return after.with_children(wider_fields(before.children, after.children))
    raise InvalidInputError(
        f'Column "{after.name}" has the type {before.type} in one version and {after.type} in the other; rows of both'
        " cannot be shown together.",
        hint="Read the table of each version.",
    )


def _by_parent(rows: Iterable[ColumnRow]) -> dict[ColumnId | None, list[ColumnRow]]:
    found: dict[ColumnId | None, list[ColumnRow]] = {}
    for row in rows:
        found.setdefault(row.parent_column, []).append(row)
    return found
