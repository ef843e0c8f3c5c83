"""The steps from each version of the metadata to the next.

A step says what its version has that the one before lacks, in the words of the description, so that it is written once
for all databases. It names tables as they are described now: once a later step changes such a table, the earlier
one gets a description of its own, of the table as it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from forklake.metastore.schema.catalog_tables import DUE, FACTS, LEASE
from forklake.metastore.schema.description import Table
from forklake.metastore.schema.file_tables import DATA_FILE, DELETE_FILE
from forklake.metastore.schema.object_tables import SCHEMA, TABLE

VERSION: Final = int(FACTS["forklake_version"])
"""The version of the metadata that this release makes and needs."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Attributes:
        version: The version that the step leads to, from the one before.
        about: What is new, for people.
        tables: New tables, with their indexes.
        columns: New columns of tables that there were.
        indexes: New indexes of tables that there were, by name.
        rows: Statements that write what the older version did not, in PostgreSQL's dialect and valid in all.
    """

    version: int
    about: str
    tables: tuple[Table, ...] = ()
    columns: tuple[tuple[Table, str], ...] = ()
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
)

OLDEST: Final = STEPS[0].version - 1
"""The oldest version that can be upgraded."""

assert [step.version for step in STEPS] == list(range(OLDEST + 1, VERSION + 1)), "a step is missing"
