"""Catalog functions by which forks come back: merge, refresh and reset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.fork_merge import MergePlan, Strategy
from forklake.ops.merging.merge_terms import read_code, read_strategy_texts
from forklake.session.functions.arguments import ANY, BOOLEAN, MOMENT, SIGNED, VARCHAR, Signature
from forklake.session.functions.function import Call, CatalogFunction
from forklake.session.names.known_rows import Rows, column

MERGED: Final = (
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
    column("winner", types.VARCHAR),
    column("details", types.VARCHAR),
)
"""A row for each change of what has names, each table whose rows change, and each conflict."""


def _merge_catalog(call: Call) -> Rows:
    call.check_writable("ducklake_merge_catalog")
    call.check_no_changes("A catalog", "merged")
    plan = call.attachment.catalog.merge(
        call.other_catalog(call.required_text("source", "The source of a merge")),
        at=call.arguments.get("at"),
        strategy=_strategy(call),
        keys=call.arguments.get("keys"),
        code=read_code(call.arguments.get("code") or "take"),
        dry_run=bool(call.arguments.get("dry_run")),
        **call.signature(),
    )
    call.attachment.note_commits([plan.snapshot_id])
    return Rows(MERGED, list(plan_rows(plan)))


def _refresh_catalog(call: Call) -> Rows:
    call.check_writable("ducklake_refresh_catalog")
    call.check_no_changes("A catalog", "refreshed")
    name = call.text("name")
    catalog = call.attachment.catalog if name is None else call.writable_catalog(name)
    call.policy.check_parent(call.attachment.lake, catalog)
    plan = catalog.refresh(
        strategy=_strategy(call),
        keys=call.arguments.get("keys"),
        code=read_code(call.arguments.get("code") or "take"),
        dry_run=bool(call.arguments.get("dry_run")),
        **call.signature(),
    )
    if name is None:
        call.attachment.note_commits([plan.snapshot_id])
    return Rows(MERGED, list(plan_rows(plan)))


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
    to = catalog if source is None else call.other_catalog(source)
    plan = catalog.reset_to(to, at=at, dry_run=dry_run, **call.signature())
    call.attachment.note_commits([plan.snapshot_id])
    return Rows(MERGED, list(plan_rows(plan)))


def _strategy(call: Call) -> Strategy | Mapping[str, Strategy]:
    """Return a strategy for all tables, or those by table.

    The latter are a map, or a text of ``table=strategy`` with commas between.
    """
    given = call.arguments.get("strategy")
    if isinstance(given, Mapping):
        return given
    return read_strategy_texts([] if given is None else str(given).split(","))


def plan_rows(plan: MergePlan) -> Iterator[tuple[Any, ...]]:
    """Yield the rows that tell what a merge did, of the columns `MERGED`."""
    nothing = (None,) * 4
    of_rows = {table.words for table in plan.tables}
    for words in (words for words in plan.words if words not in of_rows):
        yield plan.snapshot_id, "change", words, None, None, *nothing, *[None] * 4
    for one in plan.tables:
        counts = one.files_added, one.files_removed, one.rows_added, one.rows_removed
        how = "rows" if one.by_rows else "files"
        yield plan.snapshot_id, "rows", how, one.schema, one.table, *counts, *[None] * 4
    for code in plan.code:
        yield plan.snapshot_id, "code", code.title, code.schema, code.name, *nothing, *[None] * 3, code.words
    for each in plan.conflicts:
        parts = (each.kind, each.key, None if each.attribute is None else f"({each.attribute})")
        what = " ".join(str(part) for part in parts if part is not None)
        details = None if each.row is None else each.row_words("theirs", "ours")
        deeds = each.ours, each.theirs, each.winner, details
        yield plan.snapshot_id, "conflict", what, each.schema, each.table, *nothing, *deeds


_COMMITS: Final = {"dry_run": BOOLEAN, **SIGNED}
_REFRESHES: Final = {"strategy": ANY, "keys": ANY, "code": VARCHAR, **_COMMITS}
_MERGES: Final = {"at": MOMENT, **_REFRESHES}

FUNCTIONS: Final = (
    CatalogFunction(
        "merge_catalog",
        (Signature({"source": VARCHAR}, named=_MERGES), Signature(named={"source": VARCHAR, **_MERGES})),
        _merge_catalog,
        acts=MERGED,
    ),
    CatalogFunction(
        "refresh_catalog",
        (Signature(named=_REFRESHES), Signature({"name": VARCHAR}, named=_REFRESHES)),
        _refresh_catalog,
        acts=MERGED,
    ),
    CatalogFunction(
        "reset_catalog",
        (
            Signature({"source": VARCHAR}, named={"at": MOMENT, **_COMMITS}),
            Signature({"at": MOMENT}, named=_COMMITS),
            Signature(named={"source": VARCHAR, "at": MOMENT, **_COMMITS}),
        ),
        _reset_catalog,
        acts=MERGED,
    ),
)
