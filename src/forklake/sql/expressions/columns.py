"""Lookup of the columns and struct fields that an expression names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from forklake.errors import InvalidInputError, NotFoundError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.predicate import Comparison
from forklake.model.quoting import quote_spark_name
from forklake.model.scan import LINEAGE_COLUMNS
from forklake.model.types.shapes import shape_of
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.expression_site import Site
from forklake.sql.expressions.nested import field_of
from forklake.sql.expressions.variants import computed_here


class TableSite(Site):
    """The names in a condition on the rows of one table.

    They are its columns, struct fields, and the lineage columns of rows.
    """

    def __init__(self, table: str, fields: Sequence[Field]) -> None:
        self._table = table
        self._fields = fields

    def column(self, names: Sequence[str]) -> Bound:
        """Return the column or struct field of a dotted name.

        Raises:
            NotFoundError: There is none.
            InvalidInputError: A field is asked of something that is no struct.
        """
        table, fields = self._table, self._fields
        if len(names) > 1 and fold(names[0]) == fold(table) and find(fields, names[1]) is not None:
            names = names[1:]
        field = find(fields, names[0])
        if field is None:
            if len(names) > 1 and fold(names[0]) == fold(table):
                names = names[1:]
            return _lineage(names, table, fields)
        return extract_field(column_of(field, quote_spark_name(field.name)), names[1:], field.name)


def column_of(field: Field, sql: str) -> Bound:
    """Return a column or struct field, given its name in Spark SQL."""
    if field.type != types.BOOLEAN or field.column_id is None:
        return Bound(sql, shape_of(field.type), field)
    true, false = (Comparison(field.column_id, types.BOOLEAN, "=", text) for text in ("true", "false"))
    return Bound(sql, types.BOOLEAN, field, when_true=true, when_false=false)


def extract_field(value: Bound, names: Sequence[str], label: str) -> Bound:
    """Return the struct field that a path of names leads to.

    The label names the start of the path in errors.

    Raises:
        NotFoundError: There is no such field.
        InvalidInputError: A field is asked of something that is no struct.
    """
    for name in names:
        if isinstance(value.type, types.Map):
            value = field_of(value, name)
            continue
        if value.type == types.VARIANT:
            return computed_here(types.VARIANT)
        if not isinstance(value.type, types.Struct):
            raise InvalidInputError(
                f'Binder Error: Cannot extract field "{name}" from "{label}" because it is not a struct'
            )
        # Fields of a column have ids, and tell of it what is compared with them.
        fields = value.type.fields if value.field is None else value.field.children
        inner = find(fields, name)
        if inner is None:
            raise NotFoundError(
                f'Binder Error: Could not find key "{name}" in struct "{label}"\n'
                f"Candidate Entries: {quoted_list(field.name for field in fields)}"
            )
        value = column_of(inner, f"{value.sql}.{quote_spark_name(inner.name)}")
        label = f"{label}.{inner.name}"
    return value


def find(fields: Sequence[Field], name: str) -> Field | None:
    """Return the field with a name, or None."""
    return next((field for field in fields if fold(field.name) == fold(name)), None)


def quoted_list(names: Iterable[str]) -> str:
    """Return names in quotes, as messages list them."""
    return ", ".join(f'"{name}"' for name in names)


def missing_column(name: str, candidates: Sequence[str]) -> NotFoundError:
    """Return the error for a missing column, with the closest existing names."""
    near = difflib.get_close_matches(name, list(dict.fromkeys(candidates)), n=5, cutoff=0)
    return NotFoundError(
        f'Binder Error: Referenced column "{name}" not found in FROM clause!\nCandidate bindings: {quoted_list(near)}'
    )


def _lineage(names: Sequence[str], table: str, fields: Sequence[Field]) -> Bound:
    """Return a lineage column, which every row has besides those of its table."""
    if len(names) == 1 and fold(names[0]) in LINEAGE_COLUMNS:
        name = fold(names[0])
        return Bound(f"`{name}`", LINEAGE_COLUMNS[name])
    if len(names) > 1:
        raise NotFoundError(f'Binder Error: Referenced table "{names[0]}" not found!\nCandidate tables: "{table}"')
    raise missing_column(names[0], [field.name for field in fields])
