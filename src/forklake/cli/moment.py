"""Moments on the command line: a snapshot id, or a time."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import click

from forklake.catalog.moments import read_time
from forklake.errors import InvalidInputError


class Moment(click.ParamType[int | datetime]):
    """A snapshot id, or a time; without a zone it is UTC."""

    name = "moment"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | datetime:
        """Read a moment."""
        if isinstance(value, int | datetime):
            return value
        if value.isascii() and value.isdigit():
            return int(value)
        try:
            return read_time(value)
        except InvalidInputError:
            self.fail(f"{value!r} is neither a snapshot id nor a time such as 2026-01-31T12:00:00Z.")


MOMENT = Moment()

at_option = click.option(
    "--at", type=MOMENT, metavar="ID|TIME", help="A snapshot id, or a time; without a zone it is UTC."
)
