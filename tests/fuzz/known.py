"""Differences from DuckDB that stay, each with the words of the guide that tell of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tests.fuzz.answers import Finding


@dataclass(frozen=True, slots=True)
class Known:
    """A difference that `docs/guide/sql.md` lists.

    Attributes:
        pattern: Occurs in the query.
        reason: Words of the guide.
        answer: Occurs in one of the two answers.
    """

    pattern: str
    reason: str
    answer: str = ""

    def explains(self, finding: Finding) -> bool:
        """Return whether this is why the engines do not agree."""
        answers = f"{finding.theirs}\n{finding.ours}"
        return bool(re.search(self.pattern, finding.query) and re.search(self.answer, answers))


KNOWN: Final[Sequence[Known]] = (
    Known(r"levenshtein|editdist3", "`levenshtein` counts letters, not bytes"),
    Known(r"regexp_|_regex|SIMILAR TO", "Regular expressions are Java's"),
    Known(r"JSON|json", "JSON has no NaN, no Infinity", "NaN|Infinity|nan|inf"),
    Known(r"JSON|json", "has exponents as Spark writes them", r"\dE-?\d|0E-10|\.\d+0\b|e[+-]?\d"),
    Known(r"_json AS BLOB", "stays as it is when it becomes a BLOB"),
    Known(r"_f(32|64) AS (DECIMAL|HUGEINT)", "with the 17 digits that tell them apart"),
    Known(r"fsum|kahan_sum|sumkahan|favg", "sums of infinities", "nan|inf"),
    Known(r"quantile_cont|median", "sums of infinities", "nan|inf"),
    Known(r"greatest|least", "`greatest` and `least` may give the other one", r"0\.0"),
    Known(r"DISTINCT|UNION|INTERSECT|EXCEPT|GROUP BY", "set operations may keep the other one", r"-0\.0"),
    Known(r"substr", "a length from a position before the beginning of a text"),
    Known(r"", "Columns of results that have no name", r"^\["),
)


def unlisted(findings: Sequence[Finding]) -> list[Finding]:
    """Return the silent differences that the guide does not tell of."""
    return [
        finding
        for finding in findings
        if finding.kind == "engines"
        or (finding.kind != "error" and not any(known.explains(finding) for known in KNOWN))
    ]
