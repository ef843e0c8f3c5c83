"""Moments on the command line: a snapshot id, a time or a tag."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import click

from forklake.catalog.moments import TagName, read_time
from forklake.errors import InvalidInputError


class Moment(click.ParamType[int | datetime | TagName]):
    """A snapshot id, a time or a tag; a time without a zone is UTC."""

    name = "moment"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | datetime | TagName:
        """Read a moment."""
        if isinstance(value, int | datetime | TagName):
            return value
        if value.isascii() and value.isdigit():
            return int(value)
        try:
            return read_time(value)
        except InvalidInputError:
            return TagName(value, f"{value!r} is neither a snapshot id nor a time such as 2026-01-31T12:00:00Z")


MOMENT = Moment()

at_option = click.option(
    "--at", type=MOMENT, metavar="ID|TIME|TAG", help="A snapshot id, a time or a tag; without a zone a time is UTC."
)
