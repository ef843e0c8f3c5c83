"""What a session may reach: the one place that decides.

Name resolution, catalog functions, files, settings and ATTACH ask it. In a session that is not confined it
permits everything.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from forklake.catalog.places import catalog_directories
from forklake.config import UNLIMITED, Confinement
from forklake.engine.statement_limits import Allowance
from forklake.errors import (
    AlreadyExistsError,
    CatalogDroppedError,
    ConfigError,
    ForklakeError,
    InvalidInputError,
    NotFoundError,
    PermissionDeniedError,
    QuotaError,
)
from forklake.lake import Catalog, Lake
from forklake.lake.internals import is_past, runtime_of, version_of
from forklake.metastore.queries.catalogs import last_name
from forklake.model.ids import CatalogId
from forklake.model.names import fold, nearest
from forklake.ops.catalogs.quotas import has_quota
from forklake.ops.lakes.runtime import Runtime
from forklake.session.names.attached_catalogs import AttachedCatalog, Attachments
from forklake.session.names.known_rows import Rows
from forklake.session.safety import permissions
from forklake.session.safety.lasting_deeds import LastingDeeds
from forklake.session.safety.own_forks import OwnForks, denial
from forklake.session.safety.permitted_files import (
    check_beside_schemas,
    check_readable,
    check_target,
    is_below,
    is_readable,
)
from forklake.sql import statements

_SESSION: Final = "this session is confined"
_NAMES_OF_ALL_SESSIONS: Final = frozenset({"information_schema", "memory", "pg_catalog", "system", "temp"})
_OVER_NAMES: Final = re.compile("(Catalog|Binder|Parser) Error: ")


class Policy:
    """What the sessions on some attachments may reach.

    A session and its cursors share it. Safe to share between threads.
    """

    def __init__(self, attachments: Attachments, terms: Confinement | None = None, subject: str = _SESSION) -> None:
        self._attachments = attachments
        self._subject = subject
        self._awaits_lock = terms is not None
        self._terms = terms or UNLIMITED
        self._given: tuple[AttachedCatalog, ...] | None = None
        self._is_locked = False
        self.forks = OwnForks(self._terms)
        self.lasting = LastingDeeds(self._terms, self.forks)
        self._mutex = threading.Lock()

    # ---- confining ---------------------------------------------------------------------------------------------------

    @property
    def is_confined(self) -> bool:
        """Whether the session is confined to what it was given."""
        return self._given is not None

    @property
    def is_locked(self) -> bool:
        """Whether its settings stay as they are."""
        return self._is_locked

    def confine(self) -> None:
        """Confine the session to what it has attached now. This cannot be undone."""
        with self._mutex:
            if self._given is None:
                self._given = tuple(self._attachments.all())
                self.forks.confine((one.lake, one.catalog.catalog_id) for one in self._given)
                self._attachments.keep_lakes()

    def lock(self) -> None:
        """Let no setting be changed any more.

        A session that was made to be confined is confined now. This cannot be undone.
        """
        if self._awaits_lock:
            self.confine()
        self._is_locked = True

    def check_setting(self, name: str) -> None:
        """Refuse to change a setting of a locked session.

        Raises:
            PermissionDeniedError: It is locked.
        """
        if self._is_locked:
            raise PermissionDeniedError(
                f'Invalid Input Error: Cannot change configuration option "{name}" - the configuration has been locked'
            )

    # ---- limits ------------------------------------------------------------------------------------------------------

    def allowance(self) -> Allowance:
        """Return what one text may take."""
        terms = self._terms
        return Allowance(terms.max_seconds, terms.max_bytes, is_confined=True) if self.is_confined else Allowance()

    def statement_allowance(self, text: Allowance) -> Allowance:
        """Return what the next statement of a text may take.

        If the one before it locked the session, that is what a text may take from now on.
        """
        return text.for_statement() if text.is_confined == self.is_confined else self.allowance()

    @property
    def limits(self) -> Confinement | None:
        """The terms, if the session is confined and has limits."""
        return self._terms if self.is_confined and self._terms.has_limits else None

    # ---- statements and functions ------------------------------------------------------------------------------------

    def check_statement(self, statement: statements.Statement) -> None:
        """Refuse a statement that the session may not run.

        Raises:
            PermissionDeniedError: It may not.
        """
        if self._awaits_lock and not self.is_confined:
            if type(statement) not in permissions.PREPARING:
                raise PermissionDeniedError(
                    "Permission Error: This session is to be confined and is not locked yet: it only attaches catalogs"
                    " and sets settings. The statement was not run.",
                    hint="Say SET lock_configuration = true when all that it is given is attached.",
                )
            return
        if not self.is_confined:
            return
        is_permitted = type(statement) in permissions.STATEMENTS
        if isinstance(statement, statements.Pragma):
            is_permitted = fold(statement.name) in permissions.PRAGMAS
        if isinstance(statement, statements.Explain):
            self.check_statement(statement.statement)
        if isinstance(statement, statements.Checkpoint):
            self.lasting.check_may_maintain("CHECKPOINT")
        if not is_permitted:
            raise denial(f"{permissions.statement_words(type(statement).__name__)} is not permitted")

    def check_new_schema(self, name: str) -> None:
        """Refuse to make a schema that would take what others write into private tables.

        A schema of the catalog in use comes before the private catalogs of a session.

        Raises:
            PermissionDeniedError: Every session has something of its own under the name.
        """
        if self.is_confined and fold(name) in _NAMES_OF_ALL_SESSIONS:
            raise PermissionDeniedError(
                f'Permission Error: Schema "{name}" was not created: sessions have something of their own so called.',
                hint="Take another name.",
            )

    def check_dialect(self, dialect: str) -> None:
        """Refuse Spark's own language, which reads whatever Spark can.

        Raises:
            PermissionDeniedError: The session is confined, or will be.
        """
        if dialect == "spark" and (self.is_confined or self._awaits_lock):
            raise denial("Spark's own SQL is not permitted")

    def check_catalog_function(self, name: str) -> None:
        """Refuse a catalog function; its name is without ``ducklake_``.

        Raises:
            PermissionDeniedError: It is not permitted.
        """
        if not self.is_confined:
            return
        if name in permissions.MAINTENANCE:
            self.lasting.check_may_maintain(f'Function "ducklake_{name}"')
        elif name not in permissions.FUNCTIONS:
            raise denial(f'Function "ducklake_{name}" is not permitted', subject=self._subject)

    def check_system_function(self, name: str, arguments: Sequence[Any] = ()) -> None:
        """Refuse a function that belongs to no catalog, or the files that it names.

        Raises:
            PermissionDeniedError: It is not permitted, or not for these files.
        """
        if not self.is_confined or name in permissions.LISTINGS:
            return
        if name not in permissions.FILE_FUNCTIONS:
            raise denial(
                f'Table Function with name "{name}" does not exist, or is not permitted', subject=self._subject
            )
        for given in arguments:
            self.check_files(given if isinstance(given, list) else [given])

    # ---- files -------------------------------------------------------------------------------------------------------

    def check_files(self, patterns: Sequence[Any]) -> None:
        """Refuse paths and patterns that lead out of the session's directories.

        Raises:
            PermissionDeniedError: One does.
        """
        if self.is_confined:
            check_readable([one for one in patterns if isinstance(one, str)], self._directories())

    def may_be_file(self, name: str) -> bool:
        """Return whether the name of a table may be looked for among files."""
        if not self.is_confined:
            return True
        return ("/" in name or "." in name) and is_readable(name, self._directories())

    def check_place(self, path: str) -> None:
        """Refuse to look at a place outside of the session's directories.

        Raises:
            PermissionDeniedError: It lies outside.
        """
        self.check_target(path, is_directory=True, may_replace=False)

    def check_target(self, path: str, *, is_directory: bool, may_replace: bool) -> None:
        """Refuse to write outside of the session's directories, or over a file.

        Args:
            path: The file, or the directory of new files.
            is_directory: Which of them it is.
            may_replace: Whether files in the directory might be replaced.

        Raises:
            PermissionDeniedError: It is one of these, or lies where a schema may have its files.
            QuotaError: It lies in the directory of a catalog with a quota.
        """
        if not self.is_confined:
            return
        check_target(path, self._directories(for_writing=True), is_directory=is_directory)
        self._check_in_catalogs(path)
        if is_directory and may_replace:
            raise denial("Files are not replaced; say APPEND, without a FILENAME_PATTERN")

    def _check_in_catalogs(self, path: str) -> None:
        """Refuse a file that a quota would not count, or in the way of tables.

        A quota counts what tables have.
        """
        for runtime, catalog, directory in self._own_directories(for_writing=True):
            if not is_below(path, [directory], may_be_it=True):
                continue
            check_beside_schemas(path, directory)
            if has_quota(runtime, catalog):
                name = last_name(runtime.store, catalog)
                raise QuotaError(
                    f'"{path}" was not written: it lies in the directory of catalog "{name}",'
                    " which has a quota, and a quota counts no files but those of tables.",
                    hint="Insert the rows into a table, or write to another directory of the session.",
                )

    def check_end(self, suffix: object) -> None:
        """Refuse a file of text that might pass for one of another format.

        Raises:
            PermissionDeniedError: It might.
        """
        if self.is_confined and str(suffix)[-1:].isalnum():
            raise denial("SUFFIX ends in no letter and no digit")

    def _directories(self, *, for_writing: bool = False) -> list[str]:
        found = list(self._terms.directories)
        return [*found, *(directory for _, _, directory in self._own_directories(for_writing=for_writing))]

    def _own_directories(self, *, for_writing: bool) -> Iterator[tuple[Runtime, CatalogId, str]]:
        """Yield the directories of the session's catalogs."""
        by_lake: dict[str, tuple[Lake, set[CatalogId]]] = {}
        for lake, catalog, read_only in self._reachable():
            # What was given at a snapshot has later files beside it.
            if not is_past(catalog) and not (for_writing and read_only):
                by_lake.setdefault(runtime_of(lake).key, (lake, set()))[1].add(catalog.catalog_id)
        for lake, catalogs in by_lake.values():
            runtime = runtime_of(lake)
            for catalog_id, directory in catalog_directories(runtime.store, runtime.lake_path, catalogs).items():
                yield runtime, catalog_id, directory

    # ---- catalogs ----------------------------------------------------------------------------------------------------

    def _reachable(self) -> Iterator[tuple[Lake, Catalog, bool]]:
        """Yield the session's catalogs, each with its lake and whether it is read-only.

        If one was given several times, the widest comes first.
        """
        given = self._given or ()
        for attached in sorted(given, key=lambda one: (is_past(one.catalog), one.read_only)):
            yield attached.lake, attached.catalog, attached.read_only
        for lake, catalog in self.forks.all():
            yield lake, self.lasting.sign(Catalog(runtime_of(lake), catalog)), False

    def _of_lake(self, lake: Lake) -> Iterator[tuple[Catalog, bool]]:
        key, seen = runtime_of(lake).key, set()
        for other, catalog, read_only in self._reachable():
            if runtime_of(other).key == key and catalog.catalog_id not in seen:
                seen.add(catalog.catalog_id)
                yield catalog, read_only

    def catalog(self, lake: Lake, name: str) -> Catalog:
        """Return a catalog of a lake by its name.

        Raises:
            NotFoundError: There is none, or none that the session has.
        """
        if not self.is_confined:
            return lake.catalog(name)
        known: list[str] = []
        for catalog, _ in self._of_lake(lake):
            with suppress(CatalogDroppedError):
                known.append(catalog.name)
                if fold(known[-1]) == fold(name):
                    return catalog
        near = nearest(name, known)
        raise NotFoundError(f'Catalog "{name}" does not exist.', hint=f'Did you mean "{near}"?' if near else None)

    def own_catalog(self, lake: Lake, name: str, action: str) -> Catalog:
        """Return a catalog whose life the session may change: any, or a fork that it made.

        Raises:
            NotFoundError: There is none, or none that the session has.
            PermissionDeniedError: It was given to the session.
        """
        found = self.catalog(lake, name)
        self.forks.check_own(lake, found.catalog_id, action)
        return found

    def catalogs(self, lake: Lake) -> list[Catalog] | None:
        """Return the live catalogs of a lake that the session has; None if it has all."""
        if not self.is_confined:
            return None
        return [catalog for catalog, _ in self._of_lake(lake) if catalog.inspect.is_live]

    def check_parent(self, lake: Lake, catalog: Catalog) -> None:
        """Refuse to look at the parent of a catalog as it is now.

        Raises:
            NotFoundError: The session does not have it, or has it at a snapshot only.
        """
        if not self.is_confined:
            return
        parent = catalog.inspect.parent
        known = [one.catalog_id for one, _ in self._of_lake(lake) if not is_past(one)]
        if parent is not None and parent.catalog_id not in known:
            raise NotFoundError("The parent of the catalog was not given to this session; nothing was done.")

    # ---- ATTACH ------------------------------------------------------------------------------------------------------

    def check_attach(self, options: Mapping[str, Any]) -> None:
        """Refuse an ATTACH that would make or open something.

        Raises:
            PermissionDeniedError: It would.
        """
        if self.is_confined:
            unknown = next((name for name in options if name not in permissions.ATTACH_OPTIONS), None)
            if unknown is not None:
                raise denial(f"The option {unknown.upper()} of ATTACH is not permitted")

    def home(self) -> Lake | None:
        """Return the lake of an ATTACH without a path; None if there is none."""
        if self._attachments.home is not None or not self.is_confined:
            return self._attachments.home
        lakes = {runtime_of(lake).key: lake for lake, _, _ in self._reachable()}
        return next(iter(lakes.values())) if len(lakes) == 1 else None

    def open_lake(self, key: str) -> Lake | None:
        """Return the lake of a confined session by its key; None if it is not confined.

        Raises:
            NotFoundError: No catalog of it was given.
        """
        if not self.is_confined:
            return None
        found = next((lake for lake, _, _ in self._reachable() if runtime_of(lake).key == key), None)
        if found is None:
            raise NotFoundError("No lake of that path was given to this session; nothing was attached.")
        return found

    def attachable_catalog(self, lake: Lake, wanted: str | CatalogId | None) -> Catalog:
        """Return a catalog that a confined session may attach.

        It is one that the session has as it is now, not at a snapshot.

        Args:
            lake: The lake.
            wanted: Its name or id; None for the only one.

        Raises:
            NotFoundError: It does not have it, in the words for one that does not exist.
            InvalidInputError: It has several, and none was named.
        """
        mine = [one for one in self.catalogs(lake) or [] if not is_past(one)]
        if wanted is None and len(mine) != 1:
            raise InvalidInputError("CATALOG is required. Please provide CATALOG when attaching the database.")
        for one in mine:
            is_named = isinstance(wanted, str) and fold(one.name) == fold(wanted)
            if wanted is None or is_named or one.catalog_id == wanted:
                return one
        raise missing_catalog_error(wanted)

    def is_read_only(self, lake: Lake, catalog: Catalog) -> bool:
        """Return whether a catalog of a confined session was given to read."""
        return any(one.catalog_id == catalog.catalog_id and read_only for one, read_only in self._of_lake(lake))

    # ---- what is shown -----------------------------------------------------------------------------------------------

    def conceal(self, rows: Rows) -> Rows:
        """Return rows without what a confined session is not shown: keys of files."""
        hidden = {place for place, field in enumerate(rows.columns) if field.name in permissions.CONCEALED}
        if not self.is_confined or not hidden:
            return rows
        return Rows(
            rows.columns,
            [tuple(None if place in hidden else value for place, value in enumerate(row)) for row in rows.rows],
        )

    def conceal_names(self, error: ForklakeError, text: str) -> None:
        """Take the names of ancestors that were not given out of an error.

        A name that the statement itself wrote is told back in errors over names, as that of no catalog would be:
        else a guess could be tried.

        Args:
            error: The error.
            text: The statements as they were written.
        """
        if not self.is_confined:
            return
        tells_back = type(error) in (NotFoundError, AlreadyExistsError) or _OVER_NAMES.match(error.message)
        for name in self._foreign_ancestors():
            if tells_back and fold(name) in fold(text):
                continue
            error.message = error.message.replace(f'"{name}"', "another catalog")
            if isinstance(error.advice, str):
                error.advice = error.advice.replace(f'"{name}"', "another catalog")
        error.args = (error.message, *error.args[1:])

    def _foreign_ancestors(self) -> set[str]:
        names, own = set(), set()
        for lake, catalog, _ in self._reachable():
            with suppress(ForklakeError):
                runtime, above = runtime_of(lake), catalog.inspect.parent
                own.add(catalog.name)
                names |= {last_name(runtime.store, owner) for owner in version_of(catalog).owners}
                while above is not None:  # copies have their parents no more, quotas do
                    names.add(above.name)
                    above = Catalog(runtime, above.catalog_id).inspect.parent
        return {name for name in names if name and name not in own}


def terms_of(confined: bool | Confinement) -> Confinement | None:
    """Return the terms of a session that will be confined; None if it will not be.

    Raises:
        ConfigError: They are no terms.
    """
    if isinstance(confined, Confinement):
        return confined
    if not isinstance(confined, bool):
        raise ConfigError(f"confined is True, False or a Confinement, not {confined!r}; there is no session.")
    return Confinement() if confined else None


def missing_catalog_error(wanted: Any) -> NotFoundError:
    """Return the error for an ATTACH of a catalog, by name or id, that does not exist."""
    which = f"with id {wanted}" if isinstance(wanted, int) and not isinstance(wanted, bool) else f"'{wanted}'"
    return NotFoundError(f"Catalog {which} does not exist")
