"""Random queries: joins, subqueries, groups, windows, set operations."""

from __future__ import annotations

from typing import Final

from tests.fuzz.calls import Calls
from tests.fuzz.kinds import SIDES
from tests.fuzz.texts import read_calls

AGGREGATES: Final = read_calls("aggregates.txt")
_PARTS: Final = read_calls("queries.txt")
FRAMED: Final = _PARTS["framed"]
RANKED: Final = _PARTS["ranked"]
SUBQUERIES: Final = _PARTS["subqueries"]
_JOINS: Final = {
    "inner": "a JOIN {t} b ON {on}",
    "left": "a LEFT JOIN {t} b ON {on}",
    "right": "a RIGHT JOIN {t} b ON {on}",
    "full": "a FULL JOIN {t} b ON {on}",
    "cross": "a CROSS JOIN {t} b",
    "comma": "a, {t} b WHERE {on}",
    "using": "a JOIN (SELECT id, y_text, x_date FROM {t}) b USING (id)",
    "left using": "a LEFT JOIN (SELECT id, y_text FROM {t} WHERE id < 5) b USING (id)",
    "semi": "a SEMI JOIN {t} b ON {on}",
    "anti": "a ANTI JOIN {t} b ON {on}",
    "lateral": "a, LATERAL (SELECT b.id FROM {t} b WHERE {on}) b",
    "asof": "a ASOF JOIN {t} b ON {eq} AND a.id >= b.id",
    "asof left": "a ASOF LEFT JOIN {t} b ON {eq} AND a.id < b.id",
    "positional": "a POSITIONAL JOIN (SELECT id FROM {t} WHERE id > 4 ORDER BY id) b",
    "natural": "a NATURAL JOIN (SELECT id FROM {t} WHERE id > 3) b",
}
JOIN_KINDS: Final = tuple(_JOINS)
_PAIRS: Final = (
    *(("i8", "i64"), ("i32", "d18"), ("text", "text"), ("f32", "f64"), ("date", "ts")),
    *(("u32", "i32"), ("ints", "ints"), ("pair", "pair"), ("d4", "f64"), ("uuid", "uuid")),
)
"""Kinds that have a common type."""


class Queries:
    """Writes random queries, in which ``{t}`` stands for the table."""

    def __init__(self, calls: Calls) -> None:
        self.calls = calls
        self.chance = calls.chance

    def aggregate(self, name: str) -> str:
        """Return a call of an aggregate."""
        return self.calls.fill(self.chance.choice(AGGREGATES[name]))

    def window(self, number: int) -> str:
        """Return a window function, one kind after another."""
        calls = (*FRAMED, *RANKED)
        call = calls[number % len(calls)]
        order = self._part("orders")
        frame = self._part("frames") if call in FRAMED else ""
        is_of_order = call.startswith(("any", "first", "last", "nth", "list", "string"))
        if frame == "RANGE BETWEEN 2 PRECEDING AND 3 FOLLOWING" and not is_of_order:
            order = self.chance.choice(("id", "x_i16", "y_d18", "x_f64"))
        elif frame.startswith("GROUPS") and not is_of_order:
            order = self.chance.choice(("x_bool", "id % 3", "y_i8 DESC", "x_text NULLS FIRST"))
        elif frame.startswith("RANGE"):
            order = "id"
        partition = self._part("partitions")
        return f"{self.calls.fill(call)} OVER ({partition} ORDER BY {order} {frame})"

    def _part(self, name: str) -> str:
        """Return one of the parts of a name; a dash stands for none."""
        return self.chance.choice(_PARTS[name]).removeprefix("-")

    def join(self, kind: str) -> str:
        """Return a query with a join."""
        if kind in ("using", "left using", "natural"):
            return f"SELECT * FROM (SELECT id, {self.calls.fill('{plain}')} AS v FROM {{t}}) {_JOINS[kind]}"
        shown = "a.id, a.x_i32" if kind in ("semi", "anti") else "a.id, b.id"
        first = "(SELECT id FROM {t} ORDER BY id)" if kind == "positional" else "{t}"
        join = _JOINS[kind].replace("{on}", self._condition()).replace("{eq}", self._equality())
        return f"SELECT {shown} FROM {first} {join}"

    def _equality(self) -> str:
        kind = self.chance.choice(("i32", "i64", "text", "f64", "date", "d18", "bool", "u8", "ts", "f32", "uuid"))
        return f"a.x_{kind} = b.y_{kind}"

    def _condition(self) -> str:
        parts = [self._equality()]
        if self.chance.random() < 0.5:
            parts.append(
                self.chance.choice(
                    ("a.id < b.id", "a.x_i16 > b.y_i8", "a.x_text <> b.x_text", "b.id % 2 = 0", "a.id > 3")
                )
            )
        return " AND ".join(parts)

    def predicate(self) -> str:
        """Return a condition on a row."""
        return self.calls.fill(self._part("predicates"))

    def subquery(self, number: int) -> str:
        """Return a query with what is not a join, one kind after another."""
        return self._whole("subqueries", number)

    def sorted(self, number: int) -> str:
        """Return a query whose rows have an order, one kind after another."""
        return self._whole("sorted", number)

    def change(self, number: int) -> str:
        """Return a statement that changes rows of the table, one kind after another."""
        return self._whole("changes", number)

    def _whole(self, name: str, number: int) -> str:
        text = _PARTS[name][number % len(_PARTS[name])]
        while "<p>" in text:
            text = text.replace("<p>", f"({self.predicate()})", 1)
        return self.calls.fill(text.replace("<on>", self._condition()))

    def set_operation(self, number: int) -> str:
        """Return a set operation of two queries."""
        sign = _PARTS["sets"][number % len(_PARTS["sets"])]
        kinds = self.chance.choice(_PAIRS)
        one, other = (
            f"SELECT {side}_{kind} AS v, {side}_bool AS w FROM {{t}} WHERE {self.predicate()}"
            for side, kind in zip(SIDES, kinds, strict=True)
        )
        return f"{one} {sign} {other}"

    def grouped(self, number: int) -> str:
        """Return a query with groups, of some rows or of none."""
        group = self.calls.fill(_PARTS["groups"][number % len(_PARTS["groups"])]).removeprefix("-")
        where = self.chance.choice(("", " WHERE id > 100", f" WHERE {self.predicate()}"))
        having = self.chance.choice(("", "", " HAVING count(*) > 1")) if group else ""
        names = self.chance.sample(sorted(AGGREGATES), 3)
        key = "x_bool, " if group == "GROUP BY ALL" else ""
        shown = ", ".join(f"{self.aggregate(name)} AS a{place}" for place, name in enumerate(names))
        return f"SELECT {key}count(*), {shown} FROM {{t}}{where} {group}{having}"
