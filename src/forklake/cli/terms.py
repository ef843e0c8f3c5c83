"""Options of commands that make catalogs: lifetime, author and labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


class Label(click.ParamType[tuple[str, str]]):
    """A label: a name, and a text after ``=``."""

    name = "label"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """Read a label."""
        if isinstance(value, tuple):
            return value
        key, sign, text = value.partition("=")
        if not sign or not key:
            self.fail(f"{value!r} is no label such as team=web.")
        return key, text


label_option = click.option(
    "--label",
    "labels",
    type=Label(),
    multiple=True,
    metavar="KEY=VALUE",
    help="A label; it may be given more than once.",
)
ttl_option = click.option("--ttl", metavar="TIME|LENGTH", help="How long it lives, such as 2h, or until when.")
renewal_options = (
    click.option("--renew-by-commits", metavar="LENGTH", help="Each commit moves the end to so long after it."),
    click.option("--purge-after", metavar="LENGTH", help="So long after it was dropped, `catalog reap` purges it."),
)


def info_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say who does something, and why."""
    command = click.option("--message", metavar="TEXT", help="Why.")(command)
    return click.option("--author", metavar="NAME", help="Who does it.")(command)


def terms_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of a new catalog's terms; `read_terms` reads them."""
    author = click.option("--author", metavar="NAME", help="Who makes it.")
    for option in reversed((ttl_option, *renewal_options, author, label_option)):
        command = option(command)
    return command


def read_terms(given: dict[str, Any]) -> dict[str, Any]:
    """Return the terms as the lake takes them."""
    return {**given, "labels": dict(given["labels"])}
