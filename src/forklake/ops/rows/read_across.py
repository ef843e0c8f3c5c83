"""Reads one table in many catalogs at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from forklake.catalog import versions
from forklake.catalog.names import check_name
from forklake.catalog.scan_plan import count_rows
from forklake.catalog.shared_plan import Binder, SharedScan, plan_shared
from forklake.engine.engine import Frame
from forklake.errors import InvalidInputError, NotFoundError
from forklake.metastore.queries import heads
from forklake.metastore.store import Session
from forklake.model import types
from forklake.model.field import Field
from forklake.model.hint import ListCatalogs
from forklake.model.ids import CatalogId
from forklake.model.names import fold
from forklake.model.scan import HOLDER_COLUMN, LINEAGE_COLUMNS, SharedPlan
from forklake.model.version import Head
from forklake.ops.catalogs.list_catalogs import list_catalogs, list_forks
from forklake.ops.lakes.runtime import Runtime

_SHOWN: Final = 3


def choose_catalogs(
    runtime: Runtime,
    *,
    names: Iterable[str] | None = None,
    parent: str | None = None,
    prefix: str = "",
    labels: Mapping[str, str] | None = None,
) -> tuple[tuple[CatalogId, str], ...]:
    """Return the live catalogs for which every given condition holds.

    They come by id, each with its name.

    Raises:
        InvalidInputError: No condition is given.
        InvalidNameError: One of the names is none.
        NotFoundError: The parent, or one of the names, is no live catalog.
    """
    if names is None and parent is None and not prefix and not labels:
        raise InvalidInputError(
            "Catalogs to read together are named, or chosen by a parent, a prefix or labels; nothing was read."
        )
    chosen: dict[CatalogId, str] | None = None
    if prefix or labels or names is not None:
        listed = list_catalogs(runtime, prefix=prefix, labels=labels)
        chosen = {each.catalog_id: each.name for each in listed}
    if names is not None:
        wanted = {fold(check_name("catalog", name)): name for name in ([names] if isinstance(names, str) else names)}
        known = {fold(name) for name in (chosen or {}).values()}
        for folded, name in wanted.items():
            if folded not in known:
                raise NotFoundError(f'Catalog "{name}" does not exist; nothing was read.', hint=ListCatalogs())
        chosen = {each: name for each, name in (chosen or {}).items() if fold(name) in wanted}
    if parent is not None:
        forks = list_forks(runtime, versions.head_by_name(runtime.store, parent).version.catalog_id)
        chosen = {each.catalog_id: each.name for each in forks if chosen is None or each.catalog_id in chosen}
    return tuple(sorted((chosen or {}).items()))


def plan_across(runtime: Runtime, catalogs: Sequence[CatalogId], schema: str, table: str, bind: Binder) -> SharedScan:
    """Plan a scan of the table of a name in catalogs as they are now.

    Catalogs that were dropped meanwhile, and those that have no such table, are left out.

    Raises:
        NotFoundError: There are no catalogs, or none of them has the table.
    """
    with runtime.store.reading() as session:
        found = plan_shared(session, runtime.lake_path, _heads(session, catalogs), schema, table, bind)
    if not catalogs:
        raise NotFoundError("No catalog of the lake was chosen to read from; nothing was read.")
    if not found.plans:
        raise NotFoundError(f'None of the {len(catalogs)} catalogs has a table "{table}"; nothing was read.')
    return found


def shared_columns(found: SharedScan, columns: Sequence[str] | None = None) -> tuple[Field, ...]:
    """Return the columns to read: those chosen, else all of any catalog.

    Raises:
        NotFoundError: No catalog has a column that was chosen.
        InvalidInputError: A column has two types, or the name of the column that names the catalog.
    """
    known: dict[str, tuple[Field, SharedPlan]] = {}
    chosen = None if columns is None else {fold(name) for name in columns}
    for plan, _ in found.plans:
        for field in plan.plan.fields:
            before, of = known.setdefault(fold(field.name), (field, plan))
            if before.type != field.type and (chosen is None or fold(field.name) in chosen):
                raise _types_differ(plan.plan.table, (before, of), (field, plan))
    if columns is None:
        if HOLDER_COLUMN in known:
            raise InvalidInputError(
                f'Table "{found.plans[0][0].plan.table}" has a column "{HOLDER_COLUMN}", the name of the column that'
                " says which catalog a row is from; nothing was read.",
                hint="Choose other columns.",
            )
        return tuple(field for field, _ in known.values())
    lineage = {name: Field(None, name, kind) for name, kind in LINEAGE_COLUMNS.items()}
    for name in columns:
        if fold(name) == HOLDER_COLUMN or (fold(name) not in known and fold(name) not in lineage):
            raise NotFoundError(
                f'Table "{found.plans[0][0].plan.table}" does not have a column with name "{name}" to choose'
            )
    return tuple(known[fold(name)][0] if fold(name) in known else lineage[fold(name)] for name in columns)


def read_across(runtime: Runtime, found: SharedScan, fields: Sequence[Field]) -> Frame:
    """Return the rows of a plan, with the name of the catalog first."""
    plans = [(plan, None if condition is None else condition.spark_sql) for plan, condition in found.plans]
    return runtime.engine.scan_shared(plans, [field.name for field in fields])


def count_across(found: SharedScan) -> int | None:
    """Return how many rows the catalogs show together, if metadata tells; else None."""
    total = 0
    for shared, condition in found.plans:
        if condition is not None and (shared.plan.files or shared.plan.inlined):
            return None
        for file, holders in zip(shared.plan.files, shared.holders, strict=False):
            count = count_rows(replace(shared.plan, files=(file,), inlined=()))
            if count is None:
                return None
            total += count * len(holders)
        total += sum(len(shared.holders[place]) for rows in shared.plan.inlined for place in rows.places)
    return total


def holder_field() -> Field:
    """Return the column that names the catalog of a row."""
    return Field(None, HOLDER_COLUMN, types.VARCHAR)


def _heads(session: Session, catalogs: Sequence[CatalogId]) -> list[Head]:
    return heads.heads_by_ids(session, catalogs) if catalogs else []


def _types_differ(table: str, one: tuple[Field, SharedPlan], other: tuple[Field, SharedPlan]) -> InvalidInputError:
    (left, of_left), (right, of_right) = one, other
    return InvalidInputError(
        f'Column "{left.name}" of table "{table}" is {left.type.sql_name} in {_some_holders(of_left)} and'
        f" {right.type.sql_name} in {_some_holders(of_right)}; nothing was read.",
        hint="Choose columns that have one type, or read fewer catalogs together.",
    )


def _some_holders(plan: SharedPlan) -> str:
    names = list(dict.fromkeys(name for holders in plan.holders for name in islice(holders, _SHOWN)))
    shown = ", ".join(f'"{name}"' for name in names[:_SHOWN])
    return shown + (", ..." if len(names) > _SHOWN else "") if names else "a catalog without rows"
