"""Delete files of DuckLake are read, ours are read by DuckLake, and damaged ones are named."""

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake.errors import DataFileError, InvalidInputError
from forklake.files.parquet.deletes import bitmap, read_deletes, write_delete_file
from forklake.model.ids import DataFileId, SnapshotId
from forklake.model.scan import ScanDeletes
from tests.interop.ducklake import attached

ROWS = 200_000
THIRDS = range(0, ROWS, 3)
MIDDLE = range(1000, 90_001)
BOTH = sorted({*THIRDS, *MIDDLE})


def deletes_in(path: str, *, upto: int | None = None, kind: str = "parquet", key: str | None = None) -> list[int]:
    cut = ScanDeletes(path, kind, 0, SnapshotId(upto or 0), upto is not None, key)
    return list(read_deletes(cut).tolist())


def deleted_by_ducklake(folder: Path, *, as_vector: bool) -> tuple[str, int]:
    """Delete twice with DuckLake; return the delete file that is left, and the snapshot of the first."""
    with attached(f"ducklake:{folder}/lake.ducklake", DATA_PATH=f"{folder}/data/") as (connection, alias):
        connection.execute(f"CALL {alias}.set_option('data_inlining_row_limit', 0)")
        connection.execute(f"CALL {alias}.set_option('write_deletion_vectors', {as_vector})")
        connection.execute("CREATE TABLE t(i INTEGER)")
        connection.execute(f"INSERT INTO t SELECT range FROM range({ROWS})")
        connection.execute("DELETE FROM t WHERE i % 3 = 0")
        first = connection.execute(f"SELECT max(snapshot_id) FROM {alias}.snapshots()").fetchone()
        connection.execute("DELETE FROM t WHERE i BETWEEN 1000 AND 90000")
        found = connection.execute(
            f"SELECT path FROM __ducklake_metadata_{alias}.ducklake_delete_file WHERE end_snapshot IS NULL"
        ).fetchone()
    assert first is not None
    assert found is not None
    return f"{folder}/data/main/t/{found[0]}", first[0]


def test_a_delete_file_of_ducklake_is_read_as_of_a_snapshot(tmp_path: Path) -> None:
    path, first = deleted_by_ducklake(tmp_path, as_vector=False)
    assert deletes_in(path) == BOTH
    assert deletes_in(path, upto=first) == list(THIRDS)
    assert deletes_in(path, upto=0) == []


def test_a_deletion_vector_of_ducklake_is_read(tmp_path: Path) -> None:
    path, _ = deleted_by_ducklake(tmp_path, as_vector=True)
    assert path.endswith(".puffin")
    assert deletes_in(path, kind="puffin") == BOTH


def blob(*bitmaps: tuple[int, bytes]) -> bytes:
    """Return a deletion vector of 32-bit bitmaps by their high bits."""
    body = b"\xd1\xd3\x39\x64" + struct.pack("<q", len(bitmaps))
    body += b"".join(struct.pack("<I", high) + data for high, data in bitmaps)
    return struct.pack(">I", len(body)) + body + struct.pack(">I", crc32(body))


def array_bitmap(*values: int) -> bytes:
    """Return a bitmap of one container that lists its values."""
    head = struct.pack("<IIHHI", 12346, 1, 0, len(values) - 1, 16)
    return head + struct.pack(f"<{len(values)}H", *values)


def run_bitmap(key: int, *runs: tuple[int, int]) -> bytes:
    """Return a bitmap of one container that lists runs: the first value, and how many follow."""
    total = sum(more + 1 for _, more in runs)
    head = struct.pack("<I", 12347) + b"\x01" + struct.pack("<HHH", key, total - 1, len(runs))
    return head + b"".join(struct.pack("<HH", *run) for run in runs)


def puffin(*blobs: tuple[int | None, bytes]) -> bytes:
    """Return a container of blobs by their snapshots."""
    data, found = b"PFA1", []
    for snapshot, content in blobs:
        properties = {} if snapshot is None else {"ducklake-snapshot-id": str(snapshot)}
        found.append(
            {"type": "deletion-vector-v1", "offset": len(data), "length": len(content), "properties": properties}
        )
        data += content
    payload = json.dumps({"blobs": [*found, {"type": "other", "offset": 4, "length": 1}]}).encode()
    return data + b"PFA1" + payload + struct.pack("<II", len(payload), 0) + b"PFA1"


def test_runs_and_high_positions_are_read(tmp_path: Path) -> None:
    path = tmp_path / "x.puffin"
    path.write_bytes(blob((0, run_bitmap(1, (5, 2), (100, 0))), (2, array_bitmap(0, 65535))))
    assert deletes_in(str(path), kind="puffin") == [65541, 65542, 65543, 65636, 2 << 32, (2 << 32) + 65535]


def test_a_container_is_read_as_of_a_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "x.puffin"
    path.write_bytes(puffin((9, blob((0, array_bitmap(1, 2, 3)))), (5, blob((0, array_bitmap(2))))))
    assert deletes_in(str(path), kind="puffin") == [1, 2, 3]
    assert deletes_in(str(path), kind="puffin", upto=9) == [1, 2, 3]
    assert deletes_in(str(path), kind="puffin", upto=8) == [2]
    assert deletes_in(str(path), kind="puffin", upto=4) == []


@pytest.mark.parametrize("seed", range(6))
def test_a_deletion_vector_of_ours_has_the_positions_that_it_was_written_for(tmp_path: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    dense = random.integers(0, 70_000, 60_000)  # containers that list values, and some that mark bits
    far = random.integers(0, 1 << 41, 50) if seed % 2 else dense[:1]
    positions = np.unique(np.concatenate([dense, far]))
    made = write_delete_file(f"{tmp_path}/", DataFileId(1), "x.parquet", random.permutation(positions), as_vector=True)
    assert (made.format, made.footer_size, made.delete_count) == ("puffin", 0, positions.size)
    assert made.file_size_bytes == (tmp_path / made.path).stat().st_size
    assert deletes_in(f"{tmp_path}/{made.path}", kind="puffin") == positions.tolist()


GOOD = blob((0, array_bitmap(1, 2, 3)))
CONTAINER = puffin((9, GOOD))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PFA1",
        b"nonsense" * 4,
        GOOD[:-1],
        GOOD[:-5] + b"\xff" + GOOD[-4:],
        GOOD[:20] + bytes([GOOD[20] ^ 1]) + GOOD[21:],
        CONTAINER[:-1],
        CONTAINER[:-8] + b"\1\0\0\0PFA1",
        puffin((9, GOOD), (None, GOOD)),
        puffin(),
        blob((0, struct.pack("<II", 12346, 9))),
        blob((0, b"\xff\xff\xff\xff")),
    ],
)
def test_a_damaged_deletion_vector_is_named(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.puffin"
    path.write_bytes(data)
    with pytest.raises(DataFileError, match=r'Delete file ".*x\.puffin" cannot be read: '):
        deletes_in(str(path), kind="puffin")


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"file_path": ["f", "f"], "pos": [2, 1]}, "sorted and strictly increasing"),
        ({"file_path": ["f", "f"], "pos": [1, 1]}, "sorted and strictly increasing"),
        ({"file_path": ["f", "f"], "pos": [-1, 1]}, "sorted and strictly increasing"),
        ({"file_path": ["f", "f"], "pos": [1, None]}, "cannot have NULL values"),
        ({"file_path": ["f", "f"]}, "Invalid schema contained in the delete file"),
    ],
)
def test_a_delete_file_that_breaks_the_rules_is_named(
    tmp_path: Path, columns: dict[str, list[object]], words: str
) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table(columns), path)
    with pytest.raises(DataFileError, match=words) as caught:
        deletes_in(str(path))
    assert str(path) in str(caught.value)


def test_a_missing_or_foreign_delete_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"no parquet")
    with pytest.raises(DataFileError, match='x" is damaged or no Parquet file'):
        deletes_in(f"{tmp_path}/x")
    with pytest.raises(DataFileError, match="there is no such file"):
        deletes_in(f"{tmp_path}/gone")
    with pytest.raises(DataFileError, match='format that is not known: "orc"'):
        deletes_in(f"{tmp_path}/x", kind="orc")


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_what_is_written_is_read_again(tmp_path: Path, *, is_encrypted: bool) -> None:
    file = write_delete_file(
        f"{tmp_path}/",
        DataFileId(7),
        f"{tmp_path}/data.parquet",
        [5, 1, 3],
        snapshots=[SnapshotId(30), SnapshotId(10), SnapshotId(20)],
        is_encrypted=is_encrypted,
    )
    path = f"{tmp_path}/{file.path}"
    assert (file.data_file_id, file.delete_count, file.file_size_bytes) == (7, 3, Path(path).stat().st_size)
    assert (file.encryption_key is not None) == is_encrypted
    assert deletes_in(path, key=file.encryption_key) == [1, 3, 5]
    assert deletes_in(path, key=file.encryption_key, upto=20) == [1, 3]


@pytest.mark.parametrize("positions", [[], [-1], [1, 1]])
def test_positions_that_are_none_are_refused(tmp_path: Path, positions: Sequence[int]) -> None:
    with pytest.raises(InvalidInputError, match="No delete file was written"):
        write_delete_file(f"{tmp_path}/", DataFileId(1), "f", positions)
    with pytest.raises(InvalidInputError, match="1 positions, 0 snapshots"):
        write_delete_file(f"{tmp_path}/", DataFileId(1), "f", [1], snapshots=[])
    assert list(tmp_path.iterdir()) == []


def test_a_delete_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(DataFileError, match="was not written"):
        write_delete_file(f"{tmp_path}/file/", DataFileId(1), "f", [1])


def test_ducklake_reads_our_delete_files(tmp_path: Path) -> None:
    with attached(f"ducklake:{tmp_path}/lake.ducklake", DATA_PATH=f"{tmp_path}/data/") as (connection, alias):
        connection.execute(f"CALL {alias}.set_option('data_inlining_row_limit', 0)")
        connection.execute("CREATE TABLE t(i INTEGER)")
        connection.execute("INSERT INTO t SELECT range FROM range(10)")
        connection.execute("DELETE FROM t WHERE i = 0")
        metadata = f"__ducklake_metadata_{alias}"
        found = connection.execute(f"SELECT path FROM {metadata}.ducklake_data_file").fetchone()
        assert found is not None
        table = f"{tmp_path}/data/main/t/"
        file = write_delete_file(table, DataFileId(0), table + found[0], [8, 2, 4])
        connection.execute(
            f"UPDATE {metadata}.ducklake_delete_file"
            " SET path = ?, delete_count = ?, file_size_bytes = ?, footer_size = ?",
            [file.path, file.delete_count, file.file_size_bytes, file.footer_size],
        )
        assert connection.execute("SELECT list(i ORDER BY i) FROM t").fetchone() == ([0, 1, 3, 5, 6, 7, 9],)


def test_a_bitmap_has_a_bit_for_each_position() -> None:
    positions = np.array([0, 1, 63, 64, 200, 1000])
    words = bitmap(positions)
    assert len(words) == 1000 // 64 + 1
    assert all(-(2**63) <= word < 2**63 for word in words)
    assert [place for place in range(64 * len(words)) if words[place // 64] >> place % 64 & 1] == positions.tolist()
    assert bitmap([]) == []
