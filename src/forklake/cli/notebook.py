"""The magic ``%%forklake`` of IPython and notebooks: cells of SQL."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final

from forklake.cli.command import names_new_lake, new_lake_notice
from forklake.cli.shell.opening import make_session, open_session, other_catalogs
from forklake.errors import ForklakeError, InvalidInputError, NotFoundError
from forklake.ops.lakes.lake_exists import lake_exists

if TYPE_CHECKING:
    from forklake.session.connection import Connection
    from forklake.session.results.result import Result

_FORMS: Final = "It is written `%forklake LAKE [--catalog NAME]`, or `%%forklake [NAME]` above statements."


class NotebookSession:
    """The session of one notebook: it lasts from cell to cell.

    ``%forklake lake.db`` opens a lake, which is made as by ``forklake sql`` if the file is not there. Its only catalog,
    or that of ``--catalog``, is in use. ``%%forklake`` runs
    the statements of its cell: the results of all are shown, and the last one is the value of the cell, or goes into
    the variable that is named. Statements can name frames in variables of the notebook. Without a lake, the session
    begins with nothing attached.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._held = ExitStack()
        self._connection: Connection | None = None

    def run(self, line: str, cell: str | None = None) -> Result | None:
        """Open a lake, as a line says, or run the statements of a cell."""
        try:
            if cell is None:
                self._open(shlex.split(line))
                return None
            return self._run(cell, line.strip())
        except ForklakeError as error:
            first, *others = str(error).split("\n")
            told = [f"{type(error).__name__}: {first}", *others]
            # IPython shows this instead of the stack, in which nothing is the user's.
            vars(error)["_render_traceback_"] = lambda: told
            raise

    def close(self) -> None:
        """Close the session and the lake."""
        self._connection = None
        self._held.close()

    def _open(self, words: list[str]) -> None:
        catalog = None
        if len(words) == 3 and words[1] == "--catalog":
            catalog = words.pop()
            words.pop()
        if len(words) != 1:
            raise InvalidInputError(f"The lake was not opened. {_FORMS}")
        is_new = names_new_lake(words[0])
        if not is_new and not lake_exists(words[0]):
            raise NotFoundError(f'There is no lake at "{words[0]}".', hint="`forklake.open(...)` makes one.")
        self.close()
        self._held = ExitStack()
        if is_new:
            made = make_session(words[0], catalog, lambda path: print(new_lake_notice(path)))
            self._connection, lake = self._held.enter_context(made)
        else:
            self._connection, lake = self._held.enter_context(open_session(words[0], catalog))
        told = other_catalogs(self._connection, lake) if catalog is None else None
        if told is not None:
            print(told)

    def _run(self, text: str, variable: str) -> Result | None:
        if variable and not variable.isidentifier():
            raise InvalidInputError(f'"{variable}" is no name of a variable; nothing was run. {_FORMS}')
        if self._connection is None:
            self._connection, _ = self._held.enter_context(open_session(None))
        connection, shown = self._connection, self._shell.display_formatter
        names = self._shell.user_ns

        def run_in_notebook() -> Result | None:
            previous: Result | None = None
            for result in connection.results(text):
                if previous is not None:
                    data, metadata = shown.format(previous)
                    self._shell.display_pub.publish(data, metadata)
                previous = result
            return previous

        # Its variables are found from here, as in code of the notebook.
        last: Result | None = eval("run()", names, {"run": run_in_notebook})
        if variable:
            names[variable] = last
            return None
        return last


def load(shell: Any) -> None:
    """Make ``%forklake`` and ``%%forklake`` known."""
    session = NotebookSession(shell)
    shell.register_magic_function(session.run, "line_cell", "forklake")
    _sessions[id(shell)] = session


def unload(shell: Any) -> None:
    """Close the session; the magic is forgotten."""
    found = _sessions.pop(id(shell), None)
    if found is not None:
        found.close()
        for kind in ("line", "cell"):
            shell.magics_manager.magics[kind].pop("forklake", None)


_sessions: Final[dict[int, NotebookSession]] = {}
