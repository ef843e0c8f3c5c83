"""What the random comparison with DuckDB lets pass is told in the guide."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.known import KNOWN

GUIDE = " ".join((Path(__file__).parents[3] / "docs" / "guide" / "sql.md").read_text().split())


@pytest.mark.parametrize("reason", sorted({known.reason for known in KNOWN}))
def test_a_difference_that_passes_is_listed_in_the_guide(reason: str) -> None:
    assert reason in GUIDE
