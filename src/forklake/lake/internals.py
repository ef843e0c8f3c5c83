"""What sessions and edges may use of handles beyond their public methods.

Users of the package do not need it. Code outside `forklake.lake` uses no other private part of a handle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from typing import TypeVar

from forklake.catalog.moments import Moment
from forklake.catalog.state import Content
from forklake.catalog.transaction import Staging
from forklake.lake.catalog import Catalog
from forklake.lake.diff import Diff
from forklake.lake.lake import Lake, LakeAt
from forklake.lake.options import Options
from forklake.lake.table import Table
from forklake.lake.transaction import Transaction
from forklake.model.change_scan import ChangePlan
from forklake.model.ids import CatalogId
from forklake.model.records import Commit, CommitInfo
from forklake.model.scan import ScanPlan
from forklake.model.table_read import TableRead
from forklake.model.version import Head, Version
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.rows.table_changes import plan_table_changes

T = TypeVar("T")

Reader = Catalog | Transaction
"""What tables are read of: a catalog, now or at a snapshot, or a transaction."""


def runtime_of(handle: Lake | LakeAt | Reader | Table | Options) -> Runtime:
    """Return the runtime of the lake that a handle belongs to."""
    return handle._reader._runtime if isinstance(handle, Table) else handle._runtime


def content_of(handle: Reader | Table) -> Content:
    """Return the content of the catalog that a handle sees now.

    Raises:
        NotFoundError: The catalog or the table was dropped.
    """
    return handle._content()


def version_of(reader: Reader) -> Version:
    """Return the committed version that a handle sees.

    For a transaction it is the version that it began on.
    """
    return reader._version() if isinstance(reader, Catalog) else reader._content().version


def change_plan_of(table: Table, start: Moment, end: Moment | None) -> ChangePlan:
    """Plan the change feed of a table, see `Table.changes`.

    Raises:
        SnapshotNotFoundError: The catalog has no such snapshot.
        InvalidInputError: The start comes after the end.
    """
    runtime = table._reader._runtime
    return plan_table_changes(runtime, table._content().version, table.table_id, start, end)


def reads_of(scans: Iterable[tuple[Table, ScanPlan]]) -> tuple[TableRead, ...]:
    """Return what frames over scans of tables have read.

    Reads of a past snapshot are not among them: it was named, so what came later is known to be missing.
    """
    found = []
    for table, plan in scans:
        reader = table._reader
        if plan.place is not None and not (isinstance(reader, Catalog) and is_past(reader)):
            catalog, snapshot = plan.place
            found.append(TableRead(reader._runtime.key, catalog, table.table_id, snapshot))
    return tuple(found)


def catalog_of(transaction: Transaction) -> tuple[CatalogId, str]:
    """Return the id of a transaction's catalog, and its name at the beginning."""
    return transaction._head.version.catalog_id, transaction._head.name


def begin(catalog: Catalog, *, may_alter_later: bool) -> Transaction:
    """Begin a transaction.

    ``may_alter_later`` is False for a transaction of a single statement. See `Staging`.
    """
    return catalog._begin(may_alter_later=may_alter_later)


def sign_as(catalog: Catalog, author: str | None, message: str | None) -> Catalog:
    """Return a handle whose commits and forks have an author and a message.

    A call that names others counts first.
    """
    made = copy(catalog)
    made._signature = CommitInfo(author, message)
    return made


def begin_on(catalog: Catalog, head: Head) -> Transaction:
    """Begin a transaction of a single statement on a head that was read before.

    What was committed since conflicts with it as with any other.

    Raises:
        InvalidInputError: The handle shows a past snapshot.
    """
    catalog._check_writable()
    return Transaction(catalog._runtime, head, CommitInfo(), None, None, may_alter_later=False)


def staging_of(transaction: Transaction) -> Staging:
    """Return what verbs of `forklake.ops` take of an open transaction."""
    return transaction._open()


def run(runner: Reader, verb: Callable[[Staging], T]) -> T | None:
    """Run a verb of `forklake.ops` in a transaction, and return its value.

    ``runner`` is a transaction, or a catalog; a catalog runs the verb in a transaction of its own, again after a
    conflict. None if the verb was not run because the commit key of the transaction was committed before.
    """
    return runner._run(verb)


def commit(runner: Reader, verb: Callable[[Staging], int]) -> Commit:
    """Run a verb of `forklake.ops` that returns the number of rows it touched.

    It runs as with `run`; the commit is returned.
    """
    return runner._commit(verb)


def commit_once(runner: Reader, verb: Callable[[Staging], int]) -> Commit:
    """Run a verb as with `commit`, but not again after a conflict."""
    return runner._commit(verb, rerun=False)


def is_past(catalog: Catalog) -> bool:
    """Return whether a handle shows a past snapshot, and so cannot change anything."""
    return catalog._past_version is not None


def words_of(diff: Diff) -> tuple[tuple[str, ...], ...]:
    """Return what each change of a diff does, in lines; none for changes of rows."""
    return diff._found.words
