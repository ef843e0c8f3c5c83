"""Functions that tidy up: expiring snapshots, flushing inlined data, and those that are not there yet."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from forklake.catalog import lookup, versions
from forklake.errors import InvalidInputError, NotFoundError
from forklake.files.intervals import Interval, parse_interval
from forklake.lake.internals import content_of, version_of
from forklake.model.records import Snapshot
from forklake.ops.options import effective_option
from forklake.session.functions.arguments import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    IDS,
    TEXTS,
    TIMESTAMPTZ,
    VARCHAR,
    Signature,
)
from forklake.session.functions.function import Call, CatalogFunction, clock, named_table
from forklake.session.functions.snapshots import SNAPSHOT_COLUMNS, snapshot_rows
from forklake.session.rows import Rows, column

_FLUSHED: Final = (column("schema_name", "varchar"), column("table_name", "varchar"), column("rows_flushed", "int128"))


def _expire_snapshots(call: Call) -> Rows:
    call.check_writable("ducklake_expire_snapshots")
    chosen = _chosen(call)
    if chosen and not call.arguments.get("dry_run"):
        call.attachment.catalog.expire_snapshots(snapshot_ids=[snapshot.snapshot_id for snapshot in chosen])
    return snapshot_rows(chosen)


def _chosen(call: Call) -> list[Snapshot]:
    """Return the snapshots that are meant and may go: unknown ones and the newest are passed over, as in DuckLake."""
    ids, older_than = call.arguments.get("versions"), call.arguments.get("older_than")
    if ids is not None and older_than is not None:
        raise InvalidInputError(
            "Invalid Input Error: ducklake_expire_snapshots: cannot specify both 'versions' and 'older_than' parameters"
            " at the same time. Please use only one criterion."
        )
    version = version_of(call.attachment.catalog)
    known = versions.snapshots(call.store, version)[:-1]
    if ids is not None:
        return [snapshot for snapshot in known if snapshot.snapshot_id in set(ids)]
    if older_than is None:
        age = effective_option(call.store, version.catalog_id, "expire_older_than")
        if not age:
            return []
        older_than = before(clock(call.attachment.lake)(), parse_interval(age))
    # What is inherited belongs to the ancestors, and is theirs to expire.
    own = [snapshot for snapshot in known if snapshot.catalog_id == version.catalog_id]
    return [snapshot for snapshot in own if snapshot.snapshot_time < older_than]


def before(moment: datetime, age: Interval) -> datetime:
    """Return the time so long before a moment; a day that the month does not have is its last."""
    month = moment.year * 12 + moment.month - 1 - age.months
    first = moment.replace(year=month // 12, month=month % 12 + 1, day=1)
    following = (first + timedelta(days=31)).replace(day=1)
    day = min(moment.day, (following - timedelta(days=1)).day)
    return first.replace(day=day) - timedelta(days=age.days, microseconds=age.micros)


def _flush_inlined_data(call: Call) -> Rows:
    schema, table = call.text("schema_name"), call.text("table_name")
    if table is not None:
        row = named_table(content_of(call.attachment.reader), table, schema, call.attachment.schema)
        schema = lookup.schema_by_id(content_of(call.attachment.reader), row.schema_id).schema_name
        table = row.table_name
    elif schema is not None and lookup.find_schema(content_of(call.attachment.reader), schema) is None:
        raise NotFoundError(f'Binder Error: Schema "{schema}" not found in DuckLakeCatalog "{call.attachment.alias}"')
    writer = call.attachment.writer("CALL")
    flushed = writer.flush_inlined(schema=schema, table=table)
    return Rows(_FLUSHED, [(one.schema_name, one.table_name, one.row_count) for one in flushed])


def _unsupported(name: str) -> Callable[[Call], Rows]:
    def run(call: Call) -> Rows:
        raise InvalidInputError(f'Not implemented Error: The function "ducklake_{name}" is not supported yet.')

    return run


_TABLE: Final = {"table_name": VARCHAR}
_SCHEMA: Final = {"schema": VARCHAR}
_CLEANUP: Final = (Signature(optional={"older_than": TIMESTAMPTZ}, named={"dry_run": BOOLEAN, "cleanup_all": BOOLEAN}),)
_MERGED: Final = {"min_file_size": BIGINT, "max_file_size": BIGINT, "max_compacted_files": BIGINT}
_REWRITTEN: Final = {"delete_threshold": DOUBLE, "max_compacted_files": BIGINT}
_ADDED: Final = {**_SCHEMA, **dict.fromkeys(("allow_missing", "ignore_extra_columns", "hive_partitioning"), BOOLEAN)}

_UNSUPPORTED: Final[dict[str, tuple[Signature, ...]]] = {
    "merge_adjacent_files": (Signature(named=_MERGED), Signature(_TABLE, named={**_SCHEMA, **_MERGED})),
    "rewrite_data_files": (Signature(named=_REWRITTEN), Signature(_TABLE, named={**_SCHEMA, **_REWRITTEN})),
    "cleanup_old_files": _CLEANUP,
    "delete_orphaned_files": _CLEANUP,
    "add_data_files": (
        Signature({**_TABLE, "files": VARCHAR}, named=_ADDED),
        Signature({**_TABLE, "files": TEXTS}, named=_ADDED),
    ),
}

FUNCTIONS: Final = (
    CatalogFunction(
        "flush_inlined_data",
        (Signature(named={"schema_name": VARCHAR, **_TABLE}),),
        _flush_inlined_data,
        acts=_FLUSHED,
    ),
    CatalogFunction(
        "expire_snapshots",
        (Signature(optional={"older_than": TIMESTAMPTZ}, named={"versions": IDS, "dry_run": BOOLEAN}),),
        _expire_snapshots,
        acts=SNAPSHOT_COLUMNS,
    ),
    *(CatalogFunction(name, signatures, _unsupported(name)) for name, signatures in _UNSUPPORTED.items()),
)
