"""A lake for tests of what sessions are made of."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from forklake import Lake


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data") as lake:
        yield lake
