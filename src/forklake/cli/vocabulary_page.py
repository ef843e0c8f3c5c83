"""The page docs/reference/functions.md, made from the declarations of functions.

``python -m forklake.cli.vocabulary_page`` writes it.
"""

from __future__ import annotations

import sys

from forklake.sql.vocabulary import THEMES, Declaration, Nulls

_INTRO = """\
# Functions

Made from the declarations of the functions by `make docs`; do not edit it by hand. They mean what they mean in DuckDB;
[what differs](../guide/sql.md#what-differs-from-duckdb) is listed. Functions of catalogs are on
[a page of their own](catalog-functions.md); those that read files are in the [specification](../spec/sql.md#files).

Arguments in brackets may be left out; dots mean that there may be more. `NUMBER` is any type of numbers, `MOMENT` a
`DATE`, a `TIMESTAMP` or a `TIMESTAMPTZ`, `T`, `K` and `V` any type, the same wherever it is written, `ANY` any type. A
result of `NUMBER` or `ANY` has the type that the arguments ask for. A function of a row gives NULL if an argument is
NULL, and aggregates leave NULLs out, unless it is said.
"""


def page() -> str:
    """Return the whole page."""
    return "\n".join([_INTRO, *(f"## {title}\n\n{_table(declared)}" for title, declared in THEMES.items())])


def _table(declared: tuple[Declaration, ...]) -> str:
    rows = "\n".join(f"| {_calls(one)} | {_code(one.result)} | {_meaning(one)} |" for one in declared)
    return f"| call | gives | meaning |\n|---|---|---|\n{rows}\n"


def _calls(one: Declaration) -> str:
    return "<br>".join(_code(call) for call in one.calls())


def _meaning(one: Declaration) -> str:
    usual = Nulls.GIVE_NULL if one.kind == "scalar" else Nulls.LEFT_OUT
    parts = [one.meaning]
    if one.nulls is not usual and one.kind != "window":
        parts.append(f"{one.nulls.value}.")
    if one.names[1:]:
        parts.append(f"Also {', '.join(map(_code, one.names[1:]))}.")
    return " ".join(parts)


def _code(text: str) -> str:
    return f"`{text}`"


if __name__ == "__main__":
    sys.stdout.write(page())
