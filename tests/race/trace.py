"""One tenant's day: a seeded series of operations on its own catalogs, and all that the tenant could see of it."""

import random
import re
from collections.abc import Callable
from typing import Any

from forklake import Catalog, Lake, NewDataFile, NewDeleteFile
from forklake.errors import ForklakeError
from forklake.model.ids import INFINITY, ROW_ID_SHIFT

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
NUMBER = re.compile(r"\d+")


class Numbers:
    """Ids as the tenant would count them: the first of a kind that it saw is 0, whatever the lake calls it."""

    def __init__(self) -> None:
        self._seen: dict[str, dict[int, int]] = {}

    def __call__(self, kind: str, number: int | None) -> str:
        if number is None or number == INFINITY:
            return f"{kind} {'none' if number is None else 'any'}"
        seen = self._seen.setdefault(kind, {})
        return f"{kind} {seen.setdefault(number, len(seen))}"

    def row(self, number: int | None) -> str:
        """Return a row id by its place in the range of its catalog."""
        if number is None:
            return "row none"
        owner = number >> ROW_ID_SHIFT
        return f"row {number - (owner << ROW_ID_SHIFT)} of {self('catalog', owner) if owner else 'a root'}"


class Trace:
    """Does the operations and writes down everything that can be seen, with ids as the tenant would count them."""

    def __init__(self, lake: Lake, tenant: str, seed: int) -> None:
        self.lake = lake
        self.tenant = tenant
        self.random = random.Random(seed)
        self.numbers = Numbers()
        self.count = 0
        self.dropped = f"{tenant}-none"
        """The catalog that was dropped last."""
        self.seen: list[str] = []

    def run(self, steps: int, before: Callable[[int], None] = lambda step: None) -> list[str]:
        """Return what is seen; before each step, a function is called with its number."""
        self.lake.create_catalog(f"{self.tenant}-0").create_table("t0", {"id": "BIGINT", "name": "VARCHAR"})
        operations: list[Callable[[Catalog], Any]] = [
            self.append, self.append, self.append, self.create_table, self.delete, self.remove, self.alter,
            self.rename_table, self.drop_table, self.transaction, self.rollback, self.fork, self.fork_past,
            self.fork_many, self.copy, self.sever, self.expire, self.drop, self.undrop, self.purge, self.rename,
            self.set_option, self.strange_version, self.strange_name, self.same_name,
        ]  # fmt: skip
        for step in range(1, steps + 1):
            before(step)
            self.count += 1
            operation = self.random.choice(operations)
            name = self.random.choice(self.own_names())
            try:
                told = operation(self.lake.catalog(name)) or "done"
            except ForklakeError as error:
                told = f"{type(error).__name__}: {self.text(str(error))}"
            self.note(f"{self.count}: {operation.__name__} on {name}: {told}")
            self.look(self.lake.catalog(self.random.choice(self.own_names())))
        for name in self.own_names():
            self.look(self.lake.catalog(name))
        return self.seen

    # What is seen ---------------------------------------------------------------------------------------------------

    def note(self, text: str) -> None:
        self.seen.append(text)

    def text(self, text: str) -> str:
        """Return a text without what is bound to differ: uuids, and ids in messages."""
        return NUMBER.sub("#", UUID.sub("<uuid>", text.replace(str(self.lake.data_path), "")))

    def path(self, path: str) -> str:
        return UUID.sub("<uuid>", path.removeprefix(str(self.lake.data_path)))

    def own_names(self) -> list[str]:
        return [info.name for info in self.lake.catalogs(prefix=self.tenant)]

    def look(self, catalog: Catalog) -> None:
        """Note all that a catalog shows, now and at one of its snapshots, and the list of catalogs."""
        number = self.numbers
        for info in self.lake.catalogs(prefix=self.tenant):
            parent, pin = number("catalog", info.parent_id), number("snapshot", info.parent_snapshot_id)
            own, head = number("catalog", info.catalog_id), number("snapshot", info.snapshot_id)
            self.note(f"{info.name}: {own} of {parent} at {pin}, {head}, in {self.path(info.data_path)}")
        snapshots = catalog.snapshots()
        for snapshot in snapshots:
            changes = re.sub(r":(\d+)", lambda found: ":" + number("object", int(found[1])), snapshot.changes_made)
            said = f"{snapshot.author} {self.text(str(snapshot.commit_message))}"
            self.note(
                f"  {number('snapshot', snapshot.snapshot_id)} of {number('catalog', snapshot.catalog_id)}"
                f" schema {snapshot.schema_version} {changes} {said}"
            )
        self.note(f"  options {[(option.key, option.value, option.scope) for option in catalog.options.list()]}")
        self.content(catalog)
        past = self.random.choice(snapshots)
        self.note(f"  at {number('snapshot', past.snapshot_id)}")
        self.content(catalog.at(version=past.snapshot_id))

    def content(self, catalog: Catalog) -> None:
        number = self.numbers
        self.note(f"  schemas {catalog.schemas.list()}")
        for table in catalog.tables():
            stats = table.inspect.stats
            self.note(f"  {table.name} {number('object', table.table_id)} {table.columns}")
            self.note(f"    {stats.record_count} {stats.file_size_bytes} {number.row(stats.next_row_id)}")
            for file in table.storage.files():
                gone = file.delete_file
                deleted = gone and (number("file", gone.delete_file_id), self.path(gone.path), gone.delete_count)
                where = f"{self.path(file.path)} of {number('catalog', file.owner_id)}"
                rows = f"{file.record_count} rows from {number.row(file.row_id_start)} without {deleted}"
                self.note(f"    {number('file', file.data_file_id)} {where}: {rows}")

    # What is done ---------------------------------------------------------------------------------------------------

    def new_name(self) -> str:
        return f"{self.tenant}-{self.count}"

    def table(self, catalog: Catalog) -> str:
        return self.random.choice([table.name for table in catalog.tables()] or ["missing"])

    def file(self, suffix: str = "") -> NewDataFile:
        return NewDataFile(f"{self.count}{suffix}.parquet", self.random.randint(3, 9), 100)

    def append(self, catalog: Catalog) -> None:
        catalog.table(self.table(catalog)).storage.append_files([self.file("a"), self.file("b")])

    def create_table(self, catalog: Catalog) -> None:
        catalog.create_table(f"t{self.count}", {"id": "BIGINT", "name": "VARCHAR"})

    def delete(self, catalog: Catalog) -> None:
        table = catalog.table(self.table(catalog))
        file = self.random.choice(table.storage.files() or [None])
        if file is not None:
            count = 1 if file.delete_file is None else file.delete_file.delete_count + 1
            catalog.table(table.name).storage.delete_rows(
                [NewDeleteFile(file.data_file_id, f"{self.count}.delete", count, 10)]
            )

    def remove(self, catalog: Catalog) -> None:
        table = catalog.table(self.table(catalog))
        catalog.table(table.name).storage.remove_files([file.data_file_id for file in table.storage.files()[:1]])

    def alter(self, catalog: Catalog) -> None:
        table = catalog.table(self.table(catalog))
        column = self.random.choice(table.columns).name
        choice = self.random.randrange(3)
        if choice == 0:
            catalog.table(table.name).alter.add_column((f"c{self.count}", "INTEGER"))
        elif choice == 1:
            catalog.table(table.name).alter.rename_column(column, f"c{self.count}")
        else:
            catalog.table(table.name).alter.drop_column(column)

    def rename_table(self, catalog: Catalog) -> None:
        catalog.table(self.table(catalog)).rename(f"t{self.count}")

    def drop_table(self, catalog: Catalog) -> None:
        catalog.table(self.table(catalog)).drop()

    def transaction(self, catalog: Catalog) -> None:
        with catalog.transaction(author="tenant", message="several", commit_key=f"key {self.count % 7}") as transaction:
            transaction.create_table(f"t{self.count}", {"id": "BIGINT"})
            transaction.table(f"t{self.count}").storage.append_files([self.file("c")])
            transaction.table(self.table(catalog)).storage.append_files([self.file("d")])

    def rollback(self, catalog: Catalog) -> None:
        transaction = catalog.transaction()
        transaction.create_table(f"t{self.count}", {"id": "BIGINT"})
        transaction.rollback()

    def fork(self, catalog: Catalog) -> None:
        catalog.fork(self.new_name())

    def fork_past(self, catalog: Catalog) -> None:
        catalog.fork(self.new_name(), at=self.random.choice(catalog.snapshots()).snapshot_id)

    def fork_many(self, catalog: Catalog) -> None:
        catalog.fork_many([f"{self.new_name()}-{place}" for place in "ab"])

    def copy(self, catalog: Catalog) -> None:
        catalog.fork(self.new_name(), copy=True)

    def sever(self, catalog: Catalog) -> None:
        catalog.maintenance.sever()

    def expire(self, catalog: Catalog) -> str:
        own = [s.snapshot_id for s in catalog.snapshots() if s.catalog_id == catalog.catalog_id]
        gone = catalog.maintenance.expire_snapshots(versions=own[:-1][:2], release=True)
        return f"expired {[self.numbers('snapshot', s) for s in gone]}"

    def drop(self, catalog: Catalog) -> None:
        if len(self.own_names()) > 1:
            self.dropped = catalog.name
            self.lake.catalog(self.dropped).drop()

    def undrop(self, catalog: Catalog) -> str:
        return self.lake.undrop_catalog(self.dropped).name

    def purge(self, catalog: Catalog) -> None:
        self.lake.purge(self.dropped)

    def rename(self, catalog: Catalog) -> None:
        self.lake.catalog(catalog.name).rename(f"{self.new_name()}-renamed")

    def set_option(self, catalog: Catalog) -> None:
        catalog.options.set("parquet_version", self.random.choice([1, 2]))

    def strange_version(self, catalog: Catalog) -> None:
        """Ask for a snapshot that is not the tenant's: alone it never was, among others it may be theirs."""
        catalog.at(version=catalog.head + self.random.randint(1, 5))

    def strange_name(self, catalog: Catalog) -> None:
        catalog.table("nobody")

    def same_name(self, catalog: Catalog) -> None:
        self.lake.create_catalog(catalog.name.upper())
