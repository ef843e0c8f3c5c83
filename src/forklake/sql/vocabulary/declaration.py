"""What is known of a function before it is bound: its calls and its meaning."""

from __future__ import annotations

import re
from enum import Enum
from typing import Final, Literal

from forklake.model.lazy_dataclass import dataclass

Kind = Literal["scalar", "aggregate", "window"]
_MANY: Final = 1000
"""As many arguments as a function takes that takes any number of them."""


class Nulls(Enum):
    """What a function does with NULL among its arguments."""

    GIVE_NULL = "NULL if an argument is NULL"
    LEFT_OUT = "NULLs are left out"
    ARE_VALUES = "NULL is an argument as any other"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: its name and the type, or the group of types, that it takes."""

    name: str
    type: str
    is_optional: bool = False
    is_repeated: bool = False

    def __str__(self) -> str:
        """Return the parameter as the page of functions writes it."""
        text = f"{self.name} {self.type}{' ...' if self.is_repeated else ''}"
        return f"[{text}]" if self.is_optional else text


@dataclass(frozen=True, slots=True)
class Declaration:
    """A function.

    Attributes:
        names: The name that errors and pages use, then its other names.
        signatures: The lists of parameters that it may be called with.
        result: The type of its value; as a group, the type follows from the arguments.
        meaning: What it gives, in one line.
        is_refused: Whether it is known only to say why it is not there.
        is_varying: Whether it may give another value for each row.
    """

    names: tuple[str, ...]
    signatures: tuple[tuple[Parameter, ...], ...]
    result: str
    meaning: str
    nulls: Nulls
    kind: Kind
    is_refused: bool = False
    is_varying: bool = False

    @property
    def name(self) -> str:
        """The first of its names."""
        return self.names[0]

    @property
    def counts(self) -> tuple[tuple[int, int], ...]:
        """The least and the most arguments of each signature."""
        return tuple(
            (
                sum(not one.is_optional for one in parameters),
                _MANY if any(one.is_repeated for one in parameters) else len(parameters),
            )
            for parameters in self.signatures
        )

    @property
    def most(self) -> int | None:
        """The most arguments that it takes; None if there is no bound."""
        most = max(most for _, most in self.counts)
        return most if most < _MANY else None

    def takes(self, count: int) -> bool:
        """Return whether it can be called with this many arguments."""
        return any(least <= count <= most for least, most in self.counts)

    def calls(self) -> tuple[str, ...]:
        """Return how it is called, with one text for each signature."""
        return tuple(f"{self.name}({', '.join(map(str, parameters))})" for parameters in self.signatures)


def declare(
    names: str,
    parameters: str,
    result: str,
    meaning: str,
    nulls: Nulls = Nulls.GIVE_NULL,
    kind: Kind = "scalar",
    *,
    is_refused: bool = False,
    is_varying: bool = False,
) -> Declaration:
    """Return a declaration.

    Args:
        names: All names, apart by spaces.
        parameters: ``name TYPE``, apart by commas; in brackets if it may be left out; with dots if there may be more.
            Different lists of parameters are apart by bars.
        result: The type of its value.
        meaning: What it gives.
        nulls: What it does with NULL.
        kind: Whether it is called for a row, for rows, or over a window.
        is_refused: Whether it is known only to say why it is not there.
        is_varying: Whether it may give another value for each row.

    >>> declare("substring substr", "text VARCHAR, start BIGINT, [length BIGINT]", "VARCHAR", "A part.").counts
    ((2, 3),)
    >>> declare("map", "| keys K[], values V[]", "MAP(K, V)", "A map.").calls()
    ('map()', 'map(keys K[], values V[])')
    """
    signatures = tuple(_parameters(one.strip()) for one in parameters.split("|"))
    return Declaration(tuple(names.split()), signatures, result, meaning, nulls, kind, is_refused, is_varying)


def _parameters(text: str) -> tuple[Parameter, ...]:
    # Types have commas only in parentheses.
    return tuple(_parameter(one.strip()) for one in re.split(r",\s*(?![^()]*\))", text)) if text else ()


def _parameter(text: str) -> Parameter:
    is_optional = text.startswith("[")
    name, _, kind = (text[1:-1] if is_optional else text).partition(" ")
    is_repeated = kind.endswith("...")
    return Parameter(name, kind.removesuffix("...").strip(), is_optional, is_repeated)
