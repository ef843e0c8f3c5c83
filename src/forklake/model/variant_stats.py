"""Statistics of shredded variants of a whole table.

DuckLake stores them in ``extra_stats``: a list of paths with the type and the bounds of their values. A path that a
file does not have, or has with another type, is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any, Final

from forklake.model.definitions import VariantStats
from forklake.model.quoting import quote_name, unquote_name
from forklake.model.types.order import order_key
from forklake.model.types.read import stored_type

_Path = dict[str, Any]
_ROOT: Final = "root"
_ELEMENT: Final = "element"
_STEP: Final = re.compile(r'"(?:[^"]|"")*"|[a-z]+')


def path_text(steps: Sequence[str | None]) -> str:
    """Return the name of a path: fields by their names, elements of lists by None.

    >>> path_text(()), path_text(("a", None, 'b"c'))
    ('root', '"a".element."b""c"')
    """
    return ".".join(_ELEMENT if step is None else quote_name(step) for step in steps) or _ROOT


def path_steps(text: str) -> list[str | None]:
    """Return the steps of a path by its name.

    >>> path_steps("root"), path_steps('"a".element."b""c"')
    ([], ['a', None, 'b"c'])
    """
    steps = [] if text == _ROOT else _STEP.findall(text)
    return [None if step == _ELEMENT else unquote_name(step) for step in steps]


def stats_text(stats: Sequence[VariantStats]) -> str | None:
    """Return the statistics of one file as those of a table.

    None if no path is shredded.
    """
    paths = []
    for one in stats:
        path: _Path = {
            "field_name": one.variant_path,
            "shredded_type": one.shredded_type,
            "null_count": one.stats.null_count,
            "min": one.stats.min_value,
            "max": one.stats.max_value,
            "num_values": (one.stats.value_count or 0) + (one.stats.null_count or 0),
            "contains_nan": one.stats.contains_nan,
            "column_size_bytes": one.stats.column_size_bytes,
            "any_valid": True,
        }
        paths.append({name: value for name, value in path.items() if value is not None})
    return _text(paths)


def unite_texts(texts: Iterable[str | None]) -> str | None:
    """Return ``extra_stats`` of all together; None if no path is left."""
    several = [_read(text) for text in texts]
    return _text(list(reduce(_unite_paths, several).values())) if several else None


def shredded_types(text: str | None) -> dict[str, str]:
    """Return the paths of ``extra_stats`` with the names of their types."""
    return {name: str(path["shredded_type"]) for name, path in _read(text).items()}


def _read(text: str | None) -> dict[str, _Path]:
    try:
        found = json.loads(text or "[]")
        return {path["field_name"]: path for path in found if "shredded_type" in path}
    except (ValueError, TypeError, KeyError):
        return {}


def _text(paths: Sequence[_Path]) -> str | None:
    return json.dumps(paths, separators=(",", ":"), ensure_ascii=False) if paths else None


def _unite_paths(one: dict[str, _Path], other: dict[str, _Path]) -> dict[str, _Path]:
    return {name: _unite(path, other[name]) for name, path in one.items() if _are_alike(path, other.get(name))}


def _are_alike(path: _Path, other: _Path | None) -> bool:
    return other is not None and path["shredded_type"] == other["shredded_type"]


def _unite(one: _Path, other: _Path) -> _Path:
    """Return a path in both; what one side does not know is unknown."""
    found = dict(one)
    for name in ("null_count", "num_values", "column_size_bytes"):
        found[name] = one.get(name, 0) + other.get(name, 0)
    for name, choose in (("min", min), ("max", max)):
        found.pop(name, None)
        bound = _outermost(one, other, name, choose)
        if bound is not None:
            found[name] = bound
    if "contains_nan" in one and "contains_nan" in other:
        found["contains_nan"] = one["contains_nan"] or other["contains_nan"]
    else:
        found.pop("contains_nan", None)
    return found


def _outermost(one: _Path, other: _Path, name: str, choose: Callable[..., Any]) -> str | None:
    # A side without values has no bounds, and needs none.
    bounds = [path.get(name) for path in (one, other) if path.get("null_count") != path.get("num_values")]
    kind = stored_type(one["shredded_type"])
    keys = {bound: None if bound is None else order_key(kind, bound) for bound in bounds}
    if not keys or any(key is None for key in keys.values()):
        return None
    found: str = choose(keys, key=lambda bound: keys[bound])
    return found
