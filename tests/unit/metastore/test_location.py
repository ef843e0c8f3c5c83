"""The URL of a lake: what in it would have no effect is refused, by name."""

from pathlib import Path

import pytest

import forklake
from forklake.errors import ConfigError


@pytest.mark.parametrize(
    "url", ["sqlite:lake.db?mode=ro", "duckdb:lake.db?access_mode=read_only", "sqlite://lake.db?a=1&b=2"]
)
def test_a_file_has_no_parameters(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = url.partition("?")[2].partition("=")[0]
    with pytest.raises(ConfigError, match=f'The URL of a file has no parameter "{name}"; nothing was opened'):
        forklake.open(url)
    assert list(tmp_path.iterdir()) == []


def test_a_path_may_have_a_question_mark(tmp_path: Path) -> None:
    with forklake.open(f"{tmp_path}/why?.db") as lake, forklake.open(f"sqlite:{tmp_path}/what?.db") as other:
        assert lake.catalogs() == other.catalogs() == []


@pytest.mark.parametrize(
    "url", ["postgresql://me:hunter2@127.0.0.1/db?sslmod=require", "postgres:host=127.0.0.1 sslmod=x password=hunter2"]
)
def test_a_parameter_that_postgresql_does_not_know_is_named(url: str) -> None:
    with pytest.raises(ConfigError, match='has no parameter "sslmod"') as caught:
        forklake.open(url)
    assert "hunter2" not in str(caught.value)
