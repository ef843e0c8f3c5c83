"""Queries in Spark's SQL, as views in DuckDB's SQL could say them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import traverse_scope

from forklake.errors import InvalidInputError
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.quoting import quote_name, quote_spark_name
from forklake.sql.spark_text import parse_spark_query

Name = tuple[str, str]
"""A schema and a table or view of it."""


class Saying(NamedTuple):
    """A text in DuckDB's SQL: over stand-ins for tables, and over the tables."""

    of_stand_ins: str
    of_tables: str


@dataclass(frozen=True, slots=True)
class SparkView:
    """A query in Spark's SQL over stand-ins, and what it may be in DuckDB's.

    Whether one of the sayings means the same is not known here.

    Attributes:
        of_stand_ins: The text in Spark's SQL, with stand-ins for tables.
        tables: What each stand-in is for.
        sayings: As it is written, then translated.
    """

    of_stand_ins: str
    tables: dict[str, Name]
    sayings: tuple[Saying, ...]


def spark_view(text: str, alias: str, catalog_in_use: str, schema_in_use: str) -> SparkView:
    """Return a query of Spark as a view of a catalog could say it.

    Args:
        text: The query.
        alias: What Spark calls the catalog.
        catalog_in_use: Where Spark looks for names without a catalog.
        schema_in_use: Where it looks for names without a schema.

    Raises:
        InvalidInputError: It cannot be read, is no query, or names a table that is not of the catalog.
    """
    tree = parse_spark_query(text)
    tables: dict[str, Name] = {}
    in_spark, in_duckdb, stored = [], [], []
    for node, parts in _tables(tree):
        if node.args.get("version") is not None:
            raise InvalidInputError(
                f'A view reads its tables as they are when it is read, and names no version of "{parts[-1].name}";'
                " nothing was changed.",
                hint="In DuckDB's words, with catalog.views.create(), it is AT (VERSION => ...).",
            )
        name = _own_name([part.name for part in parts], alias, catalog_in_use, schema_in_use)
        stand_in = f"stand_in_{len(tables)}"
        tables[stand_in] = name
        start, end = parts[0].meta["start"], parts[-1].meta["end"] + 1
        shown = not node.alias  # then the table is called by its own name
        in_spark.append((start, end, stand_in + (f" AS {quote_spark_name(name[1])}" if shown else "")))
        in_duckdb.append((start, end, stand_in + (f" AS {quote_name(name[1])}" if shown else "")))
        stored.append((start, end, ".".join(map(quote_name, name))))
        if shown:
            node.set("alias", exp.TableAlias(this=exp.to_identifier(name[1], quoted=True)))
        node.set("this", exp.to_identifier(stand_in))
        node.set("db", None)
        node.set("catalog", None)
    sayings = [Saying(_edit(text, in_duckdb), _edit(text, stored))]
    try:
        translated = tree.sql(dialect="duckdb")
    except SqlglotError:
        return SparkView(_edit(text, in_spark), tables, tuple(sayings))
    for node in list(tree.find_all(exp.Table)):
        if node.name in tables:
            schema, own = tables[node.name]
            node.set("this", exp.to_identifier(own, quoted=True))
            node.set("db", exp.to_identifier(schema, quoted=True))
    sayings.append(Saying(translated, tree.sql(dialect="duckdb")))
    return SparkView(_edit(text, in_spark), tables, tuple(sayings))


def _tables(tree: exp.Expr) -> Iterator[tuple[exp.Table, list[exp.Identifier]]]:
    """Yield the tables that a query reads, each with the parts of its name.

    Those of WITH are left out.
    """
    seen = set()
    for scope in traverse_scope(tree):
        for source in scope.sources.values():
            if isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier) and id(source) not in seen:
                seen.add(id(source))
                yield source, [part for part in source.parts if isinstance(part, exp.Identifier)]


def _own_name(parts: Sequence[str], alias: str, catalog_in_use: str, schema_in_use: str) -> Name:
    """Return which table of the catalog a name means."""
    if len(parts) in (2, 3) and fold(parts[0]) == fold(alias):
        return (parts[1], parts[2]) if len(parts) == 3 else ("main", parts[1])
    if len(parts) <= 2 and fold(catalog_in_use) == fold(alias):
        return (parts[0], parts[1]) if len(parts) == 2 else (schema_in_use, parts[0])
    raise InvalidInputError(
        f'A view of catalog "{alias}" reads tables of that catalog only, not "{".".join(parts)}"; nothing was changed.',
        hint="Make a temporary view, or a view of another catalog of the session.",
    )


def _edit(text: str, edits: Sequence[tuple[int, int, str]]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text.strip().rstrip(";")
