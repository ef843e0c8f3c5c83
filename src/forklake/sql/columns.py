"""Finding the columns that an expression names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from forklake.errors import InvalidInputError, NotFoundError
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.predicate import Comparison
from forklake.model.scan import LINEAGE_COLUMNS
from forklake.sql.bound import Bound


def bind_column(names: Sequence[str], table: str, fields: Sequence[Field]) -> Bound:
    """Return the column, or field of structs, that names with dots between stand for.

    Raises:
        NotFoundError: There is none.
        InvalidInputError: A field is asked of something that is no struct.
    """
    if len(names) > 1 and fold(names[0]) == fold(table) and _find(fields, names[1]) is not None:
        names = names[1:]
    field = _find(fields, names[0])
    if field is None:
        if len(names) > 1 and fold(names[0]) == fold(table):
            names = names[1:]
        return _lineage(names, table, fields)
    path = [field.name]
    for name in names[1:]:
        if field.type != "struct":
            raise InvalidInputError(
                f'Binder Error: Cannot extract field "{name}" from "{".".join(path)}" because it is not a struct'
            )
        inner = _find(field.children, name)
        if inner is None:
            candidates = _quoted(child.name for child in field.children)
            raise NotFoundError(
                f'Binder Error: Could not find key "{name}" in struct "{".".join(path)}"\n'
                f"Candidate Entries: {candidates}"
            )
        field = inner
        path.append(field.name)
    return _bound(path, field)


def _bound(path: Sequence[str], field: Field) -> Bound:
    sql = ".".join(f"`{name.replace('`', '``')}`" for name in path)
    if field.type != "boolean" or field.column_id is None:
        return Bound(sql, field.type, field)
    true, false = (Comparison(field.column_id, "boolean", "=", text) for text in ("true", "false"))
    return Bound(sql, "boolean", field, when_true=true, when_false=false)


def _lineage(names: Sequence[str], table: str, fields: Sequence[Field]) -> Bound:
    """Return a column that every row has beside those of its table."""
    if len(names) == 1 and fold(names[0]) in LINEAGE_COLUMNS:
        name = fold(names[0])
        return Bound(f"`{name}`", "varchar" if name == "filename" else "int64")
    if len(names) > 1:
        raise NotFoundError(f'Binder Error: Referenced table "{names[0]}" not found!\nCandidate tables: "{table}"')
    near = difflib.get_close_matches(names[0], [field.name for field in fields], n=5, cutoff=0)
    raise NotFoundError(
        f'Binder Error: Referenced column "{names[0]}" not found in FROM clause!\nCandidate bindings: {_quoted(near)}'
    )


def _find(fields: Sequence[Field], name: str) -> Field | None:
    return next((field for field in fields if fold(field.name) == fold(name)), None)


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
