"""What forklake is installed without, unless it is asked for.

It is PySpark, the driver of PostgreSQL, and libraries of frames.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import ModuleType
from typing import Final, Literal, NamedTuple

from forklake.errors import NotInstalledError
from forklake.model.submodules import submodules

Extra = Literal["spark", "postgres", "pandas", "polars"]


class _Package(NamedTuple):
    title: str
    modules: frozenset[str]
    """The modules whose absence means that the extra is missing; the first part of their names."""
    command: str


_PACKAGES: Final[dict[Extra, _Package]] = {
    "spark": _Package("PySpark", frozenset({"pyspark", "py4j"}), "pip install 'forklake[spark]'"),
    "postgres": _Package("psycopg", frozenset({"psycopg"}), "pip install 'forklake[postgres]'"),
    "pandas": _Package("pandas", frozenset({"pandas"}), "pip install pandas"),
    "polars": _Package("Polars", frozenset({"polars"}), "pip install polars"),
}
_NO_LIBPQ: Final = "no pq wrapper available"
"""How psycopg says that the library is missing which `psycopg[binary]` brings along."""


def absence(extra: Extra, reason: str | None = None) -> NotInstalledError:
    """Return the error for something that needs what is not installed.

    Args:
        extra: What it needs.
        reason: Why it does, if there is more to say than that.
    """
    package = _PACKAGES[extra]
    why = "" if reason is None else f" ({reason})"
    return NotInstalledError(
        f"This needs {package.title}{why}, which is not installed; nothing was done.",
        hint=f"Install it: {package.command}",
    )


def is_installed(extra: Extra) -> bool:
    """Return whether an extra can be imported; it is not imported."""
    try:
        return all(map(_is_there, _PACKAGES[extra].modules))
    except (ImportError, ValueError):  # what stands in for a module that must not be imported
        return False


@contextmanager
def require(extra: Extra) -> Iterator[None]:
    """Import modules of an extra in this block.

    Raises:
        NotInstalledError: The extra is not installed.
    """
    try:
        yield
    except ImportError as error:
        is_missing = isinstance(error, ModuleNotFoundError) and _root(error.name) in _PACKAGES[extra].modules
        if is_missing or (extra == "postgres" and _NO_LIBPQ in str(error)):
            raise absence(extra) from error
        raise


def submodules_of(extra: Extra, package: str, *names: str) -> Callable[[str], ModuleType]:
    """Return a package's ``__getattr__`` for submodules that need an extra.

    As `submodules`.
    """
    find = submodules(package, *names)

    def attribute(name: str) -> ModuleType:
        with require(extra):
            return find(name)

    return attribute


def _is_there(name: str) -> bool:
    return sys.modules.get(name) is not None or find_spec(name) is not None


def _root(name: str | None) -> str:
    return (name or "").partition(".")[0]
