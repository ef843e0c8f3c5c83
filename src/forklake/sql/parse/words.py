"""A reader of one statement, word by word.

sqlglot reads the expressions, relations and queries in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from sqlglot import Token, TokenType, exp

from forklake.errors import InvalidInputError
from forklake.sql.parse.grammar import Grammar, MisreadError
from forklake.sql.parse.keywords import RESERVED
from forklake.sql.parse.tokens import error_at, syntax_error
from forklake.sql.statements import Name

Item = TypeVar("Item")

_STUMBLES: Final = (AttributeError, TypeError, ValueError, LookupError, AssertionError)
"""Errors that sqlglot raises for some broken texts instead of a ParseError."""


class Words:
    """The tokens of one statement, with a read position.

    Attributes:
        text: The whole text that contains the statement.
    """

    def __init__(self, text: str, tokens: Sequence[Token], following: Token | None = None) -> None:
        self.text = text
        self._tokens = list(tokens)
        self._following = following
        self._index = 0

    # ---- looking ------------------------------------------------------------------------------------------------

    @property
    def token(self) -> Token | None:
        """The next token; None at the end."""
        return self._tokens[self._index] if self._index < len(self._tokens) else None

    def at_end(self) -> bool:
        """Return whether all tokens were read."""
        return self._index >= len(self._tokens)

    def at(self, *words: str) -> bool:
        """Return whether these words and signs, in capitals, come next.

        A quoted token is no word.
        """
        return self._after(words) is not None

    def at_any(self, *words: str) -> bool:
        """Return whether one of these words comes next."""
        return any(self.at(word) for word in words)

    def at_string(self) -> bool:
        """Return whether quoted text comes next."""
        return self.token is not None and self.token.token_type == TokenType.STRING

    def at_name(self) -> bool:
        """Return whether a name comes next."""
        token = self.token
        return token is not None and _is_name(token)

    def _after(self, words: Sequence[str], index: int | None = None) -> int | None:
        """Return the index of the token after some words.

        Return None if the words do not come next, or are not at the given index.
        """
        index, waiting = self._index if index is None else index, list(words)
        while waiting:
            if index >= len(self._tokens) or self._tokens[index].token_type in (TokenType.IDENTIFIER, TokenType.STRING):
                return None
            # Some tokens are two words, such as PARTITIONED BY.
            parts = self._tokens[index].text.upper().split()
            if parts != waiting[: len(parts)]:
                return None
            del waiting[: len(parts)]
            index += 1
        return index

    # ---- reading ------------------------------------------------------------------------------------------------

    def take(self, *words: str) -> bool:
        """Read these words if they come next, and return whether they did."""
        index = self._after(words)
        if index is not None:
            self._index = index
        return index is not None

    def take_any(self, *words: str) -> str | None:
        """Read one of these words if it comes next, and return it."""
        return next((word for word in words if self.take(word)), None)

    def expect(self, *words: str) -> None:
        """Read these words.

        Raises:
            InvalidInputError: Others come next.
        """
        if self.take(*words):
            return
        for word in words:
            if not self.take(word):
                raise self.unexpected_token()

    def expect_any(self, *words: str) -> str:
        """Read one of these words, and return it."""
        word = self.take_any(*words)
        if word is None:
            raise self.unexpected_token()
        return word

    def next(self) -> Token:
        """Read any token."""
        token = self.token
        if token is None:
            raise self.unexpected_token()
        self._index += 1
        return token

    def name(self) -> str:
        """Read a name, as written and without its quotes."""
        token = self.token
        if token is None or not _is_name(token):
            raise self.unexpected_token()
        self._index += 1
        return token.text

    def label(self) -> str:
        """Read a name that may be a keyword: after a dot, or of an option."""
        token = self.token
        if token is None or not (token.token_type == TokenType.IDENTIFIER or _is_word(token)):
            raise self.unexpected_token()
        self._index += 1
        return token.text

    def path(self) -> Name:
        """Read a dotted name."""
        parts = [self.name()]
        while self.take("."):
            parts.append(self.label())
        return tuple(parts)

    def hyphenated_path(self) -> Name:
        """Read a dotted name.

        Its first part may have hyphens without quotes, as ``agent-001``.
        """
        start, first = self.mark(), self.name()
        if self._tokens[start].token_type != TokenType.IDENTIFIER:
            while self.at("-") or (self.token is not None and self.token.token_type == TokenType.NUMBER):
                if self.next().start != self._tokens[self._index - 2].end + 1:
                    raise syntax_error(self.text, self._tokens[self._index - 1])
                before = self._tokens[self._index - 1]
                is_dotted = self.text[before.end] == "."  # a number may end with the dot
                if self.at_name() and not is_dotted and self._tokens[self._index].start == before.end + 1:
                    self.next()
            first = self.text_from(start)
        parts = [first.removesuffix(".")]
        if first.endswith("."):
            parts.append(self.label())
        while self.take("."):
            parts.append(self.label())
        return tuple(parts)

    def name_or_string(self) -> str:
        """Read a name that may also be written in single quotes."""
        return self.string() if self.at_string() else self.name()

    def string(self) -> str:
        """Read quoted text."""
        if not self.at_string():
            raise self.unexpected_token()
        return self.next().text

    def names_in_parentheses(self) -> tuple[str, ...]:
        """Read ``(a, b)``."""
        return tuple(self.in_parentheses(self.name))

    def in_parentheses(self, read: Callable[[], Item], *, may_be_empty: bool = False) -> list[Item]:
        """Read comma-separated items in parentheses; a trailing comma is allowed."""
        self.expect("(")
        if not may_be_empty and self.at(")"):
            raise self.unexpected_token()
        items = list[Item]()
        while not self.take(")"):
            items.append(read())
            if not self.at(")"):
                self.expect(",")
        return items

    def comma_list(self, read: Callable[[], Item]) -> list[Item]:
        """Read comma-separated items."""
        items = [read()]
        while self.take(","):
            items.append(read())
        return items

    def finish(self) -> None:
        """Check that all tokens were read.

        Raises:
            InvalidInputError: There are more.
        """
        if not self.at_end():
            raise self.unexpected_token()

    # ---- parts read by sqlglot ----------------------------------------------------------------------------------

    def expression(self) -> exp.Expr:
        """Read an expression."""
        return self._read(Grammar.read_expression)

    def operand(self) -> exp.Expr:
        """Read an expression without logical operators, such as a default."""
        return self._read(Grammar.read_operand)

    def query(self) -> exp.Query:
        """Read a query."""
        return self._read(Grammar.read_query)

    def relation(self) -> exp.Expr:
        """Read one item of a FROM clause, with its joins."""
        return self._read(Grammar.read_relation)

    def relations(self) -> tuple[exp.Expr, ...]:
        """Read the items of a FROM clause, each with its joins."""
        return self._read(Grammar.read_relations)

    def with_clause(self) -> exp.With:
        """Read WITH and its queries."""
        return self._read(Grammar.read_with)

    def _read(self, read: Callable[[Grammar], Item]) -> Item:
        grammar = Grammar(self.text, self._tokens, self._index)
        try:
            found = read(grammar)
        except MisreadError as error:
            raise syntax_error(self.text, error.token or self._following) from None
        except _STUMBLES as error:
            raise syntax_error(self.text, grammar.token or self._following) from error
        self._index = grammar.index
        return found

    # ---- the text itself ----------------------------------------------------------------------------------------

    def source(self, read: Callable[[], Item]) -> tuple[str, Item]:
        """Read something with `read`; return its text as written, and the result."""
        start = self.mark()
        item = read()
        return self.text_from(start), item

    def mark(self) -> int:
        """Return the read position, for `text_from` and `back`."""
        return self._index

    def back(self, mark: int) -> None:
        """Move back to a position that `mark` returned."""
        self._index = mark

    def text_from(self, mark: int) -> str:
        """Return the text from a mark to the last token that was read."""
        if mark == self._index:
            return ""
        return self.text[self._tokens[mark].start : self._tokens[self._index - 1].end + 1]

    def rest(self) -> str:
        """Read the rest, and return it as written."""
        start, self._index = self._index, len(self._tokens)
        return self.text_from(start)

    def cut_from_end(self, *words: str) -> bool:
        """Remove words from the end of the statement; return whether they were there."""
        first = len(self._tokens) - len(words)
        if first < self._index or self._after(words, first) is None:
            return False
        del self._tokens[first:]
        return True

    # ---- errors -------------------------------------------------------------------------------------------------

    def unexpected_token(self) -> InvalidInputError:
        """Return the error for a misplaced next token."""
        return syntax_error(self.text, self.token or self._following)

    def wrong(self, message: str) -> InvalidInputError:
        """Return an error that points to the last token read."""
        return error_at(self.text, message, self._tokens[max(0, self._index - 1)].start)


def _is_name(token: Token) -> bool:
    return token.token_type == TokenType.IDENTIFIER or (_is_word(token) and token.text.upper() not in RESERVED)


def _is_word(token: Token) -> bool:
    first = token.text[:1]
    is_letter = first.isalpha() or first == "_" or not first.isascii()
    return token.token_type != TokenType.STRING and is_letter and len(token.text.split()) == 1
