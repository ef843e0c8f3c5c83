"""The shell of `forklake sql`, in a pseudo terminal."""

from __future__ import annotations

import re
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

import forklake
from forklake import Connection
from forklake.cli.shell.commands import COMMANDS, command_of
from forklake.cli.shell.completer import SessionCompleter
from tests.cli.pseudo_terminal import at_terminal
from tests.cli.terminal import make_shop, run

pytestmark = pytest.mark.slow

_TIME = re.compile(r"in \d+\.\d\d s(?=[);])")


def answer(shown: str) -> str:
    """Return what is shown between what was typed and the next prompt."""
    return _TIME.sub("in T", "\n".join(shown.split("\n")[1:-1]))


def test_the_shell_is_one_as_others_are(tmp_path: Path) -> None:
    make_shop(tmp_path)
    (tmp_path / "load.sql").write_text("SELECT 7 AS seven;\nSELECT 8 AS eight;\nFROM nowhere;")
    with at_terminal(tmp_path, "sql", "lake.db", "--catalog", "shop") as shell:
        shell.read("shop> ")
        shell.type("SELECT 'a;\r", "...> ")  # a semicolon in quotes ends nothing
        assert answer(shell.type("b' AS c; -- and more\r", "shop> ")).split("\n") == [
            "┌─────────┐",
            "│ c       │",
            "│ VARCHAR │",
            "├─────────┤",
            "│ a;\\nb   │",
            "└─────────┘",
            "(1 row in T)",
        ]
        assert "LINE 1: SELEC 1;\n        ^" in shell.type("SELEC 1;\r", "shop> ")
        two = answer(shell.type("SELECT NULL AS one; SELECT 2 AS two;\r", "shop> "))
        assert re.search(r"│ +NULL │\n└─+┘\n\(1 row in T\)\n\n┌─+┐\n│ +two │\n│ INTEGER │\n", two)
        inserted = answer(shell.type("INSERT INTO customers (id) VALUES (8), (9);\r", "shop> "))
        assert inserted == "(done: 2 rows in T)"
        assert answer(shell.type("DELETE FROM customers WHERE id > 7;\r", "shop> ")) == "(done: 2 rows in T)"
        shell.type(".maxrows 2\r", "shop> ")
        first = answer(shell.type("FROM range(9);\r", "shop> "))
        assert first.endswith("│      1 │\n└────────┘\n(the first 2 rows in T; there are more, .maxrows shows them)")
        assert "from 1 on" in shell.type(".maxrows no\r", "shop> ")
        wide = ", ".join(f"{place} AS long_name_{place}" for place in range(20))
        assert re.search(
            r"\n\(1 row, 20 columns \(\d+ shown\) in T\)$", answer(shell.type(f"SELECT {wide};\r", "shop> "))
        )
        assert answer(shell.type(".maxrows\r", "shop> ")) == "2"
        assert "Say ATTACH" in shell.type(".open other.db\r", "shop> ")
        assert answer(shell.type("\\dt\r", "shop> ")) == "customers\norders"
        assert "commands begin with a dot" in shell.type("\\d orders\r", "shop> ")
        assert answer(shell.type(".tables\r", "shop> ")) == "customers\norders"
        assert answer(shell.type(".tables what-if\r", "shop> ")) == "orders\npeople"
        assert "CREATE TABLE orders(id BIGINT" in shell.type(".schema orders\r", "shop> ")
        assert answer(shell.type(".catalogs a\r", "shop> ")) == "agent\naudit"
        assert answer(shell.type(".tree\r", "shop> ")).startswith("shop\n  agent")
        assert 'Did you mean ".tables"?' in shell.type(".table\r", "shop> ")
        read = answer(shell.type(".read load.sql\r", "shop> "))
        assert re.search(r"│ +8 │", read)
        assert "In statement 3 of load.sql, line 3: FROM nowhere" in read
        assert answer(shell.type(".mode\r", "shop> ")) == "table (there are table, csv, json, markdown, line)"
        shell.type(".mode csv\r", "shop> ")
        assert answer(shell.type("SELECT 1 AS a, 'x,y' AS b;\r", "shop> ")) == 'a,b\n1,"x,y"'
        shell.type(".mode line\r", "shop> ")
        shell.type(".timer off\r", "shop> ")
        assert answer(shell.type("SELECT 1 AS a, 2 AS bb;\r", "shop> ")) == " a = 1\nbb = 2"
        for asked in (".help", "help", "help;"):
            assert "Ctrl-C forgets what is typed" in shell.type(f"{asked}\r", "shop> ")
        shell.type("USE agent-001;\r", "shop> ")
        shell.type("USE what-if;\r", "what-if> ")
        secret = "CREATE /* a (new) */ SECRET s (TYPE s3, KEY_ID 'AKIA', SECRET 'hush', URL_STYLE 'x')"
        told = shell.type(f"SELECT 1; {secret};\r", "what-if> ")
        assert "In statement 2 on line 1: CREATE /* a ..." in told
        shell.type("BEGIN;\r", "what-if (transaction)> ")
        shell.type("CREATE TABLE t (i INTEGER);\r", "what-if (transaction)> ")
        shell.write("\x04")
        shell.wait_for("it was rolled back.")
        assert shell.exit_code() == 0
    history = tmp_path / ".forklake_history"
    assert "SELECT NULL AS one" in history.read_text()
    assert "hush" not in history.read_text()
    assert stat.S_IMODE(history.stat().st_mode) == 0o600


def test_lines_are_edited_completed_and_brought_back(tmp_path: Path) -> None:
    make_shop(tmp_path)
    with at_terminal(tmp_path, "sql", "lake.db", "--catalog", "shop", columns=40, colour=True) as shell:
        shell.read("shop> ")
        shell.type("DESCRIBE custo", "custo")
        shell.type("\t", "customers")
        described = answer(shell.type(";\r", "shop> "))
        assert "id" in described
        assert max(map(len, described.split("\n"))) <= 40  # the type of a column is longer
        assert "…" in described
        shell.type("\x1b[A", "DESCRIBE customers;")  # the arrow key
        shell.type("\x03", "shop> ")
        shell.type("SELECT 1", "SELECT 1")
        shell.type("\x03", "shop> ")  # what was typed is forgotten
        assert re.search(rb"\x1b\[[0-9;]+m(SELECT|DESCRIBE)", shell.raw), "keywords have colours"


def test_a_lake_of_several_catalogs_lists_them_and_waits_for_use(tmp_path: Path) -> None:
    make_shop(tmp_path)
    with at_terminal(tmp_path, "sql", "lake.db") as shell:
        assert "The lake also has agent, audit, what-if; USE chooses." in shell.read("shop> ").replace("\n", " ")
    run("catalog", "create", "lab", lake=tmp_path / "lake.db")
    with at_terminal(tmp_path, "sql", "lake.db") as shell:
        assert "The lake has agent, audit, lab, shop, what-if." in shell.read("forklake> ").replace("\n", "")
        assert answer(shell.type(".catalogs a\r", "forklake> ")) == "agent\naudit"
        shell.type("USE shop;\r", "shop> ")
        shell.type("CREATE SCHEMA sales; USE sales;\r", "shop.sales> ")


@pytest.mark.slow
def test_ctrl_c_stops_the_statement_and_the_session_goes_on(tmp_path: Path) -> None:
    with at_terminal(tmp_path, "sql", "-c", "ATTACH 'ducklake:lake.db' AS shop") as made:
        assert made.exit_code() == 0
    with at_terminal(tmp_path, "sql", "lake.db") as shell:
        shell.read("shop> ")
        shell.type("CREATE TABLE numbers (i BIGINT);\r", "shop> ")
        begun = time.monotonic()
        shell.write("SELECT count(*) FROM range(1000000000000) r(i) WHERE i % 7 = 3;\r")
        shell.wait_for("Starting Spark")
        assert time.monotonic() - begun < 10
        shell.wait_for("Running the query")
        assert "Stopped." in shell.type("\x03", "shop> ")
        shell.type("BEGIN; INSERT INTO numbers VALUES (5);\r", "shop (transaction)> ")
        shell.write("INSERT INTO numbers SELECT i FROM range(1000000000000) r(i);\r")
        shell.wait_for('Writing "')
        assert "Stopped." in shell.type("\x03", "shop (transaction)> ")
        assert "6 │" in shell.type("SELECT sum(i + 1) AS total FROM numbers;\r", "shop (transaction)> ")
        shell.type("COMMIT;\r", "shop> ")
        assert "(1 row" in shell.type("FROM numbers;\r", "shop> ")
        for noise in (b"WARN", b"ERROR", b"Exception", b"log4j", b"Traceback", b"Stage "):
            assert noise not in shell.raw
        shell.write("\x04")
        assert shell.exit_code() == 0
    assert not list((tmp_path / "lake.db.files").glob("**/*.parquet"))[1:], "a stopped statement leaves no file"


# ---- completion and commands, without a terminal ---------------------------------------------------------------------


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    with forklake.open(str(make_shop(tmp_path))) as lake, lake.catalog("shop").session() as session:
        session.sql('CREATE SCHEMA sales; CREATE TABLE sales."Big Deals" (price INTEGER)')
        yield session


def offered(connection: Connection, text: str) -> list[str]:
    document = Document(text, len(text))
    return [one.text for one in SessionCompleter(connection).get_completions(document, CompleteEvent())]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("FROM or", ["orders"]),
        ("FROM ", ["customers", "orders"]),
        ('SELECT * FROM sales."Bi', ['"Big Deals"']),
        ("SELECT * FROM sales.", ['"Big Deals"']),
        ("SELECT o.am", []),
        ("SELECT amou", ["amount"]),
        ("SELECT orders.", ["id", "amount", '"day"']),
        ('SELECT s.p FROM sales."Big Deals" s WHERE s.', ["price"]),
        ("SELECT leve", ["levenshtein"]),
        ("SELECT 1 ORD", ["orders", "ord", "ORDER BY", "ORDER BY ALL"]),
        ("USE wh", ['"what-if"']),
        ("CALL ducklake_fork_c", ["ducklake_fork_catalog"]),
        (".ta", [".tables"]),
        (".mode m", ["markdown"]),
        ("SELECT 1 ", []),
    ],
)
def test_tab_offers_names_functions_and_keywords(connection: Connection, text: str, first: list[str]) -> None:
    found = offered(connection, text)
    assert found[: len(first)] == first
    assert bool(found) == bool(first)


def test_completing_is_no_part_of_a_transaction(connection: Connection) -> None:
    connection.sql("BEGIN")
    offered(connection, "FROM ")
    with connection.cursor() as other:
        other.sql("CREATE TABLE late (i INTEGER)")
    assert connection.sql("FROM late") is not None  # the transaction has seen nothing yet


def test_a_line_is_a_command_or_a_statement() -> None:
    assert command_of(" .tables ") == ".tables"
    assert command_of("EXIT;") == ".quit"
    assert command_of("SELECT 1;") is None
    assert command_of(".5 + 1\n;") is None
    assert all(command.form.startswith(name) for name, command in COMMANDS.items())
