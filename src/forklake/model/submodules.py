"""Submodules that are imported when they are first used: what is heavy costs nothing until then."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType


def submodules(package: str, *names: str) -> Callable[[str], ModuleType]:
    """Return the ``__getattr__`` of a package that imports some of its submodules when they are asked for.

    Whoever imports the package then names them as its attributes, and type checkers are told of them beside it. A
    module of the package that is imported in another way is found without this.
    """

    def attribute(name: str) -> ModuleType:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return import_module(f"{package}.{name}")

    return attribute
