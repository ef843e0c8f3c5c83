"""The README tells the truth."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_commands_are_make_targets() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    commands = set(re.findall(r"^make (\w+)", README, flags=re.MULTILINE))
    assert commands
    assert commands <= targets
