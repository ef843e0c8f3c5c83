"""The workflows run what the Makefile has, on the versions of Python that the package claims, with pinned actions."""

import re
import tomllib

import pytest

from tests.pages import ROOT

WORKFLOWS = {
    path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))
}
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def unpinned(text: str) -> list[str]:
    """Return the actions of a workflow that are not pinned by a hash with the version beside it."""
    return [
        used
        for used in re.findall(r"uses: *(.+)$", text, flags=re.MULTILINE)
        if not re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", used)
    ]


def versions(text: str) -> set[tuple[str, str, str]]:
    """Return the actions of a workflow, with their hashes and versions."""
    return set(re.findall(r"uses: *(\S+)@([0-9a-f]{40}) # (\S+)$", text, flags=re.MULTILINE))


@pytest.mark.parametrize(
    "offence",
    ["actions/checkout@v7", "actions/checkout@main", f"actions/checkout@{'a' * 40}", "./local@v1 # v1.0.0"],
)
def test_the_check_finds_actions_that_are_not_pinned(offence: str) -> None:
    assert unpinned(f"      - uses: {offence}\n") == [offence]


def test_actions_are_pinned_to_one_version_each() -> None:
    assert {name: found for name, text in WORKFLOWS.items() if (found := unpinned(text))} == {}
    used = set[tuple[str, str, str]]().union(*(versions(text) for text in WORKFLOWS.values()))
    assert len(used) >= 3
    assert len({name for name, _, _ in used}) == len(used)


def test_workflows_run_targets_that_the_makefile_has() -> None:
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, flags=re.MULTILINE))
    (listed,) = re.findall(r"target: \[(.+)\]", WORKFLOWS["nightly"])
    run = {name: set(re.findall(r"run: make ([a-z-]+)", text)) for name, text in WORKFLOWS.items()}
    assert run["checks"] == {"check", "lint-ci", "test-fast"}
    assert run["main"] == {"test-spark-versions"}
    assert "run: .ci/run\n" in WORKFLOWS["main"]
    assert set(listed.split(", ")) == {"fuzz-statements", "fuzz-sql", "soak"}
    assert set().union(*run.values(), listed.split(", ")) <= targets


def test_quick_tests_run_on_every_python_that_the_package_claims() -> None:
    claimed = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    (matrix,) = re.findall(r"python: \[(.+)\]", WORKFLOWS["checks"])
    assert re.findall(r"[\d.]+", matrix) == claimed
    assert PROJECT["requires-python"] == f">={claimed[0]}"


def test_catalogs_of_spark_are_tested_on_every_release_that_the_makefile_names() -> None:
    (named,) = re.findall(r"^SPARKS +\?= (.+)$", MAKEFILE, flags=re.MULTILINE)
    (matrix,) = re.findall(r"spark: \[(.+)\]", WORKFLOWS["main"])
    assert re.findall(r"[\d.]+", matrix) == named.split()


def test_workflows_may_read_the_repository_and_nothing_else() -> None:
    for name, text in WORKFLOWS.items():
        assert re.findall(r"permissions:((?:\n +.+)+)", text) == ["\n  contents: read"], name
        assert text.count("persist-credentials: false") == text.count("uses: actions/checkout@"), name
        assert text.count("timeout-minutes:") == text.count("runs-on:"), name
