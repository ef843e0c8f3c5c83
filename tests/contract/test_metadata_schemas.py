"""Many lakes in one PostgreSQL database: each has schemas of its own, and they share nothing."""

from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

import forklake
from forklake import Lake, Settings
from forklake.errors import ConfigError, MetastoreUnavailableError, MetastoreVersionError
from forklake.metastore.location import with_metadata_schema
from forklake.metastore.postgres import initialise
from forklake.metastore.postgres_address import Address, LakeSchemas
from tests.contract.support import data_file, file_names, names
from tests.lakes import IMPATIENT

ODD = 'It\'s 100% "big"; déjà\\vu'


def prepared(database: str, name: str, partitions: int | None = None) -> str:
    """Return the URL of a new lake in a schema of the database."""
    url = with_metadata_schema(database, name)
    assert initialise(url, partitions, Settings())
    assert not initialise(url, partitions, Settings())
    return url


@pytest.mark.parametrize(("name", "partitions"), [("sales", None), ("Sales Split", 2), (ODD, None)])
def test_a_lake_in_a_schema_works_and_knows_nothing_of_the_one_beside_it(
    postgres_database: str, tmp_path: Path, name: str, partitions: int | None
) -> None:
    initialise(postgres_database, None, Settings())
    url = prepared(postgres_database, name, partitions)
    with (
        Lake(postgres_database, data_path=tmp_path / "one", settings=IMPATIENT) as one,
        Lake(url, data_path=tmp_path / "other", settings=IMPATIENT) as other,
    ):
        assert one.create_catalog("shop").catalog_id == other.create_catalog("shop").catalog_id == 0
        shop = other.catalog("shop")
        shop.create_table("orders", {"id": "BIGINT"})
        with shop.transaction() as transaction:
            transaction.table("orders").storage.append_files([data_file("a"), data_file("b")])
        fork = shop.fork("agent")
        shop.fork("copy", copy=True)
        fork.table("orders").drop()

        assert names(one.catalog("shop")) == []
        assert [info.name for info in one.catalogs()] == ["shop"]
        assert [info.name for info in other.catalogs()] == ["agent", "copy", "shop"]
        assert file_names(other.catalog("copy"), "orders") == file_names(shop, "orders") == ["a", "b"]
        sizes = {size.name: size.row_count for size in other.stats().tables}
        assert sizes["ducklake_catalog"] == 3
        assert other.stats().byte_count > 0

    with psycopg.connect(postgres_database) as connection:
        view = psycopg.sql.Identifier(name, "ducklake_table")
        seen = connection.execute(
            psycopg.sql.SQL("SELECT catalog_name, table_name FROM {} WHERE end_snapshot IS NULL ORDER BY 1").format(
                view
            )
        )
        assert seen.fetchall() == [("copy", "orders"), ("shop", "orders")]
        assert connection.execute("SELECT count(*) FROM ducklake.ducklake_table").fetchone() == (0,)


def test_a_lock_in_one_lake_does_not_hold_up_another(postgres_database: str, tmp_path: Path) -> None:
    initialise(postgres_database, None, Settings())
    url = prepared(postgres_database, "sales")
    impatient = Settings(statement_timeout_seconds=2)
    with (
        Lake(postgres_database, data_path=tmp_path / "one", settings=impatient) as one,
        Lake(url, data_path=tmp_path / "other", settings=impatient) as other,
        psycopg.connect(postgres_database) as connection,
    ):
        one.create_catalog("shop")
        other.create_catalog("shop")
        connection.execute("SELECT forklake.lock_alone(-1), forklake.lock_alone(0)")
        other.catalog("shop").fork("agent")
        with pytest.raises(MetastoreUnavailableError, match="took longer than 2 s"):
            one.catalog("shop").fork("agent")


def test_the_default_lake_has_several_names(postgres_database: str) -> None:
    for name in ("public", "main", "PUBLIC", "ducklake"):
        assert with_metadata_schema(postgres_database, name) == postgres_database
    assert Address.parse(postgres_database).schemas == LakeSchemas() == LakeSchemas("forklake", "ducklake")


@pytest.mark.parametrize("name", ["sales", ODD])
@pytest.mark.parametrize(
    "url", ["postgresql://me:word@host/db", "postgresql:///db?user=me%20too", "postgres:dbname=db"]
)
def test_a_url_with_a_schema_keeps_everything_else(url: str, name: str) -> None:
    conninfo = with_metadata_schema(url, name).removeprefix("postgres:")
    address = Address.parse(conninfo)
    assert address.schemas == LakeSchemas(f"forklake_{name}", name)
    assert address.words == Address.parse(url.removeprefix("postgres:")).words
    shown = address.location
    assert "word" not in shown
    assert "word" not in repr(address)
    assert Address.parse(shown).schemas == address.schemas
    assert with_metadata_schema(with_metadata_schema(url, name), name) == with_metadata_schema(url, name)


def test_a_schema_is_named_once() -> None:
    url = with_metadata_schema("postgresql:///db", "sales")
    with pytest.raises(ConfigError, match='names the metadata schema "sales", and "other" was asked for'):
        with_metadata_schema(url, "other")


@pytest.mark.parametrize("name", ["x" * 55, "pg_lake", "a$$b", "a\0b"])
def test_a_schema_that_postgresql_would_not_take_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="The metadata schema cannot be named"):
        Address.parse(f"postgresql:///db?metadata_schema={quote(name)}")


@pytest.mark.parametrize("url", ["lake.db", "sqlite:lake.db", "duckdb:lake.db"])
def test_a_file_has_no_schemas(url: str) -> None:
    assert with_metadata_schema(url, "main") == url
    with pytest.raises(ConfigError, match='"sales" cannot be used: a file holds one lake'):
        with_metadata_schema(url, "sales")


def test_a_schema_without_a_lake_is_named(postgres_database: str) -> None:
    initialise(postgres_database, None, Settings())
    with pytest.raises(MetastoreVersionError, match='not found in the metadata schema "nowhere"') as missing:
        Lake(with_metadata_schema(postgres_database, "nowhere"))
    assert "metadata_schema=nowhere" in str(missing.value.hint)


@pytest.mark.parametrize("taken", ["sales", "forklake_sales"])
def test_a_schema_that_holds_something_else_is_left_alone(postgres_database: str, taken: str) -> None:
    with psycopg.connect(postgres_database) as connection:
        connection.execute(psycopg.sql.SQL("CREATE SCHEMA {}").format(psycopg.sql.Identifier(taken)))
    with pytest.raises(MetastoreVersionError, match=f'schema "{taken}" that holds no lake; nothing was changed'):
        initialise(with_metadata_schema(postgres_database, "sales"), None, Settings())
    with psycopg.connect(postgres_database) as connection:
        found = connection.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE '%sales'").fetchall()
    assert found == [(taken,)]


def test_attach_takes_the_schema_as_an_option_and_from_a_secret(
    postgres_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    initialise(postgres_database, None, Settings())
    prepared(postgres_database, "sales")
    with forklake.connect() as session:
        options = "CATALOG 'shop', CREATE_IF_NOT_EXISTS true"
        session.sql(f"ATTACH 'ducklake:{postgres_database}' AS one (DATA_PATH 'one', {options})")
        session.sql(
            f"ATTACH 'ducklake:{postgres_database}' AS two (DATA_PATH 'two', METADATA_SCHEMA 'sales', {options})"
        )
        session.sql("CREATE TABLE two.orders (id INTEGER); CALL ducklake_fork_catalog('two', 'agent')")
        session.sql(
            f"CREATE SECRET s (TYPE ducklake, metadata_path '{postgres_database}', metadata_schema 'sales',"
            " catalog 'agent')"
        )
        session.sql("ATTACH 'ducklake:s' AS three")

        def found(text: str) -> list[str]:
            result = session.sql(text)
            assert result is not None
            return sorted(value for (value,) in result.fetchall())

        assert found("SELECT table_name FROM __ducklake_metadata_two.sales.ducklake_table") == ["orders"]
        assert found("SELECT table_name FROM __ducklake_metadata_one.ducklake_table") == []
        assert found("SELECT table_name FROM ducklake_table_info('three')") == ["orders"]
        assert found("SELECT catalog_name FROM ducklake_catalogs('two')") == ["agent", "shop"]
        assert found("SELECT catalog_name FROM ducklake_catalogs('one')") == ["shop"]
        with pytest.raises(MetastoreVersionError, match='"nowhere"') as missing:
            session.sql(f"ATTACH 'ducklake:{postgres_database}' AS x (METADATA_SCHEMA 'nowhere', CATALOG 'shop')")
        assert "`forklake init`" in str(missing.value.hint)
        with pytest.raises(ConfigError, match="a file holds one lake"):
            session.sql("ATTACH 'ducklake:lake.db' AS x (METADATA_SCHEMA 'sales', CATALOG 'shop')")


@pytest.mark.parametrize(("schema", "rest"), [("public", ""), ("theirs", ", metadata_schema => 'theirs'")])
def test_a_ducklake_that_duckdb_made_is_recognised(postgres_database: str, schema: str, rest: str) -> None:
    with psycopg.connect(postgres_database, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        connection.execute(
            f"CREATE TABLE {schema}.ducklake_metadata (key TEXT, value TEXT, scope TEXT, scope_id BIGINT)"
        )
    with forklake.connect() as session, pytest.raises(MetastoreVersionError, match="that DuckDB made") as caught:
        session.sql(f"ATTACH 'ducklake:{postgres_database}' AS lake (METADATA_SCHEMA '{schema}')")
    assert "ducklake_import_catalog('lake', 'name', 'postgres:" in str(caught.value.hint)
    assert f"'{rest})` makes a catalog" in str(caught.value.hint)
