"""Rows of frames that queries name like tables."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa

import forklake

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_frames_are_read_joined_and_written_like_tables(spark: SparkSession, tmp_path: Path) -> None:
    moment = datetime(2026, 1, 31, 12, tzinfo=UTC)
    mine = pa.table(
        {
            "id": pa.array([1, 2, None], pa.uint32()),
            "price": pa.array([Decimal("1.50"), None, Decimal("-2.25")], pa.decimal128(9, 2)),
            "at": pa.array([moment, None, moment], pa.timestamp("us", "UTC")),
            "of": pa.array([[1], [], None], pa.list_(pa.int8())),
        }
    )
    floats = pd.DataFrame({"id": [1, 2, 3], "x": [math.nan, -0.0, 1.5], "name": ["ä", None, ""]})
    frame = spark.createDataFrame([(1, "one"), (2, "two")], "id int, word string")
    with forklake.connect(spark=spark) as connection:
        connection.sql(f"ATTACH 'ducklake:{tmp_path}/lake.db' AS shop (CATALOG 'shop', CREATE_IF_NOT_EXISTS true)")
        connection.sql("USE shop")
        found = connection.sql("SELECT * FROM mine ORDER BY id")
        assert found is not None
        assert found.types == ["UINTEGER", "DECIMAL(9,2)", "TIMESTAMP WITH TIME ZONE", "TINYINT[]"]
        assert found.rows() == [
            (1, Decimal("1.50"), moment, [1]), (2, None, None, []), (None, Decimal("-2.25"), moment, None),
        ]  # fmt: skip
        connection.register("words", frame)
        joined = "SELECT m.id, f.name, w.word FROM mine m JOIN floats f USING (id) JOIN words w USING (id) ORDER BY 1"
        assert connection.execute(joined).fetchall() == [(1, "ä", "one"), (2, None, "two")]
        connection.execute("CREATE TABLE kept AS SELECT * FROM floats")
        connection.execute("INSERT INTO kept SELECT id + 10, price, word FROM mine JOIN words USING (id)")
        connection.execute("MERGE INTO kept USING words ON kept.id = words.id WHEN MATCHED THEN UPDATE SET name = word")
        rows = connection.execute("SELECT id, x, name FROM kept ORDER BY id").fetchall()
        assert [(row[0], row[2]) for row in rows] == [(1, "one"), (2, "two"), (3, ""), (11, "one"), (12, "two")]
        assert [row[1] for row in rows] == [None, 0, 1.5, 1.5, None]
        assert len(mine) == len(floats) == 3
