"""Columns and partition keys of new tables, as Spark writes them."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import (
    ArrayType,
    CharType,
    DataType,
    MapType,
    StringType,
    StructField,
    StructType,
    VarcharType,
)

from forklake.engine.spark.columns.spark_types import ducklake_columns
from forklake.errors import InvalidInputError
from forklake.files.casting.texts import to_texts
from forklake.files.incoming.conform import conform
from forklake.model.definitions import ColumnDefinition, PartitionField
from forklake.model.types.read import field_of
from forklake.ops.objects.check_default import check_default
from forklake.spark_catalog.attached import Attached
from forklake.spark_catalog.table_facts import SPARK_KEYS

_BINARY: Final = "UTF8_BINARY"
_DEFAULT: Final = "CURRENT_DEFAULT"
_GENERATED: Final = "GENERATION_EXPRESSION"
_IDENTITY: Final = "identity."
_CLOCK: Final = re.compile(r"(current_timestamp|now|current_date)(\s*\(\s*\))?", re.IGNORECASE)
_CHANGING: Final = re.compile(
    r"\b(current_\w+|now|localtimestamp|curdate|rand\w*|uuid|shuffle|session_user|user)\b", re.IGNORECASE
)


def new_columns(attached: Attached, text: str) -> tuple[ColumnDefinition, ...]:
    """Return the columns of a new table, of a schema of Spark in JSON.

    Raises:
        InvalidInputError: A column has a type, a default or a rule that tables of a lake do not have.
    """
    schema = StructType.fromJson(json.loads(text))
    for field in schema.fields:
        warn_of_length(field.name, field.dataType)
    pairs = zip(schema.fields, ducklake_columns(schema), strict=True)
    return tuple(_column(attached, field, column) for field, column in pairs)


def warn_of_length(column: str, kind: DataType) -> None:
    """Warn of a length of texts in a type, which a lake does not keep."""
    length = _limited_text(kind)
    if length is not None:
        name = "CHAR" if isinstance(length, CharType) else "VARCHAR"
        warnings.warn(
            f'The length of {name}({length.length}) of column "{column}" is not kept: it takes texts of any length.',
            UserWarning,
            stacklevel=2,
        )


def _limited_text(kind: DataType) -> CharType | VarcharType | None:
    """Return a type of texts of limited length in a type; None if there is none."""
    match kind:
        case CharType() | VarcharType():
            return kind
        case ArrayType():
            inner = [kind.elementType]
        case MapType():
            inner = [kind.keyType, kind.valueType]
        case StructType():
            inner = [field.dataType for field in kind.fields]
        case _:
            inner = []
    return next((found for one in inner if (found := _limited_text(one)) is not None), None)


def column_comments(text: str) -> dict[str, str]:
    """Return the comments of columns, by name."""
    fields = StructType.fromJson(json.loads(text)).fields
    return {field.name: field.metadata["comment"] for field in fields if "comment" in field.metadata}


def partition_keys(keys: Sequence[Sequence[Any]]) -> tuple[PartitionField, ...]:
    """Return partition keys, each given as a transform and its arguments.

    Raises:
        InvalidInputError: Tables of a lake have no such key.
    """
    return tuple(map(_key, keys))


def default_text(attached: Attached, column: ColumnDefinition, field: StructField, text: str) -> ColumnDefinition:
    """Return a column with a default that is given as Spark SQL.

    Raises:
        InvalidInputError: It is neither a constant nor the clock.
    """
    if clock := _CLOCK.fullmatch(text.strip()):
        call = "current_date" if clock[1].lower() == "current_date" else "now()"
        return check_default(attached.runtime, replace(column, default=call, default_is_expression=True))
    if _is_changing(attached, text):
        raise InvalidInputError(
            f'The default of column "{column.name}" is "{text}"; nothing was changed.',
            hint="A default is a constant, current_timestamp() or current_date(); forklake's own SQL knows others.",
        )
    value = F.expr(text).cast(field.dataType).alias("value")
    rows = attached.runtime.engine.collect(attached.spark.range(1).select(value))
    own = replace(field_of(column), name="value")
    (default,) = to_texts(own.type, conform(rows, (own,), column.name, by_name=False).column(0).combine_chunks())
    return check_default(attached.runtime, replace(column, default=default))


def _is_changing(attached: Attached, text: str) -> bool:
    """Return whether an expression may have another value each time.

    What it says once it is analysed counts: ``unix_timestamp()`` asks the clock without a word of it.
    """
    frame: Any = attached.spark.range(1).select(F.expr(text))
    expression = frame._jdf.queryExecution().analyzed().expressions().head()
    said = re.sub(r"'(?:[^'\\]|\\.|'')*'", "''", expression.child().sql())
    return not expression.deterministic() or _CHANGING.search(said) is not None


def _column(attached: Attached, field: StructField, column: ColumnDefinition) -> ColumnDefinition:
    metadata = field.metadata
    if _GENERATED in metadata or any(key.startswith(_IDENTITY) for key in metadata):
        raise InvalidInputError(f'Column "{field.name}" is generated, which a lake does not know; nothing was created.')
    if _has_collation(field.dataType):
        raise InvalidInputError(
            f'Column "{field.name}" has a collation, which a lake does not keep; nothing was created.',
            hint="Leave out COLLATE, and compare with collate() in queries.",
        )
    made = replace(column, nulls_allowed=field.nullable)
    return made if _DEFAULT not in metadata else default_text(attached, made, field, metadata[_DEFAULT])


def _has_collation(kind: DataType) -> bool:
    """Return whether texts in a type compare otherwise than by their bytes."""
    match kind:
        case StringType():
            return kind.collation != _BINARY
        case ArrayType():
            return _has_collation(kind.elementType)
        case MapType():
            return _has_collation(kind.keyType) or _has_collation(kind.valueType)
        case StructType():
            return any(_has_collation(field.dataType) for field in kind.fields)
    return False


def _key(key: Sequence[Any]) -> PartitionField:
    name, *arguments = key
    columns = [argument for argument in arguments if isinstance(argument, list)]
    numbers = [argument for argument in arguments if isinstance(argument, int)]
    if len(columns) != 1 or len(columns[0]) != 1 or len(columns) + len(numbers) != len(arguments):
        raise InvalidInputError(
            f'A table of a lake cannot be partitioned by "{name}" of "{arguments}"; nothing was created.',
            hint="There is a column itself, years, months, days, hours and bucket(16, column).",
        )
    function = SPARK_KEYS.get(name, name)
    return PartitionField(columns[0][0], f"{function}({numbers[0]})" if numbers else str(function))
