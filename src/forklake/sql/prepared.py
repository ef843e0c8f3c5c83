"""Prepared statements: PREPARE, EXECUTE and DEALLOCATE, as values."""

from __future__ import annotations

from sqlglot import exp

from forklake.model.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Prepare:
    """PREPARE name AS statement.

    The statement is kept as its text: its parameters get their values when it is executed.
    """

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Execute:
    """EXECUTE name(values).

    Attributes:
        values: The values of its parameters in order, unless they are named.
        names: The name of each value; empty if they have none.
    """

    name: str
    values: tuple[exp.Expr, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Deallocate:
    """DEALLOCATE name."""

    name: str
