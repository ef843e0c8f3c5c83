"""DuckLake's options: their names, their possible values and their scopes."""

from __future__ import annotations

import re
from typing import Final

from forklake.model.flags import read_flag
from forklake.model.lazy_dataclass import dataclass

COMPRESSIONS: Final = ("uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4", "lz4_raw")
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(b|bytes?|[kmgt]i?b?)?", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class OptionKind:
    """The description of an option.

    ``form`` is ``boolean``, ``count``, ``positive``, ``fraction``, ``size``, ``choice`` or ``text``.
    """

    description: str
    form: str = "text"
    default: str | None = None
    is_global: bool = False
    """Set for a lake or a catalog only, not for a schema or table."""
    choices: tuple[str, ...] = ()


OPTIONS: Final = {
    "auto_compact": OptionKind("Whether maintenance without a table name touches the table", "boolean", "true"),
    "data_inlining_row_limit": OptionKind("Inserts of at most so many rows are kept in the metadata", "count", "0"),
    "delete_older_than": OptionKind("How old unused files are before clean-up removes them", "text", "2 days", True),
    "expire_older_than": OptionKind("How old snapshots are before maintenance expires them", "text", None, True),
    "hive_file_pattern": OptionKind("Whether partitioned files go into key=value directories", "boolean", "true"),
    "parquet_compression": OptionKind("Compression of Parquet files", "choice", "snappy", choices=COMPRESSIONS),
    "parquet_compression_level": OptionKind("Level of the compression", "count"),
    "parquet_row_group_size": OptionKind("Rows of a Parquet row group", "positive", "122880"),
    "parquet_row_group_size_bytes": OptionKind("Bytes of a Parquet row group", "size"),
    "parquet_version": OptionKind("Version of the Parquet format", "choice", "V2", choices=("V1", "V2")),
    "per_thread_output": OptionKind("Whether each writing thread makes files of its own", "boolean", "false"),
    "require_commit_message": OptionKind("Whether every commit needs a message", "boolean", "false", True),
    "rewrite_delete_threshold": OptionKind("Deleted fraction at which a file is rewritten", "fraction", "0.95"),
    "small_writes": OptionKind(
        "Where rows that were handed over in memory are written: on the driver, or on Spark like all others",
        "choice",
        "driver",
        choices=("driver", "spark"),
    ),
    "sort_on_insert": OptionKind("Whether inserts into sorted tables sort", "boolean", "true"),
    "target_file_size": OptionKind("Size that files are written and merged to", "size", "512MB"),
    "write_bounds": OptionKind(
        "Whether the metadata keeps the least and greatest values of files; false in new encrypted catalogs",
        "boolean",
        "true",
    ),
    "write_deletion_vectors": OptionKind("Whether deletes are written as Puffin deletion vectors", "boolean", "false"),
}


def normalise(key: str, value: object) -> str:
    """Return the value of an option in the form in which it is stored.

    >>> normalise("auto_compact", False), normalise("parquet_version", 2), normalise("parquet_compression", "ZSTD")
    ('false', 'V2', 'zstd')

    Raises:
        ValueError: The option cannot have the value.
    """
    text = str(value).lower() if isinstance(value, bool) else str(value)
    kind = OPTIONS[key]
    match kind.form:
        case "boolean":
            found = read_flag(value)
            if found is None:
                raise ValueError(f"Option \"{key}\" is true or false: Could not convert string '{text}' to BOOL.")
            return "true" if found else "false"
        case "count" | "positive" if not (text.isascii() and text.isdigit()):
            raise ValueError(f'Option "{key}" is a whole number from {int(kind.form == "positive")} on, not "{text}".')
        case "positive" if int(text) == 0:
            raise ValueError(f'Option "{key}" cannot be 0.')
        case "size":
            try:
                if byte_count(text) > 0:
                    return text
            except ValueError:
                pass
            raise ValueError(f'Option "{key}" is a size such as 512MB or 1GiB, not "{text}".')
        case "choice":
            # DuckLake keeps the version of Parquet with a letter before it, and takes it without.
            named = f"v{text}" if key == "parquet_version" and text.isdigit() else text.lower()
            chosen = next((choice for choice in kind.choices if choice.lower() == named), None)
            if chosen is None:
                raise ValueError(f'Option "{key}" is one of {", ".join(kind.choices)}, not "{text}".')
            return chosen
        case "fraction":
            try:
                inside = 0 <= float(text) <= 1
            except ValueError:
                inside = False
            if not inside:
                raise ValueError(f'Option "{key}" must be between 0 and 1, not "{text}".')
    return text


def byte_count(text: str) -> int:
    """Return a size in bytes: KB is 1000 bytes and KiB 1024, as DuckDB counts.

    >>> byte_count("512MB"), byte_count("1 GiB"), byte_count("100")
    (512000000, 1073741824, 100)

    Raises:
        ValueError: It is no size.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f'"{text}" is no size.')
    unit = (match[2] or "b").lower()
    power = "bkmgt".index(unit[0])
    return int(float(match[1]) * (1024 if "i" in unit else 1000) ** power)
