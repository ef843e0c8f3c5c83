"""The program at a terminal of its own, which is typed into and read."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyte

_LINES = 500
"""So many that nothing is scrolled away."""


class PseudoTerminal:
    """A program at a pseudo terminal."""

    def __init__(self, home: Path, *words: str, columns: int = 100, colour: bool = False) -> None:
        self._process, self._end = pty.fork()
        if self._process == 0:
            os.environ |= {"HOME": str(home), "TERM": "xterm-256color", "PROMPT_TOOLKIT_NO_CPR": "1"}
            os.environ.pop("FORKLAKE_LAKE", None)
            if not colour:
                os.environ["NO_COLOR"] = "1"
            os.chdir(home)
            os.execv(sys.executable, [sys.executable, "-c", "from forklake.cli.main import main; main()", *words])
        fcntl.ioctl(self._end, termios.TIOCSWINSZ, struct.pack("HHHH", _LINES, columns, 0, 0))
        self._screen = pyte.Screen(columns, _LINES)
        self._stream = pyte.ByteStream(self._screen)
        self._first = 0
        self.raw = b""
        """All that was written, with the codes that move and colour it."""

    def read(self, until: str, seconds: float = 120) -> str:
        """Return what the screen shows since the last call, once the text before the cursor ends with another one."""
        end = time.monotonic() + seconds
        while not self._before_cursor().endswith(until):
            if time.monotonic() > end:
                raise AssertionError(f"{until!r} was not shown, but:\n{self._shown()}")
            self._take()
        shown, self._first = self._shown(), self._screen.cursor.y
        return shown

    def write(self, text: str) -> None:
        """Type a text."""
        os.write(self._end, text.encode())

    def type(self, text: str, until: str) -> str:
        """Type a text, and return what is shown once the text before the cursor ends with another one."""
        cursor, end = self._screen.cursor, time.monotonic() + 5
        before = (cursor.x, cursor.y)
        self.write(text)
        while (cursor.x, cursor.y) == before and time.monotonic() < end:  # what is typed is shown first
            self._take()
        return self.read(until)

    def wait_for(self, text: str, seconds: float = 120) -> None:
        """Wait until a text was written, which may be gone again."""
        end = time.monotonic() + seconds
        while text.encode() not in self.raw:
            assert time.monotonic() < end, f"{text!r} was not written, but:\n{self._shown()}"
            self._take()

    def _take(self) -> None:
        if select.select([self._end], [], [], 0.05)[0]:
            try:
                found = os.read(self._end, 65536)
            except OSError as error:  # the other end is closed
                raise AssertionError(f"The program has left:\n{self._shown()}") from error
            self.raw += found
            self._stream.feed(found)

    def _before_cursor(self) -> str:
        cursor = self._screen.cursor
        return str(self._screen.display[cursor.y][: cursor.x])

    def _shown(self) -> str:
        lines = self._screen.display[self._first : self._screen.cursor.y + 1]
        return "\n".join(line.rstrip() for line in lines)

    def exit_code(self) -> int:
        """Wait until the program has left."""
        return os.waitstatus_to_exitcode(os.waitpid(self._process, 0)[1])

    def end(self) -> None:
        """End the program, if it has not left."""
        try:
            os.kill(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(self._end)


@contextmanager
def at_terminal(home: Path, *words: str, columns: int = 100, colour: bool = False) -> Iterator[PseudoTerminal]:
    """Start the program at a terminal; it is ended with the block."""
    terminal = PseudoTerminal(home, *words, columns=columns, colour=colour)
    try:
        yield terminal
    finally:
        terminal.end()
