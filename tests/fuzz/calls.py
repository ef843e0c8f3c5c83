"""Random expressions: calls of every function, casts of every pair of types, operators, conditions."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Final

import duckdb

from forklake.sql.vocabulary import BY_NAME
from tests.fuzz import kinds
from tests.fuzz.kinds import KINDS, SIDES, constant
from tests.fuzz.texts import read_calls, read_lines

_SMALL: Final = ("NULL", "0", "1", "2", "3", "-1", "-2", "5", "x_i8 % 5", "y_i32 % 4", "(x_i64 % 3)::INTEGER")
_UNITS: Final = (
    *("year", "month", "day", "hour", "minute", "second", "millisecond", "microsecond", "quarter", "week"),
    *("decade", "century", "millennium"),
)
_POOLS: Final[Mapping[str, Sequence[str]]] = {
    "small": _SMALL,
    "positive": ("0", "1", "2", "3", "7", "abs(x_i16 % 6)", "(x_u8 % 4)::INTEGER"),
    "unit": [f"'{unit}'" for unit in _UNITS],
    "part": [f"'{unit}'" for unit in (*_UNITS, "dow", "isodow", "doy", "isoyear", "yearweek", "era", "epoch")],
    "format": (
        "'%Y-%m-%d'",
        "'%d/%m/%y %H:%M:%S'",
        "'%a %b %j'",
        "'%H:%M:%S.%f'",
        "'%I %p'",
        "'%A, %B'",
        "'%%Y'",
        "'%-d.%-m.'",
    ),
    "dated": ("'2024-02-29'", "'1999-12-31'", "'x'", "''", "strftime(x_date, '%Y-%m-%d')"),
    "regex": ("NULL", "'a'", "'[a-z]+'", "'^A'", "'(.)(.)'", "'\\d+'", "'b|c'", "'.*'", "'x?'"),
    "pattern": (
        "'a%'",
        "'%a%'",
        "'_b%'",
        "'%\\%'",
        "''",
        "'%'",
        "'_'",
        "'__%'",
        "'%ä%'",
        "'日_'",
        "'A%C'",
        "'%!%%'",
        "'%''%'",
        "'%.%'",
        "'[a]%'",
        "'abc'",
        "'%, %'",
        "'🦆%'",
    ),
    "letters": ("NULL", "'a'", "''", "','", "'ab'", "'ä'", "'🦆'", "'b'", "' '"),
    "path": ("'$.a'", "'$.b[0]'", "'a'", "'/a'", "'$.b[#-1]'", "'$.a.c'", "'$.*'", "'$..a'", "'/b/0'"),
    "zone": ("'UTC'", "'Europe/Berlin'", "'America/New_York'", "'Asia/Kathmandu'"),
    "gathers": tuple(f"'{name}'" for name in ("min", "max", "sum", "avg", "count", "first", "last", "product")),
    "order": ("'ASC'", "'DESC'"),
    "nulls": ("'NULLS FIRST'", "'NULLS LAST'"),
}
_GROUPS: Final[Mapping[str, Sequence[str]]] = {
    "num": kinds.NUMBERS,
    "int": kinds.INTEGERS,
    "float": kinds.FLOATS,
    "decimal": kinds.DECIMALS,
    "moment": kinds.MOMENTS,
    "list": kinds.LISTS,
    "any": tuple(KINDS),
    "plain": kinds.PLAIN,
    "ordered": kinds.ORDERED,
    "bit": ("i8", "i16", "i32", "i64"),
}
_PARAMETERS: Final[Mapping[str, str]] = {
    "BOOLEAN": "bool", "TINYINT": "i8", "SMALLINT": "i16", "INTEGER": "i32", "BIGINT": "i64", "HUGEINT": "i128",
    "UTINYINT": "u8", "USMALLINT": "u16", "UINTEGER": "u32", "UBIGINT": "u64", "UHUGEINT": "u128",
    "FLOAT": "f32", "DOUBLE": "f64", "DECIMAL": "decimal", "VARCHAR": "text", "BLOB": "blob", "DATE": "date",
    "TIME": "time", "TIMESTAMP": "ts",
    "TIMESTAMP_S": "tss", "TIMESTAMP_NS": "tsns", "TIME WITH TIME ZONE": "timetz",
    "TIMESTAMP_MS": "tsms", "TIMESTAMP WITH TIME ZONE": "tstz", "INTERVAL": "span", "UUID": "uuid",
    "JSON": "json",
    "ANY": "any", "T": "any", "T[]": "list", "ANY[]": "list", "VARCHAR[]": "texts", "K": "any", "V": "any",
    "MAP(K, V)": "map", "STRUCT": "pair", "T[][]": "lists",
}  # fmt: skip
"""Parameters as DuckDB lists them, and what to give for them."""
TEMPLATES: Final = read_calls("functions.txt")
"""Calls of functions whose arguments are not all of any value."""
UNCALLED: Final = frozenset(
    name
    for name, one in BY_NAME.items()
    if one.is_refused
    or any(parameter.type == "VARIANT" for parameter in one.signatures[0])
    or (name.startswith("array_") and one.signatures[0][0].type == "DOUBLE[]")
)
"""Names that are known only to be refused, or that DuckDB has for arrays of a fixed size, which lakes do not have.

With them are functions of variants, which Spark does not compute."""

OPERATORS: Final = read_lines("operators.txt")
_NESTS: Final = read_calls("nests.txt")
_FIELDS: Final = (
    "year",
    "month",
    "day",
    "hour",
    "minute",
    "second",
    "quarter",
    "week",
    "dow",
    "doy",
    "epoch",
    "decade",
    "century",
)
_COLUMN: Final = re.compile(r"\b[xy]_(\w+)\b")
_HOLE: Final = re.compile(r"\{(\w+)(?::(\w+))?\}")


class Calls:
    """Writes random expressions over the columns of the tables."""

    def __init__(self, chance: random.Random, duck: duckdb.DuckDBPyConnection) -> None:
        self.chance = chance
        self._overloads: dict[str, list[tuple[list[str], str | None]]] = {}
        rows = duck.execute("SELECT function_name, parameter_types, varargs FROM duckdb_functions()").fetchall()
        for name, given, more in rows:
            self._overloads.setdefault(name, []).append((given, more))

    def value(self, kind: str) -> str:
        """Return a column or a constant of a type."""
        if self.chance.random() < 0.7:
            return f"{self.chance.choice(SIDES)}_{kind}"
        return constant(kind, self.chance.choice(KINDS[kind][1]))

    def fill(self, template: str) -> str:
        """Return a template with its holes filled; ``{x:any}`` and ``{y}`` are of one type."""
        named: dict[str, str] = {}

        def hole(found: re.Match[str]) -> str:
            name, group = found[1], found[2]
            if name == "t":
                return "{t}"
            if group is not None:
                named["kind"] = self.chance.choice(_GROUPS[group])
                return self.value(named["kind"])
            if name in ("x", "y"):
                return self.value(named["kind"])
            if name in _POOLS:
                return self.chance.choice(_POOLS[name])
            if name == "field":
                return self.chance.choice(_FIELDS)
            if name == "target":
                return KINDS[self.chance.choice(tuple(KINDS))][0]
            return self.value(name if name in KINDS else self.chance.choice(_GROUPS[name]))

        return _HOLE.sub(hole, template).replace("{{", "{").replace("}}", "}")

    def call(self, name: str) -> str:
        """Return a call of a function."""
        if name in TEMPLATES and (self.chance.random() < 0.9 or not self._takes_anything(name)):
            return self.fill(self.chance.choice(TEMPLATES[name]))
        given, more = self.chance.choice(self._overloads[name])
        wanted = [*given, *([more] * self.chance.randint(1, 2) if more else [])]
        return self.fill(f"{name}({', '.join('{' + self._pool(one) + '}' for one in wanted)})")

    def with_other_kind(self, expression: str) -> str:
        """Return an expression with a column of any kind in the place of one of its columns."""
        places = [found.span() for found in _COLUMN.finditer(expression)]
        if not places:
            return expression
        start, end = self.chance.choice(places)
        other = f"{self.chance.choice(SIDES)}_{self.chance.choice(tuple(KINDS))}"
        return f"{expression[:start]}{other}{expression[end:]}"

    def _takes_anything(self, name: str) -> bool:
        """Return whether a function may be called with any values: its answer needs nothing around it."""
        is_bare = all(one.startswith(f"{name}(") and one.endswith(")") for one in TEMPLATES[name])
        return is_bare and name in self._overloads

    def _pool(self, parameter: str) -> str:
        """Return what to give for a parameter; sometimes a value that is cast to it."""
        pool = _PARAMETERS.get(parameter, "any")
        if pool in kinds.NUMBERS and self.chance.random() < 0.3:
            return "num"
        return pool

    def operator(self, number: int) -> str:
        """Return an operation, one kind after another."""
        return self.fill(OPERATORS[number % len(OPERATORS)])

    def cast(self, source: str, target: str) -> str:
        """Return a cast."""
        side = self.chance.choice(SIDES)
        return (
            f"TRY_CAST({side}_{source} AS {KINDS[target][0]})"
            if self.chance.random() < 0.5
            else f"CAST({side}_{source} AS {KINDS[target][0]})"
        )

    def nested(self) -> str:
        """Return an operation on what other operations give."""
        text = self.chance.choice(_NESTS["outer"])
        for mark, within in (("<n>", _NESTS["numbers"]), ("<t>", _NESTS["texts"])):
            while mark in text:
                text = text.replace(mark, f"({self.chance.choice(within)})", 1)
        return self.fill(text)
