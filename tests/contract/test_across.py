"""One table in many catalogs: planned at once, each file read once, as each catalog alone would read it."""

from random import Random
from typing import Any

import pytest

from forklake import Catalog, ColumnStats, Lake, NewDataFile
from forklake.catalog import lookup
from forklake.catalog.scan_plan import plan_scan
from forklake.catalog.shared_plan import SharedScan
from forklake.errors import InvalidInputError, InvalidNameError, NotFoundError
from forklake.extras import is_installed
from forklake.model.field import Field
from forklake.model.predicate import Condition
from forklake.model.scan import ScanFile, ScanPlan
from forklake.ops.rows.read_across import choose_catalogs, plan_across, shared_columns
from forklake.sql.rows.row_texts import condition
from tests.contract.support import counted, data_file, delete_file

Piece = tuple[Any, ...]


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER", "s": "STRUCT(a INTEGER)"})
    return shop


def shared(lake: Lake, where: str | None = None, **chosen: Any) -> SharedScan:
    def bind(table: str, fields: tuple[Field, ...]) -> Condition | None:
        return None if where is None else condition(where, table, fields)

    catalogs = [catalog for catalog, _ in choose_catalogs(lake._runtime, **chosen)]
    return plan_across(lake._runtime, catalogs, "main", "t", bind)


def pieces(plan: ScanPlan) -> set[Piece]:
    """Return all that a plan reads, in a form that can be compared."""
    inlined = {(rows.fields, row_id, str(values)) for rows in plan.inlined for row_id, _, values in rows.rows}
    return {_piece(file) for file in plan.files} | inlined


def _piece(file: ScanFile) -> Piece:
    deletes = None if file.deletes is None else (file.deletes.path, file.deletes.is_cut and file.deletes.read_upto)
    return file.path, file.fields, deletes, file.inlined_deletes, file.is_cut and file.read_upto


def by_holder(found: SharedScan) -> dict[str, set[Piece]]:
    """Return what each catalog reads of a shared plan."""
    read: dict[str, set[Piece]] = {}
    for shared_plan, _ in found.plans:
        plan, holders = shared_plan.plan, shared_plan.holders
        for place, file in enumerate(plan.files):
            for name in holders[place]:
                read.setdefault(name, set()).add(_piece(file))
        for rows in plan.inlined:
            for (row_id, _, values), place in zip(rows.rows, rows.places, strict=True):
                for name in holders[place]:
                    read.setdefault(name, set()).add((rows.fields, row_id, str(values)))
    return read


def alone(catalog: Catalog, where: str | None = None) -> set[Piece]:
    """Return what the catalog reads by itself."""
    runtime, content = catalog._runtime, catalog._content()
    row = lookup.table(content, "t")
    plan = plan_scan(runtime.store, runtime.lake_path, content, row)
    if where is not None:
        predicate = condition(where, "t", plan.fields).predicate
        plan = plan_scan(runtime.store, runtime.lake_path, content, row, predicate)
    return pieces(plan)


def change(catalog: Catalog, random: Random, step: int) -> None:
    """Change the table in some way."""
    storage = catalog.table("t").storage
    files = storage.files()
    match random.randrange(7):
        case 0 | 1:
            low = random.randrange(100)
            stats = {"i": ColumnStats(100, 0, str(low), str(low + 9))}
            storage.append_files([NewDataFile(f"{catalog.name}-{step}.parquet", 100, 1000, column_stats=stats)])
        case 2:
            storage.insert_inlined([{"i": str(step), "s": f"{{'a': {step}}}"}])
        case 3 if files:
            storage.delete_rows([delete_file(random.choice(files).data_file_id, f"{catalog.name}-{step}-d", step)])
        case 4 if files:
            file = random.choice(files)
            left = sorted(set(range(100)) - set(file.inlined_deletes))
            storage.inline_deletes({file.data_file_id: [random.choice(left)]})
        case 5:
            catalog.table("t").alter.add_column((f"c{step}", "INTEGER"))
        case _:
            catalog.create_table(f"other-{step}", {"i": "INTEGER"}).storage.insert_inlined([{"i": "1"}])


@pytest.mark.parametrize("seed", range(3))
def test_each_catalog_reads_what_it_reads_alone(lake: Lake, shop: Catalog, seed: int) -> None:
    random = Random(seed)
    catalogs = [shop]
    for step in range(40):
        if random.random() < 0.3:
            catalogs.append(random.choice(catalogs).fork(f"fork-{step}"))
        else:
            change(random.choice(catalogs), random, step)
    for where in (None, "i < 30", "s.a = 3 OR i > 80"):
        expected = {catalog.name: found for catalog in catalogs if (found := alone(catalog, where))}
        assert by_holder(shared(lake, where, names=[catalog.name for catalog in catalogs])) == expected


@pytest.mark.parametrize("seed", range(2))
def test_few_rows_are_read_without_an_engine(lake: Lake, shop: Catalog, seed: int) -> None:
    random = Random(seed)
    shop.options.set("data_inlining_row_limit", 3)
    catalogs = [shop]
    for step in range(25):
        catalog = random.choice(catalogs)
        table = catalog.table("t")
        match random.randrange(5):
            case 0:
                catalogs.append(catalog.fork(f"fork-{step}"))
            case 1:
                table.append([{"i": step * 10 + number, "s": {"a": number}} for number in range(random.choice((2, 6)))])
            case 2:
                files = {file.data_file_id: file for file in table.storage.files()}
                left = {id: [0, *range(1, file.record_count)] for id, file in files.items() if not file.inlined_deletes}
                if left:
                    chosen = random.choice(sorted(left))
                    table.storage.inline_deletes({chosen: [random.choice(left[chosen])]})
            case 3:
                table.alter.add_column((f"c{step}", "INTEGER"))
            case _:
                table.append([{"i": step}])
    together = lake.across([catalog.name for catalog in catalogs]).table("t")
    found = together.arrow()
    assert found.column_names[0] == "catalog_name"
    names = found.column_names[1:]
    expected = [
        {"catalog_name": catalog.name, **dict.fromkeys(names), **row}
        for catalog in catalogs
        for row in catalog.table("t").arrow().to_pylist()
    ]
    assert sorted(found.to_pylist(), key=repr) == sorted(expected, key=repr)
    assert together.count() == len(expected)
    ids = [(catalog.name, *row) for catalog in catalogs for row in catalog.table("t").rows(["rowid", "i"])]
    assert sorted(together.rows(["rowid", "i"]), key=repr) == sorted(ids, key=repr)
    if is_installed("pandas"):
        assert together.pandas("i").columns.tolist() == ["catalog_name", "i"]


def test_the_number_of_queries_does_not_depend_on_the_number_of_forks(lake: Lake, shop: Catalog) -> None:
    shop.table("t").storage.append_files([data_file(f"f-{number}") for number in range(3)])
    counts = []
    for number in range(12):
        fork = shop.fork(f"fork-{number}")
        fork.table("t").storage.append_files([data_file(f"own-{number}")])
        fork.table("t").storage.delete_rows([delete_file(shop.table("t").storage.files()[0].data_file_id, "d")])
        with counted(lake) as statements:
            found = shared(lake, "i > 5", names=[f"fork-{each}" for each in range(number + 1)])
        counts.append(len(statements))
        assert len(found.plans[0][0].plan.files) == 2 + 2 * (number + 1)  # two as all see them, two of each fork
    assert len(set(counts[1:])) == 1


def test_catalogs_are_chosen_by_all_conditions_that_are_given(lake: Lake, shop: Catalog) -> None:
    for name in ("agent-1", "agent-2", "other"):
        shop.fork(name, labels={"team": "web"} if name != "agent-2" else None)
    lake.catalog("agent-1").fork("agent-1-child")
    lake.create_catalog("agent-root")

    def chosen(**given: Any) -> list[str]:
        return list(lake.across(**given).names)

    assert chosen(parent="shop") == ["agent-1", "agent-2", "other"]
    assert chosen(prefix="AGENT") == ["agent-1", "agent-2", "agent-1-child", "agent-root"]
    assert chosen(parent="shop", prefix="agent") == ["agent-1", "agent-2"]
    assert chosen(parent="shop", labels={"team": "web"}) == ["agent-1", "other"]
    assert chosen(names=["other", "shop"]) == ["shop", "other"]
    assert chosen(names=["Other"]) == ["other"]


def test_catalogs_without_the_table_are_left_out(lake: Lake, shop: Catalog) -> None:
    shop.table("t").storage.append_files([data_file("f")])
    lake.create_catalog("empty")
    shop.fork("without").table("t").drop()
    found = shared(lake, names=["shop", "empty", "without"])
    assert list(by_holder(found)) == ["shop"]
    assert set(found.missing) == {"empty", "without"}


def test_columns_are_those_of_all_catalogs(lake: Lake, shop: Catalog) -> None:
    wider = shop.fork("wider").table("t")
    wider.alter.add_column(("extra", "VARCHAR"))
    shop.fork("typed").table("t").alter.set_type("i", "BIGINT")
    both = shared(lake, names=["shop", "wider"])
    assert [field.name for field in shared_columns(both)] == ["i", "s", "extra"]
    assert [field.name for field in shared_columns(both, ["EXTRA", "rowid"])] == ["extra", "rowid"]
    with pytest.raises(InvalidInputError, match=r'Column "i" of table "t" is INTEGER in .* and BIGINT in .*; nothing'):
        shared_columns(shared(lake, names=["shop", "typed"]))
    assert [field.name for field in shared_columns(shared(lake, names=["shop", "typed"]), ["s"])] == ["s"]


def test_what_cannot_be_read_together_is_refused(lake: Lake, shop: Catalog) -> None:
    with pytest.raises(InvalidInputError, match="named, or chosen by a parent, a prefix or labels; nothing was read"):
        lake.across()
    with pytest.raises(NotFoundError, match='Catalog "nobody" does not exist'):
        lake.across(parent="nobody")
    with pytest.raises(NotFoundError, match='Catalog "nobody" does not exist; nothing was read'):
        lake.across(["shop", "nobody"])
    with pytest.raises(InvalidNameError, match="The name of a catalog must be text, not Catalog"):
        lake.across([shop])  # type: ignore[list-item]
    with pytest.raises(NotFoundError, match="No catalog of the lake was chosen to read from; nothing was read"):
        lake.across(parent="shop").table("t").paths()
    with pytest.raises(NotFoundError, match='None of the 1 catalogs has a table "u"; nothing was read'):
        lake.across(["shop"]).table("u").paths()
    with pytest.raises(NotFoundError, match='does not have a column with name "catalog_name" to choose'):
        shared_columns(shared(lake, names=["shop"]), ["catalog_name"])
    shop.table("t").alter.add_column(("catalog_name", "VARCHAR"))
    with pytest.raises(InvalidInputError, match='has a column "catalog_name", the name of the column that says'):
        shared_columns(shared(lake, names=["shop"]))
