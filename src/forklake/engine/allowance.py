"""What one statement may take: time, and bytes of files.

Whoever runs a statement spends an allowance; engines and local readers charge what they are about to read.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from forklake.errors import CommitUnknownError, LimitError
from forklake.model.change_scan import ChangePlan
from forklake.model.interruption import watch_reads
from forklake.model.scan import ScanDeletes, ScanPlan

_CANCEL_AGAIN_SECONDS: Final = 0.05


class Allowance:
    """The time and the bytes that are left to one statement, and to reading its rows.

    It belongs to one thread at a time, and to the threads that it has read files.
    """

    def __init__(self, max_seconds: float | None = None, max_bytes: int | None = None) -> None:
        self._max_seconds = max_seconds
        self._max_bytes = max_bytes
        self._spent_seconds = 0.0
        self._begun: float | None = None
        self._files: dict[str, int] = {}
        self._charging = threading.Lock()
        self._watch: _Watch | None = None

    @contextmanager
    def spend(self) -> Iterator[None]:
        """Count the time of the block, and let what runs in it charge this allowance.

        Blocks within each other count once.

        Raises:
            LimitError: The time is over, or more is read than is allowed.
        """
        if self._begun is not None:
            yield
            return
        self._begun = time.monotonic()
        token = _current.set(self)
        try:
            self.check_time()
            with watch_reads(self.interrupt):
                yield
        except (LimitError, CommitUnknownError):
            raise
        except Exception as error:
            # What was cancelled fails in words of its own.
            if self._is_over():
                raise self._time_error() from error
            raise
        finally:
            _current.reset(token)
            self._spent_seconds += time.monotonic() - self._begun
            self._begun = None
            if self._watch is not None:
                self._watch.end()
                self._watch = None

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Count no time of the block."""
        since = time.monotonic()
        try:
            yield
        finally:
            if self._begun is not None:
                self._begun += time.monotonic() - since

    def check_time(self) -> None:
        """End the statement if its time is over.

        Raises:
            LimitError: It is.
        """
        if self._is_over():
            raise self._time_error()

    def charge(self, files: Iterable[tuple[str, int]]) -> None:
        """Count files that are about to be read, by path and size; each counts once.

        Raises:
            LimitError: They are more than is allowed.
        """
        self.check_time()
        if self._max_bytes is None:
            return
        with self._charging:
            self._files.update(files)
            wanted = sum(self._files.values())
        if wanted > self._max_bytes:
            raise LimitError(
                f"The statement would read {wanted:,} bytes of files, and this session allows {self._max_bytes:,}; it"
                " was not run.",
                limit="bytes",
                hint="Read fewer rows: filter by columns whose values files tell apart, or read fewer tables.",
            )

    def watch(self, cancel: Callable[[], None], end: Callable[[], None]) -> None:
        """Call ``cancel`` when the time is over, and ``end`` when the block is.

        Only the first call in a block counts, and none if the time is not limited.
        """
        if self._max_seconds is None or self._watch is not None:
            end()
            return
        self._watch = _Watch(max(0.0, self._seconds_left()), cancel, end)

    @contextmanager
    def interrupt(self, cancel: Callable[[], None]) -> Iterator[None]:
        """Call ``cancel`` if the time is over before the block is.

        It is called again until the block ends: what had not begun could not be cancelled.

        Raises:
            LimitError: The time was over before the block.
        """
        if self._max_seconds is None:
            yield
            return
        self.check_time()
        ended = threading.Event()
        watcher = threading.Thread(target=_cancel_after, args=(self._seconds_left(), ended, cancel), daemon=True)
        watcher.start()
        try:
            yield
        finally:
            ended.set()
            watcher.join()

    @property
    def is_watched(self) -> bool:
        """Whether jobs need no `watch`: there is one, or time is not limited."""
        return self._max_seconds is None or self._watch is not None

    def _seconds_left(self) -> float:
        assert self._max_seconds is not None
        spent = self._spent_seconds + (0.0 if self._begun is None else time.monotonic() - self._begun)
        return self._max_seconds - spent

    def _is_over(self) -> bool:
        return self._max_seconds is not None and self._seconds_left() <= 0

    def _time_error(self) -> LimitError:
        return LimitError(
            f"The statement took longer than the {self._max_seconds:g} seconds that this session allows; it was ended,"
            " and nothing of it was committed.",
            limit="seconds",
        )


def _cancel_after(seconds: float, ended: threading.Event, cancel: Callable[[], None]) -> None:
    """Cancel a block that has not ended in time, until it ends."""
    wait = max(0.0, seconds)
    while not ended.wait(wait):
        cancel()
        wait = _CANCEL_AGAIN_SECONDS


class _Watch:
    """A timer that cancels jobs."""

    def __init__(self, seconds: float, cancel: Callable[[], None], end: Callable[[], None]) -> None:
        self._end = end
        self._timer = threading.Timer(seconds, cancel)
        self._timer.daemon = True
        self._timer.start()

    def end(self) -> None:
        self._timer.cancel()
        self._timer.join()
        self._end()


_current: Final[ContextVar[Allowance | None]] = ContextVar("forklake_allowance", default=None)


def current_allowance() -> Allowance | None:
    """Return the allowance that is being spent here; None if nothing is limited."""
    return _current.get()


def check_time() -> None:
    """End the statement that runs here if its time is over.

    Raises:
        LimitError: It is.
    """
    found = _current.get()
    if found is not None:
        found.check_time()


@contextmanager
def uncounted_time() -> Iterator[None]:
    """Count no time of the block.

    It is spent for all statements to come, whichever is the first.
    """
    found = _current.get()
    if found is None:
        yield
    else:
        with found.pause():
            yield


@contextmanager
def interrupt_in_time(cancel: Callable[[], None]) -> Iterator[None]:
    """Call ``cancel`` if the statement's time is over before the block is."""
    found = _current.get()
    if found is None:
        yield
    else:
        with found.interrupt(cancel):
            yield


def charge_files(files: Iterable[tuple[str, int]]) -> None:
    """Count files, by path and size, that are about to be read here.

    Raises:
        LimitError: They are more than is allowed, or time is over.
    """
    found = _current.get()
    if found is not None:
        found.charge(files)


def charge(*plans: ScanPlan | ChangePlan) -> None:
    """Count the files of plans that are about to be read here.

    Raises:
        LimitError: They are more than is allowed, or time is over.
    """
    if _current.get() is not None:
        charge_files(file for plan in plans for file in _files(plan))


def _files(plan: ScanPlan | ChangePlan) -> Iterator[tuple[str, int]]:
    if isinstance(plan, ScanPlan):
        for file in plan.files:
            yield file.path, file.file_size_bytes
            yield from _deletes(file.deletes)
        return
    for part in plan.plain:
        for scan in (part.inserted, part.ended.scan, part.deleted_from):
            yield from _files(scan)
        for new in part.deletes:
            yield from _deletes(new.before)
            yield from _deletes(new.after)
    for net in plan.merged:
        yield from _files(net.before.scan)
        yield from _files(net.after.scan)


def _deletes(deletes: ScanDeletes | None) -> Iterator[tuple[str, int]]:
    if deletes is not None:
        yield deletes.path, deletes.file_size_bytes
