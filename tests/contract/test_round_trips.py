"""How often a statement waits for the metadata database. The counts do not depend on the machine."""

import tempfile
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from forklake import Connection, Lake, Settings
from tests.contract.support import data_file
from tests.lakes import LakeFactory
from tests.passage import RoundTrips, counted_round_trips
from tests.statements import STATEMENTS, TABLE

CEILINGS = {
    "SELECT": 2,  # the head; all rows that tell the table's files
    "INSERT ... VALUES": 3,  # the head; options, directory and the lease; the commit
    "INSERT ... SELECT": 3,  # the head; what is read, with options, directory and the lease; the commit
    "UPDATE": 3,  # the same
    "DELETE": 3,
    "MERGE": 3,
}


@pytest.fixture
def trips(lake_factory: LakeFactory) -> Iterator[RoundTrips]:
    """A passage to an empty lake."""
    with tempfile.TemporaryDirectory() as directory, counted_round_trips(lake_factory.url(), Path(directory)) as found:
        yield found


@pytest.mark.parametrize(("lake_factory", "each"), [("postgres", 1), ("pgbouncer", 2)], indirect=["lake_factory"])
def test_statements_of_one_row_take_no_more_round_trips_than_they_have_to(
    trips: RoundTrips, each: int, tmp_path: Path
) -> None:
    with Lake(trips.url, data_path=tmp_path / "data", settings=Settings(engine="local")) as lake:
        shop = lake.create_catalog("shop")
        for statement in TABLE:
            shop.sql(statement)
        session = shop.fork("agent").session()
        counts = {
            kind: _last_count(trips, session, text, 10 * place) for place, (kind, text) in enumerate(STATEMENTS.items())
        }
    # Behind a pooler, a server is waited for before each.
    assert counts == {kind: each * count for kind, count in CEILINGS.items()}


@pytest.mark.parametrize("lake_factory", ["postgres"], indirect=True)
def test_no_more_where_the_metadata_keeps_rows_and_none_for_the_lease_where_no_row_changes(
    trips: RoundTrips, tmp_path: Path
) -> None:
    with Lake(trips.url, data_path=tmp_path / "data", settings=Settings(engine="local")) as lake:
        shop = lake.create_catalog("shop")
        for statement in TABLE:
            shop.sql(statement)
        in_vain = "UPDATE orders SET amount = 1 WHERE id = 900000 + {0}"
        # The head; what is read, and the lease; the end of the lease.
        assert _last_count(trips, shop.session(), in_vain, 0) == 3
        shop.options.set("data_inlining_row_limit", 10)
        session = shop.fork("agent").session()
        counts = {
            kind: _last_count(trips, session, text, 10 * place) for place, (kind, text) in enumerate(STATEMENTS.items())
        }
        assert counts == CEILINGS
        assert _last_count(trips, session, in_vain, 0) == 2


@pytest.mark.parametrize("lake_factory", ["postgres"], indirect=True)
def test_verbs_of_python_wait_as_often_as_statements(trips: RoundTrips, tmp_path: Path) -> None:
    with Lake(trips.url, data_path=tmp_path / "data", settings=Settings(engine="local")) as lake:
        shop = lake.create_catalog("shop")
        for statement in TABLE:
            shop.sql(statement)
        table, counts = shop.table("orders"), {}
        verbs: dict[str, Callable[[int], object]] = {
            "append": lambda number: table.append([{"id": 10_000 + number, "item": "new", "amount": 1}]),
            "update": lambda number: table.update({"amount": "amount * 2"}, where=f"id = {number}"),
            "delete": lambda number: table.delete(f"id = {number}"),
        }
        for name, verb in verbs.items():
            for number in range(5):
                before = trips.count
                verb(number)
            counts[name] = trips.count - before
        assert counts == dict.fromkeys(verbs, 3)


@pytest.mark.parametrize(("lake_factory", "count"), [("postgres", 1), ("pgbouncer", 2)], indirect=["lake_factory"])
def test_a_commit_is_one_round_trip_and_two_behind_a_pooler(trips: RoundTrips, count: int, tmp_path: Path) -> None:
    with Lake(trips.url, data_path=tmp_path) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("t", {"i": "INTEGER"})
        counts = []
        for name in "abcd":  # the first two prepare the statement, on a direct connection
            with shop.transaction() as transaction:
                transaction.table("t").storage.append_files([data_file(name)])
                before = trips.count
                transaction.commit()
                counts.append(trips.count - before)
        assert len(shop.table("t").storage.files()) == 4
    assert counts[2:] == [count] * 2


@pytest.mark.parametrize("lake_factory", ["postgres"], indirect=True)
def test_to_append_files_is_to_ask_for_the_head_and_to_commit(trips: RoundTrips, tmp_path: Path) -> None:
    with Lake(trips.url, data_path=tmp_path) as lake:
        shop = lake.create_catalog("shop")
        table = shop.create_table("t", {"i": "INTEGER"})
        for name in "abc":
            before = trips.count
            table.storage.append_files([data_file(name)])
        assert trips.count - before == 2


@pytest.mark.parametrize("lake_factory", ["postgres"], indirect=True)
def test_rows_that_others_added_meanwhile_cost_one_round_trip_and_another_attempt(
    trips: RoundTrips, tmp_path: Path
) -> None:
    with Lake(trips.url, data_path=tmp_path) as lake, Lake(trips.url) as rival:
        shop = lake.create_catalog("shop").fork("agent")
        shop.create_table("t", {"i": "INTEGER"})
        theirs = rival.catalog("agent").table("t")
        counts = []
        for name in "abcdefgh":
            with shop.transaction() as transaction:
                transaction.table("t").storage.append_files([data_file(name)])
                theirs.storage.append_files([data_file(f"theirs-{name}")])
                before = trips.count
                transaction.commit()
                counts.append(trips.count - before)
        files = shop.table("t").storage.files()
        starts = [file.row_id_start or 0 for file in files]
        assert [after - before for before, after in pairwise(starts)] == [file.record_count for file in files[:-1]]
        assert shop.table("t").count() == sum(file.record_count for file in files)
    assert counts[-1] == 3


def _last_count(trips: RoundTrips, session: Connection, text: str, first: int) -> int:
    """Return the round trips of a statement after some others of its kind, when all that is prepared is."""
    before = 0
    for number in range(first, first + 5):
        before = trips.count
        found = session.sql(text.format(number))
        assert found is None or found.fetchall()
    return trips.count - before
