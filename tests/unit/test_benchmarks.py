"""The benchmarks run, and say what they measured."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.__main__ import main
from benchmarks.million import _numbered
from benchmarks.report import Aim, Figure, least_disturbed


@pytest.mark.slow
def test_quick_benchmarks_of_sqlite_write_every_figure_beside_its_reference(tmp_path: Path) -> None:
    page, document = tmp_path / "figures.md", tmp_path / "figures.json"
    command = ["fork", "commit", "--quick", "--store", "sqlite", "--json", str(document), "--markdown", str(page)]
    result = CliRunner().invoke(main, command, catch_exceptions=False)
    assert result.exit_code == 0
    written = json.loads(document.read_text())
    assert {"cores", "memory", "python", "sqlite"} <= written["machine"].keys()
    figures = {figure["name"]: figure for figure in written["figures"]}
    fork = figures["fork, 100 files, depth 4, p50"]
    assert fork.keys() == {
        "group", "name", "value", "unit", "reference", "reference_name", "aim", "ratio", "met",
    }  # fmt: skip
    assert {figure["group"] for figure in written["figures"]} == {"fork on sqlite", "commit on sqlite"}
    assert figures["bytes of a fork, 100 files, depth 1"]["value"] < 1024
    assert figures["commits a second, distinct catalogs, 2 writers"]["ratio"] > 0
    assert all(name in page.read_text() and name in result.output for name in figures)


@pytest.mark.slow
def test_quick_benchmarks_of_garbage_and_fsck_find_what_they_expect(tmp_path: Path) -> None:
    document = tmp_path / "figures.json"
    command = ["safety", "purge", "fsck", "--quick", "--store", "sqlite", "--json", str(document)]
    assert CliRunner().invoke(main, command, catch_exceptions=False).exit_code == 0
    figures = {(figure["name"], figure["reference_name"]) for figure in json.loads(document.read_text())["figures"]}
    assert ("check of 200 ended files, 200 forks keep them, p50", "the same with 10 forks") in figures
    assert ("drop and purge each of 40 forks, 100 stay", "one-row insert and commit") in figures
    assert ("check of 200 files, p50", "listing them with their sizes") in figures


@pytest.mark.slow
def test_quick_benchmarks_of_forks_that_come_back_find_what_they_expect(tmp_path: Path) -> None:
    document = tmp_path / "figures.json"
    command = ["merge", "refresh", "reap", "branches", "--quick", "--store", "sqlite", "--json", str(document)]
    assert CliRunner().invoke(main, command, catch_exceptions=False).exit_code == 0
    figures = {(figure["name"], figure["reference_name"]) for figure in json.loads(document.read_text())["figures"]}
    assert ("merge of 20 files into 100, p50", "a commit of the same files") in figures
    assert ("merge of 20 files into 100, p50", "the same with 50") in figures
    assert ("diff of 10 files with 100, p50", "a commit of the same files") in figures
    assert ("diff of 10 files with 100, p50", "the same with 50") in figures
    assert ("refresh each of 20 forks, p50", "a commit of one file in each") in figures
    assert ("reap each of 50 lapsed forks", "one-row insert and commit") in figures
    assert ("create, chained, p50", "Bauplan, as published") in figures


@pytest.mark.parametrize(
    ("value", "aim", "is_met"),
    [
        (3.0, Aim("at most", 4), True),
        (9.0, Aim("at most", 4), False),
        (1.0, Aim("at least", 0.5), True),
        (0.9, Aim("at least", 0.5), False),
        (700.0, Aim("at most", 1024, "value"), True),
        (1025.0, Aim("at most", 1024, "value"), False),
        (1.0, None, None),
    ],
)
def test_an_aim_is_met_or_missed(value: float, aim: Aim | None, is_met: bool | None) -> None:
    assert Figure("group", "name", value, "ms", 2.0, "reference", aim).is_met is is_met


def test_the_least_disturbed_run_has_the_fastest_references() -> None:
    busy = [Figure("g", "fork", 1.0, "ms", 9.0, "insert"), Figure("g", "forks", 900.0, "/s", 100.0, "inserts")]
    quiet = [Figure("g", "fork", 2.0, "ms", 3.0, "insert"), Figure("g", "forks", 500.0, "/s", 800.0, "inserts")]
    assert least_disturbed([busy, quiet]) is quiet


def test_named_parameters_are_numbered_in_the_order_they_appear() -> None:
    assert _numbered("SELECT %(b)s, %(a)s, %(b)s") == "SELECT $1, $2, $1"
