"""Catalog functions that list and set the options of a catalog."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

from forklake import __version__
from forklake.catalog import lookup
from forklake.catalog.state import CatalogState
from forklake.errors import InvalidInputError, InvalidNameError
from forklake.files.casting.intervals import Interval, parse_interval
from forklake.lake.internals import runtime_of
from forklake.metastore.written_tables import COLUMN, SCHEMA, TABLE
from forklake.model import types
from forklake.model.inlined_names import is_own_name
from forklake.model.option_rules import COMPRESSIONS, OPTIONS, byte_count
from forklake.ops.catalogs.catalog_terms import read_info
from forklake.ops.lakes import scoped_options as ops
from forklake.session.functions.arguments import ANY, SIGNED, VARCHAR, Signature
from forklake.session.functions.function import Call, CatalogFunction, named_table
from forklake.session.functions.snapshots import SUCCESS
from forklake.session.names.known_rows import Rows, column

_DESCRIPTIONS: Final[Mapping[str, str]] = {
    "data_inlining_row_limit": "Maximum amount of rows to inline in a single insert",
    "parquet_compression": f"Compression algorithm for Parquet files ({', '.join(COMPRESSIONS)})",
    "parquet_version": "Parquet format version (1 or 2)",
    "parquet_compression_level": "Compression level for Parquet files",
    "parquet_row_group_size": "Number of rows per row group in Parquet files",
    "parquet_row_group_size_bytes": "Number of bytes per row group in Parquet files",
    "hive_file_pattern": "If partitioned data should be written in a hive-like folder structure",
    "target_file_size": "The target data file size for insertion and compaction operations",
    "version": "DuckLake format version",
    "created_by": "Tool used to write the DuckLake",
    "data_path": "Path to data files",
    "require_commit_message": "If an explicit commit message is required for a snapshot commit.",
    "encrypted": "Whether or not to encrypt Parquet files written to the data path",
    "per_thread_output": "Whether to create separate output files per thread during parallel insertion",
    "sort_on_insert": "Whether to sort data on INSERT according to SET SORTED BY (default: true)",
}
"""What DuckLake says of options, where its words and ours differ."""

_OPTIONS: Final = tuple(
    column(name, types.VARCHAR) for name in ("option_name", "description", "value", "scope", "scope_entry")
)
_SETTINGS: Final = tuple(column(name, types.VARCHAR) for name in ("catalog_type", "extension_version", "data_path"))


def _options(call: Call) -> Rows:
    state = call.committed_state()
    found = ops.stored_options(call.store, call.lake_path, state.version.catalog_id)
    entries = _scope_entries(state) if any(option.scope is not None for option in found) else {}
    rows = [
        (
            option.key,
            _description(option.key),
            option.value,
            (option.scope or "global").upper(),
            None if option.scope is None else entries.get((option.scope, option.scope_id)),
        )
        for option in found
    ]
    return Rows(_OPTIONS, sorted(rows, key=lambda row: row[0]))


def _description(key: str) -> str | None:
    if key in _DESCRIPTIONS:
        return _DESCRIPTIONS[key]
    return OPTIONS[key].description if key in OPTIONS else None


def _scope_entries(state: CatalogState) -> dict[tuple[str | None, int | None], str]:
    schemas = {row.schema_id: row.schema_name for row in state.rows(SCHEMA)}
    tables = {row.table_id: f"{schemas[row.schema_id]}.{row.table_name}" for row in state.rows(TABLE)}
    return {("schema", key): name for key, name in schemas.items()} | {
        ("table", key): name for key, name in tables.items()
    }


def _settings(call: Call) -> Rows:
    facts = {
        option.key: option.value
        for option in ops.stored_options(call.store, call.lake_path, call.attachment.catalog.catalog_id)
        if option.scope is None
    }
    product = call.store.dialect.name
    return Rows(_SETTINGS, [("postgres" if product == "postgresql" else product, __version__, facts.get("data_path"))])


def _set_option(call: Call) -> Rows:
    call.check_writable("ducklake_set_option")
    key = call.required_text("option", "Option").lower()
    if key not in OPTIONS:
        raise InvalidInputError(
            f"Not implemented Error: Unsupported option {key}", hint=f"Options: {', '.join(OPTIONS)}."
        )
    call.policy.lasting.check_option(call.attachment.lake, call.attachment.catalog.catalog_id, key)
    value = _option_value(key, call.arguments.get("value"))
    scope = _scope(call)
    if key == "data_inlining_row_limit":
        _check_column_names(call, str(value), *scope)
    info = read_info(**call.signature())
    ops.set_option(call.store, call.attachment.catalog.catalog_id, key, value, *scope, info=info)
    if scope[0] == "":
        runtime_of(call.attachment.catalog).forget_option(key)
    return Rows(SUCCESS, [])


def _check_column_names(call: Call, limit: str, scope: ops.Scope, scope_id: int) -> None:
    """Refuse to inline rows of tables with columns that DuckLake reserves.

    Raises:
        InvalidNameError: The limit would count for such a table.
    """
    if not limit.isdecimal() or int(limit) == 0:
        return
    state = call.committed_state()
    taken = {
        row.table_id: row.column_name
        for row in state.rows(COLUMN)
        if row.parent_column is None and is_own_name(row.column_name)
    }
    for table in state.rows(TABLE) if taken else ():
        if table.table_id not in taken or scope_id not in (
            -1,
            table.schema_id if scope == "schema" else table.table_id,
        ):
            continue
        narrower = ops.options_within(call.store, state.version.catalog_id, scope, table.schema_id, table.table_id)
        if narrower.get("data_inlining_row_limit") != "0":
            column_name = taken[table.table_id]
            raise InvalidNameError(
                f'Cannot enable data inlining for table "{table.table_name}". Column "{column_name}" conflicts with a'
                " reserved DuckLake internal column name used for inlining. To enable inlining for this table, rename"
                f' or drop column "{column_name}".',
                hint="Nothing was set. A limit of 0 for the table keeps it as it is.",
            )


def _reset_option(call: Call) -> Rows:
    call.check_writable("ducklake_reset_option")
    call.check_no_changes("An option", "reset")
    key = call.required_text("option", "Option").lower()
    call.policy.lasting.check_option(call.attachment.lake, call.attachment.catalog.catalog_id, key)
    info = read_info(**call.signature())
    ops.reset_option(call.store, call.attachment.catalog.catalog_id, key, *_scope(call), info=info)
    return Rows(SUCCESS, [])


def _scope(call: Call) -> tuple[ops.Scope, int]:
    table, schema = call.text("table_name"), call.text("schema")
    state = call.committed_state()
    if table:
        return "table", named_table(state, table, schema or None, call.attachment).table_id
    return ("schema", lookup.schema(state, schema).schema_id) if schema else ("", -1)


def _option_value(key: str, value: Any) -> Any:
    """Return the value of an option in the form in which DuckLake stores it.

    Values that DuckLake refuses are refused in its words.
    """
    if value is None:
        raise InvalidInputError(f"Binder Error: The {key} option can't be null.")
    match key:
        case "parquet_version" | "parquet_compression_level" | "parquet_row_group_size" if not _is_whole(value):
            raise InvalidInputError(
                f"Invalid Input Error: Failed to cast value: Could not convert string '{value}' to UINT64;"
                f" option {key} was not set."
            )
        case "parquet_compression" if str(value).lower() not in COMPRESSIONS:
            raise InvalidInputError(
                f'Not implemented Error: Unsupported codec "{value}" for parquet, supported options are'
                f" {', '.join(COMPRESSIONS)}"
            )
        case "parquet_version" if str(value) not in ("1", "2"):
            raise InvalidInputError("Not implemented Error: Only Parquet version 1 and 2 are supported")
        case "parquet_row_group_size" if str(value) == "0":
            raise InvalidInputError("Not implemented Error: Row group size cannot be 0")
        case "parquet_row_group_size_bytes" | "target_file_size":
            return _bytes(key, value)
        case "rewrite_delete_threshold":
            return _threshold(value)
        case "delete_older_than" | "expire_older_than":
            return _age(key, value)
    return value


def _is_whole(value: Any) -> bool:
    return str(value).isascii() and str(value).isdecimal()


def _bytes(key: str, value: Any) -> str:
    try:
        size = byte_count(str(value))
    except ValueError:
        raise InvalidInputError(
            f'Parser Error: Memory must have a number (e.g. 1GB), which "{value}" has not'
        ) from None
    if size == 0 and key == "parquet_row_group_size_bytes":
        raise InvalidInputError("Not implemented Error: Row group size bytes cannot be 0")
    return str(size)


def _threshold(value: Any) -> str:
    try:
        fraction = float(value) if isinstance(value, int | float | Decimal | str) else -1.0
    except ValueError:
        fraction = -1.0
    if not 0 <= fraction <= 1:
        raise InvalidInputError("Binder Error: The rewrite_delete_threshold must be between 0 and 1")
    return f"{fraction:f}"


def _age(key: str, value: Any) -> str:
    if isinstance(value, timedelta):
        return str(Interval(0, value.days, value.seconds * 1_000_000 + value.microseconds))
    try:
        if str(value):
            parse_interval(str(value))
    except ValueError:
        raise InvalidInputError(f"Binder Error: {key} is not a valid interval value.") from None
    return str(value)


FUNCTIONS: Final = (
    CatalogFunction("options", (Signature(),), _options),
    CatalogFunction("settings", (Signature(),), _settings),
    CatalogFunction(
        "set_option",
        (Signature({"option": VARCHAR, "value": ANY}, named={"table_name": VARCHAR, "schema": VARCHAR, **SIGNED}),),
        _set_option,
        acts=SUCCESS,
    ),
    CatalogFunction(
        "reset_option",
        (Signature({"option": VARCHAR}, named={"table_name": VARCHAR, "schema": VARCHAR, **SIGNED}),),
        _reset_option,
        acts=SUCCESS,
    ),
)
