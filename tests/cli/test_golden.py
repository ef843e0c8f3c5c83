"""Transcripts of sessions: what each command prints, to the letter.

A line `$ forklake ...` is a command; what follows is its stdout, then its stderr with `! ` before each line, then
`[exit N]` unless it is 0. FORKLAKE_UPDATE_GOLDEN=1 writes down what is printed now; read the difference.
"""

import os
import shlex
from pathlib import Path

import pytest

from forklake.cli.main import forklake
from forklake.cli.reference import commands
from tests.cli.terminal import make_shop, normalised, run

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("page", sorted(GOLDEN.glob("*.txt")), ids=lambda page: page.stem)
def test_a_session_prints_what_the_transcript_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written = page.read_text(encoding="utf-8")
    lake = tmp_path / "lake.db"
    if "# lake: shop" in written:
        make_shop(tmp_path)
    actual = "".join(_replayed(written.splitlines(), lake, tmp_path))
    if os.environ.get("FORKLAKE_UPDATE_GOLDEN"):
        page.write_text(actual, encoding="utf-8")
    assert actual == written


def _replayed(lines: list[str], lake: Path, directory: Path) -> list[str]:
    told = []
    for line in lines:
        if line.startswith("#"):
            told.append(f"{line}\n")
        if line.startswith("$ forklake "):
            said = run(*shlex.split(line)[2:], lake=lake)
            told.append(f"\n{line}\n{normalised(said.out, directory)}")
            told += [f"! {each}\n" for each in normalised(said.err, directory).splitlines()]
            if said.code:
                told.append(f"[exit {said.code}]\n")
    return told


def test_every_command_is_in_a_transcript() -> None:
    played = "\n".join(page.read_text(encoding="utf-8") for page in GOLDEN.glob("*.txt"))
    # These show figures that differ between machines, and have tests of their own.
    others = {"forklake stats", "forklake ping", "forklake demo", "forklake completion"}
    assert [path for path, _ in commands(forklake) if f"$ {path}" not in played and path not in others] == []
