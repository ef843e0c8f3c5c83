"""Checks what is in files: footers, rows, statistics, deleted positions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from forklake.files.access.threads import FileThreads
from forklake.files.parquet.verify_file import Fault, verify_data_file, verify_delete_file
from forklake.metastore.checks.file_rows import (
    NamedFile,
    data_file_rows,
    dead_uids,
    delete_file_rows,
    file_column_stats,
    named_again,
    named_files,
    record_counts,
)
from forklake.metastore.written_tables import DATA_FILE, DELETE_FILE, MetadataTable
from forklake.model.ids import CatalogId, RowUid
from forklake.ops.checks.check_files import FileCheck, sizes_of
from forklake.ops.checks.findings import Findings
from forklake.ops.lakes.runtime import Runtime

_BATCH: Final = 500
_THREADS: Final = 16

Verify = Callable[[], Iterable[Fault]]


def check_contents(runtime: Runtime, catalog: CatalogId, check: FileCheck, findings: Findings) -> None:
    """Open each file that rows of a catalog name, and compare it with the metadata.

    Files that are missing or of another size are left out: `FileCheck` tells of them. So are those that no snapshot
    shows any more.
    """
    for files in (DATA_FILE, DELETE_FILE):
        after = RowUid(-1)
        with runtime.store.reading() as session:
            dead = dead_uids(session, files, catalog)
        while True:
            with runtime.store.reading() as session:
                page = next(named_files(session, files, catalog, after, _BATCH), [])
                named = list(check.paths(session, [row for row in page if row.row_uid not in dead]))
            if not page:
                break
            after = page[-1].row_uid
            sizes = sizes_of([path for _, path in named])
            there = {row.row_uid: path for row, path in named if sizes.get(path) == row.byte_count}
            _check_page(runtime, catalog, files, there, findings)


def _check_page(
    runtime: Runtime,
    catalog: CatalogId,
    files: MetadataTable[Any],
    paths: Mapping[RowUid, str],
    findings: Findings,
) -> None:
    verify = _data_files(runtime, catalog, paths) if files is DATA_FILE else _delete_files(runtime, catalog, paths)
    with FileThreads(_THREADS) as threads:
        faults = dict(zip(verify, threads.map(_collect, verify.values()), strict=True))
    wrong = [uid for uid, found in faults.items() if found]
    if not wrong:
        return
    # Clean-up may have deleted a file after it was looked at; then its row is gone, too.
    with runtime.store.reading() as session:
        still: Sequence[NamedFile] = named_again(session, files, catalog, wrong)
    for row in still:
        for code, told in faults[row.row_uid]:
            findings.add(code, catalog, told, paths[row.row_uid])


def _collect(verify: Verify) -> list[Fault]:
    return list(verify())


def _data_files(runtime: Runtime, catalog: CatalogId, paths: Mapping[RowUid, str]) -> dict[RowUid, Verify]:
    with runtime.store.reading() as session:
        rows = data_file_rows(session, catalog, list(paths))
        stats = file_column_stats(session, catalog, [row.data_file_id for row in rows.values()])
    return {
        uid: partial(verify_data_file, paths[uid], row, stats.get(row.data_file_id, ())) for uid, row in rows.items()
    }


def _delete_files(runtime: Runtime, catalog: CatalogId, paths: Mapping[RowUid, str]) -> dict[RowUid, Verify]:
    with runtime.store.reading() as session:
        rows = delete_file_rows(session, catalog, list(paths))
        counts = record_counts(session, [row.data_file_id for row in rows.values()])
    return {
        uid: partial(verify_delete_file, paths[uid], row, counts.get(row.data_file_id)) for uid, row in rows.items()
    }
