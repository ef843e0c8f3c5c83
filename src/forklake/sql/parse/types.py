"""The parser of types: DuckDB's names to DuckLake's."""

from __future__ import annotations

from typing import Final

from forklake.errors import InvalidInputError, NotFoundError
from forklake.model import types
from forklake.model.types import Type
from forklake.model.types.read import is_nested, read_scalar
from forklake.model.types.shapes import list_of, map_of, struct_of
from forklake.sql.parse.words import Words

_NOT_IN_DUCKLAKE: Final = {"bit": "BIT", "bitstring": "BIT", "varint": "BIGNUM", "bignum": "BIGNUM", "null": '"NULL"'}
_PAIRS: Final = (("DOUBLE", "PRECISION"), ("CHAR", "VARYING"), ("CHARACTER", "VARYING"))
_TEXTS: Final = frozenset({"varchar", *types.VARCHAR.facts.aliases, *types.VARCHAR.facts.sql_aliases})
"""Names of text, which may have a length behind them that means nothing."""


def read_column_type(words: Words) -> Type:
    """Read a type.

    Raises:
        InvalidInputError: It cannot be read, or DuckLake does not have it.
        NotFoundError: There is no such type.
    """
    kind = _read_one(words)
    while words.at_any("[", "ARRAY"):
        if words.take("[") or words.take("ARRAY", "["):
            if not words.take("]"):
                size = words.next().text
                words.expect("]")
                raise unsupported_type(f"{kind.sql_name}[{size}]")
        else:
            words.expect("ARRAY")
        kind = list_of(kind)
    return kind


def _read_one(words: Words) -> Type:
    if words.at("STRUCT", "(") or words.at("ROW", "("):
        words.next()
        return struct_of(words.in_parentheses(lambda: (words.label(), read_column_type(words))))
    if words.take("MAP"):
        kinds = words.in_parentheses(lambda: read_column_type(words))
        if len(kinds) != 2:
            raise InvalidInputError("MAP type requires exactly two type modifiers: key type and value type")
        return map_of(*kinds)
    if words.at("UNION", "(") or words.at("ENUM", "("):
        start = words.mark()
        words.next()
        words.in_parentheses(lambda: _skip_item(words))
        raise unsupported_type(words.text_from(start))
    return _read_name(words)


def _skip_item(words: Words) -> None:
    while not words.at_any(",", ")"):
        if words.at("("):
            words.in_parentheses(lambda: _skip_item(words))
        else:
            words.next()


def _read_name(words: Words) -> Type:
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
        raise unsupported_type(_NOT_IN_DUCKLAKE[name])
    text = name
    if arguments and name not in _TEXTS:
        text += f"({','.join(arguments)})"
    if is_nested(text):
        raise words.unexpected_token()
    try:
        return read_scalar(text, is_sql=True)
    except ValueError as error:
        if text.startswith(("decimal(", "numeric(", "dec(")):
            shown = text.upper().replace("DEC(", "DECIMAL(")
            raise InvalidInputError(
                f"Parser Error: {shown} is no type: it has 1 to 38 digits, some of them behind the point."
            ) from error
        raise NotFoundError(f"Type with name {word} does not exist!") from error


def _with_zone(words: Words, name: str) -> str:
    if words.take("WITHOUT", "TIME", "ZONE"):
        return name
    return f"{name}tz" if words.take("WITH", "TIME", "ZONE") else name


def _read_arguments(words: Words) -> list[str]:
    return words.in_parentheses(lambda: words.next().text) if words.at("(") else []


def unsupported_type(text: str) -> InvalidInputError:
    """Return the error, in DuckLake's words, for a type that no column can have."""
    return InvalidInputError(f"Failed to convert DuckDB type to DuckLake - unsupported type {text}")
