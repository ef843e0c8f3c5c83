"""Taking times: percentiles of single calls, and rates of several processes at once."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from queue import Empty
from typing import ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

START_TIMEOUT_SECONDS = 120
WARM_UP_STEPS = 6
"""Both the driver and the server prepare a statement only after a few runs."""


@dataclass(slots=True)
class Samples:
    """Times of one kind of call, in milliseconds."""

    times: list[float] = field(default_factory=list)

    def time(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a call and keep how long it took."""
        started = time.perf_counter()
        result = call(*args, **kwargs)
        self.times.append((time.perf_counter() - started) * 1000)
        return result

    def percentile(self, percent: float) -> float:
        """Return the time that this share of the calls did not exceed."""
        ordered = sorted(self.times)
        return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]

    @property
    def p50(self) -> float:
        """The median."""
        return self.percentile(50)

    @property
    def p99(self) -> float:
        """What one call in a hundred exceeds."""
        return self.percentile(99)


def time_threads(count: int, begin: Callable[[int], Callable[[], object]]) -> float:
    """Return the seconds that threads take for their work, which they start together.

    ``begin`` makes a thread ready, which is not counted, and returns its work.
    """
    together = threading.Barrier(count + 1)

    def run(number: int) -> None:
        work = begin(number)
        together.wait()
        work()

    with ThreadPoolExecutor(count) as threads:
        done = [threads.submit(run, number) for number in range(count)]
        together.wait()
        began = time.perf_counter()
        for one in done:
            one.result()
    return time.perf_counter() - began


class Worker(Protocol):
    """One of several that do the same thing again and again, at the same time."""

    def step(self, number: int) -> bool:
        """Do it once; return whether it counts."""

    def close(self) -> None:
        """Let go of everything."""


WorkerFactory = Callable[[int], Worker]
"""Makes the worker with that index, where it works; must be picklable."""


def rate(factory: WorkerFactory, workers: int, seconds: float, processes: int | None = None) -> float:
    """Return how many steps a second that many workers make together.

    Each has a process, or a thread of one of that many processes.
    """
    processes = min(workers, processes or workers)
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(workers)
    done: Queue[tuple[int, float]] = context.Queue()
    children = [
        context.Process(target=_work_together, args=(factory, range(first, workers, processes), seconds, barrier, done))
        for first in range(processes)
    ]
    for child in children:
        child.start()
    results: list[tuple[int, float]] = []
    while len(results) < workers:
        try:
            results.append(done.get(timeout=1))
        except Empty:
            if any(child.exitcode for child in children):
                barrier.abort()
                raise RuntimeError("a process of the benchmark failed; its error is above") from None
    for child in children:
        child.join()
    return sum(count / elapsed for count, elapsed in results)


def _work_together(
    factory: WorkerFactory, indexes: Sequence[int], seconds: float, barrier: Barrier, done: Queue[tuple[int, float]]
) -> None:
    with ThreadPoolExecutor(len(indexes)) as threads:
        for one in [threads.submit(_work, factory, index, seconds, barrier, done) for index in indexes]:
            one.result()


def _work(factory: WorkerFactory, index: int, seconds: float, barrier: Barrier, done: Queue[tuple[int, float]]) -> None:
    worker = factory(index)
    for number in range(WARM_UP_STEPS):
        worker.step(-1 - number)
    barrier.wait(START_TIMEOUT_SECONDS)
    started = time.perf_counter()
    count = number = 0
    while (elapsed := time.perf_counter() - started) < seconds:
        count += worker.step(number)
        number += 1
    done.put((count, elapsed))
    worker.close()
