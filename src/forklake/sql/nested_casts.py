"""Casts of lists, structs and maps: part by part, to text as DuckDB prints them, and to JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from forklake.errors import InvalidInputError
from forklake.files.nested_text import quote
from forklake.files.texts import format_value, parse_value
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.sql.bound import NULL, TEXTS, Bound, is_numeric, list_of, map_of, scalar, shape_of, shaped, struct_of
from forklake.sql.literals import identifier, quoted, spark_names, spark_type
from forklake.sql.phrases import once, variable

Caster = Callable[[Bound, Field | str], Bound]

_PLAIN: Final = frozenset({"boolean", "date", "uuid"})
"""Types whose text is never quoted within nested text, beside numbers."""
_QUOTED: Final = r"""^$|^\s|\s$|^[nN][uU][lL][lL]$|["'(),:=\[\]{}]"""


def part(value: Bound, place: int) -> Bound:
    """Return a field of a struct by its place; it is no column any more."""
    shape = shape_of(value)
    return shaped(f"{value.sql}.{identifier(spark_names(shape)[place])}", shape.children[place])


# ---- nested to nested ------------------------------------------------------------------------------------------------


def cast_parts(value: Bound, shape: Field, cast: Caster) -> str | None:
    """Return a nested value as one of another nested type of the same kind; None if it is of another kind."""
    if value.type != shape.type:
        return None
    source = shape_of(value)
    match shape.type:
        case "list":
            name = variable()
            inner = cast(shaped(name, source.children[0]), shape.children[0]).sql
            return value.sql if inner == name else f"transform({value.sql}, {name} -> {inner})"
        case "map":
            return _cast_map(value, shape, cast)
    return once(value.sql, lambda sql: _cast_struct(shaped(sql, source), shape, cast))


def _cast_map(value: Bound, shape: Field, cast: Caster) -> str:
    key, item = variable(), variable()
    source = shape_of(value)
    key_sql = cast(shaped(key, source.children[0]), shape.children[0]).sql
    item_sql = cast(shaped(item, source.children[1]), shape.children[1]).sql
    if source.children[0].type == NULL:
        return f"if({value.sql} IS NULL, NULL, CAST(map() AS {spark_type(shape)}))"
    if key_sql == key:
        return value.sql if item_sql == item else f"transform_values({value.sql}, ({key}, {item}) -> {item_sql})"
    entry = variable()
    made = f"struct({key_sql.replace(key, f'{entry}.key')}, {item_sql.replace(item, f'{entry}.value')})"
    return f"map_from_entries(transform(map_entries({value.sql}), {entry} -> {made}))"


def _cast_struct(value: Bound, shape: Field, cast: Caster) -> str:
    source = shape_of(value)
    places = _matches(source, shape)
    parts = []
    for place, (child, name) in enumerate(zip(shape.children, spark_names(shape), strict=True)):
        found = places[place]
        inner = Bound("NULL", NULL) if found is None else part(value, found)
        parts.append(f"{quoted(name)}, {cast(inner, child).sql}")
    return f"CASE WHEN {value.sql} IS NOT NULL THEN named_struct({', '.join(parts)}) END"


def _matches(source: Field, target: Field) -> list[int | None]:
    """Return which field of a struct each field of another gets: by name, or by place if either has no names.

    Raises:
        InvalidInputError: No name is in both, or there are not as many fields.
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


def constant_parts(source: Field, target: Field, value: Any) -> Any:
    """Return a constant (`forklake.files.values`) as one of another type.

    Raises:
        ValueError: A part is no text that means a value of its new type.
    """
    if value is None:
        return None
    if source.type == target.type == "list":
        return [constant_parts(source.children[0], target.children[0], item) for item in value]
    if source.type == target.type == "map":
        (key, item), (new_key, new_item) = source.children, target.children
        return [(constant_parts(key, new_key, one), constant_parts(item, new_item, other)) for one, other in value]
    if source.type == target.type == "struct":
        places = _matches(source, target)
        return tuple(
            None if place is None else constant_parts(source.children[place], child, value[place])
            for place, child in zip(places, target.children, strict=True)
        )
    return parse_value(target, format_value(source, value))


# ---- to text ---------------------------------------------------------------------------------------------------------


def to_text(value: Bound, cast: Caster) -> str:
    """Return a nested value as DuckDB prints it."""
    shape = shape_of(value)
    match shape.type:
        case "list":
            name = variable()
            items = f"transform({value.sql}, {name} -> {_part_text(shaped(name, shape.children[0]), cast)})"
            return f"concat('[', array_join({items}, ', '), ']')"
        case "map":
            entry = variable()
            key, item = (
                _part_text(shaped(f"{entry}.{side}", child), cast)
                for side, child in zip(("key", "value"), shape.children, strict=True)
            )
            pairs = f"transform(map_entries({value.sql}), {entry} -> concat({key}, '=', {item}))"
            return f"concat('{{', array_join({pairs}, ', '), '}}')"
    return once(value.sql, lambda sql: _struct_text(shaped(sql, shape), cast))


def _struct_text(value: Bound, cast: Caster) -> str:
    shape = shape_of(value)
    has_names = all(child.name for child in shape.children)
    parts = []
    for place, child in enumerate(shape.children):
        name = quoted(("" if place == 0 else ", ") + (f"{quote(child.name, always=True)}: " if has_names else ""))
        parts += [name, _part_text(part(value, place), cast)]
    first, last = ("'{'", "'}'") if has_names else ("'('", "')'")
    return f"CASE WHEN {value.sql} IS NOT NULL THEN concat({', '.join((first, *parts, last))}) END"


def _part_text(value: Bound, cast: Caster) -> str:
    text = cast(value, "varchar").sql if value.type != NULL else "CAST(NULL AS STRING)"
    if not (value.field is not None or value.type in _PLAIN or is_numeric(value.type) or value.type in (NULL, "json")):
        text = once(text, _quoted_sql)
    return f"coalesce({text}, 'NULL')"


def _quoted_sql(sql: str) -> str:
    escaped = f"replace(replace({sql}, {quoted(chr(92))}, {quoted(chr(92) * 2)}), {quoted(chr(39))}, "
    escaped += f"{quoted(chr(92) + chr(39))})"
    mark = quoted("'")
    return f"CASE WHEN {sql} RLIKE {quoted(_QUOTED)} THEN concat({mark}, {escaped}, {mark}) ELSE {sql} END"


# ---- to JSON ---------------------------------------------------------------------------------------------------------


def to_json(value: Bound, cast: Caster) -> str:
    """Return a value as JSON."""
    sql = cast(value, _json_shape(shape_of(value))).sql
    settings = "map('ignoreNullFields', 'false')"
    if value.field is not None and value.field.children:
        return f"to_json({sql}, {settings})"
    # Spark has no JSON of values that are not nested: those of a list stand between its brackets.
    written = f"regexp_extract(to_json(array({sql}), {settings}), '^.(.*).$', 1)"
    return f"if({sql} IS NULL, NULL, {written})"


def _json_shape(shape: Field) -> Field:
    """Return a type with the same nesting, of parts for which Spark writes the JSON that DuckDB does."""
    match shape.type:
        case "list":
            return list_of(_json_shape(shape.children[0]))
        case "struct":
            return struct_of([(child.name, _json_shape(child)) for child in shape.children])
        case "map":
            return map_of(scalar("varchar"), _json_shape(shape.children[1]))
    is_kept = is_numeric(shape.type) or shape.type in TEXTS or shape.type in ("boolean", NULL)
    return shape if is_kept else scalar("varchar")
