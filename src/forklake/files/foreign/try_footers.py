"""Tries footers of strangers in a process that a forged one may end.

PyArrow's C++ ends the process at some footers that are not those of Parquet. Whoever goes through what a stranger's
footer says of its columns tries it here before.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Final

import pyarrow as pa
import pyarrow.parquet as pq

from forklake.errors import DataFileError, EngineError
from forklake.files.access import storage
from forklake.files.parquet.footer import TRAILER_SIZE, read_tail
from forklake.model.interruption import end_in_time, interruptible

_SIZE: Final = 8
"""The bytes that say how long a footer is."""
_READY: Final = b"+"
_TRIED: Final = b"."


def try_footers(paths: Sequence[str]) -> None:
    """Refuse files whose footers end a process that goes through them.

    Whether they are right is not asked. It takes as long as a process to start.

    Raises:
        DataFileError: One does, or is missing.
        EngineError: The process did not start.
    """
    with subprocess.Popen(
        # The directory that this process is in may be a stranger's.
        [sys.executable, "-P", "-m", __name__],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            with interruptible(child.kill):
                if child.stdout.read(1) != _READY:
                    end_in_time()
                    raise EngineError(f'No footer was tried: "{sys.executable}" did not start; nothing was done.')
                for path in paths:
                    end_in_time()
                    if not _try(path, child.stdin, child.stdout):
                        end_in_time()
                        raise DataFileError(f'The footer of file "{path}" is damaged; nothing was done.')
        finally:
            child.kill()
            with suppress(BrokenPipeError):
                child.stdin.close()


def _try(path: str, asked: IO[bytes], answered: IO[bytes]) -> bool:
    """Return whether the process is still there after it went through a footer."""
    tail, _ = read_tail(storage.absolute_path(path))
    footer = tail[-int.from_bytes(tail[-TRAILER_SIZE:-4], "little") - TRAILER_SIZE :]
    try:
        asked.write(len(footer).to_bytes(_SIZE, "little") + footer)
        asked.flush()
    except BrokenPipeError:
        return False
    return answered.read(1) == _TRIED


def _main() -> None:
    """Go through footers as they come, and answer each."""
    sys.stdout.buffer.write(_READY)
    sys.stdout.buffer.flush()
    while size := sys.stdin.buffer.read(_SIZE):
        footer = sys.stdin.buffer.read(int.from_bytes(size, "little"))
        # What is said in Python is said again to whoever reads the file.
        with suppress(Exception):
            _visit(footer)
        sys.stdout.buffer.write(_TRIED)
        sys.stdout.buffer.flush()


def _visit(footer: bytes) -> None:
    """Ask a footer for all that is asked when its file is adopted."""
    reader = pq.ParquetReader()
    reader.open(pa.BufferReader(footer))
    metadata = reader.metadata
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for place in range(group.num_columns):
            with suppress(Exception):
                group.column(place).to_dict()
    metadata.schema.to_arrow_schema()


if __name__ == "__main__":
    _main()
