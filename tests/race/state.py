"""What the tests look at after a race: the content of a catalog, every metadata row, and the rules they must keep."""

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from forklake import Catalog, Lake
from forklake.metastore.schema.description import Visibility
from forklake.metastore.written_tables import TABLES
from forklake.model.ids import INFINITY
from tests.sound import check_sound

Content = tuple[tuple[Any, ...], ...]

METADATA = (
    *(table.name for table in TABLES),
    "ducklake_catalog",
    "ducklake_head",
    "ducklake_metadata",
    "ducklake_segment",
    "ducklake_snapshot",
    "ducklake_snapshot_changes",
    "ducklake_snapshot_lineage",
    "ducklake_tombstone",
)
"""Every table that a commit or a fork writes."""

_VERSIONED = tuple(table.name for table in TABLES if table.visibility is Visibility.INTERVAL)
_BEGUN = tuple(table.name for table in TABLES if table.visibility is not Visibility.FOLLOWS)
_KNOWN_COLUMNS: dict[tuple[str, str], list[str]] = {}
_RANDOM = ("_uuid", "_time", "commit_key")


def content(catalog: Catalog) -> Content:
    """Return all that a catalog shows, in a form that compares and prints well."""
    return tuple(
        (
            table.schema_name,
            table.name,
            table.table_id,
            table.columns,
            table.inspect.stats,
            tuple(
                (
                    file.data_file_id,
                    file.path,
                    file.record_count,
                    file.row_id_start,
                    file.delete_file and (file.delete_file.path, file.delete_file.delete_count),
                )
                for file in table.storage.files()
            ),
        )
        for table in catalog.tables()
    )


def query(lake: Lake, sql: str, **params: Any) -> list[tuple[Any, ...]]:
    """Ask the metadata tables."""
    return lake._runtime.store.query(sql, **params)


def rows(lake: Lake, table: str, columns: str) -> list[tuple[Any, ...]]:
    """Return columns of all rows of a metadata table."""
    return query(lake, f"SELECT {columns} FROM forklake.{table}")


def dump(lake: Lake, *, repeatable: bool = False) -> dict[str, list[tuple[str, ...]]]:
    """Return every metadata row, sorted; ``repeatable`` leaves out times, uuids and commit keys."""
    return {table: sorted(_printed(lake, table, repeatable)) for table in METADATA}


def _printed(lake: Lake, table: str, repeatable: bool) -> Iterable[tuple[str, ...]]:
    names = _columns(lake, table)
    kept = [name for name in names if not (repeatable and name.endswith(_RANDOM))]
    for row in rows(lake, table, ", ".join(kept)):
        yield tuple(f"{name}={value}" for name, value in zip(kept, row, strict=True))


def _columns(lake: Lake, table: str) -> list[str]:
    product = lake._runtime.store.dialect.name
    if (product, table) not in _KNOWN_COLUMNS:
        _KNOWN_COLUMNS[product, table] = _read_columns(lake, table)
    return _KNOWN_COLUMNS[product, table]


def _read_columns(lake: Lake, table: str) -> list[str]:
    if lake._runtime.store.dialect.name == "sqlite":
        return [str(name) for (name,) in query(lake, "SELECT name FROM pragma_table_info(:t)", t=f"forklake_{table}")]
    found = query(
        lake,
        "SELECT column_name FROM information_schema.columns"
        " WHERE table_schema = 'forklake' AND table_name = :t ORDER BY ordinal_position",
        t=table,
    )
    return [str(name) for (name,) in found]


def difference(one: dict[str, list[tuple[str, ...]]], other: dict[str, list[tuple[str, ...]]]) -> str:
    """Return in words how two dumps differ; empty if they do not."""
    lines = []
    for table, found in one.items():
        first, second = Counter(found), Counter(other[table])
        lines += [f"- {table}: {', '.join(row)}" for row in (first - second).elements()]
        lines += [f"+ {table}: {', '.join(row)}" for row in (second - first).elements()]
    return "\n".join(lines)


def check_rules(lake: Lake, *, expired: bool = False, written_out: bool = False) -> None:
    """Check what holds of the metadata of every lake, whatever happened at the same time.

    ``expired`` says that snapshots were expired, ``written_out`` that catalogs have copies of rows: they
    were copied, severed, merged or refreshed.
    """
    _check_ids(lake, written_out=written_out)
    _check_lineages(lake, expired=expired)
    _check_intervals(lake)
    _check_row_ids(lake)
    check_sound(lake, files=False)


def _duplicates(values: Iterable[Any]) -> list[Any]:
    return [value for value, count in Counter(values).items() if count > 1]


def _check_ids(lake: Lake, *, written_out: bool) -> None:
    snapshots = _duplicates(rows(lake, "ducklake_snapshot", "snapshot_id"))
    assert not snapshots, f"snapshot ids given twice: {snapshots}"
    uids = _duplicates(uid for table in _VERSIONED for (uid,) in rows(lake, table, "row_uid"))
    assert not uids, f"row uids given twice: {uids}"
    if not written_out:
        data_files = rows(lake, "ducklake_data_file", "data_file_id")
        files = _duplicates(data_files + rows(lake, "ducklake_delete_file", "delete_file_id"))
        assert not files, f"file ids given twice: {files}"
    objects = {(f"table {uuid}", number) for number, uuid in rows(lake, "ducklake_table", "table_id, table_uuid")}
    objects |= {(f"schema {uuid}", number) for number, uuid in rows(lake, "ducklake_schema", "schema_id, schema_uuid")}
    taken = _duplicates(number for _, number in objects)
    assert not taken, f"object ids given twice: {taken}"
    catalogs = set(rows(lake, "ducklake_catalog", "catalog_id, catalog_uuid"))
    assert not _duplicates(number for number, _ in catalogs), f"catalog ids given twice: {catalogs}"
    live = query(lake, "SELECT catalog_id FROM forklake.ducklake_catalog WHERE end_snapshot = :live", live=INFINITY)
    assert not _duplicates(live), f"catalogs with two live rows: {_duplicates(live)}"
    places = set(rows(lake, "ducklake_catalog", "catalog_id, lower(path)"))
    shared = _duplicates(path for _, path in places)
    assert not shared, f"directories that two catalogs have: {shared}"


def _check_lineages(lake: Lake, *, expired: bool) -> None:
    heads = dict(rows(lake, "ducklake_head", "catalog_id, snapshot_id"))
    pins = dict(rows(lake, "ducklake_catalog", "catalog_id, parent_snapshot_id"))
    times = {
        (catalog, snapshot): time
        for catalog, snapshot, time in rows(lake, "ducklake_snapshot", "catalog_id, snapshot_id, snapshot_time")
    }
    logged = set(rows(lake, "ducklake_snapshot_changes", "catalog_id, snapshot_id"))
    assert logged == set(times), f"snapshots without a log, or logs without a snapshot: {logged ^ set(times)}"
    lineages: dict[int, list[tuple[int, int | None]]] = {}
    for catalog, snapshot, previous in rows(
        lake, "ducklake_snapshot_lineage", "catalog_id, snapshot_id, previous_snapshot_id"
    ):
        lineages.setdefault(catalog, []).append((snapshot, previous))
    assert lineages.keys() == heads.keys()
    for catalog, lineage in lineages.items():
        lineage.sort()
        assert lineage[0][1] == pins[catalog], f"catalog {catalog} begins at {lineage[0]}, not at {pins[catalog]}"
        for (before, _), (after, previous) in pairwise(lineage):
            assert previous == before, f"catalog {catalog}: {after} follows {previous}, but {before} was there"
        assert heads[catalog] == lineage[-1][0], f"catalog {catalog}: head {heads[catalog]} of lineage {lineage[-3:]}"
        assert (catalog, heads[catalog]) in times, f"catalog {catalog}: its head {heads[catalog]} is no snapshot"
        kept = [times[catalog, snapshot] for snapshot, _ in lineage if (catalog, snapshot) in times]
        assert kept == sorted(kept), f"catalog {catalog}: time runs backwards: {kept}"
        assert expired or len(kept) == len(lineage), f"catalog {catalog} lost snapshots"


def _check_intervals(lake: Lake) -> None:
    """Every row begins and ends at a snapshot of its own catalog: no half of a commit is left anywhere."""
    known = set(rows(lake, "ducklake_snapshot_lineage", "catalog_id, snapshot_id"))
    purged = {catalog for (catalog,) in rows(lake, "ducklake_catalog", "catalog_id")} - {c for c, _ in known}
    for table in _BEGUN:
        moments = set(rows(lake, table, "catalog_id, begin_snapshot"))
        if table in _VERSIONED:
            moments |= {moment for moment in rows(lake, table, "catalog_id, end_snapshot") if moment[1] != INFINITY}
        strange = {moment for moment in moments - known if moment[0] not in purged}
        assert not strange, f"rows of {table} at snapshots that their catalog never had: {sorted(strange)}"
    strange = set(rows(lake, "ducklake_tombstone", "catalog_id, snapshot_id")) - known
    strange = {moment for moment in strange if moment[0] not in purged}
    assert not strange, f"tombstones at snapshots that their catalog never had: {sorted(strange)}"


def _check_row_ids(lake: Lake) -> None:
    """No two files of a table, in whatever catalogs of its tree, number different rows the same."""
    ranges: dict[int, set[tuple[int, int, int]]] = {}
    for table, file, start, count in rows(
        lake, "ducklake_data_file", "table_id, data_file_id, row_id_start, record_count"
    ):
        ranges.setdefault(table, set()).add((start, start + count, file))
    for table, found in ranges.items():
        for (_, end, one), (start, _, other) in pairwise(sorted(found)):
            assert end <= start, f"table {table}: files {one} and {other} share row ids from {start} to {end}"
