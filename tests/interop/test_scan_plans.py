"""Plans of scans over files that DuckDB wrote: its statistics, its partition values, its merged files."""

from pathlib import Path
from typing import Any

import pytest

from forklake import Catalog, Lake
from forklake.catalog import lookup
from forklake.catalog.scan_plan import count_rows, plan_scan
from forklake.model.scan import ScanPlan
from forklake.sql.rows.row_texts import condition
from tests.interop.ducklake import duckdb_with_ducklake, url_of, write

_COLUMNS = (
    "id INTEGER, b BIGINT, u UINTEGER, f FLOAT, x DOUBLE, de DECIMAL(9,2), bo BOOLEAN, v VARCHAR, d DATE, ts TIMESTAMP,"
    " tz TIMESTAMPTZ, ns TIMESTAMP_NS, ti TIME, uu UUID"
)
_ROWS = (
    "SELECT i, i * 1000 - 5000, i * 7, i / 10, if(i % 9 = 0, 'nan'::DOUBLE, i / 3), i / 4, i % 2 = 0, 'k' || (i % 11),"
    " DATE '2023-11-20' + i::INTEGER, TIMESTAMP '2023-12-30' + INTERVAL (i * 5) HOUR,"
    " TIMESTAMPTZ '2023-12-31 00:00:00+00' + INTERVAL (i * 3) HOUR,"
    " TIMESTAMP_NS '2024-01-01 00:00:00.000000001' + INTERVAL (i) SECOND, TIME '00:00:00' + INTERVAL (i * 10) MINUTE,"
    " ('00000000-0000-0000-0000-' || lpad(i::VARCHAR, 12, '0'))::UUID"
)
_PARTITIONINGS = {
    "none": None,
    "identity": "bo, v",
    "parts": "year(ts), month(ts)",
    "zoned": "day(tz)",
    "dates": "month(d)",
    "buckets": "bucket(5, id), bucket(3, v)",
    "text buckets": "bucket(4, u), bucket(3, uu)",
}
_CONDITIONS = """
id = 17
id in (3, 44, 70)
id > 70 and id < 75
b <= -4000
u = 21
f > 7.9
f = 0.1
x = 'nan'
x > 26
x < 1
de between 1.25 and 2
bo
not bo and v = 'k3'
v = 'k7'
v like 'k1%'
v <> 'k1'
d = '2023-12-31'
d > '2024-02-10'
d < '2023-12-01' or id = 60
ts = '2024-01-01 00:00:00'
ts between '2023-12-31' and '2024-01-02'
ts >= '2024-01-14'
tz = '2024-01-01 03:00:00+00'
tz < '2023-12-31 12:00:00+00'
ns < '2024-01-01 00:00:05'
ti > '12:30:00'
uu = '00000000-0000-0000-0000-000000000042'
id is null
bo is null or id = 5
not (id < 70 or v = 'k5')
""".strip().splitlines()


def plan(catalog: Catalog, where: str | None = None) -> ScanPlan:
    runtime, content = catalog._runtime, catalog._content()
    row = lookup.table(content, "t")
    everything = plan_scan(runtime.store, runtime.lake_path, content, row)
    if where is None:
        return everything
    return plan_scan(runtime.store, runtime.lake_path, content, row, condition(where, "t", everything.fields).predicate)


def ask(sql: str) -> list[tuple[Any, ...]]:
    return duckdb_with_ducklake().execute(sql).fetchall()


def kept(planned: ScanPlan, where: str) -> list[tuple[Any, ...]]:
    """Return the ids of the rows of a condition in the files of a plan."""
    if not planned.files:
        return []
    paths = [file.path for file in planned.files]
    return ask(f"SELECT id FROM read_parquet({paths}, hive_partitioning = false) WHERE {where} ORDER BY id")


@pytest.mark.parametrize("partitioning", _PARTITIONINGS.values(), ids=_PARTITIONINGS)
def test_no_row_of_a_condition_is_lost(small_lake: Lake, tmp_path: Path, partitioning: str | None) -> None:
    zone = "SET TimeZone = 'America/New_York'" if partitioning == "day(tz)" else "SET TimeZone = 'UTC'"
    statements = [f"CREATE TABLE t ({_COLUMNS})", zone]
    if partitioning is not None:
        statements.append(f"ALTER TABLE t SET PARTITIONED BY ({partitioning})")
    statements += [f"INSERT INTO t {_ROWS} FROM range({start}, {start + 20}) r(i)" for start in range(0, 80, 20)]
    statements += ["INSERT INTO t (v) SELECT NULL FROM range(20)", "SET TimeZone = 'UTC'"]
    path = tmp_path / "source.sqlite"
    write(url_of(path), tmp_path / "data", *statements)
    shop = small_lake.import_catalog("shop", path)
    whole = plan(shop)
    assert count_rows(whole) == 100
    left_out = 0
    for where in _CONDITIONS:
        planned = plan(shop, where)
        assert kept(planned, where) == kept(whole, where), where
        left_out += sum(count for count, _ in planned.pruned.values())
        assert len(planned.files) + sum(count for count, _ in planned.pruned.values()) == len(whole.files)
    assert left_out > len(_CONDITIONS)


def test_merged_files_are_cut_where_the_past_ends_in_the_numbers_that_they_carry(
    small_lake: Lake, tmp_path: Path
) -> None:
    small_lake.create_catalog("other").schemas.create("so_that_numbers_differ")
    path = tmp_path / "source.sqlite"
    write(
        url_of(path),
        tmp_path / "data",
        "CREATE TABLE t (id INTEGER)",
        "INSERT INTO t SELECT i FROM range(50) r(i)",
        "INSERT INTO t SELECT i FROM range(50, 80) r(i)",
        "CALL ducklake_merge_adjacent_files('{lake}')",
    )
    shop = small_lake.import_catalog("shop", path)
    (whole,) = plan(shop).files
    assert (whole.is_cut, whole.fields, count_rows(plan(shop))) == (False, None, 80)
    past = shop.at(version=shop.snapshots()[2].snapshot_id)
    (cut,) = plan(past).files
    assert cut.is_cut
    assert count_rows(plan(past)) is None
    number = f"_ducklake_internal_snapshot_id <= {cut.read_upto}"
    assert ask(f"SELECT count(*) FROM read_parquet('{cut.path}') WHERE {number}") == [(50,)]
