"""PyArrow's compute functions, which are imported when the first is used.

That takes as long as a small read, which needs none. Methods of arrays do the same.
"""

from __future__ import annotations

from typing import Any

from forklake.model.submodules import load


def __getattr__(name: str) -> Any:
    return getattr(load("pyarrow.compute"), name)
