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

_CATALOG: Final = "forklake.LakeCatalog"
_SOURCES: Final = Path(__file__).with_name("java")
_LOADER: Final = "org.apache.spark.util.MutableURLClassLoader"
_loading: Final = threading.Lock()


def load_classes(spark: SparkSession) -> Any:
    """Return the class of catalogs in the Java process of a session.

    The first call compiles and loads it, which takes a second or so. Executors do not need it.

    Raises:
        EngineError: This release of Spark is not known, or does not compile it.
    """
    version = spark.version
    if version.rpartition(".")[0] not in VERSIONS:
        raise EngineError(
            f"Catalogs can be attached to Spark {', '.join(VERSIONS)}, not to Spark {version}; nothing was attached.",
            hint="Catalog.sql() and Table.dataframe() work with every Spark that forklake can be installed with.",
        )
    jvm = cast("Any", spark)._jvm
    with _loading:
        loader = _shared_loader(jvm)
        try:
            jvm.java.lang.Class.forName(_CATALOG, True, loader)
        except Py4JJavaError:
            loader.addURL(jvm.java.io.File(_compile(jvm, loader)).toURI().toURL())
    return jvm.forklake.LakeCatalog


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


def _compile(jvm: Any, loader: Any) -> str:
    """Compile the source into a JAR file that goes with this process; return its path."""
    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(loader)
    compiler.setTargetVersion(8)
    try:
        compiler.cook((_SOURCES / "LakeCatalog.java").read_text(encoding="utf-8"))
    except Py4JJavaError as error:
        reason = error.java_exception.getMessage()
        raise EngineError(f"Spark could not compile what attaches catalogs; nothing was attached: {reason}") from error
    directory = tempfile.mkdtemp(prefix="forklake-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    path = Path(directory) / "forklake.jar"
    classes = compiler.getBytecodes()
    with zipfile.ZipFile(path, "w") as jar:
        for name in classes:
            jar.writestr(f"{name.replace('.', '/')}.class", bytes(classes[name]))
    return str(path)
