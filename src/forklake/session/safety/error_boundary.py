"""Unexpected exceptions, converted to errors of forklake."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from forklake.engine.engine import Engine
from forklake.errors import ForklakeError, InternalError, InvalidInputError


@contextmanager
def guard(engine: Engine) -> Iterator[None]:
    """Convert exceptions that are not ours to `forklake.errors`.

    The message is one line for the user; the original exception is chained.

    Raises:
        InvalidInputError: A statement is nested too deeply to be parsed.
        EngineError: The engine was lost.
        InternalError: Anything else.
    """
    since = engine.losses()
    try:
        yield
    except ForklakeError:
        raise
    except RecursionError as error:
        raise InvalidInputError(
            "Parser Error: Max expression depth limit exceeded: the statement is nested too deeply; nothing was done."
        ) from error
    except Exception as error:
        if lost := engine.loss(error, since):
            raise lost from error
        raise InternalError(
            f"INTERNAL Error: the statement could not be understood or run ({type(error).__name__}: {error}); nothing"
            " was done.",
            hint="This is a mistake of forklake, not yours; saying it in another way may help.",
        ) from error
