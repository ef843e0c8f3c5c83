"""Files that others wrote are adopted as stock DuckLake adopts them, and it reads what we adopted."""

import os
import random
from pathlib import Path
from typing import Any, cast

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from forklake import Catalog, Lake
from forklake.engine.spark.spark_engine import SparkEngine
from forklake.errors import DataFileError, ForklakeError, InvalidInputError
from forklake.files.foreign.adopt_files import Adoption, adopt_files
from forklake.files.foreign.adopted_columns import AdoptionRules
from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from tests.interop.ducklake import attached, duckdb_with_ducklake, url_of
from tests.interop.random_files import Trial, random_trial

NO_SPARK = cast("Any", "there is no Spark here")
TRIALS = 16 * max(1, int(os.environ.get("FORKLAKE_HISTORIES", "100")) // 100)
_OWN_REFUSALS = ("has none of the columns", "is not supported for hive partitioning")
"""What DuckLake takes, or stumbles over, and we refuse."""


@pytest.fixture
def shop(tmp_path: Path, spark: SparkSession) -> Any:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "own", spark=spark) as lake:
        yield lake.create_catalog("shop")


def test_random_files_are_taken_and_refused_as_ducklake_does(shop: Catalog, tmp_path: Path) -> None:
    connection, taken = duckdb_with_ducklake(), dict[str, Trial]()
    seed = os.environ.get("FORKLAKE_SEED", "1")
    with attached(f"ducklake:{tmp_path}/theirs.ducklake", DATA_PATH=f"{tmp_path}/theirs/") as (theirs, alias):
        session = shop.session()
        for number in range(TRIALS):
            name = f"t{number}"
            trial = random_trial(random.Random(f"{seed}/{number}"), connection, tmp_path / "files" / str(number))
            theirs.execute(f"CREATE TABLE {name}({trial.create})")
            session.sql(f"CREATE TABLE {name}({trial.create})")
            arguments = f"'{name}', '{trial.path}'{trial.arguments}"
            refused = _error(lambda a=arguments: theirs.execute(f"CALL ducklake_add_data_files('{alias}', {a})"))
            own = _error(lambda a=arguments: session.sql(f"CALL shop.add_data_files({a})"))
            case = f"seed {seed}, {name}: {trial.create}, {trial.path}, {trial.flags}: {refused!r}, we: {own!r}"
            if own is not None and any(words in own for words in _OWN_REFUSALS):
                continue
            if refused is not None and "Failed to commit DuckLake transaction" in refused:
                continue  # of nothing that has statistics
            assert (own is None) == (refused is None), case
            if own is None:
                taken[name] = trial
        expected = {name: _rows(theirs, f"{alias}.{name}", trial) for name, trial in taken.items()}
    exported = shop.maintenance.export(tmp_path / "ours.ducklake")
    with attached(url_of(exported.path), READ_ONLY=True) as (ours, alias):
        for name, trial in taken.items():
            shown = f"seed {seed}, {name}: {trial.create}, {trial.path}, {trial.flags}"
            assert _rows(ours, f"{alias}.{name}", trial) == expected[name], shown
    # One query for all: each would cost as much.
    texts = [f"SELECT '{name}', rowid, ({_text(trial)}) FROM {name}" for name, trial in taken.items()]
    found = session.sql(" UNION ALL ".join(texts))
    assert found is not None
    read: dict[str, list[Any]] = {name: [] for name in taken}
    for name, rowid, text in found.fetchall():
        read[name].append((rowid, text))
    assert {name: sorted(rows) for name, rows in read.items()} == expected, f"seed {seed}"


def _error(call: Any) -> str | None:
    try:
        call()
    except (duckdb.Error, ForklakeError) as error:
        return str(error)
    return None


def _text(trial: Trial) -> str:
    """Return an expression with all values of a row."""
    return " || '|' || ".join(f"coalesce({name}::VARCHAR, 'NULL')" for name, _ in trial.columns)


def _rows(connection: Any, table: str, trial: Trial) -> list[Any]:
    return sorted(connection.execute(f"SELECT rowid, {_text(trial)} FROM {table}").fetchall())


def test_files_of_pandas_duckdb_spark_and_pyarrow_are_read_by_both(
    shop: Catalog, tmp_path: Path, spark: SparkSession
) -> None:
    table = shop.create_table(
        "t",
        {"id": "BIGINT", "name": "VARCHAR", "at": "TIMESTAMP", "seen": "TIMESTAMPTZ", "tags": "VARCHAR[]", "t": "TIME"},
    )
    moment = pd.Timestamp("2024-02-29 12:34:56.123456")
    rows = {"name": ["a", None], "id": [1, 2], "at": [moment, None], "tags": [["x", None], []]}
    seen, time = pd.Timestamp(moment, tz="UTC"), moment.time()
    frame = pd.DataFrame({**rows, "seen": [seen, None], "t": [time, None]})
    frame.to_parquet(tmp_path / "pandas.parquet")
    pq.write_table(
        pa.Table.from_pandas(frame, preserve_index=False),
        tmp_path / "old.parquet",
        version="1.0",
        coerce_timestamps="us",
        use_deprecated_int96_timestamps=False,
        use_compliant_nested_type=False,
    )
    chosen = 'id::INTEGER AS id, name, "at"::TIMESTAMP AS "at", seen, tags, t'
    duckdb.connect().execute(f"COPY (SELECT {chosen} FROM frame) TO '{tmp_path}/duckdb.parquet'")
    # Spark's own files hold moments in 12 bytes, without a zone.
    spark.createDataFrame([(3, "s", ["y"])], "id int, name string, tags array<string>").selectExpr(
        "id", "name", "tags", "timestamp'2020-01-01 00:00:00Z' AS at"
    ).coalesce(1).write.parquet(f"{tmp_path}/spark")
    done = table.storage.add_files(
        [
            f"{tmp_path}/pandas.parquet",
            f"{tmp_path}/old.parquet",
            f"{tmp_path}/duckdb.parquet",
            f"{tmp_path}/spark/*.parquet",
        ],
        allow_missing=True,
    )
    assert (done.row_count, done.file_count) == (7, 4)
    query = 'SELECT rowid, id, name, "at"::VARCHAR, seen::VARCHAR, tags::VARCHAR, t::VARCHAR FROM {} ORDER BY rowid'
    exported = shop.maintenance.export(tmp_path / "ours.ducklake")
    with attached(url_of(exported.path), READ_ONLY=True) as (connection, alias):
        theirs = connection.execute(query.format(f"{alias}.t")).fetchall()
    ours = shop.sql(query.format("t"))
    assert ours is not None
    assert ours.fetchall() == theirs
    assert theirs[0][1:] == (
        1,
        "a",
        "2024-02-29 12:34:56.123456",
        "2024-02-29 12:34:56.123456+00",
        "[x, NULL]",
        "12:34:56.123456",
    )
    assert theirs[-1][1:4] == (3, "s", "2020-01-01 00:00:00")


BOXES = "SELECT extra_stats FROM {metadata}.ducklake_file_column_stats ORDER BY data_file_id"
TOTALS = "SELECT extra_stats FROM {metadata}.ducklake_table_column_stats ORDER BY table_id"
SHAPES: dict[str, list[str | None]] = {
    "points": ["POINT (1 2)", "POINT (-3 0.5)", None],
    "lines": ["LINESTRING Z (5 5 5, 10 10 10)", "LINESTRING (0 0, -7 1)"],
    "areas": ["POLYGON ((0 0, 40 0, 40 4, 0 4, 0 0))", "GEOMETRYCOLLECTION M (POINT M (9 9 -1))"],
    "none": [None],
}


def test_boxes_and_types_of_geometries_are_those_that_ducklake_records(tmp_path: Path) -> None:
    for name, texts in SHAPES.items():
        values = " UNION ALL ".join(f"SELECT {'NULL' if text is None else repr(text)}::GEOMETRY AS g" for text in texts)
        duckdb.connect().execute(f"COPY ({values}) TO '{tmp_path}/{name}.parquet' (GEOPARQUET_VERSION NONE)")
    statements = ["CREATE TABLE a (g GEOMETRY)", "CREATE TABLE b (g GEOMETRY)"]
    statements += [
        f"CALL ducklake_add_data_files('{{lake}}', '{'b' if name == 'none' else 'a'}', '{tmp_path}/{name}.parquet')"
        for name in SHAPES
    ]
    with attached(f"ducklake:{tmp_path}/theirs.ducklake", DATA_PATH=f"{tmp_path}/theirs/") as (theirs, alias):
        for statement in statements:
            theirs.execute(statement.replace("{lake}", alias))
        metadata = f"__ducklake_metadata_{alias}"
        told = [theirs.execute(one.format(metadata=metadata)).fetchall() for one in (BOXES, TOTALS)]
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "own", spark=NO_SPARK) as lake:
        shop = lake.create_catalog("shop")
        session = shop.session()
        session.sql("SET engine = 'local'")
        for statement in statements:
            session.sql(statement.replace("{lake}", "shop"))
        assert [
            session.execute(one.format(metadata="__ducklake_metadata_shop")).fetchall() for one in (BOXES, TOTALS)
        ] == told
        exported = shop.maintenance.export(tmp_path / "ours.ducklake")
    with attached(url_of(exported.path), READ_ONLY=True) as (ours, _):
        assert len(ours.execute("FROM a").fetchall()) == 7


def test_tasks_of_spark_read_footers_as_this_process_does(tmp_path: Path, spark: SparkSession) -> None:
    fields = (Field(ColumnId(1), "a", types.INT64), Field(ColumnId(2), "p", types.VARCHAR))
    paths = []
    for number in range(1001):
        path = tmp_path / f"p={number % 3}" / f"{number}.parquet"
        path.parent.mkdir(exist_ok=True)
        pq.write_table(pa.table({"a": [number]}), path)
        paths.append(str(path))
    adoption = Adoption(AdoptionRules("t", fields))
    engine = SparkEngine(spark, {})
    assert engine.adopt(paths, adoption) == adopt_files(paths, adoption)
    (tmp_path / "text.parquet").write_text("text")
    with pytest.raises(DataFileError, match=r'text\.parquet" is damaged or no Parquet file'):
        engine.adopt([*paths[:3], str(tmp_path / "text.parquet")], adoption)
    with pytest.raises(InvalidInputError, match='Column "b" exists in table "t" but was not found in file'):
        engine.adopt(paths[:3], Adoption(AdoptionRules("t", (*fields, Field(ColumnId(3), "b", types.INT64)))))
