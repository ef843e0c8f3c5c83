"""What functions would make too long is refused before it is made, and Spark goes on.

In a Java process of its own, with the one gigabyte that values up to the bounds are promised to fit in: the one that
tests share also holds what those before left there.
"""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterator
from typing import Any

import pytest

from forklake.errors import ForklakeError, InvalidInputError
from forklake.sql.expressions.lengths import LIST_ELEMENTS, SPLIT_ELEMENTS, TEXT_BYTES
from forklake.sql.functions import NAMED
from forklake.sql.vocabulary import takes
from tests.spark.apart import SessionApart, session_apart

MADE = (
    "CREATE TABLE row AS SELECT 'x' AS s, 'äb' AS w, 2147483647 AS n, 3000000000 AS b, 9223372036854775807 AS m,"
    " [1] AS l, ['x'] AS tl, 9000000 AS k9, DATE '2024-02-29' AS d, TIMESTAMP '2024-01-31 10:20:30.5' AS ts,"
    " 1.5::DOUBLE AS x, NULL::INTEGER AS nothing, NULL::VARCHAR AS nobody"
)
TEXT = f"the maximum supported string size is: '{TEXT_BYTES}'"
LIST = f"Lists larger than 2^{LIST_ELEMENTS.bit_length() - 1} elements are not supported"
PARTS = f"Lists larger than 2^{SPLIT_ELEMENTS.bit_length() - 1} elements are not supported"
SIZE = f"rows: maximum allowed vector size is {LIST_ELEMENTS} rows"
REFUSED = {
    "length(repeat(s, n))": f"Cannot create a string of size: '2147483647', {TEXT}",
    "length(repeat(s, b))": f"Cannot create a string of size: '3000000000', {TEXT}",
    "length(repeat('xx', m))": f"Cannot create a string of size: '18446744073709551614', {TEXT}",
    "length(repeat('x', 70000000))": f"Cannot create a string of size: '70000000', {TEXT}",
    "length(repeat(upper('x'), 2147483647))": f"Cannot create a string of size: '2147483647', {TEXT}",
    "length(repeat(repeat(s, 10000), 10000))": f"Cannot create a string of size: '100000000', {TEXT}",
    "length(repeat(s, 40000000) || repeat(s, 40000000))": f"Cannot create a string of size: '80000000', {TEXT}",
    "length(repeat('x', 40000000) || repeat('y', 40000000))": f"Cannot create a string of size: '80000000', {TEXT}",
    "length(concat(repeat(s, 40000000), repeat(s, 40000000)))": f"Cannot create a string of size: '80000000', {TEXT}",
    "length(concat_ws(repeat(s, 40000000), 'a', 'b', 'c'))": TEXT,
    "length(rpad(s, n, 'ab'))": f"Cannot create a string of size: '2147483647', {TEXT}",
    "length(lpad(s, n, 'ab'))": TEXT,
    "length(lpad('x', 2147483647, 'ab'))": TEXT,
    "length(rpad(s, 40000000, 'ä'))": f"Cannot create a string of size: '80000000', {TEXT}",
    "length(rpad(s, 40000000 * len(l), w))": TEXT,
    "length(printf('%2147483647d', 1))": f"Cannot create a string of size: '2147483647', {TEXT}",
    "length(printf('%.2147483647f', x))": TEXT,
    "length(printf('%9999999999d', 1))": "Invalid Input Error: number is too big",
    "length(format('{:2147483647d}', 1))": TEXT,
    "length(format('{:>9999999999}', s))": "Invalid Input Error: number is too big",
    "length(replace(repeat(s, 100000), 'x', repeat(s, 1000)))": f"Cannot create a string of size: '100000000', {TEXT}",
    f"length(regexp_replace(repeat(s, 100000), 'x', '{'abcd' * 250}', 'g'))": TEXT,
    "length(array_to_string(range(100000), repeat(s, 1000)))": TEXT,
    "len(range(n))": LIST,
    "len(range(m))": LIST,
    "len(range(-m, m))": LIST,
    "len(range(0, m, 2))": LIST,
    "len(range(m, -m, -1))": LIST,
    "len(generate_series(1, 20000000))": LIST,
    "len(range(d, d + INTERVAL 1 DAY, INTERVAL 1 MICROSECOND))": LIST,
    "len(generate_series(ts, TIMESTAMP '2900-01-01', INTERVAL 1 SECOND))": LIST,
    "len(generate_series(ts, TIMESTAMP '2900-01-01', to_seconds(len(l))))": LIST,
    "len(repeat(l, n))": f"Cannot resize vector to 2147483647 {SIZE}",
    "len(repeat([1, 2], m))": f"Cannot resize vector to 18446744073709551614 {SIZE}",
    "len(list_resize(l, n))": f"Cannot resize vector to 2147483647 {SIZE}",
    "len(list_resize(l, m, 5))": f"Cannot resize vector to 9223372036854775807 {SIZE}",
    "len(list_resize([1], 3000000000))": f"Cannot resize vector to 3000000000 {SIZE}",
    "len(range(k9) || range(k9))": LIST,
    "len(flatten([range(k9), range(k9)]))": LIST,
    "len(string_split(repeat(s, k9), ''))": PARTS,
    "len(regexp_split_to_array(repeat(s, k9), '[x]'))": PARTS,
    "factorial(n)": "Out of Range Error: Value out of range",
    "factorial(-n)": "Out of Range Error: factorial of a negative number is undefined",
    "string_agg(repeat(s, 40000000), ',') FROM (SELECT s FROM (VALUES ('x'), ('y')) v(s))": TEXT,
    "string_agg(repeat(s, 40000000), ',' ORDER BY s) FROM (SELECT s FROM (VALUES ('x'), ('y')) v(s))": TEXT,
}
ANSWERS: dict[str, Any] = {
    "repeat(s, 3), repeat(w, 2), repeat('ab', 2), repeat('', 2147483647), repeat(s, -m), repeat('', m)": (
        "xxx", "äbäb", "abab", "", "", "",
    ),
    "repeat(nobody, n), repeat(s, nothing), repeat(NULL, 3), repeat('x', NULL)": (None,) * 4,
    "repeat(l, 2), repeat([], m), repeat(l, nothing), repeat(tl, -1)": ([1, 1], [], None, []),
    "rpad(s, 3, 'ab'), lpad(w, 4, w), rpad(s, -n, 'a'), lpad(nobody, n, 'a'), rpad(s, nothing, 'a')": (
        "xab", "äbäb", "", None, None,
    ),
    "replace(s, 'x', 'long'), replace('aXa', 'a', 'bb'), replace(nobody, 'a', 'bb'), replace(s, '', 'yy')": (
        "long", "bbXbb", None, "x",
    ),
    "range(3), range(1, 7, 3), range(5, 1, -2), generate_series(1, 3), range(nothing), range(3, 3), range(0, 5, 0)": (
        [0, 1, 2], [1, 4], [5, 3], [1, 2, 3], None, [], [],
    ),
    "range(9007199254740993, 9007199254740995)": ([9007199254740993, 9007199254740994],),
    "len(range(16777216)), len(generate_series(m - 3, m))": (16777216, 4),
    "list_resize(l, 3), list_resize(l, 0), list_resize(l, 2, 7)": ([1, None, None], [], [1, 7]),
    "string_split('a,b', ','), string_split('ab', ''), regexp_split_to_array('a1b', '[0-9]')": (
        ["a", "b"], ["a", "b"], ["a", "b"],
    ),
    "array_to_string(['a', NULL, 'b'], '--'), s || w || repeat(s, 2), concat_ws(repeat('-', 2), 'a', nobody, 'b')": (
        "a--b", "xäbxx", "a--b",
    ),
    "factorial(5), factorial(nothing), factorial(0), factorial(33)": (
        120, None, 1, 8683317618811886495518194401280000000,
    ),
}  # fmt: skip
ROWLESS = {
    "string_agg(v, '-'), string_agg(v, '') FILTER (v > 'a'), string_agg(v) FILTER (v > 'z')": ("a-b", "b", None),
    "string_agg(v, '-' ORDER BY v DESC), string_agg(DISTINCT v, '+' ORDER BY v), list(v ORDER BY v)": (
        "b-a", "a+b", ["a", "b", None],
    ),
}  # fmt: skip
HISTORIES = max(20, int(os.environ.get("FORKLAKE_HISTORIES", "0")) // 10)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SessionApart]:
    with session_apart(tmp_path_factory.mktemp("lengths"), MADE, memory="1g") as session:
        yield session


@pytest.mark.parametrize("text", REFUSED)
def test_what_would_be_too_long_is_refused_in_duckdbs_words(session: SessionApart, text: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        session.first(f"SELECT {text}" if " FROM " in text else f"SELECT {text} FROM row")
    assert REFUSED[text] in str(refused.value)


def test_what_is_not_too_long_is_made(session: SessionApart) -> None:
    for text, meant in ANSWERS.items():
        assert session.first(f"SELECT {text} FROM row") == meant, text
    for text, meant in ROWLESS.items():
        assert session.first(f"SELECT {text} FROM (VALUES ('a'), (NULL), ('b')) t(v)") == meant, text


def test_what_is_too_long_in_a_branch_that_is_not_taken_is_not_made(session: SessionApart) -> None:
    query = "SELECT CASE WHEN n < 0 THEN repeat('x', 2147483647) ELSE s END FROM row"
    assert session.first(query) == ("x",)


HUGE = ("n", "b", "m", "-n", "-m", "2147483647", "9223372036854775807", "-9223372036854775808")
OTHERS = ("s", "w", "'a,b'", "l", "tl", "d", "ts", "x", "INTERVAL 1 DAY", "nothing", "2", "'i'", "'day'", "'%d'")


def calls() -> list[str]:
    """Return calls of each function, with an integer that is too large for most at each place."""
    chosen = random.Random(7)
    found = []
    for name in sorted(NAMED):
        of_one = []
        for count in (count for count in range(1, 5) if takes(name, count)):
            for place, huge in itertools.product(range(count), HUGE[:3]):
                for _ in range(4):
                    arguments = [chosen.choice(HUGE + OTHERS) for _ in range(count)]
                    arguments[place] = huge
                    of_one.append(f"{name}({', '.join(arguments)})" if name != "^@" else "1")
        found += chosen.sample(of_one, min(len(of_one), 40))
    chosen.shuffle(found)
    return found


def test_a_function_of_a_huge_integer_answers_or_is_refused(session: SessionApart) -> None:
    ran = 0
    for text in calls():
        try:
            session.first(f"SELECT {text} IS NULL FROM row")
        except InvalidInputError as error:
            ran += "Binder Error" not in str(error)
        except ForklakeError as error:
            pytest.fail(f"{text}: {type(error).__name__}: {error}")
        else:
            ran += 1
        if ran == HISTORIES:
            break
    assert session.first("SELECT 1") == (1,)
