"""Places in PostgreSQL where a statement of one client stops until the test lets it go on."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo

from tests.race.processes import PATIENCE_SECONDS

VICTIM = "victim"
"""The application_name of the clients that stop; all others pass."""

_LOCK = 20_242

_FUNCTION = f"""
CREATE FUNCTION public.stop() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('application_name') = '{VICTIM}' THEN PERFORM pg_advisory_xact_lock({_LOCK}); END IF;
    RETURN NEW;
END $$
"""
_WAITING = """
SELECT 1 FROM pg_stat_activity
 WHERE datname = current_database() AND application_name <> %s AND wait_event_type = 'Lock'
"""
_STOPPED = """
SELECT pid FROM pg_stat_activity
 WHERE datname = current_database() AND application_name = %s AND wait_event = 'advisory'
"""


def victim(url: str) -> str:
    """Return the URL for a client that stops."""
    return "postgres:" + make_conninfo(url, application_name=VICTIM)


class Stop:
    """A stop that is closed: whoever comes to it waits."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self.is_open = False

    def wait_for_victim(self) -> int:
        """Wait until a client stands at the stop, and return the process id of its backend."""
        return self._wait_for(_STOPPED, "nobody came to the stop")

    def wait_for_waiting_client(self) -> None:
        """Wait until another client waits for the one at the stop."""
        self._wait_for(_WAITING, "nobody waits for the one at the stop")

    def _wait_for(self, query: str, complaint: str) -> int:
        end = time.monotonic() + 120
        while time.monotonic() < end:
            if found := self._connection.execute(query.encode(), [VICTIM]).fetchone():
                return int(found[0])
            time.sleep(0.002)
        raise AssertionError(complaint)

    def terminate(self, pid: int) -> None:
        """End a backend, and wait until it is gone."""
        self._connection.execute("SELECT pg_terminate_backend(%s, 10000)", [pid])

    def open(self) -> None:
        """Let everybody pass."""
        if not self.is_open:
            self._connection.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])
            self.is_open = True


@contextmanager
def stop_at(url: str, trigger: str) -> Iterator[Stop]:
    """Put a stop into a database: ``trigger`` says when, on which table, and for each what."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_FUNCTION)
        connection.execute(f"CREATE {trigger} EXECUTE FUNCTION public.stop()".encode())
        connection.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
        stop = Stop(connection)
        try:
            yield stop
        finally:
            stop.open()


def in_thread(function: Callable[[], Any]) -> Callable[[], Any]:
    """Run a function beside the test; what is returned waits for its result, or raises what it raised."""
    outcome: dict[str, Any] = {}

    def run() -> None:
        try:
            outcome["result"] = function()
        except BaseException as error:
            outcome["error"] = error

    thread = threading.Thread(target=run, daemon=True)
    thread.start()

    def wait() -> Any:
        thread.join(PATIENCE_SECONDS)
        assert not thread.is_alive(), f"{function} hangs"
        if "error" in outcome:
            raise outcome["error"]
        return outcome["result"]

    return wait
