"""Every error that forklake raises.

    ForklakeError
    ├── InvalidInputError            the request itself is wrong; nothing was attempted
    │   ├── InvalidNameError         an empty, too long or unstorable name
    │   └── InvalidPathError         a path that escapes, overlaps or is not set
    ├── NotFoundError                a named thing does not exist (for this catalog, at this snapshot)
    │   ├── CatalogDroppedError      the catalog of a handle or a session was dropped
    │   │   └── CatalogLapsedError   it is past its lifetime, and about to be dropped
    │   └── SnapshotNotFoundError    a snapshot that never existed, is expired, or is outside the lineage
    │       └── SnapshotExpiredError one that was expired while it was read; it can be tried again
    ├── AlreadyExistsError           a name is taken
    ├── QuotaError                   a quota allows no more; nothing was done
    ├── PermissionDeniedError        a confined session may not do it; nothing was done
    ├── LimitError                   a statement reached a limit of its session; nothing was committed
    ├── ConflictError                somebody else changed what this change was planned on
    │   ├── CommitConflictError      lists every conflict; nothing was written
    │   ├── MergeConflictError       source and target of a merge changed the same things; nothing was merged
    │   ├── MergeBaseError           two catalogs have no snapshot in common that can be read
    │   └── LeaseLostError           a writer took so long that its files were given up; nothing was committed
    ├── CommitContentionError        too many others committed first; nothing was written, try again
    ├── CommitUnknownError           the connection was lost and could not be regained to ask
    ├── MetastoreError               the metadata database
    │   ├── MetastoreUnavailableError  not reachable, timed out, locked: trying again can help
    │   ├── MetastoreRefusedError    the login, the database or the rights are wrong, read-only, full, closed
    │   ├── MetastoreVersionError    not initialised, or of another version
    │   └── MetastoreCorruptError    not a metadata database, or damaged
    ├── DataFileError                a data file or its encryption key is missing or damaged
    ├── EngineError                  Spark could not be started, or a job failed or was interrupted
    ├── IncompleteError              some of several tables failed; what was done of the others stays
    ├── ConfigError                  a URL, option or environment that cannot be used
    │   └── NotInstalledError        it needs PySpark, psycopg or another package that is not installed
    └── InternalError                a mistake of forklake's own

Each class has a stable ``code``, says whether trying again can help (``retryable``), and carries a
``hint`` for the user where there is one. The hint names Python calls, unless the user works in SQL or
on the command line. Driver exceptions leave ``forklake.metastore`` only wrapped, and Spark's exceptions
``forklake.engine``; the original is chained.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, ClassVar, Literal, assert_never

from forklake.model.fork_merge import MergeConflict
from forklake.model.hint import (
    AllowExisting,
    ChooseSide,
    CommitAgain,
    ForkAgain,
    GiveMessage,
    Hint,
    ImportCatalog,
    ListCatalogs,
    ListSnapshots,
    ListTags,
    LookAtDropped,
    NameById,
    RenewCatalog,
    SetDataPath,
    Teller,
    UndropCatalog,
    UpgradeLake,
)


def in_python(hint: Hint) -> str:
    """Return the text of a hint for users of the Python API."""
    match hint:
        case ListCatalogs(prefix, None):
            return f"`lake.catalogs({f'prefix={prefix!r}' if prefix else ''})` lists the catalogs of the lake."
        case ListCatalogs(_, at):
            when = f"datetime.fromisoformat({at.isoformat()!r})" if isinstance(at, datetime) else at
            return f"`lake.catalogs(at={when})` lists the catalogs that there were."
        case ListSnapshots():
            return "`catalog.snapshots()` lists the versions of the catalog."
        case ListTags():
            return "`catalog.tags()` lists the tags of its versions."
        case UndropCatalog(catalog_id):
            return f"`lake.undrop_catalog({catalog_id})` brings it back."
        case RenewCatalog(name):
            return f'`lake.catalog({name!r}).renew("2h")` gives it more time, until it is dropped.'
        case NameById(catalog_id):
            return f"Say which by its id: `lake.undrop_catalog({catalog_id})`, or `lake.purge({catalog_id})`."
        case AllowExisting():
            return "Use if_not_exists=True to return the existing catalog."
        case ForkAgain():
            return "Look whether it is there, or fork one name again with if_not_exists=True."
        case SetDataPath():
            return '`forklake.open(url, data_path="...")` sets it, once; it is kept.'
        case GiveMessage():
            return 'Give the transaction a message: `catalog.transaction(message="...")`.'
        case CommitAgain(commit_key):
            return f'Commit again with commit_key="{commit_key}": a commit that happened is found and not repeated.'
        case ChooseSide():
            return 'Choose a side with strategy="ours" or "theirs", or change one of them first.'
        case LookAtDropped(schema, name, story, snapshot):
            # A name that is given with its schema is not split.
            within = "" if schema == "main" and not {".", '"'} & {*name} else f", schema={schema!r}"
            call = f"catalog.at({snapshot}).table({name!r}{within})"
            return story if snapshot is None else f"{story} `{call}` is the table as it was."
        case UpgradeLake():
            return "Make a backup, then `forklake.upgrade(url)` brings it to the version of this release."
        case ImportCatalog(url, schema):
            within = "" if schema is None else f", metadata_schema={schema!r}"
            call = f'forklake.open("lake.db").import_catalog("name", {url!r}{within})'
            return f"`{call}` makes a catalog of it, and copies no data."
    assert_never(hint)


class ForklakeError(Exception):
    """The root of all errors; catch it to catch everything forklake raises.

    Attributes:
        message: What is wrong, and what was not done.
        advice: What to do about it: a text that is the same everywhere, or a value that Python, SQL and the
            command line each put into their own words.
    """

    code: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: Hint | str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.advice = hint
        self._teller: Teller | None = None

    def __str__(self) -> str:
        hint = self.hint
        return self.message if hint is None else f"{self.message}\nHint: {hint}"

    @property
    def hint(self) -> str | None:
        """What to do about it, in the words of the interface that the user works with."""
        if self.advice is None or isinstance(self.advice, str):
            return self.advice
        return (self._teller or in_python)(self.advice)

    def __reduce__(self) -> tuple[Callable[..., ForklakeError], tuple[object, ...]]:
        # Errors go from process to process; some classes take more than a message.
        return _unpickle, (type(self), self.args, self.__dict__)

    def tell_by(self, teller: Teller) -> None:
        """Phrase the hint for one interface: Python, SQL or the command line.

        The first call wins: the first interface that an error passes is the one the user works with.
        """
        self._teller = self._teller or teller


def _unpickle(kind: type[ForklakeError], arguments: tuple[object, ...], state: dict[str, object]) -> ForklakeError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(state)
    return error


class InvalidInputError(ForklakeError):
    """The request is wrong in itself; nothing was attempted."""

    code = "invalid_input"
    exit_code = 2


class InvalidNameError(InvalidInputError):
    """A name that is empty, too long, reserved or cannot be stored."""

    code = "invalid_name"


class InvalidPathError(InvalidInputError):
    """A data path that is missing, malformed, or overlaps another catalog's directory."""

    code = "invalid_path"


class NotFoundError(ForklakeError):
    """The named thing does not exist for this catalog at this snapshot."""

    code = "not_found"
    exit_code = 3


class CatalogDroppedError(NotFoundError):
    """The catalog of a handle, transaction or session was dropped.

    Nothing was done.
    """

    code = "catalog_dropped"

    def __init__(self, message: str, *, catalog_id: int, hint: Hint | str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.catalog_id = catalog_id


class CatalogLapsedError(CatalogDroppedError):
    """The catalog is past its lifetime, and refuses commits and forks.

    It can still be read and renewed. Nothing was done.
    """

    code = "catalog_lapsed"


class QuotaError(ForklakeError):
    """A quota does not allow it; nothing was done."""

    code = "quota"
    exit_code = 14


class PermissionDeniedError(ForklakeError):
    """A confined session may not do it; nothing was done."""

    code = "permission_denied"
    exit_code = 15


class LimitError(ForklakeError):
    """A statement reached a limit of its session, or of what it may become.

    It has ended, and what it changed is not committed.

    Attributes:
        limit: Which limit: ``seconds``, ``rows``, ``bytes`` or ``forks``; of its text ``letters``, ``statements``,
            ``nodes`` or ``grouping sets``.
    """

    code = "limit"
    exit_code = 16

    def __init__(
        self,
        message: str,
        *,
        limit: Literal["seconds", "rows", "bytes", "forks", "letters", "statements", "nodes", "grouping sets"],
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.limit = limit


class SnapshotNotFoundError(NotFoundError):
    """The snapshot never existed, is expired, or lies outside the catalog's lineage."""

    code = "snapshot_not_found"


class SnapshotExpiredError(SnapshotNotFoundError):
    """The snapshot was expired while it was read; nothing was done.

    What reads the newest snapshot can begin again.
    """

    code = "snapshot_expired"
    retryable = True


class AlreadyExistsError(ForklakeError):
    """The name is taken; nothing was created."""

    code = "already_exists"
    exit_code = 4


class ConflictError(ForklakeError):
    """Somebody else changed what this change was planned on; nothing was written."""

    code = "conflict"
    exit_code = 5


class CommitConflictError(ConflictError):
    """A concurrent commit touched the same things; nothing was written.

    The catalog is as it was before the attempt. Data files already written belong to no table and
    are left for clean-up. Running the statement again on the new head is safe.
    """

    code = "commit_conflict"

    def __init__(self, message: str, *, conflicts: Sequence[str] = (), hint: Hint | str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.conflicts = tuple(conflicts) or (message,)


class MergeConflictError(ConflictError):
    """Source and target of a merge both changed the same things; nothing was merged.

    Attributes:
        conflicts: All of them; rows up to 10,000.
    """

    code = "merge_conflict"

    def __init__(self, message: str, *, conflicts: Sequence[MergeConflict], hint: Hint | str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.conflicts = tuple(conflicts)


class MergeBaseError(ConflictError):
    """Two catalogs have no snapshot in common that can be read.

    So they cannot be compared; nothing was done.
    """

    code = "merge_base"


class LeaseLostError(ConflictError):
    """The lease of a writer ran out and was taken away; nothing was committed.

    A search for orphaned files may have deleted what it wrote. Writing the rows again is safe.
    """

    code = "lease_lost"


class CommitContentionError(ForklakeError):
    """Others committed first on every attempt; nothing was written.

    Trying again is safe.
    """

    code = "commit_contention"
    retryable = True
    exit_code = 6


class CommitUnknownError(ForklakeError):
    """The connection was lost during a commit, and its outcome is unknown.

    The commit happened once or not at all. Do not remove the files it names. Running it again with
    the same commit key is safe: a commit that did happen is found and not repeated.
    """

    code = "commit_unknown"
    exit_code = 7

    def __init__(self, message: str, *, commit_key: str | None = None, hint: Hint | str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.commit_key = commit_key


class MetastoreError(ForklakeError):
    """The metadata database failed; the message never contains a password."""

    code = "metastore"
    exit_code = 8


class MetastoreUnavailableError(MetastoreError):
    """The database cannot be reached, is locked, or ran into a time-out.

    Nothing was changed by the failed statement, and trying again can help.
    """

    code = "metastore_unavailable"
    retryable = True


class MetastoreRefusedError(MetastoreError):
    """The database refuses the request; nothing was changed.

    The login is wrong, the database does not exist, rights are missing, it is read-only, the disk is full, or
    the lake is closed. Trying again does not help until somebody has put it right.
    """

    code = "metastore_refused"


class MetastoreVersionError(MetastoreError):
    """The database holds no lake, or one of another version; nothing was changed."""

    code = "metastore_version"


class MetastoreCorruptError(MetastoreError):
    """The file is no metadata database, or it is damaged."""

    code = "metastore_corrupt"


class DataFileError(ForklakeError):
    """A data file or delete file is missing or damaged, or cannot be decrypted.

    The message names the file and the table.
    """

    code = "data_file"
    exit_code = 9


class EngineError(ForklakeError):
    """Spark could not be started, or a job failed or was interrupted.

    Nothing was committed.
    """

    code = "engine"
    exit_code = 10


class IncompleteError(ForklakeError):
    """Some tables of one call failed; what was done of the others stays done.

    Attributes:
        done: What the call would have returned.
        failures: The tables that failed, each with its error.
    """

    code = "incomplete"
    exit_code = 11

    def __init__(self, action: str, failures: Sequence[tuple[str, ForklakeError]], *, done: Sequence[Any] = ()) -> None:
        count = len(failures)
        told = "; ".join(f"{title}: {error.message}" for title, error in failures)
        super().__init__(
            f"{count} {'table was' if count == 1 else 'tables were'} not {action}; the others were: {told}"
        )
        self.done = tuple(done)
        self.failures = tuple(failures)


class ConfigError(ForklakeError):
    """A URL, option or environment that cannot be used."""

    code = "config"
    exit_code = 2


class NotInstalledError(ConfigError):
    """What was asked for needs a package that is not installed.

    Nothing was done. The hint says what to install: ``pip install 'forklake[spark]'``.
    """

    code = "not_installed"


class InternalError(ForklakeError):
    """A mistake of forklake's own; the cause is chained, and nothing was done."""

    code = "internal"
    exit_code = 1


class SharedDataPathWarning(UserWarning):
    """The metadata is a copy that shares its data path with the original."""
