"""A cluster of Spark with executors in processes of their own: rows arrive, and faults leave nothing behind."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.loopback import spark_cluster

pytestmark = pytest.mark.timeout(600)  # a cluster, and all that is done on it

ROWS = int(os.environ.get("FORKLAKE_CLUSTER_ROWS", "20000"))
NOTHING = {"commits": 0, "rows": 0, "left behind": [], "missing": []}
WRITTEN = {"commits": 1, "rows": 40, "left behind": [], "missing": []}


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the program told; its Spark is not that of the other tests, so it runs in another process."""
    directory = tmp_path_factory.mktemp("cluster")
    program = Path(__file__).with_name("cluster_program.py")
    with spark_cluster(directory) as cluster:
        ran = subprocess.run(
            [sys.executable, str(program), cluster.address, str(directory), str(ROWS)],
            capture_output=True,
            text=True,
            timeout=580,
            check=False,
        )
    assert ran.returncode == 0, ran.stderr
    told: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return told


def test_rows_are_written_changed_read_and_forked_by_executors(done: dict[str, Any]) -> None:
    part = ROWS // 100
    ids = sum(range(ROWS)) - sum(range(8, ROWS, 100)) + ROWS
    assert done["rows"] == {
        "updated": part,
        "deleted": part,
        "merged": part + 1,
        "read": [ROWS - part + 1, ids, part, part + 1],
        "keys": [ROWS, sum(range(ROWS))],
        "fork": 99,
    }


def test_a_directory_that_executors_do_not_share_is_refused_before_rows_are_lost(done: dict[str, Any]) -> None:
    kind, message = done["unshared"]
    assert kind == "EngineError"
    assert 'does not see the directory "/proc/self/cwd/own/own/main/orders/"; nothing was written' in message


def test_an_interrupt_in_the_middle_of_a_write_leaves_nothing_behind(done: dict[str, Any]) -> None:
    outcome = done["interrupted"]
    assert outcome.pop("error")[0] == "KeyboardInterrupt"
    assert outcome == {**NOTHING, "second try": WRITTEN}


def test_executors_that_die_fail_the_write_in_clear_words_and_leave_nothing_behind(done: dict[str, Any]) -> None:
    outcome = done["killed for good"]
    kind, message = outcome.pop("error")
    assert kind == "EngineError"
    assert message == 'A process of Spark died while it worked on table "orders"; nothing was committed.'
    assert outcome == {**NOTHING, "second try": WRITTEN}


def test_an_executor_that_dies_once_costs_no_row_and_doubles_none(done: dict[str, Any]) -> None:
    assert done["killed once"] == {"error": None, **WRITTEN}


def test_rows_of_an_update_that_are_lost_with_their_executors_are_found_again(done: dict[str, Any]) -> None:
    outcome = done["killed between"]
    count = outcome.pop("expected")
    assert count > 0
    assert outcome.pop("killed") > 0
    assert outcome == {"updated": count, "read": count, "commits": 1, "left behind": []}


def test_a_task_that_runs_twice_writes_its_rows_once(done: dict[str, Any]) -> None:
    assert done["slow once"] == {"error": None, **WRITTEN}
