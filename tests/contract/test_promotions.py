"""A column that was promoted shows its values, wherever its rows come from."""

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pytest

import forklake
from forklake import Catalog, Lake, Settings
from forklake.model.promotions import can_become, is_promotion
from forklake.model.types import Type
from forklake.model.types.read import read_scalar
from tests.sound import check_sound

DAY: Final = datetime(1960, 2, 29, tzinfo=UTC)
SECOND: Final = datetime(1960, 2, 29, 1, 2, 3, tzinfo=UTC)
PROMOTED: Final = {
    "flag": ("BOOLEAN", "true", ("INTEGER",), 1),
    "flag_as_double": ("BOOLEAN", "true", ("TINYINT", "DOUBLE"), 1.0),
    "flag_as_decimal": ("BOOLEAN", "false", ("UTINYINT", "DECIMAL(9,2)"), Decimal("0.00")),
    "single": ("FLOAT", "0.1", ("DOUBLE",), 0.10000000149011612),
    "whole": ("INTEGER", "7", ("BIGINT", "FLOAT", "DOUBLE"), 7.0),
    "huge": ("UBIGINT", "18446744073709551615", ("HUGEINT",), 18446744073709551615),
    "price": ("DECIMAL(4,1)", "12.5", ("DECIMAL(9,3)",), Decimal("12.500")),
    "day": ("DATE", "'1960-02-29'", ("TIMESTAMP", "TIMESTAMPTZ"), DAY),
    "second": ("TIMESTAMP_S", "'1960-02-29 01:02:03'", ("TIMESTAMP", "TIMESTAMPTZ"), SECOND),
    "inner": ("STRUCT(flag BOOLEAN)", "{'flag': true}", (), {"flag": 1.0}),
}
"""Columns: what they were, a value, what they become one after the other, and the value as it is shown then."""
SHOWN: Final = tuple(shown for _, _, _, shown in PROMOTED.values())


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    """A lake in a file: what rows show does not depend on the database."""
    with forklake.open(
        f"{tmp_path}/lake.db", data_path=f"{tmp_path}/data", settings=Settings(engine="local")
    ) as opened:
        yield opened


@pytest.fixture(params=[0, 10], ids=["files", "metadata"])
def shop(lake: Lake, request: pytest.FixtureRequest) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.options.set("data_inlining_row_limit", request.param)
    shop.sql(f"CREATE TABLE t (k INTEGER, {', '.join(f'{name} {first[0]}' for name, first in PROMOTED.items())})")
    insert(shop, 1)
    return shop


def insert(catalog: Catalog, key: int) -> None:
    catalog.sql(f"INSERT INTO t VALUES ({key}, {', '.join(value for _, value, _, _ in PROMOTED.values())})")


def promote(catalog: Catalog) -> None:
    for name, (_, _, ways, _) in PROMOTED.items():
        for way in ways:
            catalog.table("t").alter.set_type(name, way)
    for way in ("INTEGER", "DOUBLE"):
        catalog.table("t").alter.set_type("inner.flag", way)


def query(catalog: Catalog, text: str) -> list[tuple[Any, ...]]:
    found = catalog.sql(text)
    assert found is not None
    return found.fetchall()


def copy(shop: Catalog) -> Catalog:
    promote(shop)
    return shop.fork("copy", copy=True)


def sever(shop: Catalog) -> Catalog:
    promote(shop)
    fork = shop.fork("fork")
    fork.maintenance.sever()
    return fork


def refresh_what_was_written(shop: Catalog) -> Catalog:
    fork = shop.fork("fork")
    insert(fork, 2)
    promote(shop)
    fork.refresh()
    return fork


def refresh_what_was_promoted(shop: Catalog) -> Catalog:
    fork = shop.fork("fork")
    promote(fork)
    insert(shop, 2)
    fork.refresh()
    return fork


def merge_what_was_written(shop: Catalog) -> Catalog:
    fork = shop.fork("fork")
    insert(fork, 2)
    promote(shop)
    shop.merge(fork)
    return shop


def merge_what_was_promoted(shop: Catalog) -> Catalog:
    fork = shop.fork("fork")
    promote(fork)
    insert(shop, 2)
    shop.merge(fork)
    return shop


def change_rows(shop: Catalog) -> Catalog:
    promote(shop)
    shop.sql("UPDATE t SET k = k + 1")
    shop.maintenance.flush_inlined()
    shop.maintenance.rewrite_data_files(delete_threshold=0.0)
    return shop


@pytest.mark.parametrize(
    "bring",
    [
        *(copy, sever, refresh_what_was_written, refresh_what_was_promoted),
        *(merge_what_was_written, merge_what_was_promoted, change_rows),
    ],
    ids=lambda bring: bring.__name__,
)
def test_a_promoted_column_has_its_values_wherever_its_rows_come_from(
    lake: Lake, shop: Catalog, bring: Callable[[Catalog], Catalog]
) -> None:
    catalog = bring(shop)
    rows = catalog.table("t").rows()
    assert {repr(row[1:]) for row in rows} == {repr(SHOWN)}
    condition = "flag = 1 AND flag_as_double >= 1 AND flag_as_decimal < 0.5 AND single < 0.2 AND whole = 7"
    assert query(catalog, f"SELECT count(*) FROM t WHERE {condition}") == [(len(rows),)]
    check_sound(lake, deep=True)
    if bring is sever:
        return  # it has no changes before its first snapshot
    first = catalog.table("t").inspect.history()[0].snapshot.snapshot_id
    feed = f"ducklake_table_changes('{catalog.name}', 'main', 't', {first}, {catalog.head})"
    changes = query(catalog, f"FROM {feed}")
    assert {repr(row[-len(SHOWN) :]) for row in changes} == {repr(SHOWN)}


def test_a_number_that_kept_the_text_of_a_boolean_is_read(lake: Lake, tmp_path: Path) -> None:
    """Earlier versions of forklake copied and merged such rows so."""
    shop = lake.create_catalog("shop")
    shop.options.set("data_inlining_row_limit", 10)
    shop.sql("CREATE TABLE t (flag INTEGER, share DOUBLE); INSERT INTO t VALUES (1, 0.0), (NULL, 1.5)")
    texts = '{"1": "true", "2": "false"}'
    with lake._runtime.store.writing() as session:
        session.execute(
            "UPDATE forklake.ducklake_inlined_row SET document = :texts WHERE document = :as_they_are",
            texts=texts,
            as_they_are='{"1": "1", "2": "0.0"}',
        )
    with closing(forklake.open(f"{tmp_path}/lake.db", settings=Settings(engine="local"))) as again:
        t = again.catalog("shop").table("t")
        assert t.rows() == [(1, 0.0), (None, 1.5)]
        assert again.catalog("shop").maintenance.flush_inlined()
        assert t.rows() == [(1, 0.0), (None, 1.5)]


@pytest.mark.slow
def test_what_promotions_lead_to_is_known_of_all_types() -> None:
    integers = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
    others = ("DATE", "TIME", "VARCHAR", "BOOLEAN", "FLOAT", "DOUBLE")
    moments = ("TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")
    decimals = (f"DECIMAL({precision},{scale})" for precision in range(1, 39) for scale in range(precision + 1))
    kinds = [
        read_scalar(name) for name in (*integers, *(f"U{name}" for name in integers), *others, *moments, *decimals)
    ]
    steps = {old: {new for new in kinds if is_promotion(old, new)} for old in kinds}
    for old in kinds:
        reached, left = set[Type](), [old]
        while left:
            further = steps[left.pop()] - reached
            reached |= further
            left += further
        assert {new for new in kinds if can_become(old, new)} == reached, old


def test_a_deep_check_reads_a_file_of_each_pair_of_types(lake: Lake, shop: Catalog) -> None:
    promote(shop)
    shop.sql("CREATE TABLE texts (word VARCHAR); INSERT INTO texts SELECT 'x' || r FROM range(20) t(r)")
    shop.table("texts").alter.set_default("word", "later")
    check_sound(lake, deep=True)
    with lake._runtime.store.writing() as session:
        session.execute("UPDATE forklake.ducklake_column SET column_type = 'int32' WHERE default_value = 'later'")
    with closing(forklake.open(lake._runtime.store.location, settings=Settings(engine="local"))) as again:
        found = again.maintenance.check(deep=True)
        assert "file-types" in found.counts
        assert any('Column "word" of table "texts" cannot be read' in one.message for one in found.findings)
