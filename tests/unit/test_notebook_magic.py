"""The cell magic of IPython: a session that lasts from cell to cell."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import forklake
from forklake.errors import InvalidInputError, NotFoundError


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An IPython with the extension, in a directory with a lake of one catalog."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    with forklake.open("lake.db") as lake:
        lake.create_catalog("shop").sql("CREATE TABLE orders (id INTEGER)")
        lake.catalog("shop").options.set("data_inlining_row_limit", 100)
    made: Any = InteractiveShell()  # type: ignore[no-untyped-call]
    made.history_manager.enabled = False
    made.run_line_magic("load_ext", "forklake")
    yield made
    made.run_line_magic("unload_ext", "forklake")
    made.history_manager.end_session()


def run(shell: Any, code: str) -> Any:
    with capture_output() as said:
        done = shell.run_cell(code)
    done.said = said
    return done


def test_a_cell_runs_statements_and_shows_the_last_result(shell: Any) -> None:
    assert run(shell, "%forklake lake.db").success
    done = run(shell, "%%forklake\nINSERT INTO orders VALUES (1), (2);\nSELECT id AS n FROM orders;")
    assert done.success
    assert done.result.fetchall() == [(1,), (2,)]
    assert "<th>n<br><small>INTEGER</small></th>" in done.result._repr_html_()
    assert "Count" in done.said.stdout  # the result before it
    assert run(shell, "%%forklake\nCREATE TABLE more (i INTEGER)").result is None


def test_the_session_lasts_from_cell_to_cell(shell: Any) -> None:
    run(shell, "%forklake lake.db --catalog shop")
    run(shell, "%%forklake\nBEGIN; INSERT INTO orders VALUES (1)")
    assert run(shell, "%%forklake\nSELECT count(*) FROM orders").result.fetchall() == [(1,)]
    run(shell, "%%forklake\nROLLBACK")
    assert run(shell, "%%forklake\nSELECT count(*) FROM orders").result.fetchall() == [(0,)]


def test_results_go_into_variables_and_frames_are_found_in_them(shell: Any) -> None:
    run(shell, "%forklake lake.db")
    assert run(shell, "%%forklake kept\nSELECT 7 AS seven").result is None
    assert shell.user_ns["kept"].fetchall() == [(7,)]
    shell.user_ns["mine"] = pa.table({"id": pa.array([5], pa.int32())})
    assert run(shell, "%%forklake\nDESCRIBE mine").result.fetchall()[0][:2] == ("id", "INTEGER")


def test_errors_are_ours_and_told_without_a_stack(shell: Any) -> None:
    done = run(shell, "%%forklake\nFROM nowhere")
    assert isinstance(done.error_in_exec, NotFoundError)
    told = done.said.stdout + done.said.stderr
    assert "does not exist" in told
    assert "Traceback" not in told
    for wrong in ("%forklake", "%forklake a b c", "%%forklake not a name\nSELECT 1"):
        assert isinstance(run(shell, wrong).error_in_exec, InvalidInputError)
    assert isinstance(run(shell, "%forklake missing").error_in_exec, NotFoundError)
    assert not Path("missing").exists()


def test_without_a_lake_a_session_attaches_for_itself(shell: Any) -> None:
    run(shell, "%%forklake\nATTACH 'ducklake:new.db' AS mine; USE mine; CREATE TABLE t (i INTEGER)")
    assert run(shell, "%%forklake\nSHOW TABLES").result.fetchall() == [("t",)]


def test_a_new_file_becomes_a_lake_as_on_the_command_line(shell: Any) -> None:
    made = run(shell, "%forklake new.db")
    assert made.success
    assert "new.db is a new lake; its files go below new.db.files." in made.said.stdout
    assert run(shell, "%%forklake\nCREATE TABLE t (i INTEGER); SELECT current_catalog()").result.fetchall() == [
        ("new",)
    ]
    assert isinstance(run(shell, "%forklake new").error_in_exec, NotFoundError)
