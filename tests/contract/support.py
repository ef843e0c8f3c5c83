"""What several contract tests share."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from forklake import Catalog, Lake, NewDataFile, NewDeleteFile, Snapshot

NOBODY = 65534


def data_file(name: str, rows: int = 10) -> NewDataFile:
    return NewDataFile(f"{name}.parquet", rows, rows * 10)


def delete_file(data_file_id: int, name: str, rows: int = 1) -> NewDeleteFile:
    return NewDeleteFile(data_file_id, f"{name}.parquet", rows, 10)  # type: ignore[arg-type]


def names(catalog: Catalog) -> list[str]:
    """Return the names of the tables."""
    return [table.name for table in catalog.tables()]


def file_names(catalog: Catalog, table: str) -> list[str]:
    """Return the file names of a table, without their directories."""
    return [file.path.rsplit("/", 1)[1].removesuffix(".parquet") for file in catalog.table(table).storage.files()]


def last(catalog: Catalog) -> Snapshot:
    """Return the newest snapshot."""
    return catalog.snapshots()[-1]


def rows(lake: Lake, sql: str, **params: Any) -> list[tuple[Any, ...]]:
    """Ask the metadata database itself; table names are written ``forklake.x``."""
    return lake._runtime.store.query(sql, **params)


@contextmanager
def counted(lake: Lake) -> Iterator[list[str]]:
    """Provide the statements that sessions of the lake run."""
    store: Any = lake._runtime.store
    found: list[str] = []
    reading = store.reading

    @contextmanager
    def recording() -> Iterator[Any]:
        with reading() as session:
            query = session.query

            def record(sql: str, /, **params: Any) -> list[Any]:
                found.append(sql)
                rows: list[Any] = query(sql, **params)
                return rows

            session.query = record
            yield session

    store.reading = recording
    try:
        yield found
    finally:
        del store.reading


def state(lake: Lake) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of the tables that say what exists, to see that a refused request left nothing behind."""
    tables = ("catalog", "head", "segment", "tombstone", "snapshot", "snapshot_changes", "metadata", "schema", "table")
    return {
        name: sorted(rows(lake, f"SELECT * FROM forklake.ducklake_{name}"), key=repr)
        for name in (*tables, "column", "data_file", "delete_file", "table_stats", "snapshot_lineage")
    }


def each(*attempts: Callable[[], object]) -> tuple[Callable[[], object], ...]:
    """Return calls to try one after the other."""
    return attempts


class Child:
    """A process of its own that runs Python code once it is told to, so that several start at one moment."""

    def __init__(self, code: str, *arguments: str) -> None:
        wait = "import sys\nprint('ready', flush=True)\nsys.stdin.readline()\n"
        imports = "import forklake\nfrom forklake import Lake, NewDataFile, errors\n"
        self._process = subprocess.Popen(
            [sys.executable, "-c", imports + wait + code, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def go(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def wait_until_ready(self) -> None:
        assert self._process.stdout is not None
        if self._process.stdout.readline() != "ready\n":
            self.result()

    def result(self) -> str:
        """Return what it printed; a traceback fails the test."""
        printed, complaint = self._process.communicate(timeout=120)
        assert self._process.returncode == 0, complaint
        return printed.strip()

    def end(self) -> None:
        """Stop it if it still runs."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()


def run_together(code: str, arguments: Sequence[Sequence[str]]) -> list[str]:
    """Run the code in one process for each list of arguments, all at once, and return what each printed."""
    children = [Child(code, *given) for given in arguments]
    try:
        for child in children:
            child.wait_until_ready()
        for child in children:
            child.go()
        return [child.result() for child in children]
    finally:
        for child in children:
            child.end()


@contextmanager
def unprivileged() -> Iterator[Path]:
    """Give a directory to work in as a user for whom a read-only file is read-only, which it is not for root."""
    with tempfile.TemporaryDirectory(prefix="forklake-") as name:
        is_root = os.geteuid() == 0
        if is_root:
            os.chown(name, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        try:
            yield Path(name)
        finally:
            if is_root:
                os.seteuid(0)
