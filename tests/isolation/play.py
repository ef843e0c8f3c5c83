"""Plays tricks in confined sessions, and looks for harm after each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager

from forklake import Catalog, Connection
from forklake.errors import ForklakeError
from tests.isolation.world import AUTHOR, World, attempt, is_refused

TOGETHER = 40
"""How many tricks are played in one session at most."""


def play(
    world: World,
    tricks: Iterable[str],
    open_session: Callable[[Catalog], AbstractContextManager[Connection]],
    *,
    keeps_guest: bool = False,
    other: str = "moneybox",
) -> tuple[int, int]:
    """Play tricks, and return how many there were, and how many were refused.

    A session that a trick has left, closed or taken apart is replaced by one on another guest.

    Args:
        world: The lake.
        tricks: The texts, with placeholders.
        open_session: Opens a session on a guest.
        keeps_guest: Whether the guest itself must not change.
        other: The catalog that placeholders name.

    Raises:
        AssertionError: A trick told or changed what it must not.
    """
    waiting, count, refused = list(tricks)[::-1], 0, 0
    while waiting:
        guest = world.new_guest()
        watched = (guest,) if keeps_guest else ()
        before, glance, newest = world.state(*watched), world.glance(*watched), world.newest_snapshot()
        said_before = ""
        with open_session(guest) as session:
            usual = session.in_use
            for _ in range(min(TOGETHER, len(waiting))):
                said = world.fill(waiting.pop(), guest.name, other)
                said_before += said
                told = attempt(session, said)
                count, refused = count + 1, refused + is_refused(told)
                assert world.leaks(told, said_before) == [], (said, told[:1000])
                assert world.glance(*watched) == glance, (said, told[:1000])
                if not _is_sound(session, usual, is_refused(told)):
                    break
        assert world.state(*watched) == before, said_before
        assert world.authors_since(newest) <= {AUTHOR}, said_before
    return count, refused


def _is_sound(session: Connection, usual: tuple[str, str] | None, was_refused: bool) -> bool:
    """Return whether the next trick finds the session as the last one did."""
    if session.in_use != usual or session.is_in_transaction:
        return False
    try:
        return was_refused or session.sql("SELECT 1 FROM t JOIN goods USING (i) LIMIT 1") is not None
    except ForklakeError:
        return False
