"""GROUP BY and aggregates.

Rows are grouped in a query of their own, and all later clauses refer to its columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from forklake.errors import ForklakeError, InvalidInputError
from forklake.model import types
from forklake.model.field import Field
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.columns import extract_field
from forklake.sql.expressions.expression import ExpressionBinder
from forklake.sql.expressions.literals import spark_type
from forklake.sql.expressions.nodes import parts_of_row
from forklake.sql.expressions.render import render
from forklake.sql.expressions.spark_idioms import canonical
from forklake.sql.query.environment import Environment
from forklake.sql.query.scope import Scope
from forklake.sql.query.site import QuerySite
from forklake.sql.query.windows import bind_aggregate


class Grouping:
    """The keys by which rows are grouped, and the aggregates of each group.

    Attributes:
        alias: The alias of the query that groups.
        is_inlined: Whether aggregates are written in place, without a query of their own.
    """

    def __init__(
        self,
        environment: Environment,
        scope: Scope,
        keys: Sequence[tuple[exp.Expr, Bound]],
        sets: Sequence[Sequence[Bound]] = (),
    ) -> None:
        self.alias = environment.reading.alias()
        self.is_inlined = False
        self._rows = ExpressionBinder(QuerySite(environment, scope, "aggregate"))
        self._keys: dict[str, Bound] = {}
        self._aggregates: dict[str, Bound] = {}
        self.kinds = {type(node.unnest()) for node, _ in keys}
        for _, bound in keys:
            sql = canonical(bound.sql)
            if sql not in self._keys:
                self._keys[sql] = self._output_column(bound, f"k{len(self._keys)}")
        self._sets = sets
        self._totals: dict[str, str] = {}

    def _output_column(self, bound: Bound, name: str) -> Bound:
        field = None if bound.field is None else Field(None, bound.field.name, bound.field.type)
        return Bound(f"{self.alias}.{name}", bound.type, field)

    def key(self, sql: str) -> Bound | None:
        """Return the key with this SQL over rows, or None."""
        return self._keys.get(canonical(sql))

    def known_value(self, node: exp.Expr) -> Bound | None:
        """Return the key that equals an expression, or None."""
        if type(node) not in self.kinds or any(isinstance(one, exp.Query) for one in parts_of_row(node)):
            return None
        try:
            return self.key(self._rows.bind(node).sql)
        except ForklakeError:
            return None

    def aggregate(self, node: exp.Expr) -> Bound:
        """Bind an aggregate over the rows of a group."""
        return self._add_aggregate(bind_aggregate(self._rows, node))

    def sql(self, source: str, none: str) -> str:
        """Return the query that groups.

        Args:
            source: Its FROM and WHERE.
            none: The same without rows.
        """
        shown = [f"{sql} AS k{place}" for place, sql in enumerate(self._keys)]
        shown += [f"{sql} AS a{place}" for place, sql in enumerate(self._aggregates)]
        text = f"SELECT {', '.join(shown) or '1 AS k0'}{source}"
        if not self._keys:
            return text if self._aggregates else f"SELECT count(1) AS a0{source}"
        if self._sets:
            sets = (", ".join(_key_sql(canonical(key.sql), key) for key in one) for one in self._sets)
            grouped = f"{text} GROUP BY GROUPING SETS ({', '.join(f'({one})' for one in sets)})"
            totals = [self._total_of_nothing(source, none)] * sum(not one for one in self._sets)
            return " UNION ALL ".join([grouped, *totals])
        keys = [_key_sql(sql, key) for sql, key in self._keys.items()]
        return f"{text} GROUP BY {', '.join(keys)}"

    def _total_of_nothing(self, source: str, none: str) -> str:
        """Return the query for the row of all rows if there are none.

        Spark's grouping sets have no row then.
        """
        shown = [f"CAST(NULL AS {spark_type(key.type)})" for key in self._keys.values()]
        made = [f"{self._totals.get(sql, sql)} AS a{place}" for place, sql in enumerate(self._aggregates)]
        total = f"(SELECT {', '.join(made) or 'count(1) AS a0'}{none})"
        shown += [f"a{place}" for place, _ in enumerate(made)]
        return f"SELECT {', '.join(shown)} FROM {total} WHERE NOT EXISTS (SELECT 1{source})"

    def marks(self, node: exp.Expr) -> Bound:
        """Return a bit mask of the keys by which a row is not grouped.

        The last key is the lowest bit.

        Raises:
            InvalidInputError: One of them is no key.
        """
        bits = []
        for one in node.expressions:
            sql = canonical(self._rows.bind(one).sql)
            if sql not in self._keys:
                raise InvalidInputError(f"Binder Error: GROUPING child must be a grouping column: {render(node)}")
            bits.append(f"CAST(grouping({sql}) AS BIGINT)" if self._sets else "0L")
        value = " + ".join(f"{bit} * {2**place}L" for place, bit in enumerate(reversed(bits)))
        sql = f"({value})"
        self._totals[sql] = f"CAST(count(1) + {2 ** len(bits) - 1} AS BIGINT)"
        return self._add_aggregate(Bound(sql, types.INT64))

    def _add_aggregate(self, bound: Bound) -> Bound:
        if self.is_inlined:
            return bound
        if bound.sql not in self._aggregates:
            self._aggregates[bound.sql] = self._output_column(bound, f"a{len(self._aggregates)}")
        return self._aggregates[bound.sql]


def _key_sql(sql: str, key: Bound) -> str:
    """Return the SQL of a key, written so that a number is no position."""
    return f"CAST({sql} AS {spark_type(key.type)})" if sql.lstrip("-").isdecimal() else sql


class GroupedScope(Scope):
    """The scope of a grouped query for its subqueries: only the keys."""

    def __init__(self, rows: Scope, grouping: Grouping) -> None:
        super().__init__(rows.reading, rows.tables, rows.merged, rows.outer)
        self._grouping = grouping

    def bind(self, names: Sequence[str]) -> Bound | None:
        """Return the key that a name refers to, or a field of one."""
        found = super().bind(names)
        if found is None:
            return None
        for length in range(len(names), 0, -1):
            column = super().bind(names[:length])
            key = None if column is None else self._grouping.key(column.sql)
            if key is not None:
                return extract_field(key, names[length:], names[length - 1])
        name = names[-1]
        raise InvalidInputError(
            f'Binder Error: column "{name}" must appear in the GROUP BY clause or must be part of an aggregate'
            f' function.\nEither add it to the GROUP BY list, or use "ANY_VALUE({name})" if the exact value of "{name}"'
            " is not important."
        )


class GroupedSite(QuerySite):
    """A clause after the grouping: keys, aggregates, and expressions of them."""

    def __init__(
        self,
        environment: Environment,
        scope: Scope,
        clause: str,
        grouping: Grouping,
        aliases: Mapping[str, exp.Expr] | None = None,
        windows: Mapping[str, exp.Window] | None = None,
    ) -> None:
        super().__init__(environment, GroupedScope(scope, grouping), clause, aliases, windows)
        self._grouping = grouping

    def known_value(self, binder: ExpressionBinder, node: exp.Expr) -> Bound | None:
        """Return the key that equals an expression, or None."""
        return None if binder.parameters else self._grouping.known_value(node)

    def resolve(self, bound: Bound) -> Bound:
        """Return the key that equals a bound column."""
        if bound.literal is not None:
            return bound
        key = self._grouping.key(bound.sql)
        if key is None:
            name = "" if bound.field is None else bound.field.name
            raise InvalidInputError(
                f'Binder Error: column "{name}" must appear in the GROUP BY clause or must be part of an aggregate'
                f' function.\nEither add it to the GROUP BY list, or use "ANY_VALUE({name})" if the exact value of'
                f' "{name}" is not important.'
            )
        return key

    def aggregate(self, binder: ExpressionBinder, node: exp.Expr) -> Bound:
        """Bind an aggregate over the rows of a group."""
        if isinstance(node, exp.Grouping | exp.GroupingId):
            return self._grouping.marks(node)
        return self._grouping.aggregate(node)
