"""sqlglot's grammar of queries and expressions, adapted to DuckDB's."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Final, NoReturn

from sqlglot import Token, TokenType, exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import ErrorLevel, ParseError
from sqlglot.parsers.duckdb import DuckDBParser

from forklake.engine.text_budget import Steps
from forklake.errors import InvalidInputError
from forklake.sql.expressions.render import ShowNode
from forklake.sql.parse.clauses import check_clause
from forklake.sql.parse.keywords import RESERVED
from forklake.sql.statements import Describe, Name, Show
from forklake.sql.vocabulary import BY_NAME, takes

NAME_AS_WRITTEN: Final = "name"
"""The key in ``meta`` of a function for its name as written, where sqlglot has another."""

POSITION_IN_TEXT: Final = "start"
"""The key in ``meta`` of ``?`` for its position in the text, since trees have another order."""

TEXT_AS_WRITTEN: Final = "text"
"""The key in ``meta`` of what SELECT gives for its text, which names it."""

WINDOWS_AS_WRITTEN: Final = "windows"
"""The key in ``meta`` of what SELECT gives for the WINDOW clause, if there is one."""

PLACE_AS_WRITTEN: Final = "place"
"""The key in ``meta`` of ``x[place]`` that is set if sqlglot knows that x is no list, and kept the place."""


class _AsWritten(DuckDB):
    """sqlglot's DuckDB, which keeps paths into JSON as they are written."""

    def to_json_path(self, path: exp.Expr | None) -> exp.Expr | None:
        """Return the path itself."""
        return path


# Later versions of DuckDB search with ``~`` instead of comparing the whole text.
_DIALECT: Final = _AsWritten(version="1.5")
_DIALECT.ORIGINAL_NAME_META_KEY = NAME_AS_WRITTEN
_NO_QUERIES: Final = (exp.Command, exp.DML, exp.Merge, exp.Create, exp.Drop, exp.Alter, exp.Into)
_CLAUSES: Final = ("with_", "order", "limit", "offset")
"""Clauses that VALUES may have, like any query."""
_MOST_OPEN_JOINS: Final = 12
_DEPTHS: Final = {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}
_UNIT: Final = re.compile(
    "((micro|milli)?second|minute|hour|day|week|month|quarter|year|decade)s?|centur(y|ies)|millenni(um|a)",
    re.IGNORECASE,
)
_ONE_UNIT: Final = re.compile(r"\s*[+-]?\d+(\.\d+)?\s*[A-Za-z]*\s*")
"""The text of an interval that has one number and at most one unit."""


_SYNTAX: Final = (
    "ARRAY",
    "CASE",
    "COLUMNS",
    "CURRENT_CATALOG",
    "CURRENT_DATABASE",
    "CURRENT_LOCALTIMESTAMP",
    "CURRENT_ROLE",
    "CURRENT_SCHEMA",
    "CURRENT_USER",
    "DATE",
    "EXISTS",
    "GET_CURRENT_TIME",
    "GROUPING",
    "GROUPING_ID",
    "LIST_VALUE",
    "PERCENTILE_CONT",
    "PERCENTILE_DISC",
    "READ_CSV",
    "READ_PARQUET",
    "SESSION_USER",
    "TIME",
    "TIMESTAMP",
    "TRY",
    "UNNEST",
    "VERSION",
)
"""What DuckDB has besides the declared functions. Other names of sqlglot's are not DuckDB's, and may be macros."""
_NAMED_OTHERWISE: Final = (exp.Columns, exp.Placeholder, exp.Parameter)
_ASKING: Final = ("SHOW", "DESCRIBE", "DESC")


def _is_unit(tokens: list[Token]) -> bool:
    """Return whether a token is the unit of ``INTERVAL '1' DAY``."""
    return any(_UNIT.fullmatch(token.text) and token.token_type != TokenType.IDENTIFIER for token in tokens)


class MisreadError(ParseError):
    """A syntax error with its token; None is the end of the statement."""

    def __init__(self, message: str, token: Token | None) -> None:
        super().__init__(message)
        self.token = token


class Grammar(DuckDBParser):
    """Parses one query, expression or relation inside a statement."""

    # sqlglot takes the third argument of time_bucket for a unit, and calls of other dialects for DuckDB's.
    FUNCTIONS: ClassVar = {
        name: made
        for name, made in DuckDBParser.FUNCTIONS.items()
        if (name.lower() in BY_NAME or name in _SYNTAX) and name != "TIME_BUCKET"
    }
    # DuckDB has no parameters like ``:name``: ``x[:n]`` is a slice.
    PLACEHOLDER_PARSERS: ClassVar = {
        kind: read for kind, read in DuckDBParser.PLACEHOLDER_PARSERS.items() if kind != TokenType.COLON
    }

    def __init__(self, text: str, tokens: list[Token], index: int) -> None:
        super().__init__(error_level=ErrorLevel.IMMEDIATE, dialect=_DIALECT)
        self.reset()
        self.sql = text
        self._calls: list[str] = []
        self._open_joins = 0
        self._steps = Steps()
        self._tokens = tokens
        self._tokens_size = len(self._tokens)
        self._advance(index)

    @property
    def index(self) -> int:
        """The index of the first token that was not read."""
        return int(self._index)

    @property
    def token(self) -> Token | None:
        """The next token."""
        return self._curr or None

    def _parse_bracket(self, this: exp.Expr | None = None) -> exp.Expr | None:
        if this is not None and self._curr.token_type == TokenType.L_BRACE:
            self.raise_error("nothing is before a struct")  # the base class forgets it
        if isinstance(this, exp.Bracket) and this.this.type is not None:
            is_list = this.this.type.this in (exp.DataType.Type.UNKNOWN, exp.DataType.Type.ARRAY)
            this.meta[PLACE_AS_WRITTEN] = not is_list
        return super()._parse_bracket(this)

    def _parse_joins(self, *args: Any, **options: Any) -> Iterator[exp.Join]:
        """Read joins; those whose conditions come later are within each other.

        The base class reads each of them twice, so the time doubles with every one.
        """
        self._steps.take()
        if self._open_joins == _MOST_OPEN_JOINS:
            self.raise_error("Too many joins are within each other")
        self._open_joins += 1
        try:
            yield from super()._parse_joins(*args, **options)
        finally:
            self._open_joins -= 1

    def _parse_type(self, *args: Any, **options: Any) -> exp.Expr | None:
        """Read an operand; ``TYPE 'text'::OTHER`` casts the typed literal, not the text."""
        self._steps.take()
        is_typed = self._next.token_type == TokenType.STRING and self._curr.token_type in self.TYPE_TOKENS
        is_interval = self._curr.token_type == TokenType.INTERVAL
        if is_typed and not (is_interval and _is_unit(self._tokens[self._index + 2 : self._index + 3])):
            start = self._index
            kind = self._parse_types(check_func=True, allow_identifiers=False)
            text = self._parse_primary() if isinstance(kind, exp.DataType) else None
            if isinstance(kind, exp.DataType) and isinstance(text, exp.Literal):
                return self._parse_column_ops(exp.Cast(this=text, to=kind))
            self._retreat(start)
        return super()._parse_type(*args, **options)

    def _parse_in(self, this: exp.Expr | None, alias: bool = False) -> exp.In:
        """Read the right side of IN; ``x IN [1, 2]`` asks a list, as ``x IN column`` does."""
        if self._curr.token_type == TokenType.L_BRACKET:
            return exp.In(this=this, field=self._parse_unary())
        return super()._parse_in(this, alias=alias)

    def _parse_interval(self, *args: Any, **options: Any) -> exp.Interval | None:
        """Read an interval.

        A text or a number behind a plus is an operand, not the rest of a sum of intervals.
        """
        if args:
            return exp.Interval()  # the base class asks for such a rest
        found = super()._parse_interval(**options)
        if isinstance(found, exp.Add):
            if self._prev.token_type == TokenType.PLUS:
                self._retreat(self._index - 1)
            found = found.this
        return found if isinstance(found, exp.Interval) else None

    def _parse_interval_span(self, this: exp.Expr, parse_function_unit: bool = True) -> exp.Interval:
        if isinstance(this, exp.Literal) and this.is_string and not _ONE_UNIT.fullmatch(this.name):
            # The base class keeps the first number and unit only: '32 days 03:04:05' would become 32 days.
            return exp.Interval(this=this)
        return super()._parse_interval_span(this, parse_function_unit=parse_function_unit)

    def _parse_projections(self) -> tuple[list[exp.Expr], list[exp.Expr] | None]:
        return self._parse_csv(self.read_projection), None

    def read_projection(self) -> exp.Expr | None:
        """Read one of the values that SELECT gives, and note its text where that names it.

        A name, and columns that COLUMNS stands for, have other names; the number of ``?`` is not in its text.
        """
        return self._noting_text(self._parse_expression)

    def _noting_text(self, read: Callable[[], exp.Expr | None]) -> exp.Expr | None:
        start = self._curr
        found = read()
        if found is not None and not isinstance(found, exp.Alias) and not found.find(*_NAMED_OTHERWISE):
            found.meta[TEXT_AS_WRITTEN] = self._find_sql(start, self._prev)
        return found

    def _parse_window_clause(self) -> list[exp.Expr] | None:
        start = self._curr
        found = super()._parse_window_clause()
        if found:
            found[0].meta[TEXT_AS_WRITTEN] = self._find_sql(start, self._prev)
        return found

    def _parse_query_modifiers(self, this: Any) -> Any:
        found = super()._parse_query_modifiers(this)
        windows: list[exp.Expr] = (found.args.get("windows") or []) if isinstance(found, exp.Select) else []
        for one in found.expressions if windows else ():
            if TEXT_AS_WRITTEN in one.meta:
                one.meta[WINDOWS_AS_WRITTEN] = windows[0].meta[TEXT_AS_WRITTEN]
        return found

    def _parse_placeholder(self) -> exp.Expr | None:
        start = self._curr.start if self._curr else None
        found = super()._parse_placeholder()
        if found is not None:
            found.meta[POSITION_IN_TEXT] = start
        return found

    def read_expression(self) -> exp.Expr:
        """Read an expression."""
        return self._accept(self._parse_assignment())

    def read_operand(self) -> exp.Expr:
        """Read an expression without logical operators.

        So a NOT NULL after it is not read as ``x NOT NULL``.
        """
        found = self._accept(self._parse_bitwise())
        comparisons = {**self.EQUALITY, **self.COMPARISON}
        while self._match_set(comparisons):
            kind = comparisons[self._prev.token_type]
            found = kind(this=found, expression=self._accept(self._parse_bitwise()))
        return found

    def read_query(self) -> exp.Query:
        """Read a query."""
        start = self._curr
        tree = self._parse_statement()
        if isinstance(tree, exp.Values) and tree.args.get("alias"):
            raise MisreadError("only VALUES in a FROM clause have an alias", self._prev)
        found = self._accept(tree)
        if not isinstance(found, exp.Query):
            raise MisreadError("this is no query", start)
        return found

    def read_relation(self) -> exp.Expr:
        """Read one item of a FROM clause, with its joins."""
        return self._accept(self._parse_table(joins=True), is_relation=True)

    def read_relations(self) -> tuple[exp.Expr, ...]:
        """Read the items of a FROM clause.

        sqlglot puts those after commas among the joins of the first item.
        """
        first = self.read_relation()
        found = [first]
        joins = first.args.get("joins") or []
        first.set("joins", None)
        for join in joins:
            if set(join.args) - {"this"}:
                found[-1].append("joins", join)
            else:
                found.append(join.this.pop())
        return tuple(found)

    def read_with(self) -> exp.With:
        """Read WITH and its queries."""
        found = self._accept(self._parse_with())
        if not isinstance(found, exp.With):
            raise MisreadError("there is no WITH", self._curr or None)
        return found

    def _accept(self, tree: exp.Expr | None, *, is_relation: bool = False) -> exp.Expr:
        if tree is None:
            self.raise_error("nothing was read")
        for node in tree.walk():
            if isinstance(node, _NO_QUERIES):
                self.raise_error("only queries can be inside of queries")
            if isinstance(node, exp.Select) and not node.expressions:
                raise InvalidInputError("Parser Error: SELECT clause without selection list")
            if isinstance(node, exp.Identifier):
                self._check_name(node)
            check_clause(node)
        return _normalize(tree, is_relation=is_relation)

    def _check_name(self, name: exp.Identifier) -> None:
        """Refuse reserved words as names, which sqlglot accepts in some positions."""
        word = name.name.upper()
        if name.args.get("quoted") or word not in RESERVED or word == "ALL":  # ORDER BY ALL
            return
        start = name.meta.get("start", 0)
        place = bisect_left(self._tokens, start, key=lambda token: token.start)
        is_found = 0 < place < len(self._tokens) and self._tokens[place].start == start
        if is_found and self._tokens[place - 1].token_type not in (TokenType.DOT, TokenType.ALIAS):
            raise MisreadError("a reserved word is no name", self._tokens[place])

    # ---- methods that sqlglot calls -----------------------------------------------------------------------------

    def raise_error(self, message: str, token: Token | None = None) -> NoReturn:
        """Raise an error with its token."""
        raise MisreadError(message, token or self._curr or None)

    def _parse_function_call(self, *args: Any, **options: Any) -> exp.Expr | None:
        if self._curr.token_type == TokenType.MAP and self._next.token_type not in (
            TokenType.L_BRACE,
            TokenType.L_PAREN,
        ):
            return None  # a column of that name
        self._calls.append(self._curr.text)
        try:
            return super()._parse_function_call(*args, **options)
        finally:
            self._calls.pop()

    def validate_expression(self, expression: Any, args: list[Any] | None = None) -> Any:
        """Return an anonymous function for a known one with other arguments."""
        if args is not None and self._calls and not takes(self._calls[-1].lower(), len(args)):
            # Nodes may lose arguments, or have a default for them.
            return exp.Anonymous(this=self._calls[-1], expressions=args)
        if args is not None and isinstance(expression, exp.Func) and expression.error_messages(args):
            return exp.Anonymous(this=expression.sql_name(), expressions=args)
        return super().validate_expression(expression, args)

    def _parse_select(self, *args: Any, **options: Any) -> exp.Expr | None:
        """Read a query; in parentheses, SHOW and DESCRIBE are queries, too."""
        if self._prev.token_type == TokenType.L_PAREN and self._match_texts(_ASKING):
            return exp.Select(expressions=[exp.Star()], from_=exp.From(this=ShowNode(statement=self._read_question())))
        found = super()._parse_select(*args, **options)
        return self._read_reshaped(found) if isinstance(found, exp.Summarize) else found

    def _parse_simplified_pivot(self, is_unpivot: bool | None = None) -> Any:
        # sqlglot reads neither names of values nor expressions of aggregates here.
        found = exp.Pivot(this=self._parse_table(), unpivot=is_unpivot)
        if self._match(TokenType.ON):
            found.set("expressions", self._parse_csv(self.read_pivot_key))
        found.set("into", self._parse_unpivot_columns())
        if self._match(TokenType.USING):
            found.set("using", self._parse_csv(self.read_projection))
        found.set("group", self._parse_group())
        return self._read_reshaped(found)

    def read_pivot_key(self) -> exp.Expr | None:
        """Read an expression of ON, with the values that become columns if it lists them."""
        found = self._parse_bitwise()
        if self._match(TokenType.IN):
            if not self._match_pair(TokenType.L_PAREN, TokenType.SELECT, advance=False) and self._match(
                TokenType.L_PAREN
            ):
                values = self._parse_csv(self._parse_expression)
                self._match_r_paren()
                return exp.In(this=found, expressions=values)
            return self._parse_in(found)
        return self._parse_alias(found) if self._match(TokenType.ALIAS, advance=False) else found

    def _parse_pivot_aggregation(self) -> exp.Expr | None:
        return self._noting_text(super()._parse_pivot_aggregation)

    def _read_reshaped(self, found: exp.Pivot | exp.Summarize) -> exp.Expr | None:
        """Return a PIVOT or SUMMARIZE as a query, with the clauses after it."""
        query: exp.Expr | None = self._parse_query_modifiers(
            exp.Select(expressions=[exp.Star()], from_=exp.From(this=found))
        )
        return query

    def _read_question(self) -> Show | Describe:
        is_shown = self._prev.text.upper() == "SHOW"
        if is_shown and self._match_text_seq("ALL", "TABLES"):
            return Show("all tables")
        for what in ("tables", "schemas", "databases"):
            if is_shown and self._match_text_seq(what.upper()):
                return Show(what, self._read_path() if self._match(TokenType.FROM) else ())
        query = super()._parse_select()
        if query is None:
            self._match(TokenType.TABLE)
            query = exp.Select(expressions=[exp.Star()], from_=exp.From(this=self._accept(self._parse_table())))
        return Describe(self._accept(query))  # type: ignore[arg-type]

    def _read_path(self) -> Name:
        table = self._accept(self._parse_table_parts())
        return tuple(part.name for part in table.parts)  # type: ignore[attr-defined]

    def _warn_unsupported(self) -> None:
        self.raise_error("this is a statement of another dialect")

    def _parse_types(self, *args: Any, **options: Any) -> exp.Expr | None:
        # No type of DuckDB is written with angle brackets: ``range < 3`` compares a column.
        if self._curr.token_type in self.NESTED_TYPE_TOKENS and self._next.token_type == TokenType.LT:
            return None
        place = self._place_after_parentheses()
        if place is None or self._tokens[place].token_type != TokenType.LT:
            return super()._parse_types(*args, **options)
        # ``x::STRUCT(a INTEGER) < y`` is another comparison; the sign is hidden while the type is read.
        sign = self._tokens[place]
        self._tokens[place] = Token(TokenType.EQ, "=", sign.line, sign.col, sign.start, sign.end)
        try:
            return super()._parse_types(*args, **options)
        finally:
            self._tokens[place] = sign
            self._advance(0)

    def _place_after_parentheses(self) -> int | None:
        """Return the place of the token after the parentheses of a nested type.

        None if there is none.
        """
        if self._curr.token_type not in self.NESTED_TYPE_TOKENS or self._next.token_type != TokenType.L_PAREN:
            return None
        depth = 0
        for place in range(self._index + 1, len(self._tokens) - 1):
            depth += _DEPTHS.get(self._tokens[place].token_type, 0)
            if not depth:
                return place + 1
        return None

    def _parse_historical_data(self) -> exp.HistoricalData | None:
        """Read a time travel clause.

        It is ``AT (VERSION => 3)``, ``AT (TIMESTAMP => ...)``, ``AT (TAG => 'v1')``, ``AT SNAPSHOT 3`` or
        ``AT TIMESTAMP ...``.
        """
        start = self._index
        if self._curr.token_type == TokenType.IDENTIFIER or not self._match_text_seq("AT"):
            return None
        if self._match(TokenType.L_PAREN):
            if not self._match_texts(("VERSION", "TIMESTAMP", "TAG")):
                self.raise_error("a table is read at a version, a timestamp or a tag")
            kind = self._prev.text.upper()
            if not (self._match(TokenType.FARROW) or self._match(TokenType.COLON_EQ)):
                self.raise_error("=> is missing")
            moment = self._parse_bitwise()
            self._match_r_paren()
        elif self._match_text_seq("SNAPSHOT"):
            kind, moment = "VERSION", self._parse_bitwise()
        elif self._match_text_seq("TIMESTAMP", advance=False) or self._match_text_seq("TIMESTAMPTZ", advance=False):
            if self._next.token_type != TokenType.STRING:
                self._advance()
            kind, moment = "TIMESTAMP", self._parse_bitwise()
        else:
            self._retreat(start)
            return None
        return exp.HistoricalData(this="AT", kind=kind, expression=self._accept(moment))


def _normalize(tree: exp.Expr, *, is_relation: bool) -> exp.Expr:
    """Normalize a tree: one form for everything that has several.

    Named arguments become ``exp.Kwarg``, whether they were written with ``:=`` or ``=>``. VALUES is always an
    item of a FROM clause: as a query it becomes ``SELECT * FROM (VALUES ...)``.
    """
    for node in list(tree.find_all(exp.PropertyEQ, exp.Values, exp.Anonymous)):
        match node:
            case exp.PropertyEQ() if isinstance(node.parent, exp.Func) and not isinstance(node.parent, exp.Struct):
                node.replace(exp.Kwarg(this=exp.var(node.this.name), expression=node.expression))
            case exp.Values() if node is tree and is_relation:
                pass
            case exp.Values() if not isinstance(node.parent, (exp.From, exp.Join, exp.Lateral)):
                query = _query_of(node)
                tree = query if node is tree else tree
            case exp.Anonymous() if NAME_AS_WRITTEN in node.meta:
                node.set("this", node.meta[NAME_AS_WRITTEN])
    return tree


def _query_of(values: exp.Values) -> exp.Select:
    """Replace VALUES by ``SELECT * FROM (VALUES ...)`` in its tree."""
    query = exp.Select(expressions=[exp.Star()])
    values.replace(query)
    query.set("from_", exp.From(this=values))
    for name in _CLAUSES:
        clause = values.args.get(name)
        if clause is not None:
            values.set(name, None)
            query.set(name, clause)
    return query
