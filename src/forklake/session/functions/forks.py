"""Catalog functions by which forks come back: merge, refresh and reset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from forklake.errors import InvalidInputError
from forklake.lake import Catalog
from forklake.model import types
from forklake.model.fork_merge import MergePlan, Strategy
from forklake.model.names import fold
from forklake.ops.merge_terms import read_strategy_texts
from forklake.session.functions.arguments import ANY, BOOLEAN, MOMENT, VARCHAR, Signature
from forklake.session.functions.function import Call, CatalogFunction
from forklake.session.known_rows import Rows, column

_MERGED: Final = (
    column("snapshot_id", types.INT64),
    column("kind", types.VARCHAR),
    column("what", types.VARCHAR),
    column("schema_name", types.VARCHAR),
    column("table_name", types.VARCHAR),
    column("files_added", types.INT64),
    column("files_removed", types.INT64),
    column("rows_added", types.INT64),
    column("rows_removed", types.INT64),
    column("ours", types.VARCHAR),
    column("theirs", types.VARCHAR),
)
"""A row for each change of the log, each table whose rows change, and each conflict."""


def _merge_catalog(call: Call) -> Rows:
    call.check_writable("ducklake_merge_catalog")
    call.check_no_changes("A catalog", "merged")
    plan = call.attachment.catalog.merge(
        _other(call, call.required_text("source", "The source of a merge")),
        at=call.arguments.get("at"),
        strategy=_strategy(call),
        keys=call.arguments.get("keys"),
        dry_run=bool(call.arguments.get("dry_run")),
    )
    call.attachment.note_commits([plan.snapshot_id])
    return Rows(_MERGED, list(_plan_rows(plan)))


def _refresh_catalog(call: Call) -> Rows:
    call.check_writable("ducklake_refresh_catalog")
    call.check_no_changes("A catalog", "refreshed")
    name = call.text("name")
    catalog = call.attachment.catalog if name is None else _other(call, name)
    plan = catalog.refresh(
        strategy=_strategy(call),
        dry_run=bool(call.arguments.get("dry_run")),
    )
    if name is None:
        call.attachment.note_commits([plan.snapshot_id])
    return Rows(_MERGED, list(_plan_rows(plan)))


def _reset_catalog(call: Call) -> Rows:
    call.check_writable("ducklake_reset_catalog")
    call.check_no_changes("A catalog", "reset")
    source, at, dry_run = call.text("source"), call.arguments.get("at"), bool(call.arguments.get("dry_run"))
    if source is None and at is None:
        raise InvalidInputError(
            "Binder Error: A catalog is reset to another one (source => 'name'), to a moment (at => 17), or both;"
            " nothing was reset."
        )
    catalog = call.attachment.catalog
    plan = catalog.reset_to(catalog if source is None else _other(call, source), at=at, dry_run=dry_run)
    call.attachment.note_commits([plan.snapshot_id])
    return Rows(_MERGED, list(_plan_rows(plan)))


def _strategy(call: Call) -> Strategy | Mapping[str, Strategy]:
    """Return a strategy for all tables, or those by table.

    The latter are a map, or a text of ``table=strategy`` with commas between.
    """
    given = call.arguments.get("strategy")
    if isinstance(given, Mapping):
        return given
    return read_strategy_texts([] if given is None else str(given).split(","))


def _other(call: Call, name: str) -> Catalog:
    """Return a catalog by its alias, or by its name in the lake.

    If it is attached at a snapshot, it is the catalog at that snapshot.

    Raises:
        NotFoundError: There is none.
    """
    found = next((one for one in call.attachments if fold(one.alias) == fold(name)), None)
    return call.attachment.lake.catalog(name) if found is None else found.catalog


def _plan_rows(plan: MergePlan) -> Iterator[tuple[Any, ...]]:
    nothing = (None,) * 4
    for change in plan.changes:
        yield plan.snapshot_id, "change", change, None, None, *nothing, None, None
    for one in plan.tables:
        counts = one.files_added, one.files_removed, one.rows_added, one.rows_removed
        yield plan.snapshot_id, "rows", "rows" if one.by_rows else "files", one.schema, one.table, *counts, None, None
    for each in plan.conflicts:
        what = each.kind if each.key is None else f"{each.kind} {each.key}"
        yield plan.snapshot_id, "conflict", what, each.schema, each.table, *nothing, each.ours, each.theirs


_REFRESHES: Final = {"strategy": ANY, "dry_run": BOOLEAN}
_HOW: Final = {"at": MOMENT, "keys": ANY, **_REFRESHES}

FUNCTIONS: Final = (
    CatalogFunction(
        "merge_catalog",
        (Signature({"source": VARCHAR}, named=_HOW), Signature(named={"source": VARCHAR, **_HOW})),
        _merge_catalog,
        acts=_MERGED,
    ),
    CatalogFunction(
        "refresh_catalog",
        (Signature(named=_REFRESHES), Signature({"name": VARCHAR}, named=_REFRESHES)),
        _refresh_catalog,
        acts=_MERGED,
    ),
    CatalogFunction(
        "reset_catalog",
        (
            Signature({"source": VARCHAR}, named={"at": MOMENT, "dry_run": BOOLEAN}),
            Signature({"at": MOMENT}, named={"dry_run": BOOLEAN}),
            Signature(named={"source": VARCHAR, "at": MOMENT, "dry_run": BOOLEAN}),
        ),
        _reset_catalog,
        acts=_MERGED,
    ),
)
