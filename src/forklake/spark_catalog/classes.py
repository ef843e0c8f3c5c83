"""The Java half of attached catalogs: compiled by Spark, and loaded."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import threading
import zipfile
from pathlib import Path
from typing import Any, Final, cast

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from forklake.errors import EngineError

VERSIONS: Final = ("4.1", "4.2", "4.3")
"""The releases of Spark whose inner parts the Java half knows."""

_CATALOG: Final = "LakeCatalog"
_VIEW_CATALOG: Final = "LakeViewCatalog"
_WITHOUT_VIEWS: Final = frozenset({"4.1"})
_PACKAGE: Final = "forklake"
OWN_CLASSES: Final = f"{_PACKAGE}."
"""How the names of our classes begin."""

_SOURCES: Final = Path(__file__).with_name("java")
_LOADER: Final = "org.apache.spark.util.MutableURLClassLoader"
_loading: Final = threading.Lock()


def load_classes(spark: SparkSession) -> Any:
    """Return the class of catalogs in the Java process of a session.

    The first call compiles and loads it, which takes a second or so. Executors do not need it.

    Raises:
        EngineError: This release of Spark is not known, or does not compile it.
    """
    if not is_known(spark):
        raise EngineError(
            f"Catalogs can be attached to Spark {', '.join(VERSIONS)}, not to Spark {spark.version}; nothing was"
            " attached.",
            hint="Catalog.sql() and Table.dataframe() work with every Spark that forklake can be installed with.",
        )
    for name in _classes(spark):
        load_class(spark, _SOURCES / f"{name}.java")
    return cast("Any", spark)._jvm.forklake.LakeCatalog


def is_known(spark: SparkSession) -> bool:
    """Return whether the Java half knows the inner parts of a session's Spark."""
    return _release(spark) in VERSIONS


def load_class(spark: SparkSession, source: Path) -> Any:
    """Return the class of a source file in the Java process of a session.

    The first call compiles and loads it.

    Raises:
        EngineError: Spark does not compile it.
    """
    jvm = cast("Any", spark)._jvm
    name = f"{_PACKAGE}.{source.stem}"
    with _loading:
        loader = _shared_loader(jvm)
        try:
            jvm.java.lang.Class.forName(name, True, loader)
        except Py4JJavaError:
            loader.addURL(jvm.java.io.File(_compile(jvm, loader, source)).toURI().toURL())
    return getattr(jvm.forklake, source.stem)


def catalog_class(spark: SparkSession) -> str:
    """Return the name of the class of catalogs that the release of a session can have."""
    return f"{_PACKAGE}.{_classes(spark)[-1]}"


def _classes(spark: SparkSession) -> tuple[str, ...]:
    return (_CATALOG,) if _release(spark) in _WITHOUT_VIEWS else (_CATALOG, _VIEW_CATALOG)


def _release(spark: SparkSession) -> str:
    return spark.version.rpartition(".")[0]


def _shared_loader(jvm: Any) -> Any:
    """Return the class loader that all threads of the driver have above theirs.

    What is added to the loader of one thread is not found by older threads.
    """
    found = loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    while loader is not None:
        if loader.getClass().getName() == _LOADER:
            found = loader
        loader = loader.getParent()
    return found


def _compile(jvm: Any, loader: Any, source: Path) -> str:
    """Compile a source into a JAR file that goes with this process; return its path."""
    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(loader)
    compiler.setTargetVersion(8)
    try:
        compiler.cook(source.read_text(encoding="utf-8"))
    except Py4JJavaError as error:
        reason = error.java_exception.getMessage()
        raise EngineError(f'Spark could not compile "{source.name}"; nothing was done: {reason}') from error
    directory = tempfile.mkdtemp(prefix="forklake-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    path = Path(directory) / "forklake.jar"
    classes = compiler.getBytecodes()
    with zipfile.ZipFile(path, "w") as jar:
        for made in classes:
            jar.writestr(f"{made.replace('.', '/')}.class", bytes(classes[made]))
    return str(path)
