"""The SQL session: statements in, results out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self

from forklake.config import Confinement, Settings
from forklake.engine.statement_limits import Allowance
from forklake.errors import (
    CatalogDroppedError,
    CommitConflictError,
    ForklakeError,
    InvalidInputError,
    SnapshotExpiredError,
)
from forklake.lake import Catalog, Lake, Transaction
from forklake.lake.internals import catalog_of, is_past, runtime_of
from forklake.lake.lake import lake_of
from forklake.metastore.store import Store
from forklake.model.ids import CatalogId
from forklake.ops.lakes.run_again import run_again
from forklake.ops.lakes.runtime import setup_of
from forklake.session.aborted_transactions import aborts_transaction, check_not_aborted
from forklake.session.hints import NOTHING_ATTACHED, in_sql
from forklake.session.names.attached_catalogs import AttachedCatalog, Attachments, check_names
from forklake.session.names.existence import dropped_attachment_error
from forklake.session.results.keyed_content import keep_keyring
from forklake.session.results.limited_content import limit_result
from forklake.session.results.result import Result
from forklake.session.safety.confinement import Policy, terms_of
from forklake.session.safety.error_boundary import guard
from forklake.session.session_transaction import Work
from forklake.session.state import SessionState
from forklake.session.statements import queries
from forklake.session.statements.prepared_statements import filled_statement
from forklake.session.statements.run_statement import TRANSACTION, result_without_rows, run_statement
from forklake.sql import statements
from forklake.sql.parameters import Values, checked_parameters
from forklake.sql.parse import parse
from forklake.sql.prepared import Execute

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from pyspark.sql import SparkSession


class Connection:
    """A SQL session on attached catalogs. Belongs to one thread at a time.

    The language is DuckDB's SQL, with the statements of DuckLake and of forklake. Without BEGIN each statement
    is a transaction of its own. It sees each catalog as it was when the statement began, and runs again after a
    conflict with another commit. A statement that fails changes nothing; one that fails over its rows ends the
    transaction that it is part of, as in DuckDB.
    """

    def __init__(self, state: SessionState) -> None:
        self._state = state
        self._is_open = True
        self._last: Result | None = None
        state.attachments.enter()

    def __reduce__(self) -> NoReturn:
        raise InvalidInputError(
            "A SQL session cannot be pickled: its settings and its transaction belong to this process.",
            hint="Pickle the catalog, and ask it for a session where it is needed.",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def sql(
        self, text: str, parameters: Values | None = None, *, dialect: Literal["duckdb", "spark"] = "duckdb"
    ) -> Result | None:
        """Run one statement or several, and return the result of the last one.

        None if the last statement has no result. A query is computed when its rows are first read; everything else
        is done when the call returns.

        Args:
            text: The statements, with ``;`` between them. If one fails, those after it are not run.
            parameters: Values for ``?`` and ``$1`` in order, or for ``$name`` by name.
            dialect: ``duckdb``, or ``spark`` for one query in Spark's own SQL over tables of the lake.

        Raises:
            ForklakeError: A statement is wrong or failed. What ran before it stays.
        """
        self._check_open()
        if not isinstance(text, str):
            raise InvalidInputError(f"SQL is given as text, not as {type(text).__name__}.")
        self._state.policy.check_dialect(dialect)
        if dialect == "spark":
            keyring = self._state.secrets.keyring
            return keep_keyring(keyring.run(queries.spark_query, self._state, text), keyring)
        if dialect != "duckdb":
            raise InvalidInputError(f'There is no dialect "{dialect}"; there is duckdb and spark.')
        result = None
        for result in self.results(text, parameters):  # noqa: B007 - the last is wanted
            pass
        return result

    def results(self, text: str, parameters: Values | None = None) -> Iterator[Result | None]:
        """Run statements one after another, and yield the result of each.

        The result is None for a statement that has none. All statements are parsed before the first one runs; each
        one runs when the iterator reaches it.

        Raises:
            ForklakeError: A statement is wrong or failed. What ran before it stays.
        """
        for _, result in self._run_each(text, parameters):
            yield result

    def _run_each(self, text: str, parameters: Values | None) -> Iterator[tuple[statements.Statement, Result | None]]:
        self._check_open()
        if not isinstance(text, str):
            raise InvalidInputError(f"SQL is given as text, not as {type(text).__name__}.")
        allowance = self._state.policy.allowance()
        with guard(self._state.engine), checked_parameters(parameters) as values, allowance.spend():
            parsed = [values.fill(one) for one in parse(text)]
        for statement in parsed:
            self._check_open()
            allowance = self._state.policy.statement_allowance(allowance)
            with guard(self._state.engine):
                result = self._run(statement, text, allowance)
            yield statement, result

    def execute(self, text: str, parameters: Values | None = None) -> Connection:
        """Run statements as `sql` does, and return this session.

        Its ``fetch`` methods then give the rows of the last statement, none if it has no result.

        Raises:
            ForklakeError: A statement is wrong or failed. What ran before it stays.
        """
        last = self._last = None
        for statement, result in self._run_each(text, parameters):
            last = result or result_without_rows(self._state, statement)
        self._last = last
        return self

    def executemany(self, text: str, parameters: Iterable[Values]) -> Connection:
        """Run statements once for each set of parameters, all in one transaction.

        Either all of them take effect or none.

        Raises:
            ForklakeError: A statement is wrong or failed. In a transaction that was begun before, what ran stays.
        """
        self._check_open()
        begins = not self._state.work.is_explicit
        if begins:
            self._state.begin()
        try:
            for values in parameters:
                self.execute(text, values)
            if begins:
                self._state.secrets.keyring.run(self._state.commit)
        except BaseException:
            if begins:
                with suppress(InvalidInputError):  # the statements may have ended it
                    self._state.rollback()
            raise
        return self

    @property
    def description(self) -> list[tuple[str, str, None, None, None, None, None]] | None:
        """The columns of the last result, in the form of Python's database API.

        None if there is no result.
        """
        result = self._last
        if result is None:
            return None
        return [
            (name, kind, None, None, None, None, None) for name, kind in zip(result.columns, result.types, strict=True)
        ]

    @property
    def rowcount(self) -> int:
        """Always -1, as in DuckDB: rows are not counted before they are fetched."""
        return -1

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the next row of the last `execute`; None after the last row."""
        return self._last_result().fetchone()

    def fetchmany(self, size: int = 1) -> list[tuple[Any, ...]]:
        """Return at most ``size`` next rows of the last `execute`."""
        return self._last_result().fetchmany(size)

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return the rows of the last `execute` that were not fetched yet."""
        return self._last_result().fetchall()

    def df(self) -> pd.DataFrame:
        """Return the result of the last `execute` as a pandas DataFrame."""
        return self._last_result().df()

    def fetchdf(self) -> pd.DataFrame:
        """Return the same as `df`."""
        return self._last_result().fetchdf()

    def pl(self) -> pl.DataFrame:
        """Return the result of the last `execute` as a Polars DataFrame."""
        return self._last_result().pl()

    def arrow(self) -> pa.Table:
        """Return the result of the last `execute` as an Arrow table."""
        return self._last_result().arrow()

    def _last_result(self) -> Result:
        if self._last is None:
            raise InvalidInputError("No open result set: no query was executed, or the last statement gave no rows.")
        return self._last

    def register(self, name: str, frame: Any) -> Connection:
        """Let queries of this session use a frame like a table, and return the session.

        The name takes precedence over tables of the same name. Rows in memory are read now; a Spark DataFrame is
        computed again by each query.

        Args:
            name: Any text; a frame that has the name is replaced.
            frame: A DataFrame of Spark, pandas or Polars, an Arrow table or batches, dictionaries, one for each row.

        Raises:
            InvalidInputError: It is no frame, or one of its columns has a type that tables do not support.
        """
        self._check_open()
        self._state.frames.register(self._state.engine, name, frame)
        return self

    def unregister(self, name: str) -> Connection:
        """Forget a registered frame, and return the session.

        Raises:
            NotFoundError: None was registered under the name.
        """
        self._check_open()
        self._state.frames.unregister(name)
        return self

    @property
    def attached(self) -> list[str]:
        """The aliases of the attached catalogs."""
        return [one.alias for one in self._state.attachments.all()]

    @property
    def in_use(self) -> tuple[str, str] | None:
        """The catalog and the schema in use; None if there are none."""
        return None if self._state.current is None else (self._state.current[0].alias, self._state.current[1])

    @property
    def is_in_transaction(self) -> bool:
        """Whether a transaction was begun and is not ended."""
        return self._state.work.is_explicit

    def check_readable(self, path: str) -> None:
        """Refuse a file that statements of this session could not read.

        Raises:
            PermissionDeniedError: The session is confined, and the file is outside of its directories.
        """
        self._state.secrets.keyring.run(self._state.policy.check_files, [path])

    def cursor(self) -> Connection:
        """Return another session on the same attachments.

        It has its own transaction, settings and USE.
        """
        self._check_open()
        return Connection(self._state.for_cursor())

    def close(self) -> None:
        """Roll back uncommitted changes, and close the session.

        The last session on its lakes closes them, too. A Spark session is left running. Closing twice does no harm.
        """
        if self._is_open:
            self._is_open = False
            self._state.work.rollback()
            self._state.temporary.close()
            if self._state.attachments.leave():
                self._state.memory.close()

    def _check_open(self) -> None:
        if not self._is_open:
            raise InvalidInputError("Connection Error: Connection already closed!", hint="connect() again.")

    def _run(self, statement: statements.Statement, text: str, allowance: Allowance) -> Result | None:
        """Run a statement, in a transaction of its own if none is open."""
        policy, keyring, frames = self._state.policy, self._state.secrets.keyring, self._state.frames
        try:
            try:
                with allowance.spend(), keyring.use(), frames.of_one_statement():
                    result = keep_keyring(self._run_in_transaction(statement), keyring)
                    return limit_result(result, policy.limits, allowance)
            except CatalogDroppedError as error:
                raise dropped_attachment_error(self._state, error) from error
        except ForklakeError as error:
            policy.conceal_names(error, text)
            policy.lasting.advise(error)
            error.tell_by(partial(in_sql, self._hint_alias()))
            raise

    def _hint_alias(self) -> str:
        """Return the alias that hints name: the catalog in use, else any attached one."""
        current = self._state.current
        return current[0].alias if current is not None else next(iter(self.attached), NOTHING_ATTACHED)

    def _run_in_transaction(self, statement: statements.Statement) -> Result | None:
        state = self._state
        if isinstance(statement, Execute):
            state.policy.check_statement(statement)
            statement = filled_statement(state, statement)
        state.policy.check_statement(statement)
        if state.work.is_explicit or isinstance(statement, TRANSACTION):
            check_not_aborted(state.work, statement)
            try:
                return run_statement(state, statement)
            except ForklakeError as error:
                if state.work.is_explicit and state.may_begin and aborts_transaction(statement, error):
                    state.work.is_aborted = True
                raise
            finally:
                state.work.release_unchanged()

        place: tuple[Store, CatalogId] | None = None

        def attempt() -> tuple[Result | None, ForklakeError | None]:
            nonlocal place
            state.work = Work(state.policy, is_explicit=False)
            try:
                try:
                    result = run_statement(state, statement)
                except (CommitConflictError, SnapshotExpiredError) as error:
                    # Maintenance commits by itself, and has decided not to run again; COPY may have written already.
                    state.work.rollback()
                    return None, error
                state.finish()
            except BaseException:
                place = state.work.place
                state.work.rollback()
                raise
            return result, None

        result, conflict = run_again(attempt, lambda: place, state.settings.retry, state.setup.settings.clock)
        if conflict is not None:
            raise conflict
        return result


def connect(
    spark: SparkSession | None = None, settings: Settings | None = None, *, confined: bool | Confinement = False
) -> Connection:
    """Return a new session with nothing attached; if confined, from its lock on."""
    attachments = Attachments()
    policy = Policy(attachments, terms_of(confined))
    return Connection(SessionState(attachments, setup=setup_of(settings, spark), policy=policy))


def connect_to_lake(
    lake: Lake, catalogs: Iterable[Catalog | str] = (), *, confined: bool | Confinement = False
) -> Connection:
    """Return a new session on an open lake, with catalogs attached under their names.

    The first of them is in use. If there are any, a confined session is confined now. Closing the session leaves the
    lake open.

    Raises:
        NotFoundError: There is no such catalog.
        InvalidInputError: A name cannot be attached under, or the catalog is of another lake.
    """
    given = [_attachment_of(_catalog_of_lake(lake, one)) for one in catalogs]
    return _connection_of(lake, given, confined)


def _catalog_of_lake(lake: Lake, catalog: Catalog | str) -> Catalog:
    found = lake.catalog(catalog) if isinstance(catalog, str) else catalog
    if not isinstance(found, Catalog) or runtime_of(found).key != runtime_of(lake).key:
        raise InvalidInputError(f"{found!r} is no catalog of this lake; there is no session.")
    check_names(found.name, f"__ducklake_metadata_{found.name}")
    return found


def connect_to_catalog(catalog: Catalog, *, confined: bool | Confinement = False) -> Connection:
    """Return a new session in which a catalog is attached and in use.

    Its alias is its name. Closing the session leaves the lake open.
    """
    return _connection_of(lake_of(runtime_of(catalog)), [_attachment_of(catalog)], confined)


def _connection_of(lake: Lake, given: Sequence[AttachedCatalog], confined: bool | Confinement) -> Connection:
    attachments = Attachments(lake)
    policy = Policy(attachments, terms_of(confined))
    attached = [replace(one, catalog=policy.lasting.sign(one.catalog)) for one in given]
    for one in attached:
        attachments.add(one)
    if confined and attached:
        policy.lock()
    in_use = (attached[0], "main") if attached else None
    return Connection(SessionState(attachments, setup=runtime_of(lake).setup, in_use=in_use, policy=policy))


def run_in_catalog(catalog: Catalog, text: str, parameters: Values | None) -> Result | None:
    """Run statements in a catalog, which is attached under its name and in use.

    Raises:
        InvalidInputError: The text began a transaction and did not end it; it was rolled back.
    """
    state = _state_of(catalog, catalog.name)
    with Connection(state) as connection:
        result = connection.sql(text, parameters)
        if state.work.is_explicit:
            raise InvalidInputError(
                "The transaction was not committed in the same text; it was rolled back.",
                hint="Use Catalog.transaction(), or a session that lasts: Catalog.session().",
            )
        _load_before_end(state, result)
    return result


def run_in_transaction(transaction: Transaction, text: str, parameters: Values | None) -> Result | None:
    """Run statements as part of an open transaction.

    Its catalog is attached under its name and in use.
    """
    catalog_id, name = catalog_of(transaction)
    state = _state_of(Catalog(runtime_of(transaction), catalog_id), name)
    assert state.current is not None
    state.work = Work.within(state.current[0], transaction)
    state.may_begin = False
    with Connection(state) as connection:
        result = connection.sql(text, parameters)
        _load_before_end(state, result)
    return result


def _load_before_end(state: SessionState, result: Result | None) -> None:
    """Compute a result that may read temporary tables, which end with the session."""
    if result is not None and (state.temporary.catalog is not None or state.memory.catalog is not None):
        result.rows()


def _attachment_of(catalog: Catalog, name: str | None = None) -> AttachedCatalog:
    runtime = runtime_of(catalog)
    alias = catalog.name if name is None else name
    metadata = f"__ducklake_metadata_{alias}"
    return AttachedCatalog(alias, runtime.key, lake_of(runtime), catalog, is_past(catalog), metadata, "main")


def _state_of(catalog: Catalog, name: str) -> SessionState:
    runtime, attached = runtime_of(catalog), _attachment_of(catalog, name)
    attachments = Attachments(attached.lake)
    attachments.add(attached)
    return SessionState(attachments, setup=runtime.setup, in_use=(attached, "main"), policy=Policy(attachments))
