"""Catalog functions about the lives of catalogs: tags, lifetimes, quotas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from forklake.lake import Catalog
from forklake.lake.internals import is_past
from forklake.model import types
from forklake.model.lives import Tag
from forklake.session.functions.arguments import ANY, BIGINT, BOOLEAN, MOMENT, SIGNED, TEXTS, VARCHAR, Signature
from forklake.session.functions.function import Call, CatalogFunction
from forklake.session.names.known_rows import Rows, column
from forklake.session.safety.own_forks import denial

_TAGS: Final = (
    column("tag_name", types.VARCHAR),
    column("snapshot_id", types.INT64),
    column("catalog_id", types.INT64),
    column("created_at", types.TIMESTAMPTZ),
    column("keep_until", types.TIMESTAMPTZ),
    column("message", types.VARCHAR),
)
_CATALOG: Final = (column("catalog_id", types.INT64), column("catalog_name", types.VARCHAR))
_LIFETIME: Final = (
    *_CATALOG,
    column("expires_at", types.TIMESTAMPTZ),
    column("renew_seconds", types.INT64),
    column("purge_after_seconds", types.INT64),
)
_REAPED: Final = (*_CATALOG, column("action", types.VARCHAR))
_DROPPED: Final = (*_CATALOG, column("dropped", types.BOOLEAN), column("reason", types.VARCHAR))
_QUOTA: Final = (
    *_CATALOG,
    *(
        column(name, types.INT64)
        for counted in ("bytes", "files", "forks", "depth")
        for name in (f"max_{counted}", f"used_{counted}")
    ),
    column("subtree", types.BOOLEAN),
)

TERMS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("ttl", "renew_by_commits", "purge_after"), ANY),
    "author": VARCHAR,
    "labels": ANY,
}
"""What a new catalog may be given, by name."""


def terms(call: Call) -> dict[str, Any]:
    """Return what a new catalog is given beside its content."""
    return {name: call.arguments.get(name) for name in TERMS}


def _tag_row(tag: Tag) -> tuple[Any, ...]:
    return tag.name, tag.snapshot_id, tag.catalog_id, tag.created_at, tag.keep_until, tag.message


def _tag(call: Call) -> Rows:
    call.check_writable("ducklake_tag")
    call.check_no_changes("A snapshot", "tagged")
    catalog, name = call.attachment.catalog, call.required_text("name", "The name of a tag")
    call.policy.lasting.check_tag(catalog, name)
    made = catalog.tag(
        name,
        at=call.arguments.get("at"),
        keep_until=call.arguments.get("keep_until"),
        message=call.text("message"),
    )
    call.policy.lasting.note_tag(call.attachment.lake, catalog.catalog_id, name)
    return Rows(_TAGS, [_tag_row(made)])


def _untag(call: Call) -> Rows:
    call.check_writable("ducklake_untag")
    catalog, name = call.attachment.catalog, call.required_text("name", "The name of a tag")
    call.policy.lasting.check_untag(call.attachment.lake, catalog.catalog_id, name)
    catalog.untag(name)
    return Rows(_TAGS[:1], [(name,)])


def _tags(call: Call) -> Rows:
    return Rows(_TAGS, [_tag_row(tag) for tag in call.attachment.catalog.tags()])


def _chosen_catalog(call: Call) -> Catalog:
    """Return the catalog that the call names, or else the one that is attached."""
    name = call.text("name")
    return call.attachment.catalog if name is None else call.policy.catalog(call.attachment.lake, name)


def _renew(call: Call) -> Rows:
    call.check_writable("ducklake_renew")
    found = _chosen_catalog(call)
    call.policy.forks.check_own(call.attachment.lake, found.catalog_id, "renewed")
    given = {key: call.arguments.get(key) for key in ("ttl", "renew_by_commits", "purge_after")}
    lifetime = found.renew(**call.policy.forks.renewal(found, given))
    end = (lifetime.expires_at, lifetime.renew_seconds, lifetime.purge_after_seconds) if lifetime else (None,) * 3
    return Rows(_LIFETIME, [(found.catalog_id, found.name, *end)])


def _reap(call: Call) -> Rows:
    call.check_writable("ducklake_reap")
    call.check_no_changes("Catalogs", "reaped")
    done = call.attachment.lake.reap(limit=call.arguments.get("limit"), dry_run=bool(call.arguments.get("dry_run")))
    rows = [(each.catalog_id, each.name, "dropped") for each in done.dropped]
    return Rows(_REAPED, rows + [(each.catalog_id, each.name, "purged") for each in done.purged])


def _drop_catalogs(call: Call) -> Rows:
    call.check_writable("ducklake_drop_catalogs")
    call.check_no_changes("Catalogs", "dropped")
    done = call.attachment.lake.drop_catalogs(
        parent=call.text("parent"),
        prefix=call.text("prefix") or "",
        older_than=call.arguments.get("older_than"),
        idle=call.arguments.get("idle"),
        keep=call.arguments.get("keep") or (),
        dry_run=bool(call.arguments.get("dry_run")),
        **call.signature(),
    )
    rows: list[tuple[Any, ...]] = [(each.catalog_id, each.name, True, None) for each in done.dropped]
    return Rows(_DROPPED, rows + [(each.catalog_id, each.name, False, each.reason) for each in done.left])


_LIMITS: Final = ("max_bytes", "max_files", "max_forks", "max_depth")


def _set_quota(call: Call) -> Rows:
    call.check_writable("ducklake_set_quota")
    limits = {name: call.arguments.get(name) for name in _LIMITS}
    _chosen_catalog(call).set_quota(**limits, subtree=bool(call.arguments.get("subtree")), **call.signature())
    return _quota(call)


def _quota(call: Call) -> Rows:
    catalog = _chosen_catalog(call)
    if call.policy.is_confined and is_past(catalog):
        raise denial("What a catalog holds now is not shown by one that was given at a snapshot")
    found = catalog.quota()
    quota, used = found.quota, found.used
    limits = (quota.max_bytes, quota.max_files, quota.max_forks, quota.max_depth)
    counts = (used.byte_count, used.file_count, used.fork_count, used.depth)
    pairs = (value for pair in zip(limits, counts, strict=True) for value in pair)
    return Rows(_QUOTA, [(catalog.catalog_id, catalog.name, *pairs, quota.subtree)])


FUNCTIONS: Final = (
    CatalogFunction(
        "tag",
        (Signature({"name": VARCHAR}, named={"at": MOMENT, "keep_until": ANY, "message": VARCHAR}),),
        _tag,
        acts=_TAGS,
    ),
    CatalogFunction("untag", (Signature({"name": VARCHAR}),), _untag, acts=_TAGS[:1]),
    CatalogFunction("tags", (Signature(),), _tags),
    CatalogFunction(
        "renew",
        tuple(
            Signature(given, named={"renew_by_commits": ANY, "purge_after": ANY})
            for given in ({"ttl": ANY}, {"name": VARCHAR, "ttl": ANY})
        ),
        _renew,
        acts=_LIFETIME,
    ),
    CatalogFunction("reap", (Signature(named={"limit": BIGINT, "dry_run": BOOLEAN}),), _reap, acts=_REAPED),
    CatalogFunction(
        "drop_catalogs",
        (
            Signature(
                named={
                    "parent": VARCHAR,
                    "prefix": VARCHAR,
                    "older_than": ANY,
                    "idle": ANY,
                    "keep": TEXTS,
                    "dry_run": BOOLEAN,
                    **SIGNED,
                }
            ),
        ),
        _drop_catalogs,
        acts=_DROPPED,
    ),
    CatalogFunction(
        "set_quota",
        (Signature(named={"name": VARCHAR, **dict.fromkeys(_LIMITS, BIGINT), "subtree": BOOLEAN, **SIGNED}),),
        _set_quota,
        acts=_QUOTA,
    ),
    CatalogFunction("quota", (Signature(named={"name": VARCHAR}),), _quota),
)
