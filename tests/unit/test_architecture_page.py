"""The page on the architecture names modules that are there, and arrows that are imports."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "forklake"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ARROWS = re.findall(r"`([\w/]+)`\s+→\s+`([\w/]+)`", PAGE)
NAMES = sorted(set(re.findall(r"`((?:\w+/)+\w+)`", PAGE)) | {name for arrow in ARROWS for name in arrow})


def is_there(name: str) -> bool:
    return (SOURCE / f"{name}.py").exists() or (SOURCE / name / "__init__.py").exists()


def imported(name: str) -> set[str]:
    """Return the modules and packages that a module imports, also as attributes of a package of ours."""
    tree = ast.parse((SOURCE / f"{name}.py").read_text(encoding="utf-8"))
    found: set[str] = set()
    packages: dict[str, str] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or node.module is None or node.module.split(".")[0] != "forklake":
            continue
        base = "/".join(node.module.split(".")[1:])
        found.add(base)
        for alias in node.names:
            found.add(f"{base}/{alias.name}".strip("/"))
            packages[alias.asname or alias.name] = f"{base}/{alias.name}".strip("/")
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in packages:
            found.add(f"{packages[node.value.id]}/{node.attr}")
    return found


@pytest.mark.parametrize("name", NAMES)
def test_what_the_page_names_is_there(name: str) -> None:
    assert is_there(name)


@pytest.mark.parametrize(("above", "below"), sorted(set(ARROWS)))
def test_an_arrow_of_the_page_is_an_import(above: str, below: str) -> None:
    assert below in imported(above)


def test_the_page_has_arrows_and_the_check_finds_those_that_are_not_there() -> None:
    assert len(ARROWS) > 40
    assert "engine/spark/read/scan" not in imported("ops/append")
    assert not is_there("ops/nothing")
