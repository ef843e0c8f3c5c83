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


class SparkCluster:
    """A standalone master, and workers of one core each, from PySpark's package.

    Each worker has a loopback address of its own, since Spark tries a slow task again on another host only.
    """

    def __init__(self, directory: Path, running: ExitStack, memory: str) -> None:
        spec = find_spec("pyspark")
        assert spec is not None
        assert spec.origin is not None
        self._home = Path(spec.origin).parent
        self._directory = directory
        self._running = running
        self._memory = memory
        self._workers: dict[int, subprocess.Popen[bytes]] = {}
        port = free_port()
        self.address = f"spark://127.0.0.1:{port}"
        log = directory / "master.log"
        self._serve("master.Master", ["-h", "127.0.0.1", "-p", str(port)], "127.0.0.1", log)
        _await("127.0.0.1", port, log)

    def start_worker(self, number: int) -> None:
        """Start a worker, which may have been killed before."""
        host, directory = f"127.0.0.{number}", self._directory / f"worker-{number}"
        given = ["-c", "1", "-m", self._memory, "-h", host, "-d", str(directory), self.address]
        self._workers[number] = self._serve("worker.Worker", given, host, directory.with_suffix(".log"))

    def kill_worker(self, number: int) -> None:
        """Kill a worker and its executors, at once."""
        worker = self._workers.pop(number)
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait(STOP_TIMEOUT_SECONDS)

    def _serve(self, name: str, given: list[str], host: str, log: Path) -> subprocess.Popen[bytes]:
        java = f"-XX:+UseSerialGC {with_archive()}"
        environment = {"SPARK_HOME": str(self._home), "SPARK_LOCAL_IP": host, "SPARK_DAEMON_JAVA_OPTS": java}
        command = [str(self._home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", "--webui-port", "0"]
        return self._running.enter_context(_serving([*command, *given], log, os.environ | environment))


@contextmanager
def spark_cluster(directory: Path, *, workers: int = 2, memory: str = "1g") -> Iterator[SparkCluster]:
    """Run a cluster of Spark whose workers have so much memory each."""
    with ExitStack() as running:
        cluster = SparkCluster(directory, running, memory)
        for number in range(1, workers + 1):
            cluster.start_worker(number)
        yield cluster


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _serving(command: list[str], log: Path, environment: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
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
        yield process
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
