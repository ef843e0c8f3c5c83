"""What encrypted catalogs leave in the clear, and who may read where their keys are."""

import os
import stat
from pathlib import Path

import pyarrow as pa
import pytest

import forklake
from forklake import Catalog, Lake
from forklake.errors import ConfigError
from tests.contract.support import rows
from tests.lakes import EMBEDDED, LakeFactory

ROWS = pa.table({"id": [1, 2, 3], "s": ["sesame", "open", "shut"]})


def stored_values(lake: Lake) -> str:
    """Return all that the metadata says of values of columns."""
    found = [
        rows(lake, f"SELECT {columns} FROM forklake.{table}")
        for table, columns in (
            ("ducklake_file_column_stats", "min_value, max_value, extra_stats"),
            ("ducklake_table_column_stats", "min_value, max_value, extra_stats"),
            ("ducklake_inlined_row", "*"),
        )
    ]
    return str(found)


def fill(catalog: Catalog) -> None:
    table = catalog.create_table("t", ROWS.schema)
    table.append(ROWS)
    table.append(ROWS.slice(0, 1))
    table.delete("id = 2")
    table.update({"s": "'sesame'"}, "id = 3")


def test_a_new_encrypted_catalog_keeps_no_values_in_the_metadata(lake: Lake) -> None:
    lake.options.set("data_inlining_row_limit", 10)
    safe = lake.create_catalog("safe", encrypted=True)
    fill(safe)
    fork = safe.fork("fork")
    fork.table("t").append(ROWS)
    safe.maintenance.merge_adjacent_files()

    assert "sesame" not in stored_values(lake)
    assert sorted(safe.table("t").rows()) == [(1, "sesame"), (1, "sesame"), (3, "sesame")]
    assert safe.table("t").rows(where="id = 3") == [(3, "sesame")]
    found = safe.sql("SELECT min(id), max(s), count(*) FROM t WHERE id > 1")
    assert found is not None
    assert found.rows() == [(3, "sesame", 1)]
    assert sorted(fork.table("t").rows(where="s = 'open'")) == [(2, "open")]
    assert lake.maintenance.check(deep=True).severity in (None, "note")

    safe.options.set("write_bounds", True)
    safe.table("t").append(ROWS)
    assert "sesame" not in stored_values(lake)
    safe.options.set("data_inlining_row_limit", 10)
    safe.table("t").append(ROWS.slice(0, 1))
    assert "sesame" in stored_values(lake)


def test_other_catalogs_go_on_as_they_are(lake: Lake) -> None:
    lake.options.set("data_inlining_row_limit", 0)
    shop = lake.create_catalog("shop")
    fill(shop)
    assert "sesame" in stored_values(lake)
    shop.options.set("write_bounds", False)
    shop.create_table("u", ROWS.schema).append(pa.table({"id": [7], "s": ["canary"]}))
    assert "canary" not in stored_values(lake)


def modes_beside(place: Path) -> set[int]:
    """Return who may read a metadata file and those beside it."""
    found = [path for path in place.parent.glob(f"{place.name}*") if path.is_file()]
    return {stat.S_IMODE(path.stat().st_mode) for path in found}


@pytest.mark.parametrize("lake_factory", EMBEDDED, indirect=True)
def test_files_with_keys_are_the_owners_alone(lake_factory: LakeFactory) -> None:
    before = os.umask(0o022)
    try:
        with lake_factory.open() as lake:
            place = Path(lake._runtime.store.location)
            place.chmod(0o644)
            lake.create_catalog("shop")
            assert stat.S_IMODE(place.stat().st_mode) == 0o644
            fill(lake.create_catalog("safe", encrypted=True))
            assert modes_beside(place) == {0o600}
        with forklake.open(f"{lake_factory.kind}:{place}") as lake:
            lake.catalog("safe").table("t").append(ROWS)
            assert modes_beside(place) == {0o600}
    finally:
        os.umask(before)


@pytest.mark.parametrize(
    "url",
    [
        "host=127.0.0.1 password=hunter2",
        "dbname=lake user=me password = hunter2",
        "ducklake:host=/tmp password=hunter2",
        "  PASSWORD=hunter2 port=5432",
        "postgres host=127.0.0.1 password=hunter2",
    ],
)
def test_words_of_postgresql_make_no_file(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for attempt in (
        lambda: forklake.open(url),
        lambda: forklake.upgrade(url),
        lambda: forklake.connect().sql(f"ATTACH 'ducklake:{url}' AS shop"),
        lambda: forklake.relocate(url, "/x"),
    ):
        with pytest.raises(ConfigError, match='without "postgres:" before it; nothing was made') as caught:
            attempt()
        assert "hunter2" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_file_may_be_called_like_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("./host=a.db", f"{tmp_path}/password=b.db"):
        with forklake.open(name) as lake:
            assert lake.catalogs() == []
    assert {path.name for path in tmp_path.glob("*.db")} == {"host=a.db", "password=b.db"}
    with forklake.open("host=a.db") as lake:  # it is there
        assert lake.catalogs() == []
