"""`forklake option`: options of the lake, a catalog, a schema or a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from forklake import Lake, Options
from forklake.cli import output
from forklake.cli.command import Group, complete_catalog, open_lake
from forklake.cli.terms import info_options
from forklake.model.option_rules import OPTIONS


@click.group(cls=Group)
def option() -> None:
    """Options of lake, catalog, schema and table.

    The nearest scope counts: table, schema, catalog, lake, default.
    """


def _add_scope_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for decorate in (
        click.option("--table", metavar="NAME", help="A table of the catalog."),
        click.option("--schema", metavar="NAME", help="A schema of the catalog; with --table, the table's."),
        click.option("--catalog", metavar="NAME", shell_complete=complete_catalog, help="A catalog; else the lake."),
    ):
        command = decorate(command)
    return command


def _complete_key(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    return [key for key in OPTIONS if key.startswith(incomplete)]


def _options(lake: Lake, catalog: str | None) -> Options:
    return lake.options if catalog is None else lake.catalog(catalog).options


@option.command("list")
@_add_scope_options
@click.option("--all", "everything", is_flag=True, help="Every option there is, with the value that counts here.")
def list_options(catalog: str | None, schema: str | None, table: str | None, everything: bool) -> None:
    """List the options that are set.

    For the lake or a catalog; with --all, the values that count there.

    With --json: `options`, each with `key`, `value`, `scope` and `scope_id`; with --all, `key`, `value`,
    `default` and `description`.

    Examples:
      forklake option list
      forklake option list --catalog shop
      forklake option list --catalog shop --table orders --all
    """
    if not everything and (schema is not None or table is not None):
        raise click.UsageError("--schema and --table go with --all.")
    with open_lake() as lake:
        options = _options(lake, catalog)
        if not everything:
            found = options.list()
            sheet = output.Sheet("OPTION", "SCOPE", "ID", "VALUE", right=("ID",))
            output.show(
                {"options": found},
                lambda: sheet.lines((each.key, each.scope, each.scope_id, each.value) for each in found),
            )
            return
        values = {key: options.get(key, table=table, schema=schema) for key in OPTIONS}
    sheet = output.Sheet("OPTION", "VALUE", "DESCRIPTION")
    output.show(
        {
            "options": [
                {"key": key, "value": values[key], "default": kind.default, "description": kind.description}
                for key, kind in OPTIONS.items()
            ]
        },
        lambda: sheet.lines((key, values[key], kind.description) for key, kind in OPTIONS.items()),
    )


@option.command("set")
@click.argument("key", shell_complete=_complete_key)
@click.argument("value")
@_add_scope_options
@info_options
def set_option(
    key: str,
    value: str,
    catalog: str | None,
    schema: str | None,
    table: str | None,
    author: str | None,
    message: str | None,
) -> None:
    """Set an option.

    For the lake, a catalog, a schema or a table. It counts at once and makes no snapshot.

    With --json: `key` and `value`, as it is kept.

    Examples:
      forklake option set target_file_size 128MB
      forklake option set auto_compact false --catalog shop --table orders
    """
    with open_lake() as lake:
        options = _options(lake, catalog)
        options.set(key, value, table=table, schema=schema, author=author, message=message)
        kept = options.get(key, table=table, schema=schema)
    output.show({"key": key, "value": kept}, lambda: [f"{key} = {output.printable(kept or '')}"])


@option.command("reset")
@click.argument("key", shell_complete=_complete_key)
@_add_scope_options
@info_options
def reset_option(
    key: str, catalog: str | None, schema: str | None, table: str | None, author: str | None, message: str | None
) -> None:
    """Forget an option.

    The next wider scope counts again. Forgetting what is not set does no harm.

    With --json: `key` and `value`, which counts now.

    Examples:
      forklake option reset target_file_size
      forklake option reset auto_compact --catalog shop --table orders
    """
    with open_lake() as lake:
        options = _options(lake, catalog)
        options.reset(key, table=table, schema=schema, author=author, message=message)
        now = options.get(key, table=table, schema=schema)
    output.show({"key": key, "value": now}, lambda: [f"{key} = {'not set' if now is None else output.printable(now)}"])
