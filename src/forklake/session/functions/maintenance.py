"""Catalog functions for maintenance: expire, flush, compact, clean up."""

from __future__ import annotations

from typing import Final

from forklake.catalog import lookup
from forklake.catalog.compaction import MergeRules, RewriteRules, Rules
from forklake.errors import DataFileError, InvalidInputError, NotFoundError
from forklake.lake.internals import commit_once, content_of, run, runtime_of
from forklake.model import types
from forklake.model.records import CheckpointStep
from forklake.ops.checks.check_lake import check_lake
from forklake.ops.maintenance.cleanup import cleanup_old_files
from forklake.ops.maintenance.compact_tables import Compacting, compact_tables
from forklake.ops.maintenance.delete_orphaned_files import delete_orphaned_files
from forklake.ops.maintenance.expire import expire_snapshots
from forklake.ops.maintenance.flush_inlined import Flushed, Flushing, flush_inlined, plan_flush
from forklake.session.functions.arguments import (
    BOOLEAN,
    DOUBLE,
    IDS,
    TIMESTAMPTZ,
    UBIGINT,
    VARCHAR,
    Signature,
)
from forklake.session.functions.function import Call, CatalogFunction, named_table
from forklake.session.functions.snapshots import SNAPSHOT_COLUMNS, snapshot_rows
from forklake.session.names.attachment import Attachment
from forklake.session.names.known_rows import Rows, column

_FLUSHED: Final = (
    column("schema_name", types.VARCHAR),
    column("table_name", types.VARCHAR),
    column("rows_flushed", types.INT128),
)
_PATHS: Final = (column("path", types.VARCHAR),)
_FINDINGS: Final = (
    column("code", types.VARCHAR),
    column("severity", types.VARCHAR),
    column("catalog_id", types.INT64),
    column("catalog_name", types.VARCHAR),
    column("message", types.VARCHAR),
    column("path", types.VARCHAR),
)
_STEPS: Final = (column("step_name", types.VARCHAR), column("count", types.INT64))
_COMPACTED: Final = (
    column("schema_name", types.VARCHAR),
    column("table_name", types.VARCHAR),
    column("files_processed", types.INT64),
    column("files_created", types.INT64),
)


def _expire_snapshots(call: Call) -> Rows:
    call.check_writable("ducklake_expire_snapshots")
    found = expire_snapshots(
        runtime_of(call.attachment.lake),
        call.attachment.catalog.catalog_id,
        versions=call.arguments.get("versions"),
        older_than=call.arguments.get("older_than"),
        rule="lenient",
        release=bool(call.arguments.get("release")),
        dry_run=bool(call.arguments.get("dry_run")),
    )
    return snapshot_rows(found.expired)


def _cleanup_old_files(call: Call) -> Rows:
    call.check_writable("ducklake_cleanup_old_files")
    found = cleanup_old_files(
        runtime_of(call.attachment.lake),
        call.attachment.catalog.catalog_id,
        older_than=call.arguments.get("older_than"),
        cleanup_all=bool(call.arguments.get("cleanup_all")),
        dry_run=bool(call.arguments.get("dry_run")),
    )
    if found.failed:
        raise DataFileError(
            f"{len(found.failed)} files could not be deleted, of {len(found.failed) + len(found.deleted)}."
            f" {found.failures[0]} They stay scheduled.",
            hint="Call it again when they can be deleted.",
        )
    return Rows(_PATHS, [(path,) for path in found.deleted])


def _check_catalog(call: Call) -> Rows:
    found = check_lake(
        runtime_of(call.attachment.lake),
        call.attachment.catalog.catalog_id,
        files=call.arguments.get("files") is not False,
        deep=bool(call.arguments.get("deep")),
    )
    own = call.attachment.catalog.catalog_id
    shown = [one for one in found.findings if one.catalog_id == own or not call.policy.is_confined]
    return Rows(_FINDINGS, [tuple(getattr(one, told.name) for told in _FINDINGS) for one in shown])


def _flush_inlined_data(call: Call) -> Rows:
    schema, table = call.text("schema_name"), call.text("table_name")
    if table is not None:
        row = named_table(content_of(call.attachment.reader), table, schema, call.attachment)
        schema = lookup.schema_by_id(content_of(call.attachment.reader), row.schema_id).schema_name
        table = row.table_name
    elif schema is not None and lookup.find_schema(content_of(call.attachment.reader), schema) is None:
        raise NotFoundError(f'Binder Error: Schema "{schema}" not found in DuckLakeCatalog "{call.attachment.alias}"')
    writer = call.attachment.writer("CALL")
    runtime = runtime_of(writer)
    given = Flushing(schema, table)
    if call.arguments.get("dry_run"):
        found = plan_flush(content_of(writer), runtime, given)
    else:
        found = (run(writer, lambda staging: flush_inlined(staging, runtime, given)) or Flushed()).all_tables()
    flushed = [one for one in found if one.row_count]
    return Rows(_FLUSHED, [(one.schema_name, one.table_name, one.row_count) for one in flushed])


def _delete_orphaned_files(call: Call) -> Rows:
    call.check_writable("ducklake_delete_orphaned_files")
    search = delete_orphaned_files(
        runtime_of(call.attachment.lake),
        call.attachment.catalog.catalog_id,
        older_than=call.arguments.get("older_than"),
        cleanup_all=bool(call.arguments.get("cleanup_all")),
        dry_run=bool(call.arguments.get("dry_run")),
    )
    if search.failures:
        rest = f"; {len(search.failures) - 1} others neither" if len(search.failures) > 1 else ""
        raise DataFileError(
            f"{search.failures[0]} ({len(search.files)} orphaned files were deleted{rest}.)", hint="Try again."
        )
    return Rows(_PATHS, [(file.path,) for file in search.files])


def _merge_adjacent_files(call: Call) -> Rows:
    _refuse_nulls(call, "max_compacted_files", "min_file_size", "max_file_size")
    given = call.arguments
    limits = (given.get("min_file_size"), given.get("max_file_size"), given.get("max_compacted_files"))
    return _compact(call, MergeRules(*limits))


def _rewrite_data_files(call: Call) -> Rows:
    _refuse_nulls(call, "max_compacted_files")
    return _compact(
        call, RewriteRules(call.arguments.get("delete_threshold"), call.arguments.get("max_compacted_files"))
    )


def _compact(call: Call, rules: Rules) -> Rows:
    schema, table = call.text("schema"), call.text("table_name")
    if table is not None:
        row = named_table(content_of(call.attachment.reader), table, schema, call.attachment)
        schema = lookup.schema_by_id(content_of(call.attachment.reader), row.schema_id).schema_name
        table = row.table_name
    maintainer = call.attachment.maintainer("CALL")
    done = compact_tables(
        runtime_of(maintainer).with_overrides(call.attachment.option_overrides),
        content_of(maintainer),
        lambda verb: commit_once(maintainer, verb),
        Compacting(rules, schema, table, dry_run=bool(call.arguments.get("dry_run"))),
    )
    call.attachment.note_commits(one.snapshot_id for one in done)
    return Rows(_COMPACTED, [(one.schema_name, one.table_name, one.files_processed, one.files_created) for one in done])


def run_checkpoint(attachment: Attachment, *, dry_run: bool = False) -> list[CheckpointStep]:
    """Do all maintenance of an attached catalog, or count what there is to do.

    Raises:
        InvalidInputError: The transaction has changes, or the catalog is read-only.
        DataFileError: All steps were done, but files could not be deleted.
    """
    if attachment.has_changes:
        raise InvalidInputError(
            "TransactionContext Error: Cannot CHECKPOINT: the current transaction has transaction local changes",
            hint="Say COMMIT or ROLLBACK first.",
        )
    attachment.writer("CHECKPOINT")
    steps = attachment.catalog.maintenance.checkpoint(dry_run=dry_run)
    left = [failure for step in steps for failure in step.failures]
    if left:
        raise DataFileError(f"The checkpoint was done, but {len(left)} files were not deleted. {left[0]}")
    return steps


def _checkpoint(call: Call) -> Rows:
    steps = run_checkpoint(call.attachment, dry_run=bool(call.arguments.get("dry_run")))
    return Rows(_STEPS, [(step.name, step.count) for step in steps])


def _refuse_nulls(call: Call, *names: str) -> None:
    for name in names:
        if name in call.arguments and call.arguments[name] is None:
            raise InvalidInputError(f"Binder Error: The {name} option must be a non-null integer.")


_TABLE: Final = {"table_name": VARCHAR}
_SCHEMA: Final = {"schema": VARCHAR}
_CLEANUP: Final = (Signature(optional={"older_than": TIMESTAMPTZ}, named={"dry_run": BOOLEAN, "cleanup_all": BOOLEAN}),)
_DRY_RUN: Final = {"dry_run": BOOLEAN}
_MERGED: Final = {"min_file_size": UBIGINT, "max_file_size": UBIGINT, "max_compacted_files": UBIGINT, **_DRY_RUN}
_REWRITTEN: Final = {"delete_threshold": DOUBLE, "max_compacted_files": UBIGINT, **_DRY_RUN}

FUNCTIONS: Final = (
    CatalogFunction(
        "merge_adjacent_files",
        (Signature(named=_MERGED), Signature(_TABLE, named={**_SCHEMA, **_MERGED})),
        _merge_adjacent_files,
        acts=_COMPACTED,
    ),
    CatalogFunction(
        "rewrite_data_files",
        (Signature(named=_REWRITTEN), Signature(_TABLE, named={**_SCHEMA, **_REWRITTEN})),
        _rewrite_data_files,
        acts=_COMPACTED,
    ),
    CatalogFunction(
        "flush_inlined_data",
        (Signature(named={"schema_name": VARCHAR, **_TABLE, **_DRY_RUN}),),
        _flush_inlined_data,
        acts=_FLUSHED,
    ),
    CatalogFunction("checkpoint", (Signature(named=_DRY_RUN),), _checkpoint, acts=_STEPS),
    CatalogFunction(
        "expire_snapshots",
        (
            Signature(
                optional={"older_than": TIMESTAMPTZ}, named={"versions": IDS, "release": BOOLEAN, "dry_run": BOOLEAN}
            ),
        ),
        _expire_snapshots,
        acts=SNAPSHOT_COLUMNS,
    ),
    *(
        CatalogFunction(name, _CLEANUP, _delete_orphaned_files, acts=_PATHS)
        for name in ("delete_orphaned_files", "cleanup_orphaned_files")
    ),
    CatalogFunction("check_catalog", (Signature(named={"files": BOOLEAN, "deep": BOOLEAN}),), _check_catalog),
    CatalogFunction("cleanup_old_files", _CLEANUP, _cleanup_old_files, acts=_PATHS),
)
