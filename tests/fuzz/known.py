"""Differences from DuckDB that stay, each with the words of the guide that tell of it.

A difference is told by what a query calls and by how the answers differ: every value that differs must do so in that
way.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import numpy as np

from tests.fuzz.answers import Finding

_Way = Callable[[Any, Any], bool]


@dataclass(frozen=True, slots=True)
class Known:
    """A difference that `docs/guide/sql.md` lists.

    Attributes:
        pattern: Occurs in the query: the function or construct that differs.
        reason: Words of the guide.
        way: Holds for each value of DuckDB's that differs, with ours.
        kind: What differs.
    """

    pattern: str
    reason: str
    way: _Way
    kind: str = "rows"

    def speaks_of(self, finding: Finding) -> bool:
        """Return whether a query has the function or construct that differs."""
        return finding.kind == self.kind and re.search(self.pattern, finding.query) is not None


def _counts_fewer(want: Any, got: Any) -> bool:
    return isinstance(want, int) and isinstance(got, int) and 0 <= got < want


def _are_zeros(want: Any, got: Any) -> bool:
    return isinstance(want, float) and want == got == 0


def _are_nearly_zeros(want: Any, got: Any) -> bool:
    return _are_floats(want, got) and max(abs(want), abs(got)) < 1e-10


def _are_nearly_same_decimals(want: Any, got: Any) -> bool:
    return isinstance(want, Decimal) and isinstance(got, Decimal) and math.isclose(want, got, rel_tol=1e-15)


def _are_floats(want: Any, got: Any) -> bool:
    return isinstance(want, float) and isinstance(got, float)


def _are_not_finite(want: Any, got: Any) -> bool:
    return all(isinstance(one, float) and not math.isfinite(one) for one in (want, got))


def _is_same_float(want: Any, got: Any) -> bool:
    return all(isinstance(one, int | Decimal) for one in (want, got)) and float(want) == float(got)


def _is_text_of_same_float(want: Any, got: Any) -> bool:
    """Return whether two texts name the same floats, some of them with other last digits."""
    if not _are_texts(want, got) or _NUMERAL.split(want) != _NUMERAL.split(got):
        return False
    pairs = zip(_NUMERAL.findall(want), _NUMERAL.findall(got), strict=True)
    return all(float(one) == float(other) or np.float32(one) == np.float32(other) for one, other in pairs)


def _is_same_json(want: Any, got: Any) -> bool:
    """Return whether two texts are one JSON: floats may be written otherwise, and those that JSON lacks be quoted."""
    if not _are_texts(want, got):
        return False
    return bool(_read_json(want) == _read_json(re.sub(r'"(NaN|-?Infinity)"', r"\1", got)))


def _is_json_of_bytes(want: Any, got: Any) -> bool:
    """Return whether bytes are the JSON that DuckDB writes anew, and has without the quotes of a text and the null."""
    if want is None or not isinstance(got, bytes):
        return bool(got == b"null")
    return bool(json.loads(got) == want.decode() or _read_json(want) == _read_json(got))


def _read_json(text: str | bytes) -> Any:
    """Return what a JSON says, in which NaN is itself."""
    try:
        return json.loads(text, parse_constant=str)
    except ValueError:
        return None


def _are_places(want: Any, got: Any) -> bool:
    """Return whether both are places of a list, which are compared one by one."""
    return isinstance(want, int) and isinstance(got, int) and min(want, got) > 0


def _counts_nans(want: Any, got: Any) -> bool:
    """Return whether NaN is a key of our map only, and both count as many values."""
    if not isinstance(want, dict) or not isinstance(got, dict) or sum(want.values()) != sum(got.values()):
        return False
    has_nan = any(isinstance(key, float) and math.isnan(key) for key in got)
    return has_nan and all(math.isnan(key) or key in got for key in want)


def _are_texts(want: Any, got: Any) -> bool:
    return isinstance(want, str) and isinstance(got, str)


_NOT_FINITE: Final = re.compile(r"(?i)-?(nan|inf(inity)?)")
_NUMERAL: Final = re.compile(r"\d+\.\d+(?:e[+-]\d+)?|\d+e[+-]\d+")
_JSON: Final = r"(AS |::)JSON\b|\b(json\w*|to_json|array_to_json|row_to_json)\("
_CHOOSING: Final = (
    r"\b(arg_\w+|argm\w+|m(in|ax)_by|min|max|first|last|any_value|arbitrary)\((._(doubles|nest|f32)|'.*'::DOUBLE\[\])"
    r"|\b(lag|lead|first\w*|last\w*|nth_value|any_value|arbitrary|min|max)\(.*\bOVER\b"
)
_MERGING: Final = r"\b(DISTINCT|UNION|INTERSECT|EXCEPT|GROUP BY|mode\()"
_SORTING: Final = r"ORDER BY.*_f(32|64)|PARTITION BY.*_f(32|64)"
KNOWN: Final[Sequence[Known]] = (
    Known(r"\b(levenshtein|editdist3)\(", "`levenshtein` counts letters, not bytes", _counts_fewer),
    Known(_JSON, "has exponents as Spark writes them", _is_same_json),
    Known(
        _JSON,
        "JSON has no NaN, no Infinity",
        lambda want, got: (want is None or got is None) and _NOT_FINITE.fullmatch(str(want or got)) is not None,
    ),
    Known(
        r"\bjson_(structure|type)\(.*_(f32|f64|doubles|nest)\b",
        "JSON has no NaN, no Infinity",
        lambda want, got: (
            _are_texts(want, got) and want.replace("DOUBLE", "VARCHAR") == got.replace("DOUBLE", "VARCHAR")
        ),
    ),
    Known(r"CAST\(._json AS BLOB\)", "when it becomes a BLOB or JSON again", _is_json_of_bytes),
    Known(
        r"\bcontains\(.*(map|texts|MAP|VARCHAR\[\]).*, ''(::VARCHAR)?\)|''::VARCHAR (NOT )?IN",
        "an empty text that is looked for in a list or a map",
        lambda want, got: isinstance(want, bool) and got is not want,
    ),
    Known(
        r"CAST\(._f(32|64) AS (DECIMAL\(\d+,\d+\)|U?HUGEINT)\)|_f(32|64)::(DECIMAL|U?HUGEINT)",
        "with the 17 digits that tell them apart",
        _is_same_float,
    ),
    Known(
        r"CAST\(._f(32|64) AS UHUGEINT\)",
        "No float below zero becomes a UHUGEINT",
        lambda want, got: want == 0 and got is None,
    ),
    Known(r"(::|AS )VARCHAR|\bconcat\(", "Some floats are written with another last digit", _is_text_of_same_float),
    Known(r"\b(fsum|kahan_sum|sumkahan|favg)\(", "sums of infinities", _are_not_finite),
    Known(r"\b(fsum|kahan_sum|sumkahan|favg)\(", "without the correction of rounding", _are_floats),
    Known(r"(::|AS )VARCHAR|\bconcat\(", "is `-nan` in DuckDB", lambda want, got: (want, got) == ("-nan", "nan")),
    Known(_CHOOSING, "lists, structs and 32 bit floats that an aggregate chooses", _are_zeros),
    Known(
        r"\b(corr|covar_\w+|regr_\w+|quantile_cont|median)\(",
        "where the exact answer is zero",
        _are_nearly_zeros,
    ),
    Known(r"\b(quantile_cont|median)\(", "of decimals with more than 18 digits are rounded", _are_nearly_same_decimals),
    Known(r"_tstz(::VARCHAR|.* AS VARCHAR)", "the text of a TIMESTAMPTZ", lambda want, got: want is None),
    Known(r"\b(quantile\w*|median|min|max)\(", "quantiles, `min` and `max` of several values", _are_zeros),
    Known(r"grade_up\(", "`list_grade_up` tells the places of equal elements in any order", _are_places),
    Known(r"\bhistogram\(", "`histogram` counts NaN as a value of its own", _counts_nans),
    Known(r"\b(greatest|least)\(", "may give the other one", _are_zeros),
    Known(r"^UPDATE .*_f(32|64) = ", "an `UPDATE` that makes the other zero", _are_zeros),
    Known(_MERGING, "set operations may keep the other one", _are_zeros),
    Known(_SORTING, "In columns by which rows are sorted DuckDB drops the sign of a zero", _are_zeros),
    Known(f"{_MERGING}|{_SORTING}", "In columns by which rows are sorted DuckDB drops the sign", _are_zeros, "engines"),
    Known(r"\bsubstr(ing)?\(.*, -\d", "a length from a position before the beginning of a text", _are_texts),
)


def unlisted(findings: Sequence[Finding]) -> list[Finding]:
    """Return the silent differences that the guide does not tell of."""
    return [finding for finding in findings if finding.kind != "error" and not _is_listed(finding)]


def _is_listed(finding: Finding) -> bool:
    """Return whether each value that differs does so in a way that is known of this query."""
    ways = [known.way for known in KNOWN if known.speaks_of(finding)]
    return bool(finding.pairs) and all(any(way(*pair) for way in ways) for pair in finding.pairs)
