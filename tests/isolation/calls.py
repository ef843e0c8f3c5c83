"""Calls of all catalog functions with arguments that lead elsewhere, in all forms.

They are made from the list of functions: a new function is tried unasked, and a new type of argument needs a row here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from forklake.session.functions import FUNCTIONS
from forklake.session.functions.function import CatalogFunction

ARGUMENTS: Final[dict[str, tuple[str, ...]]] = {
    "VARCHAR": ("'{other}'", "'{near}'", "'{table}'", "'{file}'", "'{theirs}/**'", "'{me}'", "'t'"),
    "BIGINT": ("{id}", "{snapshot}"),
    "UBIGINT": ("{snapshot}",),
    "BOOLEAN": ("true",),
    "DOUBLE": ("0.0",),
    "ANY": ("'{other}'", "'1 day'", "MAP {'a': 'b'}"),
    "TIMESTAMP WITH TIME ZONE": ("now()",),
    "BIGINT | TIMESTAMP WITH TIME ZONE": ("{snapshot}", "now()", "'beacon'"),
    "VARCHAR[]": ("['{other}', '{file}']",),
    "UBIGINT[]": ("[{snapshot}]",),
}
"""What an argument of each type may be given; the last is what is usual."""
ALIASES: Final = ("'{me}'", "'{other}'", "'{id}'", "{id}", "NULL", "'{uuid}'", "'\"{other}\"'")


def calls_of(name: str) -> list[str]:
    """Return all calls of a function: one argument after another leads elsewhere or is NULL, and then all do."""
    return sorted(set(_calls(FUNCTIONS[name])))


def _calls(function: CatalogFunction) -> Iterator[str]:
    for signature in function.signatures:
        kinds = [*signature.positional.values(), *signature.optional.values()]
        for count in range(len(signature.positional), len(kinds) + 1):
            usual = [ARGUMENTS[kind][-1] for kind in kinds[:count]]
            yield from _forms(function, usual)
            yield from _forms(function, [ARGUMENTS[kind][0] for kind in kinds[:count]])
            yield from _of_aliases(function, usual)
            for place, kind in enumerate(kinds[:count]):
                for value in (*ARGUMENTS[kind], "NULL"):
                    yield from _forms(function, [*usual[:place], value, *usual[place + 1 :]])
        first = [ARGUMENTS[kind][-1] for kind in signature.positional.values()]
        for name, kind in signature.named.items():
            for value in (*ARGUMENTS[kind], "NULL"):
                yield from _forms(function, [*first, f"{name} => {value}"])


def _of_aliases(function: CatalogFunction, values: list[str]) -> Iterator[str]:
    if function.is_bound:
        for alias in ALIASES:
            yield f"CALL {function.full_name}({', '.join([alias, *values])})"


def _forms(function: CatalogFunction, values: list[str]) -> Iterator[str]:
    given = ", ".join(values)
    if function.is_bound:
        for alias in ALIASES[:2]:
            yield f"CALL {function.full_name}({', '.join([alias, *values])})"
    else:
        yield f"CALL {function.full_name}({given})"
    yield f"FROM {{other}}.{function.name}({given})"
    if function.scalar is not None:
        yield f"SELECT {function.full_name}({', '.join([ALIASES[0], *values])})"
