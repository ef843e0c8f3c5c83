"""The guide and the spec tell the truth, as far as a machine can see it."""

import re
from pathlib import Path

import pytest

from forklake import errors
from forklake.metastore.schema.catalog_tables import SEQUENCES
from forklake.metastore.schema.sections import TABLES as DESCRIBED
from forklake.model.option_rules import OPTIONS
from tests.pages import DOCS, WITHOUT_JAVA, run_examples

GUIDE = DOCS / "guide" / "python.md"


def all_errors(kind: type[errors.ForklakeError] = errors.ForklakeError) -> list[type[errors.ForklakeError]]:
    inside = [kind] if kind.__module__ == errors.__name__ else []
    return inside + [found for child in kind.__subclasses__() for found in all_errors(child)]


@pytest.mark.parametrize("page", WITHOUT_JAVA)
def test_the_examples_of_a_page_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_examples(DOCS / page) > 10


def test_the_guide_lists_every_error_as_it_is() -> None:
    rows = re.findall(r"^\| `(\w+Error)` \| `(\w+)` \| (\w+) \| (\d+) \|", GUIDE.read_text("utf-8"), flags=re.MULTILINE)
    actual = [
        (kind.__name__, kind.code, "yes" if kind.retryable else "no", str(kind.exit_code)) for kind in all_errors()
    ]
    assert sorted(rows) == sorted(actual)


def test_the_guide_lists_every_option_as_it_is() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (?:`(.+)`)? ?\| (.+) \|$", GUIDE.read_text("utf-8"), flags=re.MULTILINE)
    actual = [(name, kind.default or "", kind.description) for name, kind in OPTIONS.items()]
    assert [row for row in rows if row[0] in OPTIONS] == actual


def test_the_metadata_spec_lists_every_table_with_its_key() -> None:
    listed = {name: tuple(re.findall(r"`(\w+)`", key)) for name, key, _ in listed_tables()}
    assert listed == {table.name: table.key for table in DESCRIBED}


def test_the_metadata_spec_gives_every_table_its_visibility_class() -> None:
    actual = {
        table.name: " ".join(
            [table.visibility.name.lower(), *([f"`{table.follows[0].name}`"] if table.follows else [])]
        )
        for table in DESCRIBED
    }
    listed = {name: kind.partition(",")[0] for name, _, kind in listed_tables()}
    assert listed == actual


def test_the_metadata_spec_names_only_columns_that_a_table_has() -> None:
    page = (DOCS / "spec" / "metadata.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(ducklake_\w+)` \| [^|\n]*\| [^|\n]* \|([^|\n]*)\|$", page, flags=re.MULTILINE)
    columns = {table.name: {column.name for column in table.stored_columns} for table in DESCRIBED}
    assert {name: set(re.findall(r"`(\w+)`", notes)) - columns[name] for name, notes in rows} == {
        table.name: set() for table in DESCRIBED
    }


def test_the_metadata_spec_lists_every_sequence() -> None:
    page = (DOCS / "spec" / "metadata.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+_seq)` \|", page, flags=re.MULTILINE) == [sequence.name for sequence in SEQUENCES]


def listed_tables() -> list[tuple[str, str, str]]:
    page = (DOCS / "spec" / "metadata.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| `(ducklake_\w+)` \| ([^|\n]*)\| ([^|\n]*) \|[^|\n]*\|$", page, flags=re.MULTILINE)
    return [(name, key, kind) for name, key, kind in found]


def test_the_metadata_spec_names_the_partitioned_tables() -> None:
    page = (DOCS / "spec" / "metadata.md").read_text(encoding="utf-8")
    paragraph = page.partition("**Partitions.**")[2].partition("\n\n")[0]
    assert re.findall(r"`(ducklake_\w+)`", paragraph) == [table.name for table in DESCRIBED if table.grows]
