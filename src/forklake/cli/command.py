"""What all commands share: --lake, --json, errors and exit codes.

The two options may stand before or after the name of a command.
"""

from __future__ import annotations

import inspect
import json
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

import click

import forklake
from forklake import Lake
from forklake.cli import output
from forklake.cli.hints import on_command_line
from forklake.errors import ForklakeError, MergeConflictError, NotFoundError
from forklake.metastore.location import is_store
from forklake.model.submodules import load
from forklake.ops.lakes.lake_exists import lake_exists

_URL = "forklake.url"
LAKE_SUFFIXES: Final = (".db", ".ducklake", ".sqlite")
"""How the name of a file ends that becomes a lake when it is named and not there."""


def _keep_url(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    # The innermost --lake comes last and counts.
    if value is not None:
        context.meta[_URL] = value


def _keep_json(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        context.meta[output.AS_JSON] = True


def shared_options(*, is_root: bool = False) -> list[click.Parameter]:
    """Return the options that every command takes, before its name and after."""
    return [
        click.Option(
            ["--lake"],
            metavar="URL",
            envvar="FORKLAKE_LAKE" if is_root else None,
            expose_value=False,
            callback=_keep_url,
            help="The lake: a file, sqlite:path, duckdb:path or postgresql://... (or the variable FORKLAKE_LAKE).",
        ),
        click.Option(
            ["--json"],
            is_flag=True,
            expose_value=False,
            callback=_keep_json,
            help="Print one JSON document instead of text.",
        ),
    ]


class Command(click.Command):
    """A command with the options --lake and --json.

    The help keeps the line breaks of its examples.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += shared_options()
        text, _, examples = inspect.cleandoc(self.help or "").partition("Examples:\n")
        self.help, self.examples = text.strip(), [line.strip() for line in examples.splitlines()]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; a lake among them that has no place there is told of."""
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            lake = next((word for word in given if is_store(word)), None)
            if lake is not None and lake_url(ctx) is None:
                raise click.UsageError(f"{error.message}. The lake is named with --lake {lake}.", ctx) from error
            raise

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples with their line breaks."""
        if self.examples:
            with formatter.section("Examples"):
                formatter.write("".join(f"  {line}\n" for line in self.examples))


class Group(click.Group):
    """A group of commands: a noun, with its verbs below it."""

    command_class = Command

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += shared_options(is_root=isinstance(self, Root))


class Root(Group):
    """The program itself.

    Errors are printed on stderr, and the exit code says of what kind an error was. A command of ``modules`` is in
    the module of its name, which is imported when the command is used.
    """

    group_class = Group

    def __init__(self, *args: Any, modules: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in order."""
        return sorted([*super().list_commands(ctx), *self._modules])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; None if there is none of that name."""
        if cmd_name not in self._modules:
            return super().get_command(ctx, cmd_name)
        found: click.Command = getattr(load(f"forklake.cli.{cmd_name}"), cmd_name)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; whoever names a lake instead is told what opens one."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if is_store(args[0]) or names_new_lake(args[0]):
                raise click.UsageError(f"{error.message} `forklake sql {args[0]}` opens a shell.", ctx) from error
            raise

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        """Run a command line, and exit."""
        try:
            result = super().main(args, prog_name, **extra | {"standalone_mode": False})
        except click.ClickException as error:
            error.show()
            sys.exit(error.exit_code)
        except (click.Abort, KeyboardInterrupt):
            click.echo("Stopped.", err=True)
            sys.exit(130)
        sys.exit(result if isinstance(result, int) else 0)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; errors of forklake set the exit code."""
        try:
            return super().invoke(ctx)
        except ForklakeError as error:
            tell(error)
            ctx.exit(error.exit_code)


def lake_url(context: click.Context | None = None) -> str | None:
    """Return the URL of the lake from --lake or the environment; None if missing."""
    found = (context or click.get_current_context()).meta.get(_URL)
    return None if found is None else str(found)


def name_lake(url: str) -> None:
    """Take a lake that was named as an argument; it counts before --lake."""
    click.get_current_context().meta[_URL] = url


def names_new_lake(word: str) -> bool:
    """Return whether a file that is not there would be a lake, by its name."""
    path = Path(word)
    is_free = not path.exists() and not is_store(word)  # "sqlite:shop.db" is no path
    return path.suffix in LAKE_SUFFIXES and is_free and path.absolute().parent.is_dir()


def named_lake() -> str:
    """Return the URL of the lake from --lake or the environment.

    Raises:
        UsageError: There is none.
    """
    url = lake_url()
    if url is None:
        raise click.UsageError("Name the lake with --lake URL or the variable FORKLAKE_LAKE.")
    return url


def open_lake() -> Lake:
    """Open the lake of --lake or the environment; no lake is created.

    Raises:
        NotFoundError: There is no such file.
    """
    return forklake.open(existing_lake())


def new_lake_notice(path: str) -> str:
    """Return the sentence that a file was made a lake, and where its files go."""
    file = output.printable(path)
    return f"{file} is a new lake; its files go below {file}.files."


def say_new_lake(path: str) -> None:
    """Say on stderr that a file was made a lake."""
    click.echo(new_lake_notice(path), err=True)


def existing_lake() -> str:
    """Return the URL of the lake, after checking that the lake exists.

    Raises:
        NotFoundError: There is no such file.
    """
    url = named_lake()
    if not lake_exists(url):
        raise NotFoundError(f'There is no lake at "{url}".', hint=f"`forklake init {shlex.quote(url)}` makes one.")
    return url


def catalog_argument(name: str = "catalog", **attributes: Any) -> Callable[[Any], Any]:
    """Return an argument for the name of a catalog, with shell completion."""
    return click.argument(name, shell_complete=complete_catalog, **attributes)


def complete_catalog(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[click.shell_completion.CompletionItem]:
    """Return the names of catalogs that start with a text, for shell completion.

    Errors of the lake are ignored: they would disturb the shell.
    """
    url = lake_url(context)
    try:
        if url is None or not lake_exists(url):
            return []
        with forklake.open(url) as lake:
            names = [info.name for info in lake.catalogs(prefix=incomplete, limit=100)]
    except ForklakeError:
        return []
    return [click.shell_completion.CompletionItem(name) for name in names]


def tell(error: ForklakeError) -> None:
    """Print an error on stderr.

    Its hint names commands, or SQL if a SQL statement failed.
    """
    error.tell_by(on_command_line)
    message, hint, notes = error.message, error.hint, list(getattr(error, "__notes__", ()))
    if output.wants_json():
        document: dict[str, object] = {
            "code": error.code,
            "message": message,
            "hint": hint,
            "retryable": error.retryable,
        }
        if notes:
            document["notes"] = notes
        if isinstance(error, MergeConflictError):
            document["conflicts"] = output.plain(error.conflicts)
        click.echo(json.dumps({"error": document}, ensure_ascii=False), err=True)
        return
    lines = [output.printable(line) for line in message.split("\n")]
    lines += [output.printable(note) for note in notes]
    click.echo("\n".join([f"Error: {lines[0]}", *lines[1:]]), err=True)
    if hint:
        click.echo(f"Hint: {output.printable(hint)}", err=True)
