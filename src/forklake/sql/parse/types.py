"""Types of columns, as DuckDB writes them, turned into DuckLake's."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from forklake.errors import InvalidInputError, NotFoundError
from forklake.model.definitions import ColumnDefinition
from forklake.model.types import NESTED, canonical, sql_name
from forklake.sql.parse.words import Words

_DUCKDB_NAMES: Final = {
    "int8": "int64",
    "oid": "int64",
    "integral": "int32",
    "dec": "decimal",
    "nvarchar": "varchar",
    "guid": "uuid",
    "character": "varchar",
    "char varying": "varchar",
    "character varying": "varchar",
}
"""Names that mean something else in SQL than in DuckLake's metadata, or that only SQL has."""
_NOT_IN_DUCKLAKE: Final = {"bit": "BIT", "bitstring": "BIT", "varint": "BIGNUM", "bignum": "BIGNUM", "null": '"NULL"'}
_PAIRS: Final = (("DOUBLE", "PRECISION"), ("CHAR", "VARYING"), ("CHARACTER", "VARYING"))
_LENGTHS: Final = frozenset({"varchar", "text", "string", "char", "bpchar"})


def read_column_type(words: Words, name: str = "") -> ColumnDefinition:
    """Read a type; return the column of that name and type, with DuckLake's names of types.

    Raises:
        InvalidInputError: It cannot be read, or DuckLake does not have it.
        NotFoundError: There is no such type.
    """
    column = _read_one(words, name)
    while words.at_any("[", "ARRAY"):
        if words.take("[") or words.take("ARRAY", "["):
            if not words.take("]"):
                size = words.next().text
                words.expect("]")
                raise _unsupported(f"{_written(column)}[{size}]")
        else:
            words.expect("ARRAY")
        column = ColumnDefinition(name, "list", children=(replace(column, name="element"),))
    return column


def _read_one(words: Words, name: str) -> ColumnDefinition:
    if words.at("STRUCT", "(") or words.at("ROW", "("):
        words.next()
        fields = words.in_parentheses(lambda: read_column_type(words, words.label()))
        return ColumnDefinition(name, "struct", children=tuple(fields))
    if words.take("MAP"):
        kinds = words.in_parentheses(lambda: read_column_type(words))
        if len(kinds) != 2:
            raise InvalidInputError("MAP type requires exactly two type modifiers: key type and value type")
        return ColumnDefinition(name, "map", children=(replace(kinds[0], name="key"), replace(kinds[1], name="value")))
    if words.at("UNION", "(") or words.at("ENUM", "("):
        start = words.mark()
        words.next()
        words.in_parentheses(lambda: _skip_item(words))
        raise _unsupported(words.text_from(start))
    return ColumnDefinition(name, _read_name(words))


def _skip_item(words: Words) -> None:
    while not words.at_any(",", ")"):
        if words.at("("):
            words.in_parentheses(lambda: _skip_item(words))
        else:
            words.next()


def _read_name(words: Words) -> str:
    word = words.next().text if any(words.at(*pair) for pair in _PAIRS) else words.label()
    if words.at("."):
        # Types of the system's schemas, such as main.INTEGER; there are no others.
        words.expect(".")
        word = words.label()
    name = " ".join(word.lower().split())
    if name in ("timestamp", "time"):
        name = _with_zone(words, name)
    arguments = _read_arguments(words)
    if name in _NOT_IN_DUCKLAKE:
        raise _unsupported(_NOT_IN_DUCKLAKE[name])
    text = _DUCKDB_NAMES.get(name, name)
    if arguments and text not in _LENGTHS:
        text += f"({','.join(arguments)})"
    try:
        found = canonical(text)
    except ValueError as error:
        if text.startswith(("decimal(", "numeric(")):
            raise InvalidInputError(
                f"Parser Error: {text.upper()} is no type: it has 1 to 38 digits, some of them behind the point."
            ) from error
        raise NotFoundError(f"Type with name {word} does not exist!") from error
    if found in NESTED:
        raise words.unexpected()
    return found


def _with_zone(words: Words, name: str) -> str:
    if words.take("WITHOUT", "TIME", "ZONE"):
        return name
    return f"{name}tz" if words.take("WITH", "TIME", "ZONE") else name


def _read_arguments(words: Words) -> list[str]:
    return words.in_parentheses(lambda: words.next().text) if words.at("(") else []


def _written(column: ColumnDefinition) -> str:
    """Return a type as DuckDB would write it."""
    parts: list[str]
    match column.type:
        case "list":
            return _written(column.children[0]) + "[]"
        case "struct":
            parts = [f"{child.name} {_written(child)}" for child in column.children]
        case "map":
            parts = [_written(child) for child in column.children]
        case other:
            return sql_name(other)
    return f"{column.type.upper()}({', '.join(parts)})"


def _unsupported(text: str) -> InvalidInputError:
    return InvalidInputError(f"Failed to convert DuckDB type to DuckLake - unsupported type {text}")
