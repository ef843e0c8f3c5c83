"""Lazy submodules: heavy modules are imported on first use."""

from __future__ import annotations

import gc
from collections.abc import Callable
from importlib import import_module
from types import ModuleType


def submodules(package: str, *names: str) -> Callable[[str], ModuleType]:
    """Return a package's ``__getattr__`` that imports submodules on first use.

    Importers of the package use the submodules as its attributes, under the last part of their names; type checkers
    need the imports declared beside it. A submodule that was imported in another way is found without this.
    """
    paths = {name.rpartition(".")[2]: f"{package}.{name}" for name in names}

    def attribute(name: str) -> ModuleType:
        if name not in paths:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return load(paths[name])

    return attribute


def load(name: str) -> ModuleType:
    """Import a module that brings many others.

    Python does not look for garbage meanwhile: it would look through all that modules hold, which stays, many times.
    """
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        return import_module(name)
    finally:
        if is_collecting:
            gc.enable()
