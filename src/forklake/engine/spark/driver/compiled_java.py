"""Java classes of our own, compiled by the compiler that comes with Spark."""

from __future__ import annotations

import threading
from typing import Any, Final

from pyspark.sql import SparkSession

_compiling: Final = threading.Lock()
_compiled: dict[tuple[Any, str], Any] = {}
"""The objects, by the connection to the JVM that has them, which is the last one, and their classes."""


def java_object(spark: SparkSession, name: str, *sources: str) -> Any:
    """Return an object of a Java class, which is compiled once per JVM.

    Args:
        spark: A session with a JVM in reach.
        name: The class, which has a constructor without arguments.
        sources: Its source, and before it those that it uses.

    Raises:
        Py4JError: Spark's internals are not as expected.
    """
    gateway: Any = spark.sparkContext._gateway
    with _compiling:
        found = _compiled.get((gateway, name))
        if found is None:
            loader = gateway.jvm.java.lang.Thread.currentThread().getContextClassLoader()
            for source in sources:
                compiler = gateway.jvm.org.codehaus.janino.SimpleCompiler()
                compiler.setParentClassLoader(loader)
                compiler.cook(source)
                loader = compiler.getClassLoader()
            none = gateway.new_array(gateway.jvm.java.lang.Class, 0)
            nothing = gateway.new_array(gateway.jvm.java.lang.Object, 0)
            found = loader.loadClass(name).getConstructor(none).newInstance(nothing)
            for known in [key for key in _compiled if key[0] is not gateway]:
                del _compiled[known]
            _compiled[gateway, name] = found
        return found
