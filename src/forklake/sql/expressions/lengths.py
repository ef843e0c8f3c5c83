"""How long the texts and lists are that functions may make: what would be longer is refused before it is made.

A value is made by one task, which holds it several times over: as it is made, in its row, and as it is sent. With the
one gigabyte that Spark gives a process unless it is told otherwise, two tasks at once hold values up to these bounds.

The refusal stands in an argument of the function, not around it: Spark computes ahead what is made of constants alone,
also in a branch that is never taken, and nothing that may be refused is such a constant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from forklake.errors import InvalidInputError
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.phrases import once, refusal, said

TEXT_BYTES: Final = 2**26
"""The most bytes of a text that a function makes, if it can make one much longer than its arguments."""
LIST_ELEMENTS: Final = 2**24
"""The most elements of a list that a function makes."""
SPLIT_ELEMENTS: Final = 2**23
"""The same of a list of parts of a text: each takes several times as much as a number."""

SMALL_GROWTH: Final = 16
"""How many times as long as what it replaces a constant may be without a look at lengths."""

UNMEASURED: Final = 2**20
"""What is known to be no longer than that is not measured, nor what is made of it."""

_TEXT_MARK: Final = "the maximum supported string size is"
_LIST_MARKS: Final = ("Lists larger than", "maximum allowed vector size is")
_WIDEST_LETTER: Final = 4
_MOST_TIMES: Final = 2**31 - 1


# ---- what is said ----------------------------------------------------------------------------------------------------


def check_width(width: int) -> None:
    """Refuse a width, or a number of places, that a format says.

    Raises:
        InvalidInputError: It is more than a text has.
    """
    if width > _MOST_TIMES:
        raise InvalidInputError("Invalid Input Error: number is too big")
    if width > TEXT_BYTES:
        raise InvalidInputError(
            f"Out of Range Error: Cannot create a string of size: '{width}', {_TEXT_MARK}: '{TEXT_BYTES}'"
        )


def _too_long(size: str) -> str:
    # Quotes are apart from the words, which stay readable in Spark's SQL by that: see `joined_texts`.
    quote = said("'")
    size_words = said("Out of Range Error: Cannot create a string of size: ")
    return refusal(
        size_words, quote, _shown(size), quote, said(f", {_TEXT_MARK}: "), quote, said(f"{TEXT_BYTES}"), quote
    )


def _too_many(count: str) -> str:
    words = "Out of Range Error: Cannot resize vector to "
    return refusal(said(words), _shown(count), said(f" rows: {_LIST_MARKS[1]} {LIST_ELEMENTS} rows"))


def _too_large(most: int) -> str:
    power = most.bit_length() - 1
    return refusal(said(f"Invalid Input Error: {_LIST_MARKS[0]} 2^{power} elements are not supported"))


def _shown(number: str) -> str:
    return f"CAST(CAST({number} AS DECIMAL(38,0)) AS STRING)"


def _typed(refused: str, kind: str) -> str:
    # A refusal has no type, and Spark takes what has none for NULL where a function wants another.
    return f"CAST({refused} AS {kind})"


def _unless(condition: str, refused: str, value: str) -> str:
    return f"(CASE WHEN {condition} THEN {refused} ELSE {value} END)"


# ---- texts -----------------------------------------------------------------------------------------------------------


def repeated(value: Bound, times: Bound) -> str:
    """Return a text so many times, one after another; none of it for a negative number.

    Args:
        value: The text.
        times: A whole number of any size.
    """
    if value.literal is not None and times.literal is not None:
        size = len(value.literal.encode()) * max(int(times.literal), 0)
        if size > TEXT_BYTES:
            return _typed(_too_long(f"{size}BD"), "STRING")
        if size <= UNMEASURED:
            return f"repeat({value.sql}, {_times(times)})"

    def body(sql: str) -> str:
        length = f"octet_length({sql})"
        count = _unless(_exceeds(length, times, TEXT_BYTES), _too_long(_product(length, times)), _times(times))
        return f"repeat({sql}, {count})"

    return once(value.sql, body)


def padded(name: str, value: str, size: str, filler: Bound) -> str:
    """Return a text that is filled up to so many letters, as ``lpad`` or ``rpad`` does it."""
    if filler.literal is not None:
        widest = max((len(letter.encode()) for letter in filler.literal), default=1)
        if size.lstrip("-").isdecimal():
            needed = int(size) * widest
            if needed > TEXT_BYTES:
                return _typed(_too_long(f"{needed}BD"), "STRING")
            if needed <= UNMEASURED:
                return f"{name}({value}, {size}, {filler.sql})"
        wide = f"{widest}L"
    else:
        wide = f"if(octet_length({filler.sql}) = length({filler.sql}), 1L, {_WIDEST_LETTER}L)"
    needed_sql = f"{size} * {wide}"
    return f"{name}({value}, {_unless(f'{needed_sql} > {TEXT_BYTES}L', _too_long(needed_sql), size)}, {filler.sql})"


def replaced(value: str, old: str, new: str) -> str:
    """Return a text in which another, that may be shorter than what it is replaced with, is replaced everywhere."""

    def body(sql: str) -> str:
        length = f"CAST(octet_length({sql}) AS BIGINT)"
        found = f"({length} - octet_length(replace({sql}, {old}, ''))) div octet_length({old})"
        size = f"{length} + {found} * (octet_length({new}) - octet_length({old}))"
        # The first is told without a look into the text.
        is_long = f"{length} * octet_length({new}) > {TEXT_BYTES}L AND {old} <> '' AND {size} > {TEXT_BYTES}L"
        return f"replace({sql}, {old}, {_unless(is_long, _too_long(size), new)})"

    return once(value, body)


def replaced_matches(value: str, pattern: str, replacement: str) -> str:
    """Return a text in which all matches of a pattern, which is in Spark's words, are replaced by a constant."""
    size_of_one, written = len(replacement.encode()), said(replacement)
    if size_of_one <= SMALL_GROWTH:
        return f"regexp_replace({value}, {pattern}, {written})"

    def body(sql: str) -> str:
        rest = f"octet_length(regexp_replace({sql}, {pattern}, ''))"
        size = f"{rest} + CAST({matches(sql, pattern)} AS BIGINT) * {size_of_one}L"
        is_long = f"octet_length({sql}) >= {TEXT_BYTES // (2 * size_of_one)} AND {size} > {TEXT_BYTES}L"
        return f"regexp_replace({_unless(is_long, _too_long(size), sql)}, {pattern}, {written})"

    return once(value, body)


def matches(sql: str, pattern: str) -> str:
    """Return how often a pattern matches a text; Spark's own way makes a list of what matches."""
    marked, bare = (f"octet_length(regexp_replace({sql}, {pattern}, '{mark}'))" for mark in ("~", ""))
    return f"({marked} - {bare})"


def separated(lists: str, separator: Bound) -> str:
    """Return the elements of a list of texts as one text, with a separator between them."""
    if separator.literal is not None and len(separator.literal.encode()) * LIST_ELEMENTS <= TEXT_BYTES:
        return f"array_join({lists}, {separator.sql})"

    def body(sql: str) -> str:
        size = f"CAST(size({sql}) AS BIGINT) * octet_length({separator.sql})"
        return f"array_join({sql}, {_unless(f'{size} > {TEXT_BYTES}L', _too_long(size), separator.sql)})"

    return once(lists, body)


def gathered(size: str, rows: str) -> str:
    """Return rows that are about to become one text of so many bytes."""
    return _unless(f"{size} > {TEXT_BYTES}L", _too_long(size), rows)


def joined_texts(parts: Sequence[str], made: Callable[[Sequence[str]], str]) -> str:
    """Return texts put together.

    Only what functions like these made can be so long that it matters; other texts are not measured.

    Args:
        parts: The texts; a NULL has no length.
        made: Puts them together.
    """
    is_measured = any(_TEXT_MARK in part for part in parts)
    return _within(parts, made, "octet_length", TEXT_BYTES, _too_long) if is_measured else made(parts)


# ---- lists -----------------------------------------------------------------------------------------------------------


def repeated_list(lists: str, times: Bound) -> str:
    """Return a list so many times, one after another."""

    def body(sql: str) -> str:
        length = f"size({sql})"
        # Of a list without elements any number of times is the same, and would be made.
        least = f"if({length} = 0 AND {times.sql} IS NOT NULL, 0, {_times(times)})"
        count = _unless(_exceeds(length, times, LIST_ELEMENTS), _too_many(_product(length, times)), least)
        return f"flatten(array_repeat({sql}, {count}))"

    return once(lists, body)


def list_size(size: Bound, whole: str) -> str:
    """Return a number of elements that a list shall have, as Spark takes it: ``whole``, where it is not too large."""
    if size.literal is not None and int(size.literal) > LIST_ELEMENTS:
        return _typed(_too_many(f"{size.literal}BD"), "INT")
    if size.literal is not None and int(size.literal) <= UNMEASURED:
        return whole
    return _unless(f"{size.sql} > {LIST_ELEMENTS}", _too_many(size.sql), whole)


def list_within(count: str, value: str) -> str:
    """Return a value that a list of so many elements is made of; the count may be a float."""
    return _unless(f"{count} > {LIST_ELEMENTS}", _too_large(LIST_ELEMENTS), value)


def split(value: str, pieces: Callable[[str], str], made: Callable[[str], str]) -> str:
    """Return the parts of a text.

    Args:
        value: The text.
        pieces: Counts the parts; asked only for a text that may have too many.
        made: Splits it.
    """

    def body(sql: str) -> str:
        is_long = f"octet_length({sql}) > {SPLIT_ELEMENTS} AND {pieces(sql)} > {SPLIT_ELEMENTS}"
        return made(_unless(is_long, _too_large(SPLIT_ELEMENTS), sql))

    return once(value, body)


def flattened(lists: str) -> str:
    """Return the elements of lists in a list."""
    if not any(mark in lists for mark in _LIST_MARKS):
        return f"flatten({lists})"

    def body(sql: str) -> str:
        count = f"aggregate({sql}, 0L, (t, x) -> t + size(x))"
        return f"flatten({list_within(count, sql)})"

    return once(lists, body)


def joined_lists(parts: Sequence[str], made: Callable[[Sequence[str]], str]) -> str:
    """Return lists put together; as `joined_texts`."""
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
    # Floats do not overflow, and what they cannot say exactly is too much by far.
    number = f"{times.literal}D" if times.literal is not None else f"CAST({times.sql} AS DOUBLE)"
    return f"CAST({length} AS DOUBLE) * {number} > {most}D"


def _product(length: str, times: Bound) -> str:
    return f"CAST({length} AS DECIMAL(10,0)) * CAST({times.sql} AS DECIMAL(20,0))"


def _times(times: Bound) -> str:
    """Return a number of times as Spark takes it."""
    if times.literal is not None:
        return str(min(max(int(times.literal), 0), _MOST_TIMES))
    return once(
        times.sql,
        lambda sql: (
            f"CAST(CASE WHEN {sql} < 0 THEN 0 WHEN {sql} > {_MOST_TIMES} THEN {_MOST_TIMES} ELSE {sql} END AS INT)"
        ),
    )
