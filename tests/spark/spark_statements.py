"""Random statements of Spark about one table, each with a query that gives the rows that it leaves.

``{t}`` stands for the table and ``{u}`` for a second one that never changes: in a statement they are tables of a lake,
in the query views of the same rows that know of no lake.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

VALUES = {
    "BIGINT": ["-2", "0", "1", "2", "3", "4", "5", "6", "5000000000"],
    "INT": ["-3", "0", "1", "2", "3", "7", "1000"],
    "STRING": ["''", "'a'", "'A'", "'pear'", "'é'", "'a_b'", "'1'"],
    "DOUBLE": ["-1.5", "0D", "-0D", "2.5", "double('NaN')", "double('Infinity')"],
    "DATE": ["DATE '2026-01-05'", "DATE '2026-02-05'", "DATE '1969-12-31'", "DATE '2024-02-29'"],
    "DECIMAL(8,2)": ["-1.25", "0", "1.25", "2.50", "99.99"],
    "TIMESTAMP": ["TIMESTAMP '2026-01-05 10:00:00'", "TIMESTAMP '1969-12-31 23:59:59.999999'"],
    "BOOLEAN": ["true", "false"],
    "STRUCT<a: INT, b: STRING>": ["named_struct('a', 1, 'b', 'x')", "named_struct('a', NULL, 'b', NULL)"],
    "ARRAY<INT>": ["array(1, 2)", "array()", "array(NULL, 7)"],
}
"""Literals of each type."""

ORDERED = ("BIGINT", "INT", "STRING", "DOUBLE", "DATE", "DECIMAL(8,2)", "TIMESTAMP")
OTHER_COLUMNS = {"id": "BIGINT", "n": "INT", "v": "STRING", "x": "DOUBLE"}
"""The columns of ``{u}``; no two of its rows have the same ``id``."""

Sides = Mapping[str, Mapping[str, str]]
"""The columns that an expression may name, and their types, by alias."""


@dataclass(frozen=True)
class Statement:
    """A statement, and the query of the rows that are then in the table."""

    text: str
    expected: str


@dataclass(frozen=True)
class _Clause:
    """A clause of a MERGE that changes rows of the table.

    Attributes:
        number: Its place among them.
        case: What finds the rows that it is tried for.
        sets: What each column becomes; without any, the rows go.
    """

    number: int
    text: str
    case: str
    sets: Mapping[str, str]


class Statements:
    """Draws statements; it knows the columns that the table has after those that it has drawn."""

    def __init__(self, seed: int) -> None:
        self.random = Random(f"statements {seed}")
        draw = self.random
        kinds = [kind for kind in VALUES if kind != "BIGINT"]
        self.columns = {"id": "BIGINT"}
        self.columns |= {f"c{n}": kind for n, kind in enumerate(draw.sample(kinds, draw.randint(2, 5)))}
        self.defaults: dict[str, str] = {}
        self.key: str | None = None
        self._made = len(self.columns)

    # ---- the table ---------------------------------------------------------------------------------------------------

    def create(self) -> Statement:
        """Make the table, empty."""
        columns = ", ".join(f"{name} {kind}" for name, kind in self.columns.items())
        empty = ", ".join(f"CAST(NULL AS {kind}) AS {name}" for name, kind in self.columns.items())
        return Statement(f"CREATE TABLE {{t}} ({columns}){self._partitioning()}", f"SELECT {empty} WHERE false")

    def _partitioning(self) -> str:
        draw = self.random
        self.key = None
        ways = ["", "", "bucket(3, id)"]
        ways += [f"months({name})" for name, kind in self.columns.items() if kind in ("DATE", "TIMESTAMP")]
        ways += [name for name, kind in self.columns.items() if kind in ("INT", "STRING", "DATE", "BOOLEAN")]
        way = draw.choice(ways)
        if way in self.columns:
            self.key = way
        return f" PARTITIONED BY ({way})" if way else ""

    def fill(self) -> Statement:
        """Add rows of every sort."""
        count = self.random.randint(4, 24)
        rows = ", ".join(f"({', '.join(map(self.literal, self.columns.values()))})" for _ in range(count))
        return Statement(f"INSERT INTO {{t}} VALUES {rows}", f"SELECT * FROM {{t}} UNION ALL VALUES {rows}")

    def draw(self) -> Statement:
        """Return the next statement."""
        ways: list[tuple[int, Callable[[], Statement]]] = [
            (4, self._insert),
            (3, self._update),
            (3, self._delete),
            (5, self._merge),
            (2, self._overwrite),
            (1, self._add_column),
            (1, self._replace_table),
        ]
        if len(self.columns) > 2:
            ways.append((1, self._drop_column))
        ways.append((1, self._rename_column))
        return self.random.choices([way for _, way in ways], [weight for weight, _ in ways])[0]()

    def query(self) -> str:
        """Return a query of the table as it is."""
        sides = {"t": self.columns}
        tested = self.condition(sides)
        group = self.random.choice([name for name, kind in self.columns.items() if kind in ORDERED])
        return self.random.choice(
            [
                f"SELECT t.id, {self.expression('STRING', sides)} AS e FROM {{t}} t WHERE {tested}",
                f"SELECT t.{group}, count(*), max(t.id) FROM {{t}} t WHERE {tested} GROUP BY t.{group}",
                f"SELECT t.id, u.n FROM {{t}} t LEFT JOIN {{u}} u ON t.id = u.id AND {tested}",
                f"SELECT t.* FROM {{t}} t WHERE t.id IN (SELECT u.id FROM {{u}} u WHERE u.n > 1) AND {tested}",
                f"SELECT t.id, count(*) OVER (PARTITION BY t.{group}) FROM {{t}} t WHERE {tested}",
            ]
        )

    # ---- changes of rows ---------------------------------------------------------------------------------------------

    def _insert(self) -> Statement:
        draw = self.random
        names = list(self.columns)
        if draw.random() < 0.4:
            names = draw.sample(names, draw.randint(1, len(names)))
        rows = self._rows(names)
        if names == list(self.columns):
            into = "INSERT INTO {t} "
        elif draw.random() < 0.5:
            into = f"INSERT INTO {{t}} ({', '.join(names)}) "
        else:
            into = "INSERT INTO {t} BY NAME "
        return Statement(into + rows, f"SELECT * FROM {{t}} UNION ALL {self._completed(names, rows)}")

    def _rows(self, names: list[str]) -> str:
        """Return a query of new rows with some columns."""
        draw = self.random
        if draw.random() < 0.6:
            rows = [
                ", ".join(f"{self.literal(self.columns[name])} AS {name}" for name in names)
                for _ in range(draw.choice([1, 2, 6, 14]))
            ]
            return " UNION ALL ".join(f"SELECT {row}" for row in rows)
        sides: Sides = draw.choice([{"t": self.columns}, {"u": OTHER_COLUMNS}])
        (alias,) = sides
        values = ", ".join(f"{self.cast(self.columns[name], sides)} AS {name}" for name in names)
        return f"SELECT {values} FROM {{{alias}}} {alias} WHERE {self.condition(sides)}"

    def _completed(self, names: list[str], rows: str) -> str:
        values = (
            name if name in names else f"CAST({self.defaults.get(name, 'NULL')} AS {kind})"
            for name, kind in self.columns.items()
        )
        return f"SELECT {', '.join(values)} FROM ({rows})"

    def _update(self) -> Statement:
        sides = {"t": self.columns}
        tested = self.condition(sides, self._subquery)
        given = self._assignments(sides, self._number)
        sets = ", ".join(f"{name} = {value}" for name, value in given.items())
        kept = ", ".join(
            f"CASE WHEN {tested} THEN CAST({given[name]} AS {kind}) ELSE t.{name} END AS {name}"
            if name in given
            else f"t.{name}"
            for name, kind in self.columns.items()
        )
        return Statement(f"UPDATE {{t}} AS t SET {sets} WHERE {tested}", f"SELECT {kept} FROM {{t}} t")

    def _delete(self) -> Statement:
        tested = self.condition({"t": self.columns}, self._subquery)
        return Statement(
            f"DELETE FROM {{t}} AS t WHERE {tested}", f"SELECT * FROM {{t}} t WHERE NOT coalesce({tested}, false)"
        )

    def _overwrite(self) -> Statement:
        draw = self.random
        names = list(self.columns)
        rows = self._rows(names)
        if draw.random() < 0.5:
            tested = self.pushed("")
            kept = f"SELECT * FROM {{t}} WHERE NOT coalesce({tested}, false)"
            return Statement(f"INSERT INTO {{t}} REPLACE WHERE {tested} {rows}", f"{kept} UNION ALL {rows}")
        return Statement(f"INSERT OVERWRITE {{t}} {rows}", rows)

    def _merge(self) -> Statement:
        source, given = self._source()
        both: Sides = {"t": self.columns, "s": given}
        on = f"t.id = s.id{f' AND {self.condition(both)}' if self.random.random() < 0.3 else ''}"
        hits = f"(SELECT *, 1 AS hit FROM {source}) s"
        matched = self._clauses("MATCHED", "s.hit = 1", both, 0)
        left = self._clauses("NOT MATCHED BY SOURCE", "s.hit IS NULL", {"t": self.columns}, len(matched))
        changing = [*matched, *left]
        added, rows = self._inserts(given, hits, on, may_be_none=bool(changing))
        chosen = f"CASE {' '.join(clause.case for clause in changing)} WHEN false THEN 0 ELSE -1 END"
        kept = []
        for name, kind in self.columns.items():
            sets = [
                f"WHEN {clause.number} THEN CAST({clause.sets[name]} AS {kind})"
                for clause in changing
                if name in clause.sets
            ]
            kept.append(f"CASE {chosen} {' '.join(sets)} ELSE t.{name} END AS {name}" if sets else f"t.{name}")
        gone = [str(clause.number) for clause in changing if not clause.sets]
        where = f" WHERE {chosen} NOT IN ({', '.join(gone)})" if gone else ""
        texts = [*(clause.text for clause in matched), *added, *(clause.text for clause in left)]
        return Statement(
            f"MERGE INTO {{t}} AS t USING {source} s ON {on} {' '.join(texts)}",
            f"SELECT {', '.join(kept)} FROM {{t}} t LEFT JOIN {hits} ON {on}{where}{rows}",
        )

    def _source(self) -> tuple[str, Mapping[str, str]]:
        """Return a query whose rows have each ``id`` once, and its columns."""
        draw = self.random
        if draw.random() < 0.4:
            return "(SELECT * FROM {u})", OTHER_COLUMNS
        ids = draw.sample(VALUES["BIGINT"], draw.randint(1, 5))
        given = dict(self.columns)
        rows = [
            ", ".join(
                f"{f'CAST({key} AS BIGINT)' if name == 'id' else self.literal(kind)} AS {name}"
                for name, kind in given.items()
            )
            for key in ids
        ]
        return f"({' UNION ALL '.join(f'SELECT {row}' for row in rows)})", given

    def _clauses(self, kind: str, when: str, sides: Sides, number: int) -> list[_Clause]:
        """Return clauses of a MERGE that change rows of the table; only the last one may lack a condition."""
        draw = self.random
        made = []
        count = draw.choice([0, 1, 1, 2, 3])
        for place in range(count):
            tested = f" AND {self.condition(sides)}" if place < count - 1 or draw.random() < 0.5 else ""
            sets: dict[str, str] = {}
            action = "DELETE"
            if draw.random() < 0.65:
                sets = self._assignments(sides)
                action = f"UPDATE SET {', '.join(f'{name} = {value}' for name, value in sets.items())}"
                if set(sides.get("s", ())) == set(self.columns) and draw.random() < 0.3:
                    sets = {name: f"s.{name}" for name in self.columns}
                    action = "UPDATE SET *"
            case = f"WHEN {when}{tested} THEN {number + place}"
            made.append(_Clause(number + place, f"WHEN {kind}{tested} THEN {action}", case, sets))
        return made

    def _inserts(self, given: Mapping[str, str], hits: str, on: str, *, may_be_none: bool) -> tuple[list[str], str]:
        """Return clauses of a MERGE that insert, and what adds their rows to a query."""
        draw = self.random
        sides: Sides = {"s": given}
        count = draw.choice([0, 1, 1, 2]) if may_be_none else draw.choice([1, 2])
        passed = f"NOT EXISTS (SELECT 1 FROM {{t}} t WHERE {on})"
        clauses = []
        added = ""
        for place in range(count):
            tested = self.condition(sides) if place < count - 1 or draw.random() < 0.5 else ""
            if set(given) == set(self.columns) and draw.random() < 0.4:
                values = {name: f"s.{name}" for name in self.columns}
                action = "INSERT *"
            else:
                names = draw.sample(list(self.columns), draw.randint(1, len(self.columns)))
                values = {name: self.cast(self.columns[name], sides) for name in names}
                action = f"INSERT ({', '.join(values)}) VALUES ({', '.join(values.values())})"
            clauses.append(f"WHEN NOT MATCHED{tested and f' AND {tested}'} THEN {action}")
            row = ", ".join(
                f"CAST({values.get(name, self.defaults.get(name, 'NULL'))} AS {kind})"
                for name, kind in self.columns.items()
            )
            added += f" UNION ALL SELECT {row} FROM {hits} WHERE {passed} AND {tested or 'true'}"
            passed += f" AND NOT coalesce({tested or 'true'}, false)"
        return clauses, added

    def _assignments(self, sides: Sides, more: Callable[[str], str] | None = None) -> dict[str, str]:
        draw = self.random
        names = draw.sample(list(self.columns), draw.randint(1, min(3, len(self.columns))))
        given = {name: self.cast(self.columns[name], sides) for name in names}
        if more is not None and draw.random() < 0.2:
            given["id"] = more("t")
        return given

    # ---- changes of columns ------------------------------------------------------------------------------------------

    def _add_column(self) -> Statement:
        kind = self.random.choice(list(VALUES))
        name = self._new_name()
        default = self.random.choice([None, self.random.choice(VALUES[kind])])
        if "(" in (default or "") or kind.startswith(("ARRAY", "STRUCT")):
            default = None
        self.columns[name] = kind
        said = ""
        if default is not None:
            self.defaults[name] = default
            said = f" DEFAULT {default}"
        return Statement(
            f"ALTER TABLE {{t}} ADD COLUMNS ({name} {kind}{said})",
            f"SELECT *, CAST({default or 'NULL'} AS {kind}) AS {name} FROM {{t}}",
        )

    def _drop_column(self) -> Statement:
        kept = {"id", self.key, *(name for name, kind in self.columns.items() if kind in ("DATE", "TIMESTAMP"))}
        names = [name for name in self.columns if name not in kept]
        if not names:
            return self._rename_column()
        name = self.random.choice(names)
        del self.columns[name]
        self.defaults.pop(name, None)
        return Statement(f"ALTER TABLE {{t}} DROP COLUMN {name}", f"SELECT {', '.join(self.columns)} FROM {{t}}")

    def _rename_column(self) -> Statement:
        old = self.random.choice([name for name in self.columns if name != "id"])
        new = self._new_name()
        query = ", ".join(f"{name} AS {new}" if name == old else name for name in self.columns)
        self.columns = {new if name == old else name: kind for name, kind in self.columns.items()}
        self.defaults = {new if name == old else name: value for name, value in self.defaults.items()}
        self.key = new if self.key == old else self.key
        return Statement(f"ALTER TABLE {{t}} RENAME COLUMN {old} TO {new}", f"SELECT {query} FROM {{t}}")

    def _replace_table(self) -> Statement:
        draw = self.random
        both = {"t": self.columns, "u": OTHER_COLUMNS}
        made = {"id": "BIGINT"}
        values = ["t.id"]
        for _ in range(draw.randint(2, 4)):
            kind = draw.choice(list(VALUES))
            name = self._new_name()
            made[name] = kind
            values.append(f"{self.cast(kind, both)} AS {name}")
        query = f"SELECT {', '.join(values)} FROM {{t}} t LEFT JOIN {{u}} u ON t.id = u.id WHERE {self.condition(both)}"
        self.columns, self.defaults = made, {}
        return Statement(f"CREATE OR REPLACE TABLE {{t}}{self._partitioning()} AS {query}", query)

    def _new_name(self) -> str:
        self._made += 1
        return f"c{self._made}"

    # ---- expressions -------------------------------------------------------------------------------------------------

    def literal(self, kind: str) -> str:
        """Return a literal of a type; it may be NULL."""
        return f"CAST({'NULL' if self.random.random() < 0.15 else self.random.choice(VALUES[kind])} AS {kind})"

    def cast(self, kind: str, sides: Sides) -> str:
        """Return an expression of exactly a type."""
        return f"CAST({self.expression(kind, sides)} AS {kind})"

    def expression(self, kind: str, sides: Sides) -> str:
        """Return an expression that can be made a type."""
        draw = self.random
        own = self._columns(kind, sides)
        if draw.random() < 0.35 or (not own and draw.random() < 0.4):
            return self.literal(kind)
        column = draw.choice(own) if own else self.literal(kind)
        numbers = self._columns("INT", sides) or [self.literal("INT")]
        texts = self._columns("STRING", sides) or [self.literal("STRING")]
        number, text = draw.choice(numbers), draw.choice(texts)
        shapes = {
            "BIGINT": [f"{column} % 7", f"{number} + 1", f"length({text})"],
            "INT": [f"{column} % 5", f"coalesce({column}, 7)", f"length({text})", f"if({text} = 'a', {number}, 4)"],
            "STRING": [f"left(concat({column}, '+'), 6)", f"upper({column})", f"ifnull({column}, hex({number}))"],
            "DOUBLE": [f"{column} * 0.5", f"{number} / 4", f"nullif({column}, 2.5)"],
            "DATE": [f"date_add({column}, 1)", f"coalesce({column}, DATE '2026-03-01')"],
            "DECIMAL(8,2)": [f"{column} % 50 + 1", f"{number} % 100", f"-{column}"],
            "TIMESTAMP": [f"{column} + INTERVAL 1 HOUR", f"date_trunc('DAY', {column})"],
            "BOOLEAN": [f"NOT {column}", f"{number} > 1", f"{text} LIKE 'a%'"],
            "STRUCT<a: INT, b: STRING>": [
                f"named_struct('a', {number}, 'b', {text})",
                f"named_struct('a', {column}.a, 'b', 'z')",
            ],
            "ARRAY<INT>": [f"array({number}, 3)", f"filter({column}, e -> e > 1)"],
        }
        return draw.choice([column, *shapes[kind]])

    def _columns(self, kind: str, sides: Sides) -> list[str]:
        return [f"{alias}.{name}" for alias, columns in sides.items() for name, one in columns.items() if one == kind]

    def condition(self, sides: Sides, more: Callable[[str], str] | None = None) -> str:
        """Return a condition, in brackets."""
        draw = self.random
        shape = draw.choice(["{}", "{}", "{} AND {}", "{} OR {}", "NOT {}"])
        parts = [self._atom(draw.choice(list(sides)), sides) for _ in range(2)]
        if more is not None and draw.random() < 0.3:
            parts[0] = more(next(iter(sides)))
        return f"({shape.format(*parts)})"

    def _atom(self, alias: str, sides: Sides) -> str:
        draw = self.random
        name = draw.choice(list(sides[alias]))
        kind = sides[alias][name]
        if kind not in ORDERED:
            other = {"STRUCT<a: INT, b: STRING>": f"{alias}.{name}.a >= 1", "ARRAY<INT>": f"size({alias}.{name}) = 2"}
            return draw.choice([f"{alias}.{name} IS NULL", other.get(kind, f"{alias}.{name}")])
        if draw.random() < 0.3:
            other_side = draw.choice(list(sides))
            same = [one for one, its in sides[other_side].items() if its == kind]
            if same:
                return f"{alias}.{name} {draw.choice(['=', '<', '<=>', '<>'])} {other_side}.{draw.choice(same)}"
        return self.pushed(f"{alias}.", name, kind)

    def pushed(self, prefix: str, name: str | None = None, kind: str = "") -> str:
        """Return a condition on one column that data sources are told."""
        draw = self.random
        if name is None:
            name = draw.choice([one for one, its in self.columns.items() if its in ORDERED])
            kind = self.columns[name]
        column = prefix + name
        value, second = (f"CAST({draw.choice(VALUES[kind])} AS {kind})" for _ in range(2))
        shapes = [
            f"{column} {draw.choice(['=', '<', '>=', '<>', '<=>'])} {value}",
            f"{column} IS {draw.choice(['', 'NOT '])}NULL",
            f"{column} IN ({value}, {second})",
            f"{column} BETWEEN {value} AND {second}",
        ]
        return draw.choice(shapes)

    def _subquery(self, alias: str) -> str:
        return self.random.choice(
            [
                f"{alias}.id IN (SELECT u.id FROM {{u}} u WHERE u.n > 1)",
                f"{alias}.id NOT IN (SELECT u.id FROM {{u}} u WHERE u.x > 0 AND u.id IS NOT NULL)",
                f"EXISTS (SELECT 1 FROM {{t}} o WHERE o.id = {alias}.id + 1)",
                f"NOT EXISTS (SELECT 1 FROM {{u}} u WHERE u.id = {alias}.id)",
                f"{alias}.id > (SELECT avg(o.id) FROM {{t}} o WHERE o.id < 100)",
            ]
        )

    def _number(self, alias: str) -> str:
        return self.random.choice(
            [
                "(SELECT max(u.id) FROM {u} u)",
                f"(SELECT max(u.n) FROM {{u}} u WHERE u.id = {alias}.id)",
                f"(SELECT count(*) FROM {{t}} o WHERE o.id <= {alias}.id)",
            ]
        )
