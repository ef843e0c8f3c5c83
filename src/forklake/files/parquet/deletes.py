"""Delete files: the positions of deleted rows of a data file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import ArrayLike, NDArray

from forklake.errors import DataFileError, InvalidInputError
from forklake.files.access import storage
from forklake.files.access.keys import decrypting, encrypting, new_key
from forklake.files.arrow.arrays import numbers_of
from forklake.files.parquet.footer import FIELD_ID_KEY, TRAILER_SIZE, damage_error
from forklake.files.parquet.puffin import Positions, deleted_positions, deletion_vector
from forklake.model.definitions import NewDeleteFile
from forklake.model.ids import DataFileId, SnapshotId
from forklake.model.numbering import Numbering
from forklake.model.scan import SNAPSHOT_ID_COLUMN, ScanDeletes

_PATH: Final = "file_path"
_POSITION: Final = "pos"
_PATH_FIELD_ID: Final = 2147483546  # Iceberg's; readers go by name
_POSITION_FIELD_ID: Final = 2147483545
_SNAPSHOT_FIELD_ID: Final = 2147483539


def read_deletes(deletes: ScanDeletes) -> Positions:
    """Return the positions of the deleted rows, strictly increasing.

    Raises:
        DataFileError: The file is missing, damaged, or its key does not fit.
    """
    upto = deletes.read_upto if deletes.is_cut else None
    if deletes.format == "puffin":
        with storage.open_input(deletes.path) as file:
            data = file.read()
        try:
            return deleted_positions(data, upto)
        except ValueError as error:
            raise DataFileError(f'Delete file "{deletes.path}" cannot be read: {error}.') from error
    if deletes.format != "parquet":
        raise DataFileError(f'Delete file "{deletes.path}" has a format that is not known: "{deletes.format}".')
    return _read_parquet(deletes.path, upto, deletes.encryption_key)


def read_dated_deletes(
    deletes: ScanDeletes, begun: SnapshotId, numbering: Numbering | None = None
) -> tuple[Positions, NDArray[np.int64]]:
    """Return the positions of the deleted rows, and the snapshot that deleted each.

    Args:
        deletes: The delete file.
        begun: The snapshot of rows whose own the file does not tell.
        numbering: The numbering of the snapshots in the file, if these are not our ids.

    Raises:
        DataFileError: The file is missing, damaged, or its key does not fit.
    """
    positions = read_deletes(deletes)
    snapshots = np.full(positions.size, int(begun), np.int64)
    if deletes.format == "parquet":
        with storage.open_input(deletes.path) as file:
            parquet = pq.ParquetFile(file, decryption_properties=decrypting(deletes.path, deletes.encryption_key))
            if SNAPSHOT_ID_COLUMN in parquet.schema_arrow.names:
                told = parquet.read([_POSITION, SNAPSHOT_ID_COLUMN])
                kept = np.isin(numbers_of(told[_POSITION]), positions, assume_unique=True)
                snapshots = numbers_of(told[SNAPSHOT_ID_COLUMN])[kept]
                if numbering is not None:
                    snapshots = np.array([numbering.snapshot(number) for number in snapshots.tolist()], np.int64)
    return positions, snapshots


def bitmap(positions: ArrayLike) -> list[int]:
    """Return positions as a bitmap of signed 64-bit words.

    Row ``p`` is bit ``p % 64`` of word ``p // 64``.

    >>> bitmap([0, 63, 65])
    [-9223372036854775807, 2]
    """
    places = np.asarray(positions, np.int64)
    if places.size == 0:
        return []
    marks = np.zeros((int(places.max()) // 64 + 1) * 64, np.uint8)
    marks[places] = 1
    words: list[int] = np.packbits(marks, bitorder="little").view("<i8").tolist()
    return words


def write_delete_file(
    directory: str,
    data_file_id: DataFileId,
    data_file_path: str,
    positions: ArrayLike,
    *,
    snapshots: Sequence[SnapshotId] | NDArray[np.int64] | None = None,
    is_encrypted: bool = False,
    as_vector: bool = False,
    name: str | None = None,
) -> NewDeleteFile:
    """Write all deleted positions of a data file to a new file.

    A file with snapshots and an encrypted one are always Parquet.

    Args:
        directory: The table's directory, ending in a slash.
        data_file_id: The data file.
        data_file_path: The data file's path, absolute or a URL; it is written beside each position.
        positions: The positions, in any order, each once.
        snapshots: The snapshot that deleted each row, if the file should serve older snapshots too.
        is_encrypted: Whether the file gets a key.
        as_vector: Whether the file is a deletion vector.
        name: The name of the file without its ending; a new one if not given.

    Raises:
        InvalidInputError: There are no positions, one is negative or occurs twice, or snapshots do not match
            them.
        DataFileError: The file cannot be written; nothing is left of it.
    """
    places = np.asarray(positions, np.int64)
    order = np.argsort(places, kind="stable")
    places = places[order]
    if places.size == 0 or places[0] < 0 or bool((np.diff(places) == 0).any()):
        raise InvalidInputError(
            f'No delete file was written for "{data_file_path}": positions must be given, each once, from 0 on.'
        )
    name = name or storage.delete_file_name()
    if as_vector and snapshots is None and not is_encrypted:
        data = deletion_vector(places)
        _write_vector(f"{directory}{name}.puffin", data)
        return NewDeleteFile(data_file_id, f"{name}.puffin", places.size, len(data), 0, format="puffin")
    columns = {
        _PATH: pa.DictionaryArray.from_arrays(np.zeros(places.size, np.int32), [data_file_path]).dictionary_decode(),
        _POSITION: pa.array(places, pa.int64()),
    }
    ids = {_PATH: _PATH_FIELD_ID, _POSITION: _POSITION_FIELD_ID}
    if snapshots is not None:
        if len(snapshots) != places.size:
            raise InvalidInputError(
                f'No delete file was written for "{data_file_path}": {places.size} positions,'
                f" {len(snapshots)} snapshots."
            )
        columns[SNAPSHOT_ID_COLUMN] = pa.array(np.asarray(snapshots, np.int64)[order], pa.int64())
        ids[SNAPSHOT_ID_COLUMN] = _SNAPSHOT_FIELD_ID
    key = new_key() if is_encrypted else None
    byte_count, footer_size = _write(f"{directory}{name}.parquet", _numbered_table(columns, ids), key)
    return NewDeleteFile(data_file_id, f"{name}.parquet", places.size, byte_count, footer_size, key)


def _numbered_table(columns: Mapping[str, pa.Array], ids: Mapping[str, int]) -> pa.Table:
    """Return columns without NULL, with their field ids."""
    schema = pa.schema(
        pa.field(name, column.type, nullable=False, metadata={FIELD_ID_KEY: str(ids[name])})
        for name, column in columns.items()
    )
    return pa.table(columns, schema=schema)


def _write_vector(path: str, data: bytes) -> None:
    try:
        with storage.explain_errors(path, "written"), storage.open_output(path) as file:
            file.write(data)
    except BaseException:
        storage.delete([path])
        raise


def _write(path: str, table: pa.Table, key: str | None) -> tuple[int, int]:
    try:
        with storage.explain_errors(path, "written"), storage.open_output(path) as file:
            pq.write_table(table, file, compression="snappy", store_schema=False, **encrypting(key))
        with storage.open_input(path) as written:
            byte_count = written.size()
            footer_size = int.from_bytes(written.read_at(TRAILER_SIZE, byte_count - TRAILER_SIZE)[:4], "little")
    except BaseException:
        storage.delete([path])
        raise
    return byte_count, footer_size


def _read_parquet(path: str, upto: SnapshotId | None, key: str | None) -> Positions:
    properties = decrypting(path, key)
    with storage.open_input(path) as file:
        try:
            parquet = pq.ParquetFile(file, decryption_properties=properties)
            names = parquet.schema_arrow.names
            if _POSITION not in names:
                raise DataFileError(
                    f"Invalid schema contained in the delete file {path} - expected"
                    " file_name/position/[snapshot_id or row]"
                )
            cut = upto is not None and SNAPSHOT_ID_COLUMN in names
            # Numbers are decoded sooner than they are handed to other threads.
            table = parquet.read([_POSITION, SNAPSHOT_ID_COLUMN] if cut else [_POSITION], use_threads=False)
        except (OSError, ValueError, pa.ArrowException) as error:
            raise damage_error(path, key, error) from error
    if any(column.null_count for column in table.columns):
        raise DataFileError(f'Delete file "{path}": Invalid delete data - delete data cannot have NULL values')
    positions: Positions = numbers_of(table[_POSITION]).astype(np.int64, copy=False)
    if positions.size and (positions[0] < 0 or bool((np.diff(positions) <= 0).any())):
        raise DataFileError(
            f'Delete file "{path}": Invalid delete data - row ids must be sorted and strictly increasing'
        )
    if cut:
        positions = positions[numbers_of(table[SNAPSHOT_ID_COLUMN]) <= upto]
    return positions
