"""The commands of the shell itself, which begin with a dot."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import click

from forklake.cli import output
from forklake.cli.answer import MODES, Answering
from forklake.cli.shell.script import read_script, run_script
from forklake.errors import InvalidInputError
from forklake.model.flags import read_flag
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold, nearest
from forklake.model.quoting import quote_name

if TYPE_CHECKING:
    from forklake.session.connection import Connection
    from forklake.session.results.result import Result


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the shell.

    Attributes:
        run: Takes the session, how results are printed, and the words after the command.
        form: How it is written.
        meaning: What it does, in a few words.
        most_words: How many words may follow it.
    """

    run: Callable[[Connection, Answering, Sequence[str]], None]
    form: str
    meaning: str
    most_words: int = 0


def run_command(line: str, connection: Connection, answering: Answering) -> bool:
    """Run a command; return whether the shell goes on.

    Raises:
        InvalidInputError: There is no such command, or its words do not fit; nothing was done.
        ForklakeError: It failed.
    """
    if line.startswith("\\"):
        raise InvalidInputError(f'There is no command "{line}"; commands begin with a dot.', hint='".help" lists them.')
    try:
        name, *words = shlex.split(line)
    except ValueError as error:
        raise InvalidInputError(f"The command cannot be read: {error}; nothing was done.") from error
    name = fold(name)
    if name in _LEAVE:
        return False
    found = COMMANDS.get(_SHORT.get(name, name))
    if found is None:
        instead = _INSTEAD.get(name)
        near = nearest(name, [*COMMANDS, ".quit"]) if instead is None else None
        meant = f' Did you mean "{near}"?' if near else ""
        advice = instead or '".help" lists those that are.'
        raise InvalidInputError(f'There is no command "{name}".{meant}', hint=advice)
    if len(words) > found.most_words:
        raise InvalidInputError(f'It is written "{found.form}"; nothing was done.')
    found.run(connection, answering, words)
    return True


def _rows(connection: Connection, text: str, parameters: Sequence[object] = ()) -> Result:
    found = connection.sql(text, list(parameters))
    assert found is not None
    return found


def _tables(connection: Connection, answering: Answering, words: Sequence[str]) -> None:
    """List the tables and views in use, or of a catalog or schema."""
    within = f" FROM {'.'.join(quote_name(part) for part in words[0].split('.'))}" if words else ""
    listed = _rows(connection, f"SHOW TABLES{within}")
    for (name,) in listed.rows():
        click.echo(output.printable(str(name)))


def _schema(connection: Connection, answering: Answering, words: Sequence[str]) -> None:
    """Print the statements that make the tables and views of the catalog in use."""
    if connection.in_use is None:
        raise InvalidInputError("No catalog is in use.", hint="Say USE first.")
    catalog, _ = connection.in_use
    found = False
    for function, column in (("duckdb_tables", "table_name"), ("duckdb_views", "view_name")):
        listed = _rows(connection, f"FROM {function}()")
        places = {name: place for place, name in enumerate(listed.columns)}
        for row in listed.rows():
            names = (fold(row[places[column]]), fold(f"{row[places['schema_name']]}.{row[places[column]]}"))
            if row[places["database_name"]] == catalog and (not words or fold(words[0]) in names):
                click.echo(str(row[places["sql"]]).rstrip().rstrip(";") + ";")
                found = True
    if words and not found:
        raise InvalidInputError(f'There is no table or view "{words[0]}" in "{catalog}".')


def _lake_alias(connection: Connection) -> str:
    """Return a catalog of the lake in use, by which functions find the lake."""
    if connection.in_use is not None:
        return connection.in_use[0]
    if connection.attached:
        return connection.attached[0]
    return str(_rows(connection, "SHOW CATALOGS").rows()[0][0])


def _catalogs(connection: Connection, answering: Answering, words: Sequence[str]) -> None:
    """List the catalogs of the lake, or those whose names begin with a text."""
    listed = _rows(
        connection,
        "FROM ducklake_catalogs(?, prefix => ?)",
        [_lake_alias(connection), words[0] if words else ""],
    )
    for row in listed.rows():
        click.echo(output.printable(str(row[1])))


def _tree(connection: Connection, answering: Answering, words: Sequence[str]) -> None:
    """Draw the tree of forks, of the lake or of one catalog."""
    named = ", name => ?" if words else ""
    listed = _rows(connection, f"FROM ducklake_fork_tree(?{named})", [_lake_alias(connection), *words])
    place = {name: index for index, name in enumerate(listed.columns)}
    rows = listed.rows()
    least = min((row[place["level"]] for row in rows), default=0)
    for row in rows:
        ahead, behind = row[place["ahead"]], row[place["behind"]]
        told = [] if ahead is None else [f"+{ahead} -{behind}"]
        told += [] if row[place["is_live"]] else ["dropped"]
        name = output.printable(str(row[place["catalog_name"]]))
        more = f"  ({', '.join(told)})" if told else ""
        click.echo("  " * (row[place["level"]] - least) + name + more)


def _mode(connection: Connection, answering: Answering, words: Sequence[str]) -> None:
    """Say or choose how results are printed."""
    if not words:
        click.echo(f"{answering.mode} (there are {', '.join(MODES)})")
    elif words[0].lower() in MODES:
        answering.mode = words[0].lower()
    else:
        raise InvalidInputError(f'There is no mode "{words[0]}"; there are {", ".join(MODES)}.')


def _maxrows(connection: Connection, answering: Answering, words: Sequence[str]) -> None:
    """Say or choose how many rows of a table are shown."""
    if not words:
        click.echo(str(answering.most_rows))
    elif words[0].isdecimal() and int(words[0]) > 0:
        answering.most_rows = int(words[0])
    else:
        raise InvalidInputError(f'How many rows are shown is a number from 1 on, not "{words[0]}".')


def _timer(connection: Connection, answering: Answering, words: Sequence[str]) -> None:
    """Say or choose whether the time of each statement is told."""
    chosen = read_flag(words[0]) if words else None
    if words and chosen is None:
        raise InvalidInputError(f'The timer is "on" or "off", not "{words[0]}".')
    answering.has_timer = answering.has_timer if chosen is None else chosen
    if not words:
        click.echo("on" if answering.has_timer else "off")


def _read(connection: Connection, answering: Answering, words: Sequence[str]) -> None:
    """Run the statements of a file."""
    if not words:
        raise InvalidInputError('It is written ".read FILE"; nothing was done.')
    connection.check_readable(words[0])
    try:
        text = read_script(words[0])
    except click.UsageError as error:
        raise InvalidInputError(error.message) from error
    run_script(connection, text, answering, words[0])


def _help(connection: Connection, answering: Answering, words: Sequence[str]) -> None:
    click.echo('Statements end with ";", and may go over several lines. Tab completes names, the arrow keys bring')
    click.echo("earlier statements back. Ctrl-C forgets what is typed, or stops what runs; Ctrl-D leaves.")
    for command in COMMANDS.values():
        click.echo(f"  {command.form:<20}{command.meaning}")
    click.echo(f"  {'.quit':<20}leave")


COMMANDS: Final[Mapping[str, Command]] = {
    ".tables": Command(_tables, ".tables [SCHEMA]", "tables and views in use, or of a catalog or schema", 1),
    ".schema": Command(_schema, ".schema [TABLE]", "the statements that make tables and views", 1),
    ".catalogs": Command(_catalogs, ".catalogs [PREFIX]", "catalogs of the lake in use", 1),
    ".tree": Command(_tree, ".tree [CATALOG]", "forks, each below its parent", 1),
    ".mode": Command(_mode, ".mode [MODE]", f"how results are printed: {', '.join(MODES)}", 1),
    ".maxrows": Command(_maxrows, ".maxrows [NUMBER]", "how many rows of a table are shown", 1),
    ".timer": Command(_timer, ".timer [on|off]", "whether times are told", 1),
    ".read": Command(_read, ".read FILE", "run the statements of a file", 1),
    ".help": Command(_help, ".help", "this text", 1),
}
_LEAVE: Final = frozenset({".quit", ".exit", ".q"})
_SHORT: Final = {".h": ".help", ".?": ".help"}
_INSTEAD: Final = {
    ".open": "Say ATTACH 'ducklake:lake.db' AS name, then USE name; or leave, and open another lake.",
    ".databases": "Say SHOW DATABASES for what is attached; .catalogs lists the catalogs of the lake.",
    ".columns": "Say DESCRIBE and the name of the table.",
    ".output": "Say COPY (query) TO 'file.csv', or run `forklake sql -c` with its output in a file.",
    ".once": "Say COPY (query) TO 'file.csv', or run `forklake sql -c` with its output in a file.",
    ".import": "Say INSERT INTO t FROM 'file.csv', or CREATE TABLE t AS FROM 'file.csv'.",
    ".dump": "Say EXPORT DATABASE 'directory'.",
    ".shell": "Ctrl-Z leaves the shell for a while, where the terminal has jobs.",
}
"""What to say instead of commands of other shells."""
_WORDS: Final = {
    "quit": ".quit",
    "exit": ".quit",
    "help": ".help",
    "\\q": ".quit",
    "\\?": ".help",
    "\\h": ".help",
    "\\d": ".tables",
    "\\dt": ".tables",
    "\\l": ".catalogs",
}


def command_of(text: str) -> str | None:
    """Return the command that a line is; None if it is a statement.

    Words that other shells know are commands, too: ``quit``, ``exit``, ``help``, and what begins with a backslash.
    """
    line = text.strip()
    if line.startswith(("\\", ".")) and "\n" not in line and line not in _WORDS:
        return line
    return _WORDS.get(fold(line.removesuffix(";").rstrip()))
