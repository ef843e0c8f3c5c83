"""Forks that come back hold what a plain three-way comparison of full copies says, and differ as full copies do."""

import os

import pytest

from forklake import Lake, Settings
from tests.lakes import LakeFactory
from tests.merges.histories import MergeHistory
from tests.merges.row_engine import RowEngine
from tests.sound import check_sound

HISTORIES = int(os.environ.get("FORKLAKE_HISTORIES", "60"))
PARTS = 4
_FEW = {"postgres": max(1, HISTORIES // 15), "duckdb": max(1, HISTORIES // 75)}
STORES = {"sqlite": HISTORIES - sum(_FEW.values()), **_FEW}
"""DuckDB runs the same statements as PostgreSQL, and takes its time."""


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("lake_factory", STORES, indirect=True)
def test_every_history_of_merges_shows_what_full_copies_would_show(lake_factory: LakeFactory, part: int) -> None:
    merged, differed = 0, [0, 0, 0]
    for seed in range(part, STORES[lake_factory.kind], PARTS):
        data = lake_factory.directory / f"data{seed}"
        with Lake(lake_factory.url(), data_path=data, settings=Settings(engine=RowEngine())) as lake:
            history = MergeHistory(lake, seed)
            history.run(40)
            history.end()
            merged += history.merged
            differed = [one + more for one, more in zip(differed, history.differed, strict=True)]
            check_sound(lake)
    if lake_factory.kind == "sqlite":  # of the others there are too few to be sure
        assert merged
        assert any(differed)
