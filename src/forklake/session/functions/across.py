"""The catalog function that reads one table in many catalogs."""

from __future__ import annotations

from typing import Any, Final

from forklake.catalog.names import qualified_name
from forklake.lake.internals import is_past, runtime_of
from forklake.ops.rows.read_across import choose_catalogs, holder_field, plan_across, read_across, shared_columns
from forklake.session.functions.arguments import ANY, TEXTS, VARCHAR, Signature
from forklake.session.functions.function import Call, CatalogFunction
from forklake.session.names.known_rows import Files


def _across(call: Call) -> Files:
    given: dict[str, Any] = {
        name: value
        for name in ("names", "parent", "prefix", "labels")
        if (value := call.arguments.get(name)) is not None
    }
    if not given:
        given = {"parent": call.attachment.catalog.name}
    schema, table = qualified_name(call.required_text("table_name", "Table"), None)
    runtime = runtime_of(call.attachment.reader)
    for name in [*_texts(given.get("names")), *_texts(given.get("parent"))]:
        call.policy.catalog(call.attachment.lake, name)  # the same words for what is not there and what is not theirs
    mine = call.policy.catalogs(call.attachment.lake)
    known = None if mine is None else {one.catalog_id for one in mine if not is_past(one)}
    chosen = [catalog for catalog, _ in choose_catalogs(runtime, **given) if known is None or catalog in known]
    found = plan_across(runtime, chosen, schema, table, lambda table, fields: None)
    fields = shared_columns(found)
    return Files((holder_field(), *fields), lambda: read_across(runtime, found, fields))


def _texts(given: Any) -> list[str]:
    return [] if given is None else [given] if isinstance(given, str) else list(given)


FUNCTIONS: Final = (
    CatalogFunction(
        "across",
        (
            Signature(
                {"table_name": VARCHAR},
                named={"names": TEXTS, "parent": VARCHAR, "prefix": VARCHAR, "labels": ANY},
            ),
        ),
        _across,
    ),
)
