"""The queries that a COPY stands for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlglot import exp

from forklake.sql.expressions.render import render
from forklake.sql.made_queries import all_of
from forklake.sql.query.constants import constant_node
from forklake.sql.statements import CopyTo

Directories = tuple[tuple[str, str | None], ...]
"""Keys and values of the directories above a file."""


def copied_rows(statement: CopyTo) -> exp.Query:
    """Return the query whose rows a COPY ... TO writes."""
    if isinstance(statement.source, exp.Query):
        return statement.source
    query = all_of(statement.source)
    if not statement.columns:
        return query
    names = [exp.column(exp.to_identifier(name, quoted=True)) for name in statement.columns]
    return query.select(*names, append=False)


def read_rows(function: str, paths: Sequence[str], options: Mapping[str, Any]) -> exp.Select:
    """Return a query for the rows of files, by a function that reads them."""
    listed = exp.Array(expressions=[exp.Literal.string(path) for path in paths])
    named = [exp.Kwarg(this=exp.var(name), expression=constant_node(value)) for name, value in options.items()]
    return exp.select("*").from_(exp.Table(this=exp.Anonymous(this=function, expressions=[listed, *named])))


def file_rows(files: Iterable[tuple[Directories, Sequence[str]]], kinds: Mapping[str, str] | None = None) -> exp.Query:
    """Return a query for the rows of Parquet files.

    The values of their directories are its last columns, of these types, or else texts.
    """
    whole: exp.Query | None = None
    names: list[exp.Identifier] = []
    for values, paths in files:
        names = [exp.to_identifier(name, quoted=True) for name, _ in values]
        constants = [
            exp.alias_(
                exp.cast(_literal(text), (kinds or {}).get(name, "VARCHAR"), dialect="duckdb"), name, quoted=True
            )
            for name, text in values
        ]
        part = read_rows("read_parquet", paths, {"hive_partitioning": False}).select(*constants)
        whole = part if whole is None else exp.Union(this=whole, expression=part, distinct=False, by_name=True)
    assert whole is not None
    if not names or not isinstance(whole, exp.Union):
        return whole
    # Columns that only later files have would come after the constants.
    last = [exp.Column(this=name.copy()) for name in names]
    return exp.select(exp.Star(except_=names), *last).from_(exp.Subquery(this=whole))


def _literal(text: str | None) -> exp.Expr:
    return exp.null() if text is None else exp.Literal.string(text)


def file_rows_text(files: Iterable[tuple[Directories, Sequence[str]]], kinds: Mapping[str, str]) -> str:
    """Return the text of a query for the rows of Parquet files; see `file_rows`."""
    return render(file_rows(files, kinds))
