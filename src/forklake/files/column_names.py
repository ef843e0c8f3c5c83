"""Columns of a user's rows found among those of a table, for rows of Arrow and of Spark alike."""

from __future__ import annotations

from collections.abc import Sequence

from forklake.errors import InvalidInputError
from forklake.model.field import Field
from forklake.model.names import fold


def column_positions(given: Sequence[str], fields: Sequence[Field], table: str, *, by_name: bool) -> list[int | None]:
    """Return for each column of a table the number of the one that it is given, None for one that has its default.

    Raises:
        InvalidInputError: There are more or fewer columns, or by their names: an unknown one, or one twice.
    """
    if by_name:
        check_names(given, fields, table)
        positions = {fold(name): position for position, name in enumerate(given)}
        return [positions.get(fold(field.name)) for field in fields]
    if len(given) != len(fields):
        raise InvalidInputError(f"table {table} has {len(fields)} columns but {len(given)} values were supplied")
    return list(range(len(fields)))


def check_names(given: Sequence[str], fields: Sequence[Field], table: str, above: str = "") -> None:
    """Refuse columns, or fields of the struct at a path, that a table does not have or that are there twice.

    Raises:
        InvalidInputError: There is one.
    """
    known, seen = {fold(field.name) for field in fields}, set[str]()
    before = f"{above}." if above else ""
    for name in given:
        if fold(name) not in known:
            raise InvalidInputError(
                f'Table "{table}" does not have a column with name "{before}{name}"',
                hint="Its columns are " + ", ".join(f'"{before}{field.name}"' for field in fields) + ".",
            )
        if fold(name) in seen:
            raise InvalidInputError(f'Duplicate column name "{before}{name}" in INSERT')
        seen.add(fold(name))
