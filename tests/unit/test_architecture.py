"""Rules that hold for every module, checked on its syntax tree, and each check tried on code that breaks its rule."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import forklake
from forklake import errors

SOURCE = Path(forklake.__file__).parent
FILES = {str(path.relative_to(SOURCE)): path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}
SCRIPTS = {path.name: path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.sql"))}
MODULES = [found.name for found in pkgutil.walk_packages([str(SOURCE)], "forklake.")]

parsed = cache(ast.parse)  # several checks walk each module


@cache
def texts(tree: ast.AST) -> Sequence[tuple[int, str]]:
    """Return every text of a program but its documentation, with what is put into it as ``{name}``."""
    return tuple(_texts(tree))


def _texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    others = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    others |= {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield (
                node.lineno,
                "".join(
                    "{" + ast.unparse(part.value) + "}" if isinstance(part, ast.FormattedValue) else _text(part)
                    for part in node.values
                ),
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in others:
            yield node.lineno, node.value


def _text(part: ast.expr) -> str:
    assert isinstance(part, ast.Constant)
    return str(part.value)


# ---- snapshot ids come from a sequence -----------------------------------------------------------------------------

_IDS = re.compile(r"(?i)(^|_)(snapshots?|snapshot_ids?|pin|upto|head)$")
_COUNTED_IN_SQL = re.compile(r"(?i)snapshot(_id)?\)?\s*[+-]\s*[\d:%{]|\d\s*\+\s*(max\()?\w*\.?snapshot")


def counted_snapshots(text: str) -> list[int]:
    """Return the lines on which a snapshot id is computed by addition, in Python or in SQL."""
    tree = parsed(text)
    found = [line for line, sql in texts(tree) if _COUNTED_IN_SQL.search(sql)]
    for node in ast.walk(tree):
        operands: list[ast.expr] = []
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            operands = [node.left, node.right]
        elif isinstance(node, ast.AugAssign):
            operands = [node.target, node.value]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "SnapshotId":
            names = {inner.id for argument in node.args for inner in ast.walk(argument) if isinstance(inner, ast.Name)}
            if names and any(isinstance(argument, ast.BinOp) for argument in node.args):
                found.append(node.lineno)
        if any(isinstance(operand, ast.JoinedStr) for operand in operands):
            continue  # text
        for operand in operands:
            if isinstance(operand, ast.Name | ast.Attribute):
                name = operand.id if isinstance(operand, ast.Name) else operand.attr
                if _IDS.search(name):
                    found.append(line)
    return sorted(set(found))


@pytest.mark.parametrize(
    "offence",
    [
        "new = snapshot_id + 1",
        "new = 1 + version.snapshot_id",
        "before = self.pin - 1",
        "head += 1",
        "new = SnapshotId(last + 1)",
        "query('SELECT max(snapshot_id) + 1 FROM forklake.ducklake_snapshot')",
        "query(f'UPDATE x SET snapshot_id = snapshot_id + {n} + 1')",
        "query('SET snapshot_id = h.snapshot_id + :n')",
    ],
)
def test_the_check_finds_snapshot_ids_that_are_counted(offence: str) -> None:
    assert counted_snapshots(offence) == [1]


# They translate between our ids and the numbers of a plain DuckLake database, which counts; they give out no id.
_TRANSLATES = {"model/numbering.py", "ducklake/export_numbers.py"}


def test_no_module_computes_a_snapshot_id_by_addition() -> None:
    counting = {name: lines for name, text in FILES.items() if (lines := counted_snapshots(text))}
    assert {name: lines for name, lines in counting.items() if name not in _TRANSLATES} == {}
    for name, script in SCRIPTS.items():
        without_comments = re.sub(r"--[^\n]*", "", script)
        assert not _COUNTED_IN_SQL.findall(without_comments), name


# ---- few modules read begin_snapshot: what a version shows, what none does, and whether what is stored can be --------

_MAY_READ = {
    "metastore/visibility.py",
    "metastore/shared_visibility.py",
    "metastore/differences.py",
    "metastore/lineage_history.py",
    "metastore/garbage.py",
    "metastore/checks/merge_rows.py",
    "metastore/checks/versioned_rows.py",
    "metastore/queries/merges.py",  # merge rows, which no version shows
}
_DEFINES = {"metastore/written_tables.py"}
# They describe the tables and write the schema files, with the views in them. They ask no database.
_DESCRIBES = {
    "metastore/schema/catalog_tables.py",
    "metastore/schema/description.py",
    "metastore/schema/file_tables.py",
    "metastore/schema/meanings.py",
    "metastore/schema/object_tables.py",
    "metastore/schema/products.py",
    "metastore/schema/web_views.py",
    "metastore/schema/write.py",
}
# They read, write or show rows as plain DuckLake databases have them, with a column of that name, and query no others.
_OF_OTHER_DATABASES = {
    "metastore/plain/duckdb_target.py",
    "metastore/plain/reader.py",
    "metastore/plain/writer.py",
    "session/functions/catalogs.py",
    "model/inlined_names.py",
    "ducklake/export_catalog.py",
    "ducklake/exported_rows.py",
    "ducklake/imported_rows.py",
    "ducklake/metadata_rows.py",
    "ducklake/plain_history.py",
    "session/listings/metadata_tables.py",
}


def begin_readers(text: str) -> list[int]:
    """Return the lines that use begin_snapshot for anything but as a column that an INSERT writes."""
    tree = parsed(text)
    written: set[int] = set()
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found += [node.lineno for alias in node.names if alias.name == "BEGIN" and alias.asname]
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            written.add(id(node.slice))
        if isinstance(node, ast.JoinedStr):
            written |= {id(part.value) for part in node.values if isinstance(part, ast.FormattedValue)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == "BEGIN" and id(node) not in written:
            found.append(node.lineno)
        if isinstance(node, ast.Attribute) and node.attr in ("BEGIN", "begin_snapshot"):
            found.append(node.lineno)
    for line, sql in texts(tree):
        uses = len(re.findall(r"begin_snapshot|\{BEGIN\}", sql))
        inserted = re.match(r"INSERT INTO forklake\.\w+ \([^()]*?(begin_snapshot|\{BEGIN\})", _plain(sql))
        if uses and not (inserted and uses == 1):
            found.append(line)
        if re.search(r"SELECT (\w+\.)?\* FROM forklake\.ducklake", sql):
            found.append(line)
    return sorted(set(found))


def _plain(sql: str) -> str:
    """Return the text without the parentheses of what is put into it."""
    return re.sub(r"\{(?!BEGIN\})[^{}]*\}", "{}", sql)


@pytest.mark.parametrize(
    "offence",
    [
        "query('SELECT begin_snapshot FROM forklake.ducklake_table')",
        "query(f'SELECT 1 FROM forklake.ducklake_table r WHERE r.{BEGIN} <= :s')",
        "query(f'SELECT 1 FROM forklake.ducklake_table r WHERE r.' + BEGIN)",
        "column = BEGIN",
        "column = tables.BEGIN",
        "from forklake.metastore.written_tables import BEGIN as start",
        "row.begin_snapshot",
        "query('SELECT * FROM forklake.ducklake_data_file')",
        "query(f'INSERT INTO forklake.x (a) SELECT {BEGIN} FROM forklake.y')",
        "query(f'INSERT INTO forklake.x (a, {BEGIN}) SELECT {BEGIN} FROM forklake.y')",
    ],
)
def test_the_check_finds_readers_of_begin_snapshot(offence: str) -> None:
    assert begin_readers(offence) == [1]


def test_writing_begin_snapshot_is_no_offence() -> None:
    assert begin_readers("own[BEGIN] = snapshot") == []
    assert begin_readers("run(f\"INSERT INTO forklake.x (a, {', '.join(more)}, {BEGIN}) VALUES (:a, :b)\")") == []
    assert begin_readers('"""Says what begin_snapshot is."""') == []


def test_only_visibility_its_other_half_and_their_check_read_begin_snapshot() -> None:
    readers = {name for name, text in FILES.items() if begin_readers(text)}
    assert readers - _DEFINES - _DESCRIBES - _OF_OTHER_DATABASES == _MAY_READ
    assert [name for name in _DESCRIBES if runs_statements(FILES[name])] == []
    assert [name for name in _OF_OTHER_DATABASES if "forklake.ducklake_" in FILES[name]] == []
    assert begin_readers(FILES["metastore/written_tables.py"]) == [
        number
        for number, line in enumerate(FILES["metastore/written_tables.py"].splitlines(), 1)
        if line.startswith('BEGIN: Final = "begin_snapshot"')
    ]


# ---- SQL on metadata lives in the metastore ------------------------------------------------------------------------

_ON_METADATA = re.compile(
    r"""(?x)
    forklake \. \{? \w* (ducklake | lake | table) _?      # a metadata table
    | [=<>] \s* :\w+ | IN \s* \( :\w+                     # a parameter of ours
    | \b fold \( [\w.:]+ \) \s* [=<>]                     # a name compared folded
    | \b k \. (catalog | parent | end | begin) _\w+         # the list of catalogs, as its query names it
    """
)
_STATEMENT = re.compile(
    r"""(?x)
    ^ \s* \(? ( SELECT | INSERT\ INTO | DELETE\ FROM | UPDATE\ \S+\ SET | MERGE\ INTO ) \b
    | ^ \s* CREATE\ (UNIQUE\ )? ( TABLE | VIEW | INDEX | SEQUENCE ) \b
    | ^ \s* WITH\ (RECURSIVE\ )? \w+ \s? (\([\w, ]*\))? \s? AS \b
    | ^ \s* ( WHERE | ORDER\ BY | GROUP\ BY | LIMIT ) \ [\w.{]
    | \b SELECT \b .* \b FROM \b
    | \b ( FROM | JOIN ) \ [\w.{}]+ \ (\w{1,2}\ )? ( WHERE | ON | JOIN | ORDER | CROSS ) \b
    """
)
# Statements that are not for the metadata database, by module or storey, and why.
_OTHER_STATEMENTS = {
    "cli/verbs/": "Examples of what users write, for a page. Nobody runs them.",
    "sql/": "They are what users write, and Spark SQL made of it. sql has no store to run them on.",
    "duck/regular_expressions.py": "What DuckDB is asked of a pattern, in a database of its own in memory.",
    "duck/results.py": "What DuckDB is asked of its functions, in a database of its own in memory.",
    "duck/letter_case.py": "What DuckDB is asked for letters, in a database of its own in memory.",
    "engine/local/duckdb_rows.py": "How DuckDB takes variants from Arrow, and gives them to it.",
    "files/arrow/variants.py": "What DuckDB is told to read and write, in a database of its own in memory.",
    "duck/printed_texts.py": "What DuckDB is asked to print, in a database of its own in memory.",
    "engine/spark/read/row_positions.py": "Spark SQL, because sort keys are texts of it. Engines have no store.",
    "spark_catalog/procedures.py": "What Spark is asked of a time.",
    "spark_catalog/refused_commands.py": "How commands of Spark begin, and what hints say. Nobody runs them.",
    "files/foreign/foreign_files.py": "What DuckDB is told to read and write, in a database of its own in memory.",
}
# The storeys that are given stores and sessions; those above them have an execute of their own, which takes user SQL.
_GIVEN_STORES = ("catalog/", "ops/")
_RUNS = {"query", "execute", "execute_many", "insert_many"}


def metadata_sql(text: str) -> list[int]:
    """Return the lines with a statement, or a piece of one, that only the metadata database could run."""
    return sorted({line for line, sql in texts(parsed(text)) if _ON_METADATA.search(sql)})


def statements(text: str) -> list[int]:
    """Return the lines with a statement of SQL, or a piece of one, for whatever database."""
    return sorted({line for line, sql in texts(parsed(text)) if _ON_METADATA.search(sql) or _STATEMENT.search(sql)})


def runs_statements(text: str) -> list[int]:
    """Return the lines that call a store or a session with a statement."""
    calls = [node for node in ast.walk(parsed(text)) if isinstance(node, ast.Call)]
    return [call.lineno for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr in _RUNS]


# ---- one seam leads to the engine ----------------------------------------------------------------------------------

_SEAM = {"forklake.engine.engine", "forklake.engine.changed_rows"}
# Read by this process with PyArrow, whichever engine there is.
_LOCAL = "forklake.engine.local."
_CHOOSES = {"ops/lakes/runtime.py": {"forklake.engine.spark.spark_engine"}}
# Below the seam, or a part of Spark itself: a data source.
_OF_SPARK = ("engine/", "connector/")


def engine_imports(text: str) -> set[str]:
    """Return the modules of the engine that a module imports, in any place, but not for types alone."""
    tree = parsed(text)
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for part in node.body
        for inner in ast.walk(part)
    }
    found = set()
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom) and node.module == "forklake.engine":
            found |= {f"forklake.engine.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "forklake":
            found |= {f"forklake.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    found = {name for name in found if not name.startswith(_LOCAL)}
    return {name for name in found if name == "forklake.engine" or name.startswith("forklake.engine.")}


@pytest.mark.parametrize(
    "offence",
    [
        "load('SELECT value FROM forklake.ducklake_metadata')",
        "load(f'DELETE FROM forklake.{table} WHERE catalog_id = 3')",
        "load(f'{HEAD} WHERE fold(k.catalog_name) = fold(:name)')",
        "visibility.catalog_rows(store, None, 'k.catalog_id = :c', c=root)",
        "visibility.catalog_rows(store, None, f'{is_child} ORDER BY 1', is_child='k.parent_catalog_id IS NULL')",
        "lineage(store, 'AND s.snapshot_time <= :time')",
        "lineage(store, ' ORDER BY s.snapshot_id DESC LIMIT 1')",
        "owners(store, 'catalog_id IN (:ids...)')",
        "load('WITH RECURSIVE walk(id) AS (SELECT 1)')",
        "load('UPDATE ducklake_head SET live = false')",
    ],
)
def test_the_check_finds_sql(offence: str) -> None:
    assert statements(offence) == [1]


def test_the_check_finds_calls_that_run_statements() -> None:
    assert runs_statements("session.execute(MOVE_HEAD, c=catalog)\nfound = self._store.query(text)\nrun(text)") == [
        1,
        2,
    ]


def test_words_of_sql_in_a_message_are_no_offence() -> None:
    assert statements("raise Error('No support for that ALTER TABLE option yet! SELECT needs a table.')") == []
    assert statements("raise Error('Select the columns from which the table is made.')") == []


def test_only_the_metastore_has_sql_for_the_metadata() -> None:
    above = {name: text for name, text in FILES.items() if not name.startswith("metastore/")}
    assert {name: lines for name, text in above.items() if (lines := metadata_sql(text))} == {}
    others = {name: lines for name, text in above.items() if (lines := statements(text))}
    assert {name: lines for name, lines in others.items() if not name.startswith(tuple(_OTHER_STATEMENTS))} == {}
    assert [place for place in _OTHER_STATEMENTS if not any(name.startswith(place) for name in others)] == []
    given = {name: text for name, text in above.items() if name.startswith(_GIVEN_STORES)}
    assert [name for name, text in given.items() if runs_statements(text)] == []


# ---- what is private stays so --------------------------------------------------------------------------------------

_OUTSIDE = ("session/", "connector/", "cli/")
"""What works with handles of other storeys; `lake/internals.py` is what they may ask for beyond public methods."""


def reaches(text: str) -> list[int]:
    """Return the lines that use a private attribute which no class of the module itself has."""
    tree = parsed(text)
    own = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            own.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            own.add(node.target.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
            own.add(node.attr)
    return sorted(
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and node.attr not in own
    )


def test_the_check_finds_what_reaches_into_others() -> None:
    assert reaches("store = catalog._runtime.store") == [1]
    assert reaches("content = self.attachment.reader._content()") == [1]
    assert (
        reaches("class A:\n    def _b(self) -> None: ...\n    def c(self, other: A) -> None:\n        other._b()") == []
    )


def test_sessions_and_edges_reach_into_nobody() -> None:
    found = {name: lines for name, text in FILES.items() if name.startswith(_OUTSIDE) and (lines := reaches(text))}
    assert found == {}


# ---- every verb is an operation -------------------------------------------------------------------------------------

# What lies above the operations calls them: it makes no change, stages none, and opens no transaction of a store.
_ABOVE_THE_VERBS = ("cli/", "connector/", "lake/", "session/", "sql/")
_ACTS = {"stage", "writing"}


def acts_itself(text: str) -> list[int]:
    """Return the lines that import the changes of a commit, stage one, or open a writing transaction of a store."""
    found = []
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{alias.name}" for alias in node.names} | {node.module or ""}
            if names & {"forklake.model.change", "forklake.metastore.new_catalogs", "forklake.metastore.procedures"}:
                found.append(node.lineno)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ACTS:
            found.append(node.lineno)
    return sorted(found)


@pytest.mark.parametrize(
    "offence",
    [
        "from forklake.model import change",
        "from forklake.model.change import DropTable as Gone",
        "from forklake.metastore import procedures",
        "from forklake.metastore.new_catalogs import fork",
        "run(lambda staging: staging.stage(made))",
        "with runtime.store.writing() as session: forget(session)",
    ],
)
def test_the_check_finds_verbs_outside_of_the_operations(offence: str) -> None:
    assert acts_itself(offence) == [1]


def test_calling_an_operation_is_no_offence() -> None:
    assert acts_itself("run(writer, lambda staging: drop_table(staging, row))") == []


def test_only_operations_change_a_lake() -> None:
    above = {name: text for name, text in FILES.items() if name.startswith(_ABOVE_THE_VERBS)}
    assert {name: lines for name, text in above.items() if (lines := acts_itself(text))} == {}
    below = [name for name, text in FILES.items() if name.startswith("ops/") and acts_itself(text)]
    assert len(below) > 10, "the check finds the verbs where they are"


# ---- names and docstrings ------------------------------------------------------------------------------------------

MAX_FIRST_LINE = 80


def long_first_lines(text: str) -> list[str]:
    """Return what has a docstring with a first line that is too long: names, and "" for the module."""
    return [
        getattr(node, "name", "")
        for node in ast.walk(parsed(text))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and len((ast.get_docstring(node) or "").split("\n")[0]) > MAX_FIRST_LINE
    ]


def test_the_check_finds_long_first_lines() -> None:
    long, short = "x" * 81, "x" * 80
    assert long_first_lines(f'"""{long}"""') == [""]
    assert long_first_lines(f'class A:\n    """{long}"""\n    def b(self):\n        """{long}"""') == ["A", "b"]
    assert long_first_lines(f'def a():\n    """{short}\n\n    {long}\n    """') == []


def test_every_docstring_begins_with_a_short_line() -> None:
    assert {name: found for name, text in FILES.items() if (found := long_first_lines(text))} == {}


_PARTICIPLE = re.compile(
    r"_*([a-z]+ed|begun|bound|broken|brought|built|chosen|done|drawn|found|given|gone|held|hidden|kept|known|laid|left|lost"
    r"|made|meant|met|said|seen|sent|shown|spoken|taken|thrown|told|understood|written)"
)
_NO_PARTICIPLES = {"embed", "exceed", "feed", "need", "proceed", "seed", "speed", "succeed"}
# Properties that answer a question, and a noun.
_MAY_BE_PARTICIPLES = {
    "lake/catalog.py:created": "Public, as of all that is created.",
    "lake/table.py:created": "Public, as of all that is created.",
    "ops/lakes/init_lake.py:changed": "Public, of what `forklake init` did.",
    "session/connection.py:attached": "Public, the list of aliases.",
    "sql/expressions/render.py:bound": "What binding gave: the noun of the glossary.",
}


def participles(text: str) -> list[str]:
    """Return the functions and methods that are named by a past participle alone."""
    return [
        node.name
        for node in ast.walk(parsed(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and _PARTICIPLE.fullmatch(node.name)
        and node.name.lstrip("_") not in _NO_PARTICIPLES
    ]


@pytest.mark.parametrize("name", ["rounded", "_padded", "shown", "_found", "made"])
def test_the_check_finds_names_that_are_participles(name: str) -> None:
    assert participles(f"def {name}(): ...") == [name]
    assert participles(f"class A:\n    def {name}(self): ...") == [name]


def test_verbs_and_nouns_are_no_participles() -> None:
    names = ["round_half", "_pad", "need", "_feed", "inlined_rows", "_deleted_positions", "known_commit", "is_bound"]
    assert [name for name in names if participles(f"def {name}(): ...")] == []


def test_functions_are_named_by_verbs_or_nouns() -> None:
    found = {f"{name}:{function}" for name, text in FILES.items() for function in participles(text)}
    assert found - set(_MAY_BE_PARTICIPLES) == set()
    assert set(_MAY_BE_PARTICIPLES) - found == set(), "no longer needed"


def frequent_names(paths: Iterable[str]) -> dict[str, int]:
    """Return the file names that occur three times or more: in a list of open files nobody tells them apart."""
    counts = Counter(path.rpartition("/")[2] for path in paths)
    return {name: count for name, count in counts.items() if count > 2 and name != "__init__.py"}


def test_the_check_finds_file_names_that_are_too_frequent() -> None:
    packages = ["a/__init__.py", "b/__init__.py", "c/__init__.py"]
    assert frequent_names(["rows.py", "a/rows.py", "a/b/rows.py", "names.py", "a/names.py", *packages]) == {
        "rows.py": 3
    }


def test_no_file_name_occurs_three_times() -> None:
    assert frequent_names(FILES) == {}


# ---- the shape of the package --------------------------------------------------------------------------------------


def test_all_is_sorted_and_complete() -> None:
    public = {
        name
        for name, value in vars(forklake).items()
        if not name.startswith("_") and (not isinstance(value, ModuleType) or name == "errors")
    }
    assert sorted(forklake.__all__) == forklake.__all__
    lazy = {"Connection", "Result", "SparkCatalog"}
    assert set(forklake.__all__) == public - {"annotations", "TYPE_CHECKING"} | lazy
    assert all(isinstance(getattr(forklake, name), type) for name in lazy)


MAX_MEMBERS = 25
MAX_MEMBERS_OF_CATALOGS = 40
"""What is done with forks, to read as it is said: ``shop.merge(agent)``."""
HANDLES = ["forklake", "forklake.lake", *(name for name in MODULES if name.startswith("forklake.lake."))]


def members(kind: type) -> list[str]:
    """Return the public methods and properties of a class, inherited ones too."""
    return [
        name
        for name in dir(kind)
        if not name.startswith("_") and (callable(member := getattr(kind, name)) or isinstance(member, property))
    ]


def test_members_are_counted_with_those_that_are_inherited() -> None:
    class Base:
        def walk(self) -> None: ...

    class Child(Base):
        place = 3

        @property
        def name(self) -> str:
            return "x"

        def _hidden(self) -> None: ...

    assert members(Child) == ["name", "walk"]


def test_no_class_has_more_public_members_than_a_reader_can_keep_in_mind() -> None:
    classes = {
        value
        for module in HANDLES
        for value in vars(importlib.import_module(module)).values()
        if isinstance(value, type) and value.__module__.startswith("forklake.")
    }
    assert {forklake.Catalog, forklake.Fork, forklake.Lake, forklake.Table, forklake.Transaction} <= classes
    limits = {kind: MAX_MEMBERS_OF_CATALOGS if issubclass(kind, forklake.Catalog) else MAX_MEMBERS for kind in classes}
    assert {kind.__name__: len(found) for kind in classes if len(found := members(kind)) > limits[kind]} == {}


def error_classes() -> dict[str, type[errors.ForklakeError]]:
    return {
        name: value
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.ForklakeError)
    }


def test_every_error_stands_in_the_tree_below_its_parent() -> None:
    drawn: dict[str, str | None] = {}
    path: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        match = re.match(r"    ([│├└─ ]*)(\w+Error)\b", line)
        if match:
            depth = len(match[1]) // 4
            path[depth:] = [match[2]]
            drawn[match[2]] = path[depth - 1] if depth else None
    made = {
        name: (value.__mro__[1].__name__ if value is not errors.ForklakeError else None)
        for name, value in error_classes().items()
    }
    assert drawn == made


def test_every_error_has_a_code_of_its_own_and_a_sentence() -> None:
    found = error_classes().values()
    assert len({error.code for error in found}) == len(found)
    assert all(error.__doc__ and error.exit_code for error in found)


def test_no_module_is_long_and_no_function_is_either() -> None:
    assert {name: count for name, text in FILES.items() if (count := len(text.splitlines())) >= 500} == {}
    long = {}
    for name, text in FILES.items():
        for node in ast.walk(parsed(text)):
            if isinstance(node, ast.FunctionDef) and node.end_lineno and node.end_lineno - node.lineno >= 60:
                long[f"{name}:{node.name}"] = node.end_lineno - node.lineno
    assert long == {}


def test_few_imports_stand_within_functions() -> None:
    within = [
        f"{name}:{node.lineno}"
        for name, text in FILES.items()
        for function in ast.walk(parsed(text))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    # The driver of PostgreSQL, and what Spark, Connect or a terminal may lack. What is only heavy is
    # a submodule that its package imports when it is first used.
    assert len(set(within)) <= 20, within


def test_importing_the_package_and_working_on_metadata_imports_nothing_heavy(tmp_path: Path) -> None:
    script = f"""
import sys, forklake
with forklake.open({str(tmp_path / "lake.db")!r}) as lake:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {{"id": "BIGINT"}}, partition_by=["id"])
    shop.table("t").alter.add_column(forklake.ColumnDefinition("s", "varchar"))
    agent = shop.fork("agent")
    agent.table("t").drop()
    assert shop.tables()[0].columns and not agent.tables() and lake.fork_tree()
found = {{"duckdb", "pandas", "pyarrow", "pyspark", "rich", "sqlglot"}} & set(sys.modules)
assert not found, found
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)


@pytest.mark.parametrize("name", ["forklake", *MODULES])
def test_the_examples_in_docstrings_are_true(name: str) -> None:
    module = importlib.import_module(name)
    if ">>>" in inspect.getsource(module):
        assert doctest.testmod(module).failed == 0


def test_threads_that_touch_files_know_the_credentials_of_their_session() -> None:
    # DuckDB's query reads no file; trials are functions of the caller.
    without_files = {"engine/local/duckdb_rows.py", "lake/trials.py", "files/access/threads.py"}
    assert {name for name, text in FILES.items() if "ThreadPoolExecutor" in text} == without_files


def test_values_and_files_are_computed_with_databases_of_one_module() -> None:
    makers = {name for name, text in FILES.items() if "duckdb.connect(" in text}
    assert {name for name in makers if not name.startswith("metastore/")} == {"duck/databases.py"}
