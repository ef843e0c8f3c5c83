"""A campaign: random queries of every kind, what differs, and what was covered."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Any, Final

from forklake.sql.functions import NAMED
from forklake.sql.vocabulary import BY_NAME
from tests.fuzz.answers import Engines, Finding
from tests.fuzz.calls import OPERATORS, UNCALLED, Calls
from tests.fuzz.kinds import KINDS, STORAGES
from tests.fuzz.known import unlisted
from tests.fuzz.queries import AGGREGATES, FRAMED, JOIN_KINDS, RANKED, SUBQUERIES, Queries

AT_ONCE: Final = 40
"""Expressions of one query: what a query costs hardly grows with them."""
_FILTERS_AT_ONCE: Final = 6
_TRIES: Final = 30
_OTHER_KINDS: Final = 0.3
"""The share of calls of functions with a value of any kind that DuckDB takes, too."""


@dataclass(slots=True)
class Report:
    """What a campaign asked and found.

    Attributes:
        asked: How many queries DuckDB answered: expressions of one batch count one by one.
        findings: All that is not the same.
        functions: Names of scalar functions, aggregates and window functions that were called.
        joins: Kinds of joins that were made.
        casts: Pairs of types, each with whether it was cast.
    """

    asked: int = 0
    findings: list[Finding] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)
    joins: set[str] = field(default_factory=set)
    casts: dict[tuple[str, str], bool] = field(default_factory=dict)

    @property
    def silent(self) -> list[Finding]:
        """The differences that nobody was told of."""
        return unlisted(self.findings)

    @property
    def errors(self) -> list[Finding]:
        """Refusals and failures where DuckDB answers."""
        return [finding for finding in self.findings if finding.kind == "error"]

    @property
    def uncalled(self) -> list[str]:
        """Functions of the registry that were not called."""
        return sorted(all_functions() - self.functions)

    def __str__(self) -> str:
        listed = len(self.findings) - len(self.errors) - len(self.silent)
        done = sum(self.casts.values())
        return (
            f"{self.asked} queries: {len(self.silent)} silent differences, {listed} that the guide lists,"
            f" {len(self.errors)} errors where DuckDB answers ({100 * len(self.errors) / max(self.asked, 1):.1f} %)\n"
            f"covered: {len(self.functions)} of {len(all_functions())} functions, {len(self.joins)} of"
            f" {len(JOIN_KINDS)} kinds of joins, {done} of {len(self.casts)} pairs of types that can be cast"
        )


def _holds_value(found: Any) -> bool:
    """Return whether there is a value within an answer: a list of NULLs has none."""
    if isinstance(found, list | tuple):
        return any(map(_holds_value, found))
    return any(map(_holds_value, found.values())) if isinstance(found, dict) else found is not None


def all_functions() -> set[str]:
    """Return the names of all functions that forklake and DuckDB have."""
    return set(BY_NAME) - UNCALLED


class Campaign:
    """Asks both engines, and keeps what they answer."""

    def __init__(
        self,
        engines: Engines,
        seed: int,
        note: Callable[[Finding], None] = lambda finding: None,
        tell: Callable[[int], None] = lambda asked: None,
    ) -> None:
        self.engines = engines
        self.report = Report()
        self._chance = random.Random(seed)
        self._calls = Calls(self._chance, engines.theirs)
        self._queries = Queries(self._calls)
        self._note = note
        self._tell = tell
        self._storages = (STORAGES[number % len(STORAGES)] for number in count())
        for source in KINDS:
            for target in KINDS:
                if source != target and self._can_cast(source, target):
                    self.report.casts[source, target] = False

    def run(self, queries: int) -> Report:
        """Ask for everything once, then at random until there are as many queries."""
        self._run_casts()
        self._run_functions(sorted(set(NAMED) - UNCALLED))
        self._run_aggregates(sorted(AGGREGATES))
        self._run_windows(range(len(FRAMED) + len(RANKED)))
        self._run_joins(JOIN_KINDS)
        self._run_subqueries(18)
        self._run_operators(2 * AT_ONCE)
        self._run_filters(2 * _FILTERS_AT_ONCE)
        self._run_sorted(3)
        self._run_changes(3)
        while self.report.asked < queries:
            self._tell(self.report.asked)
            names = self._chance.sample(sorted(set(NAMED) - UNCALLED), 2 * AT_ONCE)
            self._run_functions(names)
            self._run_operators(3 * AT_ONCE)
            self._run_nested(2 * AT_ONCE)
            self._run_filters(4 * _FILTERS_AT_ONCE)
            self._run_aggregates(self._chance.sample(sorted(AGGREGATES), 25))
            self._run_windows([self._chance.randrange(99) for _ in range(25)])
            self._run_joins([self._chance.choice(JOIN_KINDS) for _ in range(6)])
            self._run_subqueries(15)
            self._run_sorted(6)
            self._run_changes(5)
        return self.report

    # ---- expressions -------------------------------------------------------------------------------------------------

    def _run_casts(self) -> None:
        pairs = list(self.report.casts)
        self._chance.shuffle(pairs)
        for start in range(0, len(pairs), AT_ONCE):
            part = pairs[start : start + AT_ONCE]
            casts = [self._calls.cast(*pair) for pair in part]
            self._keep(*self.engines.compare_expressions(casts, next(self._storages)))
            self.report.casts.update(dict.fromkeys(part, True))

    def _run_functions(self, names: Sequence[str]) -> None:
        called = [(name, self._called(name)) for name in names]
        self.report.functions.update(name for name, call in called if call is not None)
        self._run_expressions([call for _, call in called if call is not None])

    def _called(self, name: str) -> str | None:
        """Return a call of a function that DuckDB understands; of some, with values of another kind than most have."""
        call = self._bindable(lambda: self._calls.call(name))
        if call is None or self._chance.random() > _OTHER_KINDS:
            return call
        return self._bindable(lambda: self._calls.with_other_kind(call)) or call

    def _run_operators(self, number: int) -> None:
        places = self._chance.sample(range(len(OPERATORS)), number)
        calls = (self._bindable(lambda place=place: self._calls.operator(place)) for place in places)  # type: ignore[misc]
        self._run_expressions([call for call in calls if call is not None])

    def _run_nested(self, number: int) -> None:
        calls = (self._bindable(self._calls.nested) for _ in range(number))
        self._run_expressions([call for call in calls if call is not None])

    def _run_expressions(self, expressions: Sequence[str]) -> None:
        for start in range(0, len(expressions), AT_ONCE):
            self._keep(*self.engines.compare_expressions(expressions[start : start + AT_ONCE], next(self._storages)))

    def _bindable(self, make: Callable[[], str], ending: str = "") -> str | None:
        """Return an expression that DuckDB understands, or None if none was found."""
        made = (make() for _ in range(_TRIES))
        return next(
            (one for one in made if self.engines.duckdb(f"SELECT {one} FROM t LIMIT 0{ending}").error is None), None
        )

    def _can_cast(self, source: str, target: str) -> bool:
        found = self.engines.duckdb(f"SELECT TRY_CAST(x_{source} AS {KINDS[target][0]}) FROM t")
        return found.error is None and any(_holds_value(row[0]) for row in found.rows)

    # ---- aggregates and windows --------------------------------------------------------------------------------------

    def _run_aggregates(self, names: Sequence[str]) -> None:
        self.report.functions.update(names)
        calls = [self._queries.aggregate(name) for name in names]
        self._run_columns("id % 3", calls, " GROUP BY id % 3")

    def _run_windows(self, numbers: Sequence[int]) -> None:
        calls = [self._queries.window(number) for number in numbers]
        self.report.functions.update(call.partition("(")[0] for call in calls)
        self._run_columns("id", calls, "")

    def _run_columns(self, key: str, calls: Sequence[str], ending: str) -> None:
        for start in range(0, len(calls), AT_ONCE // 2):
            part = calls[start : start + AT_ONCE // 2]
            self._keep(*self.engines.compare_columns(key, part, ending, next(self._storages)))

    # ---- queries -----------------------------------------------------------------------------------------------------

    def _run_joins(self, kinds: Sequence[str]) -> None:
        self.report.joins.update(kinds)
        for place, kind in enumerate(kinds, self._chance.randrange(99)):
            made = (self._queries.join(kind), self._queries.set_operation(place), self._queries.grouped(place))
            for query in made:
                self._keep(*self.engines.compare_query(query, next(self._storages)))

    def _run_subqueries(self, number: int) -> None:
        for place in self._chance.sample(range(len(SUBQUERIES)), number):
            self._keep(*self.engines.compare_query(self._queries.subquery(place), next(self._storages)))

    def _run_sorted(self, number: int) -> None:
        for _ in range(number):
            query = self._queries.sorted(self._chance.randrange(99))
            self._keep(*self.engines.compare_query(query, next(self._storages), is_ordered=True))

    def _run_changes(self, number: int) -> None:
        for _ in range(number):
            statement = self._queries.change(self._chance.randrange(99))
            self._keep(*self.engines.compare_change(statement, next(self._storages)))

    def _run_filters(self, number: int) -> None:
        filters = list(islice(self._filters(), number))
        for start in range(0, number, _FILTERS_AT_ONCE):
            self._keep(*self.engines.compare_filters(filters[start : start + _FILTERS_AT_ONCE]))

    def _filters(self) -> Iterator[str]:
        while True:
            found = self._queries.predicate()
            if self.engines.duckdb(f"SELECT id FROM t WHERE {found}").error is None:
                yield found

    def _keep(self, asked: int, findings: Sequence[Finding]) -> None:
        self.report.asked += asked
        self.report.findings += findings
        for finding in findings:
            self._note(finding)
