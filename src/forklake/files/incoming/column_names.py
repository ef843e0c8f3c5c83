"""Matching of a user's columns with those of a table, for Arrow and Spark alike."""

from __future__ import annotations

from collections.abc import Sequence

from forklake.errors import InvalidInputError
from forklake.model.field import Field
from forklake.model.names import fold


def column_positions(given: Sequence[str], fields: Sequence[Field], table: str, *, by_name: bool) -> list[int | None]:
    """Return for each column of a table the position of the column given for it.

    None: no column is given, so it has its default.

    Raises:
        InvalidInputError: There are more or fewer columns; or, by name, one is unknown or occurs twice.
    """
    if by_name:
        check_names(given, fields, table)
        positions = {fold(name): position for position, name in enumerate(given)}
        return [positions.get(fold(field.name)) for field in fields]
    if len(given) != len(fields):
        raise InvalidInputError(f"table {table} has {len(fields)} columns but {len(given)} values were supplied")
    return list(range(len(fields)))


def check_names(given: Sequence[str], fields: Sequence[Field], table: str, above: str = "") -> None:
    """Refuse columns that a table does not have, and repeated ones.

    With ``above``, they are fields of the struct at that path.

    Raises:
        InvalidInputError: There is such a column.
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
