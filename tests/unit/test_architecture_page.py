"""The documents name modules that are there; on the page on the architecture, arrows are imports."""

import ast
import re
import tomllib
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


PLACES = sorted(set(re.findall(r"`([\w.]+)(?:\([^`]*\))?`\s+in\s+`((?:\w+/)+\w+)`", PAGE)))


def defines(module: str, name: str) -> bool:
    """Return whether a module has a function, a class or a constant of a name, which may be a class's."""
    tree = ast.parse((SOURCE / f"{module}.py").read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return name.rpartition(".")[2] in found


@pytest.mark.parametrize(("name", "module"), PLACES)
def test_what_the_page_finds_in_a_module_is_there(name: str, module: str) -> None:
    assert defines(module, name)


def test_the_page_finds_things_in_modules_and_the_check_those_that_are_not_there() -> None:
    assert len(PLACES) > 8
    assert defines("model/change_log", "ChangeKind.ALTERED_VIEW")
    assert not defines("model/change_log", "ChangeKind.NOTHING")


# ---- the storeys of the page are those that are enforced -------------------------------------------------------------

CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]


def test_the_storeys_of_the_page_are_those_of_the_contract() -> None:
    (layers,) = [contract["layers"] for contract in CONTRACTS if contract["type"] == "layers"]
    block = PAGE.partition("## Storeys\n\n```\n")[2].partition("```")[0]
    shown = [re.split(r" {2,}", line)[0] for line in block.splitlines()]
    assert shown == [re.sub("[()]", "", layer) for layer in layers]


def test_the_homes_of_dependencies_on_the_page_are_those_of_the_contracts() -> None:
    homes: dict[str, set[str]] = {}
    for contract in CONTRACTS:
        if contract["type"] == "forbidden" and contract["source_modules"] == ["forklake"]:
            for ignored in contract["ignore_imports"]:
                importer, _, imported_module = ignored.partition(" -> ")
                home = importer.removeprefix("forklake.").removesuffix(".**").replace(".", "/")
                homes.setdefault(imported_module, set()).add(home)
    table = PAGE.partition("| imported | only by |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (`.+`) \| (`.+`) \|$", table, flags=re.MULTILINE)
    shown = {name: set(re.findall(r"`(.+?)`", by)) for names, by in rows for name in re.findall(r"`(.+?)`", names)}
    assert shown == homes


def test_the_page_says_what_each_room_holds() -> None:
    table = PAGE.partition("| package | holds |")[2].partition("\n\n")[0]
    rooms = {
        path.parent.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("__init__.py")
        if len(path.relative_to(SOURCE).parts) > 2
    }
    assert set(re.findall(r"`((?:\w+/)+\w+)`", table)) == rooms


# ---- all documents -------------------------------------------------------------------------------------------------

DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "tests/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
STOREYS = "|".join(sorted(path.parent.name for path in SOURCE.glob("*/__init__.py")))


def unknown_modules(text: str) -> list[str]:
    """Return the modules, packages and files of ours that a text names in backticks and that are not there."""
    paths = re.findall(rf"`((?:{STOREYS})(?:/\w+)+)(?:\.py)?`", text)
    paths += [name.replace(".", "/") for name in re.findall(rf"`forklake\.((?:{STOREYS})(?:\.[a-z_0-9]+)*)`", text)]
    files = re.findall(r"`((?:tests|benchmarks|src|docs)/[\w/.-]+)`", text)
    return [path for path in paths if not is_there(path)] + [path for path in files if not (ROOT / path).exists()]


def test_the_check_finds_modules_that_are_not_there() -> None:
    assert unknown_modules(
        "`catalog/nothing`, `catalog/state.py`, `forklake.model.nothing` and `tests/nothing.py`"
    ) == [
        "catalog/nothing",
        "model/nothing",
        "tests/nothing.py",
    ]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_documents_name_modules_that_are_there(document: Path) -> None:
    assert unknown_modules(document.read_text(encoding="utf-8")) == []


GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")


def unknown_classes(text: str) -> list[str]:
    """Return the classes that a text names in backticks and that the package does not have."""
    code = "\n".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    named = re.findall(r"`([A-Z][a-z]+(?:[A-Z][a-z]+)*)`", text)
    return [name for name in named if not re.search(rf"^ *class {name}\b", code, flags=re.MULTILINE)]


def test_classes_of_the_glossary_are_there() -> None:
    assert unknown_classes("`Connection` and `Connexion`") == ["Connexion"]
    assert unknown_classes(GLOSSARY) == []


def test_a_word_stands_in_the_glossary_once() -> None:
    rows = re.findall(r"^\| \*\*(.+?)\*\* \|", GLOSSARY, flags=re.MULTILINE)
    words = [word for row in rows for word in row.split(", ")]
    assert len(words) > 50
    assert sorted(words) == sorted(set(words))


@pytest.mark.parametrize(("above", "below"), sorted(set(ARROWS)))
def test_an_arrow_of_the_page_is_an_import(above: str, below: str) -> None:
    assert below in imported(above)


def test_the_page_has_arrows_and_the_check_finds_those_that_are_not_there() -> None:
    assert len(ARROWS) > 40
    assert "engine/spark/read/scan" not in imported("ops/rows/append")
    assert not is_there("ops/nothing")
