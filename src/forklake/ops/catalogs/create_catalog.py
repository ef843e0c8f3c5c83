"""Creates a catalog."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from forklake import files
from forklake.catalog import paths
from forklake.catalog.names import check_new_catalog, directory
from forklake.errors import AlreadyExistsError, DataFileError, InvalidPathError
from forklake.metastore import limits, new_catalogs, procedures
from forklake.metastore.queries.catalogs import catalog_by_name
from forklake.metastore.queries.option_rows import OptionRow, write_options
from forklake.metastore.schema.own_bytes import bytes_of
from forklake.metastore.store import DuplicateKeyError, Store
from forklake.metastore.written_tables import SCHEMA
from forklake.model.hint import SetDataPath
from forklake.model.ids import THE_LAKE, CatalogId, SchemaId, SnapshotId
from forklake.model.lives import Terms
from forklake.model.placement import MadeCatalog, NewFork, Placement
from forklake.model.rows import SchemaRow
from forklake.ops.catalogs.catalog_terms import NO_TERMS
from forklake.ops.lakes.runtime import Runtime

_ENCRYPTED: Final = {"encrypted": "true", "write_bounds": "false", "data_inlining_row_limit": "0"}
"""Options that an encrypted catalog begins with."""


def create_catalog(
    runtime: Runtime,
    name: str,
    data_path: str | None = None,
    *,
    at_base: bool = False,
    encrypted: bool = False,
    if_not_exists: bool = False,
    terms: Terms = NO_TERMS,
) -> MadeCatalog:
    """Create a catalog with an empty schema ``main``.

    ``terms`` are its author, labels and lifetime. With ``if_not_exists``, a catalog that has the name is left as it
    is. Of several concurrent callers, one creates it.

    Its directory is chosen here, once: no other catalog had it before, and none will have it after. With
    ``at_base`` it is the base path itself, of which the catalog must be the only user. ``encrypted`` decides, for
    it and for its forks, whether files are encrypted. Its options say then that the metadata keeps no bounds and no
    inlined rows, which are in the clear; they can be set to others.

    Raises:
        AlreadyExistsError: A live catalog has the name, and that was not allowed.
        InvalidNameError: The name cannot be used.
        InvalidPathError: There is no data path, or it overlaps another catalog's directory.
    """
    store, lake_path = runtime.store, runtime.lake_path
    check_new_catalog(name)
    new, placement = place_new(lake_path, name, data_path, at_base=at_base)
    if encrypted:
        store.keep_private()
    try:
        with store.writing() as session:
            if placement.data_path is None and not at_base:
                session.lock_shared(THE_LAKE)
            else:
                session.lock_alone(THE_LAKE)
            new_catalogs.check_name_is_free(session, name)
            if new_catalogs.overlaps(session, placement):
                raise overlap_error(name, placement)
            catalog = CatalogId(session.take_ids("ducklake_catalog_id_seq", 1)[0])
            snapshot = SnapshotId(session.take_ids("ducklake_snapshot_id_seq", 1)[0])
            made_at = session.now()
            main = _main_schema()
            size = bytes_of(SCHEMA.described, main)
            new_catalogs.write_catalog(session, catalog, snapshot, made_at, new, placement, own_bytes=size)
            procedures.write_snapshot(session, catalog, snapshot, made_at, 0, None)
            procedures.write_changes(session, catalog, snapshot, 'created_schema:"main"', terms.author)
            objects = session.take_ids("ducklake_object_id_seq", 1)
            procedures.insert_rows(session, SCHEMA, [main], catalog, snapshot, objects)
            if encrypted:
                write_options(session, catalog, [OptionRow(key, value, "", -1) for key, value in _ENCRYPTED.items()])
            limits.write_terms(session, catalog, terms)
        return MadeCatalog(catalog, created=True)
    except DuplicateKeyError as error:
        found = catalog_by_name(store, name)
        if not if_not_exists or found is None:
            raise already_exists_error(name) from error
        return MadeCatalog(found.catalog_id, created=False)


def _main_schema() -> SchemaRow:
    return SchemaRow(
        schema_id=SchemaId(-1), schema_uuid=str(uuid.uuid4()), schema_name="main", path="main/", path_is_relative=True
    )


def place_new(
    lake_path: str | None, name: str, data_path: str | None, *, at_base: bool = False
) -> tuple[NewFork, Placement]:
    """Return the directory of a new catalog, and its name there.

    Below a data path of its own it is listed: what lies there already may be somebody else's, and what lies in the
    directory of a catalog is searched for orphans. Then, and if it cannot be listed, the uuid is the directory.

    Raises:
        InvalidPathError: There is no data path, or it contains the lake's.
    """
    if lake_path is None:
        raise InvalidPathError(
            f'Catalog "{name}" was not created: the lake has no data path yet.',
            hint=SetDataPath(),
        )
    placement = paths.place(lake_path, data_path, at_base=at_base)
    new_uuid = str(uuid.uuid4())
    new = NewFork(name, new_uuid, directory(name, new_uuid))
    if at_base:
        return new, placement
    paths.check_not_around(lake_path, placement, new.directory)
    own = f"{new_uuid}/"
    if placement.data_path is not None and new.directory != own and not _is_unused(placement.data_path + new.directory):
        new = replace(new, directory=own)
    return new, placement


def _is_unused(place: str) -> bool:
    try:
        return files.storage.is_empty(place)
    except (DataFileError, InvalidPathError):  # no storage is known for it, or none can be reached
        return False


@contextmanager
def refuse_taken_name(store: Store, name: str) -> Iterator[None]:
    """Refuse a name that a live catalog has, while a transaction gives it to another.

    A database tells of a key that is taken only when the transaction ends. A key that is doubled elsewhere is
    another fault, and stays one.

    Raises:
        AlreadyExistsError: A live catalog has the name.
    """
    try:
        yield
    except DuplicateKeyError as error:
        if catalog_by_name(store, name) is None:
            raise
        raise already_exists_error(name) from error


def already_exists_error(name: str) -> AlreadyExistsError:
    """Return the error for a name that a live catalog has."""
    return AlreadyExistsError(f"Catalog '{name}' already exists.", hint="Choose another name; nothing was created.")


def overlap_error(name: str, placement: Placement) -> InvalidPathError:
    """Return the error for a directory that overlaps another catalog's."""
    place = placement.data_path or "the lake's data path"
    return InvalidPathError(
        f'Catalog "{name}" was not created: "{place}" lies in, or contains, the directory of another catalog.',
        hint="Directories of catalogs never overlap; choose another data path.",
    )
