"""The columns of a merge: those of the table and those of the source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError, NotFoundError
from forklake.model.field import Field
from forklake.model.merge import SOURCE, TARGET, Side
from forklake.model.names import fold
from forklake.model.quoting import quote_spark_name
from forklake.model.types.shapes import shape_of
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.columns import extract_field, find, missing_column
from forklake.sql.expressions.expression_site import Site

_SIDES: Final[Mapping[Side, frozenset[str]]] = {
    "matched": frozenset({TARGET, SOURCE}),
    "not matched": frozenset({SOURCE}),
    "not matched by source": frozenset({TARGET}),
}


class MatchedColumns(Site):
    """The columns of a table and of a source, as fields of two Spark structs.

    Columns of the source are named by their numbers.

    Args:
        target: The name of the table.
        fields: Its columns.
        source: The name of the source, if it has one.
        given: Its columns.
    """

    def __init__(self, target: str, fields: Sequence[Field], source: str | None, given: Sequence[Field]) -> None:
        self._target, self._fields = target, fields
        self._source, self._given = source, given
        self._visible = _SIDES["matched"]

    def limit_to(self, side: Side) -> None:
        """Limit names to the sides that a merge clause can use.

        A clause for rows without a match sees only the side that has a row.
        """
        self._visible = _SIDES[side]

    def column(self, names: Sequence[str]) -> Bound:
        """Return a column of the target or of the source, or a field of one.

        Raises:
            NotFoundError: There is none.
            InvalidInputError: Both have one.
        """
        side, number, inside = self.locate(names)
        if side == SOURCE:
            return extract_field(self.source_column(number), inside, self._given[number].name)
        field = self._fields[number]
        return extract_field(
            Bound(f"{TARGET}.{quote_spark_name(field.name)}", shape_of(field.type), field), inside, field.name
        )

    def target_name(self, number: int) -> str:
        """Return the name of a column of the table by its number."""
        return self._fields[number].name

    def source_column(self, number: int) -> Bound:
        """Return a column of the source by its number."""
        field = self._given[number]
        whole = Field(None, field.name, field.type)
        return Bound(f"{SOURCE}.{quote_spark_name(given_name(number))}", shape_of(field.type), whole)

    def keys(self, on: exp.Expr) -> Iterator[tuple[str, str]]:
        """Yield pairs of a table column and a source column that must be equal.

        They are equal wherever the condition is true.
        """
        for node in conjuncts(on):
            if isinstance(node, exp.EQ):
                pair = dict(filter(None, (self._plain(one.unnest()) for one in (node.left, node.right))))
                if len(pair) == 2:
                    yield self._fields[pair[TARGET]].name, given_name(pair[SOURCE])

    def _plain(self, node: exp.Expr) -> tuple[str, int] | None:
        """Return the side and number of a column, if an expression is just that."""
        if not isinstance(node, exp.Column):
            return None
        side, number, inside = self.locate([part.name for part in node.parts])
        return None if inside else (side, number)

    def locate(self, names: Sequence[str]) -> tuple[str, int, Sequence[str]]:
        """Return the side and number of a column, and the path of fields in it.

        Raises:
            NotFoundError: There is none.
            InvalidInputError: Both have one.
        """
        if len(names) > 1:
            found = self._locate_qualified(names)
            if found is not None:
                return found
        in_target = _number(self._fields, names[0]) if TARGET in self._visible else None
        in_source = self._source_number(names[0]) if SOURCE in self._visible else None
        if in_target is not None and in_source is not None:
            raise InvalidInputError(
                f'Binder Error: Ambiguous reference to column name "{names[0]}" (use: "{self._target}.{names[0]}"'
                f' or "{self._source}.{names[0]}")'
            )
        if in_target is not None:
            return TARGET, in_target, names[1:]
        if in_source is not None:
            return SOURCE, in_source, names[1:]
        self._check_visible(names)
        raise missing_column(names[-1], [field.name for field in (*self._fields, *self._given)])

    def _locate_qualified(self, names: Sequence[str]) -> tuple[str, int, Sequence[str]] | None:
        """Return the column of a name that starts with the table or the source."""
        if fold(names[0]) == fold(self._target) and TARGET in self._visible:
            number = _number(self._fields, names[1])
            return None if number is None else (TARGET, number, names[2:])
        if self._source is None or fold(names[0]) != fold(self._source) or SOURCE not in self._visible:
            return None
        number = _number(self._given, names[1])
        if number is None:
            raise missing_column(names[1], [field.name for field in self._given])
        return SOURCE, number, names[2:]

    def _source_number(self, name: str) -> int | None:
        return _number(self._given, name)

    def _check_visible(self, names: Sequence[str]) -> None:
        hidden = {fold(self._target): self._source} if TARGET not in self._visible else {}
        if self._source is not None and SOURCE not in self._visible:
            hidden = {fold(self._source): self._target}
        if len(names) > 1 and fold(names[0]) in hidden:
            candidate = hidden[fold(names[0])]
            raise NotFoundError(
                f'Binder Error: Referenced table "{names[0]}" not found!\nCandidate tables: "{candidate}"'
            )


def given_name(number: int) -> str:
    """Return the Spark name of a source column; users' names may repeat."""
    return f"c{number}"


def conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the parts of a conjunction, in order."""
    waiting = [condition]
    while waiting:
        node = waiting.pop().unnest()
        if isinstance(node, exp.And):
            waiting += [node.right, node.left]
        else:
            yield node


def _number(fields: Sequence[Field], name: str) -> int | None:
    found = find(fields, name)
    return None if found is None else next(place for place, field in enumerate(fields) if field is found)
