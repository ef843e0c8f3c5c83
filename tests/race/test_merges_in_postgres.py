"""Many forks are merged into one busy parent by real processes: every merge counts, nothing is lost or there twice."""

from collections import Counter
from pathlib import PurePosixPath

import pytest

from forklake import Catalog, Lake, NewDataFile, RetryPolicy, Settings
from tests.lakes import LakeFactory
from tests.race.processes import Job, race
from tests.race.state import check_rules
from tests.race.stops import in_thread, stop_at, victim
from tests.sound import check_sound

pytestmark = pytest.mark.parametrize("lake_factory", ["postgres"], indirect=True)

PATIENT = Settings(retry=RetryPolicy(wait_seconds=0.01, max_retry_count=1000), pool_size=1)
COMMITS = 10


def append(catalog: Catalog, name: str) -> None:
    catalog.table("orders").storage.append_files([NewDataFile(f"{name}.parquet", 1, 10)])


def names(catalog: Catalog) -> Counter[str]:
    return Counter(PurePosixPath(file.path).stem for file in catalog.table("orders").storage.files())


def merge(url: str, number: int) -> tuple[int | None, int | None]:
    """Fork the catalog, add a file and a table, merge; then the same again. Return the snapshots of the merges."""
    with Lake(url, settings=PATIENT) as lake:
        shop = lake.catalog("shop")
        fork = shop.fork(f"fork-{number}")
        append(fork, f"first-{number}")
        fork.create_table(f"own_{number}", {"id": "BIGINT"})
        first = shop.merge(fork)
        append(fork, f"second-{number}")
        second = shop.merge(fork)
        assert shop.merge(fork).snapshot_id is None
        return first.snapshot_id, second.snapshot_id


def write(url: str) -> None:
    with Lake(url, settings=PATIENT) as lake:
        for number in range(COMMITS):
            append(lake.catalog("shop"), f"shop-{number}")


@pytest.mark.parametrize("forks", [6, pytest.param(64, marks=pytest.mark.soak)])
def test_many_processes_merge_into_one_parent(lake_factory: LakeFactory, forks: int) -> None:
    url = lake_factory.url()
    with Lake(url, data_path=lake_factory.directory / "data") as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT"})
        append(shop, "old")
        done = race(
            Job("the parent", write, (url,)),
            *(Job(f"fork {number}", merge, (url, number)) for number in range(forks)),
        )
        merged = [snapshot for number in range(forks) for snapshot in done[f"fork {number}"]]
        assert None not in merged
        assert len(set(merged)) == 2 * forks
        assert set(merged) <= {snapshot.snapshot_id for snapshot in shop.snapshots()}
        wanted = [f"{which}-{number}" for which in ("first", "second") for number in range(forks)]
        wanted += [f"shop-{number}" for number in range(COMMITS)]
        assert names(shop) == Counter(["old", *wanted])
        assert {table.name for table in shop.tables()} == {"orders", *(f"own_{number}" for number in range(forks))}
        check_rules(lake, written_out=True)
        check_sound(lake, files=False)


BEFORE_THE_END = "TRIGGER stop BEFORE INSERT ON forklake.ducklake_merge FOR EACH ROW WHEN (true)"


def test_a_purge_of_the_source_waits_for_the_merge_in_flight(lake_factory: LakeFactory) -> None:
    url = lake_factory.url()
    with Lake(url, data_path=lake_factory.directory / "data") as lake, Lake(victim(url)) as slow:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT"})
        append(shop, "old")
        agent = shop.fork("agent")
        append(agent, "new")

        def purge() -> None:
            agent.drop()
            lake.purge(int(agent.catalog_id))

        with stop_at(url, BEFORE_THE_END) as stop:
            wait_for_merge = in_thread(lambda: slow.catalog("shop").merge(slow.catalog("agent")))
            stop.wait_for_victim()
            wait_for_purge = in_thread(purge)
            stop.wait_for_waiting_client()
            stop.open()
            wait_for_merge()
            wait_for_purge()
        assert names(shop) == Counter(["old", "new"])
        check_rules(lake, written_out=True)
        check_sound(lake, files=False)
