"""A lake of several tenants with canaries in it, and what counts as harm."""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from forklake import Catalog, Confinement, Connection, Lake
from forklake.errors import ForklakeError, InternalError
from forklake.lake.internals import runtime_of
from forklake.metastore.schema.sections import TABLES
from forklake.model.ids import THE_LAKE

VALUES = ("canary-row", "canary-late", "canary-file", "canary-deep", "canary-env", "canary-program")
"""What no statement may tell, whatever it says.

Values of rows and files, a file that no trick names, a variable of the environment and one of the program.
"""
NAMES = ("moneybox", "ledger", "latecomer", "beacon", "canary-name")
"""What no statement may tell that does not say it: a catalog, two tables and a tag of others, and files."""
AUTHOR = "giver of the guest"

purse = pa.table({"s": ["canary-program"]})
"""A frame of the calling program that sessions do not find."""


@dataclass
class World:
    """``depot`` with its forks ``guest`` and ``moneybox``; depot and moneybox went on after guest was forked.

    Tricks are played in forks of ``guest``, each in place of it. Nothing else of the lake may change.
    """

    lake: Lake
    directory: Path
    store: Path | None
    """The file of the metadata, if it is one."""
    _watched: tuple[int, ...]
    """The ids of the catalogs that may not change, ``guest`` first, and of the lake itself."""
    _watcher: sqlite3.Connection | None = None
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _seen: tuple[int | None, tuple[Catalog, ...], str] = (None, (), "")

    # ---- making ------------------------------------------------------------------------------------------------------

    @classmethod
    def make(cls, lake: Lake, directory: Path, store: Path | None = None) -> World:
        """Return a world in an empty lake whose files and whose own file lie below a directory."""
        outside = directory / "outside"
        outside.mkdir()
        depot = lake.create_catalog("depot")
        depot.sql("CREATE TABLE goods (i INTEGER, s VARCHAR); INSERT INTO goods VALUES (1, 'shared'), (2, 'shared')")
        depot.sql("CREATE VIEW seen AS FROM goods; CREATE MACRO twice(x) AS x * 2")
        (outside / "deep").mkdir()
        for name in ("canary-name.parquet", "deep/canary-deep.parquet"):
            pq.write_table(pa.table({"s": ["canary-file"]}), outside / name)
        (outside / "of-the-owner.csv").write_text("s\ncanary-file\n")
        (outside / "canary-name.csv").write_text("s\ncanary-file\n")
        (outside / "canary-name.json").write_text('{"s": "canary-file"}\n')
        (outside / "canary-name.sql").write_text("SELECT 'canary-file' AS s;\n")
        # Definitions of the owner, who reaches further.
        depot.sql(f"CREATE VIEW wide AS FROM '{outside}/of-the-owner.csv'")
        depot.sql(f"CREATE MACRO wider() AS TABLE FROM read_csv('{outside}/of-the-owner.csv')")
        guest = depot.fork("guest")
        guest.sql("CREATE TABLE t (i INTEGER, s VARCHAR); INSERT INTO t VALUES (1, 'mine'), (2, 'mine')")
        guest.sql("CREATE VIEW v AS FROM t; CREATE SCHEMA own; CREATE TABLE own.u AS FROM t")
        depot.sql("CREATE TABLE latecomer (i INTEGER, s VARCHAR); INSERT INTO latecomer VALUES (1, 'canary-late')")
        depot.sql("INSERT INTO goods VALUES (3, 'canary-late')")
        moneybox = depot.fork("moneybox")
        moneybox.options.set("data_inlining_row_limit", 5)
        moneybox.sql("CREATE TABLE inlined (i INTEGER, s VARCHAR); INSERT INTO inlined VALUES (1, 'canary-row')")
        moneybox.options.set("data_inlining_row_limit", 0)
        moneybox.sql("CREATE TABLE ledger (i INTEGER, s VARCHAR); INSERT INTO ledger VALUES (1, 'canary-row')")
        moneybox.sql("CREATE OR REPLACE TABLE t AS FROM ledger; UPDATE ledger SET i = 2")
        moneybox.sql("CREATE VIEW sums AS SELECT 'canary-row' AS s; CREATE MACRO tell() AS 'canary-row'")
        moneybox.sql("COMMENT ON TABLE ledger IS 'canary-row'")
        moneybox.tag("beacon", message="canary-row")
        moneybox.set_quota(max_files=1000)
        moneybox.options.set("target_file_size", "7MB")
        gone = depot.fork("moneybox-of-old")
        gone.sql("CREATE TABLE ledger (s VARCHAR); INSERT INTO ledger VALUES ('canary-row')")
        gone.drop()
        os.environ["FORKLAKE_TEST_CANARY"] = "canary-env"
        watched = (guest.catalog_id, THE_LAKE, depot.catalog_id, moneybox.catalog_id, gone.catalog_id)
        return cls(lake, directory, store, watched, None if store is None else sqlite3.connect(store))

    def new_guest(self) -> Catalog:
        """Return another fork of ``guest``, in whose directory links lead elsewhere."""
        made = self.lake.catalog("guest").fork(f"guest{next(self._numbers)}")
        made.sql("INSERT INTO t VALUES (3, 'mine'); CREATE TABLE its AS FROM t")
        place = self.place(made.name)
        os.makedirs(place, exist_ok=True)
        os.symlink(self.place("moneybox"), f"{place}/link")
        os.symlink(self.directory / "outside" / "canary-name.parquet", f"{place}/linked.parquet")
        return made

    @contextmanager
    def session(self, guest: Catalog, **terms: Any) -> Iterator[Connection]:
        """Open a session that is given a guest, to change."""
        with guest.session(confined=Confinement(author=AUTHOR, **terms)) as session:
            yield session

    @contextmanager
    def reader(self, guest: Catalog) -> Iterator[Connection]:
        """Open a session that is given a guest to read, and ``depot`` as it was when guest was forked."""
        pin = self.lake.catalog("guest").inspect.info.parent_snapshot_id
        with self.lake.connect(confined=Confinement(author=AUTHOR)) as session:
            session.sql(f"ATTACH 'ducklake:' AS {guest.name} (CATALOG '{guest.name}', READ_ONLY); USE {guest.name}")
            session.sql(f"ATTACH 'ducklake:' AS old (CATALOG 'depot', SNAPSHOT_VERSION {pin})")
            session.sql("SET lock_configuration = true")
            yield session

    def place(self, name: str) -> str:
        """Return the directory of a catalog."""
        return str(self.lake.catalog(name).inspect.info.data_path).rstrip("/")

    def fill(self, text: str, guest: str, other: str = "moneybox") -> str:
        """Return a trick with the names of a guest and of another catalog, and of their places."""
        catalog = self.lake.catalog(other)
        place, own = self.place(other), self.place(guest)
        known = {
            "me": guest,
            "other": other,
            "near": other[:-1],
            "table": "ledger" if other == "moneybox" else "latecomer",
            "id": catalog.catalog_id,
            "snapshot": catalog.head,
            "uuid": catalog.inspect.info.uuid,
            "own": own,
            "OWN": own.upper(),
            "theirs": place,
            "THEIRS": place.upper(),
            "way": os.path.relpath(place, own),
            "from_here": os.path.relpath(place, self.directory),
            "store": self.store or "lake.db",
            "dir": self.directory,
            "out": self.directory / "outside",
            "file": self.directory / "outside" / "canary-name.parquet",
        }
        return re.sub(r"\{(\w+)\}", lambda found: str(known.get(found[1], found[0])), text)

    # ---- harm --------------------------------------------------------------------------------------------------------

    def state(self, *more: Catalog) -> tuple[Any, ...]:
        """Return all that others could notice: metadata rows, and hashes of files.

        Args:
            more: Guests whose rows and files must not change either.
        """
        return self._metadata(*more), self._files(*more)

    def glance(self, *more: Catalog) -> tuple[Any, ...]:
        """Return nearly the same, at less cost: files by size, time and place, and of a server no rows."""
        return "" if self._watcher is None else self._metadata(*more), self._files(*more, is_glance=True)

    def _files(self, *more: Catalog, is_glance: bool = False) -> tuple[Any, ...]:
        watched = {"guest", *(one.name for one in more)}
        found: list[Any] = []
        for where, folders, names in os.walk(self.directory):
            # Directories of guests are theirs.
            folders[:] = sorted(one for one in folders if not one.startswith("guest") or one in watched)
            for name in sorted(names):
                path = os.path.join(where, name)
                if name.startswith("lake.db") or os.path.islink(path):
                    continue
                known = os.stat(path)
                shown: Any = (known.st_size, known.st_mtime_ns, known.st_ino)
                found.append((path, shown if is_glance else hashlib.sha256(Path(path).read_bytes()).hexdigest()))
        return tuple(found)

    def _metadata(self, *more: Catalog) -> str:
        """Return a hash of the rows of all others, and of new catalogs that no guest made."""
        version = self._data_version()
        if version is not None and version == self._seen[0] and more == self._seen[1]:
            return self._seen[2]
        digest = hashlib.sha256()
        watched = sorted({*self._watched, *(one.catalog_id for one in more)})
        ids = ", ".join(str(int(one)) for one in watched)
        with runtime_of(self.lake).store.reading() as session:
            for table in TABLES:
                if table.name == "ducklake_due":  # whoever drops a fork says that its parent may have dead rows
                    continue
                rows = session.query(f"SELECT * FROM forklake.{table.name} WHERE catalog_id IN ({ids})")
                digest.update(f"{table.name}: {sorted(map(repr, rows))}".encode())
            parents = ", ".join(str(int(one)) for one in self._watched if one != self._watched[0])
            strays = session.query(
                f"SELECT catalog_id, catalog_name FROM forklake.ducklake_catalog WHERE catalog_id NOT IN ({ids})"
                f" AND (parent_catalog_id IS NULL OR parent_catalog_id IN ({parents})) ORDER BY 1"
            )
            digest.update(repr(strays).encode())
        self._seen = version, more, digest.hexdigest()
        return self._seen[2]

    def _data_version(self) -> int | None:
        """Return a number that changes with the file of the metadata; None if it is no file."""
        if self._watcher is None:
            return None
        return int(self._watcher.execute("PRAGMA data_version").fetchone()[0])

    def newest_snapshot(self) -> int:
        """Return the newest snapshot of all catalogs."""
        with runtime_of(self.lake).store.reading() as session:
            return int(session.query("SELECT max(snapshot_id) FROM forklake.ducklake_snapshot_changes")[0][0])

    def authors_since(self, snapshot: int) -> set[str | None]:
        """Return the authors of all snapshots after one."""
        with runtime_of(self.lake).store.reading() as session:
            found = session.query(
                "SELECT DISTINCT author FROM forklake.ducklake_snapshot_changes WHERE snapshot_id > :s", s=snapshot
            )
        return {author for (author,) in found}

    def leaks(self, told: str, said: str) -> list[str]:
        """Return what was told and must not be: values, and names that were not said."""
        told, said = told.lower(), said.lower()
        return [one for one in VALUES if one in told] + [one for one in NAMES if one in told and one not in said]


def attempt(session: Connection, text: str) -> str:
    """Return all that a text tells: rows and columns of each statement, or the error and its hint."""
    try:
        found = (result for result in session.results(text) if result is not None)
        return "; ".join(f"{result.columns} {result.rows()}" for result in found)
    except InternalError:
        raise
    except ForklakeError as error:
        return f"{type(error).__name__}: {error}"


def is_refused(told: str) -> bool:
    """Return whether an answer is an error."""
    return re.match(r"\w+Error: ", told) is not None
