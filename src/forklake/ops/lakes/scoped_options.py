"""Options by scope: table, schema, catalog, lake, and the default.

The narrowest scope wins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Final, Literal

from forklake.catalog.names import check_text
from forklake.catalog.places import catalog_directories
from forklake.errors import InvalidInputError
from forklake.metastore.queries import option_rows as options
from forklake.metastore.source import ask
from forklake.metastore.store import Session, Store
from forklake.model.ids import THE_LAKE, CatalogId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.option_rules import OPTIONS, normalise
from forklake.model.records import UNSAID, CommitInfo, Option
from forklake.ops.catalogs.log_deed import log_deed
from forklake.ops.lakes.relative_times import time_of_option

Scope = Literal["", "schema", "table"]

_NONE: Final[Mapping[str, str]] = MappingProxyType({})
_AGES: Final = ("delete_older_than", "expire_older_than")
_SOME_TIME: Final = datetime(2000, 1, 1)  # noqa: DTZ001 - an age is one at any time
_WORDS = {"": "catalog", "schema": "schema", "table": "table"}


def check_option(key: str, scope: Scope = "") -> str:
    """Return the key of an option that may be set in the scope.

    Raises:
        InvalidInputError: There is no such option, or it cannot be set there.
    """
    if key not in OPTIONS:
        raise InvalidInputError(f'Unsupported option "{key}".', hint=f"Options: {', '.join(OPTIONS)}.")
    if scope and OPTIONS[key].is_global:
        raise InvalidInputError(f"The '{key}' option can only be set globally, not for a specific schema or table")
    return key


def set_option(
    store: Store,
    catalog: CatalogId,
    key: str,
    value: object,
    scope: Scope = "",
    scope_id: int = -1,
    *,
    info: CommitInfo = UNSAID,
) -> None:
    """Set an option of a catalog (or of `THE_LAKE`), a schema or a table.

    It takes effect at once, makes no snapshot, and touches no other catalog; later forks start with it.
    """
    check_option(key, scope)
    try:
        text = normalise(key, value)
        check_text(f'value of option "{key}"', text)
        if key in _AGES and text:
            _check_age(key, text)
    except ValueError as error:
        raise InvalidInputError(f"{error} Nothing was set.") from error
    with store.writing() as session:
        options.write_option(session, catalog, options.OptionRow(key, text, scope, scope_id))
    log_deed(store, f"given option {key} = {text!r}{_place(scope, scope_id)}", catalog, info=info)


def _place(scope: Scope, scope_id: int) -> str:
    return f" of {scope} {scope_id}" if scope else ""


def _check_age(key: str, text: str) -> None:
    try:
        time_of_option(_SOME_TIME, text, "nothing was set")
    except InvalidInputError:
        raise ValueError(f'Option "{key}" is an age such as 7 days, not "{text}".') from None


def reset_option(
    store: Store, catalog: CatalogId, key: str, scope: Scope = "", scope_id: int = -1, *, info: CommitInfo = UNSAID
) -> None:
    """Remove an option, so that the next wider scope applies again."""
    check_option(key, scope)
    with store.writing() as session:
        options.forget_option(session, catalog, key, scope, scope_id)
    log_deed(store, f"freed of option {key}{_place(scope, scope_id)}", catalog, info=info)


def effective_option(store: Store, catalog: CatalogId, key: str, schema_id: int = -1, table_id: int = -1) -> str | None:
    """Return the value of an option for a table, a schema, or the catalog.

    The narrowest scope wins.
    """
    return effective_options(store, catalog, schema_id, table_id).get(check_option(key))


def effective_options(
    store: Store,
    catalog: CatalogId,
    schema_id: int = -1,
    table_id: int = -1,
    of_session: Mapping[str, str] = _NONE,
    session_defaults: Mapping[str, str] = _NONE,
    session_overrides: Mapping[str, str] = _NONE,
) -> dict[str, str]:
    """Return the values of all options for a table, a schema, or the catalog.

    Options that are not set are left out. Options that a session passed when it attached the catalog override the
    catalog's own, but not those of schemas and tables. What it has SET is a default, which applies where nothing else
    is set, or an override, which applies before all that is set. Beside the options there is ``encrypted``, which a
    catalog has from its creation on.
    """
    found = ask(store, options.options_in_scope(catalog, schema_id, table_id))
    return combine_options(found, of_session, session_defaults, session_overrides)


def combine_options(
    found: Sequence[options.OptionRow],
    of_session: Mapping[str, str] = _NONE,
    session_defaults: Mapping[str, str] = _NONE,
    session_overrides: Mapping[str, str] = _NONE,
) -> dict[str, str]:
    """Return what `effective_options` does, given what is stored.

    The widest scope comes first.
    """
    defaults = {key: kind.default for key, kind in OPTIONS.items() if kind.default is not None}
    wide = {option.key: option.value for option in found if option.scope == ""}
    narrow = {option.key: option.value for option in found if option.scope != ""}
    return defaults | dict(session_defaults) | wide | dict(of_session) | narrow | dict(session_overrides)


def options_within(store: Store, catalog: CatalogId, scope: Scope, schema_id: int, table_id: int) -> dict[str, str]:
    """Return the options of a table that are set in narrower scopes than one."""
    wider: tuple[Scope, ...] = ("", "schema", "table")
    narrower = wider[wider.index(scope) + 1 :]
    found = ask(store, options.options_in_scope(catalog, schema_id, table_id))
    return {option.key: option.value for option in found if option.scope in narrower}


@dataclass(frozen=True, slots=True)
class StoredOption:
    """A row of ``ducklake_metadata`` in DuckLake's form.

    ``scope`` is None for the whole catalog.
    """

    key: str
    value: str
    scope: str | None = None
    scope_id: int | None = None


def stored_options(store: Store | Session, lake_path: str | None, catalog: CatalogId) -> list[StoredOption]:
    """Return the options of a catalog and within it, and those it takes from the lake.

    Properties of both are included; ``data_path`` is the directory of the catalog. Options of the whole catalog
    come first.
    """
    found = options.options_with_lake(store, catalog)
    own = {option.key for option, owner in found if option.scope == "" and owner == catalog}
    hidden = {"forklake_version", "data_path", options.HOME} | own
    shown = [
        StoredOption(option.key, option.value, option.scope or None, option.scope_id if option.scope else None)
        for option, owner in found
        if owner == catalog or option.key not in hidden
    ]
    directory = catalog_directories(store, lake_path, {catalog}).get(catalog)
    return shown if directory is None else [StoredOption("data_path", directory), *shown]


def list_options(store: Store, catalog: CatalogId) -> list[Option]:
    """Return all options that are set for a catalog, its schemas and its tables."""
    found = options.options_of(store, catalog)
    return [
        Option(key, value, "lake" if catalog == THE_LAKE else _WORDS[scope], None if scope == "" else scope_id)
        for key, value, scope, scope_id in found
        if key != options.HOME
    ]
