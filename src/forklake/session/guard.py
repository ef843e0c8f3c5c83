"""What nobody foresaw, told as an error of ours."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from forklake.errors import EngineError, ForklakeError, InternalError, InvalidInputError


@contextmanager
def guarded() -> Iterator[None]:
    """Let no exception out that is not of `forklake.errors`: users are told in one line, and the cause is chained.

    Raises:
        InvalidInputError: A statement is nested deeper than it can be read.
        EngineError: Spark was lost.
        InternalError: Anything else.
    """
    since = _losses()
    try:
        yield
    except ForklakeError:
        raise
    except RecursionError as error:
        raise InvalidInputError(
            "Parser Error: Max expression depth limit exceeded: the statement is nested too deeply; nothing was done."
        ) from error
    except Exception as error:
        if lost := _lost_spark(error, since):
            raise lost from error
        raise InternalError(
            f"INTERNAL Error: the statement could not be understood or run ({type(error).__name__}: {error}); nothing"
            " was done.",
            hint="This is a mistake of forklake, not yours; saying it in another way may help.",
        ) from error


def _losses() -> int:
    """Return how often Spark was lost in this process; does not load it."""
    gateway = sys.modules.get("forklake.engine.gateway")
    return 0 if gateway is None else int(gateway.losses())


def _lost_spark(error: Exception, since: int) -> EngineError | None:
    """Return what to say if the statement failed because Spark was lost in the middle of it."""
    if "forklake.engine.failures" not in sys.modules:
        return None
    from forklake.engine.failures import loss  # noqa: PLC0415 - it is there already

    return loss(error, "the statement failed and nothing was committed", since)
