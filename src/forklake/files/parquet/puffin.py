"""Deletion vectors: Puffin files, and the bare blobs that DuckLake writes.

A ``deletion-vector-v1`` blob, which DuckLake writes for one snapshot, is a length, a magic, a 64-bit
Roaring bitmap in its portable form, and a CRC-32. A Puffin file holds one blob per snapshot, each with all
positions that were deleted up to it.
"""

from __future__ import annotations

import json
import struct
from typing import Any, Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from forklake.model.lazy_dataclass import dataclass

Positions = NDArray[np.int64]

_PUFFIN_MAGIC: Final = b"PFA1"
_BLOB_MAGIC: Final = b"\xd1\xd3\x39\x64"
_BLOB_TYPE: Final = "deletion-vector-v1"
_TAIL: Final = struct.Struct("<II4s")
"""Behind the footer's text: its size, flags, magic."""

_WITH_RUNS: Final = 12347
_WITHOUT_RUNS: Final = 12346
_OFFSETS_FROM: Final = 4
"""From so many containers on, a bitmap with runs tells where they begin."""

_ARRAY_LIMIT: Final = 4096
_BITSET_BYTES: Final = 8192


def deleted_positions(data: bytes, upto: int | None = None) -> Positions:
    """Return the sorted positions of a deletion vector, up to a snapshot if given.

    Raises:
        ValueError: The data is damaged.
    """
    if data[:4] != _PUFFIN_MAGIC:
        return _decode_blob(data)
    blobs = _blobs(data)
    if not blobs:
        raise ValueError("it holds no deletion vector")
    numbered = [blob for blob in blobs if blob.snapshot_id is not None]
    if numbered and len(numbered) != len(blobs):
        raise ValueError("it mixes deletion vectors with and without a snapshot")
    if upto is not None:
        blobs = [blob for blob in blobs if blob.snapshot_id is None or blob.snapshot_id <= upto]
    found = [_decode_blob(data[blob.offset : blob.offset + blob.byte_count]) for blob in blobs]
    return np.unique(np.concatenate(found)) if found else np.empty(0, np.int64)


def deletion_vector(positions: Positions) -> bytes:
    """Return the bare blob for positions, which are sorted and each there once.

    >>> deleted_positions(deletion_vector(np.array([0, 5, 1 << 40]))).tolist()
    [0, 5, 1099511627776]
    """
    highs = positions >> 32
    bitmaps = [
        struct.pack("<I", int(high)) + _encode_bitmap(positions[highs == high] & 0xFFFFFFFF)
        for high in np.unique(highs).tolist()
    ]
    body = _BLOB_MAGIC + struct.pack("<q", len(bitmaps)) + b"".join(bitmaps)
    return struct.pack(">I", len(body)) + body + struct.pack(">I", crc32(body))


def _encode_bitmap(values: Positions) -> bytes:
    """Return a 32-bit bitmap, without runs."""
    keys, firsts = np.unique(values >> 16, return_index=True)
    containers = [part & 0xFFFF for part in np.split(values, firsts[1:])]
    heads = np.array([(key, part.size - 1) for key, part in zip(keys.tolist(), containers, strict=True)], "<u2")
    bodies = [_encode_container(part) for part in containers]
    begin = 8 + 8 * len(bodies)
    offsets = np.cumsum([begin, *(len(body) for body in bodies[:-1])]).astype("<u4")
    return struct.pack("<II", _WITHOUT_RUNS, len(bodies)) + heads.tobytes() + offsets.tobytes() + b"".join(bodies)


def _encode_container(values: Positions) -> bytes:
    if values.size <= _ARRAY_LIMIT:
        return values.astype("<u2").tobytes()
    marks = np.zeros(8 * _BITSET_BYTES, np.uint8)
    marks[values] = 1
    return np.packbits(marks, bitorder="little").tobytes()


@dataclass(frozen=True, slots=True)
class _Blob:
    offset: int
    byte_count: int
    snapshot_id: int | None


def _blobs(data: bytes) -> list[_Blob]:
    if len(data) < 8 + _TAIL.size:
        raise ValueError("the file is cut off")
    payload_size, flags, magic = _TAIL.unpack_from(data, len(data) - _TAIL.size)
    start = len(data) - _TAIL.size - payload_size
    if magic != _PUFFIN_MAGIC or start < 8 or data[start - 4 : start] != _PUFFIN_MAGIC:
        raise ValueError("its footer is damaged")
    if flags:
        raise ValueError("its footer is compressed, or of a kind that is not known")
    footer: Any = json.loads(data[start : len(data) - _TAIL.size])
    try:
        found = [
            _Blob(
                int(blob["offset"]),
                int(blob["length"]),
                _number(blob.get("properties", {}).get("ducklake-snapshot-id")),
            )
            for blob in footer["blobs"]
            if blob["type"] == _BLOB_TYPE
        ]
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("its footer is damaged") from error
    if any(blob.offset < 4 or blob.byte_count < 0 or blob.offset + blob.byte_count > start - 4 for blob in found):
        raise ValueError("its footer names places that it does not have")
    return found


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


def _decode_blob(data: bytes) -> Positions:
    if len(data) < 20 or data[4:8] != _BLOB_MAGIC:
        raise ValueError("it is no deletion vector")
    (byte_count,) = struct.unpack_from(">I", data)
    if byte_count + 8 != len(data):
        raise ValueError("the deletion vector is cut off")
    (checksum,) = struct.unpack_from(">I", data, len(data) - 4)
    if crc32(data[4:-4]) != checksum:
        raise ValueError("the deletion vector's checksum does not fit")
    try:
        return _decode_bitmaps(memoryview(data)[8:-4])
    except (struct.error, IndexError) as error:
        raise ValueError("the deletion vector is damaged") from error


def _decode_bitmaps(data: memoryview) -> Positions:
    (bitmap_count,) = struct.unpack_from("<q", data)
    found, place = [np.empty(0, np.int64)], 8
    for _ in range(bitmap_count):
        (high,) = struct.unpack_from("<I", data, place)
        low, place = _decode_bitmap(data, place + 4)
        found.append(low | high << 32)
    return np.unique(np.concatenate(found))


def _decode_bitmap(data: memoryview, place: int) -> tuple[Positions, int]:
    """Return the values of a 32-bit bitmap, and where it ends."""
    (cookie,) = struct.unpack_from("<I", data, place)
    place += 4
    runs = b""
    if cookie & 0xFFFF == _WITH_RUNS:
        container_count = (cookie >> 16) + 1
        runs = bytes(data[place : place + (container_count + 7) // 8])
        place += len(runs)
    elif cookie == _WITHOUT_RUNS:
        (container_count,) = struct.unpack_from("<I", data, place)
        place += 4
    else:
        raise ValueError("the deletion vector is of a kind that is not known")
    heads = struct.unpack_from(f"<{2 * container_count}H", data, place)
    place += 4 * container_count
    if not runs or container_count >= _OFFSETS_FROM:
        place += 4 * container_count
    found = [np.empty(0, np.int64)]
    for number in range(container_count):
        is_run = bool(runs) and bool(runs[number // 8] >> number % 8 & 1)
        values, place = _decode_container(data, place, heads[2 * number + 1] + 1, is_run=is_run)
        found.append(values | heads[2 * number] << 16)
    return np.concatenate(found), place


def _decode_container(data: memoryview, place: int, value_count: int, *, is_run: bool) -> tuple[Positions, int]:
    if is_run:
        (run_count,) = struct.unpack_from("<H", data, place)
        pairs = struct.unpack_from(f"<{2 * run_count}H", data, place + 2)
        ranges = [np.arange(first, first + more + 1) for first, more in zip(pairs[::2], pairs[1::2], strict=True)]
        return np.concatenate([np.empty(0, np.int64), *ranges]), place + 2 + 4 * run_count
    byte_count = 2 * value_count if value_count <= _ARRAY_LIMIT else _BITSET_BYTES
    part = data[place : place + byte_count]
    if len(part) != byte_count:
        raise ValueError("the deletion vector is cut off")
    if value_count <= _ARRAY_LIMIT:
        return np.frombuffer(part, "<u2").astype(np.int64), place + byte_count
    return np.flatnonzero(np.unpackbits(np.frombuffer(part, np.uint8), bitorder="little")), place + byte_count
