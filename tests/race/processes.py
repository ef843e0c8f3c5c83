"""Real processes for the races: started clean, let off together, and heard when they fail.

Children come from a fork server that has imported modules and done nothing else: each is a process of its own that
shares no connection, thread or handle with the test, and takes milliseconds to start.
"""

import multiprocessing
import os
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from typing import Any

SECONDS = float(os.environ.get("FORKLAKE_RACE_SECONDS", "1.5"))
"""How long each race lasts; more finds more."""

PATIENCE_SECONDS = 200 + 10 * SECONDS

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(
    ["__main__", "forklake.metastore.duckdb", "forklake.metastore.postgres", "tests.lakes", "tests.race.rows", "pytest"]
)


@dataclass(frozen=True)
class Job:
    """What one process does: it calls the function, which has to be found by its module and name."""

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...] = ()


class Worker:
    """A process at work."""

    def __init__(self, job: Job, gate: Any = None) -> None:
        self.name = job.name
        self._connection, theirs = CONTEXT.Pipe(duplex=False)
        self.process: ForkServerProcess = CONTEXT.Process(target=_main, args=(theirs, gate, job), daemon=True)
        self.process.start()
        theirs.close()

    def result(self) -> Any:
        """Wait for what the function returned.

        Raises:
            AssertionError: It raised, died or hung; the message has the child's traceback.
        """
        try:
            if not self._connection.poll(PATIENCE_SECONDS):
                raise AssertionError(f"'{self.name}' did not end within {PATIENCE_SECONDS:g} s")
            kind, value = self._connection.recv()
        except EOFError:
            self.process.join(PATIENCE_SECONDS)
            raise AssertionError(f"'{self.name}' died with exit code {self.process.exitcode}") from None
        finally:
            self.stop()
        if kind == "error":
            raise AssertionError(f"'{self.name}' failed:\n{value}")
        return value

    def wait(self) -> int | None:
        """Wait for the end of a process that is expected to die, and return its exit code."""
        self.process.join(PATIENCE_SECONDS)
        self._connection.close()
        return self.process.exitcode

    def kill(self) -> None:
        """End the process at once, as a power cut would."""
        self.process.kill()
        self.process.join(PATIENCE_SECONDS)
        self._connection.close()

    def stop(self) -> None:
        """End the process, whatever it does, and forget it."""
        self.process.join(0.2)
        if self.process.is_alive():
            self.process.kill()
        self.process.join(PATIENCE_SECONDS)
        self._connection.close()


def race(*jobs: Job) -> dict[str, Any]:
    """Run jobs at the same time, each in a process, and return what each returned by the name of its job.

    Raises:
        AssertionError: Some failed; the message tells of all of them.
    """
    gate = CONTEXT.Barrier(len(jobs))
    workers = [Worker(job, gate) for job in jobs]
    results, failures = {}, []
    for worker in workers:
        try:
            results[worker.name] = worker.result()
        except AssertionError as failure:
            failures.append(str(failure))
    assert not failures, "\n\n".join(failures)
    return results


def turns(seconds: float, at_least: int = 5) -> Iterator[int]:
    """Count the turns of a racer, from 0 on, until time is up; on the slowest machine there are a few."""
    end = time.monotonic() + seconds
    for turn in count():
        if turn >= at_least and time.monotonic() > end:
            return
        yield turn


def _main(connection: Connection, gate: Any, job: Job) -> None:
    try:
        if gate is not None:
            gate.wait(PATIENCE_SECONDS)
        connection.send(("result", job.function(*job.args)))
    except BaseException:
        connection.send(("error", traceback.format_exc()))
    finally:
        connection.close()
