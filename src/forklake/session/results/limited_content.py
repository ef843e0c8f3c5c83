"""The rows of a result of a session that has limits."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from forklake.config import Confinement
from forklake.engine.engine import Frame
from forklake.engine.statement_limits import Allowance
from forklake.errors import LimitError, PermissionDeniedError
from forklake.model.lazy_dataclass import dataclass
from forklake.session.results.result import Result
from forklake.session.results.result_content import ResultContent, Row


def limit_result(result: Result | None, terms: Confinement | None, allowance: Allowance) -> Result | None:
    """Return a result whose rows keep to limits when they are read, if there are any."""
    if result is None or terms is None:
        return result
    limit = terms.max_rows
    return result.with_content(
        # One more than is allowed tells that there are too many.
        lambda content: LimitedContent(content if limit is None else content.head(limit + 1), limit, allowance)
    )


@dataclass(frozen=True, slots=True)
class LimitedContent:
    """Rows that are read at the cost of the statement they come from.

    Attributes:
        content: The rows, one more than is allowed at most.
        max_rows: How many there may be.
        allowance: What is left of the statement's time and bytes.
    """

    content: ResultContent
    max_rows: int | None
    allowance: Allowance

    def rows(self) -> list[Row]:
        """Return all rows.

        Raises:
            LimitError: There are more than is allowed, or the time is over.
        """
        with self.allowance.spend():
            found = self.content.rows()
        self._check(len(found))
        return found

    def first(self, count: int) -> list[Row]:
        """Return the first rows.

        Raises:
            LimitError: They are more than is allowed, or the time is over.
        """
        with self.allowance.spend():
            found = self.content.first(count)
        if count > len(found):  # else these are all that was asked for
            self._check(len(found))
        return found

    def head(self, count: int) -> LimitedContent:
        """Return the first rows as another content."""
        return LimitedContent(self.content.head(count), self.max_rows, self.allowance)

    def table(self) -> pa.Table:
        """Return all rows.

        Raises:
            LimitError: There are more than is allowed, or the time is over.
        """
        with self.allowance.spend():
            found = self.content.table()
        self._check(found.num_rows)
        return found

    def frame(self, names: Sequence[str]) -> Frame:
        """Refuse: what a frame takes is not counted.

        Raises:
            PermissionDeniedError: Always.
        """
        raise PermissionDeniedError(
            "Permission Error: A result of a session with limits has no DataFrame, which would keep to none.",
            hint="Use arrow(), pandas() or polars().",
        )

    def _check(self, count: int) -> None:
        if self.max_rows is not None and count > self.max_rows:
            raise LimitError(
                f"The result has more than the {self.max_rows:,} rows that this session allows; none is returned.",
                limit="rows",
                hint="Say LIMIT, or ask for totals.",
            )
