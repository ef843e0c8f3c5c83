"""What differs between the schema files of the databases, as data.

Another database costs another `Product`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from forklake.metastore.schema.description import Kind
from forklake.model.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Product:
    """How the tables are created in one database product.

    Attributes:
        name: The product, and the name of its file.
        header: The comment at the top of the file.
        types: The type of each kind of column.
        base: The prefix of base table names.
        views: The prefix of the names of views for web apps.
        index: The prefix of index names, or None: it has no indexes but primary keys.
        fold: The expression that lowers A to Z and nothing else, with ``{}`` for the column.
        bytes: The expression for the length of a text in UTF-8, with ``{}`` for the column.
        expression: The form of an expression in an index, with ``{}`` for it.
        true: The literal for true, and ``false``.
        table_end: The text after the columns of a table.
        updated_end: The same for a table whose rows are changed in place.
        row_uid: The text after the type of ``row_uid``.
        adds_columns: Whether a table with rows gets new columns, NOT NULL or not; else it is made again.
        alters_keys: Whether the key of a table can be altered.
        counters: Whether a table of counters replaces sequences.
        next_value: The query for the next value of a sequence, with ``{}`` for its name.
        join: The keyword of an inner join in a view.
        splits_unions: Whether a query for one catalog on a view that is a union does not compute all of the view.
        has_lateral: Whether a lateral subquery in FROM is faster than others.
        has_comments: Whether tables and columns have comments; those of a file are in its text.
        has_functions: Whether commit and fork are functions of the database.
        in_transaction: Whether the file itself begins a transaction.
    """

    name: str
    header: str
    types: Mapping[Kind, str]
    base: str = "forklake."
    views: str = ""
    index: str | None = ""
    fold: str = "lower({})"
    bytes: str = "octet_length({})"
    expression: str = "{}"
    true: str = "true"
    false: str = "false"
    table_end: str = ""
    updated_end: str = ""
    row_uid: str = " NOT NULL DEFAULT nextval('forklake.ducklake_row_uid_seq')"
    adds_columns: bool = True
    alters_keys: bool = False
    counters: bool = False
    next_value: str = ""
    join: str = "JOIN"
    splits_unions: bool = True
    has_lateral: bool = False
    has_comments: bool = True
    has_functions: bool = False
    in_transaction: bool = False


_TYPES: Final[Mapping[Kind, str]] = {
    "number": "bigint",
    "small": "smallint",
    "object": "bigint",
    "file": "bigint",
    "text": "varchar",
    "flag": "boolean",
    "uuid": "uuid",
    "time": "timestamptz",
}

POSTGRESQL: Final = Product(
    name="postgresql",
    header="""\
The metadata of a lake in PostgreSQL: everything forklake needs, in one file.

    psql -d mydb -v ON_ERROR_STOP=1 -f postgresql.sql

Tables are DuckLake 1.0's with catalog_id on every row, DuckLake 1.1's ducklake_view_column_tag, and sixteen of
our own: ducklake_catalog, ducklake_head, ducklake_segment, ducklake_tombstone, ducklake_snapshot_lineage,
ducklake_merge, ducklake_snapshot_tag, ducklake_numbering, ducklake_lifetime, ducklake_quota,
ducklake_catalog_label, ducklake_lease, ducklake_due, ducklake_lock, ducklake_inlined_row, ducklake_inlined_delete.
docs/spec/metadata.md tells which rows a catalog sees. A versioned row lives from begin_snapshot until before
end_snapshot; 9223372036854775807 means it is live.""",
    types=_TYPES,
    views="ducklake.",
    fold='lower({} COLLATE "C")',
    expression="({})",
    updated_end=" WITH (fillfactor = 60)",
    next_value="""\
(SELECT CASE WHEN q.is_called THEN q.last_value + 1 ELSE q.last_value END
          FROM forklake.{} q)""",
    alters_keys=True,
    has_lateral=True,
    has_functions=True,
    in_transaction=True,
)

DUCKDB: Final = Product(
    name="duckdb",
    header="""\
The metadata of a lake in a DuckDB file. The same tables as in postgresql.sql. No secondary indexes: DuckDB checks
unique ones against rows that the same transaction has already ended, and scans of a single user's metadata need none.
Times are UTC.""",
    types={**_TYPES, "time": "timestamp"},
    bytes="strlen({})",
    index=None,
    adds_columns=False,
    next_value="""\
(SELECT coalesce(max(q.last_value) + 1, 0) FROM duckdb_sequences() q
         WHERE q.schema_name = 'forklake' AND q.sequence_name = '{}')""",
)

SQLITE: Final = Product(
    name="sqlite",
    header="""\
The metadata of a lake in a SQLite file. The same tables as in postgresql.sql; here "forklake_" stands for the schema
"forklake", and a table of counters for the sequences. Flags are 0 and 1, times text of fixed width in UTC.""",
    types={
        "number": "INTEGER",
        "small": "INTEGER",
        "object": "INTEGER",
        "file": "INTEGER",
        "text": "TEXT",
        "flag": "INTEGER",
        "uuid": "TEXT",
        "time": "TEXT",
    },
    base="forklake_",
    bytes="length(CAST({} AS BLOB))",
    index="forklake_",
    true="1",
    false="0",
    table_end=" WITHOUT ROWID",
    updated_end=" WITHOUT ROWID",
    row_uid=" NOT NULL",
    has_comments=False,
    counters=True,
    next_value="(SELECT q.next_value FROM forklake.sequence q WHERE q.name = '{}')",
    # SQLite keeps the order of CROSS JOIN, which the indexes are made for.
    join="CROSS JOIN",
    splits_unions=False,
)

PRODUCTS: Final = (SQLITE, DUCKDB, POSTGRESQL)
