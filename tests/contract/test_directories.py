"""Where the files of a catalog go: a directory that nobody else has, had, or will have."""

from pathlib import Path

import pytest

from forklake import Catalog, Lake, NewDataFile
from forklake.errors import InvalidPathError
from forklake.files.access import storage
from tests.contract.support import data_file, each, rows, state


def directory(lake: Lake, catalog: Catalog) -> str:
    return next(info.data_path for info in lake.catalogs() if info.catalog_id == catalog.catalog_id)


def uuid_of(lake: Lake, catalog: Catalog) -> str:
    return next(info.uuid for info in lake.catalogs() if info.catalog_id == catalog.catalog_id)


def test_a_plain_name_is_also_the_directory(lake: Lake) -> None:
    assert directory(lake, lake.create_catalog("Shop-1_a")) == f"{lake.data_path}Shop-1_a/"


@pytest.mark.parametrize("name", ["../x", "a/b", "..", ".", "x" * 255, "é" * 255, "😀" * 255, "a b", "C:\\", "~"])
def test_a_name_never_leads_out_of_the_data_path(lake: Lake, name: str) -> None:
    # A catalog cannot be called like a directory above; a schema and a table can.
    strange = lake.create_catalog("shop" if name in (".", "..") else name)
    strange.schemas.create(name)
    strange.create_table(name, {"id": "BIGINT"}, schema=name)
    strange.table(name, schema=name).storage.append_files([data_file("f")])
    (file,) = strange.table(name, schema=name).storage.files()
    below = Path(file.path).relative_to(str(lake.data_path)).parts
    assert len(below) == 4
    assert not {".", ".."} & set(below)
    assert all(len(part.encode()) <= 255 for part in below)
    assert below[-1] == "f.parquet"


def test_a_directory_is_never_used_again(lake: Lake) -> None:
    seen = set()
    for name in ("shop", "SHOP", "shop"):
        made = lake.create_catalog(name)
        fork = made.fork(f"{name}-fork")
        seen |= {directory(lake, made).lower(), directory(lake, fork).lower()}
        lake.catalog(f"{name}-fork").drop()
        lake.catalog(name).drop()
        lake.purge(made.catalog_id)
        lake.purge(fork.catalog_id)
    assert len(seen) == 6


def test_a_renamed_catalog_keeps_its_directory_from_others(lake: Lake) -> None:
    old = lake.create_catalog("shop")
    lake.catalog("shop").rename("store")
    new = lake.create_catalog("shop")
    assert directory(lake, old) == f"{lake.data_path}shop/"
    assert directory(lake, new) == f"{lake.data_path}{uuid_of(lake, new)}/"


def test_a_catalog_called_as_the_directory_of_another_gets_its_own(lake: Lake) -> None:
    strange = lake.create_catalog("a/b")
    other = lake.create_catalog(uuid_of(lake, strange))
    assert directory(lake, strange) != directory(lake, other)


# ---- paths of one's own --------------------------------------------------------------------------------------------


def test_a_catalog_can_have_a_data_path_of_its_own(lake: Lake, tmp_path: Path) -> None:
    shop = lake.create_catalog("shop", data_path=tmp_path / "fast")
    agent = shop.fork("agent", data_path=tmp_path / "slow")
    assert directory(lake, shop) == f"{tmp_path}/fast/shop/"
    assert directory(lake, agent) == f"{tmp_path}/slow/agent/"
    shop.create_table("orders", {"id": "BIGINT"})
    shop.table("orders").storage.append_files([data_file("f")])
    (file,) = shop.table("orders").storage.files()
    assert file.path == f"{tmp_path}/fast/shop/main/orders/f.parquet"


def test_a_fork_reads_where_its_parent_wrote_and_writes_where_it_belongs(lake: Lake, tmp_path: Path) -> None:
    shop = lake.create_catalog("shop", data_path=tmp_path / "fast")
    shop.create_table("orders", {"id": "BIGINT"})
    shop.table("orders").storage.append_files([data_file("f")])
    for copy in (False, True):
        agent = shop.fork(f"agent-{copy}", data_path=tmp_path / "slow", copy=copy)
        agent.table("orders").storage.append_files([data_file("g")])
        assert [file.path for file in agent.table("orders").storage.files()] == [
            f"{tmp_path}/fast/shop/main/orders/f.parquet",
            f"{tmp_path}/slow/agent-{copy}/main/orders/g.parquet",
        ]


def test_catalogs_share_a_base_path_but_never_a_directory(lake: Lake, tmp_path: Path) -> None:
    base = tmp_path / "fast"
    lake.create_catalog("one", data_path=base)
    two = lake.create_catalog("two", data_path=f"{base}/")
    lake.catalog("one").drop()
    again = lake.create_catalog("one", data_path=f"{base}/x/..")
    assert directory(lake, two) == f"{base}/two/"
    assert directory(lake, again) == f"{base}/{uuid_of(lake, again)}/"


def test_a_directory_in_which_something_lies_already_is_given_to_nobody(lake: Lake, tmp_path: Path) -> None:
    base = tmp_path / "warehouse"
    for name in ("sales", "fork", "copy", "imported", "file"):
        (base / name).parent.mkdir(exist_ok=True)
        if name == "file":
            (base / name).write_bytes(b"theirs")
        else:
            (base / name / "orders").mkdir(parents=True)
    (base / "empty").mkdir()
    shop = lake.create_catalog("shop")
    shop.maintenance.export(tmp_path / "plain.sqlite")
    sales = lake.create_catalog("sales", data_path=base)
    fork = shop.fork("fork", data_path=base)
    copy = shop.fork("copy", data_path=base, copy=True)
    imported = lake.import_catalog("imported", tmp_path / "plain.sqlite", data_path=base)
    for made in (sales, fork, copy, imported, lake.create_catalog("file", data_path=base)):
        assert directory(lake, made) == f"{base}/{uuid_of(lake, made)}/"
    for name in ("empty", "missing"):
        assert directory(lake, lake.create_catalog(name, data_path=base)) == f"{base}/{name}/"


@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
def test_a_directory_that_cannot_be_listed_counts_as_taken(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    cloud = lake.create_catalog("cloud", data_path="s3://bucket/lake/")
    assert directory(lake, cloud) == f"s3://bucket/lake/{uuid_of(lake, cloud)}/"


def test_only_a_data_path_of_its_own_is_listed(lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed: list[str] = []
    ask = storage.is_empty

    def note(place: str) -> bool:
        listed.append(place)
        return ask(place)

    monkeypatch.setattr(storage, "is_empty", note)
    shop = lake.create_catalog("shop")
    shop.fork("agent")
    shop.fork_many(["a", "b"])
    shop.fork("copy", copy=True)
    lake.create_catalog("odd name", data_path=tmp_path / "own")
    assert listed == []
    shop.fork("own", data_path=tmp_path / "own")
    assert listed == [f"{tmp_path}/own/own/"]


@pytest.mark.parametrize("below", ["shop", "shop/", "SHOP", "shop/main/orders", "other/../shop"])
def test_a_catalog_is_never_placed_inside_another(lake: Lake, below: str) -> None:
    shop = lake.create_catalog("shop")
    inside = f"{lake.data_path}{below}"
    before = state(lake)
    for attempt in each(
        lambda: lake.create_catalog("new", data_path=inside),
        lambda: lake.create_catalog("new", data_path=inside, at_base=True),
        lambda: shop.fork("new", data_path=inside),
        lambda: shop.fork("new", data_path=inside, copy=True),
    ):
        with pytest.raises(InvalidPathError, match=r'Catalog "new" was not created: ".*" lies in, or contains,'):
            attempt()
    assert state(lake) == before


def test_a_catalog_is_never_placed_around_another(lake: Lake, tmp_path: Path) -> None:
    lake.create_catalog("deep", data_path=tmp_path / "a" / "b")
    for attempt in each(
        lambda: lake.create_catalog("wide", data_path=tmp_path / "a", at_base=True),
        lambda: lake.create_catalog("same", data_path=tmp_path / "a" / "b" / "deep", at_base=True),
        lambda: lake.create_catalog("root", data_path=tmp_path, at_base=True),
        lambda: lake.create_catalog(tmp_path.name, data_path=tmp_path.parent),
    ):
        with pytest.raises(InvalidPathError):
            attempt()
    # A directory that would hold another's is chosen anew.
    a = lake.create_catalog("a", data_path=tmp_path)
    assert directory(lake, a) == f"{tmp_path}/{uuid_of(lake, a)}/"


def test_a_dropped_or_purged_catalog_still_keeps_others_out(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    lake.catalog("shop").drop()
    for purge in (False, True):
        if purge:
            lake.purge(shop.catalog_id)
        with pytest.raises(InvalidPathError, match="lies in, or contains, the directory of another catalog"):
            lake.create_catalog("new", data_path=f"{lake.data_path}shop/deeper")


def test_one_catalog_alone_can_lie_at_the_data_path_itself(lake: Lake) -> None:
    only = lake.create_catalog("only", at_base=True)
    assert directory(lake, only) == lake.data_path
    before = state(lake)
    for attempt in each(
        lambda: lake.create_catalog("second", at_base=True),
        lambda: lake.create_catalog("second"),
        lambda: only.fork("second"),
        lambda: only.fork_many(["second", "third"]),
        lambda: only.fork("second", copy=True),
    ):
        with pytest.raises(InvalidPathError, match="lies in, or contains, the directory of another catalog"):
            attempt()
    assert state(lake) == before


def test_a_second_catalog_keeps_a_place_from_being_the_base(lake: Lake, tmp_path: Path) -> None:
    lake.create_catalog("first")
    with pytest.raises(InvalidPathError, match="lies in, or contains"):
        lake.create_catalog("only", at_base=True)
    only = lake.create_catalog("only", data_path=tmp_path / "elsewhere", at_base=True)
    assert directory(lake, only) == f"{tmp_path}/elsewhere/"


@pytest.mark.parametrize("path", ["", " ", "nul\0", "s3://", "s3://bucket/../other"])
def test_a_data_path_that_names_no_place_is_refused(lake: Lake, path: str) -> None:
    shop = lake.create_catalog("shop")
    before = state(lake)
    for attempt in each(
        lambda: lake.create_catalog("new", data_path=path),
        lambda: shop.fork("new", data_path=path),
        lambda: shop.fork("new", data_path=path, copy=True),
    ):
        with pytest.raises(InvalidPathError):
            attempt()
    assert state(lake) == before


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../f", "a/../../f", "a//f", "s3://b/f", "nul\0", "half \ud800"])
def test_a_file_lies_below_the_directory_of_its_table(lake: Lake, path: str) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT"})
    with pytest.raises(InvalidPathError, match="must lie below its table's directory"):
        shop.table("orders").storage.append_files([data_file("fine"), NewDataFile(path, 1, 1)])
    assert shop.table("orders").storage.files() == []
    assert rows(lake, "SELECT count(*) FROM forklake.ducklake_data_file") == [(0,)]
