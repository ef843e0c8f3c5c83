"""Keys of encrypted files: one per file, 16 bytes, base64 in the metadata."""

from __future__ import annotations

import inspect
import secrets
from base64 import b64decode, b64encode
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow.parquet import encryption

from forklake.errors import DataFileError

WRITER_OPTIONS: Final = frozenset(inspect.signature(pq.ParquetWriter.__init__).parameters)
"""The options that this release of PyArrow has for a writer."""

_KEY_SIZE: Final = 16
_ONE_PAGE: Final = 1 << 30


def new_key() -> str:
    """Return a new key, in base64."""
    return b64encode(secrets.token_bytes(_KEY_SIZE)).decode("ascii")


def encrypting(key: str | None) -> dict[str, Any]:
    """Return PyArrow's options for writing a file with a key.

    All columns and the footer are encrypted, by AES-GCM. Each column has one page per row group then: DuckDB
    reads no others.
    """
    if key is None:
        return {}
    options = {
        "encryption_properties": encryption.create_encryption_properties(b64decode(key)),
        "data_page_size": _ONE_PAGE,
        "max_rows_per_page": _ONE_PAGE,
        "dictionary_pagesize_limit": _ONE_PAGE,  # a dictionary that is full is followed by pages of another kind
    }
    # Releases without the last option have no such limit.
    return {name: value for name, value in options.items() if name != "max_rows_per_page" or name in WRITER_OPTIONS}


def decrypting(path: str, key: str | None) -> Any:
    """Return PyArrow's properties for decrypting a file; None without a key.

    Raises:
        DataFileError: The key is invalid.
    """
    if key is None:
        return None
    try:
        return encryption.create_decryption_properties(b64decode(key, validate=True))
    except (ValueError, OSError, pa.ArrowException) as error:
        raise DataFileError(f'File "{path}" cannot be decrypted: its key in the metadata is damaged.') from error
