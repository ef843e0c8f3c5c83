"""CREATE TABLE, partition keys and sort keys."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model.definitions import ColumnDefinition, PartitionField, SortKey
from forklake.model.transforms import Function, Transform
from forklake.model.types.read import definition_of
from forklake.sql.parse.types import read_column_type
from forklake.sql.parse.values import read_default
from forklake.sql.parse.words import Words
from forklake.sql.statements import CreateTable

_TABLE_CONSTRAINTS: Final = ("CONSTRAINT", "UNIQUE", "CHECK")


def read_create_table(words: Words, *, or_replace: bool) -> CreateTable:
    """Read what follows CREATE TABLE.

    Raises:
        InvalidInputError: It cannot be read, or asks for something that DuckLake does not have.
    """
    if_not_exists = words.take("IF", "NOT", "EXISTS")
    made = CreateTable(words.path(), if_not_exists=if_not_exists, or_replace=or_replace)
    if words.at("("):
        items = words.in_parentheses(lambda: _read_column(words), may_be_empty=True)
        columns = tuple(item for item in items if isinstance(item, ColumnDefinition))
        names = tuple(item for item in items if isinstance(item, str))
        if not items:
            raise InvalidInputError("Parser Error: Table must have at least one column!")
        if columns and names:
            raise words.unexpected_token()
        made = replace(made, columns=columns, column_names=names)
    made = _read_layout(words, made)
    if words.at("WITH", "("):
        raise InvalidInputError("WITH clause is not supported for tables in a ducklake catalog")
    if made.columns:
        return made
    words.expect("AS")
    with_data = not words.cut_from_end("WITH", "NO", "DATA")
    if with_data:
        words.cut_from_end("WITH", "DATA")
    return replace(made, query=words.query(), with_data=with_data)


def _read_layout(words: Words, made: CreateTable) -> CreateTable:
    """Read PARTITIONED BY and SORTED BY, in either order."""
    while True:
        if words.take("PARTITIONED", "BY") or words.take("PARTITION", "BY"):
            made = replace(made, partition_by=read_partition_keys(words))
        elif words.take("SORTED", "BY"):
            made = replace(made, sort_by=read_sort_keys(words))
        else:
            return made


def _read_column(words: Words) -> ColumnDefinition | str:
    """Read a column, or only its name if a query follows."""
    if words.at_any(*_TABLE_CONSTRAINTS) or words.at("PRIMARY", "KEY") or words.at("FOREIGN", "KEY"):
        if words.take("CONSTRAINT"):
            words.name()
        raise _constraint_error(words)
    name = words.name()
    if words.at(",") or words.at(")"):
        return name
    if words.at("AS") or words.at("GENERATED"):
        raise InvalidInputError("DuckLake does not support generated columns")
    column = definition_of(name, read_column_type(words))
    while not (words.at(",") or words.at(")") or words.at_end()):
        column = _read_constraint(words, column)
    return column


def _read_constraint(words: Words, column: ColumnDefinition) -> ColumnDefinition:
    if words.take("CONSTRAINT"):
        words.name()
    if words.take("NOT", "NULL"):
        return replace(column, nulls_allowed=False)
    if words.take("NULL"):
        return column
    if words.take("DEFAULT"):
        default = read_default(words)
        return replace(column, default=default.text, default_is_expression=default.is_expression)
    if words.take("USING", "COMPRESSION"):
        raise InvalidInputError("Defining a compression type for a column is not supported in DuckLake")
    if words.take("COLLATE"):
        raise InvalidInputError("Collations are not supported in DuckLake storage")
    if words.at("AS") or words.at("GENERATED"):
        raise InvalidInputError("DuckLake does not support generated columns")
    raise _constraint_error(words)


def _constraint_error(words: Words) -> InvalidInputError:
    if words.at("PRIMARY", "KEY") or words.at("UNIQUE"):
        return InvalidInputError("PRIMARY KEY/UNIQUE constraints are not supported in DuckLake")
    if words.at("CHECK"):
        return InvalidInputError("CHECK constraints are not supported in DuckLake")
    if words.at("FOREIGN", "KEY") or words.at("REFERENCES"):
        return InvalidInputError("FOREIGN KEY constraints are not supported in DuckLake")
    return words.unexpected_token()


def read_partition_keys(words: Words) -> tuple[PartitionField, ...]:
    """Read ``(c, year(c), bucket(4, c))``.

    A single key needs no parentheses.
    """
    if words.at("("):
        keys = words.in_parentheses(lambda: _read_partition_key(words))
    else:
        keys = words.comma_list(lambda: _read_partition_key(words))
    return tuple(keys)


def _read_partition_key(words: Words) -> PartitionField:
    start = words.mark()
    path = words.path()
    if not words.at("("):
        return PartitionField(".".join(path))
    function = path[-1].lower()
    *counts, key = words.in_parentheses(words.expression)
    whole = words.text_from(start)
    if function == Function.BUCKET:
        function, counts = str(_bucket(counts, key, whole)), []
    if counts or not isinstance(key, (exp.Column, exp.Dot)):
        raise InvalidInputError(
            f"Unsupported partition key {whole} - only identity columns and year/month/day/hour/bucket are supported"
        )
    return PartitionField(".".join(part.name for part in key.parts), function)


def _bucket(counts: list[exp.Expr], key: exp.Expr, whole: str) -> Transform:
    if len(counts) != 1 or not isinstance(key, (exp.Column, exp.Dot)):
        raise InvalidInputError(f"Expected bucket(bucket_count, column), but got {whole}")
    count = counts[0]
    sign = -1 if isinstance(count, exp.Neg) else 1
    literal = count.this if isinstance(count, exp.Neg) else count
    if not isinstance(literal, exp.Literal):
        raise InvalidInputError(f"Bucket count must be a constant integer, got {whole}")
    if literal.is_string or not literal.is_int:
        raise InvalidInputError("Bucket count must be an integer")
    try:
        return Transform.bucket(sign * int(literal.this))
    except ValueError as error:
        raise InvalidInputError(str(error)) from error


def read_sort_keys(words: Words) -> tuple[SortKey, ...]:
    """Read ``(a, lower(b) DESC NULLS FIRST)``.

    Expressions are kept as written.
    """
    return tuple(words.in_parentheses(lambda: read_sort_key(words)))


def read_sort_key(words: Words) -> SortKey:
    """Read ``lower(b) DESC NULLS FIRST``."""
    text, _ = words.source(words.expression)
    direction = words.take_any("ASC", "DESC", "ASCENDING", "DESCENDING") or "ASC"
    first = False
    if words.take("NULLS"):
        first = words.take("FIRST")
        if not first:
            words.expect("LAST")
    return SortKey(text, "DESC" if direction.startswith("DESC") else "ASC", "NULLS_FIRST" if first else "NULLS_LAST")
