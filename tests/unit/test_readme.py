"""The README tells the truth."""

import re
from pathlib import Path

import forklake

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
INDEX = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")


def test_the_commands_are_make_targets() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    commands = set(re.findall(r"^make (\w+)", README, flags=re.MULTILINE))
    assert commands
    assert commands <= targets


def test_the_first_screen_is_the_same_on_the_site_and_does_what_it_says(tmp_path: Path) -> None:
    screens = [re.findall(r"^```sql\n(.*?)^```", text, re.DOTALL | re.MULTILINE)[0] for text in (README, INDEX)]
    assert screens[0] == screens[1]
    with forklake.open(f"sqlite:{tmp_path / 'shop.db'}", data_path=tmp_path / "files") as lake:
        session = lake.create_catalog("shop").session()
        counted = [result.fetchall() for result in session.results(screens[0]) if result is not None]
        assert counted[2][0][-3:] == (0, 0, 10)
        assert counted[3][0][1:3] == ("rows", "files")
        zeros = session.sql("SELECT count(*) FROM orders WHERE amount = 0")
        assert zeros is not None
        assert zeros.fetchall() == [(10,)]
