"""What needs PySpark, psycopg or pandas says so where they are not installed, and all else does without them.

Each program runs in a process of its own, which cannot import them. Where they are really not there, it runs without
that pretence, too.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from forklake.errors import ConfigError, NotInstalledError
from forklake.extras import is_installed, require

PRETENCE = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"pyspark", "py4j", "pandas", "polars", "psycopg", "psycopg_binary"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
"""
LAKE = """
import forklake
lake = forklake.open("lake.db")
shop = lake.create_catalog("shop")
orders = shop.create_table("orders", {"id": "BIGINT", "amount": "DECIMAL(10,2)"})
orders.append([{"id": 1, "amount": 2}, {"id": 2, "amount": 3}])
session = lake.connect("shop")
"""
CALLS = """
import json
from forklake.errors import ForklakeError

calls = {
    "lake.spark": lambda: lake.spark,
    "dataframe": lambda: orders.dataframe(),
    "result": lambda: session.sql("SELECT id FROM orders").dataframe(),
    "changes": lambda: orders.changes(0),
    "spark_schema": lambda: orders.inspect.spark_schema(),
    "diff": lambda: shop.diff(shop.fork("agent", if_not_exists=True)).rows("orders"),
    "lake.attach": lambda: lake.attach(catalog="shop"),
    "attach": lambda: forklake.attach(None, "lake.db", catalog="shop"),
    "attach_configured": lambda: forklake.attach_configured(None),
    "register": lambda: forklake.register(),
    "batch_writer": lambda: forklake.batch_writer(lake, "shop", "orders"),
    "only Spark": lambda: session.sql("SELECT ln(id) FROM orders").fetchall(),
    "explain": lambda: session.sql("EXPLAIN SELECT ln(id) FROM orders").fetchall(),
    "update": lambda: session.sql("UPDATE orders SET amount = ln(id)"),
    "engine": lambda: forklake.connect(settings=forklake.Settings(engine="spark")).sql(
        "SELECT x + 1 FROM range(3) t(x)"
    ).fetchall(),
    "open": lambda: forklake.open("postgresql://ada:secret@localhost/db"),
    "words": lambda: session.sql("ATTACH 'ducklake:postgres:dbname=db' AS other"),
    "schema": lambda: session.sql("ATTACH 'ducklake:postgres:dbname=db' AS other (METADATA_SCHEMA 'a')"),
    "import": lambda: lake.import_catalog("old", "postgresql://ada@localhost/db"),
    "upgrade": lambda: forklake.upgrade("postgresql://ada@localhost/db"),
    "table.pandas": lambda: orders.pandas(),
    "result.pandas": lambda: session.sql("FROM orders").df(),
    "result.polars": lambda: session.sql("FROM orders").pl(),
}
told = {}
for name, call in calls.items():
    try:
        told[name] = ["no error", repr(call())]
    except ForklakeError as error:
        told[name] = [type(error).__name__, error.message, error.hint]
print(json.dumps(told))
"""
SPARK = "Install it: pip install 'forklake[spark]'"
POSTGRES = "Install it: pip install 'forklake[postgres]'"
EXPECTED = {
    **dict.fromkeys(
        ("lake.spark", "dataframe", "changes", "spark_schema", "diff", "lake.attach", "attach"), ("PySpark", "", SPARK)
    ),
    **dict.fromkeys(("attach_configured", "register", "batch_writer"), ("PySpark", "", SPARK)),
    "result": ("PySpark", "", SPARK),
    "only Spark": ("PySpark", " (ln() is left to Spark)", SPARK),
    "explain": ("PySpark", " (ln() is left to Spark)", SPARK),
    "update": ("PySpark", " (ln() is left to Spark)", SPARK),
    "engine": ("PySpark", " (the engine is 'spark')", SPARK),
    **dict.fromkeys(("open", "words", "schema", "import", "upgrade"), ("psycopg", "", POSTGRES)),
    **dict.fromkeys(("table.pandas", "result.pandas"), ("pandas", "", "Install it: pip install pandas")),
    "result.polars": ("Polars", "", "Install it: pip install polars"),
}
BASIC = """
import pickle, typing
import forklake
from forklake import *
for name in forklake.__all__:
    found = getattr(forklake, name)
    if isinstance(found, type):
        typing.get_type_hints(found)
handle = pickle.loads(pickle.dumps(orders))
assert handle.rows() == orders.rows()
assert pickle.loads(pickle.dumps(forklake.SparkCatalog)) is SparkCatalog
agent = shop.fork("agent")
agent.table("orders").append([{"id": 3, "amount": 4}])
with agent.session() as changed:
    changed.sql("UPDATE orders SET amount = 0 WHERE id = 1")
shop.merge(agent)
print([(number, str(amount)) for number, amount in session.sql("FROM orders ORDER BY id").fetchall()])
"""
LARGE = """
import forklake
few = forklake.Settings(local_read_rows=10, local_read_bytes=1000)
with forklake.open("large.db", settings=few) as lake:
    shop = lake.create_catalog("shop")
    with shop.session() as session:
        session.sql("CREATE TABLE t AS SELECT i, i % 7 AS k, 'text ' || i AS s FROM range(1000) r(i)")
        session.sql("INSERT INTO t SELECT i + 1000, k, s FROM t")
        counted = session.sql("SELECT k, count(*), max(s) FROM t GROUP BY k ORDER BY k").fetchall()
        session.sql("DELETE FROM t WHERE k = 3")
    table = shop.table("t")
    print(len(counted), table.count(), table.count("k > 3"), len(table.rows()), table.arrow(where="k = 0").num_rows)
"""
README = Path(__file__).parents[2] / "README.md"

REALLY = pytest.param("", id="as installed", marks=pytest.mark.skipif(is_installed("spark"), reason="PySpark is there"))
ABSENCES = [pytest.param(PRETENCE, id="pretended"), REALLY]


def run(program: str, directory: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run a program where nothing tells which lake or engine is meant."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("FORKLAKE_")}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program, *arguments],
        cwd=directory, env=inherited, input=given, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def output(program: str, directory: Path) -> str:
    done = run(program, directory)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def loaded(program: str) -> str:
    """Return a program that says at its end which of the packages it has brought."""
    names = ("pyspark", "py4j", "pandas", "polars", "psycopg")
    return f"{program}\nimport sys; print([name for name in {names} if name in sys.modules])"


@pytest.mark.parametrize("absence", ABSENCES)
def test_whatever_needs_what_is_not_installed_is_one_error(absence: str, tmp_path: Path) -> None:
    told: dict[str, Any] = json.loads(output(absence + LAKE + CALLS, tmp_path))
    if not absence:  # what was installed for the tests of all that is here
        told = {name: one for name, one in told.items() if is_missing(EXPECTED[name][0])}
    assert told == {
        name: ["NotInstalledError", f"This needs {title}{why}, which is not installed; nothing was done.", hint]
        for name, (title, why, hint) in EXPECTED.items()
        if name in told
    }
    assert {EXPECTED[name][0] for name in told} >= {"PySpark", "pandas"}
    assert absence == "" or told.keys() == EXPECTED.keys()


def is_missing(title: str) -> bool:
    return find_spec(title.lower()) is None


@pytest.mark.parametrize("absence", ABSENCES)
def test_forks_merges_rows_pickles_and_types_need_none_of_it(absence: str, tmp_path: Path) -> None:
    assert output(loaded(absence + LAKE + BASIC), tmp_path).splitlines() == [
        "[(1, '0.00'), (2, '3.00'), (3, '4.00')]",
        "[]",
    ]


@pytest.mark.parametrize("absence", ABSENCES)
def test_without_pyspark_this_process_does_what_is_large(absence: str, tmp_path: Path) -> None:
    assert output(loaded(absence + LARGE), tmp_path).splitlines() == ["7 1714 856 1714 286", "[]"]


@pytest.mark.parametrize("absence", ABSENCES)
def test_the_example_of_the_readme_runs_until_it_asks_for_a_frame_of_spark(absence: str, tmp_path: Path) -> None:
    example = re.findall(r"^```python\n(.*?)^```", README.read_text("utf-8"), re.DOTALL | re.MULTILINE)[0]
    done = run(absence + example, tmp_path)
    assert done.stdout.splitlines()[:2] + done.stdout.splitlines()[3:4] == ["2 3", "2", "3"]
    assert "forklake.errors.NotInstalledError: This needs PySpark, which is not installed" in done.stderr
    assert ".dataframe(" in done.stderr


@pytest.mark.parametrize("absence", ABSENCES)
def test_the_command_line_and_the_shell_say_it_in_two_lines(absence: str, tmp_path: Path) -> None:
    output(LAKE + "lake.close()", tmp_path)
    main = absence + "from forklake.cli.main import main\nmain()"
    for arguments, given, title, hint in (
        (["sql", "lake.db", "-c", "SELECT ln(id) FROM orders"], "", "PySpark (ln() is left to Spark)", SPARK),
        (["sql", "lake.db"], "SELECT ln(id) FROM orders;\n", "PySpark (ln() is left to Spark)", SPARK),
        (["demo", "--rows", "1000"], "", "PySpark", SPARK),
        (["stats", "--lake", "postgresql://ada@localhost/db"], "", "psycopg", POSTGRES),
        (["init", "--lake", "postgresql://ada@localhost/db"], "", "psycopg", POSTGRES),
    ):
        if not absence and title == "psycopg" and is_installed("postgres"):
            continue
        done = run(main, tmp_path, *arguments, given=given)
        assert done.returncode == 2, (arguments, done)
        assert f"This needs {title}, which is not installed; nothing was done." in done.stderr
        assert hint in done.stderr
        assert "Traceback" not in done.stderr
        assert "mistake of forklake" not in done.stderr


def test_an_engine_that_was_ruled_out_is_told_first_and_then_what_is_missing(tmp_path: Path) -> None:
    program = (
        LAKE
        + "session.sql(\"SET engine = 'local'\")\n"
        + 'try:\n    session.sql("SELECT ln(id) FROM orders").fetchall()\n'
        + "except forklake.errors.EngineError as error:\n    print(error)"
    )
    said = output(PRETENCE + program, tmp_path)
    assert said.startswith("This statement needs Spark (ln() is left to Spark), and the engine is 'local'; it was not")
    assert said.endswith(f"Spark runs what this process does not. {SPARK}")


# ---- the rule --------------------------------------------------------------------------------------------------------


def test_a_driver_without_its_library_is_as_good_as_none() -> None:
    with pytest.raises(NotInstalledError, match=r"This needs psycopg, which is not installed") as caught, require(
        "postgres"
    ):  # fmt: skip
        raise ImportError("no pq wrapper available.\nAttempts made:\n- couldn't import psycopg 'c' implementation")
    assert isinstance(caught.value, ConfigError)
    assert isinstance(caught.value.__cause__, ImportError)


@pytest.mark.parametrize(
    "error",
    [
        ModuleNotFoundError("No module named 'forklake.nothing'", name="forklake.nothing"),
        ModuleNotFoundError("No module named 'pysparkling'", name="pysparkling"),
        ImportError("cannot import name 'x' from 'pyspark'", name="pyspark"),
    ],
)
def test_any_other_failure_of_an_import_stays_what_it_is(error: ImportError) -> None:
    with pytest.raises(ImportError) as caught, require("spark"):
        raise error
    assert caught.value is error


def test_a_module_that_must_not_be_imported_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_installed("pandas") == (find_spec("pandas") is not None)
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert not is_installed("pandas")
