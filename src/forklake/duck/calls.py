"""Calls of functions that DuckDB computes for both engines, as values.

A call has a name. It says all of the call, and stands for it in the SQL of an engine that has no such function.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote

from forklake.duck.json_depth import SHALLOW
from forklake.model import types
from forklake.model.lazy_dataclass import dataclass
from forklake.model.quoting import quote_text
from forklake.model.types import Type
from forklake.model.types.read import read_type

_LISTS: Final = (
    "approx_count_distinct bit_and bit_or bit_xor entropy histogram kurtosis kurtosis_pop mad median mode sem skewness"
    " stddev_pop stddev_samp var_pop var_samp"
)
SCALARS: Final = frozenset(
    [
        "bar",
        "damerau_levenshtein",
        "days_in_month",
        "fdiv",
        "formatreadabledecimalsize",
        "format_bytes",
        "from_binary",
        "gamma",
        "hamming",
        "jaccard",
        "jaro_similarity",
        "jaro_winkler_similarity",
        "json_contains",
        "json_exists",
        "json_merge_patch",
        "json_pretty",
        "json_structure",
        "json_transform",
        "json_transform_strict",
        "json_value",
        "julian",
        "length_grapheme",
        "lgamma",
        "list_cosine_distance",
        "list_cosine_similarity",
        "list_distance",
        "list_grade_up",
        "list_inner_product",
        "list_negative_inner_product",
        "list_where",
        "make_timestamptz",
        "nextafter",
        "nfc_normalize",
        "parse_dirname",
        "parse_dirpath",
        "parse_filename",
        "parse_path",
        "regexp_escape",
        "round_even",
        "signbit",
        "strip_accents",
        "substring_grapheme",
        "to_base",
        "to_binary",
        "url_decode",
        "url_encode",
    ]
    + [f"list_{name}" for name in _LISTS.split()]
)
"""The functions that are DuckDB's for both engines, by their names in lower case."""
_IN_PART: Final = frozenset(
    {
        "format",
        "json_array_length",
        "json_extract",
        "json_extract_string",
        "json_keys",
        "json_type",
        "list_aggregate",
        "printf",
        "regexp_extract",
        "regexp_extract_all",
        "regexp_full_match",
        "regexp_matches",
        "regexp_replace",
        "regexp_split_to_array",
        "strftime",
        "try_strptime",
    }
)
"""What DuckDB computes of functions that Spark has in part, as JSON at some paths."""
FUNCTIONS: Final = SCALARS | _IN_PART
"""The functions of DuckDB that may be called.

None of them reads anything but its arguments, and none gives another value for the same ones.
"""
DESCENDING: Final[Mapping[str, int]] = {
    "json_contains": 2,
    "json_merge_patch": 1_000,
    "json_pretty": 1,
    "json_structure": 1,
    "json_transform": 1,
    "json_transform_strict": 1,
}
"""Functions that go down into JSON by calls within calls, or indent it; how many of their first arguments are JSON."""
MOST_PAIRS: Final[Mapping[str, int]] = {
    "damerau_levenshtein": 10_000_000,
    "jaro_similarity": 1_000_000_000,
    "jaro_winkler_similarity": 1_000_000_000,
}
"""Functions that take a step for each pair of letters, which nothing cancels; how many they may take.

The first keeps eight bytes for each, too, which no limit of DuckDB counts.
"""
_BEGINNING: Final = "~duckdb "
_NAME: Final = re.compile(f"`({_BEGINNING}[^`]+)`")
_PLAIN: Final = re.compile(r"[^a-z0-9 _.,:;()\[\]{}\"'<>=-]")
_OTHER_CASE: Final = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)
_CARRIED: Final = (types.Integer, types.Float, types.Decimal, types.Boolean, types.Varchar, types.Date, types.Timestamp)
_CARRIED_TOO: Final = frozenset({types.JSON, types.BLOB, types.UUID, types.TIMESTAMPTZ})


@dataclass(frozen=True, slots=True)
class Constant:
    """An argument that is the same for all rows.

    Attributes:
        text: The value as text; None for NULL.
        type: Its type; None for a quoted constant, which takes the type that the function wants.
    """

    text: str | None
    type: Type | None = None

    @property
    def sql(self) -> str:
        """The value in DuckDB's SQL."""
        if self.text is None:
            return "NULL"
        if self.type is None:
            return quote_text(self.text)
        # A number without a cast is a constant that may take another type.
        is_number = self.type == types.INT32 and self.text.isdecimal()
        return self.text if is_number else f"CAST({quote_text(self.text)} AS {self.type.sql_name})"


@dataclass(frozen=True, slots=True)
class DuckCall:
    """A call of a function.

    Attributes:
        function: One of `FUNCTIONS`.
        arguments: Constants, and the types of the columns that are the other arguments, in order.
    """

    function: str
    arguments: tuple[Constant | Type, ...]

    @property
    def name(self) -> str:
        """The name of the call: it says all of it, without capital letters and backticks."""
        parts = [
            {"T": one.text, "K": one.type and one.type.sql_name} if isinstance(one, Constant) else one.sql_name
            for one in self.arguments
        ]
        said = json.dumps([self.function.upper(), *parts]).translate(_OTHER_CASE)
        return _BEGINNING + _PLAIN.sub(lambda found: f"%{ord(found[0]):02x}", said)

    @property
    def columns(self) -> tuple[Type, ...]:
        """The types of the columns that it takes."""
        return tuple(one for one in self.arguments if not isinstance(one, Constant))

    @property
    def sql(self) -> str:
        """The call in DuckDB's SQL, over columns `c0`, `c1` and on."""
        written, place = [], 0
        for one in self.arguments:
            if isinstance(one, Constant):
                written.append(one.sql)
            else:
                written.append(f"CAST(c{place} AS {one.sql_name})")
                place += 1
        for number in range(min(DESCENDING.get(self.function, 0), len(written))):
            written[number] = f"{SHALLOW}({written[number]})"
        if self.function in MOST_PAIRS:
            written[1] = _in_reach(self.function, *written[:2])
        if self.function == "list_where":
            # DuckDB 1.5 reads past the end of a vector of lists that have no elements; what a list lacks is NULL.
            written[0] = f"CASE WHEN len({written[0]}) = 0 THEN [NULL] ELSE {written[0]} END"
        return f"{self.function}({', '.join(written)})"


def _in_reach(function: str, first: str, second: str) -> str:
    """Return the second text, an error if there are too many pairs of letters."""
    pairs = f"CAST(length({first}) AS BIGINT) * length({second})"
    return (
        f"CASE WHEN {pairs} > {MOST_PAIRS[function]} THEN error({quote_text(pairs_error(function))}) ELSE {second} END"
    )


def pairs_error(function: str) -> str:
    """Return what is said of texts with too many pairs of letters."""
    most = MOST_PAIRS[function]
    return f"Out of Range Error: {function} takes texts whose lengths are at most {most} when multiplied"


def calls_in(sql: str) -> dict[str, DuckCall]:
    """Return the calls whose names occur in SQL, by name.

    >>> call = DuckCall("to_base", (types.INT64, Constant("2", types.INT32)))
    >>> calls_in(f"SELECT `{call.name}`(a) FROM t") == {call.name: call}
    True
    """
    if _BEGINNING not in sql:
        return {}
    found = {name: _read_call(name) for name in set(_NAME.findall(sql))}
    return {name: call for name, call in found.items() if call is not None}


def _read_call(name: str) -> DuckCall | None:
    """Return the call that has a name; None if there is none.

    Anybody may write such a name.
    """
    try:
        function, *parts = json.loads(unquote(name.removeprefix(_BEGINNING)).translate(_OTHER_CASE))
        call = DuckCall(function.lower(), tuple(map(_argument, parts)))
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
    return call if call.function in FUNCTIONS and call.name == name else None


def _argument(part: str | dict[str, str | None]) -> Constant | Type:
    if isinstance(part, str):
        return read_type(part)
    kind = part["K"]
    return Constant(part["T"], None if kind is None else read_type(kind))


def is_carried(kind: Type) -> bool:
    """Return whether values of a type can be arguments."""
    if isinstance(kind, types.List):
        return is_carried(kind.element.type)
    is_precise = kind == types.TIMESTAMP_NS  # of which Spark knows the text only
    return not is_precise and (isinstance(kind, _CARRIED) or kind in _CARRIED_TOO)
