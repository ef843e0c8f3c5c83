"""What a notebook shows of handles and overviews: they are drawn as HTML, names escaped."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from forklake import Catalog, Lake


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data") as lake:
        yield lake


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("<shop> & co")
    shop.create_table("orders", {"id": "BIGINT", "who": "STRUCT(name VARCHAR)"}).alter.comment("1 < 2")
    return shop


class Cells(HTMLParser):
    """Reads HTML, and fails where an element is not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def texts(shown: object) -> list[str]:
    """Return what somebody reads of a thing in a notebook."""
    written = shown._repr_html_()  # type: ignore[attr-defined]
    assert re.search("<(shop|script)", written) is None, "what is shown is escaped"
    reader = Cells()
    reader.feed(written)
    reader.close()
    assert not reader.open
    return [text.strip() for text in reader.texts]


def test_a_lake_shows_its_first_catalogs(lake: Lake, shop: Catalog) -> None:
    assert texts(lake)[0] == "Lake"
    assert "<shop> & co" in texts(lake)
    shop.fork_many(f"agent-{number}" for number in range(30))
    assert "The first 20; there are more." in texts(lake)


def test_a_catalog_shows_its_tables_now_and_in_the_past(shop: Catalog) -> None:
    assert texts(shop)[:2] == ["Catalog", "<shop> & co"]
    assert "orders" in texts(shop)
    assert "orders" not in texts(shop.at(version=0))
    for number in range(25):
        shop.create_table(f"t{number}", {"id": "INTEGER"})
    assert "The first 20 of 26 tables." in texts(shop)


def test_a_table_shows_its_columns_and_no_rows(shop: Catalog) -> None:
    orders = shop.table("orders")
    orders.append([{"id": 123456, "who": None}])
    shown = texts(orders)
    assert {"id", "int64", "who.name", "1 < 2", "Rows", "1"} <= set(shown)
    assert "123,456" not in shown


def test_names_with_quotes_are_shown_as_they_are(lake: Lake) -> None:
    odd = lake.create_catalog("it's").create_table('the "best"', {"id": "INTEGER"})
    assert texts(odd)[1] == """it's.main.the "best\""""
    plain = lake.create_catalog("plain").create_table("back\\slash", {"id": "INTEGER"})
    assert texts(plain)[1] == "plain.main.back\\slash"


def test_what_is_gone_says_why_it_is_not_shown(lake: Lake, shop: Catalog) -> None:
    orders = shop.table("orders")
    orders.drop()
    assert "Not shown" in texts(orders)
    shop.drop()
    assert "Not shown" in texts(shop)
    lake.close()
    assert "Not shown" in texts(lake)


def test_the_tree_of_forks_is_drawn_with_those_that_are_hidden_counted(lake: Lake, shop: Catalog) -> None:
    shop.fork("agent").fork("try")
    shop.fork("other")
    shown = texts(lake.fork_tree(width=1))
    assert [text for text in shown if text in ("agent", "try", "... and 1 more")] == ["agent", "try", "... and 1 more"]


def test_the_stats_of_a_lake_are_drawn(lake: Lake, shop: Catalog) -> None:
    shown = texts(lake.stats(periods=2))
    assert {"Catalogs", "Bytes of metadata", "ducklake_table", "snapshots made"} <= set(shown)
