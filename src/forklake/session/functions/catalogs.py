"""Functions about the catalogs of a lake: listing, making, forking, renaming and dropping them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from forklake.errors import InvalidInputError, NotFoundError
from forklake.lake import Catalog
from forklake.model.names import fold
from forklake.session.attachment import Attachment
from forklake.session.functions.arguments import BOOLEAN, MOMENT, VARCHAR, Signature
from forklake.session.functions.function import Call, CatalogFunction
from forklake.session.rows import Rows, column

_CATALOGS: Final = (
    column("catalog_id", "int64"),
    column("catalog_name", "varchar"),
    column("catalog_uuid", "uuid"),
    column("parent_catalog_id", "int64"),
    column("parent_snapshot_id", "int64"),
    column("snapshot_id", "int64"),
    column("begin_time", "timestamptz"),
    column("data_path", "varchar"),
)
_CATALOG: Final = (column("catalog_id", "int64"), column("catalog_name", "varchar"))
_MADE: Final = (*_CATALOG, column("created", "boolean"))


def _catalogs(call: Call) -> Rows:
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
            )
            for info in call.attachment.lake.catalogs(prefix=call.text("prefix") or "", at=call.arguments.get("at"))
        ],
    )


def _fork_catalog(call: Call) -> Rows:
    _check_settled(call, "forked")
    name = call.required("name", "The name of a catalog")
    made = _parent(call.attachments, call.required("parent", "Catalog")).fork(
        name,
        at=call.arguments.get("at"),
        data_path=call.text("data_path"),
        if_not_exists=bool(call.arguments.get("if_not_exists")),
    )
    return Rows(_MADE, [(made.catalog_id, made.name, made.created)])


def _parent(attachments: Sequence[Attachment], name: str) -> Catalog:
    """Return the catalog to fork; one that is attached at a snapshot is forked there.

    Raises:
        NotFoundError: Nothing is attached under the name, and no attached lake has a catalog of that name.
        InvalidInputError: Several attached lakes have.
    """
    for attachment in attachments:
        if fold(attachment.alias) == fold(name):
            return attachment.catalog
    found = []
    for lake in {id(attachment.lake): attachment.lake for attachment in attachments}.values():
        try:
            found.append(lake.catalog(name))
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
    name, lake = call.required("name", "The name of a catalog"), call.attachment.lake
    made = lake.create_catalog(
        name,
        data_path=call.text("data_path"),
        encrypted=bool(call.arguments.get("encrypted")),
        if_not_exists=bool(call.arguments.get("if_not_exists")),
    )
    return Rows(_MADE, [(made.catalog_id, made.name, made.created)])


def _drop_catalog(call: Call) -> Rows:
    call.check_writable("ducklake_drop_catalog")
    _check_settled(call, "dropped")
    name, lake = call.required("name", "The name of a catalog"), call.attachment.lake
    try:
        gone = lake.catalog(name)
    except NotFoundError:
        if not call.arguments.get("if_exists"):
            raise
        return Rows(_CATALOG, [])
    row = (gone.catalog_id, gone.name)
    gone.drop()
    return Rows(_CATALOG, [row])


def _undrop_catalog(call: Call) -> Rows:
    call.check_writable("ducklake_undrop_catalog")
    which = call.arguments.get("catalog_id")
    if which is None:
        which = call.required("name", "The name of a catalog")
    back = call.attachment.lake.undrop_catalog(which)
    return Rows(_CATALOG, [(back.catalog_id, back.name)])


def _rename_catalog(call: Call) -> Rows:
    call.check_writable("ducklake_rename_catalog")
    lake = call.attachment.lake
    name, new_name = (call.required(key, "The name of a catalog") for key in ("name", "new_name"))
    renamed = lake.catalog(name)
    renamed.rename(new_name)
    return Rows(_CATALOG, [(renamed.catalog_id, renamed.name)])


def _check_settled(call: Call, deed: str) -> None:
    if any(attachment.has_changes for attachment in call.attachments):
        raise InvalidInputError(
            f"A catalog cannot be {deed} in a transaction that has changes; nothing was done.",
            hint="Say COMMIT or ROLLBACK first.",
        )


FUNCTIONS: Final = (
    CatalogFunction("catalogs", (Signature(named={"prefix": VARCHAR, "at": MOMENT}),), _catalogs),
    CatalogFunction(
        "fork_catalog",
        (
            Signature(
                {"parent": VARCHAR, "name": VARCHAR},
                {"data_path": VARCHAR},
                {"if_not_exists": BOOLEAN, "at": MOMENT},
            ),
        ),
        _fork_catalog,
        is_bound=False,
        acts=_MADE,
        scalar="catalog_id",
    ),
    CatalogFunction(
        "create_catalog",
        (Signature({"name": VARCHAR}, {"data_path": VARCHAR}, {"if_not_exists": BOOLEAN, "encrypted": BOOLEAN}),),
        _create_catalog,
        acts=_MADE,
        scalar="catalog_id",
    ),
    CatalogFunction(
        "drop_catalog",
        (Signature({"name": VARCHAR}, named={"if_exists": BOOLEAN}),),
        _drop_catalog,
        acts=_CATALOG,
        scalar="catalog_id",
    ),
    CatalogFunction(
        "undrop_catalog",
        (Signature({"name": VARCHAR}), Signature({"catalog_id": "BIGINT"})),
        _undrop_catalog,
        acts=_CATALOG,
        scalar="catalog_id",
    ),
    CatalogFunction(
        "rename_catalog",
        (Signature({"name": VARCHAR, "new_name": VARCHAR}),),
        _rename_catalog,
        acts=_CATALOG,
        scalar="catalog_id",
    ),
)
