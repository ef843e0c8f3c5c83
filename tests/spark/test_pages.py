"""Pages whose examples read and write rows tell the truth."""

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import forklake
from tests.pages import DOCS, ON_SPARK, ROOT, run_examples


@pytest.mark.parametrize("page", ON_SPARK)
def test_the_examples_of_a_page_run(
    page: str, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_examples(DOCS / page) > 10


def test_the_examples_of_the_readme_run(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```", readme, flags=re.DOTALL | re.MULTILINE)
    assert examples
    for example in examples:
        exec(compile(example, "README.md", "exec"), {})


def test_the_sql_of_the_readme_runs(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    _, text = re.findall(r"^```sql\n(.*?)^```", readme, flags=re.DOTALL | re.MULTILINE)
    with forklake.connect(spark) as session:
        before, statement, after = text.partition("MERGE FORK")
        found = session.sql(before)
        assert found is not None
        assert sorted(row[0] for row in found.fetchall()) == [1, 3]
        session.sql(statement + after)
        apart = session.sql("SELECT * FROM agent.orders EXCEPT SELECT * FROM shop.orders")
        assert apart is not None
        assert apart.fetchall() == []
