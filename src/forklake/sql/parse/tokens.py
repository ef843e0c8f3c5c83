"""The tokens of a text, and errors that point into the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, Final, Self

from sqlglot import Token, TokenType
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import TokenizerCore
from sqlglot.tokens import SQLGLOTC_INSTALLED

from forklake.engine.statement_limits import check_time
from forklake.engine.text_budget import Steps, check_letters
from forklake.errors import InvalidInputError

_DIALECT: Final = DuckDB()
_TEXTS: Final = frozenset({TokenType.STRING, TokenType.BYTE_STRING, TokenType.HEREDOC_STRING})
_ESCAPE: Final = re.compile(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|.)|''", re.DOTALL)
_LETTERS: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_NUMBER: Final = re.compile(r"(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?")
_LONGEST_NUMBER: Final = 1_000
"""In digits; Python reads a few thousand."""
_FEW_LETTERS: Final = 1 << 16
"""Which are read sooner than time could be over."""
_LETTERS_BETWEEN_LOOKS: Final = 4096
_HALF: Final = re.compile("[\ud800-\udfff]")
_SHOWN_LETTERS: Final = 60
"""How much of a long line is shown before and after the position of an error."""


_FOREIGN_KEYWORDS: Final = (
    "?::,??,APPLY,AUTOINCREMENT,AUTO_INCREMENT,CLUSTER BY,CONNECT,CONNECT BY,DISCONNECT,DISTRIBUTE BY,DIV,FILE,FORMAT,"
    "KEEP,KILL,NAMESPACE,NULLABLE,OBJECT,OPTIMIZE,OVERWRITE,PARTITIONED_BY,REGEXP,RLIKE,SETTINGS,SQL SECURITY,"
    "STRAIGHT_JOIN,UNCACHE,VECTOR,XOR"
)
"""Keywords of other dialects, which are plain names in DuckDB."""


_NEVER_SIDE_BY_SIDE: Final = frozenset(
    (before, after)
    for after, befores in {
        TokenType.COMMA: "COMMA L_PAREN L_BRACKET L_BRACE SELECT FROM ALIAS WHERE GROUP_BY ORDER_BY DOT",
        TokenType.R_PAREN: "ALIAS DOT",
        TokenType.DOT: "FROM ALIAS JOIN DOT",
        TokenType.ALIAS: "COMMA L_PAREN L_BRACKET L_BRACE SELECT FROM WHERE",
        TokenType.FROM: "FROM JOIN WHERE",
        TokenType.SEMICOLON: "ALIAS DOT",
    }.items()
    for before in map(TokenType.__getitem__, befores.split())
)
"""Pairs of tokens that are errors, but not for sqlglot."""


class _Tokenizer(DuckDB.Tokenizer):
    """sqlglot's tokenizer for DuckDB, which takes no statement as one command token."""

    COMMANDS: ClassVar[set[TokenType]] = set()
    KEYWORDS: ClassVar[dict[str, TokenType]] = {
        word: kind
        for word, kind in DuckDB.Tokenizer.KEYWORDS.items()
        if word not in _FOREIGN_KEYWORDS.split(",") and kind not in (TokenType.BLOCK_START, TokenType.BLOCK_END)
    }

    def watch(self) -> Self:
        """Have the tokenizer end with the time that its text may take."""
        if not SQLGLOTC_INSTALLED:
            self._core.__class__ = _WatchedCore
        return self


if not SQLGLOTC_INSTALLED:  # compiled, it is too fast to be stopped, and cannot be extended

    class _WatchedCore(TokenizerCore):
        """Steps through the letters of a text, and ends with its time."""

        __slots__ = ()

        def _advance(self, i: int = 1, alnum: bool = False) -> None:
            before = self._current
            super()._advance(i, alnum)
            if before // _LETTERS_BETWEEN_LOOKS != self._current // _LETTERS_BETWEEN_LOOKS:
                check_time()


def tokenize(text: str) -> list[Token]:
    """Return the tokens of a text, without comments.

    Every quoted text is a string token.

    Raises:
        InvalidInputError: A quote or comment has no end, or two adjacent tokens never fit together.
        LimitError: The text is longer than is allowed here, or its time is over.
    """
    check_letters(text)
    if not text.isascii() and (half := _HALF.search(text)):
        shown = text[max(0, half.start() - 20) : half.end()]
        raise InvalidInputError(
            f"Invalid Input Error: {shown!a} is not a text: it has half a character in it; nothing was done."
        )
    try:
        tokenizer = _Tokenizer(dialect=_DIALECT)
        found = (tokenizer.watch() if len(text) > _FEW_LETTERS else tokenizer).tokenize(text)
    except TokenError as error:
        check_time()
        raise _unterminated_error(text) from error
    tokens, steps = list[Token](), Steps()
    for token in found:
        steps.take()
        before = tokens[-1] if tokens else None
        if token.token_type in _TEXTS:
            if token.token_type == TokenType.BYTE_STRING:
                token.text = _ESCAPE.sub(_unescape, text[token.start + 2 : token.end])
            token.token_type = TokenType.STRING
            if before is not None and before.token_type == TokenType.STRING:
                # Quoted texts on consecutive lines are one.
                if "\n" not in text[before.end : token.start]:
                    raise syntax_error(text, token)
                token.text, token.start = before.text + token.text, before.start
                tokens.pop()
        elif _does_not_fit(tokens, token):
            raise syntax_error(text, token)
        elif before is not None and before.token_type == TokenType.DOT and token.text[:1].isalpha():
            # Every word is a name after a dot.
            token.token_type = token.token_type if token.token_type == TokenType.IDENTIFIER else TokenType.VAR
        elif token.token_type == TokenType.NUMBER:
            tokens += _split_number(text, token)
            continue
        tokens.append(token)
    return tokens


def _split_number(text: str, token: Token) -> list[Token]:
    """Return a number, and the letter right after it that is a name, as in ``1e``.

    What begins as a number and is none, such as ``1e5.5``, is refused.
    """
    if len(token.text) > _LONGEST_NUMBER:
        raise InvalidInputError(f"Parser Error: a number of {len(token.text)} digits is too long")
    if token.text[-1] in "eE" and token.text[:-1]:
        name = Token(TokenType.VAR, token.text[-1], line=token.line, col=token.col, start=token.end, end=token.end)
        token.text, token.end = token.text[:-1], token.end - 1
        return [*_split_number(text, token), name]
    if _NUMBER.fullmatch(token.text) is None:
        raise syntax_error(text, token)
    return [token]


def _does_not_fit(before: list[Token], token: Token) -> bool:
    """Return whether a token can never follow the one before it.

    A keyword may be a name after a dot or AS.
    """
    if not before or (before[-1].token_type, token.token_type) not in _NEVER_SIDE_BY_SIDE:
        return False
    return len(before) < 2 or before[-2].token_type not in (TokenType.DOT, TokenType.ALIAS)


def _unescape(match: re.Match[str]) -> str:
    escape = match[1]
    if escape is None:
        return "'"
    if escape[0] in "xuU" and len(escape) > 1:
        return chr(int(escape[1:], 16))
    if escape.isdigit():
        return chr(int(escape, 8) & 0xFF)
    return _LETTERS.get(escape, escape)


_CLOSING: Final = {
    TokenType.L_PAREN: TokenType.R_PAREN,
    TokenType.L_BRACKET: TokenType.R_BRACKET,
    TokenType.L_BRACE: TokenType.R_BRACE,
}


def statements(text: str) -> Iterator[tuple[list[Token], Token | None]]:
    """Yield the tokens of each statement, and the semicolon after it.

    Empty statements are left out.

    Raises:
        InvalidInputError: As in `tokenize`; or brackets are not balanced.
    """
    tokens, waiting = list[Token](), list[TokenType]()
    for token in tokenize(text):
        if token.token_type in _CLOSING:
            waiting.append(_CLOSING[token.token_type])
        elif token.token_type in _CLOSING.values() and (not waiting or waiting.pop() != token.token_type):
            raise syntax_error(text, token)
        if token.token_type != TokenType.SEMICOLON:
            tokens.append(token)
        elif waiting:
            raise syntax_error(text, token)
        elif tokens:
            yield tokens, token
            tokens = []
    if waiting or (tokens and tokens[-1].token_type == TokenType.ALIAS):
        raise syntax_error(text, None)
    if tokens:
        yield tokens, None


def statement_places(text: str) -> list[tuple[int, str]]:
    r"""Return the line of each statement, and its text without the semicolon.

    >>> statement_places("SELECT 1;\n-- and\nSELECT 2")
    [(1, 'SELECT 1'), (3, 'SELECT 2')]

    Raises:
        InvalidInputError: As in `statements`.
    """
    return [
        (text.count("\n", 0, tokens[0].start) + 1, text[tokens[0].start : tokens[-1].end + 1])
        for tokens, _ in statements(text)
    ]


def syntax_error(text: str, token: Token | None) -> InvalidInputError:
    """Return the error for a misplaced token; None is the end of the text."""
    if token is None:
        return error_at(text, "syntax error at end of input", len(text.rstrip()))
    return error_at(text, f'syntax error at or near "{text[token.start : token.end + 1]}"', token.start)


def error_at(text: str, message: str, place: int) -> InvalidInputError:
    """Return an error with line, column, and a caret under the position."""
    before = text[:place]
    line_number, line_start = before.count("\n") + 1, before.rfind("\n") + 1
    line = text[line_start:].partition("\n")[0].rstrip()
    column = place - line_start
    first = max(0, column - _SHOWN_LETTERS)
    lead = "..." if first else ""
    shown = lead + line[first : column + _SHOWN_LETTERS]
    shown += "..." if len(line) > column + _SHOWN_LETTERS else ""
    prefix = f"LINE {line_number}: "
    caret = " " * (len(prefix) + len(lead) + column - first) + "^"
    return InvalidInputError(
        f"Parser Error: {message} (line {line_number}, column {column + 1})\n\n{prefix}{shown}\n{caret}"
    )


_QUOTED: Final = re.compile(
    r"""--[^\n]*|/\*.*?\*/|[eE]'[^'\\]*(?:(?:''|\\.)[^'\\]*)*'|'[^']*(?:''[^']*)*'|"[^"]*(?:""[^"]*)*"|(\$\w*\$).*?\1""",
    re.DOTALL,
)
_OPENING: Final = re.compile(r"""/\*|[eE]?'|"|\$(?:[A-Za-z_]\w*)?\$""")


def _unterminated_error(text: str) -> InvalidInputError:
    """Return the error for the first quote or comment without an end."""
    place = 0
    while opening := _OPENING.search(text, place):
        # A comment of one line may hold quotes; it is skipped like quoted text.
        start = opening.start()
        comment = text.find("--", place, start)
        whole = _QUOTED.match(text, comment if comment >= 0 else start)
        if whole is None:
            kind = {'"': "quoted identifier", "/": "comment", "$": "dollar-quoted string"}.get(text[start])
            rest = text[start:].partition("\n")[0]
            return error_at(text, f'unterminated {kind or "quoted string"} at or near "{rest}"', start)
        place = whole.end()
    return error_at(text, "the text cannot be read", 0)


def is_complete(text: str) -> bool:
    """Return whether all statements of a text are ended by a semicolon.

    A semicolon in quotes or in a comment ends none.

    >>> is_complete("SELECT 1;"), is_complete("SELECT 1"), is_complete("SELECT ';"), is_complete("-- nothing")
    (True, False, False, True)
    """
    try:
        tokens = tokenize(text)
    except InvalidInputError as error:
        # More text does not repair any other mistake.
        return "unterminated" not in str(error)
    return not tokens or tokens[-1].token_type == TokenType.SEMICOLON


def makes_secret(text: str) -> bool:
    """Return whether a text makes a secret, so that it is to be kept nowhere.

    >>> makes_secret("USE a; create or replace /* a (new) */ secret s (TYPE s3)"), makes_secret("DROP SECRET s")
    (True, False)
    """
    try:
        words = [token.text.upper() for token in tokenize(text)]
    except InvalidInputError:
        return "CREATE" in text.upper() and "SECRET" in text.upper()
    is_made = False
    for word in words:
        if is_made and word == "SECRET":
            return True
        is_made = word == "CREATE" or (is_made and word not in ("(", ";"))
    return False
