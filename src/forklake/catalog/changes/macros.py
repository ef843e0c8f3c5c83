"""Creates and drops macros."""

from __future__ import annotations

from forklake.catalog import lookup
from forklake.catalog.draft import Draft
from forklake.catalog.names import check_name, check_text
from forklake.errors import AlreadyExistsError, InvalidInputError
from forklake.metastore.written_tables import MACRO_IMPL
from forklake.model.change import CreateMacro, DropMacro
from forklake.model.change_log import ChangeKind, LoggedChange
from forklake.model.definitions import MacroImplementation, MacroParameter
from forklake.model.names import fold
from forklake.model.rows import MacroImplRow, MacroParameterRow, MacroRow


def create(draft: Draft, change: CreateMacro) -> None:
    """Create a macro with its overloads.

    Macros have a namespace of their own, apart from tables and views.
    """
    check_name("macro", change.name)
    schema = lookup.schema_by_id(draft, change.schema_id)
    if lookup.find_macro(draft, change.schema_id, change.name) is not None:
        raise AlreadyExistsError(f'Macro Function with name "{change.name}" already exists!')
    kinds = {implementation.type for implementation in change.implementations}
    if len(kinds) != 1 or not kinds <= {"scalar", "table"}:
        raise InvalidInputError(
            f'Macro "{change.name}" must have implementations, all scalar or all table; it was not created.'
        )
    draft.insert(MacroRow(macro_id=change.macro_id, schema_id=change.schema_id, macro_name=change.name))
    for impl_id, implementation in enumerate(change.implementations):
        _check(change.name, implementation)
        draft.insert(
            MacroImplRow(
                macro_id=change.macro_id,
                impl_id=impl_id,
                dialect=implementation.dialect,
                sql=implementation.sql,
                type=implementation.type,
                trusted=implementation.trusted or None,
            )
        )
        draft.insert(
            *(
                MacroParameterRow(
                    macro_id=change.macro_id,
                    impl_id=impl_id,
                    column_id=column_id,
                    parameter_name=parameter.name,
                    parameter_type=parameter.type or "unknown",
                    default_value=parameter.default,
                    default_value_type=_default_type(parameter),
                    trusted=implementation.trusted or None,
                )
                for column_id, parameter in enumerate(implementation.parameters)
            )
        )
    is_table = kinds == {"table"}
    draft.record(
        LoggedChange(
            ChangeKind.CREATED_TABLE_MACRO if is_table else ChangeKind.CREATED_SCALAR_MACRO,
            object_id=change.macro_id,
            schema_name=schema.schema_name,
            name=change.name,
            schema_id=schema.schema_id,
        )
    )


def drop(draft: Draft, change: DropMacro) -> None:
    """Drop a macro with all its overloads."""
    row = lookup.macro_by_id(draft, change.macro_id)
    is_table = any(impl.type == "table" for impl in draft.following(MACRO_IMPL, [row]))
    draft.end(row)
    draft.forget_log(change.macro_id)
    if change.macro_id < 0:
        draft.forget_followers("macro_id", change.macro_id)
    else:
        kind = ChangeKind.DROPPED_TABLE_MACRO if is_table else ChangeKind.DROPPED_SCALAR_MACRO
        draft.record(LoggedChange(kind, object_id=change.macro_id))


def _check(name: str, implementation: MacroImplementation) -> None:
    check_text(f'body of macro "{name}"', implementation.sql)
    check_text(f'dialect of macro "{name}"', implementation.dialect)
    if not implementation.sql.strip():
        raise InvalidInputError(f'Macro "{name}" must have a body; it was not created.')
    seen: set[str] = set()
    has_default = False
    for parameter in implementation.parameters:
        check_name("parameter", parameter.name)
        check_text(f'type of parameter "{parameter.name}"', parameter.type)
        check_text(f'type of the default of parameter "{parameter.name}"', parameter.default_type)
        check_text(f'default of parameter "{parameter.name}"', parameter.default)
        if fold(parameter.name) in seen:
            raise InvalidInputError(f'Macro "{name}" has two parameters "{parameter.name}"; it was not created.')
        if has_default and parameter.default is None:
            raise InvalidInputError(
                f'Parameter "{parameter.name}" of macro "{name}" needs a default, as the one before it has one.'
            )
        seen.add(fold(parameter.name))
        has_default = parameter.default is not None


def _default_type(parameter: MacroParameter) -> str:
    if parameter.default is None:
        return "unknown"
    return "expression" if parameter.default_is_expression else parameter.default_type or "literal"
