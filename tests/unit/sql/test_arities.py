"""Every function is called with as many arguments as it takes, or refused: none is left out unseen."""

from __future__ import annotations

import duckdb
import pytest

from forklake.errors import InvalidInputError
from forklake.sql.expressions.arities import _COUNTS, _MANY, takes
from tests.unit.sql.test_query_binding import bound

_KINDS = ("scalar", "aggregate", "macro")
_BOUNDED = sorted(name for name, (_, most) in _COUNTS.items() if most < _MANY)


@pytest.mark.parametrize("name", _BOUNDED)
def test_a_function_refuses_more_arguments_than_it_takes(name: str) -> None:
    given = ", ".join(["a"] * (_COUNTS[name][1] + 1))
    over = " OVER ()" if name in ("row_number", "rank", "dense_rank", "lag", "lead") else ""
    with pytest.raises(InvalidInputError):
        bound(f"SELECT {name}({given}){over} FROM t")


def test_the_refusal_says_what_was_given() -> None:
    with pytest.raises(InvalidInputError, match=r"argument types 'upper\(STRING_LITERAL, INTEGER_LITERAL\)'"):
        bound("SELECT upper('a', 1)")
    with pytest.raises(InvalidInputError, match=r"argument types 'count\(INTEGER, DOUBLE\)'"):
        bound("SELECT count(a, r) FROM t")
    with pytest.raises(InvalidInputError, match=r"argument types 'year\(DATE, DATE\)'"):
        bound("SELECT year(c, c) FROM u")


def test_the_counts_are_duckdbs() -> None:
    found: dict[str, set[int]] = {}
    many: set[str] = set()
    query = "SELECT function_name, len(parameters), varargs FROM duckdb_functions()"
    for name, count, varargs in duckdb.connect().execute(f"{query} WHERE function_type IN {_KINDS}").fetchall():
        found.setdefault(name, set()).add(count)
        if varargs is not None:
            many.add(name)
    # DuckDB lists the longest call of these two only.
    for name in _COUNTS.keys() - {"lag", "lead"}:
        least, most = _COUNTS[name]
        assert least == min(found[name]), name
        assert most == (_MANY if name in many else max(found[name])), name


def test_a_name_that_is_not_listed_may_take_any_count() -> None:
    assert takes("a_macro_of_somebody", 7)
