"""What DuckDB's listings tell of what a session brings along: functions and types."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, Final

from forklake.model.types import FACTS, NESTED
from forklake.session.names.known_rows import listed_columns
from forklake.sql.vocabulary import BY_NAME

FUNCTION_COLUMNS: Final = listed_columns(
    "database_name database_oid schema_name function_name alias_of function_type description comment tags:map"
    " return_type parameters:list parameter_types:list varargs macro_definition has_side_effects:bool"
    " internal:bool function_oid:long examples:list stability categories:list"
)
TYPE_COLUMNS: Final = listed_columns(
    "database_name database_oid:long schema_name schema_oid:long type_oid:long type_name type_size:long logical_type"
    " type_category comment tags:map internal:bool labels:list"
)


def built_in_functions() -> Iterator[tuple[Any, ...]]:
    """Yield the rows of declared functions for ``duckdb_functions()``.

    Each name has one for each list of parameters.
    """
    for name, declared in BY_NAME.items():
        if declared.is_refused:
            continue
        alias_of = None if name == declared.name else declared.name
        for taken in declared.signatures:
            more = next((one.type for one in taken if one.is_repeated), None)
            yield (
                "system", "0", "main", name, alias_of, declared.kind, declared.meaning, None, {}, declared.result,
                [one.name for one in taken], [one.type for one in taken], more, None, False, True, None, [], None, [],
            )  # fmt: skip


def built_in_types() -> Iterator[tuple[Any, ...]]:
    """Yield the rows of types for ``duckdb_types()``, one for each name in SQL."""
    for facts in chain(FACTS.values(), NESTED.values()):
        for name in dict.fromkeys((facts.sql_name.strip('"').lower(), *facts.aliases, *facts.sql_aliases)):
            yield (
                "system", 0, "main", 0, facts.duckdb_id, name, None, facts.sql_name.strip('"'), None, None, {}, True,
                None,
            )  # fmt: skip
