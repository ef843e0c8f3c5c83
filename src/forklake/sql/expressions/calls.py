"""Calls of aggregates, and their Spark SQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.lazy_dataclass import dataclass
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.sort_keys import sort_key


@dataclass(frozen=True, slots=True)
class Key:
    """One key of an ORDER BY."""

    value: Bound
    is_descending: bool = False
    nulls_first: bool = False

    @property
    def sql(self) -> str:
        """The key in Spark SQL."""
        direction = "DESC" if self.is_descending else "ASC"
        return f"{sort_key(self.value)} {direction} NULLS {'FIRST' if self.nulls_first else 'LAST'}"


@dataclass(frozen=True, slots=True)
class Call:
    """The clauses with which an aggregate is called.

    Attributes:
        where: The condition of FILTER.
        order: The ORDER BY between the parentheses.
        over: What follows OVER, in Spark SQL: a name or a definition in parentheses.
        ignores_nulls: Whether the call has IGNORE NULLS.
    """

    is_distinct: bool = False
    where: Bound | None = None
    order: tuple[Key, ...] = ()
    over: str | None = None
    ignores_nulls: bool = False

    def of(self, name: str, *arguments: str, order: str = "") -> str:
        """Return a call of a Spark aggregate that ignores NULLs.

        Raises:
            InvalidInputError: Spark cannot call it that way.
        """
        given = list(arguments)
        ending = order
        if self.where is not None and self.over is not None:
            # Spark has no FILTER for windows, but its aggregates skip NULL.
            given[0] = f"CASE WHEN {self.where.sql} THEN {'1' if given[0] == '*' else given[0]} END"
        elif self.where is not None:
            ending += f" FILTER (WHERE {self.where.sql})"
        if self.ignores_nulls:
            ending += " IGNORE NULLS"
        if self.over is not None:
            if self.is_distinct:
                raise InvalidInputError("DISTINCT is not supported for aggregates over windows.")
            ending += f" OVER {self.over}"
        return f"{name}({'DISTINCT ' if self.is_distinct else ''}{', '.join(given)}){ending}"

    def collect(self, *parts: str) -> str:
        """Return an array with one struct per row, in the order of the call.

        Rows with NULLs are included. The array is never NULL.
        """
        fields = [f"{sql} AS `v{place}`" for place, sql in enumerate(parts)]
        fields += [f"{sort_key(key.value)} AS `k{place}`" for place, key in enumerate(self.order)]
        item = f"struct({', '.join(fields)})"
        plain = Call(over=self.over)
        if self.where is not None:
            item = f"CASE WHEN {self.where.sql} THEN {item} END"
        found = plain.of("collect_set" if self.is_distinct and not self.order else "collect_list", item)
        if not self.order:
            return found
        found = self.sort(found)
        return f"array_distinct({found})" if self.is_distinct else found

    def sort(self, rows: str) -> str:
        """Return structs with the keys ``k0``, ``k1`` in the order of the call."""
        return f"array_sort({rows}, (l, r) -> {_comparator(self.order)})"

    def first(self, value: str, *, is_last: bool = False, skips_nulls: bool = False) -> str:
        """Return the value of the first row, or of the last."""
        if not self.order:
            bare = Call(where=None, over=self.over, ignores_nulls=False)
            if self.where is None:
                return bare.of("last" if is_last else "first", value, "TRUE" if skips_nulls else "FALSE")
            if skips_nulls:
                return Call(where=self.where, over=self.over).of("last" if is_last else "first", value, "TRUE")
        rows = Call(where=self.where, order=self.order, over=self.over).collect(value)
        if skips_nulls:
            rows = f"filter({rows}, x -> x.v0 IS NOT NULL)"
        return f"try_element_at({rows}, {-1 if is_last else 1}).v0"


def _comparator(keys: Sequence[Key]) -> str:
    """Return the comparator of two structs with keys: -1, 1, or 0 if equal."""
    cases = []
    for place, key in enumerate(keys):
        left, right = f"l.k{place}", f"r.k{place}"
        null_side = -1 if key.nulls_first else 1
        step = 1 if key.is_descending else -1
        cases.append(f"WHEN {left} IS NULL AND {right} IS NOT NULL THEN {null_side}")
        cases.append(f"WHEN {left} IS NOT NULL AND {right} IS NULL THEN {-null_side}")
        cases.append(f"WHEN {left} < {right} THEN {step} WHEN {left} > {right} THEN {-step}")
    return f"CASE {' '.join(cases)} ELSE 0 END"


Aggregate = Callable[[Sequence[Bound], Call], Bound]
"""A function from arguments and a call to a bound aggregate."""


def constant_count(value: Bound, name: str) -> int:
    """Return a count that must be a constant.

    Raises:
        InvalidInputError: It is no constant integer, or less than one.
    """
    if value.literal is None or not isinstance(value.type, types.Integer) or int(value.literal) < 1:
        raise InvalidInputError(f"The count of {name} must be a constant greater than zero.")
    return int(value.literal)


def wrong_aggregate(name: str, values: Sequence[Bound]) -> InvalidInputError:
    """Return the error for an aggregate of values that Spark cannot compute."""
    kinds = ", ".join(value.type.sql_name for value in values)
    return InvalidInputError(f'The aggregate "{name}" is not supported for values of type {kinds}.')
