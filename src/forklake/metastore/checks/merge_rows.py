"""Checks of what catalogs contain of each other, and of what merges count by."""

from __future__ import annotations

from typing import Final

from forklake.metastore.checks.check import Check, has_head, span_of
from forklake.metastore.schema.catalog_tables import COLUMN_IDS
from forklake.metastore.written_tables import BEGIN, COLUMN, DATA_FILE, INLINED_ROW, TABLE_STATS

_KINDS: Final = "'merge', 'refresh', 'reset', 'via', 'chain'"
_HAD: Final = (
    "EXISTS (SELECT 1 FROM forklake.ducklake_snapshot_lineage l"
    " WHERE l.catalog_id = {0}.{1} AND l.snapshot_id = {0}.{2})"
)
_KNOWN: Final = (
    f"(EXISTS (SELECT 1 FROM forklake.ducklake_merge o WHERE o.catalog_id = m.catalog_id AND o.{BEGIN} <= m.{BEGIN}"
    " AND o.source_id = n.known_id AND o.source_snapshot_id >= n.upto)"
    " OR EXISTS (SELECT 1 FROM forklake.ducklake_segment g WHERE g.catalog_id = m.catalog_id"
    f" AND g.since <= m.{BEGIN} AND g.until > m.{BEGIN} AND g.owner_id = n.known_id AND g.upto >= n.upto)"
    " OR EXISTS (SELECT 1 FROM forklake.ducklake_segment g JOIN forklake.ducklake_merge o"
    f" ON o.catalog_id = g.owner_id AND o.{BEGIN} <= g.upto WHERE g.catalog_id = m.catalog_id"
    f" AND g.since <= m.{BEGIN} AND g.until > m.{BEGIN} AND o.source_id = n.known_id"
    " AND o.source_snapshot_id >= n.upto))"
)
_OF_SOURCES: Final = (
    # What a source merged, and what it inherited.
    f"SELECT catalog_id, {BEGIN} AS since, :never AS until, source_id AS known_id, source_snapshot_id AS upto"
    " FROM forklake.ducklake_merge",
    "SELECT catalog_id, since, until, owner_id AS known_id, upto FROM forklake.ducklake_segment",
)

CHECKS: Final = (
    Check(
        "merge-source",
        f"SELECT m.catalog_id, m.{BEGIN}, m.source_id FROM forklake.ducklake_merge m WHERE {span_of('m')}"
        " AND ((m.source_id = m.catalog_id AND m.kind <> 'reset') OR NOT EXISTS"
        " (SELECT 1 FROM forklake.ducklake_catalog k WHERE k.catalog_id = m.source_id))",
        "From snapshot {} on it contains the catalog with id {}, which is itself or does not exist.",
    ),
    Check(
        "merge-source",
        f"SELECT m.catalog_id, m.{BEGIN}, m.kind FROM forklake.ducklake_merge m WHERE {span_of('m')}"
        f" AND NOT (m.kind IN ({_KINDS}))",
        'What it contains from snapshot {} on came by "{}", which nobody knows.',
    ),
    Check(
        "merge-snapshot",
        f"SELECT m.catalog_id, m.{BEGIN}, m.source_id FROM forklake.ducklake_merge m WHERE {span_of('m')}"
        f" AND {has_head('m')} AND NOT {_HAD.format('m', 'catalog_id', BEGIN)}",
        "From snapshot {} on it contains the catalog with id {}, but it never had that snapshot.",
    ),
    Check(
        "merge-snapshot",
        f"SELECT m.catalog_id, m.source_snapshot_id, m.source_id FROM forklake.ducklake_merge m WHERE {span_of('m')}"
        " AND EXISTS (SELECT 1 FROM forklake.ducklake_head h WHERE h.catalog_id = m.source_id)"
        f" AND NOT {_HAD.format('m', 'source_id', 'source_snapshot_id')}",
        "It contains snapshot {} of the catalog with id {}, which never had it.",
    ),
    Check(
        "merge-snapshot",
        f"SELECT m.catalog_id, m.{BEGIN}, m.source_id, m.source_snapshot_id FROM forklake.ducklake_merge m"
        f" WHERE {span_of('m')} AND m.source_snapshot_id >= m.{BEGIN}",
        "Its snapshot {} contains the catalog with id {} up to snapshot {}, which is not older.",
    ),
    *(
        Check(
            "merge-open",
            f"SELECT DISTINCT m.catalog_id, m.{BEGIN}, m.source_id, m.source_snapshot_id, n.known_id, n.upto"
            f" FROM forklake.ducklake_merge m JOIN ({of_sources}) n ON n.catalog_id = m.source_id"
            " AND n.since <= m.source_snapshot_id AND n.until > m.source_snapshot_id"
            f" WHERE {span_of('m')} AND {has_head('m')} AND m.kind IN ('merge', 'refresh', 'reset')"
            f" AND n.known_id <> m.catalog_id AND NOT {_KNOWN}",
            "Its snapshot {} contains the catalog with id {} up to snapshot {}, but not what that contains: the catalog"
            " with id {} up to snapshot {}.",
        )
        for of_sources in _OF_SOURCES
    ),
    *(
        Check(
            "origin-later",
            f"SELECT r.catalog_id, r.table_id, r.{name}, r.origin_snapshot_id, r.{BEGIN} FROM forklake.{table.name} r"
            f" WHERE {span_of('r')} AND r.origin_snapshot_id > r.{BEGIN}",
            f"Of the table with id {{}}, {words} {{}} was first added by snapshot {{}}, after it begins: {{}}.",
        )
        for table, name, words in ((DATA_FILE, "data_file_id", "data file"), (INLINED_ROW, "row_id", "inlined row"))
    ),
    Check(
        "column-id-next",
        f"SELECT r.catalog_id, r.table_id, r.next_column_id, max(c.column_id) FROM forklake.{TABLE_STATS.name} r"
        f" JOIN forklake.{COLUMN.name} c ON c.catalog_id = r.catalog_id AND c.table_id = r.table_id"
        f" AND c.column_id >= r.next_column_id AND c.column_id < {COLUMN_IDS.first}"
        f" WHERE {span_of('r')} AND {has_head('r')} AND NOT EXISTS (SELECT 1 FROM forklake.{TABLE_STATS.name} x"
        f" WHERE x.catalog_id = r.catalog_id AND x.table_id = r.table_id AND x.{BEGIN} > r.{BEGIN})"
        " GROUP BY r.catalog_id, r.table_id, r.next_column_id",
        "The table with id {} would give its next column the id {}, and there are columns up to {}.",
    ),
)
