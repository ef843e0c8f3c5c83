"""Processes that make the same thing at the same moment: one does, and the other is told."""

from pathlib import Path

import pytest

from forklake import Lake, Settings
from forklake.metastore.postgres import initialise
from tests.contract.support import names, rows, run_together
from tests.lakes import LakeFactory

pytestmark = pytest.mark.slow

shared = pytest.mark.parametrize("lake_factory", ["sqlite", "postgres"], indirect=True)

ROUNDS = 5

RACE = """
with Lake(sys.argv[1]) as lake:
    for round in range({rounds}):
        name = f"new-{{round}}"
        try:
            {way}
        except errors.AlreadyExistsError:
            print("taken")
        else:
            print("made")
"""


def race(url: str, way: str, arguments: str, rounds: int = ROUNDS) -> list[list[str]]:
    """Let one process for each argument do the same, round by round, and return what each said of each."""
    printed = run_together(RACE.format(way=way, rounds=rounds), [[url, argument] for argument in arguments])
    return [text.split() for text in printed]


@shared
@pytest.mark.parametrize(
    "way",
    [
        "lake.create_catalog(name)",
        "lake.catalog('shop').fork(name)",
        "lake.catalog('shop').fork(name, copy=True)",
        "lake.catalog('shop').fork_many([name, f'{name}-{sys.argv[2]}'])",
        "lake.import_catalog(name, lake.data_path[:-1] + '-plain.sqlite')",
    ],
)
def test_two_processes_make_the_same_catalog(lake_factory: LakeFactory, tmp_path: Path, way: str) -> None:
    url = lake_factory.url()
    with Lake(url, data_path=tmp_path / "data") as lake:
        lake.create_catalog("shop").create_table("orders", {"id": "BIGINT"})
        lake.catalog("shop").maintenance.export(tmp_path / "data-plain.sqlite")
        outcomes = [sorted(pair) for pair in zip(*race(url, way, "12"), strict=True)]
        assert outcomes == [["made", "taken"]] * ROUNDS
        made = lake.catalogs(prefix="new-")
        assert sorted(info.name for info in made if info.name.count("-") == 1) == [f"new-{n}" for n in range(ROUNDS)]
        assert len({info.data_path for info in made}) == len(made) == (2 * ROUNDS if "fork_many" in way else ROUNDS)
        for info in made:
            assert names(lake.catalog(info.name)) == ([] if "create" in way else ["orders"])
        # Nothing is half done: each catalog has its head, and each head its snapshot.
        heads = rows(lake, "SELECT catalog_id, snapshot_id FROM forklake.ducklake_head ORDER BY catalog_id")
        snapshots = rows(
            lake, "SELECT catalog_id, max(snapshot_id) FROM forklake.ducklake_snapshot GROUP BY 1 ORDER BY 1"
        )
        assert heads == snapshots
        assert len(heads) == len(made) + 1


@shared
@pytest.mark.parametrize(
    "way",
    [
        "made = lake.create_catalog(name, if_not_exists=True)",
        "made = lake.catalog('shop').fork(name, if_not_exists=True)",
    ],
)
def test_of_processes_that_do_not_mind_one_says_that_it_made_the_catalog(
    lake_factory: LakeFactory, tmp_path: Path, way: str
) -> None:
    url = lake_factory.url()
    with Lake(url, data_path=tmp_path / "data") as lake:
        lake.create_catalog("shop")
        said = race(url, f"{way}; print(made.catalog_id, made.created)", "123")
        rounds = [[one[3 * turn : 3 * turn + 2] for one in said] for turn in range(ROUNDS)]
        assert [sorted(created for _, created in turn) for turn in rounds] == [["False", "False", "True"]] * ROUNDS
        assert all(len({catalog for catalog, _ in turn}) == 1 for turn in rounds)


@shared
def test_two_processes_take_one_name_by_renaming(lake_factory: LakeFactory, tmp_path: Path) -> None:
    url = lake_factory.url()
    with Lake(url, data_path=tmp_path / "data") as lake:
        lake.create_catalog("1")
        lake.create_catalog("2")
        outcomes = race(url, "lake.catalog(sys.argv[2]).rename(name)", "12", rounds=1)
        assert sorted(outcomes) == [["made"], ["taken"]]
        assert lake.catalogs()[-1].name == "new-0"
        assert len(lake.catalogs()) == 2


@shared
def test_two_processes_bring_two_catalogs_back_under_one_name(lake_factory: LakeFactory, tmp_path: Path) -> None:
    url = lake_factory.url()
    with Lake(url, data_path=tmp_path / "data") as lake:
        for _ in range(2):
            lake.create_catalog("shop")
            lake.catalog("shop").drop()
        outcomes = race(url, "lake.undrop_catalog(int(sys.argv[2]))", "01", rounds=1)
        assert sorted(outcomes) == [["made"], ["taken"]]
        assert [info.name for info in lake.catalogs()] == ["shop"]


@shared
def test_two_processes_choose_overlapping_places(lake_factory: LakeFactory, tmp_path: Path) -> None:
    url = lake_factory.url()
    Lake(url, data_path=tmp_path / "data").close()
    code = (
        "with Lake(sys.argv[1]) as lake:\n"
        "    try:\n"
        "        lake.create_catalog(sys.argv[2], data_path=sys.argv[3], at_base=True)\n"
        "    except errors.InvalidPathError:\n"
        "        print('overlaps')\n"
        "    else:\n"
        "        print('made')\n"
    )
    outcomes = run_together(code, [[url, "a", f"{tmp_path}/x"], [url, "b", f"{tmp_path}/x/y"]])
    assert sorted(outcomes) == ["made", "overlaps"]


def test_many_processes_open_a_new_sqlite_file_at_once(tmp_path: Path) -> None:
    path = str(tmp_path / "lake.db")
    code = "with Lake(sys.argv[1]) as lake:\n    print(lake.create_catalog(sys.argv[2]).catalog_id)\n"
    printed = run_together(code, [[path, f"catalog-{number}"] for number in range(4)])
    assert sorted(printed) == ["0", "1", "2", "3"]
    with Lake(path) as lake:
        assert len(lake.catalogs()) == 4
        assert rows(lake, "SELECT count(*) FROM forklake.ducklake_metadata WHERE key = 'version'") == [(1,)]


def test_two_processes_name_the_data_path_first(postgres_database: str, tmp_path: Path) -> None:
    initialise(postgres_database, None, Settings())
    code = (
        "try:\n    print(Lake(sys.argv[1], data_path=sys.argv[2]).data_path)\n"
        "except errors.InvalidPathError:\n    print('another')\n"
    )
    printed = run_together(code, [[postgres_database, f"{tmp_path}/{name}"] for name in "ab"])
    assert "another" in printed
    with Lake(postgres_database) as lake:
        assert lake.data_path in printed
