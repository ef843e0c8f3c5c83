"""The statement ATTACH: its options, and the catalog that they name."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from forklake.catalog import versions
from forklake.catalog.limits import check_not_lapsed
from forklake.catalog.moments import TagName, read_time
from forklake.catalog.names import check_new_catalog
from forklake.errors import ConfigError, InvalidInputError, InvalidPathError, MetastoreVersionError, NotFoundError
from forklake.lake import Catalog, Lake
from forklake.lake.internals import runtime_of
from forklake.lake.lake import open_lake
from forklake.metastore.location import (
    embedded_path,
    is_postgres_words,
    lake_key,
    with_database_kind,
    with_metadata_schema,
    with_postgres_words,
)
from forklake.metastore.queries.catalogs import catalog_by_name
from forklake.model.flags import read_flag
from forklake.model.hint import ImportCatalog, UpgradeLake
from forklake.model.ids import CatalogId
from forklake.model.names import fold
from forklake.model.option_rules import normalise
from forklake.model.quoting import quote_text
from forklake.ops.catalogs.list_catalogs import main_catalog
from forklake.ops.lakes.lake_exists import lake_exists
from forklake.ops.lakes.runtime import Setup
from forklake.session.names.attached_catalogs import AttachedCatalog, Attachments, check_names
from forklake.session.safety.confinement import Policy, missing_catalog_error
from forklake.session.safety.secrets import Secrets
from forklake.sql.statements import Attach

_OPTIONS: Final = (
    "catalog",
    "catalog_id",
    "catalog_path",
    "create_if_not_exists",
    "data_path",
    "data_inlining_row_limit",
    "encrypted",
    "meta_secret",
    "meta_type",
    "metadata_catalog",
    "metadata_path",
    "metadata_schema",
    "migrate_if_required",
    "automatic_migration",
    "override_data_path",
    "read_only",
    "read_write",
    "snapshot_time",
    "snapshot_version",
    "tag",
    "type",
    "write_deletion_vectors",
)
_PREFIX: Final = "ducklake:"
_SECRET: Final = re.compile("[A-Za-z0-9_]+")
"""What DuckLake takes for the name of a secret."""
_LISTED: Final = 5
_ID_BITS: Final = 63
"""Ids of catalogs have no more bits."""
"""How many catalogs are named to somebody who named none."""


def attach(
    statement: Attach,
    attachments: Attachments,
    secrets: Secrets,
    setup: Setup,
    policy: Policy,
) -> None:
    """Open the catalog that an ATTACH names, and attach it.

    IF NOT EXISTS does nothing if the name is taken. A lake that is opened now gets the Spark session and the
    settings of the SQL session; a lake that is already open keeps its own.

    Raises:
        InvalidInputError: An option is not known, has a wrong value, or the catalog is not named and not the only one.
        NotFoundError: There is no such file or catalog, and it is not to be created.
        AlreadyExistsError: The name is taken.
        PermissionDeniedError: The session is confined, and an option would make or open something.
    """
    if not statement.url.lower().startswith(_PREFIX) and str(statement.options.get("type", "")).lower() != "ducklake":
        raise InvalidInputError(
            "Only catalogs of lakes can be attached.",
            hint="ATTACH 'ducklake:lake.db' AS lake (CATALOG 'name')",
        )
    policy.check_attach(statement.options)
    home = policy.home()
    rest = statement.url[len(_PREFIX) :] if statement.url.lower().startswith(_PREFIX) else statement.url
    given = _check_options(statement.options)
    kept = {} if policy.is_confined else secrets.options_for(rest, is_needed=home is None)
    options = {**kept, **given}
    path = with_database_kind(str(options.get("metadata_path") or rest), str(options.get("meta_type") or ""))
    url = _with_secret(path, options, secrets, policy)
    if not url and home is None:
        raise InvalidInputError(
            "The metadata path is not set.", hint="ATTACH 'ducklake:path', or create a secret with a metadata_path."
        )
    if not kept and home is None and _SECRET.fullmatch(url) and not os.path.exists(url):
        raise NotFoundError(
            f'Secret "{url}" was not found; nothing was attached.',
            hint=f"A file of that name is written './{url}'; other paths have a dot or a slash.",
        )
    alias = _default_alias(url, options) if statement.alias is None else statement.alias
    replaced = attachments.find(alias)
    if replaced is not None and statement.if_not_exists:
        return
    opened = _AttachRequest(url, options, home)
    # Before a store or a catalog is made for it.
    check_names(alias, opened.metadata_catalog(alias))
    attachments.check_free(alias, opened.metadata_catalog(alias), or_replace=statement.or_replace)
    lake = policy.open_lake(opened.key) or attachments.lake(opened.key, lambda: opened.lake(alias, setup))
    try:
        attachments.add(opened.open_catalog(alias, lake, policy), or_replace=statement.or_replace)
    except BaseException:
        attachments.close_unused(opened.key)
        raise
    if replaced is not None:
        attachments.close_unused(replaced.url)


def _with_secret(url: str, options: Mapping[str, Any], secrets: Secrets, policy: Policy) -> str:
    """Return the URL of a store, completed by a secret of type postgres.

    What the URL says comes first. Without META_SECRET, the unnamed secret completes libpq words.

    Raises:
        NotFoundError: There is no such secret.
        InvalidInputError: A secret is named for another kind of URL.
    """
    named = options.get("meta_secret")
    if policy.is_confined or (named is None and not is_postgres_words(url)):
        return url
    if not is_postgres_words(url):
        raise InvalidInputError(
            "META_SECRET completes the words of 'ducklake:postgres:...', not another URL; nothing was attached."
        )
    return with_postgres_words(url, secrets.postgres_words(None if named is None else str(named)))


def _check_options(options: Mapping[str, Any]) -> dict[str, Any]:
    for name in options:
        if name.startswith("meta_") and name not in ("meta_secret", "meta_type"):
            raise InvalidInputError(
                f"Not implemented Error: Unsupported option {name} for DuckLake: META_ options are for a metadata"
                " database that DuckDB opens; nothing was attached.",
                hint="Say it in the URL of the lake, as in 'ducklake:postgresql://host/database?sslmode=require'.",
            )
        if name not in _OPTIONS:
            raise InvalidInputError(
                f"Not implemented Error: Unsupported option {name} for DuckLake; nothing was attached.",
                hint=f"Options: {', '.join(_OPTIONS)}.",
            )
    if "catalog" in options and "catalog_id" in options:
        raise InvalidInputError("Cannot specify both CATALOG and CATALOG_ID; nothing was attached.")
    return dict(options)


class _AttachRequest:
    """The options of one ATTACH, and the steps that carry it out."""

    def __init__(self, url: str, options: Mapping[str, Any], home: Lake | None) -> None:
        self.options = options
        schema = self.text("metadata_schema")
        if not url and schema is not None:
            raise InvalidInputError("METADATA_SCHEMA needs the URL of a lake; nothing was attached.")
        self.url = url if schema is None else with_metadata_schema(url, schema)
        self.path = embedded_path(url) if url else None
        self.key = runtime_of(home).key if home is not None and not url else lake_key(self.url)
        self.pin = self._pin()
        if self.flag("read_only") and self.flag("read_write"):
            raise InvalidInputError("A catalog cannot be attached both READ_ONLY and READ_WRITE.")
        self.read_only = self.flag("read_only") or self.pin is not None
        self.creates = self.flag("create_if_not_exists") and not self.read_only
        self.may_create = not self.read_only and (self.creates or "create_if_not_exists" not in options)
        # The secret may name another catalog.
        wanted = options.get("catalog_id", options.get("catalog"))
        self.wanted: CatalogId | str | None = None if wanted is None or wanted == "" else str(wanted)
        if isinstance(wanted, int) and not isinstance(wanted, bool):
            self.wanted = CatalogId(wanted)

    def flag(self, name: str) -> bool:
        """Return an option that is true or false."""
        value = self.options.get(name, False)
        found = read_flag(value)
        if found is None:
            raise InvalidInputError(f'The option {name.upper()} is true or false, not "{value}".')
        return found

    def text(self, name: str) -> str | None:
        """Return an option that is a text."""
        value = self.options.get(name)
        return None if value is None else str(value)

    def metadata_catalog(self, alias: str) -> str:
        """Return the name of the metadata catalog, which holds the metadata tables."""
        return self.text("metadata_catalog") or f"__ducklake_metadata_{alias}"

    def _pin(self) -> int | datetime | TagName | None:
        version, time, tag = (self.options.get(name) for name in ("snapshot_version", "snapshot_time", "tag"))
        given = [one for one in (version, time, tag) if one is not None]
        if len(given) > 1:
            raise InvalidInputError("Cannot specify both VERSION and TIMESTAMP" + ("" if tag is None else ", or a TAG"))
        if given and self.options.get("read_write"):
            raise InvalidInputError("SNAPSHOT_VERSION / SNAPSHOT_TIME can only be used in read-only mode")
        if tag is not None:
            return TagName(str(tag))
        if version is not None:
            if not str(version).isdecimal():
                raise InvalidInputError(f'SNAPSHOT_VERSION is the number of a snapshot, not "{version}".')
            return int(version)
        return None if time is None else read_time(time)

    def lake(self, alias: str, setup: Setup) -> Lake:
        """Open the lake; a file that is new is made."""
        if self.path is not None and not lake_exists(self.url):
            self._check_new_file(alias)
        try:
            return open_lake(self.url, setup, self.text("data_path"))
        except InvalidPathError as error:
            if not self.flag("override_data_path"):
                raise InvalidPathError(
                    f"{error.message}\nYou can override the DATA_PATH by setting OVERRIDE_DATA_PATH to True."
                ) from error
            return open_lake(self.url, setup)
        except MetastoreVersionError as error:
            if isinstance(error.advice, UpgradeLake | ImportCatalog):
                raise
            silently = "Nothing is made or migrated silently: see `forklake init` and `forklake catalog import`."
            raise MetastoreVersionError(error.message, hint=silently) from error

    def open_catalog(self, alias: str, lake: Lake, policy: Policy) -> AttachedCatalog:
        """Find or create the catalog in the lake."""
        self._check_data_path(lake)
        names = ("data_inlining_row_limit", "write_deletion_vectors")
        try:
            overrides = {name: normalise(name, self.options[name]) for name in names if name in self.options}
        except ValueError as error:
            raise InvalidInputError(f"{error} Nothing was attached.") from error
        catalog = self._catalog(alias, lake, policy)
        catalog = policy.lasting.sign(Catalog(runtime_of(catalog).with_options(overrides), catalog.catalog_id))
        self._check_encryption(catalog)
        if self.pin is not None:
            catalog = catalog.at(self.pin)
        if not self.read_only:
            store = runtime_of(lake).store
            check_not_lapsed(
                store,
                versions.head_by_id(store, catalog.catalog_id),
                "it can only be attached read-only",
            )
        return AttachedCatalog(
            alias,
            self.key,
            lake,
            catalog,
            self.read_only or policy.is_read_only(lake, catalog),
            self.metadata_catalog(alias),
            self.text("metadata_schema") or "main",
        )

    def _check_data_path(self, lake: Lake) -> None:
        wanted = self.text("data_path")
        if wanted is None or lake.data_path is None or self.flag("override_data_path"):
            return
        if os.path.join(os.path.abspath(wanted), "") != lake.data_path and wanted.rstrip("/") != lake.data_path[:-1]:
            raise InvalidPathError(
                f'DATA_PATH parameter "{wanted}" does not match existing data path in the catalog "{lake.data_path}".\n'
                "You can override the DATA_PATH by setting OVERRIDE_DATA_PATH to True."
            )

    def _check_new_file(self, alias: str) -> None:
        """Check that a lake may be made in a file that is not there yet.

        Raises:
            NotFoundError: It must not be made, or could not hold what is asked for.
            InvalidNameError: The catalog that it would get cannot have its name.
        """
        if not self.may_create or isinstance(self.wanted, int):
            advice = "READ_ONLY makes nothing" if self.read_only else "CREATE_IF_NOT_EXISTS says so"
            if isinstance(self.wanted, int):
                advice = "a lake that is made now has no catalog of that id: name one"
            raise NotFoundError(
                f'Existing DuckLake at metadata catalog "{self.url}" does not exist - and creating a new DuckLake is'
                " explicitly disabled",
                hint=f"Is the path right? Nothing was made: {advice}.",
            )
        check_new_catalog(self.wanted or alias)

    def _catalog(self, alias: str, lake: Lake, policy: Policy) -> Catalog:
        if isinstance(self.wanted, int) and self.wanted.bit_length() > _ID_BITS:
            raise missing_catalog_error(self.wanted)
        if policy.is_confined:
            return policy.attachable_catalog(lake, self.wanted)
        if self.wanted is None:
            return self._only_catalog(alias, lake)
        if isinstance(self.wanted, int):
            found = Catalog(runtime_of(lake), self.wanted)
            try:
                found.inspect.info  # noqa: B018 - a catalog that is not there is refused here
            except NotFoundError as error:
                raise missing_catalog_error(self.wanted) from error
            return found
        try:
            return lake.catalog(self.wanted)
        except NotFoundError as error:
            is_new = self.may_create and runtime_of(lake).store.is_embedded and not lake.catalogs(limit=1)
            if not self.creates and not is_new:
                raise missing_catalog_error(self.wanted) from error
        return self._create(lake, self.wanted)

    def _only_catalog(self, alias: str, lake: Lake) -> Catalog:
        """Return the catalog of a file that is meant where none is named.

        A file that has none gets one, named as the alias.

        Raises:
            InvalidInputError: The database is shared, holds several, or another one has the name of the alias.
            NotFoundError: It holds none, and none is to be made.
        """
        required = "CATALOG is required. Please provide CATALOG when attaching the database."
        if not runtime_of(lake).store.is_embedded:
            raise InvalidInputError(required, hint="Many share this database; CATALOG 'name' says which catalog.")
        main = main_catalog(runtime_of(lake))
        if main is not None and fold(main.name) == fold(alias):
            return lake.catalog(main.name)
        found = lake.catalogs(limit=_LISTED + 1)
        if len(found) > 1 and (main is None or catalog_by_name(runtime_of(lake).store, alias) is not None):
            names = ", ".join([quote_text(one.name) for one in found[:_LISTED]] + ["..."] * (len(found) > _LISTED))
            raise InvalidInputError(required, hint=f"The lake holds several: {names}.")
        if main is None and not self.may_create:
            raise NotFoundError(
                f'The lake "{self.url}" holds no catalog, and none was made.',
                hint="CREATE_IF_NOT_EXISTS true makes one; READ_ONLY makes nothing.",
            )
        return self._create(lake, alias) if main is None else lake.catalog(main.name)

    def _create(self, lake: Lake, name: str) -> Catalog:
        where = self.text("catalog_path")
        data_path, at_base = None, False
        if where is not None:
            if lake.data_path is None:
                raise ConfigError("CATALOG_PATH needs a DATA_PATH.")
            data_path, at_base = os.path.normpath(os.path.join(lake.data_path, where)), True
        return lake.create_catalog(
            name, data_path=data_path, at_base=at_base, encrypted=self.flag("encrypted"), if_not_exists=True
        )

    def _check_encryption(self, catalog: Catalog) -> None:
        if "encrypted" not in self.options:
            return
        is_encrypted = any(option.key == "encrypted" and option.value == "true" for option in catalog.options.list())
        if self.flag("encrypted") != is_encrypted:
            words = ("unencrypted", "encrypted") if is_encrypted else ("encrypted", "unencrypted")
            said = "not encrypted" if not is_encrypted else "encrypted"
            raise InvalidInputError(
                f"Failed to set encryption - the database is {said} but we requested an {words[0]} database"
            )


def _default_alias(url: str, options: Mapping[str, Any]) -> str:
    """Return the alias of an ATTACH that names none.

    It is the name of the file; within an open lake, the name of the catalog.
    """
    if not url and isinstance(options.get("catalog"), str):
        return str(options["catalog"])
    path = embedded_path(url) if url else None
    if path is None:
        raise InvalidInputError("The catalog is attached under a name: ATTACH '...' AS name.")
    return path.name.split(".")[0]
