"""Servers on this machine's loopback addresses, as real as those of a data centre: an object store, a Spark cluster.

They end with the block that started them, and with the process that started them, however that ends.
"""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

from tests.java import with_archive

START_TIMEOUT_SECONDS = 60
STOP_TIMEOUT_SECONDS = 15
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux


@contextmanager
def object_store(directory: Path) -> Iterator[str]:
    """Run moto, which speaks S3; give the URL of its endpoint. It takes any credentials, and forgets all at the end."""
    port = free_port()
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with _serving(command, directory / "moto.log", os.environ):
        _await("127.0.0.1", port, directory / "moto.log")
        yield f"http://127.0.0.1:{port}"


@contextmanager
def spark_cluster(directory: Path, *, workers: int = 2) -> Iterator[str]:
    """Run a standalone master and workers of one core each, from PySpark's package; give the master's URL.

    Each worker has a loopback address of its own, since Spark tries a slow task again on another host only.
    """
    spec = find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    home = Path(spec.origin).parent
    environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"}
    environment["SPARK_DAEMON_JAVA_OPTS"] = f"-XX:+UseSerialGC {with_archive()}"
    program, deploy = str(home / "bin" / "spark-class"), "org.apache.spark.deploy"
    port = free_port()
    address = f"spark://127.0.0.1:{port}"
    master = [program, f"{deploy}.master.Master", "-h", "127.0.0.1", "-p", str(port), "--webui-port", "0"]
    with ExitStack() as running:
        log = directory / "master.log"
        running.enter_context(_serving(master, log, environment))
        _await("127.0.0.1", port, log)
        for number in range(1, workers + 1):
            host = f"127.0.0.{number}"
            worker = [program, f"{deploy}.worker.Worker", "-c", "1", "-m", "1g", "-h", host, "--webui-port", "0"]
            worker += ["-d", str(directory / f"worker-{number}"), address]
            log = directory / f"worker-{number}.log"
            running.enter_context(_serving(worker, log, environment | {"SPARK_LOCAL_IP": host}))
        yield address


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _serving(command: list[str], log: Path, environment: Mapping[str, str]) -> Iterator[None]:
    with log.open("wb") as output:
        # A session of its own, so that an interrupt from the keyboard reaches the tests first.
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=dict(environment),
            preexec_fn=_die_with_parent,  # noqa: PLW1509 - nothing is locked that early in the tests
        )
    try:
        yield
    finally:
        _stop(process)


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a server with all that it started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(STOP_TIMEOUT_SECONDS)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


def _await(host: str, port: int, log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while True:
        try:
            socket.create_connection((host, port), 1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise RuntimeError(f"no answer at {host}:{port}; the log says:\n{log.read_text()}") from None
            time.sleep(0.1)
