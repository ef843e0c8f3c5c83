"""Macros of a catalog: `Catalog.macros`."""

from __future__ import annotations

from collections.abc import Sequence

from forklake.catalog import describe, lookup
from forklake.catalog.names import qualified_name
from forklake.catalog.state import Content
from forklake.catalog.transaction import Staging
from forklake.errors import InvalidInputError
from forklake.lake.objects import Objects
from forklake.model.definitions import MacroImplementation, MacroParameter
from forklake.model.ids import MacroId, SchemaId
from forklake.model.records import Macro
from forklake.model.rows import MacroRow
from forklake.ops.objects import define_macro


class Macros(Objects[MacroRow, Macro]):
    """The macros of a catalog, or of a transaction.

    Names are written as those of views.
    """

    def create(
        self,
        name: str,
        implementations: Sequence[MacroImplementation] | MacroImplementation,
        *,
        schema: str | None = None,
        if_not_exists: bool = False,
        or_replace: bool = False,
    ) -> Macro:
        """Create a macro with its overloads, all scalar or all table, and return it.

        Names in the bodies are looked up when the macro is called. ``created`` of the returned value says whether
        this call created it, and ``commit`` is the commit.

        Raises:
            AlreadyExistsError: There is a macro of that name.
            InvalidInputError: A body is not an expression, or that of a table macro not a query; or overloads and
                parameters are something else.
        """
        schema, name = qualified_name(name, schema)
        overloads = _read_overloads(name, implementations)
        new = define_macro.NewMacro(name, overloads, schema, if_not_exists, or_replace)
        runtime = self._runner._runtime
        kind = overloads[0].type if overloads else "scalar"
        return self._make(
            lambda staging: define_macro.create_macro(staging, runtime, new),
            name,
            schema,
            lambda local: Macro(MacroId(local), schema, name, kind, overloads),
        )

    def _rows(self, content: Content, schema_id: SchemaId | None) -> Sequence[MacroRow]:
        return lookup.macros(content, schema_id)

    def _find(self, content: Content, schema_id: SchemaId, name: str) -> MacroRow | None:
        return lookup.find_macro(content, schema_id, name)

    def _row(self, content: Content, name: str, schema: str) -> MacroRow:
        return lookup.macro(content, name, schema)

    def _describe(self, content: Content, row: MacroRow, schema_name: str) -> Macro:
        return describe.macro(content, row, schema_name)

    def _drop(self, staging: Staging, row: MacroRow) -> None:
        define_macro.drop_macro(staging, row)


def _read_overloads(
    name: str, given: Sequence[MacroImplementation] | MacroImplementation
) -> tuple[MacroImplementation, ...]:
    """Return the overloads of a new macro.

    Raises:
        InvalidInputError: They, or their parameters, are something else.
    """
    hint = f'catalog.macros.create("{name}", MacroImplementation("x + 1", (MacroParameter("x"),)))'
    for one in given if isinstance(given, list | tuple) else (given,):
        if not isinstance(one, MacroImplementation) or not isinstance(one.sql, str):
            raise InvalidInputError(
                f'Macro "{name}" was not created: an overload is a MacroImplementation with SQL text, not {one!r}.',
                hint=hint,
            )
        parameters: object = one.parameters
        if not isinstance(parameters, list | tuple) or not all(isinstance(part, MacroParameter) for part in parameters):
            raise InvalidInputError(
                f'Macro "{name}" was not created: parameters are a tuple of MacroParameter, not {parameters!r}.',
                hint=hint,
            )
    return (given,) if isinstance(given, MacroImplementation) else tuple(given)
