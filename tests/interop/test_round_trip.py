"""What DuckDB wrote is imported and exported again, and DuckDB answers everything the same."""

from pathlib import Path

import pytest

from tests.interop.conftest import Source
from tests.interop.ducklake import changes, log, state, url_of
from tests.lakes import LakeFactory

# Each kind of source, of store and of target at least once.
TRIPS = pytest.mark.parametrize(
    ("everything", "lake_factory", "suffix"),
    [("duckdb", "sqlite", "ducklake"), ("sqlite", "duckdb", "sqlite"), ("postgres", "postgres", "ducklake")],
    indirect=["everything", "lake_factory"],
)


@TRIPS
def test_the_exported_history_answers_every_query_at_every_version_as_the_original(
    everything: Source, lake_factory: LakeFactory, suffix: str, tmp_path: Path
) -> None:
    with lake_factory.open() as lake:
        lake.create_catalog("before")  # so that no id is the same by chance
        imported = lake.import_catalog("shop", everything.url)
        exported = url_of(imported.maintenance.export(tmp_path / f"history.{suffix}", history=True).path)
    for number in everything.numbers[::8] + everything.numbers[-1:]:
        assert state(exported, number) == everything.state(number), number


@TRIPS
def test_each_snapshot_exported_alone_answers_as_the_original_did_then(
    everything: Source, lake_factory: LakeFactory, suffix: str, tmp_path: Path
) -> None:
    with lake_factory.open() as lake:
        imported = lake.import_catalog("shop", everything.url)
        snapshots = dict(zip(everything.numbers, imported.snapshots(), strict=True))
        for number in everything.numbers[4::10]:
            made = imported.maintenance.export(tmp_path / f"at-{number}.{suffix}", at=snapshots[number].snapshot_id)
            assert made.snapshot_id == number
            assert state(url_of(made.path)) == everything.state(number), number


@TRIPS
def test_the_exported_change_feeds_are_those_of_the_original(
    everything: Source, lake_factory: LakeFactory, suffix: str, tmp_path: Path
) -> None:
    with lake_factory.open() as lake:
        imported = lake.import_catalog("shop", everything.url)
        exported = url_of(imported.maintenance.export(tmp_path / f"history.{suffix}", history=True).path)
    first, last = everything.numbers[0], everything.numbers[-1]
    made = next(entry[0] for entry in log(everything.ducklake_url) if "main.m]" in entry[3])
    for table, start, end in [
        ("t2", first, last),
        ("kinds", first, last),
        ("m", first, last),
        ("m", made + 2, made + 3),
        ("m", made + 1, last),
        ("flushed", first, last),
        ("adopted", first, last),
    ]:
        expected = changes(everything.ducklake_url, table, start, end)
        assert expected, table
        assert changes(exported, table, start, end) == expected, (table, start, end)


@pytest.mark.parametrize("everything", ["duckdb"], indirect=True)
@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
def test_the_log_keeps_times_authors_and_messages(
    everything: Source, lake_factory: LakeFactory, tmp_path: Path
) -> None:
    with lake_factory.open() as lake:
        imported = lake.import_catalog("shop", everything.url)
        exported = url_of(imported.maintenance.export(tmp_path / "history.sqlite", history=True).path)
    # The first catalog of a lake gets the ids that DuckLake gave.
    assert log(exported) == log(everything.ducklake_url)
    assert ("ann", "more rows", '{"k": 1}') in [entry[4:] for entry in log(exported)]
