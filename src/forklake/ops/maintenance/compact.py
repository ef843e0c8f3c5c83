"""Replaces files of a table by fewer, or by files without deleted rows."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from forklake.catalog import lookup
from forklake.catalog.changes.files import leaves_of
from forklake.catalog.compaction import Candidate, Group, Rules, choose_groups
from forklake.catalog.scan_plan import ScanPlanner
from forklake.catalog.state import Content
from forklake.catalog.table_files import TableFiles, is_cut, partition_values, table_files
from forklake.catalog.transaction import Staging
from forklake.engine.local.merge_files import is_left, merge_files, merges_here
from forklake.files.access import storage
from forklake.files.arrow.wide_integers import is_wide
from forklake.files.parquet.deletes import read_deletes
from forklake.files.parquet.partitions import hive_path
from forklake.metastore.written_tables import PARTITION_INFO
from forklake.model.change import CompactFiles, MergedFile, SourceFile
from forklake.model.definitions import NewDataFile
from forklake.model.field import has_unnumbered_parts, has_variants
from forklake.model.file_merge import FileMerge
from forklake.model.ids import DataFileId, PartitionId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.records import CompactedFiles
from forklake.model.rows import DataFileRow, DeleteFileRow, TableRow
from forklake.model.scan import ScanFile
from forklake.model.write import WriteTarget
from forklake.ops.lakes.runtime import Runtime, leaves_large_to_engine
from forklake.ops.rows.write_target import Writing, writing

_LOG: Final = logging.getLogger("forklake.maintenance")
_DRIVER_BYTES: Final = 64 * 2**20
"""Files beyond this are read and written by Spark, in parallel."""


def compact(staging: Staging, runtime: Runtime, table: TableRow, rules: Rules) -> list[CompactedFiles]:
    """Compact the files of a table; return what was replaced, one for each group.

    No row changes; see docs/spec/compaction.md. Nothing to compact, nothing is staged.

    Args:
        staging: The transaction. If it is not committed, the files that were written are removed again.
        runtime: The open lake.
        table: The table as the transaction sees it.
        rules: Which files, and whether they are merged or rewritten.

    Raises:
        InvalidInputError: The transaction has made other changes.
        DataFileError: A file cannot be read or written; nothing is left behind.
        EngineError: A Spark job failed; nothing is left behind.
    """
    plan = _CompactionPlan(runtime, staging.draft, table, rules)
    if not plan.groups:
        return []
    runtime.settings.on_step("compact: planned")
    paths: list[str] = []
    staging.take_lease()
    staging.on_undo(lambda: storage.delete(paths))
    written = plan.write()
    paths += [plan.target.directory + file.path for files in written for file in files]
    runtime.settings.on_step("compact: files written")
    staging.stage(
        CompactFiles(
            table_id=table.table_id,
            kind=rules.kind,
            sources=tuple(plan.source(one) for group in plan.groups for one in group.candidates),
            files=tuple(
                MergedFile(
                    DataFileId(staging.new_file()),
                    replace(file, partition_values=group.candidates[0].partition_values),
                    group.candidates[0].partition_id,
                    plan.first_row_id(group),
                )
                for group, files in zip(plan.groups, written, strict=True)
                for file in files
            ),
            base=staging.draft.version.snapshot_id,
            columns=tuple(
                (name, row.column_id) for name, row in leaves_of(lookup.columns(staging.draft, table.table_id)).items()
            ),
        )
    )
    runtime.settings.on_step("compact: files registered")
    return [plan.summary(group, files) for group, files in zip(plan.groups, written, strict=True)]


def plan_compaction(runtime: Runtime, content: Content, table: TableRow, rules: Rules) -> list[CompactedFiles]:
    """Return what `compact` would replace; only footers are read."""
    plan = _CompactionPlan(runtime, content, table, rules)
    return [plan.summary(group, None) for group in plan.groups]


@dataclass(frozen=True, slots=True)
class _Source:
    """A live file, as metadata has it, and as a scan reads it."""

    row: DataFileRow
    deletes: DeleteFileRow | None
    places: tuple[int, ...]


class _CompactionPlan:
    """The files of a table that are compacted, in groups."""

    def __init__(self, runtime: Runtime, content: Content, table: TableRow, rules: Rules) -> None:
        self._runtime, self._content, self._table = runtime, content, table
        self._planner = ScanPlanner(runtime.store, runtime.lake_path, content, table, by_origin=True)
        how = writing(runtime, content, table)
        self._how: Writing = how
        self.target: WriteTarget = how.target
        found = table_files(content, table.table_id)
        committed = [row for row in found.data if row.origin is not None]
        self._sources = [
            _Source(row, found.deletes.get(row.data_file_id), found.inlined_deletes.get(row.data_file_id, ()))
            for row in sorted(committed, key=_order)
        ]
        # Nobody writes variants and the field ids of lists into one file, and without these DuckDB finds no row ids.
        is_writable = not (has_variants(self.target.fields) and has_unnumbered_parts(self.target.fields))
        chosen = choose_groups(
            self._candidates() if is_writable else [],
            rules,
            self._planner.fields,
            self.target.options.target_file_size,
            is_sorted=bool(self.target.sort_keys),
        )
        left = (
            [place for place, merge in enumerate(self._merges(chosen)) if is_left(merge, self.target)]
            if self._may_be_left()
            else []
        )
        self.groups: list[Group] = [group for place, group in enumerate(chosen) if place not in left]
        if left:
            _LOG.warning(
                'Files of table "%s" are left as they are: Spark would have to merge them, and they hold integers of'
                " more than the 38 digits that it has",
                table.table_name,
            )

    def _may_be_left(self) -> bool:
        is_odd = any(not source.row.columns_known for source in self._sources)
        return is_odd and any(map(is_wide, self.target.fields))

    def write(self) -> list[list[NewDataFile]]:
        """Write the new files of each group, in this process or by the engine."""
        merges = self._merges(self.groups)
        is_small = sum(merge.byte_count for merge in merges) <= _DRIVER_BYTES
        is_for_here = is_small or not leaves_large_to_engine(self._runtime.settings)
        if not (is_for_here and self._how.on_driver and all(merges_here(merge, self.target) for merge in merges)):
            return self._runtime.engine.merge_files(merges, self.target)
        written: list[list[NewDataFile]] = []
        try:
            for merge in merges:
                written.append(merge_files(merge, self.target))  # noqa: PERF401 - those before one that fails are known
        except BaseException:
            storage.delete(self.target.directory + file.path for files in written for file in files)
            raise
        return written

    def source(self, one: Candidate) -> SourceFile:
        """Return a file as the change names it."""
        found = self._sources[one.place]
        return SourceFile(
            found.row.data_file_id,
            None if found.deletes is None else found.deletes.delete_file_id,
            frozenset(found.places),
        )

    def first_row_id(self, group: Group) -> int | None:
        """Return the lowest of the first row ids of a group's files."""
        starts = [self._sources[one.place].row.row_id_start for one in group.candidates]
        return min((start for start in starts if start is not None), default=None)

    def summary(self, group: Group, files: Sequence[NewDataFile] | None) -> CompactedFiles:
        """Return what a group replaced, or would replace."""
        sources = [self._sources[one.place] for one in group.candidates]
        sizes = [source.row.file_size_bytes for source in sources]
        sizes += [source.deletes.file_size_bytes for source in sources if source.deletes is not None]
        has_rows = any(one.deleted_count < one.record_count for one in group.candidates)
        return CompactedFiles(
            schema_name=lookup.schema_by_id(self._content, self._table.schema_id).schema_name,
            table_name=self._table.table_name,
            files_processed=len(sources),
            files_created=(group.file_count if has_rows else 0) if files is None else len(files),
            bytes_before=sum(sizes),
            bytes_after=None if files is None else sum(file.file_size_bytes for file in files),
        )

    def _candidates(self) -> list[Candidate]:
        values = partition_values(self._content, [source.row for source in self._sources])
        return [
            Candidate(
                place=place,
                file_size_bytes=source.row.file_size_bytes,
                record_count=source.row.record_count,
                deleted_count=self._deleted_count(source),
                partition_id=source.row.partition_id,
                partition_values=values.get(source.row.data_file_id, ()),
                fields=self._planner.fields_at_begin(source.row),
            )
            for place, source in enumerate(self._sources)
        ]

    def _deleted_count(self, source: _Source) -> int:
        if source.deletes is None:
            return len(source.places)
        if not source.places and not is_cut(source.deletes, self._content.version):
            return source.deletes.delete_count
        # The delete file may hold deletes of later snapshots, or some that the metadata has too.
        deletes = self._scan_files([source])[0].deletes
        assert deletes is not None
        return len({*read_deletes(deletes).tolist(), *source.places})

    def _merges(self, groups: Sequence[Group]) -> list[FileMerge]:
        """Return what each group reads.

        The number of queries does not depend on the number of groups.
        """
        sources = [self._sources[one.place] for group in groups for one in group.candidates]
        plan = self._planner.plan_rows(_table_files(sources), [])
        files = iter(plan.files)
        return [
            FileMerge(
                replace(plan, files=tuple(islice(files, len(group.candidates)))),
                group.file_count,
                self._directory(group.candidates[0].partition_id, group.candidates[0].partition_values),
            )
            for group in groups
        ]

    def _scan_files(self, sources: Sequence[_Source]) -> tuple[ScanFile, ...]:
        return self._planner.plan_rows(_table_files(sources), []).files

    def _directory(self, partition: PartitionId | None, values: tuple[str | None, ...]) -> str:
        """Return the directory of a partition; files of an earlier partitioning have none."""
        now = self._content.rows(PARTITION_INFO, {"table_id": self._table.table_id})
        if partition is None or not now or now[0].partition_id != partition:
            return ""
        return hive_path(self.target.partition_keys, values) if self.target.options.hive_file_pattern else ""


def _table_files(sources: Sequence[_Source]) -> TableFiles:
    return TableFiles(
        [source.row for source in sources],
        {source.row.data_file_id: source.deletes for source in sources if source.deletes is not None},
        {source.row.data_file_id: source.places for source in sources if source.places},
    )


def _order(row: DataFileRow) -> tuple[int, int, int]:
    assert row.origin is not None
    return row.origin.begun, row.row_id_start or 0, row.data_file_id
