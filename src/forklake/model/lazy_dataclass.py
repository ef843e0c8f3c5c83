"""Dataclasses whose methods are written when they are first used.

``dataclasses.dataclass`` compiles up to six methods for each class while a module is imported, which takes longer than
all else that an import does. A process that runs one statement makes values of few of these classes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, fields
from functools import partial
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, Final

__all__ = ["dataclass"]

_NO_VALUE: Final = type("_NoValue", (), {"__slots__": (), "__repr__": lambda self: "<factory>"})()


class _OnFirstUse:
    """A method that is written in this one's place when it is first asked for.

    Threads that ask at once each write it; all of these are equal.
    """

    __slots__ = ("_cls", "_name", "_write")

    def __init__(self, cls: type, name: str, write: Callable[[type], Callable[..., Any]]) -> None:
        self._cls, self._name, self._write = cls, name, write

    def __get__(self, instance: object, owner: type) -> Callable[..., Any]:
        method = self._write(self._cls)
        method.__qualname__ = f"{self._cls.__qualname__}.{self._name}"
        method.__module__ = self._cls.__module__
        setattr(self._cls, self._name, method)
        return method if instance is None else partial(method, instance)


def _compile(text: str, names: dict[str, Any]) -> Callable[..., Any]:
    """Return the one function that a text defines."""
    made: dict[str, Callable[..., Any]] = {}
    exec(text, names, made)
    (function,) = made.values()
    return function


def _write_init(cls: type) -> Callable[..., Any]:
    parameters: dict[bool, list[str]] = {False: [], True: []}
    lines: list[str] = []
    names: dict[str, Any] = {"_no_value": _NO_VALUE, "_set": object.__setattr__}
    is_frozen = vars(cls).get("__setattr__") is _refuse_to_set
    for one in fields(cls):
        name, value = one.name, one.name
        if one.default_factory is not MISSING:
            names[f"_make_{name}"] = one.default_factory
            default = "=_no_value"
            value = f"_make_{name}() if {name} is _no_value else {name}" if one.init else f"_make_{name}()"
        elif one.default is not MISSING:
            names[f"_default_{name}"] = one.default
            default = f"=_default_{name}"
            value = name if one.init else f"_default_{name}"
        elif one.init:
            default = ""
        else:
            continue  # its __post_init__ sets it
        if one.init:
            parameters[bool(one.kw_only)].append(name + default)
        lines.append(f"_set(_self, {name!r}, {value})" if is_frozen else f"_self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("_self.__post_init__()")
    listed = ", ".join(["_self", *parameters[False], *(["*", *parameters[True]] if parameters[True] else [])])
    method = _compile("\n ".join([f"def __init__({listed}):", *(lines or ["pass"])]), names)
    method.__annotations__ = {one.name: one.type for one in fields(cls) if one.init} | {"return": None}
    return method


def _compared_fields(cls: type, of: str) -> str:
    return f"({''.join(f'{of}.{one.name}, ' for one in fields(cls) if one.compare)})"


def _write_eq(cls: type) -> Callable[..., Any]:
    return _compile(
        "def __eq__(self, other):\n"
        " if other.__class__ is not self.__class__:\n"
        "  return NotImplemented\n"
        f" return {_compared_fields(cls, 'self')} == {_compared_fields(cls, 'other')}",
        {},
    )


def _write_hash(cls: type) -> Callable[..., Any]:
    return _compile(f"def __hash__(self):\n return hash({_compared_fields(cls, 'self')})", {})


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_to_set(self: object, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for one, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, one.name, value)


def _make(cls: type, *, frozen: bool, slots: bool, eq: bool, kw_only: bool) -> type:
    own = vars(cls)
    has_hash = own.get("__hash__") is not None
    cls.__doc__ = cls.__doc__ or cls.__name__  # else it would be made of the parameters, with much ado
    made: type = dataclasses.dataclass(  # noqa: TID251 - the fields are its work
        init=False, repr=False, eq=False, slots=slots, kw_only=kw_only
    )(cls)
    methods: dict[str, object] = {"__init__": _OnFirstUse(made, "__init__", _write_init), "__repr__": _repr}
    if eq:
        methods["__eq__"] = _OnFirstUse(made, "__eq__", _write_eq)
        if not has_hash:
            methods["__hash__"] = _OnFirstUse(made, "__hash__", _write_hash) if frozen else None
    if frozen:
        methods |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
        if slots:  # unpickling would set the fields one by one
            methods |= {"__getstate__": _state, "__setstate__": _restore}
    for name, method in methods.items():
        if name not in own or name == "__init__" or (name == "__hash__" and not has_hash):
            setattr(made, name, method)
    return made


if TYPE_CHECKING:
    from dataclasses import dataclass  # noqa: TID251 - what type checkers know
else:

    def dataclass(
        cls: type | None = None,
        /,
        *,
        frozen: bool = False,
        slots: bool = False,
        eq: bool = True,
        kw_only: bool = False,
    ) -> Any:
        """Make a class a dataclass, as the decorator of the standard library does.

        Type checkers take it for that. Fields, defaults, ``replace`` and the rest of ``dataclasses`` are the same. An
        attribute of a frozen value can never be set, one that is no field included.
        """
        make = partial(_make, frozen=frozen, slots=slots, eq=eq, kw_only=kw_only)
        return make if cls is None else make(cls)
