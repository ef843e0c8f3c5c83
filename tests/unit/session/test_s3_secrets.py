"""CREATE SECRET of type s3: what it takes, what it shows, and which secret counts for a path."""

import pickle
import random
from collections.abc import Iterator

import duckdb
import pytest

import forklake
from forklake import Connection
from forklake.errors import AlreadyExistsError, ForklakeError, InvalidInputError, NotFoundError
from forklake.files.access.keyring import Credential, Keyring, credential_for
from forklake.files.access.threads import FileThreads


@pytest.fixture
def session() -> Iterator[Connection]:
    with forklake.connect() as made:
        yield made


def rows(session: Connection, text: str) -> list[tuple[object, ...]]:
    found = session.sql(text)
    assert found is not None
    return found.fetchall()


def test_a_secret_is_listed_in_duckdbs_words_without_what_is_secret(session: Connection) -> None:
    session.sql(
        "CREATE TEMPORARY SECRET Mine IN memory (TYPE s3, PROVIDER config, KEY_ID 'AKIA', SECRET 'hu' || 'sh',"
        " SESSION_TOKEN 'whisper', REGION 'eu-central-1', ENDPOINT 'localhost:9000', URL_STYLE 'PATH', USE_SSL false,"
        " SCOPE ['s3://a/', 's3://b/'])"
    )
    session.sql("CREATE SECRET (TYPE s3, PROVIDER credential_chain, KEY_ID '', REGION NULL)")
    said = "endpoint=localhost:9000;key_id=AKIA;region=eu-central-1;secret=redacted;session_token=redacted"
    told = (
        f"name=mine;type=s3;provider=config;serializable=true;scope=s3://a/,s3://b/;{said};url_style=path;use_ssl=false"
    )
    other = "name=__default_s3;type=s3;provider=credential_chain;serializable=true;scope=s3://,s3n://,s3a://;"
    scopes = ["s3://", "s3n://", "s3a://"]
    assert rows(session, "FROM duckdb_secrets(redact = true)") == [
        ("__default_s3", "s3", "credential_chain", False, "memory", scopes, other),
        ("mine", "s3", "config", False, "memory", ["s3://a/", "s3://b/"], told),
    ]
    with pytest.raises(InvalidInputError, match="Displaying unredacted secrets is disabled"):
        session.sql("FROM duckdb_secrets(redact = false)")
    for text in (repr(session._state.secrets), repr(session._state.secrets.keyring), repr(session._state)):
        assert "hush" not in text
        assert "whisper" not in text
    session.sql("DROP TEMPORARY SECRET MINE; DROP SECRET __default_s3")
    assert session._state.secrets.keyring == Keyring()


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("s (TYPE s3, COLOUR 'red')", "Unknown parameter 'colour' for secret type 's3' with default provider 'config'"),
        ("s (TYPE s3, PROVIDER config, COLOUR 'red')", "Unknown parameter 'colour' for secret type 's3' with provider"),
        ("s (TYPE s3, PROVIDER foo)", "Secret provider 'foo' not found for type 's3'"),
        ("s (TYPE s3, SCOPE 5)", r"scope must be of type VARCHAR or LIST\(VARCHAR\)"),
        ("s (TYPE s3, URL_STYLE 'x')", "allowed values are: 'path' or 'vhost'"),
        ("s (TYPE s3, USE_SSL 'perhaps')", "USE_SSL is true or false"),
        ("s (TYPE s3, KEY_ID 'a')", "KEY_ID and SECRET are given together"),
        ("s (TYPE s3, SECRET 'hush')", "KEY_ID and SECRET are given together"),
        ("s (TYPE s3, SESSION_TOKEN 'hush')", "SESSION_TOKEN only with them"),
        ("s (TYPE s3, KEY_ID, SECRET ['hush'])", "KEY_ID is a text"),
        ("s (TYPE s3, KEY_ID 'a', SECRET ['hush'])", "SECRET is a text"),
        ("s (TYPE s3, ENDPOINT 'http://localhost')", "ENDPOINT is the name of a host"),
        ("s IN local_file (TYPE s3)", "a persistent one is not made"),
    ],
)
def test_what_does_not_fit_is_refused_by_name_and_without_the_value(session: Connection, said: str, error: str) -> None:
    with pytest.raises(ForklakeError, match=error) as refused:
        session.sql(f"CREATE SECRET {said}")
    assert "hush" not in str(refused.value)
    assert rows(session, "FROM duckdb_secrets()") == []


def test_names_are_those_of_all_types_and_nothing_is_persistent(session: Connection) -> None:
    session.sql("CREATE SECRET s (TYPE s3); CREATE SECRET IF NOT EXISTS s (TYPE s3, SCOPE 's3://other')")
    with pytest.raises(AlreadyExistsError, match="Temporary secret with name 's' already exists!"):
        session.sql("CREATE SECRET S (TYPE postgres)")
    assert rows(session, "SELECT scope FROM duckdb_secrets()") == [(["s3://", "s3n://", "s3a://"],)]
    session.sql("CREATE OR REPLACE SECRET s (TYPE postgres, HOST 'h')")
    assert session._state.secrets.keyring == Keyring()
    with pytest.raises(InvalidInputError, match="a persistent one is not made"):
        session.sql("CREATE PERSISTENT SECRET t (TYPE s3)")
    with pytest.raises(NotFoundError, match="non-existent secret with name 't'"):
        session.sql("DROP SECRET t")


@pytest.mark.slow
def test_the_secret_that_counts_is_the_one_that_duckdb_would_take(session: Connection) -> None:
    drawn = random.Random(7)
    prefixes = ["", "{0}://", "{0}://a", "{0}://a/", "{0}://a/b", "{0}://a/b/", "{0}://ab/", "{0}://b", "{0}://B/"]
    paths = ["{0}://a/b/c", "{0}://a", "{0}://ab/x", "{0}://b/a", "{0}://B/a", "{0}://zz/x", "other"]
    compared = 0
    for _ in range(60):
        names = drawn.sample(["k", "L", "m", "N", "zz", "_x"], drawn.randint(1, 4))
        # An empty scope stands first: DuckDB forgets what it has found before one.
        scopes = {name: sorted(drawn.sample(prefixes, drawn.randint(1, 3))) for name in names}
        with duckdb.connect() as stock, session.cursor() as ours:
            for name, said in scopes.items():
                http = [one.format("http") for one in said]
                stock.execute(f"CREATE TEMPORARY SECRET {name} (TYPE http, SCOPE {http})")
                ours.sql(f"CREATE SECRET {name} (TYPE s3, SCOPE {[one.format('s3') for one in said]})")
            for path in paths:
                expected = stock.execute(f"FROM which_secret('{path.format('http')}', 'http')").fetchall()
                assert rows(ours, f"FROM which_secret('{path.format('s3')}', 's3')") == expected, (scopes, path)
                compared += bool(expected)
            for name in names:
                ours.sql(f"DROP SECRET {name}")
    assert compared > 200


def test_which_secret_takes_two_texts_and_knows_the_names_of_s3(session: Connection) -> None:
    session.sql("CREATE SECRET wide (TYPE s3); CREATE SECRET narrow (TYPE s3, SCOPE 'S3A://shop/')")
    for path in ("s3://shop/x", "s3a://shop/x", "S3N://shop/x"):
        assert rows(session, f"SELECT name, persistent FROM which_secret('{path}', 'S3')") == [("narrow", "TEMPORARY")]
    assert rows(session, "SELECT name FROM which_secret('s3://shop', 's3')") == [("wide",)]
    assert rows(session, "FROM which_secret('gs://shop/x', 's3')") == []
    for arguments in ("'s3://shop'", "'s3://shop', 's3', 1", "1, 's3'"):
        with pytest.raises(InvalidInputError, match="which_secret takes a path and the type"):
            session.sql(f"FROM which_secret({arguments})")


def test_a_keyring_counts_in_its_block_and_in_threads_that_it_gives_work() -> None:
    ann, bob = (Keyring((Credential(("s3://",), name, "hush"),)) for name in ("ann", "bob"))

    def who(_: int = 0) -> str | None:
        found = credential_for("s3://bucket/x")
        return None if found is None else found.key_id

    with FileThreads(2) as threads:
        with ann.use():
            with bob.use():
                assert set(threads.map(who, range(4))) == {"bob"}
            assert set(threads.map(who, range(4))) == {"ann"}
            assert credential_for("gs://bucket/x") is None
            assert credential_for("/bucket/x") is None
        assert threads.submit(who).result() is None
    assert who() is None
    assert pickle.loads(pickle.dumps(ann)).run(who) == "ann"
