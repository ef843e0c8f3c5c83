"""Both engines, and what they answer, made comparable."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

import duckdb

from forklake import Connection
from forklake.engine.spark.driver.session import GONE
from forklake.errors import ForklakeError
from forklake.files.casting.intervals import parse_interval
from tests.fuzz.kinds import ROWS, STORAGES, table_statements

_CLOSE: Final = 1e-12
_CLOSE_FLOAT: Final = 1e-6
"""Logarithms, sines and sums differ in their last digits."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows with the names and types of their columns, or an error."""

    rows: Sequence[Sequence[Any]] = ()
    names: Sequence[str] = ()
    types: Sequence[str] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """An expression or query on which the engines do not agree.

    Attributes:
        kind: ``error`` if forklake refuses or fails, ``rows``, ``type`` or ``name`` for what differs, ``engines`` if
            this process answers otherwise than Spark.
        pairs: All values that differ, each with ours.
    """

    kind: str
    query: str
    theirs: str
    ours: str
    pairs: Sequence[tuple[Any, Any]] = ()

    def __str__(self) -> str:
        return f"{self.kind}: {self.query}\n    DuckDB   {self.theirs}\n    forklake {self.ours}"


@dataclass(frozen=True, slots=True)
class _Asked:
    """An expression over the rows of a table.

    Attributes:
        said: The expression, which leaves out rows for which DuckDB fails.
        values: What DuckDB answers, by row.
        kind: The type of these values.
        alone: A query for the expression.
        local: What this process answers to it.
    """

    said: str
    values: Sequence[Any]
    kind: str
    alone: str
    local: Answer


@dataclass(slots=True)
class Engines:
    """A DuckDB and a session of forklake with the same tables.

    Attributes:
        ours: The session, whose queries run on Spark.
        local: The same, in which this process runs them or refuses to.
        answered: How many queries this process ran.
        contradicted: How many queries DuckDB answers otherwise, and as we do without its optimizer.
    """

    theirs: duckdb.DuckDBPyConnection
    ours: Connection
    local: Connection
    answered: int = 0
    contradicted: int = 0

    @classmethod
    def with_tables(cls, ours: Connection, seed: int) -> Engines:
        """Make the tables in both; forklake's are held in each way that it knows."""
        theirs = duckdb.connect()
        theirs.execute("SET TimeZone = 'UTC'")
        made = table_statements(seed)
        for statement in made["t"]:
            theirs.execute(statement)
        for storage in STORAGES:
            limit = 1000 if storage == "inlined" else 0
            ours.sql(f"CALL ducklake_set_option('{ours.attached[0]}', 'data_inlining_row_limit', {limit})")
            for statement in made[storage]:
                ours.sql(statement)
        local = ours.cursor()
        ours.sql("SET engine = 'spark'")
        local.sql("SET engine = 'local'")
        return cls(theirs, ours, local)

    def duckdb(self, query: str) -> Answer:
        """Return DuckDB's answer."""
        try:
            found = self.theirs.execute(query)
            names = [column[0] for column in found.description or ()]
            types = [str(column[1]) for column in found.description or ()]
            return Answer([tuple(map(_comparable, row)) for row in found.fetchall()], names, types)
        except (duckdb.Error, OverflowError, ValueError, TypeError) as error:  # Python has no such map, or moment
            return Answer(error=str(error))

    def forklake(self, query: str) -> Answer:
        """Return our answer."""
        return _answer(self.ours, query)

    def _ask_locally(self, query: str, rows: Sequence[Any], *, is_ordered: bool = True) -> list[Finding]:
        """Return how this process answers otherwise than Spark, whose rows are given."""
        return self._compare_local(query, _answer(self.local, query), rows, is_ordered=is_ordered)

    def _compare_local(
        self, query: str, local: Answer, rows: Sequence[Any], *, is_ordered: bool = True
    ) -> list[Finding]:
        """Return how an answer of this process differs from the rows of Spark.

        It may have refused to answer: then Spark answers, however small the table is.
        """
        if local.error is not None and local.error.startswith(NEEDS_SPARK):
            return []
        self.answered += 1
        want, got = (rows, local.rows) if is_ordered else (in_order(rows), in_order(local.rows))
        if local.error is None and same(want, got, _kind(local.types)):
            return []
        return [_finding("engines", query, want, got, _kind(local.types), local.error)]

    # ---- expressions of one row --------------------------------------------------------------------------------------

    def compare_expressions(self, expressions: Sequence[str], storage: str) -> tuple[int, list[Finding]]:
        """Ask for many expressions over the rows of one table at once.

        Rows for which DuckDB fails are left out. Returns how many expressions had an answer, and what differs.
        """
        guarded: list[_Asked] = []
        for asked in expressions:
            expression = self._with_texts(asked)
            known = self._by_row(expression)
            if known is None:
                continue
            values, kind, failing = known
            said = (
                f"CASE WHEN id NOT IN ({', '.join(map(str, failing))}) THEN {expression} END" if failing else expression
            )
            alone = f"SELECT id, {said} AS c FROM {storage} AS t ORDER BY id"
            guarded.append(_Asked(said, values, kind, alone, _answer(self.local, alone)))
        refused = {one.said: self._refusal(one) for one in guarded}
        findings = [
            Finding("error", one.said, f"{one.values} {one.kind}", refused[one.said] or "")
            for one in guarded
            if refused[one.said]
        ]
        bound = [one for one in guarded if not refused[one.said]]
        return len(guarded), [*findings, *self._compare_batch(bound, storage)]

    def _refusal(self, asked: _Asked) -> str | None:
        """Return why forklake does not understand an expression; nothing runs.

        What this process refuses only because it needs Spark is understood.
        """
        if asked.local.error is None or asked.local.error.startswith(NEEDS_SPARK):
            return None
        try:
            self.ours.sql(asked.alone)
        except ForklakeError as error:
            check_java(error)
            return f"{type(error).__name__}: {error}"
        return None

    def _with_texts(self, expression: str, ending: str = "") -> str:
        """Return an expression whose value Python can show: it has neither months nor nanoseconds."""
        kind = self.duckdb(f"SELECT {expression} FROM t{ending} LIMIT 0").types
        is_shown = not kind or not any(name in kind[0] for name in ("INTERVAL", "TIMESTAMP_NS"))
        return expression if is_shown else f"({expression})::VARCHAR"

    def _by_row(self, expression: str) -> tuple[list[Any], str, list[int]] | None:
        """Return the value in each row, the type, and the rows in which it fails; None if it fails in all."""
        answer = self.duckdb(f"SELECT {expression} FROM t ORDER BY id")
        if answer.error is None:
            return [row[0] for row in answer.rows], answer.types[0], []
        values: list[Any] = []
        kind, failing = "", []
        for row in range(ROWS):
            one = self.duckdb(f"SELECT {expression} FROM t WHERE id = {row}")
            if one.error is not None and row == 0:
                return None
            if one.error is not None:
                failing.append(row)
            else:
                kind = one.types[0]
            values.append(None if one.error is not None else one.rows[0][0])
        return (values, kind, failing) if any(value is not None for value in values) else None

    def _compare_batch(self, batch: Sequence[_Asked], storage: str) -> list[Finding]:
        if not batch:
            return []
        items = ", ".join(f"{one.said} AS c{place}" for place, one in enumerate(batch))
        answer = self.forklake(f"SELECT id, {items} FROM {storage} AS t ORDER BY id")
        if answer.error is not None:
            if len(batch) == 1:
                return [Finding("error", batch[0].said, f"{batch[0].values} {batch[0].kind}", answer.error)]
            middle = len(batch) // 2
            return [*self._compare_batch(batch[:middle], storage), *self._compare_batch(batch[middle:], storage)]
        found = []
        for place, one in enumerate(batch, 1):
            got, ours = [row[place] for row in answer.rows], answer.types[place]
            if not same(one.values, got, one.kind):
                found.append(_finding("rows", one.said, one.values, got, one.kind))
            elif ours != one.kind:
                found.append(Finding("type", one.said, one.kind, ours))
            found += self._compare_local(one.alone, one.local, [(row[0], row[place]) for row in answer.rows])
        return found

    # ---- aggregates and windows --------------------------------------------------------------------------------------

    def compare_columns(self, key: str, calls: Sequence[str], ending: str, storage: str) -> tuple[int, list[Finding]]:
        """Ask for many aggregates or windows at once; the key tells the rows of the result apart."""
        known = [self._with_texts(call, ending) for call in calls]
        answered = [call for call in known if self.duckdb(f"SELECT {call} FROM t{ending}").error is None]
        return len(answered), self._compare_columns(key, answered, ending, storage)

    def _compare_columns(self, key: str, calls: Sequence[str], ending: str, storage: str) -> list[Finding]:
        if not calls:
            return []
        items = ", ".join(f"{call} AS c{place}" for place, call in enumerate(calls))
        head, rest = f"SELECT {key} AS k, {items} FROM", f"AS t{ending} ORDER BY k"
        theirs, ours = self.duckdb(f"{head} t {rest}"), self.forklake(f"{head} {storage} {rest}")
        if ours.error is not None:
            if len(calls) == 1:
                return [Finding("error", calls[0], str(theirs.types[1]), ours.error)]
            middle = len(calls) // 2
            halves = (calls[:middle], calls[middle:])
            return [found for half in halves for found in self._compare_columns(key, half, ending, storage)]
        found = []
        for place, call in enumerate(calls, 1):
            want, got = ([row[place] for row in answer.rows] for answer in (theirs, ours))
            kind = theirs.types[place]
            if not same(want, got, kind):
                found.append(_finding("rows", call, want, got, kind))
            elif ours.types[place] != kind:
                found.append(Finding("type", call, kind, ours.types[place]))
            alone = f"SELECT {key} AS k, {call} AS c FROM {storage} AS t{ending} ORDER BY k"
            found += self._ask_locally(alone, [(row[0], row[place]) for row in ours.rows])
        return found

    # ---- filters -----------------------------------------------------------------------------------------------------

    def compare_filters(self, filters: Sequence[str]) -> tuple[int, list[Finding]]:
        """Ask which rows of every table pass each of some filters."""
        parts = [
            f"SELECT {number} AS n, '{storage}' AS s, id FROM {storage} WHERE {one}"
            for number, one in enumerate(filters)
            for storage in STORAGES
        ]
        answer = self.forklake(" UNION ALL ".join(parts))
        if answer.error is not None:
            if len(filters) == 1:
                return 1, [Finding("error", filters[0], "rows", answer.error)]
            middle = len(filters) // 2
            halves = [self.compare_filters(half) for half in (filters[:middle], filters[middle:])]
            return len(filters), [found for _, findings in halves for found in findings]
        found = []
        for number, one in enumerate(filters):
            want = sorted(row[0] for row in self.duckdb(f"SELECT id FROM t WHERE {one}").rows)
            for storage in STORAGES:
                got = sorted(row[2] for row in answer.rows if row[:2] == (number, storage))
                if got != want:
                    found.append(Finding("rows", f"{storage} WHERE {one}", f"rows {want}", f"rows {got}"))
                alone = f"SELECT id FROM {storage} WHERE {one} ORDER BY id"
                found += self._ask_locally(alone, [(number,) for number in got])
        return len(filters), found

    # ---- queries -----------------------------------------------------------------------------------------------------

    def compare_query(self, query: str, storage: str, *, is_ordered: bool = False) -> tuple[int, list[Finding]]:
        """Ask one query, in which ``{t}`` stands for the table; its rows have any order, unless it gives one."""
        theirs = self.duckdb(query.replace("{t}", "t"))
        if theirs.error is not None:
            return 0, []
        said = query.replace("{t}", storage)
        ours = self.forklake(said)
        if ours.error is not None:
            return 1, [Finding("error", said, f"{len(theirs.rows)} rows", ours.error)]
        want, got = (theirs.rows, ours.rows) if is_ordered else without_matches(theirs.rows, ours.rows)
        if not same(want, got, ""):
            return 1, [] if self._is_contradicted(query, ours, is_ordered) else [_finding("rows", said, want, got, "")]
        apart = self._ask_locally(said, ours.rows, is_ordered=is_ordered)
        if apart:
            return 1, apart
        if list(ours.types) != list(theirs.types):
            return 1, [Finding("type", said, str(theirs.types), str(ours.types))]
        names = [re.sub(rf"\b{storage}\b", "t", one) for one in ours.names]
        if names != list(theirs.names):
            pairs = tuple(zip(theirs.names, names, strict=False))
            return 1, [Finding("name", said, str(theirs.names), str(names), pairs)]
        return 1, []

    def _is_contradicted(self, query: str, ours: Answer, is_ordered: bool) -> bool:
        """Return whether DuckDB answers as we do once it does not optimize."""
        self.theirs.execute("PRAGMA disable_optimizer")
        plain = self.duckdb(query.replace("{t}", "t"))
        self.theirs.execute("PRAGMA enable_optimizer")
        want, got = (plain.rows, ours.rows) if is_ordered else without_matches(plain.rows, ours.rows)
        is_same = plain.error is None and same(want, got, "")
        self.contradicted += is_same
        return is_same

    # ---- changes -----------------------------------------------------------------------------------------------------

    def compare_change(self, statement: str, storage: str) -> tuple[int, list[Finding]]:
        """Change rows of a table, in which ``{t}`` stands for it, ask for all of them, and take it back."""
        self.theirs.execute("BEGIN TRANSACTION")
        theirs = self.duckdb(statement.replace("{t}", "t"))
        theirs = self.duckdb("SELECT * FROM t ORDER BY id") if theirs.error is None else theirs
        shown = f"SELECT {', '.join(theirs.names)} FROM {storage} ORDER BY id"
        self.theirs.execute("ROLLBACK")
        if theirs.error is not None:
            return 0, []
        said = statement.replace("{t}", storage)
        found = []
        for kind, session, engine in (("rows", self.ours, "spark"), ("engines", self.local, "local")):
            ours = _change(session, said, shown, engine)
            if kind == "engines" and ours.error is not None and ours.error.startswith(NEEDS_SPARK):
                continue
            self.answered += kind == "engines"
            if ours.error is not None:
                found.append(Finding("error", said, f"{len(theirs.rows)} rows", ours.error))
            elif not same(theirs.rows, ours.rows, _kind(ours.types)):
                found.append(_finding(kind, said, theirs.rows, ours.rows, _kind(ours.types)))
        return 1, found


NEEDS_SPARK: Final = "EngineError: This statement needs Spark"


def _change(session: Connection, statement: str, query: str, engine: str) -> Answer:
    """Return what a query shows after a statement, which an engine runs and which is taken back; Spark reads them."""
    session.sql("BEGIN TRANSACTION")
    try:
        session.sql(statement)
    except ForklakeError as error:
        check_java(error)
        return Answer(error=f"{type(error).__name__}: {error}")
    else:
        session.sql("SET engine = 'spark'")
        return _answer(session, query)
    finally:
        session.sql("ROLLBACK")
        session.sql(f"SET engine = '{engine}'")


def _answer(session: Connection, query: str) -> Answer:
    try:
        found = session.sql(query)
        assert found is not None
        shown = [_show(kind) for kind in found.types]
        rows = [tuple(show(value) for show, value in zip(shown, row, strict=True)) for row in found.fetchall()]
        return Answer(rows, found.columns, found.types)
    except ForklakeError as error:
        check_java(error)
        return Answer(error=f"{type(error).__name__}: {error}")


def check_java(error: ForklakeError) -> None:
    """End the campaign if Java is gone: what comes after it says nothing of the queries."""
    if str(error).startswith((GONE, "Spark was stopped", "Spark does not answer")):
        raise JavaGoneError(str(error)) from error


class JavaGoneError(Exception):
    """Spark's Java process has ended while queries were asked."""


def _kind(types: Sequence[str]) -> str:
    """Return FLOAT if such a column is among those of an answer: its digits are few."""
    return "FLOAT" if "FLOAT" in types else ""


def _finding(
    kind: str, query: str, want: Sequence[Any], got: Sequence[Any], column: str, error: str | None = None
) -> Finding:
    """Return what differs between two lists of values or rows; ``column`` is the type of their floats."""
    pairs = tuple(differing(want, got, column)) if error is None else ()
    ours = error or _first_difference(got, want, column)
    return Finding(kind, query, _first_difference(want, got, column), ours, pairs)


def differing(one: Any, other: Any, kind: str) -> Iterator[tuple[Any, Any]]:
    """Yield the parts of two answers that are not the same, the smallest that can be told apart."""
    if same(one, other, kind):
        return
    are_lists = all(isinstance(value, list | tuple) for value in (one, other)) and len(one) == len(other)
    if are_lists or (isinstance(one, dict) and isinstance(other, dict) and list(one) == list(other)):
        for key in range(len(one)) if are_lists else one:
            yield from differing(one[key], other[key], kind)
    else:
        yield one, other


def without_matches(one: Sequence[Any], other: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return the rows of each of two answers that the other lacks, whatever their order."""
    rest, missing = list(in_order(other)), []
    for row in in_order(one):
        place = next((at for at, found in enumerate(rest) if same(row, found, "")), None)
        if place is None:
            missing.append(row)
        else:
            rest.pop(place)
    return missing, rest


def in_order(rows: Sequence[Any]) -> Sequence[Any]:
    """Return rows in an order that does not depend on the sign of a zero."""
    return sorted(rows, key=lambda row: repr(row).replace("-0.0", "0.0"))


def _first_difference(one: Sequence[Any], other: Sequence[Any], kind: str) -> str:
    """Return the first value that differs, with its row."""
    for place, value in enumerate(one):
        if place >= len(other) or not same(value, other[place], kind):
            return f"row {place} of {len(one)}: {value!r}"
    return f"{len(one)} rows"


def _comparable(value: Any) -> Any:
    """Return a value in a form that both engines' values have."""
    if isinstance(value, dict):
        if set(value) == {"key", "value"} and isinstance(value["key"], list):
            return _comparable(dict(zip(_comparable(value["key"]), value["value"], strict=True)))
        return {key: _comparable(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return tuple(map(_comparable, value))
    return bytes(value) if isinstance(value, bytearray) else value


def _round_moment(value: Any) -> Any:
    """Return a timestamp of nanoseconds, which is a text, as DuckDB gives it to Python."""
    if not isinstance(value, str):
        return value
    whole, _, rest = value.partition(".")
    micros = round(int(rest.ljust(9, "0")) / 1000) if rest else 0
    return datetime.fromisoformat(whole) + timedelta(microseconds=micros)


def _span(value: Any) -> Any:
    """Return an interval, which is a text, as DuckDB gives it to Python: a month has thirty days."""
    if not isinstance(value, str):
        return value
    found = parse_interval(value)
    return timedelta(days=30 * found.months + found.days, microseconds=found.micros)


_SHOWN: Final[Mapping[str, Callable[[Any], Any]]] = {"TIMESTAMP_NS": _round_moment, "INTERVAL": _span}


def _show(kind: str) -> Callable[[Any], Any]:
    """Return what makes values of a type comparable; elements of lists are as values of their own."""
    element = kind.removesuffix("[]")
    if element == kind:
        return _SHOWN.get(kind, _comparable)
    inner = _show(element)
    return lambda values: None if values is None else tuple(map(inner, values))


def same(one: Any, other: Any, kind: str) -> bool:
    """Return whether two answers are the same, but for the last digits of floats."""
    if isinstance(one, float) and isinstance(other, float):
        if math.isnan(one) or math.isnan(other):
            return math.isnan(one) and math.isnan(other)
        if one == 0 and other == 0:
            return math.copysign(1, one) == math.copysign(1, other)
        close = _CLOSE_FLOAT if kind.startswith("FLOAT") else _CLOSE
        return one == other or math.isclose(one, other, rel_tol=close)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(same(a, b, kind) for a, b in zip(one, other, strict=True))
    if other in ("infinity", "-infinity") and isinstance(one, date):
        return one.timetuple()[:3] == ((9999, 12, 31) if other == "infinity" else (1, 1, 1))  # so DuckDB shows them
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(same(one[key], other[key], kind) for key in one)
    return type(one) is type(other) and bool(one == other)
