"""The columns and fields of a table that the expression of a sort key names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.quoting import quote_name
from forklake.sql.expressions.columns import find
from forklake.sql.parse import parse_expression

_NONE: Final[frozenset[str]] = frozenset()


def unknown_columns(text: str, table: str, fields: Sequence[Field]) -> list[str]:
    """Return the columns that an expression names and a table does not have.

    They are in the order of the text.

    Raises:
        InvalidInputError: It cannot be read.
    """
    return list(dict.fromkeys(one.text for one in _names(text, table, fields) if one.field is None and one.is_column))


def named_columns(text: str, table: str, fields: Sequence[Field]) -> frozenset[ColumnId]:
    """Return the columns that an expression names, and the fields within them.

    Raises:
        InvalidInputError: It cannot be read.
    """
    named = (one.field.column_id for one in _names(text, table, fields) if one.field is not None)
    return frozenset(number for number in named if number is not None)


def rename_column(text: str, table: str, fields: Sequence[Field], column: ColumnId, name: str) -> str:
    """Return an expression in which a column or field has another name.

    All else stays as it is written.

    Raises:
        InvalidInputError: It cannot be read, or names the field by a text.
    """
    found = [one for one in _names(text, table, fields) if one.field is not None and one.field.column_id == column]
    if any(not isinstance(one.node, exp.Identifier) for one in found):
        raise InvalidInputError(
            f'Cannot rename column "{found[0].text}" - the table is sorted by {text}, which names it by a text.'
            " Reset or change the sort order on this table in order to rename this column"
        )
    return _replace(text, [(*_place(one.node), quote_name(name)) for one in found])


def without_table(text: str, table: str, fields: Sequence[Field]) -> str:
    """Return an expression in which no column is named with its table.

    It is where both have one name.

    Raises:
        InvalidInputError: It cannot be read.
    """
    edits = [
        (_place(one.qualifier)[0], _place(one.node)[0], "")
        for one in _names(text, table, fields)
        if one.qualifier is not None and fold(one.text) != fold(table)
    ]
    return _replace(text, edits)


def _place(node: exp.Expr) -> tuple[int, int]:
    return node.meta["start"], node.meta["end"] + 1


def _replace(text: str, edits: Sequence[tuple[int, int, str]]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


@dataclass(frozen=True, slots=True)
class _Name:
    """The name of a column or field.

    Attributes:
        node: An identifier, or a text, as in ``s['a']``.
        field: What it names; None if the table has no such thing.
        is_column: Whether it is a column, not a field within one.
        qualifier: The name of the table before it.
    """

    node: exp.Expr
    field: Field | None
    is_column: bool = False
    qualifier: exp.Expr | None = None

    @property
    def text(self) -> str:
        return str(self.node.name)


def _names(text: str, table: str, fields: Sequence[Field]) -> list[_Name]:
    reader = _Reader(table, fields, [])
    reader.read(parse_expression(text), _NONE)
    return reader.names


@dataclass(frozen=True, slots=True)
class _Reader:
    """Finds the names in an expression.

    ``hidden`` are the variables of lambdas around a part of it.
    """

    table: str
    fields: Sequence[Field]
    names: list[_Name]

    def read(self, node: exp.Expr, hidden: frozenset[str]) -> Field | None:
        """Return the column or field that an expression is; None if it is anything else."""
        match node:
            case exp.Column() if isinstance(node.this, exp.Identifier):
                return self._path(node.parts, hidden)
            case exp.Dot(expression=exp.Identifier()):
                path = list(_path_of(node))
                return self._path(path, hidden) if path else self._part(self.read(node.this, hidden), node.expression)
            case exp.Dot(this=exp.Identifier() as value):
                self._path([value], hidden)
                self.read(node.expression, hidden)
            case exp.Paren():
                return self.read(node.this, hidden)
            case exp.Bracket(expressions=[part]) | exp.StructExtract(expression=part):
                found = self._part(self.read(node.this, hidden), part)
                self.read(part, hidden)
                return found
            case exp.Comprehension():
                self.read(node.args["iterator"], hidden)
                variables = (node.expression, node.args.get("position"))
                inner = hidden | {fold(one.name) for one in variables if one is not None}
                for one in (node.this, node.args.get("condition")):
                    if one is not None:
                        self.read(one, inner)
            case exp.Lambda():
                self.read(node.this, hidden | {fold(one.name) for one in node.expressions})
            case _:
                for one in node.iter_expressions():
                    self.read(one, hidden)
        return None

    def _path(self, path: Sequence[exp.Expr], hidden: frozenset[str]) -> Field | None:
        """Return the column or field of a dotted name.

        It is looked up as `TableSite` does.
        """
        first, *rest = path
        if fold(first.name) in hidden:
            return None
        column, qualifier = find(self.fields, first.name), None
        if rest and fold(first.name) == fold(self.table):
            inner = find(self.fields, rest[0].name)
            if inner is not None or column is None:
                column, qualifier, (first, *rest) = inner, first, rest
        self.names.append(_Name(first, column, is_column=True, qualifier=qualifier))
        for one in rest:
            column = self._part(column, one)
        return column

    def _part(self, value: Field | None, part: exp.Expr) -> Field | None:
        """Return the field, element or value that a name or an index leads to."""
        if value is None:
            return None
        if not isinstance(value.type, types.Struct):
            return value.children[-1] if value.children else None
        if not isinstance(part, exp.Identifier) and not part.is_string:
            return None
        found = find(value.children, part.name)
        self.names.append(_Name(part, found))
        return found


def _path_of(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the parts of a dotted name; none if anything is called in it."""
    parts: list[exp.Expr] = []
    while isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
        parts.insert(0, node.expression)
        node = node.this
    if isinstance(node, exp.Identifier):
        yield from (node, *parts)
    elif isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier):
        yield from (*node.parts, *parts)
