"""Values that the parser reads as constants: options, settings, defaults."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from sqlglot import TokenType, exp

from forklake.errors import InvalidInputError
from forklake.model.lazy_dataclass import dataclass
from forklake.sql.parse.words import Words

_TYPED: Final = frozenset({"DATE", "TIME", "TIMESTAMP", "TIMESTAMPTZ", "UUID", "JSON", "VARCHAR", "TEXT"})
_WORDS: Final = {"TRUE": True, "FALSE": False, "NULL": None, "ON": True, "OFF": False}


def read_options(words: Words) -> dict[str, Any]:
    """Read ``(NAME value, NAME = value, NAME)``.

    Names are in lower case; an option without a value is True.

    Raises:
        InvalidInputError: A name is given twice.
    """
    found: dict[str, Any] = {}
    if not words.at("("):
        return found

    def read_one() -> None:
        name = words.label().lower()
        if name in found:
            raise words.wrong(f'Duplicate option "{name}"')
        words.take_any("=", "=>", ":=")
        found[name] = True if words.at(",") or words.at(")") else _read_option(words)

    words.in_parentheses(read_one)
    return found


def _read_option(words: Words) -> Any:
    """Read the value of an option.

    An expression to compute, such as ``now() - INTERVAL 1 DAY``, is returned as a tree.
    """
    start = words.mark()
    with suppress(InvalidInputError):
        value = read_value(words)
        if words.at(",") or words.at(")"):
            return value
    words.back(start)
    return words.expression()


def read_value(words: Words) -> Any:
    """Read a text, a number, a boolean, NULL, or a list or map of these.

    A bare word or name is its text.
    """
    token = words.token
    if token is None:
        raise words.unexpected_token()
    if token.token_type == TokenType.STRING:
        value: Any = words.string()
    elif token.token_type == TokenType.NUMBER or words.at("-") or words.at("+"):
        value = _read_number(words)
    elif words.take("["):
        value = []
        while not words.take("]"):
            value.append(read_value(words))
            if not words.at("]"):
                words.expect(",")
    elif words.take("MAP", "{") or words.take("{"):
        value = _read_map(words)
    elif words.at("("):
        values = words.in_parentheses(lambda: read_value(words))
        value = values[0] if len(values) == 1 else values
    else:
        value = _read_word(words)
    if words.take("::"):
        words.label()
    return value


def _read_word(words: Words) -> Any:
    if words.token is not None and words.token.token_type != TokenType.IDENTIFIER:
        upper = words.token.text.upper()
        if upper in _WORDS:
            words.next()
            return _WORDS[upper]
    name = ".".join([words.label(), *_rest_of_path(words)])
    if name.upper() in _TYPED:
        if name.upper() == "TIMESTAMP" and words.take("WITH", "TIME", "ZONE"):
            return words.string()
        if words.at_string():
            return words.string()
    return name


def _rest_of_path(words: Words) -> list[str]:
    parts = []
    while words.take("."):
        parts.append(words.label())
    return parts


def _read_number(words: Words) -> int | float:
    sign = -1 if words.take("-") else 1
    words.take("+")
    token = words.token
    if token is None or token.token_type != TokenType.NUMBER:
        raise words.unexpected_token()
    text = words.next().text
    return sign * (int(text) if text.isdigit() else float(text))


def _read_map(words: Words) -> dict[str, Any]:
    found: dict[str, Any] = {}
    while not words.take("}"):
        key = words.string() if words.at_string() else words.label()
        words.expect(":")
        found[key] = read_value(words)
        if not words.at("}"):
            words.expect(",")
    return found


@dataclass(frozen=True, slots=True)
class Default:
    """A default: the text of a literal's value, or of an expression.

    NULL has no text.
    """

    text: str | None
    is_expression: bool = False
    is_quoted: bool = False


def read_default(words: Words) -> Default:
    """Read the expression of a default."""
    text, tree = words.source(words.operand)
    if tree.find(exp.Query):
        raise InvalidInputError("DEFAULT value cannot contain subqueries")
    if tree.find(exp.Column):
        raise InvalidInputError("DEFAULT value cannot contain column names")
    inner = tree.unnest()
    if isinstance(inner, exp.Null):
        return Default(None)
    literal = _literal_text(inner)
    while isinstance(tree, exp.Paren) and isinstance(tree.this, exp.Paren):
        text, tree = text[1:-1].strip(), tree.this
    return (
        Default(text, is_expression=True)
        if literal is None
        else Default(literal, is_quoted=isinstance(inner, exp.Literal) and inner.is_string)
    )


def _literal_text(tree: exp.Expr) -> str | None:
    """Return the text of a literal's value; None if it is no literal."""
    if isinstance(tree, exp.Neg):
        inner = tree.this.unnest()
        if not isinstance(inner, exp.Literal) or inner.is_string:
            return None
        # Zero has a sign as a float only, which is written with an exponent.
        sign = "-" if inner.name.strip("0.") else ""
        return f"{sign}{_number_text(inner.name)}"
    if isinstance(tree, exp.Boolean):
        return "true" if tree.this else "false"
    if isinstance(tree, exp.Literal):
        return str(tree.this) if tree.is_string else _number_text(tree.this)
    return None


def _number_text(text: str) -> str:
    return str(float(text)) if "e" in text.lower() else text
