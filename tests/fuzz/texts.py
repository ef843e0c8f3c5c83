"""The templates of expressions and queries, which are kept as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path


def read_lines(name: str) -> Sequence[str]:
    """Return the lines of a file of templates that are no comments."""
    lines = (Path(__file__).parent / name).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def read_calls(name: str) -> Mapping[str, Sequence[str]]:
    """Return templates by name: a line of names, then templates that are indented; ``@`` is the name."""
    found: dict[str, list[str]] = {}
    names: list[str] = []
    for line in read_lines(name):
        if not line.startswith(" "):
            names = line.split()
            found.update({one: [] for one in names})
        for one in names if line.startswith(" ") else ():
            found[one].append(line.strip().replace("@(", f"{one}("))
    return found
