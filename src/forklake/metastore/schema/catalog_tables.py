"""The metadata tables of catalogs: list, heads, ancestry, snapshots, options."""

from __future__ import annotations

from typing import Final

from forklake.metastore.schema.description import Index, Sequence, Table, Visibility, table

SEQUENCES: Final = (
    Sequence("ducklake_catalog_id_seq", "catalogs"),
    Sequence("ducklake_object_id_seq", "schemas, tables, views, macros, partition and sort specifications"),
    Sequence("ducklake_file_id_seq", "data files, delete files, name mappings"),
    Sequence("ducklake_snapshot_id_seq", "snapshots and changes of the catalog list"),
    Sequence("ducklake_row_uid_seq", "versioned rows"),
)

CATALOG: Final = table(
    "ducklake_catalog",
    "One row per version of a catalog: rename, drop and undrop end a row. The directory is chosen once and never moves;"
    " the row of a purged catalog stays, so that its directory is never given to another.",
    Visibility.LAKE,
    """
    catalog_uuid        uuid
    catalog_name        text
    parent_catalog_id   number?  what it was forked or copied from; kept by detach
    parent_snapshot_id  number?  the pin
    data_path           text?    its own base path, or NULL: the lake's
    path                text     its directory
    path_is_relative    flag     to the lake's data path
    begin_snapshot      number   of the sequence of snapshots, as end_snapshot is
    end_snapshot        number=infinity
    begin_time          time
    end_time            time?
    """,
    key="begin_snapshot",
    indexes=(
        Index("catalog_name_idx", ("fold(catalog_name)", "end_snapshot"), is_unique=True),
        Index("catalog_directory_idx", ("fold(path)",)),
        Index("catalog_parent_idx", ("parent_catalog_id", "end_snapshot", "catalog_id")),
    ),
    ducklake=None,
)

HEAD: Final = table(
    "ducklake_head",
    "The newest snapshot of each catalog. A commit is a compare-and-swap on this row; drop and undrop change live."
    " Narrow, no other index, room for updates in place.",
    Visibility.OWN,
    """
    snapshot_id  number
    live         flag=true  false while it is dropped
    """,
    is_updated=True,
    ducklake=None,
)

SEGMENT: Final = table(
    "ducklake_segment",
    "Flattened ancestry of a fork, nearest first. The catalog itself (depth 0, no limit) is implied.",
    Visibility.OWN,
    """
    depth     small   1 is the nearest
    owner_id  number  the ancestor whose rows it sees
    upto      number  up to and including this snapshot
    """,
    key="depth",
    indexes=(Index("segment_pin_idx", ("owner_id", "upto")),),
    ducklake=None,
)

TOMBSTONE: Final = table(
    "ducklake_tombstone",
    "A row of an ancestor that this catalog no longer shows.",
    Visibility.OWN,
    """
    scope_id     number  the table that the row belongs to, or 0
    row_uid      number  the row
    snapshot_id  number  from when on it is hidden
    """,
    key="scope_id, row_uid",
    indexes=(Index("tombstone_row_idx", ("row_uid",)),),
    ducklake=None,
)

SNAPSHOT: Final = table(
    "ducklake_snapshot",
    "One row per commit. Ids come from one sequence for the whole database: unique everywhere, growing within a"
    " catalog.",
    Visibility.LINEAGE,
    """
    snapshot_id        number
    snapshot_time      time
    schema_version     number
    - next_catalog_id  number  a sequence counts
    - next_file_id     number  a sequence counts
    """,
    key="snapshot_id",
    indexes=(Index("snapshot_lake_idx", ("snapshot_id",)),),
    grows=True,
)

SNAPSHOT_CHANGES: Final = table(
    "ducklake_snapshot_changes",
    "What the commit did, in DuckLake's grammar, and what its author said.",
    Visibility.LINEAGE,
    """
    snapshot_id        number
    changes_made       text
    author             text?
    commit_message     text?
    commit_extra_info  text?
    """,
    key="snapshot_id",
    grows=True,
)

SNAPSHOT_LINEAGE: Final = table(
    "ducklake_snapshot_lineage",
    "The order of a catalog's own snapshots, and the keys that make commits idempotent. Outlives expired snapshots.",
    Visibility.OWN,
    """
    snapshot_id           number
    previous_snapshot_id  number?  of a fork's first: the pin
    commit_key            text?
    """,
    key="snapshot_id",
    indexes=(Index("lineage_key_idx", ("catalog_id", "commit_key"), is_unique=True, where="commit_key IS NOT NULL"),),
    grows=True,
    ducklake=None,
)

NUMBERING: Final = table(
    "ducklake_numbering",
    "What the snapshots of an imported catalog were numbered before: runs of snapshot_count snapshots, from snapshot_id"
    " and source_snapshot_id on. Files merged before the import carry the old numbers; their rows name this catalog in"
    " numbering_id, also where they were copied to another catalog. Outlives the catalog's snapshots.",
    Visibility.OWN,
    """
    snapshot_id         number
    source_snapshot_id  number
    snapshot_count      number
    """,
    key="snapshot_id",
    ducklake=None,
)

SCHEMA_VERSIONS: Final = table(
    "ducklake_schema_versions",
    "The schema versions of each table: at which it was made, or its columns or partitioning changed.",
    Visibility.LINEAGE,
    """
    begin_snapshot  number
    schema_version  number
    table_id        object
    """,
    key="begin_snapshot, table_id",
)

METADATA: Final = table(
    "ducklake_metadata",
    "Options. catalog_id -1 is the whole lake.",
    Visibility.OWN,
    """
    key       text
    value     text
    scope     text=''    '' (the catalog), 'schema' or 'table'
    scope_id  number=-1  the schema or table
    """,
    key="scope, scope_id, key",
)

LEASE: Final = table(
    "ducklake_lease",
    "A writer that may have written files which no row names yet. Its commit deletes the row, or is refused if it is"
    " gone.",
    Visibility.OWN,
    """
    lease_id    text
    begin_time  time  before its first file
    end_time    time  from then on its files are anybody's to delete
    """,
    key="lease_id",
    ducklake=None,
)

DUE: Final = table(
    "ducklake_due",
    "A catalog some of whose rows nothing may need any more, since snapshots or forks that saw them are gone.",
    Visibility.OWN,
    """
    due_time  time  since when
    """,
    indexes=(Index("due_time_idx", ("due_time",)),),
    ducklake=None,
)

SECTIONS: Final[tuple[tuple[str, tuple[Table, ...]], ...]] = (
    ("Catalogs, heads and ancestry", (CATALOG, HEAD, SEGMENT, TOMBSTONE)),
    ("Snapshots", (SNAPSHOT, SNAPSHOT_CHANGES, SNAPSHOT_LINEAGE, NUMBERING, SCHEMA_VERSIONS)),
    ("Options", (METADATA,)),
    ("Writers, and what awaits collection", (LEASE, DUE)),
)

FACTS: Final = {"version": "1.0", "forklake_version": "2", "created_by": "forklake", "encrypted": "false"}
"""What ``ducklake_metadata`` says of a new lake."""
