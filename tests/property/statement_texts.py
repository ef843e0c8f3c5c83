"""Statements that tests and documents hold, and what becomes of them by chance."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final

from forklake.cli.verbs.page import all_verbs
from forklake.errors import ForklakeError
from forklake.sql.parse import parse
from tests.pages import DOCS, ROOT

FOLDERS: Final = ("sql", "unit/session", "unit/sql")
"""Where tests hold SQL, as texts in Python or as files."""

_OUTSIDE: Final = re.compile(
    r"(?:['\":=(]|file:)\s*/|\.\.[/\\]|~|://|postgres|host=|mysql|s3:|gs:|gcs:|abfs", flags=re.IGNORECASE
)
"""What leads to other places than the directory of the test."""

_TOKEN: Final = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|\w+|\s+|=>|->|::|<=|>=|<>|\|\||.", flags=re.DOTALL)
_NOISE: Final = (
    *(
        "?",
        "$1",
        "$name",
        ";",
        "--",
        "/*",
        "*/",
        "'",
        '"',
        "$$",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        "::",
        ":=",
        "=>",
        "->",
    ),
    *(
        "||",
        "!",
        "~~",
        "@",
        "#",
        "%",
        "^",
        "`",
        ".",
        "\\",
        "\u202e",
        "ß",
        "0x",
        "\0",
        "\ud800",
        "*",
        "()",
        "NULL",
        "DEFAULT",
    ),
)
_NUMBERS: Final = (
    *("0", "1", "-1", "2", "7", "38", "39", "64", "100000", "2147483648", "9223372036854775807", "9223372036854775808"),
    *(
        "340282366920938463463374607431768211456",
        "1" + "0" * 60,
        "0.1",
        "-0.0",
        "1e308",
        "1e400",
        "1e-400",
        "0xFF",
        "1_000",
    ),
)
_STRINGS: Final = (
    *("''", "'a'", "'%'", "'\0'", "'\ud800'", "'ß'", "'e\u0301'", "'{\"a\": [1, null]}'", "'2026-01-31'", "'infinity'"),
    *(
        "'9999-12-31 23:59:59.999999999'",
        "'1 month'",
        "'NaN'",
        "'[1, 2'",
        "'(('",
        "'lake'",
        "'orders'",
        "'agent'",
        "'v1'",
    ),
    *("'%Y-%m-%d %H'", "'\\d+('", "'true'", "'P1D'", "'x'" * 3),
)
_NAMES: Final = (
    "id",
    "customer",
    "amount",
    "day",
    "a",
    "b",
    "s",
    "l",
    "m",
    "i",
    "at",
    "j",
    "v",
    "f",
    "g",
    "s.x",
    "rowid",
)
_TABLES: Final = (
    "orders",
    "t",
    "u",
    "large",
    "agent.orders",
    "lake.main.t",
    "those('Ada')",
    "range(3)",
    "orders AT (VERSION => 2)",
)
_TYPES: Final = (
    *(
        "INTEGER",
        "BIGINT",
        "UBIGINT",
        "HUGEINT",
        "DOUBLE",
        "FLOAT",
        "DECIMAL(38,10)",
        "DECIMAL(4,4)",
        "VARCHAR",
        "BLOB",
    ),
    *(
        "BOOLEAN",
        "DATE",
        "TIME",
        "TIMETZ",
        "TIMESTAMP",
        "TIMESTAMPTZ",
        "TIMESTAMP_NS",
        "INTERVAL",
        "UUID",
        "JSON",
        "VARIANT",
    ),
    *(
        "INTEGER[]",
        "STRUCT(x INTEGER, y VARCHAR)",
        "MAP(VARCHAR, INTEGER)",
        "BIT",
        "GEOMETRY",
        "INTEGER[3]",
        "UNION(a INTEGER)",
    ),
)
_FORMS: Final = (
    *("@f(@e)", "@f(@e, @e)", "@f(@e, @e, @e)", "@f()", "CAST(@e AS @t)", "TRY_CAST(@e AS @t)", "@e::@t"),
    *("@e + @e", "@e - @e", "@e * @e", "@e / @e", "@e % @e", "@e || @e", "@e = @e", "@e < @e", "-(@e)"),
    *("@e IS NOT DISTINCT FROM @e", "@e IN (@e, @e)", "@e BETWEEN @e AND @e", "@e LIKE @e", "NOT @e", "@e AND @e"),
    *("CASE WHEN @e THEN @e ELSE @e END", "[@e, @e]", "{'k': @e}", "MAP {@e: @e}", "(@e)[@e]", "(@e)[1:@e]"),
    *(
        "(SELECT @e FROM @q)",
        "EXISTS (SELECT @e FROM @q)",
        "@e = ANY (SELECT @e FROM @q)",
        "(@e, @e)",
        "INTERVAL @n DAY",
    ),
    *("@f(@e) OVER (PARTITION BY @e ORDER BY @e)", "@f(@e) FILTER (@e)", "@f(DISTINCT @e ORDER BY @e)", "(@e).x"),
    *(
        "list_transform(@e, lambda x: @e)",
        "[x + 1 FOR x IN @e]",
        "@e AT TIME ZONE @s",
        "extract(year FROM @e)",
        "unnest(@e)",
    ),
)
_QUERIES: Final = (
    *(
        "SELECT @e, @e FROM @q",
        "SELECT @e AS x FROM @q WHERE @e",
        "FROM @q JOIN @q ON @e",
        "SELECT @e FROM @q GROUP BY ALL",
    ),
    *(
        "SELECT DISTINCT ON (@e) @e FROM @q ORDER BY @e",
        "SELECT @e FROM @q UNION SELECT @e",
        "VALUES (@e, @e), (@e, @e)",
    ),
    *(
        "SELECT @e FROM @q GROUP BY ROLLUP (@e, @e) HAVING @e",
        "WITH w AS (SELECT @e AS id) FROM w, @q",
        "SELECT * EXCLUDE (id) FROM @q",
    ),
    *(
        "INSERT INTO orders SELECT @e, @e, @e, @e FROM @q",
        "INSERT INTO t (a) VALUES (@e)",
        "UPDATE t SET a = @e, b = @e WHERE @e",
    ),
    *(
        "DELETE FROM orders WHERE @e",
        "MERGE INTO orders o USING @q AS x ON @e WHEN MATCHED AND @e THEN UPDATE SET amount = @e",
    ),
    *(
        "CREATE OR REPLACE VIEW made AS SELECT @e AS x FROM @q",
        "CREATE OR REPLACE MACRO made(x) AS @e",
        "SELECT made(@e)",
    ),
    *(
        "ALTER TABLE t ADD COLUMN c@n @t DEFAULT @e",
        "ALTER TABLE t ALTER a SET DATA TYPE @t",
        "CREATE TABLE new@n (a @t, b @t)",
    ),
    *(
        "CREATE TABLE made@n AS SELECT @e AS x",
        "SET VARIABLE x = @e",
        "EXPLAIN SELECT @e FROM @q",
        "CALL ducklake_@f(@e, @e)",
    ),
    *(
        "FROM ducklake_@f(@s, @s)",
        "SELECT @e FROM @q LIMIT @e OFFSET @e",
        "SELECT @e FROM @q QUALIFY @e",
        "COPY (@q) TO @s",
    ),
)


def stays_inside(text: str) -> bool:
    """Return whether a statement names no file, server or user outside the directory of the test."""
    return _OUTSIDE.search(text) is None


def known_statements() -> list[str]:
    """Return the statements that tests and documents hold, each once, in a fixed order."""
    found = [text for verb in all_verbs() if isinstance(verb.sql, tuple) for text in verb.sql]
    for page in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]:
        blocks = re.findall(r"^```sql\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        found += [part for block in blocks for part in re.split(r";(?=\s|$)", block)]
    for folder in FOLDERS:
        for path in sorted((ROOT / "tests" / folder).rglob("*")):
            found += _texts(path)
    kept = dict.fromkeys(text.strip() for text in found if stays_inside(text) and 3 < len(text) < 2_000)
    return [text for text in kept if text and _is_statement(text)]


def _texts(path: Path) -> Iterator[str]:
    if path.suffix == ".sql":
        yield from (part.removeprefix("error: ") for part in path.read_text(encoding="utf-8").split("\n\n"))
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
                yield node.value


def _is_statement(text: str) -> bool:
    try:
        return bool(parse(text))
    except ForklakeError:
        return False


class Mutations:
    """Texts for ever: statements as they are, with parts of them changed, made up, and noise."""

    def __init__(self, statements: list[str], random: Random) -> None:
        self._statements = statements
        self._random = random
        text = " ".join(statements)
        self._functions = sorted(set(re.findall(r"\b([a-z_]\w*)(?=\()", text)))
        self._keywords = sorted(set(re.findall(r"\b[A-Z]{2,}\b", text)))

    def __iter__(self) -> Iterator[str]:
        while True:
            if stays_inside(text := self._text()):
                yield text

    def _text(self) -> str:
        kind = self._random.random()
        if kind < 0.03:
            noise = self._random.randbytes(self._random.randrange(1, 80))
            return noise.decode(self._random.choice(("latin-1", "utf-8")), "replace")
        if kind < 0.35:
            return self._filled(self._random.choice(_QUERIES), 3)
        text = self._random.choice(self._statements)
        if kind > 0.95:
            return text
        for _ in range(self._random.choice((1, 1, 1, 2, 3, 6))):
            text = self._spoil(text) if self._random.random() < 0.3 else self._vary(text)
        return text

    def _filled(self, form: str, depth: int) -> str:
        """Fill a form with expressions, tables, functions, types and values."""
        return re.sub(r"@([eqftns])", lambda found: self._part(found.group(1), depth), form)

    def _part(self, kind: str, depth: int) -> str:
        if kind == "e":
            leaves = (_NAMES, _NAMES, _NUMBERS, _STRINGS, ("NULL", "true", "*", "?"))
            if depth == 0 or self._random.random() < 0.4:
                return self._random.choice(self._random.choice(leaves))
            return self._filled(self._random.choice(_FORMS), depth - 1)
        pools: dict[str, Sequence[str]] = {
            "q": _TABLES,
            "f": self._functions,
            "t": _TYPES,
            "n": _NUMBERS,
            "s": _STRINGS,
        }
        return self._random.choice(pools[kind])

    def _vary(self, text: str) -> str:
        """Put something of the same kind in the place of a part, so that most of it is understood."""
        parts = _TOKEN.findall(text)
        places = [place for place, part in enumerate(parts) if not part.isspace()]
        if not places:
            return text
        place = self._random.choice(places)
        part, before = parts[place], "".join(parts[:place]).split()
        if part[0].isdigit():
            parts[place] = self._part(self._random.choice("nne"), 2)
        elif part[0] == "'":
            parts[place] = self._part(self._random.choice("sse"), 2)
        elif before and before[-1].upper() in ("FROM", "JOIN", "INTO", "UPDATE", "TABLE", "USING"):
            parts[place] = self._part("q", 0)
        elif "".join(parts[place + 1 : place + 2]) == "(":
            parts[place] = self._part("f", 0)
        elif part.isupper():
            parts[place] = self._random.choice((part.lower(), self._random.choice(self._keywords), self._part("t", 0)))
        elif part[0].isalpha():
            parts[place] = self._part("e", 2)
        else:
            parts[place] = self._random.choice(("+", "-", "*", "/", "=", "<", "||", "AND", "OR", ",", "::", "->", "."))
        return "".join(parts)

    def _spoil(self, text: str) -> str:
        """Damage a text anywhere."""
        parts = _TOKEN.findall(text) or [" "]
        place = self._random.randrange(len(parts))
        end = place + self._random.randrange(1, 8)
        match self._random.randrange(6):
            case 0:
                del parts[place]
            case 1:
                parts.insert(place, f" {self._random.choice(_NOISE)} ")
            case 2:
                other = self._random.randrange(len(parts))
                parts[place], parts[other] = parts[other], parts[place]
            case 3:
                others = _TOKEN.findall(self._random.choice(self._statements))
                parts[place:] = others[self._random.randrange(len(others)) :]
            case 4:
                parts[place:end] = parts[place:end] * self._random.choice((0, 2, 3, 60))
            case _:
                letter = chr(self._random.randrange(1, 0x2FF))
                parts[place] = self._random.choice((letter, parts[place][:-1], parts[place] + letter))
        return "".join(parts)
