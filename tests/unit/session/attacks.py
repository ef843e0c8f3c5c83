"""A process that runs attacks on the time of its sessions; it may be killed when one does not end.

It reads lines of JSON, each with the name of an attack, and answers each with a line: how the attack ended.
"""

from __future__ import annotations

import gzip
import json
import os
import resource
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import forklake
from forklake import Catalog, Confinement, Connection, Settings
from forklake.errors import ForklakeError, LimitError

_CHAIN = 40
_MOST_MEMORY = 8 << 30


def _chain(first: str, step: Callable[[int], str], count: int = _CHAIN) -> str:
    return ", ".join([first, *map(step, range(1, count))])


_CTES = _chain("c0 AS (SELECT 1 AS a)", lambda i: f"c{i} AS (FROM c{i - 1} UNION ALL FROM c{i - 1})")
_STRUCTS = _chain("c0 AS (SELECT 1 AS s)", lambda i: f"c{i} AS (SELECT {{'a': s, 'b': s}} AS s FROM c{i - 1})", 26)
_KEYS = ", ".join(f"c{i}" for i in range(24))
_SETS = ", ".join("GROUPING SETS ((i), ())" for _ in range(24))

ATTACKS: dict[str, tuple[str, str, str]] = {
    "tables of WITH": ("", f"WITH {_CTES} SELECT count(*) FROM c39", "seconds or nodes"),
    "aliases": (
        "",
        "SELECT i + 1 AS a0, " + ", ".join(f"a{i - 1} + a{i - 1} AS a{i}" for i in range(1, _CHAIN)) + " FROM t",
        "seconds or nodes",
    ),
    "macros of macros": (
        ";".join(
            ["CREATE MACRO m0(x) AS x + x", *(f"CREATE MACRO m{i}(x) AS m{i - 1}(m{i - 1}(x))" for i in range(1, 31))]
        ),
        "SELECT m30(1)",
        "seconds or nodes",
    ),
    "sums of macros": (
        ";".join(
            ["CREATE MACRO n0(x) AS x", *(f"CREATE MACRO n{i}(x) AS n{i - 1}(x) + n{i - 1}(x)" for i in range(1, 31))]
        ),
        "SELECT n30(1)",
        "seconds or nodes",
    ),
    "structs": ("", f"WITH {_STRUCTS} SELECT s FROM c25", "seconds or nodes"),
    "cube": (
        "",
        f"SELECT count(*) FROM (SELECT {', '.join(f'i AS c{i}' for i in range(24))} FROM t) GROUP BY CUBE ({_KEYS})",
        "grouping sets",
    ),
    "grouping sets": ("", f"SELECT count(*) FROM t GROUP BY {_SETS}", "grouping sets"),
    "numbers in a list": ("", f"SELECT 1 IN ({', '.join(map(str, range(200_000)))})", "seconds"),
    "a long sum": ("", "SELECT " + " + ".join(["1"] * 100_000), "seconds"),
    "a sum by groups": ("", f"SELECT {' + '.join(['i'] * 20_000)} FROM t GROUP BY i + 1", "seconds or nodes"),
    "rows": ("", "VALUES " + ", ".join(f"({i})" for i in range(200_000)), "seconds"),
    "quotes": ("", "SELECT '" + "''" * 5_000_000, "seconds"),
    "texts on lines": ("", "SELECT " + "'a'\n" * 400_000, "seconds"),
    "words as names": ("", "SELECT " + ", ".join(["1 AS select"] * 100_000), "seconds"),
    "statements": ("", "SELECT 1;" * 9_000, "seconds"),
    "too many statements": ("", "SELECT 1;" * 10_001, "seconds or statements"),
    "letters": ("", "SELECT 'x" + "x" * (16 << 20) + "'", "letters"),
    "parts of an interval": ("", "SELECT INTERVAL '" + "1 day " * 2_500_000 + "'", "seconds"),
    "elements of a list": ("", "SELECT '[" + "1," * 7_000_000 + "1]'::INTEGER[]", "seconds"),
    "entries of a map": ("", "SELECT '{" + "1=2," * 3_500_000 + "1=2}'::MAP(INTEGER, INTEGER)", "seconds"),
    "quotes in a list": ("", "SELECT '[\"" + "\\a" * 7_000_000 + "\"]'::VARCHAR[]", "seconds"),
    "a list in lists": (
        "",
        "SELECT '" + "[" * 60 + "1," * 7_000_000 + "1" + "]" * 60 + "'::INTEGER" + "[]" * 60,
        "seconds",
    ),
    "octets of a blob": ("", "SELECT '" + "\\xAA" * 4_000_000 + "'::BLOB", "seconds"),
    "points of a line": ("", "SELECT 'LINESTRING(" + "1 1," * 3_500_000 + "1 1)'::GEOMETRY", "seconds"),
    "packed csv": ("@csv", "SELECT count(*) FROM read_csv('{own}/b.csv.gz')", "bytes or seconds"),
    "a large sample": ("@csv", "FROM read_csv('{own}/b.csv.gz', sample_size => -1) LIMIT 1", "rows"),
    "repeated texts": ("@parquet", "SELECT count(DISTINCT a) FROM read_parquet('{own}/b.parquet')", "bytes or seconds"),
    "stars": ("@deep", "FROM glob('{own}/deep/" + "**/x/" * 12 + "y')", "no limit or seconds"),
    "partitions": ("@partitions", "INSERT INTO p SELECT range FROM range(20000)", "seconds"),
    "partitioned copy": (
        "",
        "COPY (SELECT range AS a, range AS b FROM range(50000)) TO '{own}/p.d' (FORMAT parquet, PARTITION_BY (b))",
        "seconds",
    ),
    "rows in groups of their own": ("@groups", "INSERT INTO g SELECT range FROM range(100000)", "seconds"),
    "a long text in many rows": ("@long", "SELECT s, range FROM long, range(90000)", "bytes"),
    "a long text in many lists": ("@long", "SELECT [s] AS l, range FROM long, range(90000)", "bytes"),
    "a table of nothing": ("", "CREATE TABLE n AS SELECT range AS a FROM range(1000000000)", "bytes"),
    "a table of long texts": ("@long", "CREATE TABLE n AS SELECT s, range FROM long, range(90000)", "bytes"),
}
"""What is made before by the owner, the text of the attack, and which limits may end it."""


def main(files: Sequence[str]) -> None:
    """Answer the names of attacks that are read."""
    os.chdir(files[0])
    # What takes more ends here, and not other programs of the machine.
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    lake = forklake.open(str(Path(files[0]) / "lake.db"), settings=Settings(engine="local"))
    catalog = lake.create_catalog("mine")
    catalog.sql("CREATE TABLE t (i INTEGER)")
    own = Path(str(catalog.inspect.info.data_path))
    own.mkdir(parents=True, exist_ok=True)
    for line in sys.stdin:
        name, seconds = json.loads(line)
        before, text, _ = ATTACKS[name]
        if before.startswith("@"):
            _MAKES[before](catalog, own)
        elif before:
            catalog.sql(before)
        with catalog.session(confined=Confinement(max_seconds=seconds, max_bytes=5_000_000)) as session:
            print(json.dumps(_outcome(session, text.replace("{own}", str(own)))), flush=True)


def _make_csv(catalog: Catalog, own: Path) -> None:
    """Make 80 MB of CSV in a small file."""
    with gzip.open(own / "b.csv.gz", "wb", 1) as packed:
        packed.write(b"a,b\n" + (b"1," + b"x" * 10_000 + b"\n") * 8_000)


def _make_parquet(catalog: Catalog, own: Path) -> None:
    """Make 300 MB of text in a small file."""
    pq.write_table(pa.table({"a": pa.array(["y" * 1_000_000] * 300)}), own / "b.parquet", row_group_size=20)


def _make_deep(catalog: Catalog, own: Path) -> None:
    (own / "deep" / "/".join("x" * 30)).mkdir(parents=True)


def _make_partitions(catalog: Catalog, own: Path) -> None:
    catalog.sql("CREATE TABLE p (a BIGINT); ALTER TABLE p SET PARTITIONED BY (a)")


def _make_groups(catalog: Catalog, own: Path) -> None:
    catalog.sql("CREATE TABLE g (a BIGINT); CALL ducklake_set_option('mine', 'parquet_row_group_size', 1)")


def _make_long(catalog: Catalog, own: Path) -> None:
    if not any(table.name == "long" for table in catalog.tables()):
        catalog.create_table("long", {"s": "VARCHAR"}).append(pa.table({"s": ["a" * 4_000_000]}))


_MAKES = {
    "@csv": _make_csv,
    "@parquet": _make_parquet,
    "@deep": _make_deep,
    "@partitions": _make_partitions,
    "@groups": _make_groups,
    "@long": _make_long,
}


def _outcome(session: Connection, text: str) -> str:
    try:
        for result in session.results(text):
            if result is not None:
                result.rows()
    except LimitError as error:
        return error.limit
    except ForklakeError as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    return "no limit"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        main([directory])
