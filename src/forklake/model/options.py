"""The options of DuckLake: what they are called, what they may be, and where they may be set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class OptionKind:
    """What is known of an option. ``form`` is ``boolean``, ``count``, ``fraction`` or ``text``."""

    description: str
    form: str = "text"
    default: str | None = None
    is_global: bool = False
    """Set for a lake or a catalog only, not for a schema or table."""


OPTIONS: Final = {
    "auto_compact": OptionKind("Whether maintenance without a table name touches the table", "boolean", "true"),
    "data_inlining_row_limit": OptionKind("Inserts of at most so many rows are kept in the metadata", "count", "10"),
    "delete_older_than": OptionKind("How old unused files are before clean-up removes them", "text", "2 days", True),
    "expire_older_than": OptionKind("How old snapshots are before maintenance expires them", "text", None, True),
    "hive_file_pattern": OptionKind("Whether partitioned files go into key=value directories", "boolean", "true"),
    "parquet_compression": OptionKind("Compression of Parquet files", "text", "snappy"),
    "parquet_compression_level": OptionKind("Level of the compression", "count"),
    "parquet_row_group_size": OptionKind("Rows of a Parquet row group", "count", "122880"),
    "parquet_row_group_size_bytes": OptionKind("Bytes of a Parquet row group", "text"),
    "parquet_version": OptionKind("Version of the Parquet format", "count", "1"),
    "per_thread_output": OptionKind("Whether each writing thread makes files of its own", "boolean", "false"),
    "require_commit_message": OptionKind("Whether every commit needs a message", "boolean", "false", True),
    "rewrite_delete_threshold": OptionKind("Deleted fraction at which a file is rewritten", "fraction", "0.95"),
    "sort_on_insert": OptionKind("Whether inserts into sorted tables sort", "boolean", "true"),
    "target_file_size": OptionKind("Size that files are merged to", "text", "512MB"),
    "write_deletion_vectors": OptionKind("Whether deletes are written as Puffin deletion vectors", "boolean", "false"),
}


def normalise(key: str, value: object) -> str:
    """Return an option's value as it is stored.

    >>> normalise("auto_compact", False), normalise("parquet_version", 2)
    ('false', '2')

    Raises:
        ValueError: The value is none that the option can have.
    """
    text = str(value).lower() if isinstance(value, bool) else str(value)
    match OPTIONS[key].form:
        case "boolean":
            if text.lower() in ("true", "1", "false", "0"):
                return "true" if text.lower() in ("true", "1") else "false"
            raise ValueError(f'Option "{key}" is true or false, not "{text}".')
        case "count" if not (text.isascii() and text.isdigit()):
            raise ValueError(f'Option "{key}" is a whole number from 0 on, not "{text}".')
        case "fraction":
            try:
                inside = 0 <= float(text) <= 1
            except ValueError:
                inside = False
            if not inside:
                raise ValueError(f'Option "{key}" must be between 0 and 1, not "{text}".')
    return text
