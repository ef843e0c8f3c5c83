"""Geometries: DuckDB is the oracle for their text, and for their bytes in files."""

import struct
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forklake.files.casting.geometries import canonical_wkb, format_geometry, from_wkb, parse_geometry

GOOD = [
    *("POINT(1 2)", "point (1.5 -2e10)", "POINT Z (1 2 3)", "POINTZ(1 2 3)", "POINT M (1 2 3)", "POINTZM(1 2 3 4)"),
    *(
        "POINT EMPTY",
        "POINT Z EMPTY",
        "LINESTRING(0 0,1 1)",
        "LINESTRING EMPTY",
        "POLYGON EMPTY",
        "MULTIPOINT(1 2,3 4)",
    ),
    *("POLYGON((0 0,1 0,1 1,0 0),(0.1 0.1,0.2 0.1,0.2 0.2,0.1 0.1))", "MULTIPOINT((1 2),(3 4))", "MULTIPOINT EMPTY"),
    *("MULTILINESTRING((0 0,1 1),(2 2,3 3))", "MULTIPOLYGON(EMPTY,((0 0,1 0,1 1,0 0)))", "MULTIPOINT(1 2, EMPTY)"),
    *("GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(0 0,1 1))", "GEOMETRYCOLLECTION EMPTY", "POINT(nan nan)"),
    *("GEOMETRYCOLLECTION Z (POINT Z (1 2 3))", "GEOMETRYCOLLECTION(POINT EMPTY)", "SRID=4326;POINT(1 2)"),
    *("POINT(0.1 1e20)", "POINT(1e15 1e16)", "POINT(1e-5 1e-4)", "POINT(-0 1.0)", "POINT(.5 5.)", "POINT(1_0 2)"),
    *("  POINT  ( 1   2 ) ", "POINT\t(1\n2)", "MULTIPOINT Z ((1 2 3))", "POINT(inf 1)"),
]
BAD = [
    *("POINT(1 2 3)", "POINT(1)", "POINT()", "abc", "", "POINT(1 2", "CIRCULARSTRING(0 0,1 1,2 0)", "POINT(+1 2)"),
    *("GEOMETRYCOLLECTION (POINT Z (1 2 3))", "POLYGON(EMPTY)", "POINT Z(1 2)", " POINT(1,2)"),
]


@pytest.fixture(scope="module")
def oracle() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


def test_text_is_read_and_written_as_in_duckdb(oracle: duckdb.DuckDBPyConnection) -> None:
    for text in GOOD:
        row = oracle.execute("SELECT ?::GEOMETRY::VARCHAR", [text]).fetchone()
        assert row
        assert format_geometry(parse_geometry(text)) == row[0], text


def test_bytes_are_those_of_duckdbs_files(oracle: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    file = str(tmp_path / "g.parquet")
    oracle.execute(f"COPY (SELECT unnest(?::VARCHAR[])::GEOMETRY AS g) TO '{file}' (FORMAT parquet)", [GOOD])
    theirs = pq.read_table(file).column(0)
    for text, octets in zip(GOOD, theirs.to_pylist(), strict=True):
        assert parse_geometry(text) == octets, text
        assert canonical_wkb(octets) == octets, text


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_geometry_is_refused_in_the_words_of_duckdb(text: str, oracle: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.Error) as theirs:
        oracle.execute("SELECT ?::GEOMETRY::VARCHAR", [text]).fetchone()
    with pytest.raises(ValueError, match="Failed to parse geometry") as ours:
        parse_geometry(text)
    assert str(ours.value) == str(theirs.value).split("\n")[0].split("Error: ", 1)[1]


def test_text_behind_a_geometry_is_refused() -> None:
    with pytest.raises(ValueError, match="Expected end of input at offset 11"):
        parse_geometry("POINT(1 2) x")


def test_other_dialects_of_wkb_are_made_the_one_of_duckdb() -> None:
    plain = parse_geometry("POINT Z (1 2 3)")
    assert canonical_wkb(struct.pack(">BI3d", 0, 1001, 1, 2, 3)) == plain
    assert canonical_wkb(struct.pack("<BI3d", 1, 1 | 0x80000000, 1, 2, 3)) == plain
    assert canonical_wkb(struct.pack("<BII3d", 1, 1 | 0xA0000000, 4326, 1, 2, 3)) == plain


@given(st.binary(max_size=60) | st.binary(max_size=40).map(lambda rest: parse_geometry("POINT(1 2)")[:5] + rest))
def test_bytes_that_are_no_wkb_are_refused_and_nothing_else_happens(octets: bytes) -> None:
    try:
        from_wkb(octets)
    except ValueError as error:
        assert f"Could not convert {len(octets)} bytes to GEOMETRY" in str(error)  # noqa: PT017
    else:
        assert len(canonical_wkb(octets)) <= len(octets)


def test_bytes_that_claim_more_than_they_hold_are_refused() -> None:
    for kind in (2, 3, 4, 7):
        with pytest.raises(ValueError, match="Could not convert 9 bytes to GEOMETRY"):
            from_wkb(struct.pack("<BII", 1, kind, 2**32 - 1))
