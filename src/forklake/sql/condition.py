"""Conditions in DuckDB's words: what prunes files, and the same condition for Spark."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from sqlglot import Token, TokenType, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError, TokenError

from forklake.errors import InvalidInputError
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.predicate import Condition
from forklake.sql.bound import NULL, type_name
from forklake.sql.columns import TableSite
from forklake.sql.expression import ExpressionBinder

_DUCKDB: Final = Dialect.get_or_raise("duckdb")
_FULL_MATCHES: Final = frozenset({TokenType.RLIKE, TokenType.TILDE})
_AFTER_COLUMNS: Final = frozenset(
    {TokenType.LT, TokenType.LTE, TokenType.GT, TokenType.GTE, TokenType.EQ, TokenType.NEQ, TokenType.DOT}
)


def condition(text: str, table: str, fields: Sequence[Field]) -> Condition:
    """Return a condition on the rows of a table.

    It may name the columns, with or without the table before them, fields of structs, and the lineage of rows.

    Raises:
        InvalidInputError: It cannot be read, is no condition, or says what cannot be said of one row.
        NotFoundError: There is no such column.
    """
    try:
        binder, tree = ExpressionBinder(TableSite(table, fields)), _parse(text, fields)
        found = binder.bind(tree)
        if found.type not in ("boolean", NULL) and not found.is_untyped:
            # DuckDB takes a number for a condition. Whoever passes a column's name would delete nearly all rows.
            raise InvalidInputError(f"A condition is true or false, not of type {type_name(found.type)}: {text}")
        bound = binder.condition(tree)
    except RecursionError as error:
        raise InvalidInputError("The condition is nested too deeply; it was not read.") from error
    return Condition(bound.when_true, bound.sql)


def value_expression(text: str, table: str, fields: Sequence[Field]) -> str:
    """Return an expression over the columns of a table as Spark SQL.

    Raises:
        InvalidInputError: It cannot be read, or says what cannot be said of one row.
        NotFoundError: There is no such column.
    """
    return ExpressionBinder(TableSite(table, fields)).bind(_parse(text, fields)).sql


def equal_columns(text: str, fields: Sequence[Field]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the pairs of columns that are equal wherever a condition is true, as the names that lead to each.

    Raises:
        InvalidInputError: It cannot be read.
    """
    found = []
    waiting = [_parse(text, fields)]
    while waiting:
        node = waiting.pop().unnest()
        if isinstance(node, exp.And):
            waiting += [node.right, node.left]
        elif isinstance(node, exp.EQ):
            first, second = node.left.unnest(), node.right.unnest()
            if isinstance(first, exp.Column) and isinstance(second, exp.Column):
                found.append((tuple(part.name for part in first.parts), tuple(part.name for part in second.parts)))
    return found


def _parse(text: str, fields: Sequence[Field]) -> exp.Expr:
    try:
        tokens = _DUCKDB.tokenize(text)
        while tokens and tokens[-1].token_type == TokenType.SEMICOLON:
            tokens.pop()
        _check(tokens, text)
        _name_columns(tokens, {fold(field.name) for field in fields})
        (tree,) = _DUCKDB.parser().parse_into(exp.Condition, tokens, text)
    except TokenError as error:
        raise InvalidInputError(f"Parser Error: unterminated quoted text in the condition: {text.strip()}") from error
    except ParseError as error:
        raise _syntax_error(error) from error
    if tree is None:
        raise InvalidInputError("Parser Error: syntax error at end of input: there is no condition")
    return tree


def _check(tokens: Sequence[Token], text: str) -> None:
    for token in tokens:
        if token.token_type == TokenType.SEMICOLON:
            raise InvalidInputError(f"A condition is one expression, not several statements: {text.strip()}")
        if token.token_type in _FULL_MATCHES:
            # The parser takes it for a search, but in DuckDB the whole text must fit.
            raise InvalidInputError(
                f'The operator "{token.text}" is not supported in a condition.',
                hint="regexp_full_match(text, pattern) says the same.",
            )


def _name_columns(tokens: list[Token], columns: set[str]) -> None:
    """Let names of columns that the parser takes for types be names: ``range < 3`` is no type with parameters."""
    for token, following in pairwise(tokens):
        is_type = token.token_type in _DUCKDB.parser_class.TYPE_TOKENS and token.token_type != TokenType.IDENTIFIER
        if is_type and fold(token.text) in columns and following.token_type in _AFTER_COLUMNS:
            token.token_type = TokenType.VAR


def _syntax_error(error: ParseError) -> InvalidInputError:
    where = error.errors[0] if error.errors else {}
    is_cut_short = not str(where.get("end_context")).strip() and "missing" in str(where.get("description"))
    place = "at end of input" if is_cut_short else f'at or near "{where.get("highlight")}"'
    return InvalidInputError(
        f"Parser Error: syntax error {place} (line {where.get('line')}, column {where.get('col')})"
    )
