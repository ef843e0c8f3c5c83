"""Statements of strangers that would take hours, or all memory, end by themselves, with the limit that they reached."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.session.attacks import ATTACKS

_PATIENCE_SECONDS = 60
"""After which an attack is killed: a machine may be slow, but not as slow as that."""


class Worker:
    """A process that runs one attack after the other; a new one after each that had to be killed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def run(self, name: str, seconds: float) -> str:
        """Return how an attack ended: the limit, the error, or that it did not end."""
        if self._process is None:
            command = [sys.executable, "-m", "tests.unit.session.attacks"]
            root = Path(__file__).parents[3]
            self._process = subprocess.Popen(
                command, cwd=root, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps([name, seconds]) + "\n")
        process.stdin.flush()
        timer = threading.Timer(_PATIENCE_SECONDS, process.kill)
        timer.start()
        answer = process.stdout.readline()
        timer.cancel()
        if not answer:
            self.end()
            return "it did not end"
        return str(json.loads(answer))

    def end(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    worker.end()


@pytest.mark.slow  # a process, and what it is given to do
@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_ends_by_itself(worker: Worker, name: str) -> None:
    limits = ATTACKS[name][2].split(" or ")
    assert worker.run(name, 0.3 if "seconds" in limits else _PATIENCE_SECONDS) in limits
