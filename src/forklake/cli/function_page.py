"""The page docs/reference/catalog-functions.md, made from these functions.

``python -m forklake.cli.function_page`` writes it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from textwrap import wrap

from forklake.cli.verbs.page import all_verbs
from forklake.session.functions import FUNCTIONS, LISTINGS, CatalogFunction
from forklake.session.functions.arguments import MOMENT, TIMESTAMPTZ, Signature

_INTRO = """\
# Catalog functions

Made from the functions themselves by `make docs`; do not edit it by hand.

A function of one catalog takes its alias first: `FROM ducklake_snapshots('shop')`. `shop.snapshots()` is the same, and
`snapshots()` for the catalog in use. All can be called in `FROM` and with `CALL`; those that have a value also in an
expression. [The table of verbs](verbs.md) has their names in Python and on the command line.

Arguments in brackets may be left out. Those that are written `name => TYPE` are given by name, and may all be left out.
A `MOMENT` is a snapshot by its id or its tag, or a time; where a time is asked for, an interval means that long ago.
"""


def page() -> str:
    """Return the whole page."""
    functions = [function for _, function in sorted(FUNCTIONS.items())]
    telling = [_entry(function) for function in functions if function.acts is None]
    acting = [_entry(function) for function in functions if function.acts is not None]
    listings = "\n".join(f"- `{name}()`" for name in sorted(LISTINGS))
    parts = [
        _INTRO,
        "## Functions that tell\n",
        *telling,
        "## Functions that act\n",
        "What they do takes effect at once. It is no part of a transaction, unless it changes tables.\n",
        *acting,
        "## Lists of all that is attached\n",
        f"{listings}\n",
    ]
    return "\n".join(parts)


def _entry(function: CatalogFunction) -> str:
    calls = "\n".join(_call(function, signature) for signature in function.signatures)
    lines = [f"### {function.full_name}\n", f"{_purpose(function)}\n", f"```text\n{calls}\n```\n"]
    if function.acts is not None:
        columns = ", ".join(f"`{column.name}`" for column in function.acts)
        value = f" In an expression, its value is `{function.scalar}`." if function.scalar else ""
        lines.append(f"Gives {columns}.{value}\n")
    return "\n".join(lines)


def _purpose(function: CatalogFunction) -> str:
    """Return what the verbs that have this function in SQL do."""
    said = ((verb.action, verb.sql) for verb in all_verbs() if isinstance(verb.sql, tuple))
    found = "; ".join(action for action, texts in said if any(f"{function.full_name}(" in text for text in texts))
    return f"{found[:1].upper()}{found[1:]}."


def _call(function: CatalogFunction, signature: Signature) -> str:
    whole = signature.after_catalog() if function.is_bound else signature
    parts = [
        *_parameters(whole.positional, "{} {}"),
        *_parameters(whole.optional, "[{} {}]"),
        *_parameters(whole.named, "{} => {}"),
    ]
    return "\n".join(_lines(f"{function.full_name}(", parts))


def _lines(head: str, parts: Iterable[str]) -> list[str]:
    # A parameter and its type stay together.
    text = ", ".join(part.replace(" ", "\0") for part in parts)
    lines = wrap(f"{head}{text})", 100, subsequent_indent=" " * 4, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\0", " ") for line in lines]


def _parameters(of: Mapping[str, str], form: str) -> list[str]:
    short = {MOMENT: "MOMENT", TIMESTAMPTZ: "TIMESTAMPTZ"}
    return [form.format(name, short.get(kind, kind)) for name, kind in of.items()]


if __name__ == "__main__":
    sys.stdout.write(page())
