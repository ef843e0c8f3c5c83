"""The names that come with a piece of a statement's tree.

The body of a macro becomes part of the statement that calls it, and still means what it meant where it was stored. So
each of its nodes bears the names that it is looked up with; what the caller gave as arguments bears none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self

from sqlglot import exp

from forklake.model.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from forklake.sql.relation import Names

_KEY: Final = "names"


@dataclass(frozen=True, slots=True, eq=False)
class _Borne:
    """Names in the ``meta`` of a node; copies of the node share them."""

    names: Names

    def __deepcopy__(self, memo: object) -> Self:
        return self


def bear_names(tree: exp.Expr, names: Names) -> exp.Expr:
    """Let every node of a tree bear names, and return the tree."""
    borne = _Borne(names)
    for node in tree.walk():
        node.meta[_KEY] = borne
    return tree


def hand_on_names(made: exp.Expr, of: exp.Expr) -> exp.Expr:
    """Let a node that takes the place of another bear its names.

    What is below it keeps its own.
    """
    if (names := borne_names(of)) is not None:
        made.meta[_KEY] = _Borne(names)
    return made


def borne_names(node: exp.Expr) -> Names | None:
    """Return the names that a node bears.

    None if it is looked up with those of its statement.
    """
    found = node.meta.get(_KEY) if node.meta else None
    return found.names if isinstance(found, _Borne) else None


def names_of(node: exp.Expr, names: Names) -> Names:
    """Return the names that a node bears, or else those of its statement."""
    return borne_names(node) or names
