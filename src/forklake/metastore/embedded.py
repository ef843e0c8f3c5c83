"""The common part of stores in a local file.

Such a store allows one write transaction at a time and has no stored functions.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from forklake.config import Clock, Settings
from forklake.metastore import new_catalogs, procedures
from forklake.metastore.schema.products import Product
from forklake.metastore.schema.upgrade_script import upgrade_script
from forklake.metastore.store import Guard, Session, Store
from forklake.metastore.unwritable_file import is_unwritable
from forklake.model.commit import CommitRequest, CommitResult
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lives import Terms
from forklake.model.placement import ForkResult, NewFork, Placement

_LOG: Final = logging.getLogger("forklake.catalog")
_BESIDE: Final = ("-wal", "-shm", "-journal", ".wal")
"""What SQLite and DuckDB add to the name of the file for those beside it."""
_PRIVATE: Final = 0o600


class EmbeddedStore(Store):
    """A lake in one file; its clock is that of the process.

    Where nothing can be written it is only read.
    """

    def __init__(self, path: Path, settings: Settings) -> None:
        self._path = path.absolute()
        self._is_unwritable = is_unwritable(self._path)
        self.settings = settings

    @property
    def location(self) -> str:
        """The file."""
        return str(self._path)

    @property
    def is_embedded(self) -> bool:
        """True."""
        return True

    def keep_private(self) -> None:
        """Let nobody but the owner of the file read it, and those beside it.

        SQLite makes those beside it as the file is; DuckDB does not.
        """
        for path in (self._path, *(self._path.with_name(f"{self._path.name}{end}") for end in _BESIDE)):
            try:
                path.chmod(_PRIVATE)
            except FileNotFoundError:
                continue
            except OSError as error:
                _LOG.warning('The file "%s" holds keys, and others may read it: %s', path, error.strerror)

    def home(self) -> str:
        """Return the path of the file."""
        return str(self._path)

    @property
    def default_data_path(self) -> str | None:
        """A directory beside the file, as DuckLake has it."""
        return f"{self._path}.files/"

    def commit(self, commit: CommitRequest, guards: Sequence[Guard] = ()) -> CommitResult:
        """Commit in one transaction."""
        self.step("commit: before the call")
        with self.writing() as session:
            procedures.run_guards(session, commit, guards)
            result = procedures.commit(session, commit, self.step)
            self.step("commit: before the end")
        self.step("commit: done")
        return result

    def fork(
        self,
        parent: CatalogId,
        at: SnapshotId | None,
        forks: Sequence[NewFork],
        placement: Placement,
        terms: Terms,
    ) -> ForkResult:
        """Fork in one transaction."""
        self.step("fork: before the call")
        with self.writing() as session:
            result = new_catalogs.fork(session, parent, at, forks, placement, terms, self.step)
            self.step("fork: before the end")
        self.step("fork: done")
        return result


class EmbeddedSession(Session):
    """A transaction on a file.

    Only one transaction writes at a time, so no locks on catalogs are needed.
    """

    product: Product

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def now(self) -> datetime:
        """Return the time of the process."""
        return self._clock.now()

    def lock_shared(self, catalog: CatalogId) -> None:
        """Do nothing: the only writer needs no lock."""

    def lock_alone(self, catalog: CatalogId) -> None:
        """Do nothing: the only writer needs no lock."""

    def lock_quota(self, catalog: CatalogId) -> None:
        """Do nothing: the only writer needs no lock."""

    def lock_writers(self) -> None:
        """Do nothing: the only writer needs no lock."""

    def upgrade_script(self, version: int, *, trusts: bool = False) -> list[str]:
        """Return the statements; a file has no partitions."""
        return upgrade_script(self.product, version, 0, trusts=trusts)
