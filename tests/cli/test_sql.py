"""`forklake sql`: what is printed of statements, and the shell at a terminal. None of this starts Spark."""

from __future__ import annotations

import os
import pty
import select
import sys
import time
from pathlib import Path

import pytest

from tests.cli.terminal import make_shop, run

SQL = ("sql", "--catalog", "shop")


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return make_shop(tmp_path)


def test_the_results_of_all_statements_are_printed(lake: Path) -> None:
    said = run(*SQL, "-c", "SELECT 1 AS a; CREATE TABLE t (i INTEGER); SELECT true AS b, [1, NULL] AS c", lake=lake)
    assert said.out == "a\n1\n\nb     c\ntrue  [1, NULL]\n"


def test_statements_come_from_standard_input(lake: Path) -> None:
    assert run(*SQL, lake=lake, stdin="SELECT 1 AS a;\nSELECT 2 AS b").out == "a\n1\n\nb\n2\n"


def test_what_is_not_a_number_in_json_is_text(lake: Path) -> None:
    said = run(*SQL, "--json", "-c", "SELECT 1; SELECT 'nan'::DOUBLE AS x, 'inf'::DOUBLE AS y", lake=lake)
    assert '"nan",\n      "inf"' in said.out


def test_a_transaction_that_is_not_ended_is_told_of(lake: Path) -> None:
    said = run(*SQL, "-c", "BEGIN; CREATE TABLE t (i INTEGER)", lake=lake)
    assert (said.err, said.code) == (
        "Error: The transaction was not committed; it was rolled back.\nHint: End it with COMMIT.\n",
        2,
    )
    assert run(*SQL, "-c", "SHOW TABLES", lake=lake).out == "name\ncustomers\norders\n"


def test_whoever_names_no_catalog_is_told_which_there_are(lake: Path) -> None:
    said = run("sql", "-c", "FROM orders", lake=lake)
    catalogs = "agent, audit, shop, what-if"
    assert f"Hint: Nothing is attached: --catalog names a catalog of the lake ({catalogs}), or say ATTACH." in said.err
    assert run("sql", "-c", "SELECT 1", lake=lake).err == ""


def test_a_lake_that_is_not_there_is_not_attached(tmp_path: Path) -> None:
    said = run(*SQL, "-c", "SELECT 1", lake=tmp_path / "no.db")
    assert (said.code, said.err.splitlines()[1]) == (3, "Hint: `forklake init` makes one.")
    assert run("sql", "--read-only", "-c", "SELECT 1").code == 2


class Terminal:
    """The program at a terminal of its own."""

    def __init__(self, lake: Path) -> None:
        self._process, self._end = pty.fork()
        if self._process == 0:
            os.environ |= {"FORKLAKE_LAKE": str(lake), "HOME": str(lake.parent), "TERM": "dumb", "NO_COLOR": "1"}
            os.execv(sys.executable, [sys.executable, "-c", "from forklake.cli.main import main; main()", *SQL])

    def read(self, until: str, seconds: float = 120) -> str:
        """Return what is printed up to a text."""
        found, end = "", time.monotonic() + seconds
        while until not in found and time.monotonic() < end:
            if select.select([self._end], [], [], 0.1)[0]:
                try:
                    found += os.read(self._end, 4096).decode()
                except OSError:  # the other end is closed
                    break
        assert until in found, found
        return found.replace("\r", "")

    def type(self, text: str, until: str = "forklake> ") -> str:
        """Type a text, and return what is printed up to the next prompt."""
        os.write(self._end, text.encode())
        return self.read(until)

    def exit_code(self) -> int:
        """Wait until the program has left."""
        return os.waitstatus_to_exitcode(os.waitpid(self._process, 0)[1])


def test_the_shell_is_one_as_others_are(lake: Path) -> None:
    shell = Terminal(lake)
    shell.read("forklake> ")
    assert "...> " in shell.type("SELECT 'a;\n", "...> ")  # a semicolon in quotes ends nothing
    assert "c\na;\\nb\n" in shell.type("b' AS c; -- and more\n")
    assert "LINE 1: SELEC 1;\n        ^\n" in shell.type("SELEC 1;\n")
    assert "one\n  1\n\ntwo\n  2\n" in shell.type("SELECT 1 AS one; SELECT 2 AS two;\n")
    assert 'There is no command ".tables"' in shell.type(".tables\n")
    for asked in (".help", "help", "help;"):
        assert "Ctrl-C forgets what is typed" in shell.type(f"{asked}\n")
    shell.type("BEGIN;\n")
    shell.type("CREATE TABLE t (i INTEGER);\n")
    assert "it was rolled back" in shell.type("\x04", "rolled back")
    assert shell.exit_code() == 0
    assert "SELECT 1 AS one" in (lake.parent / ".forklake_history").read_text()
