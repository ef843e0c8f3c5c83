"""Writes the stored lakes of the schema that this checkout has: ``python -m tests.stored DIRECTORY``.

Run it before the version of the schema is raised, and keep what it writes as ``vN``.
"""

import json
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from forklake import Lake, Settings
from forklake.metastore import schema
from forklake.metastore.postgres import initialise
from forklake.metastore.queries import option_rows as options
from forklake.metastore.schema.catalog_tables import SEQUENCES
from forklake.metastore.schema.sections import TABLES
from forklake.metastore.store import Store
from forklake.model.quoting import quote_text
from tests.servers import running_postgres
from tests.stored.content import fill, shown
from tests.stored.load import HOME


def write_stored(product: str, url: str, home: Path, target: Path) -> None:
    """Fill a new lake, and keep it: a script of SQL, its files, and what its catalogs show to this release."""
    (home / "outside").mkdir(parents=True)
    with Lake(url, data_path=home / "data") as lake:
        fill(lake, home / "outside")
        found = shown(lake)
        script = _script(product, lake._runtime.store).replace(str(home), HOME)
    (home / "outside" / "plain.ducklake").unlink()
    shutil.copytree(home, target / product)
    (target / f"{product}.sql").write_text(script, encoding="utf-8")
    content, before = json.dumps(found, indent=1) + "\n", target / "shown.json"
    assert not before.exists() or before.read_text(encoding="utf-8") == content, product
    before.write_text(content, encoding="utf-8")


def _script(product: str, store: Store) -> str:
    """Return the schema file, with sequences that go on, and the rows of all tables."""
    text = schema.script(product)
    if product != "sqlite":
        for sequence in SEQUENCES:
            text = text.replace(f"{sequence.name} MINVALUE 0 START WITH 0", _started(store, sequence.name))
    lines = [text.removesuffix("COMMIT;\n").rstrip(), ""]
    prefix = store.dialect.schema
    tables = [*(["sequence"] if product == "sqlite" else []), *(table.name for table in TABLES)]
    for name in tables:
        rows = store.query(f"SELECT * FROM forklake.{name} ORDER BY 1, 2")
        if name in ("sequence", "ducklake_metadata"):
            lines.append(f"DELETE FROM {prefix}{name};")
        # Where the lake was made is no place of whoever loads it.
        kept = [row for row in rows if options.HOME not in row]
        lines += [f"INSERT INTO {prefix}{name} VALUES ({', '.join(map(_literal, row))});" for row in kept]
    return "\n".join([*lines, *(["COMMIT;"] if text.endswith("COMMIT;\n") else [])]) + "\n"


def _started(store: Store, name: str) -> str:
    ((number,),) = store.query(f"SELECT nextval('forklake.{name}')")
    return f"{name} MINVALUE 0 START WITH {int(number) + 1}"


def _literal(value: Any) -> str:
    if value is None or isinstance(value, bool | int):
        return "NULL" if value is None else str(value).lower()
    if isinstance(value, datetime):
        value = (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC).isoformat(sep=" ")
    return quote_text(str(value))


def main(target: Path) -> None:
    """Write the lake of each database."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    with TemporaryDirectory() as directory, running_postgres() as server:
        url = server.create_database()
        initialise(url, None, Settings())
        for product in ("sqlite", "duckdb"):
            write_stored(product, f"{product}:{directory}/lake.{product}", Path(directory, product), target)
        write_stored("postgresql", url, Path(directory, "postgresql"), target)
        server.drop_database(url)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
