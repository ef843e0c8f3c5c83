"""Types with values at their edges, and tables of them that are held in every way."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tests.fuzz.texts import read_lines


def _read_kinds(lines: Sequence[str]) -> dict[str, tuple[str, Sequence[str]]]:
    found: dict[str, tuple[str, Sequence[str]]] = {}
    for line in lines:
        if not line.startswith("    "):
            name, _, kind = line.partition(" ")
            found[name] = (kind, [])
        else:
            kind, texts = found[name]
            found[name] = (kind, "|".join([*texts[:-1], f"{texts[-1] if texts else ''}{line[4:]}"]).split("|"))
    return found


KINDS: Final[Mapping[str, tuple[str, Sequence[str]]]] = _read_kinds(read_lines("kinds.txt"))
"""By short name: the type, and texts of values, a plain one first."""

INTEGERS: Final = ("i8", "i16", "i32", "i64", "i128", "u8", "u16", "u32", "u64", "u128")
NUMBERS: Final = (*INTEGERS, "f32", "f64", "d4", "d18", "d38", "d38w")
FLOATS: Final = ("f32", "f64")
DECIMALS: Final = ("d4", "d18", "d38", "d38w")
MOMENTS: Final = ("date", "ts", "tss", "tsms", "tsns", "tstz")
LISTS: Final = ("ints", "doubles", "texts", "lists", "decs", "days", "pairs")
NESTED: Final = (*LISTS, "pair", "map", "nest", "imap")
PLAIN: Final = tuple(kind for kind in KINDS if kind not in NESTED)
ORDERED: Final = tuple(kind for kind in PLAIN if kind not in ("json", "span"))
SIDES: Final = ("x", "y")

ROWS: Final = 13
STORAGES: Final = ("inlined", "files", "deleted", "evolved")
"""Tables with the same rows: kept in the metadata, in files, in files with deletes, in files of older columns."""
_NARROW: Final = {
    "x_i32": "SMALLINT",
    "x_i64": "INTEGER",
    "y_i64": "TINYINT",
    "x_f64": "FLOAT",
    "y_u32": "UTINYINT",
    "x_u64": "UINTEGER",
}
"""Columns of the table that changes, with their first types."""


def constant(kind: str, text: str) -> str:
    """Return a value of a type as SQL."""
    name, _ = KINDS[kind]
    if kind in ("text", "blob", "json"):
        return f"'{text}'::{name}"
    return f"""'{text.replace("'", "''")}'::{name}"""


def _values(seed: int) -> Iterator[tuple[str, list[str]]]:
    """Yield each column with its values: none, a plain one, then one after another in random order."""
    chance = random.Random(seed)
    for side in SIDES:
        for kind, (_, texts) in KINDS.items():
            rest = [constant(kind, text) for text in texts[1:]]
            chance.shuffle(rest)
            if side == "y":
                rest.insert(len(rest) // 2, "NULL")
            filled = [rest[place % len(rest)] for place in range(ROWS - 2)]
            yield f"{side}_{kind}", ["NULL", constant(kind, texts[0]), *filled]


def _insert(table: str, columns: Mapping[str, Sequence[str]], rows: Sequence[int]) -> str:
    said = ", ".join(f"({row}, {', '.join(values[row] for values in columns.values())})" for row in rows)
    return f"INSERT INTO {table} (id, {', '.join(columns)}) VALUES {said}"


def _create(table: str, columns: Sequence[str], types: Mapping[str, str]) -> str:
    return f"CREATE TABLE {table} (id INTEGER, {', '.join(f'{name} {types[name]}' for name in columns)})"


def _evolve(columns: Mapping[str, Sequence[str]], types: Mapping[str, str]) -> list[str]:
    """Return what makes a table whose first file, with the row of plain values, was written before it changed.

    Then some columns are narrower, others have other names, and others are not there: that row has their first default,
    which they have no more.
    """
    later = [name for place, name in enumerate(columns) if place % 11 == 3 and name[2:] not in NESTED]
    renamed = [name for place, name in enumerate(columns) if place % 5 == 1 and name not in later]
    called = {name: f"old_{name}" if name in renamed else name for name in columns if name not in later}
    narrow = {**types, **_NARROW}
    made = [_create("<t>", list(called.values()), {old: narrow[name] for name, old in called.items()})]
    made += [_insert("<t>", {old: columns[name] for name, old in called.items()}, [1])]
    made += [f"ALTER TABLE <t> RENAME COLUMN old_{name} TO {name}" for name in renamed]
    made += [f"ALTER TABLE <t> ALTER {name} TYPE {types[name]}" for name in _NARROW if name not in later]
    made += [f"ALTER TABLE <t> ADD COLUMN {name} {types[name]} DEFAULT {columns[name][1]}" for name in later]
    made += [f"ALTER TABLE <t> ALTER {name} DROP DEFAULT" for name in later]
    return [*made, _insert("<t>", columns, [0, *range(2, ROWS)])]


def table_statements(seed: int) -> dict[str, list[str]]:
    """Return what makes each table; ``t`` is the one for DuckDB."""
    columns = dict(_values(seed))
    types = {name: KINDS[name[2:]][0] for name in columns}
    everything = range(ROWS)
    whole = [_create("<t>", list(columns), types), _insert("<t>", columns, everything)]
    more = [whole[0], *(_insert("<t>", columns, part) for part in (range(5), range(5, ROWS)))]
    more += ["INSERT INTO <t> SELECT * REPLACE (id + 100 AS id) FROM <t> WHERE id IN (3, 4, 7)"]
    made = {
        "t": whole,
        "inlined": whole,
        "files": whole,
        "deleted": [*more, "DELETE FROM <t> WHERE id > 100"],
        "evolved": _evolve(columns, types),
    }
    return {table: [said.replace("<t>", table) for said in statements] for table, statements in made.items()}
