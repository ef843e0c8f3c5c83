"""Checks of catalogs: their list, heads, lineages and chains."""

from __future__ import annotations

from typing import Final

from forklake.metastore.checks.check import Check, has_head, span_of
from forklake.metastore.written_tables import END, TABLES

_OWNED: Final = (
    "ducklake_head",
    "ducklake_segment",
    "ducklake_tombstone",
    "ducklake_snapshot",
    "ducklake_snapshot_changes",
    "ducklake_snapshot_lineage",
    "ducklake_metadata",
    "ducklake_merge",
    "ducklake_snapshot_tag",
    "ducklake_lifetime",
    "ducklake_quota",
    "ducklake_catalog_label",
    *(table.name for table in TABLES),
)
_ENDED_BY_PURGE: Final = (
    "ducklake_snapshot",
    "ducklake_segment",
    "ducklake_snapshot_lineage",
    "ducklake_snapshot_tag",
    "ducklake_lifetime",
    "ducklake_quota",
    "ducklake_catalog_label",
)
FORGETTABLE: Final = ("ducklake_lease", "ducklake_due")
"""Tables whose rows mean nothing without their catalog."""

_UNKNOWN: Final = "NOT EXISTS (SELECT 1 FROM forklake.ducklake_catalog k WHERE k.catalog_id = r.catalog_id)"
_PIN: Final = "(SELECT min(k.parent_snapshot_id) FROM forklake.ducklake_catalog k WHERE k.catalog_id = {}.{})"

LIST: Final = (
    *(
        Check(
            "unknown-catalog",
            # Grouped first: one look at the list for each catalog, not for each row.
            f"SELECT r.catalog_id, r.row_count FROM (SELECT r.catalog_id, count(*) AS row_count FROM forklake.{name} r"
            f" WHERE {span_of('r')} GROUP BY r.catalog_id) r WHERE {_UNKNOWN}",
            f"The list of catalogs does not have this catalog, of which {name} has {{}} rows.",
        )
        for name in _OWNED
    ),
    *(
        Check(
            "unknown-owner",
            f"SELECT r.catalog_id, count(*) FROM forklake.{name} r WHERE {span_of('r')} AND {_UNKNOWN}"
            " GROUP BY r.catalog_id",
            f"The list of catalogs does not have this catalog, of which {name} has {{}} rows, which mean nothing.",
        )
        for name in FORGETTABLE
    ),
    Check(
        "catalog-twice",
        f"SELECT k.catalog_id, count(*) FROM forklake.ducklake_catalog k WHERE {span_of('k')} AND k.{END} = :never"
        " GROUP BY k.catalog_id HAVING count(*) > 1",
        "The list of catalogs has {} live rows of this catalog.",
    ),
    Check(
        "catalog-twice",
        "SELECT k.catalog_id, k.catalog_name, o.catalog_id FROM forklake.ducklake_catalog k"
        " JOIN forklake.ducklake_catalog o ON fold(o.catalog_name) = fold(k.catalog_name)"
        f" AND o.{END} = :never AND o.catalog_id < k.catalog_id WHERE {span_of('k')} AND k.{END} = :never",
        'The name "{}" is also that of the catalog with id {}.',
    ),
    Check(
        "directory-twice",
        "SELECT DISTINCT k.catalog_id, k.path, o.catalog_id FROM forklake.ducklake_catalog k"
        " JOIN forklake.ducklake_catalog o ON fold(o.path) = fold(k.path) AND o.catalog_id < k.catalog_id"
        f" WHERE {span_of('k')}",
        'Its directory "{}" is also that of the catalog with id {}.',
    ),
)

HEADS: Final = (
    Check(
        "head-missing",
        f"SELECT k.catalog_id FROM forklake.ducklake_catalog k WHERE {span_of('k')} AND k.{END} = :never"
        f" AND NOT {has_head('k')}",
        "The catalog is live and has no head.",
    ),
    *(
        Check(
            "head-missing",
            f"SELECT r.catalog_id, count(*) FROM forklake.{name} r WHERE {span_of('r')} AND NOT {has_head('r')}"
            " AND EXISTS (SELECT 1 FROM forklake.ducklake_catalog k WHERE k.catalog_id = r.catalog_id)"
            " AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_catalog k WHERE k.catalog_id = r.catalog_id"
            f" AND k.{END} = :never) GROUP BY r.catalog_id",
            f"The catalog has no head, and yet {{}} rows in {name}, which a purge deletes.",
        )
        for name in _ENDED_BY_PURGE
    ),
    Check(
        "head-snapshot",
        f"SELECT h.catalog_id, h.snapshot_id FROM forklake.ducklake_head h WHERE {span_of('h')}"
        " AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_snapshot s WHERE s.catalog_id = h.catalog_id"
        " AND s.snapshot_id = h.snapshot_id)",
        "The head is snapshot {}, which is not there.",
    ),
    Check(
        "head-behind",
        "SELECT h.catalog_id, h.snapshot_id, max(l.snapshot_id) FROM forklake.ducklake_head h"
        " JOIN forklake.ducklake_snapshot_lineage l ON l.catalog_id = h.catalog_id AND l.snapshot_id > h.snapshot_id"
        f" WHERE {span_of('h')} GROUP BY h.catalog_id, h.snapshot_id",
        "The head is snapshot {}, and the newest of the lineage is {}.",
    ),
    Check(
        "head-state",
        f"SELECT h.catalog_id FROM forklake.ducklake_head h WHERE {span_of('h')} AND h.live <>"
        " EXISTS (SELECT 1 FROM forklake.ducklake_catalog k WHERE k.catalog_id = h.catalog_id"
        f" AND k.{END} = :never) AND EXISTS (SELECT 1 FROM forklake.ducklake_catalog k"
        " WHERE k.catalog_id = h.catalog_id)",
        "The head and the list of catalogs do not agree on whether the catalog is live.",
    ),
)

LINEAGE: Final = (
    Check(
        "lineage-gap",
        f"SELECT s.catalog_id, s.snapshot_id FROM forklake.ducklake_snapshot s WHERE {span_of('s')}"
        " AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_snapshot_lineage l WHERE l.catalog_id = s.catalog_id"
        " AND l.snapshot_id = s.snapshot_id)",
        "Snapshot {} is not in the lineage.",
    ),
    Check(
        "lineage-gap",
        "SELECT l.catalog_id, l.snapshot_id, l.previous_snapshot_id FROM forklake.ducklake_snapshot_lineage l"
        f" WHERE {span_of('l')} AND l.previous_snapshot_id IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_snapshot_lineage b WHERE b.catalog_id = l.catalog_id"
        " AND b.snapshot_id = l.previous_snapshot_id)"
        f" AND l.previous_snapshot_id <> coalesce({_PIN.format('l', 'catalog_id')}, -1)",
        "Snapshot {} follows snapshot {}, which is neither in the lineage nor the pin.",
    ),
    Check(
        "lineage-gap",
        "SELECT l.catalog_id, coalesce(l.previous_snapshot_id, -1), count(*)"
        f" FROM forklake.ducklake_snapshot_lineage l WHERE {span_of('l')}"
        " GROUP BY l.catalog_id, l.previous_snapshot_id HAVING count(*) > 1",
        "Snapshot {} (-1: none) is followed by {} snapshots.",
    ),
    Check(
        "lineage-gap",
        "SELECT l.catalog_id, l.snapshot_id, l.previous_snapshot_id FROM forklake.ducklake_snapshot_lineage l"
        f" WHERE {span_of('l')} AND l.previous_snapshot_id >= l.snapshot_id",
        "Snapshot {} follows snapshot {}, which is not older.",
    ),
    Check(
        "changes-missing",
        f"SELECT s.catalog_id, s.snapshot_id FROM forklake.ducklake_snapshot s WHERE {span_of('s')}"
        " AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_snapshot_changes l WHERE l.catalog_id = s.catalog_id"
        " AND l.snapshot_id = s.snapshot_id)",
        "Nothing tells what snapshot {} changed.",
    ),
)

CHAINS: Final = (
    Check(
        "chain-gap",
        f"SELECT g.catalog_id, min(g.depth), max(g.depth), count(*) FROM forklake.ducklake_segment g"
        f" WHERE {span_of('g')} GROUP BY g.catalog_id, g.since HAVING min(g.depth) <> 1 OR max(g.depth) <> count(*)",
        "The depths of its chain go from {} to {}, and there are {} segments.",
    ),
    Check(
        "chain-owner",
        f"SELECT g.catalog_id, g.depth, g.owner_id FROM forklake.ducklake_segment g WHERE {span_of('g')}"
        " AND (g.owner_id = g.catalog_id OR NOT EXISTS (SELECT 1 FROM forklake.ducklake_catalog k"
        " WHERE k.catalog_id = g.owner_id))",
        "Segment {} of its chain names the catalog with id {}, which is itself or does not exist.",
    ),
    Check(
        "chain-owner",
        "SELECT g.catalog_id, g.owner_id, count(*) FROM forklake.ducklake_segment g"
        f" WHERE {span_of('g')} GROUP BY g.catalog_id, g.since, g.owner_id HAVING count(*) > 1",
        "Its chain names the catalog with id {} {} times.",
    ),
    Check(
        "chain-owner",
        "WITH RECURSIVE up(catalog_id, above) AS (SELECT k.catalog_id, k.parent_catalog_id"
        f" FROM forklake.ducklake_catalog k WHERE {span_of('k')} AND k.parent_catalog_id IS NOT NULL"
        " UNION SELECT up.catalog_id, k.parent_catalog_id FROM up JOIN forklake.ducklake_catalog k"
        " ON k.catalog_id = up.above WHERE k.parent_catalog_id IS NOT NULL)"
        " SELECT g.catalog_id, g.depth, g.owner_id FROM forklake.ducklake_segment g LEFT JOIN up"
        f" ON up.catalog_id = g.catalog_id AND up.above = g.owner_id WHERE {span_of('g')} AND up.above IS NULL"
        " AND g.owner_id <> g.catalog_id AND EXISTS (SELECT 1 FROM forklake.ducklake_catalog k"
        " WHERE k.catalog_id = g.owner_id)",
        "Segment {} of its chain names the catalog with id {}, which is none of its ancestors.",
    ),
    Check(
        "chain-pin",
        f"SELECT g.catalog_id, g.depth, g.upto, g.owner_id FROM forklake.ducklake_segment g WHERE {span_of('g')}"
        " AND EXISTS (SELECT 1 FROM forklake.ducklake_head h WHERE h.catalog_id = g.owner_id)"
        " AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_snapshot_lineage l WHERE l.catalog_id = g.owner_id"
        " AND l.snapshot_id = g.upto)",
        "Segment {} of its chain ends at snapshot {}, which the catalog with id {} never had.",
    ),
    Check(
        "chain-pin",
        f"SELECT g.catalog_id, g.depth, g.upto, d.upto FROM forklake.ducklake_segment g"
        " JOIN forklake.ducklake_segment d ON d.catalog_id = g.catalog_id AND d.since = g.since"
        " AND d.depth = g.depth + 1"
        f" WHERE {span_of('g')} AND d.upto >= g.upto",
        "Segment {} of its chain ends at snapshot {}, and the next one not before it: at {}.",
    ),
    Check(
        "chain-parent",
        f"SELECT g.catalog_id, g.upto, coalesce({_PIN.format('g', 'catalog_id')}, -1)"
        f" FROM forklake.ducklake_segment g WHERE {span_of('g')} AND g.depth = 1 AND g.versions_from < :never"
        f" AND g.upto <> coalesce({_PIN.format('g', 'catalog_id')}, -1)",
        "Its chain begins at snapshot {}, and the list of catalogs has {} as its pin (-1: none).",
    ),
    Check(
        "chain-parent",
        f"SELECT d.catalog_id, d.depth, d.upto, g.owner_id, coalesce({_PIN.format('g', 'owner_id')}, -1)"
        " FROM forklake.ducklake_segment d JOIN forklake.ducklake_segment g ON g.catalog_id = d.catalog_id"
        f" AND g.since = d.since AND g.depth = d.depth - 1 WHERE {span_of('d')}"
        f" AND d.upto <> coalesce({_PIN.format('g', 'owner_id')}, -1)"
        # A refresh has moved the pin, and says so for good.
        " AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_merge m WHERE m.catalog_id = g.owner_id"
        " AND m.source_id = d.owner_id AND m.source_snapshot_id = d.upto)",
        "Segment {} of its chain ends at snapshot {}, and the pin of the catalog with id {} is {} (-1: none).",
    ),
    Check(
        "chain-short",
        "SELECT g.catalog_id, g.owner_id, count(*) FROM forklake.ducklake_segment g"
        " JOIN forklake.ducklake_segment o ON o.catalog_id = g.owner_id AND o.since <= g.upto AND o.until > g.upto"
        f" WHERE {span_of('g')} AND g.depth = 1 AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment d"
        " WHERE d.catalog_id = g.catalog_id AND d.since = g.since AND d.depth = o.depth + 1"
        " AND d.owner_id = o.owner_id AND d.upto = o.upto)"
        " GROUP BY g.catalog_id, g.owner_id",
        "Its chain lacks what the catalog with id {}, which it was forked from, inherits: {} segments.",
    ),
    Check(
        "chain-epoch",
        "SELECT x.catalog_id, x.since, x.until, x.following FROM (SELECT g.catalog_id, g.since, g.until,"
        " lead(g.since) OVER (PARTITION BY g.catalog_id ORDER BY g.since) AS following FROM"
        f" (SELECT DISTINCT g.catalog_id, g.since, g.until FROM forklake.ducklake_segment g WHERE {span_of('g')}) g) x"
        " WHERE x.until > coalesce(x.following, x.until) OR (x.following IS NULL AND x.until <> :never)",
        "The chain that it has from snapshot {} to {} is followed by one from {} on.",
    ),
    Check(
        "chain-epoch",
        f"SELECT DISTINCT g.catalog_id, g.since, g.until FROM forklake.ducklake_segment g WHERE {span_of('g')}"
        " AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_snapshot s WHERE s.catalog_id = g.catalog_id"
        " AND s.snapshot_id >= g.since AND s.snapshot_id < g.until) AND EXISTS (SELECT 1"
        " FROM forklake.ducklake_snapshot s WHERE s.catalog_id = g.catalog_id)",
        "It has a chain from snapshot {} to {}, and no snapshot of that time.",
    ),
)

CHECKS: Final = (*LIST, *HEADS, *LINEAGE, *CHAINS)
