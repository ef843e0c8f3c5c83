"""What holds for every command: where --lake and --json stand, exit codes, what a pipe and a shell get."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import psycopg
import pytest
from click.testing import CliRunner
from rich.cells import cell_len

import forklake
from forklake.cli import output
from forklake.cli.main import forklake as program
from forklake.cli.reference import commands, page
from forklake.metastore.schema.steps import VERSION
from tests.cli.terminal import make_shop, run
from tests.stored import load as stored

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"
COMMANDS = dict(commands(program))


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_shop(tmp_path)


def process(*words: str, stdin: str = "", **env: str) -> "subprocess.CompletedProcess[str]":
    """Run the program as a process of its own, without a terminal."""
    clean = {key: value for key, value in os.environ.items() if key not in ("FORKLAKE_LAKE", "FORCE_COLOR")}
    return subprocess.run(
        [sys.executable, "-c", "from forklake.cli.main import main; main()", *words],
        input=stdin, capture_output=True, text=True, env=clean | env, check=False, timeout=120,
    )  # fmt: skip


# ----------------------------------------------------------------------------------------------------------------------
# Every command


@pytest.mark.parametrize("path", COMMANDS)
def test_a_command_has_help_with_an_example_of_itself(path: str) -> None:
    said = run(*path.split()[1:], "--help")
    assert said.code == 0
    assert any(path in example for example in COMMANDS[path].examples)
    assert all(f"  {example}\n" in said.out for example in COMMANDS[path].examples)
    assert max(len(line) for line in said.out.partition("Examples:")[0].splitlines()) <= 80


@pytest.mark.parametrize("path", COMMANDS)
def test_the_examples_of_a_command_are_commands(path: str) -> None:
    root = click.Context(program, info_name="forklake")
    for example in COMMANDS[path].examples:
        words = shlex.split(example.partition(path)[2].partition(" >")[0])
        COMMANDS[path].make_context(path, words, parent=root)


@pytest.mark.parametrize("path", COMMANDS)
def test_a_command_takes_lake_and_json_and_documents_its_json(path: str) -> None:
    names = {name for parameter in COMMANDS[path].params for name in parameter.opts}
    assert {"--lake", "--json"} <= names
    assert "With --json: " in (COMMANDS[path].help or "")


@pytest.mark.parametrize("path", COMMANDS)
def test_every_option_of_a_command_says_what_it_does(path: str) -> None:
    for parameter in COMMANDS[path].params:
        assert parameter.param_type_name == "argument" or getattr(parameter, "help", None), parameter.name


@pytest.mark.parametrize(
    "words",
    [
        "init",
        "catalog create new",
        "catalog list",
        "catalog show shop",
        "catalog fork shop new",
        "catalog drop audit",
        "catalog rename audit new",
        "catalog sever audit",
        "catalog tree",
        "table list shop",
        "table show shop orders",
        "table files shop orders",
        "table history shop orders",
        "table flush shop",
        "snapshot list shop",
        "snapshot expire shop 1 --dry-run",
        "option list",
        "option set parquet_version 2",
        "option reset parquet_version",
        "stats",
        "completion bash",
    ],
)
def test_json_is_one_document_on_stdout_and_nothing_else(words: str, shop: Path) -> None:
    said = run(*words.split(), "--json", lake=shop)
    assert (said.code, said.err) == (0, "")
    assert isinstance(json.loads(said.out), dict)


def test_the_reference_is_what_the_commands_say() -> None:
    assert REFERENCE.read_text(encoding="utf-8") == page(), "run `make docs`"


def test_lists_of_commands_cut_no_sentence() -> None:
    for group in ([], ["catalog"], ["table"], ["snapshot"], ["option"]):
        assert "..." not in run(*group, "--help").out.partition("Commands:")[2]


# ----------------------------------------------------------------------------------------------------------------------
# The lake


def test_the_lake_may_be_named_anywhere_and_the_last_one_counts(shop: Path, tmp_path: Path) -> None:
    nearest = ["--lake", str(shop)]
    for words in (
        [*nearest, "catalog", "list"],
        ["catalog", *nearest, "list"],
        ["catalog", "list", *nearest],
        ["--lake", "other.db", "catalog", "list", *nearest],
    ):
        assert "what-if" in run(*words).out
        assert "what-if" in run(*words, lake=tmp_path / "other.db").out
    assert "what-if" in run("catalog", "list", lake=shop).out
    assert not (tmp_path / "other.db").exists()


def test_json_may_stand_before_and_after_the_command(shop: Path) -> None:
    for words in (["--json", "catalog", "list"], ["catalog", "--json", "list"], ["catalog", "list", "--json"]):
        assert len(json.loads(run(*words, lake=shop).out)["catalogs"]) == 4


def test_without_a_lake_the_usage_is_wrong() -> None:
    said = run("catalog", "list")
    assert said.code == 2
    assert "--lake URL" in said.err
    assert said.out == ""


def test_a_lake_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    for words in (["catalog", "list"], ["catalog", "create", "shop"], ["stats"], ["catalog", "tree"]):
        said = run(*words, lake=tmp_path / "typo.db")
        assert said.code == 3
        assert "forklake init" in said.err
    assert list(tmp_path.iterdir()) == []


# ----------------------------------------------------------------------------------------------------------------------
# Processes


def test_every_kind_of_error_has_its_exit_code(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("This is no database, whatever its name is.")
    for code, words in (
        (0, ["catalog", "list"]),
        (2, ["catalog", "list", "--lake", "mongodb://somewhere"]),
        (2, ["catalog", "list", "--colour"]),
        (3, ["catalog", "show", "nobody"]),
        (4, ["catalog", "create", "shop"]),
        (8, ["catalog", "list", "--lake", str(tmp_path / "notes.txt")]),
    ):
        said = run(*words, lake=shop)
        assert said.code == code, said.err
        assert (bool(said.out), bool(said.err)) == (not code, bool(code))


def test_a_process_leaves_with_the_exit_code_of_its_error(shop: Path) -> None:
    done = process("catalog", "show", "nobody", "--lake", str(shop))
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith('Error: Catalog "nobody" does not exist.\nHint: ')


def test_an_error_in_json_is_json_on_stderr(shop: Path) -> None:
    said = run("catalog", "show", "nobody", "--json", lake=shop)
    assert (said.code, said.out) == (3, "")
    error = json.loads(said.err)["error"]
    assert error["code"] == "not_found"
    assert error["retryable"] is False
    assert "forklake catalog list" in error["hint"]


def test_a_pipe_gets_no_colour_codes(shop: Path) -> None:
    done = process("catalog", "list", FORKLAKE_LAKE=str(shop))
    assert done.stdout.startswith("NAME")
    assert "\x1b" not in done.stdout


def test_a_reader_that_leaves_early_is_no_error(shop: Path) -> None:
    program_text = "from forklake.cli.main import main; main()"
    done = subprocess.run(
        f"{sys.executable} -c '{program_text}' snapshot list --all --lake {shop} | head -n 1",
        shell=True, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.startswith("SNAPSHOT")
    assert "Traceback" not in done.stderr


def test_a_purge_asks_and_takes_no_for_an_answer(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("catalog", "drop", "audit", lake=shop)
    done = process("catalog", "purge", "audit", stdin="y\n", FORKLAKE_LAKE=str(shop))
    assert done.returncode == 2
    assert "--yes" in done.stderr
    monkeypatch.setattr("forklake.cli.catalog.asks", lambda: True)
    refused = run("catalog", "purge", "audit", lake=shop, stdin="n\n")
    assert refused.code == 130
    assert "for good?" in refused.err
    assert run("catalog", "undrop", "audit", lake=shop).code == 0
    run("catalog", "drop", "audit", lake=shop)
    assert run("catalog", "purge", "audit", lake=shop, stdin="y\n").code == 0
    assert run("catalog", "undrop", "audit", lake=shop).code == 3


# ----------------------------------------------------------------------------------------------------------------------
# Names


def test_names_are_shown_whole_and_cannot_command_the_terminal(shop: Path) -> None:
    long = "customer " * 20 + "end"
    run("catalog", "fork", "shop", long, "東京", lake=shop)
    refused = run("catalog", "fork", "shop", "\x1b[31mred\n", lake=shop)
    assert (refused.code, "\\x1b[31mred\\n" in refused.err, "\x1b" in refused.err) == (2, True, False)
    listed = run("catalog", "list", lake=shop).out
    assert long in listed
    names = {each["name"] for each in json.loads(run("catalog", "list", "--json", lake=shop).out)["catalogs"]}
    assert {long, "東京"} <= names
    with forklake.open(str(shop)) as lake:
        lake.catalog("shop").create_table("\x1b[31mred\n", {"id": "BIGINT"})
    listed = run("table", "list", "shop", lake=shop).out
    assert "\\x1b[31mred\\n" in listed
    assert "\x1b" not in listed
    names = {each["name"] for each in json.loads(run("table", "list", "shop", "--json", lake=shop).out)["tables"]}
    assert "\x1b[31mred\n" in names


def test_columns_line_up_with_wide_letters() -> None:
    lines = output.Sheet("NAME", "ID", right=("ID",)).lines([("東京", 1), ("shop", 22)])
    assert len({cell_len(line) for line in lines[1:]}) == 1


def test_names_come_from_a_file_or_a_pipe(shop: Path, tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_text("x-1\nx-2\n\nx 3\r\n", encoding="utf-8")
    assert run("catalog", "fork", "shop", "x-0", "--names-from", str(names), lake=shop).code == 0
    assert run("catalog", "fork", "shop", "--names-from", "-", lake=shop, stdin="y-1\ny-2\n").code == 0
    found = json.loads(run("catalog", "list", "--json", lake=shop).out)["catalogs"]
    assert [each["name"] for each in found if each["parent_id"] == 0 and each["name"][0] in "xy"] == [
        "x 3", "x-0", "x-1", "x-2", "y-1", "y-2",
    ]  # fmt: skip


def test_names_that_are_no_text_are_refused(shop: Path, tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_bytes(b"x-1\n\xff\n")
    found = run("catalog", "fork", "shop", "--names-from", str(names), lake=shop)
    assert found.code == 2
    assert "'--names-from' is no text in UTF-8" in found.err
    assert "x-1" not in run("catalog", "list", lake=shop).out


def test_forks_made_one_by_one_start_from_one_snapshot(shop: Path) -> None:
    run("catalog", "fork", "shop", "one", "two", "--if-not-exists", lake=shop)
    found = json.loads(run("catalog", "list", "--json", lake=shop).out)["catalogs"]
    assert {each["parent_snapshot_id"] for each in found if each["name"] in ("one", "two")} == {2}


# ----------------------------------------------------------------------------------------------------------------------
# Completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_calls_the_program(shell: str) -> None:
    said = run("completion", shell)
    assert said.code == 0
    assert f"_FORKLAKE_COMPLETE={shell}_complete" in said.out


def completed(line: str, **env: str) -> list[str]:
    """Complete a line as bash asks for it."""
    asked = {"_FORKLAKE_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    told = CliRunner(env={"FORKLAKE_LAKE": None} | asked | env).invoke(program, [], prog_name="forklake")
    return [each.partition(",")[2] for each in told.stdout.splitlines() if each]


def test_a_shell_completes_verbs_options_and_names_of_catalogs(shop: Path) -> None:
    assert completed("forklake catalog und") == ["undrop"]
    assert completed("forklake catalog fork --if") == ["--if-not-exists"]
    assert completed("forklake catalog show a", FORKLAKE_LAKE=str(shop)) == ["agent", "audit"]
    assert completed(f"forklake catalog show --lake {shop} w") == ["what-if"]
    assert completed("forklake option list --catalog s", FORKLAKE_LAKE=str(shop)) == ["shop"]
    assert completed("forklake option set parquet_v") == ["parquet_version"]


def test_completion_is_silent_where_there_is_no_lake(tmp_path: Path) -> None:
    missing = tmp_path / "no.db"
    assert completed("forklake catalog show a", FORKLAKE_LAKE=str(missing)) == []
    assert completed("forklake catalog show a") == []
    assert not missing.exists()


# ----------------------------------------------------------------------------------------------------------------------
# Figures


def test_stats_count_what_is_there(shop: Path) -> None:
    run("catalog", "drop", "audit", "what-if", lake=shop)
    run("catalog", "purge", "what-if", "--yes", lake=shop)
    found = json.loads(run("stats", "--by", "hour", "--periods", "2", "--json", lake=shop).out)
    assert [found[key] for key in ("catalog_count", "root_count", "fork_count", "dropped_count", "purged_count")] == [
        2, 1, 1, 1, 1,
    ]  # fmt: skip
    assert found["snapshot_count"] == 7
    sizes = {each["name"]: each for each in found["tables"]}
    assert sizes["ducklake_data_file"]["row_count"] == 2  # those of the purged one are gone
    assert sizes["ducklake_data_file"]["byte_count"] >= 4096
    assert sum(each["byte_count"] for each in found["tables"]) <= found["byte_count"]
    assert sum(each["catalogs_made"] for each in found["growth"]) == 4
    assert len(found["growth"]) == 2
    text = run("stats", lake=shop).out
    assert "2 (1 root, 1 fork)" in text
    assert max(len(line) for line in text.splitlines()) <= 80


def test_partitions_are_refused_where_there_are_none(tmp_path: Path) -> None:
    said = run("init", "--partitions", "4", lake=tmp_path / "lake.db")
    assert said.code == 2
    assert not (tmp_path / "lake.db").exists()


def test_init_says_what_it_did(postgres_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("init", lake=postgres_database).out.splitlines() == [
        "The lake is ready.",
        "Data path: not set; give --data-path",
    ]
    nothing = "The lake was ready before; nothing was changed."
    assert run("init", lake=postgres_database).out.splitlines()[0] == nothing
    said = run("init", "--data-path", "data", lake=postgres_database)
    assert said.out.splitlines() == [
        "The lake was ready before.",
        "It had no data path; now it has one.",
        f"Data path: {tmp_path}/data/",
    ]
    assert run("init", "--data-path", "data", lake=postgres_database).out.splitlines()[0] == nothing
    said = run("init", "--data-path", "other", lake=postgres_database)
    assert (said.code, said.out) == (2, "")
    assert "does not match existing data path" in said.err
    assert json.loads(run("init", "--json", lake=postgres_database).out) == {
        "created": False,
        "data_path_set": False,
        "data_path": f"{tmp_path}/data/",
    }


def test_init_with_a_path_that_makes_no_sense_makes_nothing(tmp_path: Path) -> None:
    said = run("init", "--data-path", "", lake=tmp_path / "lake.db")
    assert said.code == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "url", [":memory:", "ducklake::memory:", "mysql:db=lake", "ducklake:mysql:db=lake", "file:x.db"]
)
def test_no_command_makes_a_file_for_a_database_that_is_not_known(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (["init"], ["catalog", "list"], ["catalog", "create", "shop"], ["stats"]):
        said = run(*words, lake=url)
        assert (said.code, said.out) == (2, "")
        assert "nothing was made" in said.err
    assert list(tmp_path.iterdir()) == []


# ----------------------------------------------------------------------------------------------------------------------
# Orphaned files
# ----------------------------------------------------------------------------------------------------------------------


def test_orphaned_files_are_listed_and_deleted(shop: Path, tmp_path: Path) -> None:
    place = tmp_path / "data/shop/main/orders"
    place.mkdir(parents=True, exist_ok=True)
    stray = place / "stray.parquet"
    stray.write_bytes(b"12345")
    assert run("maintain", "orphans", "shop", lake=shop).out == "Deleted 0 orphaned files, 0 B.\n"
    dry = run("maintain", "orphans", "shop", "--any-age", "--dry-run", lake=shop)
    assert dry.out == f"{stray}\nWould delete 1 orphaned file, 5 B.\n"
    assert stray.exists()
    told = json.loads(run("maintain", "orphans", "--all", "--any-age", "--json", lake=shop).out)
    assert [file["path"] for file in told["files"]] == [str(stray)]
    assert (told["byte_count"], told["failures"], told["dry_run"]) == (5, [], False)
    assert not stray.exists()


def test_a_directory_that_cannot_be_searched_is_told_and_the_rest_goes_on(shop: Path, tmp_path: Path) -> None:
    stray = tmp_path / "data/agent/stray.parquet"
    stray.parent.mkdir(parents=True)
    stray.write_bytes(b"12345")
    with forklake.open(str(shop)) as lake:
        lake.catalog("shop").options.set("delete_older_than", "")
    (tmp_path / "data/shop").mkdir(exist_ok=True)
    (tmp_path / "data/shop/own.parquet").write_bytes(b"12345")
    said = run("maintain", "orphans", "--all", "--older-than", "0 seconds", lake=shop)
    assert (said.code, said.out.splitlines()[-1]) == (0, "Deleted 2 orphaned files, 10 B.")
    stray.write_bytes(b"12345")
    (tmp_path / "data/shop/own.parquet").write_bytes(b"12345")
    with forklake.open(str(shop)) as lake:
        lake.catalog("agent").options.set("delete_older_than", "0 seconds")
    said = run("maintain", "orphans", "--all", lake=shop)
    assert (said.code, said.out.splitlines()[-1]) == (9, "Deleted 1 orphaned file, 5 B.")
    assert "either cleanup_all OR older_than must be specified" in said.err


def test_upgrade_says_what_it_does(tmp_path: Path) -> None:
    lake = tmp_path / "lake.db"
    stored.load("v1", "sqlite", tmp_path / "home", f"sqlite:{lake}")
    said = run("catalog", "list", lake=lake)
    assert (said.code, said.out) == (8, "")
    assert "metadata of version 1" in said.err
    assert "`forklake upgrade --lake URL`" in said.err
    said = run("upgrade", "--dry-run", lake=lake)
    first, second, *_ = said.out.splitlines()
    assert first == f"-- From version 1 to version {VERSION}"
    assert second.startswith("-- Stored definitions, which reach nothing but their own catalog")
    assert "\nBEGIN;\n" in said.out
    assert said.out.splitlines()[-1] == "COMMIT;"
    assert "CREATE TABLE forklake_ducklake_lease" in said.out
    assert run("upgrade", lake=lake).out.startswith(f"The metadata was brought from version 1 to version {VERSION}.\n")
    assert json.loads(run("upgrade", "--json", lake=lake).out) == {
        "found_version": VERSION,
        "version": VERSION,
        "definitions": [],
        "trusted": False,
        "upgraded": False,
        "statements": [],
    }
    assert run("catalog", "list", lake=lake).code == 0


def test_the_hint_about_a_plain_ducklake_is_one_command_that_moves_it_over(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "new").mkdir()
    assert run("catalog", "export", "shop", "new/old.ducklake", lake=shop).code == 0
    monkeypatch.chdir(tmp_path / "new")
    said = run("sql", "old.ducklake", "SHOW TABLES")
    (command,) = re.findall("`forklake (.*)` makes a catalog of it, in a new lake if need be", said.err)
    for wrong, words in (("gone.ducklake", 'gone.ducklake" to import'), ("lake.txt", "neither a SQLite nor")):
        Path("lake.txt").write_text("nothing", encoding="utf-8")
        said = run(*shlex.split(command.replace("old.ducklake", wrong)))
        assert words in said.err
        assert not Path("lake.db").exists()
    said = run(*shlex.split(command))
    made = Path("lake.db").resolve()
    assert (said.code, said.err) == (0, f"{made} is a new lake; its files go below {made}.files.\n")
    assert said.out.startswith('Imported "NAME" with 2 tables')
    assert "orders" in run("sql", "lake.db", "SHOW TABLES").out
    said = run("--lake", "lake.db", "catalog", "import", "again", "old.ducklake")
    assert (said.code, said.err) == (0, "")


def test_no_lake_on_a_server_is_made_by_an_import(shop: Path, tmp_path: Path, postgres_database: str) -> None:
    path = str(tmp_path / "old.sqlite")
    assert run("catalog", "export", "shop", path, lake=shop).code == 0
    said = run("--lake", postgres_database, "catalog", "import", "shop", path)
    assert said.code != 0
    with psycopg.connect(postgres_database) as connection:
        found = connection.execute("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'ducklake%'").fetchone()
    assert found == (0,)
