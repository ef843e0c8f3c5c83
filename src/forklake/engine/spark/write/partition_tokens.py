"""Short safe texts that tell partitions apart while Spark writes rows.

A token is not the value of the key. Values may be long, empty or hold any character, and directories are named by what
is written here; so a token holds digits and letters only. Rows with the same token have the same value of the key,
which is taken from the file that they are in.
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from forklake.engine.spark.columns.arrow_columns import partition_value
from forklake.engine.spark.columns.column_transforms import partition_token
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.quoting import quote_spark_name
from forklake.model.write import PartitionKey, WriteTarget

_NAME: Final = "_ducklake_forklake_partition_{}"
_LONGEST_PLAIN: Final = 100
_NULL: Final = "n"


def with_tokens(rows: DataFrame, target: WriteTarget) -> tuple[DataFrame, list[str]]:
    """Add a token column for each partition key, and return the column names, too.

    A row's token is never NULL: the key's NULL has one of its own.
    """
    fields = {fold(field.name): field for field in target.fields}
    tokens = {
        _NAME.format(position): _token(key, fields[fold(key.column)])
        for position, key in enumerate(target.partition_keys)
    }
    return (rows.withColumns(tokens) if tokens else rows), list(tokens)


def _token(key: PartitionKey, field: Field) -> Column:
    value = F.col(quote_spark_name(field.name))
    told = partition_token(key.transform, field, value)
    if told is None:
        told = partition_value(key.transform, field)(value)
    token = F.when(F.octet_length(told) <= _LONGEST_PLAIN, F.concat(F.lit("v"), F.hex(told))).otherwise(
        F.concat(F.lit("h"), F.sha2(told.cast("binary"), 256))
    )
    return F.coalesce(token, F.lit(_NULL))
