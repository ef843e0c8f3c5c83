"""PySpark's connection to its Java process: is it alive, and how to drop it.

PySpark has one connection for all sessions of a Python process, and keeps it even if the Java process is
gone: then no new session could be made, not even by the caller.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from subprocess import Popen, TimeoutExpired
from typing import Any, Final, cast

from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.sql import SparkSession, SQLContext

_PATIENCE_SECONDS: Final = 5.0
_losses = 0


def process() -> Popen[bytes] | None:
    """Return the Java process; None if there is none, or another process started it."""
    # Of a gateway, getattr would ask Java.
    found = vars(SparkContext._gateway).get("proc") if SparkContext._gateway is not None else None
    return cast("Popen[bytes] | None", found)


def has_ended() -> bool:
    """Return whether the Java process is known to have ended; no round trip."""
    java = process()
    return java is not None and java.poll() is not None


def is_lost() -> bool:
    """Return whether there is a connection, but no Java process behind it.

    That is certain only if the process has ended or refuses the connection: a busy Java may not answer, and
    this process may be out of file handles.
    """
    gateway = SparkContext._gateway
    if gateway is None or has_ended():
        return gateway is not None
    try:
        where = cast("Any", gateway).gateway_parameters
        socket.create_connection((where.address, where.port), _PATIENCE_SECONDS).close()
    except (ConnectionRefusedError, ConnectionResetError):
        return True
    except OSError:
        pass
    return False


def is_stopped() -> bool:
    """Return whether Spark has stopped itself without PySpark knowing.

    It does so if the cluster gives it up.
    """
    context = cast("Any", SparkContext._active_spark_context)
    try:
        return context is not None and context._jsc is not None and bool(context._jsc.sc().isStopped())
    except (Py4JError, ConnectionError):
        return False


def losses() -> int:
    """Return how often a connection was dropped."""
    return _losses


def forget() -> None:
    """Drop the connection, so that new sessions can be made.

    Its Java process is ended, and none of its sessions is running afterwards. Nothing is asked of Java, so this
    never fails or waits because of Java's state.
    """
    global _losses  # noqa: PLW0603 - one Java process for this one, as PySpark has it
    with SparkContext._lock:
        _losses += 1
        context, gateway, java = cast("Any", SparkContext._active_spark_context), SparkContext._gateway, process()
        if context is not None:
            of_java, context._jsc = context._jsc, None  # or Java would be asked to stop it
            context.stop()
            context._jsc = of_java  # who is in the middle of something shall find that nobody answers
        SparkContext._gateway = SparkContext._jvm = None
        SparkSession._instantiatedSession = SparkSession._activeSession = None
        SQLContext._instantiatedContext = None
    if java is not None:
        end(java)
    if gateway is not None:
        client = cast("Any", gateway)._gateway_client
        client.is_connected = False  # the objects of it that are left tell nobody when they go
        client.close()
        gateway.shutdown_callback_server()


def end(java: Popen[bytes]) -> None:
    """End a Java process at once, and close the streams to it."""
    java.kill()
    for stream in (java.stdin, java.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    with suppress(TimeoutExpired):
        java.wait(_PATIENCE_SECONDS)
