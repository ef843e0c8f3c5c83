"""The page docs/reference/cli.md, made from the commands.

``python -m forklake.cli.reference`` writes it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from forklake import errors
from forklake.cli.command import Command
from forklake.cli.main import forklake

_INTRO = """\
# The command line

Made from the commands by `make docs`; do not edit it by hand.

Commands are a noun and a verb, the words of the [Python API](../guide/python.md). `--lake URL` (or the variable
`FORKLAKE_LAKE`) names the lake, `--json` asks for one JSON document on stdout instead of text; both may stand before
or after the command. In JSON, records have the fields of the Python API, ids are numbers, and times are ISO 8601 in
UTC. Text is for people: nothing in it is cut, it lines up, and it has no colour codes in a pipe or with `NO_COLOR`.
Names with characters that do not print are shown escaped.

What goes wrong is told on stderr, with a hint where there is one; with `--json`, as
`{"error": {"code": ..., "message": ..., "hint": ..., "retryable": ...}}`. Only `init` makes a lake; the other commands
refuse a file that is not there.

## Exit codes

| code | meaning | errors |
|---|---|---|
| 0 | done | |
"""

_MEANINGS = {
    1: "something else went wrong",
    2: "the command or its input is wrong; nothing was attempted",
    3: "something named does not exist",
    4: "a name is taken",
    5: "a concurrent change conflicts; nothing was written",
    6: "others were faster on every attempt; try again",
    7: "the connection was lost, and the outcome is not known",
    8: "the metadata database failed, or is none",
    9: "a data file is missing or damaged",
    10: "Spark cannot be started, or a job of it failed",
    11: "some of several tables failed; the others are done",
    14: "a quota allows no more; nothing was done",
    15: "a confined session may not do it; nothing was done",
    16: "a statement reached a limit of its session; nothing was committed",
    130: "stopped by the user",
}


def page() -> str:
    """Return the whole page."""
    parts = [_INTRO + "".join(f"{row}\n" for row in _exit_codes())]
    parts += [_section(path, command) for path, command in commands(forklake)]
    return "\n".join(parts)


def commands(group: click.Group, path: tuple[str, ...] = ("forklake",)) -> Iterator[tuple[str, Command]]:
    """Yield every command below a group with its full name."""
    context = click.Context(group)
    for name in sorted(group.list_commands(context)):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        elif isinstance(command, Command):
            yield " ".join((*path, name)), command


def _exit_codes() -> Iterator[str]:
    by_code: dict[int, list[str]] = {2: ["usage"], 130: []}
    for kind in vars(errors).values():
        if isinstance(kind, type) and issubclass(kind, errors.ForklakeError):
            by_code.setdefault(kind.exit_code, []).append(f"`{kind.code}`")
    for code, names in sorted(by_code.items()):
        yield f"| {code} | {_MEANINGS[code]} | {', '.join(names)} |"


def _section(path: str, command: Command) -> str:
    context = click.Context(command, info_name=path)
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    lines = [f"## {path}", "", command.help or "", "", "```", usage, "```", ""]
    own = [option for option in command.params if isinstance(option, click.Option) and option.expose_value]
    if own:
        lines += ["| option | |", "|---|---|", *(_row(option, context) for option in own), ""]
    lines += ["```sh", *command.examples, "```", ""]
    return "\n".join(lines)


def _row(option: click.Option, context: click.Context) -> str:
    written, said = option.get_help_record(context) or ("", "")
    return f"| `{written.replace('|', chr(92) + '|')}` | {said.replace('|', chr(92) + '|')} |"


if __name__ == "__main__":
    sys.stdout.write(page())
