"""Pages whose examples read and write rows tell the truth."""

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.pages import run_examples

ROOT = Path(__file__).parents[2]


def test_the_examples_of_the_guide_run(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_examples(ROOT / "docs" / "guide" / "rows.md") > 25


def test_the_examples_of_the_readme_run(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```", readme, flags=re.DOTALL | re.MULTILINE)
    assert examples
    for example in examples:
        exec(compile(example, "README.md", "exec"), {})
