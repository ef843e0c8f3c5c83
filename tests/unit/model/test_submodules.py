"""Modules that are loaded when they are first used."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import pytest

from forklake.model.submodules import load, submodules


def test_a_module_is_imported_when_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "packed").mkdir()
    (tmp_path / "packed" / "heavy.py").write_text("import gc\nwas_collecting = gc.isenabled()\n")
    monkeypatch.syspath_prepend(tmp_path)
    attribute = submodules("packed", "heavy")
    assert "packed.heavy" not in sys.modules
    with pytest.raises(AttributeError, match="module 'packed' has no attribute 'light'"):
        attribute("light")
    assert attribute("heavy").was_collecting is False
    assert gc.isenabled()
    assert attribute("heavy") is sys.modules["packed.heavy"]


def test_the_collector_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModuleNotFoundError):
        load("forklake.nowhere")
    assert gc.isenabled()
    gc.disable()
    try:
        load("json")
        assert not gc.isenabled()
    finally:
        gc.enable()
