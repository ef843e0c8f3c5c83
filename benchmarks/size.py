"""A large table through all of its life, each step beside Spark alone with the same bytes."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from benchmarks.databases import Databases
from benchmarks.memory import peaks
from benchmarks.report import Figure
from benchmarks.spark import new_lake, raw
from forklake import Catalog, Lake, PartitionField, Table

_MONTHS = 12
_COLUMNS = (
    "id",
    "cast(pmod(xxhash64(id), 1000000) AS int) AS customer",
    "cast(pmod(xxhash64(id, 1), 100000) AS decimal(10,2)) AS amount",
    "hex(xxhash64(id, 2)) AS token",
)
CHANGE = {"amount": "amount + 1"}
_CHECKED = ("count(*)", "sum(amount)", "sum(customer)", "max(token)", "sum(id)")


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is done. A row takes about 30 bytes."""

    rows: int = 100_000_000
    appends: int = 200
    updates: int = 20
    forks: int = 1000
    writers: int = 100
    kills: int = 0

    @property
    def rows_in_append(self) -> int:
        """The rows of one commit."""
        return self.rows // self.appends


QUICK = Sizes(rows=24_000, appends=12, updates=2, forks=10, writers=3)


@dataclass
class Step:
    """The seconds of a step, ours and Spark's."""

    ours: float = 0.0
    plain: float = 0.0
    plain_name: str = "Spark alone"


@dataclass
class Race:
    """Runs a step on both sides, one after the other; who begins changes."""

    steps: dict[str, Step] = field(default_factory=dict)
    count: int = 0

    def run(self, name: str, ours: Callable[[], object], plain: Callable[[], object]) -> None:
        step = self.steps.setdefault(name, Step())
        self.count += 1
        for is_ours in (True, False) if self.count % 2 else (False, True):
            began = time.perf_counter()
            (ours if is_ours else plain)()
            took = time.perf_counter() - began
            if is_ours:
                step.ours += took
            else:
                step.plain += took


def size(databases: Databases, quick: bool) -> list[Figure]:
    """Load, update, fork, read and compact a large table, and check the lake."""
    sizes = QUICK if quick else Sizes()
    with new_lake() as (lake, spark, directory):
        return Life(lake, spark, directory, sizes).run(f"a table of {sizes.rows:,} rows")


class Life:
    """A table from its first commit to its last clean-up.

    ``kills``: so many of its updates are disturbed, by whoever knows how.
    """

    def __init__(self, lake: Lake, spark: SparkSession, directory: Path, sizes: Sizes) -> None:
        self._lake, self._spark, self._sizes = lake, spark, sizes
        self._plain = directory / "plain"
        self.race = Race()
        self._shop = lake.create_catalog("shop")

    def run(self, group: str) -> list[Figure]:
        """Do it all, and return how long each step took, and how much memory."""
        table = self._load()
        self._update(table)
        self._read("scan and aggregate, 1 % updated", table)
        self._fork()
        self._compact(table)
        self._read("scan and aggregate, compacted", table)
        self._tidy()
        steps, memory = self.race.steps, peaks(self._spark)
        return [
            *(
                Figure(group, name, step.ours, "s", step.plain or None, step.plain_name if step.plain else "")
                for name, step in steps.items()
            ),
            *(Figure(group, f"peak memory, {name}", value, "MiB") for name, value in memory.items()),
        ]

    def _rows(self, number: int) -> DataFrame:
        """Return the rows of one append; they are of one month, or of two."""
        sizes = self._sizes
        first = number * sizes.rows_in_append
        day = f"cast(id * {_MONTHS * 28} DIV {sizes.rows} AS int)"
        rows = self._spark.range(first, first + sizes.rows_in_append, 1, 2)
        return rows.selectExpr(*_COLUMNS, f"make_date(2026, {day} DIV 28 + 1, {day} % 28 + 1) AS day")

    def _load(self) -> Table:
        shop, sizes = self._shop, self._sizes
        shop.options.set("small_writes", "spark")
        shop.create_table("orders", rows=self._rows(0).limit(0), partition_by=[PartitionField("day", "month")])
        table = shop.table("orders")
        for number in range(sizes.appends):
            rows = self._rows(number)
            self.race.run(
                f"append in {sizes.appends} commits",
                lambda rows=rows: table.append(rows),  # type: ignore[misc]
                lambda rows=rows: self._write(rows, "loaded", "append"),  # type: ignore[misc]
            )
        return table

    def _write(self, rows: DataFrame, name: str, mode: str = "overwrite") -> None:
        by_month = rows.selectExpr("*", "month(day) AS month")
        by_month.write.mode(mode).partitionBy("month").parquet(str(self._plain / name))

    def _update(self, table: Table) -> None:
        """Update one row of a hundred, everywhere in the table, by so many commits."""
        for number in range(self._sizes.updates):
            self.update(table, number)

    def update(self, table: Table, number: int) -> None:
        """Make one of the updates."""
        condition, files = self.updated_rows(number), raw(self._spark, table)
        changed = files.where(condition).selectExpr("id", "customer", "amount + 1 AS amount", "token", "day")
        self.race.run(
            f"update rows everywhere, in {self._sizes.updates - self._sizes.kills} commits",
            lambda: table.update(CHANGE, condition),
            lambda: self._write(changed, "new"),
        )

    def updated_rows(self, number: int) -> str:
        """Return the condition of one update."""
        return f"id % {100 * self._sizes.updates} = {number}"

    def _read(self, name: str, table: Table) -> None:
        expected = self._expected()
        found = self._aggregated(table.dataframe())
        assert found == expected, (name, found, expected)
        for _ in range(3):
            files = raw(self._spark, table)
            self.race.run(
                f"{name}, three times",
                lambda: self._aggregated(table.dataframe()),
                lambda files=files: self._aggregated(files),  # type: ignore[misc]
            )

    def _expected(self) -> tuple[object, ...]:
        """Return what the rows are, computed without the lake."""
        updates = self._sizes.updates
        updated = f"amount + if(id % {100 * updates} < {updates}, 1, 0)"
        rows = self._spark.range(self._sizes.rows).selectExpr(*_COLUMNS)
        return self._aggregated(rows.selectExpr("id", "customer", f"{updated} AS amount", "token"))

    @staticmethod
    def _aggregated(frame: DataFrame) -> tuple[object, ...]:
        return tuple(frame.selectExpr(*_CHECKED).collect()[0])

    def _fork(self) -> None:
        """Fork so often, and append a thousand rows in some of the forks."""
        sizes, forks = self._sizes, list[Catalog]()
        step = self.race.steps.setdefault(f"fork {sizes.forks:,} times", Step())
        began = time.perf_counter()
        forks += [self._shop.fork(f"agent-{number:04}") for number in range(sizes.forks)]
        step.ours = time.perf_counter() - began
        new = self._rows(0).limit(1000).toArrow()
        frame = self._spark.createDataFrame(new)
        for fork in forks[: sizes.writers]:
            self.race.run(
                f"append 1,000 rows in {sizes.writers} forks",
                lambda fork=fork: fork.table("orders").append(new),  # type: ignore[misc]
                lambda: self._write(frame, "small"),
            )
        assert forks[0].table("orders").count() == sizes.rows + 1000
        assert self._shop.table("orders").count() == sizes.rows

    def _compact(self, table: Table) -> None:
        """Rewrite all files that have deleted rows, and merge small ones."""
        files = raw(self._spark, table)

        def ours() -> None:
            self._shop.maintenance.rewrite_data_files(delete_threshold=0.001)
            self._shop.maintenance.merge_adjacent_files()

        self.race.run("rewrite and merge all files", ours, lambda: self._write(files, "compacted"))

    def _tidy(self) -> None:
        """Drop the forks, free what nothing needs, and check that all is well."""
        began = time.perf_counter()
        self._lake.maintenance.purge_catalogs("agent-", drop=True)
        self._shop.maintenance.expire_snapshots(older_than=timedelta(0))
        self._shop.maintenance.cleanup_old_files(cleanup_all=True)
        self.race.steps["drop and purge the forks, expire, clean up"] = Step(time.perf_counter() - began)
        began = time.perf_counter()
        found = self._lake.maintenance.check()
        assert found.is_sound, found.findings
        self.race.steps["fsck"] = Step(time.perf_counter() - began)
        shutil.rmtree(self._plain)
