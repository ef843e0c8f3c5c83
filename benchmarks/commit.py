"""Append commits a second, against pgbench with the same SQL, and against one counter row for all."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.databases import Database, Databases, PostgresDatabase
from benchmarks.fork import INSERT, Insert
from benchmarks.measure import WARM_UP_STEPS, Worker, rate
from benchmarks.parents import new_file, table_name
from benchmarks.report import Aim, Figure
from forklake.errors import CommitContentionError
from forklake.metastore.postgres_documents import commit_document
from forklake.metastore.store import Guard
from forklake.model.commit import CommitRequest, CommitResult
from tests.servers import postgres_program


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is done."""

    writers: tuple[int, ...] = (1, 8, 32)
    embedded_writers: tuple[int, ...] = (1, 8)
    rounds: int = 4
    seconds: float = 3.0


_CORES = os.cpu_count() or 1
_NO_LOSS = 0.95
"""More writers are no slower than with pgbench, but for what runs differ."""

QUICK = Sizes(writers=(1, 2), embedded_writers=(2,), rounds=1, seconds=0.2)


def run(databases: Databases, quick: bool) -> list[Figure]:
    """Measure each store."""
    sizes = QUICK if quick else Sizes()
    figures: list[Figure] = []
    for kind in databases.kinds:
        if kind == "postgres":
            figures += _postgres(databases.new_postgres(), databases.directory, sizes)
        else:
            figures += _embedded(databases.new(kind), sizes)
    return figures


def _catalog_name(index: int) -> str:
    return f"tenant-{index}"


def _make_catalogs(database: Database, count: int) -> int:
    """Make a catalog for each writer, ids in a row, and return the first id."""
    with database.open() as lake:
        made = [lake.create_catalog(_catalog_name(index)) for index in range(count)]
        for catalog in made:
            catalog.create_table(table_name(0), {f"c{column}": "BIGINT" for column in range(10)})
        return made[0].catalog_id


class Append(Worker):
    """Appends a file to a table of a catalog again and again."""

    def __init__(self, database: Database, together: bool, index: int) -> None:
        self._lake = database.open()
        self._table = self._lake.catalog(_catalog_name(0 if together else index)).table(table_name(0))
        self._index = index

    def step(self, number: int) -> bool:
        try:
            self._table.storage.append_files([new_file(f"{self._index}-{number}", number)])
        except CommitContentionError:
            return False
        return True

    def close(self) -> None:
        self._lake.close()


def _postgres(database: PostgresDatabase, directory: Path, sizes: Sizes) -> list[Figure]:
    group = "commit on postgres"
    first = _make_catalogs(database, max(sizes.writers))
    database.query("CREATE TABLE benchmark_counter (n bigint) WITH (fillfactor = 10)")
    database.query("INSERT INTO benchmark_counter VALUES (0)")
    script = _recorded(database)
    figures = [
        figure
        for together in (False, True)
        for figure in _rates(group, together, _measured(database, directory, script, first, together, sizes))
    ]
    return figures + _processor_times(group, database, directory, script.text(str(first)), sizes)


@dataclass(slots=True)
class Rates:
    """Commits a second of one number of writers, in each round."""

    ours: list[float] = field(default_factory=list)
    threads: list[float] = field(default_factory=list)
    """Ours, spread over as many processes as pgbench has threads: one for each core."""
    pgbench: list[float] = field(default_factory=list)
    counter: list[float] = field(default_factory=list)


def _measured(
    database: PostgresDatabase, directory: Path, script: Script, first: int, together: bool, sizes: Sizes
) -> dict[int, Rates]:
    """Let everybody write in turn, several times, so that what disturbs the machine disturbs all."""
    catalog = str(first) if together else f"{first} + :client_id"
    plain, counter = script.text(catalog), script.text(catalog, counter=True)
    rates = {writers: Rates() for writers in sizes.writers}
    for _ in range(sizes.rounds):
        for writers, found in rates.items():
            found.pgbench.append(_pgbench(database, directory, plain, writers, sizes.seconds))
            append = partial(Append, database, together)
            found.ours.append(rate(append, writers, sizes.seconds))
            found.threads.append(rate(append, writers, sizes.seconds, _CORES))
            found.counter.append(_pgbench(database, directory, counter, writers, sizes.seconds))
    return rates


def _rates(group: str, together: bool, rates: dict[int, Rates]) -> list[Figure]:
    where = "one catalog" if together else "distinct catalogs"
    same = "pgbench, the same SQL"
    figures = []
    for writers, found in rates.items():
        ours = mean(found.ours)
        name = f"commits a second, {where}, {writers} writer{'s' if writers > 1 else ''}"
        aim = None if together else Aim("at least", 0.6 if writers > 1 else 0.5)
        if writers > _CORES:
            threads = mean(found.threads)
            figures.append(
                Figure(group, f"{name} in {_CORES} processes", threads, "/s", mean(found.pgbench), same, aim)
            )
        figures.append(Figure(group, name, ours, "/s", mean(found.pgbench), same, aim))
        figures.append(Figure(group, name, ours, "/s", mean(found.counter), "pgbench, one counter row for all"))
    fewer, most = sorted(rates)[-2:]
    kept = {
        who: mean(getattr(rates[most], who)) / mean(getattr(rates[fewer], who))
        for who in ("threads", "ours", "pgbench")
    }
    name = f"commits a second, {where}, {most} writers beside {fewer}"
    aim = None if together else Aim("at least", _NO_LOSS)
    figures.append(Figure(group, f"{name}, in {_CORES} processes", kept["threads"], "", kept["pgbench"], same, aim))
    figures.append(Figure(group, name, kept["ours"], "", kept["pgbench"], same, aim))
    return figures


def _processor_times(
    group: str, database: PostgresDatabase, directory: Path, script: str, sizes: Sizes
) -> list[Figure]:
    """Return what a commit of one writer takes of the processor, which others on the machine disturb least."""
    worker = Append(database, False, 0)
    for number in range(WARM_UP_STEPS):
        worker.step(-1 - number)
    ((backend,),) = database.query(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'forklake'"
    )
    count, began = 0, time.perf_counter()
    client, server = time.process_time(), _used_seconds(backend)
    while time.perf_counter() - began < sizes.seconds:
        count += worker.step(count)
    client, server = time.process_time() - client, _used_seconds(backend) - server
    worker.close()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    commits = _pgbench(database, directory, script, 1, sizes.seconds) * max(1, round(sizes.seconds))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    of_pgbench = sum(after[:2]) - sum(before[:2])
    which, reference = "CPU of a commit", "pgbench, the same SQL"
    return [
        Figure(group, f"{which}, client", client / count * 1000, "ms", of_pgbench / commits * 1000, reference),
        Figure(group, f"{which}, server", server / count * 1000, "ms"),
    ]


def _used_seconds(process: int) -> float:
    """Return the processor time of a process."""
    facts = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, facts[11:13])) / os.sysconf("SC_CLK_TCK")


def _embedded(database: Database, sizes: Sizes) -> list[Figure]:
    group = f"commit on {database.kind}"
    _make_catalogs(database, max(sizes.embedded_writers))
    figures = []
    for together in (False, True):
        where = "one catalog" if together else "distinct catalogs"
        for writers in sizes.embedded_writers:
            inserts = rate(partial(Insert, database), writers, sizes.seconds)
            commits = rate(partial(Append, database, together), writers, sizes.seconds)
            name = f"commits a second, {where}, {writers} writer{'s' if writers > 1 else ''}"
            figures.append(Figure(group, name, commits, "/s", inserts, f"{INSERT}, as many writers"))
    return figures


@dataclass(frozen=True, slots=True)
class Script:
    """What one append sends: the query of the head, and the call of the commit with its payload."""

    head: str
    payload: dict[str, Any]

    def text(self, catalog: str, *, counter: bool = False) -> str:
        """Return it as a pgbench script on the catalog that an expression gives."""
        # pgbench takes ":word" for a variable even within quotes; with a space behind the colon it is none.
        before, after = json.dumps(self.payload | {"commit_key": "KEY"}).replace("'", "''").split("KEY")
        call = f"forklake.lake_commit(:catalog, :snapshot_id, CAST('{before}' || :key || '{after}' AS jsonb)) c"
        commit = f"SELECT c.* FROM {call};"
        if counter:
            call = call.replace(":snapshot_id,", ":snapshot_id + 0 * k.n,")
            commit = (
                "WITH k AS (UPDATE benchmark_counter SET n = n + 1 RETURNING n)"
                f" SELECT c.* FROM k CROSS JOIN LATERAL {call};"
            )
        head = f"{self.head}\n\\gset"
        return f"\\set catalog {catalog}\n\\set key random(0, 9000000000000000000)\n{head}\n{commit}\n"


def _recorded(database: PostgresDatabase) -> Script:
    """Return what an append sends once everything that can be kept is kept."""
    queries: list[tuple[str, dict[str, Any]]] = []
    commits: list[CommitRequest] = []
    with database.open() as lake:
        store = lake._runtime.store
        query, original = store.query, store.commit

        def recording_query(sql: str, /, **params: Any) -> list[tuple[Any, ...]]:
            queries.append(store.dialect.render(sql, params))
            return query(sql, **params)

        def recording_commit(commit: CommitRequest, guards: Sequence[Guard] = ()) -> CommitResult:
            commits.append(commit)
            return original(commit, guards)

        store.query = recording_query  # type: ignore[method-assign]
        store.commit = recording_commit  # type: ignore[method-assign]
        catalog = lake.catalog(_catalog_name(0))
        table = catalog.table(table_name(0))
        for number in range(WARM_UP_STEPS):
            queries.clear()
            table.storage.append_files([new_file(f"recorded-{number}", number)])
    ((text, values),) = queries
    for name, value in values.items():
        text = text.replace(f"%({name})s", ":catalog" if value == catalog.catalog_id else str(value))
    return Script(text, json.loads(commit_document(commits[-1])))


def _pgbench(database: PostgresDatabase, directory: Path, script: str, clients: int, seconds: float) -> float:
    """Return the commits a second; attempts that found the head moved are none."""
    file = directory / "commit.sql"
    file.write_text(script)
    duration = max(1, round(seconds))
    command = [postgres_program("pgbench"), "--no-vacuum", "--protocol=prepared", f"--file={file}"]
    command += [f"--client={clients}", f"--jobs={min(clients, _CORES)}", f"--time={duration}"]
    before = _snapshots(database)
    done = subprocess.run([*command, database.url], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"pgbench failed: {done.stderr}")
    return (_snapshots(database) - before) / duration


def _snapshots(database: PostgresDatabase) -> int:
    ((count,),) = database.query("SELECT count(*) FROM forklake.ducklake_snapshot")
    return int(count)
