"""Relations and functions that belong to no catalog.

``glob('...')``, ``read_parquet('...')``, ``duckdb_tables()`` and DuckDB's other listings,
``information_schema``, and Parquet files named in place of a table.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from forklake import __version__
from forklake.errors import ForklakeError, InvalidInputError, NotFoundError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.types import Type
from forklake.model.types.read import field_of
from forklake.model.types.shapes import list_of, map_of
from forklake.session.functions import LISTINGS, call
from forklake.session.functions.listings import column_facts
from forklake.session.known_rows import Files, Rows, column
from forklake.session.metadata_tables import metadata_table_names
from forklake.session.settings import SETTINGS
from forklake.sql.made_queries import all_of
from forklake.sql.query.bind import bind_query

if TYPE_CHECKING:
    from forklake.session.name_resolution import SessionNames
    from forklake.session.state import SessionAttachment


def system_function(
    names: SessionNames, parts: tuple[str, ...], arguments: Sequence[Any], named: Mapping[str, Any]
) -> Rows | Files | None:
    """Return the rows of a function that belongs to no catalog.

    None if there is no such function.

    Raises:
        InvalidInputError: The arguments do not fit.
        NotFoundError: A file to be read does not exist.
    """
    name = fold(parts[-1])
    if len(parts) > 1 and fold(parts[0]) not in ("system", "main"):
        return None
    if name in ("read_parquet", "parquet_scan"):
        return _read_parquet(names, _patterns(name, arguments), named)
    if name == "glob":
        if named:
            raise InvalidInputError(f'Binder Error: Invalid named parameter "{next(iter(named))}" for function glob')
        return Rows((column("file", types.VARCHAR),), [(path,) for path in _match_files(_patterns(name, arguments))])
    if name in LISTINGS:
        found = call(name, names.state.live_attachments(), arguments, named)
        assert isinstance(found, Rows)
        more = _MORE_LISTED.get(name)
        return found if more is None else Rows(found.columns, [*found.rows, *more(names)])
    if name in _OF_SESSION:
        if arguments or named:
            raise InvalidInputError(f"Binder Error: Function {name} takes no arguments.")
        columns, rows = _OF_SESSION[name]
        return Rows(columns, list(rows(names)))
    return None


def system_relation(names: SessionNames, parts: tuple[str, ...]) -> Rows | Files | None:
    """Return a relation that belongs to no catalog; None if there is none.

    It is a table of ``information_schema``, a listing such as ``duckdb_tables``, or a Parquet file.
    """
    if len(parts) in (2, 3) and fold(parts[-2]) == "information_schema" and fold(parts[-1]) in _INFORMATION:
        columns, rows = _INFORMATION[fold(parts[-1])]
        return Rows(columns, list(rows(names)))
    if len(parts) == 1 and fold(parts[0]) in LISTINGS:
        found = system_function(names, parts, (), {})
        if found is not None:
            return found
    is_file = len(parts) == 1 and fold(parts[0]).endswith(".parquet")
    if is_file and ("/" in parts[0] or _match_files(parts)):
        return _read_parquet(names, list(parts), {})
    return None


# ---- files -----------------------------------------------------------------------------------------------------------


def _patterns(function: str, arguments: Sequence[Any]) -> list[str]:
    given = arguments[0] if len(arguments) == 1 else None
    patterns = given if isinstance(given, list) else [given]
    if not all(isinstance(pattern, str) for pattern in patterns):
        raise InvalidInputError(f"Binder Error: {function} takes the path of a file, or a list of paths.")
    return [str(pattern) for pattern in patterns]


def _match_files(patterns: Sequence[str]) -> list[str]:
    """Return the files that match patterns, in the order of the patterns.

    The files of one pattern are sorted by path; a pattern may match none.
    """
    for pattern in patterns:
        if "://" in pattern:
            raise InvalidInputError(f'Files are found by local paths only, not by "{pattern}".')
    found = (sorted(glob.glob(pattern, recursive=True, include_hidden=True)) for pattern in patterns)
    return [path for path in chain.from_iterable(found) if os.path.isfile(path)]


def _read_parquet(names: SessionNames, patterns: Sequence[str], named: Mapping[str, Any]) -> Files:
    for option, value in named.items():
        if option not in ("hive_partitioning", "union_by_name", "filename") or value:
            raise InvalidInputError(f'read_parquet does not support "{option} = {value}".')
    paths = _match_files(patterns)
    if not paths:
        raise NotFoundError(f'IO Error: No files found that match the pattern "{", ".join(patterns)}"')
    engine = names.state.engine
    frame = engine.files_frame(paths)
    return Files(tuple(field_of(one) for one in engine.columns(frame)), frame)


# ---- lists of what there is ------------------------------------------------------------------------------------------


def _listing(names: SessionNames, name: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a listing, each as a dictionary by column name."""
    found = system_function(names, (name,), (), {})
    assert isinstance(found, Rows)
    for row in found.rows:
        yield dict(zip((field.name for field in found.columns), row, strict=True))


def _view_columns(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    """Yield the columns of views.

    They are known once a view is bound; a view that cannot be bound is skipped.
    """
    for view in _listing(names, "duckdb_views"):
        place = (view["database_name"], view["schema_name"], view["view_name"])
        try:
            fields = bind_query(all_of(place), replace(names, may_act=False)).columns
        except ForklakeError:
            continue
        numbers = (view["database_oid"], view["schema_oid"], view["view_oid"])
        where = tuple(chain.from_iterable(zip(place, numbers, strict=True)))
        for index, field in enumerate(fields, 1):
            yield *where, field.name, index, None, False, None, True, *column_facts(field)


def _metadata_databases(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    """Yield the metadata catalogs that ATTACH named; others are not listed."""
    for seen in _named_metadata(names):
        name, number = seen.attached.metadata_catalog, seen.catalog.catalog_id
        yield name, number, None, None, {}, True, "ducklake", True, False, None, {}


def _metadata_tables(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    for seen in _named_metadata(names):
        place = (seen.attached.metadata_catalog, seen.catalog.catalog_id, seen.attached.metadata_schema, 0)
        for name in metadata_table_names(seen):
            yield *place, name, 0, None, {}, True, False, False, None, None, 0, 0, None


def _named_metadata(names: SessionNames) -> Iterator[SessionAttachment]:
    for seen in names.state.live_attachments():
        if seen.attached.metadata_catalog != f"__ducklake_metadata_{seen.alias}":
            yield seen


def _functions(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    for seen in names.state.live_attachments():
        for macro in seen.reader.macros.list():
            kind = "table_macro" if macro.kind == "table" else "macro"
            for one in macro.implementations:
                taken = [parameter.name for parameter in one.parameters]
                yield (
                    seen.alias, str(seen.catalog.catalog_id), macro.schema_name, macro.name, None, kind, None, None, {},
                    None, taken, [None] * len(taken), None, one.sql, None, False, macro.macro_id, [], None, [],
                )  # fmt: skip


def _settings(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    for name, (default, _) in sorted(SETTINGS.items()):
        value = names.state.settings.get(name)
        text = str(value).lower() if isinstance(value, bool) else str(value)
        kind = {bool: "BOOLEAN", int: "UBIGINT", float: "DOUBLE"}.get(type(default), "VARCHAR")
        yield name, text, None, kind, "LOCAL", []


def _secrets(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    # The values are what a secret is for; not even which ones it has is shown.
    for name in names.state.secrets.names():
        yield name, "ducklake", "config", False, "memory", [], f"name={name};type=ducklake;provider=config"


def _extensions(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    for name, what in (("ducklake", "DuckLake's statements"), ("parquet", "Reading and writing Parquet files")):
        yield name, True, True, "(BUILT-IN)", what, [], __version__, "STATICALLY_LINKED", ""


def _schemata(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    for schema in _listing(names, "duckdb_schemas"):
        yield schema["database_name"], schema["schema_name"], "duckdb", None, None, None, None


def _relations(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    for kind, name, listing in (("BASE TABLE", "table_name", "duckdb_tables"), ("VIEW", "view_name", "duckdb_views")):
        for one in _listing(names, listing):
            writable = "YES" if kind == "BASE TABLE" else "NO"
            yield (
                one["database_name"], one["schema_name"], one[name], kind, None, None, None, None, None, writable, "NO",
                None, one["comment"],
            )  # fmt: skip


def _columns(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    for one in _listing(names, "duckdb_columns"):
        known = {
            "table_catalog": one["database_name"],
            "table_schema": one["schema_name"],
            "ordinal_position": one["column_index"],
            "is_nullable": "YES" if one["is_nullable"] else "NO",
            "column_comment": one["comment"],
        }
        yield tuple(known.get(fold(field.name), one.get(field.name)) for field in _INFORMATION_COLUMNS)


_Rows = Callable[["SessionNames"], Iterator[tuple[Any, ...]]]
_TAGS: Final = column("tags", map_of(types.VARCHAR, types.VARCHAR))


def _fields(text: str) -> tuple[Field, ...]:
    """Return the columns that a text lists, such as ``"name internal:bool"``.

    The type follows a colon; without one it is VARCHAR.
    """
    kinds: dict[str, Type] = {
        "": types.VARCHAR,
        "bool": types.BOOLEAN,
        "int": types.INT32,
        "long": types.INT64,
        "list": list_of(types.VARCHAR),
    }
    parts = [word.partition(":") for word in text.split()]
    return tuple(column(name, kinds[kind]) for name, _, kind in parts)


_MORE_LISTED: Final[Mapping[str, _Rows]] = {
    "duckdb_databases": _metadata_databases,
    "duckdb_tables": _metadata_tables,
    "duckdb_columns": _view_columns,
}
_OF_SESSION: Final[Mapping[str, tuple[tuple[Field, ...], _Rows]]] = {
    "duckdb_functions": (
        (
            *_fields("database_name database_oid schema_name function_name alias_of function_type description comment"),
            _TAGS,
            *_fields(
                "return_type parameters:list parameter_types:list varargs macro_definition has_side_effects:bool"
                " internal:bool function_oid:long examples:list stability categories:list"
            ),
        ),
        _functions,
    ),
    "duckdb_settings": (_fields("name value description input_type scope aliases:list"), _settings),
    "duckdb_secrets": (_fields("name type provider persistent:bool storage scope:list secret_string"), _secrets),
    "duckdb_extensions": (
        _fields(
            "extension_name loaded:bool installed:bool install_path description aliases:list extension_version"
            " install_mode installed_from"
        ),
        _extensions,
    ),
}
_INFORMATION_COLUMNS: Final = _fields(
    "table_catalog table_schema table_name column_name ordinal_position:int column_default is_nullable data_type"
    " character_maximum_length:int character_octet_length:int numeric_precision:int numeric_precision_radix:int"
    " numeric_scale:int datetime_precision:int interval_type interval_precision:int character_set_catalog"
    " character_set_schema character_set_name collation_catalog collation_schema collation_name domain_catalog"
    " domain_schema domain_name udt_catalog udt_schema udt_name scope_catalog scope_schema scope_name"
    " maximum_cardinality:long dtd_identifier is_self_referencing:bool is_identity:bool identity_generation"
    " identity_start identity_increment identity_maximum identity_minimum identity_cycle:bool is_generated"
    " generation_expression is_updatable:bool COLUMN_COMMENT"
)
_INFORMATION: Final[Mapping[str, tuple[tuple[Field, ...], _Rows]]] = {
    "schemata": (
        _fields(
            "catalog_name schema_name schema_owner default_character_set_catalog default_character_set_schema"
            " default_character_set_name sql_path"
        ),
        _schemata,
    ),
    "tables": (
        _fields(
            "table_catalog table_schema table_name table_type self_referencing_column_name reference_generation"
            " user_defined_type_catalog user_defined_type_schema user_defined_type_name is_insertable_into is_typed"
            " commit_action TABLE_COMMENT"
        ),
        _relations,
    ),
    "columns": (_INFORMATION_COLUMNS, _columns),
}
