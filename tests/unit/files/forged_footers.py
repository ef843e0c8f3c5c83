"""Parquet files that no writer makes: what they hold ends a process that trusts them."""

import struct

_LEAF = b"\x15\x02\x25\x02\x18\x01i\x00"
"""A column of integers in Thrift's compact form; what comes before it says how many lie within a group."""
_ROOT = b"\x48\x01r\x15\x02\x00"


def deep_file(depth: int) -> bytes:
    """Return a file without rows whose column lies within so many groups: DuckDB goes down call by call."""
    groups = [_ROOT, *[b"\x35\x00\x18\x01a\x15\x02\x00"] * (depth - 1), _LEAF]
    length, size = len(groups), b""
    while length >= 0x80:
        size += bytes([length & 0x7F | 0x80])
        length >>= 7
    schema = b"\x19\xfc" + size + bytes([length]) + b"".join(groups)
    return _file(b"", b"\x15\x02" + schema + b"\x16\x00\x19\x0c\x00")


def misfit_file() -> bytes:
    """Return a file whose histogram of levels does not fit its column: PyArrow's C++ ends the process."""
    chunk = b"\x15\x02\x19\x15\x00\x19\x18\x01i\x15\x00\x16\x02\x16\x20\x16\x20\x26\x08\x7c\x39\x36\x00\x00\x00\x00\x00"
    group = b"\x19\x1c\x26\x08\x1c" + chunk + b"\x00\x16\x20\x16\x02\x00"
    return _file(b"x" * 16, b"\x15\x02\x19\x2c" + _ROOT + _LEAF + b"\x16\x02\x19\x1c" + group + b"\x00")


def _file(rows: bytes, footer: bytes) -> bytes:
    return b"PAR1" + rows + footer + struct.pack("<I", len(footer)) + b"PAR1"
