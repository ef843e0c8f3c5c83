"""What one text may take of time, and each of its statements of bytes of files.

Whoever runs a statement spends an allowance; engines and local readers charge what they are about to read.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, Protocol

from forklake.errors import CommitUnknownError, LimitError
from forklake.model.change_scan import ChangePlan
from forklake.model.interruption import watch_reads
from forklake.model.scan import ScanDeletes, ScanPlan

_CANCEL_AGAIN_SECONDS: Final = 0.05
_USUAL_RATIO: Final = 4


class Work(Protocol):
    """What is done elsewhere for a statement, and is cancelled when its time is over."""

    def cancel(self) -> None: ...
    def end(self) -> None: ...


class _Clock:
    """The time that the statements of one text have taken together."""

    __slots__ = ("begun", "max_seconds", "spent")

    def __init__(self, max_seconds: float | None) -> None:
        self.max_seconds = max_seconds
        self.spent = 0.0
        self.begun: float | None = None

    def seconds_left(self) -> float:
        """Return the seconds that are left; there must be a limit."""
        assert self.max_seconds is not None
        return self.max_seconds - self.spent - (0.0 if self.begun is None else time.monotonic() - self.begun)

    def is_over(self) -> bool:
        """Return whether no time is left."""
        return self.max_seconds is not None and self.seconds_left() <= 0


class Allowance:
    """The time and the bytes that are left to one statement, and to reading its rows.

    The time is that of the text which holds the statement. It belongs to one thread at a time, and to the threads that
    it has read files.

    Attributes:
        is_confined: Whether the text may be only as long as a stranger's may be.
    """

    def __init__(
        self, max_seconds: float | None = None, max_bytes: int | None = None, *, is_confined: bool = False
    ) -> None:
        self.is_confined = is_confined
        self._clock = _Clock(max_seconds)
        self._max_bytes = max_bytes
        self._files: dict[str, int] = {}
        self._charged = 0
        self._charging = threading.Lock()
        self._watch: _Watch | None = None

    def for_statement(self) -> Allowance:
        """Return the allowance of a statement of the text.

        It has the same time, and bytes of its own.
        """
        found = Allowance(None, self._max_bytes, is_confined=self.is_confined)
        found._clock = self._clock
        return found

    @contextmanager
    def spend(self) -> Iterator[None]:
        """Count the time of the block, and let what runs in it charge this allowance.

        Blocks within each other count once.

        Raises:
            LimitError: The time is over, or more is read than is allowed.
        """
        clock = self._clock
        if clock.begun is not None:
            yield
            return
        clock.begun = time.monotonic()
        token = _current.set(self)
        try:
            self.check_time()
            with watch_reads(self.interrupt, self.check_time):
                yield
        except (LimitError, CommitUnknownError):
            raise
        except Exception as error:
            # What was cancelled fails in words of its own.
            if clock.is_over():
                raise self._time_error() from error
            raise
        finally:
            _current.reset(token)
            clock.spent += time.monotonic() - clock.begun
            clock.begun = None
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
            if self._clock.begun is not None:
                self._clock.begun += time.monotonic() - since

    def check_time(self) -> None:
        """End the statement if its time is over.

        Raises:
            LimitError: It is.
        """
        if self._clock.is_over():
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
            for name, size in files:
                before = self._files.get(name, 0)
                if size > before:
                    self._files[name] = size
                    self._charged += size - before
            wanted = self._charged
        if wanted > self._max_bytes:
            raise LimitError(
                f"The statement would read {wanted:,} bytes of files, and this session allows {self._max_bytes:,}; it"
                " was not run.",
                limit="bytes",
                hint="Read fewer rows: filter by columns whose values files tell apart, or read fewer tables.",
            )

    @property
    def has_byte_limit(self) -> bool:
        """Whether bytes are limited."""
        return self._max_bytes is not None

    def check_rows(self, byte_count: int | None) -> None:
        """Refuse rows that a statement has computed and that take too much memory.

        Args:
            byte_count: How much they take; None if it was more than there is.

        Raises:
            LimitError: That is more than is allowed.
        """
        if self._max_bytes is None or (byte_count is not None and byte_count <= self._max_bytes):
            return
        size = "more memory than this process has for queries" if byte_count is None else f"{byte_count:,} bytes"
        raise LimitError(
            f"The statement was ended: its rows take {size}, and this session allows {self._max_bytes:,} bytes; nothing"
            " of the statement was committed.",
            limit="bytes",
            hint="Select fewer rows or columns, or shorter values.",
        )

    def watch(self, work: Work) -> None:
        """Call ``work.cancel`` when the time is over, and ``work.end`` when the block is.

        There is one such work in a block, and the time must be limited.
        """
        assert self._watch is None
        self._watch = _Watch(max(0.0, self._clock.seconds_left()), work)

    @contextmanager
    def interrupt(self, cancel: Callable[[], None]) -> Iterator[None]:
        """Call ``cancel`` if the time is over before the block is.

        It is called again until the block ends: what had not begun could not be cancelled.

        Raises:
            LimitError: The time was over before the block.
        """
        if self._clock.max_seconds is None:
            yield
            return
        self.check_time()
        ended = threading.Event()
        watcher = threading.Thread(target=_cancel_after, args=(self._clock.seconds_left(), ended, cancel), daemon=True)
        watcher.start()
        try:
            yield
        finally:
            ended.set()
            watcher.join()

    @property
    def has_time_limit(self) -> bool:
        """Whether time is limited."""
        return self._clock.max_seconds is not None

    @property
    def work(self) -> Work | None:
        """What `watch` was given in this block; None if nothing."""
        return None if self._watch is None else self._watch.work

    def _time_error(self) -> LimitError:
        return LimitError(
            f"The statement was ended: its text took longer than the {self._clock.max_seconds:g} seconds that this"
            " session allows, and nothing of the statement was committed. What ran before it in the same text stays.",
            limit="seconds",
            hint="Read fewer rows, or give the statements one by one: each text has the whole time.",
        )


def _cancel_after(seconds: float, ended: threading.Event, cancel: Callable[[], None]) -> None:
    """Cancel a block that has not ended in time, until it ends."""
    wait = max(0.0, seconds)
    while not ended.wait(wait):
        cancel()
        wait = _CANCEL_AGAIN_SECONDS


class _Watch:
    """A timer that cancels a work."""

    def __init__(self, seconds: float, work: Work) -> None:
        self.work = work
        self._timer = threading.Timer(seconds, work.cancel)
        self._timer.daemon = True
        self._timer.start()

    def end(self) -> None:
        self._timer.cancel()
        self._timer.join()
        self.work.end()


_current: Final[ContextVar[Allowance | None]] = ContextVar("forklake_allowance", default=None)


def current_allowance() -> Allowance | None:
    """Return the allowance that is being spent here; None if nothing is limited."""
    return _current.get()


def is_confined_text() -> bool:
    """Return whether a text of a confined session is read or run here."""
    allowance = _current.get()
    return allowance is not None and allowance.is_confined


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


class UnpackedBytes:
    """Counts the bytes that come out of a file while it is read.

    Most files hold a fourth of that or more. What goes beyond counts as if it were in the file.
    """

    def __init__(self, path: str, byte_count: int, part: str = "") -> None:
        self._name = f"{path} {part} unpacked"
        self._packed = byte_count
        self._unpacked = 0

    def add(self, byte_count: int) -> None:
        """Count bytes that were read.

        Raises:
            LimitError: They are more than is allowed, or time is over.
        """
        self._unpacked += byte_count
        beyond = self._unpacked // _USUAL_RATIO - self._packed
        charge_files([(self._name, beyond)] if beyond > 0 else ())


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
