"""The steps from each version of the metadata to the next.

A step says what its version has that the one before lacks, in the words of the description, so that it is written once
for all databases. It names tables as they are described now: once a later step changes such a table, the earlier
one gets a description of its own, of the table as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from forklake.metastore.schema.catalog_tables import (
    CATALOG,
    COLUMN_IDS,
    DUE,
    FACTS,
    HEAD,
    LABEL,
    LEASE,
    LIFETIME,
    LOCK,
    MERGE,
    QUOTA,
    SEGMENT,
    SNAPSHOT_TAG,
)
from forklake.metastore.schema.description import LIVE, Sequence, Table
from forklake.metastore.schema.file_tables import DATA_FILE, DELETE_FILE, INLINED_DELETE, INLINED_ROW, TABLE_STATS
from forklake.metastore.schema.object_tables import (
    COLUMN,
    MACRO_IMPL,
    MACRO_PARAMETERS,
    SCHEMA,
    SORT_EXPRESSION,
    TABLE,
    VIEW,
)
from forklake.metastore.schema.own_bytes import own_bytes
from forklake.model.lazy_dataclass import dataclass

VERSION: Final = int(FACTS["forklake_version"])
"""The version of the metadata that this release makes and needs."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Attributes:
        version: The version that the step leads to, from the one before.
        about: What is new, for people.
        tables: New tables, with their indexes.
        sequences: New sequences.
        columns: New columns of tables that there were.
        rekeyed: Tables that there were and get another key, each with its new columns: the values for rows ``r``.
        indexes: New indexes of tables that there were, by name.
        rows: Statements that write what the older version did not, in PostgreSQL's dialect and valid in all.
    """

    version: int
    about: str
    tables: tuple[Table, ...] = ()
    sequences: tuple[Sequence, ...] = ()
    columns: tuple[tuple[Table, str], ...] = ()
    rekeyed: Mapping[Table, Mapping[str, str]] = field(default_factory=dict)
    indexes: tuple[tuple[Table, str], ...] = ()
    rows: tuple[str, ...] = ()


# Version 1 expired snapshots and purged catalogs without collecting what they had shown. Catalogs that did so may hold
# dead rows, as may those that others were forked from. They are due since they were created: any time will do.
_MAY_HOLD_DEAD_ROWS: Final = (
    "INSERT INTO forklake.ducklake_due (catalog_id, due_time)"
    " SELECT k.catalog_id, min(k.begin_time) FROM forklake.ducklake_catalog k"
    " WHERE NOT EXISTS (SELECT 1 FROM forklake.ducklake_head h WHERE h.catalog_id = k.catalog_id)"
    " OR EXISTS (SELECT 1 FROM forklake.ducklake_catalog f WHERE f.parent_catalog_id = k.catalog_id)"
    " OR EXISTS (SELECT 1 FROM forklake.ducklake_snapshot_lineage l WHERE l.catalog_id = k.catalog_id AND NOT EXISTS"
    " (SELECT 1 FROM forklake.ducklake_snapshot s WHERE s.catalog_id = l.catalog_id AND s.snapshot_id = l.snapshot_id))"
    " GROUP BY k.catalog_id"
)

# A fork is in its first epoch, which began with the fork.
_FIRST_SNAPSHOT: Final = (
    "(SELECT min(l.snapshot_id) FROM forklake.ducklake_snapshot_lineage l WHERE l.catalog_id = r.catalog_id)"
)
_COUNT_OWN_FILES: Final = "UPDATE forklake.ducklake_head SET " + ", ".join(
    f"{column} = "
    + " + ".join(
        f"(SELECT coalesce({total}, 0) FROM forklake.{table.name} f"
        f" WHERE f.catalog_id = forklake.ducklake_head.catalog_id AND f.end_snapshot = {LIVE})"
        for table in (DATA_FILE, DELETE_FILE)
    )
    for column, total in (("own_files", "count(*)"), ("own_bytes", "sum(f.file_size_bytes)"))
)

# Quotas count definitions and inlined rows, too.
_COUNT_OWN_BYTES: Final = f"UPDATE forklake.ducklake_head SET own_bytes = {own_bytes()}"

MARKS_SINCE: Final = 4
"""The first version that says which definitions are trusted."""

DEFINITIONS: Final = (VIEW, MACRO_IMPL, MACRO_PARAMETERS, COLUMN, SORT_EXPRESSION)
"""The tables with texts that are bound; ``trusted`` is NULL in rows of before, which is the mark."""

STEPS: Final = (
    Step(
        2,
        "leases of writers, catalogs that are due for collection, indexes on absolute paths and ids",
        tables=(LEASE, DUE),
        indexes=(
            (SCHEMA, "schema_path_idx"),
            (SCHEMA, "schema_id_idx"),
            (TABLE, "table_path_idx"),
            (TABLE, "table_id_idx"),
            (DATA_FILE, "data_file_path_idx"),
            (DELETE_FILE, "delete_file_path_idx"),
        ),
        rows=(_MAY_HOLD_DEAD_ROWS,),
    ),
    Step(
        3,
        "merges, refreshed forks, tags of snapshots, lifetimes, quotas and labels of catalogs",
        tables=(MERGE, SNAPSHOT_TAG, LIFETIME, QUOTA, LABEL),
        sequences=(COLUMN_IDS,),
        columns=(
            (HEAD, "own_files"),
            (HEAD, "own_bytes"),
            (DATA_FILE, "origin_snapshot_id"),
            (DATA_FILE, "columns_known"),
            (INLINED_ROW, "origin_snapshot_id"),
        ),
        rekeyed={SEGMENT: {"since": _FIRST_SNAPSHOT, "until": str(LIVE), "versions_from": "0"}},
        indexes=((INLINED_DELETE, "inlined_delete_data_idx"), (TABLE_STATS, "table_stats_begin_idx")),
        rows=(_COUNT_OWN_FILES,),
    ),
    Step(
        MARKS_SINCE,
        "whether a stored definition is trusted: views, macros, defaults and sort keys; who ended a catalog;"
        " row locks; quotas count definitions and inlined rows",
        tables=(LOCK,),
        columns=(*((table, "trusted") for table in DEFINITIONS), (CATALOG, "ended_by"), (CATALOG, "ended_message")),
        rows=(_COUNT_OWN_BYTES,),
    ),
)

OLDEST: Final = STEPS[0].version - 1
"""The oldest version that can be upgraded."""

assert [step.version for step in STEPS] == list(range(OLDEST + 1, VERSION + 1)), "a step is missing"
