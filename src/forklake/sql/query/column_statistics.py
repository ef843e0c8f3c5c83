"""The function ``stats(x)``: what is known of a column, as DuckDB words it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field as dataclass_field
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from forklake.model import types
from forklake.model.field import Field
from forklake.model.geometry_stats import AXES, read_geometry_stats
from forklake.model.ids import ColumnId, TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.rows import TableColumnStatsRow
from forklake.model.types.read import stored_type
from forklake.model.variant_stats import path_steps, shredded_types
from forklake.sql.expressions.bound import TEXTS, Bound
from forklake.sql.expressions.coercion import constant

if TYPE_CHECKING:
    from forklake.sql.expressions.expression import ExpressionBinder
    from forklake.sql.query.scope import Scope

_SHOWN_BYTES: Final = 8
"""How much of a text DuckDB keeps in statistics."""
_UNPRINTED: Final = frozenset(b"\\'\"")
_NO_BOUNDS: Final = "inf, -inf"
_FLAGS: Final = "Has Empty Geom: true, Has No Empty Geom: true, Has Empty Part: true, Has No Empty Part: true"
"""What DuckLake does not keep of geometries: DuckDB takes all of it to be possible."""
_SHREDDED: Final = "fully_shredded: true"
_UNKNOWN: Final = TableColumnStatsRow(table_id=TableId(0), column_id=ColumnId(0))


def bind_statistics(binder: ExpressionBinder, scope: Scope, node: exp.Expr) -> Bound:
    """Return what the metadata knows of a column, a field of it, or an element.

    These are the bounds of the whole table, which deleted rows do not narrow; conditions of the query do not either.
    Nothing is known of other expressions.
    """
    before = set(scope.touched)
    scope.touched.clear()
    is_element = isinstance(node, exp.Bracket) and not isinstance(node.expressions[0], exp.Slice)
    value = binder.bind(node)
    container = binder.bind(node.this) if is_element else value
    relations = [
        scope.reading.relation(table.scan) for table in scope.tables if table.alias in scope.touched and table.scan
    ]
    scope.touched |= before
    field = container.field
    known: Mapping[ColumnId, TableColumnStatsRow] = {}
    if field is not None and field.column_id is not None and len(relations) == 1 and relations[0].statistics:
        known = relations[0].statistics()
    if is_element and field is not None and isinstance(field.type, types.List):
        return constant(types.VARCHAR, _text(field.children[0], known, may_miss=True))
    shown = field if field is not None and not is_element else Field(None, "", value.type)
    return constant(types.VARCHAR, _text(shown, known))


def _text(field: Field, known: Mapping[ColumnId, TableColumnStatsRow], *, may_miss: bool = False) -> str:
    row = _UNKNOWN if field.column_id is None else known.get(field.column_id, _UNKNOWN)
    has_null = may_miss or bool(field.children) or field.type == types.VARIANT or row.contains_null is not False
    return f"{_bounds(field, row, known)}[Has Null: {str(has_null).lower()}, Has No Null: true]"


def _bounds(field: Field, row: TableColumnStatsRow, known: Mapping[ColumnId, TableColumnStatsRow]) -> str:
    match field.type:
        case types.Struct():
            return f" {{{', '.join(f'{child.name}: {_text(child, known)}' for child in field.children)}}}"
        case types.Map():
            key, value = field.children
            pair = f" {{key: {_text(key, known)}, value: {_text(value, known)}}}[Has Null: true, Has No Null: true]"
            return f"[{pair}]"
        case types.List():
            return f"[{_text(field.children[0], known)}]"
    if isinstance(field.type, types.Geometry):
        return _extent(row)
    if isinstance(field.type, types.Variant):
        return _shredding(row)
    is_known = row.min_value is not None and row.max_value is not None
    if field.type in TEXTS or field.type == types.BLOB:
        low, high = (
            (_bytes(row.min_value or ""), _bytes(row.max_value or ""))
            if is_known and field.type in TEXTS
            else ("", "\\xFF" * _SHOWN_BYTES)
        )
        return f"[Min: {low}, Max: {high}, Has Unicode: true, Max String Length: ?]"
    if not field.type.facts.is_ordered or isinstance(field.type, types.Interval):
        return ""
    may_be_nan = isinstance(field.type, types.Float) and row.contains_nan is not False
    if not is_known or may_be_nan:
        return "[Min: NULL, Max: NULL]"
    return f"[Min: {row.min_value}, Max: {row.max_value}]"


def _extent(row: TableColumnStatsRow) -> str:
    found = read_geometry_stats(row.extra_stats)
    if found is None:
        return ""
    sides = [
        f"{axis.upper()}: [{_NO_BOUNDS if bounds is None else f'{bounds[0]:.6f}, {bounds[1]:.6f}'}]"
        for axis, bounds in zip(AXES, found.bounds, strict=True)
    ]
    return f"[Extent: [{', '.join(sides)}], Types: [{', '.join(found.ordered_types)}], Flags: [{_FLAGS}]]"


@dataclass(slots=True)
class _Shredded:
    """A path of shredded variants: its own type, or what is below it.

    That is fields by their names, or the elements of a list under None.
    """

    kind: str | None = None
    parts: dict[str | None, _Shredded] = dataclass_field(default_factory=dict)

    @property
    def fields(self) -> list[tuple[str, _Shredded]]:
        """The fields in the order of their names."""
        return sorted(((name, part) for name, part in self.parts.items() if name is not None), key=itemgetter(0))

    @property
    def type_text(self) -> str:
        """The type as DuckDB writes it."""
        if self.kind is not None:
            return stored_type(self.kind).sql_name
        if None in self.parts:
            return f"{self.parts[None].type_text}[]"
        return f"STRUCT({', '.join(f'{name} {part.type_text}' for name, part in self.fields)})"

    @property
    def state_text(self) -> str:
        """Which parts are shredded, as DuckDB writes it."""
        if self.kind is not None:
            return _SHREDDED
        if None in self.parts:
            return f"{_SHREDDED}, child: {self.parts[None].state_text}"
        below = ", ".join(f"{name}: {part.state_text}" for name, part in self.fields)
        return f"{_SHREDDED}, children: {{{below}}}"


def _shredding(row: TableColumnStatsRow) -> str:
    paths = shredded_types(row.extra_stats)
    if not paths:
        return "shredding_state: INCONSISTENT"
    root = _Shredded()
    for path, kind in paths.items():
        at = root
        for step in path_steps(path):
            at = at.parts.setdefault(step, _Shredded())
        at.kind = kind
    return f"shredding_state: SHREDDED, shredding: {{typed_value_type: {root.type_text}, stats: {{{root.state_text}}}}}"


def _bytes(text: str) -> str:
    """Return the first bytes of a text; in hexadecimal if they are not printed."""
    return "".join(
        chr(byte) if 32 <= byte <= 126 and byte not in _UNPRINTED else f"\\x{byte:02X}"
        for byte in text.encode()[:_SHOWN_BYTES]
    )
