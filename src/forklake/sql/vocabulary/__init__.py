"""The functions that queries can call, each declared once.

What one becomes in Spark SQL is in `forklake.sql.functions` and `forklake.sql.expressions`, under the first of its
names. All else comes from here: its other names, how many arguments it takes, suggestions, completion and the page of
functions.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Final

from forklake.sql.vocabulary.aggregate_functions import AGGREGATES, WINDOW_FUNCTIONS
from forklake.sql.vocabulary.declaration import Declaration, Nulls, Parameter
from forklake.sql.vocabulary.general_functions import GENERAL_FUNCTIONS
from forklake.sql.vocabulary.nested_functions import JSON_FUNCTIONS, NESTED_FUNCTIONS
from forklake.sql.vocabulary.number_functions import NUMBER_FUNCTIONS
from forklake.sql.vocabulary.text_functions import TEXT_FUNCTIONS
from forklake.sql.vocabulary.time_functions import TIME_FUNCTIONS

__all__ = [
    "AGGREGATES",
    "BY_NAME",
    "THEMES",
    "WINDOW_FUNCTIONS",
    "Declaration",
    "Nulls",
    "Parameter",
    "nearest_name",
    "takes",
]

THEMES: Final[Mapping[str, tuple[Declaration, ...]]] = {
    "Values of any type": GENERAL_FUNCTIONS,
    "Numbers": NUMBER_FUNCTIONS,
    "Text": TEXT_FUNCTIONS,
    "Dates and times": TIME_FUNCTIONS,
    "Lists, structs and maps": NESTED_FUNCTIONS,
    "JSON": JSON_FUNCTIONS,
    "Aggregates": AGGREGATES,
    "Window functions": WINDOW_FUNCTIONS,
}
"""All functions, in the order of the page."""
BY_NAME: Final[Mapping[str, Declaration]] = {
    name: one for declared in THEMES.values() for one in declared for name in one.names
}
"""All functions by each of their names, in lower case."""


def takes(name: str, count: int) -> bool:
    """Return whether a function, named in lower case, takes this many arguments.

    One that is not declared, such as a macro, takes any number.

    >>> takes("upper", 1), takes("upper", 2), takes("greatest", 9), takes("a_macro", 3)
    (True, False, True, True)
    """
    return name not in BY_NAME or BY_NAME[name].takes(count)


def nearest_name(name: str) -> str | None:
    """Return the name of the function that is most like a name.

    >>> nearest_name("uper"), nearest_name("xyzzy")
    ('upper', None)
    """
    known = [one for one, declared in BY_NAME.items() if not declared.is_refused]
    return next(iter(difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.6)), None)
