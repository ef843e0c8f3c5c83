"""DuckDB's listings as a session sees them, such as ``duckdb_tables()``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from forklake import __version__, duck
from forklake.catalog import lookup
from forklake.errors import ForklakeError, InvalidInputError
from forklake.lake.internals import content_of
from forklake.model.field import Field
from forklake.session.functions import LISTINGS, call
from forklake.session.functions.listings import column_facts
from forklake.session.listings.built_ins import FUNCTION_COLUMNS, TYPE_COLUMNS, built_in_functions, built_in_types
from forklake.session.listings.metadata_tables import metadata_table_names
from forklake.session.names.known_rows import Rows, listed_columns
from forklake.session.settings import SETTINGS
from forklake.session.statements.described_columns import table_info
from forklake.sql.query.bind import bind_query
from forklake.sql.simple_queries import all_of

if TYPE_CHECKING:
    from forklake.session.names.name_resolution import SessionNames
    from forklake.session.state import SessionAttachment

ListRows = Callable[["SessionNames"], Iterator[tuple[Any, ...]]]


def listing(
    names: SessionNames, name: str, arguments: Sequence[Any] = (), named: Mapping[str, Any] | None = None
) -> Rows | None:
    """Return the rows of a listing; None if there is no such listing.

    Raises:
        InvalidInputError: The arguments do not fit.
    """
    names.state.policy.check_system_function(name)
    if name in LISTINGS:
        state = names.state
        seen = state.relation_attachments() if name in _OF_RELATIONS else state.live_attachments()
        found = call(name, seen, arguments, named or {}, state.policy)
        assert isinstance(found, Rows)
        more = _MORE_LISTED.get(name)
        return found if more is None else Rows(found.columns, [*found.rows, *more(names)])
    if name in _WITH_ARGUMENTS:
        return _WITH_ARGUMENTS[name](names, arguments, named)
    if name in _OF_SESSION:
        if name == "duckdb_secrets" and named and named.keys() == {"redact"}:
            if named["redact"] is False:
                raise InvalidInputError("Invalid Input Error: Displaying unredacted secrets is disabled")
            named = None
        if arguments or named:
            raise InvalidInputError(f"Binder Error: Function {name} takes no arguments.")
        columns, rows = _OF_SESSION[name]
        return Rows(columns, list(rows(names)))
    return None


def listing_rows(names: SessionNames, name: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a listing, each as a dictionary by column name."""
    found = listing(names, name)
    assert found is not None
    for row in found.rows:
        yield dict(zip((field.name for field in found.columns), row, strict=True))


def _view_columns(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    """Yield the columns of views.

    They are known once a view is bound; a view that cannot be bound is skipped.
    """
    for view in listing_rows(names, "duckdb_views"):
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
    yield from _macros(names)
    yield from built_in_functions()


def _macros(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    for seen in names.state.relation_attachments():
        for macro in seen.reader.macros.list():
            kind = "table_macro" if macro.kind == "table" else "macro"
            for one in macro.implementations:
                taken = [parameter.name for parameter in one.parameters]
                body = duck.printed_texts.print_macro(one.sql, one.type) if one.dialect == "duckdb" else one.sql
                yield (
                    seen.alias, str(seen.catalog.catalog_id), macro.schema_name, macro.name, None, kind, None, None, {},
                    None, taken, [None] * len(taken), None, body, None, False, macro.macro_id, [], None, [],
                )  # fmt: skip


def _constraints(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    """Yield the columns that may not be NULL: there are no other constraints."""
    numbers: dict[tuple[str, int], int] = {}
    for one in listing_rows(names, "duckdb_columns"):
        if one["is_nullable"]:
            continue
        place = (one["database_name"], one["table_oid"])
        numbers[place] = index = numbers.get(place, -1) + 1
        table, name = one["table_name"], one["column_name"]
        where = (place[0], one["database_oid"], one["schema_name"], one["schema_oid"], table, place[1], index)
        column = [one["column_index"] - 1], [name]
        yield *where, "NOT NULL", "NOT NULL", None, *column, f"{table}_{name}_not_null", None, []


def _types(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    return built_in_types()


def _none(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    return iter(())


def _version(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    yield f"forklake {__version__}", "", ""


def _settings(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    for name, (default, _) in sorted(SETTINGS.items()):
        value = names.state.settings.get(name)
        text = str(value).lower() if isinstance(value, bool) else str(value)
        kind = {bool: "BOOLEAN", int: "UBIGINT", float: "DOUBLE"}.get(type(default), "VARCHAR")
        yield name, text, None, kind, "LOCAL", []


def _secrets(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    if not names.state.policy.is_confined:
        yield from names.state.secrets.list_rows()


def _which_secret(names: SessionNames, arguments: Sequence[Any], named: Mapping[str, Any] | None) -> Rows:
    """Return the rows of ``which_secret(path, type)``.

    Raises:
        InvalidInputError: The arguments are others.
    """
    if named or len(arguments) != 2 or not all(isinstance(one, str) for one in arguments):
        raise InvalidInputError("Binder Error: which_secret takes a path and the type of a secret, as texts.")
    found = names.state.secrets.which(*arguments)
    return Rows(listed_columns("name persistent storage"), [] if found is None else [(found, "TEMPORARY", "memory")])


def _table_info(names: SessionNames, arguments: Sequence[Any], named: Mapping[str, Any] | None) -> Rows:
    return table_info(replace(names, may_act=False), [*arguments, *(named or {}).items()])


def _sizes(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    for seen in names.state.live_attachments():
        content = content_of(seen.reader)
        tables = lookup.tables(content)
        byte_count = sum(lookup.table_stats(content, table.table_id).file_size_bytes for table in tables)
        yield seen.alias, format_bytes(byte_count), 0, 0, 0, 0, format_bytes(0), format_bytes(0), None


def format_bytes(byte_count: int) -> str:
    """Return a number of bytes as DuckDB shows it.

    >>> format_bytes(1), format_bytes(999), format_bytes(1536), format_bytes(5 * 2**30)
    ('1 byte', '999 bytes', '1.5 KiB', '5.0 GiB')
    """
    if byte_count < 1024:
        return "1 byte" if byte_count == 1 else f"{byte_count} bytes"
    power = min((byte_count.bit_length() - 1) // 10, 5)
    whole, rest = divmod(byte_count // 1024 ** (power - 1), 1024)
    return f"{whole}.{rest * 10 // 1024} {'KMGTP'[power - 1]}iB"


def _extensions(names: SessionNames) -> Iterator[tuple[Any, ...]]:
    for name, what in (("ducklake", "DuckLake's statements"), ("parquet", "Reading and writing Parquet files")):
        yield name, True, True, "(BUILT-IN)", what, [], __version__, "STATICALLY_LINKED", ""


_OF_RELATIONS: Final = ("duckdb_tables", "duckdb_views", "duckdb_columns")
_MORE_LISTED: Final[Mapping[str, ListRows]] = {
    "duckdb_databases": _metadata_databases,
    "duckdb_tables": _metadata_tables,
    "duckdb_columns": _view_columns,
}
_WITH_ARGUMENTS: Final[Mapping[str, Callable[[SessionNames, Sequence[Any], Mapping[str, Any] | None], Rows]]] = {
    "which_secret": _which_secret,
    "pragma_table_info": _table_info,
}
_OF_SESSION: Final[Mapping[str, tuple[tuple[Field, ...], ListRows]]] = {
    "duckdb_constraints": (
        listed_columns(
            "database_name database_oid:long schema_name schema_oid:long table_name table_oid:long"
            " constraint_index:long constraint_type constraint_text expression constraint_column_indexes:longs"
            " constraint_column_names:list constraint_name referenced_table referenced_column_names:list"
        ),
        _constraints,
    ),
    "duckdb_functions": (FUNCTION_COLUMNS, _functions),
    "duckdb_indexes": (
        listed_columns(
            "database_name database_oid:long schema_name schema_oid:long index_name index_oid:long table_name"
            " table_oid:long comment tags:map is_unique:bool is_primary:bool expressions sql"
        ),
        _none,
    ),
    "duckdb_sequences": (
        listed_columns(
            "database_name database_oid:long schema_name schema_oid:long sequence_name sequence_oid:long comment"
            " tags:map temporary:bool start_value:long min_value:long max_value:long increment_by:long cycle:bool"
            " last_value:long sql"
        ),
        _none,
    ),
    "duckdb_types": (TYPE_COLUMNS, _types),
    "duckdb_settings": (listed_columns("name value description input_type scope aliases:list"), _settings),
    "duckdb_secrets": (listed_columns("name type provider persistent:bool storage scope:list secret_string"), _secrets),
    "pragma_database_size": (
        listed_columns(
            "database_name database_size block_size:long total_blocks:long used_blocks:long free_blocks:long wal_size"
            " memory_usage memory_limit"
        ),
        _sizes,
    ),
    "pragma_version": (listed_columns("library_version source_id codename"), _version),
    "duckdb_extensions": (
        listed_columns(
            "extension_name loaded:bool installed:bool install_path description aliases:list extension_version"
            " install_mode installed_from"
        ),
        _extensions,
    ),
}
