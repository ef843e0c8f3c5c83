"""Two deeds in threads of one process, each stopped at a step of its own until the other has done something."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

from forklake.files.access import storage
from tests.race.processes import PATIENCE_SECONDS


class Relay:
    """The ``on_step`` of an open lake, which tells whoever listens at the time, in the thread that the step is in."""

    def __init__(self) -> None:
        self._listeners: dict[int, Callable[[str], None]] = {}

    def __call__(self, step: str) -> None:
        self._listeners.get(threading.get_ident(), _pass_by)(step)

    @contextmanager
    def heard_by(self, listener: Callable[[str], None]) -> Iterator[None]:
        """Tell a listener of the steps of this thread."""
        me = threading.get_ident()
        self._listeners[me] = listener
        try:
            yield
        finally:
            del self._listeners[me]


def _pass_by(step: str) -> None:
    pass


def _never() -> bool:
    return False


def play(first: "Actor", second: "Actor", is_waiting: Callable[[], bool] = _never) -> None:
    """Let both go to their stops, then the one that came first to its end, then the other.

    One that waits for a lock of the other goes on when the other has ended.
    """
    first.go_to_stop()
    second.go_to_stop(is_waiting)
    first.go_on(is_waiting)
    second.go_on()
    first.go_on()


def is_within_transaction(step: str) -> bool:
    """Return whether a step is in a transaction that writes: an embedded store then has no room for others."""
    verb, place = step.partition(": ")[::2]
    if verb in ("commit", "fork"):
        return place not in ("before the call", "done")
    return "before the end" in place or step == "orphans: judged"


class Actor:
    """A deed that stops at its n-th step that counts; at 0 before it begins."""

    def __init__(
        self, relay: Relay, deed: Callable[[], Any], stop: int, counts: Callable[[str], bool] = lambda step: True
    ) -> None:
        self.steps: list[str] = []
        self.error: BaseException | None = None
        self.result: Any = None
        self._relay, self._deed, self._stop, self._counts = relay, deed, stop, counts
        self._stopped, self._may_go = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def go_to_stop(self, is_waiting: Callable[[], bool] = _never) -> None:
        """Begin, and go on to the stop, or to the end if it comes before, or until it waits for the other."""
        self._thread.start()
        self._wait(self._stopped.is_set, is_waiting)

    def go_on(self, is_waiting: Callable[[], bool] = _never) -> None:
        """Go on to the end, or until it waits for the other."""
        self._may_go.set()
        self._wait(lambda: not self._thread.is_alive(), is_waiting)

    def _wait(self, is_there: Callable[[], bool], is_waiting: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        for turn in count(1):
            # Asking costs more than looking.
            if is_there() or (turn % 10 == 0 and is_waiting()):
                return
            assert time.monotonic() < end, f"hangs after {self.steps}"
            time.sleep(0.001)

    def _run(self) -> None:
        try:
            with self._relay.heard_by(self._on_step):
                self._halt(0)
                self.result = self._deed()
        except BaseException as error:
            self.error = error
        finally:
            self._stopped.set()

    def _on_step(self, step: str) -> None:
        if self._counts(step):
            self.steps.append(step)
            self._halt(len(self.steps))

    def _halt(self, place: int) -> None:
        if place == self._stop:
            self._stopped.set()
            assert self._may_go.wait(PATIENCE_SECONDS)


@contextmanager
def telling_of_begun_files(on_step: Callable[[str], None]) -> Iterator[None]:
    """Have each file told of as a step when its first byte could be written."""
    opened = storage.open_output

    def begin(path: str, **how: Any) -> Any:
        stream = opened(path, **how)
        stream.write(b"")
        on_step("file begun")
        return stream

    storage.open_output = begin
    try:
        yield
    finally:
        storage.open_output = opened


@contextmanager
def telling_of_deleted_files(on_step: Callable[[str], None]) -> Iterator[None]:
    """Have each file told of as a step when it has just been deleted."""
    delete = storage.try_delete

    def deleted(path: str) -> str | None:
        reason = delete(path)
        on_step("file deleted")
        return reason

    storage.try_delete = deleted
    try:
        yield
    finally:
        storage.try_delete = delete
