"""Dataclasses that write their methods late, beside those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, field, replace
from threading import Barrier
from types import ModuleType
from typing import Any

import pytest

from forklake.model import lazy_dataclass

SOURCE = '''
from dataclasses import field


@dataclass(frozen=True, slots=True)
class Point:
    """A point."""

    x: int
    y: int = 2
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Labelled(Point):
    self: str = "a field may have this name"
    parts: list[int] = field(default_factory=list, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyed:
    after: int = 0
    first: int


@dataclass(frozen=True, slots=True)
class Mixed:
    a: int
    b: int = field(kw_only=True)
    c: int = 3


@dataclass(frozen=True)
class Derived:
    """Has a dictionary, and fields that callers do not give."""

    a: int
    twice: int = field(init=False)
    made: list[int] = field(init=False, default_factory=list, compare=False)
    fixed: int = field(init=False, default=7)

    def __post_init__(self) -> None:
        object.__setattr__(self, "twice", 2 * self.a)


@dataclass
class Plain:
    a: int
    b: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Slotted:
    a: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Thing:
    a: int


@dataclass(frozen=True, slots=True)
class OwnMethods:
    a: int

    def __eq__(self, other):
        return isinstance(other, OwnMethods)

    def __repr__(self):
        return "mine"


@dataclass(frozen=True, slots=True)
class OwnHash:
    a: int

    def __hash__(self):
        return 5


@dataclass(frozen=True, slots=True)
class Empty:
    pass


class Undecorated(Point):
    pass
'''


def made_with(dataclass: Callable[..., Any], name: str) -> ModuleType:
    module = ModuleType(name)
    vars(module)["dataclass"] = dataclass
    sys.modules[name] = module  # where dataclasses and pickle look for a class
    exec(SOURCE, vars(module))
    return module


@pytest.fixture
def ours() -> ModuleType:
    return made_with(lazy_dataclass.dataclass, "lazily_made")


@pytest.fixture
def theirs() -> ModuleType:
    return made_with(dataclasses.dataclass, "made_at_once")


VALUES: list[tuple[str, tuple[object, ...], dict[str, object]]] = [
    ("Point", (1,), {}),
    ("Point", (1, 5, ("a",)), {}),
    ("Labelled", (1, 2), {"self": "s", "parts": [4]}),
    ("Labelled", (1, 2), {"self": "s", "parts": []}),
    ("Keyed", (), {"first": 4}),
    ("Mixed", (1, 2), {"b": 9}),
    ("Derived", (4,), {}),
    ("Plain", (1,), {}),
    ("Plain", (1, [2]), {}),
    ("Slotted", (), {}),
    ("Thing", (1,), {}),
    ("OwnMethods", (1,), {}),
    ("OwnHash", (1,), {}),
    ("Empty", (), {}),
    ("Undecorated", (1,), {}),
]


def facts(module: ModuleType, name: str, args: tuple[object, ...], words: dict[str, object]) -> dict[str, object]:
    """Return all that can be seen of a class and of a value of it."""
    kind = getattr(module, name)
    signature = str(inspect.signature(kind))  # before the first value is made
    value, other = kind(*args, **words), kind(*args, **words)
    again = pickle.loads(pickle.dumps(value))
    same = kind.__eq__ is object.__eq__
    return {
        "signature": signature,
        "text": repr(value),
        "equal": [value == other, value != other, value == again or same, copy.deepcopy(value) == value or same],
        "unlike": [value == 1, value == module.Point(99)],
        "hash": hash(value) == hash(other) if kind.__hash__ else None,
        "restored": [type(again).__name__, repr(again), repr(copy.copy(value))],
        "replaced": repr(replace(value, **{kind.__match_args__[0]: 77})) if kind.__match_args__ else None,
        "match": kind.__match_args__,
        "fields": [(one.name, one.type, one.init, one.kw_only) for one in dataclasses.fields(kind)],
        "slots": getattr(kind, "__slots__", None),
        "dict": hasattr(value, "__dict__"),
        "qualname": kind.__init__.__qualname__,
    }


@pytest.mark.parametrize(("name", "args", "words"), VALUES)
def test_a_dataclass_is_as_that_of_the_standard_library(
    ours: ModuleType, theirs: ModuleType, name: str, args: tuple[object, ...], words: dict[str, object]
) -> None:
    assert facts(ours, name, args, words) == facts(theirs, name, args, words)


@pytest.mark.parametrize(
    ("name", "args", "words"),
    [("Point", (), {}), ("Point", (1, 2, (), 4), {}), ("Point", (1,), {"z": 1}), ("Keyed", (1,), {"first": 1})],
)
def test_wrong_arguments_are_refused_in_the_same_words(
    ours: ModuleType, theirs: ModuleType, name: str, args: tuple[object, ...], words: dict[str, object]
) -> None:
    said = []
    for module in (ours, theirs):
        with pytest.raises(TypeError) as error:
            getattr(module, name)(*args, **words)
        said.append(str(error.value))
    assert said[0] == said[1]


@pytest.mark.parametrize("name", ["Point", "Labelled", "Thing", "Derived", "Undecorated"])
def test_a_frozen_value_cannot_be_changed(ours: ModuleType, name: str) -> None:
    value = getattr(ours, name)(1)
    first = dataclasses.fields(value)[0].name
    with pytest.raises(FrozenInstanceError, match=f"cannot assign to field '{first}'"):
        setattr(value, first, 2)
    with pytest.raises(FrozenInstanceError, match=f"cannot delete field '{first}'"):
        delattr(value, first)
    with pytest.raises(FrozenInstanceError):
        value.other = 2


def test_a_default_that_is_made_is_made_for_each_value(ours: ModuleType) -> None:
    one, other = ours.Plain(1), ours.Plain(1)
    one.b.append(1)
    assert other.b == []
    assert one != other


def test_a_value_within_itself_can_be_shown(ours: ModuleType) -> None:
    value = ours.Plain(1)
    value.b = value
    assert repr(value) == "Plain(a=1, b=...)"


def test_a_mutable_dataclass_has_no_hash(ours: ModuleType) -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(ours.Plain(1))


def test_methods_are_written_when_they_are_first_used_and_once(ours: ModuleType) -> None:
    kind = ours.Point
    before = {name: vars(kind)[name] for name in ("__init__", "__eq__", "__hash__")}
    assert not any(inspect.isfunction(method) for method in before.values())
    value = kind(1)
    assert inspect.isfunction(vars(kind)["__init__"])
    assert vars(kind)["__eq__"] is before["__eq__"]
    assert value == kind(1)
    assert len({value, kind(1), kind(2)}) == 2
    assert all(inspect.isfunction(vars(kind)[name]) for name in before)


def test_threads_may_make_the_first_values_at_once() -> None:
    for _ in range(20):
        kind = made_with(lazy_dataclass.dataclass, "made_by_threads").Labelled
        start = Barrier(4)

        def make(number: int, kind: Any = kind, start: Barrier = start) -> tuple[object, bool, int]:
            start.wait()
            return kind(number), kind(number) == kind(number), hash(kind(number))

        with ThreadPoolExecutor(4) as threads:
            made = [*threads.map(make, [1, 2, 1, 2])]
        assert made[0] == made[2] != made[1] == made[3]
        assert all(equal for _, equal, _ in made)


def test_every_dataclass_of_the_package_has_the_parameters_that_the_standard_library_would_give_it() -> None:
    kinds: set[Any] = {
        kind
        for name, module in [*sys.modules.items()]
        if name.startswith("forklake.")
        for kind in vars(module).values()
        if inspect.isclass(kind) and kind.__module__ == name and "__dataclass_fields__" in vars(kind)
    }
    assert len(kinds) > 100
    for kind in kinds:
        standard = dataclasses.make_dataclass(
            kind.__name__,
            [
                (
                    one.name,
                    one.type,
                    field(default=one.default, init=one.init, kw_only=one.kw_only is True)
                    if one.default_factory is dataclasses.MISSING
                    else field(default_factory=one.default_factory, init=one.init, kw_only=one.kw_only is True),
                )
                for one in dataclasses.fields(kind)
            ],
        )
        assert str(inspect.signature(kind)) == str(inspect.signature(standard)), kind
