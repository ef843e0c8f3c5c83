"""The object that Java asks."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from typing import Final

from forklake.engine.spark.driver.failures import SPARK_ERRORS, translation
from forklake.errors import ForklakeError
from forklake.spark_catalog import define_objects, define_views, procedures, relations, rows
from forklake.spark_catalog.attached import Answer, Attached, Question

_QUESTIONS: Final[Mapping[str, Question]] = {
    **define_objects.QUESTIONS,
    **define_views.QUESTIONS,
    **procedures.QUESTIONS,
    **relations.QUESTIONS,
    **rows.QUESTIONS,
}
_LOG: Final = logging.getLogger("forklake.spark_catalog")


class Bridge:
    """Answers what Java asks about an attached catalog.

    An error is answered as a text that begins with NUL, which Java throws: an exception of Python would reach the
    user as a trace of both languages.
    """

    class Java:
        """What Java takes it for."""

        implements: Final = ["java.util.function.BiFunction"]

    def __init__(self, attached: Attached) -> None:
        self._attached = attached

    def apply(self, text: str, given: object) -> Answer:
        """Answer a question."""
        words = json.loads(text)
        ask = _QUESTIONS[words["question"]]
        return answer_or_error(f'catalog "{self._attached.name}"', lambda: ask(self._attached, words, given))


def answer_or_error(what: str, ask: Callable[[], Answer]) -> Answer:
    """Return an answer, or an error as a text that begins with NUL."""
    try:
        return ask()
    except ForklakeError as error:
        return f"\0{error}"
    except SPARK_ERRORS as error:
        return f"\0{translation(error, what)}"
    except BaseException as error:
        _LOG.exception("A question about %s failed", what)
        return f"\0{type(error).__name__}: {error}"
