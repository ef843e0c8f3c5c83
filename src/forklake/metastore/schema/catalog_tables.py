"""The metadata tables of catalogs: list, heads, ancestry, snapshots, options."""

from __future__ import annotations

from typing import Final

from forklake.metastore.schema.description import Index, Sequence, Table, Visibility, table

COLUMN_IDS: Final = Sequence("ducklake_column_id_seq", "columns that a fork adds", first=1 << 20)
"""The ids of columns that are added in any catalog but a root, so that no two catalogs give one id to two columns."""

SEQUENCES: Final = (
    Sequence("ducklake_catalog_id_seq", "catalogs"),
    Sequence("ducklake_object_id_seq", "schemas, tables, views, macros, partition and sort specifications"),
    Sequence("ducklake_file_id_seq", "data files, delete files, name mappings"),
    Sequence("ducklake_snapshot_id_seq", "snapshots and changes of the catalog list"),
    Sequence("ducklake_row_uid_seq", "versioned rows"),
    COLUMN_IDS,
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
    ended_by            text?    the author of the rename or drop that ended it, if that was said
    ended_message       text?    why, likewise
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
    own_files    number=0   how many live data and delete files it has rows of its own for
    own_bytes    number=0   how many bytes those have, and its own live definitions and inlined rows
    """,
    is_updated=True,
    ducklake=None,
)

SEGMENT: Final = table(
    "ducklake_segment",
    "Flattened ancestry of a fork, nearest first. The catalog itself (depth 0, no limit) is implied. A refresh begins"
    " an epoch: its snapshots see another chain than those before.",
    Visibility.OWN,
    """
    since          number=0         the first snapshot of the epoch
    until          number=infinity  the first snapshot of the next epoch; 9223372036854775807: it is the last
    depth          small            1 is the nearest
    owner_id       number           the ancestor whose rows it sees
    upto           number           up to and including this snapshot
    versions_from  number=0         its snapshots since this one are versions of the catalog; 9223372036854775807: none
    """,
    key="since, depth",
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

MERGE: Final = table(
    "ducklake_merge",
    "From begin_snapshot on the catalog contains another one, the source, up to one of its snapshots. Outlives both"
    " snapshots, and the catalog while a fork of it is there.",
    Visibility.LINEAGE,
    """
    source_id           number  the catalog that it contains
    begin_snapshot      number
    source_snapshot_id  number  up to and including this snapshot
    kind                text    merge, refresh, reset; via: the source of one of those contained it; chain: a fork did
    may_return          flag    whether the commit may have brought back what was gone
    """,
    key="source_id, begin_snapshot",
    indexes=(Index("merge_source_idx", ("source_id", "source_snapshot_id")),),
    ducklake=None,
)

SNAPSHOT_TAG: Final = table(
    "ducklake_snapshot_tag",
    "A name of a snapshot, which keeps it from expiry.",
    Visibility.LINEAGE,
    """
    tag_key      text   the name in lower case
    tag_name     text   the name
    snapshot_id  number
    created_at   time   when it was set
    keep_until   time?  from then on it does not keep the snapshot; NULL: it always does
    message      text?  why
    """,
    key="tag_key",
    indexes=(Index("snapshot_tag_idx", ("catalog_id", "snapshot_id")),),
    ducklake=None,
)

LIFETIME: Final = table(
    "ducklake_lifetime",
    "When a catalog ends of itself: from then on it refuses commits and forks, and it is dropped by the next reap.",
    Visibility.OWN,
    """
    expires_at           time     when it ends
    renew_seconds        number?  each commit moves the end to so many seconds after it
    purge_after_seconds  number?  so long after it was dropped it is purged; NULL: never of itself
    """,
    indexes=(Index("lifetime_end_idx", ("expires_at",)),),
    is_updated=True,
    ducklake=None,
)

QUOTA: Final = table(
    "ducklake_quota",
    "What a catalog may hold. NULL: any number.",
    Visibility.OWN,
    """
    max_bytes  number?  of files
    max_files  number?  data and delete files
    max_forks  number?  that live
    max_depth  number?  of forks of forks
    subtree    flag     whether its forks, and theirs, count with it
    """,
    is_updated=True,
    ducklake=None,
)

LABEL: Final = table(
    "ducklake_catalog_label",
    "A label of a catalog, for whoever looks for catalogs.",
    Visibility.OWN,
    """
    key    text
    value  text
    """,
    key="key",
    indexes=(Index("catalog_label_idx", ("key", "value")),),
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

LOCK: Final = table(
    "ducklake_lock",
    "What transactions lock of a catalog or, under catalog -1, of the lake, in PostgreSQL. A row is made by the first"
    " that locks it, has no content, is never changed and stays for good. Who has no UPDATE on it holds nobody up.",
    Visibility.OWN,
    """
    lock_id  small  0: what the catalog holds, 1: the door to that, 2: its quota, 3: its turn; of the lake any
    """,
    key="lock_id",
    ducklake=None,
)
LAKE_LOCKS: Final = 64
"""How many locks the lake has. A fork shares one of them: if it were one for all, each would write to the same row."""

SECTIONS: Final[tuple[tuple[str, tuple[Table, ...]], ...]] = (
    ("Catalogs, heads and ancestry", (CATALOG, HEAD, SEGMENT, TOMBSTONE)),
    ("Snapshots", (SNAPSHOT, SNAPSHOT_CHANGES, SNAPSHOT_LINEAGE, NUMBERING, SCHEMA_VERSIONS, MERGE, SNAPSHOT_TAG)),
    ("Options, lifetimes, quotas and labels", (METADATA, LIFETIME, QUOTA, LABEL)),
    ("Writers, what awaits collection, and locks", (LEASE, DUE, LOCK)),
)

FACTS: Final = {"version": "1.0", "forklake_version": "4", "created_by": "forklake", "encrypted": "false"}
"""What ``ducklake_metadata`` says of a new lake."""
