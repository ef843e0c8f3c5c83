"""Small tables are read by this process: with the same rows, and the same errors, as by Spark.

FORKLAKE_HISTORIES asks for more random plans.
"""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from forklake import Catalog, ColumnDefinition, Lake, Settings
from forklake.engine.local.exactness import is_exact
from forklake.engine.local.whole_scan import read_plan
from forklake.engine.spark.read.query import collect_rows
from forklake.engine.spark.read.scan import scan
from forklake.errors import DataFileError, InvalidInputError
from forklake.files.access.keys import new_key
from forklake.files.arrow.values import values_of
from forklake.model.field import Field
from forklake.model.scan import LINEAGE_COLUMNS, ScanFile, ScanPlan
from tests.rows.any_plan import AnyPlan
from tests.spark.plans import deleted, field, plan, scanned, written, written_by_arrow
from tests.spark.test_connector import EMPTY, FULL, TYPES
from tests.spark.test_scan_encryption import encrypted

SEEDS = max(3, int(os.environ.get("FORKLAKE_HISTORIES", "0")) // 20)
LINEAGE = [Field(None, name, kind) for name, kind in LINEAGE_COLUMNS.items()]
Reader = Callable[[ScanPlan], pa.Table]


def by_spark(spark: SparkSession, made: ScanPlan) -> pa.Table:
    frame = scan(spark, made, lineage=list(LINEAGE_COLUMNS), keep_order=True)
    return collect_rows(frame, [file.path for file in made.files], f'table "{made.table}"')


def here(made: ScanPlan) -> pa.Table:
    return read_plan(made, [*made.fields, *LINEAGE])


def shown(table: pa.Table) -> list[str]:
    """Return the columns of a table so that NaN equals NaN, and -0.0 does not equal 0.0."""
    return [repr(values_of(column.combine_chunks())) for column in table.columns]


# ---- the same rows ---------------------------------------------------------------------------------------------------


@pytest.mark.timeout(0 if SEEDS > 3 else 300)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_any_plan_shows_the_same_rows_here_and_on_spark(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    made = AnyPlan(tmp_path, seed).plan()
    # Columns that are not exact are left to Spark, so they need not be alike.
    exact = [one for one in made.fields if is_exact(made, [one])]
    assert len(exact) > len(made.fields) // 2
    made = replace(made, fields=tuple(exact))
    for one, ours, theirs in zip([*exact, *LINEAGE], shown(here(made)), shown(by_spark(spark, made)), strict=True):
        assert ours == theirs, f"seed {seed}, column {one}"


def test_what_pyarrow_cannot_show_exactly_is_left_to_spark(tmp_path: Path) -> None:
    def is_here(of_table: Field, of_file: Field) -> bool:
        path = written(tmp_path / "f.parquet", "SELECT 1 AS v")
        return is_exact(plan([of_table], scanned(path, [of_file])), [of_table])

    assert is_here(field(1, "v", "int64"), field(1, "v", "int32"))
    assert is_here(field(1, "v", "timetz"), field(1, "w", "varchar"))
    assert is_here(field(1, "v", "int32"), field(2, "v", "float64")), "another column"
    assert is_here(field(1, "v", "variant"), field(2, "v", "int32"))
    assert not is_here(field(1, "v", "list", field(2, "element", "variant")), field(1, "v", "list"))
    assert not is_here(field(1, "v", "int32"), field(1, "v", "float64"))
    assert not is_here(field(1, "v", "int32"), field(1, "v", "int64"))
    assert not is_here(field(1, "v", "timestamp"), field(1, "v", "timestamptz"))
    assert not is_here(field(1, "v", "float32"), field(1, "v", "decimal(38,20)"))
    inner = field(1, "v", "struct", field(2, "a", "int32"))
    assert is_here(inner, field(1, "v", "struct", field(2, "b", "int16"), field(3, "a", "varchar")))
    assert not is_here(inner, field(1, "v", "struct", field(2, "b", "varchar")))
    assert not is_here(inner, field(1, "v", "int32"))


def test_files_that_spark_leaves_to_pyarrow_are_left_to_spark(tmp_path: Path) -> None:
    nanos = written_by_arrow(tmp_path / "n.parquet", {"v": pa.array([1], pa.timestamp("ns", "UTC"))})
    assert not is_exact(plan([field(1, "v", "timestamptz")], scanned(nanos, None)), [field(1, "v", "timestamptz")])


def test_moments_of_twelve_bytes_reach_beyond_nanoseconds(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "f.parquet"
    moments = pa.array([-62135596800_000_000, 253402300799_999_999, None], pa.int64()).view(pa.timestamp("us"))
    pq.write_table(pa.table({"a": moments}), path, use_deprecated_int96_timestamps=True)
    made = plan([field(1, "a", "timestamp")], scanned(path, None, record_count=3))
    assert shown(here(made)) == shown(by_spark(spark, made))
    assert here(made).column(0).to_pylist()[1].year == 9999


# ---- tables ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite:{tmp_path_factory.mktemp('local') / 'lake.db'}"


@pytest.fixture(scope="module")
def lake(spark: SparkSession, url: str) -> Iterator[Lake]:
    with Lake(url, spark=spark) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("t", TYPES)
        table = shop.table("t")
        table.append([{"id": 1, **FULL}, {"id": 2, **EMPTY}, {"id": 3, **FULL}])
        table.append([{"id": 4, **EMPTY}, {"id": 5, **FULL}])
        table.delete("id = 3")
        shop.options.set("data_inlining_row_limit", 1)
        table.append([{"id": 6, **FULL}])
        shop.table("t").alter.add_column(ColumnDefinition("size", "INTEGER", default="7"))
        shop.table("t").alter.add_column(("c", "DOUBLE"), parent="s")
        shop.table("t").alter.rename_column("item", "thing")
        shop.table("t").alter.set_type("id", "DECIMAL(22,1)")
        yield lake


@pytest.fixture(scope="module")
def other(lake: Lake, url: str, spark: SparkSession) -> Iterator[Catalog]:
    """The same catalog, of which Spark reads all tables."""
    with Lake(url, settings=Settings(local_read_rows=0), spark=spark) as opened:
        yield opened.catalog("shop")


def test_a_table_of_all_types_is_the_same_either_way(lake: Lake, other: Catalog) -> None:
    shop = lake.catalog("shop")
    for columns in (None, ["s", "rowid", "ID", "file_index"]):
        ours, theirs = shop.table("t"), other.table("t")
        assert ours.rows(columns) == theirs.rows(columns)
        assert ours.arrow(columns).equals(theirs.arrow(columns))
        assert ours.pandas(columns).equals(theirs.pandas(columns))
        assert ours.head(3, columns).rows() == theirs.head(3, columns).rows() == ours.rows(columns)[:3]
    session = other.sql("SELECT * FROM t WHERE true")
    assert session is not None
    assert shop.table("t").rows() == session.fetchall()


def test_a_condition_is_computed_by_spark(lake: Lake) -> None:
    table = lake.catalog("shop").table("t")
    assert table.rows(["id", "thing"], where="id >= 4 AND thing IS NOT NULL") == [(5, "a"), (6, "a")]
    assert table.head(1, ["id"], where="id > 1").rows() == [(2,)]
    assert table.arrow(["id"], "u8 = 255").num_rows == 3


def test_what_is_read_here_is_a_frame_of_spark_for_whoever_wants_one(lake: Lake) -> None:
    shop = lake.catalog("shop")
    assert [row.id for row in shop.table("t").head(2, ["id"]).dataframe().collect()] == [1, 2]
    found = shop.sql("SELECT id AS number, id FROM t LIMIT 2 OFFSET 1")
    assert found is not None
    shop.fork("later").table("t").append([{"id": 9}])
    assert found.dataframe().columns == ["number", "id"]
    assert [tuple(row) for row in found.dataframe().collect()] == found.rows() == [(2, 2), (4, 4)]


def test_variants_are_read_by_spark(lake: Lake, spark: SparkSession) -> None:
    shop = lake.create_catalog("variants")
    shop.create_table("v", rows=spark.sql("SELECT 1 AS id, parse_json('{\"a\": [1, 2]}') AS v"))
    assert shop.table("v").rows() == [(1, {"a": [1, 2]})]
    assert shop.table("v").rows(["id"]) == [(1,)]


def test_a_value_that_does_not_fit_is_told_in_the_words_of_spark(lake: Lake) -> None:
    shop = lake.create_catalog("far")
    shop.create_table("m", {"at": "TIMESTAMP"})
    shop.table("m").append([{"at": "9999-01-01 00:00:00"}])
    shop.table("m").alter.set_type("at", "TIMESTAMP_NS")
    with pytest.raises(InvalidInputError, match='of column "at" does not fit into string, nothing was read'):
        shop.table("m").rows()


# ---- the same errors -------------------------------------------------------------------------------------------------

FIELDS = [field(1, "a", "int32"), field(2, "b", "varchar")]


def _missing(path: Path, file: ScanFile) -> ScanFile:
    path.unlink()
    return file


def _truncated(path: Path, file: ScanFile) -> ScanFile:
    path.write_bytes(path.read_bytes()[:100])
    return file


def _torn(path: Path, file: ScanFile) -> ScanFile:
    content = bytearray(path.read_bytes())
    content[4:2000] = b"\xff" * 1996
    path.write_bytes(bytes(content))
    return file


def _without_deletes(path: Path, file: ScanFile) -> ScanFile:
    gone = deleted(path.parent / "d.parquet", [1])
    Path(gone.path).unlink()
    return replace(file, deletes=gone)


def _wrong_key(path: Path, file: ScanFile) -> ScanFile:
    encrypted(path, 4, new_key())
    return replace(file, encryption_key=new_key())


def _no_key(path: Path, file: ScanFile) -> ScanFile:
    encrypted(path, 4, new_key())
    return file


def _bad_key(path: Path, file: ScanFile) -> ScanFile:
    return replace(file, encryption_key="no key")


@pytest.mark.parametrize("reader", ["here", "spark"])
@pytest.mark.parametrize(
    ("spoilt", "reason", "hint"),
    [
        (_missing, r"there is no such file\.$", "Was it moved"),
        (_truncated, "it is damaged or no Parquet file", ""),
        (_torn, ".", ""),
        (_without_deletes, r'File ".*d\.parquet" was not read: there is no such file\.$', "Was it moved"),
        (_wrong_key, "it cannot be decrypted with the key that the metadata has", "Files that DuckDB"),
        (_no_key, r"it is encrypted, and the metadata has no key for it\.$", ""),
        (_bad_key, r"it cannot be decrypted: its key in the metadata is damaged\.$", ""),
    ],
)
def test_a_file_that_cannot_be_read_is_told_alike(
    spark: SparkSession,
    tmp_path: Path,
    reader: str,
    spoilt: Callable[[Path, ScanFile], ScanFile],
    reason: str,
    hint: str,
) -> None:
    path = written(tmp_path / "f.parquet", "SELECT range::INTEGER AS a, 'x' || range AS b FROM range(1000)")
    made = plan(FIELDS, spoilt(path, scanned(path, FIELDS)))
    with pytest.raises(DataFileError) as caught:
        here(made) if reader == "here" else by_spark(spark, made)
    assert re.match(f'Cannot read data file "{path}" of table "t": {reason}', caught.value.message)
    assert (caught.value.hint or "").startswith(hint)


@pytest.mark.parametrize("rows", [0, 100_000])
def test_a_table_names_the_file_that_is_gone(lake: Lake, url: str, spark: SparkSession, rows: int) -> None:
    with Lake(url, settings=Settings(local_read_rows=rows), spark=spark) as opened:
        shop = opened.create_catalog(f"gone{rows}")
        shop.create_table("t", {"id": "BIGINT"})
        shop.table("t").append([{"id": 1}, {"id": 2}])
        (file,) = shop.table("t").storage.files()
        Path(file.path).unlink()
        with pytest.raises(DataFileError, match=f'"{file.path}" of table "t": there is no such file'):
            shop.table("t").rows()
        with pytest.raises(DataFileError, match=f'"{file.path}" of table "t": there is no such file'):
            shop.table("t").head().arrow()
