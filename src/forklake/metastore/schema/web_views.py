"""The views for web apps: DuckLake's tables for each catalog, with forks resolved.

They are written in PostgreSQL's dialect, with ``forklake.`` before base tables and ``ducklake.`` before
views; `write` renders them for other products. docs/spec/metadata.md has the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from forklake.metastore.schema.catalog_tables import SCHEMA_VERSIONS, SNAPSHOT_CHANGES
from forklake.metastore.schema.description import LIVE, Column, Table, Visibility
from forklake.metastore.schema.file_tables import (
    COLUMN_MAPPING,
    DATA_FILE,
    DELETE_FILE,
    FILES_SCHEDULED_FOR_DELETION,
    INLINED_ROW,
    NAME_MAPPING,
)
from forklake.metastore.schema.object_tables import VIEW_COLUMN_TAG
from forklake.metastore.schema.products import Product
from forklake.metastore.schema.sections import TABLES
from forklake.model.lazy_dataclass import dataclass

ABOUT: Final = """\
For web apps: each catalog as DuckLake's tables would show it, with catalog_id and catalog_name in front.
Forks are resolved, dropped catalogs are left out, and all is to be asked for one catalog: WHERE catalog_id = ...
A versioned row ends where its owner ended it, or where a nearer catalog of the chain hid it, or never (NULL)."""

_WIDTH: Final = 120
_OWN_LIMIT: Final = LIVE - 1


@dataclass(frozen=True, slots=True)
class View:
    """A view: its name, its query, and the comment on it.

    The name has ``forklake.`` or ``ducklake.`` before it.
    """

    name: str
    query: str
    about: str = ""


def views(product: Product) -> Iterator[View]:
    """Yield the views in the order of their creation."""
    yield _link(product)
    yield _CHAIN
    yield _DIRECTORY
    yield _CATALOG
    yield _snapshot(product)
    yield _of_lineage(SNAPSHOT_CHANGES, "snapshot_id")
    yield _of_lineage(SCHEMA_VERSIONS, "begin_snapshot")
    yield _METADATA
    for table in TABLES:
        if table.visibility is Visibility.INTERVAL:
            yield View(f"ducklake.{table.name}", _interval(table), _ABOUT_INTERVAL.get(table, ""))
    yield _inlined_data_tables(product)
    about = (
        "What belongs to a row has no interval of its own: it shows as long as the row does, the row's past included."
    )
    for table in TABLES:
        if table.visibility is Visibility.FOLLOWS:
            yield View(f"ducklake.{table.name}", _follows(table), _ABOUT_SHARED if table is COLUMN_MAPPING else about)
            about = ""
    about = "Statistics of the tables that there are: the newest of the nearest catalog that wrote any."
    for table in TABLES:
        if table.visibility is Visibility.LATEST:
            yield View(f"ducklake.{table.name}", _latest(table, product), about)
            about = ""
    yield _own(FILES_SCHEDULED_FOR_DELETION)
    yield _size(product)


# ---- whose rows a catalog sees ---------------------------------------------------------------------------------------


def _link(product: Product) -> View:
    about = (
        "Whose rows each catalog sees, nearest first (depth 0: itself), and up to which snapshot; the limit for its own"
        " rows lies above every end but that of a live row. A refresh begins another epoch (since, until), of which"
        " inherited rows begin at begins. Snapshots from versions_from on are versions."
    )
    begins = f"""\
CASE WHEN (SELECT f.versions_from FROM forklake.ducklake_segment f
                   WHERE f.catalog_id = g.catalog_id AND f.since = g.since AND f.depth = 1) = {LIVE}
            THEN g.since ELSE 0 END AS begins"""
    if product.splits_unions:
        return View(
            "forklake.lake_link",
            f"""\
SELECT h.catalog_id, CAST(0 AS smallint) AS depth, h.catalog_id AS owner_id, {_OWN_LIMIT} AS upto,
       CAST(0 AS bigint) AS since, {LIVE} AS until, CAST(0 AS bigint) AS versions_from, CAST(0 AS bigint) AS begins
  FROM forklake.ducklake_head h
UNION ALL
SELECT g.catalog_id, g.depth, g.owner_id, g.upto, g.since, g.until, g.versions_from,
       {begins}
  FROM forklake.ducklake_segment g""",
            about,
        )
    return View(
        "forklake.lake_link",
        f"""\
SELECT h.catalog_id, coalesce(g.depth, 0) AS depth, coalesce(g.owner_id, h.catalog_id) AS owner_id,
       coalesce(g.upto, {_OWN_LIMIT}) AS upto, coalesce(g.since, 0) AS since, coalesce(g.until, {LIVE}) AS until,
       coalesce(g.versions_from, 0) AS versions_from,
       {begins}
  FROM forklake.ducklake_head h
  CROSS JOIN (SELECT 0 AS inherited UNION ALL SELECT 1) w
  LEFT JOIN forklake.ducklake_segment g ON g.catalog_id = h.catalog_id AND w.inherited
 WHERE g.catalog_id IS NOT NULL OR NOT w.inherited""",
        about + " A union of the two tables would be made anew for every question.",
    )


_CHAIN: Final = View(
    "forklake.lake_chain",
    f"""\
SELECT k.catalog_id, k.catalog_name, n.depth, n.owner_id, n.upto, n.since, n.until, n.versions_from, n.begins
  FROM forklake.ducklake_catalog k
  JOIN forklake.lake_link n ON n.catalog_id = k.catalog_id
 WHERE k.end_snapshot = {LIVE}""",
    "The same of live catalogs, with their names.",
)

_DIRECTORY: Final = View(
    "forklake.lake_directory",
    """\
SELECT k.catalog_id, CASE WHEN k.path_is_relative THEN o.value || k.path ELSE k.path END AS directory, k.end_snapshot
  FROM forklake.ducklake_catalog k
  JOIN forklake.ducklake_metadata o ON o.catalog_id = -1 AND o.scope = '' AND o.scope_id = -1
 WHERE o.key = 'data_path'""",
    "The directory of every catalog there ever was.",
)

# ---- catalogs, snapshots, options ------------------------------------------------------------------------------------

_CATALOG: Final = View(
    "ducklake.ducklake_catalog",
    f"""\
SELECT k.catalog_id, k.catalog_name, k.catalog_uuid, k.parent_catalog_id, k.parent_snapshot_id,
       h.snapshot_id, k.begin_time
  FROM forklake.ducklake_catalog k
  JOIN forklake.ducklake_head h ON h.catalog_id = k.catalog_id
 WHERE k.end_snapshot = {LIVE}""",
    "The live catalogs, with the snapshot that a fork started from, and the newest of their own.",
)


def _snapshot(product: Product) -> View:
    objects, files = (product.next_value.format(f"ducklake_{kind}_id_seq") for kind in ("object", "file"))
    return View(
        "ducklake.ducklake_snapshot",
        f"""\
SELECT c.catalog_id, c.catalog_name, r.snapshot_id, r.snapshot_time, r.schema_version,
       {objects} AS next_catalog_id,
       {files} AS next_file_id
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_snapshot r ON r.catalog_id = c.owner_id
 WHERE r.snapshot_id >= c.versions_from AND r.snapshot_id <= c.upto""",
        "The lineage of a catalog. The counters are those of the whole lake, as they are now.",
    )


# An owner that a later epoch has too shows all of its rows there.
_LAST_OF_OWNER: Final = """\
NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since)"""


def _of_lineage(table: Table, bound: str) -> View:
    once = "r.snapshot_id >= c.versions_from" if bound == "snapshot_id" else _LAST_OF_OWNER
    return View(
        f"ducklake.{table.name}",
        f"""\
SELECT {_fill(["c.catalog_id", "c.catalog_name", *(f"r.{column.name}" for column in _view_columns(table))])}
  FROM forklake.lake_chain c
  JOIN forklake.{table.name} r ON r.catalog_id = c.owner_id
 WHERE r.{bound} <= c.upto
   AND {once}""",
    )


_METADATA: Final = View(
    "ducklake.ducklake_metadata",
    f"""\
SELECT k.catalog_id, k.catalog_name, o.key, o.value, nullif(o.scope, '') AS scope,
       CASE WHEN o.scope <> '' THEN o.scope_id END AS scope_id
  FROM forklake.ducklake_catalog k
  JOIN forklake.ducklake_metadata o ON o.catalog_id = k.catalog_id
 WHERE k.end_snapshot = {LIVE}
UNION ALL
SELECT k.catalog_id, k.catalog_name, o.key, o.value, NULL, NULL
  FROM forklake.ducklake_catalog k
  JOIN forklake.ducklake_metadata o ON o.catalog_id = -1 AND o.scope = ''
 WHERE k.end_snapshot = {LIVE} AND o.key NOT IN ('forklake_version', 'data_path', 'metadata_home')
   AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_metadata p
                    WHERE p.catalog_id = k.catalog_id AND p.scope = '' AND p.scope_id = -1 AND p.key = o.key)
UNION ALL
SELECT k.catalog_id, k.catalog_name, 'data_path', p.directory, NULL, NULL
  FROM forklake.ducklake_catalog k
  JOIN forklake.lake_directory p ON p.catalog_id = k.catalog_id AND p.end_snapshot = {LIVE}
 WHERE k.end_snapshot = {LIVE}""",
    "Options of the catalog, and those of the lake that it does not set itself; data_path is the catalog's directory.",
)

# ---- rows by the class of their table --------------------------------------------------------------------------------

_ABOUT_INTERVAL: Final = {
    VIEW_COLUMN_TAG: "DuckLake 1.1's.",
    DATA_FILE: "Files that a catalog inherits lie below their owner's directory, so they have an absolute path. Keys of"
    " files do not show: who may read the views need not be one who may read the rows.",
    INLINED_ROW: "Ours: the rows and deleted rows that are kept in the metadata, of all tables.",
}
_ABOUT_SHARED: Final = (
    "Many files share a mapping, and a fork that uses an inherited one has a copy of it: each shows once."
)

_PATH: Final = """\
CASE WHEN c.depth = 0 OR NOT r.path_is_relative THEN r.path
            ELSE (SELECT CASE WHEN t.path_is_relative AND s.path_is_relative THEN p.directory || s.path || t.path
                              WHEN t.path_is_relative THEN s.path || t.path ELSE t.path END
                    FROM forklake.ducklake_segment n
                    JOIN forklake.ducklake_table t ON t.catalog_id = n.owner_id AND t.table_id = r.table_id
                    JOIN forklake.ducklake_segment m ON m.catalog_id = n.catalog_id
                    JOIN forklake.ducklake_schema s ON s.catalog_id = m.owner_id AND s.schema_id = t.schema_id
                    JOIN forklake.lake_directory p ON p.catalog_id = c.owner_id
                   WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth >= c.depth
                     AND m.since = c.since AND m.depth >= c.depth LIMIT 1) || r.path
       END AS path"""


def _interval(table: Table) -> str:
    """Return the query for rows of an interval table, with their ends in the catalog.

    The rows are those that begin at or before the bound.
    """
    scope = "0" if table.scope is None else f"r.{table.scope}"
    ended = f"""\
CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = {scope} AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = {scope} AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, {LIVE}))
       END AS end_snapshot"""
    begun = "CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot"
    special = {"begin_snapshot": begun, "end_snapshot": ended}
    if table in (DATA_FILE, DELETE_FILE):
        special |= {"path": _PATH, "path_is_relative": "r.path_is_relative AND c.depth = 0 AS path_is_relative"}
    return f"""\
SELECT {_fill(["c.catalog_id", "c.catalog_name", *(special.get(c.name, f"r.{c.name}") for c in _view_columns(table))])}
  FROM forklake.lake_chain c
  JOIN forklake.{table.name} r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0)"""


def _follows(table: Table) -> str:
    """Return the query for rows that belong to rows of an interval table.

    Ended rows count too; rows that catalogs share come once.
    """
    assert table.follows is not None
    parent, key = table.follows
    is_shared = table in (COLUMN_MAPPING, NAME_MAPPING)
    of_parent = set() if is_shared else {column.name for column in parent.columns}
    columns = [f"{'f' if column.name in of_parent else 'r'}.{column.name}" for column in _view_columns(table)]
    start = "SELECT DISTINCT " if is_shared else "SELECT "
    return f"""\
{start}{_fill(["c.catalog_id", "c.catalog_name", *columns], len(start))}
  FROM forklake.lake_chain c
  JOIN forklake.{parent.name} f ON f.catalog_id = c.owner_id
  JOIN forklake.{table.name} r ON r.catalog_id = f.catalog_id AND r.{key} = f.{key}
 WHERE f.begin_snapshot <= c.upto
   AND {_LAST_OF_OWNER}"""


def _latest(table: Table, product: Product) -> str:
    """Return the query for the statistics of all current tables.

    For each it is the newest set of the nearest owner that has any.
    """
    columns = [
        "t.catalog_id",
        "t.catalog_name",
        "t.table_id",
        *(f"r.{column.name}" for column in _view_columns(table)[1:]),
    ]
    if product.has_lateral:
        return f"""\
SELECT {_fill(columns)}
  FROM ducklake.ducklake_table t
 CROSS JOIN LATERAL (
       SELECT n.owner_id, m.begin_snapshot
         FROM forklake.lake_link n
        CROSS JOIN LATERAL (
              SELECT max(x.begin_snapshot) AS begin_snapshot FROM forklake.{table.name} x
               WHERE x.catalog_id = n.owner_id AND x.table_id = t.table_id AND x.begin_snapshot <= n.upto) m
        WHERE n.catalog_id = t.catalog_id AND n.until = {LIVE} AND m.begin_snapshot IS NOT NULL
        ORDER BY n.depth LIMIT 1) newest
  JOIN forklake.{table.name} r
    ON r.catalog_id = newest.owner_id AND r.table_id = t.table_id AND r.begin_snapshot = newest.begin_snapshot
 WHERE t.end_snapshot IS NULL"""
    return f"""\
SELECT {_fill(columns)}
  FROM ducklake.ducklake_table t
  JOIN forklake.lake_link c ON c.catalog_id = t.catalog_id AND c.until = {LIVE}
  JOIN forklake.{table.name} r ON r.catalog_id = c.owner_id AND r.table_id = t.table_id
 WHERE t.end_snapshot IS NULL
   AND c.depth = (SELECT min(n.depth) FROM forklake.lake_link n
                    JOIN forklake.{table.name} x ON x.catalog_id = n.owner_id
                   WHERE n.catalog_id = t.catalog_id AND n.until = {LIVE} AND x.table_id = t.table_id
                     AND x.begin_snapshot <= n.upto)
   AND r.begin_snapshot = (SELECT max(x.begin_snapshot) FROM forklake.{table.name} x
                            WHERE x.catalog_id = c.owner_id AND x.table_id = t.table_id
                              AND x.begin_snapshot <= c.upto)"""


def _own(table: Table) -> View:
    columns = ["k.catalog_id", "k.catalog_name", *(f"r.{column.name}" for column in _view_columns(table))]
    return View(
        f"ducklake.{table.name}",
        f"""\
SELECT {_fill(columns)}
  FROM forklake.ducklake_catalog k
  JOIN forklake.{table.name} r ON r.catalog_id = k.catalog_id
 WHERE k.end_snapshot = {LIVE}""",
    )


def _size(product: Product) -> View:
    counted = (
        ("own_record_count", "coalesce(sum(r.record_count), 0)", DATA_FILE),
        ("inlined_row_count", "count(*)", INLINED_ROW),
    )
    live = f"r.end_snapshot = {LIVE}"
    if product.has_lateral:
        # One look at each table for all catalogs, and by an index for one; none for a column that is not asked for.
        columns = [f"coalesce({name}.total, 0) AS {name}" for name, _, _ in counted]
        joins = "".join(
            f"""
  LEFT JOIN (SELECT r.catalog_id, {total} AS total FROM forklake.{table.name} r
              WHERE {live} GROUP BY r.catalog_id) {name} ON {name}.catalog_id = k.catalog_id"""
            for name, total, table in counted
        )
    else:
        columns = [
            f"(SELECT {total} FROM forklake.{table.name} r\n"
            f"         WHERE r.catalog_id = k.catalog_id AND {live}) AS {name}"
            for name, total, table in counted
        ]
        joins = ""
    fixed = ["k.catalog_id", "k.catalog_name", "k.parent_catalog_id"]
    fixed += ["h.own_files AS own_file_count", "h.own_bytes AS own_byte_count"]
    return View(
        "ducklake.ducklake_catalog_size",
        f"""\
SELECT {_fill([*fixed, *columns])}
  FROM forklake.ducklake_catalog k
  JOIN forklake.ducklake_head h ON h.catalog_id = k.catalog_id{joins}
 WHERE k.end_snapshot = {LIVE}""",
        "What each live catalog holds itself, for bills and quotas: nothing that it inherits counts. Files are data and"
        " delete files; bytes are theirs, and those of definitions and inlined rows. Records are the rows of its data"
        " files, deleted ones too, until their file goes.",
    )


def _inlined_data_tables(product: Product) -> View:
    return View(
        "ducklake.ducklake_inlined_data_tables",
        f"""\
SELECT r.catalog_id, r.catalog_name, r.table_id, r.table_name, r.begin_snapshot AS schema_version
  FROM ducklake.ducklake_table r
 WHERE {product.false}""",
        "Empty: there is no table of inlined rows per table. They are in ducklake_inlined_row.",
    )


def _view_columns(table: Table) -> list[Column]:
    """Return the columns of a view: DuckLake's, without the encryption keys of files.

    A view on a table of ours has all of them.
    """
    return [column for column in table.columns if column.stored and column.name != "encryption_key" and not column.ours]


def _fill(items: Sequence[str], indent: int = len("SELECT ")) -> str:
    """Format a list in lines of limited length.

    An item of several lines has these lines to itself.
    """
    lines: list[str] = []
    for item in (*(f"{item}," for item in items[:-1]), items[-1]):
        is_alone = "\n" in item or (bool(lines) and "\n" in lines[-1])
        if lines and not is_alone and indent + len(f"{lines[-1]} {item}") <= _WIDTH:
            lines[-1] += f" {item}"
        else:
            lines.append(item)
    return "\n       ".join(lines)
