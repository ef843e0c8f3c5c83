"""What DuckDB wrote is read here without Spark: every table, now and in the past, with DuckDB's own values."""

from pathlib import Path
from typing import Any, cast

import pytest

from forklake import Lake, Settings
from forklake.ops.rows.read_table import is_read_locally, shown_fields
from tests.interop.conftest import Source
from tests.interop.ducklake import attached, url_of, write
from tests.rows.arrow_hands import planned

NO_SPARK = cast("Any", "there is no Spark here")


@pytest.mark.parametrize("everything", ["duckdb"], indirect=True)
def test_all_that_duckdb_wrote_is_read_without_spark_in_the_past_too(tmp_path: Path, everything: Source) -> None:
    compared = 0
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "own", spark=NO_SPARK) as lake:
        catalog = lake.import_catalog("theirs", everything.url)
        snapshots = [snapshot.snapshot_id for snapshot in catalog.snapshots()]
        chosen = list(zip(everything.numbers, snapshots, strict=True))
        for number, snapshot in chosen[::-5]:
            for table in catalog.at(version=snapshot).tables():
                _, columns, theirs, *_ = everything.state(number)["table", table.schema_name, table.name]
                # One number has 39 digits; variants are left to Spark.
                left = [column.name for column in table.columns if column.type not in ("int128", "variant")]
                plan = planned(table, None)
                if not is_read_locally(plan, shown_fields(plan, left), Settings()):
                    continue
                places = [place for place, column in enumerate(columns, 1) if column[2] in left]
                expected = [(str(row[0]), *(_text(row[place]) for place in places)) for row in theirs]
                found = table.head(10_000, ["rowid", *left]).texts()[0]
                assert sorted(map(tuple, found)) == sorted(expected), (number, table)
                compared += 1
    assert compared > 20


def test_deletion_vectors_are_applied(tmp_path: Path) -> None:
    url = url_of(tmp_path / "source.ducklake")
    statements = (
        "CALL {lake}.set_option('write_deletion_vectors', true)",
        "CREATE TABLE t (i INTEGER)",
        "INSERT INTO t SELECT i FROM range(100) r(i)",
        "DELETE FROM t WHERE i % 3 = 0",
        "DELETE FROM t WHERE i % 5 = 0",
    )
    write(url, tmp_path / "data", *statements, DATA_INLINING_ROW_LIMIT=0)
    with attached(url) as (connection, _):
        expected = connection.execute("FROM t").fetchall()
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "own", spark=NO_SPARK) as lake:
        shop = lake.import_catalog("shop", tmp_path / "source.ducklake")
        assert [file.deletes.format for file in planned(shop.table("t"), None).files if file.deletes] == ["puffin"]
        assert shop.table("t").rows() == expected


def _text(value: str | None) -> str:
    return "NULL" if value is None else value
