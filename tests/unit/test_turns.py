"""The order in which files of tests are begun, and which of them need a Spark session."""

from pathlib import Path

import pytest

from tests.turns import LONGEST, in_order, needs_session

TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize("file", LONGEST)
def test_the_longest_files_are_there(file: str) -> None:
    assert (TESTS / file).is_file()


def test_long_files_come_first_and_those_of_units_last() -> None:
    files = ["tests/unit/test_turns.py", "tests/contract/test_forks.py", f"tests/{LONGEST[1]}", f"tests/{LONGEST[0]}"]
    assert in_order(files) == files[::-1]


@pytest.mark.parametrize(
    ("file", "is_needed"),
    [
        ("tests/sql/test_forks.py", True),
        ("tests/spark/test_merge.py", True),
        ("tests/interop/test_row_changes.py", True),
        ("tests/spark/test_cluster.py", False),
        ("tests/contract/test_forks.py", False),
    ],
)
def test_files_that_use_the_session_of_a_worker_are_known(file: str, is_needed: bool) -> None:
    assert needs_session(file) is is_needed
