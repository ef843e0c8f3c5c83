"""Random filters over rows that are held in every way, as users write them: each must keep the rows DuckDB keeps.

FORKLAKE_FILTERS says how many there are in all.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from forklake import Catalog, Lake
from forklake.catalog.fields import table_fields
from forklake.sql.rows.row_texts import condition
from tests.lakes import IMPATIENT
from tests.spark.filters import NATIVE, ODD, Rows, filters, made
from tests.spark.plans import setting

FILTERS = int(os.environ.get("FORKLAKE_FILTERS", "100"))
AT_ONCE = 50
NO_CODE = {"spark_sql_codegen_wholeStage": "false", "spark_sql_codegen_factoryMode": "NO_CODEGEN"}
"""Compiling code for so many scans would take longer than all else."""

BATCHES = [range(first, min(first + AT_ONCE, FILTERS)) for first in range(0, FILTERS, AT_ONCE)]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Iterator[Catalog]:
    directory: Path = tmp_path_factory.mktemp("filters")
    with Lake(f"sqlite:{directory}/lake.db", data_path=directory / "data", spark=spark, settings=IMPATIENT) as lake:
        yield lake.create_catalog("shop")


@pytest.fixture(scope="module")
def native(shop: Catalog) -> Rows:
    return made(shop, "native", NATIVE, 1)


@pytest.fixture(scope="module")
def odd(shop: Catalog) -> Rows:
    return made(shop, "odd", ODD, 2)


# ---- three ways to filter --------------------------------------------------------------------------------------------


def by_sql(shop: Catalog, rows: Rows, texts: Sequence[str]) -> DataFrame:
    parts = [f"SELECT {number} AS number, id FROM {rows.name} WHERE {text}" for number, text in enumerate(texts)]
    result = shop.sql(" UNION ALL ".join(parts))
    assert result is not None
    return result.dataframe()


def by_argument(shop: Catalog, rows: Rows, texts: Sequence[str]) -> DataFrame:
    frames = [
        rows.table.dataframe(columns=["id"], where=text).select(F.lit(number).alias("number"), "id")
        for number, text in enumerate(texts)
    ]
    while len(frames) > 1:
        frames = [
            frames[at] if at + 1 == len(frames) else frames[at].union(frames[at + 1]) for at in range(0, len(frames), 2)
        ]
    return frames[0]


def by_frame(shop: Catalog, rows: Rows, texts: Sequence[str]) -> DataFrame:
    fields = table_fields(shop._content(), rows.table.table_id)
    rows.table.dataframe().createOrReplaceTempView("filtered")
    parts = [
        f"SELECT {number} AS number, id FROM filtered WHERE {condition(text, rows.name, fields).spark_sql}"
        for number, text in enumerate(texts)
    ]
    spark = rows.table.dataframe().sparkSession
    found = spark.sql(" UNION ALL ".join(parts))
    spark.catalog.dropTempView("filtered")  # it is looked up already
    return found


WAYS: tuple[Callable[[Catalog, Rows, Sequence[str]], DataFrame], ...] = (by_sql, by_argument, by_frame)


@pytest.mark.parametrize("seeds", BATCHES, ids=[f"from-{batch.start}" for batch in BATCHES])
def test_every_filter_keeps_the_rows_that_duckdb_keeps(
    seeds: range, shop: Catalog, native: Rows, odd: Rows, spark: SparkSession
) -> None:
    batch = seeds.start // AT_ONCE
    rows, way = odd if batch % 4 == 3 else native, WAYS[batch % len(WAYS)]
    texts = [filters(rows, seed) for seed in seeds]
    found: list[list[int]] = [[] for _ in texts]
    with setting(spark, **NO_CODE):
        for number, row in way(shop, rows, texts).coalesce(1).collect():
            found[number].append(row)
    wrong = [
        f"{way.__name__}, seed {seed}: {text}: {len(kept)} rows, DuckDB keeps {len(expected)}; "
        f"too many {sorted(set(kept) - set(expected))[:5]}, too few {sorted(set(expected) - set(kept))[:5]}"
        for seed, text, kept in zip(seeds, texts, found, strict=True)
        if sorted(kept) != (expected := rows.expected(text))
    ]
    assert not wrong, "\n".join(wrong)


CHANGING = ("c5 >= CAST('0' AS FLOAT)", "c6 = 0", "isnan(c6)", "NOT (s.a <= CAST('5' AS DOUBLE))", "n0 IN (0, 5)")


@pytest.mark.parametrize("text", CHANGING)
def test_updates_and_deletes_change_the_rows_that_duckdb_changes(shop: Catalog, native: Rows, text: str) -> None:
    expected = native.expected(text)
    assert expected
    fork = shop.fork(f"fork-{CHANGING.index(text)}")
    table = fork.table("native")
    assert table.update({"c1": "NULL"}, f"{text} AND id % 2 = 0").row_count == sum(row % 2 == 0 for row in expected)
    assert table.delete(text).row_count == len(expected)
    assert table.count(text) == 0
