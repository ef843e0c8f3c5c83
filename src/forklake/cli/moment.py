"""Moments on the command line: a snapshot id, or a time in ISO 8601."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import click


class Moment(click.ParamType[int | datetime]):
    """A snapshot id, or an ISO 8601 time with its zone."""

    name = "moment"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | datetime:
        """Read a moment."""
        if isinstance(value, int | datetime):
            return value
        if value.isascii() and value.isdigit():
            return int(value)
        try:
            time = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is neither a snapshot id nor an ISO 8601 time such as 2026-01-31T12:00:00Z.")
        if time.tzinfo is None:
            self.fail(f"{value!r} has no time zone, so it names no moment; write {value}Z for UTC.")
        return time


MOMENT = Moment()

at_option = click.option(
    "--at", type=MOMENT, metavar="ID|TIME", help="A snapshot id, or an ISO 8601 time with its zone."
)
