"""Options: the nearest scope counts, forks start with copies, and nobody sees another's."""

import pytest

from forklake import Catalog, Lake, Option
from forklake.errors import InvalidInputError, NotFoundError
from tests.contract.support import state

KEY = "target_file_size"


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.schemas.create("sales")
    shop.create_table("orders", {"id": "BIGINT"}, schema="sales")
    shop.create_table("orders", {"id": "BIGINT"})
    return shop


def test_the_nearest_scope_counts(lake: Lake, shop: Catalog) -> None:
    def seen() -> list[str | None]:
        options = shop.options
        return [
            lake.options.get(KEY),
            options.get(KEY),
            options.get(KEY, schema="sales"),
            options.get(KEY, schema="sales", table="orders"),
            options.get(KEY, table="orders"),
        ]

    assert seen() == ["512MB"] * 5
    lake.options.set(KEY, "1MB")
    assert seen() == ["1MB"] * 5
    shop.options.set(KEY, "2MB")
    assert seen() == ["1MB", "2MB", "2MB", "2MB", "2MB"]
    shop.options.set(KEY, "3MB", schema="sales")
    assert seen() == ["1MB", "2MB", "3MB", "3MB", "2MB"]
    shop.options.set(KEY, "4MB", schema="sales", table="orders")
    assert seen() == ["1MB", "2MB", "3MB", "4MB", "2MB"]
    shop.options.reset(KEY, schema="sales")
    shop.options.reset(KEY)
    assert seen() == ["1MB", "1MB", "1MB", "4MB", "1MB"]


def test_setting_an_option_makes_no_snapshot_and_can_be_done_again(shop: Catalog) -> None:
    head = shop.head
    shop.options.set(KEY, "1MB")
    shop.options.set(KEY, "2MB")
    assert shop.head == head
    assert shop.options.list() == [Option(KEY, "2MB", "catalog")]


def test_the_list_says_what_is_set_where(lake: Lake, shop: Catalog) -> None:
    shop.options.set("auto_compact", False, table="orders")
    shop.options.set("parquet_version", 2)
    table = shop.table("orders").table_id
    assert shop.options.list() == [
        Option("parquet_version", "V2", "catalog"),
        Option("auto_compact", "false", "table", table),
    ]
    lake.options.set("parquet_version", 1)
    assert Option("parquet_version", "V1", "lake") in lake.options.list()


def test_no_catalog_sees_the_options_of_another(lake: Lake, shop: Catalog) -> None:
    other = lake.create_catalog("other")
    other.create_table("orders", {"id": "BIGINT"})
    shop.options.set(KEY, "1MB")
    shop.options.set(KEY, "2MB", table="orders")
    assert (other.options.get(KEY), other.options.get(KEY, table="orders"), other.options.list()) == (
        "512MB",
        "512MB",
        [],
    )
    assert lake.options.get(KEY) == "512MB"


@pytest.mark.parametrize("how", ["reference", "copy", "many"])
def test_a_fork_starts_with_copies_of_the_options(lake: Lake, shop: Catalog, how: str) -> None:
    lake.options.set("parquet_version", 2)
    shop.options.set(KEY, "1MB")
    shop.options.set(KEY, "2MB", schema="sales")
    shop.options.set(KEY, "3MB", table="orders")
    before = shop.options.list()
    agent = shop.fork_many(["agent"])[0] if how == "many" else shop.fork("agent", copy=how == "copy")
    assert agent.options.list() == before
    shop.options.set(KEY, "9MB", table="orders")
    agent.options.reset(KEY)
    assert agent.options.get(KEY, table="orders") == "3MB"
    assert (shop.options.get(KEY), agent.options.get(KEY)) == ("1MB", "512MB")
    assert [option.scope for option in agent.fork("nested").options.list()] == ["schema", "table"]


@pytest.mark.parametrize("how", ["reference", "copy", "many"])
def test_a_fork_gets_no_options_of_what_its_pin_does_not_hold(shop: Catalog, how: str) -> None:
    pin = shop.head
    shop.schemas.create("late")
    shop.create_table("late", {"id": "BIGINT"})
    shop.options.set(KEY, "1MB", schema="late")
    shop.options.set(KEY, "2MB", table="late")
    shop.options.set(KEY, "3MB", table="orders")
    shop.options.set(KEY, "4MB", schema="sales")
    agent = shop.fork_many(["agent"], at=pin)[0] if how == "many" else shop.fork("agent", at=pin, copy=how == "copy")
    assert sorted(option.value for option in agent.options.list()) == ["3MB", "4MB"]


def test_a_fork_of_a_fork_gets_no_options_of_what_the_fork_dropped(shop: Catalog) -> None:
    shop.options.set(KEY, "1MB", table="orders")
    shop.options.set(KEY, "2MB", schema="sales", table="orders")
    agent = shop.fork("agent")
    agent.table("orders").drop()
    assert [option.value for option in agent.fork("nested").options.list()] == ["2MB"]


def test_options_are_copied_as_they_are_now_even_into_a_fork_of_the_past(shop: Catalog) -> None:
    pin = shop.head
    shop.create_table("more", {"id": "BIGINT"})
    shop.options.set(KEY, "1MB")
    assert shop.fork("agent", at=pin).options.get(KEY) == "1MB"


@pytest.mark.parametrize(
    ("key", "value", "complaint"),
    [
        ("no_such_option", "1", 'Unsupported option "no_such_option"'),
        ("data_path", "/elsewhere", 'Unsupported option "data_path"'),
        ("version", "0.9", 'Unsupported option "version"'),
        ("auto_compact", "maybe", '"auto_compact" is true or false: Could not convert string .maybe. to BOOL'),
        ("data_inlining_row_limit", "-1", "is a whole number from 0 on"),
        ("data_inlining_row_limit", "²", "is a whole number from 0 on"),
        ("parquet_compression", "lzo", "is one of uncompressed, snappy, gzip, zstd, brotli, lz4, lz4_raw"),
        ("rewrite_delete_threshold", "1.5", "must be between 0 and 1"),
        ("rewrite_delete_threshold", "nan", "must be between 0 and 1"),
        ("delete_older_than", "nul\0", "NUL"),
        ("delete_older_than", "-1 days", "is an age such as 7 days"),
        ("expire_older_than", "-1", "is an age such as 7 days"),
        ("expire_older_than", "9999 years", "is an age such as 7 days"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(
    lake: Lake, shop: Catalog, key: str, value: str, complaint: str
) -> None:
    before = state(lake)
    for options in (lake.options, shop.options):
        with pytest.raises(InvalidInputError, match=complaint):
            options.set(key, value)
    assert state(lake) == before


def test_an_option_is_set_where_it_can_be(lake: Lake, shop: Catalog) -> None:
    with pytest.raises(InvalidInputError, match="'require_commit_message' option can only be set globally"):
        shop.options.set("require_commit_message", True, table="orders")
    with pytest.raises(NotFoundError, match='Table with name "none" does not exist'):
        shop.options.set(KEY, "1MB", table="none")
    with pytest.raises(NotFoundError, match='Schema with name "none" does not exist'):
        shop.options.get(KEY, schema="none")
    with pytest.raises(InvalidInputError, match="The lake has no tables or schemas of its own"):
        lake.options.set(KEY, "1MB", schema="main")


def test_a_handle_on_the_past_sets_nothing(shop: Catalog) -> None:
    with pytest.raises(InvalidInputError, match="is read-only; nothing was changed"):
        shop.at(version=shop.head).options.set(KEY, "1MB")
    assert shop.options.list() == []
