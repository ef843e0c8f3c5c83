"""A forged footer ends no process but one that is there to try it."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake.errors import DataFileError
from forklake.files.foreign.try_footers import try_footers
from forklake.files.parquet.parquet_facts import footer_facts
from tests.unit.files.forged_footers import deep_file, misfit_file


@pytest.fixture
def good(tmp_path: Path) -> str:
    path = str(tmp_path / "good.parquet")
    pq.write_table(pa.table({"i": [1, 2]}), path)
    return path


def test_a_footer_that_ends_a_process_is_refused_by_name(tmp_path: Path, good: str) -> None:
    bad = tmp_path / "bad.parquet"
    bad.write_bytes(misfit_file())
    asked = f"import pyarrow.parquet as pq; pq.read_metadata({str(bad)!r}).row_group(0).column(0)"
    ended = subprocess.run([sys.executable, "-c", asked], check=False, stderr=subprocess.DEVNULL)
    assert ended.returncode < 0, "else it need not be refused any more"
    with pytest.raises(DataFileError, match=r"bad\.parquet"):
        try_footers([good, str(bad), good])
    try_footers([good, good])


def test_what_python_says_of_a_footer_is_left_to_its_reader(tmp_path: Path, good: str) -> None:
    text = tmp_path / "text.parquet"
    text.write_bytes(b"no Parquet at all")
    try_footers([str(text), good])
    with pytest.raises(DataFileError, match="missing"):
        try_footers([str(tmp_path / "missing.parquet")])


def test_files_in_the_working_directory_are_not_imported(
    tmp_path: Path, good: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyarrow.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    try_footers([good])


@pytest.mark.parametrize("function", ["parquet_schema", "parquet_metadata", "parquet_kv_metadata"])
def test_a_footer_is_known_to_be_shallow_before_duckdb_reads_it(tmp_path: Path, function: str) -> None:
    deep = tmp_path / "deep.parquet"
    deep.write_bytes(deep_file(100_000))
    with pytest.raises(DataFileError, match="deeply"):
        footer_facts(function, [str(deep)])
    deep.write_bytes(deep_file(50))
    assert footer_facts(function, [str(deep)])
