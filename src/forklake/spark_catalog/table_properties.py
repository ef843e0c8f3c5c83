"""Table properties of Spark: the comment, the sort order, and tags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from forklake.errors import InvalidInputError
from forklake.model.definitions import SortKey
from forklake.model.lazy_dataclass import dataclass
from forklake.model.option_rules import OPTIONS
from forklake.spark_catalog.table_facts import SORTED_BY
from forklake.sql.parse import parse_sort_keys

_IGNORED: Final = frozenset({"owner", "provider"})
_PROVIDERS: Final = frozenset({"forklake", "parquet"})
_REFUSED: Final = frozenset({"location", "external", "is_managed_location", "path"})
_OPTION: Final = "option."
_COLLATION: Final = "collation"


@dataclass(frozen=True, slots=True)
class Properties:
    """What properties say of a new table.

    Attributes:
        tags: Its tags, of which ``comment`` is the comment.
        sorted_by: Its sort order.
    """

    tags: Mapping[str, str]
    sorted_by: tuple[SortKey, ...]


def read_properties(given: Mapping[str, str]) -> Properties:
    """Return what properties say of a new table.

    Raises:
        InvalidInputError: A table of a lake cannot have one of them, or the sort order cannot be read.
    """
    provider = given.get("provider", "forklake")
    if provider.lower() not in _PROVIDERS:
        raise InvalidInputError(
            f'Tables of a lake are Parquet files that forklake writes, not "{provider}"; nothing was created.',
            hint='Leave out USING and format(), or say "forklake".',
        )
    if options := [key for key in given if key.startswith(_OPTION)]:
        raise InvalidInputError(
            f'A table of a lake has no option "{options[0].removeprefix(_OPTION)}"; nothing was created.',
            hint="Properties are given with TBLPROPERTIES or tableProperty().",
        )
    tags = {key: value for key, value in given.items() if key not in _IGNORED}
    order = tags.pop(SORTED_BY, "")
    for key in tags:
        check_property(key)
    return Properties(tags, sort_order(order))


def check_property(key: str) -> None:
    """Refuse a property that a table of a lake cannot have.

    Raises:
        InvalidInputError: It says where files are, which the lake decides, is an option of the lake, or a collation.
    """
    if key.lower() in _REFUSED:
        raise InvalidInputError(f'The lake decides where its files are: "{key}" cannot be set; nothing was changed.')
    if key.lower() == _COLLATION:
        raise InvalidInputError(
            "A lake keeps no collation; nothing was changed.", hint="Compare with collate() in queries."
        )
    if key.lower() in OPTIONS:
        raise InvalidInputError(
            f'"{key}" is an option of a table, not a property; nothing was changed.',
            hint=f"CALL <catalog>.system.set_option('{key}', value, table => 'schema.table') sets it.",
        )
    if key.lower() in _IGNORED:
        raise InvalidInputError(f'The property "{key}" cannot be set; nothing was changed.')


def sort_order(text: str) -> tuple[SortKey, ...]:
    """Return the keys of a sort order that is written as in ORDER BY.

    An empty text has none.

    >>> [key.expression for key in sort_order('concat(a, lower(b)), "x, y" DESC')]
    ['concat(a, lower(b))', '"x, y"']

    Raises:
        InvalidInputError: It cannot be read.
    """
    return parse_sort_keys(text) if text.strip() else ()
