"""What a confined session may leave behind: history, signatures, forks and their lives. No Spark."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import forklake
from forklake import Catalog, Confinement, Connection, Lake, Settings
from forklake.errors import (
    AlreadyExistsError,
    CatalogLapsedError,
    ConfigError,
    EngineError,
    InvalidInputError,
    LimitError,
    PermissionDeniedError,
)
from forklake.model.option_rules import OPTIONS
from forklake.session import functions
from forklake.session.safety import permissions


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    with forklake.open(str(tmp_path / "lake.db"), settings=Settings(engine="local")) as lake:
        shop = lake.create_catalog("shop")
        shop.sql("CREATE TABLE t (i INTEGER); INSERT INTO t VALUES (1)")
        yield lake


def confined(catalog: Catalog, **terms: Any) -> Connection:
    return catalog.session(confined=Confinement(**terms))


def rows(session: Connection, text: str) -> list[Any]:
    found = session.sql(text)
    assert found is not None
    return found.rows()


def refuse(
    session: Connection, text: str, kind: type[Exception] = PermissionDeniedError, match: str | None = None
) -> None:
    with pytest.raises(kind, match=match):
        session.sql(text)


# ---- terms -----------------------------------------------------------------------------------------------------------


def test_sessions_have_limits_unless_they_are_taken_away() -> None:
    assert (Confinement().max_seconds, Confinement().max_rows, Confinement().max_bytes) == (60, 100_000, 2**30)
    free = Confinement(max_seconds=None, max_rows=None, max_bytes=None)
    assert not free.has_limits
    assert Confinement().has_limits


def test_a_confined_session_without_terms_has_limits(lake: Lake) -> None:
    many = "FROM range(100001)"
    with lake.catalog("shop").session(confined=True) as session, pytest.raises(LimitError, match="100,000 rows"):
        rows(session, many)
    with confined(lake.catalog("shop"), max_rows=None) as session:
        assert len(rows(session, many)) == 100_001


def test_a_session_that_turns_external_access_off_has_no_limits(lake: Lake) -> None:
    with lake.connect("shop") as session:
        session.sql("SET enable_external_access = false")
        assert len(rows(session, "FROM range(100001)")) == 100_001
        refuse(session, "CALL ducklake_expire_snapshots('shop', older_than => now())")


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_forks": -1}, {"max_forks": 1.5}, {"author": 7}, {"message": b"x"}, {"fork_prefix": None},
        {"may_maintain": "yes"}, {"may_sign": 1}, {"may_fork": None},
    ],
)  # fmt: skip
def test_terms_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=f"^{next(iter(wrong))} of a confinement"):
        Confinement(**wrong)


# ---- the past --------------------------------------------------------------------------------------------------------

MAINTENANCE = (
    "CALL ducklake_expire_snapshots('shop', older_than => now())",
    "CALL shop.expire_snapshots(dry_run => true)",
    "CALL ducklake_cleanup_old_files('shop', cleanup_all => true)",
    "CALL ducklake_cleanup_orphaned_files('shop', cleanup_all => true)",
    "CALL ducklake_delete_orphaned_files('shop', cleanup_all => true)",
    "CALL ducklake_flush_inlined_data('shop')",
    "CALL ducklake_merge_adjacent_files('shop')",
    "CALL ducklake_rewrite_data_files('shop', 't')",
    "CALL ducklake_checkpoint('shop')",
    "CHECKPOINT",
    "CHECKPOINT shop",
    "EXPLAIN ANALYZE CHECKPOINT shop",
    "CALL ducklake_set_option('shop', 'expire_older_than', '1 second')",
    "CALL ducklake_set_option('shop', 'DELETE_older_than', '1 second')",
    "CALL ducklake_reset_option('shop', 'expire_older_than')",
    "CALL ducklake_reset_option('shop', 'delete_older_than')",
    "CALL ducklake_set_option('shop', 'require_commit_message', false)",
    "CALL ducklake_set_option('shop', 'target_file_size', '1', table_name => 't')",
    "CALL ducklake_reset_option('shop', 'auto_compact')",
    "CALL ducklake_untag('shop', 'kept')",
    "PREPARE p AS CALL ducklake_untag('shop', 'kept'); EXECUTE p",
)


@pytest.mark.parametrize("text", MAINTENANCE)
def test_the_past_of_a_given_catalog_is_not_the_sessions(lake: Lake, text: str) -> None:
    shop = lake.catalog("shop")
    shop.tag("kept")
    shop.sql("INSERT INTO t VALUES (2)")
    before = shop.snapshots(), shop.tags(), shop.options.list()
    with confined(shop) as session:
        refuse(session, text)
    assert (shop.snapshots(), shop.tags(), shop.options.list()) == before
    if "untag" not in text or "PREPARE" not in text:
        with confined(shop, may_maintain=True) as session:
            session.sql(text)


def test_what_shortens_history_is_known_as_such() -> None:
    assert set(permissions.MAINTENANCE) <= set(functions.FUNCTIONS)
    assert not permissions.MAINTENANCE & permissions.FUNCTIONS
    assert {key for key in OPTIONS if key.endswith("older_than")} == permissions.AGES


def test_the_way_back_is_there_after_all_that_a_session_can_do(lake: Lake) -> None:
    shop = lake.catalog("shop")
    then = shop.head
    with confined(shop) as session:
        session.sql("CALL ducklake_fork_catalog('shop', 'mine'); ATTACH 'ducklake:' (CATALOG 'mine')")
        session.sql("DROP TABLE t; CREATE TABLE t (i INTEGER); INSERT INTO t VALUES (7); INSERT INTO mine.t VALUES (8)")
        session.sql(f"CALL ducklake_reset_catalog('shop', at => {then}); CALL ducklake_merge_catalog('shop', 'mine')")
        session.sql("TRUNCATE t; REFRESH FORK mine; CALL ducklake_drop_catalog('shop', 'mine')")
    shop.reset_to(then)
    assert rows(shop.session(), "FROM t") == [(1,)]


def test_a_session_takes_away_the_tags_that_it_set_and_those_of_its_forks(lake: Lake) -> None:
    shop = lake.catalog("shop")
    shop.tag("kept")
    with confined(shop) as session:
        session.sql("CALL ducklake_tag('shop', 'mine'); CALL ducklake_untag('shop', 'MINE')")
        refuse(session, "CALL ducklake_untag('shop', 'kept')", match="only those that it set")
        session.sql("CALL ducklake_fork_catalog('shop', 'trial'); ATTACH 'ducklake:' (CATALOG 'trial')")
        session.sql("INSERT INTO trial.t VALUES (1)")
        refuse(session, "CALL ducklake_tag('trial', 'kept')", AlreadyExistsError, "has the tag")
        lake.catalog("trial").tag("by others")
        session.sql("CALL ducklake_untag('trial', 'by others')")
        session.sql("CALL ducklake_set_option('trial', 'target_file_size', '1MB')")
        refuse(session, "CALL ducklake_set_option('trial', 'expire_older_than', '1 second')", match="may_maintain")
    assert [tag.name for tag in shop.tags()] == ["kept"]


def test_a_catalog_that_was_given_to_read_is_not_refreshed(lake: Lake) -> None:
    shop = lake.catalog("shop")
    fork = shop.fork("fork")
    shop.sql("INSERT INTO t VALUES (2)")
    head = fork.head
    with lake.connect(confined=True) as session:
        session.sql("ATTACH 'ducklake:' AS shop (CATALOG 'shop'); ATTACH 'ducklake:' AS f (CATALOG 'fork', READ_ONLY)")
        session.sql("SET lock_configuration = true; USE shop")
        for text in (
            "CALL ducklake_refresh_catalog('shop', 'f')",
            "CALL ducklake_refresh_catalog('shop', 'fork')",
            "REFRESH FORK f",
        ):
            refuse(session, text, InvalidInputError, "read-only")
    with lake.connect("shop") as session:
        session.sql("ATTACH 'ducklake:' AS f (CATALOG 'fork', READ_ONLY)")
        refuse(session, "CALL ducklake_refresh_catalog('shop', 'f')", InvalidInputError, "read-only")
    assert fork.head == head


def test_few_rows_of_a_statement_are_kept_in_the_metadata_whatever_an_option_says(lake: Lake) -> None:
    shop = lake.catalog("shop")
    for catalog in (shop, shop.fork("free")):
        catalog.options.set("data_inlining_row_limit", 10**9)
    with confined(shop) as session:
        session.sql("CALL ducklake_fork_catalog('shop', 'mine'); ATTACH 'ducklake:' AS mine (CATALOG 'mine'); USE mine")
        session.sql("CALL ducklake_set_option('mine', 'data_inlining_row_limit', 1000000000)")
        session.sql("INSERT INTO t SELECT range FROM range(10000)")
        assert len(lake.catalog("mine").table("t").storage.files()) == 1, "that of the first row"
        session.sql("INSERT INTO t SELECT range FROM range(10001)")
        assert len(lake.catalog("mine").table("t").storage.files()) == 2
    lake.catalog("free").sql("INSERT INTO t SELECT range FROM range(10001)")
    assert len(lake.catalog("free").table("t").storage.files()) == 1, "others do as the option says"


# ---- author and message ----------------------------------------------------------------------------------------------


def test_a_commit_is_signed_by_nobody_but_the_giver(lake: Lake) -> None:
    shop = lake.catalog("shop")
    forged = (
        "CALL ducklake_set_commit_message('shop', 'ceo', 'approved')",
        "CALL shop.set_commit_message('ceo', NULL)",
        "CALL shop.set_commit_message(NULL, 'approved')",
        "CALL shop.set_commit_message(NULL, NULL, extra_info => 'x')",
        "CALL ducklake_fork_catalog('shop', 'x', author => 'ceo')",
        "CREATE FORK x FROM shop (author 'ceo')",
        "CALL ducklake_reset_catalog('shop', at => 1, author => 'ceo')",
        "CALL ducklake_merge_catalog('shop', 'mine', message => 'approved')",
        "CALL ducklake_refresh_catalog('shop', author => 'ceo')",
    )
    for terms in (
        {},
        {"author": "agent 7", "message": "run 7"},
        {"author": "agent 7", "message": "run 7", "may_sign": True},
    ):
        with confined(shop, **terms) as session:
            session.sql(f"CREATE FORK mine{len(terms)} FROM shop")
            for text in forged:
                if "extra_info" in text and "may_sign" in terms:
                    continue
                if "commit_message" in text:
                    session.sql("BEGIN")
                refuse(session, text.replace("'mine'", f"'mine{len(terms)}'"), match="author and message")
                if "commit_message" in text:
                    session.sql("ROLLBACK")
            session.sql("BEGIN; CALL shop.set_commit_message(NULL, NULL); INSERT INTO t VALUES (3); COMMIT")
            last = shop.snapshots()[-1]
            assert (last.author, last.commit_message) == (terms.get("author"), terms.get("message"))


def test_what_is_not_given_can_be_left_to_the_session(lake: Lake) -> None:
    shop = lake.catalog("shop")
    with confined(shop, author="agent 7", may_sign=True) as session:
        session.sql("BEGIN; CALL shop.set_commit_message('agent 7', 'why'); INSERT INTO t VALUES (3); COMMIT")
        session.sql("BEGIN; CALL shop.set_commit_message(NULL, 'more'); INSERT INTO t VALUES (4); COMMIT")
        refuse(session, "BEGIN; CALL shop.set_commit_message('ceo', 'why')", match="author and message")
        session.sql("ROLLBACK")
    assert [(one.author, one.commit_message) for one in shop.snapshots()[-2:]] == [
        ("agent 7", "why"),
        ("agent 7", "more"),
    ]
    with confined(shop, may_sign=True) as session:
        session.sql("BEGIN; CALL shop.set_commit_message('me', 'why'); INSERT INTO t VALUES (5); COMMIT")
    assert shop.snapshots()[-1].author == "me"


COMMITS = (
    "INSERT INTO t VALUES (2)",
    "BEGIN; UPDATE t SET i = 3; DELETE FROM t WHERE i = 4; COMMIT",
    "CREATE TABLE u AS FROM t",
    "CREATE VIEW v AS FROM t; COMMENT ON VIEW v IS 'x'; ALTER TABLE t ADD COLUMN j INTEGER",
    "CREATE OR REPLACE MACRO m(x) AS x",
    "CREATE SCHEMA s; DROP SCHEMA s",
    "MERGE INTO t USING (SELECT 9 AS i) n ON n.i = t.i WHEN NOT MATCHED THEN INSERT VALUES (n.i)",
    "CREATE FORK m FROM shop; ATTACH 'ducklake:' (CATALOG 'm'); INSERT INTO m.t VALUES (3); MERGE FORK m INTO shop",
    "CREATE FORK ours FROM shop; INSERT INTO t VALUES (3); ATTACH 'ducklake:' AS o (CATALOG 'ours'); REFRESH FORK o",
    "CREATE FORK its FROM shop; INSERT INTO t VALUES (3); CALL ducklake_refresh_catalog('shop', 'its')",
    "CALL ducklake_reset_catalog('shop', at => {first})",
    "CALL ducklake_flush_inlined_data('shop')",
    "CALL ducklake_merge_adjacent_files('shop')",
    "CALL ducklake_rewrite_data_files('shop', delete_threshold => 0)",
    "CHECKPOINT",
    "ATTACH 'ducklake:' AS again (CATALOG 'shop'); INSERT INTO again.t VALUES (2)",
    "COPY t TO '{own}/x.parquet'; COPY t FROM '{own}/x.parquet'",
    "COPY t TO '{own}/y.parquet'; CALL ducklake_add_data_files('shop', 't', '{own}/y.parquet')",
)


@pytest.mark.parametrize("text", COMMITS)
@pytest.mark.parametrize("is_locked_later", [False, True])
def test_every_commit_and_fork_carries_what_was_given(lake: Lake, text: str, is_locked_later: bool) -> None:
    shop = lake.catalog("shop")
    shop.options.set("data_inlining_row_limit", 0)
    shop.sql("CREATE TABLE files (i INTEGER); INSERT INTO files VALUES (1), (2); INSERT INTO files VALUES (3)")
    shop.sql("CREATE TABLE cut (i INTEGER); INSERT INTO cut VALUES (1), (2); DELETE FROM cut WHERE i = 1")
    shop.options.set("data_inlining_row_limit", 10)
    shop.sql("INSERT INTO t VALUES (6)")
    before = {one.snapshot_id for one in lake.snapshots()}
    terms = Confinement(author="agent 7", message="run 7", may_maintain=True)
    session = lake.connect(confined=terms) if is_locked_later else shop.session(confined=terms)
    with session:
        if is_locked_later:
            session.sql("ATTACH 'ducklake:' (CATALOG 'shop'); USE shop; SET lock_configuration = true")
        own = str(shop.inspect.info.data_path).rstrip("/")
        session.sql(text.format(first=min(one.snapshot_id for one in shop.snapshots()), own=own))
    made = [one for one in lake.snapshots() if one.snapshot_id not in before]
    assert made
    assert {one.author for one in made} == {"agent 7"}
    told = {one.commit_message for one in made}
    assert told - {"run 7"} == {one for one in told if one and one.startswith("Fork of ")}


def test_a_catalog_that_wants_messages_has_those_of_the_giver(lake: Lake) -> None:
    shop = lake.catalog("shop")
    shop.options.set("require_commit_message", True)
    with confined(shop) as session:
        refuse(session, "INSERT INTO t VALUES (2)", InvalidInputError, r"Confinement\(message=")
    with confined(shop, message="run 7") as session:
        session.sql("INSERT INTO t VALUES (2)")


# ---- forks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prefix", ["run-7", "Run-7"])
def test_a_prefix_that_ends_in_a_letter_or_digit_does_not_go_on_with_one(lake: Lake, prefix: str) -> None:
    with confined(lake.catalog("shop"), fork_prefix=prefix) as session:
        for name in ("run-7", "RUN-7-a", "run-7_a", "run-7.a", "run-7/a", "run-7-"):
            session.sql(f'CREATE FORK "{name}" FROM shop')
        for name in ("run-71", "run-7a", "run-7 a", "run-7é", "run-7:a", "run-", "xrun-7", ""):
            refuse(session, f"CALL ducklake_fork_catalog('shop', '{name}')", match='go on from it with "-"')
        refuse(session, "CALL ducklake_rename_catalog('shop', 'run-7-a', 'run-71')", match="names of forks")


def test_another_prefix_is_taken_as_it_is(lake: Lake) -> None:
    with confined(lake.catalog("shop"), fork_prefix="run-") as session:
        session.sql('CREATE FORK "run-71" FROM shop; CREATE FORK "RUN-é" FROM shop')
        refuse(session, "CREATE FORK running FROM shop", match='begin with "run-"')


def test_a_session_has_no_more_forks_than_it_may(lake: Lake) -> None:
    with confined(lake.catalog("shop"), max_forks=2) as session, session.cursor() as cursor:
        session.sql("CREATE FORK a FROM shop")
        cursor.sql("CREATE FORK b FROM a")
        for one in (session, cursor):
            with pytest.raises(LimitError, match="2 live forks") as error:
                one.sql("CREATE FORK c FROM shop")
            assert error.value.limit == "forks"
        session.sql("CALL ducklake_fork_catalog('shop', 'a', if_not_exists => true)")
        session.sql("CALL ducklake_drop_catalog('shop', 'a'); CREATE FORK c FROM shop")
        refuse(session, "CALL ducklake_undrop_catalog('shop', 'a')", LimitError)
        session.sql("CALL ducklake_drop_catalog('shop', 'c'); CALL ducklake_undrop_catalog('shop', 'a')")
        assert lake.catalog("a").inspect.is_live


def test_sessions_that_are_opened_again_and_again_share_the_forks_of_a_prefix(lake: Lake) -> None:
    work = lake.catalog("shop").fork("run-7")
    lake.catalog("shop").fork("run-71")
    for place in range(2):
        with confined(work, max_forks=2, fork_prefix="run-7") as session:
            session.sql(f'CREATE FORK "run-7-{place}" FROM "run-7"')
    with confined(work, max_forks=2, fork_prefix="run-7") as session:
        refuse(session, 'CREATE FORK "run-7-2" FROM "run-7"', LimitError, "names with")
    with confined(work, max_forks=0, fork_prefix="run-8") as session:
        refuse(session, 'CREATE FORK "run-8" FROM "run-7"', LimitError)
    with confined(work, max_forks=None, fork_prefix="run-7") as session:
        session.sql('CREATE FORK "run-7-2" FROM "run-7"')


def test_a_fork_ends_with_its_parent_at_the_latest(lake: Lake) -> None:
    work = lake.catalog("shop").fork("work", ttl="2h", renew_by_commits="30 min", purge_after="1 day")
    end = work.inspect.lifetime
    assert end is not None
    with confined(work) as session:
        session.sql("CREATE FORK a FROM work; CREATE FORK b FROM a; CREATE FORK c FROM work (ttl '1h')")
        for name in ("a", "b"):
            found = lake.catalog(name).inspect.lifetime
            assert found is not None
            assert (found.expires_at, found.renew_seconds, found.purge_after_seconds) == (end.expires_at, None, 86400)
        shorter = lake.catalog("c").inspect.lifetime
        assert shorter is not None
        assert shorter.expires_at < end.expires_at
        for text in (
            "CREATE FORK d FROM work (ttl '3h')",
            "CREATE FORK d FROM c (ttl '90 min')",
            "CREATE FORK d FROM work (ttl '1h', renew_by_commits '1h')",
            "CREATE FORK d FROM work (renew_by_commits '1h')",
            "CALL ducklake_fork_catalog('work', 'd', ttl => TIMESTAMPTZ '2999-01-01')",
            "CALL ducklake_renew('work', 'c', NULL)",
            "CALL ducklake_renew('work', 'c', '3h')",
            "CALL ducklake_renew('work', 'c', '1h', renew_by_commits => '1h')",
        ):
            refuse(session, text, match="ends with its parent")
        session.sql("CALL ducklake_renew('work', 'c', '90 min')")
        session.sql("CALL ducklake_drop_catalog('work', 'c')")
        refuse(session, "CALL ducklake_undrop_catalog('work', 'c', ttl => '3h')", match="ends with its parent")
        session.sql("CALL ducklake_undrop_catalog('work', 'c', ttl => '1h')")


def test_a_fork_that_lapsed_comes_back_for_as_long_as_its_parent_lives(tmp_path: Path) -> None:
    moment = [datetime(2026, 1, 1, tzinfo=UTC)]
    settings = Settings(engine="local", clock=forklake.Clock(now=lambda: moment[0]))
    with forklake.open(str(tmp_path / "lake.db"), settings=settings) as lake:
        work = lake.create_catalog("work", ttl="3h")
        end = moment[0] + timedelta(hours=3)
        with confined(work, max_seconds=None) as session:
            session.sql("CREATE FORK a FROM work (ttl '1h'); CREATE FORK b FROM work (ttl '1h')")
            moment[0] += timedelta(hours=2)
            assert [each.name for each in lake.reap().dropped] == ["a", "b"]
            session.sql("CALL ducklake_undrop_catalog('work', 'a')")
            found = lake.catalog("a").inspect.lifetime
            assert found is not None
            assert found.expires_at == end
            moment[0] += timedelta(hours=2)
            refuse(session, "CALL ducklake_undrop_catalog('work', 'b')", match="ends with its parent")
            refuse(session, "CALL ducklake_renew('work', 'a', '1h')", match="ends with its parent")
            refuse(session, "CREATE FORK c FROM work", CatalogLapsedError)


def test_forks_of_what_lives_for_ever_may_do_so(lake: Lake) -> None:
    with confined(lake.catalog("shop")) as session:
        session.sql("CREATE FORK a FROM shop; CREATE FORK b FROM shop (ttl '1h', renew_by_commits '1h')")
        assert lake.catalog("a").inspect.lifetime is None
        session.sql("CALL ducklake_renew('shop', 'b', NULL)")
        assert lake.catalog("b").inspect.lifetime is None


def test_forks_end_in_the_name_of_the_giver(lake: Lake, caplog: pytest.LogCaptureFixture) -> None:
    shop = lake.catalog("shop")
    session = shop.session(confined=Confinement(author="agent 7", message="run 7", fork_prefix="run-7-"))
    session.sql('CREATE FORK "run-7-a" FROM shop')
    for said in ("author => 'ceo'", "message => 'approved by the CFO'"):
        with pytest.raises(PermissionDeniedError, match="not for its SQL to name"):
            session.sql(f"CALL ducklake_drop_catalog('shop', 'run-7-a', {said})")
        with pytest.raises(PermissionDeniedError, match="not for its SQL to name"):
            session.sql(f"CALL ducklake_rename_catalog('shop', 'run-7-a', 'run-7-b', {said})")
    with caplog.at_level(logging.INFO, "forklake.catalog"):
        session.sql("CALL ducklake_rename_catalog('shop', 'run-7-a', 'run-7-b')")
        session.sql("CALL ducklake_drop_catalog('shop', 'run-7-b')")
        session.sql("CALL ducklake_undrop_catalog('shop', 'run-7-b')")
        session.sql("CALL ducklake_drop_catalog('shop', 'run-7-b', author => 'agent 7')")
    assert [(one.author, one.message) for one in lake.dropped_catalogs(prefix="run-7")] == [("agent 7", "run 7")]
    assert len(caplog.messages) == 4
    assert all(text.endswith("by 'agent 7': 'run 7'") for text in caplog.messages)


def test_rows_of_several_catalogs_start_no_spark_where_there_is_to_be_none(lake: Lake) -> None:
    lake.catalog("shop").fork("fork")
    with lake.connect(["shop", "fork"], confined=True) as session:
        for text in ("FROM ducklake_across('shop', 't')", "CREATE TABLE u AS FROM ducklake_across('shop', 't')"):
            refuse(session, text, EngineError, "needs Spark")


@pytest.mark.parametrize("name", ["temp", "Memory", "system", "information_schema", "pg_catalog"])
def test_no_schema_takes_the_place_of_what_sessions_call_their_own(lake: Lake, name: str) -> None:
    with (
        lake.connect(["shop"], confined=True) as session,
        pytest.raises(PermissionDeniedError, match="was not created"),
    ):
        session.sql(f'CREATE SCHEMA "{name}"')
    with lake.connect(["shop"]) as session:
        session.sql("CREATE TEMP TABLE q AS SELECT 1 AS i; INSERT INTO temp.q VALUES (2)")
        assert rows(session, "SELECT count(*) FROM q") == [(2,)]
