"""One file states where the project lives and whom to write to; all others repeat it. No service's host is named."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pages import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
HOME, MAIL, OWNERS = (PROJECT["tool"]["forklake"][name] for name in ("home", "mail", "owners"))
FOLDERS = (".ci", ".github", "benchmarks", "docs", "src", "tests")
ENDINGS = {".css", ".ini", ".java", ".json", ".md", ".mjs", ".py", ".sh", ".sql", ".toml", ".txt", ".yaml", ".yml"}
FILES = [path for path in sorted(ROOT.iterdir()) if path.is_file() and path.suffix in {*ENDINGS, ""}] + [
    path
    for folder in FOLDERS
    for path in sorted((ROOT / folder).rglob("*"))
    if path.is_file() and path.suffix in {*ENDINGS, ""} and path != Path(__file__)
]
_AT_THE_ROOT = {"CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md", "pyproject.toml", ".pre-commit-config.yaml"}
OF_COMMUNITY = [path for path in FILES if path.is_relative_to(ROOT / ".github") or path.name in _AT_THE_ROOT]
_ADDRESS = re.compile(r"https?://[^\s\"'`<>()\[\]]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_SERVICE = re.compile(r"(?i)\b(?:github|gitlab|bitbucket|codeberg|pypi|readthedocs)\.(?:com|org|io)\b")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def addresses(text: str) -> Iterator[str]:
    """Return the URLs and mail addresses of a text, but not what an action is pinned to."""
    yield from (found.rstrip(".,;:") for found in _ADDRESS.findall(re.sub(r"uses: \S+", "", text)))


def is_ours(address: str) -> bool:
    return address in {HOME, MAIL, *OWNERS.split()} or address.startswith(f"{HOME}/")


def other_homes(text: str) -> list[str]:
    """Return the addresses of a text that name forklake, or have a placeholder's host, and are not the project's."""
    return [
        found
        for found in addresses(text)
        if re.search(r"(?i)^https?://[^?]*forklake|forklake[\w.+-]*@|example\.invalid", found) and not is_ours(found)
    ]


@pytest.mark.parametrize(
    "offence",
    [
        "https://code.example/forklake",
        "https://forklake.example/",
        "http://example.invalid/other",
        "Write to security@example.invalid.",
        "forklake-owners@mail.example",
    ],
)
def test_the_check_finds_other_homes(offence: str) -> None:
    assert len(other_homes(offence)) == 1


def test_the_home_and_other_hosts_are_not_other_homes() -> None:
    assert other_homes(f"{HOME}, {HOME}/issues. {MAIL}; https://host/lake.db?x=forklake lake@db.example") == []
    assert list(addresses("- uses: actions/checkout@v7.0.1 # v7")) == []


def test_no_file_has_another_home() -> None:
    assert len(FILES) > 500
    found = {name_of(path): other_homes(path.read_text(encoding="utf-8")) for path in FILES}
    assert {name: homes for name, homes in found.items() if homes} == {}


@pytest.mark.parametrize("path", OF_COMMUNITY, ids=name_of)
def test_files_for_those_who_join_name_no_other_host(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert [found for found in addresses(text) if not is_ours(found)] == []
    assert _SERVICE.findall(text.replace(HOME, "").replace(MAIL, "")) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CODE_OF_CONDUCT.md", MAIL),
        ("CONTRIBUTING.md", f"git clone {HOME}"),
        ("SECURITY.md", MAIL),
        (".github/CODEOWNERS", f"\n* {OWNERS}\n"),
    ],
)
def test_files_that_need_the_home_or_the_address_have_it(name: str, value: str) -> None:
    assert value in (ROOT / name).read_text(encoding="utf-8")


def test_the_urls_of_the_package_lie_below_the_home() -> None:
    urls = PROJECT["project"]["urls"]
    assert {"Homepage", "Issues", "Changelog"} <= set(urls)
    assert [url for url in urls.values() if not is_ours(url)] == []


def test_the_supported_version_is_this_one() -> None:
    minor = ".".join(PROJECT["project"]["version"].split(".")[:2])
    assert f"({minor})" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")
