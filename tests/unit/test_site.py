"""The pages of the site hang together: navigation, links, and every example that can be checked without being run."""

import ast
import re
import shlex
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import click
import duckdb
import pytest

import forklake
from forklake.cli.function_page import page as function_page
from forklake.cli.main import forklake as program
from forklake.session.functions import FUNCTIONS
from forklake.sql import statements
from forklake.sql.parse import parse
from forklake.sql.vocabulary import BY_NAME
from tests.pages import DOCS, ON_SPARK, ROOT, WITHOUT_JAVA

PAGES = sorted(DOCS.rglob("*.md"))
AT_THE_ROOT = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "CHANGELOG.md", "tests/README.md")
DOCUMENTS = [*(ROOT / name for name in AT_THE_ROOT), *PAGES]
RUN_ELSEWHERE = ("guide/connector.md", "guide/ducklake.md", "guide/spark.md")  # tests/spark, tests/interop
OTHER_SQL = (
    "guide/operations.md",
    "guide/web-apps.md",
    "guide/spark.md",
)  # of others; tests/contract, tests/spark run it
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(path: Path, *languages: str) -> list[str]:
    return [text for language, text in BLOCK.findall(path.read_text(encoding="utf-8")) if language in languages]


def sql_statements(path: Path) -> Iterator[str]:
    for block in blocks(path, "sql"):
        yield from (text for text in re.split(r";(?=\s|$)", re.sub(r"--.*", "", block)) if text.strip())


# ---- navigation and links --------------------------------------------------------------------------------------------


def test_every_page_is_in_the_navigation_once() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    listed = re.findall(r"([\w/.-]+\.md)$", navigation, flags=re.MULTILINE)
    assert sorted(listed) == [page.relative_to(DOCS).as_posix() for page in PAGES]


def anchors(path: Path) -> set[str]:
    """Return the anchors of the headings of a page, as the site makes them."""
    prose = BLOCK.sub("", path.read_text(encoding="utf-8"))
    made: set[str] = set()
    for heading in re.findall(r"^#+ (.+)$", prose, flags=re.MULTILINE):
        plain = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode()
        made.add(re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower()))
    return made


def broken_links(path: Path, text: str) -> Iterator[str]:
    for target, anchor in LINK.findall(re.sub(r"`[^`\n]*`", "", BLOCK.sub("", text))):
        found = (path.parent / target).resolve() if target else path
        is_of_site = not path.is_relative_to(DOCS) or found.is_relative_to(DOCS)
        if not found.exists() or not is_of_site or (anchor and anchor not in anchors(found)):
            yield f"{target}#{anchor}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_links_lead_to_pages_and_headings_that_are_there(path: Path) -> None:
    assert list(broken_links(path, path.read_text(encoding="utf-8"))) == []


def test_the_check_finds_links_that_lead_nowhere() -> None:
    text = "[a](nothing.md) [b](install.md#nothing) [c](#what-it-needs) [d](install.md#what-it-needs) [e](../README.md)"
    assert list(broken_links(DOCS / "install.md", text)) == ["nothing.md#", "install.md#nothing", "../README.md#"]


# ---- examples --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_examples_with_prompts_are_run_by_a_test(path: Path) -> None:
    if any(block.lstrip().startswith(">>>") for block in blocks(path, "python")):
        assert path.relative_to(DOCS).as_posix() in (*WITHOUT_JAVA, *ON_SPARK, *RUN_ELSEWHERE)


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_python_without_prompts_is_python(path: Path) -> None:
    for block in blocks(path, "python"):
        if not block.lstrip().startswith(">>>"):
            ast.parse(block)


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if list(sql_statements(path))], ids=name_of)
def test_sql_is_understood(path: Path) -> None:
    if path.is_relative_to(DOCS) and path.relative_to(DOCS).as_posix() in OTHER_SQL:
        pytest.skip("the SQL of the metadata database or of Spark, which other tests run")
    for text in sql_statements(path):
        assert parse(text), text


def unknown_words(line: str) -> list[str]:
    """Return the commands and options of a line for the shell that the program does not have."""
    command: click.Command = program
    known = {option for parameter in command.params for option in parameter.opts}
    options = list[str]()
    for word in shlex.split(line, comments=True)[1:]:
        if word.startswith("-"):
            options.append(word.partition("=")[0])
        elif isinstance(command, click.Group) and (below := command.get_command(click.Context(command), word)):
            command = below
            known |= {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    missing = [word for word in options if word not in known | {"--help", "-h"}]
    return missing + (["no command"] if isinstance(command, click.Group) and not options else [])


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_commands_for_the_shell_are_there(path: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    for block in blocks(path, "sh", ""):
        for line in block.replace("\\\n", " ").splitlines():
            if found := re.search(r"^(?:\$ |[\d*/ ]+  )?(forklake [a-z-].*)", line):
                assert unknown_words(found.group(1)) == [], line
            if found := re.match(r"make ([a-z-]+)", line):
                assert found.group(1) in targets, line


def test_the_check_finds_commands_that_are_not_there() -> None:
    assert unknown_words("forklake catalog fork shop agent --ttl 2h") == []
    assert unknown_words("forklake catalog fork shop agent --forever") == ["--forever"]
    assert unknown_words("forklake catalogue tree") == ["no command"]


def test_the_first_change_is_one_that_is_still_to_be_made() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (declaration,) = re.findall(r"^ +declare(\(.+\)),$", text, flags=re.MULTILINE)
    name, arguments, result, _ = ast.literal_eval(declaration)
    assert name not in BY_NAME, "built: let CONTRIBUTING.md name another function that is missing"
    asked = "SELECT list(parameter_types), any_value(return_type) FROM duckdb_functions() WHERE function_name = ?"
    assert duckdb.execute(asked, [name]).fetchone() == ([[arguments.split()[1]]], result)
    (call,) = re.findall(r'forklake sql -c "(.+?)"', text)
    assert duckdb.sql(call).fetchall() == [(int(re.findall(r"The answer is (\d+)", text)[0]),)]


# ---- references ------------------------------------------------------------------------------------------------------


def test_the_reference_of_python_has_every_public_name() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in DOCS.glob("reference/python*.md"))
    named = re.findall(r"^::: forklake\.(\w+)$", text, flags=re.MULTILINE)
    assert sorted(set(named) - {"lake"}) == sorted(forklake.__all__)


def test_the_reference_of_sql_has_every_statement() -> None:
    kinds = {type(found) for text in sql_statements(DOCS / "reference" / "sql.md") for found in parse(text)}
    assert kinds == set(get_args(statements.Statement))


def test_the_page_of_catalog_functions_is_as_the_functions_are() -> None:
    text = (DOCS / "reference" / "catalog-functions.md").read_text(encoding="utf-8")
    assert text == function_page(), "run `make docs`"
    described = re.findall(r"^### ducklake_(\w+)$\n\n\w", text, flags=re.MULTILINE)
    assert sorted(described) == sorted(FUNCTIONS)
