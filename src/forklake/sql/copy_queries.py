"""The queries that a COPY stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from forklake.sql.made_queries import all_of
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


def file_rows(files: Mapping[Directories, Sequence[str]], kinds: Mapping[str, str] | None = None) -> exp.Query:
    """Return a query for the rows of Parquet files.

    The values of their directories are its last columns, of these types, or else texts.
    """
    whole: exp.Query | None = None
    for values, paths in files.items():
        listed = exp.Array(expressions=[exp.Literal.string(path) for path in paths])
        read = exp.Table(this=exp.Anonymous(this="read_parquet", expressions=[listed]))
        constants = [
            exp.alias_(
                exp.cast(_literal(text), (kinds or {}).get(name, "VARCHAR"), dialect="duckdb"), name, quoted=True
            )
            for name, text in values
        ]
        part = exp.select("*", *constants).from_(read)
        whole = part if whole is None else exp.Union(this=whole, expression=part, distinct=False, by_name=True)
    assert whole is not None
    return whole


def _literal(text: str | None) -> exp.Expr:
    return exp.null() if text is None else exp.Literal.string(text)


def file_rows_text(files: Mapping[Directories, Sequence[str]], kinds: Mapping[str, str]) -> str:
    """Return the text of a query for the rows of Parquet files; see `file_rows`."""
    return file_rows(files, kinds).sql("duckdb")
