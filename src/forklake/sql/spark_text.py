"""Queries in Spark's own SQL, with the lake's tables renamed."""

from __future__ import annotations

from sqlglot import exp, parse
from sqlglot.errors import ParseError, TokenError
from sqlglot.optimizer.scope import traverse_scope

from forklake.errors import InvalidInputError
from forklake.model.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SparkText:
    """A query in Spark's SQL.

    ``tables`` has, for each table name in the text, the parts of its original name.
    """

    text: str
    tables: dict[str, tuple[str, ...]]


def spark_text(text: str) -> SparkText:
    """Rename the tables that a query in Spark's SQL reads.

    Tables of WITH keep their names, and the rest stays as written.

    Raises:
        InvalidInputError: It cannot be read, or is no query.
    """
    tree = parse_spark_query(text)
    places: dict[int, tuple[int, str]] = {}
    tables: dict[str, tuple[str, ...]] = {}
    for scope in traverse_scope(tree):
        for source in scope.sources.values():
            if not isinstance(source, exp.Table) or not isinstance(source.this, exp.Identifier):
                continue
            parts = [part for part in source.parts if isinstance(part, exp.Identifier)]
            if parts[0].meta["start"] in places:
                continue
            name = f"s{len(tables)}"
            tables[name] = tuple(part.name for part in parts)
            # Without an alias the table is named by its last part elsewhere in the query.
            shown = name if source.alias else f"{name} AS `{parts[-1].name.replace('`', '``')}`"
            places[parts[0].meta["start"]] = (parts[-1].meta["end"] + 1, shown)
    for start, (end, name) in sorted(places.items(), reverse=True):
        text = text[:start] + name + text[end:]
    return SparkText(text.rstrip().rstrip(";"), tables)


def parse_spark_query(text: str) -> exp.Query:
    """Parse a query in Spark's SQL.

    Raises:
        InvalidInputError: It cannot be read, or is no query.
    """
    try:
        trees = [tree for tree in parse(text, dialect="spark") if tree is not None]
    except (ParseError, TokenError) as error:
        raise InvalidInputError(f"Parser Error: {str(error).splitlines()[0]}") from error
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise InvalidInputError(
            "Only one query can be run in Spark's dialect; nothing was run.", hint='Other statements: dialect="duckdb".'
        )
    return trees[0]
