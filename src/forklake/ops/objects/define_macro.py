"""Creates and drops macros."""

from __future__ import annotations

from forklake.catalog import lookup
from forklake.catalog.transaction import Staging
from forklake.model import change
from forklake.model.definitions import MacroImplementation
from forklake.model.ids import MacroId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.rows import MacroRow
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.objects.check_body import check_body


@dataclass(frozen=True, slots=True)
class NewMacro:
    """A macro to create, and what to do if the name is taken."""

    name: str
    implementations: tuple[MacroImplementation, ...]
    schema: str = "main"
    if_not_exists: bool = False
    or_replace: bool = False


def create_macro(staging: Staging, runtime: Runtime, new: NewMacro) -> MacroId | None:
    """Create a macro with its overloads; return its id.

    The result is None if a macro of that name exists and should stay.

    Raises:
        AlreadyExistsError: There is a macro of that name.
        InvalidInputError: A body is no expression, or that of a table macro no query.
    """
    for one in new.implementations:
        check_body(runtime, f'Macro "{new.name}"', one.sql, one.dialect, is_query=one.type == "table")
        for parameter in one.parameters:
            if parameter.default_is_expression and parameter.default is not None:
                check_body(runtime, f'Macro "{new.name}"', parameter.default, one.dialect, is_query=False)
    schema_id = lookup.schema(staging.draft, new.schema).schema_id
    found = lookup.find_macro(staging.draft, schema_id, new.name)
    if found is not None and new.if_not_exists:
        return None
    if found is not None and new.or_replace:
        staging.stage(change.DropMacro(found.macro_id))
    new_id = MacroId(staging.new_object())
    staging.stage(change.CreateMacro(new_id, schema_id, new.name, new.implementations))
    return new_id


def drop_macro(staging: Staging, macro: MacroRow) -> None:
    """Drop a macro with all its overloads."""
    staging.stage(change.DropMacro(macro.macro_id))
