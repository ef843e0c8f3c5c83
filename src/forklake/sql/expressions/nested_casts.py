"""Casts of lists, structs and maps: by part, to DuckDB's text, and to JSON."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, Final

from forklake.errors import InvalidInputError
from forklake.files.casting.nested_text import quote
from forklake.files.casting.texts import format_value, parse_value
from forklake.model import types
from forklake.model.interruption import in_time
from forklake.model.names import fold
from forklake.model.quoting import quote_spark_name
from forklake.model.types import Type
from forklake.model.types.shapes import list_of, map_of, struct_of
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.literals import spark_names, spark_type, text_literal
from forklake.sql.expressions.spark_idioms import once, variable

Caster = Callable[[Bound, Type], Bound]

_BARE: Final = (types.Nested, types.Number, types.Boolean, types.Date, types.Uuid, types.Null)
"""Types whose text is never quoted within nested text. JSON is in structs and maps."""
_QUOTED: Final = r"""^$|^\s|\s$|^[nN][uU][lL][lL]$|["'(),:=\[\]{}]"""


def part(value: Bound, place: int) -> Bound:
    """Return a field of a struct by its position; the result is no column."""
    name = quote_spark_name(spark_names(value.type)[place])
    return Bound(f"{value.sql}.{name}", value.type.children[place].type)


# ---- nested to nested ------------------------------------------------------------------------------------------------


def cast_parts(value: Bound, target: Type, cast: Caster) -> str | None:
    """Cast a nested value to another type of its kind, or a struct to a map.

    Return None for other kinds.
    """
    match value.type, target:
        case types.List(element), types.List(wanted):
            name = variable()
            inner = cast(Bound(name, element.type), wanted.type).sql
            return value.sql if inner == name else f"transform({value.sql}, {name} -> {inner})"
        case types.Map(), types.Map():
            return _cast_map(value, value.type, target, cast)
        case types.Struct(), types.Map():
            return _cast_fields(value, target, cast)
        case types.Struct(), types.Struct():
            return once(value.sql, lambda sql: _cast_struct(Bound(sql, value.type), target, cast))
    return None


def _cast_map(value: Bound, source: types.Map, target: types.Map, cast: Caster) -> str:
    key, item = variable(), variable()
    key_sql = cast(Bound(key, source.key.type), target.key.type).sql
    item_sql = cast(Bound(item, source.value.type), target.value.type).sql
    if source.key.type == types.NULL:
        return f"if({value.sql} IS NULL, NULL, CAST(map() AS {spark_type(target)}))"
    if key_sql == key:
        return value.sql if item_sql == item else f"transform_values({value.sql}, ({key}, {item}) -> {item_sql})"
    entry = variable()
    made = f"struct({key_sql.replace(key, f'{entry}.key')}, {item_sql.replace(item, f'{entry}.value')})"
    return f"map_from_entries(transform(map_entries({value.sql}), {entry} -> {made}))"


def _cast_fields(value: Bound, target: types.Map, cast: Caster) -> str:
    """Return a struct as a map of the names of its fields to their values."""
    names = [cast(Bound(text_literal(field.name), types.VARCHAR), target.key.type).sql for field in value.type.children]
    values = [cast(part(value, place), target.value.type).sql for place in range(len(names))]
    entries = [f"struct({name} AS key, {item} AS value)" for name, item in zip(names, values, strict=True)]
    return f"if({value.sql} IS NULL, NULL, map_from_entries(array({', '.join(entries)})))"


def _cast_struct(value: Bound, target: types.Struct, cast: Caster) -> str:
    places = _matches(value.type, target)
    parts = []
    for found, field, name in zip(places, target.fields, spark_names(target), strict=True):
        inner = Bound("NULL", types.NULL) if found is None else part(value, found)
        parts.append(f"{text_literal(name)}, {cast(inner, field.type).sql}")
    return f"CASE WHEN {value.sql} IS NOT NULL THEN named_struct({', '.join(parts)}) END"


def _matches(source: Type, target: Type) -> list[int | None]:
    """Return, for each field of a target struct, the source field that it takes.

    Fields match by name, or by position if either struct has no names.

    Raises:
        InvalidInputError: No name is in both, or the numbers of fields differ.
    """
    if not all(child.name for child in (*source.children, *target.children)):
        if len(source.children) != len(target.children):
            raise InvalidInputError("Mismatch Type Error: Cannot cast STRUCTs of different size")
        return list(range(len(source.children)))
    known = {fold(child.name): place for place, child in enumerate(source.children)}
    found = [known.get(fold(child.name)) for child in target.children]
    if all(place is None for place in found):
        raise InvalidInputError("Binder Error: STRUCT to STRUCT cast must have at least one matching member")
    return found


def constant_parts(source: Type, target: Type, value: Any) -> Any:
    """Convert a constant (`forklake.files.arrow.values`) to another type.

    Raises:
        ValueError: The text of a part is no value of its new type.
    """
    if value is None:
        return None
    match source, target:
        case types.List(element), types.List(wanted):
            return [constant_parts(element.type, wanted.type, item) for item in in_time(value)]
        case types.Map(key, item), types.Map(new_key, new_item):
            return [
                (constant_parts(key.type, new_key.type, one), constant_parts(item.type, new_item.type, other))
                for one, other in in_time(value)
            ]
        case types.Struct(fields), types.Map(new_key, new_item):
            return [
                (
                    constant_parts(types.VARCHAR, new_key.type, field.name),
                    constant_parts(field.type, new_item.type, item),
                )
                for field, item in zip(fields, value, strict=True)
            ]
        case types.Struct(fields), types.Struct(wanted_fields):
            return tuple(
                None if place is None else constant_parts(fields[place].type, field.type, value[place])
                for place, field in zip(_matches(source, target), wanted_fields, strict=True)
            )
    if source == types.FLOAT32 and isinstance(target, types.Float):
        return struct.unpack("f", struct.pack("f", value))[0]  # its text has fewer digits than a longer float
    return parse_value(target, format_value(source, value))


# ---- to text ---------------------------------------------------------------------------------------------------------


def to_text(value: Bound, cast: Caster) -> str:
    """Return a nested value as DuckDB prints it."""
    match value.type:
        case types.List(element):
            name = variable()
            is_json = element.type == types.JSON
            text = f"coalesce({name}, 'NULL')" if is_json else _part_text(Bound(name, element.type), cast)
            items = f"transform({value.sql}, {name} -> {text})"
            return f"concat('[', array_join({items}, ', '), ']')"
        case types.Map(key, item):
            entry = variable()
            key_text = _part_text(Bound(f"{entry}.key", key.type), cast)
            item_text = _part_text(Bound(f"{entry}.value", item.type), cast)
            pairs = f"transform(map_entries({value.sql}), {entry} -> concat({key_text}, '=', {item_text}))"
            return f"concat('{{', array_join({pairs}, ', '), '}}')"
    return once(value.sql, lambda sql: _struct_text(Bound(sql, value.type), cast))


def _struct_text(value: Bound, cast: Caster) -> str:
    fields = value.type.children
    has_names = all(field.name for field in fields)
    parts = []
    for place, field in enumerate(fields):
        name = text_literal(("" if place == 0 else ", ") + (f"{quote(field.name, always=True)}: " if has_names else ""))
        parts += [name, _part_text(part(value, place), cast)]
    first, last = ("'{'", "'}'") if has_names else ("'('", "')'")
    return f"CASE WHEN {value.sql} IS NOT NULL THEN concat({', '.join((first, *parts, last))}) END"


def _part_text(value: Bound, cast: Caster) -> str:
    text = cast(value, types.VARCHAR).sql if value.type != types.NULL else "CAST(NULL AS STRING)"
    return f"coalesce({text if isinstance(value.type, _BARE) else once(text, _quoted_sql)}, 'NULL')"


def _quoted_sql(sql: str) -> str:
    escaped = f"replace(replace({sql}, {text_literal(chr(92))}, {text_literal(chr(92) * 2)}), {text_literal(chr(39))}, "
    escaped += f"{text_literal(chr(92) + chr(39))})"
    mark = text_literal("'")
    return f"CASE WHEN {sql} RLIKE {text_literal(_QUOTED)} THEN concat({mark}, {escaped}, {mark}) ELSE {sql} END"


# ---- to JSON ---------------------------------------------------------------------------------------------------------


def to_json(value: Bound, cast: Caster) -> str:
    """Return a value as JSON."""
    sql = cast(value, _json_shape(value.type)).sql
    settings = "map('ignoreNullFields', 'false')"
    if isinstance(value.type, types.Nested):
        return f"to_json({sql}, {settings})"
    if isinstance(value.type, types.Decimal):
        return cast(value, types.VARCHAR).sql  # Spark's has exponents
    # Spark writes no JSON of plain values: take it from between the brackets of a list.
    written = f"regexp_extract(to_json(array({sql}), {settings}), '^.(.*).$', 1)"
    return f"if({sql} IS NULL, NULL, {written})"


def _json_shape(kind: Type) -> Type:
    """Return a type with the same nesting whose JSON Spark writes as DuckDB does."""
    match kind:
        case types.List(element):
            return list_of(_json_shape(element.type))
        case types.Struct(fields):
            return struct_of((field.name, _json_shape(field.type)) for field in fields)
        case types.Map(_, item):
            return map_of(types.VARCHAR, _json_shape(item.type))
        case types.Float():
            return types.FLOAT64
        case types.Number() | types.Boolean() | types.Varchar() | types.Json() | types.Null():
            return kind
    return types.VARCHAR
