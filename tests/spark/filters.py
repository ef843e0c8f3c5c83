"""Random filters over values at the edges of every type, and tables whose rows are held in every way there is."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

import duckdb
import pyarrow as pa

from forklake import Catalog, Table

FLOATS = ("-inf", "-1e300", "-5", "-0.0", "0.0", "5e-324", "1.5", "5", "1e300", "inf", "nan")
SINGLES = ("-inf", "-3e38", "-5", "-0.0", "0.0", "1e-45", "1.5", "5", "16777216", "inf", "nan")
MOMENTS = ("0001-01-01 00:00:00", "1582-10-04 23:59:59", "1969-12-31 23:59:59", "1970-01-01 00:00:00",
           "2024-02-29 12:34:56", "9999-12-31 23:59:59")  # fmt: skip
LONG = "x" * 70
TEXTS = ("", " ", "0", "A", "a", "aa", "b", "é", "日本", "🦆", "\uffff", LONG, LONG + "a", LONG + "🦆", "it''s", "%_")


def whole(bits: int, *, signed: bool = True) -> tuple[str, ...]:
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    return tuple(map(str, sorted({low, low + 1, 0, 1, 7, high - 1, high, *((-1,) if signed else ())})))


NATIVE: dict[str, tuple[str, ...]] = {
    "BOOLEAN": ("true", "false"),
    "TINYINT": whole(8),
    "SMALLINT": whole(16),
    "INTEGER": whole(32),
    "BIGINT": whole(64),
    "FLOAT": SINGLES,
    "DOUBLE": FLOATS,
    "DECIMAL(4,1)": ("-999.9", "-0.1", "0.0", "0.1", "5.0", "999.9"),
    "DECIMAL(18,3)": ("-999999999999999.999", "-0.001", "0.000", "5.000", "999999999999999.999"),
    "DECIMAL(38,10)": ("-9999999999999999999999999999.9999999999", "0", "0.0000000001", "9999999999999999999999999999"),
    "DATE": tuple(moment[:10] for moment in MOMENTS),
    "TIMESTAMP": tuple(moment + fraction for moment in MOMENTS for fraction in ("", ".000001", ".999999")),
    "TIMESTAMP_S": MOMENTS,
    "TIMESTAMP_MS": tuple(moment + fraction for moment in MOMENTS for fraction in ("", ".001")),
    "TIMESTAMPTZ": tuple(moment + fraction + "+00" for moment in MOMENTS for fraction in ("", ".000001")),
    "VARCHAR": TEXTS,
    "BLOB": ("", "\\x00", "\\x00\\x00", "\\x7F", "\\x80", "\\xFF", "\\xFF" * 70, "abc"),
}
"""Types that Spark's own writer writes, and values of each as text; the order says nothing."""

ODD: dict[str, tuple[str, ...]] = {
    "UTINYINT": whole(8, signed=False),
    "USMALLINT": whole(16, signed=False),
    "UINTEGER": whole(32, signed=False),
    "UBIGINT": whole(64, signed=False),
    "HUGEINT": (str(-(10**38) + 1), "-1", "0", "1", str(2**64), str(10**38 - 1)),
    "TIMESTAMP_NS": ("1677-09-22 00:00:00", "1969-12-31 23:59:59.999999999", "1970-01-01 00:00:00",
                     "2024-02-29 12:34:56.000000001", "2024-02-29 12:34:56", "2262-04-11 00:00:00"),
    "TIME": ("00:00:00", "00:00:00.000001", "12:34:56", "23:59:59.999999"),
    "UUID": ("00000000-0000-0000-0000-000000000000", "7fffffff-ffff-ffff-ffff-ffffffffffff",
             "80000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"),
    "DOUBLE": FLOATS,
}  # fmt: skip
"""Types that PyArrow writes, and one beside them."""

PROMOTED = {"INTEGER": ("BIGINT", whole(32)), "FLOAT": ("DOUBLE", SINGLES), "TINYINT": ("SMALLINT", whole(8)),
            "DATE": ("TIMESTAMP", NATIVE["DATE"])}  # fmt: skip
"""Types that a column may be made of before it gets another one."""


@dataclass
class Column:
    """A column: its name and type now, what it was before, and the values that it may have."""

    name: str
    type: str
    values: tuple[str, ...]
    path: str = ""
    was: str = ""
    default: str | None = None

    @property
    def sql(self) -> str:
        """How DuckDB names it."""
        return self.path or self.name


@dataclass
class Rows:
    """A table of forklake's, and the same rows in DuckDB."""

    table: Table
    columns: list[Column]
    duck: duckdb.DuckDBPyConnection
    name: str
    next_id: int = 0
    ids: list[int] = field(default_factory=list)

    def expected(self, condition: str) -> list[int]:
        rows = self.duck.execute(f"SELECT id FROM {self.name} WHERE {condition} ORDER BY id").fetchall()
        return [row for (row,) in rows]


def typed(text: str, kind: str) -> str:
    return f"CAST('{text}' AS {kind})"


# ---- tables ----------------------------------------------------------------------------------------------------------


def made(catalog: Catalog, name: str, types: dict[str, tuple[str, ...]], seed: int) -> Rows:
    """Return a table with rows in files of PyArrow's and Spark's, some deleted, some older than columns, and inlined.

    Each file has few of the values of a column, often one alone and many times, as it would be in a dictionary.
    """
    random = Random(seed)
    columns = [Column(f"c{number}", kind, values) for number, (kind, values) in enumerate(types.items())]
    columns += [Column(f"p{number}", after, values, was=kind) for number, (kind, (after, values)) in
                enumerate(PROMOTED.items())]  # fmt: skip
    columns.append(Column("s", "STRUCT(a DOUBLE)", FLOATS, path="s.a"))
    late = [Column("n0", "DOUBLE", FLOATS, default="-0.0"), Column("n1", "INTEGER", whole(32), default="7"),
            Column("n2", "VARCHAR", TEXTS, default="A"), Column("n3", "DOUBLE", FLOATS)]  # fmt: skip
    before = {"id": "BIGINT", **{column.name: column.was or column.type for column in columns}}
    catalog.create_table(name, before)
    catalog.options.set("data_inlining_row_limit", 0, table=name)
    rows = Rows(catalog.table(name), columns, duckdb.connect(), name)
    rows.duck.execute("SET TimeZone = 'UTC'")
    shown = ", ".join(f"{column.name} {column.type}" for column in [*columns, *late])
    rows.duck.execute(f"CREATE TABLE {name} (id BIGINT, {shown})")
    for distinct in (1, 3, 9):
        append(rows, random, distinct, late=late)
    if types is NATIVE:
        # What a table shows has the types of its columns already, so Spark's own writer writes it.
        catalog.create_table("plain", before)
        for distinct in (1, 6):
            append(rows, random, distinct, late=late, through=catalog.table("plain"))
    for column in columns:
        if column.was:
            catalog.table(name).alter.set_type(column.name, column.type)
    catalog.sql(f"ALTER TABLE {name} RENAME COLUMN c0 TO renamed")
    columns[0].name = "renamed"
    rows.duck.execute(f"ALTER TABLE {name} RENAME COLUMN c0 TO renamed")
    for column in late:
        given = "" if column.default is None else f" DEFAULT '{column.default}'"
        catalog.sql(f"ALTER TABLE {name} ADD COLUMN {column.name} {column.type}{given}")
    columns += late
    append(rows, random, 9)
    delete(rows, random)
    catalog.options.set("data_inlining_row_limit", 10, table=name)
    append(rows, random, 9, copies=1)
    return rows


def append(
    rows: Rows,
    random: Random,
    distinct: int,
    *,
    copies: int = 12,
    late: Sequence[Column] = (),
    through: Table | None = None,
) -> None:
    """Add rows with so many different values in each column: as PyArrow writes them, or Spark, from another table."""
    ids = list(range(rows.next_id, rows.next_id + distinct * copies))
    rows.next_id += len(ids)
    rows.ids += ids
    texts = {column.name: chosen(column, random, distinct) * copies for column in rows.columns}
    arrays = [pa.array(ids)]
    for column in rows.columns:
        # In quotes a quote is written twice.
        given = pa.array(
            [None if text is None else text.replace("''", "'") for text in texts[column.name]], pa.string()
        )
        arrays.append(pa.StructArray.from_arrays([given], ["a"]) if column.path else given)
    frame = pa.table(arrays, ["id", *texts])
    if through is None:
        rows.table.append(frame)
    else:
        through.overwrite(frame)
        rows.table.append(through.dataframe().coalesce(1))
    for place, number in enumerate(ids):
        cells = [literal(column, texts[column.name][place], is_early=bool(late)) for column in rows.columns]
        cells += [literal(column, column.default) for column in late]
        rows.duck.execute(f"INSERT INTO {rows.name} VALUES ({number}, {', '.join(cells)})")


def chosen(column: Column, random: Random, count: int) -> list[str | None]:
    values: list[str | None] = [random.choice(column.values) for _ in range(count)]
    if random.random() < 0.3:
        values[random.randrange(count)] = None
    return values


def literal(column: Column, text: str | None, *, is_early: bool = False) -> str:
    """Return a value for DuckDB; one that is written before the promotion is one of the type that the column had."""
    if column.path:
        return f"{{'a': {'NULL' if text is None else typed(text, 'DOUBLE')}}}"
    return "NULL" if text is None else typed(text, column.was if is_early and column.was else column.type)


def delete(rows: Rows, random: Random) -> None:
    gone = sorted(random.sample(rows.ids, len(rows.ids) // 10))
    rows.ids = [one for one in rows.ids if one not in gone]
    condition = f"id IN ({', '.join(map(str, gone))})"
    assert rows.table.delete(condition).row_count == len(gone)
    rows.duck.execute(f"DELETE FROM {rows.name} WHERE {condition}")


# ---- filters ---------------------------------------------------------------------------------------------------------


def filters(rows: Rows, seed: int) -> str:
    """Return a random condition, as DuckDB writes it."""
    return _condition(rows.columns, Random(seed), 2)


def _condition(columns: Sequence[Column], random: Random, depth: int) -> str:
    way = random.random()
    if depth and way < 0.15:
        return f"NOT ({_condition(columns, random, depth - 1)})"
    if depth and way < 0.35:
        word = random.choice(("AND", "OR"))
        return f"({_condition(columns, random, depth - 1)}) {word} ({_condition(columns, random, depth - 1)})"
    return _comparison(random.choice(columns), random)


def _comparison(column: Column, random: Random) -> str:
    kind = "DOUBLE" if column.path else column.type
    name = column.sql

    def some(count: int) -> list[str]:
        return [typed(random.choice(column.values), kind) for _ in range(count)]

    match random.randrange(12):
        case 0:
            low, high = some(2)
            return f"{name} {random.choice(('', 'NOT '))}BETWEEN {low} AND {high}"
        case 1 | 2:
            listed = some(random.choice((1, 2, 3, 12)))
            return f"{name} {random.choice(('', 'NOT '))}IN ({', '.join(listed)})"
        case 3:
            return f"{name} IS {random.choice(('', 'NOT '))}NULL"
        case 4:
            value = random.choice([*some(3), "NULL"])
            return f"{name} IS {random.choice(('', 'NOT '))}DISTINCT FROM {value}"
        case 5 if kind in ("FLOAT", "DOUBLE"):
            return f"isnan({name})"
        case 5 if kind == "VARCHAR":
            return f"{name} LIKE 'x%'"
    (value,) = some(1)
    return f"{name} {random.choice(('=', '<>', '<', '<=', '>', '>='))} {value}"
