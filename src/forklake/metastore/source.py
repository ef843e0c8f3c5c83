"""Sources of metadata, and the questions that they answer.

Questions are values, so that several can be asked in one round trip.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from forklake.metastore.dialect import Dialect
from forklake.metastore.store import Statement, Values
from forklake.model.lazy_dataclass import dataclass

T_co = TypeVar("T_co", covariant=True)


class Source(Protocol):
    """Something that runs read-only statements: a store, or a session of one."""

    @property
    def dialect(self) -> Dialect: ...

    def query(self, sql: str, /, **params: Any) -> list[Values]: ...

    def query_all(self, statements: Sequence[Statement]) -> list[list[Values]]: ...

    def time(self, value: Any) -> datetime: ...


@dataclass(frozen=True, slots=True)
class Question(Generic[T_co]):
    """A statement, and what its rows mean.

    It is read-only, but for the one that takes a lease.

    Attributes:
        sql: The statement.
        params: Its parameters.
        read: Turns the rows into the answer.
    """

    sql: str
    params: Mapping[str, Any]
    read: Callable[[list[Values]], T_co]


def ask(source: Source, question: Question[T_co]) -> T_co:
    """Return the answer to a question."""
    return question.read(source.query(question.sql, **question.params))


def ask_all(source: Source, questions: Sequence[Question[Any]]) -> list[Any]:
    """Return the answers to questions.

    They are asked one after the other, in one round trip if the source is a server.
    """
    if not questions:
        return []
    found = source.query_all([(question.sql, question.params) for question in questions])
    return [question.read(rows) for question, rows in zip(questions, found, strict=True)]
