"""The upgrade of a lake in PostgreSQL: locks, partitions, rights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from forklake.metastore.postgres_address import LakeSchemas
from forklake.metastore.schema.products import POSTGRESQL
from forklake.metastore.schema.sections import TABLES
from forklake.metastore.schema.upgrade_script import function_names, upgrade_script
from forklake.metastore.schema.web_views import views
from forklake.metastore.store import Session
from forklake.model.quoting import quote_name

WRITTEN_FIRST: Final = "forklake.ducklake_catalog, forklake.ducklake_head"
"""What every commit, fork and change of the list of catalogs writes to before all else."""


def upgrade_lock(session: Session, schemas: LakeSchemas) -> list[str]:
    """Return the statements that make this transaction the only one that writes.

    What it makes belongs to the owner of the tables, also if a superuser runs it. Every commit and every fork begins
    with one of the two tables, so nobody holds a lock on one table and waits for another.
    """
    owner, is_other = session.query(
        "SELECT pg_get_userbyid(c.relowner), pg_get_userbyid(c.relowner) <> current_user FROM pg_class c"
        " WHERE c.oid = to_regclass(:name)",
        name=f"{schemas.prefix}ducklake_head",
    )[0]
    role = [f"SET LOCAL ROLE {quote_name(owner)}"] if is_other else []
    return [
        *role,
        schemas.place(f"LOCK TABLE {WRITTEN_FIRST} IN SHARE ROW EXCLUSIVE MODE"),
        "SET LOCAL statement_timeout = 0",
    ]


def upgrade_statements(session: Session, schemas: LakeSchemas, version: int, *, trusts: bool) -> list[str]:
    """Return the statements of an upgrade.

    The last ones give back the rights on views and functions.
    """
    parts = _partitions(session, schemas)
    found = [schemas.place(text) for text in upgrade_script(POSTGRESQL, version, parts, trusts=trusts)]
    return [*found, *_rights(session, schemas)]


def _partitions(session: Session, schemas: LakeSchemas) -> int:
    """Return how many partitions the tables have that grow with the data, or 0."""
    grown = next(table for table in TABLES if table.grows)
    return int(
        session.query(
            "SELECT count(*) FROM pg_inherits i WHERE i.inhparent = to_regclass(:name)",
            name=f"{schemas.prefix}{grown.name}",
        )[0][0]
    )


_GRANTED: Final = """
SELECT 'TABLE', n.nspname, c.relname, '', x.grantee, x.privilege_type, x.is_grantable
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace CROSS JOIN LATERAL aclexplode(c.relacl) x
 WHERE c.relkind = 'v' AND n.nspname IN (:base, :views) AND x.grantee <> c.relowner
UNION ALL
SELECT 'COLUMN', n.nspname, c.relname, a.attname, x.grantee, x.privilege_type, x.is_grantable
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
 CROSS JOIN LATERAL aclexplode(a.attacl) x
 WHERE c.relkind = 'v' AND n.nspname IN (:base, :views) AND x.grantee <> c.relowner
UNION ALL
SELECT 'FUNCTION', n.nspname, p.proname, '', x.grantee, x.privilege_type, x.is_grantable
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace CROSS JOIN LATERAL aclexplode(p.proacl) x
 WHERE n.nspname = :base AND x.grantee <> p.proowner
 ORDER BY 1, 2, 3, 4, 5, 6
"""
_RESTRICTED: Final = (
    "SELECT p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace"
    " WHERE n.nspname = :base AND p.proacl IS NOT NULL ORDER BY 1"
)


def _rights(session: Session, schemas: LakeSchemas) -> Iterator[str]:
    """Yield the statements that grant what is granted now.

    They are for views and functions, which are made again under their names.
    """
    made = {view.name.partition(".")[2] for view in views(POSTGRESQL)} | set(function_names())
    for (name,) in session.query(_RESTRICTED, base=schemas.base):
        if name in made:
            yield f"REVOKE ALL ON FUNCTION {quote_name(schemas.base)}.{quote_name(name)} FROM PUBLIC"
    roles = {0: "PUBLIC"}
    roles |= {oid: quote_name(role) for oid, role in session.query("SELECT r.oid::bigint, r.rolname FROM pg_roles r")}
    granted = session.query(_GRANTED, base=schemas.base, views=schemas.views)
    for kind, place, name, column, grantee, right, is_grantable in granted:
        if name in made and int(grantee) in roles:
            what = f"{right} ({quote_name(column)})" if column else right
            on = "FUNCTION" if kind == "FUNCTION" else "TABLE"
            option = " WITH GRANT OPTION" if is_grantable else ""
            yield f"GRANT {what} ON {on} {quote_name(place)}.{quote_name(name)} TO {roles[int(grantee)]}{option}"
