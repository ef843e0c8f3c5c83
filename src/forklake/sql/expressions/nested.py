"""Lists, structs and maps: constructors, and access to their parts.

For code that walks the parser's nodes:

- ``list_value(values)`` is ``[a, b]``, ``list_value(a, b)`` and ``ARRAY[a, b]``;
- ``struct_value(names, values)`` is ``{'a': x}`` and ``struct_pack(a := x)``; ``row_value(values)`` is
  ``row(x, y)`` and ``(x, y)``;
- ``map_value(keys, values)`` is ``MAP {'k': v}``; ``map_of_lists(keys, values)`` is ``map([...], [...])``;
- ``element(value, key)`` is ``v[k]`` of lists, texts, maps and structs, with positions as DuckDB counts
  them: from 1 (the parser has subtracted 1), or from the end if negative; ``value_slice(value, begin, end)``
  is ``v[a:b]``; ``field_of(value, name)`` is ``s.name`` and ``struct_extract``; ``concatenation(a, b)`` is
  ``a || b``.

A value made of constants is a constant, with DuckDB's text as its ``literal``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from forklake.errors import InvalidInputError, NotFoundError
from forklake.files.casting.nested_text import quote
from forklake.model import types
from forklake.model.names import fold
from forklake.model.types import Type
from forklake.model.types.shapes import list_of, map_of, struct_of
from forklake.sql.expressions import lengths
from forklake.sql.expressions.bound import TEXTS, Bound, is_null
from forklake.sql.expressions.coercion import cast, unify
from forklake.sql.expressions.literals import spark_literal, spark_names, spark_type, text_literal
from forklake.sql.expressions.nested_casts import part
from forklake.sql.expressions.spark_idioms import once, variable
from forklake.sql.expressions.variants import computed_here

_NOWHERE: Final = 2**31
"""No list of Spark has an element at this place."""


def list_value(values: Sequence[Bound]) -> Bound:
    """Return a list of values, which take one type.

    Raises:
        InvalidInputError: They have no common type.
    """
    if not values:
        return Bound("array()", list_of(types.NULL), literal="[]")
    same = unify(values)
    shape = list_of(same[0].type)
    texts = [_part_text(value, in_list=True) for value in same]
    return _fold_constant(
        f"array({', '.join(exact(value) for value in same)})", shape, f"[{', '.join(_or_empty(texts))}]", texts
    )


def struct_value(names: Sequence[str], values: Sequence[Bound]) -> Bound:
    """Return a struct with named fields.

    Raises:
        InvalidInputError: Two names are the same.
    """
    if len({fold(name) for name in names}) < len(names):
        twice = next(name for place, name in enumerate(names) if fold(name) in {fold(one) for one in names[:place]})
        raise InvalidInputError(f'Binder Error: Duplicate struct entry name "{twice}"')
    settled = [_type_constant(value) for value in values]
    shape = struct_of([(name, value.type) for name, value in zip(names, settled, strict=True)])
    texts = [_part_text(value) for value in settled]
    pairs = zip(names, _or_empty(texts), strict=True)
    text = f"{{{', '.join(f'{quote(name, always=True)}: {one}' for name, one in pairs)}}}"
    return _fold_constant(_struct_sql(shape, settled), shape, text, texts)


def row_value(values: Sequence[Bound]) -> Bound:
    """Return a struct whose fields have no names."""
    settled = [_type_constant(value) for value in values]
    shape = struct_of([("", value.type) for value in settled])
    texts = [_part_text(value) for value in settled]
    return _fold_constant(_struct_sql(shape, settled), shape, f"({', '.join(_or_empty(texts))})", texts)


def map_value(keys: Sequence[Bound], values: Sequence[Bound]) -> Bound:
    """Return a map.

    Raises:
        InvalidInputError: Keys or values have no common type, or a key is NULL or repeated.
    """
    if not keys:
        return Bound("map()", map_of(types.NULL, types.NULL), literal="{}")
    same_keys, same_values = unify(keys), unify(values)
    if any(key.literal is None and _part_text(key) == "NULL" for key in (*keys, *same_keys)):
        raise InvalidInputError("Invalid Input Error: Map keys can not be NULL.")
    texts = [(_part_text(key), _part_text(value)) for key, value in zip(same_keys, same_values, strict=True)]
    known = [key for key, _ in texts if key is not None]
    if len(set(known)) < len(known):
        raise InvalidInputError("Invalid Input Error: Map keys must be unique.")
    shape = map_of(same_keys[0].type, same_values[0].type)
    parts = [exact(one) for pair in zip(same_keys, same_values, strict=True) for one in pair]
    flat = [text for pair in texts for text in pair]
    return _fold_constant(f"map({', '.join(parts)})", shape, f"{{{', '.join(f'{k}={v}' for k, v in texts)}}}", flat)


def map_of_lists(keys: Bound, values: Bound) -> Bound:
    """Return the map of a list of keys and a list of values.

    Raises:
        InvalidInputError: One of them is no list.
    """
    if isinstance(keys.type, types.List) and isinstance(values.type, types.List):
        key, item = keys.type.element.type, values.type.element.type
        if key == types.NULL:
            return map_value((), ())
        return Bound(f"map_from_arrays({keys.sql}, {values.sql})", map_of(key, item))
    raise InvalidInputError(
        "Binder Error: MAP expects two lists: one of keys and one of values, not"
        f" {keys.type.sql_name} and {values.type.sql_name}"
    )


def _type_constant(value: Bound) -> Bound:
    """Return a value with a type of its own; a quoted constant becomes text."""
    return cast(value, types.VARCHAR) if value.is_untyped else value


def _struct_sql(shape: Type, values: Sequence[Bound]) -> str:
    pairs = zip(spark_names(shape), values, strict=True)
    return f"named_struct({', '.join(f'{text_literal(name)}, {exact(value)}' for name, value in pairs)})"


def _fold_constant(sql: str, shape: Type, text: str, texts: Sequence[str | None]) -> Bound:
    """Return a nested value, as a constant if all its parts are constants."""
    if any(one is None for one in texts) or _has_rows(shape):
        return Bound(sql, shape)
    return Bound(spark_literal(shape, text), shape, literal=text)


def _has_rows(shape: Type) -> bool:
    """Return whether a type contains structs without field names.

    No text can tell their fields apart.
    """
    is_struct = isinstance(shape, types.Struct)
    return any((is_struct and not field.name) or _has_rows(field.type) for field in shape.children)


def _part_text(value: Bound, *, in_list: bool = False) -> str | None:
    """Return a constant as it is written in nested text; None if it is no constant."""
    if value.type == types.NULL or is_null(value):
        return "NULL"
    if value.literal is None:
        return None
    is_bare = isinstance(value.type, types.Nested) or (in_list and isinstance(value.type, types.Json))
    return value.literal if is_bare else quote(value.literal)


def _or_empty(texts: Sequence[str | None]) -> list[str]:
    return [text or "" for text in texts]


def keep_zeros(elements: str, lists: Bound) -> str:
    """Return different elements of a list with the sign of its first zero.

    Spark makes 0.0 of -0.0 where it looks for elements that are equal.
    """
    if not isinstance(lists.type, types.List) or not isinstance(lists.type.element.type, types.Float):
        return elements
    name, zero = variable(), variable()
    first = f"try_element_at(filter({lists.sql}, {zero} -> {zero} = 0), 1)"
    return f"transform({elements}, {name} -> if({name} = 0, {first}, {name}))"


def exact(value: Bound) -> str:
    """Return a value with exactly the Spark type of its type.

    A plain literal may have fewer digits.
    """
    kind = value.type
    is_wide = isinstance(kind, types.Decimal) or (isinstance(kind, types.Integer) and kind.is_wide)
    if value.literal is not None and is_wide:
        return f"CAST({value.sql} AS {spark_type(value.type)})"
    return value.sql


# ---- parts -----------------------------------------------------------------------------------------------------------


def element(value: Bound, key: Bound) -> Bound:
    """Return the part of a value at a position, key or field name.

    The value is a list, a text, a map or a struct. The result is NULL if there is no such part.

    Raises:
        InvalidInputError: It has no such parts.
        NotFoundError: A struct has no such field.
    """
    match value.type:
        case types.List(inner):
            if key.literal is None and _part_text(key) == "NULL":
                return Bound("NULL", types.NULL)
            place = _place(value, key)
            if place.literal is not None and (place.literal == "0" or abs(int(place.literal)) >= _NOWHERE):
                return cast(Bound("NULL", types.NULL), inner.type)
            sql = place.literal or f"nullif(try_cast({place.sql} AS INT), 0)"
            return Bound(f"try_element_at({value.sql}, {sql})", inner.type)
        case types.Map(known, item):
            if known.type == types.NULL:
                return Bound("NULL", types.NULL)
            return Bound(f"try_element_at({value.sql}, {exact(cast(key, known.type))})", item.type)
        case types.Struct():
            return _struct_element(value, key)
        case types.Variant():
            return computed_here(types.VARIANT)
    if value.type in TEXTS:
        place_sql = f"CAST({_place(value, key).sql} AS INT)"
        return Bound(f"substring({value.sql}, {place_sql}, if({place_sql} = 0, 0, 1))", types.VARCHAR)
    if value.type == types.NULL:
        nothing = Bound("NULL", types.NULL)
        # As in DuckDB: NULL at a name may be of any type, at a place it is a text.
        return nothing if key.is_untyped else cast(nothing, types.VARCHAR)
    raise InvalidInputError(f"Binder Error: Cannot extract a part of a value of type {value.type.sql_name}")


def _place(value: Bound, key: Bound) -> Bound:
    """Return the position of a part, as an integer."""
    if not isinstance(key.type, types.Integer) and key.type not in (types.NULL, types.BOOLEAN) and not key.is_untyped:
        raise InvalidInputError(
            "Binder Error: No function matches the given name and argument types"
            f" 'array_extract({value.type.sql_name}, {key.type.sql_name})'."
            " You might need to add explicit type casts."
        )
    return cast(key, types.INT64)


def _struct_element(value: Bound, key: Bound) -> Bound:
    shape = value.type
    if key.literal is not None and isinstance(key.type, types.Integer):
        place = int(key.literal)
        if shape.children[0].name:
            raise InvalidInputError(
                "Binder Error: struct_extract with an integer key can only be used on unnamed structs"
            )
        if not 1 <= place <= len(shape.children):
            raise InvalidInputError(f"Binder Error: Key index {place} for struct_extract out of range")
        return part(value, place - 1)
    if key.literal is None:
        raise InvalidInputError("Binder Error: Key name for struct_extract needs to be a constant string")
    return field_of(value, key.literal)


def field_of(value: Bound, name: str) -> Bound:
    """Return a field of a struct by its name.

    Raises:
        InvalidInputError: It is no struct.
        NotFoundError: It has no such field.
    """
    if isinstance(value.type, types.Map):
        return element(value, Bound(text_literal(name), types.VARCHAR, literal=name, is_untyped=True))
    if value.type == types.VARIANT:
        return computed_here(types.VARIANT)
    if not isinstance(value.type, types.Struct):
        raise InvalidInputError(
            f'Binder Error: Cannot extract field "{name}" from an expression of type {value.type.sql_name}'
            " because it is not a struct"
        )
    children = value.type.children
    place = next((place for place, child in enumerate(children) if fold(child.name) == fold(name)), None)
    if place is None:
        candidates = ", ".join(f'"{child.name}"' for child in children)
        raise NotFoundError(f'Binder Error: Could not find key "{name}" in struct\nCandidate Entries: {candidates}')
    return part(value, place)


def value_slice(value: Bound, begin: Bound | None, end: Bound | None) -> Bound:
    """Return the part of a list or text between two positions, both included.

    Negative positions count from the end.

    Raises:
        InvalidInputError: It is neither a list nor a text.
    """
    if value.type == types.NULL:
        return value
    if not isinstance(value.type, types.List) and value.type not in TEXTS:
        raise InvalidInputError(f"Binder Error: Cannot slice a value of type {value.type.sql_name}")
    size, taken = ("size", "slice") if isinstance(value.type, types.List) else ("length", "substring")

    def place(sql: str, bound: Bound | None, default: str) -> str:
        if bound is None or bound.literal == "-":
            return default
        if bound.literal is not None and isinstance(bound.type, types.Integer):
            number = int(bound.literal)
            return str(number) if number >= 0 else f"({size}({sql}) + {number} + 1)"
        given = cast(bound, types.INT64).sql
        return f"if({given} < 0, {size}({sql}) + {given} + 1, {given})"

    bounds = [one for one in (begin, end) if one is not None and one.literal is None]

    def body(sql: str) -> str:
        first = f"CAST(least(greatest({place(sql, begin, '1')}, 1L), {size}({sql}) + 1L) AS INT)"
        last = f"CAST(least({place(sql, end, f'{size}({sql})')}, CAST({size}({sql}) AS BIGINT)) AS INT)"
        part = f"{taken}({sql}, {first}, greatest({last} - {first} + 1, 0))"
        present = " AND ".join(f"{cast(one, types.INT64).sql} IS NOT NULL" for one in bounds)
        return f"(CASE WHEN {present} THEN {part} END)" if bounds else part

    return Bound(once(value.sql, body), types.VARCHAR if value.type in TEXTS else value.type)


def concatenation(first: Bound, second: Bound) -> Bound:
    """Return ``a || b`` of two lists, two blobs, or the texts of two values.

    It is NULL if one of them is NULL.

    Raises:
        InvalidInputError: Only one of them is a list.
    """
    lists = [isinstance(value.type, types.List) for value in (first, second)]
    if any(lists) and types.NULL not in (first.type, second.type):
        if not all(lists):
            raise InvalidInputError(
                f"Binder Error: Cannot concatenate types {first.type.sql_name} and {second.type.sql_name}"
                " - an explicit cast is required"
            )
        one, other = unify([first, second])
        joined = lengths.concatenate_lists([one.sql, other.sql], lambda parts: f"concat({', '.join(parts)})")
        return Bound(joined, one.type)
    kind: Type = types.BLOB if {first.type, second.type} - {types.NULL} == {types.BLOB} else types.VARCHAR
    one, other = (cast(value, kind) for value in (first, second))
    if first.literal is not None and second.literal is not None and kind == types.VARCHAR:
        text = (one.literal or "") + (other.literal or "")
        return Bound(text_literal(text), types.VARCHAR, literal=text)
    return Bound(lengths.concatenate_texts([one.sql, other.sql], lambda parts: f"({' || '.join(parts)})"), kind)
