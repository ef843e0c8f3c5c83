"""Histories of transactions that write rows and alter their table, compared with DuckDB wherever they can be read."""

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from random import Random
from typing import Any, Protocol

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from forklake import Catalog, Lake, Transaction
from forklake.catalog import lookup, versions
from forklake.catalog.change_plan import plan_changes
from forklake.catalog.fields import table_fields
from forklake.catalog.scan_plan import plan_scan
from forklake.catalog.state import CatalogState
from forklake.errors import AlreadyExistsError, CommitConflictError, InvalidInputError
from forklake.files.casting.texts import to_texts
from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import SnapshotId
from forklake.sql.rows.row_texts import condition
from tests.rows.alterations import TABLE, Alter, Change, DropColumn, Flush, Lay, SetNotNull, Statement, Writer
from tests.rows.arrow_hands import planned
from tests.rows.shown_rows import changed_rows, text_rows

Row = tuple[str | None, ...]
STATEMENTS = 7
_BEFORE = "before_it"


class Means(Protocol):
    """How statements are run and rows are read."""

    def run(self, transaction: Transaction, statement: Statement) -> None:
        """Run a statement as part of a transaction."""

    def rows(self, reader: Catalog | Transaction, *, version: int | None = None) -> list[Row]:
        """Return all rows as texts."""

    def feed(self, catalog: Catalog, snapshot: int) -> tuple[list[Row], list[Row]]:
        """Return what a snapshot inserted and what it deleted, updated rows in both."""


class PythonMeans:
    """The Python API, and PyArrow."""

    def run(self, transaction: Transaction, statement: Statement) -> None:
        statement.run(transaction)

    def rows(self, reader: Catalog | Transaction, *, version: int | None = None) -> list[Row]:
        seen = reader if version is None or isinstance(reader, Transaction) else reader.at(version=version)
        return text_rows(planned(seen.table(TABLE), None))

    def feed(self, catalog: Catalog, snapshot: int) -> tuple[list[Row], list[Row]]:
        runtime, content = catalog._runtime, catalog._content()
        view = CatalogState(runtime.store, versions.version_at(runtime.store, content.version, snapshot))
        row = lookup.table(view, TABLE, "main")
        return changed_rows(plan_changes(runtime.store, runtime.lake_path, view, row, SnapshotId(snapshot)))


class SqlMeans:
    """SQL on Spark, and scans of Spark."""

    def run(self, transaction: Transaction, statement: Statement) -> None:
        if isinstance(statement, Flush):
            statement.run(transaction)
        else:
            transaction.sql(statement.own_sql)

    def rows(self, reader: Catalog | Transaction, *, version: int | None = None) -> list[Row]:
        seen = reader if version is None or isinstance(reader, Transaction) else reader.at(version=version)
        table = seen.table(TABLE)
        rows = _texts(table_fields(table._content(), table.table_id), table.dataframe().toArrow())
        _compare(text_rows(planned(table, None)), rows, "read by PyArrow, and not by Spark")
        return rows

    def feed(self, catalog: Catalog, snapshot: int) -> tuple[list[Row], list[Row]]:
        table = catalog.at(version=snapshot).table(TABLE)
        fields = table_fields(table._content(), table.table_id)
        changes = table.changes(snapshot, snapshot).toArrow()
        kinds = changes.column("change_type")
        came = changes.filter(pc.is_in(kinds, pa.array(["insert", "update_postimage"])))
        went = changes.filter(pc.is_in(kinds, pa.array(["delete", "update_preimage"])))
        return _texts(fields, came), _texts(fields, went)


def _texts(fields: Sequence[Field], rows: pa.Table) -> list[Row]:
    columns = [to_texts(field.type, rows.column(field.name).combine_chunks()) for field in fields]
    return list(zip(*columns, strict=True))


class Oracle:
    """DuckDB, which runs the same statements."""

    def __init__(self) -> None:
        self.duck = duckdb.connect()
        self.duck.execute("SET TimeZone = 'UTC'")
        self.duck.execute("SET threads = 1")
        self._has_before = False

    def begin(self) -> None:
        """Keep the rows as they are before a transaction; its alterations are done to them, too."""
        self._has_before = bool(self.duck.execute(f"FROM duckdb_tables() WHERE table_name = '{TABLE}'").fetchall())
        if self._has_before:
            self.duck.execute(f"CREATE OR REPLACE TABLE {_BEFORE} AS FROM {TABLE}")

    def run(self, statement: Statement) -> None:
        """Run a statement that the lake has run."""
        if statement.sql is None:
            return
        self.duck.execute(statement.sql)
        if self._has_before and isinstance(statement, Alter) and not isinstance(statement, SetNotNull):
            self.duck.execute(statement.sql.replace(f"ALTER TABLE {TABLE} ", f"ALTER TABLE {_BEFORE} ", 1))

    def refuses(self, statement: Statement) -> bool:
        """Return whether a statement that the lake refused is refused here, too."""
        try:
            self.duck.execute(statement.sql or "")
        except duckdb.Error:
            with suppress(duckdb.TransactionException):
                self.duck.rollback()
            return True
        return False

    def before(self) -> list[Row]:
        """Return the rows that were there before the transaction, in the columns of now."""
        return self._rows(_BEFORE) if self._has_before else []

    def rows(self) -> list[Row]:
        """Return the rows as texts."""
        return self._rows(TABLE)

    def _rows(self, table: str) -> list[Row]:
        return self.duck.execute(f"SELECT CAST(COLUMNS(*) AS VARCHAR) FROM {table}").fetchall()


class _OverError(Exception):
    """The lake and DuckDB went ways that cannot be compared any more."""


class History:
    """A few transactions on one table of one catalog, and a fork."""

    def __init__(self, lake: Lake, seed: int, means: Means) -> None:
        self._rng = Random(seed)
        self._means = means
        self.oracle = Oracle()
        self._writer = Writer(self._rng)
        self.catalog = lake.create_catalog(f"c{seed}")
        self.catalog.options.set("data_inlining_row_limit", self._rng.choice([0, 0, 3, 100]))
        self._is_met = False
        self._snapshots: dict[int, list[Row]] = {}
        self.told: list[str] = []
        """What was done so far, for whoever has to find out why something went wrong."""

    def run(self, *, count: int = STATEMENTS) -> None:
        """Run it, and compare all that can be read."""
        with suppress(_OverError):
            self._run(count)

    def _run(self, count: int) -> None:
        for number in range(self._rng.choice([1, 1, 2, 2, 3])):
            self._transaction(count, is_first=number == 0)
            if self._rng.random() < 0.3:
                self.told.append("-- flush")
                self.catalog.maintenance.flush_inlined()
                self._check_head("after the flush")
        parent, rows = self.catalog, self.oracle.rows()
        self.catalog = parent.fork(f"{parent.name}_fork")
        self.told.append("-- fork")
        self._check_head("in the fork")
        self._check_snapshots()
        self._transaction(count // 2, is_first=False)
        self._check_snapshots()
        _compare(self._means.rows(parent), rows, "in the parent")

    def _transaction(self, count: int, *, is_first: bool) -> None:
        rival = self._rng.random() < 0.25
        rows = None
        if rival and not is_first:
            # What another one adds before the commit counts as if it had been there before.
            rows = self._writer.rows(1, with_null=False)
            self.oracle.run(rows)
        self._is_met = rows is not None
        self.oracle.begin()
        self.told.append("BEGIN")
        others = {row[0] for row in rows.rows} if rows is not None else set()
        before = [dict(self._writer.columns)]
        statements: list[Statement] = []
        try:
            with self.catalog.transaction() as transaction:
                if is_first:
                    self._do(transaction, self._writer.create(), statements)
                    self._do(transaction, self._writer.rows(self._rng.choice([2, 5])), statements)
                for _ in range(count):
                    self._step(transaction, statements, before, others)
                if rival:
                    self.told.append(f"-- meanwhile: {rows.sql if rows else 'another table'}")
                    self._meet(rows)
        except CommitConflictError:
            self.told.append("-- conflict, once more:")
            transaction = self._again(statements)
        self.told.append("COMMIT")
        self._check_head("after the commit")
        if transaction.snapshot_id is not None:
            self._check_feed(transaction.snapshot_id)
        self._check_statistics()
        self._snapshots[self.catalog.head] = self.oracle.rows()

    def _again(self, statements: Sequence[Statement]) -> Transaction:
        with self.catalog.transaction() as transaction:
            for statement in statements:
                self.told.append(statement.own_sql)
                try:
                    self._means.run(transaction, statement)
                except InvalidInputError:
                    if isinstance(statement, Flush):
                        continue
                    # That no row has NULL was known before the other one added rows. DuckDB knew it all the time.
                    if isinstance(statement, SetNotNull):
                        transaction.rollback()
                        raise _OverError from None
                    raise
        return transaction

    def _meet(self, rows: Statement | None) -> None:
        with self.catalog.transaction() as other:
            if rows is None:
                other.create_table(f"other_{len(self.told)}", {"x": "INTEGER"})
            else:
                rows.run(other)

    def _step(
        self, transaction: Transaction, statements: list[Statement], before: list[Any], others: set[str | None]
    ) -> None:
        before[0] = dict(self._writer.columns)
        statement = self._writer.statement()
        if statement is None:
            return
        if not self._do(transaction, statement, statements):
            self._writer.columns = before[0]
        elif isinstance(statement, Alter | Lay) and self._rng.random() < 0.3:
            expected = [row for row in self.oracle.rows() if row[0] not in others]
            _compare(self._means.rows(transaction), expected, f"after {statement.own_sql}, before the commit")

    def _do(self, transaction: Transaction, statement: Statement, statements: list[Statement]) -> bool:
        """Run a statement, and return whether it was done; what is refused here, DuckDB has to refuse as well."""
        self.told.append(statement.own_sql)
        try:
            self._means.run(transaction, statement)
        except (InvalidInputError, AlreadyExistsError) as error:
            self.told[-1] += f"  -- refused: {error}"
            is_own = (
                isinstance(statement, Lay | SetNotNull | Flush)
                or (isinstance(statement, DropColumn) and re.search("partitioned by|sorted by", str(error)))
                or (isinstance(statement, Change) and "flushed" in str(error))
            )
            if not is_own and not self.oracle.refuses(statement):
                raise AssertionError(f"only refused here: {error}") from error
            return False
        try:
            self.oracle.run(statement)
        except duckdb.ConstraintException:
            # DuckDB has the rows already that another one is about to add.
            if self._is_met and isinstance(statement, SetNotNull):
                raise _OverError from None
            raise
        statements.append(statement)
        return True

    def _check_head(self, when: str) -> None:
        _compare(self._means.rows(self.catalog), self.oracle.rows(), when)

    def _check_snapshots(self) -> None:
        for snapshot, rows in self._snapshots.items():
            _compare(self._means.rows(self.catalog, version=snapshot), rows, f"at snapshot {snapshot}")

    def _check_feed(self, snapshot: int) -> None:
        """Check that what was there before, less what the feed deletes, plus what it inserts, is what is there."""
        inserted, deleted = self._means.feed(self.catalog, snapshot)
        found = Counter(self.oracle.before())
        found.subtract(Counter(deleted))
        assert min(found.values(), default=0) >= 0, f"the feed deletes what was not there: {deleted}"
        found.update(inserted)
        _compare(list(found.elements()), self.oracle.rows(), "by the change feed")

    def _check_statistics(self) -> None:
        """Check that no file is left out that holds a row which is asked for."""
        content, runtime = self.catalog._content(), self.catalog._runtime
        table = lookup.table(content, TABLE, "main")
        fields = table_fields(content, table.table_id)
        rows = self.oracle.rows()
        for row in self._rng.sample(rows, min(3, len(rows))):
            place = self._rng.randrange(len(fields))
            field, value = fields[place], row[place]
            if field.children or field.type in (types.INTERVAL,):
                continue
            is_it = "IS NULL" if value is None else "= '{}'".format(value.replace("'", "''"))
            parsed = condition(f'"{field.name}" {is_it}', TABLE, fields)
            plan = plan_scan(runtime.store, runtime.lake_path, content, table, parsed.predicate)
            assert row in text_rows(plan), f"{field.name} {is_it} does not find {row}"


def _compare(found: Sequence[Row], expected: Sequence[Row], when: str) -> None:
    ours, theirs = Counter(found), Counter(expected)
    assert ours == theirs, f"{when}: {sorted(map(str, ours - theirs))}, not {sorted(map(str, theirs - ours))}"
