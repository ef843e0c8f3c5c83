"""The queries that a COPY stands for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlglot import exp

from forklake.model.names import fold
from forklake.sql.expressions.render import render
from forklake.sql.query.constants import constant_node
from forklake.sql.simple_queries import all_of
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


def file_rows(
    files: Iterable[tuple[Directories, Sequence[str], Sequence[str]]], kinds: Mapping[str, str] | None = None
) -> exp.Query:
    """Return a query for the rows of Parquet files.

    Args:
        files: For each part of the files the values of their directories, the paths, and the columns that they have.
            The values take the place of columns of their names; the others are the last columns.
        kinds: The types of values; they are texts otherwise.
    """
    whole: exp.Query | None = None
    names: list[exp.Identifier] = []
    files = list(files)
    spelled = {fold(one): one for _, _, columns in reversed(files) for one in columns}
    for values, paths, columns in files:
        held = {fold(one) for one in columns}
        constants = [
            exp.alias_(
                exp.cast(_literal(text), (kinds or {}).get(name, "VARCHAR"), dialect="duckdb"),
                spelled.get(fold(name), name),
                quoted=True,
            )
            for name, text in values
        ]
        replaced = {fold(one.alias): one for one in constants if fold(one.alias) in held}
        added = [one for one in constants if fold(one.alias) not in held]
        own = [replaced.get(fold(one)) or exp.Column(this=exp.to_identifier(one, quoted=True)) for one in columns]
        shown = [*(own if replaced else [exp.Star()]), *added]
        part = read_rows("read_parquet", paths, {"hive_partitioning": False}).select(*shown, append=False)
        names = names if whole is not None else [one.args["alias"] for one in added]
        whole = part if whole is None else exp.Union(this=whole, expression=part, distinct=False, by_name=True)
    assert whole is not None
    # Columns that only later files have would come after the constants.
    last = [name for name in names if fold(name.name) not in spelled]
    if not last or not isinstance(whole, exp.Union):
        return whole
    return exp.select(exp.Star(except_=last), *(exp.Column(this=name.copy()) for name in last)).from_(
        exp.Subquery(this=whole)
    )


def _literal(text: str | None) -> exp.Expr:
    return exp.null() if text is None else exp.Literal.string(text)


def file_rows_text(files: Iterable[tuple[Directories, Sequence[str], Sequence[str]]], kinds: Mapping[str, str]) -> str:
    """Return the text of a query for the rows of Parquet files; see `file_rows`."""
    return render(file_rows(files, kinds))
