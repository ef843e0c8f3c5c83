"""What of sqlglot's insides is relied on is there, and sqlglot stays as it is for others in the process."""

import ast
import inspect
import subprocess
import sys

import pytest
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import ErrorLevel
from sqlglot.generators.duckdb import DuckDBGenerator
from sqlglot.parsers.duckdb import DuckDBParser

from forklake.model import types
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.render import BoundNode, ShowNode, render
from forklake.sql.parse import grammar, parse_query, tokens
from forklake.sql.parse.grammar import Grammar
from forklake.sql.statements import Show

OWN = {
    *("_accept", "_check_name", "_read_question", "_read_path", "_read_reshaped", "_calls", "_open_joins"),
    "_place_after_parentheses",
    "_noting_text",
    "_steps",
}
"""What `Grammar` adds, which sqlglot never calls."""

METHODS = sorted(
    name for name, value in vars(Grammar).items() if inspect.isfunction(value) and name not in OWN | {"__init__"}
)


def used_of_the_parser() -> set[str]:
    """Return the names that `Grammar` asks of itself or of its base class."""
    found = set()
    for node in ast.walk(ast.parse(inspect.getsource(Grammar))):
        if isinstance(node, ast.Attribute):
            of = node.value.func if isinstance(node.value, ast.Call) else node.value
            if isinstance(of, ast.Name) and of.id in ("self", "super"):
                found.add(node.attr)
    return found


COMPILED = """
from sqlglot import exp

def refuse(made, **_):
    if made.__module__.startswith("forklake"):
        raise TypeError("interpreted classes cannot inherit from compiled")
    return object.__new__(made)

exp.Expression.__new__ = refuse  # as mypyc's classes do, which sqlglotc brings

import forklake
for _ in range(2):  # the second time as well
    try:
        forklake.connect().sql("SELECT 1")
    except forklake.errors.ConfigError as error:
        print(error)
"""


def test_a_compiled_sqlglot_is_told_by_name() -> None:
    done = subprocess.run([sys.executable, "-c", COMPILED], check=True, timeout=120, capture_output=True, text=True)
    assert done.stdout.count("pip uninstall sqlglotc") == 2


@pytest.mark.parametrize("name", [name for name in METHODS if not name.startswith("read_")])
def test_a_method_that_is_overridden_is_there_and_takes_the_same(name: str) -> None:
    theirs = getattr(DuckDBParser, name, None)
    assert callable(theirs), f"sqlglot has no {name} any more: what it was overridden for is not done"
    ours = inspect.signature(getattr(Grammar, name)).parameters
    if not any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in ours.values()):
        assert [*ours] == [*inspect.signature(theirs).parameters]


def test_what_the_grammar_asks_of_the_parser_is_there() -> None:
    parser = DuckDBParser(error_level=ErrorLevel.IMMEDIATE, dialect=DuckDB())
    parser.reset()
    used = used_of_the_parser()
    assert {"_parse_bitwise", "_match", "_curr", "_tokens_size", "reset"} <= used
    of_grammar = {"index", "token", *(name for name in METHODS if name.startswith("read_"))}
    assert [name for name in sorted(used - OWN - of_grammar) if not hasattr(parser, name)] == []


def test_what_is_set_for_the_parser_is_asked_by_it() -> None:
    assert hasattr(Dialect, "ORIGINAL_NAME_META_KEY")
    assert grammar._DIALECT.ORIGINAL_NAME_META_KEY != DuckDB().ORIGINAL_NAME_META_KEY
    assert DuckDB.Tokenizer.COMMANDS
    assert set(tokens._FOREIGN_KEYWORDS.split(",")) & set(DuckDB.Tokenizer.KEYWORDS), (
        "the words are no keywords any more"
    )


def test_nodes_of_our_own_are_shown() -> None:
    resolved = BoundNode(bound=Bound("x", types.INT32, literal="7"))
    assert render(exp.Add(this=resolved, expression=exp.Literal.number(1))) == "7 + 1"
    assert render(ShowNode(statement=Show("tables"))) == "SHOW"
    assert render(parse_query("SELECT Abs(a)"), normalize_functions="lower") == "SELECT abs(a)"


def test_a_map_of_nothing_is_written_as_it_was() -> None:
    for text in (
        "SELECT CAST((MAP {}) AS MAP(TEXT, INT))",
        "SELECT MAP {}",
        "SELECT CAST(MAP {'k': 1} AS MAP(TEXT, INT))",
    ):
        assert render(parse_query(text)) == text


def test_sqlglot_stays_as_it_is_for_others() -> None:
    assert not {BoundNode, ShowNode} & set(DuckDBGenerator.TRANSFORMS)
    assert DuckDB.Generator is DuckDBGenerator
    with pytest.raises(ValueError, match="Unsupported expression type BoundNode"):
        BoundNode(bound=Bound("x", types.INT32)).sql("duckdb")
