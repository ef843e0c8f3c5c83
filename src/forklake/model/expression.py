"""Expressions as plain values, made from objects of an engine.

A Column of Spark is such an object.
"""

from __future__ import annotations

from typing import Any

from forklake.model.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class NamedColumn:
    """A column by the parts of its name.

    The first part may be the table, the last ones fields of structs.
    """

    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Constant:
    """A Python value.

    A datetime with a time zone is an instant. Beside values without time zone it is what a clock in its zone shows.
    """

    value: Any


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A function or an operator, by Spark's name for it.

    For example, ``>``, ``and``, ``upper``. A chain of ``and`` or ``or`` is one call with all its parts.
    """

    name: str
    arguments: tuple[Expression, ...]


Expression = NamedColumn | Constant | FunctionCall
