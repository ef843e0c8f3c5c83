"""Which of pytest's workers runs which file of tests, and when.

A file is run by one worker, so that what its tests share is made once. Files that need a Spark session go to all
workers but the last, so that it need not start one as long as there are others. Long files come first, and the shortest
last: then the workers end at about the same time.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

LONGEST = (
    "sql/test_cases.py",
    "spark/test_cluster.py",
    "property/test_row_histories.py",
    "property/test_merge_histories.py",
    "spark/test_row_histories.py",
    "interop/test_row_changes.py",
    "spark/test_connector.py",
    "sql/test_fuzz.py",
    "race/test_row_kills.py",
    "spark/test_java_process.py",
    "spark/test_connect.py",
    "interop/test_spark.py",
    "spark/test_lengths.py",
    "spark/test_filters.py",
    "spark/test_streaming.py",
    "spark/test_merged_changes.py",
    "spark/test_functions.py",
    "spark/test_merge.py",
    "isolation/test_tricks.py",
)
"""Files that take longer than half a minute on a small machine, the longest first."""

FOLDERS = ("race", "property", "interop", "spark", "isolation", "contract", "sql", "cli", "unit")
"""The folders of the other files, those with the longest files first."""

_TESTS = Path(__file__).parent
_ASKS_FOR_SPARK = re.compile(r"\bspark: \"?SparkSession|\bspark_lake: ")


@cache
def needs_session(file: str) -> bool:
    """Return whether tests of a file use the Spark session that a worker keeps for all its tests."""
    path = _TESTS.parent / file
    return path.parent == _TESTS / "sql" or _ASKS_FOR_SPARK.search(path.read_text()) is not None


def in_order(files: Sequence[str]) -> list[str]:
    """Return files in the order in which they are begun."""
    longest = {f"{_TESTS.name}/{name}": place for place, name in enumerate(LONGEST)}
    folders = {name: place for place, name in enumerate(FOLDERS)}

    def place(file: str) -> tuple[int, int]:
        return longest.get(file, len(longest)), folders.get(file.split("/")[1], len(folders))

    return sorted(files, key=place)


class Turns(LoadScopeScheduling):  # type: ignore[misc]
    """Gives whole files to workers, those that need a Spark session to few of them."""

    def _split_scope(self, nodeid: str) -> str:
        return nodeid.split("::", 1)[0]

    def _assign_work_unit(self, node: WorkerController) -> None:
        """Assign the next file of the kind that the worker is for, or of the other kind if there is none."""
        ordered = in_order(list(self.workqueue))
        is_for_spark = node.gateway.id != f"gw{self.numnodes - 1}" or self.numnodes == 1
        chosen = next((file for file in ordered if needs_session(file) == is_for_spark), ordered[0])
        self.workqueue.move_to_end(chosen, last=False)
        super()._assign_work_unit(node)
