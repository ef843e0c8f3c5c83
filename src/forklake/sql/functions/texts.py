"""Functions of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.predicate import Anything
from forklake.model.types import Type
from forklake.model.types.shapes import list_of
from forklake.sql.expressions import lengths
from forklake.sql.expressions import upper_and_lower as letters
from forklake.sql.expressions.bound import TEXTS, Bound
from forklake.sql.expressions.casts import cast
from forklake.sql.expressions.coercion import unify
from forklake.sql.expressions.comparisons import prefix_predicate
from forklake.sql.expressions.literals import spark_type, text_literal
from forklake.sql.expressions.spark_idioms import once, variable
from forklake.sql.functions.lists import contains
from forklake.sql.functions.signature import THIS, TWO, Function, Nodes, of_text, position, text, whole, wrong_type
from forklake.sql.functions.wide_digits import wide_digits


def _length(values: Sequence[Bound], node: exp.Expr) -> Bound:
    (value,) = values
    if isinstance(value.type, types.List | types.Map):
        return Bound(once(value.sql, lambda sql: f"if({sql} IS NULL, NULL, CAST(size({sql}) AS BIGINT))"), types.INT64)
    return Bound(f"CAST(length({text(value, node)}) AS BIGINT)", types.INT64)


def _substring(values: Sequence[Bound], node: exp.Expr) -> Bound:
    """Return a part of a text.

    Position 0 is before the first character; a negative length counts backwards.
    """
    value, start = text(values[0], node), values[1]
    length = values[2] if len(values) > 2 else None
    is_plain = start.literal is not None and int(start.literal) > 0
    if is_plain and (length is None or (length.literal is not None and int(length.literal) >= 0)):
        counts = [min(int(one.literal or 0), types.INT32.high) for one in (start, length) if one is not None]
        return Bound(f"substring({', '.join([value, *map(str, counts)])})", types.VARCHAR)
    place = position(start, node)

    def body(sql: str) -> str:
        begin = f"if({place} < 0, length({sql}) + {place} + 1, {place})"
        if length is None:
            return f"(CASE WHEN {place} IS NOT NULL THEN substring({sql}, {_within(begin, sql)}) END)"
        size = position(length, node)
        first = _within(f"if({size} < 0, {begin} + {size}, {begin})", sql)
        last = _within(f"if({size} < 0, {begin}, {begin} + {size})", sql)
        part = f"substring({sql}, {first}, {last} - {first})"
        return f"(CASE WHEN {place} IS NOT NULL AND {size} IS NOT NULL THEN {part} END)"

    return Bound(once(value, body), types.VARCHAR)


def _within(place: str, text: str) -> str:
    """Return a position that is neither before a text nor more than one behind it."""
    return f"CAST(least(greatest({place}, 1L), length({text}) + 1L) AS INT)"


def _end(name: str) -> Function:
    """Return a function for the characters at one end of a text.

    A negative count leaves out that many characters at the other end.
    """

    def function(values: Sequence[Bound], node: exp.Expr) -> Bound:
        size = position(values[1], node)

        def body(sql: str) -> str:
            kept = f"if({size} < 0, greatest(length({sql}) + {size}, 0L), least({size}, CAST(length({sql}) AS BIGINT)))"
            return f"(CASE WHEN {size} IS NOT NULL THEN {name}({sql}, CAST({kept} AS INT)) END)"

        return Bound(once(text(values[0], node), body), types.VARCHAR)

    return function


_LEFT: Final = _end("left")
_RIGHT: Final = _end("right")


def _trim(side: str | None = None) -> Function:
    def function(values: Sequence[Bound], node: exp.Expr) -> Bound:
        where = side or node.args.get("position") or "BOTH"
        removed = text_literal(letters.BLANKS) if len(values) == 1 else text(values[1], node)
        return Bound(f"trim({where} {removed} FROM {text(values[0], node)})", types.VARCHAR)

    return function


def _padding(name: str) -> Function:
    def function(values: Sequence[Bound], node: exp.Expr) -> Bound:
        filler = Bound(text(values[2], node), types.VARCHAR, literal=values[2].literal)
        return Bound(lengths.pad_text(name, text(values[0], node), whole(values[1], node), filler), types.VARCHAR)

    return function


def _pad(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return _padding("lpad" if node.args.get("is_left") else "rpad")(values, node)


def _concat(values: Sequence[Bound], node: exp.Expr) -> Bound:
    if any(isinstance(value.type, types.List) for value in values):
        return concatenate_lists(values, node)
    texts = [f"coalesce({cast(value, types.VARCHAR).sql}, '')" for value in values]
    return Bound(lengths.concatenate_texts(texts, lambda parts: f"concat({', '.join(parts)})"), types.VARCHAR)


def concatenate_lists(values: Sequence[Bound], node: exp.Expr) -> Bound:
    """Concatenate lists; NULLs are left out."""
    same = unify([value for value in values if isinstance(value.type, types.List)])
    empty = f"CAST(array() AS {spark_type(same[0].type)})"
    lists = [f"coalesce({value.sql}, {empty})" for value in same]
    return Bound(lengths.concatenate_lists(lists, lambda parts: f"concat({', '.join(parts)})"), same[0].type)


def _concat_ws(values: Sequence[Bound], node: exp.Expr) -> Bound:
    texts = [cast(value, types.VARCHAR).sql for value in values]
    # The separator counts once for each text.
    measured = [*texts, *texts[:1] * (len(texts) - 2)]
    made = lengths.concatenate_texts(measured, lambda parts: f"concat_ws({', '.join(parts[: len(texts)])})")
    return Bound(made, types.VARCHAR)


def _starts_with(values: Sequence[Bound], node: exp.Expr) -> Bound:
    prefix = values[1].literal
    said = Anything() if prefix is None else prefix_predicate(values[0], prefix)
    return Bound(f"startswith({text(values[0], node)}, {text(values[1], node)})", types.BOOLEAN, when_true=said)


def _split_part(values: Sequence[Bound], node: exp.Expr) -> Bound:
    source, separator, place = text(values[0], node), text(values[1], node), whole(values[2], node)
    if values[1].literal == "":
        letter = f"coalesce(try_element_at({_letters(source)}, nullif({place}, 0)), '')"
        present = f"{source} IS NOT NULL AND {place} IS NOT NULL"
        return Bound(f"(CASE WHEN {present} THEN {letter} END)", types.VARCHAR)
    if values[2].literal not in (None, "0"):
        return Bound(f"split_part({source}, {separator}, {place})", types.VARCHAR)
    absent = f"{source} IS NULL OR {separator} IS NULL"
    found = f"split_part({source}, {separator}, {place})"
    return Bound(f"(CASE WHEN {absent} THEN NULL WHEN {place} = 0 THEN '' ELSE {found} END)", types.VARCHAR)


def _letters(sql: str) -> str:
    letters = f"filter(split({sql}, ''), {(name := variable())} -> {name} <> '')"
    return f"if({sql} = '', array(''), {letters})"


def _plain_letter(letter: str) -> str:
    """Return a regular expression that matches exactly one character."""
    return f"\\{letter}" if letter in "\\^[]" else f"[{letter}]"


def _split(values: Sequence[Bound], node: exp.Expr) -> Bound:
    source, separator = text(values[0], node), values[1]
    if separator.literal == "":
        return Bound(lengths.split(source, "length({})".format, _letters), list_of(types.VARCHAR))
    if separator.literal is not None:
        pattern = text_literal("".join(map(_plain_letter, separator.literal)))
    else:
        pattern = f"concat({text_literal(chr(92) + 'Q')}, {text(separator, node)}, {text_literal(chr(92) + 'E')})"
    between = text(separator, node)

    def pieces(sql: str) -> str:
        rest = f"octet_length(replace({sql}, {between}, ''))"
        return f"(octet_length({sql}) - {rest}) div greatest(octet_length({between}), 1)"

    found = lengths.split(source, pieces, lambda sql: f"split({sql}, {pattern}, -1)")
    if separator.literal is None:
        letters = lengths.split(source, "length({})".format, _letters)
        found = or_whole(source, between, f"if({between} = '', {letters}, {found})")
    return Bound(found, list_of(types.VARCHAR))


def or_whole(source: str, separator: str, parts: str) -> str:
    """Return the parts of a text.

    All of it is one where nothing is given to split it by.
    """
    return f"if({separator} IS NULL AND {source} IS NOT NULL, array({source}), {parts})"


def _repeat(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value, times = values
    if times.is_untyped or times.type == types.NULL:
        times = cast(times, types.INT64)
    if not isinstance(times.type, types.Integer):
        raise wrong_type(times, node)
    if isinstance(value.type, types.List):
        repeated = lengths.repeat_list(value.sql, times)
        return Bound(f"(CASE WHEN {value.sql} IS NOT NULL THEN {repeated} END)", value.type)
    return Bound(lengths.repeat_text(replace(value, sql=text(value, node)), times), types.VARCHAR)


def _code(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return Bound(f"ascii({text(values[0], node)})", types.INT32)


def _code_point(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return Bound(once(text(values[0], node), lambda sql: f"if({sql} = '', -1, ascii({sql}))"), types.INT32)


def _letter(values: Sequence[Bound], node: exp.Expr) -> Bound:
    (value,) = values
    code = whole(value, node)
    return Bound(f"decode(unhex(lpad(hex(CAST({code} AS BIGINT)), 8, '0')), 'UTF-32')", types.VARCHAR)


def _bytes_or_text(pattern: str, result: Type = types.VARCHAR) -> Function:
    """Return a function of one text or blob."""

    def function(values: Sequence[Bound], node: exp.Expr) -> Bound:
        value = values[0]
        if value.is_untyped:
            value = cast(value, types.VARCHAR)
        if value.type not in (types.BLOB, *TEXTS):
            raise wrong_type(value, node)
        return Bound(pattern.format(value.sql), result)

    return function


def _hex(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value = values[0]
    if isinstance(value.type, types.Integer) and value.type.is_wide:
        return Bound(once(value.sql, lambda sql: wide_digits(sql, "hex", 16)), types.VARCHAR)
    if isinstance(value.type, types.Integer):
        return Bound(f"hex(CAST({value.sql} AS BIGINT))", types.VARCHAR)
    return _bytes_or_text("hex({0})")(values, node)


def _bin(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value = values[0]
    if isinstance(value.type, types.Integer) and value.type.is_wide:
        return Bound(once(value.sql, lambda sql: wide_digits(sql, "bin", 2)), types.VARCHAR)
    return Bound(f"bin({position(value, node)})", types.VARCHAR)


def _of_bytes(pattern: str, result: Type) -> Function:
    def function(values: Sequence[Bound], node: exp.Expr) -> Bound:
        value = cast(values[0], types.BLOB) if values[0].is_untyped else values[0]
        if value.type != types.BLOB:
            raise wrong_type(value, node)
        return Bound(pattern.format(value.sql), result)

    return function


def _sha2(values: Sequence[Bound], node: exp.Expr) -> Bound:
    if len(values) > 1 and values[1].literal not in (None, "256"):
        raise InvalidInputError(f'Catalog Error: Scalar Function with name "sha{values[1].literal}" does not exist!')
    return _bytes_or_text("sha2({0}, 256)")(values[:1], node)


def _contains(values: Sequence[Bound], node: exp.Expr) -> Bound:
    if isinstance(values[0].type, types.List | types.Map):
        return contains(values, node)
    return of_text("contains({0}, {1})", types.BOOLEAN)(values, node)


def _reverse(values: Sequence[Bound], node: exp.Expr) -> Bound:
    if isinstance(values[0].type, types.List):
        return Bound(f"reverse({values[0].sql})", values[0].type)
    return Bound(f"reverse({text(values[0], node)})", types.VARCHAR)


def _replace(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value, old, new = values
    written, found = text(new, node), text(old, node)
    least = 1 if old.literal is None else len(old.literal.encode())
    if new.literal is not None and len(new.literal.encode()) <= least * lengths.SMALL_GROWTH:
        return Bound(f"replace({text(value, node)}, {found}, {written})", types.VARCHAR)
    return Bound(lengths.replace_text(text(value, node), found, written), types.VARCHAR)


def _upper(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return Bound(letters.upper_case(text(values[0], node)), types.VARCHAR)


def _lower(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return Bound(letters.lower_case(text(values[0], node)), types.VARCHAR)


_ENDS: Final = of_text("endswith({0}, {1})", types.BOOLEAN)
_PLACE: Final = of_text("CAST(instr({0}, {1}) AS BIGINT)", types.INT64)
_TRANSLATE: Final = of_text("translate({0}, {1}, {2})")
_LEVENSHTEIN: Final = of_text(
    "CAST(levenshtein({0}, CASE WHEN CAST(length({0}) AS BIGINT) * length({1}) > 1000000000"
    " THEN CAST(raise_error('Out of Range Error: levenshtein takes texts whose lengths are at most 1000000000 when"
    " multiplied') AS STRING) ELSE {1} END) AS BIGINT)",
    types.INT64,
)
"""It takes a step for each pair of letters, and nothing cancels it."""
_BITS: Final = _bytes_or_text("CAST(bit_length({0}) AS BIGINT)", types.INT64)
_OCTETS: Final = _bytes_or_text("CAST(octet_length({0}) AS BIGINT)", types.INT64)
_MD5: Final = _bytes_or_text("md5({0})")
_BASE64: Final = _of_bytes(f"replace(base64({{0}}), {text_literal(chr(13) + chr(10))}, '')", types.VARCHAR)
"""In one line: Spark breaks it after 76 characters."""
_ENCODE: Final = of_text("CAST({0} AS BINARY)", types.BLOB)
_DECODE: Final = _of_bytes("decode({0}, 'UTF-8')", types.VARCHAR)


def _first(function: Function) -> Function:
    """Wrap a function to ignore the arguments that the parser adds."""
    return lambda values, node: function(values[:1], node)


NODES: Final[Nodes] = {
    exp.Lower: (_lower, THIS),
    exp.Upper: (_upper, THIS),
    exp.Length: (_length, THIS),
    exp.Reverse: (_reverse, THIS),
    exp.MD5: (_MD5, THIS),
    exp.SHA: (_bytes_or_text("sha1({0})"), THIS),
    exp.SHA2: (_sha2, ("this", "length")),
    exp.Replace: (_replace, ("this", "expression", "replacement")),
    exp.StrPosition: (_PLACE, ("this", "substr")),
    exp.Substring: (_substring, ("this", "start", "length")),
    exp.Left: (_LEFT, TWO),
    exp.Right: (_RIGHT, TWO),
    exp.Trim: (_trim(), ("this", "expression", "position")),
    exp.Pad: (_pad, ("this", "expression", "fill_pattern", "is_left")),
    exp.Concat: (_concat, ("expressions", "coalesce", "safe")),
    exp.ConcatWs: (_concat_ws, ("expressions", "coalesce", "safe")),
    exp.StartsWith: (_starts_with, TWO),
    exp.EndsWith: (_ENDS, TWO),
    exp.Contains: (_contains, TWO),
    exp.SplitPart: (_split_part, ("this", "delimiter", "part_index")),
    exp.Split: (_split, TWO),
    exp.Repeat: (_repeat, ("this", "times")),
    exp.Ascii: (_code, THIS),
    exp.Unicode: (_code_point, THIS),
    exp.Chr: (_letter, ("expressions",)),
    exp.Hex: (_hex, THIS),
    exp.Unhex: (of_text("unhex({0})", types.BLOB), THIS),
    exp.ToBase64: (_BASE64, THIS),
    exp.FromBase64: (of_text("unbase64({0})", types.BLOB), THIS),
    exp.Encode: (_first(_ENCODE), ("this", "charset")),
    exp.Decode: (_first(_DECODE), ("this", "charset")),
    exp.BitLength: (_BITS, THIS),
    exp.Translate: (_TRANSLATE, ("this", "from_", "to")),
    exp.Levenshtein: (_LEVENSHTEIN, TWO),
}
NAMED: Final[Mapping[str, Function]] = {
    "lower": _lower,
    "upper": _upper,
    "length": _length,
    "starts_with": _starts_with,
    "ends_with": _ENDS,
    "strpos": _PLACE,
    "substring": _substring,
    "left": _LEFT,
    "right": _RIGHT,
    "string_split": _split,
    "ascii": _code,
    "ord": _code_point,
    "base64": _BASE64,
    "hex": _hex,
    "unhex": of_text("unhex({0})", types.BLOB),
    "levenshtein": _LEVENSHTEIN,
    "from_base64": of_text("unbase64({0})", types.BLOB),
    "strlen": of_text("CAST(octet_length({0}) AS BIGINT)", types.INT64),
    "octet_length": _OCTETS,
    "bit_length": _BITS,
    "reverse": _reverse,
    "replace": _replace,
    "translate": _TRANSLATE,
    "repeat": _repeat,
    "chr": _letter,
    "trim": _trim("BOTH"),
    "ltrim": _trim("LEADING"),
    "rtrim": _trim("TRAILING"),
    "lpad": _padding("lpad"),
    "rpad": _padding("rpad"),
    "concat": _concat,
    "concat_ws": _concat_ws,
    "contains": _contains,
    "split_part": _split_part,
    "md5": _MD5,
    "sha1": _bytes_or_text("sha1({0})"),
    "sha256": _bytes_or_text("sha2({0}, 256)"),
    "encode": _ENCODE,
    "decode": _DECODE,
    "bin": _bin,
}
