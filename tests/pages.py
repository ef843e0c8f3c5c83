"""Pages of the documentation whose examples run."""

import doctest
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"

WITHOUT_JAVA = (
    "guide/python.md",
    "guide/forks.md",
    "tutorial.md",
    "cookbook/agents.md",
    "cookbook/tenants.md",
    "cookbook/ci.md",
    "cookbook/publish.md",
)
ON_SPARK = ("guide/rows.md", "guide/sql.md")
"""Pages whose examples run, each in a directory of its own."""

_PROSE = re.compile(r"(?:\A|^```\n)(.*?)(?:^```python\n|\Z)", flags=re.DOTALL | re.MULTILINE)


def run_examples(page: Path) -> int:
    """Run the examples of a page, all in one session, and return how many there are."""
    # Prose becomes blank lines, so that a failure names the line of the page.
    code = _PROSE.sub(lambda match: "\n" * match.group().count("\n"), page.read_text(encoding="utf-8"))
    test = doctest.DocTestParser().get_doctest(code, {}, page.name, str(page), 0)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    assert not said, "".join(said)
    return len(test.examples)
