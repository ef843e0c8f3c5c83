"""A verb, its faces, and the reasons why a face is missing."""

from __future__ import annotations

from typing import Final

from forklake.model.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Lacks:
    """The reason why Python, SQL or the command line lacks a verb."""

    reason: str


Face = tuple[str, ...] | Lacks


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb.

    Attributes:
        action: A description, as an imperative.
        python: Methods and properties, as ``Class.name``; functions of the package as ``forklake.name``.
        sql: Statements, as examples that can be parsed; functions are called in them.
        cli: Commands, without the name of the program.
    """

    action: str
    python: Face
    sql: Face
    cli: Face


@dataclass(frozen=True, slots=True)
class Chapter:
    """Verbs about one thing."""

    title: str
    verbs: tuple[Verb, ...]


STATEMENT: Final = Lacks("`forklake sql` runs the statement")
RESULT: Final = Lacks("`forklake sql` prints rows; `--json` gives them as JSON")
FORM: Final = Lacks("a result is a result; its form is chosen in Python")
HANDLE: Final = Lacks("nothing is held: names are looked up by each statement")
COMMAND: Final = Lacks("nothing is held: each command opens the lake and closes it")
FILE_WRITER: Final = Lacks("for programs that write files themselves, in Python")
OF_SESSIONS: Final = Lacks("about the SQL session; a Python program has variables")
IN_A_SESSION: Final = Lacks("belongs to a SQL session; `forklake sql` runs one")
OF_SPARK: Final = Lacks("about Spark's own API")
MANY: Final = Lacks("one call makes one; loop, or use Python or the command line")
