import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.session.deep_values import STATEMENTS

_PROGRAM = Path(__file__).with_name("deep_values.py")


@pytest.mark.slow
def test_no_depth_of_a_value_ends_the_process(tmp_path: Path) -> None:
    tried = subprocess.run(
        [sys.executable, _PROGRAM], capture_output=True, text=True, cwd=tmp_path, timeout=300, check=False
    )

    said = dict(line.split(": ", 1) for line in tried.stdout.splitlines())
    last = tried.stdout.splitlines()[-1:] or tried.stderr
    ended = signal.Signals(-tried.returncode).name if tried.returncode < 0 else ""
    assert tried.returncode == 0, f"{ended} at {last}: {tried.stderr[-500:]}"
    assert STATEMENTS.keys() <= said.keys()
    assert not [line for line in said.items() if "InternalError" in line[1]]
    assert "500 levels" in said["a cast of a column"]
