"""The table of verbs: what exists has a row, what a row names exists, and what is missing has a reason."""

import inspect
import re
import typing
from collections.abc import Iterator
from pathlib import Path

import forklake
from forklake.cli.main import forklake as program
from forklake.cli.reference import commands
from forklake.cli.verbs.page import REACHED, all_verbs, page
from forklake.cli.verbs.verb import Lacks
from forklake.lake.alter import Alter
from forklake.lake.catalog_inspection import CatalogInspection
from forklake.lake.inspection import Inspection
from forklake.lake.lake_maintenance import LakeMaintenance
from forklake.lake.macros import Macros
from forklake.lake.maintenance import CatalogMaintenance, Maintenance
from forklake.lake.schemas import Schemas
from forklake.lake.storage import Storage
from forklake.lake.views import Views
from forklake.session.functions import FUNCTIONS, LISTINGS
from forklake.sql import statements as said
from forklake.sql.parse import parse

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "verbs.md"
HANDLES = (forklake.Lake, forklake.LakeAt, forklake.Catalog, forklake.Fork, forklake.Transaction, forklake.Table)
MAINTENANCE = (CatalogMaintenance, Maintenance)
OTHERS = (Alter, CatalogInspection, Inspection, LakeMaintenance, Macros, forklake.Options, Schemas, Storage, Views)
GROUPS = (*MAINTENANCE, *OTHERS)
FAMILIES = (HANDLES, MAINTENANCE, *((kind,) for kind in (*OTHERS, forklake.SparkCatalog)))
"""What is inherited within one of them counts once."""


# ---- what there is ---------------------------------------------------------------------------------------------------


def members(*kinds: type) -> set[str]:
    """Return the public methods and properties as ``Class.name``; one that is inherited once, of the first class.

    Properties that lead to a group of verbs are no verbs.
    """
    groups = {group.__name__ for group in GROUPS}
    found: dict[object, str] = {}
    for kind in kinds:
        for name in dir(kind):
            member = inspect.getattr_static(kind, name)
            if name.startswith("_") or not (isinstance(member, property) or callable(member)):
                continue
            if isinstance(member, property) and member.fget and member.fget.__annotations__["return"] in groups:
                continue
            found.setdefault(member, f"{kind.__name__}.{name}")
    return set(found.values())


def functions() -> set[str]:
    """Return the functions of the package itself."""
    return {f"forklake.{name}" for name in forklake.__all__ if inspect.isfunction(getattr(forklake, name))}


def statements() -> set[tuple[str, str]]:
    """Return every statement that SQL knows, with its kind where one class has several."""
    found: set[tuple[str, str]] = set()
    for kind in typing.get_args(said.Statement):
        hints = typing.get_type_hints(kind)
        if kind is said.AlterTable:
            found |= {(kind.__name__, action.__name__) for action in typing.get_args(said.TableAction)}
            continue
        choices = [value for name in ("kind", "what") if name in hints for value in typing.get_args(hints[name])]
        found |= {(kind.__name__, choice) for choice in choices or [""]}
    return found


def statement(sql: str) -> tuple[str, str]:
    """Return which statement an example is."""
    (read,) = parse(sql)
    if isinstance(read, said.AlterTable):
        return "AlterTable", type(read.action).__name__
    if isinstance(read, said.Drop | said.Comment):
        return type(read).__name__, read.kind
    return type(read).__name__, read.what if isinstance(read, said.Show) else ""


def called(sql: str) -> set[str]:
    """Return the functions of catalogs, and the lists of DuckDB, that an example calls."""
    return set(re.findall(r"\b(?:ducklake|duckdb)_\w+(?=\()", sql))


def faces(which: str) -> Iterator[str]:
    for verb in all_verbs():
        face = getattr(verb, which)
        if not isinstance(face, Lacks):
            yield from face


# ---- and what the table says -----------------------------------------------------------------------------------------


def test_every_public_method_and_function_of_python_has_a_row_and_every_row_one() -> None:
    assert set(faces("python")) == set().union(functions(), *(members(*kinds) for kinds in FAMILIES))


def test_a_method_without_a_row_is_found() -> None:
    class Wider(forklake.Table):
        def sharpen(self) -> None: ...

    assert members(*HANDLES, Wider) - members(*HANDLES) == {"Wider.sharpen"}
    assert "Table.alter" not in members(forklake.Table), "a group is no verb"
    assert "Transaction.tables" not in members(*HANDLES), "what is inherited counts once"


def test_every_statement_of_sql_has_a_row() -> None:
    assert {statement(sql) for sql in faces("sql")} == statements()


def test_every_function_of_sql_has_a_row_and_every_row_one() -> None:
    known = {function.full_name for function in (*FUNCTIONS.values(), *LISTINGS.values())}
    assert {name for sql in faces("sql") for name in called(sql)} == known


def test_every_command_has_a_row_and_every_row_one() -> None:
    assert set(faces("cli")) == {path.removeprefix("forklake ") for path, _ in commands(program)}


def test_groups_are_reached_as_the_page_says() -> None:
    handles = {kind.__name__.lower(): kind for kind in HANDLES}
    for group in GROUPS:
        handle, _, name = REACHED[group.__name__].partition(".")
        reached = inspect.getattr_static(handles[handle], name)
        assert reached.fget.__annotations__["return"] == group.__name__


def test_what_lacks_a_verb_has_a_reason() -> None:
    for verb in all_verbs():
        shown = (verb.python, verb.sql, verb.cli)
        assert any(not isinstance(face, Lacks) for face in shown), verb.action
        assert all(len(face.reason.split()) > 1 if isinstance(face, Lacks) else face for face in shown), verb.action


def test_the_page_is_what_the_table_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make docs`"
