"""Tags, lifetimes, quotas and many drops in SQL."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from forklake import Connection
from forklake.errors import (
    AlreadyExistsError,
    CatalogLapsedError,
    InvalidInputError,
    InvalidNameError,
    NotFoundError,
    QuotaError,
    SnapshotNotFoundError,
)
from forklake.lake.internals import runtime_of

pytestmark = pytest.mark.parametrize("store", ["file", "postgres"], indirect=True)


def rows(session: Connection, text: str) -> list[Any]:
    found = session.sql(text)
    assert found is not None
    return found.fetchall()


@pytest.fixture
def shop(session: Connection) -> Connection:
    session.sql("CREATE TABLE orders (id INTEGER)")
    session.sql("INSERT INTO orders VALUES (1), (2), (3)")
    return session


def pass_by(session: Connection) -> None:
    """Let all lifetimes end."""
    attached = session._state.attachments.find("lake")
    assert attached is not None
    with runtime_of(attached.lake).store.writing() as writing:
        writing.execute(
            "UPDATE forklake.ducklake_lifetime SET expires_at = :time", time=writing.now() - timedelta(seconds=1)
        )


def test_a_tag_names_a_version(shop: Connection) -> None:
    ((full,),) = rows(shop, "SELECT ducklake_current_snapshot('lake')")
    named = "SELECT tag_name, snapshot_id, message FROM ducklake_tag('lake', 'v1', message => 'the first')"
    assert rows(shop, named) == [("v1", full, "the first")]
    shop.sql("DELETE FROM orders WHERE id < 3")
    count = "SELECT count(*) FROM orders"
    assert rows(shop, f"{count} AT (TAG => 'v1')") == [(3,)]
    assert rows(shop, f"{count} AT (TAG => 'V1')") == [(3,)]
    assert rows(shop, f"{count} AT (TAG := 'v' || '1')") == [(3,)]
    assert rows(shop, count) == [(1,)]
    shop.sql("ATTACH 'ducklake:' AS past (CATALOG 'shop', TAG 'v1')")
    assert rows(shop, "SELECT count(*) FROM past.orders") == [(3,)]
    with pytest.raises(InvalidInputError, match="read-only"):
        shop.sql("DELETE FROM past.orders")
    shop.sql("CALL ducklake_fork_catalog('lake', 'agent', at => 'v1')")
    shop.sql("ATTACH 'ducklake:' AS agent (CATALOG 'agent')")
    assert rows(shop, "SELECT count(*) FROM agent.orders AT (TAG => 'v1')") == [(3,)]
    assert rows(shop, "SELECT count(*) FROM ducklake_table_changes('lake', 'main', 'orders', 'v1', 'v1')") == [(3,)]
    assert len(rows(shop, "FROM ducklake_list_files('lake', 'orders', tag => 'v1')")) >= 0
    shop.sql("CALL lake.tag('v2', keep_until => INTERVAL 30 days)")
    assert [row[0] for row in rows(shop, "SELECT tag_name FROM lake.tags() ORDER BY ALL")] == ["v1", "v2"]
    shop.sql("CALL ducklake_expire_snapshots('lake', older_than => now() + INTERVAL 1 day)")
    assert rows(shop, f"{count} AT (TAG => 'v1')") == [(3,)]
    expired = "SELECT snapshot_id FROM ducklake_expire_snapshots('lake', versions => [{}], release => true)"
    assert rows(shop, expired.format(full)) == [(full,)]
    shop.sql("CALL ducklake_untag('lake', 'v2')")
    assert rows(shop, "FROM ducklake_tags('lake')") == []


def test_what_cannot_be_tagged_is_refused(shop: Connection) -> None:
    shop.sql("CALL ducklake_tag('lake', 'v1')")
    for statement, error, words in (
        ("CALL ducklake_tag('lake', '17')", InvalidNameError, "reads as a number"),
        ("CALL ducklake_tag('lake', 'V1')", AlreadyExistsError, 'tag "V1" already'),
        ("CALL ducklake_untag('lake', 'v2')", NotFoundError, 'has the tag "v2"'),
        ("FROM orders AT (TAG => 'v2')", SnapshotNotFoundError, 'No snapshot found at tag "v2"'),
        ("FROM orders AT (TAG => 3)", InvalidInputError, "A tag is the name of a snapshot"),
        ("ATTACH 'ducklake:' AS p (CATALOG 'shop', TAG 'v2')", SnapshotNotFoundError, 'at tag "v2"'),
        ("ATTACH 'ducklake:' AS p (CATALOG 'shop', TAG 'v1', SNAPSHOT_VERSION 1)", InvalidInputError, "or a TAG"),
        ("CALL ducklake_fork_catalog('lake', 'x', at => 'v2')", InvalidInputError, "no such tag"),
        ("FROM ducklake_catalogs('lake', at => 'v1')", InvalidInputError, "one of a catalog's"),
    ):
        with pytest.raises(error, match=words):
            shop.sql(statement)


def test_a_fork_lapses_and_is_renewed_and_reaped(shop: Connection) -> None:
    terms = "ttl => INTERVAL 2 hours, author => 'ann', labels => MAP {'team': 'web'}"
    shop.sql(f"CALL ducklake_fork_catalog('lake', 'agent', {terms})")
    shop.sql("CALL ducklake_fork_catalog('lake', 'other', ttl => '2h', purge_after => '1 second')")
    shop.sql("ATTACH 'ducklake:' AS agent (CATALOG 'agent')")
    assert rows(shop, "SELECT author FROM ducklake_snapshots('agent') ORDER BY snapshot_id DESC LIMIT 1") == [("ann",)]
    pass_by(shop)
    with pytest.raises(CatalogLapsedError, match='"agent" is past its lifetime'):
        shop.sql("INSERT INTO agent.orders VALUES (4)")
    with pytest.raises(CatalogLapsedError, match=r"past its lifetime, .* only be attached read-only"):
        shop.sql("ATTACH 'ducklake:' AS again (CATALOG 'agent')")
    assert rows(shop, "SELECT count(*) FROM agent.orders") == [(3,)]
    shop.sql("ATTACH 'ducklake:' AS again (CATALOG 'agent', READ_ONLY)")
    shop.sql("CALL ducklake_renew('agent', '2h')")
    shop.sql("INSERT INTO agent.orders VALUES (4)")
    shop.sql("CALL ducklake_renew('lake', 'agent', NULL)")
    reap = "SELECT catalog_name, action FROM ducklake_reap('lake', dry_run => true)"
    assert rows(shop, reap) == [("other", "dropped")]
    shop.sql("CALL ducklake_reap('lake')")
    assert rows(shop, reap) == []
    shop.sql("CALL ducklake_undrop_catalog('lake', 'other', ttl => '1h')")
    assert rows(shop, "SELECT catalog_name FROM ducklake_catalogs('lake') ORDER BY ALL") == [
        ("agent",),
        ("other",),
        ("shop",),
    ]


def test_quotas_and_many_drops(shop: Connection) -> None:
    assert rows(shop, "SELECT max_forks, used_forks FROM ducklake_set_quota('lake', max_forks => 2)") == [(2, 0)]
    shop.sql("CALL ducklake_fork_catalog('lake', 'try-1'); CALL ducklake_fork_catalog('lake', 'try-2')")
    with pytest.raises(QuotaError, match="max_forks is 2"):
        shop.sql("CALL ducklake_fork_catalog('lake', 'try-3')")
    shop.sql("CALL ducklake_set_quota('lake', name => 'try-1', max_files => 7, subtree => true)")
    assert rows(shop, "SELECT catalog_name, max_files, subtree FROM lake.quota(name => 'try-1')") == [
        ("try-1", 7, True)
    ]
    chosen = "SELECT catalog_name, dropped FROM ducklake_drop_catalogs('lake', {})"
    wanted = "parent => 'shop', prefix => 'try-', keep => ['try-2']"
    assert rows(shop, chosen.format(f"{wanted}, dry_run => true")) == [("try-1", True)]
    assert rows(shop, chosen.format(wanted)) == [("try-1", True)]
    assert rows(shop, chosen.format("prefix => 'try-', idle => INTERVAL 1 day")) == []
    with pytest.raises(InvalidInputError, match="Say which catalogs to drop"):
        shop.sql("CALL ducklake_drop_catalogs('lake')")
