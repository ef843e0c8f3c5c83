"""Functions of maps and structs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.types import Type
from forklake.model.types.shapes import entries_of, list_of, map_of
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.casts import cast
from forklake.sql.expressions.coercion import unify
from forklake.sql.expressions.literals import spark_names, spark_type, text_literal
from forklake.sql.expressions.nested import element, exact, map_of_lists, map_value, row_value, struct_value
from forklake.sql.expressions.nested_casts import part
from forklake.sql.expressions.spark_idioms import once, variable
from forklake.sql.expressions.variants import computed_here
from forklake.sql.functions.lists import contains
from forklake.sql.functions.signature import THIS, TWO, Function, Nodes, wrong_type


def _map(value: Bound, node: exp.Expr) -> tuple[str, types.Map]:
    if not isinstance(value.type, types.Map):
        raise wrong_type(value, node)
    return value.sql, value.type


def _keys(values: Sequence[Bound], node: exp.Expr) -> Bound:
    sql, kind = _map(values[0], node)
    return Bound(f"map_keys({sql})", list_of(kind.key.type))


def _values(values: Sequence[Bound], node: exp.Expr) -> Bound:
    sql, kind = _map(values[0], node)
    return Bound(f"map_values({sql})", list_of(kind.value.type))


def _entries(values: Sequence[Bound], node: exp.Expr) -> Bound:
    sql, kind = _map(values[0], node)
    return Bound(f"map_entries({sql})", entries_of(kind.key.type, kind.value.type))


def _lookup(values: Sequence[Bound], node: exp.Expr) -> Bound:
    """Return a list with the value that a map has for a key, empty if it has none."""
    given, kind = _map(values[0], node)
    wanted = exact(cast(values[1], kind.key.type))

    def body(sql: str) -> str:
        found = f"if(map_contains_key({sql}, {wanted}), array(try_element_at({sql}, {wanted})), array())"
        return f"if({sql} IS NULL, NULL, {found})"

    return Bound(once(given, body), list_of(kind.value.type))


def _lookup_value(values: Sequence[Bound], node: exp.Expr) -> Bound:
    _map(values[0], node)
    return element(values[0], values[1])


def _size(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return Bound(f"CAST(array_size(map_keys({_map(values[0], node)[0]})) AS DECIMAL(20,0))", types.UINT64)


def _from_entries(values: Sequence[Bound], node: exp.Expr) -> Bound:
    match values[0].type:
        case types.List(element=Field(type=types.Struct(fields=(key, item)))):
            return Bound(f"map_from_entries({values[0].sql})", map_of(key.type, item.type))
    raise wrong_type(values[0], node)


def _concatenate_maps(values: Sequence[Bound], node: exp.Expr) -> Bound:
    """Concatenate maps; the last map with a key decides its value."""
    for value in values:
        _map(value, node)
    same = unify(values)
    empty = f"CAST(map() AS {spark_type(same[0].type)})"
    total = f"coalesce({same[0].sql}, {empty})"
    for value in same[1:]:
        # Spark refuses duplicate keys.
        added = f"coalesce({value.sql}, {empty})"
        key, item = variable(), variable()
        changed = f"if(map_contains_key({added}, {key}), element_at({added}, {key}), {item})"
        kept = f"transform_values({total}, ({key}, {item}) -> {changed})"
        new = f"map_filter({added}, ({key}, {item}) -> NOT map_contains_key({total}, {key}))"
        total = f"map_concat({kept}, {new})"
    known = " OR ".join(f"{value.sql} IS NOT NULL" for value in same)
    return Bound(f"(CASE WHEN {known} THEN {total} END)", same[0].type)


def _make_map(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return map_value((), ()) if not values else map_of_lists(values[0], values[1])


def _names(node: exp.Expr) -> list[str]:
    return [part.this.name for part in node.expressions if isinstance(part, exp.PropertyEQ | exp.Kwarg)]


def _pack(values: Sequence[Bound], node: exp.Expr) -> Bound:
    names = _names(node)
    if len(names) != len(values):
        raise InvalidInputError("Binder Error: Need named argument for struct pack, e.g. struct_pack(a := b)")
    return struct_value(names, values)


def _struct_and_names(name: str, values: Sequence[Bound], node: exp.Expr) -> tuple[types.Struct, list[str]]:
    """Return the type of a struct, and the names of the arguments after it."""
    kind, names = values[0].type, _names(node)
    if not isinstance(kind, types.Struct) or len(names) != len(values) - 1:
        raise InvalidInputError(f"Binder Error: {name} needs a struct and named arguments, e.g. {name}(s, a := b)")
    return kind, names


def _update(values: Sequence[Bound], node: exp.Expr) -> Bound:
    """Return a struct with other values of fields; those that it lacks come last."""
    kind, names = _struct_and_names("struct_update", values, node)
    given = {fold(name): (name, one) for name, one in zip(names, values[1:], strict=True)}
    if len(given) < len(names):
        raise InvalidInputError("Binder Error: struct_update sets a field twice")
    parts = [
        given.pop(fold(child.name), (child.name, part(values[0], place))) for place, child in enumerate(kind.children)
    ]
    parts += given.values()
    return struct_value([name for name, _ in parts], [one for _, one in parts])


def _insert(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value = values[0]
    kind, names = _struct_and_names("struct_insert", values, node)
    known = kind.children
    twice = {fold(child.name) for child in known} & {fold(name) for name in names}
    if twice:
        raise InvalidInputError(f'Binder Error: Duplicate struct entry name "{twice.pop()}"')
    parts = [part(value, place) for place in range(len(known))]
    return struct_value([*(child.name for child in known), *names], [*parts, *values[1:]])


def _concatenate_structs(values: Sequence[Bound], node: exp.Expr) -> Bound:
    parts, names = [], []
    for value in values:
        if not isinstance(value.type, types.Struct):
            raise wrong_type(value, node)
        for place, child in enumerate(value.type.children):
            names.append(child.name)
            parts.append(part(value, place))
    return struct_value(names, parts) if all(names) else row_value(parts)


def _field_names(values: Sequence[Bound], node: exp.Expr) -> Bound:
    if not isinstance(values[0].type, types.Struct):
        raise wrong_type(values[0], node)
    names = ", ".join(text_literal(name) for name in spark_names(values[0].type))
    return Bound(f"if({values[0].sql} IS NULL, NULL, array({names}))", list_of(types.VARCHAR))


def _extract(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return element(values[0], values[1])


def _row(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return row_value(values) if values else Bound("NULL", types.NULL)


def _of_variant(result: Type) -> Function:
    """Return a function of a variant, which this process computes."""

    def function(values: Sequence[Bound], node: exp.Expr) -> Bound:
        if values[0].type not in (types.VARIANT, types.NULL) and not values[0].is_untyped:
            raise wrong_type(values[0], node)
        return computed_here(result)

    return function


NODES: Final[Nodes] = {
    exp.MapKeys: (_keys, THIS),
    exp.MapFromEntries: (_from_entries, THIS),
    exp.StructExtract: (_extract, TWO),
}
NAMED: Final[Mapping[str, Function]] = {
    "map": _make_map,
    "map_keys": _keys,
    "map_values": _values,
    "map_entries": _entries,
    "element_at": _lookup,
    "map_extract_value": _lookup_value,
    "map_contains": contains,
    "map_from_entries": _from_entries,
    "map_concat": _concatenate_maps,
    "cardinality": _size,
    "struct_pack": _pack,
    "struct_insert": _insert,
    "struct_update": _update,
    "struct_concat": _concatenate_structs,
    "struct_keys": _field_names,
    "struct_extract": _extract,
    "row": _row,
    "variant_typeof": _of_variant(types.VARCHAR),
    "variant_extract": _of_variant(types.VARIANT),
    "variant_normalize": _of_variant(types.VARIANT),
}
