"""Rows that Spark hands over for a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from forklake.catalog import lookup
from forklake.catalog.fields import table_fields
from forklake.catalog.state import Content
from forklake.catalog.transaction import Staging
from forklake.errors import ConflictError
from forklake.lake.internals import commit, run
from forklake.model.rows import TableRow
from forklake.ops.rows import append as appending
from forklake.ops.rows.change_table import truncate as delete_all
from forklake.ops.rows.overwrite import overwrite as replace_rows
from forklake.spark_catalog import catalyst
from forklake.spark_catalog.attached import MAIN, YES, Answer, Attached, Question, Words


def append(attached: Attached, words: Words, given: Any) -> Answer:
    """Add rows, which have the columns of the table in its order.

    Rows that were not read of the attached catalog are the same on every snapshot: after a conflict they are added
    to the new head.

    Raises:
        CommitConflictError: The table was altered or dropped since the statement was analysed.
    """
    frame = attached.frame(given)

    def verb(staging: Staging, row: TableRow) -> int:
        return appending.append(staging, attached.runtime, row, frame, by_name=False)

    if words["reads"]:
        return change_table(attached, words, verb)
    attached.check_writable()
    seen = attached.statements.content(words["statement"])
    table = _row(seen, words)
    fields = table_fields(seen, table.table_id)

    def add(staging: Staging) -> int:
        row = lookup.table_by_id(staging.draft, table.table_id)
        if table_fields(staging.draft, row.table_id) != fields:
            raise ConflictError(f'Table "{row.table_name}" was altered meanwhile; nothing was inserted.')
        return verb(staging, row)

    run(attached.catalog, add)
    return YES


def overwrite(attached: Attached, words: Words, given: Any) -> Answer:
    """Replace all rows.

    Raises:
        CommitConflictError: Others changed rows of the table since the statement was analysed.
    """
    frame = attached.frame(given)
    return change_table(
        attached,
        words,
        lambda staging, row: replace_rows(staging, attached.runtime, row, frame, None, by_name=False),
        replaces=True,
    )


def truncate(attached: Attached, words: Words, given: Any) -> Answer:
    """Delete all rows that there are now."""
    attached.check_writable()
    commit(attached.catalog, lambda staging: delete_all(staging, attached.runtime, _row(staging.draft, words)))
    return YES


def change(attached: Attached, words: Words, given: Any) -> Answer:
    """Update, delete, merge or replace rows as a plan of Spark says.

    Raises:
        CommitConflictError: Others changed the same since the statement was analysed.
        InvalidInputError: A row would be changed twice, or a value does not fit.
    """
    verb = catalyst.change_verb(attached, given)
    return change_table(attached, words, verb, replaces=catalyst.is_overwrite(given))


def change_table(
    attached: Attached, words: Words, verb: Callable[[Staging, TableRow], int], *, replaces: bool = False
) -> Answer:
    """Run a verb on a table at the snapshot of the statement, and commit.

    ``replaces``: new rows take the place of old ones, of which they may have been made.
    """
    table = _row(attached.statements.content(words["statement"]), words)
    with attached.begin(words, table.table_id if replaces else None) as transaction:
        run(transaction, lambda staging: verb(staging, _row(staging.draft, words)))
    return YES


def _row(content: Content, words: Words) -> TableRow:
    names = words["schema"]
    return lookup.table(content, words["name"], names[0] if names else MAIN)


QUESTIONS: Final[Mapping[str, Question]] = {
    "append": append,
    "overwrite": overwrite,
    "truncate": truncate,
    "change": change,
}
