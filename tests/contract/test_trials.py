"""Several ways to change a catalog: tried in forks, the best comes home, the others go."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from forklake import Catalog, Lake
from forklake.errors import InvalidInputError, MergeConflictError, NotFoundError
from tests.contract.support import data_file, file_names


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER"}).storage.append_files([data_file("old")])
    return shop


def adds(name: str, rows: int) -> Callable[[Catalog], object]:
    return lambda fork: fork.table("t").storage.append_files([data_file(name, rows)])


def row_count(catalog: Catalog) -> int:
    return catalog.table("t").count()


def test_the_best_is_merged_and_the_forks_are_gone(lake: Lake, shop: Catalog) -> None:
    def fails(fork: Catalog) -> None:
        fork.table("t").storage.append_files([data_file("broken", 1000)])
        raise ValueError("no")

    found = lake.try_many("shop", {"small": adds("s", 5), "large": adds("l", 50), "broken": fails}, score=row_count)
    assert [(trial.name, trial.score) for trial in found.trials] == [("large", 60), ("small", 15), ("broken", None)]
    assert found.best is not None
    assert found.best.name == "large"
    assert str(found.trials[2].error) == "no"
    assert found.plan is not None
    assert found.plan.snapshot_id == shop.head
    assert file_names(shop, "t") == ["old", "l"]
    assert shop.snapshots()[-1].commit_message == 'The best of several trials: "large", with score 60'
    assert [each.name for each in lake.catalogs()] == ["shop"]


@pytest.mark.parametrize(("keep", "files"), [("reset", ["old", "s"]), ("fork", ["old"]), ("none", ["old"])])
def test_what_becomes_of_the_best_is_said_by_the_caller(lake: Lake, shop: Catalog, keep: str, files: list[str]) -> None:
    attempts = {"small": adds("s", 5), "large": adds("l", 50)}
    found = lake.try_many("shop", attempts, score=row_count, keep=keep, better="lowest")  # type: ignore[arg-type]
    assert found.best is not None
    assert found.best.name == "small"
    assert file_names(shop, "t") == files
    left = {each.name for each in lake.catalogs()} - {"shop"}
    assert left == ({found.best.catalog_name} if keep == "fork" else set())


def test_scores_that_cannot_be_compared_keep_nothing_and_lose_nothing(lake: Lake, shop: Catalog) -> None:
    attempts = {"number": adds("a", 5), "text": adds("b", 6), "nothing": adds("c", 7)}
    scores: dict[str, object] = {"number": 1, "text": "much", "nothing": None}
    with pytest.raises(
        InvalidInputError, match=r"cannot be compared: 1 of 'number', 'much' of 'text'\. Nothing"
    ) as found:
        lake.try_many("shop", attempts, score=lambda fork: scores[fork.name.rpartition("-")[2]])
    assert file_names(shop, "t") == ["old"]
    (token,) = {label for each in shop.forks() for label in [each.name.split("-")[2]]}
    assert f'the value "{token}"' in str(found.value)
    assert len(lake.catalogs(labels={"trial": token})) == 3
    scores["text"] = float("nan")
    best = lake.try_many("shop", attempts, score=lambda fork: scores[fork.name.rpartition("-")[2]]).best
    assert best is not None
    assert best.name == "number"


def test_attempts_run_at_the_same_time_and_see_one_snapshot(lake: Lake, shop: Catalog) -> None:
    both = threading.Barrier(2, timeout=30)

    def waits(fork: Catalog) -> int:
        both.wait()
        return row_count(fork)

    found = lake.try_many("shop", {"a": waits, "b": waits}, score=lambda fork: None, workers=2)
    assert [trial.value for trial in found.trials] == [10, 10]
    assert (found.best, found.plan) == (None, None)


def test_a_best_that_conflicts_stays_in_its_fork(lake: Lake, shop: Catalog) -> None:
    def renames(fork: Catalog) -> None:
        fork.table("t").alter.rename_column("i", "theirs")
        shop.table("t").alter.rename_column("i", "ours")

    with pytest.raises(MergeConflictError):
        lake.try_many("shop", {"renames": renames}, score=lambda fork: 1)
    (left,) = lake.across(parent="shop").names
    assert [column.name for column in lake.catalog(left).table("t").columns] == ["theirs"]
    assert lake.catalog(left).inspect.lifetime is not None
    assert [column.name for column in shop.table("t").columns] == ["ours"]


def test_what_makes_no_sense_is_refused_before_a_fork_is_made(lake: Lake, shop: Catalog) -> None:
    one = {"a": adds("x", 1)}
    wrong: tuple[dict[str, Any], ...] = (
        {"attempts": {}},
        {"attempts": {"a": 3}},
        {"attempts": one, "keep": "both"},
        {"attempts": one, "better": "largest"},
        {"attempts": one, "workers": 0},
        {"attempts": one, "score": 5},
    )
    for given in wrong:
        with pytest.raises(InvalidInputError, match="nothing was tried"):
            lake.try_many("shop", **{"score": row_count, **given})
    with pytest.raises(NotFoundError, match='"nobody" does not exist'):
        lake.try_many("nobody", one, score=row_count)
    assert [each.name for each in lake.catalogs()] == ["shop"]
