"""Empty lakes in PostgreSQL: a database is emptied and used again, which takes a tenth of the time of a new one."""

from functools import cached_property

import psycopg

from forklake import Settings
from forklake.metastore.postgres import initialise
from forklake.metastore.schema.catalog_tables import FACTS, SEQUENCES
from forklake.metastore.schema.sections import TABLES
from tests.servers import PostgresServer

# What tells a database that a test has altered: its schemas, relations, columns and functions, and who may use them.
_SHAPE = """
SELECT md5(string_agg(part, ',' ORDER BY part)) FROM (
    SELECT 'n' || n.oid || ' ' || n.xmin FROM pg_namespace n
    UNION ALL SELECT 'c' || c.oid || ' ' || c.relname || ' ' || coalesce(c.relacl::text, '')
      FROM pg_class c WHERE c.oid >= 16384
    UNION ALL SELECT 'a' || a.attrelid || ' ' || a.attnum || ' ' || a.xmin
      FROM pg_attribute a WHERE a.attrelid >= 16384
    UNION ALL SELECT 'f' || f.oid || ' ' || f.xmin FROM pg_proc f WHERE f.oid >= 16384
    UNION ALL SELECT 't' || t.oid || ' ' || t.xmin FROM pg_trigger t
    UNION ALL SELECT 's' || s.setdatabase || ' ' || s.xmin FROM pg_db_role_setting s
) AS parts(part)
"""
_CUT_OFF = (
    "SELECT pg_terminate_backend(a.pid, 5000) FROM pg_stat_activity a"
    " WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()"
)


class PostgresLakes:
    """Databases of one server, each with the tables of an empty lake."""

    def __init__(self, server: PostgresServer, partitions: int | None) -> None:
        self._server, self._partitions = server, partitions
        self._free: list[str] = []
        self._shapes: dict[str, str] = {}

    def take(self) -> str:
        """Return the URL of a database for the caller alone."""
        if self._free:
            return self._free.pop()
        url = self._server.create_database(template=self.template)
        with psycopg.connect(url, autocommit=True) as connection:
            self._shapes[url] = _shape(connection)
        return url

    def give_back(self, url: str, *, may_reuse: bool = True) -> None:
        """Empty a database for the next; drop it if the tables are not as they were."""
        shape = self._shapes.get(url)
        try:
            if may_reuse and shape is not None and _empty(url, shape):
                self._free.append(url)
                return
        except psycopg.Error:
            pass  # a test may have dropped it, or taken the right to connect
        self._server.drop_database(url)

    @cached_property
    def template(self) -> str:
        """The URL of an empty lake that nobody connects to, to make databases from."""
        url = self._server.create_database()
        initialise(url, self._partitions, Settings())
        return url


def _shape(connection: psycopg.Connection) -> str:
    row = connection.execute(_SHAPE).fetchone()
    assert row is not None
    return str(row[0])


def _empty(url: str, shape: str) -> bool:
    """Delete all rows of a lake; return whether its tables are as they were."""
    rows = ", ".join(f"(-1, '{key}', '{value}')" for key, value in FACTS.items())
    statements = [
        *(f"DELETE FROM forklake.{table.name}" for table in TABLES),
        f"INSERT INTO forklake.ducklake_metadata (catalog_id, key, value) VALUES {rows}",
        *(f"SELECT setval('forklake.{of.name}', {of.first}, false)" for of in SEQUENCES),
    ]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_CUT_OFF)
        if _shape(connection) != shape:
            return False
        connection.execute("; ".join(statements))
        return True
