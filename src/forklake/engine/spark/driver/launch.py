"""The start of the Java process that Spark runs in.

PySpark can start it too, but loses the process if it is interrupted meanwhile, and lets Java write messages
to standard error that mean nothing to users.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import struct
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE, Popen
from typing import IO, Any, Final, cast

from pyspark import SparkContext
from pyspark.find_spark_home import _find_spark_home
from pyspark.java_gateway import launch_gateway

from forklake.engine.spark.driver.environment import environment
from forklake.engine.spark.driver.gateway import end
from forklake.errors import EngineError

_POLL_SECONDS: Final = 0.02
_LAST_WORDS_SECONDS: Final = 1.0
_NOISE: Final = re.compile(r"WARNING: Using incubator modules: |(NOTE: )?Picked up \w+: ")
"""What every Java says that is started so, or with options in the environment."""


class Java:
    """A Java process while Spark starts in it; its output is held back until `show`."""

    def __init__(self, process: Popen[bytes]) -> None:
        self._process = process
        self._held: bytearray | None = bytearray()
        self._lock = threading.Lock()
        assert process.stderr is not None
        self._listener = threading.Thread(
            target=self._listen, args=(process.stderr,), name="forklake-java", daemon=True
        )
        self._listener.start()

    def output(self) -> str:
        """Return what the process wrote before it ended, without what every Java writes."""
        self._listener.join(_LAST_WORDS_SECONDS)  # a child of it may still have the pipe
        with self._lock:
            return _filter_noise(bytes(self._held or b""))

    def show(self) -> None:
        """Copy the process's output to standard error: what it wrote, and what it will."""
        with self._lock:
            held, self._held = self._held, None
            _write(_filter_noise(bytes(held or b"")).encode())

    def _listen(self, stream: IO[bytes]) -> None:
        with suppress(OSError, ValueError), stream:
            while said := os.read(stream.fileno(), 65536):
                with self._lock:
                    if self._held is None:
                        _write(said)
                    else:
                        self._held += said


def launch(settings: Mapping[str, str]) -> Java:
    """Start a Java process with settings of Spark, and connect PySpark to it.

    If anything fails, and on an interrupt, the process is ended and PySpark has no connection.

    Raises:
        EngineError: The process ended by itself; the message has its output.
    """
    with tempfile.TemporaryDirectory(prefix="forklake-") as directory:
        place = Path(directory, "connection")
        process = None
        try:
            process = Popen(
                _command(settings),
                stdin=PIPE,  # it ends when this process does, and the pipe breaks
                stderr=PIPE,
                env=os.environ | {"SPARK_CONNECT_MODE": "0", "_PYSPARK_DRIVER_CONN_INFO_PATH": str(place)},
                process_group=0,  # an interrupt from the keyboard is for this process
            )
            java = Java(process)
            while not place.exists():
                if process.poll() is not None:
                    raise EngineError(java.output().strip() or f"Java ended with status {process.returncode}.")
                time.sleep(_POLL_SECONDS)
            _connect(process, *_connection(place.read_bytes()))
        except BaseException:
            if process is not None:
                kill(process)
            raise
    return java


def kill(process: Popen[bytes]) -> None:
    """End a Java process at once, with all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    end(process)


def _command(settings: Mapping[str, str]) -> list[str]:
    conf = [part for key, value in settings.items() for part in ("--conf", f"{key}={value}")]
    rest = shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", "pyspark-shell"))
    return [str(Path(_find_spark_home(), "bin", "spark-submit")), *conf, *rest]


def _connection(told: bytes) -> tuple[int, str]:
    """Return Java's port and the secret that it requires."""
    port, length = struct.unpack_from(">ii", told)
    return port, told[8 : 8 + length].decode()


def _connect(process: Popen[bytes], port: int, secret: str) -> None:
    with environment(PYSPARK_GATEWAY_PORT=str(port), PYSPARK_GATEWAY_SECRET=secret):
        gateway = cast("Any", launch_gateway)()
    gateway.proc = process
    SparkContext._gateway, SparkContext._jvm = gateway, gateway.jvm


def _filter_noise(said: bytes) -> str:
    lines = said.decode(errors="replace").splitlines(keepends=True)
    return "".join(line for line in lines if not _NOISE.match(line))


def _write(said: bytes) -> None:
    with suppress(OSError):  # there may be nobody to tell it to
        os.write(2, said)
