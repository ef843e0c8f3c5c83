"""Functions of JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.files.texts import parse_value
from forklake.model import types
from forklake.model.types.shapes import list_of
from forklake.sql.expressions.bound import TEXTS, Bound
from forklake.sql.expressions.casts import cast
from forklake.sql.expressions.literals import text_literal
from forklake.sql.expressions.nested import list_value, row_value
from forklake.sql.expressions.nested_casts import part
from forklake.sql.expressions.phrases import once
from forklake.sql.expressions.render import render
from forklake.sql.functions.signature import TWO, Function, Nodes, wrong_type

_STEP: Final = re.compile(r'\.("(?:[^"]*)"|[\w-]+)|\[(\d+)\]')


def _json(value: Bound, node: exp.Expr) -> str:
    if value.type not in TEXTS:
        raise wrong_type(value, node)
    return value.sql


def _path_text(path: Bound, node: exp.Expr) -> str:
    """Return a path in Spark's syntax: ``$``, ``['name']`` and ``[0]``."""
    if path.literal is None:
        raise InvalidInputError(f"The path into JSON must be a constant: {render(node)}")
    if isinstance(path.type, types.Integer):
        return f"$[{path.literal}]"
    text = path.literal
    if text.startswith("/"):
        text = "$" + "".join(f"[{part}]" if part.isdigit() else f'."{part}"' for part in text[1:].split("/"))
    return _spark_path(text, node) if text.startswith("$") else f"${_step(text, node)}"


def _step(name: str, node: exp.Expr) -> str:
    """Return the path step to a name.

    A name with both kinds of quotes is refused, because Spark has no syntax for it.
    """
    mark = '"' if "'" in name else "'"
    if mark in name:
        raise InvalidInputError(f"The name {name} in a path into JSON is not supported: {render(node)}")
    return f"[{mark}{name}{mark}]"


def _spark_path(text: str, node: exp.Expr) -> str:
    found, place = "$", 1
    while place < len(text):
        match = _STEP.match(text, place)
        if match is None:
            raise InvalidInputError(f'The path "{text}" into JSON is not supported: {render(node)}')
        found += f"[{match[2]}]" if match[2] is not None else _step(match[1].strip('"'), node)
        place = match.end()
    return found


def _path_of(node: exp.Expr, values: Sequence[Bound]) -> str:
    """Return the path of a call, which the parser may have parsed already."""
    path = node.args.get("expression")
    if not isinstance(path, exp.JSONPath):
        return _path_text(values[1], node)
    found = "$"
    for step in path.expressions:
        if isinstance(step, exp.JSONPathRoot):
            continue
        if isinstance(step, exp.JSONPathKey) and isinstance(step.this, str):
            found += _step(step.this, node)
        elif isinstance(step, exp.JSONPathSubscript) and isinstance(step.this, int) and step.this >= 0:
            found += f"[{step.this}]"
        else:
            raise InvalidInputError(f"This path into JSON is not supported: {render(node)}")
    return found


def _extract(values: Sequence[Bound], node: exp.Expr) -> Bound:
    """Return a part of a JSON document, as JSON."""
    value, path = _json(values[0], node), text_literal(_path_of(node, values))
    found = f"variant_get(try_parse_json({value}), {path}, 'variant')"
    return Bound(f"to_json({found})", types.JSON)


def _extract_text(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value, path = _json(values[0], node), text_literal(_path_of(node, values))
    return Bound(f"try_variant_get(try_parse_json({value}), {path}, 'string')", types.VARCHAR)


def _to_json(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value = cast(values[0], types.VARCHAR) if values[0].is_untyped else values[0]
    if value.type == types.VARCHAR:
        written = f"regexp_extract(to_json(array({value.sql})), '^.(.*).$', 1)"
        return Bound(f"if({value.sql} IS NULL, NULL, {written})", types.JSON)
    return cast(value, types.JSON)


def _without_spaces(values: Sequence[Bound], node: exp.Expr) -> Bound:
    """Return JSON without the spaces between its parts."""
    value = cast(values[0], types.JSON).sql
    pattern = text_literal(r'("(?:[^"\\]|\\.)*")|\s+')
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
    value = _json(values[0], node)
    if len(values) > 1:
        value = _extract(values, node).sql

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
    value = _json(values[0], node) if len(values) == 1 else _extract(values, node).sql
    return Bound(
        f"CAST(coalesce(json_array_length({value}), if({value} IS NULL, NULL, 0)) AS DECIMAL(20,0))", types.UINT64
    )


def _is_valid(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value = _json(values[0], node)
    return Bound(f"if({value} IS NULL, NULL, try_parse_json({value}) IS NOT NULL)", types.BOOLEAN)


def _names(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value = _json(values[0], node)
    names = f"coalesce(json_object_keys({value}), array())"
    return Bound(f"(CASE WHEN {value} IS NOT NULL THEN {names} END)", list_of(types.VARCHAR))


def _with_path_lists(function: Function) -> Function:
    """Wrap a function to take a list of paths, too."""

    def extract(values: Sequence[Bound], node: exp.Expr) -> Bound:
        if len(values) > 1 and isinstance(values[1].type, types.List) and values[1].literal is not None:
            paths = parse_value(list_of(types.VARCHAR), cast(values[1], list_of(types.VARCHAR)).literal or "[]")
            alone = exp.Anonymous(this="json_extract")
            return list_value([function([values[0], Bound("", types.VARCHAR, literal=path)], alone) for path in paths])
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
