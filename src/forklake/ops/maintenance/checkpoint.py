"""Does all maintenance of a catalog that is due, one verb after the other."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

from forklake.catalog.compaction import MergeRules, RewriteRules, Rules
from forklake.catalog.state import Content
from forklake.catalog.transaction import Staging
from forklake.errors import ForklakeError, IncompleteError
from forklake.model.ids import CatalogId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.progress import Progress
from forklake.model.records import CheckpointStep, CompactedFiles, FlushedTable
from forklake.ops.lakes.relative_times import NO_AGE, Age
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.maintenance.cleanup import cleanup_old_files
from forklake.ops.maintenance.compact_tables import Committing, Compacting, compact_tables
from forklake.ops.maintenance.delete_orphaned_files import delete_orphaned_files
from forklake.ops.maintenance.expire import expire_snapshots
from forklake.ops.maintenance.flush_inlined import Flushed, Flushing, flush_inlined, plan_flush

_Outcome = tuple[int, tuple[str, ...]]
"""How much a step did, and what could not be deleted or read."""


@dataclass(frozen=True, slots=True)
class CheckpointWork:
    """A catalog, and how its changes are committed.

    Attributes:
        runtime: The open lake.
        catalog_id: The catalog.
        content: Reads the catalog as it is now.
        run: Runs a verb in a transaction of its own, again after a conflict.
        commit: Runs a verb in a transaction of its own, once.
        dry_run: Whether nothing is done, and each step only counts what it would do now.
        at_least: How old snapshots are that expire, whatever options say.
    """

    runtime: Runtime
    catalog_id: CatalogId
    content: Callable[[], Content]
    run: Callable[[Callable[[Staging], Any]], Any]
    commit: Committing
    dry_run: bool = False
    at_least: Age = NO_AGE


def checkpoint(work: CheckpointWork, progress: Progress, names: Collection[str] | None = None) -> list[CheckpointStep]:
    """Do the steps of `STEPS`, or those with some names; return how much each did.

    Each has its defaults. Tables that fail in one step do not stop the next one, nor do files that cannot be deleted:
    the steps tell of them. A dry run counts what each step would find now; what earlier steps would leave to it is not
    counted.

    Raises:
        IncompleteError: Some tables failed; all steps were done for the others.
    """
    done: list[CheckpointStep] = []
    failures: list[tuple[str, ForklakeError]] = []
    steps = [(name, step) for name, step in STEPS if names is None or name in names]
    for place, (name, step) in enumerate(steps):
        progress(name, place, len(steps))
        try:
            count, unfinished = step(work)
            done.append(CheckpointStep(name, count, unfinished))
        except IncompleteError as error:
            failures += error.failures
            done.append(CheckpointStep(name, sum(_amount(one) for one in error.done)))
    if steps:
        progress(steps[-1][0], len(steps), len(steps))
    if failures:
        raise IncompleteError("maintained", failures, done=done)
    return done


def _amount(done: FlushedTable | CompactedFiles) -> int:
    return done.row_count if isinstance(done, FlushedTable) else done.files_processed


def _flush(work: CheckpointWork) -> _Outcome:
    if work.dry_run:
        return sum(one.row_count for one in plan_flush(work.content(), work.runtime, Flushing())), ()
    flushed: Flushed | None = work.run(lambda staging: flush_inlined(staging, work.runtime, Flushing()))
    return sum(one.row_count for one in (flushed or Flushed()).all_tables()), ()


def _expire(work: CheckpointWork) -> _Outcome:
    found = expire_snapshots(
        work.runtime, work.catalog_id, rule="lenient", dry_run=work.dry_run, at_least=work.at_least
    )
    return len(found.expired), ()


def _clean_up(work: CheckpointWork) -> _Outcome:
    found = cleanup_old_files(work.runtime, work.catalog_id, dry_run=work.dry_run)
    return len(found.deleted), found.failures


def _delete_orphans(work: CheckpointWork) -> _Outcome:
    found = delete_orphaned_files(work.runtime, work.catalog_id, dry_run=work.dry_run)
    return len(found.files), found.failures


def _merge(work: CheckpointWork) -> _Outcome:
    return _compact(work, MergeRules())


def _rewrite(work: CheckpointWork) -> _Outcome:
    return _compact(work, RewriteRules())


def _compact(work: CheckpointWork, rules: Rules) -> _Outcome:
    given = Compacting(rules, dry_run=work.dry_run)
    done = compact_tables(work.runtime, work.content(), work.commit, given)
    return sum(one.files_processed for one in done), ()


STEPS: Final[tuple[tuple[str, Callable[[CheckpointWork], _Outcome]], ...]] = (
    ("flush_inlined_data", _flush),
    ("expire_snapshots", _expire),
    ("merge_adjacent_files", _merge),
    ("rewrite_data_files", _rewrite),
    ("cleanup_old_files", _clean_up),
    ("delete_orphaned_files", _delete_orphans),
)
"""The steps in DuckLake's order, by the names of its functions."""
