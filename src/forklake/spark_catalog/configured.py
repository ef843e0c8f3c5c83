"""Catalogs that the settings of a Spark session name."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Final, cast

from pyspark.sql import SparkSession

from forklake.catalog.moments import Moment, TagName
from forklake.errors import InvalidInputError, NotFoundError
from forklake.lake import Lake
from forklake.model.flags import read_flag
from forklake.model.names import nearest
from forklake.ops.lakes.lake_exists import lake_exists
from forklake.spark_catalog.attach import attach
from forklake.spark_catalog.attached_catalog import SparkCatalog

PREFIX: Final = "spark.forklake.catalog."
_LAKE, _CATALOG, _AT, _READ_ONLY = _KEYS = ("lake", "catalog", "at", "read_only")


def attach_configured(spark: SparkSession) -> dict[str, SparkCatalog]:
    """Attach all catalogs that the settings of a session name, or none.

    Raises:
        InvalidInputError: A setting is not known, has a value that is not understood, or a catalog has no lake.
        NotFoundError: There is no such lake, catalog or snapshot.
        AlreadyExistsError: The session has a catalog of the name already.
    """
    attached: dict[str, SparkCatalog] = {}
    try:
        for name, given in _read_settings(spark).items():
            attached[name] = _attach(spark, name, given)
    except BaseException:
        for done in attached.values():
            done.detach()
        raise
    return attached


def _read_settings(spark: SparkSession) -> dict[str, dict[str, str]]:
    """Return the settings of each catalog, by its name in the session."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    settings: dict[str, str] = cast("Any", spark.conf).getAll
    for setting, value in sorted(settings.items()):
        if not setting.startswith(PREFIX):
            continue
        name, _, key = setting.removeprefix(PREFIX).rpartition(".")
        if key not in _KEYS or not name:
            near = nearest(key, _KEYS)
            raise InvalidInputError(
                f'There is no setting "{setting}"; nothing was attached.',
                hint=(f'Did you mean "{near}"? ' if near else "") + f"{PREFIX}<name>. has {', '.join(_KEYS)}.",
            )
        found[name][key] = value
    return found


def _attach(spark: SparkSession, name: str, given: dict[str, str]) -> SparkCatalog:
    url = given.get(_LAKE)
    if url is None:
        raise InvalidInputError(f'The setting "{PREFIX}{name}.{_LAKE}" is missing; nothing was attached.')
    if not lake_exists(url):
        raise NotFoundError(
            f'Lake "{url}" of the setting "{PREFIX}{name}.{_LAKE}" does not exist; nothing was attached.'
        )
    text = given.get(_READ_ONLY, "false")
    read_only = read_flag(text)
    if read_only is None:
        raise InvalidInputError(
            f'The setting "{PREFIX}{name}.{_READ_ONLY}" is true or false, not "{text}"; nothing was attached.'
        )
    lake = Lake(url)
    try:
        catalog = given.get(_CATALOG, name)
        return attach(lake, spark, name, catalog, _moment(given.get(_AT)), read_only=read_only, owns_lake=True)
    except BaseException:
        lake.close()
        raise


def _moment(text: str | None) -> Moment | None:
    """Return the snapshot or the tag that a text names."""
    if text is None:
        return None
    return int(text) if text.isascii() and text.isdigit() else TagName(text)
