"""Which snapshots of a lineage expire, by the strict rule of Python and by the lenient one of SQL."""

from datetime import UTC, datetime, timedelta

import pytest

from forklake.errors import InvalidInputError, SnapshotNotFoundError
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.records import Snapshot
from forklake.ops.lakes.relative_times import subtract_interval
from forklake.ops.maintenance.expire import Rule, choose_snapshots

PARENT, FORK = CatalogId(1), CatalogId(2)
START = datetime(2026, 1, 1, tzinfo=UTC)


def snapshot(number: int, catalog: CatalogId) -> Snapshot:
    return Snapshot(SnapshotId(number), catalog, START + timedelta(days=number), 0, "", None, None, None)


LINEAGE = [snapshot(1, PARENT), snapshot(3, PARENT), snapshot(4, FORK), snapshot(7, FORK), snapshot(9, FORK)]


def chosen(rule: Rule, *, ids: list[int] | None = None, days: int | None = None) -> list[int]:
    limit = None if days is None else START + timedelta(days=days)
    return [one.snapshot_id for one in choose_snapshots(LINEAGE, FORK, ids=ids, older_than=limit, rule=rule)]


@pytest.mark.parametrize("rule", ["strict", "lenient"])
def test_by_age_go_own_snapshots_but_never_the_newest_nor_inherited_ones(rule: Rule) -> None:
    assert chosen(rule, days=7) == [4]
    assert chosen(rule, days=99) == [4, 7]
    assert chosen(rule, days=0) == []


@pytest.mark.parametrize("rule", ["strict", "lenient"])
def test_by_id_go_own_snapshots_once_and_in_order(rule: Rule) -> None:
    assert chosen(rule, ids=[7, 4, 7]) == [4, 7]
    assert chosen(rule, ids=[]) == []
    with pytest.raises(SnapshotNotFoundError, match="version 3 among the catalog's own; nothing was expired"):
        chosen(rule, ids=[4, 3])


def test_the_strict_rule_refuses_what_the_lenient_one_passes_over() -> None:
    assert chosen("lenient", ids=[4, 5, 9]) == [4]
    with pytest.raises(SnapshotNotFoundError, match="version 5"):
        chosen("strict", ids=[4, 5])
    with pytest.raises(InvalidInputError, match="Snapshot 9 is the newest"):
        chosen("strict", ids=[4, 9])


def test_months_before_the_end_of_a_month_are_cut_to_its_last_day() -> None:
    assert subtract_interval(datetime(2026, 3, 31, tzinfo=UTC), 1, 0, 0) == datetime(2026, 2, 28, tzinfo=UTC)
    assert subtract_interval(datetime(2026, 1, 15, tzinfo=UTC), 2, 1, 1_000_000) == datetime(
        2025, 11, 13, 23, 59, 59, tzinfo=UTC
    )
