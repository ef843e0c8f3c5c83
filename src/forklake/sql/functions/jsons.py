"""Functions of JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.files.casting.texts import parse_value
from forklake.model import types
from forklake.model.types.shapes import list_of
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.casts import cast
from forklake.sql.expressions.literals import text_literal
from forklake.sql.expressions.nested import list_value, row_value
from forklake.sql.expressions.nested_casts import part
from forklake.sql.expressions.render import render
from forklake.sql.expressions.spark_idioms import once
from forklake.sql.functions.computed import computed_value, json_argument
from forklake.sql.functions.signature import TWO, Function, Nodes

_STEP: Final = re.compile(r'\.("(?:[^"]*)"|[\w-]+)|\[(\d+)\]')
_POINTER: Final = re.compile(r"(/[^\W\d]\w*)+")


def _json(value: Bound) -> str:
    """Return an argument as JSON, which a value of any type becomes."""
    return json_argument(value).sql


def _spark_path(path: Bound) -> str | None:
    """Return a path in Spark's syntax.

    It has ``$``, ``['name']`` and ``[0]``. The result is None if Spark has no such path.
    """
    if path.literal is None:
        return None
    if isinstance(path.type, types.Integer):
        return None if path.literal.startswith("-") else f"$[{path.literal}]"
    text = path.literal
    if text.startswith("/"):
        # A number in a pointer is the name of a field or a place in an array, as the value has it.
        text = "$" + text.replace("/", ".") if _POINTER.fullmatch(text) else ""
    steps = _steps(text) if text.startswith("$") else [_step(text)]
    return None if None in steps else "".join(["$", *filter(None, steps)])


def _steps(text: str) -> list[str | None]:
    found: list[str | None] = []
    place = 1
    while place < len(text):
        match = _STEP.match(text, place)
        if match is None:
            return [None]
        found.append(f"[{match[2]}]" if match[2] is not None else _step(match[1].strip('"')))
        place = match.end()
    return found


def _step(name: str) -> str | None:
    """Return the path step to a name.

    The result is None for names with quotes, and for others that are more than a name.
    """
    return f"['{name}']" if name and not set(name) & set("'\"*") else None


def _at_path(name: str, write: Callable[[str], Bound]) -> Function:
    """Return a function of JSON and a path.

    DuckDB computes it for paths that Spark does not have: of columns, with wildcards, and from the end of an array.
    """

    def call(values: Sequence[Bound], node: exp.Expr) -> Bound:
        value, path = _json(values[0]), _spark_path(values[1])
        if path is None:
            return computed_value(name, values, node)
        return write(f"try_parse_json({value}), {text_literal(path)}")

    return call


_extract: Final = _at_path("json_extract", lambda place: Bound(f"to_json(variant_get({place}, 'variant'))", types.JSON))
_extract_text: Final = _at_path(
    "json_extract_string", lambda place: Bound(f"try_variant_get({place}, 'string')", types.VARCHAR)
)


def _to_json(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value = cast(values[0], types.VARCHAR) if values[0].is_untyped else values[0]
    if value.type == types.VARCHAR:
        written = f"regexp_extract(to_json(array({value.sql})), '^.(.*).$', 1)"
        return Bound(f"if({value.sql} IS NULL, NULL, {written})", types.JSON)
    return cast(value, types.JSON)


def _without_spaces(values: Sequence[Bound], node: exp.Expr) -> Bound:
    """Return JSON without the spaces between its parts."""
    value = cast(values[0], types.JSON).sql
    # Possessive: Java would call itself for each letter of a string, and strings may be long.
    pattern = text_literal(r'("(?:[^"\\]|\\.)*+")|\s+')
    return Bound(f"regexp_replace({value}, {pattern}, '$1')", types.JSON)


def _embed(value: Bound, node: exp.Expr) -> str:
    """Return a value as a part of a JSON document."""
    return (_without_spaces if value.type == types.JSON else _to_json)([value], node).sql


def _object(values: Sequence[Bound], node: exp.Expr) -> Bound:
    if isinstance(node, exp.JSONObject):
        # The parser returns pairs of names and values.
        values = [part(pair, place) for pair in values for place in (0, 1)]
        names: list[str | None] = [pair.this.name for pair in node.expressions]
    else:
        names = [value.literal for value in values[::2]]
    if any(name is None for name in names):
        raise InvalidInputError(f"The names in a JSON object must be constants: {render(node)}")
    labels = [text_literal(f"{json.dumps(name, ensure_ascii=False)}:") for name in names]
    pairs = [
        f"concat({label}, coalesce({_embed(value, node)}, 'null'))"
        for label, value in zip(labels, values[1::2], strict=True)
    ]
    return Bound(f"concat('{{', concat_ws(',', {', '.join(pairs)}), '}}')" if pairs else "'{}'", types.JSON)


def _array(values: Sequence[Bound], node: exp.Expr) -> Bound:
    if not values:
        return Bound("'[]'", types.JSON)
    parts = [_embed(value, node) for value in values]
    joined = ", ".join(f"coalesce({sql}, 'null')" for sql in parts)
    return Bound(f"concat('[', concat_ws(',', {joined}), ']')", types.JSON)


def _type(values: Sequence[Bound], node: exp.Expr) -> Bound:
    if len(values) > 1 and _spark_path(values[1]) is None:
        return computed_value("json_type", values, node)
    value = _json(values[0]) if len(values) == 1 else _extract(values, node).sql

    def body(sql: str) -> str:
        start = f"left(ltrim({sql}), 1)"
        number = f"if({sql} RLIKE '[.eE]', 'DOUBLE', if(startswith(ltrim({sql}), '-'), 'BIGINT', 'UBIGINT'))"
        return (
            f"(CASE WHEN {sql} IS NULL THEN NULL WHEN {start} = '{{' THEN 'OBJECT' WHEN {start} = '[' THEN 'ARRAY'"
            f" WHEN {start} = '\"' THEN 'VARCHAR' WHEN {start} IN ('t', 'f') THEN 'BOOLEAN' WHEN {start} = 'n' THEN"
            f" 'NULL' ELSE {number} END)"
        )

    return Bound(once(value, body), types.VARCHAR)


def _length(values: Sequence[Bound], node: exp.Expr) -> Bound:
    if len(values) > 1 and _spark_path(values[1]) is None:
        return computed_value("json_array_length", values, node)
    value = _json(values[0]) if len(values) == 1 else _extract(values, node).sql
    return Bound(
        f"CAST(coalesce(json_array_length({value}), if({value} IS NULL, NULL, 0)) AS DECIMAL(20,0))", types.UINT64
    )


def _is_valid(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value = _json(values[0])
    return Bound(f"if({value} IS NULL, NULL, try_parse_json({value}) IS NOT NULL)", types.BOOLEAN)


def _names(values: Sequence[Bound], node: exp.Expr) -> Bound:
    if len(values) > 1:
        return computed_value("json_keys", values, node)
    value = _json(values[0])
    names = f"coalesce(json_object_keys({value}), array())"
    return Bound(f"(CASE WHEN {value} IS NOT NULL THEN {names} END)", list_of(types.VARCHAR))


def _with_path_lists(function: Function) -> Function:
    """Wrap a function to take a list of paths, too."""

    def extract(values: Sequence[Bound], node: exp.Expr) -> Bound:
        if len(values) > 1 and isinstance(values[1].type, types.List) and values[1].literal is not None:
            paths = parse_value(list_of(types.VARCHAR), cast(values[1], list_of(types.VARCHAR)).literal or "[]")
            alone = exp.Anonymous(this="json_extract")
            found = list_value([function([values[0], Bound("", types.VARCHAR, literal=path)], alone) for path in paths])
            return Bound(f"if({values[0].sql} IS NULL, NULL, {found.sql})", found.type)
        return function(values, node)

    return extract


_PATH: Final = ("this", "expression", "only_json_types", "scalar_only", "expressions", "json_type")

NODES: Final[Nodes] = {
    exp.JSONExtract: (_with_path_lists(_extract), _PATH),
    exp.JSONExtractScalar: (_with_path_lists(_extract_text), _PATH),
    exp.JSONType: (_type, TWO),
    exp.JSONKeyValue: (lambda values, node: row_value(values), ("this", "expression")),
    exp.JSONObject: (_object, ("expressions", "null_handling", "return_type", "encoding")),
    exp.JSONArray: (_array, ("expressions", "null_handling", "return_type")),
    exp.JSONKeys: (_names, ("this", "expression", "expressions")),
}
NAMED: Final[Mapping[str, Function]] = {
    "json_extract": _with_path_lists(_extract),
    "json_extract_string": _with_path_lists(_extract_text),
    "to_json": _to_json,
    "json": _without_spaces,
    "json_object": _object,
    "json_array": _array,
    "json_type": _type,
    "json_array_length": _length,
    "json_valid": _is_valid,
    "json_keys": _names,
}
