"""Checks of versioned rows: where they begin and end, and what is live at a head.

It reads ``begin_snapshot``, as `visibility` and `garbage` do, but decides for nobody what a catalog sees: it asks
whether what is stored can be.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from forklake.metastore.checks.check import Check, has_head, span_of
from forklake.metastore.garbage import sees_table
from forklake.metastore.schema.description import Visibility
from forklake.metastore.store import Session
from forklake.metastore.written_tables import (
    BEGIN,
    COLUMN,
    DATA_FILE,
    DELETE_FILE,
    END,
    IDENTITIES,
    INLINED_DELETE,
    INLINED_ROW,
    MACRO,
    PARTITION_INFO,
    SCHEMA,
    TABLE,
    TABLE_STATS,
    TABLES,
    VIEW,
    MetadataTable,
)
from forklake.model.ids import ROW_ID_SHIFT, CatalogId

_NAMES: Final[dict[MetadataTable[Any], tuple[str, ...]]] = {
    SCHEMA: ("fold(r.schema_name)",),
    TABLE: ("r.schema_id", "fold(r.table_name)"),
    VIEW: ("r.schema_id", "fold(r.view_name)"),
    MACRO: ("r.schema_id", "fold(r.macro_name)"),
}

# No tombstone of the own catalog r, or of one between, hides the inherited row t, found through the segment g.
_UNHIDDEN: Final = (
    "NOT EXISTS (SELECT 1 FROM forklake.ducklake_tombstone z WHERE z.catalog_id = r.catalog_id"
    " AND z.scope_id = {scope} AND z.row_uid = t.row_uid)"
    " AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment n JOIN forklake.ducklake_tombstone z"
    " ON z.catalog_id = n.owner_id AND z.scope_id = {scope} AND z.row_uid = t.row_uid AND z.snapshot_id <= n.upto"
    " WHERE n.catalog_id = r.catalog_id AND n.since = g.since AND n.depth < g.depth)"
)
_INHERITED: Final = f"t.{BEGIN} <= g.upto AND t.{END} > g.upto"


def _interval_checks() -> Iterator[Check]:
    for table in TABLES:
        if table.visibility is Visibility.FOLLOWS:
            continue
        columns = (BEGIN, END) if table.visibility is Visibility.INTERVAL else (BEGIN,)
        for column in columns:
            yield Check(
                "row-interval",
                f"SELECT x.catalog_id, x.at FROM (SELECT DISTINCT r.catalog_id, r.{column} AS at"
                f" FROM forklake.{table.name} r WHERE {span_of('r')}) x WHERE x.at <> :never AND {has_head('x')}"
                " AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_snapshot_lineage l"
                " WHERE l.catalog_id = x.catalog_id AND l.snapshot_id = x.at)"
                # What was expired before a catalog was imported is in no lineage.
                " AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_numbering n WHERE n.catalog_id = x.catalog_id"
                " AND x.at >= n.snapshot_id AND x.at < n.snapshot_id + n.snapshot_count)",
                f"Rows of {table.name} {'begin' if column == BEGIN else 'end'} at {{}}, which is none of its"
                " snapshots.",
            )
        if table.visibility is Visibility.INTERVAL:
            yield Check(
                "row-interval",
                f"SELECT r.catalog_id, r.row_uid, r.{BEGIN}, r.{END} FROM forklake.{table.name} r"
                # Of a past partitioning that its files still have, a copy begins and ends at one snapshot.
                f" WHERE {span_of('r')} AND r.{BEGIN} {'>' if table is PARTITION_INFO else '>='} r.{END}",
                f"Row {{}} of {table.name} begins at snapshot {{}} and ends at {{}}.",
            )
    yield Check(
        "row-interval",
        f"SELECT z.catalog_id, z.row_uid, z.snapshot_id FROM forklake.ducklake_tombstone z WHERE {span_of('z')}"
        f" AND {has_head('z')} AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_snapshot_lineage l"
        " WHERE l.catalog_id = z.catalog_id AND l.snapshot_id = z.snapshot_id)",
        "The tombstone of row {} has snapshot {}, which is none of its snapshots.",
    )


def _identity_checks() -> Iterator[Check]:
    for table, identity in IDENTITIES.items():
        code = "delete-file-twice" if table is DELETE_FILE else "row-twice"
        keys = ", ".join(f"r.{name}" for name in identity)
        told = " and ".join(f"{name} {{}}" for name in identity)
        shown = ", ".join(f"x.{name}" for name in identity)
        yield Check(
            code,
            f"SELECT x.catalog_id, {shown} FROM (SELECT r.catalog_id, {keys}, r.{END} AS ends, lead(r.{BEGIN}) OVER"
            f" (PARTITION BY r.catalog_id, {keys} ORDER BY r.{BEGIN}, r.{END}) AS following"
            f" FROM forklake.{table.name} r WHERE {span_of('r')} AND r.{BEGIN} < r.{END}) x WHERE x.following < x.ends",
            f"Two rows of {table.name} with {told} are there at the same time.",
        )
        scope = "0" if table.scope is None else f"t.{table.scope}"
        same = " AND ".join(f"t.{name} = r.{name}" for name in identity)
        yield Check(
            code,
            f"SELECT r.catalog_id, {keys}, g.owner_id FROM forklake.ducklake_segment g"
            f" JOIN forklake.{table.name} r ON r.catalog_id = g.catalog_id AND r.{END} = :never"
            f" JOIN forklake.{table.name} t ON t.catalog_id = g.owner_id AND {same}"
            f" WHERE {span_of('g')} AND g.until = :never AND {_INHERITED} AND {_UNHIDDEN.format(scope=scope)}",
            f"A row of {table.name} with {told} is there beside the one that is inherited from the catalog with id"
            " {}.",
        )


def _name_checks() -> Iterator[Check]:
    for table, names in _NAMES.items():
        rivals = (TABLE, VIEW) if table in (TABLE, VIEW) else (table,)
        for rival in rivals:
            same = " AND ".join(
                f"{theirs.replace('r.', 't.')} = {ours}" for theirs, ours in zip(_NAMES[rival], names, strict=True)
            )
            shown = names[-1].removeprefix("fold(").removesuffix(")")
            if table is TABLE or rival is table:
                other = " AND t.row_uid > r.row_uid" if rival is table else ""
                yield Check(
                    "name-twice",
                    f"SELECT r.catalog_id, {shown} FROM forklake.{table.name} r JOIN forklake.{rival.name} t"
                    f" ON t.catalog_id = r.catalog_id AND {same} AND t.{END} = :never{other}"
                    f" WHERE {span_of('r')} AND r.{END} = :never",
                    f"Two live rows of {table.name} or {rival.name} have the name {{}}.",
                )
            yield Check(
                "name-twice",
                f"SELECT r.catalog_id, {shown}, g.owner_id FROM forklake.ducklake_segment g"
                f" JOIN forklake.{table.name} r ON r.catalog_id = g.catalog_id AND r.{END} = :never"
                f" JOIN forklake.{rival.name} t ON t.catalog_id = g.owner_id AND {same}"
                f" WHERE {span_of('g')} AND g.until = :never AND {_INHERITED} AND {_UNHIDDEN.format(scope='0')}",
                f"A live row of {table.name} has the name {{}}, as an inherited one of the catalog with id {{}}.",
            )


_HEAD: Final = "(SELECT h.snapshot_id FROM forklake.ducklake_head h WHERE h.catalog_id = r.catalog_id)"


def _reference_checks() -> Iterator[Check]:
    for table in TABLES:
        if table.visibility is Visibility.INTERVAL and table.scope is not None:
            yield Check(
                "table-missing",
                f"SELECT r.catalog_id, r.table_id FROM (SELECT DISTINCT r.catalog_id, r.table_id"
                f" FROM forklake.{table.name} r WHERE {span_of('r')} AND r.{END} = :never) r"
                f" WHERE {has_head('r')} AND NOT {sees_table('r.catalog_id', _HEAD)}",
                f"Live rows of {table.name} belong to the table with id {{}}, which the catalog does not show.",
            )
    for table in (TABLE, VIEW, MACRO):
        yield _missing(
            "schema-missing",
            table,
            (SCHEMA, "schema_id"),
            f"Live rows of {table.name} belong to the schema with id {{}}, which the catalog does not show.",
        )
    yield _missing(
        "columns-missing", TABLE, (COLUMN, "table_id"), "The catalog shows no column of the live table with id {}."
    )
    for table in (DELETE_FILE, INLINED_DELETE):
        yield _missing(
            "data-file-missing",
            table,
            (DATA_FILE, "data_file_id"),
            f"Live rows of {table.name} delete rows of the data file with id {{}}, which the catalog does not show.",
            # DuckLake leaves delete files of data files that are gone.
            unless=" AND r.numbering_id IS NULL" if table is DELETE_FILE else "",
        )


def _missing(
    code: str, table: MetadataTable[Any], needed: tuple[MetadataTable[Any], str], told: str, unless: str = ""
) -> Check:
    """Return the check that a catalog shows what its live rows need.

    That is a row of another table with the same id. ``unless`` leaves rows out.
    """
    other, key = needed
    scope = "0" if other.scope is None else f"t.{other.scope}"
    return Check(
        code,
        f"SELECT DISTINCT r.catalog_id, r.{key} FROM forklake.{table.name} r"
        f" WHERE {span_of('r')} AND r.{END} = :never{unless} AND {has_head('r')} AND NOT EXISTS (SELECT 1"
        f" FROM forklake.{other.name} t WHERE t.catalog_id = r.catalog_id AND t.{key} = r.{key} AND t.{END} = :never)"
        f" AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment g JOIN forklake.{other.name} t"
        f" ON t.catalog_id = g.owner_id AND t.{key} = r.{key}"
        " WHERE g.catalog_id = r.catalog_id AND g.until = :never"
        f" AND {_INHERITED} AND {_UNHIDDEN.format(scope=scope)})",
        told,
    )


# ---- statistics and row ids ----------------------------------------------------------------------------------------

_RANGE: Final = 1 << ROW_ID_SHIFT
_HAS_PARENT: Final = (
    "EXISTS (SELECT 1 FROM forklake.ducklake_catalog k WHERE k.catalog_id = {0}.catalog_id"
    " AND k.parent_catalog_id IS NOT NULL)"
)
_NEWEST: Final = (
    f"r.{BEGIN} = (SELECT max(b.{BEGIN}) FROM forklake.{TABLE_STATS.name} b WHERE b.catalog_id = r.catalog_id"
    " AND b.table_id = r.table_id)"
)
# The totals of own live files f, and of own live inlined rows i, by table: each table of files is read once.
_LIVE: Final = "".join(
    f" LEFT JOIN (SELECT x.catalog_id, x.table_id, {totals} FROM forklake.{table.name} x WHERE {span_of('x')}"
    f" AND x.{END} = :never GROUP BY x.catalog_id, x.table_id) {alias}"
    f" ON {alias}.catalog_id = r.catalog_id AND {alias}.table_id = r.table_id"
    for table, alias, totals in (
        (DATA_FILE, "f", "sum(x.record_count) AS record_count, sum(x.file_size_bytes) AS file_size_bytes"),
        (INLINED_ROW, "i", "count(*) AS record_count, 0 AS file_size_bytes"),
    )
)


def _statistics_checks() -> Iterator[Check]:
    own = f"FROM forklake.{TABLE_STATS.name} r{_LIVE} WHERE {span_of('r')} AND {has_head('r')} AND {_NEWEST}"
    for column, unit in (("record_count", "rows"), ("file_size_bytes", "bytes")):
        # Of a fork, what it inherits comes on top. Some of that may have been collected, so it is not added up.
        live = f"coalesce(f.{column}, 0) + coalesce(i.{column}, 0)"
        yield Check(
            f"statistics-{unit}",
            "SELECT y.catalog_id, y.table_id, y.counted, y.live FROM (SELECT r.catalog_id, r.table_id,"
            f" r.{column} AS counted, {live} AS live {own}) y WHERE y.counted < y.live",
            f"The statistics of the table with id {{}} count {{}} {unit}, and its own live files have {{}}.",
        )
    yield Check(
        "statistics-missing",
        f"SELECT r.catalog_id, r.table_id FROM forklake.{TABLE.name} r WHERE {span_of('r')} AND r.{END} = :never"
        f" AND {has_head('r')} AND NOT EXISTS (SELECT 1 FROM forklake.{TABLE_STATS.name} s"
        " WHERE s.catalog_id = r.catalog_id AND s.table_id = r.table_id)"
        f" AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment g JOIN forklake.{TABLE_STATS.name} s"
        f" ON s.catalog_id = g.owner_id AND s.table_id = r.table_id AND s.{BEGIN} <= g.upto"
        " WHERE g.catalog_id = r.catalog_id AND g.until = :never)",
        "The table with id {} has no statistics, so no row ids can be given.",
    )


def _row_id_checks() -> Iterator[Check]:
    yield Check(
        "row-id-range",
        f"SELECT r.catalog_id, r.table_id, r.next_row_id FROM forklake.{TABLE_STATS.name} r WHERE {span_of('r')}"
        f" AND {_HAS_PARENT.format('r')} AND (r.next_row_id < r.catalog_id * {_RANGE}"
        f" OR r.next_row_id > r.catalog_id * {_RANGE} + {_RANGE})",
        "The table with id {} numbers its next row {}, which is outside of the catalog's own range.",
    )
    yield Check(
        "row-id-range",
        f"SELECT r.catalog_id, r.data_file_id, r.row_id_start FROM forklake.{DATA_FILE.name} r WHERE {span_of('r')}"
        f" AND r.path_is_relative AND r.partial_max IS NULL AND {_HAS_PARENT.format('r')}"
        f" AND (r.row_id_start < r.catalog_id * {_RANGE} OR r.row_id_start + r.record_count >"
        f" r.catalog_id * {_RANGE} + {_RANGE})",
        "The rows of the data file with id {} are numbered from {} on, which is outside of the catalog's own range.",
    )
    ranges = (
        f"(SELECT k.catalog_id, CASE WHEN max(k.parent_catalog_id) IS NULL THEN 0 ELSE k.catalog_id * {_RANGE} END"
        f" AS first FROM forklake.ducklake_catalog k WHERE {span_of('k')} GROUP BY k.catalog_id)"
    )
    for table, start, past, plain in (
        (DATA_FILE, "x.row_id_start", "x.row_id_start + x.record_count", " AND x.partial_max IS NULL"),
        (INLINED_ROW, "x.row_id", "x.row_id + 1", ""),
    ):
        yield Check(
            "row-id-next",
            f"SELECT r.catalog_id, r.table_id, r.next_row_id, v.past FROM forklake.{TABLE_STATS.name} r JOIN"
            f" (SELECT x.catalog_id, x.table_id, max({past}) AS past FROM forklake.{table.name} x JOIN {ranges} y"
            f" ON y.catalog_id = x.catalog_id WHERE {span_of('x')}{plain} AND {start} >= y.first"
            f" AND {start} < y.first + {_RANGE} GROUP BY x.catalog_id, x.table_id) v"
            " ON v.catalog_id = r.catalog_id AND v.table_id = r.table_id"
            f" WHERE {span_of('r')} AND {has_head('r')} AND {_NEWEST} AND v.past > r.next_row_id",
            "The table with id {} would number its next row {}, and there are rows up to {}.",
        )
    yield Check(
        "row-ids-overlap",
        "SELECT x.catalog_id, x.data_file_id, x.following FROM (SELECT r.catalog_id, r.data_file_id,"
        " r.row_id_start + r.record_count AS past, lead(r.row_id_start) OVER (PARTITION BY r.catalog_id, r.table_id"
        f" ORDER BY r.row_id_start, r.record_count) AS following FROM forklake.{DATA_FILE.name} r WHERE {span_of('r')}"
        f" AND r.{END} = :never AND r.row_id_start IS NOT NULL AND r.partial_max IS NULL AND r.numbering_id IS NULL"
        " AND r.record_count > 0) x WHERE x.following < x.past",
        "The row ids of the data file with id {} overlap with those of another file, which begin at {}.",
    )


# ---- what nothing needs --------------------------------------------------------------------------------------------


def _tombstones(*, is_scoped: bool) -> str:
    """Return the query for tombstones that hide no row from anybody.

    Conditions on their catalogs may follow it.
    """
    tables = [table for table in IDENTITIES if (table.scope is not None) == is_scoped]
    own = " AND ".join(
        "NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment g"
        f" JOIN forklake.{table.name} t ON t.catalog_id = g.owner_id AND t.row_uid = z.row_uid"
        f" WHERE g.catalog_id = z.catalog_id AND g.until > z.snapshot_id AND {_INHERITED})"
        for table in tables
    )
    of_forks = " AND ".join(
        "NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment v JOIN forklake.ducklake_segment g"
        " ON g.catalog_id = v.catalog_id AND g.since = v.since AND g.depth > v.depth"
        f" JOIN forklake.{table.name} t ON t.catalog_id = g.owner_id AND t.row_uid = z.row_uid"
        f" WHERE v.owner_id = z.catalog_id AND v.upto >= z.snapshot_id AND {_INHERITED})"
        for table in tables
    )
    return (
        f"SELECT z.catalog_id, z.row_uid FROM forklake.ducklake_tombstone z WHERE {span_of('z')}"
        f" AND z.scope_id {'<>' if is_scoped else '='} 0 AND {own} AND {of_forks}"
    )


_IS_NOT_DUE: Final = " AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_due d WHERE d.catalog_id = z.catalog_id)"


DEAD_TOMBSTONES: Final = tuple(
    Check(
        "tombstone-dead",
        _tombstones(is_scoped=is_scoped) + _IS_NOT_DUE,
        "The tombstone of row {} hides nothing from anybody.",
    )
    for is_scoped in (False, True)
)


def forget_dead_tombstones(session: Session, catalog: CatalogId) -> int:
    """Delete the tombstones of a catalog that hide nothing; return how many.

    The caller holds the lock of the catalog.
    """
    count = 0
    for is_scoped in (False, True):
        dead = [uid for _, uid in session.query(_tombstones(is_scoped=is_scoped), first=catalog, last=catalog)]
        count += session.execute(
            "DELETE FROM forklake.ducklake_tombstone WHERE catalog_id = :c AND row_uid IN (:uids...)",
            c=catalog,
            uids=dead,
        )
    return count


CHECKS: Final = (
    *_interval_checks(),
    *_identity_checks(),
    *_name_checks(),
    *_reference_checks(),
    *_statistics_checks(),
    *_row_id_checks(),
    *DEAD_TOMBSTONES,
)
