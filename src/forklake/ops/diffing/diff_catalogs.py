"""Compares two versions: what leads from one to the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from forklake.catalog import lookup, versions
from forklake.catalog.fields import wider_fields
from forklake.catalog.holdings import Held, HeldDifference, files_of
from forklake.catalog.knowledge import Node, knowledge_of, readable_bases
from forklake.catalog.places import catalog_directories
from forklake.catalog.scan_plan import ScanPlanner
from forklake.errors import MergeBaseError, NotFoundError
from forklake.metastore.differences import changed_tables
from forklake.metastore.queries.catalogs import last_name
from forklake.metastore.queries.merges import pinned_chain
from forklake.metastore.queries.snapshots import is_retained
from forklake.metastore.source import Source
from forklake.metastore.written_tables import TABLE
from forklake.model.difference import CatalogDiff, DiffScan, RowCounts, TableDiff
from forklake.model.ids import TableId
from forklake.model.rows import TableRow
from forklake.model.scan import ScanPlan
from forklake.model.version import Version
from forklake.ops.diffing.change_words import in_words
from forklake.ops.diffing.file_changes import count_places, known_counts, row_changes
from forklake.ops.diffing.object_changes import ObjectDiff, schema_names
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.merging.row_places import read_places
from forklake.ops.merging.sides import Side, Sides
from forklake.ops.merging.table_files import Touched, holdings_by_table, holdings_of, touches_of


def diff_catalogs(runtime: Runtime, before: Version, after: Version) -> CatalogDiff:
    """Return what leads from one version to another.

    It costs as much as differs, not what either holds. No row is read.

    Raises:
        SnapshotNotFoundError: One of the versions is expired.
    """
    with _compare(runtime, before, after) as sides:
        objects = ObjectDiff(sides)
        tables = {TableId(key[0]) for key in objects.tables}
        tables |= changed_tables(sides.session, before, after, sides.imported_catalogs)
        changes = list(objects.first_changes())
        altered = {table for change in changes if (table := getattr(change, "table_id", None)) is not None}
        touched = touches_of(sides, sides.source, sorted(tables))
        held = holdings_by_table((sides.bases[0], sides.source), touched)
        roots = catalog_directories(sides.session, sides.lake_path, set(after.owners))
        names = schema_names((sides.source, *sides.bases))
        told = []
        for row in _rows_of(sides, sorted(altered | touched.keys())):
            found = HeldDifference.of(*(of_side.get(row.table_id, Held({}, {})) for of_side in held))
            if found and row.table_id not in objects.old_tables:
                changes += row_changes(sides, row, found, roots)
            if found or row.table_id in altered:
                told.append(_table_diff(row, names[row.schema_id], objects, found))
        changes += objects.last_changes()
        return CatalogDiff(
            (before.catalog_id, before.snapshot_id),
            (after.catalog_id, after.snapshot_id),
            tuple(changes),
            in_words(changes, sides.bases[0], sides.source),
            tuple(sorted(told, key=lambda table: (table.schema, table.table))),
            (_name(sides.session, before), _name(sides.session, after)),
        )


def base_of(runtime: Runtime, one: Version, other: Version) -> Version:
    """Return the newest version that two versions both contain.

    Raises:
        MergeBaseError: There is none, there are several, or it is expired and nobody is pinned there.
    """
    with runtime.store.reading() as session:
        mine, theirs = knowledge_of(
            session, [Node(versions.owner_of(session, version), version.snapshot_id) for version in (one, other)]
        )
        names = _name(session, one), _name(session, other)
        found = readable_bases(session, mine, theirs, names)
    if len(found) > 1:
        told = " and ".join(
            f"snapshot {node.snapshot_id} of catalog {node.catalog_id}" for node in (base.node for base in found)
        )
        raise MergeBaseError(
            f'"{names[0]}" and "{names[1]}" have {len(found)} newest snapshots in common: {told}.',
            hint="Compare with one of them.",
        )
    return found[0].version


def find_table(runtime: Runtime, before: Version, after: Version, name: str, schema: str) -> TableId:
    """Return the table that has a name in the second version, or else in the first.

    Raises:
        NotFoundError: Neither has it.
    """
    with _compare(runtime, before, after) as sides:
        try:
            return lookup.table(sides.source, name, schema).table_id
        except NotFoundError:
            found = lookup.find_schema(sides.bases[0], schema)
            row = None if found is None else lookup.find_table(sides.bases[0], found.schema_id, name)
            if row is None:
                raise
            return row.table_id


def count_differences(runtime: Runtime, before: Version, after: Version, table: TableId) -> RowCounts:
    """Return how many rows of a table differ.

    Where metadata does not tell, the ids of rows are read, from files that the versions do not share.
    """
    with _compare(runtime, before, after) as sides:
        found = _file_diff(sides, table, touches_of(sides, sides.source, [table]).get(table, Touched()))
        known = known_counts(found)
        if known is not None:
            return known
        of_sides = ((sides.bases[0], found.before), (sides.source, found.after))
        read = read_places(sides, [(side, _table_on(side, table), held) for side, held in of_sides])
        return count_places(*read.places)


def plan_differences(runtime: Runtime, before: Version, after: Version, table: TableId) -> DiffScan:
    """Plan how the rows of a table that differ are read.

    Files that both versions show alike are not in the plan. The columns are those of the second version, or of the
    first if only that has the table; one whose type was widened has the wider one.

    Raises:
        InvalidInputError: A column has types that are not widened into each other.
    """
    with _compare(runtime, before, after) as sides:
        found = _file_diff(sides, table, touches_of(sides, sides.source, [table]).get(table, Touched()))
        plans = [
            _plan(sides, side, table, held)
            for side, held in ((sides.bases[0], found.before), (sides.source, found.after))
        ]
    one, other = plans
    if one is None or other is None:
        known = one or other
        assert known is not None
        nothing = replace(known, files=(), inlined=())
        return DiffScan(one or nothing, other or nothing)
    fields = wider_fields(one.fields, other.fields)
    return DiffScan(replace(one, fields=fields), replace(other, fields=fields))


@contextmanager
def _compare(runtime: Runtime, before: Version, after: Version) -> Iterator[Sides]:
    """Provide two versions, read at one state of the database.

    Raises:
        SnapshotNotFoundError: One of them is expired, and nobody is pinned there.
    """
    with runtime.store.reading() as session:
        for version in (before, after):
            if not is_retained(session, version.snapshot_id) and not pinned_chain(
                session, version.catalog_id, version.snapshot_id
            ):
                raise versions.no_snapshot_error(version.snapshot_id)
        yield Sides.of(session, runtime.lake_path, [before], after, after)


def _name(source: Source, version: Version) -> str:
    return last_name(source, version.catalog_id) or f"catalog {version.catalog_id}"


def _rows_of(sides: Sides, tables: list[TableId]) -> Iterator[TableRow]:
    """Yield tables as the second side has them, or else the first."""
    found: dict[TableId, TableRow] = {}
    for side in (*sides.bases, sides.source):
        found |= {row.table_id: row for row in side.rows(TABLE, {"table_id": tables})}
    for table in tables:
        if table in found:
            yield found[table]


def _file_diff(sides: Sides, table: TableId, what: Touched) -> HeldDifference:
    return HeldDifference.of(*holdings_of((sides.bases[0], sides.source), table, what))


def _table_diff(row: TableRow, schema: str, objects: ObjectDiff, found: HeldDifference) -> TableDiff:
    return TableDiff(
        schema,
        row.table_name,
        row.table_id,
        is_new=row.table_id in objects.new_tables,
        is_dropped=row.table_id in objects.old_tables,
        files_added=len(found.added),
        files_removed=len(found.removed),
        files_changed=len(found.changed),
        rows=known_counts(found),
    )


def _table_on(side: Side, table: TableId) -> TableRow | None:
    return next(iter(side.rows(TABLE, {"table_id": table})), None)


def _plan(sides: Sides, side: Side, table: TableId, held: Held) -> ScanPlan | None:
    row = _table_on(side, table)
    if row is None:
        return None
    planner = ScanPlanner(sides.session, sides.lake_path, side, row, by_origin=True)
    return planner.plan_rows(files_of(held.files.values()), list(held.rows.values()))
