"""Attach a catalog of a lake to a Spark session, under a name of the session."""

from __future__ import annotations

import re
import secrets
from contextlib import suppress
from typing import Any, Final

from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import SparkSession

from forklake.catalog.moments import Moment
from forklake.connector.register import register
from forklake.engine.spark.driver.failures import SPARK_ERRORS
from forklake.engine.spark.driver.python_workers import name_python
from forklake.engine.spark.driver.session import is_remote
from forklake.errors import AlreadyExistsError, EngineError, InvalidInputError
from forklake.lake import Catalog, Lake
from forklake.lake.internals import is_past, runtime_of
from forklake.model.quoting import quote_spark_name
from forklake.spark_catalog.attached import Attached
from forklake.spark_catalog.attached_catalog import SparkCatalog
from forklake.spark_catalog.bridge import Bridge
from forklake.spark_catalog.classes import OWN_CLASSES, catalog_class, load_classes
from forklake.spark_catalog.statements import Statements

_NAME: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_SETTING: Final = "spark.sql.catalog."
_SPARKS_OWN: Final = frozenset({"spark_catalog", "system", "session", "builtin", "global_temp"})


def attach(
    lake: Lake,
    spark: SparkSession | None,
    name: str | None,
    catalog: Catalog | str,
    moment: Moment | None,
    *,
    read_only: bool,
    owns_lake: bool = False,
) -> SparkCatalog:
    """Attach a catalog; see `Lake.attach`."""
    found = lake.catalog(catalog) if isinstance(catalog, str) else catalog
    if runtime_of(found).key != runtime_of(lake).key:
        raise InvalidInputError(f"{found!r} is a catalog of another lake; nothing was attached.")
    session = lake.spark if spark is None else spark
    if is_remote(session):
        raise EngineError(
            "A catalog cannot be attached to a session of Spark Connect, whose Java process cannot be reached; nothing"
            " was attached.",
            hint='Read and write tables as format "forklake" there: see forklake.register().',
        )
    name_python(session)
    alias = (catalog if isinstance(catalog, str) else found.name) if name is None else name
    classes = load_classes(session)
    _check_free(session, alias)
    of_session = lake.using(session)
    used = Catalog(runtime_of(of_session), found.catalog_id, name=found.name)
    if is_past(found):
        moment = found.head if moment is None else found.at(moment).head
    shown = used if moment is None else used.at(moment)
    # Whoever knows the token can ask as this session does, so nobody may guess it.
    token = secrets.token_hex(16)
    attached = Attached(alias, token, session, shown, runtime_of(of_session), Statements(shown), read_only=read_only)
    _register(session, classes, attached)
    register(session)
    return SparkCatalog(attached, classes, lake if owns_lake else None)


def _check_free(spark: SparkSession, name: str) -> None:
    """Refuse names that Spark cannot have, or has already."""
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        raise InvalidInputError(
            f"{name!r} cannot be the name of a catalog in Spark; nothing was attached.",
            hint='Name it with letters, digits and "_": lake.attach(spark, as_="shop", catalog=...).',
        )
    set_to = spark.conf.get(f"{_SETTING}{name}", None)
    if (
        set_to is not None
        and set_to.startswith(OWN_CLASSES)
        and spark.conf.get(f"{_SETTING}{name}.bridge", None) is None
    ):
        raise AlreadyExistsError(
            f'The setting {_SETTING}{name} names a class of ours, "{set_to}"; a setting alone attaches no catalog, and'
            " nothing was attached.",
            hint="Leave out the setting: attach() sets it.",
        )
    listed = [found.name for found in spark.catalog.listCatalogs()]
    if name.lower() in _SPARKS_OWN or name in listed or set_to is not None:
        raise AlreadyExistsError(
            f'The Spark session has a catalog "{name}" already; nothing was attached.',
            hint="Give another name with as_, or detach the other one first.",
        )


def _register(spark: SparkSession, classes: Any, attached: Attached) -> None:
    session: Any = spark
    ensure_callback_server_started(session._sc._gateway)  # type: ignore[no-untyped-call]
    classes.register(attached.token, Bridge(attached))
    classes.install(session._jsparkSession)
    setting = f"{_SETTING}{attached.name}"
    spark.conf.set(f"{setting}.bridge", attached.token)
    spark.conf.set(setting, catalog_class(spark))
    try:
        # Loaded now: a class that cannot be loaded is told here, and SHOW CATALOGS knows it.
        spark.sql(f"SHOW SCHEMAS IN {quote_spark_name(attached.name)}")
    except SPARK_ERRORS as error:
        classes.unregister(attached.token)
        _forget(spark, classes, attached.name)
        raise EngineError(f'Spark could not load catalog "{attached.name}"; nothing was attached: {error}') from error


def take_out(attached: Attached, classes: Any) -> None:
    """Take an attached catalog out of its session; twice does no harm."""
    spark: Any = attached.spark
    with suppress(*SPARK_ERRORS):  # a session that is gone has no catalogs
        classes.unregister(attached.token)
        # Another catalog may have the name by now.
        if spark.conf.get(f"{_SETTING}{attached.name}.bridge", None) == attached.token:
            if spark.catalog.currentCatalog() == attached.name:
                spark.catalog.setCurrentCatalog("spark_catalog")
            _forget(spark, classes, attached.name)


def _forget(spark: SparkSession, classes: Any, name: str) -> None:
    """Take a name out of a session's catalogs."""
    session: Any = spark
    session.conf.unset(f"{_SETTING}{name}")
    session.conf.unset(f"{_SETTING}{name}.bridge")
    classes.forget(session._jsparkSession, name)
