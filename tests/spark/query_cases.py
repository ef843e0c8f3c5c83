"""Small relations in memory, on which queries are run by Spark and by DuckDB."""

from __future__ import annotations

import datetime
import decimal
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import duckdb

from forklake.errors import NotFoundError
from forklake.model import types
from forklake.model.definitions import MacroImplementation, MacroParameter
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.names import fold
from forklake.sql.parse import parse_query
from forklake.sql.query.bind import bind_query
from forklake.sql.relation import At, BoundQuery, Relation, StoredMacro, StoredQuery
from forklake.sql.statements import Describe, Show
from tests.fields import named_field

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_DAY = datetime.date
TABLES: Mapping[str, tuple[str, Sequence[tuple[Any, ...]]]] = {
    "items": (
        "id INTEGER, name VARCHAR, price DECIMAL(8,2), amount DOUBLE, sold DATE, shop INTEGER, is_new BOOLEAN",
        [
            (1, "apple", decimal.Decimal("1.50"), 2.5, _DAY(2024, 1, 5), 1, True),
            (2, "Pear", decimal.Decimal("2.25"), None, _DAY(2024, 2, 1), 2, False),
            (3, "fig", None, 0.5, _DAY(2023, 12, 31), 1, None),
            (4, None, decimal.Decimal("10.00"), 4.0, None, None, True),
            (5, "apple", decimal.Decimal("1.75"), 8.0, _DAY(2024, 1, 5), 3, False),
            (6, "it's", decimal.Decimal("0.10"), -1.0, _DAY(2024, 3, 9), 9, True),
        ],
    ),
    "shops": (
        "shop INTEGER, city VARCHAR, id BIGINT",
        [(1, "Bern", 10), (2, "Ulm", 20), (3, None, 30), (4, "Aachen", 40)],
    ),
    "nested": (
        "k INTEGER, l INTEGER[], s STRUCT(x INTEGER, y STRUCT(z VARCHAR)), m MAP(VARCHAR, INTEGER)",
        [
            (1, [3, 1, 2], (7, ("a",)), {"u": 1, "v": 2}),
            (2, [], (None, ("b",)), {}),
            (3, None, None, None),
            (4, [5, None], (8, (None,)), {"u": None}),
        ],
    ),
}
VIEWS = {
    "cheap": ("SELECT id, name, price AS cost FROM items WHERE price < 2", ()),
    "towns": ("SELECT city, count(*) FROM shops GROUP BY city", ("town", "n")),
    "layered": ("SELECT c.name, c.cost * 2 FROM cheap c", ("label", "twice")),
}
MACROS = {
    "plus": [
        MacroImplementation("a + b", (MacroParameter("a"), MacroParameter("b", "int32", "10"))),
        MacroImplementation("a + b + c", (MacroParameter("a"), MacroParameter("b"), MacroParameter("c"))),
    ],
    "total": [MacroImplementation("sum(x)", (MacroParameter("x"),))],
    "in_shop": [
        MacroImplementation("SELECT id, name FROM items WHERE shop = wanted", (MacroParameter("wanted"),), "table")
    ],
}
VARIABLES: Mapping[str, Any] = {"wanted": 2, "words": ["apple", "fig"]}


class MemoryNames:
    """Names that mean the relations, views, macros and variables of this module."""

    def relation(self, parts: tuple[str, ...], at: At | None) -> Relation | StoredQuery:
        """Return a relation or a view."""
        name = fold(parts[-1])
        if name in VIEWS:
            text, names = VIEWS[name]
            return StoredQuery(name, text, names, self)
        if name not in TABLES:
            raise NotFoundError(f"Catalog Error: Table with name {parts[-1]} does not exist!")
        return Relation(name, _FIELDS[name], (name, at), (Field(None, "rowid", types.INT64),))

    def function(self, parts: tuple[str, ...], arguments: Sequence[Any], named: Mapping[str, Any]) -> Relation | None:
        """Return no table: there are no functions."""
        return None

    def scalar(self, parts: tuple[str, ...], arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Return no value: there are no functions."""
        return NotImplemented

    def show_relation(self, statement: Show | Describe) -> Relation:
        raise NotFoundError(f"Nothing is known about {statement}")

    def computed_rows(self, bound: BoundQuery) -> list[tuple[Any, ...]]:
        raise NotImplementedError

    def known_relation(self, columns: tuple[Field, ...], rows: list[tuple[Any, ...]]) -> Relation:
        raise NotImplementedError

    def macro(self, parts: tuple[str, ...]) -> Sequence[StoredMacro]:
        """Return the overloads of a macro."""
        return [StoredMacro(one) for one in MACROS.get(fold(parts[-1]), ())]

    def variable(self, name: str) -> Any:
        """Return the value of a variable."""
        return VARIABLES.get(name)

    def setting(self, name: str) -> Any:
        """Return no value: there are no settings."""
        raise NotFoundError(f'Catalog Error: unrecognized configuration parameter "{name}"')


def oracle() -> duckdb.DuckDBPyConnection:
    """Return DuckDB with the same relations, views, macros and variables."""
    connection = duckdb.connect()
    for name, (columns, rows) in TABLES.items():
        connection.execute(f"CREATE TABLE {name} ({columns})")
        for row in rows:
            connection.execute(f"INSERT INTO {name} VALUES ({', '.join('?' for _ in row)})", [_given(v) for v in row])
    for name, (text, names) in VIEWS.items():
        connection.execute(f"CREATE VIEW {name}{'(' + ', '.join(names) + ')' if names else ''} AS {text}")
    connection.execute("CREATE MACRO plus(a, b := 10) AS a + b, (a, b, c) AS a + b + c")
    connection.execute("CREATE MACRO total(x) AS sum(x)")
    connection.execute("CREATE MACRO in_shop(wanted) AS TABLE SELECT id, name FROM items WHERE shop = wanted")
    connection.execute("SET VARIABLE wanted = 2")
    connection.execute("SET VARIABLE words = ['apple', 'fig']")
    return connection


def _given(value: Any) -> Any:
    """Return a value as DuckDB takes it: fields of structs by name."""
    if isinstance(value, tuple):
        return {name: _given(one) for name, one in zip(("x", "y") if len(value) == 2 else ("z",), value, strict=True)}
    return value


def _described(connection: duckdb.DuckDBPyConnection, name: str) -> tuple[Field, ...]:
    counter = iter(range(1, 100))

    def field(label: str, kind: Any) -> Field:
        children: tuple[Field, ...] = ()
        if kind.id in ("list", "struct", "map"):
            labels = {"list": ["element"], "map": ["key", "value"]}.get(kind.id)
            inner = [one for one in kind.children if not isinstance(one[1], int)]
            children = tuple(field(labels[place] if labels else one[0], one[1]) for place, one in enumerate(inner))
        return named_field(ColumnId(next(counter)), label, _TYPES.get(str(kind), kind.id), children)

    relation = connection.table(name)
    return tuple(field(label, kind) for label, kind in zip(relation.columns, relation.types, strict=True))


_TYPES = {
    "INTEGER": "int32",
    "BIGINT": "int64",
    "DOUBLE": "float64",
    "VARCHAR": "varchar",
    "DATE": "date",
    "BOOLEAN": "boolean",
    "DECIMAL(8,2)": "decimal(8,2)",
}
_FIELDS: dict[str, tuple[Field, ...]] = {}
_ARROW: dict[str, Any] = {}


def _fill() -> None:
    with oracle() as connection:
        for name in TABLES:
            _FIELDS[name] = _described(connection, name)
            _ARROW[name] = connection.execute(f"SELECT *, rowid FROM {name}").to_arrow_table()


_fill()


def run(spark: SparkSession, names: MemoryNames, text: str) -> tuple[BoundQuery, list[tuple[Any, ...]], list[str]]:
    """Return a query, its rows on Spark as Python's values, and what DuckDB would call the types of its columns."""
    bound = bind_query(parse_query(text), names)
    for alias, scan in bound.scans.items():
        # From Arrow, Spark has the rows at hand: most queries then need no job.
        frame = spark.createDataFrame(_ARROW[scan.relation.source[0]])
        frame.select(*(f"`{column}`" for column in scan.columns)).createOrReplaceTempView(alias)
    found = spark.sql(bound.nested_sql)
    assert found.columns == [f"c{place}" for place in range(len(bound.columns))]
    rows = [
        tuple(_shown(value, field) for value, field in zip(row, bound.columns, strict=True)) for row in found.collect()
    ]
    for alias in bound.scans:
        spark.catalog.dropTempView(alias)
    return bound, rows, [field.type.sql_name for field in bound.columns]


def _shown(value: Any, field: Field) -> Any:
    """Return a value of Spark as DuckDB's client shows it."""
    if value is None:
        return None
    if isinstance(field.type, types.List):
        return [_shown(one, field.children[0]) for one in value]
    if isinstance(field.type, types.Struct):
        values = tuple(_shown(one, inner) for one, inner in zip(value, field.children, strict=True))
        names = [inner.name for inner in field.children]
        return values if names and not names[0] else dict(zip(names, values, strict=True))
    if isinstance(field.type, types.Map):
        key, item = field.children
        return {_shown(one, key): _shown(other, item) for one, other in value.items()}
    return int(value) if field.type in (types.INT128, types.UINT64) else value


def comparable(rows: Sequence[tuple[Any, ...]], is_ordered: bool) -> list[str]:
    """Return rows as texts that can be compared, sorted unless their order matters."""
    texts = [repr(tuple(_rounded(value) for value in row)) for row in rows]
    return texts if is_ordered else sorted(texts)


def _rounded(value: Any) -> Any:
    return float(f"{value:.12g}") if isinstance(value, float) and math.isfinite(value) else value
