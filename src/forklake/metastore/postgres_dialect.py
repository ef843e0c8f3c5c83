"""The dialect of PostgreSQL, for a lake in whichever schemas."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from forklake.metastore.dialect import Dialect
from forklake.metastore.postgres_address import LakeSchemas
from forklake.model.quoting import quote_text

DIALECT = Dialect(
    name="postgresql",
    schema="forklake.",
    placeholder="%({})s",
    fold='lower(({}) COLLATE "C")',
    bytes="octet_length({})",
    members="= ANY({})",
    unpack=lambda lists: (
        "SELECT * FROM unnest(" + ", ".join(f"CAST(:{name} AS {kind}[])" for name, kind in lists.items()) + ")"
    ),
    row_uid="nextval('forklake.ducklake_row_uid_seq')",
    pack=list,
    now="clock_timestamp()",
    later="clock_timestamp() + make_interval(secs => CAST(:seconds AS double precision))",
)


@lru_cache
def dialect_of(schemas: LakeSchemas) -> Dialect:
    """Return the dialect for the lake in these schemas."""
    if schemas == LakeSchemas():
        return DIALECT
    prefix = schemas.prefix.replace("%", "%%")  # the driver's sign for a parameter
    return replace(DIALECT, schema=prefix, row_uid=f"nextval({quote_text(prefix + 'ducklake_row_uid_seq')})")
