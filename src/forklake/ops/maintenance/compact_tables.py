"""Compacts many tables, each in a commit of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from forklake.catalog import lookup
from forklake.catalog.compaction import RewriteRules, Rules
from forklake.catalog.state import Content
from forklake.catalog.transaction import Staging
from forklake.errors import CommitUnknownError, ForklakeError, IncompleteError
from forklake.metastore.written_tables import SCHEMA, TABLE
from forklake.model.ids import SnapshotId, TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.progress import Progress, ignore_progress
from forklake.model.quoting import quote_name
from forklake.model.records import Commit, CompactedFiles
from forklake.model.rows import TableRow
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.lakes.scoped_options import effective_option
from forklake.ops.maintenance.compact import compact, plan_compaction

Committing = Callable[[Callable[[Staging], int]], Commit]
"""Runs a verb in a transaction, its own or an open one, and not again after a conflict."""


@dataclass(frozen=True, slots=True)
class Compacting:
    """Which tables are compacted, and how.

    Attributes:
        rules: Merge or rewrite, and which files.
        schema: The schema of the tables; with a table, ``main`` if not given.
        table: The table. Without it, tables whose option ``auto_compact`` is off are left out.
        dry_run: Whether nothing is compacted.
        progress: Told the table, how many tables are done, and how many there are.
    """

    rules: Rules
    schema: str | None = None
    table: str | None = None
    dry_run: bool = False
    progress: Progress = ignore_progress


def compact_tables(runtime: Runtime, content: Content, commit: Committing, given: Compacting) -> list[CompactedFiles]:
    """Compact the tables of a catalog; return what was replaced, by schema and table.

    A table that fails does not stop the others.

    Args:
        runtime: The open lake.
        content: The catalog, or a transaction's view of it.
        commit: How a change of one table is committed.
        given: What to compact.

    Raises:
        NotFoundError: There is no such schema or table.
        CommitConflictError: The one table that was named met a conflict.
        IncompleteError: Some of several tables failed; it has what was done, and the errors.
    """
    tables = _chosen_tables(runtime, content, given)
    done: list[CompactedFiles] = []
    failures: list[tuple[str, ForklakeError]] = []
    for place, (title, row) in enumerate(tables):
        given.progress(title, place, len(tables))
        try:
            rules = _table_rules(runtime, content, row, given)
            if given.dry_run:
                done += plan_compaction(runtime, content, row, rules)
            else:
                done += _compact_one(runtime, commit, row.table_id, rules)
        except CommitUnknownError:
            raise
        except ForklakeError as error:
            if len(tables) == 1:
                raise
            failures.append((title, error))
    if tables:
        given.progress(tables[-1][0], len(tables), len(tables))
    if failures:
        raise IncompleteError("compacted", failures, done=done)
    return done


def _compact_one(runtime: Runtime, commit: Committing, table: TableId, rules: Rules) -> list[CompactedFiles]:
    found: list[CompactedFiles] = []

    def verb(staging: Staging) -> int:
        found[:] = compact(staging, runtime, lookup.table_by_id(staging.draft, table), rules)
        return 0

    snapshot: SnapshotId | None = commit(verb).snapshot_id
    return [replace(one, snapshot_id=snapshot) for one in found]


def _chosen_tables(runtime: Runtime, content: Content, given: Compacting) -> list[tuple[str, TableRow]]:
    names = {row.schema_id: row.schema_name for row in content.rows(SCHEMA)}
    if given.table is not None:
        rows = [lookup.table(content, given.table, given.schema or "main")]
    else:
        only = None if given.schema is None else lookup.schema(content, given.schema).schema_id
        catalog = content.version.catalog_id
        rows = [
            row
            for row in content.rows(TABLE)
            if (only is None or row.schema_id == only)
            and row.table_id >= 0
            and effective_option(runtime.store, catalog, "auto_compact", row.schema_id, row.table_id) != "false"
        ]
    titled = [(f"{quote_name(names[row.schema_id])}.{quote_name(row.table_name)}", row) for row in rows]
    return sorted(titled, key=lambda one: (names[one[1].schema_id], one[1].table_name))


def _table_rules(runtime: Runtime, content: Content, row: TableRow, given: Compacting) -> Rules:
    rules = given.rules
    if not isinstance(rules, RewriteRules) or rules.delete_threshold is not None:
        return rules
    threshold = effective_option(
        runtime.store, content.version.catalog_id, "rewrite_delete_threshold", row.schema_id, row.table_id
    )
    return rules if threshold is None else replace(rules, delete_threshold=float(threshold))
