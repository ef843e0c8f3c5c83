"""A small tree of catalogs with something for every kind of maintenance, and the deeds that meet in it.

A lake holds many scenes: each has a number, and catalogs of its own. Deeds are known by their names, so that other
processes can do them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from forklake import Catalog, Lake, Settings, Table
from forklake.errors import NotFoundError
from forklake.ops.maintenance.cleanup import cleanup_old_files
from forklake.ops.maintenance.delete_orphaned_files import delete_orphaned_files
from tests.duck_engine import DuckEngine
from tests.rows.arrow_hands import planned
from tests.rows.reference_reader import read_plan

OLD = frozenset(range(40))
"""The rows of the forks, which were taken early."""

PAST = OLD | frozenset(range(500, 520))
"""The rows of the shop a little later; some are in a file that no fork has."""

NEW = frozenset({*range(25, 40), *range(41, 60), 60, 61, *range(70, 110)})
"""The rows of the shop."""


@dataclass(frozen=True, slots=True)
class Scene:
    """The names of a scene's catalogs: a shop, a fork of an early snapshot of it, and one that was dropped."""

    number: int

    @property
    def shop(self) -> str:
        """The catalog that is maintained."""
        return f"shop-{self.number}"

    @property
    def agent(self) -> str:
        """A fork."""
        return f"agent-{self.number}"

    @property
    def gone(self) -> str:
        """A fork that was dropped."""
        return f"gone-{self.number}"

    @property
    def made(self) -> str:
        """A catalog that a deed makes."""
        return f"made-{self.number}"

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return self.shop, self.agent, self.gone, self.made


def settings(on_step: Callable[[str], None], lease_seconds: float = 86_400.0) -> Settings:
    """Return the settings of a lake whose rows need no Spark."""
    return Settings(on_step=on_step, engine=DuckEngine(), lease_seconds=lease_seconds)


def build(lake: Lake, scene: Scene) -> None:
    """Make the catalogs: ended files, deleted rows in a file and inlined, inlined rows, small files, strays."""
    shop = lake.create_catalog(scene.shop)
    table = shop.create_table("t", {"id": "BIGINT"})
    append(table, range(20))
    append(table, range(20, 40))
    shop.fork(scene.agent)
    shop.fork(scene.gone).drop()
    append(table, range(500, 520))
    first, _, brief = table.storage.files()
    with shop.transaction() as transaction:
        staged = transaction.table("t")
        staged.storage.remove_files([first.data_file_id, brief.data_file_id])
        for start in (40, 70, 90):
            append(staged, range(start, start + 20))
    table.delete("id < 25")
    table.storage.inline_deletes({table.storage.files()[1].data_file_id: [0]})
    append(table, (60, 61))
    place = Path(first.path).parent
    (place / "stray.parquet").write_bytes(b"stray")
    pq.write_table(pa.table({"id": pa.array(range(200, 220), pa.int64())}), adopted(lake, scene))


def append(table: Table, ids: Any) -> None:
    """Append rows; a few are inlined."""
    table.append([{"id": number} for number in ids])


def adopted(lake: Lake, scene: Scene) -> Path:
    """Return where a file lies that can be added."""
    return Path(lake.data_path or "") / scene.shop / f"adopted-{scene.number}.parquet"


def ids_of(catalog: Catalog) -> frozenset[int]:
    """Return the ids of all rows; none comes twice."""
    return read_ids(catalog.table("t"))


def read_ids(table: Table, on_plan: Callable[[], None] = lambda: None) -> frozenset[int]:
    """Return the ids of the rows of a table; between the plan and the reading, something may happen."""
    plan = planned(table, None)
    on_plan()
    found = [row.values["id"] for row in read_plan(plan)]
    assert len(found) == len(set(found)), sorted(found)
    return frozenset(found)


# ---- deeds -----------------------------------------------------------------------------------------------------------


def merge(lake: Lake, scene: Scene) -> None:
    lake.catalog(scene.shop).maintenance.merge_adjacent_files()


def rewrite(lake: Lake, scene: Scene) -> None:
    lake.catalog(scene.shop).maintenance.rewrite_data_files(delete_threshold=0.0)


def flush(lake: Lake, scene: Scene) -> None:
    lake.catalog(scene.shop).maintenance.flush_inlined()


def expire(lake: Lake, scene: Scene) -> None:
    lake.catalog(scene.shop).maintenance.expire_snapshots(older_than=datetime.now(UTC) + timedelta(hours=1))


def clean_up(lake: Lake, scene: Scene) -> None:
    done = cleanup_old_files(lake._runtime, catalog_id(lake, scene.shop), cleanup_all=True)
    assert done.failed == ()


def search(lake: Lake, scene: Scene) -> None:
    found = delete_orphaned_files(lake._runtime, catalog_id(lake, scene.shop), cleanup_all=True)
    assert found.failures == ()


def purge(lake: Lake, scene: Scene) -> None:
    lake.maintenance.purge_catalogs(scene.shop, drop=True)


def add_files(lake: Lake, scene: Scene) -> None:
    lake.catalog(scene.shop).table("t").storage.add_files(adopted(lake, scene))


def catalog_id(lake: Lake, name: str) -> Any:
    """Return the id of a catalog that may be dropped or purged."""
    query = "SELECT catalog_id FROM forklake.ducklake_catalog WHERE catalog_name = :name"
    return lake._runtime.store.query(query, name=name)[0][0]


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that is done to a scene, and what has to be done before.

    Attributes:
        do: Does it.
        before: What comes before.
        rows: The rows of the shop afterwards; None if it is gone.
    """

    do: Callable[[Lake, Scene], None]
    before: tuple[Callable[[Lake, Scene], None], ...] = ()
    rows: frozenset[int] | None = NEW


MAINTENANCE: dict[str, Deed] = {
    "merge_adjacent_files": Deed(merge),
    "rewrite_data_files": Deed(rewrite),
    "flush_inlined_data": Deed(flush),
    "expire_snapshots": Deed(expire),
    "cleanup_old_files": Deed(clean_up, (flush, rewrite, expire)),
    "delete_orphaned_files": Deed(search),
    "purge": Deed(purge, rows=None),
    "add_data_files": Deed(add_files, rows=NEW | frozenset(range(200, 220))),
}
"""Each operation by DuckLake's name of it."""


# ---- afterwards ------------------------------------------------------------------------------------------------------


def end_leases(lake: Lake) -> None:
    """Let all leases run out."""
    with lake._runtime.store.writing() as session:
        session.execute("UPDATE forklake.ducklake_lease SET end_time = :now", now=session.now())


def free_everything(lake: Lake, scene: Scene) -> None:
    """Expire all snapshots but heads, purge what was dropped, and delete files of any age that nothing needs."""
    end_leases(lake)
    lake.maintenance.purge_catalogs(scene.gone)
    made = [lake.catalog(scene.made)] if is_live(lake, scene.made) else []
    for catalog in (*made, *(lake.catalog(name) for name in (scene.agent, scene.shop) if is_live(lake, name))):
        catalog.maintenance.expire_snapshots(older_than=datetime.now(UTC) + timedelta(hours=1), release=True)
    # Forks first: then their parents keep nothing for them.
    for name in (*(catalog.name for catalog in made), scene.agent, scene.gone, scene.shop):
        assert cleanup_old_files(lake._runtime, catalog_id(lake, name), cleanup_all=True).failed == ()
        assert delete_orphaned_files(lake._runtime, catalog_id(lake, name), cleanup_all=True).failures == ()


def check_files(lake: Lake, scene: Scene, *, complete: bool) -> None:
    """Check that each file is there which a retained snapshot shows; if it is to be complete, no other one is."""
    named = set[str]()
    for name in scene.names:
        if is_live(lake, name):
            catalog = lake.catalog(name)
            for snapshot in catalog.snapshots():
                named |= files_at(catalog, snapshot.snapshot_id)
    there = {
        str(path) for name in scene.names for path in (Path(lake.data_path or "") / name).rglob("*") if path.is_file()
    }
    assert named <= there, f"lost: {named - there}"
    assert not complete or there <= named, f"leaked: {there - named}"


def is_live(lake: Lake, name: str) -> bool:
    """Return whether there is a catalog of that name which is not dropped."""
    try:
        lake.catalog(name)
    except NotFoundError:
        return False
    return True


def files_at(catalog: Catalog, snapshot: int) -> set[str]:
    """Return the files that a catalog shows at a snapshot."""
    try:
        found = catalog.at(version=snapshot).table("t").storage.files()
    except NotFoundError:
        return set()  # before there was a table
    return {path for file in found for path in (file.path, file.delete_file and file.delete_file.path) if path}
