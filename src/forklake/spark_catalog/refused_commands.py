"""Commands of Spark that tables of a lake have no use for, refused in our words.

Spark would refuse them as well, but says neither why nor what to do; one of them it does not survive.
"""

from __future__ import annotations

import re
from typing import Final

from forklake.errors import InvalidInputError
from forklake.model.lazy_dataclass import dataclass

_NAME: Final = r"(?:`(?:[^`]|``)*`|[\w.])+"
_BEFORE: Final = r"(?>\s|--[^\n]*\n|/\*.*?\*/)*+"  # what was a comment once is no part of a longer one


@dataclass(frozen=True, slots=True)
class _Refusal:
    """Statements, by how they begin, and why they are refused."""

    words: re.Pattern[str]
    message: str
    hint: str


def _refusal(words: str, message: str, hint: str) -> _Refusal:
    spaced = words.replace(" ", r"\s+").replace("NAME", _NAME)
    return _Refusal(re.compile(f"{_BEFORE}(?:{spaced})", re.IGNORECASE | re.DOTALL), message, hint)


_PARTITIONS: Final = (
    "Partitions of a table of a lake come and go with its rows",
    "DELETE FROM removes the rows of a partition, SELECT DISTINCT lists partitions.",
)

_REFUSALS: Final = (
    _refusal(
        r"ALTER TABLE NAME (?:ADD (?:CONSTRAINT|CHECK|PRIMARY|FOREIGN|UNIQUE)|DROP CONSTRAINT)\b",
        "A table of a lake has no constraint but NOT NULL",
        "Check rows before they are written; NOT NULL is said in CREATE TABLE.",
    ),
    _refusal(
        r"ALTER TABLE NAME (?:(?:ADD (?:IF NOT EXISTS )?|DROP (?:IF EXISTS )?)?PARTITION|RECOVER PARTITIONS)\b",
        *_PARTITIONS,
    ),
    _refusal(r"(?:MSCK )?REPAIR TABLE\b|SHOW PARTITIONS\b|TRUNCATE TABLE NAME PARTITION\b", *_PARTITIONS),
    _refusal(
        r"ANALYZE TABLE\b",
        "Statistics of a table of a lake are kept by each write",
        "There is nothing to analyze. DESCRIBE and forklake table show tell what is known.",
    ),
    _refusal(
        r"LOAD DATA\b",
        "Files are not loaded into a table of a lake",
        "Insert what Spark reads of them, or take them over with table.storage.add_files().",
    ),
    _refusal(
        r"ALTER TABLE NAME SET SERDE(?:PROPERTIES)?\b|SHOW CREATE TABLE NAME AS SERDE\b",
        "A table of a lake is Parquet files, and has no SERDE",
        "Leave the clause out.",
    ),
    _refusal(
        r"(?:CREATE|DROP) INDEX\b",
        "A table of a lake has no index",
        "Partition it, or sort it: ALTER TABLE ... SET TBLPROPERTIES ('sorted_by' = 'id').",
    ),
    _refusal(
        r"CREATE TABLE (?:IF NOT EXISTS )?NAME LIKE\b",
        "Spark does not copy the definition of a table of a lake",
        "CREATE TABLE ... AS SELECT * FROM ... WHERE false makes a table with its columns.",
    ),
)


def check_command(text: str) -> None:
    """Refuse a statement that tables of a lake have no use for.

    Raises:
        InvalidInputError: It is one; nothing was done.
    """
    for refusal in _REFUSALS:
        if refusal.words.match(text) is not None:
            raise InvalidInputError(f"{refusal.message}; nothing was done.", hint=refusal.hint)
