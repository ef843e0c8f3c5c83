"""EXPLAIN of statements that are no queries: the query whose rows they need."""

from __future__ import annotations

from sqlglot import exp

from forklake.sql import statements
from forklake.sql.copy_queries import copied_rows
from forklake.sql.simple_queries import named_table


def explained_query(statement: statements.Statement) -> exp.Query | None:
    """Return the query that reads what a statement needs; None if it reads no rows."""
    match statement:
        case statements.Query() | statements.Describe():
            return statement.query
        case statements.Insert() | statements.CreateTable() | statements.CreateView():
            return statement.query
        case statements.CopyTo():
            return copied_rows(statement)
        case statements.Update():
            read = [value for _, value in statement.assignments if not isinstance(value, exp.Var)]
            return _found_rows(statement, read)
        case statements.Delete():
            return _found_rows(statement, [])
        case statements.Merge():
            joined = exp.Join(this=statement.source.copy(), side="FULL")
            if statement.on is not None:
                joined.set("on", statement.on.copy())
            joined.set("using", [exp.to_identifier(name, quoted=True) for name in statement.using])
            query = exp.Select(expressions=[exp.Count(this=exp.Star())], joins=[joined])
            query.set("from_", exp.From(this=named_table(statement.table, statement.alias)))
            query.set("with_", None if statement.with_ is None else statement.with_.copy())
            return query
    return None


def _found_rows(statement: statements.Update | statements.Delete, values: list[exp.Expr]) -> exp.Select:
    """Return a query for the rows that a statement changes, with their new values."""
    table = named_table(statement.table, statement.alias)
    owner = exp.to_identifier(statement.alias or statement.table[-1], quoted=True)
    shown = [exp.Column(this=exp.to_identifier("rowid"), table=owner), *(value.copy() for value in values)]
    query = exp.Select(expressions=shown, from_=exp.From(this=table))
    query.set("joins", [exp.Join(this=source.copy()) for source in statement.sources])
    if statement.where is not None:
        query.set("where", exp.Where(this=statement.where.copy()))
    query.set("with_", None if statement.with_ is None else statement.with_.copy())
    return query
