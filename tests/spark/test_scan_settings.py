"""Rows do not depend on the settings of the session that reads them."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from forklake.engine.spark.read.scan import scan
from forklake.errors import ConfigError
from forklake.model.ids import ColumnId
from forklake.model.scan import ScanPlan, ScanRows
from tests.spark.plans import SNAPSHOT, field, plan, scanned, setting, values, written

QUERY = """
    SELECT 1::TINYINT AS i, '550e8400-e29b-41d4-a716-446655440000'::UUID AS u, TIME '12:34:56.5' AS t,
           TIMESTAMP_NS '1969-12-31 23:59:59.999999999' AS n, TIMESTAMP '1500-03-08 02:30:00' AS ts,
           '2020-06-01 12:00:00+02'::TIMESTAMPTZ AS z, DATE '1500-02-28' AS d, 36893488147419103232::HUGEINT AS h,
           INTERVAL '1 month 400 hours' AS v, 255::UTINYINT AS b
"""
TYPES = {
    "i": "int8",
    "u": "uuid",
    "t": "time",
    "n": "timestamp_ns",
    "ts": "timestamp",
    "z": "timestamptz",
    "d": "date",
    "h": "float64",
    "v": "interval",
    "b": "uint8",
}
SHOWN = [
    "cast(i AS string)", "u", "t", "n", "cast(ts AS string)", "unix_micros(z)", "cast(d AS string)",
    "cast(h AS string)", "v", "cast(b AS string)", "cast(x AS string)", "unix_micros(y)", "cast(w AS string)",
]  # fmt: skip
FROM_FILE = (
    "1", "550e8400-e29b-41d4-a716-446655440000", "12:34:56.5", "1969-12-31 23:59:59.999999999",
    "1500-03-08 02:30:00", 1591005600000000, "1500-02-28", "36893488147419103232", "1 month 400:00:00", "255",
    "2020-03-08 02:30:00", 1583652600000000, "1500-02-28",
)  # fmt: skip
FROM_METADATA = (
    "2", None, "00:00:01", "2020-01-01 00:00:00", "2020-03-08 02:30:00", 1583652600000000, "1500-02-28", "3",
    "00:00:00", "0", "2020-03-08 02:30:00", 1583652600000000, "1500-02-28",
)  # fmt: skip


def everything(tmp_path: Path) -> ScanPlan:
    of_file = [field(number, name, type_) for number, (name, type_) in enumerate(TYPES.items(), 1)]
    wider = {"i": "int64", "h": "int128", "b": "uint64"}
    table = [
        *(field(number, name, wider.get(name, type_)) for number, (name, type_) in enumerate(TYPES.items(), 1)),
        field(20, "x", "timestamp", default="2020-03-08 02:30:00"),
        field(21, "y", "timestamptz", default="2020-03-08 07:30:00+00"),
        field(22, "w", "date", default="1500-02-28"),
    ]
    texts = ("2", None, "00:00:01", "2020-01-01", "2020-03-08 02:30:00", "2020-03-08 07:30:00+00", "1500-02-28", "3",
             "0 days", "0")  # fmt: skip
    inlined = ScanRows(
        tuple(table[: len(texts)]),
        ((1, SNAPSHOT, {ColumnId(number): text for number, text in enumerate(texts, 1)}),),
    )
    return plan(table, scanned(written(tmp_path / "f.parquet", QUERY), of_file), inlined=[inlined])


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Kolkata"])
@pytest.mark.parametrize("ansi", ["true", "false"])
def test_time_zone_and_ansi_mode_change_nothing(spark: SparkSession, tmp_path: Path, zone: str, ansi: str) -> None:
    with setting(spark, spark_sql_session_timeZone=zone, spark_sql_ansi_enabled=ansi):
        frame = scan(spark, everything(tmp_path)).selectExpr(*SHOWN)
        assert values(frame) == [FROM_FILE, FROM_METADATA]
        one = scan(spark, everything(tmp_path), columns=["i"], condition="x = TIMESTAMP_NTZ '2020-03-08 02:30:00'")
        assert values(one) == [(1,), (2,)]


@pytest.mark.parametrize(
    "settings",
    [
        {"spark.sql.caseSensitive": "true"},
        {"spark.sql.parquet.enableVectorizedReader": "false"},
        {"spark.sql.parquet.fieldId.read.enabled": "true"},
        {"spark.sql.parquet.datetimeRebaseModeInRead": "LEGACY"},
        {"spark.sql.parquet.int96RebaseModeInRead": "LEGACY"},
        {"spark.sql.parquet.inferTimestampNTZ.enabled": "false"},
        {"spark.sql.parquet.binaryAsString": "true"},
        {"spark.sql.parquet.mergeSchema": "true"},
        {"spark.sql.timestampType": "TIMESTAMP_NTZ"},
        {"spark.sql.decimalOperations.allowPrecisionLoss": "false"},
        {"spark.sql.adaptive.enabled": "false"},
        {"spark.sql.sources.useV1SourceList": ""},
        {"spark.sql.autoBroadcastJoinThreshold": "-1"},
        {"spark.sql.legacy.parquet.nanosAsLong": "true"},
        {"spark.sql.execution.arrow.maxRecordsPerBatch": "1"},
    ],
    ids=lambda given: next(iter(given)),
)
def test_other_settings_change_nothing(spark: SparkSession, tmp_path: Path, settings: dict[str, str]) -> None:
    given = {key.replace(".", "_"): value for key, value in settings.items()}
    with setting(spark, **given):
        assert values(scan(spark, everything(tmp_path)).selectExpr(*SHOWN)) == [FROM_FILE, FROM_METADATA]


@pytest.mark.parametrize("key", ["spark.sql.files.ignoreMissingFiles", "spark.sql.files.ignoreCorruptFiles"])
@pytest.mark.parametrize("route", ["primed", "log", "plain"])
def test_no_setting_makes_damage_go_unnoticed(spark: SparkSession, tmp_path: Path, key: str, route: str) -> None:
    fields = [field(1, "a", "int32")]
    files = [scanned(written(tmp_path / f"{n}.parquet", f"SELECT {n} AS a"), fields, n) for n in (1, 2)]
    with setting(spark, **{key.replace(".", "_"): "true", "forklake_fileIndex": route}):
        frame = scan(spark, plan(fields, *files))
        if key.endswith("ignoreMissingFiles"):
            (tmp_path / "2.parquet").unlink()
        else:
            (tmp_path / "2.parquet").write_bytes(b"x" * files[1].file_size_bytes)
        with pytest.raises(Exception, match=r"2\.parquet"):
            frame.collect()


def test_names_that_differ_only_in_case_are_found_in_a_session_that_tells_them_apart(
    spark: SparkSession, tmp_path: Path
) -> None:
    fields = [field(1, "Aa", "int32")]
    made = plan(fields, scanned(written(tmp_path / "f.parquet", 'SELECT 1 AS "Aa"'), fields))
    with setting(spark, spark_sql_caseSensitive="true"):
        assert values(scan(spark, made, columns=["aA"], condition="`Aa` = 1")) == [(1,)]


def test_a_demand_for_a_file_index_that_does_not_exist_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    fields = [field(1, "a", "int32")]
    made = plan(fields, scanned(written(tmp_path / "f.parquet", "SELECT 1 AS a"), fields))
    with (
        setting(spark, forklake_fileIndex="magic"),
        pytest.raises(ConfigError, match=r'"forklake\.fileIndex" is "magic"'),
    ):
        scan(spark, made)
