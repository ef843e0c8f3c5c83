"""Expressions that callers make of an engine's own objects, such as a Column of Spark: as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class NamedColumn:
    """A column by the parts of its name; the first may be the table, the last ones fields of structs."""

    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Constant:
    """A value of Python's."""

    value: Any


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A function or an operator, by the name that Spark gives it: ``>``, ``and``, ``upper``."""

    name: str
    arguments: tuple[Expression, ...]


Expression = NamedColumn | Constant | FunctionCall
