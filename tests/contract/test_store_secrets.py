"""Secrets of type s3: each session reaches object stores with its own, and with no other's."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

import forklake
from forklake import Connection
from forklake.errors import DataFileError, ForklakeError, NotFoundError, PermissionDeniedError
from forklake.files.access.keyring import Credential, Keyring
from forklake.files.parquet.footer import known_footer
from forklake.model.ids import DataFileId, SnapshotId
from forklake.model.scan import ScanFile
from tests.object_gate import Gate, gate_of_environment

pytestmark = pytest.mark.slow  # a server

ROWS = [{"i": number, "s": f"row {number}", "n": {"x": number}} for number in range(5)]


@pytest.fixture(scope="module")
def gate() -> Iterator[Gate]:
    """An object store of which the environment of this process knows nothing but a key that opens nothing."""
    with gate_of_environment("environment") as gate:
        yield gate


@pytest.fixture
def bucket(gate: Gate) -> str:
    """A bucket that ``ann`` alone may reach, with a Parquet file."""
    name = f"bucket-{uuid4()}"
    gate.storage("ann").create_dir(name)
    gate.owners[name] = {"ann"}
    pq.write_table(pa.Table.from_pylist(ROWS), f"{name}/in/a.parquet", filesystem=gate.storage("ann"))
    pq.write_table(pa.Table.from_pylist(ROWS), f"{name}/in/b.parquet", filesystem=gate.storage("ann"))
    return name


@pytest.fixture
def session() -> Iterator[Connection]:
    with here() as made:
        yield made


def here() -> Connection:
    made = forklake.connect()
    made.sql("SET engine = 'local'")
    return made.register("hundred", pa.table({"i": range(100)}))


def give(session: Connection, gate: Gate, key: str = "ann", name: str = "s", scope: str = "") -> None:
    said = f", SCOPE '{scope}'" if scope else ""
    session.sql(
        f"CREATE OR REPLACE SECRET {name} (TYPE s3, KEY_ID '{key}', SECRET 'hush of {key}', REGION 'us-east-1',"
        f" ENDPOINT '{gate.host}', URL_STYLE 'path', USE_SSL false{said})"
    )


def rows(session: Connection, text: str) -> list[tuple[object, ...]]:
    found = session.sql(text)
    assert found is not None
    return found.fetchall()


# ---- files -----------------------------------------------------------------------------------------------------------


def test_functions_of_files_read_with_the_secret_and_with_nothing_else(
    gate: Gate, bucket: str, session: Connection
) -> None:
    with pytest.raises(DataFileError, match=r"ACCESS_DENIED|Access Denied|denied"):
        rows(session, f"FROM glob('s3://{bucket}/in/*')")
    give(session, gate)
    place = f"s3://{bucket}/in/*.parquet"
    with gate.asking() as keys:
        assert rows(session, f"SELECT file FROM glob('{place}')") == [
            (f"s3://{bucket}/in/{name}.parquet",) for name in "ab"
        ]
        found = rows(session, f"SELECT i, s, n.x FROM read_parquet('{place}') ORDER BY ALL")
        assert found == sorted([(row["i"], row["s"], row["i"]) for row in ROWS] * 2)
        assert rows(session, f"SELECT count(*), sum(i) FROM 's3a://{bucket}/in/a.parquet'") == [(5, 10)]
        (told,) = rows(session, f"SELECT DISTINCT filename FROM read_parquet('s3://{bucket}/in/b*', filename = true)")
        assert told == (f"s3://{bucket}/in/b.parquet",)
        facts = f"SELECT file_name, path_in_schema, num_values FROM parquet_metadata('{place}')"
        assert rows(session, facts)[:2] == [(f"s3://{bucket}/in/a.parquet", name, 5) for name in ("i", "s")]
        assert rows(session, f"SELECT name FROM parquet_schema('s3://{bucket}/in/a.parquet')")[1:3] == [("i",), ("s",)]
    assert keys == {"ann"}


def test_files_are_copied_out_and_in_with_the_secret(gate: Gate, bucket: str, session: Connection) -> None:
    give(session, gate)
    with gate.asking() as keys:
        session.sql("CREATE TABLE memory.t AS SELECT i, 'x' || i AS s FROM hundred WHERE i < 3")
        for form in ("parquet", "csv", "json"):
            place = f"s3://{bucket}/out/t.{form}"
            session.sql(f"COPY memory.t TO '{place}'; CREATE OR REPLACE TABLE memory.u (i BIGINT, s VARCHAR)")
            session.sql(f"COPY memory.u FROM '{place}'")
            assert rows(session, "FROM memory.u ORDER BY i") == [(0, "x0"), (1, "x1"), (2, "x2")]
            assert rows(session, f"SELECT count(*) FROM '{place}'") == [(3,)]
        session.sql(f"COPY memory.t TO 's3://{bucket}/parts' (FORMAT parquet, PARTITION_BY (s))")
        assert rows(session, f"SELECT i, s FROM 's3://{bucket}/parts/s=x1/*.parquet'") == [(1, "x1")]
    assert keys == {"ann"}


def test_a_file_that_was_replaced_is_read_as_it_is_now(gate: Gate, bucket: str, session: Connection) -> None:
    give(session, gate)
    place = f"s3://{bucket}/out/now.parquet"
    for query, found in (("SELECT 1 AS a", [(1,)]), ("SELECT 'x' AS b, 2 AS c", [("x", 2)])):
        session.sql(f"COPY ({query}) TO '{place}'")
        assert rows(session, f"FROM '{place}'") == found


# ---- sessions --------------------------------------------------------------------------------------------------------


def test_sessions_of_one_process_never_use_each_others_secrets(gate: Gate, bucket: str) -> None:
    query = f"SELECT sum(i) FROM read_parquet('s3://{bucket}/in/*.parquet')"
    with here() as ann, here() as bob, here() as eve:
        give(ann, gate, "ann")
        give(bob, gate, "bob")
        for _ in range(2):
            with gate.asking() as keys:
                assert rows(ann, query) == [(20,)]
            assert keys == {"ann"}
            with gate.asking() as keys, pytest.raises(ForklakeError):
                rows(bob, query)
            assert keys == {"bob"}
            with gate.asking() as keys, pytest.raises(ForklakeError):
                rows(eve, query)
            assert keys == {"environment"}


def test_a_result_is_computed_with_the_secrets_of_its_own_statement(gate: Gate, bucket: str) -> None:
    query = f"SELECT i FROM 's3://{bucket}/in/a.parquet' ORDER BY i"
    with here() as ann, here() as bob:
        give(ann, gate, "ann")
        result, kept = ann.sql(query), ann.sql(query)
        assert result is not None
        assert kept is not None
        give(ann, gate, "carl")
        give(bob, gate, "bob")
        with gate.asking() as keys:
            bob.sql("SELECT 1")
            assert result.fetchmany(2) == [(0,), (1,)]
            ann.sql("DROP SECRET s")
            assert kept.head(1).rows() == [(0,)]
            assert kept.arrow().num_rows == 5
        assert keys == {"ann"}


def test_sessions_in_many_threads_at_once_keep_to_their_own_secrets(gate: Gate) -> None:
    names = [f"tenant-{number}" for number in range(4)]
    buckets = {name: f"{name}-{uuid4()}" for name in names}
    for name, made in buckets.items():
        gate.storage(name).create_dir(made)
        gate.owners[made] = {name}
        for part in range(3):
            table = pa.table({"who": [name] * 10})
            pq.write_table(table, f"{made}/{part}.parquet", filesystem=gate.storage(name))

    def work(name: str) -> list[tuple[object, ...]]:
        with here() as session:
            give(session, gate, name)
            found = []
            for _ in range(3):
                found += rows(session, f"SELECT DISTINCT who FROM 's3://{buckets[name]}/*.parquet'")
            for other in names:
                if other != name:
                    with pytest.raises(ForklakeError):
                        rows(session, f"FROM 's3://{buckets[other]}/0.parquet'")
            return found

    with ThreadPoolExecutor(len(names)) as pool:
        assert list(pool.map(work, names)) == [[(name,)] * 3 for name in names]


def test_cursors_share_secrets_and_the_longest_scope_wins(gate: Gate, bucket: str, session: Connection) -> None:
    give(session, gate, "bob")
    give(session, gate, "ann", "narrow", f"s3://{bucket}/in/")
    with session.cursor() as cursor, gate.asking() as keys:
        assert rows(cursor, f"SELECT count(*) FROM 's3n://{bucket}/in/a.parquet'") == [(5,)]
        assert rows(cursor, f"SELECT name FROM which_secret('s3://{bucket}/in/a.parquet', 's3')") == [("narrow",)]
    assert keys == {"ann"}
    with gate.asking() as keys, pytest.raises(ForklakeError):
        session.sql(f"COPY (SELECT 1) TO 's3://{bucket}/out/x.parquet'")
    assert keys == {"bob"}


def test_what_one_session_read_of_a_file_is_not_told_to_another(gate: Gate, bucket: str) -> None:
    path = f"s3://{bucket}/in/a.parquet"
    ann, bob = (
        Keyring((Credential(("s3://",), key, "hush", endpoint=gate.host, url_style="path", use_ssl=False),))
        for key in ("ann", "bob")
    )
    file = ScanFile(DataFileId(1), path, 1, 5, SnapshotId(1), SnapshotId(1))
    assert ann.run(known_footer, file).row_count == 5
    before = len(gate.seen)
    assert ann.run(known_footer, file).row_count == 5
    assert len(gate.seen) == before
    with pytest.raises(DataFileError):
        bob.run(known_footer, file)


# ---- lakes -----------------------------------------------------------------------------------------------------------


def attach(session: Connection, tmp_path: Path, bucket: str) -> None:
    session.sql(f"ATTACH 'ducklake:{tmp_path}/lake.db' AS lake (DATA_PATH 's3://{bucket}/lake'); USE lake")


def test_data_of_a_lake_is_written_changed_read_and_cleaned_up_with_the_secret(
    gate: Gate, bucket: str, session: Connection, tmp_path: Path
) -> None:
    give(session, gate)
    with gate.asking() as keys:
        attach(session, tmp_path, bucket)
        session.sql("CREATE TABLE t (i BIGINT, s VARCHAR)")
        for first in (0, 10, 20):
            session.sql(f"INSERT INTO t SELECT i, 'x' FROM hundred WHERE i >= {first} AND i < {first + 10}")
        session.sql("UPDATE t SET s = 'y' WHERE i < 5; DELETE FROM t WHERE i % 10 = 9")
        assert rows(session, "SELECT count(*), count(*) FILTER (s = 'y'), sum(i) FROM t") == [(27, 5, 378)]
        session.sql("CREATE TABLE u (i BIGINT, s VARCHAR, n STRUCT(x BIGINT))")
        session.sql(f"CALL ducklake_add_data_files('lake', 'u', 's3://{bucket}/in/*.parquet')")
        assert rows(session, "SELECT count(*) FROM u WHERE n.x > 2") == [(4,)]
        session.sql("CREATE OR REPLACE TABLE u (i BIGINT)")
        session.sql("CALL ducklake_expire_snapshots('lake', older_than => now())")
        assert rows(session, "CALL ducklake_cleanup_old_files('lake', cleanup_all => true)") != []
        session.sql("CALL ducklake_delete_orphaned_files('lake', cleanup_all => true)")
        assert rows(session, "SELECT count(*), sum(i) FROM t") == [(27, 378)]
    assert keys == {"ann"}


def test_what_was_not_committed_is_removed_with_the_secret(
    gate: Gate, bucket: str, session: Connection, tmp_path: Path
) -> None:
    give(session, gate)
    with here() as other, gate.asking() as keys:
        attach(session, tmp_path, bucket)
        session.sql("CREATE TABLE t (i BIGINT); BEGIN; INSERT INTO t FROM hundred")
        session.sql("ROLLBACK; BEGIN; INSERT INTO t FROM hundred")
        give(other, gate, "bob")
        session.close()
    assert keys == {"ann"}
    left = gate.storage("ann").get_file_info(fs.FileSelector(f"{bucket}/lake", recursive=True, allow_not_found=True))
    assert [info.path for info in left if info.type == fs.FileType.File] == []
    assert ("ann", "DELETE") in {(key, method) for key, method, path in gate.seen if bucket in path}


def test_another_session_of_the_lake_sees_metadata_and_reads_no_file(
    gate: Gate, bucket: str, session: Connection, tmp_path: Path
) -> None:
    give(session, gate)
    attach(session, tmp_path, bucket)
    session.sql("CREATE TABLE t (i BIGINT); INSERT INTO t FROM hundred; DELETE FROM t WHERE i < 10")
    assert rows(session, "SELECT sum(i) FROM t") == [(4905,)]
    with here() as bob:
        give(bob, gate, "bob")
        attach(bob, tmp_path, bucket)
        assert rows(bob, "SELECT count(*) FROM t") == [(90,)]
        with gate.asking() as keys, pytest.raises(DataFileError, match=r"ducklake-.*parquet"):
            rows(bob, "SELECT sum(i) FROM t")
        assert keys == {"bob"}


def test_a_database_is_exported_and_imported_with_the_secret(
    gate: Gate, bucket: str, session: Connection, tmp_path: Path
) -> None:
    give(session, gate)
    with gate.asking() as keys:
        attach(session, tmp_path, bucket)
        session.sql("CREATE TABLE t AS SELECT i FROM hundred WHERE i < 10")
        session.sql(f"EXPORT DATABASE 's3://{bucket}/export' (FORMAT parquet)")
        session.sql(f"DROP TABLE t; IMPORT DATABASE 's3://{bucket}/export'")
        assert rows(session, "SELECT sum(i) FROM t") == [(45,)]
    assert keys == {"ann"}


# ---- confined sessions -----------------------------------------------------------------------------------------------


def test_a_confined_session_uses_what_it_was_given_in_its_directories_and_sees_none_of_it(
    gate: Gate, bucket: str, session: Connection, tmp_path: Path
) -> None:
    give(session, gate)
    attach(session, tmp_path, bucket)
    session.sql("CREATE TABLE t AS SELECT i FROM hundred WHERE i < 10")
    with forklake.connect(confined=True) as confined:
        give(confined, gate)
        confined.sql("SET engine = 'local'")
        confined.register("hundred", pa.table({"i": range(100)}))
        attach(confined, tmp_path, bucket)
        confined.sql("SET lock_configuration = true")
        with gate.asking() as keys:
            assert rows(confined, "SELECT sum(i) FROM t") == [(45,)]
            confined.sql("INSERT INTO t FROM hundred WHERE i < 10")
            assert rows(confined, "SELECT sum(i) FROM t") == [(90,)]
        assert keys == {"ann"}
        before = len(gate.seen)
        for text in (
            f"FROM 's3://{bucket}/in/a.parquet'",
            f"FROM glob('s3://{bucket}/*')",
            f"COPY t TO 's3://{bucket}/out.parquet'",
            f"FROM which_secret('s3://{bucket}', 's3')",
            "CREATE SECRET mine (TYPE s3)",
            "DROP SECRET s",
        ):
            with pytest.raises((PermissionDeniedError, NotFoundError)) as refused:
                confined.sql(text)
            assert "hush" not in str(refused.value)
        assert len(gate.seen) == before
        assert rows(confined, "FROM duckdb_secrets()") == []
    with forklake.open(f"sqlite:{tmp_path}/lake.db") as lake, lake.catalog("lake").session(confined=True) as bare:
        bare.sql("SELECT 1")
        with gate.asking() as keys, pytest.raises(DataFileError):
            rows(bare, "SELECT sum(i) FROM t")
        assert keys <= {"environment"}


def test_names_in_an_object_store_need_not_be_names_of_files(gate: Gate, bucket: str, session: Connection) -> None:
    give(session, gate)
    store = gate.storage("ann")
    kept = {"t/a": "1", "t/a/b.csv": "2", f"t/{'x' * 300}.csv": "3", "t/[ab]*.csv": "4", "t/a1.csv": "5"}
    for name, text in kept.items():
        with store.open_output_stream(f"{bucket}/{name}") as sink:
            sink.write(text.encode())
    found = rows(session, f"SELECT filename, content FROM read_text('s3://{bucket}/t/**')")
    assert sorted(found) == sorted((f"s3://{bucket}/{name}", text) for name, text in kept.items())
