"""Random tables, and Parquet files that fit them more or less."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow.parquet as pq

from tests.interop.ducklake import Connection

_LITERALS = {
    "BOOLEAN": ("true", "false"),
    "TINYINT": ("-7", "0", "100"),
    "SMALLINT": ("-300", "5"),
    "INTEGER": ("-70000", "1", "2147483647"),
    "BIGINT": ("-5000000000", "12"),
    "UTINYINT": ("0", "200"),
    "USMALLINT": ("7", "60000"),
    "UINTEGER": ("8", "4000000000"),
    "UBIGINT": ("9", "18446744073709551615"),
    "FLOAT": ("1.5", "-0.0", "'nan'", "3.25"),
    "DOUBLE": ("1e100", "'-inf'", "0.1"),
    "DECIMAL(4,1)": ("1.5", "-999.9"),
    "DECIMAL(9,3)": ("0.001", "123456.789"),
    "DECIMAL(20,4)": ("-1.5", "9999999999999999.9999"),
    "VARCHAR": ("''", "'x'", "'äöü'", "'a longer text than sixteen bytes'"),
    "BLOB": ("'\\x00\\xFF'", "'abc'"),
    "DATE": ("'1969-12-31'", "'2024-02-29'"),
    "TIME": ("'00:00:00'", "'23:59:59.999999'"),
    "TIMESTAMP": ("'1969-12-31 23:59:59.5'", "'2024-02-29 12:34:56.123456'"),
    "TIMESTAMP_MS": ("'2024-02-29 12:34:56.123'",),
    "TIMESTAMP_S": ("'2024-02-29 12:34:56'",),
    "TIMESTAMP_NS": ("'2024-02-29 12:34:56.123456789'", "'1969-12-31 23:59:59.123456789'"),
    "TIMESTAMPTZ": ("'2024-02-29 12:34:56.5+00'",),
    "UUID": ("'11111111-2222-3333-4444-555555555555'",),
}
_NEAR = (
    ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
    ("FLOAT", "DOUBLE"),
    ("DECIMAL(4,1)", "DECIMAL(9,3)", "DECIMAL(20,4)"),
    ("TIMESTAMP", "TIMESTAMP_MS", "TIMESTAMP_S", "TIMESTAMP_NS", "TIMESTAMPTZ", "DATE"),
    ("VARCHAR", "BLOB", "UUID"),
)


@dataclass(frozen=True)
class Shape:
    """A column type: one of DuckDB's, or a struct, list or map of others."""

    name: str
    parts: tuple[tuple[str, Shape], ...] = ()

    @property
    def sql(self) -> str:
        inner = [part.sql for _, part in self.parts]
        if self.name == "STRUCT":
            return f"STRUCT({', '.join(f'{name} {kind}' for (name, _), kind in zip(self.parts, inner, strict=True))})"
        if self.name == "LIST":
            return f"{inner[0]}[]"
        return f"MAP({inner[0]}, {inner[1]})" if self.name == "MAP" else self.name

    def value(self, rng: random.Random) -> str:
        """Return a value as DuckDB writes it."""
        if rng.random() < 0.15:
            return f"NULL::{self.sql}"
        if self.name == "STRUCT":
            return "{" + ", ".join(f"'{name}': {part.value(rng)}" for name, part in self.parts) + "}"
        if self.name == "LIST":
            values = [self.parts[0][1].value(rng) for _ in range(rng.randrange(3))]
            return f"[{', '.join(values)}]::{self.sql}"
        if self.name == "MAP":
            value = self.parts[1][1].value(rng)
            return f"MAP {{'k': {value}}}" if rng.random() < 0.8 else f"MAP {{}}::{self.sql}"
        return f"CAST({rng.choice(_LITERALS[self.name])} AS {self.name})"


@dataclass
class Trial:
    """A table, a file, and how it is added."""

    columns: list[tuple[str, Shape]]
    path: Path
    flags: dict[str, bool] = field(default_factory=dict)

    @property
    def create(self) -> str:
        return ", ".join(f"{name} {shape.sql}" for name, shape in self.columns)

    @property
    def arguments(self) -> str:
        return "".join(f", {name} => {value}" for name, value in self.flags.items())


def random_trial(rng: random.Random, connection: Connection, directory: Path) -> Trial:
    """Write a file that fits a random table, or nearly so."""
    columns = [(name, _shape(rng, 2)) for name in rng.sample("abcde", rng.randint(1, 4))]
    held = [(name, _changed(rng, shape)) for name, shape in columns if rng.random() > 0.12]
    held = [(name.upper() if rng.random() < 0.1 else name, shape) for name, shape in held]
    if rng.random() < 0.15 or not held:
        held.append(("extra", _shape(rng, 1)))
    rng.shuffle(held)
    if rng.random() < 0.25:
        keys = [rng.choice(columns)]
        keys = [key for key in keys if not key[1].parts]
        values = {name: rng.choice(("1", "2020-02-03", "x%20y", "NULL", "")) for name, _ in keys}
        directory = directory.joinpath(*(f"{name}={value}" for name, value in values.items()))
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"f{rng.getrandbits(60):015x}.parquet"
    rows = [f"SELECT {', '.join(f'{s.value(rng)} AS {n}' for n, s in held)}" for _ in range(rng.randint(1, 4))]
    query = " UNION ALL ".join(rows)
    if rng.random() < 0.5:
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    else:
        pq.write_table(connection.execute(query).to_arrow_table(), path, row_group_size=rng.choice((2, 100)))
    flags = {name: True for name in ("allow_missing", "ignore_extra_columns") if rng.random() < 0.4}
    if rng.random() < 0.2:
        flags["hive_partitioning"] = rng.random() < 0.5
    return Trial(columns, path, flags)


def _shape(rng: random.Random, depth: int) -> Shape:
    if depth and rng.random() < 0.35:
        kind = rng.choice(("STRUCT", "LIST", "MAP"))
        if kind == "STRUCT":
            return Shape(kind, tuple((name, _shape(rng, depth - 1)) for name in rng.sample("xyz", rng.randint(1, 3))))
        if kind == "LIST":
            return Shape(kind, (("list", _shape(rng, depth - 1)),))
        return Shape(kind, (("key", Shape("VARCHAR")), ("value", _shape(rng, depth - 1))))
    return Shape(rng.choice(list(_LITERALS)))


def _changed(rng: random.Random, shape: Shape) -> Shape:
    """Return a type that a file may have instead."""
    if rng.random() < 0.03:
        return _shape(rng, 1)
    if shape.name == "STRUCT":
        parts = [(name, _changed(rng, part)) for name, part in shape.parts if rng.random() > 0.1]
        if rng.random() < 0.1 or not parts:
            parts.append(("w", Shape("INTEGER")))
        rng.shuffle(parts)
        return Shape("STRUCT", tuple(parts))
    if shape.name == "MAP":
        return Shape("MAP", (shape.parts[0], (shape.parts[1][0], _changed(rng, shape.parts[1][1]))))
    if shape.name == "LIST":
        return Shape("LIST", ((shape.parts[0][0], _changed(rng, shape.parts[0][1])),))
    near = next((kinds for kinds in _NEAR if shape.name in kinds), (shape.name,))
    return Shape(rng.choice(near)) if rng.random() < 0.3 else shape
