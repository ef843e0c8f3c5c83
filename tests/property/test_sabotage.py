"""The histories can fail: with any one guard removed, a few of them show it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from forklake.catalog import commit, lookup
from forklake.catalog.changes import columns, files, inlined
from forklake.metastore import dialect, visibility
from forklake.model.change_log import Conflict, LoggedChange
from tests.lakes import LakeFactory
from tests.property.histories import generate, run, shrink

SEEDS = range(1000, 1040)
CONTENTION_SEEDS = range(1043, 1243, 4)


@dataclass
class Sabotage:
    """Takes things out of the product, and knows whether they were there."""

    patch: pytest.MonkeyPatch
    cuts: int = field(default=0)

    def cut(self, *pieces: str) -> None:
        """Leave pieces out of every SQL statement."""
        for piece in pieces:
            self.swap(piece, "")

    def swap(self, piece: str, other: str) -> None:
        """Put another piece in the place of one, in every SQL statement."""
        render: Callable[..., tuple[str, tuple[str, ...]]] = dialect._render

        def swapped(product: dialect.Dialect, sql: str) -> tuple[str, tuple[str, ...]]:
            self.cuts += piece in sql
            return render(product, sql.replace(piece, other))

        self.patch.setattr(dialect, "_render", swapped)

    def put(self, where: object, name: str, value: object) -> None:
        """Put something else in a place that must exist."""
        self.patch.setattr(where, name, value)
        self.cuts += 1


def _tombstones_count_for_ever(sabotage: Sabotage) -> None:
    sabotage.cut(" AND z.snapshot_id <= n.bound")


def _ancestors_are_read_as_of_now(sabotage: Sabotage) -> None:
    parameters = visibility.chain_params

    def unbounded(chain: visibility.Chain) -> dict[str, Any]:
        return {**parameters(chain), "bounds": [max(chain.bounds)] * len(chain.bounds)}

    sabotage.put(visibility, "chain_params", unbounded)


def _statistics_of_ancestors_are_the_newest(sabotage: Sabotage) -> None:
    sabotage.cut(" AND b.begin_snapshot <= c.bound")


def _snapshots_after_the_pin_exist(sabotage: Sabotage) -> None:
    sabotage.cut(" AND s.snapshot_id <= c.bound")


def _forks_go_on_counting_rows(sabotage: Sabotage) -> None:
    for module in (columns, files, inlined):
        sabotage.put(module, "own_stats", lookup.table_stats)


def _nothing_conflicts(sabotage: Sabotage) -> None:
    def conflicts(ours: Sequence[LoggedChange], theirs: Sequence[LoggedChange]) -> tuple[Conflict, ...]:
        return ()

    sabotage.put(commit, "conflicts", conflicts)


def _expired_commits_are_not_missed(sabotage: Sabotage) -> None:
    sabotage.cut(" JOIN forklake.ducklake_snapshot s ON s.catalog_id = l.catalog_id AND s.snapshot_id = l.snapshot_id")


GUARDS: dict[Callable[[Sabotage], None], range] = {
    _tombstones_count_for_ever: SEEDS,
    _ancestors_are_read_as_of_now: SEEDS,
    _statistics_of_ancestors_are_the_newest: SEEDS,
    _snapshots_after_the_pin_exist: SEEDS,
    _forks_go_on_counting_rows: SEEDS,
    _nothing_conflicts: CONTENTION_SEEDS,
    _expired_commits_are_not_missed: CONTENTION_SEEDS,
}


@pytest.mark.parametrize(("remove", "seeds"), GUARDS.items(), ids=[guard.__name__.strip("_") for guard in GUARDS])
def test_histories_find_a_lake_in_which(
    remove: Callable[[Sabotage], None], seeds: range, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sabotage = Sabotage(monkeypatch)
    remove(sabotage)
    factory = LakeFactory("sqlite", tmp_path)
    found = next((failure for seed in seeds if (failure := run(generate(seed), factory)) is not None), None)
    assert sabotage.cuts, "what was to be removed is not there any more"
    assert found is not None, f"no history of {seeds} shows it"


@pytest.mark.soak
def test_a_failing_history_is_made_shorter_and_still_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _tombstones_count_for_ever(Sabotage(monkeypatch))
    factory = LakeFactory("sqlite", tmp_path)

    def fails(operations: Sequence[Any]) -> bool:
        return run(operations, factory) is not None

    failing = next(generate(seed) for seed in SEEDS if fails(generate(seed)))
    shortest = shrink(failing, fails)
    assert fails(shortest)
    assert len(shortest) < len(failing) / 3
