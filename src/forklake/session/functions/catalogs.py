"""Catalog functions about the catalogs of a lake.

They list, create, fork, rename, drop, purge, sever, export and import catalogs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from forklake.errors import InvalidInputError, NotFoundError, PermissionDeniedError
from forklake.lake import Catalog, Lake
from forklake.lake.internals import is_past, runtime_of
from forklake.model import types
from forklake.model.names import fold
from forklake.model.overview import ForkNode
from forklake.model.records import CatalogInfo
from forklake.model.types.shapes import list_of
from forklake.ops.catalogs import lifecycle
from forklake.ops.catalogs.catalog_terms import read_info, read_labels
from forklake.ops.catalogs.purge_catalogs import purge, purge_catalogs
from forklake.session.functions.arguments import ANY, BIGINT, BOOLEAN, MOMENT, SIGNED, VARCHAR, Signature
from forklake.session.functions.function import Call, CatalogFunction
from forklake.session.functions.lives import TERMS, terms
from forklake.session.names.known_rows import Rows, column

_CATALOGS: Final = (
    column("catalog_id", types.INT64),
    column("catalog_name", types.VARCHAR),
    column("catalog_uuid", types.UUID),
    column("parent_catalog_id", types.INT64),
    column("parent_snapshot_id", types.INT64),
    column("snapshot_id", types.INT64),
    column("begin_time", types.TIMESTAMPTZ),
    column("data_path", types.VARCHAR),
    column("begin_snapshot", types.INT64),
    column("end_snapshot", types.INT64),
)
_CATALOG: Final = (column("catalog_id", types.INT64), column("catalog_name", types.VARCHAR))
_PURGED: Final = (
    *_CATALOG,
    column("file_count", types.INT64),
    column("byte_count", types.INT64),
    column("held_by", list_of(types.VARCHAR)),
)
_MADE: Final = (*_CATALOG, column("created", types.BOOLEAN))
_EXPORTED: Final = (
    column("path", types.VARCHAR),
    column("product", types.VARCHAR),
    column("snapshot_id", types.INT64),
    column("table_count", types.INT64),
    column("file_count", types.INT64),
)
_FORK_TREE: Final = (
    column("level", types.INT64),
    *_CATALOG,
    column("parent_catalog_id", types.INT64),
    column("parent_snapshot_id", types.INT64),
    column("kind", types.VARCHAR),
    column("is_live", types.BOOLEAN),
    column("snapshot_id", types.INT64),
    column("created_at", types.TIMESTAMPTZ),
    column("own_file_count", types.INT64),
    column("own_byte_count", types.INT64),
    column("fork_count", types.INT64),
    column("expires_at", types.TIMESTAMPTZ),
    column("ahead", types.INT64),
    column("behind", types.INT64),
)
_LAKE_STATS: Final = tuple(
    column(name, types.INT64)
    for name in (
        "catalog_count",
        "root_count",
        "fork_count",
        "dropped_count",
        "purged_count",
        "snapshot_count",
        "byte_count",
        "file_count",
        "file_byte_count",
        "live_byte_count",
        "shared_byte_count",
        "freed_byte_count",
    )
)


def _catalogs(call: Call) -> Rows:
    found = _listed_catalogs(call)
    return Rows(
        _CATALOGS,
        [
            (
                info.catalog_id,
                info.name,
                UUID(info.uuid),
                info.parent_id,
                info.parent_snapshot_id,
                info.snapshot_id,
                info.begin_time,
                info.data_path,
                info.since_snapshot,
                info.end_snapshot,
            )
            for info in found
        ],
    )


def _listed_catalogs(call: Call) -> list[CatalogInfo]:
    """Return the catalogs of the lake that the session may see."""
    prefix, at = call.text("prefix") or "", call.arguments.get("at")
    labels = read_labels(call.arguments.get("labels"))
    mine = call.policy.catalogs(call.attachment.lake)
    if mine is None:
        return call.attachment.lake.catalogs(prefix=prefix, at=at, labels=labels)
    if at is not None:
        raise PermissionDeniedError("Permission Error: a confined session lists the catalogs that there are now.")
    found = [_info(one) for one in mine if labels.items() <= one.inspect.labels.items()]
    return sorted((info for info in found if fold(info.name).startswith(fold(prefix))), key=lambda info: info.name)


def _info(catalog: Catalog) -> CatalogInfo:
    """Return what is shown of a catalog that a session was given, maybe at a snapshot."""
    info = catalog.inspect.info
    return replace(info, snapshot_id=catalog.head) if is_past(catalog) else info


def _fork_catalog(call: Call) -> Rows:
    call.check_no_changes("A catalog", "forked")
    name, data_path = call.required_text("name", "The name of a catalog"), call.text("data_path")
    lake, parent = _parent(call, call.required_text("parent", "Catalog"))
    if_not_exists = bool(call.arguments.get("if_not_exists"))
    call.policy.lasting.signature(call.text("author"), None)
    given = call.policy.forks.check_fork(parent, name, data_path, terms(call))
    with call.policy.forks.naming(name), call.policy.forks.making(lake, name if if_not_exists else None):
        made = parent.fork(name, at=call.arguments.get("at"), data_path=data_path, if_not_exists=if_not_exists, **given)
        call.policy.forks.note(lake, made)
    return Rows(_MADE, [(made.catalog_id, made.name, made.created)])


def _parent(call: Call, name: str) -> tuple[Lake, Catalog]:
    """Return the catalog to fork, at the snapshot it is attached at, and its lake.

    Raises:
        NotFoundError: Nothing is attached under the name, and no attached lake has a catalog of that name.
        InvalidInputError: Several attached lakes have one.
    """
    for attachment in call.attachments:
        if fold(attachment.alias) == fold(name):
            return attachment.lake, attachment.catalog
    found = []
    for lake in {id(attachment.lake): attachment.lake for attachment in call.attachments}.values():
        try:
            found.append((lake, call.policy.catalog(lake, name)))
        except NotFoundError:
            continue
    if not found:
        raise NotFoundError(
            f'Catalog "{name}" does not exist: it is neither an alias nor a catalog of an attached lake. Nothing was'
            " forked."
        )
    if len(found) > 1:
        raise InvalidInputError(
            f'Binder Error: Ambiguous reference to catalog "{name}": {len(found)} attached lakes have one. Nothing was'
            " forked.",
            hint="Attach the one that is meant, and name its alias.",
        )
    return found[0]


def _create_catalog(call: Call) -> Rows:
    call.check_writable("ducklake_create_catalog")
    name, lake = call.required_text("name", "The name of a catalog"), call.attachment.lake
    made = lake.create_catalog(
        name,
        data_path=call.text("data_path"),
        encrypted=bool(call.arguments.get("encrypted")),
        if_not_exists=bool(call.arguments.get("if_not_exists")),
        **terms(call),
    )
    return Rows(_MADE, [(made.catalog_id, made.name, made.created)])


def _drop_catalog(call: Call) -> Rows:
    call.check_writable("ducklake_drop_catalog")
    call.check_no_changes("A catalog", "dropped")
    name, lake = call.required_text("name", "The name of a catalog"), call.attachment.lake
    try:
        gone = call.policy.own_catalog(lake, name, "dropped")
    except NotFoundError:
        if not call.arguments.get("if_exists"):
            raise
        return Rows(_CATALOG, [])
    row = (gone.catalog_id, gone.name)
    gone.drop(**call.signature())
    return Rows(_CATALOG, [row])


def _undrop_catalog(call: Call) -> Rows:
    call.check_writable("ducklake_undrop_catalog")
    which = call.arguments.get("catalog_id")
    if which is None:
        which = call.required_text("name", "The name of a catalog")
    lake = call.attachment.lake
    which, ttl = call.policy.forks.own_dropped(lake, which, call.arguments.get("ttl"))
    with call.policy.forks.making(lake):
        back = lake.undrop_catalog(which, ttl=ttl, **call.signature())
    return Rows(_CATALOG, [(back.catalog_id, back.name)])


def _rename_catalog(call: Call) -> Rows:
    call.check_writable("ducklake_rename_catalog")
    lake = call.attachment.lake
    name, new_name = (call.required_text(key, "The name of a catalog") for key in ("name", "new_name"))
    renamed = call.policy.own_catalog(lake, name, "renamed")
    call.policy.forks.check_name(new_name)
    with call.policy.forks.naming(new_name):
        renamed.rename(new_name, **call.signature())
    return Rows(_CATALOG, [(renamed.catalog_id, renamed.name)])


def _purge_catalog(call: Call) -> Rows:
    call.check_writable("ducklake_purge_catalog")
    which = call.arguments.get("catalog_id")
    if which is None:
        which = call.required_text("name", "The name of a catalog")
    found = lifecycle.dropped_catalog(call.store, which)
    done = purge(runtime_of(call.attachment.lake), found, read_info(**call.signature()))
    held_by = [fork.name for fork in done.held_by]
    return Rows(_PURGED, [(found, done.name, done.file_count, done.byte_count, held_by)])


def _purge_catalogs(call: Call) -> Rows:
    call.check_writable("ducklake_purge_catalogs")
    call.check_no_changes("Catalogs", "purged")
    purged = purge_catalogs(
        runtime_of(call.attachment.lake),
        call.required_text("prefix", "What the names of catalogs begin with"),
        drop=bool(call.arguments.get("drop")),
        dry_run=bool(call.arguments.get("dry_run")),
        info=read_info(**call.signature()),
    )
    return Rows(_CATALOG[:1], [(catalog,) for catalog in purged])


def _sever_catalog(call: Call) -> Rows:
    call.check_writable("ducklake_sever_catalog")
    call.check_no_changes("A catalog", "severed")
    severed = call.attachment.lake.catalog(call.required_text("name", "The name of a catalog"))
    severed.maintenance.sever()
    return Rows(_CATALOG, [(severed.catalog_id, severed.name)])


def _export_catalog(call: Call) -> Rows:
    call.check_no_changes("A catalog", "exported")
    path = call.required_text("path", "The path of a database")
    made = call.attachment.catalog.maintenance.export(
        path, at=call.arguments.get("at"), history=bool(call.arguments.get("history"))
    )
    return Rows(_EXPORTED, [(str(made.path), made.product, made.snapshot_id, made.table_count, made.file_count)])


def _import_catalog(call: Call) -> Rows:
    call.check_writable("ducklake_import_catalog")
    call.check_no_changes("A catalog", "imported")
    made = call.attachment.lake.import_catalog(
        call.required_text("name", "The name of a catalog"),
        call.required_text("url", "The URL of a database"),
        data_path=call.text("data_path"),
        source_data_path=call.text("source_data_path"),
        metadata_schema=call.text("metadata_schema"),
    )
    return Rows(_CATALOG, [(made.catalog_id, made.name)])


def _fork_tree(call: Call) -> Rows:
    given = {key: call.arguments[key] for key in ("depth", "width", "limit") if call.arguments.get(key) is not None}
    found = call.attachment.lake.fork_tree(call.text("name"), **given)
    return Rows(_FORK_TREE, [row for root in found.roots for row in _nodes(root, 0)])


def _nodes(node: ForkNode, level: int) -> Iterator[tuple[Any, ...]]:
    yield (
        level,
        node.catalog_id,
        node.name,
        node.parent_id,
        node.parent_snapshot_id,
        node.kind,
        node.is_live,
        node.snapshot_id,
        node.created_at,
        node.own_file_count,
        node.own_byte_count,
        node.fork_count,
        node.expires_at,
        node.ahead,
        node.behind,
    )
    for fork in node.forks:
        yield from _nodes(fork, level + 1)


def _lake_stats(call: Call) -> Rows:
    found = call.attachment.lake.stats()
    return Rows(_LAKE_STATS, [tuple(getattr(found, counted.name) for counted in _LAKE_STATS)])


FUNCTIONS: Final = (
    CatalogFunction("catalogs", (Signature(named={"prefix": VARCHAR, "at": MOMENT, "labels": ANY}),), _catalogs),
    CatalogFunction(
        "fork_catalog",
        (
            Signature(
                {"parent": VARCHAR, "name": VARCHAR},
                {"data_path": VARCHAR},
                {"if_not_exists": BOOLEAN, "at": MOMENT, **TERMS},
            ),
        ),
        _fork_catalog,
        is_bound=False,
        acts=_MADE,
        scalar="catalog_id",
    ),
    CatalogFunction(
        "create_catalog",
        (
            Signature(
                {"name": VARCHAR}, {"data_path": VARCHAR}, {"if_not_exists": BOOLEAN, "encrypted": BOOLEAN, **TERMS}
            ),
        ),
        _create_catalog,
        acts=_MADE,
        scalar="catalog_id",
    ),
    CatalogFunction(
        "drop_catalog",
        (Signature({"name": VARCHAR}, named={"if_exists": BOOLEAN, **SIGNED}),),
        _drop_catalog,
        acts=_CATALOG,
        scalar="catalog_id",
    ),
    CatalogFunction(
        "undrop_catalog",
        tuple(
            Signature({which: kind}, named={"ttl": ANY, **SIGNED})
            for which, kind in (("name", VARCHAR), ("catalog_id", BIGINT))
        ),
        _undrop_catalog,
        acts=_CATALOG,
        scalar="catalog_id",
    ),
    CatalogFunction(
        "rename_catalog",
        (Signature({"name": VARCHAR, "new_name": VARCHAR}, named=SIGNED),),
        _rename_catalog,
        acts=_CATALOG,
        scalar="catalog_id",
    ),
    CatalogFunction(
        "purge_catalog",
        (Signature({"name": VARCHAR}, named=SIGNED), Signature({"catalog_id": BIGINT}, named=SIGNED)),
        _purge_catalog,
        acts=_PURGED,
    ),
    CatalogFunction(
        "purge_catalogs",
        (Signature({"prefix": VARCHAR}, named={"drop": BOOLEAN, "dry_run": BOOLEAN, **SIGNED}),),
        _purge_catalogs,
        acts=_CATALOG[:1],
    ),
    CatalogFunction("sever_catalog", (Signature({"name": VARCHAR}),), _sever_catalog, acts=_CATALOG),
    CatalogFunction(
        "export_catalog",
        (Signature({"path": VARCHAR}, named={"at": MOMENT, "history": BOOLEAN}),),
        _export_catalog,
        acts=_EXPORTED,
    ),
    CatalogFunction(
        "import_catalog",
        (
            Signature(
                {"name": VARCHAR, "url": VARCHAR},
                named=dict.fromkeys(("data_path", "source_data_path", "metadata_schema"), VARCHAR),
            ),
        ),
        _import_catalog,
        acts=_CATALOG,
    ),
    CatalogFunction(
        "fork_tree",
        (Signature(named={"name": VARCHAR, **dict.fromkeys(("depth", "width", "limit"), BIGINT)}),),
        _fork_tree,
    ),
    CatalogFunction("lake_stats", (Signature(),), _lake_stats),
)
