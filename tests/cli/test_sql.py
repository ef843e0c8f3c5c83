"""`forklake sql`: what is printed of statements. None of this starts Spark."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from rich.cells import cell_len

import forklake
from forklake.cli.fitted_table import boxed_table, fit_table
from tests.cli.terminal import make_shop, run

SQL = ("sql", "--catalog", "shop")


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return make_shop(tmp_path)


def test_the_results_of_all_statements_are_printed(lake: Path) -> None:
    said = run(*SQL, "-c", "SELECT 1 AS a; CREATE TABLE t (i INTEGER); SELECT true AS b, [1, NULL] AS c", lake=lake)
    assert said.out == "a\n1\n\nb     c\ntrue  [1, NULL]\n"


def test_statements_may_be_the_last_argument(lake: Path) -> None:
    assert run("sql", str(lake), "--catalog", "shop", "SELECT 1 AS a").out == "a\n1\n"
    assert run("sql", "SELECT 2 AS b; SELECT 3 AS c").out == "b\n2\n\nc\n3\n"
    both = run("sql", str(lake), "SELECT 1", "-c", "SELECT 2")
    assert (both.code, "Give a file or -c, not both." in both.err) == (2, True)


def test_statements_come_from_standard_input(lake: Path) -> None:
    assert run(*SQL, lake=lake, stdin="SELECT 1 AS a;\nSELECT 2 AS b").out == "a\n1\n\nb\n2\n"


def test_what_is_not_a_number_in_json_is_text(lake: Path) -> None:
    said = run(*SQL, "--json", "-c", "SELECT 1; SELECT 'nan'::DOUBLE AS x, 'inf'::DOUBLE AS y", lake=lake)
    assert '\n    ["nan", "inf"]\n' in said.out


def test_a_transaction_that_is_not_ended_is_told_of(lake: Path) -> None:
    said = run(*SQL, "-c", "BEGIN; CREATE TABLE t (i INTEGER)", lake=lake)
    assert (said.err, said.code) == (
        "Error: The transaction was not committed; it was rolled back.\nHint: End it with COMMIT.\n",
        2,
    )
    assert run(*SQL, "-c", "SHOW TABLES", lake=lake).out == "name\ncustomers\norders\n"


def test_whoever_names_no_catalog_is_told_which_there_are(lake: Path) -> None:
    run("catalog", "create", "lab", lake=lake)
    said = run("sql", "-c", "FROM orders", lake=lake)
    catalogs = "agent, audit, lab, shop, what-if"
    assert f"Hint: Say USE, or name one with --catalog. The lake has {catalogs}." in said.err
    shown = run("sql", "-c", "SHOW CATALOGS", "--mode", "csv", lake=lake).out.splitlines()[1:]
    assert [line.split(",")[0] for line in shown] == ["agent", "audit", "lab", "shop", "what-if"]
    assert run("sql", "-c", "SELECT 1", lake=lake).err == ""


def test_a_lake_that_is_not_there_is_not_attached(tmp_path: Path) -> None:
    lake = tmp_path / "no.db"
    said = run(*SQL, "-c", "SELECT 1", lake=lake)
    assert (said.code, said.err.splitlines()[1]) == (3, f"Hint: `forklake init {lake}` makes one.")
    assert run("sql", "--read-only", "-c", "SELECT 1").code == 2


def test_a_lake_is_opened_by_its_file_and_its_only_catalog_is_in_use(lake: Path, tmp_path: Path) -> None:
    assert run("sql", str(lake), "-c", "SELECT current_catalog() AS c").out == "c\nshop\n"  # the others are its forks
    said = run("sql", str(lake), "-c", 'USE agent; SELECT count(*) AS n FROM people; SHOW TABLES FROM "what-if"')
    assert said.out == "n\n0\n\nname\norders\npeople\n"
    for kind in ("sqlite", "duckdb"):
        url = f"{kind}:{tmp_path}/one.{kind}"
        run("init", "--data-path", str(tmp_path / f"files-{kind}"), lake=url)
        run("catalog", "create", "only", lake=url)
        said = run("sql", f"{tmp_path}/one.{kind}", "-c", "SELECT current_catalog() AS c; SHOW DATABASES")
        assert said.out == "c\nonly\n\ndatabase_name\nonly\n"
    (tmp_path / "script.sql").write_text("SELECT 1 AS a")
    assert run("sql", str(lake), str(tmp_path / "script.sql")).out == "a\n1\n"
    run("catalog", "create", "lab", lake=lake)
    assert run("sql", str(lake), "--read-only", "-c", "SELECT 1").code == 2
    assert run("sql", str(lake), "--read-only", "--catalog", "shop", "-c", "SELECT 1 AS a").out == "a\n1\n"


def test_arguments_that_are_neither_a_lake_nor_a_file_are_refused(lake: Path, tmp_path: Path) -> None:
    for words in ((str(tmp_path / "no"),), (str(lake), str(lake)), (str(lake), "a.sql", "b.sql")):
        assert run("sql", *words, "-c", "SELECT 1").code == 2
    assert not (tmp_path / "no.db").exists()


def test_modes_print_the_same_rows_each_in_its_way(lake: Path) -> None:
    values = "VALUES (1, 'a|b', NULL), (22, 'say \"hi\"\nthere', '')"
    made = f'CREATE TABLE t (id INTEGER, "x,y" VARCHAR, n VARCHAR); INSERT INTO t {values}'
    assert run(*SQL, "-c", f"CALL set_option('data_inlining_row_limit', '100'); {made}", lake=lake).code == 0
    modes = ("table", "csv", "markdown", "line")
    shown = {mode: run(*SQL, "--mode", mode, "-c", "FROM t", lake=lake).out for mode in modes}
    assert shown == {
        "table": 'id  x,y              n\n 1  a|b              NULL\n22  say "hi"\\nthere\n',
        "csv": 'id,"x,y",n\n1,a|b,\n22,"say ""hi""\nthere",""\n',
        "markdown": '| id | x,y | n |\n| ---: | --- | --- |\n| 1 | a\\|b | NULL |\n| 22 | say "hi"\\nthere |  |\n',
        "line": ' id = 1\nx,y = a|b\n  n = NULL\n\n id = 22\nx,y = say "hi"\\nthere\n  n =\n',
    }
    assert list(csv.reader(io.StringIO(shown["csv"])))[1:] == [["1", "a|b", ""], ["22", 'say "hi"\nthere', ""]]
    assert json.loads(run(*SQL, "--mode", "json", "-c", "FROM t", lake=lake).out)["rows"][0] == [1, "a|b", None]
    assert run(*SQL, "--json", "--mode", "csv", "-c", "FROM t", lake=lake).code == 2


def test_a_plan_is_printed_line_by_line(lake: Path) -> None:
    said = run(*SQL, "-c", "EXPLAIN FROM orders", lake=lake)
    assert said.out.splitlines()[0].startswith('Table "orders": Total Files Read: ')
    assert said.out.splitlines()[-1] == "Read by this process, without Spark."
    assert run(*SQL, "-c", "EXPLAIN FROM orders", "--mode", "csv", lake=lake).out.startswith(
        "explain_key,explain_value"
    )


def test_rows_of_a_table_are_those_that_a_query_counts(tmp_path: Path) -> None:
    path = tmp_path / "lake.db"
    with forklake.open(str(path)) as lake:
        lake.create_catalog("shop").create_table("t", {"i": "INTEGER"}).append([{"i": number} for number in range(3)])
        lake.catalog("shop").sql("DELETE FROM t WHERE i = 1")
    assert "Rows:    2\nDeleted: 1 row, still in its files\n" in run("table", "show", "shop", "t", lake=path).out


def test_json_of_several_statements_prints_each(lake: Path) -> None:
    said = run(*SQL, "--json", "-c", "SELECT 1 AS a; CREATE TABLE t (i INTEGER); SELECT 2 AS b", lake=lake).out
    documents, place, decoder = [], 0, json.JSONDecoder()
    while place < len(said.rstrip()):
        document, place = decoder.raw_decode(said, place)
        documents.append(document)
        place += 1
    assert [one["columns"] for one in documents] == [["a"], [], ["b"]]


def test_an_error_in_a_script_names_the_statement_and_its_line(lake: Path, tmp_path: Path) -> None:
    script = tmp_path / "load.sql"
    script.write_text("-- first\nSELECT 1 AS a;\n\nSELECT *\n  FROM nowhere;\nSELECT 2")
    said = run(*SQL, str(script), lake=lake)
    assert (said.out, said.code) == ("a\n1\n", 3)
    assert f"\nIn statement 2 of {script}, line 4: SELECT * ...\n" in said.err
    said = run(*SQL, "--json", str(script), lake=lake)
    assert json.loads(said.err)["error"]["notes"] == [f"In statement 2 of {script}, line 4: SELECT * ..."]
    said = run(*SQL, lake=lake, stdin="SELECT 1 AS a;\nDROP TABLE nowhere;")
    assert "\nIn statement 2 on line 2: DROP TABLE nowhere\n" in said.err
    script.write_text("SELECT 1;\nSELECT 2;\n  SELEC 3;")
    said = run(*SQL, str(script), lake=lake)
    assert said.out == ""
    assert "(line 3, column 3)" in said.err
    assert f"In {script}; none of its statements was run." in said.err


@pytest.mark.parametrize("width", [10, 20, 40, 80, 200])
def test_a_table_is_no_wider_than_the_terminal(width: int) -> None:
    columns = [f"column_{place}" for place in range(12)]
    rows = [["x" * (place * 7 % 40) for place in range(12)], ["漢字" * 12] * 12]
    kept, (names,), shown = fit_table([columns], rows, width)
    widths = [max(cell_len(line[place]) for line in (names, *shown)) for place in range(len(names))]
    assert sum(widths) + 3 * (len(widths) - 1) <= max(width, 23)
    assert (kept[0], kept[-1]) == (0, 11)
    assert fit_table([["a"]], [["b"]], width) == ([0], [["a"]], [["b"]])
    lines, shown_count = boxed_table(columns, ["VARCHAR"] * 12, rows, [False] * 12, width)
    assert shown_count == lines[1].count("│") - 1 - (shown_count < 12)
    assert max(map(cell_len, lines)) <= max(width, 27)
    assert len(set(map(cell_len, lines))) == 1


def test_columns_in_the_middle_are_left_out_before_names_are_cut() -> None:
    columns = ["vendor", "tpep_pickup_datetime", "tpep_dropoff_datetime", "passengers", "trip_distance", "payment_type"]
    rows = [["1", "2026-01-01 00:00:00", "2026-01-01 00:10:00", "1", "2.5", "card"]]
    lines, shown_count = boxed_table(columns, ["VARCHAR"] * 6, rows, [False] * 6, 80)
    assert [name.strip() for name in lines[1].strip("│").split("│")] == [
        "vendor", "tpep_pickup_datetime", "…", "trip_distance", "payment_type"
    ]  # fmt: skip
    assert shown_count == 4


def test_names_that_begin_alike_stay_apart_in_a_narrow_table() -> None:
    names = [f"column_{end}" for end in ("name", "type")]
    _, (shown,), _ = fit_table([names], [["id", "INTEGER"]], 21)
    assert shown == ["colu…name", "colu…type"]


def test_a_confined_session_reaches_its_catalog_only(lake: Path, tmp_path: Path) -> None:
    confined = ("sql", "--catalog", "agent", "--confined")
    assert "orders" in run(*confined, "-c", "SHOW TABLES", lake=lake).out
    assert "Catalog 'shop' does not exist" in run(*confined, "-c", "ATTACH 'ducklake:' (CATALOG 'shop')", lake=lake).err
    assert "shop" not in run(*confined, "-c", "SHOW CATALOGS", lake=lake).out
    outside = tmp_path / "orders.csv"
    assert "Permission Error" in run(*confined, "-c", f"COPY orders TO '{outside}'", lake=lake).err
    assert "has been locked" in run(*confined, "-c", "SET ducklake_max_retry_count = 1", lake=lake).err
    assert not outside.exists()


def test_a_confined_session_has_the_limits_that_are_given(lake: Path) -> None:
    limited = ("sql", "--catalog", "agent", "--confined", "--max-rows", "1")
    said = run(*limited, "-c", "SELECT * FROM (VALUES (1), (2))", lake=lake)
    assert said.code != 0
    assert "more than the 1 rows that this session allows" in said.err
    assert run(*limited, "-c", "SELECT 1 AS a", lake=lake).out == "a\n1\n"


def test_limits_of_a_confined_session_can_be_taken_away(lake: Path) -> None:
    none = (word for name in ("seconds", "rows", "bytes", "forks") for word in (f"--max-{name}", "none"))
    assert run("sql", "--catalog", "agent", "--confined", *none, "-c", "SELECT 1 AS a", lake=lake).out == "a\n1\n"


def test_a_confined_session_keeps_history_and_signs_as_it_is_said(lake: Path) -> None:
    confined = ("sql", "--catalog", "agent", "--confined", "--author", "agent 7", "--message", "run 7")
    expire = "CALL agent.expire_snapshots(older_than => now())"
    assert "shortens history" in run(*confined, "-c", expire, lake=lake).err
    assert run(*confined, "--may-maintain", "-c", expire, lake=lake).code == 0
    assert (
        "author and message" in run(*confined, "-c", "BEGIN; CALL agent.set_commit_message('ceo', 'x')", lake=lake).err
    )
    assert run(*confined, "-c", "CREATE TABLE made (i INTEGER)", lake=lake).code == 0
    assert "agent 7" in run("snapshot", "list", "agent", lake=lake).out
    forks = ("--fork-prefix", "agent", "--max-forks", "1", "-c")
    assert "go on from it" in run(*confined, *forks, "CREATE FORK agent7 FROM agent", lake=lake).err
    assert (
        "1 live forks"
        in run(*confined, *forks, 'CREATE FORK "agent-1" FROM agent; CREATE FORK "agent-2" FROM agent', lake=lake).err
    )
    assert "0 live forks" in run(*confined, "--max-forks", "0", "-c", "CREATE FORK other FROM agent", lake=lake).err
    assert run(*confined, "--max-forks", "none", "-c", "CREATE FORK other FROM agent", lake=lake).code == 0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--max-rows", "1"), "--max-rows is said of a confined session"),
        (("--author", "ann"), "--author is said of a confined session"),
        (("--max-forks", "0"), "--max-forks is said of a confined session"),
        (("--confined", "--max-seconds", "0"), "not in the range"),
        (("--confined", "--max-rows", "x"), "not a valid integer"),
    ],
)
def test_limits_that_mean_nothing_are_refused(lake: Path, given: tuple[str, ...], words: str) -> None:
    said = run(*SQL, *given, "-c", "SELECT 1", lake=lake)
    assert (said.code, words in said.err) == (2, True)


def test_confinement_needs_a_catalog(lake: Path) -> None:
    assert "none was chosen" in run("sql", "--confined", "-c", "SELECT 1", lake=lake).err
    assert run("sql", "--confined", "-c", "SELECT 1").code == 2


def test_a_new_file_becomes_a_lake_with_a_catalog_of_its_name(tmp_path: Path) -> None:
    new = tmp_path / "my shop.db"
    made = run("sql", str(new), "-c", "CREATE TABLE t (i INTEGER); INSERT INTO t VALUES (1); SELECT current_database()")
    assert (made.err, made.out.splitlines()[-1]) == ("", "my shop")
    assert run("sql", str(new), "-c", "FROM t").out == "i\n1\n"
    other = tmp_path / "other.ducklake"
    assert run("sql", str(other), "--catalog", "agent", "-c", "SELECT current_database() AS c").out == "c\nagent\n"


def test_a_url_makes_no_lake_of_its_name(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(lake.parent)
    before = run("sql", lake.name, "-c", "SHOW DATABASES").out
    assert run("sql", f"sqlite:{lake.name}", "-c", "SHOW DATABASES").out == before
    assert run("sql", "sqlite:none.db", "-c", "SHOW DATABASES").code == 3
    assert not Path("none.db").exists()


def test_a_new_file_is_not_made_for_readers_scripts_and_confined_sessions(tmp_path: Path) -> None:
    new = str(tmp_path / "new.db")
    for words in (["--read-only"], ["--confined"]):
        assert run("sql", new, *words, "-c", "SELECT 1").code == 3
    assert run("sql", str(tmp_path / "script.sql")).code == 2
    nowhere = run("sql", str(tmp_path / "nowhere" / "new.db"), "-c", "SELECT 1")
    assert nowhere.code == 2
    assert f"The directory '{tmp_path / 'nowhere'}' does not exist; no lake was made in it." in " ".join(
        nowhere.err.split()
    )
    assert list(tmp_path.iterdir()) == []


def test_init_takes_the_lake_as_an_argument(tmp_path: Path) -> None:
    new = tmp_path / "new.db"
    assert run("init", str(new), "--data-path", str(tmp_path / "data")).code == 0
    with forklake.open(str(new)) as lake:
        assert lake.catalogs() == []


def test_a_lake_where_none_belongs_is_told_how_to_name_it(lake: Path) -> None:
    assert f"The lake is named with --lake {lake}." in run("catalog", "list", str(lake)).err
    assert f"`forklake sql {lake}` opens a shell." in run(str(lake)).err
    assert "No such command 'lits'." in run("lits").err
