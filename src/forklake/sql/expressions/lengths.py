"""Limits on the length of texts and lists that functions produce.

A value that would be longer is refused before it is built. One task builds a value and holds it several
times: while building it, in its row, and for sending it. With the one gigabyte that Spark gives a process by
default, two tasks at once can hold values up to these limits.

The check is in an argument of the function, not around the call. Spark evaluates constant expressions ahead,
even in a branch that is never taken, and sends the value with each task: a third of the memory more for a long
list. With the check inside, and a length that Spark does not take for constant, such an expression is not constant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from forklake.errors import InvalidInputError
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.spark_idioms import message_text, once, refusal, variable

TEXT_BYTES: Final = 2**26
"""The most bytes of a text from a function whose result can be much longer than its arguments."""
LIST_ELEMENTS: Final = 2**24
"""The most elements of a list that a function builds."""
SPLIT_ELEMENTS: Final = 2**23
"""The most elements of a list of texts, which take several times the memory of numbers."""

SMALL_GROWTH: Final = 16
"""How many times longer than the replaced text a constant may be without a check of lengths."""

UNMEASURED: Final = 2**20
"""Results that cannot be longer than this are not checked, nor are values built from them."""

_TEXT_MARK: Final = "the maximum supported string size is"
_LIST_MARKS: Final = ("Lists larger than", "maximum allowed vector size is")
_WIDEST_LETTER: Final = 4
_MOST_TIMES: Final = 2**31 - 1


# ---- messages --------------------------------------------------------------------------------------------------------


def check_width(width: int) -> None:
    """Check a width, or a number of decimal places, in a format.

    Raises:
        InvalidInputError: It is more than the longest text.
    """
    if width > _MOST_TIMES:
        raise InvalidInputError("Invalid Input Error: number is too big")
    if width > TEXT_BYTES:
        raise InvalidInputError(
            f"Out of Range Error: Cannot create a string of size: '{width}', {_TEXT_MARK}: '{TEXT_BYTES}'"
        )


def _too_long(size: str) -> str:
    # Quotes are separate parts, so that the words stay readable in the SQL: see `concatenate_texts`.
    quote = message_text("'")
    size_words = message_text("Out of Range Error: Cannot create a string of size: ")
    return refusal(
        size_words,
        quote,
        _number_text(size),
        quote,
        message_text(f", {_TEXT_MARK}: "),
        quote,
        message_text(f"{TEXT_BYTES}"),
        quote,
    )


def _too_many(count: str) -> str:
    words = "Out of Range Error: Cannot resize vector to "
    return refusal(
        message_text(words), _number_text(count), message_text(f" rows: {_LIST_MARKS[1]} {LIST_ELEMENTS} rows")
    )


def _too_large(most: int) -> str:
    power = most.bit_length() - 1
    return refusal(message_text(f"Invalid Input Error: {_LIST_MARKS[0]} 2^{power} elements are not supported"))


def _number_text(number: str) -> str:
    return f"CAST(CAST({number} AS DECIMAL(38,0)) AS STRING)"


def _cast_refusal(refused: str, kind: str) -> str:
    # A refusal has no type, and Spark reads an untyped argument as NULL.
    return f"CAST({refused} AS {kind})"


def _unless(condition: str, refused: str, value: str) -> str:
    return f"(CASE WHEN {condition} THEN {refused} ELSE {value} END)"


def _not_ahead(value: str) -> str:
    # Spark computes no higher-order function ahead, not even of constants.
    name = variable()
    return f"transform(array({value}), {name} -> {name})[0]"


# ---- texts -----------------------------------------------------------------------------------------------------------


def repeat_text(value: Bound, times: Bound) -> str:
    """Repeat a text; a negative number gives an empty text.

    Args:
        value: The text.
        times: An integer of any size.
    """
    if value.literal is not None and times.literal is not None:
        size = len(value.literal.encode()) * max(int(times.literal), 0)
        if size > TEXT_BYTES:
            return _cast_refusal(_too_long(f"{size}BD"), "STRING")
        if size <= UNMEASURED:
            return f"repeat({value.sql}, {_times(times)})"

    def body(sql: str) -> str:
        length = f"octet_length({sql})"
        count = _unless(_exceeds(length, times, TEXT_BYTES), _too_long(_product(length, times)), _times(times))
        return f"repeat({sql}, {count})"

    return once(value.sql, body)


def pad_text(name: str, value: str, size: str, filler: Bound) -> str:
    """Pad a text to a number of characters, as ``lpad`` or ``rpad``."""
    if filler.literal is not None:
        widest = max((len(letter.encode()) for letter in filler.literal), default=1)
        if size.lstrip("-").isdecimal():
            needed = int(size) * widest
            if needed > TEXT_BYTES:
                return _cast_refusal(_too_long(f"{needed}BD"), "STRING")
            if needed <= UNMEASURED:
                return f"{name}({value}, {size}, {filler.sql})"
        wide = f"{widest}L"
    else:
        wide = f"if(octet_length({filler.sql}) = length({filler.sql}), 1L, {_WIDEST_LETTER}L)"
    needed_sql = f"{size} * {wide}"
    return f"{name}({value}, {_unless(f'{needed_sql} > {TEXT_BYTES}L', _too_long(needed_sql), size)}, {filler.sql})"


def replace_text(value: str, old: str, new: str) -> str:
    """Replace every occurrence of a text by another, which may be longer."""

    def body(sql: str) -> str:
        length = f"CAST(octet_length({sql}) AS BIGINT)"
        found = f"({length} - octet_length(replace({sql}, {old}, ''))) div octet_length({old})"
        size = f"{length} + {found} * (octet_length({new}) - octet_length({old}))"
        # The first test does not need to read the text.
        is_long = f"{length} * octet_length({new}) > {TEXT_BYTES}L AND {old} <> '' AND {size} > {TEXT_BYTES}L"
        return f"replace({sql}, {old}, {_unless(is_long, _too_long(size), new)})"

    return once(value, body)


def replace_matches(value: str, pattern: str, replacement: str) -> str:
    """Replace all matches of a pattern, in Spark's syntax, by a constant."""
    size_of_one, written = len(replacement.encode()), message_text(replacement)
    if size_of_one <= SMALL_GROWTH:
        return f"regexp_replace({value}, {pattern}, {written})"

    def body(sql: str) -> str:
        rest = f"octet_length(regexp_replace({sql}, {pattern}, ''))"
        size = f"{rest} + CAST({matches(sql, pattern)} AS BIGINT) * {size_of_one}L"
        is_long = f"octet_length({sql}) >= {TEXT_BYTES // (2 * size_of_one)} AND {size} > {TEXT_BYTES}L"
        return f"regexp_replace({_unless(is_long, _too_long(size), sql)}, {pattern}, {written})"

    return once(value, body)


def matches(sql: str, pattern: str) -> str:
    """Return how often a pattern matches a text.

    Spark's own count builds a list of the matches.
    """
    marked, bare = (f"octet_length(regexp_replace({sql}, {pattern}, '{mark}'))" for mark in ("~", ""))
    return f"({marked} - {bare})"


def join_texts(lists: str, separator: Bound) -> str:
    """Join a list of texts with a separator."""
    if separator.literal is not None and len(separator.literal.encode()) * LIST_ELEMENTS <= TEXT_BYTES:
        return f"array_join({lists}, {separator.sql})"

    def body(sql: str) -> str:
        size = f"CAST(size({sql}) AS BIGINT) * octet_length({separator.sql})"
        return f"array_join({sql}, {_unless(f'{size} > {TEXT_BYTES}L', _too_long(size), separator.sql)})"

    return once(lists, body)


def limit_text_rows(size: str, rows: str) -> str:
    """Return rows that are about to become one text of this many bytes.

    Too many bytes fail the query.
    """
    return _unless(f"{size} > {TEXT_BYTES}L", _too_long(size), rows)


def concatenate_texts(parts: Sequence[str], made: Callable[[Sequence[str]], str]) -> str:
    """Concatenate texts.

    Only results of functions like these can be too long; other texts are not measured.

    Args:
        parts: The texts; a NULL has no length.
        made: Concatenates them.
    """
    is_measured = any(_TEXT_MARK in part for part in parts)
    return _within(parts, made, "octet_length", TEXT_BYTES, _too_long) if is_measured else made(parts)


# ---- lists -----------------------------------------------------------------------------------------------------------


def repeat_list(lists: str, times: Bound) -> str:
    """Repeat a list."""

    def body(sql: str) -> str:
        length = f"size({sql})"
        # An empty list is not repeated: the result is empty, but Spark would build all copies.
        least = f"if({length} = 0 AND {times.sql} IS NOT NULL, 0, {_times(times)})"
        count = _unless(_exceeds(length, times, LIST_ELEMENTS), _too_many(_product(length, times)), least)
        return f"flatten(array_repeat({sql}, {_not_ahead(count)}))"

    return once(lists, body)


def list_size(size: Bound, whole: str) -> str:
    """Return the size of a new list as Spark takes it.

    It is ``whole``, unless that is too large.
    """
    if size.literal is not None and int(size.literal) > LIST_ELEMENTS:
        return _cast_refusal(_too_many(f"{size.literal}BD"), "INT")
    if size.literal is not None and int(size.literal) <= UNMEASURED:
        return whole
    return _not_ahead(_unless(f"{size.sql} > {LIST_ELEMENTS}", _too_many(size.sql), whole))


def list_within(count: str, value: str) -> str:
    """Return the value from which a list of this many elements is built.

    Too many elements fail the query. The count may be a float.
    """
    return _not_ahead(_unless(f"{count} > {LIST_ELEMENTS}", _too_large(LIST_ELEMENTS), value))


def split(value: str, pieces: Callable[[str], str], made: Callable[[str], str]) -> str:
    """Split a text.

    Args:
        value: The text.
        pieces: Counts the parts; evaluated only for a text that may have too many.
        made: Splits it.
    """

    def body(sql: str) -> str:
        is_long = f"octet_length({sql}) > {SPLIT_ELEMENTS} AND {pieces(sql)} > {SPLIT_ELEMENTS}"
        return made(_unless(is_long, _too_large(SPLIT_ELEMENTS), sql))

    return once(value, body)


def flatten_lists(lists: str) -> str:
    """Flatten a list of lists."""
    if not any(mark in lists for mark in _LIST_MARKS):
        return f"flatten({lists})"

    def body(sql: str) -> str:
        count = f"aggregate({sql}, 0L, (t, x) -> t + size(x))"
        return f"flatten({list_within(count, sql)})"

    return once(lists, body)


def concatenate_lists(parts: Sequence[str], made: Callable[[Sequence[str]], str]) -> str:
    """Concatenate lists; as `concatenate_texts`."""
    is_measured = any(mark in part for part in parts for mark in _LIST_MARKS)
    return (
        _within(parts, made, "size", LIST_ELEMENTS, lambda _: _too_large(LIST_ELEMENTS)) if is_measured else made(parts)
    )


# ---- lengths ---------------------------------------------------------------------------------------------------------


def _within(
    parts: Sequence[str],
    made: Callable[[Sequence[str]], str],
    measure: str,
    most: int,
    refused: Callable[[str], str],
    named: tuple[str, ...] = (),
) -> str:
    if len(named) < len(parts):
        return once(parts[len(named)], lambda name: _within(parts, made, measure, most, refused, (*named, name)))
    size = " + ".join(f"coalesce(CAST({measure}({name}) AS BIGINT), 0L)" for name in named)
    return made([_unless(f"{size} > {most}L", refused(size), named[0]), *named[1:]])


def _exceeds(length: str, times: Bound, most: int) -> str:
    # Floats do not overflow, and numbers that they cannot hold exactly are far too large anyway.
    number = f"{times.literal}D" if times.literal is not None else f"CAST({times.sql} AS DOUBLE)"
    return f"CAST({length} AS DOUBLE) * {number} > {most}D"


def _product(length: str, times: Bound) -> str:
    return f"CAST({length} AS DECIMAL(10,0)) * CAST({times.sql} AS DECIMAL(20,0))"


def _times(times: Bound) -> str:
    """Return a number of repetitions as Spark takes it."""
    if times.literal is not None:
        return str(min(max(int(times.literal), 0), _MOST_TIMES))
    return once(
        times.sql,
        lambda sql: (
            f"CAST(CASE WHEN {sql} < 0 THEN 0 WHEN {sql} > {_MOST_TIMES} THEN {_MOST_TIMES} ELSE {sql} END AS INT)"
        ),
    )
