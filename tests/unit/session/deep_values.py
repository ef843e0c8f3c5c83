"""Values that are nested deeply, each tried by this process: the name of a case, what came of it, a line each.

Run as a program: C++ that goes too deep ends the process, which only another one can see.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import forklake
from forklake import Connection, Settings, duck
from forklake.duck.calls import Constant, DuckCall
from forklake.errors import ForklakeError
from forklake.model import types

LEVELS = 100_000
LISTS = "[" * LEVELS + "]" * LEVELS
OBJECTS = '{"a":' * LEVELS + "1" + "}" * LEVELS
BOTH = '[{"a":' * LEVELS + "1" + "}]" * LEVELS
MADE = f"(repeat('[', {LEVELS}) || repeat(']', {LEVELS}))"
GROUPS = "(" * LEVELS + "a" + ")" * LEVELS

STATEMENTS = {
    "a cast of an expression": f"SELECT {MADE}::JSON::VARIANT",
    "a cast of objects": f"SELECT (repeat('{{\"a\":', {LEVELS}) || '1' || repeat('}}', {LEVELS}))::JSON::VARIANT",
    "a cast of a constant": f"SELECT '{LISTS}'::JSON::VARIANT",
    "a lenient cast": f"SELECT TRY_CAST({MADE}::JSON AS VARIANT)",
    "a lenient cast to JSON": f"SELECT TRY_CAST({MADE} AS JSON)::VARIANT",
    "a cast of a column": "SELECT s::JSON::VARIANT FROM texts",
    "a part of a column": "SELECT (s::JSON::VARIANT)[1] FROM texts",
    "within a list": f"SELECT [{MADE}::JSON]::VARIANT",
    "a list of JSON": f"SELECT [{MADE}]::JSON[]::VARIANT",
    "within a struct": f"SELECT {{'a': {MADE}::JSON}}::VARIANT",
    "within a map": f"SELECT MAP {{'a': {MADE}::JSON}}::VARIANT",
    "JSON of a function": "SELECT json(s)::VARIANT FROM texts",
    "JSON at a path": "SELECT json_extract(s, '$[0]')::VARIANT FROM texts",
    "JSON behind an arrow": "SELECT (s -> '$[0]')::VARIANT FROM texts",
    "an array around it": f"SELECT json_array({MADE}::JSON)::VARIANT",
    "an object around it": f"SELECT json_object('a', {MADE}::JSON)::VARIANT",
    "INSERT": f"INSERT INTO variants SELECT {MADE}::JSON",
    "UPDATE": f"UPDATE variants SET v = {MADE}::JSON",
    "MERGE": f"MERGE INTO variants USING (SELECT {MADE}::JSON AS j) AS s ON true WHEN MATCHED THEN UPDATE SET v = s.j",
    "CREATE TABLE AS": f"CREATE TABLE made AS SELECT {MADE}::JSON::VARIANT AS v",
    "COPY of a query": f"COPY (SELECT {MADE}::JSON::VARIANT AS v) TO 'copied.parquet'",
    "EXPLAIN ANALYZE": f"EXPLAIN ANALYZE SELECT {MADE}::JSON::VARIANT",
    "a variable": f"SET VARIABLE deep = {MADE}::JSON::VARIANT",
    "json_contains": "SELECT json_contains(s, '1') FROM texts",
    "json_contains in it": "SELECT json_contains('[1]', s) FROM texts",
    "json_exists": "SELECT json_exists(s, '$[0]') FROM texts",
    "json_value": "SELECT json_value(s, '$[0]') FROM texts",
    **{f"read_json of {name}": f"FROM read_json('{name}.json')" for name in ("lists", "objects", "both", "lines")},
    "read_json by types": "FROM read_json('lines.json', columns = {c: 'JSON'})",
    "read_json, packed": "FROM read_json('lines.json.gz')",
    "read_ndjson": "FROM read_ndjson('lines.json')",
    "a file by its name": "FROM 'lines.json'",
    "COPY from JSON": "COPY texts FROM 'lines.json' (FORMAT json)",
    "COPY from CSV": "COPY variants FROM 'lists.csv' (FORMAT csv, DELIMITER ';', QUOTE '')",
    "read_csv by types": "FROM read_csv('lists.csv', delim = ';', quote = '', columns = {c: 'JSON'})",
    "read_csv of lists": "FROM read_csv('lists.csv', delim = ';', quote = '', columns = {c: 'VARCHAR[][]'})",
    "groups of a pattern": f"SELECT regexp_matches('aaa', '{GROUPS}')",
    "groups of a pattern in a column": "SELECT regexp_extract('aaa', s) FROM patterns",
    "a geometry": f"SELECT '{'GEOMETRYCOLLECTION(' * LEVELS}POINT(1 1){')' * LEVELS}'::GEOMETRY",
    "a type of lists": f"CREATE TABLE other (i INTEGER{'[]' * 5_000})",
    "a type of structs": f"SELECT NULL::{'STRUCT(a ' * 5_000}INTEGER{')' * 5_000}",
    "lists of lists": f"SELECT {'[' * 5_000}{']' * 5_000}",
    "parentheses": f"SELECT {'(' * 5_000}1{')' * 5_000}",
    "a text like XML": f"SELECT '{'<a>' * LEVELS}{'</a>' * LEVELS}'",
}


def main() -> None:
    """Try every case, in the directory of the process."""
    catalog = forklake.open("lake.db", data_path="files", settings=Settings(engine="local")).create_catalog("shop")
    session = catalog.session()
    session.sql("CREATE TABLE texts (s VARCHAR)")
    catalog.table("texts").append(pa.table({"s": [LISTS, OBJECTS, BOTH]}))
    session.sql("CREATE TABLE patterns (s VARCHAR)")
    catalog.table("patterns").append(pa.table({"s": [GROUPS]}))
    session.sql("CREATE TABLE variants (v VARIANT)")
    session.sql("INSERT INTO variants VALUES (1)")
    for name, text in {
        "lists": LISTS,
        "objects": OBJECTS,
        "both": BOTH,
        "lines": f'{{"c": 1}}\n{{"c": {LISTS}}}\n',
    }.items():
        Path(f"{name}.json").write_text(text)
    with pa.output_stream("lines.json.gz", compression="gzip") as packed:
        packed.write(Path("lines.json").read_bytes())
    Path("lists.csv").write_text(f"c\n{LISTS}\n")
    cases: dict[str, Callable[[], object]] = {name: partial(_run, session, text) for name, text in STATEMENTS.items()}
    cases["a parameter"] = partial(_run, session, "SELECT $1::JSON::VARIANT", [LISTS])
    cases["a parameter of lists"] = partial(_run, session, "SELECT $1", [_nest(LEVELS)])
    cases["rows of lists"] = lambda: catalog.table("variants").append([{"v": _nest(LEVELS)}])
    cases["rows of JSON"] = lambda: catalog.table("texts").append([{"s": _nest(LEVELS)}])
    cases["Arrow's lists"] = lambda: session.register("frame", pa.table({"c": pa.nulls(1, _type(600))}))
    cases["a Parquet file"] = partial(_read_parquet, session)
    for function, documents in (
        ("json_structure", 1),
        ("json_contains", 2),
        ("json_merge_patch", 2),
        ("json_transform", 1),
        ("json_pretty", 1),
    ):
        cases[f"Spark's {function}"] = partial(_compute, function, documents)
    for name, act in cases.items():
        print(f"{name}: ", end="", flush=True)
        try:
            act()
            print("done", flush=True)
        except ForklakeError as error:
            print(f"{type(error).__name__} {str(error)[:80]!r}", flush=True)
    os._exit(0)  # Python's own lists would be freed by calls within calls


def _run(session: Connection, text: str, values: list[object] | None = None) -> None:
    result = session.sql(text, values)
    if result is not None:
        result.arrow()


def _nest(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


def _type(levels: int) -> pa.DataType:
    kind = pa.int32()
    for _ in range(levels):
        kind = pa.list_(kind)
    return kind


def _read_parquet(session: Connection) -> None:
    pq.write_table(pa.table({"c": pa.nulls(1, _type(600))}), "deep.parquet")
    _run(session, "FROM 'deep.parquet'")


def _compute(function: str, documents: int) -> None:
    """Compute a function as workers of Spark do."""
    texts = pa.array([LISTS, OBJECTS, "[1]"])
    arguments = {"json_transform": (types.VARCHAR, Constant('["JSON"]'))}
    given = arguments.get(function, (types.VARCHAR,) * max(documents, 1))
    columns = [texts for one in given if isinstance(one, types.Type)]
    values, faults = duck.results.compute(DuckCall(function, given), columns)
    if documents:
        assert [fault is None for fault in faults.to_pylist()] == [False, False, True], faults
    assert values[2].is_valid


if __name__ == "__main__":
    main()
