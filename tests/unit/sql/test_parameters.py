"""Values for parameters: which value goes where."""

from itertools import count
from typing import Any

import pytest

from forklake.errors import InvalidInputError
from forklake.sql.parameters import Parameters, checked_parameters
from forklake.sql.parse import parse


def written_out(text: str) -> str:
    """Return a text with the numbers 101, 102 and so on in the place of its question marks."""
    first, *others = text.split("?")
    return first + "".join(f"{number}{other}" for number, other in zip(count(101), others, strict=False))


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ? UNION ALL SELECT ? ORDER BY ? LIMIT ? OFFSET ?",
        "WITH x AS (SELECT ? AS a) SELECT ?, a FROM x WHERE ? = 2 LIMIT ?",
        "SELECT position(? IN ?), trim(? FROM ?), string_agg(?, ? ORDER BY ?)",
        "SELECT sum(?) FILTER (? > 1) FROM a JOIN b ON ? = ? WHERE ? GROUP BY ? HAVING ? ORDER BY ? LIMIT ?",
        "WITH x AS (SELECT ? AS a) UPDATE t SET a = ?, b = ? FROM x WHERE a = ?",
        "WITH x AS (SELECT ? AS a) DELETE FROM t USING x, (SELECT ?) AS y WHERE t.a = ?",
        "WITH x AS (SELECT ? AS a) MERGE INTO t USING (SELECT ?) AS s ON ? = ? WHEN MATCHED AND ? THEN UPDATE SET a = ?"
        " WHEN NOT MATCHED THEN INSERT (a, b) VALUES (?, ?)",
        "WITH x AS (SELECT ? AS a) INSERT INTO t SELECT ?, a FROM x WHERE ?",
    ],
)
def test_question_marks_take_values_in_the_order_of_the_text(text: str) -> None:
    values = Parameters(list(range(101, 101 + text.count("?"))))
    assert [values.fill(one) for one in parse(text)] == parse(written_out(text))
    values.check_all_used()


def test_question_marks_go_on_where_the_text_before_ended() -> None:
    values = Parameters([101, 102, 103])
    texts = ("SELECT ? LIMIT ?", "SELECT ?")
    assert [values.fill(one) for text in texts for one in parse(text)] == parse("SELECT 101 LIMIT 102; SELECT 103")


@pytest.mark.parametrize(
    ("text", "given", "message"),
    [
        ("SELECT ?", None, "There is no value for parameter 1; 0 were given"),
        ("SELECT ?, ?", [1], "There is no value for parameter 2; 1 were given"),
        ("SELECT ?", {"a": 1}, 'There is no value for the parameter "\\$1"'),
        ("SELECT $b", {"a": 1}, 'There is no value for the parameter "\\$b"'),
        ("SELECT $b", [1], 'The parameter "\\$b" has a name'),
        ("SELECT $1", [1, 2], "2 were given, 1 are used"),
        ("SELECT $a", {"a": 1, "b": 2}, "2 were given, 1 are used"),
    ],
)
def test_a_value_that_is_missing_or_too_many_is_refused(text: str, given: Any, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message), checked_parameters(given) as values:
        values.fill(parse(text)[0])
