"""Patterns of LIKE and GLOB fit what they fit in DuckDB, and are never looked for twice at one place."""

from __future__ import annotations

import random
import re

import duckdb

from forklake.engine.statement_limits import Allowance
from forklake.sql.expressions.expression import ExpressionBinder
from forklake.sql.expressions.expression_site import Site
from forklake.sql.expressions.wild_patterns import ONE_LETTER, whole_pattern
from forklake.sql.parse import parse_expression

PIECES = {"%": None, "_": ONE_LETTER}


def fits(pattern: str, text: str) -> bool:
    """Return whether a text fits; Java's end of a text is written in Python's way."""
    found = whole_pattern([PIECES.get(letter, re.escape(letter)) for letter in pattern])
    return re.search(found.replace(r"\z", r"\Z"), text) is not None


def test_texts_fit_the_same_patterns_as_in_duckdb() -> None:
    chance = random.Random(11)
    tried = [
        (
            "".join(chance.choices("ab\n", k=chance.randint(0, 9))),
            "".join(chance.choices("ab%%_\n", k=chance.randint(0, 7))),
        )
        for _ in range(4_000)
    ]
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE tried (number INTEGER, t VARCHAR, p VARCHAR)")
        connection.executemany("INSERT INTO tried VALUES (?, ?, ?)", [(i, *one) for i, one in enumerate(tried)])
        known = connection.execute("SELECT t LIKE p FROM tried ORDER BY number").fetchall()
    assert [fits(pattern, text) for text, pattern in tried] == [one for (one,) in known]
    assert any(one for (one,) in known)


def test_a_pattern_with_many_wildcards_is_soon_read() -> None:
    assert not fits("%a%a%a%a%a%a%a%a%a%a%b", "a" * 20_000)
    assert fits("%a%a%a%a%a%a%a%a%a%a%b%", "a" * 20_000 + "bc")


def test_regular_expressions_of_strangers_are_left_to_duckdb_on_spark() -> None:
    binder = ExpressionBinder(Site())
    for text in (
        "regexp_matches('aa', '(a+)+b')",
        "regexp_replace('aa', '(a+)+b', 'x')",
        "regexp_extract('aa', '(a+)+b', 1)",
        "'aa' SIMILAR TO '(a|aa)*b'",
    ):
        node = parse_expression(text)
        assert "~duckdb" not in binder.bind(node).sql
        with Allowance(is_confined=True).spend():
            assert "~duckdb" in binder.bind(node).sql
            assert "~duckdb" not in binder.bind(parse_expression("regexp_matches('aa', 'a b')")).sql
