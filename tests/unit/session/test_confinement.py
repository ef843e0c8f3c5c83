"""How a session is confined, what it may do then, and the tricks that do not help. No Spark."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import forklake
from forklake import Confinement, Connection, Settings
from forklake.cli.answer import Answering
from forklake.cli.shell.commands import run_command
from forklake.errors import (
    AlreadyExistsError,
    ConfigError,
    DataFileError,
    ForklakeError,
    InvalidInputError,
    LimitError,
    NotFoundError,
    PermissionDeniedError,
    QuotaError,
    SnapshotNotFoundError,
)
from forklake.extras import is_installed
from tests.duck_engine import DuckEngine
from tests.unit.files.forged_footers import deep_file, misfit_file
from tests.unit.session.tenants import Tenants, attempt, leaks, make_tenants


@pytest.fixture
def tenants(tmp_path: Path) -> Iterator[Tenants]:
    made = make_tenants(tmp_path)
    with made.lake:
        yield made


def rows(session: Connection, text: str) -> list[Any]:
    found = session.sql(text)
    assert found is not None
    return found.rows()


def refuse(
    session: Connection, text: str, kind: type[Exception] = PermissionDeniedError, match: str | None = None
) -> None:
    with pytest.raises(kind, match=match):
        session.sql(text)


# ---- confining -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("of_lake", [False, True])
def test_a_session_is_prepared_and_then_locked(tenants: Tenants, of_lake: bool) -> None:
    url = f"ducklake:{tenants.directory}/lake.db"
    settings = Settings(engine=DuckEngine())
    made = tenants.lake.connect(confined=True) if of_lake else forklake.connect(settings=settings, confined=True)
    with made as session:
        session.sql(f"SET preserve_insertion_order = true; ATTACH '{url}' AS a (CATALOG 'agent'); USE a")
        for text in ("FROM t", "CREATE TABLE u (i INTEGER)", "SELECT 1", "CALL a.snapshots()", "BEGIN"):
            refuse(session, text, match="not locked yet")
        session.sql("SET lock_configuration = true")
        assert rows(session, "SELECT i FROM t") == [(1,)]
        refuse(session, f"ATTACH '{url}' AS b (CATALOG 'rival')", NotFoundError, "'rival' does not exist")
        refuse(session, "ATTACH 'ducklake:' AS b (CATALOG 'rival')", NotFoundError, "'rival' does not exist")
        session.sql("USE memory; DETACH a; ATTACH 'ducklake:' AS again (CATALOG 'agent')")
        assert rows(session, "SELECT i FROM again.t") == [(1,)]


def test_one_catalog_needs_no_list(tenants: Tenants) -> None:
    for given in ("agent", tenants.lake.catalog("agent")):
        with tenants.lake.connect(given) as session:
            assert rows(session, "SELECT current_database()") == [("agent",)]


def test_external_access_is_turned_off_in_any_session_and_never_on_again(tenants: Tenants) -> None:
    with tenants.lake.connect(["agent", "shop"]) as session:
        session.sql("SET enable_external_access = false; SET preserve_insertion_order = false")
        refuse(session, "ATTACH 'ducklake:' (CATALOG 'rival')", NotFoundError)
        refuse(session, "SET enable_external_access = true", InvalidInputError, "Cannot change enable_external_access")
        refuse(session, "RESET enable_external_access", InvalidInputError, "Cannot change enable_external_access")
        assert rows(session, "SELECT s FROM shop.newcomer") == [("sesame",)]
        assert rows(session, "SELECT current_setting('enable_external_access')") == [(False,)]


def test_a_catalog_that_was_only_named_is_left_when_the_session_is_confined(tenants: Tenants) -> None:
    with tenants.lake.connect(["agent"]) as session:
        session.sql("USE rival")
        assert rows(session, "FROM vault") == [("sesame",)]
        session.sql("SET enable_external_access = false")
        for text in ("FROM vault", "FROM rival.vault", "CALL ducklake_snapshots('rival')", "USE rival", "SHOW TABLES"):
            assert leaks(attempt(session, text), text) == []
        assert attempt(session, "FROM rival.vault").startswith("NotFoundError")
        assert rows(session, "SELECT i FROM agent.t") == [(1,)]


def test_locked_settings_stay_as_they_are_in_a_session_that_is_not_confined(tenants: Tenants) -> None:
    with tenants.agent.session() as session:
        session.sql("SET lock_configuration = true")
        for text in ("SET threads = 1", "RESET threads", "SET lock_configuration = false", "PRAGMA timezone = 'UTC'"):
            refuse(session, text, match="the configuration has been locked")
        session.sql("ATTACH 'ducklake:' (CATALOG 'rival')")
        assert rows(session, "SELECT s FROM rival.vault") == [("sesame",)]


def test_cursors_are_confined_together(tenants: Tenants) -> None:
    with tenants.lake.connect(["agent"]) as session, session.cursor() as cursor:
        session.sql("SET enable_external_access = false; SET lock_configuration = true")
        refuse(cursor, "ATTACH 'ducklake:' (CATALOG 'rival')", NotFoundError)
        refuse(cursor, "SET threads = 1", match="locked")
        with cursor.cursor() as another:
            refuse(another, "FROM glob('/etc/*')")


@pytest.mark.parametrize("wrong", [1, "yes", None, {"max_rows": 1}])
def test_terms_are_checked(tenants: Tenants, wrong: Any) -> None:
    with pytest.raises(ConfigError, match="confined is True, False or a Confinement"):
        tenants.agent.session(confined=wrong)


@pytest.mark.parametrize(
    "wrong", [{"max_rows": -1}, {"max_rows": 1.5}, {"max_seconds": "1"}, {"max_bytes": True}, {"directories": "/tmp"}]
)
def test_limits_are_numbers_and_directories_a_list(wrong: Any) -> None:
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        Confinement(**wrong)


def test_a_session_is_given_catalogs_of_its_lake_only(tenants: Tenants, tmp_path: Path) -> None:
    with forklake.open(str(tmp_path / "other.db")) as other:
        foreign = other.create_catalog("agent")
        with pytest.raises(InvalidInputError, match="no catalog of this lake"):
            tenants.lake.connect([foreign], confined=True)
    with pytest.raises(NotFoundError):
        tenants.lake.connect(["nobody"])


# ---- catalogs --------------------------------------------------------------------------------------------------------


def test_only_what_was_given_is_listed(tenants: Tenants) -> None:
    with tenants.lake.connect(["agent", "shop"], confined=True) as session:
        listed = "SELECT catalog_name FROM ducklake_catalogs('agent')"
        assert rows(session, listed) == [("agent",), ("shop",)]
        session.sql("CALL ducklake_fork_catalog('agent', 'trial', labels => MAP {'for': 'me'})")
        assert rows(session, listed) == [("agent",), ("shop",), ("trial",)]
        labelled = "SELECT catalog_name FROM ducklake_catalogs('agent', labels => MAP {'for': 'me'})"
        assert rows(session, labelled) == [("trial",)]
        assert rows(session, "SELECT catalog_name FROM ducklake_catalogs('agent', prefix => 'r')") == []
        refuse(session, "FROM ducklake_catalogs('agent', at => now())")
        assert [path for _, path in rows(session, "SELECT database_name, path FROM duckdb_databases()")] == [None, None]


def test_forks_of_a_session_are_its_own(tenants: Tenants) -> None:
    with tenants.agent.session(confined=True) as session:
        session.sql("CALL ducklake_fork_catalog('agent', 'trial'); ATTACH 'ducklake:' (CATALOG 'trial')")
        session.sql("INSERT INTO trial.t VALUES (2, 'tried'); MERGE FORK trial INTO agent; REFRESH FORK trial")
        assert rows(session, "SELECT count(*) FROM t") == [(2,)]
        session.sql("CALL ducklake_rename_catalog('agent', 'trial', 'tried')")
        session.sql("CALL ducklake_renew('agent', 'tried', INTERVAL 1 hour)")
        session.sql("CALL ducklake_drop_catalog('agent', 'tried')")
        refuse(session, "FROM trial.t", NotFoundError)
        session.sql("CALL ducklake_undrop_catalog('agent', 'tried')")
        assert rows(session, "SELECT count(*) FROM trial.t") == [(2,)]
        session.sql("CALL ducklake_fork_catalog('agent', 'tried', if_not_exists => true)")
        assert rows(session, "SELECT catalog_name FROM ducklake_catalogs('agent')") == [("agent",), ("tried",)]
        with session.cursor() as cursor:
            assert rows(cursor, "SELECT count(*) FROM ducklake_catalogs('agent')") == [(2,)]
    with tenants.agent.session(confined=True) as another:
        refuse(another, "ATTACH 'ducklake:' (CATALOG 'tried')", NotFoundError)


@pytest.mark.parametrize(
    "text",
    [
        "CALL ducklake_drop_catalog('agent', 'agent')",
        "CALL ducklake_rename_catalog('agent', 'agent', 'x')",
        "CALL ducklake_renew('agent', INTERVAL 1 year)",
        "CALL ducklake_renew('agent', 'agent', INTERVAL 1 year)",
        "CALL ducklake_set_quota('agent', max_bytes => 1000000)",
        "CALL ducklake_sever_catalog('agent', 'agent')",
        "CALL ducklake_reap('agent')",
        "CALL ducklake_drop_catalogs('agent', prefix => 'a')",
        "CALL ducklake_purge_catalogs('agent', 'a', drop => true)",
        "CALL ducklake_create_catalog('agent', 'x')",
        "CALL ducklake_export_catalog('agent', 'x.duckdb')",
        "FROM ducklake_lake_stats('agent')",
        "FROM ducklake_fork_tree('agent')",
    ],
)
def test_the_life_of_a_given_catalog_is_not_the_sessions(tenants: Tenants, text: str) -> None:
    with tenants.agent.session(confined=True) as session:
        refuse(session, text)
    assert tenants.agent.name == "agent"


def test_forks_keep_to_the_terms(tenants: Tenants) -> None:
    with tenants.agent.session(confined=Confinement(may_fork=False)) as session:
        refuse(session, "CALL ducklake_fork_catalog('agent', 'x')", match="Forking is not permitted")
    with tenants.agent.session(confined=Confinement(fork_prefix="agent-")) as session:
        refuse(session, "CALL ducklake_fork_catalog('agent', 'rival')", match='begin with "agent-"')
        refuse(
            session, f"CALL ducklake_fork_catalog('agent', 'agent-1', '{tenants.place('rival')}')", match="data path"
        )
        session.sql("CALL ducklake_fork_catalog('agent', 'Agent-1')")
        refuse(session, "CALL ducklake_rename_catalog('agent', 'agent-1', 'x')", match='begin with "agent-"')


@pytest.mark.parametrize("how", ["", ", if_not_exists => true"])
def test_of_a_name_that_is_taken_nothing_else_is_told(tenants: Tenants, how: str) -> None:
    tenants.agent.fork("sibling")
    with tenants.agent.session(confined=True) as session:
        for name in ("rival", "sibling", "shop"):
            refuse(
                session,
                f"CALL ducklake_fork_catalog('agent', '{name}'{how})",
                AlreadyExistsError,
                f"^Catalog '{name}' already exists.\nHint: Choose another name.$",
            )
        refuse(session, "ATTACH 'ducklake:' (CATALOG 'sibling')", NotFoundError)


def test_what_came_after_the_fork_is_not_reached_through_the_parent(tenants: Tenants) -> None:
    with tenants.agent.session(confined=True) as session:
        for text in (
            "REFRESH FORK agent",
            "FROM ducklake_diff('agent')",
            "FROM ducklake_diff('agent', since_base => true)",
        ):
            refuse(session, text, NotFoundError, "was not given")
    with tenants.lake.connect(["agent", "shop"], confined=True) as session:
        session.sql("REFRESH FORK agent")
        assert rows(session, "SELECT s FROM agent.newcomer") == [("sesame",)]


def test_a_catalog_given_at_a_snapshot_shows_nothing_later(tenants: Tenants) -> None:
    shop = tenants.lake.catalog("shop")
    then = shop.at(shop.snapshots()[-4].snapshot_id)
    newest = shop.head
    assert [table.name for table in then.tables()] == ["goods"]
    with tenants.lake.connect([then, "agent"], confined=True) as session:
        assert rows(session, "SELECT count(*) FROM shop.goods") == [(2,)]
        for text in (
            f"FROM shop.newcomer AT (VERSION => {newest})",
            f"CALL ducklake_fork_catalog('shop', 'x', at => {newest})",
            f"CALL ducklake_merge_catalog('agent', 'shop', at => {newest})",
            f"CALL ducklake_reset_catalog('agent', source => 'shop', at => {newest})",
            f"FROM ducklake_diff('agent', 'shop', at => {newest})",
            f"FROM ducklake_table_changes('shop', 'goods', 0, {newest})",
            f"FROM ducklake_list_files('shop', 'goods', snapshot_version => {newest})",
        ):
            refuse(session, text, SnapshotNotFoundError)
        for text in ("ATTACH 'ducklake:' AS s (CATALOG 'shop')", "REFRESH FORK agent", "FROM ducklake_diff('agent')"):
            refuse(session, text, NotFoundError)
        refuse(session, f"FROM glob('{tenants.place('shop')}/**')")
        refuse(session, "INSERT INTO shop.goods VALUES (9)", InvalidInputError, "read-only")
        assert ("shop", then.head) in rows(session, "SELECT catalog_name, snapshot_id FROM ducklake_catalogs('agent')")
        refuse(session, "FROM ducklake_quota('shop')", PermissionDeniedError, "holds now")
        session.sql("CALL ducklake_fork_catalog('shop', 'past'); ATTACH 'ducklake:' (CATALOG 'past')")
        assert rows(session, "SELECT count(*) FROM past.goods") == [(2,)]
        refuse(session, "REFRESH FORK past", NotFoundError, "was not given")


def test_what_was_given_to_read_stays_so(tenants: Tenants) -> None:
    with forklake.connect(settings=Settings(engine=DuckEngine()), confined=True) as session:
        session.sql(f"ATTACH 'ducklake:{tenants.directory}/lake.db' AS shop (CATALOG 'shop', READ_ONLY)")
        session.sql("SET lock_configuration = true; ATTACH 'ducklake:' AS mine (CATALOG 'shop', READ_WRITE)")
        for name in ("shop", "mine"):
            refuse(session, f"DELETE FROM {name}.goods", InvalidInputError, "read-only")
        refuse(session, f"COPY shop.goods TO '{tenants.place('shop')}/x.parquet'")
        session.sql("CALL ducklake_fork_catalog('shop', 'ours'); ATTACH 'ducklake:' (CATALOG 'ours')")
        session.sql("INSERT INTO ours.goods VALUES (9)")


def test_errors_name_no_ancestor(tenants: Tenants) -> None:
    tenants.lake.catalog("shop").set_quota(max_forks=2, subtree=True)
    inherited = tenants.agent.snapshots()[0].snapshot_id
    with tenants.agent.session(confined=True) as session:
        with pytest.raises(QuotaError) as over:
            session.sql("CALL ducklake_fork_catalog('agent', 'x')")
        with pytest.raises(InvalidInputError, match="inherited from") as tagged:
            session.sql(f"CALL ducklake_tag('agent', 'x', at => {inherited})")
        assert "shop" not in f"{over.value} {tagged.value} {over.value.args} {tagged.value.args}"


def test_guessing_the_name_of_an_ancestor_tells_nothing(tenants: Tenants) -> None:
    guesses = (
        "FROM {0}.t", "FROM {0}.main.t", "USE {0}", "SELECT {0} FROM t", "FROM {0}",
        "DROP TABLE {0}.t", "DROP SCHEMA {0}",
        'FROM t AS x JOIN "{0}".goods USING (i)', "CREATE TABLE {0}.x (i INTEGER)",
        "CREATE TABLE {0} (a INTEGER, {0} INTEGER, {0} INTEGER)",
        "CREATE SCHEMA t; CREATE TABLE t.{0} (i INTEGER); CREATE TABLE t.{0} (i INTEGER)",
    )  # fmt: skip
    with tenants.agent.session(confined=True) as session:
        for text in guesses:
            told = []
            for name in ("shop", "hops"):
                session.sql("BEGIN")
                with pytest.raises(ForklakeError) as failure:
                    session.sql(text.format(name))
                session.sql("ROLLBACK")
                told.append(str(failure.value).replace(name, "?"))
            assert told[0] == told[1]


def test_keys_of_files_are_not_shown(tmp_path: Path) -> None:
    with forklake.open(str(tmp_path / "lake.db")) as lake:
        safe = lake.create_catalog("safe", encrypted=True)
        safe.sql("CREATE TABLE t (i INTEGER); INSERT INTO t VALUES (1)")
        for confined, is_shown in ((False, True), (True, False)):
            with safe.session(confined=confined) as session:
                (key,) = rows(session, "SELECT data_file_encryption_key FROM ducklake_list_files('safe', 't')")
                (kept,) = rows(session, "SELECT encryption_key FROM __ducklake_metadata_safe.ducklake_data_file")
                assert (key[0] is not None, kept[0] is not None) == (is_shown, is_shown)
                assert rows(session, "FROM t") == [(1,)]


# ---- the program around it -------------------------------------------------------------------------------------------


def test_variables_of_the_program_are_not_found_and_registered_frames_are(tenants: Tenants) -> None:
    purse = pa.table({"s": ["sesame"]})
    with tenants.agent.session(confined=True) as session:
        refuse(session, "FROM purse", NotFoundError)
        session.register("handed", purse)
        assert rows(session, "FROM handed") == [("sesame",)]


@pytest.mark.parametrize("confined_now", [True, False])
def test_sparks_own_language_is_refused(tenants: Tenants, confined_now: bool) -> None:
    session = tenants.agent.session(confined=True) if confined_now else tenants.lake.connect(confined=True)
    with session, pytest.raises(PermissionDeniedError, match="Spark's own SQL"):
        session.sql("SELECT * FROM parquet.`/etc/x`", dialect="spark")


def test_secrets_are_used_by_nobody_but_who_made_them(tenants: Tenants) -> None:
    with forklake.connect(settings=Settings(engine=DuckEngine()), confined=True) as session:
        session.sql(f"CREATE SECRET all_of_it (TYPE ducklake, METADATA_PATH '{tenants.directory}/lake.db')")
        session.sql("ATTACH 'ducklake:all_of_it' AS a (CATALOG 'agent'); SET lock_configuration = true")
        assert rows(session, "FROM duckdb_secrets()") == []
        refuse(session, "ATTACH 'ducklake:all_of_it' AS b (CATALOG 'rival')", NotFoundError)
        refuse(session, "DROP SECRET all_of_it", match="DROP SECRET is not permitted")
        assert "lake.db" not in attempt(session, "FROM duckdb_databases(); FROM duckdb_settings()").replace(
            "lake.db.files", ""
        )


# ---- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_names_of_new_files_lead_nowhere(tenants: Tenants, form: str) -> None:
    own = tenants.place("agent")
    with tenants.agent.session(confined=True) as session:
        for pattern in ("../../rival/x", "/tmp/x", "a/b", "..\\x"):
            text = f"COPY t TO '{own}/d.d' (FORMAT {form}, PARTITION_BY (s), FILENAME_PATTERN '{pattern}')"
            refuse(session, text, InvalidInputError, "without directories")


def test_exports_stay_in_the_directories_and_replace_nothing(tenants: Tenants, tmp_path: Path) -> None:
    desk, outside = tmp_path / "desk", tmp_path / "elsewhere"
    for made in (desk, outside):
        made.mkdir()
    (outside / "u.csv").write_text("i\n7\n")
    with tenants.agent.session(confined=Confinement(directories=(str(desk),))) as session:
        session.sql(f"USE memory; CREATE TABLE u (i INTEGER); EXPORT DATABASE '{desk}/out'")
        assert sorted(one.name for one in (desk / "out").iterdir()) == ["load.sql", "schema.sql", "u.csv"]
        refuse(session, f"EXPORT DATABASE '{desk}/out'", match="a confined session replaces no file")
        refuse(session, f"EXPORT DATABASE '{outside}'", match="not in a directory of this session")
        refuse(session, f"IMPORT DATABASE '{outside}'", match="not in a directory of this session")
        # A script that leads to other files finds those of its own directory.
        (desk / "out" / "load.sql").write_text(f"COPY u FROM '{outside}/u.csv' (FORMAT csv)")
        session.sql(f"DROP TABLE u; IMPORT DATABASE '{desk}/out'")
        assert rows(session, "FROM u") == []
        (desk / "out" / "schema.sql").write_text(f"CREATE TABLE w AS FROM '{outside}/u.csv'")
        refuse(session, f"IMPORT DATABASE '{desk}/out'", ForklakeError)


def test_a_shell_reads_files_that_its_session_may_read(tenants: Tenants, tmp_path: Path) -> None:
    desk = tmp_path / "desk"
    desk.mkdir()
    for place in (desk, tmp_path):
        (place / "script.sql").write_text("CREATE TABLE made_by_script (i INTEGER)")
    with tenants.agent.session(confined=Confinement(directories=(str(desk),))) as session:
        for path in (tmp_path / "script.sql", desk / ".." / "script.sql", Path("/etc/hostname")):
            with pytest.raises(PermissionDeniedError, match="not in a directory of this session"):
                run_command(f".read {path}", session, Answering())
        run_command(f".read {desk}/script.sql", session, Answering())
        assert rows(session, "FROM made_by_script") == []


def test_files_of_its_directories_are_read_and_written(tenants: Tenants, tmp_path: Path) -> None:
    own, desk = tenants.place("agent"), tmp_path / "desk"
    desk.mkdir()
    with tenants.agent.session(confined=Confinement(directories=(str(desk),))) as session:
        for place in (own, str(desk)):
            session.sql(f"COPY (SELECT 1 AS i, 'mine' AS s) TO '{place}/copy.parquet'")
            assert rows(session, f"FROM '{place}/copy.parquet'") == [(1, "mine")]
            assert rows(session, f"SELECT i FROM read_parquet('{place}/*.parquet')") == [(1,)]
            assert f"{place}/copy.parquet" in attempt(session, f"FROM glob('{place}/**')")
            refuse(session, f"COPY t TO '{place}/copy.parquet'", match="replaces no file")
            parted = f"COPY t TO '{place}/parted.d' (FORMAT parquet, PARTITION_BY (s)"
            session.sql(f"{parted})")
            refuse(session, f"{parted}, OVERWRITE_OR_IGNORE)", match="not replaced")
            session.sql(f"{parted}, APPEND); COPY t FROM '{place}/parted.d'; DELETE FROM t WHERE false")
            session.sql(f"CALL ducklake_add_data_files('agent', 't', '{place}/copy.parquet')")


TRICKS = (
    "{own}/../rival/main/vault/*.parquet",
    "{own}/main/../../rival/main/vault/*.parquet",
    "{own}/./../rival/**",
    "{own}-evil/x.parquet",
    "{own}evil/x.parquet",
    "{OWN}/../RIVAL/**",
    "{own}/link/main/vault/*.parquet",
    "{own}/link/**",
    "{own}/**/vault/**",
    "{own}/linked.parquet",
    "{own}/*.parquet",
    "file://{rival}/main/vault/x.parquet",
    "FILE://{rival}/**",
    "file:{rival}/x.parquet",
    "file:///{rival}/x.parquet",
    "file://localhost{rival}/x.parquet",
    "{own}/{{a,../../rival}}/x.parquet",
    "{own}/{{x=1,../../rival}}/**",
    "{own}/%2e%2e/rival/x.parquet",
    "{own}/..%2frival/x.parquet",
    "{own}\\..\\rival\\x.parquet",
    "{own}/..;/rival/x.parquet\x01",
    "~/x.parquet",
    "s3://bucket/x.parquet",
    "http://localhost/x.parquet",
    "hdfs://localhost/x.parquet",
    "jdbc:sqlite:x.parquet",
    "/proc/self/environ",
    "//{rival}/x.parquet",
    "lake.db.files/rival/**/*.parquet",
    "./lake.db.files/rival/main/vault/*.parquet",
)


@pytest.mark.parametrize("trick", TRICKS)
@pytest.mark.parametrize(
    "form",
    [
        "FROM read_parquet('{}')",
        "FROM read_parquet(['{}'])",
        "FROM '{}'",
        "FROM read_csv('{}')",
        "FROM read_text(['{}'])",
        "FROM glob('{}')",
        "FROM parquet_schema('{}')",
        "COPY t (s) FROM '{}' (FORMAT parquet)",
        "COPY t FROM '{}' (FORMAT csv, HEADER)",
        "COPY t TO '{}' (FORMAT parquet)",
        "COPY t TO '{}' (FORMAT csv)",
        "COPY t TO '{}' (FORMAT json, PARTITION_BY (s))",
        "COPY t TO '{}' (FORMAT parquet, PARTITION_BY (s))",
        "CALL ducklake_add_data_files('agent', 't', '{}')",
        "CALL ducklake_add_data_files('agent', 't', ['{}'])",
    ],
)
def test_no_trick_leads_out_of_the_directories(
    confined_agent: tuple[Tenants, Connection], trick: str, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tenants, session = confined_agent
    monkeypatch.chdir(tenants.directory)
    own, rival = tenants.place("agent"), tenants.place("rival")
    said = form.format(trick.format(own=own, OWN=own.upper(), rival=rival))
    before = sorted(str(path) for path in tenants.directory.rglob("*") if "-journal" not in path.name)
    told = attempt(session, said)
    assert told.startswith(("PermissionDeniedError", "NotFoundError", "InvalidInputError")), (said, told)
    assert leaks(told, said) == []
    assert sorted(str(path) for path in tenants.directory.rglob("*") if "-journal" not in path.name) == before


@pytest.fixture(scope="module")
def confined_agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Tenants, Connection]]:
    """A tenant in whose directory links lead elsewhere, beside a directory whose name begins as its own does."""
    tenants = make_tenants(tmp_path_factory.mktemp("tricks"))
    own, rival = tenants.place("agent"), tenants.place("rival")
    os.symlink(rival, f"{own}/link")
    os.symlink(tenants.directory / "outside.parquet", f"{own}/linked.parquet")
    for evil in (f"{own}-evil", f"{own}evil"):
        os.makedirs(evil)
        pq.write_table(pa.table({"s": ["sesame"]}), f"{evil}/x.parquet")
    with tenants.lake, tenants.agent.session(confined=True) as session:
        yield tenants, session


def test_a_forged_file_ends_no_process(tenants: Tenants) -> None:
    own = Path(tenants.place("agent"))
    own.mkdir(parents=True, exist_ok=True)
    for name, data in (("deep.parquet", deep_file(100_000)), ("misfit.parquet", misfit_file())):
        (own / name).write_bytes(data)
    with tenants.agent.session(confined=True) as session:
        for name in ("deep", "misfit"):
            for text in (
                f"FROM parquet_schema('{own}/{name}.parquet')",
                f"FROM parquet_metadata('{own}/{name}.parquet')",
                f"CALL ducklake_add_data_files('agent', 't', '{own}/{name}.parquet')",
            ):
                refuse(session, text, DataFileError)


@pytest.mark.parametrize("suffix", ["PAR1", "1", "E"])
def test_a_file_of_text_does_not_pass_for_one_of_another_format(tenants: Tenants, suffix: str) -> None:
    own = tenants.place("agent")
    forged = f"COPY (SELECT 'x') TO '{own}/x.parquet' (FORMAT csv, QUOTE '', PREFIX 'PAR1', SUFFIX '{suffix}')"
    with tenants.agent.session(confined=True) as session:
        refuse(session, forged, match="SUFFIX")
        session.sql(f"COPY (SELECT 1 AS i) TO '{own}/x.csv' (FORMAT csv, PREFIX '[', SUFFIX ']')")
    tenants.agent.session().sql(forged)


def test_no_file_stands_where_a_table_may_have_its_own(tenants: Tenants) -> None:
    own = tenants.place("agent")
    with tenants.agent.session(confined=True) as session:
        for text in (
            f"COPY (SELECT 1) TO '{own}/reports' (FORMAT csv)",
            f"COPY (SELECT 1) TO '{own}/main/orders' (FORMAT csv)",
            f"COPY (SELECT 1) TO '{own}/main/t/region=eu' (FORMAT csv)",
            f"COPY (SELECT 1) TO '{own}//./main/orders.csv'",
            f"COPY (SELECT 1 AS a, 2 AS b) TO '{own}/reports' (FORMAT parquet, PARTITION_BY (a))",
            f"EXPORT DATABASE '{own}/reports'",
        ):
            refuse(session, text, match="where a schema may have its files")
        session.sql(f"COPY (SELECT 1 AS a, 2 AS b) TO '{own}/reports.d' (FORMAT parquet, PARTITION_BY (a))")
        session.sql(f"EXPORT DATABASE '{own}/export.d'")
    tenants.agent.sql("CREATE SCHEMA reports; CREATE TABLE reports.x (i INTEGER); INSERT INTO reports.x VALUES (1)")
    tenants.agent.sql("CREATE TABLE main.orders (i INTEGER); INSERT INTO main.orders VALUES (1)")


# ---- limits ----------------------------------------------------------------------------------------------------------


def test_a_result_with_too_many_rows_returns_none(tenants: Tenants) -> None:
    tenants.agent.sql("INSERT INTO t VALUES (2, 'b'), (3, 'c')")
    with tenants.agent.session(confined=Confinement(max_rows=2)) as session:
        for text in (
            "FROM t",
            "SELECT i FROM t ORDER BY i",
            "FROM (VALUES (1), (2), (3)) v",
            "SELECT column_name FROM duckdb_columns()",
        ):
            found = session.sql(text)
            assert found is not None
            frames = (found.pandas,) if is_installed("pandas") else ()
            for read in (found.rows, found.fetchone, found.fetchall, found.arrow, found.__len__, *frames):
                with pytest.raises(LimitError, match="more than the 2 rows") as error:
                    read()
                assert (error.value.limit, error.value.code) == ("rows", "limit")
            assert len(found.head(2).rows()) == 2
        assert len(rows(session, "FROM t LIMIT 2")) == 2
        assert rows(session, "SELECT count(*) FROM t") == [(3,)]
        assert rows(session, "INSERT INTO t SELECT * FROM t") == [(3,)]
        found = session.sql("SELECT 1")
        assert found is not None
        with pytest.raises(PermissionDeniedError, match="no DataFrame"):
            found.dataframe()


def test_a_statement_that_would_read_too_many_bytes_is_not_run(tenants: Tenants) -> None:
    tenants.agent.options.set("data_inlining_row_limit", 0)
    tenants.agent.sql("CREATE TABLE big AS SELECT * FROM (VALUES (1), (2)) v(i)")
    (size,) = rows(tenants.agent.session(), "SELECT file_size_bytes FROM ducklake_table_info('agent', 'big')")[0]
    with tenants.agent.session(confined=Confinement(max_bytes=size)) as session:
        found = session.sql("FROM big")
        assert found is not None
        assert found.rows() == [(1,), (2,)]
        assert len(found.arrow()) == 2
        assert rows(session, "SELECT count(*) FROM big") == [(2,)]
        session.sql("INSERT INTO big VALUES (3)")
        assert rows(session, "SELECT count(*) FROM big") == [(3,)], "the metadata tells, and no file is read"
        with pytest.raises(LimitError, match="bytes of files, and this session allows") as error:
            rows(session, "FROM big")
        assert error.value.limit == "bytes"
        assert rows(session, "FROM big LIMIT 1") == [(1,)]


def test_a_statement_that_takes_too_long_is_ended_before_it_commits(tenants: Tenants) -> None:
    with tenants.agent.session(confined=Confinement(max_seconds=0)) as session:
        for text in ("FROM t", "INSERT INTO t VALUES (2, 'b')", "SELECT 1", "BEGIN"):
            with pytest.raises(LimitError, match="longer than the 0 seconds") as error:
                session.sql(text)
            assert error.value.limit == "seconds"
    assert rows(tenants.agent.session(), "SELECT count(*) FROM t") == [(1,)]
    with tenants.agent.session(confined=Confinement(max_seconds=60)) as session:
        assert rows(session, "INSERT INTO t VALUES (2, 'b')") == [(1,)]
        assert rows(session, "SELECT count(*) FROM t") == [(2,)]


@pytest.mark.parametrize(("size", "limit"), [(1 << 40, "letters"), (1001, "bytes")])
def test_a_script_that_is_too_large_is_not_read(tenants: Tenants, size: int, limit: str) -> None:
    place = Path(str(tenants.agent.inspect.info.data_path)) / "exported"
    place.mkdir(parents=True)
    for name in ("schema.sql", "load.sql"):
        with (place / name).open("wb") as file:
            file.truncate(size)  # which takes no place on the disk
    with tenants.agent.session(confined=Confinement(max_bytes=1000)) as session:
        with pytest.raises(LimitError) as error:
            session.sql(f"IMPORT DATABASE '{place}'")
        assert error.value.limit == limit


def test_views_that_name_each_other_end(tenants: Tenants) -> None:
    with tenants.agent.session(confined=True) as session:
        session.sql("CREATE VIEW a AS FROM goods; CREATE VIEW b AS FROM a; CREATE OR REPLACE VIEW a AS FROM b")
        with pytest.raises(InvalidInputError):
            rows(session, "FROM a")
