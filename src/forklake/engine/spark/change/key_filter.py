"""A key filter: leave out rows that cannot match any of many keys.

It runs before a join looks up each row.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import ArrayType, LongType, StructField, StructType

_BITS_PER_KEY: Final = 64
_WORDS: Final = StructType([StructField("words", ArrayType(LongType(), containsNull=False), nullable=False)])


def filter_by_keys(rows: DataFrame, column: Column, keys: pa.ChunkedArray) -> DataFrame:
    """Return the rows that may have one of some keys.

    All rows that have one are returned, and about one in 64 of the others. Each task has a bitmap of the lowest
    bits of the keys. Testing a bit costs a few nanoseconds; looking up a key in a join costs twenty times that.

    Args:
        rows: The rows.
        column: The integer to compare with the keys; rows where it is NULL are left out.
        keys: Integers.
    """
    values = keys.drop_null().cast(pa.int64()).to_numpy()
    mask = (1 << max(6, (_BITS_PER_KEY * values.size - 1).bit_length())) - 1
    places = values & mask
    words = np.zeros((mask + 1) // 64, np.uint64)
    np.bitwise_or.at(words, places >> 6, np.uint64(1) << (places & 63).astype(np.uint64))
    held = pa.table([pa.array([words.view(np.int64)], pa.list_(pa.int64()))], _WORDS.names)
    # The answer of a subquery is told to tasks as a whole, and is not shown in plans as a literal would be.
    bitmap = rows.sparkSession.createDataFrame(held, _WORDS).scalar()
    key = column.cast("bigint")
    word = F.get(bitmap, F.shiftright(key.bitwiseAND(F.lit(mask)), 6).cast("int"))
    return rows.where(F.getbit(word, key.bitwiseAND(F.lit(63)).cast("int")) == 1)
